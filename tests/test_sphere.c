/* Sphere-GCN by its invariants: monotone, exact objective, same bits for any threads, known optima.
 */
#include "dense.h"
#include "failing.h"

#include "operator/operator.h"
#include "queries.h"
#include "solve/solution.h"

static cafe_sphere_options options(int64_t columns, int64_t sweeps, int64_t chunks) {
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = columns;
    o.sweeps = sweeps;
    o.tolerance = 0;
    o.chunks = chunks;
    return o;
}

static cafe_solution *solve(test_problem *t, cafe_sphere_options o, const float *start) {
    cafe_solution *solution = NULL;
    TEST_OK(t->context, cafe_sphere(t->context, t->op, &o, start, &solution));
    assert_int_equal(cafe_solution_get(solution)->columns, o.columns);
    return solution;
}

static float *rows_of(cafe_solution *solution, int64_t n) {
    float *h = malloc((size_t)(n * cafe_solution_get(solution)->columns) * sizeof *h);
    cafe_solution_copy(solution, h);
    return h;
}

static void rows_have_length_one(int64_t n, int64_t columns, const float *h) {
    for (int64_t u = 0; u < n; u++) {
        double sum = 0;
        for (int64_t k = 0; k < columns; k++)
            sum += (double)h[u * columns + k] * h[u * columns + k];
        assert_float_equal(sum, 1, 1e-5);
    }
}

static void objective_never_falls(cafe_solution *solution) {
    const double *objective = cafe_solution_get(solution)->objective;
    for (int64_t i = 1; i <= cafe_solution_get(solution)->sweeps; i++)
        if (objective[i] < objective[i - 1] - 2e-7)
            fail_msg("sweep %d: %.9f after %.9f", (int)i, objective[i], objective[i - 1]);
}

/* Random graphs with weights, loops, several components and isolated nodes; every chunk count. The
 * objective is recomputed from H with a dense Q after each of the first sweeps, so the tracked
 * gains are checked, not only their sum. */
static void the_objective_is_exact_and_monotone(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 2, 7, 64, 1000000};
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++) {
            cafe_context *context = test_context(2, seed);
            test_problem t = test_open(context, test_random(context, 100 + 20 * (int64_t)seed, 600,
                                                            seed & 1, seed & 2, seed));
            int64_t n = t.op->n, k = 1 + (int64_t)seed * 3;
            double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
            cafe_solution *whole = solve(&t, options(k, 40, chunks[c]), NULL);
            objective_never_falls(whole);
            for (int64_t sweeps = 0; sweeps <= 40; sweeps += sweeps < 4 ? 1 : 12) {
                cafe_solution *part = solve(&t, options(k, sweeps, chunks[c]), NULL);
                float *h = rows_of(part, n);
                double dense = test_dense_trace(n, q, h, k);
                rows_have_length_one(n, k, h);
                assert_float_equal(cafe_solution_get(part)->objective[sweeps], dense, 2e-6);
                assert_float_equal(cafe_solution_get(whole)->objective[sweeps], dense, 2e-6);
                free(h);
                cafe_solution_free(part);
            }
            cafe_solution_free(whole);
            free(p), free(q);
            test_close(&t);
        }
}

/* Chunks of one node are the paper's algorithm 4 with beta = 1: z_u from the current rows, diagonal
 * left out, then normalised, node after node. */
