/* Edges chosen by weight, transformed weights, and lists with each edge in both directions, against
 * the definitions on dense matrices. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "failing.h"
#include "graph/graph.h"
#include "graphs.h"

enum { N = 40, M = 300 };

static cafe_graph_options defaults(void) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    return o;
}

static float between(const cafe_graph *g, int64_t u, int64_t w) {
    for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
        if (g->targets[i] == w) return g->weights ? g->weights[i] : 1;
    return 0;
}

static cafe_graph *from(cafe_context *context, const test_links *l, const cafe_graph_options *o) {
    cafe_graph *g = NULL;
    TEST_OK(context,
            cafe_graph_from_edges(context, N, l->count, l->source, l->target, l->weights, o, &g));
    return g;
}

/* Random edges with few different weights, so that many are equally heavy. */
static test_links tied_links(uint64_t seed) {
    test_links l = test_random_links(N, M, 1, seed);
    for (int64_t i = 0; i < l.count; i++) l.weights[i] = (float)(1 + test_below(&seed, 4)) / 2;
    return l;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static double transformed(int32_t rule, double w) {
    return rule == CAFE_TRANSFORM_LOG       ? log1p(w)
           : rule == CAFE_TRANSFORM_SQRT    ? sqrt(w)
           : rule == CAFE_TRANSFORM_INVERSE ? 1 / w
                                            : w;
}

/* Is the edge to w among the `top` heaviest edges of u? Counts the edges that come before it. */
static bool among_top(const double *a, int64_t u, int64_t w, int64_t top) {
    int64_t before = 0;
    for (int64_t x = 0; x < N; x++)
        before +=
            x != u && (a[u * N + x] > a[u * N + w] || (a[u * N + x] == a[u * N + w] && x < w));
    return before < top;
}

/* The definition, from the graph with all edges. */
static double *chosen(const cafe_graph *all, const cafe_graph_options *o, int64_t *outside) {
    double *a = calloc(N * N, sizeof *a), *b = calloc(N * N, sizeof *b);
    *outside = 0;
    for (int64_t u = 0; u < N; u++)
        for (int64_t w = 0; w < N; w++) {
            double ends = u == w ? 2 : 1, x = between(all, u, w) / ends;
            bool out = x < o->min_weight || (o->max_weight > 0 && x > o->max_weight);
            *outside += x > 0 && out && u <= w;
            if (x > 0 && !out) a[u * N + w] = (float)(ends * transformed(o->weight_transform, x));
        }
    for (int64_t u = 0; u < N; u++)
        for (int64_t w = 0; w < N; w++)
            if (a[u * N + w] > 0 &&
                (u == w || o->top_edges == 0 || among_top(a, u, w, o->top_edges) ||
                 among_top(a, w, u, o->top_edges)))
                b[u * N + w] = a[u * N + w];
    free(a);
    return b;
}

static void check(uint64_t seed, cafe_graph_options o) {
    test_links l = tied_links(seed);
    cafe_graph_options plain = defaults();
    plain.self_loops = o.self_loops;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 1);
        cafe_graph *all = from(context, &l, &plain), *some = from(context, &l, &o), *rows = NULL;
        int64_t outside, edges = 0, lighter = 0;
        double *b = chosen(all, &o, &outside);
        for (int64_t u = 0; u < N; u++)
            for (int64_t w = 0; w < N; w++) {
                assert_true(between(some, u, w) == (float)b[u * N + w]);
                edges += u <= w && b[u * N + w] > 0;
            }
        lighter = all->counts.edges - outside - edges;
        assert_int_equal(some->counts.edges, edges);
        assert_int_equal(some->counts.outside, outside);
        assert_int_equal(some->counts.lighter, lighter);
        assert_int_equal(some->counts.lines, all->counts.lines);
        /* the rows of the whole graph, borrowed, give the same */
        TEST_OK(context, cafe_graph_from_csr(context, N, all->offsets, all->targets, all->weights,
                                             1, &o, &rows));
        assert_int_equal(rows->arcs, some->arcs);
        assert_memory_equal(rows->targets, some->targets, (size_t)some->arcs * sizeof(int32_t));
        TEST_OK(context, cafe_graph_unchanged(context, rows));
        free(b);
        cafe_graph_free(rows);
        cafe_graph_free(some);
        cafe_graph_free(all);
        cafe_context_free(context);
    }
    test_links_free(&l);
}

static void edges_stay_as_the_definition_says(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++)
        for (int32_t rule = 0; rule < 4; rule++)
            for (int64_t top = 0; top < 4; top++) {
                cafe_graph_options o = defaults();
                o.self_loops = (int32_t)(seed % 2);
                o.weight_transform = rule;
                o.top_edges = top == 3 ? N : top;
                o.min_weight = top == 1 ? 1 : 0;
                o.max_weight = rule == 2 ? 2.5 : 0;
                check(seed, o);
            }
}

