/* A table as an operator: Q = X X^T with the columns of X centred, used through X alone.
 *
 *     Q H = X W,   W = X^T H      (n x L times L x K: never n x n)
 *
 * The entries are divided by a power of two, so that rows are of length about 1: this changes no
 * bit of their mantissas and keeps squares within a float, whatever the table's units are.
 */
#ifndef CAFE_OPERATOR_TABLE_H
#define CAFE_OPERATOR_TABLE_H

#include "base/context.h"
#include "kernels/rows.h"

enum { CAFE_TILE = 64 }; /* rows that are summed in single precision before they join a sum */

typedef struct cafe_centred {
    cafe_context *context;
    int64_t n, width; /* rows and columns of the table: n, L */
    float *x;         /* n x L, centred, divided by `scale` */
    float *norms;     /* ||x_u||^2 = q(u,u) */
    double total;     /* their sum, tr Q */
    double scale;
    double *means;  /* L, in the table's own units */
    int32_t *every; /* 0, 1, 2, ...: the targets of a gather that takes all rows */
    const cafe_kernels *kernels;
} cafe_centred;

/* The values must be finite: CAFE_ERROR_ARGUMENT names the first one that is not. */
cafe_status cafe_centred_new(cafe_context *context, int64_t n, int64_t width, const float *x,
                             cafe_centred **table);
void cafe_centred_free(cafe_centred *table);

/* row = x_u W; W is L rows of `stride` floats. */
static inline void cafe_centred_row(const cafe_centred *t, int64_t u, int64_t stride,
                                    const float *w, float *row) {
    t->kernels->gather(w, stride, t->every, t->x + u * t->width, t->width, 1, row);
}

/* sums += X_T^T B_T for a tile T of `count` (at most CAFE_TILE) rows u, u + step, ...; B_T has the
 * tile's rows one behind the other. scratch: cafe_centred_scratch() floats. */
void cafe_centred_tile(const cafe_centred *t, int64_t u, int64_t step, int64_t count,
                       int64_t stride, const float *b, double *sums, float *scratch);
int64_t cafe_centred_scratch(const cafe_centred *t, int64_t stride);

/* Into how many parts a sum over `rows` rows is split, and the rows of each: by size alone, so that
 * the bits do not depend on the threads. */
int64_t cafe_centred_parts(const cafe_centred *t, int64_t rows, int64_t stride, int64_t *each);

/* sum = X^T B, in double: L x stride. */
cafe_status cafe_centred_sums(cafe_context *context, const cafe_centred *t, int64_t stride,
                              const float *b, double *sum);

/* B = X W. */
cafe_status cafe_centred_product(cafe_context *context, const cafe_centred *t, int64_t stride,
                                 const float *w, float *b);

#endif