static void one_node_chunks_are_algorithm_4(void **state) {
    (void)state;
    enum { K = 5, SWEEPS = 3 };
    cafe_context *context = test_context(1, 3);
    test_problem t = test_open(context, test_random(context, 80, 300, 1, 1, 8));
    int64_t n = t.op->n;
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
    float *start = test_block(n, K, 17);
    double *h = malloc((size_t)(n * K) * sizeof *h);
    for (int64_t u = 0; u < n; u++) {
        double norm = 0;
        for (int k = 0; k < K; k++) norm += (double)start[u * K + k] * start[u * K + k];
        for (int k = 0; k < K; k++) h[u * K + k] = start[u * K + k] / sqrt(norm);
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int64_t u = 0; u < n; u++) {
            double z[K] = {0}, norm = 0;
            for (int64_t w = 0; w < n; w++)
                for (int k = 0; k < K && w != u; k++) z[k] += q[u * n + w] * h[w * K + k];
            for (int k = 0; k < K; k++) norm += z[k] * z[k];
            for (int k = 0; k < K && norm > 0; k++) h[u * K + k] = z[k] / sqrt(norm);
        }
    cafe_solution *solution = solve(&t, options(K, SWEEPS, n), start);
    float *ours = rows_of(solution, n);
    for (int64_t i = 0; i < n * K; i++) assert_float_equal(ours[i], h[i], 2e-5);
    cafe_solution_free(solution);
    free(ours), free(h), free(p), free(q), free(start);
    test_close(&t);
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__ /* it would take a minute */
    static const int64_t sizes[][3] = {{300, 900, 6}, {5000, 15000, 20}};
#else
    static const int64_t sizes[][3] = {{300, 900, 6}, {6000, 40000, 40}}; /* nodes, links, K */
#endif
    for (int s = 0; s < 2; s++) {
        float *first = NULL;
        double first_objective[6];
        for (int i = 0; i < TEST_THREADS; i++) {
            cafe_context *context = test_context(test_thread_counts[i], 5);
            test_problem t = test_open(
                context, test_random(context, sizes[s][0], sizes[s][1], s == 0, s == 0, 5));
            int64_t n = t.op->n;
            cafe_solution *solution = solve(&t, options(sizes[s][2], 5, s == 0 ? 7 : 0), NULL);
            float *h = rows_of(solution, n);
            const double *objective = cafe_solution_get(solution)->objective;
            if (first) {
                assert_memory_equal(first, h, (size_t)(n * sizes[s][2]) * sizeof *h);
                assert_memory_equal(first_objective, objective, sizeof first_objective);
                free(h);
            } else {
                first = h;
                memcpy(first_objective, objective, sizeof first_objective);
            }
            cafe_solution_free(solution);
            test_close(&t);
        }
        free(first);
    }
}

/* The objective the solver climbs, q(u,u) = 0, after many sweeps. */
static double optimum(cafe_graph *(*make)(cafe_context *), int64_t columns, int64_t chunks,
                      uint64_t seed) {
    cafe_context *context = test_context(2, seed);
    test_problem t = test_open(context, make(context));
    cafe_solution *solution = solve(&t, options(columns, 2000, chunks), NULL);
    objective_never_falls(solution);
    double value = cafe_solution_get(solution)->objective[2000] - cafe_solution_diagonal(solution);
    cafe_solution_free(solution);
    test_close(&t);
    return value;
}

static cafe_graph *bipartite(cafe_context *context) {
    return test_bipartite(context, 100, 100);
}

/* On K_{100,100} a simultaneous update of all nodes falls to -0.995; ours reaches the optimum 0.005
 * for any number of chunks. */
static void bipartite_graphs_reach_their_optimum(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    static const int64_t chunks[] = {0, 1, 2, 3, 8, 64, 200};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        assert_float_equal(optimum(bipartite, 16, chunks[i], 1 + i), 0.005, 1e-5);
}

/* The optimum's value depends neither on K, nor on the seed, nor on the chunks. */
static void the_optimum_is_one_value(void **state) {
    (void)state;
    double first = optimum(test_karate, 16, 0, 1);
    assert_float_equal(optimum(test_karate, 32, 0, 2), first, 2e-6);
    assert_float_equal(optimum(test_karate, 16, 5, 3), first, 2e-6);
    assert_float_equal(optimum(test_karate, 20, 1, 4), first, 2e-6);
}

/* ... nor on the numbering of the nodes. */
static void node_numbers_do_not_matter(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    double values[2];
    for (int permuted = 0; permuted < 2; permuted++) {
        cafe_context *context = test_context(2, 6);
        test_links l = test_random_links(200, 700, 0, 31);
        for (int64_t i = 0; permuted && i < l.count; i++) {
            l.source[i] = (l.source[i] * 77 + 13) % 200; /* 77 and 200 have no common factor */
            l.target[i] = (l.target[i] * 77 + 13) % 200;
        }
        test_problem t = test_open(context, test_graph(context, 200, &l, 1, NULL));
        cafe_solution *solution = solve(&t, options(24, 3000, 0), NULL);
        values[permuted] = cafe_solution_get(solution)->objective[3000];
        cafe_solution_free(solution);
        test_links_free(&l);
        test_close(&t);
    }
    assert_float_equal(values[0], values[1], 5e-6);
}

