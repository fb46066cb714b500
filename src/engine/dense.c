/* Small dense matrices: products, a Cholesky factor that knows its rank, eigenvectors. */
#include "engine/dense.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/lapack.h"

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

/* LAPACK's values ascend; ours descend, and so do the columns of vectors. */
static void reverse(int64_t k, double *vectors, double *values) {
    for (int64_t i = 0; i < k / 2; i++) {
        double value = values[i];
        values[i] = values[k - 1 - i];
        values[k - 1 - i] = value;
        for (int64_t row = 0; row < k; row++) {
            double entry = vectors[row * k + i];
            vectors[row * k + i] = vectors[row * k + k - 1 - i];
            vectors[row * k + k - 1 - i] = entry;
        }
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

/* LAPACK counts in int: its work space, at most 8 k^2 + 64 k numbers, must be countable. */
static cafe_status check_size(cafe_context *context, int64_t k) {
    if (k <= 16000) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                     "a dense matrix of size %lld is too large: 16000 is the limit", (long long)k);
}

/* T = V diag(values) V^T by divide and conquer (LAPACK dsyevd). */
cafe_status cafe_dense_eigen(cafe_context *context, int64_t k, double *t, double *values) {
    /* A symmetric matrix is its own transpose, so column-major LAPACK needs no copy of it; the
     * vectors then stand in rows and are transposed. The work space is ours. */
    CAFE_PASS(check_size(context, k));
    int n = (int)k, doubles = 1 + 6 * n + 2 * n * n, integers = 3 + 5 * n, info = 0;
    double *work = cafe_mem(context, doubles, sizeof *work);
    int *iwork = cafe_mem(context, integers, sizeof *iwork);
    cafe_status status = work && iwork ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        cafe_lapack_dsyevd("V", "L", &n, t, &n, values, work, &doubles, iwork, &integers, &info, 1,
                           1);
    cafe_mem_free_all(context, work, iwork);
    if (status != CAFE_OK) return status;
    if (info != 0)
        return cafe_fail(context, CAFE_ERROR_NUMERIC,
                         "the eigenproblem of size %lld failed (LAPACK dsyevd: %d)", (long long)k,
                         info);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = i + 1; j < k; j++) {
            double entry = t[i * k + j];
            t[i * k + j] = t[j * k + i];
            t[j * k + i] = entry;
        }
    reverse(k, t, values);
    fix_signs(k, t);
    return CAFE_OK;
}

void cafe_dense_tridiagonal(int64_t k, double *diagonal, double *beside) {
    int n = (int)k, info;
    cafe_lapack_dsterf(&n, diagonal, beside, &info);
}

/* A = U diag(values) V^T, the thin form, by divide and conquer (LAPACK dgesdd). */
cafe_status cafe_dense_singular(cafe_context *context, int64_t rows, int64_t columns, double *a,
                                double *values, double *u, double *vt) {
    CAFE_PASS(check_size(context, rows > columns ? rows : columns));
    int m = (int)rows, n = (int)columns, least = m < n ? m : n, most = m > n ? m : n, info = 0;
    int size = 8 * most * most + 64 * most + 1, u_step = u ? m : 1, vt_step = vt ? least : 1;
    double *work = cafe_mem(context, size, sizeof *work), unused;
    int *iwork = cafe_mem(context, 8 * least + 1, sizeof *iwork);
    cafe_status status = work && iwork ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        cafe_lapack_dgesdd(u ? "S" : "N", &m, &n, a, &m, values, u ? u : &unused, &u_step,
                           vt ? vt : &unused, &vt_step, work, &size, iwork, &info, 1);
    cafe_mem_free_all(context, work, iwork);
    if (status == CAFE_OK && info != 0)
        status = cafe_fail(context, CAFE_ERROR_NUMERIC,
                           "the singular values of a matrix of size %lld failed (LAPACK dgesdd: "
                           "%d)",
                           (long long)rows, info);
    return status;
}
