/* Rows averaged over the neighbours, for features that single nodes show with noise:
 *
 *     y <- x,  then twice  y_u <- (1 - a) x_u + a sum over w of b(u,w) y_w / sum over w of b(u,w),
 *     b(u,w) = (a(u,w) + [u = w] o) / sqrt((d_u + o) (d_w + o)),    o the mean weight of an edge
 *
 * So a node with few edges keeps more of its own row, and a hub says less about each of its many
 * neighbours. The transposed average goes with products of the transposed table.
 */
#include "spectral/neighbour_average.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"

enum { STEPS = 2, ROWS = 256 };
#define SHARE 0.9F /* a */

/* ---- opened ---------------------------------------------------------------------------------- */

static double weight_of(const cafe_graph *g, int64_t j) {
    return g->scaled ? g->scaled[j] : 1;
}

static void find_factors(const cafe_graph *g, cafe_averaging *v) {
    for (int64_t u = 0; u < g->n; u++) {
        double degree = v->own;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) degree += weight_of(g, j);
        v->factor[u] = (float)(1 / sqrt(degree));
    }
}

/* 1 / sum over w of b(u,w) */
static void find_sums(const cafe_graph *g, cafe_averaging *v) {
    for (int64_t u = 0; u < g->n; u++) {
        double f = v->factor[u], sum = v->own * f * f;
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            sum += weight_of(g, j) * f * v->factor[g->targets[j]];
        v->inverse[u] = 1 / sum;
    }
}

cafe_status cafe_averaging_open(cafe_context *context, const cafe_graph *graph, cafe_averaging *v) {
    double sum = 0;
    *v = (cafe_averaging){.own = 1};
    for (int64_t j = 0; j < graph->arcs; j++) sum += weight_of(graph, j);
    if (sum > 0) v->own = sum / (double)graph->arcs;
    v->factor = cafe_mem(context, graph->n, sizeof *v->factor);
    v->inverse = cafe_mem(context, graph->n, sizeof *v->inverse);
    CAFE_PASS(cafe_mem_had(v->factor, v->inverse));
    find_factors(graph, v);
    find_sums(graph, v);
    v->rows.n = graph->n;
    v->rows.kernels = cafe_kernels_best();
    v->rows.parts = (cafe_operator_parts){.n = graph->n,
                                          .offsets = graph->offsets,
                                          .targets = graph->targets,
                                          .weights = graph->scaled,
                                          .factor = v->factor};
    return CAFE_OK;
}

void cafe_averaging_close(cafe_context *context, cafe_averaging *v) {
    cafe_mem_free_all(context, v->factor, v->inverse);
    *v = (cafe_averaging){0};
}

/* ---- steps ----------------------------------------------------------------------------------- */

typedef struct step {
    const cafe_averaging *by;
    bool transposed;
    const cafe_block *x;
    cafe_block *from, *to; /* y before and after */
} step;

/* (1 - a) x_u + a (sum + o f_u^2 y_u) / r_u; the transposed one has divided y before. */
static void finish_row(void *argument, int64_t i, int64_t u, float *sum) {
    const step *s = argument;
    const float *x = s->x->x + u * s->x->stride, *y = s->from->x + u * s->from->stride;
    double f = s->by->factor[u];
    float own = (float)(s->by->own * f * f);
    float a = (float)(SHARE * (s->transposed ? 1 : s->by->inverse[u]));
    (void)i;
    for (int64_t k = 0; k < s->x->stride; k++)
        sum[k] = (1 - SHARE) * x[k] + a * (sum[k] + own * y[k]);
}

static void step_rows(void *argument, int64_t first, int64_t last) {
    const step *s = argument;
    cafe_range range = {first, 1, last - first, NULL};
    cafe_stream_rows(&s->by->rows, s->from->stride, s->from->x, range, NULL, true,
                     s->to->x + first * s->to->stride, s->to->stride, finish_row, argument);
}

/* y_u <- y_u / r_u */
static void divide_rows(void *argument, int64_t first, int64_t last) {
    const step *s = argument;
    for (int64_t u = first; u < last; u++) {
        float inverse = (float)s->by->inverse[u], *row = s->from->x + u * s->from->stride;
        for (int64_t k = 0; k < s->from->stride; k++) row[k] *= inverse;
    }
}

cafe_status cafe_average(cafe_context *context, const cafe_averaging *averaging, bool transposed,
                         cafe_block *x) {
    cafe_status status = CAFE_OK;
    cafe_block y[2] = {{0}, {0}};
    step s = {averaging, transposed, x, &y[0], &y[1]};
    for (int i = 0; i < 2; i++)
        CAFE_TRY(cafe_processor.ops->make(context, &cafe_processor, x->n, x->columns, &y[i]));
    CAFE_TRY(cafe_processor.ops->copy(context, x, &y[0], 0));
    for (int i = 0; i < STEPS; i++) {
        if (transposed) CAFE_TRY(cafe_ranges(context, x->n, ROWS, divide_rows, &s));
        CAFE_TRY(cafe_ranges(context, x->n, ROWS, step_rows, &s));
        cafe_block *swap = s.from;
        s.from = s.to, s.to = swap;
    }
    CAFE_TRY(cafe_processor.ops->copy(context, s.from, x, 0));
done:
    cafe_block_drop(context, &y[0]);
    cafe_block_drop(context, &y[1]);
    return status;
}
