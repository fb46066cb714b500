/* Small graphs, whose best partition is known: by trying all partitions, and by dynamic
 * programming.
 */
#include "dense.h"
#include "explain/clique_bound.h"
#include "solve/exact_partition.h"

enum { MOST = 16 };

static double modularity(int64_t n, const double *q, const int32_t *part) {
    double sum = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (part[u] == part[w]) sum += q[u * n + w];
    return sum;
}

/* The largest modularity over all partitions: node u joins one of the parts before it or its own.
 */
static double try_all(int64_t n, const double *q, int32_t *part, int64_t u, int32_t parts) {
    double best = -1e9;
    if (u == n) return modularity(n, q, part);
    for (int32_t c = 0; c <= parts; c++) {
        part[u] = c;
        double found = try_all(n, q, part, u + 1, c == parts ? parts + 1 : parts);
        if (found > best) best = found;
    }
    return best;
}

/* Links with probability 2^-sparse, the bits of the seed; half of them with weights and loops. */
static cafe_graph *random_graph(cafe_context *context, int64_t n, uint64_t seed, bool weighted) {
    test_links l = test_links_new(n * n);
    cafe_graph_options options;
    uint64_t draw = seed;
    int64_t some = 1 + test_below(&draw, 4);
    cafe_graph_options_init(&options);
    options.self_loops = weighted ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
    l.count = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w <= u; w++) {
            bool first = u == 1 && w == 0; /* never without an edge */
            if (!first && test_below(&draw, 8) >= some) continue;
            if (u == w && !weighted) continue;
            l.source[l.count] = (int32_t)u;
            l.target[l.count] = (int32_t)w;
            l.weights[l.count++] = (float)(1 + test_below(&draw, 8)) / 2;
        }
    cafe_graph *graph = test_graph(context, n, &l, weighted, &options);
    test_links_free(&l);
    return graph;
}

/* Q at a resolution. */
static void weigh(int64_t n, const double *p, double resolution, double *q) {
    for (int64_t i = 0; i < n * n; i++) q[i] += (1 - resolution) * p[i / n] * p[i % n];
}

static void test_exact_is_brute_force(void **state) {
    (void)state;
    static const double resolutions[] = {1, 0.5, 2};
    for (uint64_t seed = 1; seed <= 90; seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 2 + (int64_t)(seed % 7);
        test_problem t = test_open(context, random_graph(context, n, seed, seed & 1));
        double p[MOST], found, *q = test_dense_q(t.graph, p), r = resolutions[seed % 3];
        int32_t part[MOST], tried[MOST];
        weigh(n, p, r, q);
        TEST_OK(context, cafe_exact_partition(context, t.op, r, part, &found));
        assert_float_equal(found, try_all(n, q, tried, 0, 0), 1e-12);
        assert_float_equal(found, modularity(n, q, part), 1e-12);
        for (int64_t u = 0; u < n; u++)
            for (int64_t w = 0; p[u] == 0 && w < n; w++) assert_true(u == w || part[u] != part[w]);
        free(q);
        test_close(&t);
    }
}

/* The communities of a graph of up to 16 nodes are the best ones, with any effort. */
static void check_layers(cafe_context *context, test_problem *t, double resolution,
                         const char *effort) {
    cafe_layers_options options;
    cafe_layers *layers;
    int32_t part[MOST];
    double best;
    cafe_layers_options_init(&options);
    options.resolution = resolution;
    options.effort = effort;
    TEST_OK(context, cafe_layers_find(context, t->op, &options, &layers));
    TEST_OK(context, cafe_exact_partition(context, t->op, resolution, part, &best));
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    assert_float_equal(top->modularity, best, 1e-12);
    cafe_layers_free(layers);
}

/* Every graph of five nodes with its edges named by the bits of a number. */
static void test_layers_of_all_graphs(void **state) {
    (void)state;
    for (uint32_t edges = 1; edges < 1024; edges += TEST_SANITIZED ? 17 : 1) {
        cafe_context *context = test_context(1, 1);
        test_links l = test_links_new(10);
        int32_t bit = 0;
        l.count = 0;
        for (int32_t u = 0; u < 5; u++)
            for (int32_t w = 0; w < u; w++)
                if (edges >> bit++ & 1) l.source[l.count] = u, l.target[l.count++] = w;
        test_problem t = test_open(context, test_graph(context, 5, &l, false, NULL));
        test_links_free(&l);
        check_layers(context, &t, 1, NULL);
        test_close(&t);
    }
}

