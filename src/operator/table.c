/* Centring, and the two products with X that everything on tables is made of. */
#include "operator/table.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"

enum {
    ROWS = 1024,                   /* of a task */
    MOST_PARTS = 64,               /* of a sum over rows */
    PART_BYTES = 64 * 1024 * 1024, /* for all of them together */
    BLOCKS = 32                    /* blocks of rows that column sums are split into */
};

/* ---- centring -------------------------------------------------------------------------------- */

typedef struct centring {
    cafe_centred *table;
    const float *x;
    int64_t block;     /* rows of a block */
    double *sums;      /* one row of L sums a block; [b * L] later holds sums of squares */
    atomic_llong *bad; /* the first element that is not finite */
} centring;

static void note_bad(atomic_llong *bad, int64_t i) {
    long long first = atomic_load(bad);
    while (i < first && !atomic_compare_exchange_weak(bad, &first, i)) {
    }
}

static void sum_block(void *argument, int64_t block, int32_t worker) {
    const centring *c = argument;
    int64_t width = c->table->width, end = cafe_block_end(c->table->n, c->block, block);
    double *sums = c->sums + block * width;
    (void)worker;
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int64_t u = block * c->block; u < end; u++)
        for (int64_t j = 0; j < width; j++) {
            float value = c->x[u * width + j];
            if (!isfinite(value)) {
                note_bad(c->bad, u * width + j);
                return;
            }
            sums[j] += value;
        }
}

/* Sums of the squares of what is left of the entries, at [b * L]. */
static void square_block(void *argument, int64_t block, int32_t worker) {
    const centring *c = argument;
    const double *means = c->table->means;
    int64_t width = c->table->width, end = cafe_block_end(c->table->n, c->block, block);
    double sum = 0;
    (void)worker;
    for (int64_t u = block * c->block; u < end; u++)
        for (int64_t j = 0; j < width; j++) {
            double d = c->x[u * width + j] - means[j];
            sum += d * d;
        }
    c->sums[block * width] = sum;
}

/* x_u and ||x_u||^2; their sum at [b * L]. */
static void centre_block(void *argument, int64_t block, int32_t worker) {
    const centring *c = argument;
    cafe_centred *t = c->table;
    int64_t width = t->width, end = cafe_block_end(t->n, c->block, block);
    double total = 0, inverse = 1 / t->scale;
    (void)worker;
    for (int64_t u = block * c->block; u < end; u++) {
        const float *from = c->x + u * width;
        float *to = t->x + u * width;
        double sum = 0;
        for (int64_t j = 0; j < width; j++) {
            to[j] = (float)((from[j] - t->means[j]) * inverse);
            sum += (double)to[j] * to[j];
        }
        t->norms[u] = (float)sum;
        total += t->norms[u];
    }
    c->sums[block * width] = total;
}

static double add_blocks(const centring *c, int64_t blocks, int64_t column) {
    double sum = 0;
    for (int64_t b = 0; b < blocks; b++) sum += c->sums[b * c->table->width + column];
    return sum;
}

/* The power of two nearest below the root of the mean of ||x_u||^2; 1 when all rows are the same.
 */
static double scale_of(double squares, int64_t n) {
    int exponent = 0;
    if (!(squares > 0)) return 1;
    frexp(sqrt(squares / (double)n), &exponent);
    return ldexp(1, exponent - 1);
}

static cafe_status centre(cafe_context *context, centring *c) {
    cafe_centred *t = c->table;
    int64_t blocks = cafe_blocks(t->n, c->block);
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_parallel(context, blocks, sum_block, c));
    int64_t bad = atomic_load(c->bad);
    if (bad < INT64_MAX) {
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "the table is not finite in row %lld, column %lld",
                           (long long)(bad / t->width), (long long)(bad % t->width));
        goto done;
    }
    for (int64_t j = 0; j < t->width; j++) t->means[j] = add_blocks(c, blocks, j) / (double)t->n;
    CAFE_TRY(cafe_parallel(context, blocks, square_block, c));
    t->scale = scale_of(add_blocks(c, blocks, 0), t->n);
    CAFE_TRY(cafe_parallel(context, blocks, centre_block, c));
    t->total = add_blocks(c, blocks, 0);
done:
    return status;
}

static cafe_status allocate(cafe_context *context, cafe_centred *t) {
    int64_t every = (t->width > CAFE_TILE ? t->width : CAFE_TILE) + CAFE_AHEAD;
    int64_t entries;
    if (__builtin_mul_overflow(t->n, t->width, &entries))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a table of %lld x %lld is too large",
                         (long long)t->n, (long long)t->width);
    t->x = cafe_mem(context, entries, sizeof *t->x);
    t->norms = cafe_mem(context, t->n, sizeof *t->norms);
    t->means = cafe_mem(context, t->width, sizeof *t->means);
    t->every = cafe_mem(context, every, sizeof *t->every);
    if (!t->x || !t->norms || !t->means || !t->every) return CAFE_ERROR_MEMORY;
    /* behind the last row a gather only asks ahead, which may name any address */
    for (int64_t i = 0; i < every; i++) t->every[i] = (int32_t)i;
    return CAFE_OK;
}

