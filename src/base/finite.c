/* Results are finite, or the call fails.
 *
 * A float is not finite if and only if all bits of its exponent are set. So a row is checked with
 * integers and without a branch, which the compiler vectorises.
 */
#include "base/finite.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/thread_pool.h"

enum { ROWS = 1024 };

typedef struct judging {
    const float *x;
    int64_t columns, stride;
    atomic_llong bad; /* the first row that is not finite */
} judging;

static void judge_rows(void *argument, int64_t first, int64_t last) {
    judging *j = argument;
    for (int64_t u = first; u < last; u++) {
        const float *row = j->x + u * j->stride;
        uint32_t bad = 0;
        for (int64_t k = 0; k < j->columns; k++) {
            uint32_t bits;
            memcpy(&bits, row + k, sizeof bits);
            bad |= (bits & 0x7f800000) == 0x7f800000;
        }
        if (!bad) continue;
        long long known = atomic_load(&j->bad);
        while (u < known && !atomic_compare_exchange_weak(&j->bad, &known, u)) {
        }
        return;
    }
}

cafe_status cafe_check_finite(cafe_context *context, const char *what, int64_t rows,
                              int64_t columns, int64_t stride, const float *x) {
    judging j = {.x = x, .columns = columns, .stride = stride, .bad = INT64_MAX};
    CAFE_PASS(cafe_ranges(context, rows, ROWS, judge_rows, &j));
    long long bad = atomic_load(&j.bad);
    if (bad == INT64_MAX) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_NUMERIC, "%s: row %lld is not finite", what, bad);
}

cafe_status cafe_check_number(cafe_context *context, const char *what, double x) {
    if (isfinite(x)) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_NUMERIC, "%s is not finite", what);
}
