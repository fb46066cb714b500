/* Orders of nodes: hubs first, or community by community; and the graph in such an order. */

#include "graph/node_order.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "graph/permutation.h"

enum { ROWS = 4096 };

/* ---- the order ------------------------------------------------------------------------------- */

cafe_status cafe_order_by_keys(cafe_context *context, int64_t n, const int32_t *keys, int64_t count,
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
    return cafe_order_by_keys(context, g->n, keys, most + 1, order);
}

static cafe_status by_communities(cafe_context *context, const cafe_graph *g, int32_t *keys,
                                  int32_t *order) {
    int64_t count;
    CAFE_PASS(cafe_graph_labels(context, g, keys, &count));
    return cafe_order_by_keys(context, g->n, keys, count, order);
}

static void forget_order(cafe_graph *graph) {
    if (graph->owns_order) cafe_mem_free(graph->context, graph->order);
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

cafe_status cafe_graph_arrange(cafe_context *context, const cafe_graph_options *options,
                               cafe_graph **graph) {
    cafe_reorder how = (cafe_reorder)options->reorder;
    cafe_status status = CAFE_OK;
    if (how != CAFE_REORDER_AUTO) forget_order(*graph);
    if (how == CAFE_REORDER_DEGREE || how == CAFE_REORDER_COMMUNITIES)
        status = find_order(context, how, *graph);
    if (status == CAFE_OK) status = cafe_graph_set_tables(*graph, options);
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

/* Sorts rows first .. last - 1 and counts their edges between close nodes. */
static void sort_rows(void *argument, int64_t first, int64_t last, double *near) {
    const cafe_rows *rows = argument;
    for (int64_t i = first; i < last; i++) {
        int64_t from = rows->offsets[i], count = rows->offsets[i + 1] - from;
        int32_t *targets = rows->targets + from;
        cafe_sort_row((uint32_t *)targets, rows->weights ? rows->weights + from : NULL, count);
        for (int64_t j = 0; j < count; j++)
            *near += targets[j] - i <= CAFE_NEAR && i - targets[j] <= CAFE_NEAR;
    }
}

/* The graph's rows in the order, sorted; they are its own. */
static cafe_status renumber_rows(cafe_context *context, const cafe_graph *from,
                                 const int32_t *order, cafe_graph *to, double *near) {
    cafe_status status = CAFE_OK;
    cafe_pooled view = {
        .n = from->n, .offsets = from->offsets, .targets = from->targets, .single = from->weights};
    cafe_rows rows = {0};
    int32_t *place = cafe_mem(context, from->n, sizeof *place);
    CAFE_TRY(cafe_mem_had(place));
    CAFE_TRY(cafe_find_places(context, from->n, order, place));
    CAFE_TRY(cafe_permute_rows(context, &view, order, place, &rows));
    CAFE_TRY(cafe_sums(context, from->n, ROWS, sort_rows, &rows, 1, near));
    to->n = from->n, to->arcs = from->arcs, to->owns_rows = true;
    to->offsets = rows.offsets, to->targets = rows.targets, to->weights = rows.weights;
    rows = (cafe_rows){0};
done:
    cafe_rows_free(context, &rows);
    cafe_mem_free(context, place);
    return status;
}

cafe_status cafe_graph_renumber(cafe_context *context, const cafe_graph *graph,
                                const int32_t *order, cafe_graph **renumbered, double *near) {
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_graph *g = *renumbered = NULL;
    double sum = 0;
    if (!(g = cafe_graph_new(context))) return status;
    CAFE_TRY(renumber_rows(context, graph, order, g, &sum));
    CAFE_TRY(cafe_graph_tally(context, g, graph->counts.self_loops_kept));
    g->counts = graph->counts;
    *near = graph->arcs > 0 ? sum / (double)graph->arcs : 0;
    *renumbered = g;
    g = NULL;
done:
    cafe_graph_free(g);
    return status;
}
