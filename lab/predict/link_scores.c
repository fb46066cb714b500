/* Columns that describe a pair of nodes u, w.
 *
 * With rows x_u of the vectors, weights a(u,w), degrees d_u and the mean weight e of an edge:
 *
 *     0   cos(x_u, x_w)
 *     1   log |x_u| + log |x_w|
 *     2   log(1 + 10 s_2 / e),   s_2 = sum over v of a(u,v) a(v,w) / d_v
 *     3   log(1e-4 + s_3 / e),   s_3 = sum over v, t of a(u,v) a(v,t) a(t,w) / (d_v d_t)
 *     4   log(1 + d_u / e) + log(1 + d_w / e)
 *     5   |log(1 + d_u / e) - log(1 + d_w / e)|
 *
 * None depends on the choice of coordinates: what is learnt from the vectors of one graph holds for
 * those of another. The paths of two edges are found from the end with fewer of them, once for all
 * pairs that share it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cafe/method.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "predict/links.h"
#include "predict/predict.h"

enum { BLOCK = 256, ROWS = 1024 };

static double weight(const cafe_graph *g, int64_t j) {
    return g->scaled ? g->scaled[j] : 1;
}

/* ---- what is made once ----------------------------------------------------------------------- */

/* Lengths of rows, degrees and paths; then rows of length 1. */
static void measure_rows(void *argument, int64_t first, int64_t last) {
    link_scorer *s = argument;
    const cafe_graph *g = s->graph;
    for (int64_t u = first; u < last; u++) {
        float *row = s->x + u * s->columns;
        double sum = 0;
        for (int64_t k = 0; k < s->columns; k++) sum += (double)row[k] * row[k];
        double length = sqrt(sum);
        for (int64_t k = 0; k < s->columns && length > 0; k++) row[k] = (float)(row[k] / length);
        s->length[u] = (float)length;
        s->degree[u] = (float)cafe_row_sum(g->offsets, g->scaled, u);
        s->steps[u] = 0;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            s->steps[u] += g->offsets[g->targets[j] + 1] - g->offsets[g->targets[j]];
    }
}

/* Lengths in units of their root mean square, as logarithms. */
static void scale_lengths(link_scorer *s) {
    int64_t n = cafe_graph_nodes(s->graph);
    double squares = 0, sum = 0;
    for (int64_t u = 0; u < n; u++) {
        squares += (double)s->length[u] * s->length[u];
        sum += s->degree[u];
    }
    double mean = squares > 0 ? sqrt(squares / (double)n) : 1;
    for (int64_t u = 0; u < n; u++) s->length[u] = (float)log(.01 + s->length[u] / mean);
    s->unit = sum > 0 ? sum / (double)s->graph->offsets[n] : 1;
}

cafe_status cafe_link_scorer_new(cafe_context *context, const cafe_graph *graph,
                                 link_scorer *scorer) {
    cafe_status status = CAFE_OK;
    int64_t n = cafe_graph_nodes(graph);
    link_scorer *s = scorer;
    *s = (link_scorer){.context = context, .graph = graph};
    CAFE_TRY(cafe_predict_embed(context, graph, NULL, &s->columns, &s->x));
    s->length = cafe_mem(context, n, sizeof *s->length);
    s->degree = cafe_mem(context, n, sizeof *s->degree);
    s->steps = cafe_mem(context, n, sizeof *s->steps);
    CAFE_TRY(cafe_mem_had(s->length, s->degree, s->steps));
    CAFE_TRY(cafe_ranges(context, n, ROWS, measure_rows, s));
    scale_lengths(s);
done:
    if (status != CAFE_OK) cafe_link_scorer_free(s);
    return status;
}

void cafe_link_scorer_free(link_scorer *s) {
    if (s->context) cafe_mem_free_all(s->context, s->x, s->length, s->degree, s->steps);
    *s = (link_scorer){0};
}

/* ---- one pair -------------------------------------------------------------------------------- */

/* two[t] += sign * sum over v of a(u,v) a(v,t) / d_v. Clearing sets them to 0 instead. */
static void spread_paths(const link_scorer *s, int64_t u, bool clear, double *two) {
    const cafe_graph *g = s->graph;
    for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
        int64_t v = g->targets[i];
        double part = weight(g, i) / s->degree[v];
        for (int64_t j = g->offsets[v]; j < g->offsets[v + 1]; j++)
            two[g->targets[j]] = clear ? 0 : two[g->targets[j]] + part * weight(g, j);
    }
}

/* two has the paths of two edges from u. */
static void fill_pair(const link_scorer *s, int64_t u, int64_t w, const double *two, float *to) {
    const cafe_graph *g = s->graph;
    double dot = 0, three = 0;
    for (int64_t k = 0; k < s->columns; k++)
        dot += (double)s->x[u * s->columns + k] * s->x[w * s->columns + k];
    for (int64_t j = g->offsets[w]; j < g->offsets[w + 1]; j++)
        three += weight(g, j) / s->degree[g->targets[j]] * two[g->targets[j]];
    double du = log1p(s->degree[u] / s->unit), dw = log1p(s->degree[w] / s->unit);
    to[0] = (float)dot;
    to[1] = s->length[u] + s->length[w];
    to[2] = (float)log1p(10 * two[w] / s->unit);
    to[3] = (float)log(1e-4 + three / s->unit);
    to[4] = (float)(du + dw);
    to[5] = (float)fabs(du - dw);
}

/* ---- all pairs ------------------------------------------------------------------------------- */

/* A pair from the end with fewer paths of two edges; `at` is its place in the list. */
typedef struct directed {
    int32_t from, to;
    int64_t at;
} directed;

static int by_end(const void *a, const void *b) {
    const directed *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

typedef struct filling {
    const link_scorer *scorer;
    int64_t count;
    const directed *pair;
    float *x;
    double *two; /* threads x n: the paths of two edges, 0 between the tasks */
} filling;

static void fill_block(void *argument, int64_t block, int32_t worker) {
    const filling *f = argument;
    const link_scorer *s = f->scorer;
    double *two = f->two + worker * cafe_graph_nodes(s->graph);
    int64_t from = -1;
    for (int64_t i = block * BLOCK; i < cafe_block_end(f->count, BLOCK, block); i++) {
        const directed *p = &f->pair[i];
        if (p->from != from) {
            if (from >= 0) spread_paths(s, from, true, two);
            from = p->from;
            spread_paths(s, from, false, two);
        }
        fill_pair(s, p->from, p->to, two, f->x + p->at * LINK_COLUMNS);
    }
    if (from >= 0) spread_paths(s, from, true, two);
}

cafe_status cafe_link_scorer_fill(cafe_context *context, const link_scorer *s, int64_t count,
                                  const int32_t *source, const int32_t *target, float *x) {
    cafe_status status = CAFE_OK;
    int64_t room = context->threads * cafe_graph_nodes(s->graph);
    directed *pair = cafe_mem(context, count, sizeof *pair);
    double *two = cafe_mem_zero(context, room, sizeof *two);
    CAFE_TRY(cafe_mem_had(pair, two));
    for (int64_t i = 0; i < count; i++) {
        int32_t u = source[i], w = target[i];
        bool turned = s->steps[w] < s->steps[u] || (s->steps[w] == s->steps[u] && w < u);
        pair[i] = (directed){turned ? w : u, turned ? u : w, i};
    }
    qsort(pair, (size_t)count, sizeof *pair, by_end);
    filling f = {s, count, pair, x, two};
    status = cafe_parallel(context, cafe_blocks(count, BLOCK), fill_block, &f);
done:
    cafe_mem_free_all(context, pair, two);
    return status;
}
