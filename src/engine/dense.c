/* Small dense matrices: products, a Cholesky factor that knows its rank, eigenvectors. */
#include "engine/dense.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/bidiagonal.h"
#include "engine/tridiagonal.h"

/* Any product, with the fastest kernels that this machine runs. */
static void multiply(const cafe_product *x, const double *a, const double *b, double *c) {
    cafe_kernels_best()->products->in_double(x, a, b, c);
}

void cafe_dense_gram(int64_t rows, int64_t k, const double *a, double *c) {
    cafe_dense_gram_part(rows, k, a, k, k, c);
}

void cafe_dense_gram_part(int64_t rows, int64_t k, const double *a, int64_t stride, int64_t step,
                          double *c) {
    cafe_product x = cafe_product_of(k, k, rows);
    x.a_row = 1, x.a_inner = x.b_inner = stride, x.c_row = step;
    x.beta = 1, x.shape = CAFE_PRODUCT_SYMMETRIC;
    multiply(&x, a, a, c);
}

/* C = A^T A, upper triangle, in single precision. */
void cafe_dense_gram_single(int64_t rows, int64_t k, const float *a, int64_t stride, float *c) {
    cafe_product x = cafe_product_of(k, k, rows);
    x.a_row = 1, x.a_inner = x.b_inner = stride, x.shape = CAFE_PRODUCT_SYMMETRIC;
    cafe_kernels_best()->products->in_single(&x, a, a, c);
}

/* C = A M with M upper triangular. */
void cafe_dense_triangular(int64_t rows, int64_t k, const double *a, const double *m, double *c) {
    cafe_product x = cafe_product_of(rows, k, k);
    x.shape = CAFE_PRODUCT_TRIANGULAR;
    multiply(&x, a, m, c);
}

/* C = A B, or A^T B if `transposed`. */
void cafe_dense_product(bool transposed, int64_t rows, int64_t inner, int64_t k, const double *a,
                        const double *b, double *c) {
    cafe_product x = cafe_product_of(rows, k, inner);
    if (transposed) x.a_row = 1, x.a_inner = rows;
    multiply(&x, a, b, c);
}

/* Returns the squared error of the new part of column j, which is x_j + sum over i < j of c_i x_i.
 * If the errors of the columns are independent,
 *
 *     E||error||^2 = sum over i <= j of c_i^2 noise_i^2,   c_j = 1.
 *
 * Row j of the lower triangle gets the c_i.
 */
static double new_noise(int64_t k, double *g, int64_t j, int64_t rank, const int64_t *kept,
                        const double *noise) {
    double *c = g + j * k, square = noise[j] * noise[j];
    memset(c, 0, (size_t)j * sizeof *c);
    for (int64_t i = 0; i < rank; i++) {
        const double *r = g + kept[i] * k;
        double share = r[j] / r[kept[i]];
        for (int64_t l = 0; l < kept[i]; l++) c[l] -= share * r[l];
        c[kept[i]] -= share;
    }
    for (int64_t i = 0; i < j; i++) square += c[i] * c[i] * noise[i] * noise[i];
    return square;
}

/* Invariant after column j: G restricted to the kept columns up to j is R^T R, and row j of G holds
 *
 *     g_jl - sum over kept i < j of r_ij r_il = <x_j - P x_j, x_l>,   P the projection on their
 * span,
 *
 * so row_j = ||x_j - P x_j||^2 decides whether column j is new.
 */
int64_t cafe_dense_cholesky(int64_t k, double *g, double tolerance, const double *floor,
                            const double *noise, int64_t *kept) {
    int64_t rank = 0;
    for (int64_t j = 0; j < k; j++) {
        double *row = g + j * k, whole = row[j];
        /* subtract the part of row j that the kept rows of R explain */
        for (int64_t i = 0; i < rank; i++) {
            const double *r = g + kept[i] * k;
            for (int64_t l = j; l < k; l++) row[l] -= r[j] * r[l];
        }
        double least = tolerance * tolerance * whole;
        if (floor) least = fmax(least, floor[j] * floor[j]);
        if (noise) least = fmax(least, new_noise(k, g, j, rank, kept, noise));
        if (!(whole > 0) || !(row[j] > least)) continue;
        double diagonal = sqrt(row[j]);
        for (int64_t l = j; l < k; l++) row[l] /= diagonal;
        kept[rank++] = j;
    }
    return rank;
}

/* M = R^-1 on the kept columns: then X M has (X M)^T (X M) = M^T R^T R M = I. */
void cafe_dense_orthonormaliser(int64_t k, const double *r, int64_t rank, const int64_t *kept,
                                double *m) {
    memset(m, 0, (size_t)(k * rank) * sizeof *m);
    /* R M = I from the last row up: row_i = (e_i - sum over l > i of r_il row_l) / r_ii */
    for (int64_t i = rank - 1; i >= 0; i--) {
        const double *factor = r + kept[i] * k;
        double *row = m + kept[i] * rank;
        row[i] = 1;
        for (int64_t l = i + 1; l < rank; l++)
            for (int64_t c = l; c < rank; c++) row[c] -= factor[kept[l]] * m[kept[l] * rank + c];
        for (int64_t c = i; c < rank; c++) row[c] /= factor[kept[i]];
    }
}

