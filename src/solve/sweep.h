/* One pass over the nodes in chunks: what the solvers of this folder share.
 *
 * A solver gives the update of a single node; the sweep runs it over the chunks, in parallel and
 * deterministically, keeps s = sum of p_w h_w, and knows by how much the objective
 *
 *     sum over u != w of q(u,w) <h_u, h_w>
 *
 * has grown: when the nodes of a chunk move by Delta it grows by
 *
 *     2 sum_u <z_u, Delta_u> + sum over u != w in the chunk of q(u,w) <Delta_u, Delta_w>
 *
 * and the second sum needs only the arcs inside the chunk and the change of s.
 *
 * The operator's sign goes into what a node sees (s and its pull) and into the second sum: updates
 * and kernels do not know of it.
 */
#ifndef CAFE_SOLVE_SWEEP_H
#define CAFE_SOLVE_SWEEP_H

#include "solve/chunks.h"
#include "solve/solution.h"

/* The update of one node: row comes in as the sum of its neighbours' rows and goes out as its new
 * row. s and pull carry the operator's sign; `shift` is c_u / p_u of solve/chunks.h. */
typedef cafe_gain cafe_update(const void *method, const cafe_kernels *kernels, int64_t stride,
                              const float *h, const float *s, cafe_pull pull, float shift,
                              float *row);

typedef struct cafe_sweep cafe_sweep;

/* fixed (NULL: none): nodes with fixed[u] != 0 keep their rows. */
cafe_status cafe_sweep_new(cafe_context *context, const cafe_operator *op, cafe_solution *solution,
                           int64_t chunks, const uint8_t *fixed, cafe_update *update,
                           const void *method, cafe_sweep **sweep);
void cafe_sweep_free(cafe_sweep *sweep);

/* From now on P - resolution p p^T takes the place of Q: for the nodes and for the gains. */
void cafe_sweep_weigh(cafe_sweep *sweep, double resolution);

/* One pass over all nodes; *gain gets the growth of the objective. */
cafe_status cafe_sweep_run(cafe_context *context, cafe_sweep *sweep, double *gain);

/* Passes until one gains less than `tolerance` (0: never) of the objective, `sweeps` at most.
 * solution->objective[i] is relative to the start until cafe_sweep_settle(). `level` is the
 * objective at the start as far as it matters for the stopping rule. */
cafe_status cafe_sweep_iterate(cafe_context *context, cafe_sweep *sweep, int64_t sweeps,
                               double tolerance, double level);

/* Keeps Y = D^-1 Q H, which every spectral finish starts from, and with it the exact objective; the
 * earlier ones follow from it by their gains. */
cafe_status cafe_sweep_settle(cafe_context *context, const cafe_operator *op,
                              cafe_solution *solution);

#endif
