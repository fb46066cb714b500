/* Directed edges: each rule beside its dense definition on random digraphs, readers, refusals. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"
#include "graph/builder.h"
#include "graph/directed.h"
#include "graphs.h"

enum { N = 30 };

typedef double matrix[N][N];

/* Links with repeats, loops, both directions, zero weights, and nodes without a link out. */
static test_links random_arcs(int64_t count, uint64_t seed) {
    test_links l = test_links_new(count);
    for (int64_t i = 0; i < count; i++) {
        l.source[i] = (int32_t)test_below(&seed, N - 5);
        l.target[i] = (int32_t)test_below(&seed, N);
        l.weights[i] = (float)test_below(&seed, 9) / 4;
    }
    return l;
}

static bool adds(const cafe_graph_options *o, bool weighted) {
    return o->duplicates == CAFE_DUPLICATES_SUM ||
           (o->duplicates == CAFE_DUPLICATES_AUTO && weighted && o->weights);
}

/* A as the options ask for it. */
static void dense_arcs(const test_links *l, bool weighted, const cafe_graph_options *o, matrix a) {
    memset(a, 0, sizeof(matrix));
    for (int64_t i = 0; i < l->count; i++) {
        int32_t u = l->source[i], w = l->target[i];
        double weight = weighted && o->weights ? l->weights[i] : 1;
        if (u == w && o->self_loops == CAFE_LOOPS_DROP) continue;
        a[u][w] = adds(o, weighted) ? a[u][w] + weight : fmax(a[u][w], weight);
    }
}

/* pi by repetition with the whole matrix, teleportation and all. */
static void page_rank(matrix a, double *pi) {
    double sums[N] = {0};
    for (int u = 0; u < N; u++) {
        pi[u] = 1.0 / N;
        for (int w = 0; w < N; w++) sums[u] += a[u][w];
    }
    for (int step = 0; step < 500; step++) {
        double next[N] = {0};
        for (int u = 0; u < N; u++)
            for (int w = 0; w < N; w++) {
                double p = sums[u] > 0 ? a[u][w] / sums[u] : 1.0 / N;
                next[w] += pi[u] * (0.15 / N + 0.85 * p);
            }
        memcpy(pi, next, sizeof next);
    }
}

static void dense_flow(matrix a, matrix b) {
    double pi[N], sums[N] = {0};
    page_rank(a, pi);
    for (int u = 0; u < N; u++)
        for (int w = 0; w < N; w++) sums[u] += a[u][w];
    for (int u = 0; u < N; u++)
        for (int w = 0; w < N; w++)
            b[u][w] = (sums[u] > 0 ? pi[u] * a[u][w] / sums[u] : 0) +
                      (sums[w] > 0 ? pi[w] * a[w][u] / sums[w] : 0);
}

static void dense_rule(matrix a, int32_t rule, matrix b) {
    if (rule == CAFE_DIRECTED_FLOW) {
        dense_flow(a, b);
        return;
    }
    for (int u = 0; u < N; u++)
        for (int w = 0; w < N; w++) {
            b[u][w] = rule == CAFE_DIRECTED_SUM ? a[u][w] + a[w][u] : 0;
            if (rule == CAFE_DIRECTED_SUM || u == w) continue;
            for (int x = 0; x < N; x++) b[u][w] += a[u][x] * a[w][x] + a[x][u] * a[x][w];
        }
}

static void dense_graph(const cafe_graph *graph, matrix b) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    memset(b, 0, sizeof(matrix));
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++)
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++)
            b[u][targets[i]] = weights ? weights[i] : 1;
}

static cafe_graph *make(cafe_context *context, const test_links *l, bool weighted, int32_t rule,
                        const cafe_graph_options *o) {
    cafe_graph *graph = NULL;
    cafe_status status = cafe_graph_from_arcs(context, N, l->count, l->source, l->target,
                                              weighted ? l->weights : NULL, rule, o, &graph);
    if (status != CAFE_OK) fail_msg("%s", cafe_error(context));
    return graph;
}

