/* ProNE (Zhang, Dong, Wang, Tang, Ding: ProNE: fast and scalable network representation learning,
 * IJCAI 2019): a sparse matrix of the edges, factorised at random, then spectral propagation.
 *
 *     c(u,w) = a(u,w) / d_u,     neg_w = (sum over u of c(u,w))^0.75 / (the same, over all w)
 *     f(u,w) = log c(u,w) - log neg_w for the edges, 0 elsewhere
 *     F ~ U Sigma V^T,           X = U sqrt(Sigma), rows of length 1
 *
 * and X goes through cafe_propagate(). Entries of F have either sign, as in the authors' program.
 * The values f(u,w) and f(w,u) stand in the same place of two arrays, so that F and its transpose
 * are read by rows.
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
static const double power = 0.75; /* of the frequencies of drawn contexts */

/* ---- options --------------------------------------------------------------------------------- */

typedef struct cafe_prone_options {
    size_t struct_size;
    int64_t columns;
    int64_t steps; /* of the randomised decomposition */
    int64_t terms; /* the propagation's; 1: none */
    double mu, theta;
} cafe_prone_options;

static const cafe_option prone_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_prone_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"steps", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_prone_options, steps), 5,
     0, 1000, NULL, "passes there and back of the randomised singular value decomposition"},
    {"terms", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_prone_options, terms), 10,
     1, 1000, NULL, "terms of the propagation's series; 1 leaves the factorisation as it is"},
    {"mu", "MU", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_prone_options, mu), 0.2, 0, 2,
     NULL, "eigenvalue of the Laplacian at the centre of the propagation's band"},
    {"theta", "T", CAFE_OPTION_REAL, offsetof(cafe_prone_options, theta), 0.5, 1e-6, 20, NULL,
     "sharpness of the propagation's band"},
};

static const cafe_option_table prone_table = {
    "prone", "ProNE: sparse factorisation and spectral propagation", sizeof(cafe_prone_options),
    prone_options, sizeof prone_options / sizeof *prone_options};

static const cafe_option_table *option_table(void) {
    return &prone_table;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

typedef struct prone {
    const cafe_graph *graph;
    double *degree;
    double *noise;              /* sum over u of c(u,w), then neg_w */
    float *values, *transposed; /* f(u,w), f(w,u) */
} prone;

static void degree_block(void *argument, int64_t first, int64_t last) {
    const prone *p = argument;
    for (int64_t u = first; u < last; u++)
        p->degree[u] = cafe_row_sum(p->graph->offsets, p->graph->scaled, u);
}

/* a / d; 0 where rows are not symmetric and a node that is linked to has no edges */
static double share(double a, double degree) {
    return degree > 0 ? a / degree : 0;
}

/* (sum over u of a(u,w) / d_u)^0.75 */
static void noise_block(void *argument, int64_t first, int64_t last, double *total) {
    const prone *p = argument;
    const cafe_graph *g = p->graph;
    for (int64_t w = first; w < last; w++) {
        double sum = 0;
        for (int64_t j = g->offsets[w]; j < g->offsets[w + 1]; j++)
            sum += share(g->scaled ? g->scaled[j] : 1, p->degree[g->targets[j]]);
        p->noise[w] = pow(sum, power);
        *total += p->noise[w];
    }
}

/* What is not positive counts as 1, as in the authors' program. */
static double log_of(double x) {
    return x > 0 ? log(x) : 0;
}

static void value_block(void *argument, int64_t first, int64_t last, double *squares) {
    const prone *p = argument;
    const cafe_graph *g = p->graph;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            int32_t w = g->targets[j];
            double a = g->scaled ? g->scaled[j] : 1;
            p->values[j] = (float)(log_of(a / p->degree[u]) - log_of(p->noise[w]));
            p->transposed[j] = (float)(log_of(share(a, p->degree[w])) - log_of(p->noise[u]));
            *squares += (double)p->values[j] * p->values[j];
        }
}

