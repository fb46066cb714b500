/* The naive engine: blocks, copies, starts, Gram matrices, sums; the table that the library
 * exports. */
#include "naive.h"

#include <math.h>

#include "base/random.h"
#include "graph/edge_weight.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

static cafe_status make(cafe_context *context, const cafe_engine *engine, int64_t n,
                        int64_t columns, cafe_block *block) {
    const cafe_engine_host *host = *(const cafe_engine_host *const *)engine->state;
    *block = (cafe_block){n, cafe_stride(columns), columns, {NULL}, engine, 0};
    block->x = host->allocate(context, n * block->stride, sizeof *block->x);
    if (!block->x) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < n * block->stride; i++) block->x[i] = NAN; /* anything */
    return CAFE_OK;
}

static void drop(cafe_context *context, cafe_block *block) {
    if (block->x) naive_host(block)->release(context, block->x);
    block->x = NULL;
}

void naive_load(const cafe_block *x, int64_t u, float *row) {
    for (int64_t k = 0; k < x->stride; k++) row[k] = k < x->columns ? *naive_at(x, u, k) : 0;
}

void naive_store(cafe_block *x, int64_t u, const float *row) {
    for (int64_t k = 0; k < x->columns; k++) *naive_at(x, u, k) = row[k];
}

static cafe_status copy_in(cafe_context *context, cafe_block *x, cafe_part part, const float *from,
                           int64_t step) {
    (void)context;
    for (int64_t i = 0; i < part.rows; i++)
        for (int64_t k = 0; k < part.columns; k++)
            *naive_at(x, part.row + i, part.column + k) = from[i * step + k];
    return CAFE_OK;
}

static cafe_status copy_out(cafe_context *context, const cafe_block *x, cafe_part part, float *to,
                            int64_t step) {
    (void)context;
    for (int64_t i = 0; i < part.rows; i++)
        for (int64_t k = 0; k < part.columns; k++)
            to[i * step + k] = *naive_at(x, part.row + i, part.column + k);
    return CAFE_OK;
}

static cafe_status copy(cafe_context *context, const cafe_block *from, cafe_block *to,
                        int64_t place) {
    (void)context;
    for (int64_t k = 0; k < from->columns; k++)
        for (int64_t u = 0; u < from->n; u++) *naive_at(to, u, place + k) = *naive_at(from, u, k);
    return CAFE_OK;
}

static cafe_status select_columns(cafe_context *context, cafe_block *x, int64_t count,
                                  const int64_t *kept) {
    (void)context;
    for (int64_t k = 0; k < count; k++)
        for (int64_t u = 0; u < x->n; u++) *naive_at(x, u, k) = *naive_at(x, u, kept[k]);
    x->columns = count;
    x->stride = cafe_stride(count);
    return CAFE_OK;
}

/* ---- start ----------------------------------------------------------------------------------- */

static float drawn(const cafe_start *s, int64_t columns, int64_t u, int64_t k) {
    if (s->kind == CAFE_START_UNIT || s->kind == CAFE_START_LINKS) {
        int64_t draws = (columns + 7) / 8;
        cafe_random4 r = cafe_philox(s->seed, s->stream, (uint64_t)(u * draws + k / 8));
        uint32_t word = r.v[k % 8 / 2], bits = k % 2 ? word >> 16 : word & 0xFFFF;
        return ((float)bits + 0.5f) / 32768 - 1;
    }
    if (s->kind == CAFE_START_SIMPLEX) {
        int64_t draws = (columns + 3) / 4;
        cafe_random4 r = cafe_philox(s->seed, s->stream, (uint64_t)(u * draws + k / 4));
        return (float)-cafe_log(((double)r.v[k % 4] + 0.5) / 4294967296.0);
    }
    float four[4];
    cafe_normal4(cafe_philox(s->seed, s->stream, (uint64_t)(u * columns + k)), four);
    return !s->weights || s->weights[u] > 0 ? four[0] : 0;
}

/* The length of a row, or its sum. */
static double size_of(const cafe_start *s, const cafe_block *x, int64_t u) {
    double sum = 0;
    for (int64_t k = 0; k < x->columns; k++) {
        double value = *naive_at(x, u, k);
        sum += s->kind == CAFE_START_SIMPLEX ? value : value * value;
    }
    return s->kind == CAFE_START_SIMPLEX ? sum : sqrt(sum);
}

