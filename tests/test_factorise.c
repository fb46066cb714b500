/* The matrix baselines: what each promises on any graph, and what all of them promise alike. */
#include <stdbool.h>

#include <cafe/cafe.h>

#include "baseline/baseline.h"
#include "dense.h"
#include "failing.h"
#include "method/eigenvectors.h"

enum { METHODS = 4 };

/* ---- one interface to the four --------------------------------------------------------------- */

typedef union any_options {
    cafe_gf_options gf;
    cafe_hope_options hope;
    cafe_grarep_options grarep;
    cafe_spectral_options spectral;
} any_options;

static const cafe_option_table *table_of(int method) {
    switch (method) {
        case 0: return cafe_gf_option_table();
        case 1: return cafe_hope_option_table();
        case 2: return cafe_grarep_option_table();
        default: return cafe_spectral_option_table();
    }
}

static cafe_status run(cafe_context *context, const cafe_graph *graph, int method,
                       const any_options *o, cafe_solution **solution) {
    switch (method) {
        case 0: return test_solve(context, graph, "gf", &o->gf, solution);
        case 1: return test_solve(context, graph, "hope", &o->hope, solution);
        case 2: return test_solve(context, graph, "grarep", &o->grarep, solution);
        default: return test_solve(context, graph, "spectral", &o->spectral, solution);
    }
}

static void set(cafe_context *context, int method, any_options *o, const char *name,
                const char *text) {
    TEST_OK(context, cafe_options_set(context, table_of(method), o, name, text));
}

static float *vectors_of(cafe_solution *s, int64_t n) {
    float *h = malloc((size_t)(n * cafe_solution_get(s)->columns) * sizeof *h);
    cafe_solution_copy(s, h);
    return h;
}

/* ---- Graph Factorization --------------------------------------------------------------------- */

/* 1/2 sum over edges (a - <x_u, x_w>)^2 + lambda / 2 |X|^2, from the definition, with a in units
 * of a power of two */
static double dense_loss(const cafe_graph *graph, double lambda, int64_t columns, const float *x) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double loss = 0, unit = test_unit(graph);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        for (int64_t k = 0; k < columns; k++)
            loss += lambda * x[u * columns + k] * x[u * columns + k] / 2;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            if (targets[j] <= u) continue;
            double e = weights ? weights[j] / unit : 1;
            for (int64_t k = 0; k < columns; k++)
                e -= (double)x[u * columns + k] * x[targets[j] * columns + k];
            loss += e * e / 2;
        }
    }
    return loss;
}

static void check_factorization(cafe_context *context, const cafe_graph *graph,
                                const cafe_gf_options *o, double fall) {
    cafe_solution *s = NULL;
    int64_t n = cafe_graph_nodes(graph);
    TEST_OK(context, test_solve(context, graph, "gf", o, &s));
    const double *loss = cafe_solution_get(s)->objective;
    int64_t epochs = cafe_solution_get(s)->sweeps;
    float *x = vectors_of(s, n);
    double want = dense_loss(graph, o->regularisation, o->columns, x);
    for (int64_t i = 0; i < epochs; i++) assert_true(loss[i + 1] <= loss[i]);
    assert_true(fabs(loss[epochs] - want) <= 1e-5 * want);
    assert_true(loss[epochs] <= fall * loss[0]);
    for (int64_t i = 0; i < n * o->columns; i++) assert_true(isfinite(x[i]));
    free(x);
    cafe_solution_free(s);
}

