/* Results are finite, or they are an error. */
#ifndef CAFE_BASE_FINITE_H
#define CAFE_BASE_FINITE_H

#include "base/context.h"

/* Returns CAFE_ERROR_NUMERIC with the first row that has an entry that is not a finite number; rows
 * have `columns` numbers and are `stride` apart. Every call that returns vectors checks them, so a
 * successful run has finite results. */
CAFE_LAB cafe_status cafe_check_finite(cafe_context *context, const char *what, int64_t rows,
                                       int64_t columns, int64_t stride, const float *x);

/* The same of a single number. */
CAFE_LAB cafe_status cafe_check_number(cafe_context *context, const char *what, double x);

#endif
