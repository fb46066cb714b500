/* Randomised singular value decomposition of sparse matrices, for methods that factorise one. */
#ifndef CAFE_SPECTRAL_RANDOMIZED_SVD_H
#define CAFE_SPECTRAL_RANDOMIZED_SVD_H

#include "engine/engine.h"

/* A square matrix M whose entries stand in symmetric places: row u has its entries at offsets[u] ..
 * offsets[u+1], and M^T has entries there too. */
typedef struct cafe_sparse {
    int64_t n;
    const int64_t *offsets;
    const int32_t *targets;
    const float *values;     /* of M; NULL: all 1 */
    const float *transposed; /* of M^T; the same array for a symmetric M */
} cafe_sparse;

/* y = M x or M^T x, for blocks of the processor with the same number of columns. */
CAFE_LAB cafe_status cafe_sparse_product(cafe_context *context, const cafe_sparse *m,
                                         bool transposed, const cafe_block *x, cafe_block *y);

typedef struct cafe_sketch_options {
    int64_t rank;    /* singular values wanted, at most n */
    int64_t steps;   /* products with M^T M before the range is taken */
    uint64_t stream; /* of the random start */
} cafe_sketch_options;

/* Computes M ~ U Sigma V^T. The block x of the processor, which the caller drops, gets U
 * sqrt(Sigma) in its first x->columns <= rank columns, by falling singular value; values[rank] gets
 * Sigma. Columns within single precision's rounding of 0 are left out, and their values are 0. */
CAFE_LAB cafe_status cafe_sketch(cafe_context *context, const cafe_sparse *m,
                                 const cafe_sketch_options *options, cafe_block *x, double *values);

/* Bytes that it takes, what it returns included. */
CAFE_LAB double cafe_sketch_bytes(int64_t n, int64_t rank);

#endif
