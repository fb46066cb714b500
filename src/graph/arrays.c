/* Graphs from the caller's arrays: lists of edges, compressed rows.
 *
 * Compressed rows that are already those of a graph (symmetric, ascending, no entry twice, no
 * zeros, no loops to drop) are recognised in one pass (row_checks.c) and kept. All other input goes
 * through the builder.
 */
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/directed.h"
#include "graph/edge_choice.h"
#include "graph/graph.h"
#include "graph/node_order.h"
#include "graph/row_checks.h"

enum { ROWS = 1024 };

cafe_status cafe_graph_check_sizes(cafe_context *context, int64_t nodes, int64_t count) {
    if (nodes < 0 || nodes > CAFE_MOST_NODES)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%" PRId64 " nodes: a graph has 0 to %d of them", nodes, CAFE_MOST_NODES);
    if (count < 0 || count > INT64_MAX / 2)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%" PRId64 " is not a number of edges",
                         count);
    return CAFE_OK;
}

static cafe_status make_graph(cafe_context *context, const cafe_links *links,
                              const cafe_graph_options *options, cafe_graph **graph) {
    cafe_graph *g = NULL;
    cafe_status status;
    CAFE_TRY(cafe_graph_build(context, links, options, &g));
    CAFE_TRY(cafe_graph_count(context, g, true));
    *graph = g;
    g = NULL;
done:
    cafe_graph_free(g);
    return status;
}

/* ---- signs ----------------------------------------------------------------------------------- */

/* Sizes of the weights of one sign; the others are 0, which leaves their edges out. */
static float *part_of(cafe_context *context, const cafe_links *links, float sign, int64_t *others) {
    float *part = cafe_mem(context, links->count, sizeof *part);
    *others = 0;
    for (int64_t i = 0; part && i < links->count; i++) {
        float weight = sign * links->weights[i];
        part[i] = weight < 0 ? 0 : weight;
        *others += weight < 0;
    }
    return part;
}

static cafe_status make_signed(cafe_context *context, const cafe_links *links,
                               const cafe_graph_options *options, cafe_graph **graph) {
    cafe_status status = CAFE_OK;
    cafe_links one = *links;
    cafe_graph *g = NULL;
    int64_t negative, positive;
    float *up = part_of(context, links, 1, &negative), *down = NULL;
    CAFE_TRY(cafe_mem_had(up));
    one.weights = up;
    CAFE_TRY(make_graph(context, &one, options, &g));
    g->counts.zero_weights -= negative;
    down = part_of(context, links, -1, &positive);
    CAFE_TRY(cafe_mem_had(down));
    one.weights = down;
    if (negative > 0) CAFE_TRY(make_graph(context, &one, options, &g->negative));
    *graph = g;
    g = NULL;
done:
    cafe_graph_free(g);
    cafe_mem_free_all(context, up, down);
    return status;
}

cafe_status cafe_graph_of_links(cafe_context *context, const cafe_links *links,
                                const cafe_graph_options *options, cafe_graph **graph) {
    cafe_phase(context, "build", 0);
    return options->with_signs && links->weights ? make_signed(context, links, options, graph)
                                                 : make_graph(context, links, options, graph);
}

/* ---- edges ----------------------------------------------------------------------------------- */

cafe_status cafe_graph_from_edges(cafe_context *context, int64_t nodes, int64_t count,
                                  const int32_t *source, const int32_t *target,
                                  const float *weights, const cafe_graph_options *options,
                                  cafe_graph **graph) {
    cafe_graph_options o;
    cafe_status status;
    *graph = NULL;
    cafe_phase(context, "build", 0);
    CAFE_TRY(cafe_options_take(context, cafe_graph_option_table(), options, &o));
    if (o.directed != CAFE_DIRECTED_NO)
        return cafe_graph_from_arcs(context, nodes, count, source, target, weights, o.directed, &o,
                                    graph);
    CAFE_TRY(cafe_graph_check_sizes(context, nodes, count));
    cafe_links links = {.nodes = nodes, .count = count, .source = source, .target = target};
    links.weights = o.weights ? weights : NULL;
    CAFE_TRY(cafe_graph_of_links(context, &links, &o, graph));
    CAFE_TRY(cafe_graph_choose(context, &o, graph));
    CAFE_TRY(cafe_graph_arrange(context, &o, graph));
done:
    cafe_phase(context, "", 0);
    return status;
}

/* ---- compressed rows ------------------------------------------------------------------------- */

typedef struct checking {
    const cafe_links *links;
    atomic_llong bad_row; /* the first whose offsets descend */
    cafe_verified found;
    int32_t *targets; /* where copy_rows() copies to */
    float *weights;
} checking;

static void check_offsets(void *argument, int64_t first, int64_t last) {
    checking *c = argument;
    const int64_t *offsets = c->links->offsets;
    for (int64_t u = first; u < last; u++) {
        if (offsets[u] <= offsets[u + 1]) continue;
        cafe_lower(&c->bad_row, u);
        return;
    }
}

static void copy_rows(void *argument, int64_t task, int32_t worker) {
    checking *c = argument;
    const cafe_links *l = c->links;
    int64_t from = l->offsets[task * ROWS];
    size_t count = (size_t)(l->offsets[cafe_block_end(l->nodes, ROWS, task)] - from);
    (void)worker;
    memcpy(c->targets + from, l->target + from, count * sizeof *c->targets);
    if (c->weights) memcpy(c->weights + from, l->weights + from, count * sizeof *c->weights);
}

