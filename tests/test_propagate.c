/* Spectral propagation against a dense computation of the filter and of its definition. */
#include <stdbool.h>

#include <cafe/cafe.h>

#include "baseline/baseline.h"
#include "dense.h"
#include "failing.h"

enum { MOST = 80, COLUMNS = 5 };

/* ---- the filter, densely --------------------------------------------------------------------- */

/* The weight in the middle. */
static double middle_weight(const cafe_graph *graph) {
    int64_t arcs, i = 0;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    arcs = offsets[cafe_graph_nodes(graph)];
    if (!weights) return 1;
    for (;; i++) { /* fewer than half are below it, and no more than half above */
        int64_t below = 0, above = 0;
        for (int64_t j = 0; j < arcs; j++) {
            below += weights[j] < weights[i];
            above += weights[j] > weights[i];
        }
        if (below <= (arcs - 1) / 2 && above <= arcs / 2) return weights[i];
    }
}

/* B = A + I and L = I - D_B^-1 B */
static void dense_laplacian(const cafe_graph *graph, double *b, double *l) {
    int64_t n = cafe_graph_nodes(graph);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double unit = middle_weight(graph);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    memset(b, 0, (size_t)(n * n) * sizeof *b);
    for (int64_t u = 0; u < n; u++) {
        double degree = 1;
        b[u * n + u] = 1;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            b[u * n + targets[j]] += weights ? weights[j] / unit : 1;
            degree += weights ? weights[j] / unit : 1;
        }
        for (int64_t w = 0; w < n; w++) l[u * n + w] = (u == w) - b[u * n + w] / degree;
    }
}

static void times(int64_t n, const double *m, const double *x, double *y) {
    for (int64_t i = 0; i < n; i++) {
        y[i] = 0;
        for (int64_t j = 0; j < n; j++) y[i] += m[i * n + j] * x[j];
    }
}

/* z = (M^2 / 2 - I) x, M = L - mu I */
static void argument_times(int64_t n, const double *l, double mu, const double *x, double *z) {
    double half[MOST], whole[MOST];
    times(n, l, x, half);
    for (int64_t i = 0; i < n; i++) half[i] -= mu * x[i];
    times(n, l, half, whole);
    for (int64_t i = 0; i < n; i++) z[i] = (whole[i] - mu * half[i]) / 2 - x[i];
}

/* The integral (1/pi) int_0^pi exp(t cos s) cos(i s) ds: not the library's series. */
static double bessel(int i, double t) {
    enum { POINTS = 400 };
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int k = 0; k < POINTS; k++) {
        double s = pi * (k + 0.5) / POINTS;
        sum += exp(t * cos(s)) * cos(i * s);
    }
    return sum / POINTS;
}

/* The first `order` terms of exp(-theta z) in Chebyshev polynomials of z, applied to x. */
static void chebyshev(int64_t n, const double *l, const cafe_propagate_options *o, const double *x,
                      double *out) {
    double t0[MOST], t1[MOST], t2[MOST], z[MOST];
    memcpy(t0, x, (size_t)n * sizeof *t0);
    argument_times(n, l, o->mu, x, t1);
    for (int64_t i = 0; i < n; i++)
        out[i] = bessel(0, o->theta) * t0[i] - 2 * bessel(1, o->theta) * t1[i];
    for (int k = 2; k < o->order; k++) {
        argument_times(n, l, o->mu, t1, z);
        for (int64_t i = 0; i < n; i++) {
            t2[i] = 2 * z[i] - t0[i];
            out[i] += (k % 2 ? -2 : 2) * bessel(k, o->theta) * t2[i];
            t0[i] = t1[i], t1[i] = t2[i];
        }
    }
}

