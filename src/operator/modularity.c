/* The modularity operator of a sampled graph,
 *
 *     Q = P - p p^T = A / 2m + kappa F F^T,   F = p, kappa = -1,   p = P 1 = (degrees) / 2m.
 *
 * Rows of Q sum to 0, Q 1 = P 1 - p (p^T 1) = 0, because p sums to 1.
 */
#include "base/thread_pool.h"
#include "operator/ops.h"
#include "sample/sampled_graph.h"

/* ---- s = sum of p_w x_w ---------------------------------------------------------------------- */

typedef struct mean_job {
    const cafe_operator *op;
    int64_t stride;
    const float *x;
} mean_job;

static void add_rows(void *argument, int64_t first, int64_t last, double *sum) {
    const mean_job *job = argument;
    for (int64_t u = first; u < last; u++)
        job->op->kernels->accumulate(job->stride, job->op->parts.p[u], job->x + u * job->stride,
                                     sum);
}

cafe_status cafe_modularity_sums(cafe_context *context, const cafe_operator *op, int64_t stride,
                                 const float *x, double *s) {
    mean_job job = {op, stride, x};
    for (int64_t k = 0; k < stride; k++) s[k] = 0;
    return cafe_sums(context, op->n, cafe_piece_rows(op->n), add_rows, &job, stride, s);
}

/* ---- the object ------------------------------------------------------------------------------ */

/* Bytes: partial sums, their total twice, and one row for each worker. */
static double bytes(const cafe_operator *op, int64_t stride) {
    double pieces = (double)cafe_blocks(op->n, cafe_piece_rows(op->n));
    return (double)stride * (pieces * 8 + 12 + 4.0 * op->context->threads);
}

static const cafe_operator_ops modularity = {
    .name = "the modularity of a graph",
    .rows = true,
    .product = cafe_parts_product,
    .sums = cafe_modularity_sums,
    .bytes = bytes,
};

cafe_operator_parts cafe_modularity_parts(const cafe_sampled *s) {
    return (cafe_operator_parts){.n = s->n,
                                 .offsets = s->offsets,
                                 .targets = s->targets,
                                 .weights = s->weights,
                                 .factor = s->factor,
                                 .loops = s->loops,
                                 .total = s->total,
                                 .p = s->p,
                                 .reach = s->p,
                                 .width = 1,
                                 .kappa = -1,
                                 .sign = 1};
}

cafe_status cafe_operator_modularity(cafe_context *context, const cafe_sampled *sampled,
                                     cafe_operator **op) {
    cafe_status status = cafe_operator_new(context, &modularity, sampled->n, op);
    if (status == CAFE_OK) (*op)->parts = cafe_modularity_parts(sampled);
    return status;
}
