/* Random walks: by weight (DeepWalk), or biased by where the walk came from (node2vec).
 *
 * From t to v, the walk goes on to x with a probability proportional to alpha(t,x) a(v,x),
 *
 *     alpha(t,x) = 1/p  when x = t,    1  when x is linked to t,    1/q  otherwise.
 *
 * Tables for every pair (t,v) would take sum of d_v^2 entries. Instead x is drawn by a(v,x) and
 * kept with probability alpha / max alpha (rejection; Yang et al.: KnightKing, SOSP 2019). This is
 * exact and takes 1 to 2 tries for usual p and q. When many tries in a row fail (extreme p or q),
 * one draw from the row's cumulated weights ends it. If all tries failed, x is still to be drawn
 * from the same distribution, so the law does not change.
 */
#include "baseline/walks.h"

#include "graph/compressed_rows.h"

enum {
    TRIES = 32, /* rejections in a row before the row is added up */
    ROUNDS = 4  /* of the Feistel network: enough for a pseudorandom permutation */
};

cafe_status cafe_walker_new(cafe_context *context, const cafe_graph *graph, double p, double q,
                            cafe_walker *walker) {
    *walker = (cafe_walker){.graph = graph, .back = 1 / p, .far = 1 / q, .most = 1};
    if (walker->back > walker->most) walker->most = walker->back;
    if (walker->far > walker->most) walker->most = walker->far;
    return graph->scaled ? cafe_alias_new(context, graph, &walker->alias) : CAFE_OK;
}

void cafe_walker_free(cafe_context *context, cafe_walker *walker) {
    cafe_alias_free(context, &walker->alias);
}

/* ---- second order ---------------------------------------------------------------------------- */

/* Rows are ascending: bisection in the shorter one. */
static int linked(const cafe_graph *g, int32_t a, int32_t b) {
    int64_t length_a = g->offsets[a + 1] - g->offsets[a];
    int64_t length_b = g->offsets[b + 1] - g->offsets[b];
    int32_t row = length_a < length_b ? a : b, wanted = length_a < length_b ? b : a;
    int64_t end = g->offsets[row + 1];
    int64_t at = cafe_row_find(g->targets, g->offsets[row], end, wanted);
    return at < end && g->targets[at] == wanted;
}

static double bias(const cafe_walker *w, int32_t from, int32_t to) {
    if (to == from) return w->back;
    if (w->far == 1) return 1;
    return linked(w->graph, from, to) ? 1 : w->far;
}

static double biased_weight(const cafe_walker *w, int32_t from, int64_t j) {
    double weight = w->graph->scaled ? w->graph->scaled[j] : 1;
    return weight * bias(w, from, w->graph->targets[j]);
}

static int32_t add_up(const cafe_walker *w, int32_t from, int32_t at, double uniform) {
    int64_t begin = w->graph->offsets[at], end = w->graph->offsets[at + 1], j = begin;
    double total = 0, sum = 0;
    for (int64_t i = begin; i < end; i++) total += biased_weight(w, from, i);
    for (; j < end - 1; j++) {
        sum += biased_weight(w, from, j);
        if (uniform * total < sum) break;
    }
    return w->graph->targets[j];
}

int32_t cafe_walker_second(const cafe_walker *w, int32_t from, int32_t at, cafe_draws *draws) {
    for (int i = 0; i < TRIES; i++) {
        int32_t to = cafe_walker_first(w, at, draws);
        if (cafe_draw_uniform(draws) * w->most < bias(w, from, to)) return to;
    }
    return add_up(w, from, at, cafe_draw_uniform(draws));
}

/* ---- whole walks ----------------------------------------------------------------------------- */

int64_t cafe_walker_go(const cafe_walker *w, int32_t start, int64_t length, cafe_draws *draws,
                       int32_t *nodes) {
    const int64_t *offsets = w->graph->offsets;
    int plain = w->back == 1 && w->far == 1;
    nodes[0] = start;
    for (int64_t i = 1; i < length; i++) {
        int32_t at = nodes[i - 1];
        if (offsets[at] == offsets[at + 1]) return i; /* nowhere to go */
        nodes[i] = plain || i == 1 ? cafe_walker_first(w, at, draws)
                                   : cafe_walker_second(w, nodes[i - 2], at, draws);
    }
    return length;
}

/* A Feistel network permutes the numbers of 2b bits; applied until the result is below n, it
 * permutes 0 .. n-1 (cycle walking). The domain is below 4n, so that takes 4 turns at most on
 * average. */
int64_t cafe_permuted(uint64_t seed, uint64_t order, int64_t n, int64_t i) {
    uint64_t x = (uint64_t)i;
    int half = 1;
    while (((int64_t)1 << (2 * half)) < n) half++;
    uint64_t mask = ((uint64_t)1 << half) - 1;
    do {
        uint64_t left = x >> half, right = x & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            uint64_t stream = CAFE_STREAM_SKIP_ORDER | (round << 32) | (order << 36);
            cafe_random4 r = cafe_philox(seed, stream, right);
            uint64_t next = left ^ (r.v[0] & mask);
            left = right;
            right = next;
        }
        x = (left << half) | right;
    } while (x >= (uint64_t)n);
    return (int64_t)x;
}
