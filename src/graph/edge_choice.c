/* Leaves out edges by their weights and transforms weights.
 *
 * It works on the finished graph, after repeated edges were merged and directions were made
 * symmetric. So the result is the same for every format and any order of the lines:
 *
 *   1. an edge stays if least <= w <= most;
 *   2. w becomes ln(1 + w), sqrt(w) or 1 / w;
 *   3. an edge stays if it is among the K heaviest edges of one of its ends. Of equally heavy edges
 *      of a node, the edge to the neighbour that comes first in the graph counts as heavier.
 *
 * A loop takes part in 1 and 2 by its own weight, half of its entry; step 3 keeps all loops. Nodes
 * that lose all their edges stay in the graph.
 */
#include "graph/edge_choice.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"

enum { ROWS = 1024 };

typedef struct choice {
    const cafe_graph *graph;
    double least, most;
    int32_t transform;
    int64_t top;     /* edges per node; 0: all */
    uint64_t *last;  /* of each node: the key of its last edge among the top */
    uint64_t *heaps; /* `room` keys of each worker */
    int64_t room;
    atomic_llong outside; /* twice the edges that step 1 left out; loops count 2 */
    atomic_int not_unit;
    cafe_rows rows;
} choice;

bool cafe_chooses_edges(const cafe_graph_options *o) {
    return o->min_weight > 0 || o->max_weight > 0 || o->top_edges > 0 ||
           o->weight_transform != CAFE_TRANSFORM_NONE;
}

/* ---- weights --------------------------------------------------------------------------------- */

static double transformed(int32_t transform, double w) {
    switch (transform) {
        case CAFE_TRANSFORM_LOG: return log1p(w);
        case CAFE_TRANSFORM_SQRT: return sqrt(w);
        case CAFE_TRANSFORM_INVERSE: return 1 / w;
        default: return w;
    }
}

/* The new weight of entry i of row u; 0: the edge is left out. */
static inline float chosen(const choice *c, int64_t u, int64_t i) {
    double w = c->graph->weights ? c->graph->weights[i] : 1;
    double ends = c->graph->targets[i] == u ? 2 : 1; /* a(u,u) = 2w */
    if (w / ends < c->least || w / ends > c->most) return 0;
    return (float)(ends * transformed(c->transform, w / ends));
}

/* ---- the heaviest edges of each node --------------------------------------------------------- */

/* Heavier edges have smaller keys, and of equally heavy edges those to smaller neighbours. */
static inline uint64_t key_of(float weight, int32_t w) {
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits); /* of weights above 0: in their order */
    return (uint64_t)(UINT32_MAX - bits) << 32 | (uint32_t)w;
}

/* Moves the key at the root of a heap, largest first, to its place. */
static void sink(uint64_t *heap, int64_t count) {
    uint64_t key = heap[0];
    int64_t at = 0;
    for (int64_t child = 1; child < count; child = 2 * at + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child];
        if (heap[child] <= key) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = key;
}

