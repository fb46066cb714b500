/* The attracting edges of a map.
 *
 * Up to CAFE_MAP_EXACT nodes: the K nearest neighbours of each vector by direction, exact, with the
 * self-tuned Gaussian weights of cafe_graph_from_points(). All pairs cost n^2, so larger graphs use
 * their own edges: an embedding puts neighbours together, so most near pairs are edges. The vectors
 * decide which edges count,
 *
 *     w(u,w) = a(u,w) max(cos(h_u, h_w), 0)^2 + a small part of a(u,w),
 *
 * where the small part keeps all nodes connected.
 */
#include <math.h>

#include <cafe/points.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "map/map.h"

enum { BLOCK = 2048 };
static const double least_part = 1e-3;

/* ---- directions ------------------------------------------------------------------------------ */

typedef struct scaling {
    int64_t n, columns;
    const float *vectors;
    float *scale; /* NaN: a value that is not finite */
} scaling;

static float scale_of(const float *row, int64_t columns) {
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) sum += (double)row[k] * row[k];
    if (!isfinite(sum)) return NAN;
    if (columns == 1) return 1;
    return sum > 0 ? (float)(1 / sqrt(sum)) : 0;
}

static void scale_block(void *argument, int64_t first, int64_t last) {
    const scaling *s = argument;
    for (int64_t u = first; u < last; u++)
        s->scale[u] = scale_of(s->vectors + u * s->columns, s->columns);
}

cafe_status cafe_map_scales(cafe_context *context, int64_t n, int64_t columns, const float *vectors,
                            float *scale) {
    scaling s = {n, columns, vectors, scale};
    cafe_status status = cafe_ranges(context, n, BLOCK, scale_block, &s);
    for (int64_t u = 0; u < n && status == CAFE_OK; u++)
        if (isnan(scale[u]))
            status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                               "the vector of node %lld is not finite", (long long)u);
    return status;
}

/* ---- the nodes that can be placed ------------------------------------------------------------ */

/* Chooses the nodes with an edge (if there is a graph) and a vector other than zero. They are
 * listed in rows->node; rank[u] is the place in the list, -1 for the others. */
static cafe_status choose_nodes(cafe_context *context, const cafe_graph *graph, int64_t n,
                                const float *scale, cafe_map_rows *rows, int32_t *rank) {
    rows->n = 0;
    rows->node = cafe_mem(context, n, sizeof *rows->node);
    if (!rows->node) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) {
        int64_t arcs = graph ? graph->offsets[u + 1] - graph->offsets[u] : 1;
        bool alone = arcs == 0 || (arcs == 1 && graph && graph->targets[graph->offsets[u]] == u);
        rank[u] = -1;
        if (alone || scale[u] == 0) continue;
        rank[u] = (int32_t)rows->n;
        rows->node[rows->n++] = (int32_t)u;
    }
    return CAFE_OK;
}

/* ---- the graph's own edges ------------------------------------------------------------------- */

typedef struct weighing {
    const cafe_graph *graph;
    const float *scale, *vectors;
    int64_t columns;
    const int32_t *rank;
    cafe_map_rows *rows;
} weighing;

static double cosine(const weighing *w, int64_t u, int64_t v) {
    const float *a = w->vectors + u * w->columns, *b = w->vectors + v * w->columns;
    float lane[8] = {0};
    int64_t k = 0;
    double sum = 0;
    for (; k + 8 <= w->columns; k += 8)
        for (int i = 0; i < 8; i++) lane[i] += a[k + i] * b[k + i];
    for (; k < w->columns; k++) sum += (double)a[k] * b[k];
    for (int i = 0; i < 8; i++) sum += lane[i];
    return w->columns == 1 ? (sum > 0) : sum * ((double)w->scale[u] * w->scale[v]);
}

static void weigh_block(void *argument, int64_t first, int64_t last) {
    const weighing *w = argument;
    const cafe_graph *g = w->graph;
    for (int64_t i = first; i < last; i++) {
        int64_t u = w->rows->node[i], at = w->rows->offsets[i];
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++) {
            int64_t v = g->targets[arc];
            if (v == u || w->rank[v] < 0) continue;
            double c = cosine(w, u, v), weight = g->scaled ? g->scaled[arc] : 1;
            w->rows->targets[at] = w->rank[v];
            w->rows->weights[at++] = (float)(weight * ((c > 0 ? c * c : 0) + least_part));
        }
    }
}

