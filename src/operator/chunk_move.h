/* One chunk of a sweep: the step that all solvers with rows of floats share.
 *
 * All nodes u of a chunk C move by one rule, h_u <- h_u + Delta_u, computed from the values before
 * the chunk. With z_u = sum over w != u of q(u,w) h_w the objective
 *
 *     f(H) = sum over u != w of q(u,w) <h_u, h_w>
 *
 * grows by exactly
 *
 *     2 sum over u in C of <z_u, Delta_u> + sum over u != w in C of q(u,w) <Delta_u, Delta_w>.
 *
 * The second sum needs only the edges inside the chunk and the change of S = F^T H:
 *
 *     sum over u != w in C of kappa <f_u, f_w> <Delta_u, Delta_w>
 *         = kappa (||sum over u in C of f_u Delta_u^T||^2 - sum over u in C of r_u^2
 * ||Delta_u||^2).
 *
 * For a graph, these sums have no order (kernels/sum_shapes.h). All arithmetic uses the parts of
 * the operator, the chunks and a few numbers, so a device or several processes can do the work.
 */
#ifndef CAFE_OPERATOR_CHUNK_MOVE_H
#define CAFE_OPERATOR_CHUNK_MOVE_H

#include "operator/chunks.h"
#include "operator/row_move.h"

typedef struct cafe_mover cafe_mover;

/* Creates a mover for the rows of h, a padded block. Nodes with fixed[u] != 0 keep their rows
 * (NULL: none). */
cafe_status cafe_mover_new(cafe_context *context, const cafe_operator *op, cafe_rule rule,
                           int64_t stride, float *h, const uint8_t *fixed, cafe_mover **mover);
void cafe_mover_free(cafe_mover *mover);

/* Declares that H lies in a file (base/memory_limit.h). Sums over edges then read copies of `width`
 * columns at a time. All nodes are swept, in at least as many chunks as there are groups of
 * columns. The bits are the same as for H in memory. Call it before cafe_mover_aim(). */
void cafe_mover_group(cafe_mover *mover, int64_t width);

/* Chooses the nodes of the next sweeps: all nodes, or a list (operator/chunks.h). moved (NULL: not
 * needed) gets ||Delta_u|| by places. */
cafe_status cafe_mover_aim(cafe_context *context, cafe_mover *mover, const int32_t *list,
                           int64_t size, int64_t chunks, float *moved);
const cafe_chunks *cafe_mover_chunks(const cafe_mover *mover);

/* Copies S, L x stride, as the last chunk left S: to s or, with `put`, from s. */
void cafe_mover_sums(cafe_mover *mover, bool put, double *s);

/* Moves all chunks, one after the other; *gain gets the growth of the objective. */
cafe_status cafe_mover_sweep(cafe_context *context, cafe_mover *mover, double *gain);

#endif
