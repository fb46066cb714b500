/* Small dense work in double precision: K x K matrices, row-major, through the kernels. */
#ifndef CAFE_ENGINE_DENSE_H
#define CAFE_ENGINE_DENSE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/context.h"
#include "kernels/row_kernels.h"

/* C += A^T A, upper triangle; A is rows x k, C is k x k. */
void cafe_dense_gram(int64_t rows, int64_t k, const double *a, double *c);

/* The same of k columns of rows `stride` numbers apart, rows of C `step` numbers apart. */
void cafe_dense_gram_part(int64_t rows, int64_t k, const double *a, int64_t stride, int64_t step,
                          double *c);

/* C = A^T A to single precision, upper triangle; rows of A are `stride` floats apart. */
void cafe_dense_gram_single(int64_t rows, int64_t k, const float *a, int64_t stride, float *c);

/* C = A M with M k x k and upper triangular. */
void cafe_dense_triangular(int64_t rows, int64_t k, const double *a, const double *m, double *c);

/* C = A B, or A^T B: C is rows x k, B is inner x k. */
void cafe_dense_product(bool transposed, int64_t rows, int64_t inner, int64_t k, const double *a,
                        const double *b, double *c);

/* Cholesky factor of a Gram matrix, column by column, without the columns that depend on columns
 * before them. The upper triangle of G is overwritten by R with R^T R = G on the kept columns. The
 * part of column j that is orthogonal to the kept columns must be longer than
 *
 *     tolerance ||x_j||,   floor[j] (NULL: 0),   and the length that errors may produce:
 *     errors of length noise[i] in the columns i, independent of one another (NULL: no errors; with
 *     noise, the lower triangle is used as scratch).
 *
 * kept[0 .. rank) gets the kept columns in order. Returns the rank.
 */
int64_t cafe_dense_cholesky(int64_t k, double *g, double tolerance, const double *floor,
                            const double *noise, int64_t *kept);

/* The matrix that orthonormalises: X[:, kept] R^-1 = X M, with M k x rank. */
void cafe_dense_orthonormaliser(int64_t k, const double *r, int64_t rank, const int64_t *kept,
                                double *m);

/* T = S diag(values) S^T for a symmetric T, which is overwritten by S; values descending. */
cafe_status cafe_dense_eigen(cafe_context *context, int64_t k, double *t, double *values);

/* Eigenvalues of a symmetric tridiagonal matrix, ascending, in place of its diagonal. beside[k] has
 * the k - 1 numbers beside the diagonal, and is overwritten. */
void cafe_dense_tridiagonal(int64_t k, double *diagonal, double *beside);

/* A (rows x columns, column-major, overwritten) = U diag(values) V^T; u rows x least, vt least x
 * columns, both column-major; NULL: values alone. */
cafe_status cafe_dense_singular(cafe_context *context, int64_t rows, int64_t columns, double *a,
                                double *values, double *u, double *vt);

#endif
