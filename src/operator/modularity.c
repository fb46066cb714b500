/* The modularity operator Q = P - p p^T of a sampled graph: rows and products.
 *
 * (Q X)_u = p_u (sum_w a(u,w) x_w / d_u - s) with s = sum_w p_w x_w: the rank-one term costs O(K) a
 * row, so a product costs one pass over the arcs.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "operator/operator.h"

enum {
    ROWS = 256,       /* rows of a product's task */
    LEAST_SUM = 1024, /* rows of a partial sum, at least */
    MOST_SUMS = 1024  /* partial sums, at most */
};

cafe_status cafe_operator_modularity(cafe_context *context, const cafe_sampled *sampled,
                                     cafe_operator **op) {
    *op = cafe_mem_zero(context, 1, sizeof **op);
    if (!*op) return CAFE_ERROR_MEMORY;
    (*op)->context = context;
    (*op)->sampled = sampled;
    (*op)->kernels = cafe_kernels_best();
    (*op)->n = sampled->n;
    (*op)->window = 1;
    (*op)->sign = 1;
    return CAFE_OK;
}

cafe_status cafe_operator_need_rows(cafe_context *context, const cafe_operator *op) {
    if (op->window == 1) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "this operator applies walks of %lld steps without their rows, which are "
                     "needed here",
                     (long long)op->window);
}

void cafe_operator_free(cafe_operator *op) {
    if (op) cafe_mem_free(op->context, op);
}

int64_t cafe_operator_nodes(const cafe_operator *op) {
    return op->n;
}

cafe_status cafe_operator_row(cafe_context *context, const cafe_operator *op, int64_t u,
                              double *row) {
    const cafe_sampled *s = op->sampled;
    cafe_status status = cafe_operator_need_rows(context, op);
    if (status != CAFE_OK) return status;
    if (u < 0 || u >= op->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no node %lld", (long long)u);
    /* q(u,w) = p(u,w) - p_u p_w */
    for (int64_t w = 0; w < op->n; w++) row[w] = -s->p[u] * s->p[w];
    for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
        row[s->targets[j]] += (s->weights ? s->weights[j] : 1) / s->total;
    return CAFE_OK;
}

/* ---- s = sum of p_w x_w ---------------------------------------------------------------------- */

typedef struct mean_job {
    const cafe_operator *op;
    int64_t stride, block;
    const float *x;
    double *partial;
} mean_job;

static void mean_block(void *argument, int64_t block, int32_t worker) {
    mean_job *job = argument;
    double *sum = job->partial + block * job->stride;
    (void)worker;
    for (int64_t k = 0; k < job->stride; k++) sum[k] = 0;
    for (int64_t u = block * job->block; u < cafe_block_end(job->op->n, job->block, block); u++)
        job->op->kernels->accumulate(job->stride, job->op->sampled->p[u], job->x + u * job->stride,
                                     sum);
}

cafe_status cafe_operator_mean(cafe_context *context, const cafe_operator *op, int64_t stride,
                               const float *x, double *s) {
    int64_t even = cafe_blocks(op->n, MOST_SUMS);
    mean_job job = {op, stride, even > LEAST_SUM ? even : LEAST_SUM, x, NULL};
    int64_t blocks = cafe_blocks(op->n, job.block);
    job.partial = cafe_mem(context, blocks * stride, sizeof *job.partial);
    if (!job.partial) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(context, blocks, mean_block, &job);
    for (int64_t k = 0; k < stride; k++) s[k] = 0;
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++)
        for (int64_t k = 0; k < stride; k++) s[k] += job.partial[b * stride + k];
    cafe_mem_free(context, job.partial);
    return status;
}

/* ---- products -------------------------------------------------------------------------------- */

typedef struct apply_job {
    const cafe_operator *op;
    cafe_side side;
    int64_t stride;
    const float *x, *s;
    float a, b, c;
    float *y;
    float *rows; /* one scratch row per worker */
} apply_job;

static void apply_row(void *argument, int64_t i, int64_t u, float *sum) {
    const apply_job *job = argument;
    const cafe_sampled *s = job->op->sampled;
    double p = s->p[u];
    /* Q: sum / 2m - p_u s; D^-1 Q: sum / (2m p_u) - s */
    double scale = job->side == CAFE_SIDE_WALK ? (p > 0 ? 1 / (s->total * p) : 0) : 1 / s->total;
    double shift = job->side == CAFE_SIDE_WALK ? (p > 0) : p;
    (void)i;
    job->op->kernels->combine(job->stride, sum, (float)scale, (float)shift, job->s, job->a, job->b,
                              job->x + u * job->stride, job->c, job->y + u * job->stride);
}

static void apply_block(void *argument, int64_t block, int32_t worker) {
    apply_job *job = argument;
    int64_t first = block * ROWS;
    cafe_range range = {first, 1, cafe_block_end(job->op->n, ROWS, block) - first};
    cafe_stream_rows(job->op, job->stride, job->x, range, NULL, job->b != 0,
                     job->rows + worker * job->stride, 0, apply_row, job);
}

cafe_status cafe_operator_apply(cafe_context *context, const cafe_operator *op, cafe_side side,
                                int64_t stride, const float *x, float a, float b, float c,
                                float *y) {
    if (op->window > 1) return cafe_operator_apply_walk(context, op, side, stride, x, a, b, c, y);
    cafe_status status = CAFE_ERROR_MEMORY;
    apply_job job = {op, side, stride, x, NULL, (float)op->sign * a, b, c, y, NULL};
    double *mean = cafe_mem(context, stride, sizeof *mean);
    float *s = cafe_mem(context, stride, sizeof *s);
    job.rows = cafe_mem(context, context->threads * stride, sizeof *job.rows);
    if (!mean || !s || !job.rows) goto done;
    CAFE_TRY(cafe_operator_mean(context, op, stride, x, mean));
    for (int64_t k = 0; k < stride; k++) s[k] = (float)mean[k];
    job.s = s;
    CAFE_TRY(cafe_parallel(context, cafe_blocks(op->n, ROWS), apply_block, &job));
done:
    cafe_mem_free(context, mean);
    cafe_mem_free(context, s);
    cafe_mem_free(context, job.rows);
    return status;
}