/* A graph whose weights become 1 keeps none; nodes that lose their edges stay. */
static void weights_of_1_are_not_kept(void **state) {
    int32_t source[] = {0, 1, 2}, target[] = {1, 2, 3};
    float weights[] = {4, 4, 1};
    cafe_context *context = test_context(1, 1);
    cafe_graph_options o = defaults();
    cafe_graph *g = NULL;
    (void)state;
    o.max_weight = 1;
    TEST_OK(context, cafe_graph_from_edges(context, 4, 3, source, target, weights, &o, &g));
    assert_null(g->weights);
    assert_int_equal(g->counts.edges, 1);
    assert_int_equal(g->counts.isolated, 2);
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void impossible_choices_are_refused(void **state) {
    int32_t source[] = {0, 1}, target[] = {1, 2};
    cafe_context *context = test_context(1, 1);
    cafe_graph_options o = defaults();
    cafe_graph *g = NULL;
    (void)state;
    o.min_weight = 700; /* every edge weighs 1 */
    assert_int_equal(cafe_graph_from_edges(context, 3, 2, source, target, NULL, &o, &g),
                     CAFE_ERROR_ARGUMENT);
    assert_null(g);
    assert_non_null(strstr(cafe_error(context), "no edge is left"));
    o.max_weight = 600;
    assert_int_equal(cafe_graph_from_edges(context, 3, 2, source, target, NULL, &o, &g),
                     CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "above"));
    cafe_context_free(context);
}

/* ---- both directions ------------------------------------------------------------------------- */

/* Each pair of a random simple graph once in each direction, in a random order. */
static test_links mirrored_links(uint64_t seed) {
    test_links l = {.source = malloc(2 * N * N * sizeof *l.source),
                    .target = malloc(2 * N * N * sizeof *l.target),
                    .weights = malloc(2 * N * N * sizeof *l.weights)};
    for (int32_t u = 0; u < N; u++)
        for (int32_t w = 0; w < u; w++) {
            if (test_below(&seed, 5) > 0) continue;
            float weight = (float)(1 + test_below(&seed, 900)) / 8;
            for (int d = 0; d < 2; d++) {
                l.source[l.count] = d ? u : w;
                l.target[l.count] = d ? w : u;
                l.weights[l.count++] = weight;
            }
        }
    return l;
}

/* The graph has `times` the weights of the list, and says whether lines were counted once. */
static void expect_times(const cafe_graph *g, const test_links *l, double times, int32_t mirrored) {
    assert_int_equal(g->counts.mirrored, mirrored);
    for (int64_t i = 2; i < l->count; i++)
        assert_true(between(g, l->source[i], l->target[i]) == (float)(times * l->weights[i]));
}

static void edges_in_both_directions_count_once(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph_options o = defaults();
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        test_links l = mirrored_links(seed);
        cafe_graph *g = from(context, &l, &o);
        expect_times(g, &l, 1, 1);
        assert_int_equal(g->counts.reversed, g->counts.edges);
        cafe_graph_free(g);
        o.duplicates = CAFE_DUPLICATES_SUM;
        g = from(context, &l, &o);
        expect_times(g, &l, 2, 0);
        cafe_graph_free(g);
        o.duplicates = CAFE_DUPLICATES_AUTO;
        /* one edge of another weight in one direction, one listed once: weights are added */
        l.weights[0] += 1;
        g = from(context, &l, &o);
        expect_times(g, &l, 2, 0);
        assert_true(between(g, l.source[0], l.target[0]) == l.weights[0] + l.weights[1]);
        cafe_graph_free(g);
        l.source[0] = l.target[0] = N - 1; /* a loop, and an edge in one direction alone */
        g = from(context, &l, &o);
        expect_times(g, &l, 2, 0);
        cafe_graph_free(g);
        test_links_free(&l);
    }
    cafe_context_free(context);
}

/* Loops have one direction: they are no reason to add, and weigh what they did. */
static void loops_keep_their_weight(void **state) {
    int32_t source[] = {0, 1, 2}, target[] = {1, 0, 2};
    float weights[] = {0.5f, 0.5f, 3};
    cafe_context *context = test_context(1, 1);
    cafe_graph_options o = defaults();
    cafe_graph *g = NULL;
    (void)state;
    o.self_loops = CAFE_LOOPS_KEEP;
    TEST_OK(context, cafe_graph_from_edges(context, 3, 3, source, target, weights, &o, &g));
    assert_true(between(g, 0, 1) == 0.5f && between(g, 2, 2) == 6);
    cafe_graph_free(g);
    TEST_OK(context,
            cafe_graph_from_edges(context, 3, 1, source + 2, target + 2, weights + 2, &o, &g));
    assert_int_equal(g->counts.mirrored, 0); /* no edge in both directions at all */
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_links l = tied_links(1);
    cafe_graph_options o = defaults();
    (void)state;
    o.top_edges = 2;
    o.min_weight = 1;
    for (long k = 0;; k++) {
        cafe_graph *g = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status =
            cafe_graph_from_edges(context, N, l.count, l.source, l.target, l.weights, &o, &g);
        int failed = test_failing_disarm(&memory);
        cafe_graph_free(g);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    test_links_free(&l);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_stay_as_the_definition_says),
        cmocka_unit_test(weights_of_1_are_not_kept),
        cmocka_unit_test(impossible_choices_are_refused),
        cmocka_unit_test(edges_in_both_directions_count_once),
        cmocka_unit_test(loops_keep_their_weight),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