static void check_rule(const test_links *l, bool weighted, int32_t rule,
                       const cafe_graph_options *o) {
    static matrix a, want, got;
    cafe_context *context = test_context(3, 1);
    cafe_graph *graph = make(context, l, weighted, rule, o);
    cafe_graph_counts counts;
    int64_t entries = 0;
    dense_arcs(l, weighted, o, a);
    dense_rule(a, rule, want);
    dense_graph(graph, got);
    for (int u = 0; u < N; u++)
        for (int w = 0; w < N; w++) {
            assert_true(fabs(got[u][w] - want[u][w]) <= 1e-6 * fabs(want[u][w]) + 1e-12);
            entries += a[u][w] > 0;
            assert_int_equal(cafe_graph_has_arc(graph, u, w), a[u][w] > 0);
        }
    counts = *cafe_graph_get_counts(graph);
    assert_int_equal(counts.directed, rule);
    assert_int_equal(counts.lines, l->count);
    int64_t dropped = o->self_loops == CAFE_LOOPS_DROP ? counts.self_loops : 0;
    assert_int_equal(counts.lines, entries + counts.duplicates + counts.zero_weights + dropped);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void test_rules(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed < 4; seed++)
        for (int32_t rule = CAFE_DIRECTED_SUM; rule <= CAFE_DIRECTED_FLOW; rule++)
            for (int weighted = 0; weighted < 2; weighted++)
                for (int32_t duplicates = 0; duplicates < 3; duplicates++) {
                    test_links l = random_arcs(25 * (int64_t)seed * (int64_t)seed, seed);
                    cafe_graph_options o;
                    cafe_graph_options_init(&o);
                    o.duplicates = duplicates;
                    o.self_loops = seed == 2 ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
                    o.weights = seed != 3 || duplicates != 1;
                    check_rule(&l, weighted != 0, rule, &o);
                    test_links_free(&l);
                }
}

/* Rule "no" is the ordinary graph. */
static void test_no_rule(void **state) {
    cafe_context *context = test_context(2, 1);
    test_links l = random_arcs(100, 4);
    static matrix a, b;
    (void)state;
    cafe_graph *plain = test_graph(context, N, &l, 1, NULL);
    cafe_graph *none = make(context, &l, true, CAFE_DIRECTED_NO, NULL);
    cafe_graph_counts p, q;
    dense_graph(plain, a);
    dense_graph(none, b);
    assert_memory_equal(a, b, sizeof a);
    p = *cafe_graph_get_counts(plain);
    q = *cafe_graph_get_counts(none);
    assert_int_equal(p.lines, q.lines);
    assert_int_equal(q.directed, CAFE_DIRECTED_NO);
    cafe_graph_free(plain);
    cafe_graph_free(none);
    test_links_free(&l);
    cafe_context_free(context);
}

static void test_threads(void **state) {
    static matrix first, other;
    test_links l = random_arcs(300, 6);
    (void)state;
    for (int32_t rule = CAFE_DIRECTED_SUM; rule <= CAFE_DIRECTED_FLOW; rule++)
        for (int32_t threads = 1; threads < 6; threads += 2) {
            cafe_context *context = test_context(threads, 1);
            cafe_graph *graph = make(context, &l, true, rule, NULL);
            dense_graph(graph, threads == 1 ? first : other);
            if (threads > 1) assert_memory_equal(first, other, sizeof first);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
    test_links_free(&l);
}

/* A hub with two million links in: co-citation would have 4e12 entries, and is refused. */
static void test_guard(void **state) {
    enum { LEAVES = 2000000 };
    cafe_context *context = test_context(2, 1);
    test_links l = test_links_new(LEAVES);
    cafe_graph *graph = NULL;
    (void)state;
    for (int32_t i = 0; i < LEAVES; i++) {
        l.source[i] = i + 1;
        l.target[i] = 0;
    }
    cafe_status status = cafe_graph_from_arcs(context, LEAVES + 1, LEAVES, l.source, l.target, NULL,
                                              CAFE_DIRECTED_COCITATION, NULL, &graph);
    assert_int_equal(status, CAFE_ERROR_LIMIT);
    assert_non_null(strstr(cafe_error(context), "29802."));
    assert_null(graph);
    test_links_free(&l);
    cafe_context_free(context);
}

static void test_bad_arcs(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = NULL;
    int32_t source[] = {0, 1}, target[] = {1, 2};
    float weights[] = {1, -1};
    (void)state;
    assert_int_equal(
        cafe_graph_from_arcs(context, 2, 2, source, target, NULL, CAFE_DIRECTED_SUM, NULL, &graph),
        CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_from_arcs(context, 3, 2, source, target, weights,
                                          CAFE_DIRECTED_FLOW, NULL, &graph),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_from_arcs(context, 3, 2, source, target, NULL, 4, NULL, &graph),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_graph_from_arcs(context, 3, -1, source, target, NULL, 1, NULL, &graph),
                     CAFE_ERROR_ARGUMENT);
    assert_null(graph);
    for (int32_t rule = CAFE_DIRECTED_SUM; rule <= CAFE_DIRECTED_FLOW; rule++) {
        assert_int_equal(
            cafe_graph_from_arcs(context, 3, 0, source, target, NULL, rule, NULL, &graph), CAFE_OK);
        assert_int_equal(cafe_graph_get_counts(graph)->edges, 0);
        cafe_graph_free(graph);
        assert_int_equal(
            cafe_graph_from_arcs(context, 0, 0, source, target, NULL, rule, NULL, &graph), CAFE_OK);
        cafe_graph_free(graph);
        graph = NULL;
    }
    cafe_context_free(context);
}

static void test_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_links l = random_arcs(200, 3);
    (void)state;
    for (int32_t rule = CAFE_DIRECTED_SUM; rule <= CAFE_DIRECTED_FLOW; rule++)
        for (long k = 0;; k++) {
            cafe_graph *graph = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_graph_from_arcs(context, N, l.count, l.source, l.target,
                                                      l.weights, rule, NULL, &graph);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(graph);
            if (!failed) break;
        }
    test_links_free(&l);
    cafe_context_free(context);
}

