/* ProNE against its formulas, computed here with dense matrices in double precision, and the
 * randomised decomposition against Jacobi's. */
#include <stdio.h>

#include <cafe/cafe.h>

#include "dense.h"
#include "method/method.h"
#include "spectral/randomized_svd.h"

enum { MOST = 80 };

/* ---- dense matrices -------------------------------------------------------------------------- */

/* f(u,w) = log(c(u,w) / neg_w) on the links, c = D^-1 A, neg ~ (column sums of c)^0.75. */
static void formula(const cafe_graph *graph, double *f) {
    const int64_t n = cafe_graph_nodes(graph), *offsets;
    const int32_t *targets;
    const float *weights;
    double noise[MOST] = {0}, total = 0;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    memset(f, 0, (size_t)(n * n) * sizeof *f);
    for (int64_t u = 0; u < n; u++) {
        double degree = 0;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) degree += weights ? weights[j] : 1;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            f[u * n + targets[j]] = (weights ? weights[j] : 1) / degree;
            noise[targets[j]] += f[u * n + targets[j]];
        }
    }
    for (int64_t w = 0; w < n; w++) total += pow(noise[w], 0.75);
    for (int64_t i = 0; i < n * n; i++)
        if (f[i] > 0) f[i] = log(f[i]) - log(pow(noise[i % n], 0.75) / total);
}

/* Jacobi: a = V diag(values) V^T for a symmetric a, which becomes the diagonal. */
static void eigenvectors(int64_t n, double *a, double *v) {
    for (int64_t i = 0; i < n * n; i++) v[i] = i / n == i % n;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = i + 1; j < n; j++) {
                if (fabs(a[i * n + j]) < 1e-300) continue;
                double tau = (a[j * n + j] - a[i * n + i]) / (2 * a[i * n + j]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int64_t k = 0; k < n; k++) {
                    double x = a[k * n + i], y = a[k * n + j], p = v[k * n + i], q = v[k * n + j];
                    a[k * n + i] = c * x - s * y, a[k * n + j] = s * x + c * y;
                    v[k * n + i] = c * p - s * q, v[k * n + j] = s * p + c * q;
                }
                for (int64_t k = 0; k < n; k++) {
                    double x = a[i * n + k], y = a[j * n + k];
                    a[i * n + k] = c * x - s * y, a[j * n + k] = s * x + c * y;
                }
            }
}

/* S = U Sigma U^T of the `rank` largest singular values of f, and what is left of |f|^2. */
static double dense_factor(int64_t n, const double *f, int64_t rank, double *s) {
    static double a[MOST * MOST], v[MOST * MOST];
    double left = 0;
    for (int64_t i = 0; i < n * n; i++) {
        a[i] = s[i] = 0;
        for (int64_t k = 0; k < n; k++) a[i] += f[i / n * n + k] * f[i % n * n + k];
    }
    eigenvectors(n, a, v);
    for (int64_t j = 0; j < n; j++) {
        int64_t before = 0;
        double square = a[j * n + j];
        for (int64_t i = 0; i < n; i++)
            before += a[i * n + i] > square || (a[i * n + i] == square && i < j);
        if (before >= rank)
            left += square;
        else
            for (int64_t i = 0; i < n * n; i++)
                s[i] += sqrt(fmax(square, 0)) * v[i / n * n + j] * v[i % n * n + j];
    }
    return left;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* vectors: nodes x columns; returns the loss. */
static double prone(cafe_context *context, const cafe_graph *graph, int64_t columns, int steps,
                    int terms, float *vectors) {
    const cafe_option_table *table = cafe_method_find(context, "prone")->vectors();
    void *o = calloc(1, table->struct_size);
    cafe_solution *s = NULL;
    char text[16];
    cafe_options_init(table, o, table->struct_size);
    snprintf(text, sizeof text, "%d", (int)columns);
    TEST_OK(context, cafe_options_set(context, table, o, "columns", text));
    snprintf(text, sizeof text, "%d", steps);
    TEST_OK(context, cafe_options_set(context, table, o, "steps", text));
    snprintf(text, sizeof text, "%d", terms);
    TEST_OK(context, cafe_options_set(context, table, o, "terms", text));
    TEST_OK(context, test_solve(context, graph, "prone", o, &s));
    TEST_OK(context, cafe_solution_copy(s, vectors));
    double loss = cafe_solution_get(s)->objective[0];
    cafe_solution_free(s);
    free(o);
    return loss;
}

/* Inner products of the rows do not depend on the signs of singular vectors, nor on their choice
 * among equal singular values that are all taken. */
static void check_factor(cafe_context *context, const cafe_graph *graph, int64_t columns) {
    static double f[MOST * MOST], s[MOST * MOST];
    int64_t n = cafe_graph_nodes(graph);
    float *x = malloc((size_t)(n * columns) * sizeof *x);
    double norm = 0;
    formula(graph, f);
    for (int64_t i = 0; i < n * n; i++) norm += f[i] * f[i];
    double left = dense_factor(n, f, columns, s), loss = prone(context, graph, columns, 80, 1, x);
    assert_true(fabs(loss - left) < 1e-5 * norm);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            double size = sqrt(s[u * n + u] * s[w * n + w]), got = 0;
            for (int64_t k = 0; k < columns; k++)
                got += (double)x[u * columns + k] * x[w * columns + k];
            assert_true(fabs(got - (size > 1e-9 ? s[u * n + w] / size : 0)) < 1e-3);
        }
    free(x);
}

