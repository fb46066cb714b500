/* Graph Factorization (Ahmed, Shervashidze, Narayanamurthy, Josifovski, Smola: Distributed
 * large-scale natural graph factorization, WWW 2013) by stochastic gradient descent.
 *
 *     f(X) = 1/2 sum over edges (a(u,w) - <x_u, x_w>)^2 + lambda/2 sum over nodes |x_u|^2
 *
 * The unit of the weights is a power of two, the one that puts the largest into [1, 2).
 *
 * One edge at a time, with e = a(u,w) - <x_u, x_w> and a step s,
 *
 *     x_u <- (x_u + s e x_w) / (1 + s lambda / d_u),     x_w likewise, d the number of edges
 *
 * Parallel and yet the same for any number of threads (as Gemulla et al., KDD 2011): the nodes are
 * cut into B blocks, B fixed by n. Two edges whose blocks are disjoint touch different rows. So in
 * each of B - 1 rounds of a tournament the B/2 pairs of blocks run side by side. A last round has
 * the edges within blocks.
 *
 * It cannot diverge. s = rate / (1 + rate (|x_u|^2 + |x_w|^2)) never overshoots an edge's own error
 * to first order. If an epoch raises f all the same, it is undone and the rate halved.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "baseline/baseline.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "graph/weight_scale.h"
#include "kernels/row_kernels.h"

enum { BLOCK = 1024, BLOCK_NODES = 128, MOST_BLOCKS = 32, MOST_HALVINGS = 40 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option gf_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_gf_options, columns), 64, 1, 65536, NULL,
     "columns of the embedding"},
    {"epochs", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_gf_options, epochs), 100,
     0, 1e9, NULL, "passes over the edges at most"},
    {"rate", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_gf_options, rate), 1, 1e-12,
     1e6, NULL, "length of the first epoch's steps; epoch t takes rate / sqrt(t)"},
    {"regularisation", "L", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_gf_options, regularisation), 1, 0, 1e6, NULL,
     "weight of the squared lengths of the rows in the loss"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_gf_options, tolerance),
     1e-4, 0, 1, NULL, "stop when an epoch lowers the loss by less than this share"},
};

CAFE_OPTION_TABLE(gf, "gf",
                  "Graph Factorization: inner products of rows approximate the weights of edges",
                  gf_options)

/* ---- state ----------------------------------------------------------------------------------- */

typedef struct gf {
    const cafe_graph *graph;
    const cafe_kernels *kernels;
    cafe_solution *s;
    float *x, *saved;
    uint64_t seed;
    int64_t blocks, round; /* B, even; the tournament's round */
    float rate, lambda;
} gf;

/* Edges of u to other nodes: a loop is none, whatever its weight. */
static int64_t edges_of(const cafe_graph *g, int64_t u) {
    int64_t count = 0;
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) count += g->targets[j] != u;
    return count;
}

/* Rows of expected length 1; zero for nodes without edges. */
static void start_block(void *argument, int64_t first, int64_t last) {
    const gf *f = argument;
    int64_t columns = f->s->columns, draws = (columns + 3) / 4;
    float scale = 1 / sqrtf((float)columns);
    for (int64_t u = first; u < last; u++) {
        float *row = f->x + u * f->s->stride;
        memset(row, 0, (size_t)f->s->stride * sizeof *row);
        if (edges_of(f->graph, u) == 0) continue;
        for (int64_t d = 0; d < draws; d++) {
            float normal[4];
            cafe_normal4(cafe_philox(f->seed, CAFE_STREAM_GF, (uint64_t)(u * draws + d)), normal);
            for (int64_t k = 4 * d; k < columns && k < 4 * d + 4; k++)
                row[k] = scale * normal[k - 4 * d];
        }
    }
}

/* ---- the loss -------------------------------------------------------------------------------- */

/* Twice the loss. */
static void add_losses(void *argument, int64_t first, int64_t last, double *sum) {
    const gf *f = argument;
    const cafe_graph *g = f->graph;
    int64_t stride = f->s->stride;
    for (int64_t u = first; u < last; u++) {
        const float *x = f->x + u * stride;
        *sum += f->lambda * f->kernels->dot(stride, x, x);
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            if (g->targets[j] <= u) continue;
            double e = cafe_graph_unit_weight(g, j) -
                       f->kernels->dot(stride, x, f->x + g->targets[j] * stride);
            *sum += e * e;
        }
    }
}

static cafe_status find_loss(cafe_context *context, gf *f, double *loss) {
    *loss = 0;
    cafe_status status = cafe_sums(context, f->s->n, BLOCK, add_losses, f, 1, loss);
    *loss /= 2;
    return status;
}

/* ---- an epoch -------------------------------------------------------------------------------- */

/* x <- shrink_x (x + s e y), y <- shrink_y (y + s e x), both with the old values */
static void move(int64_t stride, float se, float shrink_x, float shrink_y, float *restrict x,
                 float *restrict y) {
    for (int64_t k = 0; k < stride; k++) {
        float old = x[k];
        x[k] = shrink_x * (old + se * y[k]);
        y[k] = shrink_y * (y[k] + se * old);
    }
}

