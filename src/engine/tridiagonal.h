/* Symmetric matrices to tridiagonal ones, and their eigenvalues. */
#ifndef CAFE_ENGINE_TRIDIAGONAL_H
#define CAFE_ENGINE_TRIDIAGONAL_H

#include "base/context.h"
#include "engine/rotations.h"

/* A = Q T Q^T for a symmetric A (k x k, both triangles), which is overwritten by Q, row-major. */
cafe_status cafe_tridiagonal_reduce(cafe_context *context, int64_t k, double *a, double *diagonal,
                                    double *beside);

/* Implicit QL: the diagonal becomes the eigenvalues, in no order; beside[k] is overwritten.
 * Rotations go to the columns of `r`; NULL: none. Returns false if it does not converge. */
bool cafe_tridiagonal_solve(int64_t k, double *diagonal, double *beside, cafe_rotations *r);

#endif
