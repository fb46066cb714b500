/* Softmax clustering by its invariants. */
#include "dense.h"
#include "failing.h"

#include "operator/operator.h"
#include "queries.h"
#include "solve/solution.h"

static cafe_softmax_options options(int64_t columns, double theta, int64_t sweeps, int64_t chunks) {
    cafe_softmax_options o;
    cafe_softmax_options_init(&o);
    o.columns = columns;
    o.theta = theta;
    o.sweeps = sweeps;
    o.tolerance = 0;
    o.units = CAFE_THETA_NODE;
    o.chunks = chunks;
    return o;
}

static cafe_solution *solve(test_problem *t, cafe_softmax_options o, const float *start,
                            const int32_t *labels) {
    cafe_solution *solution = NULL;
    TEST_OK(t->context, cafe_softmax(t->context, t->op, &o, start, labels, &solution));
    return solution;
}

static float *rows_of(cafe_solution *solution, int64_t n) {
    float *h = malloc((size_t)(n * cafe_solution_get(solution)->columns) * sizeof *h);
    cafe_solution_copy(solution, h);
    return h;
}

/* sum over u != w of q(u,w) <h_u, h_w> */
static double dense_objective(int64_t n, const double *q, const float *h, int64_t k) {
    double sum = test_dense_trace(n, q, h, k);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < k; j++) sum -= q[u * n + u] * h[u * k + j] * (double)h[u * k + j];
    return sum;
}

static void the_objective_is_exact_and_monotone(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 3, 64};
    static const double thetas[] = {0.1, 3, 30, 1e6}, resolutions[] = {1, 0, 0.5, 4};
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (size_t c = 0; c < 4; c++)
            for (int i = 0; i < 4; i++) {
                cafe_context *context = test_context(2, seed);
                test_problem t = test_open(
                    context, test_random(context, 90, 500, seed & 1, (seed & 2) != 0, seed));
                int64_t n = t.op->n, k = 2 + 5 * (int64_t)seed;
                double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
                cafe_softmax_options o = options(k, thetas[i], 20, chunks[c]);
                o.units = seed % 2 ? CAFE_THETA_NODE : CAFE_THETA_GRAPH;
                o.resolution = resolutions[seed - 1];
                /* P - r p p^T */
                for (int64_t j = 0; j < n * n; j++)
                    q[j] += (1 - o.resolution) * p[j / n] * p[j % n];
                cafe_solution *s = solve(&t, o, NULL, NULL);
                const double *objective = cafe_solution_get(s)->objective;
                float *h = rows_of(s, n);
                for (int64_t sweep = 1; sweep <= 20; sweep++)
                    if (objective[sweep] < objective[sweep - 1] - 3e-7)
                        fail_msg("seed %d chunks %d theta %g: %.9f after %.9f", (int)seed,
                                 (int)chunks[c], thetas[i], objective[sweep], objective[sweep - 1]);
                assert_float_equal(objective[20], dense_objective(n, q, h, k), 3e-6);
                for (int64_t u = 0; u < n; u++) {
                    double sum = 0;
                    for (int64_t j = 0; j < k; j++) {
                        assert_true(h[u * k + j] >= 0);
                        sum += h[u * k + j];
                    }
                    assert_float_equal(sum, 1, 1e-5);
                }
                o.sweeps = 0;
                cafe_solution *start = solve(&t, o, NULL, NULL);
                assert_float_equal(objective[0], cafe_solution_get(start)->objective[0], 3e-6);
                cafe_solution_free(start);
                cafe_solution_free(s);
                free(p), free(q), free(h);
                test_close(&t);
            }
}

