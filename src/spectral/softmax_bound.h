/* The parts of cafe_bounds_find(): the ends of the spectrum, and theorem 4 for one vector. */
#ifndef CAFE_SPECTRAL_SOFTMAX_BOUND_H
#define CAFE_SPECTRAL_SOFTMAX_BOUND_H

#include <cafe/bounds.h>

/* Fills the gap, and v1[nodes] with the unit eigenvector of lambda_1. At least two nodes. */
cafe_status cafe_gap_find(cafe_context *context, const cafe_operator *op, cafe_gap *gap,
                          double *v1);

/* x[nodes] need not have length 1. A zero x has cosines 0. */
cafe_status cafe_bound_check(cafe_context *context, const cafe_operator *op, const cafe_gap *gap,
                             const double *v1, const double *x, cafe_bound *bound);

#endif
