/* FastRP (Chen, Sultan, Tian, Chen, Skiena: Fast and accurate network embeddings via very sparse
 * random projection, CIKM 2019): powers of the transition matrix applied to random vectors.
 *
 *     X_0 = R                             sqrt(3) (+1 or -1 with probability 1/6 each, else 0)
 *     X_i = D^-1 A X_(i-1)
 *     X   = N(X_(q-1)) + N(X_q)           N: rows scaled to length 1; q steps
 *     loss = mean over nodes of 1 - cos(row of X_(q-1), row of X_q)
 *
 * R keeps inner products in expectation (Achlioptas 2003): the rows of X_i compare as the rows of
 * (D^-1 A)^i do, without that matrix. X has two powers, because in a bipartite graph one power sees
 * one side only. The authors scale the rows of R by powers of the degrees and tune the weights of
 * the powers; here both are 1.
 */
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "method/method.h"
#include "spectral/randomized_svd.h"

enum { ROWS = 256 };

/* ---- options --------------------------------------------------------------------------------- */

typedef struct cafe_fastrp_options {
    size_t struct_size;
    int64_t columns;
    int64_t steps;
} cafe_fastrp_options;

static const cafe_option fastrp_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_fastrp_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"steps", "Q", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_fastrp_options, steps), 6,
     2, 1000, NULL, "products with the transition matrix; the last two are added up"},
};

static const cafe_option_table fastrp_table = {
    "fastrp", "FastRP: powers of the transition matrix times random vectors",
    sizeof(cafe_fastrp_options), fastrp_options, sizeof fastrp_options / sizeof *fastrp_options};

static const cafe_option_table *option_table(void) {
    return &fastrp_table;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct fastrp {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_fastrp_options *options;
    cafe_block x, y;
    bool adds;      /* this power counts */
    float *vectors; /* the sum, n x columns */
} fastrp;

static double degree(const fastrp *f, int64_t u) {
    return cafe_row_sum(f->graph->offsets, f->graph->scaled, u);
}

/* sqrt(3) with probability 1/6, -sqrt(3) with 1/6, else 0 */
static float drawn(uint32_t number) {
    static const float values[6] = {1.7320508f, -1.7320508f};
    return values[number % 6];
}

/* X_0 */
static void start_block(void *argument, int64_t first, int64_t last) {
    const fastrp *f = argument;
    int64_t columns = f->x.columns, fours = (columns + 3) / 4;
    for (int64_t u = first; u < last; u++) {
        for (int64_t j = 0; j < columns; j++) {
            cafe_random4 four =
                cafe_philox(f->context->seed, CAFE_STREAM_FASTRP, (uint64_t)(u * fours + j / 4));
            f->x.x[u * f->x.stride + j] = drawn(four.v[j % 4]);
        }
    }
}

/* Divides the rows of A X by their degrees; adds them to the sum, each scaled to length 1. */
static void row_block(void *argument, int64_t first, int64_t last) {
    const fastrp *f = argument;
    int64_t columns = f->y.columns;
    for (int64_t u = first; u < last; u++) {
        float *row = f->y.x + u * f->y.stride;
        double d = degree(f, u), squares = 0;
        for (int64_t j = 0; j < columns; j++) {
            row[j] = d > 0 ? (float)(row[j] / d) : 0;
            squares += (double)row[j] * row[j];
        }
        for (int64_t j = 0; j < columns && f->adds && squares > 0; j++)
            f->vectors[u * columns + j] += (float)(row[j] / sqrt(squares));
    }
}

/* 1 - cos of the two unit rows whose sum has the squared length |a + b|^2 = 2 + 2 cos */
static void loss_block(void *argument, int64_t first, int64_t last, double sums[2]) {
    const fastrp *f = argument;
    int64_t columns = f->x.columns;
    for (int64_t u = first; u < last; u++) {
        double squares = 0;
        for (int64_t j = 0; j < columns; j++)
            squares += (double)f->vectors[u * columns + j] * f->vectors[u * columns + j];
        if (degree(f, u) > 0) sums[0] += 2 - squares / 2, sums[1] += 1;
    }
}

/* ---- the method ------------------------------------------------------------------------------ */

/* X_i for i = 1 .. steps, and the sum of the last two. */
static cafe_status walk(cafe_context *context, fastrp *f) {
    const cafe_graph *g = f->graph;
    cafe_sparse a = {g->n, g->offsets, g->targets, g->scaled, g->scaled};
    CAFE_PASS(cafe_ranges(context, g->n, ROWS, start_block, f));
    cafe_phase(context, "steps", f->options->steps);
    for (int64_t i = 1; i <= f->options->steps; i++) {
        CAFE_PASS(cafe_sparse_product(context, &a, false, &f->x, &f->y));
        f->adds = i + 1 >= f->options->steps;
        CAFE_PASS(cafe_ranges(context, g->n, ROWS, row_block, f));
        cafe_block old = f->x;
        f->x = f->y, f->y = old;
        cafe_step(context, i, 0);
    }
    return CAFE_OK;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    fastrp f = {.context = context, .graph = graph, .options = job->own};
    int64_t columns = f.options->columns;
    double sums[2] = {0, 0};
    cafe_solution *s = NULL;
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, columns, 0, &s));
    CAFE_TRY(cafe_block_make(context, graph->n, columns, &f.x));
    CAFE_TRY(cafe_block_make(context, graph->n, columns, &f.y));
    f.vectors = cafe_mem_zero(context, graph->n * columns, sizeof *f.vectors);
    CAFE_TRY(cafe_mem_had(f.vectors));
    CAFE_TRY(walk(context, &f));
    CAFE_TRY(cafe_solution_set(context, f.vectors, s));
    CAFE_TRY(cafe_sums(context, graph->n, ROWS, loss_block, &f, 2, sums));
    s->objective[0] = sums[1] > 0 ? fmax(sums[0] / sums[1], 0) : 0;
    s->converged = true;
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_block_drop(context, &f.x);
    cafe_block_drop(context, &f.y);
    cafe_mem_free(context, f.vectors);
    cafe_solution_free(s);
    return status;
}

static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_fastrp_options *o = own;
    int64_t n = counts->nodes, columns = o->columns < n ? o->columns : n;
    (void)threads;
    return (double)n * (double)(columns + 2 * cafe_stride(columns)) * sizeof(float);
}

static const cafe_method_code fastrp_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_fastrp_method = {
    .name = "fastrp",
    .title = "FastRP",
    .summary = "powers of the transition matrix times random vectors",
    .form = CAFE_FORM_RAW,
    .vectors = option_table,
    .code = &fastrp_code,
};