static int64_t count_arcs(const cafe_graph *g, const int32_t *rank, cafe_map_rows *rows) {
    int64_t arcs = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        int64_t u = rows->node[i];
        rows->offsets[i] = arcs;
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
            arcs += g->targets[arc] != u && rank[g->targets[arc]] >= 0;
    }
    return rows->offsets[rows->n] = arcs;
}

static cafe_status allocate(cafe_context *context, int64_t arcs, cafe_map_rows *rows) {
    rows->targets = cafe_mem(context, arcs, sizeof *rows->targets);
    rows->weights = cafe_mem(context, arcs, sizeof *rows->weights);
    return cafe_mem_had(rows->targets, rows->weights);
}

static cafe_status link_edges(cafe_context *context, weighing *w) {
    cafe_map_rows *rows = w->rows;
    rows->offsets = cafe_mem(context, rows->n + 1, sizeof *rows->offsets);
    if (!rows->offsets) return CAFE_ERROR_MEMORY;
    CAFE_PASS(allocate(context, count_arcs(w->graph, w->rank, rows), rows));
    return cafe_ranges(context, rows->n, BLOCK, weigh_block, w);
}

/* ---- neighbours of the vectors --------------------------------------------------------------- */

static void copy_directions(const weighing *w, float *x) {
    for (int64_t i = 0; i < w->rows->n; i++) {
        int64_t u = w->rows->node[i];
        for (int64_t k = 0; k < w->columns; k++)
            x[i * w->columns + k] = w->scale[u] * w->vectors[u * w->columns + k];
    }
}

static cafe_status copy_rows(cafe_context *context, const cafe_graph *near, cafe_map_rows *rows) {
    rows->offsets = cafe_mem(context, rows->n + 1, sizeof *rows->offsets);
    if (!rows->offsets) return CAFE_ERROR_MEMORY;
    CAFE_PASS(allocate(context, near->arcs, rows));
    for (int64_t i = 0; i <= rows->n; i++) rows->offsets[i] = near->offsets[i];
    for (int64_t arc = 0; arc < near->arcs; arc++) {
        rows->targets[arc] = near->targets[arc];
        rows->weights[arc] = near->scaled ? near->scaled[arc] : 1;
    }
    return CAFE_OK;
}

static cafe_status link_neighbours(cafe_context *context, const cafe_map_options *options,
                                   weighing *w) {
    cafe_graph *near = NULL;
    cafe_points_options points;
    float *x = cafe_mem(context, w->rows->n * w->columns, sizeof *x);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!x) goto done;
    cafe_points_options_init(&points);
    points.neighbours = options->neighbours;
    copy_directions(w, x);
    CAFE_TRY(cafe_graph_from_points(context, w->rows->n, w->columns, x, &points, &near));
    CAFE_TRY(copy_rows(context, near, w->rows));
done:
    cafe_graph_free(near);
    cafe_mem_free(context, x);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool by_vectors(const cafe_graph *graph, int64_t n, const cafe_map_options *options) {
    if (options->forces == CAFE_MAP_FORCES_AUTO) return !graph || n <= CAFE_MAP_EXACT;
    return options->forces == CAFE_MAP_FORCES_VECTORS;
}

cafe_status cafe_map_link(cafe_context *context, const cafe_graph *graph, int64_t n,
                          int64_t columns, const float *vectors, const cafe_map_options *options,
                          cafe_map_rows *rows) {
    *rows = (cafe_map_rows){0};
    if (!by_vectors(graph, n, options))
        CAFE_PASS(cafe_options_idle(context, cafe_map_option_table(), options, "neighbours",
                                    CAFE_OPT("forces=vectors")));
    float *scale = cafe_mem(context, n, sizeof *scale);
    int32_t *rank = cafe_mem(context, n, sizeof *rank);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!scale || !rank) goto done;
    cafe_phase(context, "links", 0);
    CAFE_TRY(cafe_map_scales(context, n, columns, vectors, scale));
    CAFE_TRY(choose_nodes(context, graph, n, scale, rows, rank));
    weighing w = {graph, scale, vectors, columns, rank, rows};
    if (by_vectors(graph, n, options) && rows->n > 1)
        CAFE_TRY(link_neighbours(context, options, &w));
    else if (graph)
        CAFE_TRY(link_edges(context, &w));
    else
        rows->n = 0; /* a point alone */
done:
    cafe_mem_free_all(context, scale, rank);
    if (status != CAFE_OK) cafe_map_unlink(context, rows);
    return status;
}

void cafe_map_unlink(cafe_context *context, cafe_map_rows *rows) {
    cafe_mem_free_all(context, rows->node, rows->offsets, rows->targets, rows->weights);
    *rows = (cafe_map_rows){0};
}
