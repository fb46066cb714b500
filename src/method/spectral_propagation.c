/* Spectral propagation (Zhang, Dong, Wang, Tang, Ding: ProNE, IJCAI 2019, section 3.3): a filter in
 * the graph's spectrum for any embedding X.
 *
 *     B = A + I,   L = I - D_B^-1 B,   M = L - mu I
 *     g(L) = exp(-theta (M^2 / 2 - I)) = I_0(theta) T_0 + 2 sum over i >= 1 of
 *            (-1)^i I_i(theta) T_i(M^2 / 2 - I)
 *     X <- B (X - g(L) X),   X = U Sigma V^T,   X <- U sqrt(Sigma), rows of length 1
 *
 * The I of B is a weight too: that of a usual edge, since A's weights count in units of the
 * one in the middle. I_i are modified Bessel functions, T_i Chebyshev polynomials; `order` terms
 * are taken, i from 0. L's eigenvalues lie in [0,2), so those of M^2 / 2 - I lie in [-1,1] for mu
 * in [0,2], and
 *
 *     T_(i+1) x = 2 (M^2 / 2 - I) T_i x - T_(i-1) x = M (M T_i x) - 2 T_i x - T_(i-1) x
 *
 * costs two passes over the edges. The singular vectors come from the K x K Gram matrix in double
 * precision. Those with less than 1e-5 of the largest singular value are float32 rounding, and
 * their columns become zero.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "engine/dense.h"
#include "engine/engine.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "graph/weight_scale.h"
#include "kernels/row_kernels.h"
#include "method/method.h"
#include "operator/operator.h"

enum { BLOCK = 256, PIECE = 65536, SERIES = 60 };
static const double least_singular = 1e-5;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option propagate_options[] = {
    {"propagate-order", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_propagate_options, order), 10, 2, 1000, NULL,
     "terms of the filter's Chebyshev series"},
    {"propagate-mu", "MU", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_propagate_options, mu), 0.2, 0, 2, NULL,
     "eigenvalue of the Laplacian at the centre of the filter's band"},
    {"propagate-theta", "T", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_propagate_options, theta), 0.5, 1e-6, 20, NULL,
     "sharpness of the filter's band"},
};

CAFE_OPTION_TABLE(propagate, "propagate",
                  "ProNE's propagation: a band-pass filter in the graph's spectrum",
                  propagate_options)

/* ---- products -------------------------------------------------------------------------------- */

/* y_u <- sum_scale sum over w of b(u,w) x_w [/ d_u] + own x_u + second z_u + third y_u, with
 * b = a / unit, and 1 more on the diagonal */
typedef struct product_job {
    const cafe_graph *graph;
    cafe_operator rows;   /* the edges as streams of rows read them */
    double unit;          /* of the weights */
    const double *degree; /* of B */
    int64_t columns, stride;
    bool average;
    double sum_scale, own, second, third;
    const float *x, *z; /* z NULL: none */
    float *y;
    float *scratch; /* a row per worker */
} product_job;

static void product_row(void *argument, int64_t i, int64_t u, float *sum) {
    const product_job *job = argument;
    const float *x = job->x + u * job->stride, *z = job->z ? job->z + u * job->stride : x;
    float *y = job->y + u * job->stride;
    double scale = job->sum_scale / (job->average ? job->degree[u] : 1);
    double links = scale / job->unit, own = scale + job->own, second = job->z ? job->second : 0;
    (void)i;
    for (int64_t k = 0; k < job->columns; k++) {
        double value = links * sum[k] + own * x[k] + second * z[k];
        y[k] = (float)(job->third != 0 ? value + job->third * y[k] : value);
    }
}

static void product_block(void *argument, int64_t block, int32_t worker) {
    product_job *job = argument;
    int64_t first = block * BLOCK;
    cafe_range range = {first, 1, cafe_block_end(job->graph->n, BLOCK, block) - first, NULL};
    cafe_stream_rows(&job->rows, job->stride, job->x, range, NULL, true,
                     job->scratch + worker * job->stride, 0, product_row, job);
}

static cafe_status product(cafe_context *context, const product_job *job) {
    product_job copy = *job;
    return cafe_parallel(context, cafe_blocks(job->graph->n, BLOCK), product_block, &copy);
}

/* ---- the filter ------------------------------------------------------------------------------ */