cafe_status cafe_centred_new(cafe_context *context, int64_t n, int64_t width, const float *x,
                             cafe_centred **table) {
    cafe_status status = CAFE_ERROR_MEMORY;
    atomic_llong bad = INT64_MAX;
    centring c = {.x = x, .bad = &bad};
    *table = NULL;
    if (n < 1 || width < 1 || width > INT32_MAX - 2 * CAFE_AHEAD)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a table of %lld x %lld has nothing to reduce", (long long)n,
                         (long long)width);
    c.table = cafe_mem_zero(context, 1, sizeof *c.table);
    if (!c.table) return status;
    *c.table = (cafe_centred){.context = context, .n = n, .width = width};
    c.table->kernels = cafe_kernels_best();
    c.block = cafe_blocks(n, BLOCKS);
    CAFE_TRY(allocate(context, c.table));
    c.sums = cafe_mem(context, cafe_blocks(n, c.block) * width, sizeof *c.sums);
    if (!c.sums) {
        status = CAFE_ERROR_MEMORY;
        goto done;
    }
    cafe_phase(context, "centre", 0);
    CAFE_TRY(centre(context, &c));
    *table = c.table;
    c.table = NULL;
done:
    cafe_mem_free(context, c.sums);
    cafe_centred_free(c.table);
    return status;
}

void cafe_centred_free(cafe_centred *table) {
    if (!table) return;
    cafe_mem_free(table->context, table->x);
    cafe_mem_free(table->context, table->norms);
    cafe_mem_free(table->context, table->means);
    cafe_mem_free(table->context, table->every);
    cafe_mem_free(table->context, table);
}

/* ---- X^T B ----------------------------------------------------------------------------------- */

int64_t cafe_centred_scratch(const cafe_centred *t, int64_t stride) {
    return CAFE_TILE * t->width + stride;
}

/* Column j of the tile, laid out as a row, weighs the rows of B: one gather per column of X. */
void cafe_centred_tile(const cafe_centred *t, int64_t u, int64_t step, int64_t count,
                       int64_t stride, const float *b, double *sums, float *scratch) {
    float *columns = scratch, *sum = scratch + CAFE_TILE * t->width;
    for (int64_t i = 0; i < count; i++) {
        const float *x = t->x + (u + i * step) * t->width;
        for (int64_t j = 0; j < t->width; j++) columns[j * CAFE_TILE + i] = x[j];
    }
    for (int64_t j = 0; j < t->width; j++) {
        t->kernels->gather(b, stride, t->every, columns + j * CAFE_TILE, count, 1, sum);
        for (int64_t k = 0; k < stride; k++) sums[j * stride + k] += sum[k];
    }
}

int64_t cafe_centred_parts(const cafe_centred *t, int64_t rows, int64_t stride, int64_t *each) {
    int64_t tiles = cafe_blocks(rows, CAFE_TILE);
    int64_t parts = PART_BYTES / (t->width * stride * (int64_t)sizeof(double));
    parts = parts > MOST_PARTS ? MOST_PARTS : parts < 1 ? 1 : parts;
    *each = cafe_blocks(tiles, parts) * CAFE_TILE;
    return cafe_blocks(rows, *each);
}

typedef struct summing {
    const cafe_centred *table;
    const float *b;
    int64_t stride, each, parts;
    double *sums;   /* L x stride a part */
    float *scratch; /* of each worker */
} summing;

static void sum_part(void *argument, int64_t part, int32_t worker) {
    const summing *s = argument;
    const cafe_centred *t = s->table;
    int64_t size = t->width * s->stride, end = cafe_block_end(t->n, s->each, part);
    double *sums = s->sums + part * size;
    memset(sums, 0, (size_t)size * sizeof *sums);
    for (int64_t u = part * s->each; u < end; u += CAFE_TILE)
        cafe_centred_tile(t, u, 1, end - u < CAFE_TILE ? end - u : CAFE_TILE, s->stride,
                          s->b + u * s->stride, sums,
                          s->scratch + worker * cafe_centred_scratch(t, s->stride));
}

cafe_status cafe_centred_sums(cafe_context *context, const cafe_centred *t, int64_t stride,
                              const float *b, double *sum) {
    summing s = {.table = t, .b = b, .stride = stride};
    int64_t size = t->width * stride;
    s.parts = cafe_centred_parts(t, t->n, stride, &s.each);
    s.sums = cafe_mem(context, s.parts * size, sizeof *s.sums);
    s.scratch =
        cafe_mem(context, context->threads * cafe_centred_scratch(t, stride), sizeof(float));
    cafe_status status = s.sums && s.scratch ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_parallel(context, s.parts, sum_part, &s);
    if (status == CAFE_OK) {
        memcpy(sum, s.sums, (size_t)size * sizeof *sum);
        for (int64_t p = 1; p < s.parts; p++)
            for (int64_t i = 0; i < size; i++) sum[i] += s.sums[p * size + i];
    }
    cafe_mem_free(context, s.sums);
    cafe_mem_free(context, s.scratch);
    return status;
}

/* ---- X W ------------------------------------------------------------------------------------- */

typedef struct multiplying {
    const cafe_centred *table;
    const float *w;
    int64_t stride;
    float *b;
} multiplying;

static void multiply_block(void *argument, int64_t block, int32_t worker) {
    const multiplying *m = argument;
    (void)worker;
    for (int64_t u = block * ROWS; u < cafe_block_end(m->table->n, ROWS, block); u++)
        cafe_centred_row(m->table, u, m->stride, m->w, m->b + u * m->stride);
}

cafe_status cafe_centred_product(cafe_context *context, const cafe_centred *t, int64_t stride,
                                 const float *w, float *b) {
    multiplying m = {t, w, stride, b};
    return cafe_parallel(context, cafe_blocks(t->n, ROWS), multiply_block, &m);
}