static void rows_are_those_of_the_factor(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 4; kind++) {
        cafe_graph *graph =
            kind == 0 ? test_karate(context) : test_random(context, 70, 300, kind > 1, kind > 2, 6);
        check_factor(context, graph, 5);
        check_factor(context, graph, 20);
        check_factor(context, graph, cafe_graph_nodes(graph));
        cafe_graph_free(graph);
    }
    cafe_graph *graph = test_bipartite(context, 6, 9); /* of rank 2 */
    check_factor(context, graph, 2);
    check_factor(context, graph, 15);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* The published settings are the defaults, and the propagation is the one of --propagate. */
static void the_rest_is_the_propagation(void **state) {
    enum { N = 200, K = 128 };
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, N, 900, 1, 0, 6);
    static float x[N * K], y[N * K];
    cafe_solution *s = NULL;
    cafe_propagate_options o;
    prone(context, graph, K, 5, 1, x);
    cafe_propagate_options_init(&o);
    assert_true(o.order == 10 && o.mu == 0.2 && o.theta == 0.5);
    TEST_OK(context, cafe_propagate(context, graph, &o, K, x));
    TEST_OK(context, test_solve(context, graph, "prone", NULL, &s));
    assert_int_equal(cafe_solution_get(s)->columns, K);
    TEST_OK(context, cafe_solution_copy(s, y));
    assert_memory_equal(x, y, sizeof x);
    for (int u = 0; u < N; u++) {
        double size = 0;
        for (int k = 0; k < K; k++) size += (double)y[u * K + k] * y[u * K + k];
        assert_true(u % 7 == 6 ? size == 0 : fabs(size - 1) < 1e-5); /* isolated, or of length 1 */
    }
    cafe_solution_free(s);
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
        float *x = malloc(sizeof(float) * N * K);
        prone(context, graph, K, 2, 10, x);
        if (!first) first = malloc(sizeof(float) * N * K), memcpy(first, x, sizeof(float) * N * K);
        assert_memory_equal(first, x, sizeof(float) * N * K);
        free(x);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(first);
}

/* ---- the decomposition ----------------------------------------------------------------------- */

/* Found singular values are at most the true ones, and more steps bring them nearer. */
static void values_rise_to_the_true_ones(void **state) {
    enum { K = 8 };
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, 80, 400, 0, 0, 3);
    const int64_t *offsets, n = cafe_graph_nodes(graph);
    const int32_t *targets;
    const float *weights;
    static double a[MOST * MOST], truth[MOST];
    double last = 0;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    cafe_sparse m = {n, offsets, targets, NULL, NULL};
    for (int64_t i = 0; i < n * n; i++) a[i] = 0;
    for (int64_t u = 0; u < n; u++) /* (A A^T)(u,w) counts common neighbours */
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            for (int64_t i = offsets[targets[j]]; i < offsets[targets[j] + 1]; i++)
                a[u * n + targets[i]] += 1;
    test_dense_eigenvalues(n, a, truth);
    for (int64_t steps = 0; steps <= 64; steps = steps ? 4 * steps : 1) {
        cafe_sketch_options o = {K, steps, 1};
        cafe_block x = {0};
        double values[K], sum = 0;
        TEST_OK(context, cafe_sketch(context, &m, &o, &x, values));
        for (int j = 0; j < K; j++) {
            assert_true(values[j] <= sqrt(truth[j]) * (1 + 1e-6));
            if (steps > 60) assert_true(values[j] >= sqrt(truth[j]) * (1 - 1e-5));
            sum += values[j];
        }
        assert_true(sum > last * (1 - 1e-6));
        last = sum;
        cafe_block_drop(context, &x);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_factor),
        cmocka_unit_test(the_rest_is_the_propagation),
        cmocka_unit_test(vectors_have_the_same_bits),
        cmocka_unit_test(values_rise_to_the_true_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
