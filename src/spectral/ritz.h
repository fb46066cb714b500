/* Ritz pairs of an operator on the span of a block's columns, with their residuals. */
#ifndef CAFE_SPECTRAL_RITZ_H
#define CAFE_SPECTRAL_RITZ_H

#include "operator/operator.h"
#include "spectral/orthonormal.h"

typedef struct cafe_ritz {
    int64_t columns;       /* of the block */
    int64_t pairs;         /* rank of the block */
    double *values;        /* rho, descending */
    double *residuals;     /* ||M v - rho v|| in the problem's inner product, ||v|| = 1 */
    double *vectors;       /* columns x pairs: Ritz vector j is X times column j */
    double *column_values; /* Rayleigh quotient and residual of each column as it stands */
    double *column_residuals;
} cafe_ritz;

cafe_status cafe_ritz_new(cafe_context *context, int64_t columns, cafe_ritz *ritz);
void cafe_ritz_free(cafe_context *context, cafe_ritz *ritz);

/* x: the block; z = M x with M = Q (weights NULL) or M = D^-1 Q (weights p). x need not be
 * orthonormal, nor of full rank. */
cafe_status cafe_ritz_solve(cafe_context *context, const cafe_block *x, const cafe_block *z,
                            const double *weights, cafe_ritz *ritz);

/* The pairs alone, from G = X^T W X and T = X^T W M X of k columns: values and vectors. A column is
 * left out when floor[j] of its length or less is left beside those taken, longest ones first;
 * floor[j] is CAFE_RANK_TOLERANCE of the length it counts with. */
cafe_status cafe_ritz_pairs(cafe_context *context, int64_t k, const double *g, const double *t,
                            const double *floor, cafe_ritz *ritz);

/* X <- its first `keep` Ritz vectors. */
cafe_status cafe_rotate(cafe_context *context, cafe_block *x, const cafe_ritz *ritz, int64_t keep);

#endif
