/* Results are finite, or they are an error. */
#ifndef CAFE_BASE_FINITE_H
#define CAFE_BASE_FINITE_H

#include "base/context.h"

/* CAFE_ERROR_NUMERIC, with the first such row, when an entry of these rows (of `columns` numbers,
 * `stride` apart) is no finite number. Asked wherever vectors leave the library, so that a run that
 * ends well has finite results. */
cafe_status cafe_check_finite(cafe_context *context, const char *what, int64_t rows,
                              int64_t columns, int64_t stride, const float *x);

/* The same of a single number. */
cafe_status cafe_check_number(cafe_context *context, const char *what, double x);

#endif
