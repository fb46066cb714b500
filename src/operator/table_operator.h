/* A table as an operator: Q = X X^T with the columns of X centred, used through X alone.
 *
 *     Q H = X W,   W = X^T H      (n x L times L x K: never n x n)
 *
 * The entries are divided by a power of two, the scale, so that tr Q is about 1, as the weights of
 * a graph sum to 1: this changes no bit of their mantissas and keeps squares within a float,
 * whatever the table's units are. What is asked of the operator is so in units of scale^2.
 */
#ifndef CAFE_OPERATOR_TABLE_OPERATOR_H
#define CAFE_OPERATOR_TABLE_OPERATOR_H

#include "operator/operator.h"

typedef struct cafe_centred {
    double scale;
    double total;  /* tr Q, in units of scale^2 */
    double *means; /* L, in the table's own units */
    float *x;      /* n x L, centred, divided by the scale */
    double *roots; /* ||x_u|| */
    double *ones;
    int32_t *every;
} cafe_centred;

/* x: row-major n x width. The values must be finite: CAFE_ERROR_ARGUMENT names the first one that
 * is not. */
cafe_status cafe_operator_table(cafe_context *context, int64_t n, int64_t width, const float *x,
                                cafe_operator **op);
/* Of such an operator. */
const cafe_centred *cafe_operator_centred(const cafe_operator *op);

/* ---- sums of f_u b_u, tile by tile ----------------------------------------------------------- */

enum { CAFE_TILE = 64 }; /* rows that are summed in single precision before they join a sum */

/* sums = the sum over the nodes of f_u (row_u - h_u): h has all rows, `rows` those of the nodes.
 * scratch: cafe_tile_moves_scratch() floats. */
void cafe_tile_moves(const cafe_operator *op, const cafe_range *nodes, int64_t stride,
                     const float *h, const float *rows, double *sums, float *scratch);
int64_t cafe_tile_moves_scratch(int64_t width, int64_t stride);

/* Into how many parts a sum over `rows` rows is split, and the rows of each: by size alone, so that
 * the bits do not depend on the threads. */
int64_t cafe_tile_parts(int64_t width, int64_t rows, int64_t stride, int64_t *each);

#endif
