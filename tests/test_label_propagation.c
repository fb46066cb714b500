/* Label propagation and spreading against dense solutions of their equations. */
#include <cafe/cafe.h>

#include "baseline/baseline.h"
#include "dense.h"
#include "failing.h"

static cafe_status spread(cafe_context *context, const cafe_graph *graph, const int32_t *label,
                          int64_t classes, const cafe_label_propagation_options *o,
                          cafe_solution **solution) {
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    inputs.labels = label;
    inputs.classes = classes;
    return test_solve_with(context, graph, "label-propagation", o, &inputs, solution);
}

enum { NODES = 45, CLASSES = 3 };

/* a x = b for several right sides (n x k) by Gauss-Jordan with pivots; x is left in b. */
static void solve(int64_t n, double *a, int64_t k, double *b) {
    for (int64_t c = 0; c < n; c++) {
        int64_t best = c;
        for (int64_t i = c; i < n; i++)
            if (fabs(a[i * n + c]) > fabs(a[best * n + c])) best = i;
        for (int64_t j = 0; j < n; j++) {
            double moved = a[c * n + j];
            a[c * n + j] = a[best * n + j], a[best * n + j] = moved;
        }
        for (int64_t j = 0; j < k; j++) {
            double moved = b[c * k + j];
            b[c * k + j] = b[best * k + j], b[best * k + j] = moved;
        }
        for (int64_t i = 0; i < n; i++) {
            double factor = i == c ? 0 : a[i * n + c] / a[c * n + c];
            for (int64_t j = 0; j < n && factor != 0; j++) a[i * n + j] -= factor * a[c * n + j];
            for (int64_t j = 0; j < k && factor != 0; j++) b[i * k + j] -= factor * b[c * k + j];
        }
    }
    for (int64_t i = 0; i < n * k; i++) b[i] /= a[i / k * n + i / k];
}

/* The adjacency matrix and degrees. */
static double *dense_a(const cafe_graph *graph, double *degree) {
    int64_t n = cafe_graph_nodes(graph);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double *a = calloc((size_t)(n * n), sizeof *a);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++) {
        degree[u] = 0;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            a[u * n + targets[j]] = weights ? weights[j] : 1;
            degree[u] += a[u * n + targets[j]];
        }
    }
    return a;
}

/* 1: a given label can be reached from u. */
static void reach(int64_t n, const double *a, const int32_t *label, int *reached) {
    for (int64_t u = 0; u < n; u++) reached[u] = label[u] >= 0;
    for (int64_t step = 0; step < n; step++)
        for (int64_t i = 0; i < n * n; i++)
            if (a[i] != 0 && reached[i % n]) reached[i / n] = 1;
}

static int stays(int32_t kind) {
    return kind == CAFE_PROPAGATION_HARD || kind == CAFE_PROPAGATION_HARMONIC;
}

/* a <- D - A + l I with l = (1 - alpha) / alpha times the mean degree, f <- l Y */
static void dense_walks(int64_t n, double *a, const double *degree, const int32_t *label,
                        double alpha, double *f) {
    double absorption = 0;
    for (int64_t u = 0; u < n; u++) absorption += (1 - alpha) / alpha * degree[u] / (double)n;
    for (int64_t i = 0; i < n * n; i++)
        a[i] = (i / n == i % n ? degree[i / n] + absorption : 0) - a[i];
    for (int64_t i = 0; i < n * CLASSES; i++)
        f[i] = i % CLASSES == label[i / CLASSES] ? absorption : 0;
}

/* Fixed points, with rows of sum 1, or 0. Propagation and harmonic: (D - A) F = 0 on reached rows
 * without a label, F = Y on the given ones. Spreading: (I - alpha S) F = (1 - alpha) Y.
 * Absorbing: (D - A + l I) F = l Y. */
