/* Directed edges into a symmetric graph, by one of three rules (include/cafe/graph.h).
 *
 * The edges are first put into rows, each sorted and its repeated entries merged: the matrix A. Sum
 * and flow then hand weighted edges to the ordinary builder, which adds a(u,w) and a(w,u);
 * co-citation makes its rows itself.
 */
#include "graph/directed.h"
#include "base/option.h"
#include "graph/node_order.h"

#include <float.h>
#include <inttypes.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/edge_choice.h"
#include "graph/graph.h"

enum { ROWS = 1024, STRETCH = 1 << 20 };

/* ---- edges into rows ------------------------------------------------------------------------- */

typedef struct arranging {
    cafe_context *context;
    int64_t nodes, count;
    const int32_t *source, *target;
    const float *weights; /* NULL: all 1 */
    bool keep_loops,
        add; /* add: weights of repeated edges are added; otherwise the largest stays */
    cafe_rows *arcs;
    int64_t *length; /* of a row once merged */
    int64_t loops, zeros;
} arranging;

static cafe_status check_link(const arranging *a, int64_t i) {
    int64_t u = a->source[i], w = a->target[i];
    if (u < 0 || w < 0 || u >= a->nodes || w >= a->nodes)
        return cafe_fail(a->context, CAFE_ERROR_ARGUMENT,
                         "edge %" PRId64 " from %" PRId64 " to %" PRId64
                         ": ids go from 0 to %" PRId64,
                         i, u, w, a->nodes - 1);
    if (a->weights && !(a->weights[i] >= 0 && a->weights[i] <= FLT_MAX))
        return cafe_fail(a->context, CAFE_ERROR_ARGUMENT,
                         "edge %" PRId64 ": its weight %g is negative or not finite", i,
                         (double)a->weights[i]);
    return CAFE_OK;
}

static bool is_kept(const arranging *a, int64_t i) {
    if (a->weights && a->weights[i] == 0) return false;
    return a->keep_loops || a->source[i] != a->target[i];
}

/* offsets[u+2] counts row u, so that after the sums offsets[u+1] is where it starts. */
static cafe_status count_links(arranging *a) {
    for (int64_t i = 0; i < a->count; i++) {
        cafe_status status = i % STRETCH == 0 ? cafe_check_cancel(a->context) : CAFE_OK;
        if (status == CAFE_OK) status = check_link(a, i);
        if (status != CAFE_OK) return status;
        bool zero = a->weights && a->weights[i] == 0;
        a->zeros += zero;
        a->loops += !zero && a->source[i] == a->target[i];
        if (is_kept(a, i)) a->arcs->offsets[a->source[i] + 2]++;
    }
    for (int64_t u = 0; u < a->nodes; u++) a->arcs->offsets[u + 2] += a->arcs->offsets[u + 1];
    return CAFE_OK;
}

static cafe_status place_links(arranging *a) {
    for (int64_t i = 0; i < a->count; i++) {
        if (i % STRETCH == 0 && cafe_check_cancel(a->context)) return CAFE_ERROR_CANCELLED;
        if (!is_kept(a, i)) continue;
        int64_t at = a->arcs->offsets[a->source[i] + 1]++;
        a->arcs->targets[at] = a->target[i];
        a->arcs->weights[at] = a->weights ? a->weights[i] : 1;
    }
    return CAFE_OK;
}

/* Sorts and merges rows in place. Equal targets come with weights ascending: added in double. */
static void merge_rows(void *argument, int64_t task) {
    arranging *a = argument;
    cafe_rows *r = a->arcs;
    int64_t end = cafe_block_end(a->nodes, ROWS, task);
    for (int64_t u = task * ROWS; u < end; u++) {
        int64_t begin = r->offsets[u], last = r->offsets[u + 1], to = begin;
        cafe_sort_row((uint32_t *)r->targets + begin, r->weights + begin, last - begin);
        for (int64_t i = begin, j; i < last; i = j) {
            double sum = 0, most = 0;
            for (j = i; j < last && r->targets[j] == r->targets[i]; j++) {
                sum += r->weights[j];
                most = r->weights[j];
            }
            r->targets[to] = r->targets[i];
            r->weights[to++] = (float)(a->add ? sum : most);
        }
        a->length[u] = to - begin;
    }
}