/* I_i(t) = sum over m of (t/2)^(2m+i) / (m! (m+i)!) */
static double bessel(int64_t i, double t) {
    double term = 1, sum = 0;
    for (int64_t j = 1; j <= i; j++) term *= t / 2 / (double)j;
    for (int64_t m = 0; m < SERIES; m++) {
        sum += term;
        term *= t * t / 4 / ((double)(m + 1) * (double)(m + 1 + i));
    }
    return sum;
}

typedef struct filter {
    product_job pass;
    double mu, theta;
    double *degree;     /* of B */
    int64_t count;      /* floats of a block */
    float *x;           /* X; at the end B (X - g(L) X) */
    float *older, *old; /* T_(i-1) X, T_i X */
    float *half, *rest; /* M T_i X; X - the terms so far */
} filter;

/* y = scale M x + second z + third y, M = (1 - mu) I - D_B^-1 B */
static cafe_status apply(cafe_context *context, const filter *f, double scale, const float *x,
                         double second, const float *z, double third, float *y) {
    product_job job = f->pass;
    job.average = true;
    job.sum_scale = -scale;
    job.own = scale * (1 - f->mu);
    job.second = second;
    job.third = third;
    job.x = x, job.z = z, job.y = y;
    return product(context, &job);
}

typedef struct add_job {
    int64_t count;
    double factor;
    const float *from;
    float *to;
} add_job;

static void add_block(void *argument, int64_t first, int64_t last) {
    const add_job *job = argument;
    for (int64_t i = first; i < last; i++)
        job->to[i] = (float)(job->to[i] + job->factor * job->from[i]);
}

/* rest <- rest - c_i T_i X with the series' coefficient c_i = (2 - [i = 0]) (-1)^i I_i(theta) */
static cafe_status take_term(cafe_context *context, filter *f, int64_t i, const float *term) {
    double c = (i == 0 ? 1 : 2) * (i % 2 ? -1 : 1) * bessel(i, f->theta);
    add_job job = {f->count, -c, term, f->rest};
    return cafe_ranges(context, f->count, PIECE, add_block, &job);
}

static cafe_status run_filter(cafe_context *context, filter *f, int64_t order) {
    size_t bytes = (size_t)f->count * sizeof *f->x;
    memcpy(f->rest, f->x, bytes);
    memcpy(f->older, f->x, bytes);
    CAFE_PASS(take_term(context, f, 0, f->older));
    /* T_1 x = M (M x) / 2 - x */
    CAFE_PASS(apply(context, f, 1, f->older, 0, NULL, 0, f->half));
    CAFE_PASS(apply(context, f, 0.5, f->half, -1, f->older, 0, f->old));
    CAFE_PASS(take_term(context, f, 1, f->old));
    for (int64_t i = 2; i < order; i++) {
        CAFE_PASS(apply(context, f, 1, f->old, 0, NULL, 0, f->half));
        CAFE_PASS(apply(context, f, 1, f->half, -2, f->old, -1, f->older));
        float *newest = f->older;
        f->older = f->old, f->old = newest;
        CAFE_PASS(take_term(context, f, i, newest));
        cafe_step(context, i + 1, 0);
    }
    /* X = B rest */
    product_job last = f->pass;
    last.sum_scale = 1;
    last.x = f->rest, last.y = f->x;
    return product(context, &last);
}

/* ---- singular vectors ------------------------------------------------------------------------ */

/* X <- X V Sigma^(-1/2) = U sqrt(Sigma), from X^T X = V Sigma^2 V^T */
static cafe_status decompose(cafe_context *context, cafe_block *x) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t columns = x->columns, rank = 0;
    double *v = cafe_mem(context, columns * columns, sizeof *v);
    double *m = cafe_mem(context, columns * columns, sizeof *m);
    double *squares = cafe_mem(context, columns, sizeof *squares);
    if (!v || !m || !squares) goto done;
    CAFE_TRY(cafe_ops(x)->gram(context, x, NULL, NULL, false, v));
    CAFE_TRY(cafe_dense_eigen(context, columns, v, squares));
    double least = least_singular * least_singular * squares[0];
    while (rank < columns && squares[rank] > least) rank++;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j < rank; j++)
            m[i * rank + j] = v[i * columns + j] / sqrt(sqrt(squares[j]));
    if (rank > 0) CAFE_TRY(cafe_ops(x)->transform(context, x, rank, m, NULL, NULL));
done:
    cafe_mem_free_all(context, v, m, squares);
    return status;
}

