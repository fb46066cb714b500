/* Figures of Q that tests compare with: the trace of X^T Q X, and q(S,S') of sets of nodes. */
#ifndef CAFE_TESTS_QUERIES_H
#define CAFE_TESTS_QUERIES_H

#include <string.h>

#include "base/memory.h"
#include "operator/operator.h"
#include "sample/set_masses.h"

/* tr(X^T Q X) of a row-major n x columns array. */
static inline cafe_status test_trace(cafe_context *context, const cafe_operator *op,
                                     int64_t columns, const float *x, double *trace) {
    int64_t stride = cafe_stride(columns);
    float *padded = cafe_mem_zero(context, op->n * stride, sizeof *padded);
    if (!padded) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < op->n; u++)
        memcpy(padded + u * stride, x + u * columns, (size_t)columns * sizeof *x);
    cafe_status status = cafe_operator_trace_block(context, op, stride, padded, trace);
    cafe_mem_free(context, padded);
    return status;
}

/* Sums f_u over the sets: parts x L. */
static inline void test_sum_factors(const cafe_operator_parts *q, const int32_t *part,
                                    double *sums) {
    for (int64_t u = 0; u < q->n; u++)
        for (int64_t l = 0; part[u] >= 0 && l < q->width; l++)
            sums[part[u] * q->width + l] += q->f[u * q->width + l];
}

/* Returns f(S) C f(S')^T, the part of q(S,S') that F adds. */
static inline double test_factor_part(const cafe_operator_parts *q, const double *one,
                                      const double *other) {
    double sum = 0;
    for (int64_t l = 0; l < q->width; l++) sum += cafe_factor_sign(q, l) * one[l] * other[l];
    return q->kappa * sum;
}

/* Computes q(S,S') = p(S,S') - p(S) p(S') = 1_S^T Q 1_S', or its negative; for a sum
 * a(S,S') / total + f(S) C f(S')^T. The entries of part are below parts, or negative: in no set. */
static inline cafe_status test_covariance(cafe_context *context, const cafe_operator *op,
                                          const int32_t *part, int64_t parts, double *covariance) {
    const cafe_operator_parts *q = &op->parts;
    CAFE_PASS(cafe_operator_need_rows(context, op));
    if (!q->f || !q->offsets) CAFE_PASS(cafe_operator_need_links(context, op));
    double *mass = cafe_mem(context, parts, sizeof *mass);
    double *sums = cafe_mem_zero(context, q->f ? parts * q->width : 0, sizeof *sums);
    cafe_status status = cafe_mem_had(mass, sums);
    CAFE_TRY(status);
    CAFE_TRY(cafe_partition_pairs(context, &CAFE_JOINT(q), part, parts, covariance, mass));
    if (q->f) test_sum_factors(q, part, sums);
    for (int64_t i = 0; i < parts; i++)
        for (int64_t j = 0; j < parts; j++) {
            double expected = q->sign * mass[i] * mass[j];
            if (q->f) expected = -test_factor_part(q, sums + i * q->width, sums + j * q->width);
            covariance[i * parts + j] = q->sign * covariance[i * parts + j] - expected;
        }
done:
    cafe_mem_free_all(context, mass, sums);
    return status;
}

#endif
