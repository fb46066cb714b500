/* The matrix S (Q + N) S - T, S and T diagonal, in double precision: what bounds and quadratures
 * are about. */
#ifndef CAFE_EXPLAIN_SCALED_OPERATOR_H
#define CAFE_EXPLAIN_SCALED_OPERATOR_H

#include "spectral/eigen.h"

/* Adds N x to y, N symmetric, for blocks of CAFE_EIGEN_WIDTH columns. */
typedef void cafe_more(void *argument, const double *x, double *y);

/* y = s ((Q + N) (s x)) - t x, row by row; s NULL: 1, t NULL: 0, more NULL: N = 0. */
typedef struct cafe_scaled {
    const cafe_operator *op;
    const double *s, *t;
    cafe_more *more;
    void *argument;
    double *inner;
} cafe_scaled;

cafe_status cafe_scaled_new(cafe_context *context, const cafe_operator *op, const double *s,
                            const double *t, cafe_scaled *m);
void cafe_scaled_free(cafe_context *context, cafe_scaled *m);

/* s_u = 1 / sqrt(p_u), 0 for nodes without edges: D^-1/2. The caller frees it. */
double *cafe_inverse_roots(cafe_context *context, const cafe_operator *op);

/* Its largest eigenvalues. */
cafe_status cafe_scaled_largest(cafe_context *context, cafe_scaled *m, int64_t count,
                                double tolerance, int64_t passes, cafe_eigen *found);

/* tr max(M, 0) by stochastic Lanczos quadrature (Ubaru, Chen, Saad 2017). It is the mean over
 * random signs x of x^T max(M, 0) x, each by so many steps, and its standard error. */
cafe_status cafe_scaled_positive(cafe_context *context, cafe_scaled *m, int64_t probes,
                                 int64_t steps, double *mean, double *standard_error);

#endif
