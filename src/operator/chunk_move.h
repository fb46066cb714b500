/* One chunk of a sweep: the step that all solvers with rows of floats share.
 *
 * The nodes of the chunk move by the same rule, from the values before it; S = F^T H follows, and
 * the growth of the objective
 *
 *     sum over u != w of q(u,w) <h_u, h_w>
 *
 * is known: when the nodes of a chunk move by Delta it grows by
 *
 *     2 sum_u <z_u, Delta_u> + sum over u != w in the chunk of q(u,w) <Delta_u, Delta_w>
 *
 * and the second sum needs only the links inside the chunk and the change of S. Of a graph both,
 * and S's change, are sums without an order (kernels/sum_shapes.h). All of the arithmetic is on the
 * operator's parts, the chunks and a few numbers, so that a device or other processes can do it.
 */
#ifndef CAFE_OPERATOR_CHUNK_MOVE_H
#define CAFE_OPERATOR_CHUNK_MOVE_H

#include "operator/chunks.h"
#include "operator/row_move.h"

typedef struct cafe_mover cafe_mover;

/* Moves rows of h, a padded block. fixed (NULL: none): nodes with fixed[u] != 0 keep theirs. */
cafe_status cafe_mover_new(cafe_context *context, const cafe_operator *op, cafe_rule rule,
                           int64_t stride, float *h, const uint8_t *fixed, cafe_mover **mover);
void cafe_mover_free(cafe_mover *mover);

/* H lies in a file (base/memory_limit.h): the sums over links are found from copies of `width`
 * columns at a time. All nodes are swept, in as many chunks at least as there are such groups of
 * columns, and the bits are those of H in memory. To be said before the mover is aimed. */
void cafe_mover_group(cafe_mover *mover, int64_t width);

/* What is to be swept from now on: all nodes, or a list of them (operator/chunks.h). moved (NULL:
 * not wanted) gets ||Delta_u|| by places. */
cafe_status cafe_mover_aim(cafe_context *context, cafe_mover *mover, const int32_t *list,
                           int64_t size, int64_t chunks, float *moved);
const cafe_chunks *cafe_mover_chunks(const cafe_mover *mover);

/* S, L x stride, as the chunks so far left it: given out or, with `put`, taken in. */
void cafe_mover_sums(cafe_mover *mover, bool put, double *s);

/* All chunks, one after the other; *gain gets the growth of the objective. */
cafe_status cafe_mover_sweep(cafe_context *context, cafe_mover *mover, double *gain);

#endif
