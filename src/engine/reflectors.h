/* Householder reflectors I - tau v v^T, and the product of many of them. */
#ifndef CAFE_ENGINE_REFLECTORS_H
#define CAFE_ENGINE_REFLECTORS_H

#include "base/context.h"

/* Makes the reflector that takes x[size], entries `step` apart, to (value, 0, ...). x becomes v
 * with v_0 = 1. Returns tau; 0: x is so already. */
double cafe_reflector_make(int64_t size, double *x, int64_t step, double *value);

/* Q = H_0 H_1 ... H_(count-1), its first `columns` columns, row-major, length x columns. Row j of v
 * (count x length) is the vector of H_j. */
cafe_status cafe_reflectors_product(cafe_context *context, int64_t count, int64_t length,
                                    const double *v, const double *tau, int64_t columns, double *q);

#endif
