/* Dimensionality reduction from end to end: centre, solve, QR(QH), certificate, comparison with
 * PCA.
 *
 *     W = X^T H,   Q H = X W,   V = QR(Q H)
 *
 * Q has rank L at most, and softmax loses one more (rows of H sum to 1 and Q 1 = 0): columns beyond
 * that are left out, or with keep_empty completed by arbitrary orthonormal ones.
 */
#include "spectral/reduce.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "engine/dense.h"
#include "solve/reduce.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option reduce_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_reduce_options, columns), 8, 1, 65536, NULL,
     "columns to begin with; the vectors have as many of them as carry information"},
    {"method", "NAME", CAFE_OPTION_CHOICE, offsetof(cafe_reduce_options, method),
     CAFE_REDUCE_SOFTMAX, 0, 0, "softmax|sphere",
     "the solver: columns as clusters, or rows of length 1"},
    {"theta", "T", CAFE_OPTION_REAL, offsetof(cafe_reduce_options, theta), 0, 0, INFINITY, NULL,
     "inverse temperature of softmax, in units of 1 / (squared units of the table); 0 is 4 K over "
     "the table's sum of squares"},
    {"beta", "B", CAFE_OPTION_REAL, offsetof(cafe_reduce_options, beta), 1, 1e-6, 1, NULL,
     "influence of the others in sphere; below 1 a row keeps a part of its old direction"},
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_reduce_options, sweeps), 30, 0, 1e9, NULL,
     "passes over the rows at most"},
    {"tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_reduce_options, tolerance), 0, 0, 1, NULL,
     "stop when a sweep gains less than this share of the objective; 0 does all sweeps"},
    {"order", "NAME", CAFE_OPTION_CHOICE, offsetof(cafe_reduce_options, order), CAFE_ORDER_AUTO, 0,
     0, "auto|sequential|chunks",
     "one row after the other (the paper's algorithm), or chunks of rows at once, by all threads; "
     "auto is sequential up to 4096 rows"},
    {"chunks", "B", CAFE_OPTION_INTEGER, offsetof(cafe_reduce_options, chunks), 0, 0, 2147483647,
     NULL, "groups of rows that move together; 0 is 64, 1 moves all rows at once"},
    /* the last one: the tool has it as a flag of its own */
    {"keep-empty", NULL, CAFE_OPTION_SWITCH, offsetof(cafe_reduce_options, keep_empty), 0, 0, 1,
     NULL, "return all K columns; those without information are completed arbitrarily"},
};

CAFE_OPTION_TABLE(reduce, "reduce", "dimensionality reduction of a table through W = X^T H",
                  reduce_options)

/* ---- H and W --------------------------------------------------------------------------------- */

typedef struct finishing {
    const cafe_centred *table;
    const cafe_reduce_options *options;
    cafe_reduction *reduction;
    double *sums;  /* X^T times a block: L x stride, in the centred table's units */
    float *single; /* the same as floats */
} finishing;

/* Moves the columns of H that some row has more than 0 of to the front. */
static void drop_empty(cafe_solution *s, const double *masses) {
    int64_t held = 0;
    for (int64_t k = 0; k < s->columns; k++) held += masses[k] > 0;
    for (int64_t u = 0; u < s->n; u++) {
        float *row = s->h.x + u * s->stride;
        int64_t to = 0;
        for (int64_t k = 0; k < s->columns; k++)
            if (masses[k] > 0) row[to++] = row[k];
        for (; to < s->columns; to++) row[to] = 0;
    }
    s->columns = s->h.columns = held;
}

static void find_masses(const cafe_solution *s, double *masses) {
    memset(masses, 0, (size_t)s->columns * sizeof *masses);
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t k = 0; k < s->columns; k++) masses[k] += s->h.x[u * s->stride + k];
}

/* Columns that are the largest of some row. */
static cafe_status count_clusters(cafe_context *context, const cafe_solution *s, int64_t *count) {
    uint8_t *used = cafe_mem_zero(context, s->columns, 1);
    if (!used) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < s->n; u++) {
        const float *row = s->h.x + u * s->stride;
        int64_t best = 0;
        for (int64_t k = 1; k < s->columns; k++)
            if (row[k] > row[best]) best = k;
        used[best] = 1;
    }
    *count = 0;
    for (int64_t k = 0; k < s->columns; k++) *count += used[k];
    cafe_mem_free(context, used);
    return CAFE_OK;
}

