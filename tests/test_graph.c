/* The builder and compressed rows: invariants on random links. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "failing.h"
#include "graph/builder.h"
#include "graph/compaction.h"
#include "graph/graph.h"
#include "graphs.h"

static cafe_graph_options options_of(int32_t loops, int32_t duplicates) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.self_loops = loops;
    o.duplicates = duplicates;
    return o;
}

/* ---- invariants ------------------------------------------------------------------------------ */

static float weight_between(const cafe_graph *g, int64_t u, int64_t w) {
    for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++)
        if (g->targets[i] == w) return g->weights ? g->weights[i] : 1;
    return 0;
}

static void assert_sorted_and_symmetric(const cafe_graph *g) {
    assert_int_equal(g->offsets[0], 0);
    assert_int_equal(g->offsets[g->n], g->arcs);
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t i = g->offsets[u]; i < g->offsets[u + 1]; i++) {
            int32_t w = g->targets[i];
            assert_in_range(w, 0, g->n - 1);
            if (i > g->offsets[u]) assert_true(g->targets[i - 1] < w);
            assert_true(weight_between(g, w, u) == (g->weights ? g->weights[i] : 1));
        }
}

static void assert_identity(const cafe_graph *g, bool loops_kept) {
    const cafe_graph_counts *c = &g->counts;
    int64_t dropped = loops_kept ? 0 : c->self_loops;
    assert_int_equal(c->lines, c->edges + dropped + c->duplicates + c->reversed + c->zero_weights);
}

static void assert_same_graph(const cafe_graph *a, const cafe_graph *b) {
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->arcs, b->arcs);
    assert_int_equal(a->weights != NULL, b->weights != NULL);
    assert_memory_equal(a->offsets, b->offsets, (size_t)(a->n + 1) * sizeof *a->offsets);
    assert_memory_equal(a->targets, b->targets, (size_t)a->arcs * sizeof *a->targets);
    if (a->weights)
        assert_memory_equal(a->weights, b->weights, (size_t)a->arcs * sizeof *a->weights);
}

static void assert_same_counts(const cafe_graph *a, const cafe_graph *b) {
    const cafe_graph_counts *x = &a->counts, *y = &b->counts;
    assert_int_equal(x->nodes, y->nodes);
    assert_int_equal(x->edges, y->edges);
    assert_int_equal(x->lines, y->lines);
    assert_int_equal(x->self_loops, y->self_loops);
    assert_int_equal(x->duplicates, y->duplicates);
    assert_int_equal(x->reversed, y->reversed);
    assert_int_equal(x->zero_weights, y->zero_weights);
    assert_int_equal(x->isolated, y->isolated);
    assert_int_equal(x->components, y->components);
    assert_int_equal(x->largest, y->largest);
    assert_int_equal(x->weighted, y->weighted);
    assert_int_equal(x->self_loops_kept, y->self_loops_kept);
    assert_true(x->total_weight == y->total_weight);
    assert_int_equal(x->min_degree, y->min_degree);
    assert_int_equal(x->max_degree, y->max_degree);
}

static void set_zero_weights(test_links *l) {
    for (int64_t i = 0; i < l->count; i += 11) l->weights[i] = 0;
}

/* The dense matrix of the graph, by the definition: slow, serial, obviously right. */
static double *dense(int64_t n, const test_links *l, bool weighted, const cafe_graph_options *o) {
    bool sum =
        o->duplicates == CAFE_DUPLICATES_SUM || (o->duplicates == CAFE_DUPLICATES_AUTO && weighted);
    double *a = calloc((size_t)(n * n), sizeof *a);
    assert_non_null(a);
    for (int64_t i = 0; i < l->count; i++) {
        int64_t u = l->source[i], w = l->target[i];
        double x = weighted ? l->weights[i] : 1, *one = &a[u * n + w], *two = &a[w * n + u];
        if (u == w && o->self_loops == CAFE_LOOPS_DROP) continue;
        if (u == w) x *= 2;
        *one = sum ? *one + x : fmax(*one, x);
        *two = *one;
    }
    return a;
}

static void assert_equals_dense(const cafe_graph *g, const double *a) {
    double total = 0;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t w = 0; w < g->n; w++) {
            assert_true(weight_between(g, u, w) == (float)a[u * g->n + w]);
            total += a[u * g->n + w];
        }
    assert_true(fabs(total - g->counts.total_weight) <= 1e-9 * total);
}

