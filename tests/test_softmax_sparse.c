/* Softmax clustering with sparse rows: the same iteration as the dense one, where both can run. */
#include "dense.h"
#include "failing.h"
#include "method/method.h"
#include "operator/operator.h"
#include "solve/softmax_sparse.h"
#include "solve/solution.h"

static cafe_softmax_options options(int64_t columns, int64_t sweeps, int64_t chunks) {
    cafe_softmax_options o;
    cafe_softmax_options_init(&o);
    o.columns = columns;
    o.theta = 3;
    o.sweeps = sweeps;
    o.tolerance = 0;
    o.chunks = chunks;
    return o;
}

static cafe_softmax_options rows(cafe_softmax_options o, int64_t support, double threshold) {
    o.support = support;
    o.threshold = threshold;
    return o;
}

static float *dense_of(const cafe_memberships *m, int64_t n) {
    int64_t k = cafe_memberships_columns(m);
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    float *h = calloc((size_t)(n * k), sizeof *h);
    cafe_memberships_csr(m, &offsets, &columns, &values);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            if (j > offsets[u]) assert_true(columns[j] > columns[j - 1]);
            assert_true(columns[j] >= 0 && columns[j] < k && values[j] > 0);
            h[u * k + columns[j]] = values[j];
        }
    return h;
}

static cafe_memberships *solve(test_problem *t, cafe_softmax_options o, const int32_t *part,
                               const int32_t *labels) {
    cafe_memberships *m = NULL;
    TEST_OK(t->context, cafe_softmax_sparse(t->context, t->op, &o, part, labels, &m));
    return m;
}

/* With room for all columns and nothing dropped it is the dense iteration. */
static void it_is_the_dense_iteration(void **state) {
    (void)state;
    enum { K = 9, SWEEPS = 5 };
    for (int64_t chunks = 0; chunks <= 8; chunks += 4)
        for (int units = 0; units < 2; units++) {
            cafe_context *context = test_context(2, 3);
            test_problem t = test_open(context, test_random(context, 100, 500, 1, 1, 7));
            int64_t n = t.op->n;
            cafe_softmax_options o = options(K, 0, chunks);
            o.units = units;
            o.resolution = units ? 3 : 1;
            cafe_memberships *start = solve(&t, rows(o, K, 0), NULL, NULL);
            float *h = dense_of(start, n), *dense = malloc((size_t)(n * K) * sizeof *dense);
            cafe_solution *s = NULL;
            o.sweeps = SWEEPS;
            cafe_memberships *m = solve(&t, rows(o, K, 0), NULL, NULL);
            TEST_OK(context, cafe_softmax(context, t.op, &o, h, NULL, &s));
            float *sparse = dense_of(m, n);
            cafe_solution_copy(s, dense);
            for (int64_t i = 0; i < n * K; i++) assert_float_equal(sparse[i], dense[i], 2e-4);
            for (int64_t i = 0; i <= SWEEPS; i++)
                assert_float_equal(cafe_memberships_objective(m)[i],
                                   cafe_solution_get(s)->objective[i], 5e-6);
            cafe_memberships_free(start);
            cafe_memberships_free(m);
            cafe_solution_free(s);
            free(h), free(dense), free(sparse);
            test_close(&t);
        }
}

/* Dropping what is small does not spoil the climb; rows stay probabilities. */
static void the_objective_never_falls(void **state) {
    (void)state;
    static const int64_t chunks[] = {0, 1, 5};
    for (uint64_t seed = 1; seed <= 6; seed++)
        for (int c = 0; c < 3; c++) {
            cafe_context *context = test_context(2, seed);
            test_problem t = test_open(
                context, test_random(context, 300, 1500, seed & 1, (seed & 2) != 0, seed));
            int64_t n = t.op->n;
            cafe_memberships *m = solve(&t, rows(options(200, 30, chunks[c]), 6, 1e-3), NULL, NULL);
            const double *objective = cafe_memberships_objective(m);
            float *h = dense_of(m, n);
            for (int64_t i = 1; i <= cafe_memberships_sweeps(m); i++)
                if (objective[i] < objective[i - 1] - 1e-6)
                    fail_msg("sweep %d: %.9f after %.9f", (int)i, objective[i], objective[i - 1]);
            for (int64_t u = 0; u < n; u++) {
                double sum = 0;
                int held = 0;
                for (int k = 0; k < 200; k++) sum += h[u * 200 + k], held += h[u * 200 + k] > 0;
                assert_float_equal(sum, 1, 1e-5);
                assert_true(held >= 1 && held <= 6);
            }
            free(h);
            cafe_memberships_free(m);
            test_close(&t);
        }
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    float *first = NULL;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 5);
        test_problem t = test_open(context, test_random(context, 5000, 20000, 1, 1, 5));
        cafe_memberships *m = solve(&t, rows(options(100, 5, 0), 8, 1e-4), NULL, NULL);
        float *h = dense_of(m, 5000);
        if (first) assert_memory_equal(first, h, 5000 * 100 * sizeof *h);
        if (first)
            free(h);
        else
            first = h;
        cafe_memberships_free(m);
        test_close(&t);
    }
    free(first);
}

