/* Householder reflectors. Blocks of them are I - V^T T V with a small triangular T (Schreiber and
 * Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989), so that almost all work is products of matrices.
 */
#include "engine/reflectors.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/row_kernels.h"

enum { BLOCK = 32 };

/* (I - tau v v^T) x = (value, 0, ...) with v_0 = 1 and
 *
 *     value = -sign(x_0) ||x||,   tau = (value - x_0) / value,   v_i = x_i / (x_0 - value).
 *
 * The entries are first divided by the largest: no square overflows.
 */
double cafe_reflector_make(int64_t size, double *x, int64_t step, double *value) {
    double largest = 0, sum = 0, first = size > 0 ? x[0] : 0;
    *value = first;
    for (int64_t i = 1; i < size; i++)
        if (fabs(x[i * step]) > largest) largest = fabs(x[i * step]);
    if (size > 0) x[0] = 1;
    if (!(largest > 0)) return 0;
    if (fabs(first) > largest) largest = fabs(first);
    for (int64_t i = 1; i < size; i++) sum += x[i * step] / largest * (x[i * step] / largest);
    double head = first / largest, norm = sqrt(head * head + sum);
    /* value = -sign(first) ||x||, so that nothing cancels in first - value */
    double end = first > 0 ? -norm : norm;
    double divisor = (head - end) * largest;
    for (int64_t i = 1; i < size; i++) x[i * step] /= divisor;
    *value = end * largest;
    return (end - head) / end;
}

/* T of a block: H_0 ... H_(b-1) = I - V^T T V with V b x length, T upper triangular. dots[b * b] is
 * room for V V^T. */
static void make_triangle(int64_t b, int64_t length, const double *v, const double *tau,
                          double *dots, double *t) {
    cafe_product x = cafe_product_of(b, b, length);
    x.b_inner = 1;
    x.b_column = length;
    cafe_kernels_best()->products->in_double(&x, v, v, dots);
    memset(t, 0, (size_t)(b * b) * sizeof *t);
    for (int64_t j = 0; j < b; j++) {
        t[j * b + j] = tau[j];
        /* T[0 .. j, j] = -tau_j T[0 .. j, 0 .. j] (V v_j) */
        for (int64_t i = 0; i < j; i++) {
            double sum = 0;
            for (int64_t l = i; l < j; l++) sum += t[i * b + l] * dots[l * b + j];
            t[i * b + j] = -tau[j] * sum;
        }
    }
}

/* Q <- (I - V^T T V) Q on the rows from `first` on, before which V is zero. */
static void apply(int64_t b, int64_t length, int64_t first, const double *v, const double *tau,
                  int64_t columns, double *q, double *scratch) {
    const cafe_products *products = cafe_kernels_best()->products;
    double *t = scratch, *m = t + b * b, *tm = m + b * columns;
    int64_t inner = length - first;
    make_triangle(b, length, v, tau, m, t); /* m has room: columns >= b */
    cafe_product x = cafe_product_of(b, columns, inner);
    x.a_row = length;
    products->in_double(&x, v + first, q + first * columns, m);
    x = cafe_product_of(b, columns, b);
    products->in_double(&x, t, m, tm);
    x = cafe_product_of(inner, columns, b);
    x.a_row = 1;
    x.a_inner = length;
    x.alpha = -1;
    x.beta = 1;
    products->in_double(&x, v + first, tm, q + first * columns);
}

/* Q = H_0 H_1 ... H_(count-1) I, from the last block to the first: a block changes only the rows
 * from its first reflector on, because its V is zero before. */
cafe_status cafe_reflectors_product(cafe_context *context, int64_t count, int64_t length,
                                    const double *v, const double *tau, int64_t columns,
                                    double *q) {
    double *scratch = cafe_mem(context, BLOCK * (2 * columns + BLOCK), sizeof *scratch);
    CAFE_PASS(cafe_mem_had(scratch));
    memset(q, 0, (size_t)(length * columns) * sizeof *q);
    for (int64_t i = 0; i < columns; i++) q[i * columns + i] = 1;
    for (int64_t from = (count - 1) / BLOCK * BLOCK; count > 0 && from >= 0; from -= BLOCK) {
        int64_t b = count - from < BLOCK ? count - from : BLOCK;
        apply(b, length, from, v + from * length, tau + from, columns, q, scratch);
    }
    cafe_mem_free(context, scratch);
    return CAFE_OK;
}