/* ---- links ----------------------------------------------------------------------------------- */

static void check_one(cafe_context *context, uint64_t seed, int32_t weighted, int32_t loops,
                      int32_t duplicates) {
    enum { N = 60, M = 700 };
    test_links l = test_random_links(N, M, 1, seed);
    cafe_graph_options o = options_of(loops, duplicates);
    set_zero_weights(&l);
    cafe_graph *g = test_graph(context, N, &l, weighted, &o);
    double *a = dense(N, &l, weighted, &o);
    assert_sorted_and_symmetric(g);
    assert_identity(g, loops == CAFE_LOOPS_KEEP);
    assert_equals_dense(g, a);
    free(a);
    cafe_graph_free(g);
    test_links_free(&l);
}

static void rows_are_what_the_definition_says(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (uint64_t seed = 0; seed < 5; seed++)
        for (int32_t weighted = 0; weighted < 2; weighted++)
            for (int32_t loops = 0; loops < 2; loops++)
                for (int32_t rule = 0; rule < 3; rule++)
                    check_one(context, seed, weighted, loops, rule);
    cafe_context_free(context);
}

/* One pair listed in every way, so that each count is known. */
static void every_kind_of_line_is_counted(void **state) {
    int32_t source[] = {0, 0, 1, 1, 0, 2, 2, 3, 1}, target[] = {1, 1, 0, 0, 1, 2, 2, 0, 3};
    float weights[] = {1, 2, 4, 8, 0, 1, 1, 5, 0};
    cafe_context *context = test_context(1, 1);
    cafe_graph *g = NULL;
    cafe_graph_options o = options_of(CAFE_LOOPS_DROP, CAFE_DUPLICATES_AUTO);
    (void)state;
    assert_int_equal(cafe_graph_from_edges(context, 5, 9, source, target, weights, &o, &g),
                     CAFE_OK);
    assert_int_equal(g->counts.edges, 2);
    assert_int_equal(g->counts.duplicates, 2);
    assert_int_equal(g->counts.reversed, 1);
    assert_int_equal(g->counts.zero_weights, 2);
    assert_int_equal(g->counts.self_loops, 2);
    assert_int_equal(g->counts.self_loops_kept, 0);
    assert_int_equal(g->counts.isolated, 2);
    assert_int_equal(g->counts.components, 3);
    assert_int_equal(g->counts.largest, 3);
    assert_int_equal(g->counts.min_degree, 0);
    assert_int_equal(g->counts.max_degree, 2);
    assert_true(weight_between(g, 0, 1) == 15);
    assert_true(g->counts.total_weight == 40);
    cafe_graph_free(g);
    o.self_loops = CAFE_LOOPS_KEEP;
    assert_int_equal(cafe_graph_from_edges(context, 5, 9, source, target, weights, &o, &g),
                     CAFE_OK);
    assert_int_equal(g->counts.edges, 3);
    assert_int_equal(g->counts.duplicates, 3);
    assert_int_equal(g->counts.self_loops, 2);
    assert_int_equal(g->counts.self_loops_kept, 1);
    assert_int_equal(g->counts.isolated, 2);
    assert_true(weight_between(g, 2, 2) == 4);
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void shuffle(test_links *l, uint64_t seed) {
    for (int64_t i = l->count - 1; i > 0; i--) {
        int64_t j = test_below(&seed, i + 1);
        int32_t u = l->source[i], w = l->target[i];
        float x = l->weights[i];
        l->source[i] = l->source[j], l->target[i] = l->target[j], l->weights[i] = l->weights[j];
        l->source[j] = u, l->target[j] = w, l->weights[j] = x;
    }
}

/* Weights whose sum depends on the order in which they are added. */
static void set_awkward_weights(test_links *l, uint64_t seed) {
    for (int64_t i = 0; i < l->count; i++)
        l->weights[i] = (float)exp2((double)test_below(&seed, 60) - 30 +
                                    (double)test_below(&seed, 1000) / 1000);
}

static void order_and_threads_do_not_matter(void **state) {
    enum { N = 3000, M = 400000 }; /* several tasks of links, rows long enough for the radix sort */
    test_links l = test_random_links(N, M, 1, 7);
    cafe_graph_options o = options_of(CAFE_LOOPS_KEEP, CAFE_DUPLICATES_SUM);
    cafe_context *first = test_context(1, 1);
    (void)state;
    set_awkward_weights(&l, 3);
    cafe_graph *expected = test_graph(first, N, &l, 1, &o);
    assert_identity(expected, true);
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 1);
        shuffle(&l, (uint64_t)i);
        cafe_graph *g = test_graph(context, N, &l, 1, &o);
        assert_same_graph(g, expected);
        assert_same_counts(g, expected);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
    cafe_graph_free(expected);
    cafe_context_free(first);
    test_links_free(&l);
}