static void dense_labels(const cafe_graph *graph, const int32_t *label, int32_t kind, double alpha,
                         double *f) {
    int64_t n = cafe_graph_nodes(graph);
    double degree[NODES], *a = dense_a(graph, degree);
    int reached[NODES];
    reach(n, a, label, reached);
    if (kind == CAFE_PROPAGATION_ABSORBING) dense_walks(n, a, degree, label, alpha, f);
    for (int64_t u = 0; u < n && kind != CAFE_PROPAGATION_ABSORBING; u++) {
        int given = label[u] >= 0, hard = stays(kind);
        for (int64_t w = 0; w < n; w++) {
            double link = a[u * n + w], own = u == w;
            if (hard)
                a[u * n + w] = given || !reached[u] ? own : own - link / degree[u];
            else if (link != 0)
                a[u * n + w] = own - alpha * link / sqrt(degree[u] * degree[w]);
            else
                a[u * n + w] = own;
        }
        for (int64_t k = 0; k < CLASSES; k++)
            f[u * CLASSES + k] = k == label[u] ? (hard ? 1 : 1 - alpha) : 0;
    }
    solve(n, a, CLASSES, f);
    for (int64_t u = 0; u < n; u++) {
        double sum = f[u * CLASSES] + f[u * CLASSES + 1] + f[u * CLASSES + 2];
        for (int64_t k = 0; k < CLASSES && sum > 1e-9; k++) f[u * CLASSES + k] /= sum;
    }
    free(a);
}

/* A few labels; the nodes 2 modulo 3 (components of their own in test_random) have none. */
static void give(int32_t *label) {
    for (int32_t u = 0; u < NODES; u++) label[u] = u % 3 != 2 && u % 5 < 2 ? (u / 5) % CLASSES : -1;
    label[6] = 1; /* an isolated node with a label, beside others without */
}