/* From a partition of thousands of columns: labelled rows stay, others move; a planted partition
 * given as the start is kept. */
static void partitions_and_labels_are_kept(void **state) {
    (void)state;
    enum { N = 4000, BLOCKS = 400 };
    cafe_context *context = test_context(2, 5);
    cafe_generate_options g;
    cafe_graph *graph = NULL;
    int32_t *block = malloc(N * sizeof *block), *part = malloc(N * sizeof *part);
    int32_t *labels = malloc(N * sizeof *labels);
    int64_t count = 0, same = 0;
    cafe_generate_options_init(&g);
    g.nodes = N, g.edges = 16000, g.blocks = BLOCKS, g.mixing = 0.05;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &g, &graph, block));
    test_problem t = test_open(context, graph);
    for (int u = 0; u < N; u++) labels[u] = u % 5 == 0 ? block[u] : -1;
    cafe_memberships *m = solve(&t, rows(options(BLOCKS, 20, 0), 16, 1e-4), block, labels);
    TEST_OK(context, cafe_memberships_partition(context, m, part, &count));
    assert_true(count > 0.95 * BLOCKS && count <= BLOCKS);
    for (int u = 1; u < N; u++) {
        const int64_t *offsets;
        const int32_t *columns;
        const float *values;
        cafe_memberships_csr(m, &offsets, &columns, &values);
        if (labels[u] < 0) continue;
        assert_int_equal(offsets[u + 1] - offsets[u], 1);
        assert_int_equal(columns[offsets[u]], labels[u]);
        same++;
    }
    assert_int_equal(same, N / 5 - 1);
    labels[3] = BLOCKS;
    cafe_softmax_options o = options(BLOCKS, 20, 0);
    cafe_memberships *none = NULL;
    assert_int_equal(cafe_softmax_sparse(context, t.op, &o, block, labels, &none),
                     CAFE_ERROR_ARGUMENT);
    cafe_memberships_free(m);
    free(block), free(part), free(labels);
    test_close(&t);
}

/* ---- communities ----------------------------------------------------------------------------- */

/* softmax as a method, with these rows and this start. */
static cafe_clustering *cluster(cafe_context *context, const cafe_graph *graph, int64_t columns,
                                int32_t kind, int32_t initial, const cafe_method_inputs *inputs) {
    cafe_softmax_options own;
    cafe_method_options o;
    cafe_clustering *c = NULL;
    cafe_softmax_options_init(&own);
    own.columns = columns, own.theta = 10, own.rows = kind, own.initial = initial;
    cafe_method_options_init(&o);
    o.own = &own;
    TEST_OK(context,
            cafe_cluster(context, graph, cafe_method_find(NULL, "softmax"), &o, inputs, &c));
    return c;
}

/* The modularity that sparse rows reach is not below that of dense ones, but for 0.01 of error. */
static void sparse_rows_do_as_well_as_dense_ones(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        cafe_context *context = test_context(2, 1);
        cafe_generate_options g;
        cafe_graph *graph = NULL;
        cafe_generate_options_init(&g);
        g.nodes = 600, g.edges = 1800, g.blocks = 30, g.mixing = 0.1 + 0.15 * kind;
        TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &g, &graph, NULL));
        cafe_clustering *dense =
            cluster(context, graph, 300, CAFE_ROWS_DENSE, CAFE_INITIAL_AUTO, NULL);
        cafe_clustering *rows =
            cluster(context, graph, 300, CAFE_ROWS_AUTO, CAFE_INITIAL_AUTO, NULL);
        double least = cafe_clustering_get(dense)->modularity - 0.01;
        assert_int_equal(cafe_clustering_get(rows)->sparse, 1);
        if (!(cafe_clustering_get(rows)->modularity >= least))
            fail_msg("%.4f with sparse rows, %.4f with dense ones",
                     cafe_clustering_get(rows)->modularity, cafe_clustering_get(dense)->modularity);
        cafe_clustering_free(dense);
        cafe_clustering_free(rows);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* Columns enter rows that did not hold them: drawn at random for every node, they still spread over
 * whole blocks. */