typedef struct test_arc {
    int32_t u, w;
    float weight;
} test_arc;

static int compare_arcs(const void *a, const void *b) {
    const test_arc *x = a, *y = b;
    return x->u != y->u ? (x->u < y->u ? -1 : 1) : (x->w > y->w) - (x->w < y->w);
}

/* Against all arcs sorted at once. Weights are multiples of 1/4, so their sums are exact. */
static void assert_sorted_arcs(const cafe_graph *g, const test_links *l) {
    test_arc *arcs = malloc((size_t)l->count * 2 * sizeof *arcs);
    int64_t count = 0, at = 0;
    assert_non_null(arcs);
    for (int64_t i = 0; i < l->count; i++) {
        int32_t u = l->source[i], w = l->target[i];
        if (u == w) continue;
        arcs[count++] = (test_arc){u, w, l->weights[i]};
        arcs[count++] = (test_arc){w, u, l->weights[i]};
    }
    qsort(arcs, (size_t)count, sizeof *arcs, compare_arcs);
    for (int64_t i = 0; i < count; at++) {
        double sum = 0;
        test_arc first = arcs[i];
        for (; i < count && compare_arcs(&arcs[i], &first) == 0; i++) sum += arcs[i].weight;
        assert_true(g->offsets[first.u] <= at && at < g->offsets[first.u + 1]);
        assert_int_equal(g->targets[at], first.w);
        assert_true(g->weights[at] == (float)sum);
    }
    assert_int_equal(at, g->arcs);
    free(arcs);
}

/* Many buckets of rows and tasks of links. Few pairs are there twice, or most of them. One node has
 * more links than the rows of its bucket are ordered with room for. */
static void large_graphs_with_gaps_and_hubs(void **state) {
    enum { N = 60000, M = 200000, HUB = 41234 };
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        cafe_context *context = test_context(3, 1);
        test_links l = test_random_links(N, M, 1, (uint64_t)kind);
        for (int64_t i = 1; i < M; i++) {
            if (kind == 1 && i % 3) l.source[i] = l.target[i - 1], l.target[i] = l.source[i - 1];
            if (kind == 2 && i % 5) l.source[i] = HUB;
        }
        cafe_graph *g = test_graph(context, N, &l, 1, NULL);
        assert_sorted_arcs(g, &l);
        assert_identity(g, false);
        cafe_graph_free(g);
        test_links_free(&l);
        cafe_context_free(context);
    }
}

/* Spans of random length with gaps of up to `most` between them, against copying one by one. */
static void check_gaps(cafe_context *context, int64_t count, int64_t most, uint64_t seed) {
    cafe_span *spans = malloc((size_t)(count + 1) * sizeof *spans);
    int64_t before = 0;
    for (int64_t i = 0; i < count; i++) {
        spans[i] = (cafe_span){.begin = before, .length = test_below(&seed, 300)};
        before += spans[i].length + (most > 0 ? test_below(&seed, most) : 0);
    }
    uint32_t *array = cafe_mem(context, before, sizeof *array);
    for (int64_t i = 0; i < before; i++) array[i] = (uint32_t)i;
    int64_t after = cafe_plan_spans(spans, count), at = 0;
    void *block = array;
    assert_int_equal(cafe_close_gaps(context, spans, count, before, &block), CAFE_OK);
    array = block;
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < spans[i].length; j++)
            assert_int_equal(array[at++], spans[i].begin + j);
    assert_int_equal(at, after);
    cafe_mem_free(context, array);
    free(spans);
}

