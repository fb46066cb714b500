/* Random walks of first and second order, each a function of (seed, number of the walk). */
#ifndef CAFE_BASELINE_WALKS_H
#define CAFE_BASELINE_WALKS_H

#include "base/random.h"
#include "graph/graph.h"
#include "sample/walk.h"

/* ---- numbers one after another --------------------------------------------------------------- */

/* The draws of one purpose and one item (a walk, a bucket of a batch): 64 bits each. */
typedef struct cafe_draws {
    uint64_t seed, stream, item;
    cafe_random4 now;
    int left;
} cafe_draws;

static inline cafe_draws cafe_draws_of(uint64_t seed, uint64_t stream, uint64_t item) {
    return (cafe_draws){.seed = seed, .stream = stream, .item = item};
}

static inline uint64_t cafe_draw(cafe_draws *d) {
    if (d->left == 0) {
        d->now = cafe_philox(d->seed, d->stream, d->item);
        d->stream += (uint64_t)1 << 32;
        d->left = 2;
    }
    d->left--;
    return ((uint64_t)d->now.v[2 * d->left] << 32) | d->now.v[2 * d->left + 1];
}

static inline double cafe_draw_uniform(cafe_draws *d) {
    return (double)(cafe_draw(d) >> 11) * 0x1p-53;
}

static inline int64_t cafe_draw_below(cafe_draws *d, int64_t bound) {
    return (int64_t)(((unsigned __int128)cafe_draw(d) * (uint64_t)bound) >> 64);
}

/* ---- walks ----------------------------------------------------------------------------------- */

typedef struct cafe_walker {
    const cafe_graph *graph;
    cafe_alias alias;       /* of a weighted graph's rows */
    double back, far, most; /* 1/p, 1/q and the largest of 1/p, 1, 1/q */
} cafe_walker;

/* p = q = 1: first order. The walker borrows the graph. */
cafe_status cafe_walker_new(cafe_context *context, const cafe_graph *graph, double p, double q,
                            cafe_walker *walker);
void cafe_walker_free(cafe_context *context, cafe_walker *walker);

/* A neighbour of u by weight; u has neighbours. */
static inline int32_t cafe_walker_first(const cafe_walker *w, int64_t u, cafe_draws *draws) {
    return cafe_alias_pick(&w->alias, w->graph->targets, w->graph->offsets[u],
                           w->graph->offsets[u + 1], cafe_draw(draws));
}

/* The node after `at` for a walk that came from `from`. */
int32_t cafe_walker_second(const cafe_walker *w, int32_t from, int32_t at, cafe_draws *draws);

/* At most `length` nodes from `start` on; returns how many: a start without neighbours is alone. */
int64_t cafe_walker_go(const cafe_walker *w, int32_t start, int64_t length, cafe_draws *draws,
                       int32_t *nodes);

/* Item i of a random order of 0 .. n-1: a bijection for each (seed, order). */
int64_t cafe_permuted(uint64_t seed, uint64_t order, int64_t n, int64_t i);

#endif