/* A vector's sign is free: the entry largest in size is made positive, so that results repeat. */
static void fix_signs(int64_t k, double *vectors) {
    for (int64_t j = 0; j < k; j++) {
        double largest = 0;
        for (int64_t i = 0; i < k; i++)
            if (fabs(vectors[i * k + j]) > fabs(largest)) largest = vectors[i * k + j];
        if (largest < 0)
            for (int64_t i = 0; i < k; i++) vectors[i * k + j] = -vectors[i * k + j];
    }
}

/* Multiplies by the power of 2 that brings the largest entry to [1/2, 1), so that squares neither
 * overflow nor vanish. Returns the exponent that was taken out; INT32_MAX: an entry is no number.
 */
static int scale(int64_t count, double *x) {
    double largest = 0;
    int exponent = 0;
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(x[i]) <= DBL_MAX)) return INT32_MAX;
        if (fabs(x[i]) > largest) largest = fabs(x[i]);
    }
    frexp(largest, &exponent);
    for (int64_t i = 0; exponent != 0 && i < count; i++) x[i] = ldexp(x[i], -exponent);
    return exponent;
}

static void scale_back(int64_t count, double *values, int exponent) {
    for (int64_t i = 0; i < count; i++) values[i] = ldexp(values[i], exponent);
}

static cafe_status fail(cafe_context *context, int64_t k) {
    return cafe_fail(context, CAFE_ERROR_NUMERIC, "the eigenproblem of size %lld failed",
                     (long long)k);
}

/* Columns of vectors, by the values descending. */
static void take_vectors(int64_t k, cafe_rotations *r, const int64_t *order, double *t) {
    cafe_rotations_flush(r);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) t[i * k + j] = cafe_rotations_entry(r, i, order[j]);
}

/* Sorts the values; order[j] is the former place of value j. */
static void sort_values(int64_t k, double *values, int64_t *order) {
    for (int64_t j = 0; j < k; j++) {
        double value = values[j];
        int64_t at = j;
        for (; at > 0 && values[at - 1] < value; at--) {
            values[at] = values[at - 1];
            order[at] = order[at - 1];
        }
        values[at] = value;
        order[at] = j;
    }
}

/* T = Q D Q^T with D tridiagonal and D = Z diag(values) Z^T: the eigenvectors are the columns of
 * Q Z. The rotations that make Z are applied to Q. The scale is a power of 2 and costs no digits.
 */
cafe_status cafe_dense_eigen(cafe_context *context, int64_t k, double *t, double *values) {
    cafe_rotations r = {0};
    cafe_status status = CAFE_OK;
    int exponent = scale(k * k, t);
    double *beside = cafe_mem(context, k, sizeof *beside);
    int64_t *order = cafe_mem(context, k, sizeof *order);
    CAFE_TRY(cafe_mem_had(beside, order));
    if (exponent == INT32_MAX) CAFE_TRY(fail(context, k));
    CAFE_TRY(cafe_tridiagonal_reduce(context, k, t, values, beside));
    CAFE_TRY(cafe_rotations_create(context, k, k, t, &r));
    if (!cafe_tridiagonal_solve(k, values, beside, &r)) CAFE_TRY(fail(context, k));
    sort_values(k, values, order);
    take_vectors(k, &r, order, t);
    scale_back(k, values, exponent);
    fix_signs(k, t);
done:
    cafe_rotations_free(&r);
    cafe_mem_free_all(context, beside, order);
    return status;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void cafe_dense_tridiagonal(int64_t k, double *diagonal, double *beside) {
    cafe_tridiagonal_solve(k, diagonal, beside, NULL);
    qsort(diagonal, (size_t)k, sizeof *diagonal, ascending);
}

static void transpose(int64_t rows, int64_t columns, const double *a, double *b) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) b[j * rows + i] = a[i * columns + j];
}

/* Row-major, the column-major A is A^T. The wider side is made the rows: A^T = V S U^T, so that the
 * vectors of the left and of the right change places. */
cafe_status cafe_dense_singular(cafe_context *context, int64_t rows, int64_t columns, double *a,
                                double *values, double *u, double *vt) {
    int64_t most = rows > columns ? rows : columns, least = rows < columns ? rows : columns;
    int exponent = scale(rows * columns, a);
    bool vectors = u || vt;
    cafe_status status = CAFE_OK;
    double *tall = cafe_mem(context, rows * columns, sizeof *tall);
    double *left = vectors ? cafe_mem(context, most * least, sizeof *left) : NULL;
    double *right = vectors ? cafe_mem(context, least * least, sizeof *right) : NULL;
    CAFE_TRY(cafe_mem_had(tall));
    if (vectors) CAFE_TRY(cafe_mem_had(left, right));
    if (exponent == INT32_MAX) CAFE_TRY(fail(context, most));
    if (rows >= columns)
        transpose(columns, rows, a, tall);
    else
        memcpy(tall, a, (size_t)(rows * columns) * sizeof *a);
    CAFE_TRY(cafe_bidiagonal_svd(context, most, least, tall, values, left, right));
    scale_back(least, values, exponent);
    const double *first = rows >= columns ? left : right, *second = rows >= columns ? right : left;
    if (u) transpose(rows, least, first, u);
    if (vt) memcpy(vt, second, (size_t)(columns * least) * sizeof *vt);
done:
    cafe_mem_free_all(context, tall, left, right);
    return status;
}
