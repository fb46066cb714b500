/* NetMF for small graphs (Qiu, Dong, Ma, Li, Wang, Tang: Network embedding as matrix factorization,
 * WSDM 2018): the matrix that DeepWalk with negative sampling factorises in the limit, formed and
 * factorised exactly.
 *
 *     M = vol / (b T) sum over r = 1 .. T of (D^-1 A)^r D^-1,     vol = sum of the degrees
 *     log(max(1, M)) ~ U Sigma U^T,                               the embedding is U sqrt(Sigma)
 *
 * M is dense, so the memory is checked first. (D^-1 A)^r D^-1 = D^-1 A times the one before is a
 * sparse times a dense matrix: 2m n multiplications a step. M is symmetric, so singular values are
 * eigenvalues but for their signs.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "graph/graph.h"
#include "method/method.h"
#include "spectral/eigen.h"

enum { WIDTH = CAFE_EIGEN_WIDTH, ROWS = 64 };
static const double tolerance = 1e-8;

/* ---- options --------------------------------------------------------------------------------- */

typedef struct cafe_netmf_options {
    size_t struct_size;
    int64_t columns;
    int64_t window;   /* T */
    int64_t negative; /* b */
    int64_t memory;   /* MiB the dense matrices may take; a larger graph is refused */
} cafe_netmf_options;

static const cafe_option netmf_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_netmf_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"window", "T", CAFE_OPTION_INTEGER, offsetof(cafe_netmf_options, window), 10, 1, 1000, NULL,
     "most steps of a walk between the two nodes of a pair"},
    {"negative", "B", CAFE_OPTION_INTEGER, offsetof(cafe_netmf_options, negative), 1, 1, 1000, NULL,
     "drawn contexts for each pair of the method it is the limit of"},
    {"memory-limit", "MIB", CAFE_OPTION_INTEGER, offsetof(cafe_netmf_options, memory), 8192, 1, 1e9,
     NULL, "mebibytes that the dense matrices may take; a larger graph is refused"},
};

static const cafe_option_table netmf_table = {
    "netmf", "NetMF: the matrix behind DeepWalk, factorised exactly", sizeof(cafe_netmf_options),
    netmf_options, sizeof netmf_options / sizeof *netmf_options};

static const cafe_option_table *option_table(void) {
    return &netmf_table;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

typedef struct netmf {
    const cafe_graph *graph;
    int64_t n;
    double *degree;
    double *power, *next; /* (D^-1 A)^r D^-1, and of r + 1 */
    double *sum;          /* of the powers, then log(max(1, M)) */
    double factor;        /* vol / (b T) */
    double *squares;      /* |log(max(1, M))|^2 by blocks of rows */
    const double *x;      /* of a product */
    double *y;
} netmf;

static double dense_bytes(int64_t nodes) {
    return 3.0 * (double)nodes * (double)nodes * sizeof(double);
}

static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_netmf_options *o = own;
    int64_t nodes = counts->nodes;
    int64_t count = o->columns < nodes ? o->columns : nodes;
    return dense_bytes(nodes) + (double)cafe_eigen_bytes(nodes, count, threads);
}

static void free_netmf(cafe_context *context, netmf *m) {
    void *all[] = {m->degree, m->power, m->next, m->sum, m->squares};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cafe_mem_free(context, all[i]);
}

static cafe_status new_netmf(cafe_context *context, const cafe_graph *graph,
                             const cafe_netmf_options *o, netmf *m) {
    int64_t n = m->n = graph->n;
    double volume = 0;
    m->graph = graph;
    m->degree = cafe_mem_zero(context, n, sizeof *m->degree);
    m->power = cafe_mem_zero(context, n * n, sizeof *m->power);
    m->next = cafe_mem(context, n * n, sizeof *m->next);
    m->sum = cafe_mem_zero(context, n * n, sizeof *m->sum);
    m->squares = cafe_mem(context, cafe_blocks(n, ROWS), sizeof *m->squares);
    if (!m->degree || !m->power || !m->next || !m->sum || !m->squares) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) {
        for (int64_t j = graph->offsets[u]; j < graph->offsets[u + 1]; j++)
            m->degree[u] += graph->scaled ? graph->scaled[j] : 1;
        volume += m->degree[u];
        if (m->degree[u] > 0) m->power[u * n + u] = 1 / m->degree[u]; /* r = 0 */
    }
    m->factor = volume / (double)(o->negative * o->window);
    return CAFE_OK;
}

