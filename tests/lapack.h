/* The system's LAPACK for tests, if the build found one; otherwise the library's own code, which
 * test_dense.c checks by definitions too. */
#ifndef CAFE_TEST_LAPACK_H
#define CAFE_TEST_LAPACK_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dense.h"

#ifdef TEST_LAPACK
void dsyevd_(const char *vectors, const char *triangle, const int *n, double *a, const int *a_step,
             double *values, double *work, const int *work_size, int *integers,
             const int *integers_size, int *info, size_t, size_t);
void dgesdd_(const char *vectors, const int *rows, const int *columns, double *a, const int *a_step,
             double *values, double *u, const int *u_step, double *vt, const int *vt_step,
             double *work, const int *work_size, int *integers, int *info, size_t);
#endif

/* As cafe_dense_eigen(), but the vectors stand in no order of signs. */
static inline cafe_status test_lapack_eigen(cafe_context *context, int64_t k, double *t,
                                            double *values) {
#ifdef TEST_LAPACK
    int n = (int)k, doubles = 1 + 6 * n + 2 * n * n, integers = 3 + 5 * n, info = 0;
    double *work = malloc((size_t)doubles * sizeof *work);
    double *vectors = malloc((size_t)(k * k) * sizeof *vectors);
    int *iwork = malloc((size_t)integers * sizeof *iwork);
    (void)context;
    dsyevd_("V", "L", &n, t, &n, values, work, &doubles, iwork, &integers, &info, 1, 1);
    memcpy(vectors, t, (size_t)(k * k) * sizeof *t);
    for (int64_t j = 0; j < k; j++) { /* they ascend, and stand in rows */
        work[k - 1 - j] = values[j];
        for (int64_t i = 0; i < k; i++) t[i * k + k - 1 - j] = vectors[j * k + i];
    }
    memcpy(values, work, (size_t)k * sizeof *values);
    free(work);
    free(iwork);
    free(vectors);
    return info == 0 ? CAFE_OK : CAFE_ERROR_NUMERIC;
#else
    return cafe_dense_eigen(context, k, t, values);
#endif
}

/* Singular values of a column-major matrix, which is overwritten. */
static inline cafe_status test_lapack_singular(cafe_context *context, int64_t rows, int64_t columns,
                                               double *a, double *values) {
#ifdef TEST_LAPACK
    int m = (int)rows, n = (int)columns, least = m < n ? m : n, most = m > n ? m : n, info = 0;
    int size = 8 * most * most + 64 * most + 1, one = 1;
    double *work = malloc((size_t)size * sizeof *work), none;
    int *iwork = malloc((size_t)(8 * least + 1) * sizeof *iwork);
    (void)context;
    dgesdd_("N", &m, &n, a, &m, values, &none, &one, &none, &one, work, &size, iwork, &info, 1);
    free(work);
    free(iwork);
    return info == 0 ? CAFE_OK : CAFE_ERROR_NUMERIC;
#else
    return cafe_dense_singular(context, rows, columns, a, values, NULL, NULL);
#endif
}

#endif