/* *squares = |F|^2 in the Frobenius norm. */
static cafe_status new_prone(cafe_context *context, const cafe_graph *graph, prone *p,
                             double *squares) {
    double total = 0;
    p->graph = graph;
    p->degree = cafe_mem(context, graph->n, sizeof *p->degree);
    p->noise = cafe_mem(context, graph->n, sizeof *p->noise);
    p->values = cafe_mem(context, graph->arcs, sizeof *p->values);
    p->transposed = cafe_mem(context, graph->arcs, sizeof *p->transposed);
    CAFE_PASS(cafe_mem_had(p->degree, p->noise, p->values, p->transposed));
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, degree_block, p));
    CAFE_PASS(cafe_sums(context, graph->n, ROWS, noise_block, p, 1, &total));
    for (int64_t w = 0; w < graph->n && total > 0; w++) p->noise[w] /= total;
    *squares = 0;
    return cafe_sums(context, graph->n, ROWS, value_block, p, 1, squares);
}

static void free_prone(cafe_context *context, prone *p) {
    cafe_mem_free_all(context, p->degree, p->noise, p->values, p->transposed);
}

/* ---- the method ------------------------------------------------------------------------------ */

/* U sqrt(Sigma) in rows of length 1. The loss is what is left of F in the Frobenius norm squared.
 */
static cafe_status factorise(cafe_context *context, const cafe_graph *graph,
                             const cafe_prone_options *o, float *vectors, double *loss) {
    cafe_status status = CAFE_OK;
    prone p = {0};
    cafe_block x = {0};
    cafe_sketch_options sketch = {o->columns, o->steps, CAFE_STREAM_PRONE};
    double *values = cafe_mem(context, o->columns, sizeof *values);
    CAFE_TRY(cafe_mem_had(values));
    CAFE_TRY(new_prone(context, graph, &p, loss));
    cafe_sparse f = {graph->n, graph->offsets, graph->targets, p.values, p.transposed};
    CAFE_TRY(cafe_sketch(context, &f, &sketch, &x, values));
    cafe_unit_rows(&x, o->columns, vectors);
    for (int64_t j = 0; j < o->columns; j++) *loss -= values[j] * values[j];
    *loss = fmax(*loss, 0);
done:
    cafe_block_drop(context, &x);
    cafe_mem_free(context, values);
    free_prone(context, &p);
    return status;
}

static cafe_status propagate(cafe_context *context, const cafe_graph *graph,
                             const cafe_prone_options *o, float *vectors) {
    cafe_propagate_options filter;
    if (o->terms < 2) return CAFE_OK;
    cafe_propagate_options_init(&filter);
    filter.order = o->terms, filter.mu = o->mu, filter.theta = o->theta;
    return cafe_propagate(context, graph, &filter, o->columns, vectors);
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_prone_options *o = job->own;
    cafe_solution *s = NULL;
    float *vectors = NULL;
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o->columns, 0, &s));
    vectors = cafe_mem(context, graph->n * o->columns, sizeof *vectors);
    CAFE_TRY(cafe_mem_had(vectors));
    CAFE_TRY(factorise(context, graph, o, vectors, s->objective));
    CAFE_TRY(propagate(context, graph, o, vectors));
    CAFE_TRY(cafe_solution_set(context, vectors, s));
    s->converged = true;
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_mem_free(context, vectors);
    cafe_solution_free(s);
    return status;
}

static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_prone_options *o = own;
    int64_t n = counts->nodes, columns = o->columns < n ? o->columns : n;
    double matrix = 4.0 * (double)counts->edges * sizeof(float) + 2.0 * (double)n * sizeof(double);
    double factors = matrix + cafe_sketch_bytes(n, columns);
    double filter = o->terms > 1 ? cafe_propagate_bytes(n, columns, threads) : 0;
    return (double)(n * columns) * sizeof(float) + fmax(factors, filter);
}

static const cafe_method_code prone_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_prone_method = {
    .name = "prone",
    .title = "ProNE",
    .summary = "a sparse matrix of the edges, factorised, and spectral propagation",
    .form = CAFE_FORM_RAW,
    .vectors = option_table,
    .code = &prone_code,
};