static void rise(uint64_t *heap, int64_t at, uint64_t key) {
    for (; at > 0 && heap[(at - 1) / 2] < key; at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = key;
}

/* Returns the key of the last of the top edges of a node; UINT64_MAX: all edges are among them. */
static uint64_t last_of_top(const choice *c, int64_t u, uint64_t *heap) {
    int64_t count = 0;
    for (int64_t i = c->graph->offsets[u]; i < c->graph->offsets[u + 1]; i++) {
        float weight = chosen(c, u, i);
        if (weight == 0 || c->graph->targets[i] == u) continue;
        uint64_t key = key_of(weight, c->graph->targets[i]);
        if (count < c->top) {
            rise(heap, count++, key);
        } else if (key < heap[0]) {
            heap[0] = key;
            sink(heap, count);
        }
    }
    return count < c->top ? UINT64_MAX : heap[0];
}

static void find_last(void *argument, int64_t task, int32_t worker) {
    choice *c = argument;
    int64_t end = cafe_block_end(c->graph->n, ROWS, task);
    for (int64_t u = task * ROWS; u < end; u++)
        c->last[u] = last_of_top(c, u, c->heaps + worker * c->room);
}

static cafe_status find_tops(cafe_context *context, choice *c) {
    const cafe_graph *g = c->graph;
    if (c->top == 0) return CAFE_OK;
    if (c->top > g->counts.max_degree) c->top = g->counts.max_degree + 1;
    c->room = c->top;
    c->last = cafe_mem(context, g->n, sizeof *c->last);
    c->heaps = cafe_mem(context, context->threads * c->room, sizeof *c->heaps);
    CAFE_PASS(cafe_mem_had(c->last, c->heaps));
    return cafe_parallel(context, cafe_blocks(g->n, ROWS), find_last, c);
}

static inline bool is_top(const choice *c, int64_t u, int64_t w, float weight) {
    return !c->last || u == w || key_of(weight, (int32_t)w) <= c->last[u] ||
           key_of(weight, (int32_t)u) <= c->last[w];
}

/* ---- the rows -------------------------------------------------------------------------------- */

static void choose_rows(void *argument, int64_t task, int32_t worker) {
    choice *c = argument;
    const cafe_graph *g = c->graph;
    int64_t end = cafe_block_end(g->n, ROWS, task), outside = 0;
    bool not_unit = false;
    (void)worker;
    for (int64_t u = task * ROWS; u < end; u++) {
        int64_t at = cafe_row_begin(&c->rows, u);
        for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            float weight = chosen(c, u, i);
            outside += weight == 0 ? 1 + (g->targets[i] == u) : 0;
            if (weight == 0 || !is_top(c, u, g->targets[i], weight)) continue;
            not_unit |= weight != 1;
            cafe_row_put(&c->rows, &at, g->targets[i], weight);
        }
        cafe_row_end(&c->rows, u, at);
    }
    if (c->rows.targets) return; /* the first of two passes counts */
    atomic_fetch_add(&c->outside, outside);
    if (not_unit) atomic_store(&c->not_unit, 1);
}

/* The new rows take the place of the old ones. */
static void replace_rows(cafe_context *context, choice *c, cafe_graph *g) {
    if (g->owns_rows) cafe_mem_free_all(context, g->offsets, g->targets, g->weights);
    if (!atomic_load(&c->not_unit)) {
        cafe_mem_free(context, c->rows.weights);
        c->rows.weights = NULL;
    }
    g->arcs = c->rows.offsets[g->n];
    g->offsets = c->rows.offsets;
    g->targets = c->rows.targets;
    g->weights = c->rows.weights;
    g->owns_rows = true;
    g->borrowed = false;
    c->rows = (cafe_rows){0};
}

static cafe_status fail_none(cafe_context *context, const choice *c, const cafe_graph *g) {
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "no edge is left: the weights of all %" PRId64
                     " edges%s are outside of the range that " CAFE_OPT(
                         "min-weight") " and " CAFE_OPT("max-weight") " give",
                     g->counts.edges, c->graph->weights ? "" : ", which are 1,");
}

static cafe_status choose(cafe_context *context, choice *c, cafe_graph *g) {
    int64_t before = g->counts.edges;
    CAFE_PASS(find_tops(context, c));
    CAFE_PASS(cafe_rows_make(context, g->n, ROWS, choose_rows, c, &c->rows));
    int64_t outside = atomic_load(&c->outside) / 2;
    if (before > 0 && outside == before) return fail_none(context, c, g);
    replace_rows(context, c, g);
    CAFE_PASS(cafe_graph_count(context, g, g->counts.self_loops_kept));
    g->counts.outside = outside;
    g->counts.lighter = before - outside - g->counts.edges;
    return CAFE_OK;
}

cafe_status cafe_check_choice(cafe_context *context, const cafe_graph_options *o) {
    if (o->max_weight == 0 || o->min_weight <= o->max_weight) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     CAFE_OPT("min-weight") " is %g, above " CAFE_OPT("max-weight") ", %g",
                     o->min_weight, o->max_weight);
}

cafe_status cafe_graph_choose(cafe_context *context, const cafe_graph_options *options,
                              cafe_graph **graph) {
    choice c = {.graph = *graph, .least = options->min_weight, .top = options->top_edges};
    cafe_status status = CAFE_OK;
    if (!cafe_chooses_edges(options)) return CAFE_OK;
    if ((*graph)->negative)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           CAFE_OPT("signed") " does not go with choices of edges by weight"));
    c.most = options->max_weight > 0 ? options->max_weight : FLT_MAX;
    c.transform = options->weight_transform;
    CAFE_TRY(cafe_check_choice(context, options));
    status = choose(context, &c, *graph);
done:
    cafe_rows_free(context, &c.rows);
    cafe_mem_free_all(context, c.last, c.heaps);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_graph_free(*graph);
    *graph = NULL;
    return status;
}
