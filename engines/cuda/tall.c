/* Gram matrices, products with small matrices, scalings, norms and sums, in the shapes that the
 * processor gives them (engine/processor_tall.c). */
#include <math.h>

#include "cuda.h"

/* ---- sums over rows -------------------------------------------------------------------------- */

/* sums_k = the sum of `count` partial sums of each column, on the device. */
static cafe_status add_up(cafe_context *context, const cuda_state *state, const double *parts,
                          int64_t count, int64_t columns, double *sums) {
    void *there = NULL;
    CAFE_PASS(cuda_new(context, state, columns, sizeof *sums, &there));
    add_parts_args a = {parts, count, columns, there};
    cafe_status status = cuda_check(
        context, state, launch_add_parts(state->device, cuda_blocks(columns, BLOCK), &a));
    if (status == CAFE_OK)
        status = cuda_get(context, state, sums, there, columns * (int64_t)sizeof *sums);
    device_release(state->device, there);
    return status;
}

cafe_status cuda_sum_columns(cafe_context *context, const cuda_state *state, const cafe_block *x,
                             int64_t columns, const double *weights, sum_kind kind, double *sums) {
    cafe_status status = CAFE_OK;
    int64_t piece = cafe_piece_rows(x->n), pieces = cuda_blocks(x->n, piece);
    const double *there = NULL;
    void *owned = NULL, *parts = NULL;
    CAFE_TRY(cuda_numbers(context, state, weights, x->n, &there, &owned));
    CAFE_TRY(cuda_new(context, state, pieces * columns, sizeof(double), &parts));
    sum_columns_args a = {cuda_rows(x), there, x->n, x->stride, columns, piece, kind, parts};
    CAFE_TRY(
        cuda_check(context, state,
                   launch_sum_columns(state->device, pieces * cuda_blocks(columns, BLOCK), &a)));
    CAFE_TRY(add_up(context, state, parts, pieces, columns, sums));
done:
    device_release(state->device, owned);
    device_release(state->device, parts);
    return status;
}

cafe_status cuda_norms(cafe_context *context, const cafe_block *x, const double *factors,
                       double *norms) {
    if (x->columns == 0) return CAFE_OK;
    CAFE_PASS(cuda_sum_columns(context, cuda_of(x), x, x->columns, factors, SUM_SQUARES, norms));
    for (int64_t j = 0; j < x->columns; j++) norms[j] = sqrt(norms[j]);
    return CAFE_OK;
}

cafe_status cuda_totals(cafe_context *context, const cafe_block *x, const double *weights,
                        double *totals) {
    if (x->columns == 0) return CAFE_OK;
    return cuda_sum_columns(context, cuda_of(x), x, x->columns, weights, SUM_PLAIN, totals);
}

cafe_status cuda_sums(cafe_context *context, const cafe_block *x, const cafe_block *y,
                      const double *weights, const double *own_weights, int64_t negative,
                      double *cross, double *own) {
    const cuda_state *state = cuda_of(x);
    cafe_status status = CAFE_OK;
    int64_t piece = cafe_piece_rows(x->n), pieces = cuda_blocks(x->n, piece);
    void *owned[2] = {NULL, NULL}, *parts = NULL;
    double both[2];
    sum_dots_args a = {.x = cuda_rows(x), .rows = x->n, .stride = x->stride, .columns = x->columns};
    a.piece = piece, a.negative = negative, a.y = y ? cuda_rows(y) : NULL;
    CAFE_TRY(cuda_numbers(context, state, y ? weights : NULL, x->n, &a.weights, &owned[0]));
    CAFE_TRY(cuda_numbers(context, state, own_weights, x->n, &a.own_weights, &owned[1]));
    CAFE_TRY(cuda_new(context, state, 2 * pieces, sizeof(double), &parts));
    a.parts = parts;
    CAFE_TRY(cuda_check(context, state, launch_sum_dots(state->device, pieces, &a)));
    CAFE_TRY(add_up(context, state, parts, pieces, 2, both));
    *cross = both[0], *own = both[1];
done:
    device_release(state->device, owned[0]);
    device_release(state->device, owned[1]);
    device_release(state->device, parts);
    return status;
}