/* Chunks of one node are the paper's algorithm 1. */
static void one_node_chunks_are_algorithm_1(void **state) {
    (void)state;
    enum { K = 4, SWEEPS = 3 };
    cafe_context *context = test_context(1, 3);
    test_problem t = test_open(context, test_random(context, 60, 250, 1, 1, 8));
    int64_t n = t.op->n;
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
    double *h = malloc((size_t)(n * K) * sizeof *h);
    cafe_solution *start = solve(&t, options(K, 5, 0, n), NULL, NULL);
    float *rows = rows_of(start, n);
    for (int64_t i = 0; i < n * K; i++) h[i] = rows[i];
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int64_t u = 0; u < n; u++) {
            double z[K] = {0}, sum = 0;
            if (p[u] == 0) continue;
            for (int64_t w = 0; w < n; w++)
                for (int k = 0; k < K && w != u; k++) z[k] += q[u * n + w] * h[w * K + k];
            for (int k = 0; k < K; k++) sum += h[u * K + k] *= exp(5 / p[u] * z[k]);
            for (int k = 0; k < K; k++) h[u * K + k] /= sum;
        }
    cafe_solution *s = solve(&t, options(K, 5, SWEEPS, n), NULL, NULL);
    float *ours = rows_of(s, n);
    for (int64_t i = 0; i < n * K; i++) assert_float_equal(ours[i], h[i], 1e-4);
    cafe_solution_free(start);
    cafe_solution_free(s);
    free(p), free(q), free(h), free(rows), free(ours);
    test_close(&t);
}

static void labelled_rows_never_move(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    test_problem t = test_open(context, test_random(context, 120, 500, 0, 0, 8));
    int32_t labels[120];
    for (int u = 0; u < 120; u++) labels[u] = u % 3 == 0 ? u % 5 : -1;
    for (int64_t chunks = 0; chunks <= 8; chunks += 8) {
        cafe_solution *s = solve(&t, options(5, 3, 30, chunks), NULL, labels);
        float *h = rows_of(s, 120);
        int moved = 0;
        for (int u = 0; u < 120; u++)
            for (int k = 0; k < 5; k++) {
                if (labels[u] >= 0) assert_true(h[u * 5 + k] == (k == labels[u]));
                if (labels[u] < 0) moved += fabsf(h[u * 5 + k] - 0.2f) > 1e-3f;
            }
        assert_true(moved > 50);
        cafe_solution_free(s);
        free(h);
    }
    labels[7] = 5;
    cafe_solution *s = NULL;
    cafe_softmax_options o = options(5, 3, 30, 0);
    assert_int_equal(cafe_softmax(context, t.op, &o, NULL, labels, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "node 7"));
    test_close(&t);
}

/* What `cafe embed --method cafe` reports is tr(H^T Q H) after every sweep, for any resolution. */
static void the_method_reports_the_trace(void **state) {
    (void)state;
    static const double resolutions[] = {1, 0.5, 2};
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_karate(context));
    int64_t n = t.op->n, k = 6;
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
    for (int r = 0; r < 3; r++) {
        cafe_solution *whole = NULL;
        cafe_embedding *embedding = NULL;
        cafe_softmax_options o;
        cafe_softmax_options_init(&o);
        o.columns = k;
        o.resolution = resolutions[r];
        TEST_OK(context, test_solve(context, t.graph, "cafe", &o, &whole));
        for (o.sweeps = 0; o.sweeps <= cafe_solution_get(whole)->sweeps; o.sweeps += 7) {
            cafe_solution *part = NULL;
            TEST_OK(context, test_solve(context, t.graph, "cafe", &o, &part));
            float *h = rows_of(part, n);
            double trace = test_dense_trace(n, q, h, k), off = dense_objective(n, q, h, k);
            assert_float_equal(cafe_solution_get(part)->objective[cafe_solution_get(part)->sweeps],
                               trace, 1e-6);
            assert_float_equal(cafe_solution_get(whole)->objective[o.sweeps], trace, 3e-6);
            assert_float_equal(trace - cafe_solution_diagonal(part), off, 1e-6);
            free(h);
            cafe_solution_free(part);
        }
        double end = cafe_solution_get(whole)->objective[cafe_solution_get(whole)->sweeps];
        if (r == 0) assert_float_equal(end, 0.3966, 5e-5);
        TEST_OK(context, cafe_finish(context, t.op, &whole, NULL, &embedding));
        assert_float_equal(cafe_embedding_certificate(embedding)->objective, end, 1e-12);
        cafe_embedding_free(embedding);
        /* the clustering's own objective leaves the diagonal out; its certificate does not */
        o.sweeps = 20;
        whole = solve(&t, o, NULL, NULL);
        float *h = rows_of(whole, n);
        double trace = test_dense_trace(n, q, h, k);
        TEST_OK(context, cafe_finish(context, t.op, &whole, NULL, &embedding));
        assert_float_equal(cafe_embedding_certificate(embedding)->objective, trace, 1e-6);
        cafe_embedding_free(embedding);
        free(h);
    }
    free(p), free(q);
    test_close(&t);
}

