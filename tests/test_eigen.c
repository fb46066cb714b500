/* The eigensolver: pairs against the dense solver's, on both of its ways; bits, threads, memory,
 * limits. */
#include <pthread.h>

#include "dense.h"
#include "engine/dense.h"
#include "failing.h"
#include "operator/operator.h"
#include "spectral/eigen.h"

enum { WIDTH = CAFE_EIGEN_WIDTH };

/* ---- problems -------------------------------------------------------------------------------- */

/* A dense symmetric matrix as a map. */
typedef struct matrix {
    int64_t n;
    double *a;
} matrix;

static cafe_status multiply(cafe_context *context, const void *argument, const double *x,
                            double *y) {
    const matrix *m = argument;
    memset(y, 0, (size_t)(m->n * WIDTH) * sizeof *y);
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t j = 0; j < m->n; j++) {
            double a = m->a[i * m->n + j];
            for (int k = 0; k < WIDTH && a != 0; k++) y[i * WIDTH + k] += a * x[j * WIDTH + k];
        }
    return cafe_check_cancel(context);
}

static double uniform(uint64_t *state) {
    return (double)(test_number(state) >> 11) * 0x1p-52 - 1;
}

/* H diag(values) H with the reflection H = I - 2 h h^T / h^T h: any spectrum one likes. */
static matrix with_values(int64_t n, const double *values, uint64_t seed) {
    matrix m = {n, calloc((size_t)(n * n), sizeof *m.a)};
    double *h = malloc((size_t)n * sizeof *h), square = 0, form = 0;
    for (int64_t i = 0; i < n; i++) h[i] = uniform(&seed), square += h[i] * h[i];
    for (int64_t i = 0; i < n; i++) form += h[i] * h[i] * values[i];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            m.a[i * n + j] =
                (i == j ? values[i] : 0) +
                h[i] * h[j] * (4 * form / square - 2 * values[i] - 2 * values[j]) / square;
    free(h);
    return m;
}

enum { SPECTRA = 7, NODES = 640 };

/* Spectra in descending order; NODES is beyond what the dense solver is given. */
static void fill_values(int which, int64_t n, double *values) {
    uint64_t seed = 5;
    for (int64_t i = 0; i < n; i++) {
        double x = 1 - 2 * (double)i / (double)(n - 1);
        switch (which) {
            case 0: values[i] = x; break;                  /* even */
            case 1: values[i] = i < 40 ? 1 : x / 2; break; /* one of them 40 times */
            case 2: values[i] = i < 20 ? 1 - 1e-6 * (double)i : x / 2; break; /* small gaps */
            case 3: values[i] = i < 10 ? 1 + (double)i / -50 : -1e-3 * (double)(i % 3); break;
            case 4: values[i] = 1e-9 * x; break;      /* of any scale */
            case 5: values[i] = i < 5 ? 1 : 0; break; /* rank 5 */
            default: values[i] = uniform(&seed); break;
        }
    }
    for (int64_t i = 1; i < n; i++) /* descending */
        for (int64_t j = i; j > 0 && values[j] > values[j - 1]; j--) {
            double swap = values[j];
            values[j] = values[j - 1], values[j - 1] = swap;
        }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void check_found(const matrix *m, const double *all, bool largest, double tolerance,
                        const cafe_eigen *found) {
    int64_t n = m->n, count = found->count, bad = 0;
    double norm = fmax(fabs(all[0]), fabs(all[n - 1]));
    for (int64_t j = 0; j < count; j++) {
        double square = 0, top = 0, value = all[largest ? j : n - 1 - j];
        bad += fabs(found->values[j] - value) > 4 * tolerance * norm;
        for (int64_t i = 0; i < n; i++) {
            double y = -found->values[j] * found->vectors[i * count + j];
            for (int64_t l = 0; l < n; l++) y += m->a[i * n + l] * found->vectors[l * count + j];
            square += y * y;
            if (fabs(found->vectors[i * count + j]) > fabs(top))
                top = found->vectors[i * count + j];
        }
        bad += sqrt(square) > 4 * tolerance * norm || top <= 0;
        bad += !found->exact && fabs(sqrt(square) - found->residuals[j]) > 1e-13 * norm;
        for (int64_t i = 0; i <= j; i++) {
            double dot = 0;
            for (int64_t u = 0; u < n; u++)
                dot += found->vectors[u * count + i] * found->vectors[u * count + j];
            bad += fabs(dot - (i == j)) > 1e-9;
        }
    }
    assert_int_equal(bad, 0);
    assert_int_equal(found->converged, count);
}

static void check_pairs(cafe_context *context, const matrix *m, const double *all, bool largest,
                        int64_t count, double tolerance) {
    cafe_eigen_problem problem = {m->n, multiply, largest ? cafe_want_largest : cafe_want_smallest,
                                  m,    count,    .tolerance = tolerance};
    cafe_eigen found;
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    assert_true(found.exact == (m->n <= CAFE_EIGEN_SMALL || count == m->n));
    check_found(m, all, largest, tolerance, &found);
    cafe_eigen_free(context, &found);
}

static void pairs_are_those_of_the_matrix(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    double values[NODES];
    for (int which = 0; which < SPECTRA; which += 1 + TEST_SANITIZED) {
        fill_values(which, NODES, values);
        matrix m = with_values(NODES, values, (uint64_t)which + 1);
        check_pairs(context, &m, values, true, 1, 1e-12);
        check_pairs(context, &m, values, false, 5, 1e-8);
        check_pairs(context, &m, values, true, 25, which == 2 ? 1e-10 : 1e-6);
        free(m.a);
    }
    fill_values(0, 90, values);
    matrix small = with_values(90, values, 3);
    check_pairs(context, &small, values, true, 7, 1e-12);
    check_pairs(context, &small, values, false, 90, 1e-12);
    free(small.a);
    cafe_context_free(context);
}

/* The wish may be any: here the largest in size, from both ends in one run. */
static void both_ends_come_in_one_run(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    double values[NODES];
    fill_values(0, NODES, values);
    matrix m = with_values(NODES, values, 9);
    cafe_eigen_problem problem = {NODES, multiply, cafe_want_size, &m, 20, .tolerance = 1e-9};
    cafe_eigen found;
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    int64_t top = 0;
    for (int64_t j = 0; j < 20; j++) {
        assert_true(j == 0 || fabs(found.values[j]) <= fabs(found.values[j - 1]) + 1e-12);
        top += found.values[j] > 0;
    }
    assert_int_equal(top, 10);
    cafe_eigen_free(context, &found);
    free(m.a);
    cafe_context_free(context);
}

/* ---- operators ------------------------------------------------------------------------------- */

/* Many components (every eigenvalue of one comes with each), nodes without edges, small gaps. */
static cafe_graph *make(cafe_context *context, int which) {
    switch (which) {
        case 0: return test_random(context, 600, 1500, 1, 1, 5);
        case 1: return test_grid(context, 25, 24);
        case 2: return test_bipartite(context, 30, 570);
        default: return test_grid(context, 1, 600);
    }
}

static void operators_match_a_dense_solver(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, make(context, which));
        int64_t n = cafe_graph_nodes(t.graph), count = 12, bad = 0;
        double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
        double *all = malloc((size_t)n * sizeof *all), values[12];
        TEST_OK(context, cafe_dense_eigen(context, n, q, all));
        double norm = fmax(fabs(all[0]), fabs(all[n - 1]));
        for (int way = 0; way < 4; way++) {
            int end = way % 2;
            double tolerance = way < 2 ? 1e-10 : 1e-6;
            TEST_OK(context, cafe_operator_eigen(context, t.op, (cafe_end)end, count, tolerance,
                                                 values, NULL));
            for (int64_t j = 0; j < count; j++)
                bad += fabs(values[j] - all[end == 0 ? j : n - 1 - j]) > 10 * tolerance * norm;
        }
        assert_int_equal(bad, 0);
        free(p);
        free(q);
        free(all);
        test_close(&t);
    }
}