static void divide_row(cafe_block *x, int64_t u, double size) {
    for (int64_t k = 0; k < x->columns; k++)
        *naive_at(x, u, k) = (float)((double)*naive_at(x, u, k) / size);
}

static void add_links(const cafe_start *s, cafe_block *x, int64_t u) {
    const cafe_operator_parts *a = &s->op->parts;
    for (int64_t k = 0; k < x->columns; k++) *naive_at(x, u, k) = 0;
    for (int64_t j = a->offsets[u]; j < a->offsets[u + 1]; j++) {
        int32_t mark = cafe_mark(s, a->targets[j]);
        *naive_at(x, u, mark >= 0 ? mark : ~mark) += (mark >= 0 ? 1 : -1) * CAFE_LINK(a, u, j);
    }
}

/* A row of A S, of length 1; false where it is 0. */
static bool start_links(const cafe_start *s, cafe_block *x, int64_t u, float *row) {
    add_links(s, x, u);
    for (int64_t k = 0; k < x->stride; k++) row[k] = k < x->columns ? *naive_at(x, u, k) : 0;
    float square = (float)naive_dot(x->stride, row, row), inverse = 1 / sqrtf(square);
    for (int64_t k = 0; k < x->columns && square > 0; k++) *naive_at(x, u, k) = row[k] * inverse;
    return square > 0;
}

static void start_row(const cafe_start *s, cafe_block *x, int64_t u, float *row) {
    bool labelled = s->labels && s->labels[u] >= 0, even = s->labels && !s->given;
    if (s->kind == CAFE_START_LINKS && start_links(s, x, u, row)) return;
    if (s->given && !labelled && size_of(s, x, u) > 0) {
        divide_row(x, u, size_of(s, x, u));
        return;
    }
    for (int64_t k = s->from; k < x->columns; k++)
        *naive_at(x, u, k) = labelled ? s->labels[u] == k
                             : even   ? (float)(1.0 / (double)x->columns)
                                      : drawn(s, x->columns, u, k);
    if (!labelled && !even && s->kind != CAFE_START_NORMAL) divide_row(x, u, size_of(s, x, u));
}

static cafe_status start(cafe_context *context, cafe_block *x, const cafe_start *s) {
    const cafe_engine_host *host = naive_host(x);
    float *row = host->allocate(context, x->stride, sizeof *row);
    if (!row) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < x->n; u++) start_row(s, x, u, row);
    host->release(context, row);
    return CAFE_OK;
}

/* ---- Gram matrices, products with small ones, scalings, norms -------------------------------- */

static double entry(const cafe_block *a, const cafe_block *b, int64_t u, int64_t k) {
    return k < a->columns ? *naive_at(a, u, k) : *naive_at(b, u, k - a->columns);
}

static cafe_status gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                        const double *weights, bool single, double *result) {
    int64_t k = a->columns + (b ? b->columns : 0);
    (void)context;
    (void)single; /* more precise than requested */
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t u = 0; u < a->n; u++)
                sum += (weights ? weights[u] : 1) * entry(a, b, u, i) * entry(a, b, u, j);
            result[i * k + j] = sum;
        }
    return CAFE_OK;
}

static cafe_status transform(cafe_context *context, cafe_block *x, int64_t k, const double *m,
                             const int64_t *kept, const double *shift) {
    const cafe_engine_host *host = naive_host(x);
    int64_t inner = kept ? k : x->columns;
    float *row = host->allocate(context, x->stride, sizeof *row);
    if (!row) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < x->n; u++) {
        naive_load(x, u, row);
        for (int64_t j = 0; j < x->columns; j++) {
            double sum = shift && j < k ? -shift[j] : 0;
            for (int64_t i = 0; j < k && i < inner; i++)
                sum += (double)row[kept ? kept[i] : i] * m[i * k + j];
            *naive_at(x, u, j) = (float)sum;
        }
    }
    x->columns = k;
    host->release(context, row);
    return CAFE_OK;
}

static cafe_status scale(cafe_context *context, cafe_block *x, const double *factors) {
    (void)context;
    for (int64_t u = 0; u < x->n; u++)
        for (int64_t k = 0; k < x->columns; k++) *naive_at(x, u, k) *= (float)factors[u];
    return CAFE_OK;
}