void cafe_unit_rows(const cafe_block *x, int64_t columns, float *vectors) {
    for (int64_t u = 0; u < x->n; u++) {
        const float *row = x->x + u * x->stride;
        double sum = 0;
        for (int64_t k = 0; k < x->columns; k++) sum += (double)row[k] * row[k];
        double scale = sum > 0 ? 1 / sqrt(sum) : 0;
        for (int64_t k = 0; k < columns; k++)
            vectors[u * columns + k] = k < x->columns ? (float)(scale * row[k]) : 0;
    }
}

/* ---- all together ---------------------------------------------------------------------------- */

typedef struct degree_job {
    const cafe_graph *graph;
    double unit, *degree;
} degree_job;

static void degree_block(void *argument, int64_t first, int64_t last) {
    const degree_job *job = argument;
    const cafe_graph *g = job->graph;
    for (int64_t u = first; u < last; u++)
        job->degree[u] = 1 + cafe_row_sum(g->offsets, g->scaled, u) / job->unit;
}

static cafe_status new_pass(cafe_context *context, const cafe_graph *graph, filter *f) {
    product_job *pass = &f->pass;
    pass->rows.kernels = cafe_kernels_best();
    pass->rows.parts = (cafe_operator_parts){.n = graph->n,
                                             .offsets = graph->offsets,
                                             .targets = graph->targets,
                                             .weights = graph->scaled};
    CAFE_PASS(cafe_graph_median(context, graph, &pass->unit));
    f->degree = cafe_mem(context, graph->n, sizeof *f->degree);
    pass->scratch = cafe_mem(context, context->threads * pass->stride, sizeof *pass->scratch);
    CAFE_PASS(cafe_mem_had(f->degree, pass->scratch));
    degree_job job = {graph, pass->unit, f->degree};
    pass->degree = f->degree;
    return cafe_ranges(context, graph->n, BLOCK, degree_block, &job);
}

static cafe_status new_filter(cafe_context *context, const cafe_graph *graph,
                              const cafe_propagate_options *o, int64_t columns, filter *f) {
    int64_t stride = cafe_stride(columns);
    *f = (filter){.mu = o->mu, .theta = o->theta, .count = graph->n * stride};
    f->pass = (product_job){.graph = graph, .columns = columns, .stride = stride};
    float **blocks[] = {&f->x, &f->older, &f->old, &f->half, &f->rest};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        *blocks[i] = cafe_mem_zero(context, f->count, sizeof **blocks[i]);
        if (!*blocks[i]) return CAFE_ERROR_MEMORY;
    }
    return new_pass(context, graph, f);
}

double cafe_propagate_bytes(int64_t nodes, int64_t columns, int64_t threads) {
    double stride = (double)cafe_stride(columns);
    return (double)nodes * (5 * stride * sizeof(float) + sizeof(double)) +
           (double)threads * stride * sizeof(float);
}

static void free_filter(cafe_context *context, filter *f) {
    void *all[] = {f->x, f->older, f->old, f->half, f->rest, f->degree, f->pass.scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cafe_mem_free(context, all[i]);
}

static cafe_status check(cafe_context *context, const cafe_graph *graph, int64_t columns,
                         const float *vectors) {
    if (columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld columns: expected at least one",
                         (long long)columns);
    for (int64_t i = 0; i < graph->n * columns; i++)
        if (!isfinite(vectors[i]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the vector of node %lld is not finite in column %lld",
                             (long long)(i / columns), (long long)(i % columns));
    return CAFE_OK;
}

cafe_status cafe_propagate(cafe_context *context, const cafe_graph *graph,
                           const cafe_propagate_options *options, int64_t columns, float *vectors) {
    cafe_status status = CAFE_OK;
    filter f = {0};
    cafe_propagate_options o;
    CAFE_TRY(cafe_engine_need_processor(context, "spectral propagation"));
    CAFE_TRY(cafe_options_take(context, &propagate_table, options, &o));
    cafe_phase(context, "propagate", o.order);
    CAFE_TRY(check(context, graph, columns, vectors));
    CAFE_TRY(new_filter(context, graph, &o, columns, &f));
    for (int64_t u = 0; u < graph->n; u++)
        memcpy(f.x + u * f.pass.stride, vectors + u * columns, (size_t)columns * sizeof *vectors);
    CAFE_TRY(run_filter(context, &f, o.order));
    cafe_block x = cafe_block_rows(graph->n, f.pass.stride, columns, f.x);
    CAFE_TRY(decompose(context, &x));
    cafe_unit_rows(&x, columns, vectors);
done:
    cafe_phase(context, "", 0);
    free_filter(context, &f);
    return status;
}
