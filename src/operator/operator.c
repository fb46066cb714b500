/* Operators of every kind: creation, properties, release; functions that need only the parts of Q.
 */
#include "operator/operator.h"

#include <math.h>

#include "base/memory.h"
#include "operator/ops.h"

cafe_status cafe_operator_new(cafe_context *context, const cafe_operator_ops *ops, int64_t n,
                              cafe_operator **op) {
    *op = cafe_mem_zero(context, 1, sizeof **op);
    if (!*op) return CAFE_ERROR_MEMORY;
    **op = (cafe_operator){.ops = ops, .context = context, .n = n};
    (*op)->kernels = cafe_kernels_best();
    (*op)->held = cafe_mem_zero(context, 1, sizeof *(*op)->held);
    if ((*op)->held) return CAFE_OK;
    cafe_mem_free(context, *op);
    *op = NULL;
    return CAFE_ERROR_MEMORY;
}

void cafe_operator_free(cafe_operator *op) {
    if (!op) return;
    cafe_let_go(op->context, op->held);
    if (op->ops->free) op->ops->free(op);
    cafe_mem_free_all(op->context, op->held, op);
}

bool cafe_operator_has_rows(const cafe_operator *op) {
    return op->ops->rows;
}

cafe_status cafe_operator_need_rows(cafe_context *context, const cafe_operator *op) {
    if (op->ops->rows) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "this operator, %s, has products but no rows, which are needed here",
                     op->ops->name);
}

cafe_status cafe_operator_need_edges(cafe_context *context, const cafe_operator *op) {
    CAFE_PASS(cafe_operator_need_rows(context, op));
    if (op->parts.offsets) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "this operator, %s, has no edges, which are needed here", op->ops->name);
}

cafe_status cafe_operator_need_links(cafe_context *context, const cafe_operator *op) {
    cafe_status status = cafe_operator_need_edges(context, op);
    if (status == CAFE_OK && op->parts.f)
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "this operator, %s, has several null models; one is needed here",
                           op->ops->name);
    return status;
}

double cafe_operator_bytes(const cafe_operator *op, int64_t stride) {
    return op->ops->bytes(op, stride);
}

cafe_status cafe_operator_apply(cafe_context *context, const cafe_operator *op, cafe_side side,
                                int64_t stride, const float *x, float a, float b, float c,
                                float *y) {
    return op->ops->product(context, op, side, stride, x, a, b, c, stride, y);
}

cafe_status cafe_operator_apply_at(cafe_context *context, const cafe_operator *op, cafe_side side,
                                   int64_t stride, const float *x, float a, float b, float c,
                                   int64_t step, float *y) {
    return op->ops->product(context, op, side, stride, x, a, b, c, step, y);
}

cafe_status cafe_operator_sums(cafe_context *context, const cafe_operator *op, int64_t stride,
                               const float *x, double *s) {
    return op->ops->sums(context, op, stride, x, s);
}

double cafe_factor_product(const cafe_operator_parts *q, int64_t u, int64_t w) {
    double sum = 0;
    if (!q->f) return q->p[u] * q->p[w];
    for (int64_t i = 0; i < q->width; i++)
        sum += cafe_factor_sign(q, i) * ((double)q->f[u * q->width + i] * q->f[w * q->width + i]);
    return sum;
}

double cafe_factor_expected(const cafe_operator_parts *q, double resolution, int64_t u, int64_t w) {
    double sum = resolution * cafe_factor_product(q, u, w);
    for (int64_t i = 0; i < q->width && q->tables > 0; i++)
        if (cafe_factor_is_table(q, i))
            sum += (1 - resolution) * ((double)q->f[u * q->width + i] * q->f[w * q->width + i]);
    return sum;
}

/* With as many columns added as subtracted and |f(u,l)| <= f(u,l') for each pair of them,
 *
 *     f(u,l') f(w,l') - f(u,l) f(w,l) >= 0:   directed and two-sided models. */
bool cafe_operator_attracts(const cafe_operator_parts *q) {
    int64_t added = q->width - q->subtracted;
    if (!q->f || added == 0) return false;
    if (added != q->subtracted) return true;
    for (int64_t u = 0; u < q->n; u++)
        for (int64_t l = 0; l < added; l++)
            if (fabsf(q->f[u * q->width + l]) > q->f[u * q->width + added + l]) return true;
    return false;
}

cafe_status cafe_operator_row(cafe_context *context, const cafe_operator *op, int64_t u,
                              double *row) {
    const cafe_operator_parts *q = &op->parts;
    CAFE_PASS(cafe_operator_need_rows(context, op));
    if (u < 0 || u >= op->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no node %lld", (long long)u);
    /* q(u,w) = sign a(u,w) / total + kappa <f_u, f_w> */
    for (int64_t w = 0; w < op->n; w++) row[w] = q->kappa * cafe_factor_product(q, u, w);
    for (int64_t j = q->offsets ? q->offsets[u] : 0; q->offsets && j < q->offsets[u + 1]; j++)
        row[q->targets[j]] += q->sign * CAFE_LINK(q, u, j) / q->total;
    return CAFE_OK;
}