/* The power series of exp(-theta z), which the Chebyshev one converges to. */
static void exponential(int64_t n, const double *l, const cafe_propagate_options *o,
                        const double *x, double *out) {
    double term[MOST], z[MOST];
    memcpy(term, x, (size_t)n * sizeof *term);
    memcpy(out, x, (size_t)n * sizeof *out);
    for (int k = 1; k < 60; k++) {
        argument_times(n, l, o->mu, term, z);
        for (int64_t i = 0; i < n; i++) term[i] = -o->theta / k * z[i], out[i] += term[i];
    }
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* F = B (X - g(L) X), n x COLUMNS */
static void dense_filtered(const cafe_graph *graph, const cafe_propagate_options *o, bool exact,
                           const float *x, double *f) {
    static double b[MOST * MOST], l[MOST * MOST];
    int64_t n = cafe_graph_nodes(graph);
    double column[MOST], g[MOST], smooth[MOST];
    dense_laplacian(graph, b, l);
    for (int64_t k = 0; k < COLUMNS; k++) {
        for (int64_t i = 0; i < n; i++) column[i] = x[i * COLUMNS + k];
        (exact ? exponential : chebyshev)(n, l, o, column, g);
        for (int64_t i = 0; i < n; i++) g[i] = column[i] - g[i];
        times(n, b, g, smooth);
        for (int64_t i = 0; i < n; i++) f[i * COLUMNS + k] = smooth[i];
    }
}

/* With F = U S V^T: rows of U sqrt(S), scaled to length 1, have inner products that do not depend
 * on the signs of the singular vectors. Their matrix U S U^T = (F F^T)^(1/2), found by Newton's
 * iteration for the COLUMNS x COLUMNS root: F F^T's root is F (F^T F)^(-1/2) F^T. */
static void inverse(double *a, double *out) {
    enum { K = COLUMNS };
    for (int i = 0; i < K * K; i++) out[i] = i / K == i % K;
    for (int k = 0; k < K; k++) { /* positive definite: no pivots */
        double pivot = a[k * K + k];
        for (int j = 0; j < K; j++) a[k * K + j] /= pivot, out[k * K + j] /= pivot;
        for (int i = 0; i < K; i++) {
            double factor = a[i * K + k];
            if (i == k) continue;
            for (int j = 0; j < K; j++) {
                a[i * K + j] -= factor * a[k * K + j];
                out[i * K + j] -= factor * out[k * K + j];
            }
        }
    }
}

/* Denman and Beavers: Y -> A^(1/2), Z -> A^(-1/2). */
static void inverse_root(const double *a, double *z) {
    enum { SIZE = COLUMNS * COLUMNS };
    double y[SIZE], copy[SIZE], y_inverse[SIZE], z_inverse[SIZE];
    memcpy(y, a, sizeof y);
    for (int i = 0; i < SIZE; i++) z[i] = i / COLUMNS == i % COLUMNS;
    for (int step = 0; step < 60; step++) {
        memcpy(copy, y, sizeof copy);
        inverse(copy, y_inverse);
        memcpy(copy, z, sizeof copy);
        inverse(copy, z_inverse);
        for (int i = 0; i < SIZE; i++) {
            y[i] = (y[i] + z_inverse[i]) / 2;
            z[i] = (z[i] + y_inverse[i]) / 2;
        }
    }
}

static double form(const double *f, const double *m, int64_t u, int64_t w) {
    double sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += f[u * COLUMNS + i] * m[i * COLUMNS + j] * f[w * COLUMNS + j];
    return sum;
}

static void compare(int64_t n, const double *f, const float *x, double tolerance) {
    double gram[COLUMNS * COLUMNS] = {0}, root[COLUMNS * COLUMNS];
    for (int64_t u = 0; u < n; u++)
        for (int i = 0; i < COLUMNS * COLUMNS; i++)
            gram[i] += f[u * COLUMNS + i / COLUMNS] * f[u * COLUMNS + i % COLUMNS];
    inverse_root(gram, root);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            double want = form(f, root, u, w) / sqrt(form(f, root, u, u) * form(f, root, w, w));
            double got = 0;
            for (int k = 0; k < COLUMNS; k++) got += x[u * COLUMNS + k] * x[w * COLUMNS + k];
            assert_true(fabs(got - want) < tolerance);
        }
}

