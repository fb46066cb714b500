/* The routines that cmake/Lapack.cmake takes out of LAPACK, and the functions of this library that
 * they call. Matrices are column-major; lengths of strings come last, as in Fortran. */
#ifndef CAFE_ENGINE_LAPACK_H
#define CAFE_ENGINE_LAPACK_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Eigenvalues and eigenvectors of a symmetric matrix: divide and conquer. */
void cafe_lapack_dsyevd(const char *vectors, const char *triangle, const int *n, double *a,
                        const int *a_step, double *values, double *work, const int *work_size,
                        int *integers, const int *integers_size, int *info, size_t, size_t);

/* Eigenvalues of a symmetric tridiagonal matrix. */
void cafe_lapack_dsterf(const int *n, double *diagonal, double *beside, int *info);

/* Singular values and vectors: divide and conquer. */
void cafe_lapack_dgesdd(const char *vectors, const int *rows, const int *columns, double *a,
                        const int *a_step, double *values, double *u, const int *u_step, double *vt,
                        const int *vt_step, double *work, const int *work_size, int *integers,
                        int *info, size_t);

/* The version of the reference LAPACK. */
void cafe_lapack_ilaver(int *major, int *minor, int *patch);

/* C <- alpha op(A) op(B) + beta C, op by "N" or "T": the kernel of this machine. */
void cafe_lapack_dgemm(const char *op_a, const char *op_b, const int *rows, const int *columns,
                       const int *inner, const double *alpha, const double *a, const int *a_step,
                       const double *b, const int *b_step, const double *beta, double *c,
                       const int *c_step, size_t, size_t);

/* Ignores errors about arguments: *info reports them, and the library neither prints nor exits. */
void cafe_lapack_error(const char *name, const int *info, size_t);

/* Fortran's a // b, blanks up to the size. */
void cafe_lapack_join(size_t size, char *to, size_t a_size, const char *a, size_t b_size,
                      const char *b);

#pragma GCC visibility pop

#endif