/* ---- files ----------------------------------------------------------------------------------- */

static cafe_status read_text(cafe_context *context, const char *ending, const char *text,
                             int32_t rule, cafe_graph **graph) {
    char path[64];
    cafe_graph_options o;
    snprintf(path, sizeof path, "test_directed_%ld%s", (long)getpid(), ending);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    cafe_graph_options_init(&o);
    o.directed = rule;
    cafe_status status = cafe_graph_read(context, path, &o, graph);
    remove(path);
    return status;
}

/* a and b both cite c and d; c cites a. By names, by numbers, and as a matrix. */
static void test_files(void **state) {
    static const char *const texts[][2] = {
        {".txt", "a c\nb c\na d\nb d\nc a\n"},
        {".txt", "10 30\n20 30\n10 40\n20 40\n30 10\n"},
        {".mtx",
         "%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 3\n2 3\n1 4\n2 4\n3 1\n"}};
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int i = 0; i < 3; i++) {
        static matrix b;
        cafe_graph *graph = NULL;
        assert_int_equal(
            read_text(context, texts[i][0], texts[i][1], CAFE_DIRECTED_COCITATION, &graph),
            CAFE_OK);
        int64_t n = cafe_graph_nodes(graph), c = i == 0 ? 1 : 2, two = i == 0 ? 2 : 1;
        assert_int_equal(n, 4);
        dense_graph(graph, b);
        assert_true(b[0][two] == 2); /* a and b cite both c and d */
        assert_true(b[c][3] == 2);   /* c and d are cited by both */
        cafe_graph_free(graph);
        graph = NULL;
        assert_int_equal(read_text(context, texts[i][0], texts[i][1], CAFE_DIRECTED_SUM, &graph),
                         CAFE_OK);
        dense_graph(graph, b);
        assert_true(b[0][c] == 2 && b[two][c] == 1);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

static void test_refused_files(void **state) {
    static const char *const texts[][2] = {
        {".mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n"},
        {".graph", "2 1\n2\n1\n"}};
    cafe_context *context = test_context(1, 1);
    (void)state;
    for (int i = 0; i < 2; i++) {
        cafe_graph *graph = NULL;
        assert_int_equal(read_text(context, texts[i][0], texts[i][1], CAFE_DIRECTED_FLOW, &graph),
                         CAFE_ERROR_FORMAT);
        assert_non_null(strstr(cafe_error(context), "directed"));
        assert_null(graph);
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),    cmocka_unit_test(test_no_rule),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_guard),
        cmocka_unit_test(test_bad_arcs), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_files),    cmocka_unit_test(test_refused_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
