/* NetMF (Qiu, Dong, Ma, Li, Wang, Tang: Network embedding as matrix factorization, WSDM 2018): the
 * matrix that DeepWalk with negative sampling factorises in the limit, formed and factorised.
 *
 *     M = vol / (b T) sum over r = 1 .. T of (D^-1 A)^r D^-1,     vol = sum of the degrees
 *     S = log(max(1, M)) ~ U Sigma U^T,                           the embedding is U sqrt(Sigma)
 *
 * The pairs of walks of 1 to T steps (sample/walk.h) have B = (1/T) sum over r of D (D^-1 A)^r, so
 *
 *     M = vol / b D^-1 B D^-1 .
 *
 * exact   B by rows, and S as a dense matrix: its memory is checked first. S is symmetric, so
 *         singular values are eigenvalues but for their signs.
 * drawn   (Qiu et al.: NetSMF, WWW 2019) N walks from nodes drawn by degree; their ends are pairs
 *         with the probabilities B / vol, so counts give an unbiased M, which is sparse. NetSMF
 *         draws an edge and goes on from both of its ends: the same distribution, since walks that
 *         begin by degree pass every edge alike. The decomposition is randomised, as there.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "method/method.h"
#include "sample/walk.h"
#include "spectral/eigen.h"
#include "spectral/randomized_svd.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    ROWS = 64,
    STEPS = 5,          /* of the randomised decomposition */
    PAIR_BYTES = 40,    /* of a drawn pair while rows are built, and of its two entries then */
    PAIRS_A_STEP = 1000 /* to draw for each edge and step of the window, unless told */
};
static const double tolerance = 1e-8;

/* ---- options --------------------------------------------------------------------------------- */

typedef struct cafe_netmf_options {
    size_t struct_size;
    int64_t columns;
    int64_t window;   /* T */
    int64_t negative; /* b */
    int64_t memory;   /* MiB of the matrix */
    int64_t samples;  /* N; 0: exact where it fits */
} cafe_netmf_options;

static const cafe_option netmf_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_netmf_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"window", "T", CAFE_OPTION_INTEGER, offsetof(cafe_netmf_options, window), 10, 1, 1000, NULL,
     "most steps of a walk between the two nodes of a pair"},
    {"negative", "B", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_netmf_options, negative), 1, 1, 1000, NULL,
     "drawn contexts for each pair of the method it is the limit of"},
    {"matrix-limit", "MIB", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_netmf_options, memory), 8192, 1, 1e9, NULL,
     "mebibytes that the matrix may take, dense or drawn"},
    {"samples", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_netmf_options, samples),
     0, 0, 1e12, NULL,
     "draw the matrix by this many walks; 0 computes it if matrix-limit allows a dense one, else "
     "draws 1,000 walks for each edge and step, or as many as fit"},
};

static const cafe_option_table netmf_table = {
    "netmf", "NetMF: the matrix behind DeepWalk, computed or drawn, and factorised",
    sizeof(cafe_netmf_options), netmf_options, sizeof netmf_options / sizeof *netmf_options};

static const cafe_option_table *option_table(void) {
    return &netmf_table;
}

/* ---- exact or drawn -------------------------------------------------------------------------- */

static double dense_bytes(int64_t nodes) {
    return (double)nodes * (double)nodes * sizeof(float);
}

static double limit(const cafe_netmf_options *o) {
    return (double)o->memory * 1048576;
}

/* Walks to draw; 0: the matrix is dense. */
static int64_t walks(const cafe_netmf_options *o, int64_t nodes, int64_t arcs) {
    if (o->samples > 0) return o->samples;
    if (dense_bytes(nodes) <= limit(o)) return 0;
    double wanted = PAIRS_A_STEP * (double)o->window * (double)arcs / 2;
    return (int64_t)fmin(wanted, floor(limit(o) / PAIR_BYTES));
}

static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_netmf_options *o = own;
    int64_t n = counts->nodes, count = o->columns < n ? o->columns : n;
    int64_t drawn = walks(o, n, 2 * counts->edges);
    if (drawn > 0) return PAIR_BYTES * (double)drawn + cafe_sketch_bytes(n, count);
    double rows = 2.0 * (double)(n * CAFE_WALK_WIDE * threads) * sizeof(double);
    return dense_bytes(n) + fmax(rows, (double)cafe_eigen_bytes(n, count, threads));
}

static cafe_status check(cafe_context *context, const cafe_netmf_options *o, int64_t drawn) {
    double bytes = PAIR_BYTES * (double)drawn;
    if (bytes <= limit(o)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "%lld walks take %.0f bytes, and matrix-limit allows %lld MiB",
                     (long long)drawn, bytes, (long long)o->memory);
}

/* ---- walks ----------------------------------------------------------------------------------- */

typedef struct netmf {
    cafe_walk walk;
    int64_t n;
    double volume, factor; /* vol; vol / b */
    double *squares;       /* |S|^2 by blocks of rows */
    /* exact */
    float *s;
    double *z; /* 2 n CAFE_WALK_WIDE numbers a worker */
    /* drawn */
    cafe_graph *pairs;
    cafe_rows rows; /* S */
    /* of a product */
    const double *x;
    double *y;
} netmf;

