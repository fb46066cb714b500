/* Questions of users about Q: products and traces of plain arrays, covariances of sets. */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/operator.h"
#include "sample/set_masses.h"

/* Returns a padded copy of a plain n x columns array, or the array if rows need no padding. */
static cafe_status pad(cafe_context *context, int64_t n, int64_t columns, const float *x,
                       float **copy, const float **block) {
    int64_t stride = cafe_stride(columns);
    *copy = NULL;
    *block = x;
    if (stride == columns) return CAFE_OK;
    *copy = cafe_mem_zero(context, n * stride, sizeof **copy);
    if (!*copy) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++)
        memcpy(*copy + u * stride, x + u * columns, (size_t)columns * sizeof *x);
    *block = *copy;
    return CAFE_OK;
}

static cafe_status check_columns(cafe_context *context, int64_t columns) {
    if (columns >= 1) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a block needs at least one column");
}

cafe_status cafe_operator_product(cafe_context *context, const cafe_operator *op, int64_t columns,
                                  const float *x, float *y) {
    cafe_status status = CAFE_OK;
    int64_t stride = cafe_stride(columns), n = op->n;
    const float *block = NULL;
    float *copy = NULL, *result = NULL;
    CAFE_TRY(check_columns(context, columns));
    CAFE_TRY(pad(context, n, columns, x, &copy, &block));
    if (copy) {
        result = cafe_mem_zero(context, n * stride, sizeof *result);
        if (!result) status = CAFE_ERROR_MEMORY;
    } else {
        memset(y, 0, (size_t)(n * columns) * sizeof *y);
    }
    CAFE_TRY(status);
    CAFE_TRY(cafe_operator_apply(context, op, CAFE_SIDE_PLAIN, stride, block, 1, 0, 0,
                                 result ? result : y));
    for (int64_t u = 0; result && u < n; u++)
        memcpy(y + u * columns, result + u * stride, (size_t)columns * sizeof *y);
done:
    cafe_mem_free_all(context, copy, result);
    return status;
}

cafe_status cafe_operator_trace(cafe_context *context, const cafe_operator *op, int64_t columns,
                                const float *x, double *trace) {
    float *copy = NULL;
    const float *block = NULL;
    cafe_status status = check_columns(context, columns);
    if (status == CAFE_OK) status = pad(context, op->n, columns, x, &copy, &block);
    if (status == CAFE_OK)
        status = cafe_operator_trace_block(context, op, cafe_stride(columns), block, trace);
    cafe_mem_free(context, copy);
    return status;
}

/* ---- q(S_i, S_j) ----------------------------------------------------------------------------- */

/* Computes q(S,S') = p(S,S') - p(S) p(S') = 1_S^T Q 1_S', or its negative. */
cafe_status cafe_operator_covariance(cafe_context *context, const cafe_operator *op,
                                     const int32_t *part, int64_t parts, double *covariance) {
    CAFE_PASS(cafe_operator_need_links(context, op));
    double *mass = cafe_mem(context, parts, sizeof *mass);
    if (!mass) return CAFE_ERROR_MEMORY;
    cafe_status status =
        cafe_partition_pairs(context, &CAFE_JOINT(&op->parts), part, parts, covariance, mass);
    for (int64_t i = 0; i < parts && status == CAFE_OK; i++)
        for (int64_t j = 0; j < parts; j++)
            covariance[i * parts + j] =
                op->parts.sign * (covariance[i * parts + j] - mass[i] * mass[j]);
    cafe_mem_free(context, mass);
    return status;
}