static void close_gaps(arranging *a) {
    cafe_rows *r = a->arcs;
    int64_t to = 0;
    for (int64_t u = 0; u < a->nodes; u++) {
        int64_t from = r->offsets[u], length = a->length[u];
        for (int64_t i = 0; i < length; i++) {
            r->targets[to + i] = r->targets[from + i];
            r->weights[to + i] = r->weights[from + i];
        }
        r->offsets[u] = to;
        to += length;
    }
    r->offsets[a->nodes] = to;
}

static cafe_status arrange(arranging *a) {
    cafe_status status;
    CAFE_TRY(cafe_rows_new(a->context, a->nodes, a->count, a->arcs));
    CAFE_TRY(count_links(a));
    CAFE_TRY(place_links(a));
    a->length = cafe_mem(a->context, a->nodes, sizeof *a->length);
    if (!a->length) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_each(a->context, cafe_blocks(a->nodes, ROWS), merge_rows, a));
    close_gaps(a);
done:
    cafe_mem_free(a->context, a->length);
    return status;
}

cafe_status cafe_rows_transpose(cafe_context *context, const cafe_rows *arcs, cafe_rows *turned) {
    int64_t n = arcs->n, count = arcs->offsets[n];
    CAFE_PASS(cafe_rows_new(context, n, count, turned));
    for (int64_t i = 0; i < count; i++) turned->offsets[arcs->targets[i] + 2]++;
    for (int64_t u = 0; u < n; u++) turned->offsets[u + 2] += turned->offsets[u + 1];
    for (int64_t u = 0; u < n; u++)
        for (int64_t i = arcs->offsets[u]; i < arcs->offsets[u + 1]; i++) {
            int64_t at = turned->offsets[arcs->targets[i] + 1]++;
            turned->targets[at] = (int32_t)u;
            turned->weights[at] = arcs->weights[i];
        }
    return cafe_check_cancel(context);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* A + A^T, by the ordinary builder: each entry is an edge, both directions of a pair add up. */
static cafe_status sum_graph(cafe_context *context, const cafe_rows *arcs, const float *weights,
                             cafe_graph_options options, cafe_graph **graph) {
    cafe_links links = {.nodes = arcs->n,
                        .count = arcs->offsets[arcs->n],
                        .offsets = arcs->offsets,
                        .target = arcs->targets,
                        .weights = weights};
    options.duplicates = CAFE_DUPLICATES_SUM;
    return cafe_graph_of_links(context, &links, &options, graph);
}

static cafe_status flow_graph(cafe_context *context, const cafe_rows *arcs,
                              cafe_graph_options options, cafe_graph **graph) {
    float *flow = cafe_mem(context, arcs->offsets[arcs->n], sizeof *flow);
    if (!flow) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_rows_flow(context, arcs, flow);
    if (status == CAFE_OK) status = sum_graph(context, arcs, flow, options, graph);
    cafe_mem_free(context, flow);
    return status;
}

static cafe_status apply(cafe_context *context, const cafe_rows *arcs, int32_t rule,
                         const cafe_graph_options *options, cafe_graph **graph) {
    switch (rule) {
        case CAFE_DIRECTED_SUM: return sum_graph(context, arcs, arcs->weights, *options, graph);
        case CAFE_DIRECTED_FLOW: return flow_graph(context, arcs, *options, graph);
        default: return cafe_graph_cocitation(context, arcs, graph);
    }
}

/* surplus[u] = (out - in of u) / (2 sum of A), where loops cancel. */
static cafe_status note_directions(cafe_context *context, const cafe_rows *arcs,
                                   cafe_graph *graph) {
    double total = 0, *surplus = cafe_mem_zero(context, arcs->n, sizeof *surplus);
    CAFE_PASS(cafe_mem_had(surplus));
    for (int64_t u = 0; u < arcs->n; u++)
        for (int64_t j = arcs->offsets[u]; j < arcs->offsets[u + 1]; j++) {
            double weight = arcs->weights[j];
            surplus[u] += weight, surplus[arcs->targets[j]] -= weight;
            total += 2 * weight;
        }
    for (int64_t u = 0; u < arcs->n; u++) surplus[u] /= total > 0 ? total : 1;
    graph->surplus = surplus;
    return CAFE_OK;
}

/* The graph becomes the owner of the rows, if it is small enough to be drawn. */
static cafe_status keep_arcs(cafe_context *context, int64_t count, cafe_rows *arcs,
                             cafe_graph *graph) {
    if (count > CAFE_DRAWN_ARCS) return CAFE_OK;
    graph->digraph = cafe_mem(context, 1, sizeof *graph->digraph);
    CAFE_PASS(cafe_mem_had(graph->digraph));
    *graph->digraph = *arcs;
    *arcs = (cafe_rows){0};
    return CAFE_OK;
}

cafe_status cafe_graph_note_arcs(cafe_context *context, int64_t count, const int32_t *source,
                                 const int32_t *target, cafe_graph *graph) {
    cafe_rows arcs = {0};
    arranging a = {context, graph->n, count, source, target, NULL, .arcs = &arcs};
    if (graph->digraph) return CAFE_OK; /* a rule for directed edges has made it */
    cafe_status status = count > CAFE_DRAWN_ARCS ? CAFE_OK : arrange(&a);
    if (status == CAFE_OK) status = keep_arcs(context, count, &arcs, graph);
    cafe_rows_free(context, &arcs);
    return status;
}

bool cafe_graph_has_arc(const cafe_graph *graph, int64_t from, int64_t to) {
    int64_t low = graph->digraph->offsets[from], high = graph->digraph->offsets[from + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (graph->digraph->targets[middle] == to) return true;
        if (graph->digraph->targets[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* Restores the counts of the edges as they were listed. */
static void restate_counts(const arranging *a, int64_t entries, int32_t rule, cafe_graph *graph) {
    cafe_graph_counts *c = &graph->counts;
    c->lines = a->count;
    c->self_loops = a->loops;
    c->zero_weights = a->zeros;
    c->duplicates = a->count - a->zeros - (a->keep_loops ? 0 : a->loops) - entries;
    if (rule == CAFE_DIRECTED_COCITATION) c->reversed = 0;
    c->directed = rule;
}

cafe_status cafe_graph_from_arcs(cafe_context *context, int64_t nodes, int64_t count,
                                 const int32_t *source, const int32_t *target, const float *weights,
                                 int32_t rule, const cafe_graph_options *options,
                                 cafe_graph **graph) {
    cafe_graph_options o;
    cafe_rows arcs = {0};
    arranging a = {.context = context, .nodes = nodes, .count = count, .arcs = &arcs};
    cafe_status status;
    *graph = NULL;
    cafe_phase(context, "build", 0);
    CAFE_TRY(cafe_options_take(context, cafe_graph_option_table(), options, &o));
    CAFE_TRY(cafe_graph_check_sizes(context, nodes, count));
    if (rule == CAFE_DIRECTED_NO) {
        o.directed = CAFE_DIRECTED_NO;
        return cafe_graph_from_edges(context, nodes, count, source, target, weights, &o, graph);
    }
    if (rule < CAFE_DIRECTED_NO || rule > CAFE_DIRECTED_FLOW)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "%" PRId32 " is no rule for directed edges: no, sum, cocitation, flow",
                           rule));
    a.source = source;
    a.target = target;
    a.weights = o.weights ? weights : NULL;
    a.keep_loops = o.self_loops == CAFE_LOOPS_KEEP;
    a.add =
        o.duplicates == CAFE_DUPLICATES_SUM || (o.duplicates == CAFE_DUPLICATES_AUTO && a.weights);
    CAFE_TRY(arrange(&a));
    CAFE_TRY(apply(context, &arcs, rule, &o, graph));
    restate_counts(&a, arcs.offsets[nodes], rule, *graph);
    if (rule == CAFE_DIRECTED_SUM && !cafe_chooses_edges(&o))
        CAFE_TRY(note_directions(context, &arcs, *graph));
    CAFE_TRY(cafe_graph_choose(context, &o, graph));
    CAFE_TRY(cafe_graph_arrange(context, &o, graph));
    CAFE_TRY(keep_arcs(context, count, &arcs, *graph));
done:
    if (status != CAFE_OK) {
        cafe_graph_free(*graph);
        *graph = NULL;
    }
    cafe_rows_free(context, &arcs);
    cafe_phase(context, "", 0);
    return status;
}