/* Under the thread sanitizer large graphs would take minutes. */
#ifdef __SANITIZE_THREAD__
enum { LARGE = 1600, PATH = 8000 };
#else
enum { LARGE = 4000, PATH = 20000 };
#endif

static cafe_graph *test_planted(cafe_context *context) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = LARGE, o.edges = 10 * LARGE, o.blocks = 40, o.mixing = 0.5;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &o, &graph, NULL));
    return graph;
}

/* |Q v - lambda v|, one vector at a time, and V^T V. */
static void check_vectors(cafe_context *context, const cafe_operator *op, double tolerance,
                          const cafe_eigen *found) {
    int64_t n = op->n, count = found->count, bad = 0;
    double *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    for (int64_t j = 0; j < count; j++) {
        double square = 0;
        for (int64_t u = 0; u < n; u++) x[u] = found->vectors[u * count + j];
        TEST_OK(context, cafe_operator_exact(context, &op->parts, 1, x, y));
        for (int64_t u = 0; u < n; u++) square += pow(y[u] - found->values[j] * x[u], 2);
        bad += !(sqrt(square) <= 2 * tolerance * found->norm);
        for (int64_t i = 0; i <= j; i++) {
            double dot = 0;
            for (int64_t u = 0; u < n; u++) dot += found->vectors[u * count + i] * x[u];
            bad += !(fabs(dot - (i == j)) <= 1e-9);
        }
    }
    assert_int_equal(bad, 0);
    free(x);
    free(y);
}

/* The pairs that single precision finds are as good as the tolerance says, by products in double
 * precision, and orthonormal; so are those beyond its reach. */
static void graphs_keep_the_tolerance(void **state) {
    (void)state;
    for (int which = 0; which < 4; which++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = which == 0   ? test_random(context, 3 * LARGE / 4, 5 * LARGE, 1, 1, 5)
                            : which == 1 ? test_grid(context, 60, 13)
                            : which == 2 ? test_bipartite(context, 30, 900)
                                         : test_planted(context);
        test_problem t = test_open(context, graph);
        for (int fine = 0; fine < 2; fine++) {
            double tolerance = fine ? 1e-10 : 1e-6;
            cafe_eigen_problem problem =
                cafe_eigen_operator(t.op, cafe_want_largest, 19, tolerance);
            cafe_eigen found;
            TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
            assert_int_equal(found.converged, 19);
            check_vectors(context, t.op, tolerance, &found);
            cafe_eigen_free(context, &found);
        }
        test_close(&t);
    }
}

