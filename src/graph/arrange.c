/* Orders of nodes: hubs first, or community by community; and the graph in such an order. */
#include "graph/arrange.h"

#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "graph/build.h"

enum { ROWS = 4096 };

/* ---- the order ------------------------------------------------------------------------------- */

/* order: the nodes by keys 0 .. count-1, ascending, those of one key in their order. */
static cafe_status sort_nodes(cafe_context *context, int64_t n, const int32_t *keys, int64_t count,
                              int32_t *order) {
    int64_t *next = cafe_mem_zero(context, count + 1, sizeof *next);
    if (!next) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) next[keys[u] + 1]++;
    for (int64_t k = 0; k < count; k++) next[k + 1] += next[k];
    for (int64_t u = 0; u < n; u++) order[next[keys[u]]++] = (int32_t)u;
    cafe_mem_free(context, next);
    return CAFE_OK;
}

/* The rows of hubs, which are read most, side by side; and hubs move before their neighbours. */
static cafe_status by_degree(cafe_context *context, const cafe_graph *g, int32_t *keys,
                             int32_t *order) {
    int64_t most = 0;
    for (int64_t u = 0; u < g->n; u++) {
        int64_t degree = g->offsets[u + 1] - g->offsets[u];
        if (degree > most) most = degree;
    }
    for (int64_t u = 0; u < g->n; u++)
        keys[u] = (int32_t)(most - (g->offsets[u + 1] - g->offsets[u]));
    return sort_nodes(context, g->n, keys, most + 1, order);
}

static cafe_status by_communities(cafe_context *context, const cafe_graph *g, int32_t *keys,
                                  int32_t *order) {
    int64_t count;
    CAFE_PASS(cafe_graph_labels(context, g, keys, &count));
    return sort_nodes(context, g->n, keys, count, order);
}

static void forget_order(cafe_graph *graph) {
    if (graph->owns_order) cafe_mem_free(graph->context, (void *)graph->order);
    graph->order = NULL;
    graph->owns_order = false;
}

static cafe_status find_order(cafe_context *context, cafe_reorder how, cafe_graph *graph) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int32_t *order = cafe_mem(context, graph->n, sizeof *order);
    int32_t *keys = cafe_mem(context, graph->n, sizeof *keys);
    if (!order || !keys) goto done;
    cafe_phase(context, "reorder", 0);
    CAFE_TRY(
        (how == CAFE_REORDER_DEGREE ? by_degree : by_communities)(context, graph, keys, order));
    graph->order = order;
    graph->owns_order = true;
    order = NULL;
done:
    cafe_mem_free_all(context, order, keys);
    return status;
}

cafe_status cafe_graph_arrange(cafe_context *context, cafe_reorder how, cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    if (how == CAFE_REORDER_AUTO) return CAFE_OK;
    forget_order(*graph);
    if (how != CAFE_REORDER_NONE) status = find_order(context, how, *graph);
    if (status == CAFE_OK) return CAFE_OK;
    cafe_graph_free(*graph);
    *graph = NULL;
    return status;
}

const int32_t *cafe_graph_order(const cafe_graph *graph) {
    return graph->order;
}

cafe_status cafe_is_order(cafe_context *context, int64_t n, const int32_t *order, bool *found) {
    uint8_t *seen = cafe_mem_zero(context, n, 1);
    if (!seen) return CAFE_ERROR_MEMORY;
    *found = true;
    for (int64_t i = 0; i < n && *found; i++)
        *found = order[i] >= 0 && order[i] < n && !seen[order[i]]++;
    cafe_mem_free(context, seen);
    return CAFE_OK;
}

/* ---- the graph in it ------------------------------------------------------------------------- */

typedef struct renumbering {
    const cafe_graph *from;
    const int32_t *order;
    int32_t *places; /* of each node */
    const int64_t *offsets;
    int32_t *targets;
    float *weights;
} renumbering;

/* Rows first .. last - 1 of the new graph, sorted; of their links those that stay near. */
static void renumber_rows(void *argument, int64_t first, int64_t last, double *near) {
    const renumbering *r = argument;
    const cafe_graph *g = r->from;
    for (int64_t i = first; i < last; i++) {
        int64_t from = g->offsets[r->order[i]], count = r->offsets[i + 1] - r->offsets[i];
        int32_t *targets = r->targets + r->offsets[i];
        float *weights = r->weights ? r->weights + r->offsets[i] : NULL;
        for (int64_t j = 0; j < count; j++) targets[j] = r->places[g->targets[from + j]];
        if (weights) memcpy(weights, g->weights + from, (size_t)count * sizeof *weights);
        cafe_sort_row((uint32_t *)targets, weights, count);
        for (int64_t j = 0; j < count; j++)
            *near += targets[j] - i <= CAFE_NEAR && i - targets[j] <= CAFE_NEAR;
    }
}

/* Room for the rows, and where each begins. */
static cafe_status lay_out(cafe_context *context, renumbering *r, cafe_graph *to) {
    const cafe_graph *g = r->from;
    int64_t *offsets = cafe_mem(context, g->n + 1, sizeof *offsets);
    to->n = g->n, to->arcs = g->arcs, to->owns_rows = true;
    to->offsets = r->offsets = offsets;
    to->targets = r->targets = cafe_mem(context, g->arcs, sizeof *r->targets);
    if (g->weights) to->weights = r->weights = cafe_mem(context, g->arcs, sizeof *r->weights);
    r->places = cafe_mem(context, g->n, sizeof *r->places);
    if (!offsets || !r->targets || !r->places || (g->weights && !r->weights))
        return CAFE_ERROR_MEMORY;
    offsets[0] = 0;
    for (int64_t i = 0; i < g->n; i++) {
        int64_t u = r->order[i];
        r->places[u] = (int32_t)i;
        offsets[i + 1] = offsets[i] + g->offsets[u + 1] - g->offsets[u];
    }
    return CAFE_OK;
}

cafe_status cafe_graph_renumber(cafe_context *context, const cafe_graph *graph,
                                const int32_t *order, cafe_graph **renumbered, double *near) {
    cafe_status status = CAFE_ERROR_MEMORY;
    renumbering r = {.from = graph, .order = order};
    cafe_graph *g = *renumbered = NULL;
    double sum = 0;
    if (!(g = cafe_graph_new(context))) return status;
    CAFE_TRY(lay_out(context, &r, g));
    CAFE_TRY(cafe_sums(context, graph->n, ROWS, renumber_rows, &r, 1, &sum));
    CAFE_TRY(cafe_graph_tally(context, g));
    g->counts = graph->counts;
    *near = graph->arcs > 0 ? sum / (double)graph->arcs : 0;
    *renumbered = g;
    g = NULL;
done:
    cafe_mem_free(context, r.places);
    cafe_graph_free(g);
    return status;
}
