/* A table as an operator: centring, and sums X^T B tile by tile. */
#include "operator/table_operator.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/ops.h"

enum {
    MOST_PARTS = 64,               /* parts of a sum over rows */
    PART_BYTES = 64 * 1024 * 1024, /* bytes of all parts together */
    BLOCKS = 32                    /* blocks of rows that column sums are split into */
};

/* ---- centring -------------------------------------------------------------------------------- */

typedef struct centring {
    cafe_centred *table;
    const float *x;
    int64_t n, width;
    int64_t block; /* rows of a block */
    double *sums;  /* one row of L sums for each block; entry b * L holds sums of squares later */
    atomic_llong *bad; /* the first element that is not finite */
} centring;

static void note_bad(atomic_llong *bad, int64_t i) {
    long long first = atomic_load(bad);
    while (i < first && !atomic_compare_exchange_weak(bad, &first, i)) {
    }
}

static void sum_block(void *argument, int64_t block) {
    const centring *c = argument;
    int64_t width = c->width, end = cafe_block_end(c->n, c->block, block);
    double *sums = c->sums + block * width;
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

/* Sums the squares of the centred entries of a block, at [b * L]. */
static void square_block(void *argument, int64_t block) {
    const centring *c = argument;
    const double *means = c->table->means;
    int64_t width = c->width, end = cafe_block_end(c->n, c->block, block);
    double sum = 0;
    for (int64_t u = block * c->block; u < end; u++)
        for (int64_t j = 0; j < width; j++) {
            double d = c->x[u * width + j] - means[j];
            sum += d * d;
        }
    c->sums[block * width] = sum;
}

/* Computes x_u = (row u - mean) / scale and ||x_u||; the sum of squares goes to [b * L]. */
static void centre_block(void *argument, int64_t block) {
    const centring *c = argument;
    cafe_centred *t = c->table;
    int64_t width = c->width, end = cafe_block_end(c->n, c->block, block);
    double total = 0, inverse = 1 / t->scale;
    for (int64_t u = block * c->block; u < end; u++) {
        const float *from = c->x + u * width;
        float *to = t->x + u * width;
        double sum = 0;
        for (int64_t j = 0; j < width; j++) {
            to[j] = (float)((from[j] - t->means[j]) * inverse);
            sum += (double)to[j] * to[j];
        }
        t->roots[u] = sqrt(sum);
        t->ones[u] = 1;
        total += sum;
    }
    c->sums[block * width] = total;
}

static double add_blocks(const centring *c, int64_t column) {
    double sum = 0;
    for (int64_t b = 0; b < cafe_blocks(c->n, c->block); b++) sum += c->sums[b * c->width + column];
    return sum;
}

/* Returns the largest power of two below the root of the sum of squares; 1 if all rows are equal.
 */
static double scale_of(double squares) {
    int exponent = 0;
    if (!(squares > 0)) return 1;
    frexp(sqrt(squares), &exponent);
    return ldexp(1, exponent - 1);
}

static cafe_status centre(cafe_context *context, centring *c) {
    cafe_centred *t = c->table;
    int64_t blocks = cafe_blocks(c->n, c->block);
    CAFE_PASS(cafe_each(context, blocks, sum_block, c));
    int64_t bad = atomic_load(c->bad);
    if (bad < INT64_MAX) {
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the table is not finite in row %lld, column %lld",
                         (long long)(bad / c->width), (long long)(bad % c->width));
    }
    for (int64_t j = 0; j < c->width; j++) t->means[j] = add_blocks(c, j) / (double)c->n;
    CAFE_PASS(cafe_each(context, blocks, square_block, c));
    t->scale = scale_of(add_blocks(c, 0));
    CAFE_PASS(cafe_each(context, blocks, centre_block, c));
    t->total = add_blocks(c, 0);
    return CAFE_OK;
}

/* ---- X^T B ----------------------------------------------------------------------------------- */

static int64_t tile_scratch(int64_t width, int64_t stride) {
    return CAFE_TILE * width + stride;
}

/* sums += F_T^T B_T for a tile T of at most CAFE_TILE nodes; the rows of B_T lie one after the
 * other. Column j of F_T becomes the weights of one gather over the rows of B. */
