/* The multi-layer method under a null model of several factors,
 *
 *     Q = A / total - r F C F^T,   C = diag(-1 ... -1, 1 ... 1),   A with weights of either sign:
 *
 * sums of graphs, signed graphs, slices, and null models other than p p^T. A community keeps a mass
 * for each column, M_S = sum over u in S of f_u, in the place of p(S); docs/algorithms/layers.md
 * has the formulas. The steps of layers.h call these functions if a graph has factors.
 */
#ifndef CAFE_SOLVE_LAYERS_FACTORS_H
#define CAFE_SOLVE_LAYERS_FACTORS_H

#include "operator/operator.h"
#include "solve/layers.h"
#include "solve/layers_nest.h"

/* Refuses an operator without edges, or one whose edges are subtracted; resolution 0 of a table. */
cafe_status cafe_factors_need(cafe_context *context, const cafe_operator *op, double resolution);

/* Copies F: *f is memory of the caller, as *mass is, mass[u] = ||f_u|| / M. Columns of tables are
 * divided by the root of the resolution, which then is that of all columns. */
cafe_status cafe_factors_take(cafe_context *context, const cafe_operator_parts *q,
                              double resolution, cafe_factors *null, double **f, double **mass);

/* to[n] <- the rows of node[n]. */
void cafe_factors_copy(const cafe_factors *null, const int32_t *node, int64_t n, double *to);

/* to <- to + sign f, rows of F. */
static inline void cafe_factors_add(const cafe_factors *null, const double *f, double sign,
                                    double *to) {
    for (int64_t l = 0; l < null->width; l++) to[l] += sign * f[l];
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* moves->sums of the communities as they are. */
cafe_status cafe_factors_open(cafe_context *context, int32_t workers, cafe_moves *moves);
/* cafe_moves_best(), and the masses after a move; threads may move nodes at once. */
cafe_move cafe_factors_best(const cafe_moves *moves, cafe_bins *bins, int64_t u);
void cafe_factors_move(const cafe_moves *moves, int64_t u, int32_t from, int32_t to);

/* cafe_nest_join() */
void cafe_factors_join(cafe_nest *nest, double pull, cafe_bins *bins);

/* ---- figures of partitions --------------------------------------------------------------------
 */

/* masses[count x width] <- M_S; memory of the caller. */
cafe_status cafe_factors_masses(cafe_context *context, const cafe_pooled *g, const int32_t *part,
                                int64_t count, double **masses);
/* Sum over communities, of chosen ones (NULL: all), of M_S C M_S^T. part NULL: of the nodes. */
cafe_status cafe_factors_expected(cafe_context *context, const cafe_pooled *g, const int32_t *part,
                                  int64_t count, const uint8_t *chosen, double *expected);
/* cafe_layers_connect() if the modularity does not fall: q(u,w) may be positive without an edge. */
cafe_status cafe_factors_connect(cafe_context *context, const cafe_pooled *g, double resolution,
                                 int32_t *part, int64_t *count);

#endif