static void gaps_are_closed(void **state) {
    static const int64_t counts[] = {0, 1, 2, 63, 64, 65, 1000}, gaps[] = {0, 2, 3, 10, 100, 1000};
    cafe_context *context = test_context(3, 1);
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof gaps / sizeof *gaps; j++)
            for (uint64_t seed = 0; seed < 4; seed++) check_gaps(context, counts[i], gaps[j], seed);
    cafe_context_free(context);
}

static void unit_weights_are_not_kept(void **state) {
    int32_t source[] = {0, 1}, target[] = {1, 2};
    float ones[] = {1, 1}, others[] = {1, 0.5f};
    cafe_context *context = test_context(1, 1);
    cafe_graph *g = NULL;
    cafe_graph_options o = options_of(CAFE_LOOPS_DROP, CAFE_DUPLICATES_AUTO);
    (void)state;
    assert_int_equal(cafe_graph_from_edges(context, 3, 2, source, target, ones, &o, &g), CAFE_OK);
    assert_null(g->weights);
    assert_int_equal(g->counts.weighted, 0);
    cafe_graph_free(g);
    assert_int_equal(cafe_graph_from_edges(context, 3, 2, source, target, others, &o, &g), CAFE_OK);
    assert_non_null(g->weights);
    assert_int_equal(g->counts.weighted, 1);
    cafe_graph_free(g);
    o.weights = 0;
    assert_int_equal(cafe_graph_from_edges(context, 3, 2, source, target, others, &o, &g), CAFE_OK);
    assert_null(g->weights);
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void refuse(cafe_context *context, int64_t nodes, int64_t count, int32_t u, int32_t w,
                   float weight, const char *said) {
    int32_t source[] = {0, u, u}, target[] = {1, w, w};
    float weights[] = {1, weight, weight};
    cafe_graph *g = (cafe_graph *)&source;
    assert_int_equal(
        cafe_graph_from_edges(context, nodes, count, source, target, weights, NULL, &g),
        CAFE_ERROR_ARGUMENT);
    assert_null(g);
    if (!strstr(cafe_error(context), said)) fail_msg("'%s' lacks '%s'", cafe_error(context), said);
}

static void bad_links_are_named(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph_options wrong = {.struct_size = 3};
    cafe_graph *g = NULL;
    (void)state;
    refuse(context, 5, 3, 0, 5, 1, "edge 1: node 5 is not within 0 .. 4");
    refuse(context, 5, 3, -1, 3, 1, "edge 1: node -1");
    refuse(context, 5, 3, 1, 3, -1, "edge 1: the weight -1");
    refuse(context, 5, 3, 1, 3, NAN, "edge 1: the weight nan");
    refuse(context, 5, 3, 1, 3, INFINITY, "edge 1: the weight inf");
    refuse(context, 5, 3, 1, 3, FLT_MAX, "node 1: the weights of an edge add up");
    refuse(context, -1, 3, 1, 3, 1, "-1 nodes");
    refuse(context, (int64_t)1 << 31, 3, 1, 3, 1, "2147483648 nodes");
    refuse(context, INT32_MAX, 3, 1, 3, 1, "2147483647 nodes: a graph has 0 to 2147483646 of them");
    refuse(context, 5, -3, 1, 3, 1, "-3 is not a number of edges");
    assert_int_equal(cafe_graph_from_edges(context, 1, 0, NULL, NULL, NULL, &wrong, &g),
                     CAFE_ERROR_ARGUMENT);
    cafe_context_free(context);
}

static void small_and_empty_graphs(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *g = NULL;
    (void)state;
    for (int64_t n = 0; n < 3; n++) {
        assert_int_equal(cafe_graph_from_edges(context, n, 0, NULL, NULL, NULL, NULL, &g), CAFE_OK);
        assert_int_equal(g->counts.isolated, n);
        assert_int_equal(g->counts.components, n);
        assert_int_equal(g->counts.largest, n > 0);
        assert_int_equal(g->counts.min_degree, 0);
        assert_int_equal(cafe_graph_get_counts(g)->edges, 0);
        assert_sorted_and_symmetric(g);
        cafe_graph_free(g);
    }
    g = test_karate(context);
    assert_int_equal(cafe_graph_nodes(g), TEST_KARATE_NODES);
    assert_int_equal(cafe_graph_get_counts(g)->edges, TEST_KARATE_EDGES);
    assert_int_equal(g->counts.max_degree, 17);
    assert_int_equal(g->counts.components, 1);
    cafe_graph_free(g);
    cafe_graph_free(NULL);
    cafe_context_free(context);
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Ascending, and the same entries as before: same sums. */
static void check_sort(int64_t count, int64_t distinct, float *weights, uint64_t *seed) {
    static uint32_t keys[3000];
    uint64_t sum = 0;
    double before = 0, after = 0;
    for (int64_t i = 0; i < count; i++) {
        keys[i] = UINT32_MAX - 2 - (uint32_t)test_below(seed, distinct) * 3u;
        sum += keys[i];
        if (weights) before += weights[i] = (float)test_below(seed, 5);
    }
    cafe_sort_row(keys, weights, count);
    for (int64_t i = 0; i < count; i++) {
        sum -= keys[i];
        if (weights) after += weights[i];
        if (i > 0) assert_true(keys[i - 1] <= keys[i]);
        if (i > 0 && weights && keys[i - 1] == keys[i]) assert_true(weights[i - 1] <= weights[i]);
    }
    assert_true(sum == 0 && before == after);
}

/* Paths of all lengths that add up to the nodes: the largest has most of them, half, or few. */
static void components_are_measured(void **state) {
    (void)state;
    enum { N = 9000 };
    static const int32_t lengths[][2] = {{N, 0},     {N - 1, 1}, {N / 2, N / 2}, {N / 2 - 1, 5},
                                         {40, 1000}, {7, 7},     {1, 1},         {3000, 4499}};
    for (size_t c = 0; c < sizeof lengths / sizeof *lengths; c++) {
        int32_t source[N], target[N], links = 0, count = 0, largest = 0, begin = 0;
        for (; begin < N; count++) { /* paths of the one length and the other by turns */
            int32_t wanted = lengths[c][count % 2] > 0 ? lengths[c][count % 2] : N;
            int32_t length = wanted < N - begin ? wanted : N - begin;
            for (int32_t i = 1; i < length; i++, links++)
                source[links] = begin + i - 1, target[links] = begin + i;
            if (length > largest) largest = length;
            begin += length;
        }
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            cafe_context *context = test_context(threads, 1);
            cafe_links l = {.nodes = N, .count = links, .source = source, .target = target};
            cafe_graph_options o = options_of(CAFE_LOOPS_DROP, CAFE_DUPLICATES_SUM);
            cafe_graph *g = NULL;
            TEST_OK(context, cafe_graph_of_links(context, &l, &o, &g));
            assert_int_equal(g->counts.components, count);
            assert_int_equal(g->counts.largest, largest);
            cafe_graph_free(g);
            cafe_context_free(context);
        }
    }
}

static void rows_sort_by_key_then_weight(void **state) {
    static float weights[3000];
    uint64_t seed = 5;
    (void)state;
    for (int64_t count = 0; count < 3000; count = count < 70 ? count + 1 : count * 3 / 2)
        for (int64_t distinct = 1; distinct <= 1 << 30; distinct <<= 6) {
            check_sort(count, distinct, weights, &seed);
            check_sort(count, distinct, NULL, &seed);
        }
}

/* ---- compressed rows --------------------------------------------------------------------------
 */

typedef struct matrix {
    int64_t offsets[6];
    int32_t targets[16];
    float weights[16];
} matrix;

static cafe_graph *from_matrix(cafe_context *context, const matrix *m, int32_t weighted,
                               int32_t borrow, const cafe_graph_options *o) {
    cafe_graph *g = NULL;
    cafe_status status = cafe_graph_from_csr(context, 5, m->offsets, m->targets,
                                             weighted ? m->weights : NULL, borrow, o, &g);
    if (status != CAFE_OK) fail_msg("%s", cafe_error(context));
    assert_sorted_and_symmetric(g);
    assert_identity(g, o && o->self_loops == CAFE_LOOPS_KEEP);
    return g;
}

/* 0-1 weight 2, 1-2 weight 3, loop at 3 weight 5 (last entry, so it can be left out). */
static const matrix symmetric = {{0, 1, 3, 4, 5, 5}, {1, 0, 2, 1, 3}, {2, 2, 3, 3, 5}};
static const matrix without_loop = {{0, 1, 3, 4, 4, 4}, {1, 0, 2, 1}, {2, 2, 3, 3}};
/* The same with row 1 out of order and entry (0,1) in two parts. */
static const matrix untidy = {{0, 2, 4, 5, 6, 6}, {1, 1, 2, 0, 1, 3}, {1.5f, 0.5f, 3, 2, 3, 5}};
/* The same with row 1 out of order only. */
static const matrix unsorted = {{0, 1, 3, 4, 5, 5}, {1, 2, 0, 1, 3}, {2, 3, 2, 3, 5}};
static const matrix directed = {{0, 1, 2, 2, 3, 3}, {1, 2, 3}, {2, 3, 5}};
/* Below the diagonal only: (1,0) and (2,1). */
static const matrix lower = {{0, 0, 1, 2, 2, 2}, {0, 1}, {2, 3}};

static void clean_rows_are_borrowed_or_copied(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int32_t weighted = 0; weighted < 2; weighted++) {
        cafe_graph *lent = from_matrix(context, &without_loop, weighted, 1, NULL);
        assert_ptr_equal(lent->targets, without_loop.targets);
        assert_ptr_equal(lent->offsets, without_loop.offsets);
        assert_ptr_equal(lent->weights, weighted ? without_loop.weights : NULL);
        cafe_graph *copied = from_matrix(context, &without_loop, weighted, 0, NULL);
        assert_ptr_not_equal(copied->targets, without_loop.targets);
        assert_same_graph(lent, copied);
        assert_same_counts(lent, copied);
        assert_int_equal(lent->counts.reversed, 2);
        cafe_graph_free(lent);
        cafe_graph_free(copied);
    }
    cafe_context_free(context);
}

