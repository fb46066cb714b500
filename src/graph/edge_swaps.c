/* Random graphs with the degrees of a given one: swaps of the ends of two edges.
 *
 *     a - b, c - d   becomes   a - d, c - b
 *
 * A swap that would make a loop or a repeated edge is left out. The chain of such swaps visits all
 * graphs with these degrees equally often in the long run (Maslov and Sneppen 2002). Each edge is
 * chosen ten times on average.
 */
#include "graph/edge_swaps.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "graph/graph.h"

enum { CHOICES = 10, BLOCK = 1 << 16 };

/* The rows of the random graph, in any order; an arc is an entry of a row. */
typedef struct swaps {
    const int64_t *offsets;
    int32_t *source, *target; /* of each arc */
    int64_t *twin;            /* the same edge in the other row */
    float *weight;            /* NULL: all 1 */
} swaps;

/* ---- rows ------------------------------------------------------------------------------------ */

/* The arcs of a row and those that point back come in the same order: targets ascend. */
static void find_twins(const cafe_graph *g, swaps *s, int64_t *next) {
    for (int64_t u = 0; u < g->n; u++) next[u] = g->offsets[u];
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            s->source[i] = (int32_t)u;
            s->twin[i] = next[s->target[i]]++;
        }
}

static bool has_edge(const swaps *s, int32_t u, int32_t w) {
    if (s->offsets[u + 1] - s->offsets[u] > s->offsets[w + 1] - s->offsets[w]) {
        int32_t held = u;
        u = w, w = held;
    }
    for (int64_t i = s->offsets[u]; i < s->offsets[u + 1]; i++)
        if (s->target[i] == w) return true;
    return false;
}

static void join(swaps *s, int64_t i, int64_t j) {
    s->target[i] = s->source[j];
    s->target[j] = s->source[i];
    s->twin[i] = j;
    s->twin[j] = i;
    if (s->weight) s->weight[j] = s->weight[i];
}

static void swap(swaps *s, int64_t i, int64_t j) {
    int32_t a = s->source[i], b = s->target[i], c = s->source[j], d = s->target[j];
    int64_t back_i = s->twin[i], back_j = s->twin[j];
    if (a == b || c == d || a == d || c == b || has_edge(s, a, d) || has_edge(s, c, b)) return;
    join(s, i, back_j);
    join(s, j, back_i);
}

static cafe_status swap_all(cafe_context *context, int64_t arcs, uint32_t draw, swaps *s) {
    uint64_t stream = CAFE_STREAM_SWAPS | (uint64_t)draw << 32;
    for (int64_t k = 0; k < arcs / 2 * CHOICES / 2; k++) {
        cafe_random4 r = cafe_philox(context->seed, stream, (uint64_t)k);
        if (k % BLOCK == 0) CAFE_PASS(cafe_check_cancel(context));
        swap(s, (int64_t)cafe_below(r.v[0], r.v[1], (uint64_t)arcs),
             (int64_t)cafe_below(r.v[2], r.v[3], (uint64_t)arcs));
    }
    return CAFE_OK;
}

/* ---- sorted rows ----------------------------------------------------------------------------- */

/* Arcs (u, w) in the order of u go to the rows of w: there u ascends. An arc's weight is that of
 * its twin. */
static void sort_rows(int64_t n, const swaps *s, int64_t *next, int32_t *target, float *weight) {
    for (int64_t u = 0; u < n; u++) next[u] = s->offsets[u];
    for (int64_t i = 0; i < s->offsets[n]; i++) {
        int64_t j = next[s->target[i]]++;
        target[j] = s->source[i];
        if (weight) weight[j] = s->weight[i];
    }
}

cafe_status cafe_graph_swap_edges(cafe_context *context, const cafe_graph *graph, uint32_t draw,
                                  cafe_graph **random) {
    const cafe_graph *g = graph;
    cafe_status status = CAFE_OK;
    size_t arcs = (size_t)g->arcs;
    swaps s = {.offsets = g->offsets};
    cafe_graph_options options;
    int64_t *next = cafe_mem(context, g->n, sizeof *next);
    int32_t *target = cafe_mem(context, g->arcs, sizeof *target);
    float *weight = g->weights ? cafe_mem(context, g->arcs, sizeof *weight) : NULL;
    s.source = cafe_mem(context, g->arcs, sizeof *s.source);
    s.target = cafe_mem(context, g->arcs, sizeof *s.target);
    s.twin = cafe_mem(context, g->arcs, sizeof *s.twin);
    s.weight = g->weights ? cafe_mem(context, g->arcs, sizeof *s.weight) : NULL;
    *random = NULL;
    CAFE_TRY(cafe_mem_had(next, target, s.source, s.target, s.twin));
    if (g->weights) CAFE_TRY(cafe_mem_had(weight, s.weight));
    memcpy(s.target, g->targets, arcs * sizeof *s.target);
    if (g->weights) memcpy(s.weight, g->weights, arcs * sizeof *s.weight);
    find_twins(g, &s, next);
    CAFE_TRY(swap_all(context, g->arcs, draw, &s));
    sort_rows(g->n, &s, next, target, weight);
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    CAFE_TRY(cafe_graph_from_csr(context, g->n, g->offsets, target, weight, 0, &options, random));
done:
    cafe_mem_free_all(context, next, target, weight, s.source, s.target, s.twin, s.weight);
    return status;
}