double naive_total(const cafe_block *x, const double *weights, int64_t k) {
    int64_t rows = cafe_piece_rows(x->n);
    double sum = 0;
    for (int64_t from = 0; from < x->n; from += rows) {
        double piece = 0;
        for (int64_t u = from; u < x->n && u < from + rows; u++)
            piece += (weights ? weights[u] : 1) * *naive_at(x, u, k);
        sum += piece;
    }
    return sum;
}

static cafe_status norms(cafe_context *context, const cafe_block *x, const double *factors,
                         double *result) {
    int64_t rows = cafe_piece_rows(x->n);
    (void)context;
    for (int64_t k = 0; k < x->columns; k++) {
        double sum = 0;
        for (int64_t from = 0; from < x->n; from += rows) {
            double piece = 0;
            for (int64_t u = from; u < x->n && u < from + rows; u++) {
                double value = *naive_at(x, u, k), factor = factors ? factors[u] : 1;
                piece += factor * factor * value * value;
            }
            sum += piece;
        }
        result[k] = sqrt(sum);
    }
    return CAFE_OK;
}

static cafe_status totals(cafe_context *context, const cafe_block *x, const double *weights,
                          double *result) {
    (void)context;
    for (int64_t k = 0; k < x->columns; k++) result[k] = naive_total(x, weights, k);
    return CAFE_OK;
}

/* ---- sums ------------------------------------------------------------------------------------ */

double naive_dot(int64_t stride, const float *x, const float *y) {
    int64_t lanes = stride < 16 ? stride : 16;
    float lane[16] = {0};
    for (int64_t k = 0; k < stride; k++) lane[k % lanes] += x[k] * y[k];
    for (int64_t half = lanes / 2; half >= 4; half /= 2)
        for (int64_t l = 0; l < half; l++) lane[l] += lane[l + half];
    return ((double)lane[0] + lane[2]) + ((double)lane[1] + lane[3]);
}

static double signed_dot(const cafe_block *x, int64_t negative, const float *a, const float *b) {
    double sum = naive_dot(x->stride, a, b);
    for (int64_t k = x->columns - negative; k < x->columns; k++) sum -= 2.0 * a[k] * b[k];
    return sum;
}

static cafe_status sums(cafe_context *context, const cafe_block *x, const cafe_block *y,
                        const double *weights, const double *own_weights, int64_t negative,
                        double *cross, double *own) {
    const cafe_engine_host *host = naive_host(x);
    int64_t rows = cafe_piece_rows(x->n);
    float *a = host->allocate(context, 2 * x->stride, sizeof *a), *b = a + x->stride;
    if (!a) return CAFE_ERROR_MEMORY;
    *cross = *own = 0;
    for (int64_t from = 0; from < x->n; from += rows) {
        double piece = 0, own_piece = 0;
        for (int64_t u = from; u < x->n && u < from + rows; u++) {
            naive_load(x, u, a);
            if (y) naive_load(y, u, b);
            if (y) piece += weights[u] * signed_dot(x, negative, a, b);
            if (own_weights) own_piece += own_weights[u] * signed_dot(x, negative, a, a);
        }
        *cross += piece;
        *own += own_piece;
    }
    host->release(context, a);
    return CAFE_OK;
}

/* ---- the library ----------------------------------------------------------------------------- */

static cafe_status open_engine(cafe_context *context, const cafe_engine_host *host, void **state) {
    const cafe_engine_host **kept = host->allocate(context, 1, sizeof *kept);
    if (!kept) return CAFE_ERROR_MEMORY;
    *kept = host;
    *state = kept;
    return CAFE_OK;
}

static void close_engine(cafe_context *context, void *state) {
    const cafe_engine_host **kept = state;
    (*kept)->release(context, kept);
}

static const cafe_engine_ops operations = {
    .make = make,
    .drop = drop,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .select = select_columns,
    .start = start,
    .product = naive_product,
    .project = naive_project,
    .sweep_open = naive_sweep_open,
    .sweep_run = naive_sweep_run,
    .sweep_sums = naive_sweep_sums,
    .sweep_chunks = naive_sweep_chunks,
    .sweep_close = naive_sweep_close,
    .gram = gram,
    .transform = transform,
    .scale = scale,
    .norms = norms,
    .totals = totals,
    .sums = sums,
};

const cafe_engine_library cafe_engine_entry = {
    .interface = CAFE_ENGINE_INTERFACE,
    .table_size = sizeof(cafe_engine_ops),
    .name = "naive",
    .summary = "plain loops on one thread, for tests",
    .version = "1",
    .ops = &operations,
    .open = open_engine,
    .close = close_engine,
};