static void a_symmetric_matrix_stays_itself(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph_options keep = options_of(CAFE_LOOPS_KEEP, CAFE_DUPLICATES_AUTO);
    const matrix *all[] = {&symmetric, &unsorted, &untidy};
    (void)state;
    for (int i = 0; i < 3; i++)
        for (int32_t rule = 0; rule < 3; rule++)
            for (int32_t loops = 0; loops < 2; loops++) {
                if (i == 2 && rule == CAFE_DUPLICATES_ONE) continue; /* then (0,1) is not (1,0) */
                keep.self_loops = loops;
                keep.duplicates = rule;
                cafe_graph *g = from_matrix(context, all[i], 1, 1, &keep);
                assert_true(weight_between(g, 0, 1) == 2);
                assert_true(weight_between(g, 1, 2) == 3);
                assert_true(weight_between(g, 3, 3) == (loops ? 5 : 0));
                assert_int_equal(g->counts.self_loops, 1);
                cafe_graph_free(g);
            }
    cafe_context_free(context);
}

static void any_other_matrix_is_added_to_its_transpose(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph_options keep = options_of(CAFE_LOOPS_KEEP, CAFE_DUPLICATES_AUTO);
    (void)state;
    cafe_graph *g = from_matrix(context, &directed, 1, 1, &keep);
    assert_true(weight_between(g, 0, 1) == 2);
    assert_true(weight_between(g, 2, 1) == 3);
    assert_true(weight_between(g, 3, 3) == 10);
    assert_int_equal(g->counts.reversed, 0);
    cafe_graph_free(g);
    g = from_matrix(context, &lower, 1, 1, &keep);
    assert_true(weight_between(g, 0, 1) == 2 && weight_between(g, 1, 0) == 2);
    assert_int_equal(g->counts.edges, 2);
    cafe_graph_free(g);
    matrix uneven = without_loop; /* (0,1) = 2, (1,0) = 4 */
    uneven.weights[1] = 4;
    g = from_matrix(context, &uneven, 1, 1, &keep);
    assert_true(weight_between(g, 0, 1) == 6);
    assert_true(weight_between(g, 1, 2) == 6);
    cafe_graph_free(g);
    keep.duplicates = CAFE_DUPLICATES_ONE;
    g = from_matrix(context, &uneven, 1, 1, &keep);
    assert_true(weight_between(g, 0, 1) == 4);
    assert_true(weight_between(g, 1, 2) == 3);
    cafe_graph_free(g);
    cafe_context_free(context);
}

