/* GraRep (Cao, Lu, Xu: GraRep: learning graph representations with global structural information,
 * CIKM 2015).
 *
 *     A = D^-1 (adjacency),   tau_j = sum over i of A^k_ij,   N nodes
 *     Y^k_ij = max(0, log(A^k_ij / tau_j) - log(1/N)),        Y^k ~ U Sigma V^T
 *     W^k = U sqrt(Sigma),    the embedding is [W^1 ... W^steps]
 *
 * Powers and logarithms fill n x n matrices, so this is for small graphs; the memory is checked
 * first. A^(k+1) = A A^k is a sparse times a dense matrix: 2m n multiplications, where the dense
 * product would take n^3. U and Sigma come from the symmetric map x -> Y (Y^T x) by block Lanczos;
 * its eigenvalues are the squares. With a residual of 1e-7 |Y|^2, singular values down to 1e-4 of
 * the largest have relative errors far below float32's.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "baseline/baseline.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "spectral/eigen.h"

enum { WIDTH = CAFE_EIGEN_WIDTH, ROWS = 64, SLICE = 256 };
static const double tolerance = 1e-7;

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option grarep_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_grarep_options, columns), 64, 1, 65536,
     NULL, "columns of the embedding, of all steps together"},
    {"steps", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_grarep_options, steps), 4,
     1, 1000, NULL, "powers of the transition matrix, from 1 to this"},
    {"matrix-limit", "MIB", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_grarep_options, memory), 8192, 1, 1e9, NULL,
     "mebibytes that the dense matrices may take; a larger graph is refused"},
};

CAFE_OPTION_TABLE(grarep, "grarep",
                  "GraRep: singular vectors of the log transition matrices of several step counts",
                  grarep_options)

/* ---- A^k and Y^k ----------------------------------------------------------------------------- */

typedef struct grarep {
    const cafe_graph *graph;
    int64_t n;
    float *power, *next; /* A^k, A^(k+1) */
    float *y;            /* Y^k */
    double *degree, *tau;
    double *scratch; /* a row per worker */
    double squares;  /* |Y|^2 */
    const double *x; /* of a product: x -> z = Y^T x -> out = Y z */
    double *z, *out;
} grarep;

static void free_grarep(cafe_context *context, grarep *g) {
    void *all[] = {g->power, g->next, g->y, g->degree, g->tau, g->scratch, g->z};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) cafe_mem_free(context, all[i]);
}

static cafe_status new_grarep(cafe_context *context, const cafe_graph *graph, grarep *g) {
    int64_t n = graph->n;
    g->graph = graph;
    g->n = n;
    g->power = cafe_mem_zero(context, n * n, sizeof *g->power);
    g->next = cafe_mem(context, n * n, sizeof *g->next);
    g->y = cafe_mem(context, n * n, sizeof *g->y);
    g->degree = cafe_mem(context, n, sizeof *g->degree);
    g->tau = cafe_mem(context, n, sizeof *g->tau);
    g->scratch = cafe_mem(context, context->threads * n, sizeof *g->scratch);
    g->z = cafe_mem(context, n * WIDTH, sizeof *g->z);
    bool all = g->power && g->next && g->y && g->degree && g->tau && g->scratch;
    if (!all || !g->z) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) {
        g->degree[u] = cafe_row_sum(graph->offsets, graph->scaled, u);
        g->power[u * n + u] = 1; /* A^0 */
    }
    return CAFE_OK;
}

/* Row u of A^(k+1) = sum over w of a(u,w) / d_u times row w of A^k */
static void power_row(const grarep *g, int64_t u, double *row) {
    const cafe_graph *graph = g->graph;
    memset(row, 0, (size_t)g->n * sizeof *row);
    for (int64_t j = graph->offsets[u]; j < graph->offsets[u + 1]; j++) {
        const float *from = g->power + (int64_t)graph->targets[j] * g->n;
        double a = (graph->scaled ? graph->scaled[j] : 1) / g->degree[u];
        for (int64_t i = 0; i < g->n; i++) row[i] += a * from[i];
    }
    for (int64_t i = 0; i < g->n; i++) g->next[u * g->n + i] = (float)row[i];
}

static void power_block(void *argument, int64_t block, int32_t worker) {
    const grarep *g = argument;
    for (int64_t u = block * ROWS; u < cafe_block_end(g->n, ROWS, block); u++)
        power_row(g, u, g->scratch + worker * g->n);
}

/* tau_j = sum over i of A^k_ij, for a slice of columns */
static void tau_slice(void *argument, int64_t first, int64_t last) {
    const grarep *g = argument;
    int64_t from = first;
    for (int64_t j = from; j < last; j++) g->tau[j] = 0;
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t j = from; j < last; j++) g->tau[j] += g->power[i * g->n + j];
}

/* Y_ij = max(0, log(A^k_ij / tau_j) - log(1/N)) */
static void log_block(void *argument, int64_t first, int64_t last, double *sum) {
    const grarep *g = argument;
    double squares = 0; /* of its own: the others' sums are next to this one's */
    for (int64_t i = first; i < last; i++)
        for (int64_t j = 0; j < g->n; j++) {
            float a = g->power[i * g->n + j];
            double shifted = a > 0 ? log((double)g->n * a / g->tau[j]) : 0;
            float y = shifted > 0 ? (float)shifted : 0;
            g->y[i * g->n + j] = y;
            squares += (double)y * y;
        }
    *sum = squares;
}

/* A^k from A^(k-1), and Y^k of it. */
static cafe_status advance(cafe_context *context, grarep *g) {
    CAFE_PASS(cafe_parallel(context, cafe_blocks(g->n, ROWS), power_block, g));
    float *old = g->power;
    g->power = g->next, g->next = old;
    CAFE_PASS(cafe_ranges(context, g->n, SLICE, tau_slice, g));
    g->squares = 0;
    return cafe_sums(context, g->n, ROWS, log_block, g, 1, &g->squares);
}