static void tile_add(const cafe_operator *op, const cafe_range *tile, int64_t stride,
                     const float *b, double *sums, float *scratch) {
    const cafe_operator_parts *q = &op->parts;
    float *columns = scratch, *sum = scratch + CAFE_TILE * q->width;
    for (int64_t i = 0; i < tile->count; i++) {
        const float *f = q->f + cafe_range_node(tile, i) * q->width;
        for (int64_t j = 0; j < q->width; j++) columns[j * CAFE_TILE + i] = f[j];
    }
    for (int64_t j = 0; j < q->width; j++) {
        op->kernels->gather(b, stride, q->every, columns + j * CAFE_TILE, tile->count, 1, sum);
        for (int64_t k = 0; k < stride; k++) sums[j * stride + k] += sum[k];
    }
}

/* The same for one node. */
static void move_one(const cafe_operator_parts *q, int64_t u, int64_t stride, const float *h,
                     const float *row, double *sums) {
    const float *f = q->f + u * q->width;
    for (int64_t j = 0; j < q->width; j++)
        for (int64_t k = 0; k < stride; k++)
            sums[j * stride + k] = f[j] * ((double)row[k] - h[u * stride + k]);
}

void cafe_tile_moves(const cafe_operator *op, const cafe_range *nodes, int64_t stride,
                     const float *h, const float *rows, double *sums, float *scratch) {
    if (nodes->count == 1) {
        move_one(&op->parts, cafe_range_node(nodes, 0), stride, h, rows, sums);
        return;
    }
    memset(sums, 0, (size_t)(op->parts.width * stride) * sizeof *sums);
    for (int64_t from = 0; from < nodes->count; from += CAFE_TILE) {
        int64_t count = nodes->count - from < CAFE_TILE ? nodes->count - from : CAFE_TILE;
        cafe_range tile = {nodes->first + from * nodes->step, nodes->step, count, nodes->list};
        for (int64_t i = 0; i < count; i++) {
            const float *old = h + cafe_range_node(&tile, i) * stride;
            const float *row = rows + (from + i) * stride;
            for (int64_t k = 0; k < stride; k++) scratch[i * stride + k] = row[k] - old[k];
        }
        tile_add(op, &tile, stride, scratch, sums, scratch + CAFE_TILE * stride);
    }
}

int64_t cafe_tile_moves_scratch(int64_t width, int64_t stride) {
    return CAFE_TILE * stride + tile_scratch(width, stride);
}

int64_t cafe_tile_parts(int64_t width, int64_t rows, int64_t stride, int64_t *each) {
    int64_t tiles = cafe_blocks(rows, CAFE_TILE);
    int64_t parts = PART_BYTES / (width * stride * (int64_t)sizeof(double));
    parts = parts > MOST_PARTS ? MOST_PARTS : parts < 1 ? 1 : parts;
    *each = cafe_blocks(tiles, parts) * CAFE_TILE;
    return cafe_blocks(rows, *each);
}

typedef struct summing {
    const cafe_operator *op;
    const float *b;
    int64_t stride, each, size; /* rows of a part; L x stride */
    double *sums;               /* one for each part */
    float *scratch;             /* one for each worker */
} summing;

static void sum_part(void *argument, int64_t part, int32_t worker) {
    const summing *s = argument;
    int64_t end = cafe_block_end(s->op->n, s->each, part);
    double *sums = s->sums + part * s->size;
    float *scratch = s->scratch + worker * tile_scratch(s->op->parts.width, s->stride);
    memset(sums, 0, (size_t)s->size * sizeof *sums);
    for (int64_t u = part * s->each; u < end; u += CAFE_TILE) {
        cafe_range tile = {u, 1, end - u < CAFE_TILE ? end - u : CAFE_TILE, NULL};
        tile_add(s->op, &tile, s->stride, s->b + u * s->stride, sums, scratch);
    }
}

