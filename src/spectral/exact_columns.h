/* Columns measured in double precision: products with the operator whose sums are doubles, eight
 * columns at a time, of the numbers that are written.
 */
#ifndef CAFE_SPECTRAL_EXACT_COLUMNS_H
#define CAFE_SPECTRAL_EXACT_COLUMNS_H

#include "engine/owned_rows.h"

typedef struct cafe_exact {
    const cafe_operator *op;
    cafe_side side;
    const double *weights; /* of the inner product; NULL: 1 */
    const cafe_block *v;
    float *copy; /* the rows of a block that is not in this machine's memory; NULL: they are */
    cafe_owned owned;
    double *x, *y; /* eight columns of this process's rows, and their image */
    double *power; /* of walks: x times a power of the single step; NULL: one step */
} cafe_exact;

cafe_status cafe_exact_open(cafe_context *context, const cafe_operator *op, cafe_side side,
                            const cafe_block *v, cafe_exact *e);
void cafe_exact_close(cafe_context *context, cafe_exact *e);

/* Sums over the rows, of column j of X = V S - 1 shift^T and r = M x - rho_j x in the inner product
 * of the problem. The sums from sums[3 j] on are <x, x>, <x, r> and <r, r>. S is columns x count,
 * NULL: the columns as they stand; shift NULL: 0. */
cafe_status cafe_exact_measure(cafe_context *context, cafe_exact *e, int64_t count, const double *s,
                               const double *shift, double *rho, double *sums);

/* G = X^T W X and T = X^T W M X of the same X, W the weights: count x count. */
cafe_status cafe_exact_gram(cafe_context *context, cafe_exact *e, int64_t count, const double *s,
                            const double *shift, double *g, double *t);

#endif
