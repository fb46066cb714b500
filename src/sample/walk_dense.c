/* Rows of B = sum_t c_t D (D^-1 A)^t where most nodes are reached: eight at a time, without lists.
 *
 * By Horner's rule a row takes one pass over the arcs per step, from the longest walk to the
 * shortest: with z the row divided by the degrees,
 *
 *     z_u += c_t,   z <- D^-1 A z     for t = L, ..., 1,
 *
 * the last division left out. A is symmetric, so every node gathers from its neighbours.
 */
#include <string.h>

#include "graph/graph.h"
#include "sample/walk.h"

static void gather(const cafe_graph *g, const double *z, int64_t w, double *sum) {
    double s[CAFE_WALK_WIDE] = {0};
    for (int64_t j = g->offsets[w]; j < g->offsets[w + 1]; j++) {
        const double *from = z + (int64_t)g->targets[j] * CAFE_WALK_WIDE;
        double a = g->scaled ? g->scaled[j] : 1;
        for (int i = 0; i < CAFE_WALK_WIDE; i++) s[i] += a * from[i];
    }
    memcpy(sum, s, sizeof s);
}

static void divide(double *row, double degree) {
    double inverse = degree > 0 ? 1 / degree : 0;
    for (int i = 0; i < CAFE_WALK_WIDE; i++) row[i] *= inverse;
}

const double *cafe_walk_dense(const cafe_walk *walk, const int32_t *u, int64_t count, double *z,
                              double *next) {
    const cafe_graph *g = walk->graph;
    memset(z, 0, (size_t)(g->n * CAFE_WALK_WIDE) * sizeof *z);
    for (int64_t t = walk->steps; t >= 1; t--) {
        for (int64_t i = 0; i < count; i++) z[u[i] * CAFE_WALK_WIDE + i] += walk->share[t - 1];
        for (int64_t w = 0; w < g->n; w++) {
            gather(g, z, w, next + w * CAFE_WALK_WIDE);
            if (t > 1) divide(next + w * CAFE_WALK_WIDE, walk->degree[w]);
        }
        double *now = z;
        z = next;
        next = now;
    }
    return z;
}
