/* Products of matrices of floats and doubles: one thread, no allocation, no errors.
 *
 *     c_ij = sum over p of a_ip b_pj,   p ascending, in segments of 256 terms
 *
 * The terms of a segment are added from 0, and the segments join C one after the other. Every
 * multiplication and addition is rounded. So the bits depend on the matrices alone, not on the
 * instruction set or on the caller's division of C among threads.
 */
#ifndef CAFE_KERNELS_PRODUCTS_H
#define CAFE_KERNELS_PRODUCTS_H

#include <stdint.h>

enum { CAFE_PRODUCT_SEGMENT = 256, CAFE_ROTATED = 16 };

typedef enum cafe_product_shape {
    CAFE_PRODUCT_FULL,
    CAFE_PRODUCT_SYMMETRIC, /* only the upper triangle of C is needed; entries below it are
                             * undefined */
    CAFE_PRODUCT_TRIANGULAR /* B is upper triangular: entries below its diagonal are not read */
} cafe_product_shape;

/* C <- alpha A B + beta C: C is rows x columns, A rows x inner, B inner x columns. */
typedef struct cafe_product {
    int64_t rows, columns, inner;
    int64_t a_row, a_inner;    /* entry (i,p) of A is a[i a_row + p a_inner] */
    int64_t b_inner, b_column; /* entry (p,j) of B is b[p b_inner + j b_column] */
    int64_t c_row;             /* entry (i,j) of C is c[i c_row + j] */
    double alpha, beta;        /* beta = 0: C is not read */
    cafe_product_shape shape;
} cafe_product;

/* C <- A B for matrices row by row without gaps. */
static inline cafe_product cafe_product_of(int64_t rows, int64_t columns, int64_t inner) {
    return (cafe_product){.rows = rows,
                          .columns = columns,
                          .inner = inner,
                          .a_row = inner,
                          .a_inner = 1,
                          .b_inner = columns,
                          .b_column = 1,
                          .c_row = columns,
                          .alpha = 1};
}

typedef struct cafe_products {
    void (*in_double)(const cafe_product *x, const double *a, const double *b, double *c);
    void (*in_single)(const cafe_product *x, const float *a, const float *b, float *c);

    /* y_j += sum over i of x_i a_ij, i ascending; rows of A are `step` numbers apart. */
    void (*add_rows)(int64_t rows, int64_t columns, const double *x, const double *a, int64_t step,
                     double *y);
    /* A <- (A - v w^T) (I - tau u u^T), in one pass over the rows of A; tau = 0: u is not read. */
    void (*reflect)(int64_t rows, int64_t columns, const double *v, const double *w, double tau,
                    const double *u, double *a, int64_t step);
    /* `count` plane rotations of neighbouring rows i and i + 1, rows of CAFE_ROTATED numbers:
     *
     *     (x, y) <- (c x + s y, c y - s x),   c = pairs[2 i], s = pairs[2 i + 1]
     *
     * i ascending, or descending if `backward`. */
    void (*rotate)(int64_t count, int backward, const double *pairs, double *rows);
} cafe_products;

#endif