static void columns_travel(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_generate_options g;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&g);
    g.nodes = 600, g.edges = 3000, g.blocks = 15, g.mixing = 0.1;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &g, &graph, NULL));
    cafe_clustering *dense =
        cluster(context, graph, 300, CAFE_ROWS_DENSE, CAFE_INITIAL_RANDOM, NULL);
    cafe_clustering *rows =
        cluster(context, graph, 300, CAFE_ROWS_SPARSE, CAFE_INITIAL_RANDOM, NULL);
    double reached = cafe_clustering_get(rows)->modularity;
    if (!(reached > 0.9 * cafe_clustering_get(dense)->modularity))
        fail_msg("%.4f from a random start, %.4f with dense rows", reached,
                 cafe_clustering_get(dense)->modularity);
    cafe_clustering_free(dense);
    cafe_clustering_free(rows);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Nodes that u reaches within its community. */
static int64_t reach(const cafe_graph *graph, const int32_t *part, int64_t u, uint8_t *met) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t count = 1;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    met[u] = 1;
    for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
        if (!met[targets[j]] && part[targets[j]] == part[u])
            count += reach(graph, part, targets[j], met);
    return count;
}

/* Every community hangs together, and none was better in one piece. */
static void communities_are_connected(void **state) {
    (void)state;
    enum { N = 120 };
    for (uint64_t seed = 1; seed <= 12; seed++) {
        cafe_context *context = test_context(2, seed);
        cafe_graph *graph = test_random(context, N, 130, seed & 1, (seed & 2) != 0, seed);
        cafe_clustering *c =
            cluster(context, graph, 6, seed & 4 ? CAFE_ROWS_SPARSE : CAFE_ROWS_DENSE,
                    CAFE_INITIAL_RANDOM, NULL);
        const cafe_clustering_info *i = cafe_clustering_get(c);
        const int64_t *offsets;
        const int32_t *columns;
        const float *values;
        int32_t column[N];
        uint8_t met[N] = {0};
        double whole;
        cafe_sampled *sampled = NULL;
        TEST_OK(context, cafe_clustering_memberships(context, c, &offsets, &columns, &values));
        for (int64_t u = 0; u < N; u++) {
            int64_t best = offsets[u], members = 0;
            for (int64_t j = best; j < offsets[u + 1]; j++)
                if (values[j] > values[best]) best = j;
            column[u] = columns[best];
            for (int64_t w = 0; w < u; w++) /* pieces of columns, each piece in one column */
                assert_true(i->partition[u] != i->partition[w] || column[u] == column[w]);
            for (int64_t w = 0; w < N; w++) members += i->partition[w] == i->partition[u];
            if (!met[u]) assert_int_equal(reach(graph, i->partition, u, met), members);
        }
        TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
        TEST_OK(context, cafe_model_modularity(context, sampled, column, 6, 1, &whole));
        assert_true(i->modularity >= whole - 1e-12);
        cafe_sampled_free(sampled);
        cafe_clustering_free(c);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* Classes may lie apart: labels keep them whole. */
static void classes_stay_whole(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    const int32_t source[] = {0, 1, 2, 3, 4, 5}, target[] = {1, 2, 0, 4, 5, 3};
    const int32_t labels[] = {0, -1, -1, 0, -1, -1};
    cafe_graph *graph = NULL;
    cafe_method_inputs inputs;
    TEST_OK(context, cafe_graph_from_edges(context, 6, 6, source, target, NULL, NULL, &graph));
    cafe_method_inputs_init(&inputs);
    inputs.labels = labels, inputs.classes = 1;
    cafe_clustering *c = cluster(context, graph, 1, CAFE_ROWS_DENSE, CAFE_INITIAL_AUTO, &inputs);
    assert_int_equal(cafe_clustering_get(c)->communities, 1);
    cafe_clustering_free(c);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_random(context, 60, 200, 1, 1, 4));
    cafe_softmax_options o = options(20, 3, 4);
    for (long k = 0;; k++) {
        cafe_memberships *m = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_softmax_sparse(context, t.op, &o, NULL, NULL, &m);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_memberships_free(m);
        if (!failed) break;
    }
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_dense_iteration),
        cmocka_unit_test(the_objective_never_falls),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(partitions_and_labels_are_kept),
        cmocka_unit_test(sparse_rows_do_as_well_as_dense_ones),
        cmocka_unit_test(columns_travel),
        cmocka_unit_test(communities_are_connected),
        cmocka_unit_test(classes_stay_whole),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