/* A graph's own rows are a matrix that stays itself, whatever path it takes. */
static void rows_of_a_graph_give_it_back(void **state) {
    cafe_context *context = test_context(3, 1);
    (void)state;
    for (int32_t weighted = 0; weighted < 2; weighted++)
        for (int32_t loops = 0; loops < 2; loops++)
            for (int32_t borrow = 0; borrow < 2; borrow++) {
                cafe_graph *g = test_random(context, 3000, 20000, weighted, loops, 9), *h = NULL;
                cafe_graph_options o = options_of(loops, CAFE_DUPLICATES_AUTO);
                assert_int_equal(cafe_graph_from_csr(context, g->n, g->offsets, g->targets,
                                                     g->weights, borrow, &o, &h),
                                 CAFE_OK);
                assert_same_graph(g, h);
                assert_identity(h, loops);
                assert_true(g->counts.total_weight == h->counts.total_weight);
                cafe_graph_free(h);
                cafe_graph_free(g);
            }
    cafe_context_free(context);
}

static void refuse_matrix(cafe_context *context, const matrix *m, const char *said) {
    cafe_graph *g = NULL;
    assert_int_equal(
        cafe_graph_from_csr(context, 5, m->offsets, m->targets, m->weights, 1, NULL, &g),
        CAFE_ERROR_ARGUMENT);
    assert_null(g);
    if (!strstr(cafe_error(context), said)) fail_msg("'%s' lacks '%s'", cafe_error(context), said);
}

