/* Principal directions of a table of features: randomised subspace iteration (Halko, Martinsson,
 * Tropp: Finding structure with randomness, SIAM Review 53, 2011) with sparse products.
 *
 *     X = R (T C) - 1 m^T         T the table; C, R scales of its columns and rows; m column means
 *     V <- X^T X V, orthonormal, STEPS times;   X V = U,   U^T U = E diag(values) E^T
 *     x = U E
 *
 * X is never formed: U <- T' V less the column means of T' V, and X^T U = T'^T U, because columns
 * of a centred U sum to 0. T' = R T C is stored by rows and by columns, so both products gather
 * rows.
 *
 * With a graph the same is done for P X, P the average over the neighbours (neighbour_average.h).
 * Directions of weak features that neighbours share may be far behind in X itself.
 *
 * Scales: a table is words if it has no negative number and at most half of its numbers are not 0.
 * Column j is then multiplied by 1 + log((1 + n) / (1 + n_j)), n_j the nodes that have it, and rows
 * are divided by their length. Columns of other tables are divided by their standard deviation.
 */
#include "spectral/feature_directions.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "engine/dense.h"
#include "spectral/neighbour_average.h"
#include "spectral/orthonormal.h"

enum { EXTRA = 16, STEPS = 3, ROWS = 256 };
static const double least_square = 1e-10; /* of the largest: rounding of a float block */

/* T' by rows and by columns. */
typedef struct scaled {
    cafe_context *context;
    int64_t n, width, entries;
    int64_t *rows, *columns; /* offsets */
    int32_t *row_targets, *column_targets;
    float *row_values, *column_values;
    const cafe_averaging *average; /* P; NULL: none */
} scaled;

/* ---- the table in compressed rows ------------------------------------------------------------ */

static cafe_status refuse_entry(cafe_context *context, int64_t u, int64_t j) {
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "the features are not finite in row %lld, column %lld", (long long)u,
                     (long long)j);
}

static cafe_status check_offsets(cafe_context *context, int64_t n, const cafe_feature_inputs *t) {
    bool ascend = t->offsets[0] == 0;
    for (int64_t u = 0; u < n && ascend; u++) ascend = t->offsets[u + 1] >= t->offsets[u];
    if (ascend) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the rows of the features do not ascend from 0");
}

/* Copies the entries of row u that are not 0 behind the others; counts them without arrays. */
static cafe_status take_row(scaled *s, const cafe_feature_inputs *t, int64_t u, bool write) {
    int64_t first = t->offsets ? t->offsets[u] : u * t->columns;
    int64_t last = t->offsets ? t->offsets[u + 1] : first + t->columns;
    for (int64_t i = first; i < last; i++) {
        int64_t j = t->offsets ? t->indices[i] : i - first;
        if (j < 0 || j >= t->columns)
            return cafe_fail(s->context, CAFE_ERROR_ARGUMENT,
                             "the features have a column %lld in row %lld, of %lld", (long long)j,
                             (long long)u, (long long)t->columns);
        if (!isfinite(t->values[i])) return refuse_entry(s->context, u, j);
        if (t->values[i] == 0) continue;
        if (write) s->row_targets[s->entries] = (int32_t)j;
        if (write) s->row_values[s->entries] = t->values[i];
        s->entries++;
    }
    return CAFE_OK;
}

static cafe_status compress(scaled *s, const cafe_feature_inputs *t) {
    cafe_context *context = s->context;
    if (t->offsets) CAFE_PASS(check_offsets(context, s->n, t));
    s->rows = cafe_mem(context, s->n + 1, sizeof *s->rows);
    CAFE_PASS(cafe_mem_had(s->rows));
    for (int64_t u = 0; u < s->n; u++) CAFE_PASS(take_row(s, t, u, false));
    s->row_targets = cafe_mem(context, s->entries, sizeof *s->row_targets);
    s->row_values = cafe_mem(context, s->entries, sizeof *s->row_values);
    CAFE_PASS(cafe_mem_had(s->row_targets, s->row_values));
    s->entries = 0;
    for (int64_t u = 0; u < s->n; u++) {
        s->rows[u] = s->entries;
        CAFE_PASS(take_row(s, t, u, true));
    }
    s->rows[s->n] = s->entries;
    return CAFE_OK;
}