/* W in the table's units, and tr(H^T Q H) = ||W||^2. */
static cafe_status keep_w(cafe_context *context, finishing *f) {
    cafe_reduction *r = f->reduction;
    const cafe_solution *s = r->solution;
    double scale = f->table->scale;
    r->w = cafe_mem(context, f->table->width * s->columns, sizeof *r->w);
    if (!r->w) return CAFE_ERROR_MEMORY;
    r->report.trace = 0;
    for (int64_t i = 0; i < f->table->width; i++)
        for (int64_t k = 0; k < s->columns; k++) {
            double w = scale * f->sums[i * s->stride + k];
            r->w[i * s->columns + k] = w;
            r->report.trace += w * w;
        }
    return CAFE_OK;
}

static cafe_status settle_h(cafe_context *context, finishing *f) {
    cafe_reduction *r = f->reduction;
    cafe_solution *s = r->solution;
    cafe_status status = CAFE_OK;
    bool softmax = f->options->method == CAFE_REDUCE_SOFTMAX;
    r->masses = cafe_mem(context, s->columns, sizeof *r->masses);
    if (!r->masses) return CAFE_ERROR_MEMORY;
    find_masses(s, r->masses);
    if (softmax && !f->options->keep_empty) drop_empty(s, r->masses);
    find_masses(s, r->masses);
    CAFE_TRY(count_clusters(context, s, &r->report.clusters));
    CAFE_TRY(cafe_centred_sums(context, f->table, s->stride, s->h.x, f->sums));
    CAFE_TRY(keep_w(context, f));
done:
    return status;
}

/* ---- the vectors ----------------------------------------------------------------------------- */

/* W's columns to length 1, so that a column that has nearly died still has its direction; floor_j
 * is the part of X W_j that rounding of H may have made: H's entries are right to about 1e-7. */
static cafe_status scale_columns(cafe_context *context, finishing *f, double *floor) {
    const double noise = 1e-6;
    const cafe_solution *s = f->reduction->solution;
    cafe_block h = cafe_block_rows(s->n, s->stride, s->columns, s->h.x);
    double *roots = cafe_mem(context, s->n, sizeof *roots);
    if (!roots) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < s->n; u++) roots[u] = sqrt((double)f->table->norms[u]);
    cafe_status status = cafe_ops(&h)->norms(context, &h, roots, floor);
    cafe_mem_free(context, roots);
    memset(f->single, 0, (size_t)(f->table->width * s->stride) * sizeof *f->single);
    for (int64_t k = 0; k < s->columns && status == CAFE_OK; k++) {
        double square = 0;
        for (int64_t i = 0; i < f->table->width; i++)
            square += f->sums[i * s->stride + k] * f->sums[i * s->stride + k];
        double inverse = square > 0 ? 1 / sqrt(square) : 0;
        floor[k] *= noise * sqrt(f->table->total) * inverse;
        for (int64_t i = 0; i < f->table->width; i++)
            f->single[i * s->stride + k] = (float)(f->sums[i * s->stride + k] * inverse);
    }
    return status;
}

/* Random columns up to K (n at most), and all of them orthonormal again: the first ones are already
 * and stay as they are. */
static cafe_status complete(cafe_context *context, finishing *f) {
    cafe_reduction *r = f->reduction;
    cafe_block *v = &r->vectors;
    int64_t most = f->options->columns < v->n ? f->options->columns : v->n, missing;
    cafe_status status = CAFE_OK;
    for (int round = 0; round < 4 && (missing = most - v->columns) > 0; round++) {
        for (int64_t u = 0; u < v->n; u++)
            for (int64_t j = 0; j < missing; j++) {
                uint64_t index = (uint64_t)((u * most + j) * 4 + round);
                cafe_random4 x = cafe_philox(context->seed, CAFE_STREAM_GUARD, index);
                v->x[u * v->stride + v->columns + j] = (float)(cafe_uniform_open(x.v[0]) - 0.5);
            }
        v->columns = most;
        CAFE_TRY(cafe_tall_orthonormalise(context, v, NULL, NULL, &r->report.orthogonality));
    }
done:
    return status;
}