static void test_layers_of_random_graphs(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 6 + (int64_t)(seed % (TEST_SANITIZED ? 6 : 11));
        test_problem t = test_open(context, random_graph(context, n, seed, seed & 2));
        check_layers(context, &t, seed % 5 ? 0.7 : 1.5, seed % 3 ? NULL : "high");
        test_close(&t);
    }
}

/* A tree with a triangle whose searches all end below the optimum. */
static void test_high_effort_is_exact(void **state) {
    static const int32_t source[] = {5, 3, 2, 7, 3, 5, 6, 5}, target[] = {2, 1, 0, 2, 2, 4, 1, 3};
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        cafe_context *context = test_context(1, seed);
        test_links l = test_links_new(8);
        l.count = 8;
        for (int i = 0; i < 8; i++) l.source[i] = source[i], l.target[i] = target[i];
        test_problem t = test_open(context, test_graph(context, 8, &l, false, NULL));
        test_links_free(&l);
        check_layers(context, &t, 0.7, "high");
        test_close(&t);
    }
}

/* The bound by inequalities is never below the optimum, and on most graphs of so few nodes equal.
 */
static void test_clique_bound_holds(void **state) {
    int64_t tight = 0, graphs = TEST_SANITIZED ? 40 : 240;
    (void)state;
    for (uint64_t seed = 1; seed <= (uint64_t)graphs; seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 3 + (int64_t)(seed % 11);
        test_problem t = test_open(context, random_graph(context, n, seed, seed % 3 == 0));
        int32_t part[MOST];
        double best;
        cafe_clique_bound found;
        TEST_OK(context, cafe_exact_partition(context, t.op, 1, part, &best));
        TEST_OK(context,
                cafe_clique_bound_find(context, &t.op->parts, 1, 0.05, best, NULL, &found));
        assert_true(found.bound >= best - 1e-13);
        tight += found.bound < best + (found.step > 0 ? found.step : 1e-9);
        /* what modularities are multiples of */
        if (found.step > 0) assert_float_equal(remainder(best, found.step) / found.step, 0, 1e-6);
        test_close(&t);
    }
    assert_true(4 * tight > 3 * graphs);
}

/* The karate club's best partition, known from integer programming, is proved to be one. */
static void test_karate_is_proved(void **state) {
    TEST_NOT_OF_THREADS();
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    cafe_layers *layers;
    cafe_ceiling_options options;
    cafe_ceiling c;
    (void)state;
    TEST_OK(context, cafe_layers_find(context, t.op, NULL, &layers));
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    TEST_OK(context, cafe_ceiling_find(context, t.op, top->partition, NULL, &c));
    assert_true(c.proved);
    assert_true(c.inequality_count > 0);
    assert_float_equal(c.bound, 0.4197896120973, 1e-12);
    /* another partition is not */
    TEST_OK(context,
            cafe_ceiling_find(context, t.op, cafe_layers_get(layers, 0)->partition, NULL, &c));
    assert_false(c.proved);
    assert_true(c.bound >= 0.4197896120973);
    cafe_ceiling_options_init(&options);
    options.work = 0;
    TEST_OK(context, cafe_ceiling_find(context, t.op, top->partition, &options, &c));
    assert_false(c.proved);
    assert_float_equal(c.inequalities, -1, 0);
    assert_true(c.bound > 0.5);
    cafe_layers_free(layers);
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_is_brute_force),    cmocka_unit_test(test_layers_of_all_graphs),
        cmocka_unit_test(test_layers_of_random_graphs), cmocka_unit_test(test_clique_bound_holds),
        cmocka_unit_test(test_high_effort_is_exact),    cmocka_unit_test(test_clique_bound_holds),
        cmocka_unit_test(test_karate_is_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