static void the_factors_loss_falls(void **state) {
    cafe_gf_options o;
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 3; kind++) {
        cafe_graph *graph = kind == 0 ? test_karate(context)
                                      : test_random(context, 700, 2000, kind == 2, kind == 2, 5);
        cafe_gf_options_init(&o);
        o.columns = 12;
        o.regularisation = 0.01;
        check_factorization(context, graph, &o, 0.2);
        o.epochs = 0;
        check_factorization(context, graph, &o, 1);
        /* steps far too long, and a shrinkage that outweighs everything */
        o.epochs = 20;
        o.rate = 1e6;
        o.regularisation = 1e6;
        check_factorization(context, graph, &o, 0.5);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

static void weights_of_any_size_do_not_diverge(void **state) {
    cafe_gf_options o;
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_links l = test_random_links(300, 900, 0, 3);
    for (int64_t i = 0; i < l.count; i++) l.weights[i] *= i % 2 ? 1e4f : 1e-4f;
    cafe_graph *graph = test_graph(context, 300, &l, 1, NULL);
    cafe_gf_options_init(&o);
    o.rate = 10;
    check_factorization(context, graph, &o, 1);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- eigenvectors of Q ----------------------------------------------------------------------- */

/* The values a choice of ends must yield, falling; all[n] falls too. */
static void expect_values(int64_t n, const double *all, int64_t columns, int32_t ends,
                          double *want) {
    int64_t bottom = ends == CAFE_FROM_BOTH ? columns / 2 : 0;
    for (int64_t top = 0; ends == CAFE_FROM_LARGEST && top + bottom < columns;) {
        bool high = fabs(all[top]) >= fabs(all[n - 1 - bottom]);
        top += high;
        bottom += !high;
    }
    for (int64_t j = 0; j < columns - bottom; j++) want[j] = all[j];
    for (int64_t j = columns - bottom; j < columns; j++) want[j] = all[n - columns + j];
}

static void check_eigenvectors(cafe_context *context, const cafe_graph *graph, int64_t columns,
                               int32_t ends) {
    int64_t n = cafe_graph_nodes(graph);
    double p[128], all[128], want[128], y[128], loss = 0;
    double *q = test_dense_q(graph, p), *copy = malloc((size_t)(n * n) * sizeof *copy);
    cafe_spectral_options o;
    cafe_solution *s = NULL;
    cafe_spectral_options_init(&o);
    o.columns = columns;
    o.columns_from = ends;
    TEST_OK(context, test_solve(context, graph, "spectral", &o, &s));
    float *x = vectors_of(s, n);
    memcpy(copy, q, (size_t)(n * n) * sizeof *q);
    for (int64_t i = 0; i < n * n; i++) loss += q[i] * q[i];
    test_dense_eigenvalues(n, copy, all);
    expect_values(n, all, columns, ends, want);
    for (int64_t j = 0; j < columns; j++) {
        double size = 0, error = 0;
        test_dense_times(n, q, x, columns, j, y);
        for (int64_t u = 0; u < n; u++) {
            size += (double)x[u * columns + j] * x[u * columns + j];
            error += pow(y[u] - want[j] * x[u * columns + j], 2);
        }
        assert_true(fabs(size - 1) < 1e-5);
        assert_true(sqrt(error) < 1e-5 * fabs(all[0]));
        loss -= want[j] * want[j];
    }
    assert_true(fabs(cafe_solution_get(s)->objective[0] - loss) < 1e-10);
    free(x);
    free(q);
    free(copy);
    cafe_solution_free(s);
}

static void eigenvectors_come_from_the_ends_asked_for(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 3; kind++) {
        cafe_graph *graph =
            kind == 0 ? test_karate(context) : test_random(context, 80, 200, kind == 2, 0, 9);
        for (int32_t ends = CAFE_FROM_TOP; ends <= CAFE_FROM_LARGEST; ends++) {
            check_eigenvectors(context, graph, 1, ends);
            check_eigenvectors(context, graph, 7, ends);
            check_eigenvectors(context, graph, 16, ends);
        }
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* ---- what holds for all ---------------------------------------------------------------------- */

static any_options small_options(cafe_context *context, int method, const char *columns) {
    any_options o;
    cafe_options_init(table_of(method), &o, table_of(method)->struct_size);
    set(context, method, &o, "columns", columns);
    return o;
}

static void nodes_without_edges_get_zero_rows(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, 200, 500, 1, 0, 3);
    for (int method = 0; method < METHODS; method++) {
        any_options o = small_options(context, method, "12");
        cafe_solution *s = NULL;
        TEST_OK(context, run(context, graph, method, &o, &s));
        assert_int_equal(cafe_solution_get(s)->columns, 12);
        float *x = vectors_of(s, 200);
        double linked = 0;
        for (int64_t i = 0; i < 200 * 12; i++) {
            assert_true(isfinite(x[i]));
            if (i / 12 % 7 == 6)
                assert_true(x[i] == 0);
            else
                linked += fabs(x[i]);
        }
        assert_true(linked > 0);
        free(x);
        cafe_solution_free(s);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void vectors_have_the_same_bits(void **state) {
    (void)state;
    for (int method = 0; method < METHODS; method++) {
#ifdef __SANITIZE_THREAD__ /* it would take a minute */
        int64_t n = method == 2 ? 300 : 1200;
#else
        int64_t n = method == 2 ? 500 : 2500;
#endif
        float *first = NULL;
        double loss = 0;
        for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
            cafe_context *context = test_context(threads, 7);
            cafe_graph *graph = test_random(context, n, 4 * n, 1, 1, 21);
            any_options o = small_options(context, method, "8");
            cafe_solution *s = NULL;
            if (method == 0) o.gf.epochs = 5;
            TEST_OK(context, run(context, graph, method, &o, &s));
            float *x = vectors_of(s, n);
            double last = cafe_solution_get(s)->objective[cafe_solution_get(s)->sweeps];
            if (!first) first = vectors_of(s, n), loss = last;
            assert_memory_equal(first, x, (size_t)(n * 8) * sizeof *x);
            assert_memory_equal(&loss, &last, sizeof last);
            free(x);
            cafe_solution_free(s);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
        free(first);
    }
}

static void refuse(cafe_context *context, const cafe_graph *graph, int method, const any_options *o,
                   const char *text) {
    cafe_solution *s = NULL;
    assert_int_equal(run(context, graph, method, o, &s), CAFE_ERROR_ARGUMENT);
    assert_null(s);
    if (!strstr(cafe_error(context), text)) fail_msg("%s", cafe_error(context));
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_random(context, 400, 900, 0, 0, 2);
    any_options o = small_options(context, 1, "8");
    o.hope.beta = 0.9;
    refuse(context, graph, 1, &o, "below 0.");
    o = small_options(context, 2, "3");
    refuse(context, graph, 2, &o, "4 steps");
    o = small_options(context, 2, "8");
    o.grarep.memory = 1;
    refuse(context, graph, 2, &o, "1920000 bytes");
    o = small_options(context, 0, "8");
    o.gf.rate = NAN;
    refuse(context, graph, 0, &o, "rate");
    cafe_graph_free(graph);
    test_links none = test_links_new(0);
    graph = test_graph(context, 20, &none, 0, NULL);
    for (int method = 0; method < METHODS; method++) {
        o = small_options(context, method, "8");
        refuse(context, graph, method, &o, "edges");
    }
    test_links_free(&none);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void a_cancelled_run_stops(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    for (int method = 0; method < METHODS; method++) {
        any_options o = small_options(context, method, "8");
        cafe_solution *s = NULL;
        cafe_cancel(context);
        assert_int_equal(run(context, graph, method, &o, &s), CAFE_ERROR_CANCELLED);
        assert_null(s);
        cafe_reset_cancel(context);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_that_runs_out_is_survived(void **state) {
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    for (int method = 0; method < METHODS; method++)
        for (long k = 0;; k++) {
            any_options o = small_options(context, method, "4");
            cafe_solution *s = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = run(context, graph, method, &o, &s);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_solution_free(s);
            if (!failed) break;
        }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factors_loss_falls),
        cmocka_unit_test(weights_of_any_size_do_not_diverge),
        cmocka_unit_test(eigenvectors_come_from_the_ends_asked_for),
        cmocka_unit_test(nodes_without_edges_get_zero_rows),
        cmocka_unit_test(vectors_have_the_same_bits),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_cancelled_run_stops),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