cafe_status cuda_scale(cafe_context *context, cafe_block *x, const double *factors) {
    enum { EACH = 1024 };
    const cuda_state *state = cuda_of(x);
    scale_rows_args a = {cuda_rows(x), NULL, x->n, x->stride, x->columns};
    void *owned = NULL;
    cafe_status status = cuda_numbers(context, state, factors, x->n, &a.factors, &owned);
    if (status == CAFE_OK)
        status =
            cuda_check(context, state,
                       launch_scale_rows(state->device, cuda_blocks(x->n * x->columns, EACH), &a));
    device_release(state->device, owned);
    return status;
}

/* ---- Gram matrices --------------------------------------------------------------------------- */

enum {
    MOST_PARTS = 64,
    LEAST_PARTS = 16, /* partial Gram matrices */
    PART_BYTES = 64 * 1024 * 1024
};

/* Lists the rows with weight other than 0, part by part. */
typedef struct list_job {
    const double *weights;
    int64_t n, block;
    int64_t *starts; /* of each part in the list; in the first pass its rows, one place further */
    int32_t *list;   /* NULL: they are counted */
} list_job;

static void list_part(void *argument, int64_t first, int64_t last) {
    const list_job *job = argument;
    for (int64_t part = first; part < last; part++) {
        int64_t end = (part + 1) * job->block < job->n ? (part + 1) * job->block : job->n;
        int64_t count = 0;
        for (int64_t u = part * job->block; u < end; u++) {
            if (!(job->weights[u] > 0)) continue;
            if (job->list) job->list[job->starts[part] + count] = (int32_t)u;
            count++;
        }
        if (!job->list) job->starts[part + 1] = count;
    }
}

/* The starts of the parts, and where some weights are 0 the list. */
static cafe_status list_rows(cafe_context *context, const cuda_state *state, int64_t parts,
                             list_job *job, void **starts, void **list) {
    const cafe_engine_host *host = state->host;
    cafe_status status = CAFE_OK;
    int64_t count = 0;
    job->starts = host->allocate(context, parts + 1, sizeof *job->starts);
    CAFE_TRY(job->starts ? CAFE_OK : CAFE_ERROR_MEMORY);
    job->starts[0] = 0;
    for (int64_t i = 0; i < parts; i++)
        job->starts[i + 1] = (i + 1) * job->block < job->n ? job->block : job->n - i * job->block;
    if (job->weights) CAFE_TRY(host->ranges(context, parts, 1, list_part, job));
    for (int64_t i = 0; i < parts; i++) job->starts[i + 1] += job->starts[i];
    count = job->starts[parts];
    if (count < job->n) {
        job->list = host->allocate(context, count, sizeof *job->list);
        CAFE_TRY(job->list ? CAFE_OK : CAFE_ERROR_MEMORY);
        CAFE_TRY(host->ranges(context, parts, 1, list_part, job));
        CAFE_TRY(cuda_give(context, state, job->list, count, sizeof *job->list, list));
    }
    CAFE_TRY(cuda_give(context, state, job->starts, parts + 1, sizeof *job->starts, starts));
done:
    host->release(context, job->starts);
    host->release(context, job->list);
    return status;
}

static cafe_status add_grams(cafe_context *context, const cuda_state *state, int64_t parts,
                             const gram_parts_args *a, double *gram) {
    int64_t k = a->k;
    void *there = NULL;
    CAFE_PASS(cuda_new(context, state, k * k, sizeof *gram, &there));
    add_grams_args add = {a->parts, parts, k, there};
    cafe_status status = cuda_check(
        context, state, launch_add_grams(state->device, cuda_blocks(k * k, BLOCK), &add));
    if (status == CAFE_OK)
        status = cuda_get(context, state, gram, there, k * k * (int64_t)sizeof *gram);
    device_release(state->device, there);
    return status;
}

