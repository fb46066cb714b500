/* Orthonormal columns of tall n x K blocks. */
#ifndef CAFE_SPECTRAL_ORTHONORMAL_H
#define CAFE_SPECTRAL_ORTHONORMAL_H

#include "engine/engine.h"

/* The least part of a column that must be new for it to carry information: below this, float32
 * rounding of the block is what is left. */
#define CAFE_RANK_TOLERANCE 1e-4

/* Rows from which on Gram matrices are first had in single precision: 256 sums of 256 rows, whose
 * errors are as good as independent. */
enum { CAFE_TALL = 65536 };

/* Makes the columns orthonormal in the inner product with row weights (NULL: 1). Leaves out columns
 * without information: they depend on the columns before them, or errors may have made more than
 * CAFE_MOST_NOISE of their new part. The errors of column j have the length noise[j] (NULL: 0).
 * x->columns shrinks to their number, and column j came from column from[j] (NULL: nobody asks).
 * *error gets the largest entry of |X^T W X - I| afterwards. */
cafe_status cafe_tall_orthonormalise(cafe_context *context, cafe_block *x, const double *weights,
                                     const double *noise, int64_t *from, double *error);

/* *error gets the largest entry of |X^T W X - I|. */
cafe_status cafe_tall_orthogonality(cafe_context *context, const cafe_block *x,
                                    const double *weights, double *error);

#endif
