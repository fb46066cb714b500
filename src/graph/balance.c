/* Edges weighed by 1 / sqrt(d_u d_w), d the degrees: the similarity under which a link between two
 * hubs says little and one between two rare nodes much (eq. link1111 of the paper takes any).
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "graph/graph.h"

enum { ROWS = 1024 };

typedef struct balancing {
    const cafe_graph *graph;
    double *scale; /* 1 / sqrt(d_u) */
    float *weights;
} balancing;

static double weight_of(const cafe_graph *g, int64_t j) {
    return g->weights ? g->weights[j] : 1;
}

static void find_scales(void *argument, int64_t task, int32_t worker) {
    const balancing *b = argument;
    const cafe_graph *g = b->graph;
    (void)worker;
    for (int64_t u = task * ROWS; u < cafe_block_end(g->n, ROWS, task); u++) {
        double degree = 0;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) degree += weight_of(g, j);
        b->scale[u] = degree > 0 ? 1 / sqrt(degree) : 0;
    }
}

/* a(u,w) / sqrt(d_u d_w): rounded once, from a product that does not depend on the order of u and
 * w, so that the matrix stays symmetric to the bit. */
static void weigh_rows(void *argument, int64_t task, int32_t worker) {
    const balancing *b = argument;
    const cafe_graph *g = b->graph;
    (void)worker;
    for (int64_t u = task * ROWS; u < cafe_block_end(g->n, ROWS, task); u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            b->weights[j] = (float)(weight_of(g, j) * (b->scale[u] * b->scale[g->targets[j]]));
}

/* Rows that belong to somebody else (a mapped file, a caller) are copied: the graph then owns all
 * of its rows. */
static cafe_status own_rows(cafe_context *context, cafe_graph *g) {
    if (g->owns_rows) return CAFE_OK;
    int64_t *offsets = cafe_mem(context, g->n + 1, sizeof *offsets);
    int32_t *targets = cafe_mem(context, g->arcs, sizeof *targets);
    if (!offsets || !targets) {
        cafe_mem_free(context, offsets);
        cafe_mem_free(context, targets);
        return CAFE_ERROR_MEMORY;
    }
    memcpy(offsets, g->offsets, (size_t)(g->n + 1) * sizeof *offsets);
    memcpy(targets, g->targets, (size_t)g->arcs * sizeof *targets);
    g->offsets = offsets;
    g->targets = targets;
    return CAFE_OK;
}

cafe_status cafe_graph_balance(cafe_context *context, cafe_graph *graph) {
    cafe_status status = CAFE_OK;
    int64_t blocks = cafe_blocks(graph->n, ROWS);
    balancing b = {graph, cafe_mem(context, graph->n, sizeof *b.scale),
                   cafe_mem(context, graph->arcs, sizeof *b.weights)};
    if (!b.scale || !b.weights) status = CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    CAFE_TRY(cafe_parallel(context, blocks, find_scales, &b));
    CAFE_TRY(cafe_parallel(context, blocks, weigh_rows, &b));
    CAFE_TRY(own_rows(context, graph));
    if (graph->owns_rows) cafe_mem_free(context, (void *)graph->weights);
    graph->owns_rows = true;
    graph->weights = b.weights;
    b.weights = NULL;
    graph->counts.weighted = 1;
    graph->counts.total_weight = 0;
    for (int64_t j = 0; j < graph->arcs; j++) graph->counts.total_weight += graph->weights[j];
done:
    cafe_mem_free(context, b.scale);
    cafe_mem_free(context, b.weights);
    return status;
}
