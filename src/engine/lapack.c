/* Functions that LAPACK calls: products of matrices, errors, and the only function of Fortran's
 * library that it still needs. */
#include "engine/lapack.h"

#include <stdbool.h>
#include <string.h>

#include "kernels/row_kernels.h"

static bool transposed(const char *op) {
    return *op != 'N' && *op != 'n';
}

/* Column-major C is row-major C^T = op(B)^T op(A)^T. */
void cafe_lapack_dgemm(const char *op_a, const char *op_b, const int *rows, const int *columns,
                       const int *inner, const double *alpha, const double *a, const int *a_step,
                       const double *b, const int *b_step, const double *beta, double *c,
                       const int *c_step, size_t a_length, size_t b_length) {
    cafe_product x = {.rows = *columns,
                      .columns = *rows,
                      .inner = *inner,
                      .a_row = transposed(op_b) ? 1 : *b_step,
                      .a_inner = transposed(op_b) ? *b_step : 1,
                      .b_inner = transposed(op_a) ? 1 : *a_step,
                      .b_column = transposed(op_a) ? *a_step : 1,
                      .c_row = *c_step,
                      .alpha = *alpha,
                      .beta = *beta};
    (void)a_length, (void)b_length;
    cafe_kernels_best()->products->in_double(&x, b, a, c);
}

void cafe_lapack_error(const char *name, const int *info, size_t length) {
    (void)name, (void)info, (void)length;
}

void cafe_lapack_join(size_t size, char *to, size_t a_size, const char *a, size_t b_size,
                      const char *b) {
    size_t first = a_size < size ? a_size : size;
    size_t second = b_size < size - first ? b_size : size - first;
    memcpy(to, a, first);
    memcpy(to + first, b, second);
    memset(to + first + second, ' ', size - first - second);
}