/* Offsets that start at 0 and never descend, so that every entry can be read. */
static cafe_status offsets_ascend(cafe_context *context, checking *c) {
    if (c->links->offsets[0] != 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "offsets[0] is %" PRId64 ", not 0",
                         c->links->offsets[0]);
    CAFE_PASS(cafe_ranges(context, c->links->nodes, ROWS, check_offsets, c));
    int64_t u = atomic_load(&c->bad_row);
    if (u < INT64_MAX)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "row %" PRId64 ": its offsets descend from %" PRId64 " to %" PRId64, u,
                         c->links->offsets[u], c->links->offsets[u + 1]);
    return CAFE_OK;
}

/* Are the rows already those of a graph? */
static cafe_status is_graph(cafe_context *context, checking *c, bool keep_loops, bool *yes) {
    CAFE_PASS(cafe_verify_rows(context, c->links, true, &c->found));
    *yes = c->found.fault == CAFE_ROW_FINE && c->found.symmetric &&
           (keep_loops || c->found.loops == 0);
    return CAFE_OK;
}

static cafe_status copy_arrays(cafe_context *context, checking *c, bool weighted, cafe_graph *g) {
    const cafe_links *l = c->links;
    int64_t *offsets = cafe_mem(context, l->nodes + 1, sizeof *offsets);
    g->owns_rows = true;
    g->offsets = offsets;
    g->targets = c->targets = cafe_mem(context, l->count, sizeof *c->targets);
    if (weighted) g->weights = c->weights = cafe_mem(context, l->count, sizeof *c->weights);
    if (!offsets || !c->targets || (weighted && !c->weights)) return CAFE_ERROR_MEMORY;
    memcpy(offsets, l->offsets, (size_t)(l->nodes + 1) * sizeof *offsets);
    return cafe_parallel(context, cafe_blocks(l->nodes, ROWS), copy_rows, c);
}

/* Keeps the rows in the caller's arrays, with their seal. */
static cafe_status borrow_rows(cafe_context *context, const checking *c, bool weighted,
                               cafe_graph *g) {
    cafe_links rows = *c->links;
    cafe_verified found = c->found;
    rows.weights = weighted ? rows.weights : NULL;
    if (rows.weights != c->links->weights) /* sealed with weights that are not kept */
        CAFE_PASS(cafe_verify_rows(context, &rows, true, &found));
    g->offsets = rows.offsets;
    g->targets = rows.target;
    g->weights = rows.weights;
    g->borrowed = true;
    g->seal = found.seal;
    return CAFE_OK;
}

/* Keeps the rows unchanged, borrowed or copied. */
static cafe_status take_rows(cafe_context *context, checking *c, bool borrow, cafe_graph **graph) {
    const cafe_links *l = c->links;
    cafe_graph *g = cafe_graph_new(context);
    cafe_status status = g ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (!g) goto done;
    bool weighted = l->weights && !c->found.unit;
    g->n = l->nodes;
    g->arcs = g->counts.lines = l->count;
    g->counts.self_loops = c->found.loops;
    g->counts.reversed = c->found.above;
    CAFE_TRY(borrow ? borrow_rows(context, c, weighted, g) : copy_arrays(context, c, weighted, g));
    CAFE_TRY(cafe_graph_count(context, g, c->found.loops > 0));
    *graph = g;
    g = NULL;
done:
    cafe_graph_free(g);
    return status;
}

static cafe_status from_rows(cafe_context *context, const cafe_links *links, bool borrow,
                             const cafe_graph_options *options, cafe_graph **graph) {
    checking c = {.links = links};
    cafe_links entries = *links;
    bool as_it_is;
    atomic_store(&c.bad_row, INT64_MAX);
    CAFE_PASS(offsets_ascend(context, &c));
    entries.count = links->offsets[links->nodes];
    c.links = &entries;
    CAFE_PASS(is_graph(context, &c, options->self_loops == CAFE_LOOPS_KEEP, &as_it_is));
    if (as_it_is)
        CAFE_PASS(take_rows(context, &c, borrow, graph));
    else
        CAFE_PASS(cafe_graph_of_links(context, &entries, options, graph));
    return CAFE_OK;
}

cafe_status cafe_graph_from_csr(cafe_context *context, int64_t nodes, const int64_t *offsets,
                                const int32_t *targets, const float *weights, int32_t borrow,
                                const cafe_graph_options *options, cafe_graph **graph) {
    cafe_graph_options o;
    cafe_status status;
    *graph = NULL;
    cafe_phase(context, "build", 0);
    CAFE_TRY(cafe_options_take(context, cafe_graph_option_table(), options, &o));
    CAFE_TRY(cafe_graph_check_sizes(context, nodes, 0));
    cafe_links links = {.nodes = nodes, .offsets = offsets, .target = targets, .matrix = true};
    links.weights = o.weights ? weights : NULL;
    CAFE_TRY(from_rows(context, &links, borrow != 0, &o, graph));
    CAFE_TRY(cafe_graph_choose(context, &o, graph));
    CAFE_TRY(cafe_graph_arrange(context, &o, graph));
done:
    cafe_phase(context, "", 0);
    return status;
}
