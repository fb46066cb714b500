/* Products of Q with plain arrays, whose rows are not padded. */
#include <string.h>

#include "base/memory.h"
#include "operator/operator.h"

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