/* Row u of the next power: sum over w of a(u,w) / d_u times row w. */
static void power_block(void *argument, int64_t first, int64_t last) {
    const netmf *m = argument;
    const cafe_graph *g = m->graph;
    for (int64_t u = first; u < last; u++) {
        double *row = m->next + u * m->n, *sum = m->sum + u * m->n;
        memset(row, 0, (size_t)m->n * sizeof *row);
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            const double *from = m->power + (int64_t)g->targets[j] * m->n;
            double a = (g->scaled ? g->scaled[j] : 1) / m->degree[u];
            for (int64_t i = 0; i < m->n; i++) row[i] += a * from[i];
        }
        for (int64_t i = 0; i < m->n; i++) sum[i] += row[i];
    }
}

/* log(max(1, M)) in the place of the sum; the two halves agree but for rounding. */
static void log_block(void *argument, int64_t first, int64_t last) {
    const netmf *m = argument;
    double squares = 0;
    for (int64_t i = first * m->n; i < last * m->n; i++) {
        double value = m->factor * m->sum[i];
        m->sum[i] = value > 1 ? log(value) : 0;
        squares += m->sum[i] * m->sum[i];
    }
    m->squares[first / ROWS] = squares;
}

static cafe_status fill(cafe_context *context, int64_t window, netmf *m) {
    cafe_phase(context, "power", window);
    for (int64_t r = 1; r <= window; r++) {
        CAFE_PASS(cafe_ranges(context, m->n, ROWS, power_block, m));
        double *old = m->power;
        m->power = m->next, m->next = old;
        cafe_step(context, r, 0);
    }
    return cafe_ranges(context, m->n, ROWS, log_block, m);
}

/* ---- its factors ----------------------------------------------------------------------------- */

static void product_block(void *argument, int64_t first, int64_t last) {
    const netmf *m = argument;
    for (int64_t u = first; u < last; u++) {
        double sum[WIDTH] = {0};
        for (int64_t w = 0; w < m->n; w++)
            for (int k = 0; k < WIDTH; k++) sum[k] += m->sum[u * m->n + w] * m->x[w * WIDTH + k];
        memcpy(m->y + u * WIDTH, sum, sizeof sum);
    }
}

static cafe_status product(cafe_context *context, void *argument, const double *x, double *y) {
    netmf *m = argument;
    m->x = x, m->y = y;
    return cafe_ranges(context, m->n, ROWS, product_block, m);
}

/* Column j: u sqrt(sigma); sigma within rounding of 0 leaves it zero. The loss is what the factors
 * leave of the matrix, in the Frobenius norm squared. */
static void put_columns(cafe_solution *s, const netmf *m, const cafe_eigen *found) {
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    for (int64_t b = 0; b < cafe_blocks(m->n, ROWS); b++) s->objective[0] += m->squares[b];
    for (int64_t j = 0; j < found->count; j++) {
        double sigma = fabs(found->values[j]);
        if (!(sigma > tolerance * fabs(found->values[0]))) continue;
        for (int64_t u = 0; u < s->n; u++)
            if (m->degree[u] > 0)
                s->h.x[u * s->stride + j] =
                    (float)(sqrt(sigma) * found->vectors[u * found->count + j]);
        s->objective[0] -= sigma * sigma;
    }
    s->objective[0] = fmax(s->objective[0], 0);
    s->loss = true;
    s->converged = found->converged == found->count;
}

static cafe_status check(cafe_context *context, const cafe_graph *graph,
                         const cafe_netmf_options *o) {
    double bytes = dense_bytes(graph->n);
    if (bytes <= (double)o->memory * 1048576) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "NetMF is dense: %lld nodes take %.0f bytes, and memory-limit allows %lld MiB",
                     (long long)graph->n, bytes, (long long)o->memory);
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_netmf_options *o = job->own;
    netmf m = {0};
    cafe_solution *s = NULL;
    cafe_eigen found = {0};
    cafe_eigen_problem problem = {graph->n, product, cafe_want_size, &m, o->columns, tolerance, 0};
    CAFE_TRY(check(context, graph, o));
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o->columns, 0, &s));
    CAFE_TRY(new_netmf(context, graph, o, &m));
    CAFE_TRY(fill(context, o->window, &m));
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(cafe_eigen_solve(context, &problem, &found));
    put_columns(s, &m, &found);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_eigen_free(context, &found);
    free_netmf(context, &m);
    cafe_solution_free(s);
    return status;
}

static const cafe_method_code netmf_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_netmf_method = {
    .name = "netmf",
    .title = "NetMF",
    .summary = "the matrix behind DeepWalk, factorised exactly; for small graphs",
    .form = CAFE_FORM_RAW,
    .vectors = option_table,
    .code = &netmf_code,
};
