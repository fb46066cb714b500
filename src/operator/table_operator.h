/* A table as an operator: Q = X X^T with centred columns of X, used through X alone.
 *
 *     Q H = X W,   W = X^T H      (n x L times L x K: Q, n x n, is never formed)
 *
 * Entries are divided by a power of two, the scale, such that tr Q is about 1, as the weights of a
 * graph sum to 1. The division changes no mantissa and keeps squares within the range of floats.
 * All results of the operator are in units of scale^2.
 */
#ifndef CAFE_OPERATOR_TABLE_OPERATOR_H
#define CAFE_OPERATOR_TABLE_OPERATOR_H

#include "operator/operator.h"

typedef struct cafe_centred {
    double scale;
    double total;  /* tr Q = sum over u of ||x_u||^2, in units of scale^2 */
    double *means; /* L means, in the units of the table */
    float *x;      /* n x L, centred, divided by the scale */
    double *roots; /* ||x_u|| */
    double *ones;
    int32_t *every;
} cafe_centred;

/* Creates the operator of a row-major n x width table. Returns CAFE_ERROR_ARGUMENT with the
 * position of the first value that is not finite. */
cafe_status cafe_operator_table(cafe_context *context, int64_t n, int64_t width, const float *x,
                                cafe_operator **op);
/* Returns the centred table of such an operator. */
const cafe_centred *cafe_operator_centred(const cafe_operator *op);

/* ---- sums of f_u b_u, tile by tile ----------------------------------------------------------- */

enum {
    CAFE_TILE = 64
}; /* rows whose products are summed in single precision before double
    * precision */

/* sums = sum over the nodes of f_u (row_u - h_u)^T: h has all rows, `rows` the rows of the nodes.
 * scratch has cafe_tile_moves_scratch() floats. */
void cafe_tile_moves(const cafe_operator *op, const cafe_range *nodes, int64_t stride,
                     const float *h, const float *rows, double *sums, float *scratch);
int64_t cafe_tile_moves_scratch(int64_t width, int64_t stride);

/* Returns the number of parts of a sum over `rows` rows; *each gets the rows of a part. Both follow
 * from sizes alone, so the bits do not depend on the threads. */
int64_t cafe_tile_parts(int64_t width, int64_t rows, int64_t stride, int64_t *each);

#endif
