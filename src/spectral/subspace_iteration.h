/* From a good subspace to the dominant eigenvectors. */
#ifndef CAFE_SPECTRAL_SUBSPACE_ITERATION_H
#define CAFE_SPECTRAL_SUBSPACE_ITERATION_H

#include "operator/operator.h"
#include "spectral/ritz.h"

/* Float32 vectors resolve residuals down to this share of the largest value. */
#define CAFE_RESOLUTION 1e-7

typedef struct cafe_refined {
    int64_t rounds, products;
    int64_t converged; /* wanted pairs with residual <= tolerance * |rho| */
    double orthogonality;
} cafe_refined;

/* Columns of the block for `wanted` pairs: guards make the last wanted ones converge. */
static inline int64_t cafe_refine_columns(int64_t n, int64_t wanted) {
    int64_t columns = wanted + (wanted / 4 > 8 ? wanted / 4 : 8);
    return columns < n ? columns : n;
}

/* Chebyshev-filtered subspace iteration. The block x is any block on entry; its memory is freed. On
 * return it has the `wanted` dominant Ritz vectors of M = Q or D^-1 Q (fewer when the block's rank
 * is less), in new memory. `ritz` gets their values and residuals. */
cafe_status cafe_refine(cafe_context *context, const cafe_operator *op, cafe_side side,
                        int64_t wanted, double tolerance, int64_t rounds, cafe_block *x,
                        cafe_ritz *ritz, cafe_refined *refined);

#endif