cafe_status cuda_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                      const double *weights, bool single, double *gram) {
    const cuda_state *state = cuda_of(a);
    cafe_status status = CAFE_OK;
    int64_t k = a->columns + (b ? b->columns : 0), n = a->n;
    void *owned = NULL, *parts = NULL, *starts = NULL, *list = NULL;
    gram_parts_args g = {.k = k, .tiles = cuda_blocks(k, TILE)};
    if (k == 0) return CAFE_OK;
    int64_t count = PART_BYTES / (k * k * (int64_t)sizeof *gram);
    count = count > MOST_PARTS ? MOST_PARTS : count < LEAST_PARTS ? LEAST_PARTS : count;
    list_job job = {.weights = weights, .n = n, .block = cuda_blocks(n, count)};
    if (job.block < PIECE) job.block = PIECE;
    count = cuda_blocks(n, job.block);
    g.x = (tall){cuda_rows(a), b ? cuda_rows(b) : NULL, a->stride, b ? b->stride : 0,
                 a->columns,   k - a->columns};
    CAFE_TRY(list_rows(context, state, count, &job, &starts, &list));
    g.starts = starts, g.list = list;
    CAFE_TRY(cuda_numbers(context, state, weights, n, &g.weights, &owned));
    CAFE_TRY(cuda_new(context, state, count * k * k, sizeof *gram, &parts));
    g.parts = parts;
    int64_t blocks = count * g.tiles * (g.tiles + 1) / 2;
    CAFE_TRY(cuda_check(context, state,
                        single ? launch_gram_single(state->device, blocks, &g)
                               : launch_gram_double(state->device, blocks, &g)));
    CAFE_TRY(add_grams(context, state, count, &g, gram));
done:
    device_release(state->device, owned);
    device_release(state->device, parts);
    device_release(state->device, starts);
    device_release(state->device, list);
    return status;
}

/* ---- products in place ----------------------------------------------------------------------- */

/* By way of a copy of some rows at a time. */
cafe_status cuda_transform(cafe_context *context, cafe_block *x, int64_t k, const double *m,
                           const int64_t *kept, const double *shift) {
    enum { ROWS = 1 << 18 };
    const cuda_state *state = cuda_of(x);
    cafe_status status = CAFE_OK;
    int64_t inner = kept ? k : x->columns, row = x->stride * (int64_t)sizeof(float);
    void *matrix = NULL, *columns = NULL, *shifts = NULL, *slice = NULL;
    CAFE_TRY(cuda_give(context, state, m, inner * k, sizeof *m, &matrix));
    CAFE_TRY(cuda_give(context, state, kept, k, sizeof *kept, &columns));
    CAFE_TRY(cuda_give(context, state, shift, k, sizeof *shift, &shifts));
    CAFE_TRY(cuda_new(context, state, x->n < ROWS ? x->n : ROWS, (size_t)row, &slice));
    transform_rows_args a = {.from = (float *)slice + x->first, .m = matrix, .shift = shifts};
    a.kept = columns, a.from_stride = a.stride = x->stride, a.inner = inner, a.k = k;
    a.zeros = x->stride - x->first - k;
    a.tiles = cuda_blocks(k + a.zeros, TILE);
    for (int64_t u = 0; u < x->n; u += ROWS) {
        a.rows = x->n - u < ROWS ? x->n - u : ROWS;
        a.x = cuda_rows(x) + u * x->stride;
        CAFE_TRY(cuda_check(context, state,
                            device_copy(state->device, slice, x->x + u * x->stride, a.rows * row)));
        CAFE_TRY(cuda_check(
            context, state,
            launch_transform_rows(state->device, cuda_blocks(a.rows, TILE) * a.tiles, &a)));
    }
    x->columns = k;
done:
    device_release(state->device, matrix);
    device_release(state->device, columns);
    device_release(state->device, shifts);
    device_release(state->device, slice);
    return status;
}