static void update(const gf *f, int64_t u, int64_t j) {
    const cafe_graph *g = f->graph;
    int64_t w = g->targets[j], stride = f->s->stride;
    float *x = f->x + u * stride, *y = f->x + w * stride;
    double squares = f->kernels->dot(stride, x, x) + f->kernels->dot(stride, y, y);
    double e = cafe_graph_unit_weight(g, j) - f->kernels->dot(stride, x, y);
    double s = f->rate / (1 + f->rate * squares);
    double du = (double)(g->offsets[u + 1] - g->offsets[u]);
    double dw = (double)(g->offsets[w + 1] - g->offsets[w]);
    move(stride, (float)(s * e), (float)(1 / (1 + s * f->lambda / du)),
         (float)(1 / (1 + s * f->lambda / dw)), x, y);
}

static int64_t block_start(const gf *f, int64_t block) {
    return f->s->n * block / f->blocks;
}

/* All edges between two blocks, or within one: those with u < w. */
static void update_pair(const gf *f, int64_t a, int64_t b) {
    const cafe_graph *g = f->graph;
    int64_t from = block_start(f, b), end = block_start(f, b + 1);
    for (int64_t u = block_start(f, a); u < block_start(f, a + 1); u++) {
        int64_t last = g->offsets[u + 1];
        int64_t j = cafe_row_find(g->targets, g->offsets[u], last, a == b ? u + 1 : from);
        for (; j < last && g->targets[j] < end; j++) update(f, u, j);
    }
}

/* Pair number `pair` of a round of a tournament of B: the last block stays, the others go round. */
static void pair_task(void *argument, int64_t pair) {
    const gf *f = argument;
    int64_t turning = f->blocks - 1;
    int64_t a = pair == 0 ? turning : (f->round + pair) % turning;
    update_pair(f, a, (f->round + turning - pair) % turning);
}

static void within_task(void *argument, int64_t block) {
    update_pair(argument, block, block);
}

static cafe_status run_epoch(cafe_context *context, gf *f) {
    for (f->round = 0; f->round < f->blocks - 1; f->round++)
        CAFE_PASS(cafe_each(context, f->blocks / 2, pair_task, f));
    return cafe_each(context, f->blocks, within_task, f);
}

/* ---- the descent ----------------------------------------------------------------------------- */

/* Epochs until one of them gains less than the tolerance. Of the loss only falls are kept. */
static cafe_status descend(cafe_context *context, gf *f, const cafe_gf_options *o) {
    cafe_solution *s = f->s;
    size_t bytes = (size_t)(s->n * s->stride) * sizeof *f->x;
    double shorter = 1;
    int halvings = 0;
    CAFE_PASS(find_loss(context, f, &s->objective[0]));
    cafe_phase(context, "epoch", o->epochs);
    while (s->sweeps < o->epochs && halvings < MOST_HALVINGS && !s->converged) {
        double before = s->objective[s->sweeps], after;
        memcpy(f->saved, f->x, bytes);
        f->rate = (float)(shorter * o->rate / sqrt((double)s->sweeps + 1));
        CAFE_PASS(run_epoch(context, f));
        CAFE_PASS(find_loss(context, f, &after));
        if (!(after <= before)) { /* or not a number */
            memcpy(f->x, f->saved, bytes);
            shorter /= 2;
            halvings++;
            continue;
        }
        s->objective[++s->sweeps] = after;
        s->converged = before - after <= o->tolerance * before;
        cafe_step(context, s->sweeps, after);
    }
    return CAFE_OK;
}

static cafe_status prepare(cafe_context *context, const cafe_graph *graph, const cafe_gf_options *o,
                           gf *f) {
    int64_t pairs = graph->n / (2 * BLOCK_NODES);
    f->graph = graph;
    f->kernels = cafe_kernels_best();
    f->seed = context->seed;
    f->lambda = (float)o->regularisation;
    f->blocks = 2 * (pairs < 1 ? 1 : pairs > MOST_BLOCKS / 2 ? MOST_BLOCKS / 2 : pairs);
    CAFE_PASS(cafe_solution_rows(context, "gf", graph->n, o->columns, o->epochs, &f->s));
    f->x = f->s->h.x;
    f->saved = cafe_mem(context, f->s->n * f->s->stride, sizeof *f->saved);
    if (!f->saved) return CAFE_ERROR_MEMORY;
    return cafe_ranges(context, graph->n, BLOCK, start_block, f);
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    gf f = {0};
    CAFE_TRY(prepare(context, job->model->graph, job->own, &f));
    CAFE_TRY(descend(context, &f, job->own));
    *solution = f.s;
    f.s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_mem_free(context, f.saved);
    cafe_solution_free(f.s);
    return status;
}

static const cafe_method_code gf_code = {.solve = solve};
const cafe_method cafe_gf_method = {
    .name = "gf",
    .title = "Graph Factorization",
    .summary = "inner products of rows approximate the weights of edges",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_gf_option_table,
    .code = &gf_code,
};
