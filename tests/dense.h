/* Dense helpers in double precision, written apart from the library: the independent recomputation
 * that tests compare with.
 */
#ifndef CAFE_TEST_DENSE_H
#define CAFE_TEST_DENSE_H

#include <math.h>
#include <string.h>

#include "graphs.h"

/* Q from its definition: q(u,w) = a(u,w) / 2m - d_u d_w / (2m)^2; n x n, freed by the caller. */
TEST_UNUSED static double *test_dense_q(const cafe_graph *graph, double *p) {
    int64_t n = cafe_graph_nodes(graph);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double total = 0, *q = calloc((size_t)(n * n), sizeof *q);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++) {
        p[u] = 0;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            double a = weights ? weights[j] : 1;
            q[u * n + targets[j]] += a;
            p[u] += a;
        }
        total += p[u];
    }
    for (int64_t u = 0; u < n; u++) p[u] /= total;
    for (int64_t i = 0; i < n * n; i++) q[i] = q[i] / total - p[i / n] * p[i % n];
    return q;
}

/* y = Q x for one column of a row-major n x columns block. */
TEST_UNUSED static void test_dense_times(int64_t n, const double *q, const float *x,
                                         int64_t columns, int64_t column, double *y) {
    for (int64_t u = 0; u < n; u++) {
        y[u] = 0;
        for (int64_t w = 0; w < n; w++) y[u] += q[u * n + w] * x[w * columns + column];
    }
}

/* tr(X^T Q X) */
TEST_UNUSED static double test_dense_trace(int64_t n, const double *q, const float *x,
                                           int64_t columns) {
    double trace = 0, *y = malloc((size_t)n * sizeof *y);
    for (int64_t k = 0; k < columns; k++) {
        test_dense_times(n, q, x, columns, k, y);
        for (int64_t u = 0; u < n; u++) trace += y[u] * x[u * columns + k];
    }
    free(y);
    return trace;
}

/* Eigenvalues of a symmetric matrix (overwritten) by cyclic Jacobi rotations, descending. */
TEST_UNUSED static void test_dense_eigenvalues(int64_t n, double *a, double *values) {
    for (int sweep = 0; sweep < 60; sweep++) {
        double off = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) off += a[i * n + j] * a[i * n + j];
        if (off < 1e-26) break;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                if (fabs(a[i * n + j]) < 1e-300) continue;
                double tau = (a[j * n + j] - a[i * n + i]) / (2 * a[i * n + j]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int64_t k = 0; k < n; k++) {
                    double x = a[k * n + i], y = a[k * n + j];
                    a[k * n + i] = c * x - s * y, a[k * n + j] = s * x + c * y;
                }
                for (int64_t k = 0; k < n; k++) {
                    double x = a[i * n + k], y = a[j * n + k];
                    a[i * n + k] = c * x - s * y, a[j * n + k] = s * x + c * y;
                }
            }
    }
    for (int64_t i = 0; i < n; i++) values[i] = a[i * n + i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++)
            if (values[j] > values[i]) {
                double value = values[i];
                values[i] = values[j], values[j] = value;
            }
}

/* The whole way from a graph to its operator. */
typedef struct test_problem {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
} test_problem;

/* Takes over the graph. */
TEST_UNUSED static test_problem test_open(cafe_context *context, cafe_graph *graph) {
    test_problem t = {context, graph, NULL, NULL};
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &t.sampled));
    TEST_OK(context, cafe_operator_modularity(context, t.sampled, &t.op));
    return t;
}

TEST_UNUSED static void test_close(test_problem *t) {
    cafe_operator_free(t->op);
    cafe_sampled_free(t->sampled);
    cafe_graph_free(t->graph);
    cafe_context_free(t->context);
}

/* n x columns numbers in (-1,1). */
TEST_UNUSED static float *test_block(int64_t n, int64_t columns, uint64_t seed) {
    float *x = malloc((size_t)(n * columns) * sizeof *x);
    for (int64_t i = 0; i < n * columns; i++)
        x[i] = (float)((double)(test_number(&seed) >> 11) * 0x1p-52 - 1);
    return x;
}

#endif