static void check_kind(int32_t kind, double alpha, int32_t weighted) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, NODES, 120, weighted, 1, 11);
    cafe_label_propagation_options o;
    cafe_solution *s = NULL;
    int32_t label[NODES];
    double want[NODES * CLASSES];
    float got[NODES * CLASSES];
    give(label);
    cafe_label_propagation_options_init(&o);
    o.kind = kind, o.alpha = alpha, o.sweeps = 100000, o.tolerance = 1e-7;
    dense_labels(graph, label, kind, alpha, want);
    TEST_OK(context, spread(context, graph, label, CLASSES, &o, &s));
    assert_int_equal(cafe_solution_get(s)->converged, 1);
    assert_int_equal(cafe_solution_get(s)->columns, CLASSES);
    cafe_solution_copy(s, got);
    for (int64_t i = 0; i < NODES * CLASSES; i++) assert_true(fabs(got[i] - want[i]) < 2e-5);
    cafe_solution_free(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* want <- each column of the nodes without a label so scaled that it adds up to the number of its
 * labels, then rows with sum 1. */
static void scale_densely(const int32_t *label, double *want) {
    for (int k = 0; k < CLASSES; k++) {
        double mass = 0, given = 0;
        for (int u = 0; u < NODES; u++) {
            mass += label[u] < 0 ? want[u * CLASSES + k] : 0;
            given += label[u] == k;
        }
        for (int u = 0; u < NODES; u++)
            if (label[u] < 0 && mass > 0) want[u * CLASSES + k] *= given / mass;
    }
    for (int u = 0; u < NODES; u++) {
        double sum = 0;
        for (int k = 0; k < CLASSES; k++) sum += want[u * CLASSES + k];
        for (int k = 0; k < CLASSES && sum > 0; k++) want[u * CLASSES + k] /= sum;
    }
}

/* auto: not for as many labels as here. */
static void masses_of_classes_are_those_of_the_labels(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, NODES, 120, 1, 1, 11);
    int32_t label[NODES];
    double plain[NODES * CLASSES], want[NODES * CLASSES];
    float got[NODES * CLASSES];
    give(label);
    dense_labels(graph, label, CAFE_PROPAGATION_HARD, 0.8, plain);
    memcpy(want, plain, sizeof want);
    scale_densely(label, want);
    for (int32_t i = 0; i <= 2 * CAFE_MASS_YES + 1; i++) {
        cafe_label_propagation_options o;
        int32_t mass = i / 2;
        cafe_solution *s = NULL;
        double most = 0;
        cafe_label_propagation_options_init(&o);
        o.sweeps = 100000, o.tolerance = 1e-7, o.mass = mass;
        if (i % 2) o.kind = CAFE_PROPAGATION_HARMONIC;
        TEST_OK(context, spread(context, graph, label, CLASSES, &o, &s));
        cafe_solution_copy(s, got);
        for (int at = 0; at < NODES * CLASSES; at++)
            most = fmax(most, fabs(got[at] - (mass == CAFE_MASS_YES ? want : plain)[at]));
        assert_true(most < 1e-4);
        cafe_solution_free(s);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void labels_are_the_solution_of_their_equation(void **state) {
    (void)state;
    for (int32_t weighted = 0; weighted < 2; weighted++) {
        check_kind(CAFE_PROPAGATION_HARD, 0.8, weighted);
        check_kind(CAFE_PROPAGATION_SOFT, 0.8, weighted);
        check_kind(CAFE_PROPAGATION_SOFT, 0, weighted);
        check_kind(CAFE_PROPAGATION_SOFT, 0.95, weighted);
        check_kind(CAFE_PROPAGATION_HARMONIC, 0.8, weighted);
        check_kind(CAFE_PROPAGATION_ABSORBING, 0.8, weighted);
        check_kind(CAFE_PROPAGATION_ABSORBING, 0.99, weighted);
        check_kind(CAFE_PROPAGATION_ABSORBING, 0.2, weighted);
    }
}

/* However few the sweeps: given rows are unit vectors, rows sum to 1 or are zero. */
static void given_labels_stay(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, NODES, 120, 1, 0, 11);
    int32_t label[NODES];
    float got[NODES * CLASSES];
    int64_t empty = 0;
    give(label);
    for (int64_t sweeps = 0; sweeps < 6; sweeps++) {
        cafe_label_propagation_options o;
        cafe_solution *s = NULL;
        cafe_label_propagation_options_init(&o);
        o.sweeps = sweeps;
        TEST_OK(context, spread(context, graph, label, CLASSES, &o, &s));
        cafe_solution_copy(s, got);
        for (int64_t u = 0; u < NODES; u++) {
            const float *row = got + u * CLASSES;
            double sum = (double)row[0] + row[1] + row[2];
            assert_true(sum == 0 || fabs(sum - 1) < 1e-6);
            empty += sum == 0;
            for (int64_t k = 0; k < CLASSES && label[u] >= 0; k++)
                assert_true(row[k] == (k == label[u]));
        }
        cafe_solution_free(s);
    }
    assert_true(empty > 0);
    for (int64_t u = 2; u < NODES; u += 3) /* no path leads here */
        for (int64_t k = 0; k < CLASSES; k++) assert_true(got[u * CLASSES + k] == 0);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Two cliques, one label in each: every node gets the label of its own. */
static void cliques_take_their_own_label(void **state) {
    (void)state;
    enum { HALF = 8, N = 2 * HALF };
    cafe_context *context = test_context(1, 1);
    test_links l = test_links_new(HALF * (HALF - 1) + 1);
    int32_t label[N];
    float got[N * 2];
    l.count = 0;
    for (int32_t u = 0; u < N; u++) {
        label[u] = u % HALF == 3 ? u / HALF : -1;
        for (int32_t w = u / HALF * HALF; w < u; w++)
            l.source[l.count] = u, l.target[l.count++] = w;
    }
    l.source[l.count] = 0, l.target[l.count++] = HALF;
    cafe_graph *graph = test_graph(context, N, &l, 0, NULL);
    for (int32_t kind = 0; kind <= CAFE_PROPAGATION_ABSORBING; kind++) {
        cafe_label_propagation_options o;
        cafe_solution *s = NULL;
        cafe_label_propagation_options_init(&o);
        o.kind = kind;
        TEST_OK(context, spread(context, graph, label, 2, &o, &s));
        cafe_solution_copy(s, got);
        for (int32_t u = 0; u < N; u++) assert_true((got[2 * u] < got[2 * u + 1]) == (u >= HALF));
        cafe_solution_free(s);
    }
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void labels_have_the_same_bits(void **state) {
    (void)state;
    enum { N = 2000 };
    const int32_t threads[] = {1, 2, 3, 8};
    static float h[2][N * CLASSES];
    static int32_t label[N];
    for (int32_t u = 0; u < N; u++) label[u] = u % 11 == 0 ? u / 11 % CLASSES : -1;
    for (int i = 0; i < 16; i++) {
        cafe_context *context = test_context(threads[i % 4], 7);
        cafe_graph *graph = test_random(context, N, 6000, 1, 0, 9);
        cafe_label_propagation_options o;
        cafe_solution *s = NULL;
        cafe_label_propagation_options_init(&o);
        o.kind = i / 4, o.sweeps = 50;
        TEST_OK(context, spread(context, graph, label, CLASSES, &o, &s));
        cafe_solution_copy(s, h[i % 4 > 0]);
        if (i % 4 > 0) assert_memory_equal(h[0], h[1], sizeof h[0]);
        cafe_solution_free(s);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* A chain between two labels: the harmonic rows are a straight line, which sweeps would need many
 * passes for. Ten classes are more than one panel; only two of them have labels. */
static void harmonic_labels_of_a_chain_are_a_line(void **state) {
    (void)state;
    enum { LENGTH = 801, MANY = 10 };
    cafe_context *context = test_context(2, 1);
    test_links l = test_links_new(LENGTH - 1);
    static int32_t label[LENGTH];
    static float got[LENGTH * MANY];
    for (int32_t u = 0; u < LENGTH; u++) {
        label[u] = u == 0 ? 1 : u == LENGTH - 1 ? 9 : -1;
        if (u > 0) l.source[u - 1] = u - 1, l.target[u - 1] = u;
    }
    cafe_graph *graph = test_graph(context, LENGTH, &l, 0, NULL);
    cafe_label_propagation_options o;
    cafe_solution *s = NULL;
    cafe_label_propagation_options_init(&o);
    o.kind = CAFE_PROPAGATION_HARMONIC, o.mass = CAFE_MASS_NO;
    TEST_OK(context, spread(context, graph, label, MANY, &o, &s));
    assert_int_equal(cafe_solution_get(s)->converged, 1);
    assert_true(cafe_solution_get(s)->sweeps < LENGTH);
    cafe_solution_copy(s, got);
    for (int u = 0; u < LENGTH; u++)
        for (int k = 0; k < MANY; k++) {
            double line = (double)u / (LENGTH - 1);
            double want = k == 9 ? line : k == 1 ? 1 - line : 0;
            assert_true(fabs(got[u * MANY + k] - want) < 1e-4);
        }
    cafe_solution_free(s);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Too few steps are reported, and the history is that of the residuals. */
static void unfinished_systems_are_reported(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    int32_t label[TEST_KARATE_NODES];
    for (int32_t u = 0; u < TEST_KARATE_NODES; u++) label[u] = u == 0 ? 0 : u == 33 ? 1 : -1;
    for (int64_t sweeps = 0; sweeps < 60; sweeps++) {
        cafe_label_propagation_options o;
        cafe_solution *s = NULL;
        cafe_label_propagation_options_init(&o);
        o.kind = CAFE_PROPAGATION_HARMONIC, o.sweeps = sweeps;
        TEST_OK(context, spread(context, graph, label, 2, &o, &s));
        const cafe_solution_report *found = cafe_solution_get(s);
        assert_true(found->sweeps <= sweeps);
        assert_int_equal(found->converged, found->objective[found->sweeps] <= o.tolerance);
        if (sweeps == 2) assert_int_equal(found->converged, 0);
        if (sweeps == 59) assert_int_equal(found->converged, 1);
        cafe_solution_free(s);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void survive(int32_t kind) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    int32_t label[TEST_KARATE_NODES];
    cafe_label_propagation_options o;
    cafe_label_propagation_options_init(&o);
    o.kind = kind;
    for (int32_t u = 0; u < TEST_KARATE_NODES; u++) label[u] = u == 0 ? 0 : u == 33 ? 1 : -1;
    for (long k = 0;; k++) {
        cafe_solution *s = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = spread(context, graph, label, 2, &o, &s);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_solution_free(s);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_that_runs_out_is_survived(void **state) {
    (void)state;
    survive(CAFE_PROPAGATION_HARD);
    survive(CAFE_PROPAGATION_HARMONIC);
}

static void bad_labels_are_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_solution *s = NULL;
    int32_t label[TEST_KARATE_NODES];
    for (int32_t u = 0; u < TEST_KARATE_NODES; u++) label[u] = -1;
    assert_int_equal(spread(context, graph, label, 2, NULL, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "no node has a label"));
    label[3] = 2;
    assert_int_equal(spread(context, graph, label, 2, NULL, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "node 3"));
    label[3] = 0;
    cafe_cancel(context);
    assert_int_equal(spread(context, graph, label, 2, NULL, &s), CAFE_ERROR_CANCELLED);
    assert_null(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_the_solution_of_their_equation),
        cmocka_unit_test(masses_of_classes_are_those_of_the_labels),
        cmocka_unit_test(given_labels_stay),
        cmocka_unit_test(cliques_take_their_own_label),
        cmocka_unit_test(harmonic_labels_of_a_chain_are_a_line),
        cmocka_unit_test(unfinished_systems_are_reported),
        cmocka_unit_test(labels_have_the_same_bits),
        cmocka_unit_test(memory_that_runs_out_is_survived),
        cmocka_unit_test(bad_labels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