/* All labels known: no sweep, and the objective is the labels' modularity. */
static void full_labels_take_no_sweeps(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    test_problem t = test_open(context, test_karate(context));
    int32_t labels[TEST_KARATE_NODES];
    double covariance[9];
    for (int u = 0; u < TEST_KARATE_NODES; u++) labels[u] = u % 3;
    cafe_solution *s = solve(&t, options(3, 3, 30, 0), NULL, labels);
    TEST_OK(context, test_covariance(context, t.op, labels, 3, covariance));
    assert_int_equal(cafe_solution_get(s)->sweeps, 0);
    assert_int_equal(cafe_solution_get(s)->converged, 1);
    assert_float_equal(cafe_solution_get(s)->objective[0] + cafe_solution_diagonal(s),
                       covariance[0] + covariance[4] + covariance[8], 1e-6);
    cafe_solution_free(s);
    test_close(&t);
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    float *first = NULL;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 5);
        test_problem t = test_open(context, test_random(context, 6000, 40000, 1, 1, 5));
        cafe_solution *s = solve(&t, options(20, 10, 6, 0), NULL, NULL);
        float *h = rows_of(s, 6000);
        if (first) assert_memory_equal(first, h, 6000 * 20 * sizeof *h);
        if (first)
            free(h);
        else
            first = h;
        cafe_solution_free(s);
        test_close(&t);
    }
    free(first);
}

/* Two blocks are found, and the partition's modularity is that of its hard assignment. */
static void planted_blocks_are_found(void **state) {
    (void)state;
    enum { N = 600 };
    cafe_context *context = test_context(2, 4);
    cafe_generate_options g;
    cafe_graph *graph = NULL;
    int32_t block[N], part[N];
    int64_t count = 0, agree = 0;
    cafe_generate_options_init(&g);
    g.nodes = N, g.edges = 6000, g.blocks = 2, g.mixing = 0.1;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &g, &graph, block));
    test_problem t = test_open(context, graph);
    cafe_solution *s = solve(&t, options(2, 10, 100, 0), NULL, NULL);
    TEST_OK(context, cafe_solution_partition(context, s, part, &count));
    assert_int_equal(count, 2);
    assert_int_equal(part[0], 0);
    for (int u = 0; u < N; u++) agree += (part[u] == part[0]) == (block[u] == block[0]);
    assert_true(agree > 0.97 * N);
    cafe_solution_free(s);
    test_close(&t);
}

