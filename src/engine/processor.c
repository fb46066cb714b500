/* The processor's engine: rows in memory, the kernels of src/kernels, the context's threads. */
#include "engine/processor.h"

#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"
#include "engine/panels.h"

enum {
    BLOCK = 1024,          /* rows of a task */
    CANCEL_ROWS = 1 << 18, /* rows moved between two checks of the cancel flag */
};

cafe_status cafe_processor_room(cafe_context *context, int64_t n, int64_t columns,
                                cafe_block *block) {
    *block = (cafe_block){n, cafe_stride(columns), columns, {NULL}, &cafe_processor, 0};
    void *rows = NULL;
    CAFE_PASS(cafe_mem_file(context, n * block->stride, sizeof *block->x, &rows));
    block->x = rows;
    return CAFE_OK;
}

static cafe_status make(cafe_context *context, const cafe_engine *engine, int64_t n,
                        int64_t columns, cafe_block *block) {
    CAFE_PASS(cafe_processor_room(context, n, columns, block));
    block->engine = engine;
    cafe_mem_touch(context, block->x);
    return CAFE_OK;
}

static void drop(cafe_context *context, cafe_block *block) {
    cafe_mem_free(context, block->x);
    block->x = NULL;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Row i of the part, `columns` floats and `zeros` more of value 0. */
typedef struct copy_job {
    const float *from;
    float *to;
    int64_t from_step, to_step, rows, columns, zeros;
} copy_job;

static void copy_rows(void *argument, int64_t first, int64_t last) {
    const copy_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        float *to = job->to + i * job->to_step;
        memcpy(to, job->from + i * job->from_step, (size_t)job->columns * sizeof *to);
        memset(to + job->columns, 0, (size_t)job->zeros * sizeof *to);
    }
}

/* Tasks write a huge page each, which may be a new one (cafe_mem_touch()). */
static cafe_status run_copy(cafe_context *context, copy_job job) {
    enum { BYTES = 2 << 20 };
    int64_t row = (job.to_step > 0 ? job.to_step : 1) * (int64_t)sizeof *job.to;
    return cafe_ranges(context, job.rows, row < BYTES ? BYTES / row : 1, copy_rows, &job);
}

/* Returns the number of padding floats to clear, if `end` is the block's last column. */
static int64_t zeros_after(const cafe_block *x, int64_t end) {
    return x->first == 0 && end == x->columns ? x->stride - end : 0;
}

static cafe_status copy_in(cafe_context *context, cafe_block *x, cafe_part part, const float *from,
                           int64_t step) {
    int64_t zeros = zeros_after(x, part.column + part.columns);
    return run_copy(context, (copy_job){from, cafe_row(x, part.row) + part.column, step, x->stride,
                                        part.rows, part.columns, zeros});
}

static cafe_status copy_out(cafe_context *context, const cafe_block *x, cafe_part part, float *to,
                            int64_t step) {
    return run_copy(context, (copy_job){cafe_row(x, part.row) + part.column, to, x->stride, step,
                                        part.rows, part.columns, 0});
}

static cafe_status copy(cafe_context *context, const cafe_block *from, cafe_block *to,
                        int64_t place) {
    return run_copy(context,
                    (copy_job){cafe_row(from, 0), cafe_row(to, 0) + place, from->stride, to->stride,
                               from->n, from->columns, zeros_after(to, place + from->columns)});
}

