/* Small dense matrices: products, a Cholesky factor that knows its rank, eigenvectors. */
#define _GNU_SOURCE
#include "engine/dense.h"

#include <dlfcn.h>
#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/memory.h"

/* dlsym yields object pointers; POSIX promises that they hold functions. */
static void find(const char *name, void *function) {
    void *symbol = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* How many threads OpenBLAS takes is a setting of the process, so who needs it to be one is counted
 * for the process: calls at the same time would else undo each other's setting, and a sum by two
 * threads has other bits than one by one thread. */
static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t blas_once = PTHREAD_ONCE_INIT;
static int blas_users, blas_threads;

/* Threads that held it are not in the child. */
static void forget_users(void) {
    blas_users = 0;
    pthread_mutex_init(&blas_lock, NULL);
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, forget_users);
}

void cafe_blas_single(void) {
    int (*get)(void);
    void (*set)(int);
    find("openblas_get_num_threads", &get);
    find("openblas_set_num_threads", &set);
    pthread_once(&blas_once, watch_forks);
    pthread_mutex_lock(&blas_lock);
    if (blas_users++ == 0) {
        blas_threads = get && set ? get() : 0;
        if (blas_threads > 1) set(1);
    }
    pthread_mutex_unlock(&blas_lock);
}

void cafe_blas_restore(void) {
    void (*set)(int);
    find("openblas_set_num_threads", &set);
    pthread_mutex_lock(&blas_lock);
    if (blas_users > 0 && --blas_users == 0 && blas_threads > 1) set(blas_threads);
    pthread_mutex_unlock(&blas_lock);
}

void cafe_dense_multiply(const cafe_product *x, const double *a, const double *b, double *c) {
    cafe_kernels_best()->products->in_double(x, a, b, c);
}

void cafe_dense_gram(int64_t rows, int64_t k, const double *a, double *c) {
    cafe_product x = cafe_product_of(k, k, rows);
    x.a_row = 1, x.a_inner = k, x.beta = 1, x.shape = CAFE_PRODUCT_SYMMETRIC;
    cafe_dense_multiply(&x, a, a, c);
}

void cafe_dense_gram_single(int64_t rows, int64_t k, const float *a, int64_t stride, float *c) {
    cafe_product x = cafe_product_of(k, k, rows);
    x.a_row = 1, x.a_inner = x.b_inner = stride, x.shape = CAFE_PRODUCT_SYMMETRIC;
    cafe_kernels_best()->products->in_single(&x, a, a, c);
}

void cafe_dense_triangular(int64_t rows, int64_t k, const double *a, const double *m, double *c) {
    cafe_product x = cafe_product_of(rows, k, k);
    x.shape = CAFE_PRODUCT_TRIANGULAR;
    cafe_dense_multiply(&x, a, m, c);
}

void cafe_dense_product(bool transposed, int64_t rows, int64_t inner, int64_t k, const double *a,
                        const double *b, double *c) {
    cafe_product x = cafe_product_of(rows, k, inner);
    if (transposed) x.a_row = 1, x.a_inner = rows;
    cafe_dense_multiply(&x, a, b, c);
}

/* What is new in column j is x_j + sum over i < j of c_i x_i: row j of the lower triangle gets the
 * c_i. Its error has the square sum over i <= j of c_i^2 noise_i^2. */
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

int64_t cafe_dense_cholesky(int64_t k, double *g, double tolerance, const double *floor,
                            const double *noise, int64_t *kept) {
    int64_t rank = 0;
    for (int64_t j = 0; j < k; j++) {
        double *row = g + j * k, whole = row[j];
        /* what the kept rows of R leave of row j */
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

cafe_status cafe_dense_eigen(cafe_context *context, int64_t k, double *t, double *values) {
    /* A symmetric matrix is its own transpose, so column-major LAPACK needs no copy of it; the
     * vectors then stand in rows and are transposed. The work space is ours. */
    lapack_int n = (lapack_int)k, doubles = 1 + 6 * n + 2 * n * n, integers = 3 + 5 * n, info = 0;
    double *work = cafe_mem(context, doubles, sizeof *work);
    lapack_int *iwork = cafe_mem(context, integers, sizeof *iwork);
    cafe_status status = work && iwork ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, t, n, values, work, doubles,
                                   iwork, integers);
    cafe_mem_free_all(context, work, iwork);
    if (status != CAFE_OK) return status;
    if (info != 0)
        return cafe_fail(context, CAFE_ERROR_NUMERIC,
                         "the eigenproblem of size %lld failed (LAPACK dsyevd: %d)", (long long)k,
                         (int)info);
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