/* The sphere value bounds every partition's modularity from
 * above: a partition is a point of the sphere. */
static void the_optimum_is_above_every_partition(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    double best = optimum(test_karate, 34, 0, 1), diagonal = 0;
    uint64_t seed = 3;
    for (int u = 0; u < TEST_KARATE_NODES; u++)
        diagonal -= cafe_sampled_node(t.sampled, u) * cafe_sampled_node(t.sampled, u);
    for (int trial = 0; trial < 300; trial++) {
        int32_t part[TEST_KARATE_NODES];
        double covariance[16], modularity = 0;
        for (int u = 0; u < TEST_KARATE_NODES; u++)
            part[u] = trial < 4 ? (u * (trial + 1)) / 34 % 4 : (int32_t)test_below(&seed, 4);
        TEST_OK(context, test_covariance(context, t.op, part, 4, covariance));
        for (int i = 0; i < 4; i++) modularity += covariance[i * 5];
        assert_true(modularity - diagonal <= best);
    }
    test_close(&t);
}

/* The columns in use: (sum of lambda)^2 / (sum of lambda^2) of H^T H. */
static double width_of(cafe_solution *solution, int64_t n, int64_t k) {
    double trace = 0, squares = 0;
    float *h = rows_of(solution, n);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double entry = 0;
            for (int64_t u = 0; u < n; u++) entry += (double)h[u * k + i] * h[u * k + j];
            if (i == j) trace += entry;
            squares += entry * entry;
        }
    free(h);
    return trace * trace / squares;
}

/* Blocks: as many as columns, so that these stay in use. Then the sweeps end early, and what the
 * next ones would change is as little as forecast. */
static void it_stops_when_columns_and_objective_are_steady(void **state) {
    (void)state;
    enum { N = 3000, K = 16 };
    cafe_context *context = test_context(1, 1);
    cafe_generate_options g;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&g);
    g.nodes = N, g.edges = 15 * N, g.blocks = K, g.mixing = 0.2;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &g, &graph, NULL));
    test_problem t = test_open(context, graph);
    cafe_sphere_options o = options(K, 30, 0);
    o.tolerance = 0.025;
    cafe_solution *solution = solve(&t, o, NULL);
    int64_t last = cafe_solution_get(solution)->sweeps;
    const double *objective = cafe_solution_get(solution)->objective;
    double end = objective[last], gain = end - objective[last - 1];
    double before = objective[last - 1] - objective[last - 2], width = width_of(solution, N, K);
    assert_int_equal(cafe_solution_get(solution)->converged, 1);
    assert_true(gain > 0.001 * end); /* so that it was not the gain that ended it */
    assert_true(gain * gain / (before - gain) <= 0.025 * fmin(end, 1 - end));
    assert_true(width > K / 4.0);
    cafe_solution_free(solution);
    o.sweeps = last - 1, o.tolerance = 0;
    solution = solve(&t, o, NULL);
    assert_true(width > 0.9 * width_of(solution, N, K));
    cafe_solution_free(solution);
    o.sweeps = 30;
    solution = solve(&t, o, NULL);
    assert_true(cafe_solution_get(solution)->objective[30] < 1.04 * end);
    cafe_solution_free(solution);
    test_close(&t);
}

static void it_stops_when_the_gain_is_small(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    cafe_sphere_options o = options(8, 500, 0);
    o.tolerance = 1e-4;
    cafe_solution *solution = solve(&t, o, NULL);
    const double *objective = cafe_solution_get(solution)->objective;
    int64_t last = cafe_solution_get(solution)->sweeps;
    assert_int_equal(cafe_solution_get(solution)->converged, 1);
    assert_true(last > 2 && last < 500);
    /* all rows are next to one line, so that the objective alone decides */
    assert_true(objective[last] - objective[last - 1] < 0.41e-5 * objective[last]);
    assert_true(objective[last - 1] - objective[last - 2] >= 0.36e-5 * objective[last - 1]);
    /* a warm start from there has nothing left to do */
    float *h = rows_of(solution, TEST_KARATE_NODES);
    cafe_solution *again = solve(&t, o, h);
    assert_int_equal(cafe_solution_get(again)->sweeps, 1);
    assert_float_equal(cafe_solution_get(again)->objective[0], objective[last], 1e-6);
    cafe_solution_free(again);
    cafe_solution_free(solution);
    o.sweeps = 2;
    solution = solve(&t, o, NULL);
    assert_int_equal(cafe_solution_get(solution)->converged, 0);
    assert_int_equal(cafe_solution_get(solution)->sweeps, 2);
    cafe_solution_free(solution);
    free(h);
    test_close(&t);
}