/* ---- bits ------------------------------------------------------------------------------------ */

typedef struct run {
    int32_t threads;
    int which;
    double tolerance;
    int64_t bytes;
    double *result; /* values and vectors */
} run;

static void *work(void *argument) {
    run *r = argument;
    cafe_context *context = test_context(r->threads, 3);
    cafe_graph *graph = make(context, r->which);
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    int64_t n = cafe_graph_nodes(graph), count = 9;
    r->bytes = (n + 1) * count * (int64_t)sizeof *r->result;
    r->result = calloc(1, (size_t)r->bytes);
    if (cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled) == CAFE_OK &&
        cafe_operator_modularity(context, sampled, &op) == CAFE_OK &&
        cafe_operator_eigen(context, op, CAFE_END_LARGEST, count, r->tolerance, r->result,
                            r->result + count) != CAFE_OK)
        r->result[0] = NAN;
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    return NULL;
}

/* Any number of runs at once, each with any number of threads: the bits of a run alone. */
static void runs_at_once_have_the_same_bits(void **state) {
    enum { RUNS = 8 };
    static const int32_t threads[] = {1, 2, 3, 8};
    run alone[2] = {{1, 0, 1e-9, 0, NULL}, {1, 1, 1e-6, 0, NULL}}, runs[RUNS];
    pthread_t thread[RUNS];
    (void)state;
    for (int i = 0; i < 2; i++) work(&alone[i]);
    for (int i = 0; i < RUNS; i++) {
        runs[i] = (run){threads[i / 2], i % 2, alone[i % 2].tolerance, 0, NULL};
        assert_int_equal(pthread_create(&thread[i], NULL, work, &runs[i]), 0);
    }
    for (int i = 0; i < RUNS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_false(isnan(runs[i].result[0]));
        assert_memory_equal(runs[i].result, alone[i % 2].result, (size_t)runs[i].bytes);
        free(runs[i].result);
    }
    free(alone[0].result);
    free(alone[1].result);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* A path's eigenvalues crowd at the ends: few passes do not do, and a long path is given up. */
static void what_does_not_converge_is_said(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_grid(context, 1, PATH));
    cafe_eigen_problem problem = cafe_eigen_operator(t.op, cafe_want_largest, 4, 1e-12);
    cafe_eigen found;
    problem.passes = 30;
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    assert_true(found.converged < 4 && found.passes >= 30 && found.passes < 60);
    assert_int_equal(cafe_eigen_need_all(context, &found), CAFE_ERROR_NUMERIC);
    assert_non_null(strstr(cafe_error(context), "of 4 eigenpairs converged"));
    cafe_eigen_free(context, &found);
    problem.passes = 0;
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    assert_true(found.converged < 4 && found.passes < 300);
    /* what the message names as within reach is */
    double worst = 0;
    for (int j = 0; j < 4; j++) worst = fmax(worst, found.residuals[j]);
    problem.tolerance = 1.5 * worst / found.norm;
    int64_t passes = found.passes;
    cafe_eigen_free(context, &found);
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    assert_true(found.converged == 4 && found.passes <= passes);
    cafe_eigen_free(context, &found);
    test_close(&t);
}

static cafe_status solve(cafe_context *context, const cafe_eigen_problem *problem) {
    cafe_eigen found;
    cafe_status status = cafe_eigen_solve(context, problem, &found);
    cafe_eigen_free(context, &found);
    return status;
}

static void failures_leave_nothing(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    double values[NODES];
    fill_values(3, NODES, values);
    for (int64_t n = 60; n <= NODES; n += NODES - 60) {
        matrix m = with_values(n, values, 2);
        cafe_eigen_problem problem = {n, multiply, cafe_want_largest, &m, 3, .tolerance = 1e-6};
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = solve(context, &problem);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
        cafe_cancel(context);
        assert_int_equal(solve(context, &problem), CAFE_ERROR_CANCELLED);
        cafe_reset_cancel(context);
        free(m.a);
    }
    cafe_context_free(context);
}

/* The forecast is what the run takes, to a few percent. */
static void memory_is_known(void **state) {
    (void)state;
    assert_true(cafe_eigen_bytes(1000000, 32, 2) < (int64_t)1600 << 20);
    assert_true(cafe_eigen_bytes(1000000, 32, 2) > (int64_t)1000 << 20);
    assert_true(cafe_eigen_bytes(100, 3, 1) < (int64_t)1 << 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_those_of_the_matrix),
        cmocka_unit_test(both_ends_come_in_one_run),
        cmocka_unit_test(operators_match_a_dense_solver),
        cmocka_unit_test(graphs_keep_the_tolerance),
        cmocka_unit_test(runs_at_once_have_the_same_bits),
        cmocka_unit_test(what_does_not_converge_is_said),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(memory_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