static void check_filter(cafe_context *context, const cafe_graph *graph,
                         const cafe_propagate_options *o, bool exact) {
    int64_t n = cafe_graph_nodes(graph);
    double f[MOST * COLUMNS];
    float *x = test_block(n, COLUMNS, 3);
    dense_filtered(graph, o, exact, x, f);
    TEST_OK(context, cafe_propagate(context, graph, o, COLUMNS, x));
    compare(n, f, x, 2e-3);
    free(x);
}

static void propagation_is_the_chebyshev_sum(void **state) {
    cafe_propagate_options o;
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 4; kind++) {
        cafe_graph *graph =
            kind == 0 ? test_karate(context) : test_random(context, 80, 200, kind > 1, kind > 2, 6);
        cafe_propagate_options_init(&o);
        check_filter(context, graph, &o, false);
        check_filter(context, graph, &o, true); /* ten terms are as good as all */
        o.order = 2;
        check_filter(context, graph, &o, false);
        o.order = 3;
        o.mu = 0.7;
        o.theta = 2;
        check_filter(context, graph, &o, false);
        o.order = 40;
        check_filter(context, graph, &o, true);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* ---- what holds always ----------------------------------------------------------------------- */

static void zero_rows_and_lost_columns_stay(void **state) {
    enum { N = 300, K = 6 };
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, N, 900, 0, 0, 6);
    float *x = test_block(N, K, 3);
    for (int u = 0; u < N; u++) {
        x[u * K + 5] = x[u * K]; /* rank 5 */
        for (int k = 0; k < K && u % 7 == 6; k++) x[u * K + k] = 0;
    }
    TEST_OK(context, cafe_propagate(context, graph, NULL, K, x));
    for (int u = 0; u < N; u++) {
        double size = 0;
        for (int k = 0; k < K; k++) size += (double)x[u * K + k] * x[u * K + k];
        if (u % 7 == 6)
            assert_true(size == 0);
        else
            assert_true(fabs(size - 1) < 1e-5);
        assert_true(x[u * K + 5] == 0);
    }
    memset(x, 0, sizeof(float) * N * K);
    TEST_OK(context, cafe_propagate(context, graph, NULL, K, x));
    for (int i = 0; i < N * K; i++) assert_true(x[i] == 0);
    free(x);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void vectors_have_the_same_bits(void **state) {
    enum { N = 3000, K = 20 };
    float *first = NULL;
    (void)state;
    for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
        cafe_context *context = test_context(threads, 7);
        cafe_graph *graph = test_random(context, N, 12000, 1, 1, 21);
        float *x = test_block(N, K, 9);
        TEST_OK(context, cafe_propagate(context, graph, NULL, K, x));
        if (!first) first = malloc(sizeof(float) * N * K), memcpy(first, x, sizeof(float) * N * K);
        assert_memory_equal(first, x, sizeof(float) * N * K);
        free(x);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(first);
}

static void what_cannot_be_is_refused(void **state) {
    cafe_propagate_options o;
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    float *x = test_block(TEST_KARATE_NODES, COLUMNS, 9);
    cafe_propagate_options_init(&o);
    o.order = 1;
    assert_int_equal(cafe_propagate(context, graph, &o, COLUMNS, x), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "propagate-order"));
    assert_int_equal(cafe_propagate(context, graph, NULL, 0, x), CAFE_ERROR_ARGUMENT);
    cafe_cancel(context);
    assert_int_equal(cafe_propagate(context, graph, NULL, COLUMNS, x), CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(context);
    x[3 * COLUMNS + 1] = NAN;
    assert_int_equal(cafe_propagate(context, graph, NULL, COLUMNS, x), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "node 3"));
    free(x);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_that_runs_out_is_survived(void **state) {
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    for (long k = 0;; k++) {
        float *x = test_block(TEST_KARATE_NODES, COLUMNS, 9);
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_propagate(context, graph, NULL, COLUMNS, x);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        free(x);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(propagation_is_the_chebyshev_sum),
        cmocka_unit_test(zero_rows_and_lost_columns_stay),
        cmocka_unit_test(vectors_have_the_same_bits),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
