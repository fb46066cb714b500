/* Tall n x K blocks times small matrices: Gram matrices, in-place products, orthonormal columns.
 *
 * Blocks are float; all arithmetic on them is double, over pieces of rows that fit the cache. Sums
 * over rows have a fixed shape, so the bits do not depend on the threads.
 */
#ifndef CAFE_SPECTRAL_TALL_H
#define CAFE_SPECTRAL_TALL_H

#include <stdint.h>

#include "base/context.h"

/* The least part of a column that must be new for it to carry information: below this, float32
 * rounding of the block is what is left. */
#define CAFE_RANK_TOLERANCE 1e-4

/* Rows of a block, the first `columns` floats of each. */
typedef struct cafe_tall {
    int64_t n, stride, columns;
    float *x;
} cafe_tall;

/* Gram matrix of the columns of a (and b, when not NULL, set side by side: [a b]) in the inner
 * product with row weights (NULL: 1): k x k, both triangles filled; k = a.columns + b.columns. */
cafe_status cafe_tall_gram(cafe_context *context, const cafe_tall *a, const cafe_tall *b,
                           const double *weights, double *gram);

/* The same of one block to single precision, at half the cost. */
cafe_status cafe_tall_gram_single(cafe_context *context, const cafe_tall *a, double *gram);

/* X <- X M in place, M columns x k with k <= columns; or, with kept[k], X <- X[:, kept] M with M k
 * x k and upper triangular. The columns after k become zero. */
cafe_status cafe_tall_transform(cafe_context *context, cafe_tall *x, int64_t k, const double *m,
                                const int64_t *kept);

/* Row u times factors[u]. */
cafe_status cafe_tall_scale(cafe_context *context, cafe_tall *x, const double *factors);

/* norms_j = length of column j of diag(factors) X (NULL: of X). */
cafe_status cafe_tall_norms(cafe_context *context, const cafe_tall *x, const double *factors,
                            double *norms);

/* Makes the columns orthonormal in the inner product with row weights (NULL: 1), leaving out those
 * without information: those that depend on the columns before them, or of which no more than
 * floor[j] is new (NULL: 0). x->columns shrinks to their number. *error gets the largest entry of
 * |X^T W X - I| afterwards. */
cafe_status cafe_tall_orthonormalise(cafe_context *context, cafe_tall *x, const double *weights,
                                     const double *floor, double *error);

#endif
