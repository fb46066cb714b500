/* Sums over the neighbours of a node by their labels: the inner loop of moving, refining and
 * pooling.
 *
 * The table and the bounds of the row are copied into local variables while a row is added.
 * Otherwise the compiler must assume that writes into the table change them, and reads them again
 * for every arc. Each kind of weights has its own loop, so no arc tests the kind.
 */
#ifndef CAFE_GRAPH_LABEL_SUMS_H
#define CAFE_GRAPH_LABEL_SUMS_H

#include "graph/hash_sums.h"
#include "graph/pooling.h"

typedef enum cafe_weights {
    CAFE_WEIGHTS_NONE,
    CAFE_WEIGHTS_POOLED,
    CAFE_WEIGHTS_GIVEN
} cafe_weights;

/* Adds the arcs of row u except loops. `ahead` (may be NULL) is prefetched by label. `weights` is a
 * constant in every call. */
static inline __attribute__((always_inline)) void cafe_gather_kind(const cafe_pooled *g,
                                                                   const int32_t *label,
                                                                   const int64_t *ahead, int64_t u,
                                                                   cafe_weights weights,
                                                                   cafe_bins *bins) {
    const cafe_pooled row = *g;
    int64_t end = row.offsets[u + 1];
    cafe_bins b = *bins;
    for (int64_t j = row.offsets[u]; j < end; j++) {
        int32_t s = cafe_pooled_label(&row, label, j, end);
        if (ahead) __builtin_prefetch(&ahead[s]);
        if (row.targets[j] == u) continue;
        if (weights == CAFE_WEIGHTS_NONE)
            cafe_bins_add(&b, s, 1);
        else if (weights == CAFE_WEIGHTS_POOLED)
            cafe_bins_add(&b, s, row.pooled[j]);
        else
            cafe_bins_add(&b, s, cafe_row_weight(row.targets, row.single, row.factor, u, j));
    }
    bins->count = b.count;
}

/* The same, of any weights. */
static inline void cafe_gather_row(const cafe_pooled *g, const int32_t *label, const int64_t *ahead,
                                   int64_t u, cafe_bins *bins) {
    if (g->pooled)
        cafe_gather_kind(g, label, ahead, u, CAFE_WEIGHTS_POOLED, bins);
    else if (!g->single && !g->factor)
        cafe_gather_kind(g, label, ahead, u, CAFE_WEIGHTS_NONE, bins);
    else
        cafe_gather_kind(g, label, ahead, u, CAFE_WEIGHTS_GIVEN, bins);
}

#endif