/* ---- x -> Y Y^T x ---------------------------------------------------------------------------- */

/* z_j += y_ij x_i, eight vectors at a time */
static inline void add(double y, const double *restrict x, double *restrict z) {
    for (int k = 0; k < WIDTH; k++) z[k] += y * x[k];
}

static void transposed_slice(void *argument, int64_t first, int64_t last) {
    const grarep *g = argument;
    int64_t from = first;
    memset(g->z + from * WIDTH, 0, (size_t)((last - from) * WIDTH) * sizeof *g->z);
    for (int64_t i = 0; i < g->n; i++)
        for (int64_t j = from; j < last; j++)
            add(g->y[i * g->n + j], g->x + i * WIDTH, g->z + j * WIDTH);
}

static void plain_block(void *argument, int64_t first, int64_t last) {
    const grarep *g = argument;
    for (int64_t i = first; i < last; i++) {
        double sum[WIDTH] = {0};
        for (int64_t j = 0; j < g->n; j++) add(g->y[i * g->n + j], g->z + j * WIDTH, sum);
        memcpy(g->out + i * WIDTH, sum, sizeof sum);
    }
}

static cafe_status product(cafe_context *context, const void *argument, const double *x,
                           double *y) {
    grarep g = *(const grarep *)argument;
    g.x = x, g.out = y;
    CAFE_PASS(cafe_ranges(context, g.n, SLICE, transposed_slice, &g));
    return cafe_ranges(context, g.n, ROWS, plain_block, &g);
}

/* ---- the embedding --------------------------------------------------------------------------- */

/* Column j: u sqrt(sigma) */
static void put_column(cafe_solution *s, int64_t j, double sigma, const double *vector,
                       int64_t step) {
    double root = sqrt(sigma);
    for (int64_t u = 0; u < s->n; u++) s->h.x[u * s->stride + j] = (float)(root * vector[u * step]);
}

/* The columns first .. first + count of the embedding: of the Y that stands in g. */
static cafe_status decompose(cafe_context *context, grarep *g, int64_t first, int64_t count,
                             cafe_solution *s) {
    int64_t most = count < g->n ? count : g->n;
    cafe_eigen_problem problem = {g->n, product, cafe_want_size, g, most, .tolerance = tolerance};
    cafe_eigen found;
    double loss = g->squares;
    CAFE_PASS(cafe_eigen_solve(context, &problem, &found));
    for (int64_t j = 0; j < found.count; j++) {
        double square = found.values[j] > tolerance * found.values[0] ? found.values[j] : 0;
        put_column(s, first + j, sqrt(square), found.vectors + j, found.count);
        loss -= square;
    }
    s->objective[0] += fmax(loss, 0);
    s->converged = s->converged && found.converged == found.count;
    cafe_eigen_free(context, &found);
    return CAFE_OK;
}

/* Row u of every Y^k of a node without edges is zero; rounding left near zeros in U. */
static void clear_isolated(const cafe_graph *graph, cafe_solution *s) {
    for (int64_t u = 0; u < s->n; u++)
        if (graph->offsets[u] == graph->offsets[u + 1])
            memset(s->h.x + u * s->stride, 0, (size_t)s->stride * sizeof *s->h.x);
}

static double dense_bytes(int64_t nodes) {
    return 3.0 * (double)nodes * (double)nodes * sizeof(float);
}

static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_grarep_options *o = own;
    int64_t nodes = counts->nodes;
    int64_t count = (o->columns + o->steps - 1) / o->steps;
    if (count > nodes) count = nodes;
    return dense_bytes(nodes) + (double)cafe_eigen_bytes(nodes, count, threads);
}

static cafe_status check(cafe_context *context, const cafe_graph *graph,
                         const cafe_grarep_options *o) {
    double bytes = dense_bytes(graph->n);
    if (o->columns < o->steps)
        return cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            CAFE_OPT("columns") " is %lld: expected at least one for each of %lld steps",
            (long long)o->columns, (long long)o->steps);
    if (bytes > (double)o->memory * 1048576)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "GraRep is dense: %lld nodes take %.0f bytes, and " CAFE_OPT("matrix-limit") " allows "
                         "%lld MiB",
                         (long long)graph->n, bytes, (long long)o->memory);
    return CAFE_OK;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    const cafe_graph *graph = job->model->graph;
    const cafe_grarep_options *o = job->own;
    cafe_status status = CAFE_OK;
    cafe_solution *s = NULL;
    grarep g = {0};
    CAFE_TRY(check(context, graph, o));
    CAFE_TRY(new_grarep(context, graph, &g));
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o->columns, 0, &s));
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    s->converged = 1;
    for (int64_t k = 0, first = 0; k < o->steps; k++) {
        /* columns that the steps do not divide go to the first ones */
        int64_t count = o->columns / o->steps + (k < o->columns % o->steps);
        cafe_phase(context, "power", o->steps);
        cafe_step(context, k, 0);
        CAFE_TRY(advance(context, &g));
        cafe_phase(context, "eigen", 0);
        CAFE_TRY(decompose(context, &g, first, count, s));
        first += count;
    }
    clear_isolated(graph, s);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    free_grarep(context, &g);
    cafe_solution_free(s);
    return status;
}

static const cafe_method_code grarep_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_grarep_method = {
    .name = "grarep",
    .title = "GraRep",
    .summary = "singular vectors of the log transition matrices of several step counts",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_grarep_option_table,
    .code = &grarep_code,
};
