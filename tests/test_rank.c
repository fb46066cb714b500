/* Centralities and figures of sets against their definitions, written out densely. */
#include <stdio.h>
#include <unistd.h>

#include "dense.h"
#include "failing.h"

enum { MOST = 100 };

/* P from Q: p(u,w) = q(u,w) + p_u p_w. */
static double *dense_p(const cafe_graph *graph, double *p) {
    int64_t n = cafe_graph_nodes(graph);
    double *q = test_dense_q(graph, p);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) q[u * n + w] += p[u] * p[w];
    return q;
}

/* a x = b by elimination with pivots; a and b are overwritten. */
static void solve(int64_t n, double *a, double *b) {
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (int64_t j = 0; j < n; j++) {
            double moved = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = moved;
        }
        double moved = b[k];
        b[k] = b[best], b[best] = moved;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] / a[k * n + k];
            for (int64_t j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

static void make_set(int64_t n, uint64_t seed, uint8_t *member) {
    for (int64_t u = 0; u < n; u++) member[u] = test_below(&seed, 3) == 0;
    member[0] = 1;
}

/* (I - d M) x = (1 - d) t with M(u,w) = p(u,w) / p_w, or t_u for a w without edges. */
static void dense_pagerank(const cafe_graph *graph, double damping, const uint8_t *member,
                           double *x) {
    int64_t n = cafe_graph_nodes(graph), starts = 0;
    double p[MOST], t[MOST], *a = dense_p(graph, p);
    for (int64_t u = 0; u < n; u++) starts += !member || member[u];
    for (int64_t u = 0; u < n; u++) t[u] = !member || member[u] ? 1 / (double)starts : 0;
    for (int64_t u = 0; u < n; u++) {
        for (int64_t w = 0; w < n; w++) {
            double move = p[w] > 0 ? a[u * n + w] / p[w] : t[u];
            a[u * n + w] = (u == w) - damping * move;
        }
        x[u] = (1 - damping) * t[u];
    }
    solve(n, a, x);
    free(a);
}

static void check_pagerank(test_problem *t, double damping, const uint8_t *member) {
    int64_t n = cafe_graph_nodes(t->graph);
    double want[MOST], got[MOST], sum = 0, distance = 0;
    cafe_pagerank_options o;
    cafe_pagerank_report report;
    cafe_pagerank_options_init(&o);
    o.damping = damping;
    dense_pagerank(t->graph, damping, member, want);
    TEST_OK(t->context, cafe_rank_pagerank(t->context, t->sampled, &o, member, got, &report));
    for (int64_t u = 0; u < n; u++) {
        sum += got[u];
        distance += fabs(got[u] - want[u]);
        assert_true(got[u] >= 0);
    }
    assert_true(fabs(sum - 1) < 1e-14);
    assert_true(distance < 1e-9 && report.converged && report.change <= o.tolerance);
    /* the bound holds when the run is cut short, too */
    o.steps = 3;
    TEST_OK(t->context, cafe_rank_pagerank(t->context, t->sampled, &o, member, got, &report));
    distance = 0;
    for (int64_t u = 0; u < n; u++) distance += fabs(got[u] - want[u]);
    assert_true(distance <= report.error && report.steps <= 3);
}

static void pagerank_is_the_solution_of_its_equation(void **state) {
    uint8_t member[MOST];
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(
            context, kind == 0   ? test_karate(context)
                     : kind == 1 ? test_bipartite(context, 3, 9)
                                 : test_random(context, 80, 200, kind == 3, kind == 3, 11));
        make_set(cafe_graph_nodes(t.graph), 3, member);
        check_pagerank(&t, 0.85, NULL);
        check_pagerank(&t, 0.85, member);
        check_pagerank(&t, 0.3, NULL);
        check_pagerank(&t, 0, member);
        test_close(&t);
    }
}

/* A star: half of the walk is at the hub, whose sum has a term for each leaf, and is rounded. */
static void pagerank_knows_its_rounding(void **state) {
    static const double tolerances[] = {1e-12, 0};
    static const int64_t leaves[] = {50, 3000, 400000};
    (void)state;
    for (int i = 0; i < 3 - TEST_SANITIZED; i++) {
        int64_t n = leaves[i] + 1;
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_bipartite(context, 1, (int32_t)leaves[i]));
        double *value = malloc((size_t)n * sizeof *value);
        /* x = d y + (1 - d) / n at the hub, y = d x + (1 - d) leaves / n all leaves together */
        double d = 0.85,
               hub = (1 - d + d * (1 - d) * (double)leaves[i]) / ((double)n * (1 - d * d));
        for (int j = 0; j < 2; j++) {
            cafe_pagerank_options o;
            cafe_pagerank_report report;
            cafe_pagerank_options_init(&o);
            o.tolerance = tolerances[j];
            TEST_OK(context, cafe_rank_pagerank(context, t.sampled, &o, NULL, value, &report));
            double distance = fabs(value[0] - hub);
            for (int64_t u = 1; u < n; u++)
                distance += fabs(value[u] - (1 - hub) / (double)leaves[i]);
            assert_true(report.converged && report.steps < 260);
            assert_true(distance <= report.error && report.error < 2e-10);
        }
        free(value);
        test_close(&t);
    }
}