/* A row never lands on one that is still to be read. */
static cafe_status select_columns(cafe_context *context, cafe_block *x, int64_t count,
                                  const int64_t *kept) {
    cafe_status status = CAFE_OK;
    int64_t stride = cafe_stride(count);
    for (int64_t u = 0; u < x->n && status == CAFE_OK; u++) {
        float *to = x->x + u * stride;
        const float *from = x->x + u * x->stride;
        for (int64_t k = 0; k < count; k++) to[k] = from[kept[k]];
        memset(to + count, 0, (size_t)(stride - count) * sizeof *to);
        if (u % CANCEL_ROWS == 0) status = cafe_check_cancel(context);
    }
    x->columns = count;
    x->stride = stride;
    return status;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void sum_rows(void *argument, int64_t first, int64_t last, double *sum) {
    cafe_add_dots(argument, first, last, sum);
}

/* cross = sum over u of w_u <x_u, y_u>, own = sum over u of own_u ||x_u||^2, by pieces of rows,
 * each from its first row to its last. */
static cafe_status sums(cafe_context *context, const cafe_block *x, const cafe_block *y,
                        const double *weights, const double *own_weights, int64_t negative,
                        double *cross, double *own) {
    cafe_dots dots = {cafe_kernels_best(), x, y, weights, own_weights, negative};
    double total[2] = {0, 0};
    cafe_status status = cafe_sums(context, x->n, cafe_piece_rows(x->n), sum_rows, &dots, 2, total);
    *cross = total[0], *own = total[1];
    return status;
}

/* ---- the operator ---------------------------------------------------------------------------- */

/* Y = a M X + b X + c Y; X in a file is read in groups of columns (engine/panels.h). */
static cafe_status product(cafe_context *context, const cafe_operator *op, void *held,
                           cafe_side side, float a, const cafe_block *x, float b, float c,
                           cafe_block *y) {
    cafe_operator own = cafe_processor_held(op, held);
    y->columns = x->columns;
    if (cafe_in_file(context, x->x)) return cafe_panels_product(context, &own, side, a, x, b, c, y);
    return cafe_operator_apply(context, &own, side, x->stride, x->x, a, b, c, y->x);
}

static void zero_rows(void *argument, int64_t first, int64_t last) {
    const cafe_block *y = argument;
    memset(y->x + first * y->stride, 0, (size_t)((last - first) * y->stride) * sizeof *y->x);
}

/* Returns the number of nodes with weight other than 0; list (NULL: count only) gets them. */
static int64_t list_rows(int64_t n, const double *weights, int32_t *list) {
    int64_t count = 0;
    for (int64_t u = 0; u < n; u++) {
        if (list && weights[u] != 0) list[count] = (int32_t)u;
        count += weights[u] != 0;
    }
    return count;
}

/* Y = M X in all rows for operators without rows and for blocks in files; otherwise rows with
 * weight 0 become 0. */
static cafe_status product_where(cafe_context *context, const cafe_operator *op, void *held,
                                 cafe_side side, const cafe_block *x, const double *weights,
                                 cafe_block *y) {
    cafe_status status = CAFE_OK;
    if (!cafe_operator_has_rows(op) || cafe_in_file(context, x->x))
        return product(context, op, held, side, 1, x, 0, 0, y);
    cafe_operator own = cafe_processor_held(op, held);
    cafe_range rows = {0, 1, list_rows(x->n, weights, NULL), NULL};
    int32_t *list = cafe_mem(context, rows.count, sizeof *list);
    double *s = cafe_mem(context, op->parts.width * x->stride, sizeof *s);
    CAFE_TRY(cafe_mem_had(list, s));
    list_rows(x->n, weights, list);
    rows.list = list;
    y->columns = x->columns;
    CAFE_TRY(cafe_ranges(context, y->n, BLOCK, zero_rows, y));
    CAFE_TRY(cafe_operator_sums(context, &own, x->stride, x->x, s));
    CAFE_TRY(
        cafe_product_rows(context, &own, side, rows, x->stride, x->x, s, 1, 0, 0, y->stride, y->x));
done:
    cafe_mem_free_all(context, list, s);
    return status;
}

/* S = F^T X */
static cafe_status project(cafe_context *context, const cafe_operator *op, void *held,
                           const cafe_block *x, double *s) {
    (void)held;
    return cafe_operator_sums(context, op, x->stride, x->x, s);
}

/* H in a file moves into memory from the first sweep to the last, if there is room. The block then
 * points to that memory. */
typedef struct sweeping {
    cafe_operator op; /* with the data that the engine holds for it */
    cafe_mover *mover;
    cafe_block *h;
    float *file; /* where the rows go in the end; NULL: they stay where they are */
} sweeping;

/* Opens a sweep on a block in memory, in memory for the time of the sweep, or in groups of columns:
 *
 *     width = stride   H fits (it moves into memory if it lies in a file)
 *     width < stride   H stays in its file, and the mover reads `width` columns at a time
 */
static cafe_status sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                              const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                              cafe_block *h, void **sweep) {
    sweeping *s = *sweep = cafe_mem_zero(context, 1, sizeof *s);
    int64_t width = h->stride;
    if (!s) return CAFE_ERROR_MEMORY;
    s->op = cafe_processor_held(op, held);
    s->h = h;
    if (cafe_in_file(context, h->x)) {
        CAFE_PASS(cafe_panels_fit(context, &s->op, h, &chunks, &width));
        if (width == h->stride) CAFE_PASS(cafe_panel_take(context, h, &s->file));
    }
    CAFE_PASS(cafe_mover_new(context, &s->op, *rule, h->stride, h->x, fixed, &s->mover));
    if (width < h->stride) cafe_mover_group(s->mover, width);
    return cafe_mover_aim(context, s->mover, NULL, 0, chunks, NULL);
}

static cafe_status sweep_run(cafe_context *context, void *sweep, double *gain) {
    return cafe_mover_sweep(context, ((sweeping *)sweep)->mover, gain);
}

static cafe_status sweep_sums(cafe_context *context, void *sweep, bool put, double *s) {
    (void)context;
    cafe_mover_sums(((sweeping *)sweep)->mover, put, s);
    return CAFE_OK;
}

static const cafe_chunks *sweep_chunks(const void *sweep) {
    return cafe_mover_chunks(((const sweeping *)sweep)->mover);
}

static void sweep_close(cafe_context *context, void *sweep) {
    sweeping *s = sweep;
    if (!s) return;
    cafe_mover_free(s->mover);
    if (s->file) cafe_panel_return(context, s->file, s->h);
    cafe_mem_free(context, s);
}

static const cafe_engine_ops operations = {
    .make = make,
    .drop = drop,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .copy = copy,
    .select = select_columns,
    .start = cafe_processor_start,
    .attach = cafe_processor_attach,
    .detach = cafe_processor_detach,
    .spares_held = true,
    .product = product,
    .product_where = product_where,
    .project = project,
    .sweep_open = sweep_open,
    .sweep_run = sweep_run,
    .sweep_sums = sweep_sums,
    .sweep_chunks = sweep_chunks,
    .sweep_close = sweep_close,
    .gram = cafe_processor_gram,
    .gram_even = cafe_processor_gram_even,
    .transform = cafe_processor_transform,
    .scale = cafe_processor_scale,
    .norms = cafe_processor_norms,
    .totals = cafe_processor_totals,
    .sums = sums,
};

const cafe_engine cafe_processor = {&operations, "processor", NULL};