static void degree_block(void *argument, int64_t first, int64_t last) {
    const netmf *m = argument;
    for (int64_t u = first; u < last; u++)
        m->walk.degree[u] = cafe_row_sum(m->walk.graph->offsets, m->walk.graph->scaled, u);
}

static cafe_status new_netmf(cafe_context *context, const cafe_graph *graph,
                             const cafe_netmf_options *o, int64_t drawn, netmf *m) {
    m->n = graph->n;
    m->walk = (cafe_walk){.context = context,
                          .graph = graph,
                          .starts = graph->n,
                          .steps = o->window,
                          .damping = -1,
                          .samples = drawn};
    m->walk.degree = cafe_mem(context, graph->n, sizeof *m->walk.degree);
    m->walk.share = cafe_mem(context, o->window, sizeof *m->walk.share);
    m->squares = cafe_mem_zero(context, cafe_blocks(graph->n, ROWS), sizeof *m->squares);
    CAFE_PASS(cafe_mem_had(m->walk.degree, m->walk.share, m->squares));
    for (int64_t t = 0; t < o->window; t++) m->walk.share[t] = 1 / (double)o->window;
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, degree_block, m));
    for (int64_t u = 0; u < graph->n; u++) m->volume += m->walk.degree[u];
    m->factor = m->volume / (double)o->negative;
    return CAFE_OK;
}

static void free_netmf(cafe_context *context, netmf *m) {
    cafe_graph_free(m->pairs);
    cafe_rows_free(context, &m->rows);
    cafe_mem_free_all(context, m->walk.degree, m->walk.share, m->squares, m->s, m->z);
}

/* log(max(1, vol / b b(u,w) / (d_u d_w))) */
static float entry(const netmf *m, int64_t u, int64_t w, double b) {
    double value = m->factor * b / m->walk.degree[u] / m->walk.degree[w];
    return value > 1 ? (float)log(value) : 0;
}

/* |S|^2, from which the squared singular values found are taken. */
static void put_squares(cafe_solution *s, const netmf *m) {
    for (int64_t b = 0; b < cafe_blocks(m->n, ROWS); b++) s->objective[0] += m->squares[b];
}

/* ---- exact ----------------------------------------------------------------------------------- */

/* Rows u of B for nodes WIDE at a time, up to the diagonal; each entry of S is written twice, so
 * that S is symmetric to the bit. */
static void dense_rows(void *argument, int64_t task, int32_t worker) {
    const netmf *m = argument;
    int32_t u[CAFE_WALK_WIDE] = {0};
    int64_t n = m->n, size = n * CAFE_WALK_WIDE, first = task * CAFE_WALK_WIDE;
    int64_t count = n - first < CAFE_WALK_WIDE ? n - first : CAFE_WALK_WIDE;
    double *z = m->z + 2 * worker * size;
    for (int64_t i = 0; i < count; i++) u[i] = (int32_t)(first + i);
    const double *b = cafe_walk_dense(&m->walk, u, count, z, z + size);
    for (int64_t i = 0; i < count; i++)
        for (int64_t w = 0; w <= u[i]; w++) {
            double value = b[w * CAFE_WALK_WIDE + i];
            m->s[u[i] * n + w] = m->s[w * n + u[i]] = value > 0 ? entry(m, u[i], w, value) : 0;
        }
}

static void square_block(void *argument, int64_t first, int64_t last) {
    const netmf *m = argument;
    double sum = 0;
    for (int64_t i = first * m->n; i < last * m->n; i++) sum += (double)m->s[i] * m->s[i];
    m->squares[first / ROWS] = sum;
}

static cafe_status fill(cafe_context *context, netmf *m) {
    int64_t size = m->n * CAFE_WALK_WIDE;
    m->s = cafe_mem(context, m->n * m->n, sizeof *m->s);
    m->z = cafe_mem(context, 2 * context->threads * size, sizeof *m->z);
    CAFE_PASS(cafe_mem_had(m->s, m->z));
    cafe_phase(context, "rows", 0);
    CAFE_PASS(cafe_parallel(context, cafe_blocks(m->n, CAFE_WALK_WIDE), dense_rows, m));
    cafe_mem_free(context, m->z);
    m->z = NULL;
    return cafe_ranges(context, m->n, ROWS, square_block, m);
}

static void product_block(void *argument, int64_t first, int64_t last) {
    const netmf *m = argument;
    for (int64_t u = first; u < last; u++) {
        const float *row = m->s + u * m->n;
        double sum[WIDTH] = {0};
        for (int64_t w = 0; w < m->n; w++)
            for (int k = 0; k < WIDTH; k++) sum[k] += row[w] * m->x[w * WIDTH + k];
        memcpy(m->y + u * WIDTH, sum, sizeof sum);
    }
}