/* ---- sets ------------------------------------------------------------------------------------ */

static double joint(int64_t n, const double *p, const uint8_t *a, const uint8_t *b) {
    double sum = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (a[u] && b[w]) sum += p[u * n + w];
    return sum;
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static void check_set(int64_t n, const double *pair, const uint8_t *set,
                      const cafe_set_figures *f) {
    uint8_t all[MOST], rest[MOST];
    int64_t nodes = 0;
    for (int64_t u = 0; u < n; u++) nodes += set[u], all[u] = 1, rest[u] = !set[u];
    double mass = joint(n, pair, set, all), cut = joint(n, pair, set, rest);
    assert_int_equal(f->nodes, nodes);
    NEAR(f->mass, mass);
    NEAR(f->inside, joint(n, pair, set, set));
    NEAR(f->strength, joint(n, pair, set, set) - mass * mass);
    NEAR(f->conductance, cut / fmin(mass, 1 - mass));
}

static void figures_of_sets_are_as_defined(void **state) {
    uint8_t a[MOST], b[MOST];
    double p[MOST];
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        cafe_context *context = test_context(2, 1);
        test_problem t =
            test_open(context, test_random(context, 60, 150, seed & 1, seed & 1, seed));
        cafe_pair_figures f;
        int64_t n = 60;
        double *pair = dense_p(t.graph, p);
        make_set(n, seed, a);
        make_set(n, seed + 100, b);
        TEST_OK(context, cafe_set_compare(context, t.sampled, a, b, &f));
        check_set(n, pair, a, &f.first);
        check_set(n, pair, b, &f.second);
        double both = joint(n, pair, a, b);
        NEAR(f.joint, both);
        NEAR(f.covariance, both - f.first.mass * f.second.mass);
        NEAR(f.first_to_second, both / f.second.mass);
        NEAR(f.second_to_first, both / f.first.mass);
        free(pair);
        test_close(&t);
    }
}

static void relative_centrality_is_as_defined(void **state) {
    uint8_t set[MOST], one[MOST];
    double p[MOST], got[MOST], sum = 0;
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_random(context, 70, 180, 1, 1, 5));
    int64_t n = 70;
    double *pair = dense_p(t.graph, p), mass = 0;
    make_set(n, 8, set);
    for (int64_t u = 0; u < n; u++) mass += set[u] ? p[u] : 0;
    TEST_OK(context, cafe_rank_relative(context, t.sampled, set, got));
    for (int64_t u = 0; u < n; u++) {
        memset(one, 0, sizeof one);
        one[u] = 1;
        NEAR(got[u], joint(n, pair, one, set) / mass);
        sum += got[u];
    }
    NEAR(sum, 1);
    /* relative to everything: the degree centrality */
    memset(set, 1, sizeof set);
    TEST_OK(context, cafe_rank_relative(context, t.sampled, set, got));
    for (int64_t u = 0; u < n; u++) NEAR(got[u], cafe_sampled_node(t.sampled, u));
    free(pair);
    test_close(&t);
}

/* ---- lists, files, refusals ------------------------------------------------------------------ */

