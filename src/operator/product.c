/* Products and traces of an operator that its parts define.
 *
 *     (Q X)_u = sign sum_w a(u,w) x_w / total + kappa f_u S,     S = F^T X
 *
 * S is computed once, so a product costs one pass over A and one pass over F. For a graph, F is the
 * column p: O(K) operations a row besides the edges.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/ops.h"

enum {
    ROWS = 256,  /* rows of a task of a product */
    BLOCK = 1024 /* rows of a block of a trace */
};

typedef struct apply_job {
    const cafe_operator *op;
    cafe_side side;
    cafe_range range;
    int64_t stride;
    const float *x, *s; /* s: S, scaled to be subtracted, or to be added for F of several columns */
    float a, b, c;
    int64_t step;
    float *y;
    float *rows;       /* one scratch row per worker */
    const float *none; /* a row of zeros */
} apply_job;

static void apply_row(void *argument, int64_t i, int64_t u, float *sum) {
    const apply_job *job = argument;
    const cafe_operator_parts *q = &job->op->parts;
    const cafe_kernels *kernels = job->op->kernels;
    double p = q->p[u];
    /* Q: sum / total - p_u s; D^-1 Q: sum / (total p_u) - s */
    double scale = job->side == CAFE_SIDE_WALK ? (p > 0 ? 1 / (q->total * p) : 0) : 1 / q->total;
    double shift = job->side == CAFE_SIDE_WALK ? (p > 0) : p;
    (void)i;
    if (q->f)
        kernels->gather(job->s, job->stride, q->every, q->f + u * q->width, q->width, !q->offsets,
                        sum);
    kernels->combine(job->stride, sum, (float)scale, q->f ? 0 : (float)shift,
                     q->f ? job->none : job->s, job->a, job->b, job->x + u * job->stride, job->c,
                     job->y + u * job->step);
}

static void apply_block(void *argument, int64_t block, int32_t worker) {
    apply_job *job = argument;
    int64_t first = block * ROWS, end = cafe_block_end(job->range.count, ROWS, block);
    cafe_range range = {job->range.first + first, 1, end - first, job->range.list};
    float *row = job->rows + worker * job->stride;
    if (job->op->parts.offsets)
        cafe_stream_rows(job->op, job->stride, job->x, range, NULL, job->b != 0, row, 0, apply_row,
                         job);
    for (int64_t i = 0; !job->op->parts.offsets && i < range.count; i++)
        apply_row(job, 0, cafe_range_node(&range, i), row);
}

cafe_status cafe_product_rows(cafe_context *context, const cafe_operator *op, cafe_side side,
                              cafe_range rows, int64_t stride, const float *x, const double *s,
                              float a, float b, float c, int64_t step, float *y) {
    const cafe_operator_parts *q = &op->parts;
    cafe_status status = CAFE_ERROR_MEMORY;
    apply_job job = {.op = op, .side = side, .range = rows, .stride = stride, .x = x};
    int64_t size = q->width * stride;
    double both = q->kappa * q->sign;
    float *single = cafe_mem_zero(context, size + stride, sizeof *single);
    job.rows = cafe_mem(context, context->threads * stride, sizeof *job.rows);
    if (!single || !job.rows) goto done;
    for (int64_t i = 0; i < size && q->kappa != 0; i++)
        single[i] =
            (float)(q->f ? cafe_factor_sign(q, i / stride) * both * q->total * s[i] : -both * s[i]);
    job.b = b, job.c = c, job.step = step, job.y = y;
    job.a = (float)q->sign * a, job.s = single, job.none = single + size;
    CAFE_TRY(cafe_parallel(context, cafe_blocks(rows.count, ROWS), apply_block, &job));
done:
    cafe_mem_free_all(context, single, job.rows);
    return status;
}

cafe_status cafe_parts_product(cafe_context *context, const cafe_operator *op, cafe_side side,
                               int64_t stride, const float *x, float a, float b, float c,
                               int64_t step, float *y) {
    cafe_range all = {0, 1, op->n, NULL};
    double *s = cafe_mem(context, op->parts.width * stride, sizeof *s);
    cafe_status status = cafe_mem_had(s);
    if (status == CAFE_OK && op->parts.kappa != 0)
        status = cafe_operator_sums(context, op, stride, x, s);
    if (status == CAFE_OK)
        status = cafe_product_rows(context, op, side, all, stride, x, s, a, b, c, step, y);
    cafe_mem_free(context, s);
    return status;
}

/* ---- tr(X^T Q X) = sign sum of a(u,w) <x_u, x_w> / total + kappa ||S||^2 --------------------- */

typedef struct trace_job {
    const cafe_operator *op;
    int64_t stride;
    const float *x;
    float *rows;     /* one scratch row for each worker */
    double *partial; /* one sum for each block */
} trace_job;

typedef struct trace_row {
    const trace_job *job;
    double sum;
} trace_row;

static void trace_node(void *argument, int64_t i, int64_t u, float *sum) {
    trace_row *row = argument;
    (void)i;
    row->sum +=
        row->job->op->kernels->dot(row->job->stride, sum, row->job->x + u * row->job->stride);
}

static void trace_block(void *argument, int64_t block, int32_t worker) {
    trace_job *job = argument;
    trace_row row = {job, 0};
    int64_t first = block * BLOCK;
    cafe_range range = {first, 1, cafe_block_end(job->op->n, BLOCK, block) - first, NULL};
    cafe_stream_rows(job->op, job->stride, job->x, range, NULL, true,
                     job->rows + worker * job->stride, 0, trace_node, &row);
    job->partial[block] = row.sum;
}

/* tr(X^T Q X) = sum over u of <x_u, (Q X)_u>, for operators without rows. */
static cafe_status trace_of_product(cafe_context *context, const cafe_operator *op, int64_t stride,
                                    const float *x, double *trace) {
    float *y = cafe_mem(context, op->n * stride, sizeof *y);
    if (!y) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_operator_apply(context, op, CAFE_SIDE_PLAIN, stride, x, 1, 0, 0, y);
    *trace = 0;
    for (int64_t u = 0; u < op->n && status == CAFE_OK; u++)
        *trace += op->kernels->dot(stride, x + u * stride, y + u * stride);
    cafe_mem_free(context, y);
    return status;
}

cafe_status cafe_operator_trace_block(cafe_context *context, const cafe_operator *op,
                                      int64_t stride, const float *x, double *trace) {
    if (!cafe_operator_has_rows(op)) return trace_of_product(context, op, stride, x, trace);
    const cafe_operator_parts *q = &op->parts;
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t blocks = q->offsets ? cafe_blocks(op->n, BLOCK) : 0, size = q->width * stride;
    trace_job job = {.op = op, .stride = stride, .x = x};
    double *s = cafe_mem(context, size, sizeof *s);
    job.rows = cafe_mem(context, context->threads * stride, sizeof *job.rows);
    job.partial = cafe_mem(context, blocks, sizeof *job.partial);
    if (!s || !job.rows || !job.partial) goto done;
    CAFE_TRY(cafe_operator_sums(context, op, stride, x, s));
    CAFE_TRY(cafe_parallel(context, blocks, trace_block, &job));
    *trace = 0;
    for (int64_t b = 0; b < blocks; b++) *trace += job.partial[b] / q->total;
    for (int64_t i = 0; i < size; i++)
        *trace += cafe_factor_sign(q, i / stride) * q->sign * q->kappa * s[i] * s[i];
    *trace *= q->sign;
done:
    cafe_mem_free_all(context, s, job.rows, job.partial);
    return status;
}