/* A smaller beta moves less in a sweep, stays monotone, and ends at the same value. */
static void beta_slows_but_does_not_spoil(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 2);
    test_problem t = test_open(context, test_karate(context));
    double last = 0;
    for (double beta = 1; beta > 0.1; beta /= 2) {
        cafe_sphere_options o = options(16, 4000, 0);
        o.beta = beta;
        cafe_solution *solution = solve(&t, o, NULL);
        objective_never_falls(solution);
        const double *objective = cafe_solution_get(solution)->objective;
        if (beta < 1) {
            assert_float_equal(objective[4000] - cafe_solution_diagonal(solution),
                               optimum(test_karate, 16, 0, 1), 1e-5);
            assert_true(objective[1] < last);
        }
        last = objective[1];
        cafe_solution_free(solution);
    }
    test_close(&t);
}

static void isolated_nodes_keep_their_rows(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 2);
    test_problem t = test_open(context, test_random(context, 70, 200, 0, 0, 2));
    cafe_solution *before = solve(&t, options(6, 0, 0), NULL);
    cafe_solution *after = solve(&t, options(6, 10, 0), NULL);
    float *a = rows_of(before, 70), *b = rows_of(after, 70);
    for (int u = 0; u < 70; u++) {
        int same = memcmp(a + u * 6, b + u * 6, 6 * sizeof *a) == 0;
        assert_int_equal(same, cafe_sampled_node(t.sampled, u) == 0);
    }
    cafe_solution_free(before);
    cafe_solution_free(after);
    free(a), free(b);
    test_close(&t);
}

static void bad_requests_are_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 2);
    test_problem t = test_open(context, test_karate(context));
    cafe_solution *solution = NULL;
    cafe_sphere_options o = options(0, 10, 0);
    assert_int_equal(cafe_sphere(context, t.op, &o, NULL, &solution), CAFE_ERROR_ARGUMENT);
    o = options(2, 10, 0);
    float start[TEST_KARATE_NODES * 2] = {0};
    start[5] = NAN;
    assert_int_equal(cafe_sphere(context, t.op, &o, start, &solution), CAFE_ERROR_ARGUMENT);
    assert_null(solution);
    start[5] = 0; /* rows of zeros are drawn at random */
    assert_int_equal(cafe_sphere(context, t.op, &o, start, &solution), CAFE_OK);
    float *h = rows_of(solution, TEST_KARATE_NODES);
    rows_have_length_one(TEST_KARATE_NODES, 2, h);
    free(h);
    cafe_solution_free(solution);
    cafe_cancel(context);
    assert_int_equal(cafe_sphere(context, t.op, &o, NULL, &solution), CAFE_ERROR_CANCELLED);
    assert_null(solution);
    test_close(&t);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_random(context, 60, 200, 1, 1, 4);
    test_problem t = test_open(context, graph);
    float *start = test_block(60, 5, 3);
    cafe_sphere_options o = options(5, 3, 4);
    for (long k = 0;; k++) {
        cafe_solution *solution = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_sphere(context, t.op, &o, start, &solution);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_solution_free(solution);
        if (!failed) break;
    }
    free(start);
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_exact_and_monotone),
        cmocka_unit_test(one_node_chunks_are_algorithm_4),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(bipartite_graphs_reach_their_optimum),
        cmocka_unit_test(the_optimum_is_one_value),
        cmocka_unit_test(node_numbers_do_not_matter),
        cmocka_unit_test(the_optimum_is_above_every_partition),
        cmocka_unit_test(it_stops_when_the_gain_is_small),
        cmocka_unit_test(it_stops_when_columns_and_objective_are_steady),
        cmocka_unit_test(beta_slows_but_does_not_spoil),
        cmocka_unit_test(isolated_nodes_keep_their_rows),
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