static cafe_status product(cafe_context *context, const void *argument, const double *x,
                           double *y) {
    netmf m = *(const netmf *)argument;
    m.x = x, m.y = y;
    return cafe_ranges(context, m.n, ROWS, product_block, &m);
}

/* Column j: u sqrt(sigma); sigma within rounding of 0 leaves it zero. The loss is what the factors
 * leave of S, in the Frobenius norm squared. */
static void put_columns(cafe_solution *s, const netmf *m, const cafe_eigen *found) {
    for (int64_t j = 0; j < found->count; j++) {
        double sigma = fabs(found->values[j]);
        if (!(sigma > tolerance * fabs(found->values[0]))) continue;
        for (int64_t u = 0; u < s->n; u++)
            if (m->walk.degree[u] > 0)
                s->h.x[u * s->stride + j] =
                    (float)(sqrt(sigma) * found->vectors[u * found->count + j]);
        s->objective[0] -= sigma * sigma;
    }
    s->converged = found->converged == found->count;
}

static cafe_status solve_exact(cafe_context *context, int64_t columns, netmf *m, cafe_solution *s) {
    cafe_status status = CAFE_OK;
    cafe_eigen found = {0};
    cafe_eigen_problem problem = {m->n, product, cafe_want_size,
                                  m,    columns, .tolerance = tolerance};
    CAFE_TRY(fill(context, m));
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(cafe_eigen_solve(context, &problem, &found));
    put_squares(s, m);
    put_columns(s, m, &found);
done:
    cafe_eigen_free(context, &found);
    return status;
}

/* ---- drawn ----------------------------------------------------------------------------------- */

/* b(u,w) = vol times the share of the pairs that are (u,w) or (w,u), halved: a(u,w) / 2N. Entries
 * that are 0 are left out. */
static void drawn_rows(void *argument, int64_t task, int32_t worker) {
    netmf *m = argument;
    const cafe_graph *g = m->pairs;
    double squares = 0, share = m->volume / (2 * (double)m->walk.samples);
    (void)worker;
    for (int64_t u = task * ROWS; u < cafe_block_end(m->n, ROWS, task); u++) {
        int64_t at = cafe_row_begin(&m->rows, u);
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            float s = entry(m, u, g->targets[j], share * (g->weights ? g->weights[j] : 1));
            if (s > 0) cafe_row_put(&m->rows, &at, g->targets[j], s);
            squares += (double)s * s;
        }
        cafe_row_end(&m->rows, u, at);
    }
    m->squares[task] = squares;
}

static cafe_status solve_drawn(cafe_context *context, int64_t columns, netmf *m, cafe_solution *s) {
    cafe_status status = CAFE_OK;
    cafe_sketch_options sketch = {columns, STEPS, CAFE_STREAM_NETMF};
    cafe_block x = {0};
    cafe_part all = {0, m->n, 0, 0};
    double *values = cafe_mem(context, columns, sizeof *values);
    CAFE_TRY(cafe_mem_had(values));
    cafe_phase(context, "walks", 0);
    CAFE_TRY(cafe_walk_draw(context, &m->walk, &m->pairs));
    CAFE_TRY(cafe_rows_make(context, m->n, ROWS, drawn_rows, m, &m->rows));
    cafe_graph_free(m->pairs);
    m->pairs = NULL;
    cafe_sparse rows = {m->n, m->rows.offsets, m->rows.targets, m->rows.weights, m->rows.weights};
    CAFE_TRY(cafe_sketch(context, &rows, &sketch, &x, values));
    all.columns = x.columns;
    CAFE_TRY(cafe_ops(&s->h)->copy_in(context, &s->h, all, x.x, x.stride));
    put_squares(s, m);
    for (int64_t j = 0; j < columns; j++) s->objective[0] -= values[j] * values[j];
    s->converged = true;
    cafe_solution_find(s, "drawn_walks", (double)m->walk.samples);
done:
    cafe_block_drop(context, &x);
    cafe_mem_free(context, values);
    return status;
}

/* ---- the method ------------------------------------------------------------------------------ */

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_netmf_options *o = job->own;
    netmf m = {0};
    cafe_solution *s = NULL;
    int64_t drawn = walks(o, graph->n, graph->arcs);
    CAFE_TRY(check(context, o, drawn));
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o->columns, 0, &s));
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    CAFE_TRY(new_netmf(context, graph, o, drawn, &m));
    s->converged = true;
    if (graph->arcs > 0) /* else there are no walks, and all rows are 0 */
        CAFE_TRY((drawn > 0 ? solve_drawn : solve_exact)(context, o->columns, &m, s));
    s->objective[0] = fmax(s->objective[0], 0);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    free_netmf(context, &m);
    cafe_solution_free(s);
    return status;
}

static const cafe_method_code netmf_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_netmf_method = {
    .name = "netmf",
    .title = "NetMF",
    .summary = "the matrix behind DeepWalk, computed or drawn, and factorised",
    .form = CAFE_FORM_RAW,
    .vectors = option_table,
    .code = &netmf_code,
};