/* V = QR(X W), columns in the order of H's. */
static cafe_status find_vectors(cafe_context *context, finishing *f) {
    cafe_reduction *r = f->reduction;
    const cafe_solution *s = r->solution;
    cafe_status status = CAFE_ERROR_MEMORY;
    double *floor = cafe_mem(context, s->columns, sizeof *floor);
    r->vectors = cafe_block_rows(s->n, s->stride, s->columns, NULL);
    r->vectors.x = cafe_mem(context, s->n * s->stride, sizeof(float));
    if (!floor || !r->vectors.x) goto done;
    cafe_phase(context, "qr", 0);
    CAFE_TRY(scale_columns(context, f, floor));
    CAFE_TRY(cafe_centred_product(context, f->table, s->stride, f->single, r->vectors.x));
    CAFE_TRY(cafe_tall_orthonormalise(context, &r->vectors, NULL, floor, &r->report.orthogonality));
    r->report.rank = r->vectors.columns;
    if (f->options->keep_empty) CAFE_TRY(complete(context, f));
done:
    cafe_mem_free(context, floor);
    return status;
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* Ritz pairs of Q on the span of V from Q V = X (X^T V); f->sums holds X^T V. */
static cafe_status certify(cafe_context *context, finishing *f) {
    cafe_reduction *r = f->reduction;
    const cafe_block *v = &r->vectors;
    double square = f->table->scale * f->table->scale;
    cafe_block product = cafe_block_rows(v->n, v->stride, v->columns, NULL);
    cafe_status status = CAFE_ERROR_MEMORY;
    product.x = cafe_mem(context, v->n * v->stride, sizeof(float));
    r->shares = cafe_mem_zero(context, v->columns, sizeof *r->shares);
    if (!product.x || !r->shares) goto done;
    cafe_phase(context, "ritz", 0);
    for (int64_t i = 0; i < f->table->width * v->stride; i++) f->single[i] = (float)f->sums[i];
    CAFE_TRY(cafe_centred_product(context, f->table, v->stride, f->single, product.x));
    CAFE_TRY(cafe_ritz_new(context, v->columns, &r->ritz));
    CAFE_TRY(cafe_ritz_solve(context, v, &product, NULL, &r->ritz));
    for (int64_t j = 0; j < v->columns; j++) {
        r->ritz.values[j] *= square;
        r->ritz.residuals[j] *= square;
        r->ritz.column_values[j] *= square;
        r->ritz.column_residuals[j] *= square;
        r->shares[j] = r->ritz.values[j] > 0 ? r->ritz.values[j] / r->report.variance : 0;
    }
done:
    cafe_mem_free(context, product.x);
    return status;
}

static cafe_status compare(cafe_context *context, finishing *f) {
    cafe_reduction *r = f->reduction;
    cafe_principal principal = {0};
    cafe_status status = CAFE_OK;
    double square = f->table->scale * f->table->scale;
    if (f->table->width > CAFE_MOST_WIDTH) return CAFE_OK;
    CAFE_TRY(cafe_principal_find(context, f->table, f->options->columns, &principal));
    r->projections = cafe_mem(context, r->vectors.columns, sizeof *r->projections);
    r->eigenvalues = cafe_mem(context, principal.pairs, sizeof *r->eigenvalues);
    if (!r->projections || !r->eigenvalues) {
        status = CAFE_ERROR_MEMORY;
        goto done;
    }
    CAFE_TRY(cafe_principal_project(context, f->table, &principal, &r->vectors, f->sums,
                                    r->projections));
    r->report.eigenpairs = principal.pairs;
    for (int64_t l = 0; l < principal.pairs; l++) r->eigenvalues[l] = square * principal.values[l];
done:
    cafe_principal_free(context, &principal);
    return status;
}

/* ---- from end to end ------------------------------------------------------------------------- */

static cafe_status finish(cafe_context *context, finishing *f) {
    const cafe_solution *s = f->reduction->solution;
    int64_t size = f->table->width * s->stride;
    cafe_status status = CAFE_ERROR_MEMORY;
    f->sums = cafe_mem(context, size, sizeof *f->sums);
    f->single = cafe_mem(context, size, sizeof *f->single);
    if (!f->sums || !f->single) goto done;
    CAFE_TRY(settle_h(context, f));
    CAFE_TRY(find_vectors(context, f));
    CAFE_TRY(cafe_centred_sums(context, f->table, s->stride, f->reduction->vectors.x, f->sums));
    CAFE_TRY(certify(context, f));
    CAFE_TRY(compare(context, f));
done:
    cafe_mem_free(context, f->sums);
    cafe_mem_free(context, f->single);
    return status;
}

static void fill_report(cafe_reduction *r, const cafe_centred *t, const cafe_reduce_plan *plan,
                        const cafe_reduce_options *o) {
    cafe_reduction_report *p = &r->report;
    double square = t->scale * t->scale;
    cafe_solution *s = r->solution;
    for (int64_t i = 0; i <= s->sweeps; i++) s->objective[i] *= square;
    p->rows = t->n;
    p->width = t->width;
    p->asked = o->columns;
    p->held = s->columns;
    p->columns = r->vectors.columns;
    p->chunks = plan->chunks;
    p->theta = o->method == CAFE_REDUCE_SOFTMAX ? plan->theta / square : 0;
    p->sweeps = s->sweeps;
    p->converged = s->converged;
    p->objective = s->objective;
    p->means = r->means;
    p->w = r->w;
    p->masses = r->masses;
    p->ritz_values = r->ritz.values;
    p->residuals = r->ritz.residuals;
    p->shares = r->shares;
    p->column_values = r->ritz.column_values;
    p->column_residuals = r->ritz.column_residuals;
    p->projections = r->projections;
    p->eigenvalues = r->eigenvalues;
}

static cafe_status reduce(cafe_context *context, cafe_centred *table, const cafe_reduce_options *o,
                          cafe_reduction *r) {
    cafe_status status = CAFE_OK;
    cafe_reduce_plan plan;
    finishing f = {.table = table, .options = o, .reduction = r};
    r->report.variance = table->total * table->scale * table->scale;
    CAFE_TRY(cafe_reduce_plan_make(context, table, o, &plan));
    CAFE_TRY(cafe_reduce_solve(context, table, o, &plan, &r->solution));
    CAFE_TRY(finish(context, &f));
    r->means = table->means;
    table->means = NULL;
    fill_report(r, table, &plan, o);
done:
    return status;
}

cafe_status cafe_reduce(cafe_context *context, int64_t rows, int64_t width, const float *x,
                        const cafe_reduce_options *options, cafe_reduction **reduction) {
    cafe_status status = CAFE_OK;
    cafe_centred *table = NULL;
    cafe_reduction *r = NULL;
    cafe_reduce_options o;
    int blas_threads = cafe_blas_single();
    *reduction = NULL;
    CAFE_TRY(cafe_options_take(context, &reduce_table, options, &o));
    CAFE_TRY(cafe_centred_new(context, rows, width, x, &table));
    r = cafe_mem_zero(context, 1, sizeof *r);
    if (!r) {
        status = CAFE_ERROR_MEMORY;
        goto done;
    }
    r->context = context;
    CAFE_TRY(reduce(context, table, &o, r));
    *reduction = r;
    r = NULL;
done:
    cafe_blas_restore(blas_threads);
    cafe_centred_free(table);
    cafe_reduction_free(r);
    cafe_phase(context, "", 0);
    return status;
}

void cafe_reduction_free(cafe_reduction *r) {
    if (!r) return;
    cafe_solution_free(r->solution);
    cafe_ritz_free(r->context, &r->ritz);
    double *arrays[] = {r->means, r->w, r->masses, r->shares, r->projections, r->eigenvalues};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        cafe_mem_free(r->context, arrays[i]);
    cafe_mem_free(r->context, r->vectors.x);
    cafe_mem_free(r->context, r);
}

const cafe_reduction_report *cafe_reduction_get(const cafe_reduction *reduction) {
    return &reduction->report;
}

void cafe_reduction_copy(const cafe_reduction *reduction, float *vectors) {
    const cafe_block *v = &reduction->vectors;
    for (int64_t u = 0; u < v->n; u++)
        memcpy(vectors + u * v->columns, v->x + u * v->stride, (size_t)v->columns * sizeof(float));
}

void cafe_reduction_copy_h(const cafe_reduction *reduction, float *h) {
    cafe_solution_copy(reduction->solution, h);
}