static void the_top_is_sorted_and_ties_go_by_number(void **state) {
    enum { N = 500 };
    double value[N];
    int32_t order[N];
    uint64_t seed = 4;
    (void)state;
    cafe_context *context = test_context(1, 1);
    for (int u = 0; u < N; u++) value[u] = (double)test_below(&seed, 20);
    for (int64_t count = 0; count <= N; count += 125) {
        uint8_t taken[N] = {0};
        TEST_OK(context, cafe_rank_top(context, N, value, count, order));
        for (int64_t i = 0; i < count; i++) {
            taken[order[i]] = 1;
            if (i == 0) continue;
            assert_true(value[order[i - 1]] >= value[order[i]]);
            if (value[order[i - 1]] == value[order[i]]) assert_true(order[i - 1] < order[i]);
        }
        for (int u = 0; u < N && count > 0; u++)
            if (!taken[u]) {
                int32_t last = order[count - 1];
                assert_true(value[u] < value[last] || (value[u] == value[last] && u > last));
            }
    }
    assert_int_equal(cafe_rank_top(context, N, value, N + 1, order), CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void sets_are_read_by_name(void **state) {
    char path[64];
    uint8_t member[TEST_KARATE_NODES];
    int64_t count;
    (void)state;
    snprintf(path, sizeof path, "/tmp/cafe-set-%d.txt", (int)getpid());
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    write_file(path, "# a club\n\n3\n 17 \r\n3\n%\n0");
    TEST_OK(context, cafe_set_read(context, graph, path, member, &count));
    assert_int_equal(count, 3);
    for (int u = 0; u < TEST_KARATE_NODES; u++)
        assert_int_equal(member[u], u == 0 || u == 3 || u == 17);
    write_file(path, "3\n99\n");
    assert_int_equal(cafe_set_read(context, graph, path, member, &count), CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(context), ":2:1: expected"));
    assert_non_null(strstr(cafe_error(context), "'99'"));
    write_file(path, "");
    TEST_OK(context, cafe_set_read(context, graph, path, member, &count));
    assert_int_equal(count, 0);
    unlink(path);
    assert_int_equal(cafe_set_read(context, graph, path, member, &count), CAFE_ERROR_IO);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void what_has_no_answer_is_refused(void **state) {
    uint8_t none[MOST] = {0};
    double value[MOST];
    cafe_pagerank_options o;
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_random(context, 40, 90, 0, 0, 2));
    cafe_pagerank_options_init(&o);
    assert_int_equal(cafe_rank_relative(context, t.sampled, none, value), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_rank_pagerank(context, t.sampled, NULL, none, value, NULL),
                     CAFE_ERROR_ARGUMENT);
    none[6] = 1; /* a node without edges: nothing is relative to it, but a walk can start there */
    assert_int_equal(cafe_rank_relative(context, t.sampled, none, value), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_rank_pagerank(context, t.sampled, NULL, none, value, NULL));
    NEAR(value[6], 1);
    o.damping = 1;
    assert_int_equal(cafe_rank_pagerank(context, t.sampled, &o, NULL, value, NULL),
                     CAFE_ERROR_ARGUMENT);
    cafe_cancel(context);
    assert_int_equal(cafe_rank_pagerank(context, t.sampled, NULL, NULL, value, NULL),
                     CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(context);
    test_close(&t);
}

static void values_have_the_same_bits(void **state) {
    enum { N = 5000 };
    static double keep[2][N], value[N];
    static uint8_t a[N], b[N];
    cafe_pair_figures first, f;
    (void)state;
    make_set(N, 3, a);
    make_set(N, 4, b);
    for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
        cafe_context *context = test_context(threads, 7);
        test_problem t = test_open(context, test_random(context, N, 20000, 1, 1, 21));
        TEST_OK(context, cafe_rank_pagerank(context, t.sampled, NULL, a, value, NULL));
        if (threads == 1) memcpy(keep[0], value, sizeof value);
        assert_memory_equal(keep[0], value, sizeof value);
        TEST_OK(context, cafe_rank_relative(context, t.sampled, a, value));
        if (threads == 1) memcpy(keep[1], value, sizeof value);
        assert_memory_equal(keep[1], value, sizeof value);
        TEST_OK(context, cafe_set_compare(context, t.sampled, a, b, &f));
        if (threads == 1) first = f;
        assert_memory_equal(&first, &f, sizeof f);
        test_close(&t);
    }
}

static cafe_status call(const test_problem *t, const char *path, int which) {
    double value[TEST_KARATE_NODES];
    uint8_t member[TEST_KARATE_NODES] = {1};
    int32_t order[5];
    int64_t count;
    cafe_pair_figures f;
    cafe_context *context = t->context;
    switch (which) {
        case 0: return cafe_rank_pagerank(context, t->sampled, NULL, member, value, NULL);
        case 1: return cafe_rank_relative(context, t->sampled, member, value);
        case 2: return cafe_set_compare(context, t->sampled, member, member, &f);
        case 3: return cafe_set_read(context, t->graph, path, member, &count);
        default: memset(value, 0, sizeof value);
    }
    return cafe_rank_top(context, TEST_KARATE_NODES, value, 5, order);
}

static void memory_that_runs_out_is_survived(void **state) {
    char path[64];
    test_failing memory;
    (void)state;
    snprintf(path, sizeof path, "/tmp/cafe-set-%d.txt", (int)getpid());
    write_file(path, "1\n2\n");
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_karate(context));
    for (int which = 0; which < 5; which++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = call(&t, path, which);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    unlink(path);
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pagerank_is_the_solution_of_its_equation),
        cmocka_unit_test(pagerank_knows_its_rounding),
        cmocka_unit_test(figures_of_sets_are_as_defined),
        cmocka_unit_test(relative_centrality_is_as_defined),
        cmocka_unit_test(the_top_is_sorted_and_ties_go_by_number),
        cmocka_unit_test(sets_are_read_by_name),
        cmocka_unit_test(what_has_no_answer_is_refused),
        cmocka_unit_test(values_have_the_same_bits),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