/* ---- scales ---------------------------------------------------------------------------------- */

static bool are_words(const scaled *s) {
    for (int64_t i = 0; i < s->entries; i++)
        if (s->row_values[i] < 0) return false;
    return (double)s->entries <= 0.5 * (double)s->n * (double)s->width;
}

/* What column j is multiplied by:
 *
 *     words    1 + log((1 + n) / (1 + n_j))                          its rareness
 *     others   1 / sqrt(sum t^2 / n - (sum t / n)^2)                 1 / its standard deviation
 *
 * 0 for a column without a deviation. */
static double factor_of(const scaled *s, bool words, double count, double sum, double square) {
    double n = (double)s->n, variance = square / n - (sum / n) * (sum / n);
    if (words) return 1 + log((1 + n) / (1 + count));
    return variance > 1e-12 * square / n ? 1 / sqrt(variance) : 0;
}

static cafe_status scale_columns(scaled *s, bool words) {
    double *sums = cafe_mem_zero(s->context, 3 * s->width, sizeof *sums);
    CAFE_PASS(cafe_mem_had(sums));
    for (int64_t i = 0; i < s->entries; i++) {
        double value = s->row_values[i], *of = sums + 3 * (int64_t)s->row_targets[i];
        of[0] += 1, of[1] += value, of[2] += value * value;
    }
    for (int64_t j = 0; j < s->width; j++)
        sums[j] = factor_of(s, words, sums[3 * j], sums[3 * j + 1], sums[3 * j + 2]);
    for (int64_t i = 0; i < s->entries; i++)
        s->row_values[i] = (float)(s->row_values[i] * sums[s->row_targets[i]]);
    cafe_mem_free(s->context, sums);
    return CAFE_OK;
}

/* t_u <- t_u / ||t_u||: a node with many words weighs as much as one with few. */
static void scale_rows(void *argument, int64_t first, int64_t last) {
    const scaled *s = argument;
    for (int64_t u = first; u < last; u++) {
        double square = 0;
        for (int64_t i = s->rows[u]; i < s->rows[u + 1]; i++)
            square += (double)s->row_values[i] * s->row_values[i];
        double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int64_t i = s->rows[u]; i < s->rows[u + 1]; i++)
            s->row_values[i] = (float)(s->row_values[i] * scale);
    }
}

/* The entries by columns, in the order of the rows. */
static cafe_status transpose(scaled *s) {
    cafe_context *context = s->context;
    s->columns = cafe_mem_zero(context, s->width + 2, sizeof *s->columns);
    s->column_targets = cafe_mem(context, s->entries, sizeof *s->column_targets);
    s->column_values = cafe_mem(context, s->entries, sizeof *s->column_values);
    CAFE_PASS(cafe_mem_had(s->columns, s->column_targets, s->column_values));
    int64_t *next = s->columns + 1;
    for (int64_t i = 0; i < s->entries; i++) next[s->row_targets[i] + 1]++;
    for (int64_t j = 0; j < s->width; j++) next[j + 1] += next[j];
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t i = s->rows[u]; i < s->rows[u + 1]; i++) {
            int64_t at = next[s->row_targets[i]]++;
            s->column_targets[at] = (int32_t)u;
            s->column_values[at] = s->row_values[i];
        }
    return CAFE_OK;
}

/* ---- products -------------------------------------------------------------------------------- */

typedef struct product_job {
    cafe_operator rows;
    const cafe_block *from;
    cafe_block *to;
} product_job;

static void row_done(void *argument, int64_t i, int64_t u, float *sum) {
    (void)argument, (void)i, (void)u, (void)sum; /* the sum is in its place */
}

static void product_rows(void *argument, int64_t first, int64_t last) {
    const product_job *job = argument;
    cafe_range range = {first, 1, last - first, NULL};
    cafe_stream_rows(&job->rows, job->from->stride, job->from->x, range, NULL, false,
                     job->to->x + first * job->to->stride, job->to->stride, row_done, NULL);
}

