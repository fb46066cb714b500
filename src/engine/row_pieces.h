/* The contribution of a piece of rows to a sum over all rows (kernels/sum_shapes.h): one body for
 * all engines with rows in memory. Rows first .. last - 1 of a block of the processor are added
 * from the first to the last. */
#ifndef CAFE_ENGINE_ROW_PIECES_H
#define CAFE_ENGINE_ROW_PIECES_H

#include "engine/engine.h"

static inline float *cafe_row(const cafe_block *x, int64_t u) {
    return x->x + u * x->stride + x->first;
}

/* sum_j += (f_u x_uj)^2; factors NULL: 1 */
static inline void cafe_add_norms(const cafe_block *x, const double *factors, int64_t first,
                                  int64_t last, double *sum) {
    for (int64_t u = first; u < last; u++) {
        const float *row = cafe_row(x, u);
        double weight = factors ? factors[u] * factors[u] : 1;
        for (int64_t j = 0; j < x->columns; j++) sum[j] += weight * row[j] * row[j];
    }
}

/* sum_j += w_u x_uj; weights NULL: 1 */
static inline void cafe_add_totals(const cafe_block *x, const double *weights, int64_t first,
                                   int64_t last, double *sum) {
    for (int64_t u = first; u < last; u++) {
        const float *row = cafe_row(x, u);
        double weight = weights ? weights[u] : 1;
        for (int64_t j = 0; j < x->columns; j++) sum[j] += weight * row[j];
    }
}

/* Two blocks and their weights; y or own_weights may be NULL. */
typedef struct cafe_dots {
    const cafe_kernels *kernels;
    const cafe_block *x, *y;
    const double *weights, *own_weights;
    int64_t negative; /* the last columns, which count with the opposite sign */
} cafe_dots;

static inline double cafe_signed_dot(const cafe_dots *d, const float *x, const float *y) {
    double sum = d->kernels->dot(d->x->stride, x, y);
    for (int64_t k = d->x->columns - d->negative; k < d->x->columns; k++) sum -= 2.0 * x[k] * y[k];
    return sum;
}

/* sum_0 += w_u <x_u, y_u>, sum_1 += own_u ||x_u||^2 */
static inline void cafe_add_dots(const cafe_dots *d, int64_t first, int64_t last, double sum[2]) {
    for (int64_t u = first; u < last; u++) {
        const float *x = cafe_row(d->x, u);
        if (d->y) sum[0] += d->weights[u] * cafe_signed_dot(d, x, cafe_row(d->y, u));
        if (d->own_weights) sum[1] += d->own_weights[u] * cafe_signed_dot(d, x, x);
    }
}

#endif