cafe_status cafe_table_sums(cafe_context *context, const cafe_operator *op, int64_t stride,
                            const float *b, double *sum) {
    int64_t width = op->parts.width;
    summing s = {.op = op, .b = b, .stride = stride, .size = width * stride};
    int64_t parts = cafe_tile_parts(width, op->n, stride, &s.each);
    s.sums = cafe_mem(context, parts * s.size, sizeof *s.sums);
    s.scratch = cafe_mem(context, context->threads * tile_scratch(width, stride), sizeof(float));
    cafe_status status = s.sums && s.scratch ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_parallel(context, parts, sum_part, &s);
    if (status == CAFE_OK) {
        memcpy(sum, s.sums, (size_t)s.size * sizeof *sum);
        for (int64_t p = 1; p < parts; p++)
            for (int64_t i = 0; i < s.size; i++) sum[i] += s.sums[p * s.size + i];
    }
    cafe_mem_free_all(context, s.sums, s.scratch);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

/* Bytes: X, ||x_u|| and the ones; the sums of each part, and W twice. */
double cafe_table_bytes(const cafe_operator *op, int64_t stride) {
    int64_t each, parts = cafe_tile_parts(op->parts.width, op->n, stride, &each);
    double w = (double)op->parts.width * (double)stride;
    return (double)op->n * (4.0 * (double)op->parts.width + 16) + w * (8.0 * (double)parts + 12);
}

static void release(cafe_operator *op) {
    cafe_centred *t = op->own;
    if (!t) return;
    void *arrays[] = {t->means, t->x, t->roots, t->ones, t->every, t};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        cafe_mem_free(op->context, arrays[i]);
}

static const cafe_operator_ops table = {
    .name = "a centred table",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_table_sums,
    .bytes = cafe_table_bytes,
    .free = release,
};

static cafe_status allocate(cafe_context *context, int64_t n, int64_t width, cafe_operator *op) {
    int64_t entries, every = (width > CAFE_TILE ? width : CAFE_TILE) + CAFE_AHEAD;
    cafe_centred *t = op->own = cafe_mem_zero(context, 1, sizeof *t);
    if (!t) return CAFE_ERROR_MEMORY;
    if (__builtin_mul_overflow(n, width, &entries))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a table of %lld x %lld is too large",
                         (long long)n, (long long)width);
    t->x = cafe_mem(context, entries, sizeof *t->x);
    t->roots = cafe_mem(context, n, sizeof *t->roots);
    t->ones = cafe_mem(context, n, sizeof *t->ones);
    t->means = cafe_mem(context, width, sizeof *t->means);
    t->every = cafe_mem(context, every, sizeof *t->every);
    if (!t->x || !t->roots || !t->ones || !t->means || !t->every) return CAFE_ERROR_MEMORY;
    /* behind the last row a gather only asks ahead, which may name any address */
    for (int64_t i = 0; i < every; i++) t->every[i] = (int32_t)i;
    op->parts = (cafe_operator_parts){.n = n,
                                      .total = 1,
                                      .p = t->ones,
                                      .reach = t->roots,
                                      .f = t->x,
                                      .width = width,
                                      .every = t->every,
                                      .kappa = 1,
                                      .sign = 1};
    return CAFE_OK;
}

cafe_status cafe_operator_table(cafe_context *context, int64_t n, int64_t width, const float *x,
                                cafe_operator **op) {
    cafe_status status = CAFE_OK;
    atomic_llong bad = INT64_MAX;
    centring c = {.x = x, .n = n, .width = width, .bad = &bad};
    cafe_operator *made = NULL;
    *op = NULL;
    if (n < 1 || width < 1 || width > INT32_MAX - 2 * CAFE_AHEAD)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a table of %lld x %lld has nothing to reduce", (long long)n,
                         (long long)width);
    CAFE_TRY(cafe_operator_new(context, &table, n, &made));
    CAFE_TRY(allocate(context, n, width, made));
    c.table = made->own;
    c.block = cafe_blocks(n, BLOCKS);
    c.sums = cafe_mem(context, cafe_blocks(n, c.block) * width, sizeof *c.sums);
    CAFE_TRY(c.sums ? CAFE_OK : CAFE_ERROR_MEMORY);
    cafe_phase(context, "centre", 0);
    CAFE_TRY(centre(context, &c));
    *op = made;
    made = NULL;
done:
    cafe_mem_free(context, c.sums);
    cafe_operator_free(made);
    return status;
}

const cafe_centred *cafe_operator_centred(const cafe_operator *op) {
    return op->own;
}