/* to = T' from, or T'^T from; with an average P T' from, or T'^T P^T from, which then changes. */
static cafe_status product(const scaled *s, bool transposed, cafe_block *from, cafe_block *to) {
    if (s->average && transposed) CAFE_PASS(cafe_average(s->context, s->average, true, from));
    product_job job = {.from = from, .to = to};
    job.rows.kernels = cafe_kernels_best();
    job.rows.parts = (cafe_operator_parts){
        .n = transposed ? s->width : s->n,
        .offsets = transposed ? s->columns : s->rows,
        .targets = transposed ? s->column_targets : s->row_targets,
        .weights = transposed ? s->column_values : s->row_values,
    };
    to->columns = from->columns;
    CAFE_PASS(cafe_ranges(s->context, job.rows.parts.n, ROWS, product_rows, &job));
    if (!s->average || transposed) return CAFE_OK;
    return cafe_average(s->context, s->average, false, to);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

typedef struct centring {
    cafe_block *x;
    const double *means;
} centring;

/* x_u <- x_u - m, m the mean of the rows. */
static void centre_rows(void *argument, int64_t first, int64_t last) {
    const centring *job = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = job->x->x + u * job->x->stride;
        for (int64_t k = 0; k < job->x->columns; k++) row[k] = (float)(row[k] - job->means[k]);
    }
}

static cafe_status centre(cafe_context *context, cafe_block *x) {
    cafe_status status = CAFE_OK;
    double *means = cafe_mem(context, x->columns, sizeof *means);
    centring job = {x, means};
    CAFE_TRY(cafe_mem_had(means));
    CAFE_TRY(cafe_ops(x)->totals(context, x, NULL, means));
    for (int64_t k = 0; k < x->columns; k++) means[k] /= (double)x->n;
    CAFE_TRY(cafe_ranges(context, x->n, ROWS, centre_rows, &job));
done:
    cafe_mem_free(context, means);
    return status;
}

/* X^T X = E diag(values) E^T, values descending; X <- X E for the first `most` of them that are
 * above the rounding of the largest. The columns are then orthogonal, of squared length values_j.
 */
static cafe_status take_principal(cafe_context *context, int64_t most, cafe_block *x,
                                  double *values) {
    cafe_status status = CAFE_OK;
    int64_t k = x->columns, rank = 0;
    double *gram = cafe_mem(context, k * k, sizeof *gram), *all = cafe_mem(context, k, sizeof *all);
    double *m = cafe_mem(context, k * k, sizeof *m);
    CAFE_TRY(cafe_mem_had(gram, all, m));
    CAFE_TRY(cafe_ops(x)->gram(context, x, NULL, NULL, false, gram));
    CAFE_TRY(cafe_dense_eigen(context, k, gram, all));
    for (; rank < most && rank < k && all[rank] > least_square * all[0]; rank++)
        values[rank] = all[rank];
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < rank; j++) m[i * rank + j] = gram[i * k + j];
    if (rank > 0) CAFE_TRY(cafe_ops(x)->transform(context, x, rank, m, NULL, NULL));
    x->columns = rank;
done:
    cafe_mem_free_all(context, gram, all, m);
    return status;
}

/* ---- the directions -------------------------------------------------------------------------- */

/* V <- orth(X^T orth(X V)), STEPS times from random V; then U = X V for the last one. Each step
 * shrinks the part outside the dominant span by (s_(l+1) / s_l)^2, s the singular values of X. */
static cafe_status iterate(const scaled *s, cafe_block *u, cafe_block *v) {
    cafe_context *context = s->context;
    cafe_start start = {
        .kind = CAFE_START_NORMAL, .seed = context->seed, .stream = CAFE_STREAM_FEATURES};
    double error;
    cafe_phase(context, "features", STEPS);
    CAFE_PASS(cafe_ops(v)->start(context, v, &start));
    CAFE_PASS(cafe_tall_orthonormalise(context, v, NULL, NULL, NULL, &error));
    for (int64_t i = 0; v->columns > 0; i++) {
        CAFE_PASS(product(s, false, v, u));
        CAFE_PASS(centre(context, u));
        if (i == STEPS) break;
        CAFE_PASS(cafe_tall_orthonormalise(context, u, NULL, NULL, NULL, &error));
        if (u->columns == 0) break;
        CAFE_PASS(product(s, true, u, v));
        CAFE_PASS(cafe_tall_orthonormalise(context, v, NULL, NULL, NULL, &error));
        cafe_step(context, i + 1, 0);
    }
    if (v->columns > 0 && u->columns > 0) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the features are the same for all nodes");
}