static void bad_rows_are_named(void **state) {
    cafe_context *context = test_context(2, 1);
    matrix m;
    (void)state;
    m = symmetric, m.offsets[0] = 1;
    refuse_matrix(context, &m, "offsets[0] is 1");
    m = symmetric, m.offsets[2] = 0;
    refuse_matrix(context, &m, "row 1: its offsets descend");
    m = symmetric, m.targets[3] = 5;
    refuse_matrix(context, &m, "entry 3: node 5");
    m = symmetric, m.targets[3] = -7;
    refuse_matrix(context, &m, "entry 3: node -7");
    m = symmetric, m.weights[2] = NAN;
    refuse_matrix(context, &m, "entry 2: the weight nan");
    cafe_context_free(context);
}

/* ---- the profile ------------------------------------------------------------------------------
 */

static void a_profile_tells_what_the_counts_do_not(void **state) {
    int32_t source[] = {0, 0, 0, 1}, target[] = {1, 2, 3, 4};
    float weights[] = {2, 0.5f, 1, 3};
    cafe_graph_profile p;
    cafe_graph *graph = NULL;
    (void)state;
    cafe_context *context = test_context(1, 1);
    assert_int_equal(cafe_graph_from_edges(context, 6, 4, source, target, weights, NULL, &graph),
                     CAFE_OK);
    assert_int_equal(cafe_graph_describe(context, graph, &p), CAFE_OK);
    assert_true(p.mean_degree == 8.0 / 6 && p.median_degree == 1 && p.high_degree == 3);
    assert_true(p.least_weight == 0.5 && p.most_weight == 3 && p.bipartite);
    assert_true(p.first_side == 2 && p.second_side == 3); /* 0 and 4; node 5 is on neither */
    assert_string_equal(p.names, "indices");
    assert_int_equal(p.row_bytes, 7 * 8 + 8 * (4 + 4));
    cafe_graph_free(graph);
    graph = test_karate(context); /* has triangles, and no weights */
    assert_int_equal(cafe_graph_describe(context, graph, &p), CAFE_OK);
    assert_true(!p.bipartite && p.first_side == 0 && p.least_weight == 1 && p.most_weight == 1);
    cafe_graph_free(graph);
    assert_int_equal(cafe_graph_from_edges(context, 0, 0, NULL, NULL, NULL, NULL, &graph), CAFE_OK);
    assert_int_equal(cafe_graph_describe(context, graph, &p), CAFE_OK);
    assert_true(p.mean_degree == 0 && p.most_weight == 0 && !p.bipartite);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- memory and cancellation ------------------------------------------------------------------
 */

static void every_failed_allocation_is_survived(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_links l = test_random_links(600, 3000, 1, 3);
    cafe_graph_options o = options_of(CAFE_LOOPS_KEEP, CAFE_DUPLICATES_SUM);
    int32_t component[600];
    cafe_graph_profile profile;
    int failed = 1;
    (void)state;
    for (int path = 0; path < 6; path++, failed = 1)
        for (long k = 0; failed; k++) {
            cafe_graph *whole = test_graph(context, 600, &l, 1, &o), *g = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = CAFE_OK;
            int64_t count;
            if (path == 0)
                status = cafe_graph_from_edges(context, 600, l.count, l.source, l.target, l.weights,
                                               &o, &g);
            else if (path < 4) /* copied; through the builder, for its loops; borrowed */
                status = cafe_graph_from_csr(context, 600, whole->offsets, whole->targets,
                                             whole->weights, path == 3, path == 2 ? NULL : &o, &g);
            else if (path == 4)
                status = cafe_graph_components(context, whole, component, &count);
            else
                status = cafe_graph_describe(context, whole, &profile);
            failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(g);
            cafe_graph_free(whole);
        }
    test_links_free(&l);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

static void a_cancelled_build_leaves_nothing(void **state) {
    cafe_context *context = test_context(2, 1);
    test_links l = test_random_links(600, 3000, 1, 3);
    cafe_graph *g = test_graph(context, 600, &l, 0, NULL), *h = NULL;
    int64_t bytes = cafe_bytes(context);
    (void)state;
    cafe_cancel(context);
    assert_int_equal(
        cafe_graph_from_edges(context, 600, l.count, l.source, l.target, NULL, NULL, &h),
        CAFE_ERROR_CANCELLED);
    assert_null(h);
    assert_int_equal(cafe_graph_from_csr(context, 600, g->offsets, g->targets, NULL, 0, NULL, &h),
                     CAFE_ERROR_CANCELLED);
    assert_null(h);
    assert_int_equal(cafe_bytes(context), bytes);
    cafe_reset_cancel(context);
    h = test_graph(context, 600, &l, 0, NULL);
    assert_same_graph(g, h);
    cafe_graph_free(h);
    cafe_graph_free(g);
    test_links_free(&l);
    cafe_context_free(context);
}

/* Once: the rows, and while they are made 2 bytes more for each of their entries. And with every
 * link in both directions: then half of the entries go, and their room too. */
static void memory_is_little_more_than_the_rows(void **state) {
    cafe_context *context = test_context(2, 1);
    test_links l = test_random_links(20000, 200000, 0, 3);
    (void)state;
    for (int twice = 0; twice < 2; twice++) {
        for (int64_t i = 0; twice && i < l.count / 2; i++) {
            l.source[l.count / 2 + i] = l.target[i];
            l.target[l.count / 2 + i] = l.source[i];
        }
        int64_t before = cafe_bytes(context);
        cafe_reset_peak_bytes(context);
        cafe_graph *g = test_graph(context, 20000, &l, 1, NULL);
        int64_t rows = g->arcs * 8 + g->n * 8, held = cafe_bytes(context) - before;
        assert_true(held >= rows && held < rows + rows / 8);
        assert_true(cafe_peak_bytes(context) - before < rows * (twice ? 3 : 1) + rows / 3);
        cafe_graph_free(g);
    }
    test_links_free(&l);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_the_definition_says),
        cmocka_unit_test(every_kind_of_line_is_counted),
        cmocka_unit_test(order_and_threads_do_not_matter),
        cmocka_unit_test(large_graphs_with_gaps_and_hubs),
        cmocka_unit_test(gaps_are_closed),
        cmocka_unit_test(unit_weights_are_not_kept),
        cmocka_unit_test(bad_links_are_named),
        cmocka_unit_test(small_and_empty_graphs),
        cmocka_unit_test(components_are_measured),
        cmocka_unit_test(rows_sort_by_key_then_weight),
        cmocka_unit_test(clean_rows_are_borrowed_or_copied),
        cmocka_unit_test(a_symmetric_matrix_stays_itself),
        cmocka_unit_test(any_other_matrix_is_added_to_its_transpose),
        cmocka_unit_test(rows_of_a_graph_give_it_back),
        cmocka_unit_test(bad_rows_are_named),
        cmocka_unit_test(a_profile_tells_what_the_counts_do_not),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_cancelled_build_leaves_nothing),
        cmocka_unit_test(memory_is_little_more_than_the_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
