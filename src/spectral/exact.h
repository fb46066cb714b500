/* Eigenpairs of Q to double precision, for theorems and certificates rather than for speed. */
#ifndef CAFE_SPECTRAL_EXACT_H
#define CAFE_SPECTRAL_EXACT_H

#include <cafe/bounds.h>

#include "operator/operator.h"

/* y = Q x for one vector in double precision; scratch has cafe_exact_scratch() doubles. The sums
 * have a fixed shape: the same bits for any number of threads. */
int64_t cafe_exact_scratch(const cafe_operator *op);
cafe_status cafe_exact_product(cafe_context *context, const cafe_operator *op, const double *x,
                               double *y, double *scratch);

/* cafe_operator_eigen() for 2 count + 1 < n, in so many restarts at most. */
cafe_status cafe_exact_lanczos(cafe_context *context, const cafe_operator *op, cafe_end end,
                               int64_t count, double tolerance, int64_t restarts, double *values,
                               double *vectors);

#endif