/* A start that is a partition stays one; a zero row is drawn at random; nonsense is refused. */
static void starts_are_kept_and_checked(void **state) {
    (void)state;
    enum { N = TEST_KARATE_NODES, K = 3 };
    cafe_context *context = test_context(1, 4);
    test_problem t = test_open(context, test_karate(context));
    float start[N * K] = {0};
    for (int u = 0; u < N; u++) start[u * K + u % K] = 5;
    cafe_solution *s = solve(&t, options(K, 10, 50, 0), start, NULL);
    float *h = rows_of(s, N);
    for (int u = 0; u < N; u++) assert_true(h[u * K + u % K] == 1);
    cafe_solution_free(s);
    free(h);
    start[0] = 0;
    s = solve(&t, options(K, 10, 0, 0), start, NULL);
    h = rows_of(s, N);
    assert_true(h[0] > 0 && h[1] > 0 && h[2] > 0);
    cafe_solution_free(s);
    free(h);
    start[4] = -1;
    cafe_softmax_options o = options(K, 10, 50, 0);
    assert_int_equal(cafe_softmax(context, t.op, &o, start, NULL, &s), CAFE_ERROR_ARGUMENT);
    o.theta = 0;
    assert_int_equal(cafe_softmax(context, t.op, &o, NULL, NULL, &s), CAFE_ERROR_ARGUMENT);
    test_close(&t);
}

/* CAFE-GCN: rows of H sum to 1 and Q 1 = 0, so Q H has at most C - 1 independent columns. */
static void the_embedding_has_one_column_less_than_clusters(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 4);
    test_problem t = test_open(context, test_random(context, 150, 700, 0, 0, 3));
    cafe_embedding *embedding = NULL;
    cafe_certificate c;
    cafe_solution *s = solve(&t, options(5, 3, 3, 0), NULL, NULL);
    TEST_OK(context, cafe_finish(context, t.op, &s, NULL, &embedding));
    c = *cafe_embedding_certificate(embedding);
    assert_int_equal(c.columns, 4);
    assert_int_equal(c.dropped, 1);
    cafe_embedding_free(embedding);
    test_close(&t);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_random(context, 60, 200, 1, 1, 4));
    int32_t labels[60], part[60];
    for (int u = 0; u < 60; u++) labels[u] = u % 4 ? -1 : 1;
    cafe_softmax_options o = options(5, 3, 3, 4);
    for (long k = 0;; k++) {
        cafe_solution *s = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_softmax(context, t.op, &o, NULL, labels, &s);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) {
            int64_t count;
            test_failing_arm(&memory, 0);
            assert_int_equal(cafe_solution_partition(context, s, part, &count), CAFE_ERROR_MEMORY);
            test_failing_disarm(&memory);
            cafe_solution_free(s);
            break;
        }
    }
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

/* auto is graph below 20 links a node and node from there on, isolated nodes left out. */
static void units_follow_the_links(void **state) {
    (void)state;
    static const struct {
        int64_t nodes, links;
        int32_t same;
    } cases[] = {{90, 500, CAFE_THETA_GRAPH}, {90, 4000, CAFE_THETA_NODE}};
    for (int i = 0; i < 2; i++) {
        cafe_context *context = test_context(2, 7);
        test_problem t =
            test_open(context, test_random(context, cases[i].nodes, cases[i].links, 0, 0, 7));
        int64_t n = t.op->n;
        float *h[3];
        for (int32_t units = 0; units < 3; units++) {
            cafe_softmax_options o = options(6, 2, 5, 0);
            o.units = units;
            cafe_solution *s = solve(&t, o, NULL, NULL);
            h[units] = rows_of(s, n);
            cafe_solution_free(s);
        }
        size_t size = (size_t)(6 * n) * sizeof **h;
        assert_memory_equal(h[CAFE_THETA_AUTO], h[cases[i].same], size);
        assert_true(memcmp(h[CAFE_THETA_GRAPH], h[CAFE_THETA_NODE], size) != 0);
        for (int k = 0; k < 3; k++) free(h[k]);
        test_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_objective_is_exact_and_monotone),
        cmocka_unit_test(units_follow_the_links),
        cmocka_unit_test(the_method_reports_the_trace),
        cmocka_unit_test(one_node_chunks_are_algorithm_1),
        cmocka_unit_test(labelled_rows_never_move),
        cmocka_unit_test(full_labels_take_no_sweeps),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(planted_blocks_are_found),
        cmocka_unit_test(starts_are_kept_and_checked),
        cmocka_unit_test(the_embedding_has_one_column_less_than_clusters),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