/* ||X||^2 = ||T'||^2 - n ||m||^2 = sum of t^2 - sum over j of (sum over u of t_uj)^2 / n. */
static cafe_status sum_squares(const scaled *s, double *squares) {
    double sum = 0;
    for (int64_t i = 0; i < s->entries; i++) sum += (double)s->row_values[i] * s->row_values[i];
    for (int64_t j = 0; j < s->width; j++) {
        double total = 0;
        for (int64_t i = s->columns[j]; i < s->columns[j + 1]; i++) total += s->column_values[i];
        sum -= total * total / (double)s->n;
    }
    *squares = sum;
    return CAFE_OK;
}

/* The first directions x of P X, or X. */
static cafe_status find(const scaled *s, int64_t most, cafe_block *x, double **values) {
    cafe_context *context = s->context;
    cafe_status status = CAFE_OK;
    int64_t columns = most + EXTRA < s->width ? most + EXTRA : s->width;
    cafe_block v = {0};
    if (columns > s->n) columns = s->n;
    *values = cafe_mem(context, columns, sizeof **values);
    CAFE_TRY(cafe_mem_had(*values));
    CAFE_TRY(cafe_processor.ops->make(context, &cafe_processor, s->n, columns, x));
    CAFE_TRY(cafe_processor.ops->make(context, &cafe_processor, s->width, columns, &v));
    CAFE_TRY(iterate(s, x, &v));
    CAFE_TRY(take_principal(context, most, x, *values));
done:
    cafe_block_drop(context, &v);
    return status;
}

static cafe_status find_averages(scaled *s, int64_t most, const cafe_graph *graph,
                                 cafe_directions *d) {
    cafe_averaging average;
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_averaging_open(s->context, graph, &average));
    s->average = &average;
    CAFE_TRY(find(s, most, &d->average, &d->average_values));
done:
    s->average = NULL;
    cafe_averaging_close(s->context, &average);
    return status;
}

static void release(scaled *s) {
    cafe_mem_free_all(s->context, s->rows, s->columns, s->row_targets, s->column_targets,
                      s->row_values, s->column_values);
}

cafe_status cafe_directions_find(cafe_context *context, int64_t n, const cafe_feature_inputs *table,
                                 int64_t most, const cafe_graph *graph,
                                 cafe_directions *directions) {
    cafe_status status = CAFE_OK;
    cafe_directions *d = directions;
    scaled s = {.context = context, .n = n, .width = table->columns};
    *d = (cafe_directions){0};
    if (n < 2 || s.width < 1 || s.width > INT32_MAX || !table->values ||
        (table->offsets && !table->indices))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "features of %lld nodes in %lld columns",
                         (long long)n, (long long)s.width);
    CAFE_TRY(compress(&s, table));
    d->entries = s.entries;
    d->words = are_words(&s);
    CAFE_TRY(scale_columns(&s, d->words));
    if (d->words) CAFE_TRY(cafe_ranges(context, n, ROWS, scale_rows, &s));
    CAFE_TRY(transpose(&s));
    CAFE_TRY(find(&s, most, &d->x, &d->values));
    CAFE_TRY(sum_squares(&s, &d->squares));
    if (graph) CAFE_TRY(find_averages(&s, (most + 1) / 2, graph, d));
done:
    release(&s);
    if (status != CAFE_OK) cafe_directions_free(context, d);
    return status;
}

void cafe_directions_free(cafe_context *context, cafe_directions *directions) {
    cafe_block_drop(context, &directions->x);
    cafe_block_drop(context, &directions->average);
    cafe_mem_free_all(context, directions->values, directions->average_values);
    *directions = (cafe_directions){0};
}

double cafe_directions_bytes(int64_t n, int64_t columns, double entries, int64_t most) {
    double width = (double)cafe_stride(most + EXTRA < columns ? most + EXTRA : columns);
    return 16 * entries + 8.0 * (double)(n + columns) + 4 * width * (double)(n + columns) +
           (double)n * (6 * width + 12);
}
