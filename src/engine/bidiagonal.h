/* Singular values and vectors of small matrices. */
#ifndef CAFE_ENGINE_BIDIAGONAL_H
#define CAFE_ENGINE_BIDIAGONAL_H

#include "base/context.h"

/* A = U diag(values) V^T for a row-major A (rows x columns, rows >= columns, overwritten); values
 * descending. u (rows x columns) and v (columns x columns) are row-major; NULL: not needed. */
cafe_status cafe_bidiagonal_svd(cafe_context *context, int64_t rows, int64_t columns, double *a,
                                double *values, double *u, double *v);

#endif
