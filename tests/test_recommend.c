/* Recommendation against brute force: scores from dense matrices, orders by sorting everything. */
#include <stdbool.h>

#include "dense.h"
#include "failing.h"
#include "graph/builder.h"

enum { MOST = 120 };

/* ---- brute force ----------------------------------------------------------------------------- */

/* The adjacency matrix with weights. */
static double *dense_a(const cafe_graph *graph) {
    int64_t n = cafe_graph_nodes(graph);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double *a = calloc((size_t)(n * n), sizeof *a);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            a[u * n + targets[j]] = weights ? weights[j] : 1;
    return a;
}

static double *multiply(int64_t n, const double *a, const double *b) {
    double *c = calloc((size_t)(n * n), sizeof *c);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    return c;
}

/* Scores of all pairs, n x n. */
static double *dense_scores(const cafe_recommend_inputs *input, int32_t score, bool across) {
    int64_t n = cafe_graph_nodes(input->graph);
    double p[MOST], *q = test_dense_q(input->graph, p), *a = dense_a(input->graph);
    double *two = multiply(n, a, a), *three = multiply(n, two, a);
    if (score == CAFE_SCORE_COMMON) memcpy(q, across ? three : two, (size_t)(n * n) * sizeof *q);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            if (score == CAFE_SCORE_POPULARITY) q[u * n + w] = p[w];
            if (score != CAFE_SCORE_PRODUCT) continue;
            q[u * n + w] = 0;
            for (int64_t k = 0; k < input->columns; k++)
                q[u * n + w] += (double)input->vectors[u * input->columns + k] *
                                (double)input->vectors[w * input->columns + k];
        }
    free(a);
    free(two);
    free(three);
    return q;
}

/* Whom u may be recommended: everybody linked to somebody but u, on the other side if there is one,
 * and not linked unless all count. In order; returns how many. */
static int64_t dense_order(const cafe_graph *graph, const double *scores, const int8_t *side,
                           bool all, int64_t u, int32_t *order) {
    int64_t n = cafe_graph_nodes(graph), count = 0;
    double *a = dense_a(graph);
    for (int32_t w = 0; w < n; w++) {
        bool linked = a[u * n + w] != 0, isolated = true;
        for (int64_t v = 0; v < n; v++) isolated &= a[w * n + v] == 0;
        if (w == u || isolated || (side && side[w] == side[u]) || (linked && !all)) continue;
        int64_t i = count++;
        for (; i > 0 && scores[u * n + order[i - 1]] < scores[u * n + w]; i--)
            order[i] = order[i - 1];
        order[i] = w;
    }
    free(a);
    return count;
}

/* Small whole numbers: products are exact, and ties abound. */
static float *whole_vectors(int64_t n, int64_t columns, uint64_t seed) {
    float *x = malloc((size_t)(n * columns) * sizeof *x);
    for (int64_t i = 0; i < n * columns; i++) x[i] = (float)(test_below(&seed, 5) - 2);
    return x;
}

/* A random bipartite graph, some nodes without edges. */
static cafe_graph *users_and_items(cafe_context *context, int32_t users, int32_t items, int64_t m,
                                   int32_t weighted, uint64_t seed) {
    test_links l = test_links_new(m);
    for (int64_t i = 0; i < m; i++) {
        l.source[i] = (int32_t)test_below(&seed, users);
        l.target[i] = users + (int32_t)test_below(&seed, items);
        l.weights[i] = (float)(1 + test_below(&seed, 4));
    }
    cafe_graph *graph = test_graph(context, users + items + 2, &l, weighted, NULL);
    test_links_free(&l);
    return graph;
}

/* ---- the sides ------------------------------------------------------------------------------- */

static void sides_are_found_where_there_are_two(void **state) {
    int8_t side[MOST];
    int32_t bipartite;
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_bipartite(context, 4, 7);
    TEST_OK(context, cafe_graph_sides(context, graph, side, &bipartite));
    assert_true(bipartite);
    for (int u = 0; u < 11; u++) assert_int_equal(side[u], u >= 4);
    cafe_graph_free(graph);
    graph = test_grid(context, 5, 6);
    TEST_OK(context, cafe_graph_sides(context, graph, side, &bipartite));
    assert_true(bipartite);
    for (int u = 0; u < 30; u++) assert_int_equal(side[u], (u / 6 + u % 6) % 2);
    cafe_graph_free(graph);
    graph = users_and_items(context, 20, 30, 40, 0, 3);
    TEST_OK(context, cafe_graph_sides(context, graph, side, &bipartite));
    assert_true(bipartite && side[50] == -1 && side[51] == -1);
    cafe_graph_free(graph);
    graph = test_karate(context); /* has triangles */
    TEST_OK(context, cafe_graph_sides(context, graph, side, &bipartite));
    assert_true(!bipartite && side[0] == -1 && side[33] == -1);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- the search ------------------------------------------------------------------------------ */

static cafe_graph *make(cafe_context *context, int kind) {
    if (kind == 0) return test_karate(context);
    if (kind == 1) return users_and_items(context, 40, 30, 200, 0, 5);
    if (kind == 2) return users_and_items(context, 30, 50, 200, 1, 6);
    return test_random(context, 90, 200, 1, 1, 7);
}

static void check_lists(cafe_context *context, const cafe_recommend_inputs *input,
                        const cafe_recommend_options *o) {
    int64_t n = cafe_graph_nodes(input->graph), k = o->top;
    int32_t query[MOST], order[MOST], bipartite, *node = malloc((size_t)(n * k) * sizeof *node);
    double *score = malloc((size_t)(n * k) * sizeof *score);
    int8_t side[MOST];
    for (int64_t u = 0; u < n; u++) query[u] = (int32_t)(n - 1 - u);
    TEST_OK(context, cafe_graph_sides(context, input->graph, side, &bipartite));
    bool across = bipartite && o->sides;
    double *want = dense_scores(input, o->score, across);
    TEST_OK(context, cafe_recommend(context, input, o, n, query, node, score));
    for (int64_t i = 0; i < n; i++) {
        int64_t u = query[i];
        int64_t count = dense_order(input->graph, want, across ? side : NULL, o->linked, u, order);
        for (int64_t j = 0; j < k; j++) {
            int32_t got = node[i * k + j];
            assert_true((got < 0) == (j >= count));
            if (got < 0) continue;
            /* covariances are rounded another way: equal ones may change places */
            if (o->score != CAFE_SCORE_COVARIANCE) assert_int_equal(got, order[j]);
            assert_true(fabs(want[u * n + got] - want[u * n + order[j]]) < 1e-12);
            assert_true(fabs(score[i * k + j] - want[u * n + got]) < 1e-12);
        }
    }
    free(want);
    free(node);
    free(score);
}

static void lists_are_those_of_brute_force(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = make(context, kind);
        int64_t columns = 3 + 5 * kind;
        float *x = whole_vectors(cafe_graph_nodes(graph), columns, 9);
        cafe_recommend_inputs input = {sizeof input, graph, x, columns};
        cafe_recommend_options o;
        cafe_recommend_options_init(&o);
        for (int i = 0; i < 16; i++) {
            o.score = i & 3;
            o.linked = i >> 2 & 1;
            o.sides = i >> 3;
            o.top = i & 4 ? 7 : 200;
            check_lists(context, &input, &o);
        }
        free(x);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void links_and_oneself_are_left_out(void **state) {
    int32_t query[TEST_KARATE_NODES], node[TEST_KARATE_NODES * 40];
    double score[TEST_KARATE_NODES * 40];
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    double *a = dense_a(graph);
    float *x = test_block(TEST_KARATE_NODES, 4, 3);
    cafe_recommend_inputs input = {sizeof input, graph, x, 4};
    cafe_recommend_options o;
    cafe_recommend_options_init(&o);
    o.top = 40;
    for (int u = 0; u < TEST_KARATE_NODES; u++) query[u] = u;
    TEST_OK(context, cafe_recommend(context, &input, &o, TEST_KARATE_NODES, query, node, score));
    for (int u = 0; u < TEST_KARATE_NODES; u++)
        for (int j = 0; j < 40; j++) {
            int32_t w = node[u * 40 + j];
            if (w >= 0) assert_true(w != u && a[u * TEST_KARATE_NODES + w] == 0);
        }
    query[0] = 34;
    assert_int_equal(cafe_recommend(context, &input, &o, 1, query, node, score),
                     CAFE_ERROR_ARGUMENT);
    o.top = 0;
    assert_int_equal(cafe_recommend(context, &input, &o, 1, query, node, score),
                     CAFE_ERROR_ARGUMENT);
    input.vectors = NULL;
    query[0] = 0;
    assert_int_equal(cafe_recommend(context, &input, NULL, 1, query, node, score),
                     CAFE_ERROR_ARGUMENT);
    free(a);
    free(x);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- hidden edges ---------------------------------------------------------------------------- */

static void check_split(cafe_context *context, const cafe_graph *graph, const cafe_split *s) {
    int64_t n = cafe_graph_nodes(graph), before, after;
    int32_t old[MOST], new[MOST];
    double *whole = dense_a(graph), *rest = dense_a(s->training);
    for (int64_t i = 0; i < s->hidden; i++) {
        int64_t u = s->source[i], w = s->target[i];
        assert_true(u < w && whole[u * n + w] > 0 && rest[u * n + w] == 0);
        rest[u * n + w] = rest[w * n + u] = whole[u * n + w]; /* each is hidden once */
    }
    assert_memory_equal(whole, rest, (size_t)(n * n) * sizeof *whole);
    TEST_OK(context, cafe_graph_components(context, graph, old, &before));
    TEST_OK(context, cafe_graph_components(context, s->training, new, &after));
    assert_int_equal(before, after);
    assert_memory_equal(old, new, (size_t)n * sizeof *old);
    free(whole);
    free(rest);
}

static void hidden_and_kept_links_are_the_graph(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int tenths = 0; tenths <= 10; tenths += 5) {
            cafe_context *context = test_context(1, 3);
            cafe_graph *graph = make(context, kind);
            cafe_split split;
            TEST_OK(context, cafe_split_make(context, graph, tenths / 10.0, &split));
            assert_true(split.hidden <=
                        llround(tenths / 10.0 * (double)cafe_graph_get_counts(graph)->edges));
            assert_true((split.hidden == 0) == (tenths == 0));
            check_split(context, graph, &split);
            cafe_split_free(context, &split);
            assert_int_equal(cafe_split_make(context, graph, 1.5, &split), CAFE_ERROR_ARGUMENT);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
}

/* The same links with other weights on those that get hidden: the training graph, and so all that
 * is made of it, must not change by a bit. */
static void hidden_links_leave_no_trace(void **state) {
    enum { N = 90, M = 300 };
    (void)state;
    cafe_context *context = test_context(2, 5);
    test_links l = test_random_links(N, M, 0, 13);
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.duplicates = CAFE_DUPLICATES_ONE;
    cafe_graph *graph = test_graph(context, N, &l, 1, &o);
    cafe_split first, second;
    TEST_OK(context, cafe_split_make(context, graph, 0.3, &first));
    assert_true(first.hidden > 20);
    double *hidden = calloc((size_t)N * N, sizeof *hidden);
    for (int64_t i = 0; i < first.hidden; i++) {
        hidden[first.source[i] * N + first.target[i]] = 1;
        hidden[first.target[i] * N + first.source[i]] = 1;
    }
    for (int64_t i = 0; i < M; i++)
        if (hidden[l.source[i] * N + l.target[i]] > 0) l.weights[i] *= 1000;
    cafe_graph *changed = test_graph(context, N, &l, 1, &o);
    TEST_OK(context, cafe_split_make(context, changed, 0.3, &second));
    assert_int_equal(first.hidden, second.hidden);
    double *a = dense_a(first.training), *b = dense_a(second.training), *c = dense_a(changed);
    assert_memory_equal(a, b, (size_t)N * N * sizeof *a);
    assert_true(memcmp(a, c, (size_t)N * N * sizeof *a) != 0);
    float *x, *y;
    int64_t columns, others;
    TEST_OK(context, cafe_decoder_vectors(context, first.training, NULL, NULL, &columns, &x));
    TEST_OK(context, cafe_decoder_vectors(context, second.training, NULL, NULL, &others, &y));
    assert_int_equal(columns, others);
    assert_memory_equal(x, y, (size_t)(N * columns) * sizeof *x);
    cafe_block_free(context, x);
    cafe_block_free(context, y);
    free(a);
    free(b);
    free(c);
    free(hidden);
    cafe_split_free(context, &first);
    cafe_split_free(context, &second);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_graph_free(changed);
    cafe_context_free(context);
}

/* ---- quality --------------------------------------------------------------------------------- */

/* The figures of one node from the order of all candidates. */
static cafe_quality judge(int64_t n, const double *scores, const int32_t *order, int64_t count,
                          const double *hidden, int64_t u, int64_t k) {
    cafe_quality q = {.nodes = 0};
    int64_t found = 0, all = 0, others = 0;
    double right = 0;
    for (int64_t i = 0; i < count; i++) {
        bool wanted = hidden[u * n + order[i]] > 0;
        if (wanted && all++ == 0) q.mrr = 1 / (double)(i + 1);
        found += wanted && i < k;
        others += !wanted;
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) {
            if (!(hidden[u * n + order[i]] > 0) || hidden[u * n + order[j]] > 0) continue;
            double a = scores[u * n + order[i]], b = scores[u * n + order[j]];
            right += a > b ? 1 : a == b ? 0.5 : 0;
        }
    if (all == 0) return q;
    q.nodes = 1;
    q.recall = (double)found / (double)all;
    q.hit = found > 0;
    q.auc = others > 0 ? right / (double)all / (double)others : 1;
    return q;
}

static void check_quality(cafe_context *context, const cafe_recommend_inputs *input,
                          const cafe_recommend_options *o, const cafe_split *split) {
    int64_t n = cafe_graph_nodes(input->graph);
    int32_t query[MOST], order[MOST], bipartite;
    int8_t side[MOST];
    cafe_quality want = {0}, got;
    double *hidden = calloc((size_t)(n * n), sizeof *hidden);
    for (int64_t i = 0; i < split->hidden; i++) {
        hidden[split->source[i] * n + split->target[i]] = 1;
        hidden[split->target[i] * n + split->source[i]] = 1;
    }
    TEST_OK(context, cafe_graph_sides(context, input->graph, side, &bipartite));
    bool across = bipartite && o->sides;
    double *scores = dense_scores(input, o->score, across);
    for (int32_t u = 0; u < n; u++) {
        query[u] = u;
        int64_t count = dense_order(input->graph, scores, across ? side : NULL, false, u, order);
        cafe_quality one = judge(n, scores, order, count, hidden, u, o->top);
        want.nodes += one.nodes, want.recall += one.recall, want.hit += one.hit;
        want.mrr += one.mrr, want.auc += one.auc;
    }
    TEST_OK(context, cafe_recommend_quality(context, input, o, split, n, query, &got));
    assert_int_equal(got.nodes, want.nodes);
    assert_true(want.nodes > 10);
    double nodes = (double)want.nodes;
    assert_true(fabs(got.recall - want.recall / nodes) < 1e-9);
    assert_true(fabs(got.hit - want.hit / nodes) < 1e-9);
    assert_true(fabs(got.mrr - want.mrr / nodes) < 1e-9);
    assert_true(fabs(got.auc - want.auc / nodes) < 1e-9);
    free(hidden);
    free(scores);
}

static void figures_are_those_of_brute_force(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = make(context, kind);
        cafe_split split;
        TEST_OK(context, cafe_split_make(context, graph, 0.3, &split));
        float *x = whole_vectors(cafe_graph_nodes(graph), 6, 2);
        cafe_recommend_inputs input = {sizeof input, split.training, x, 6};
        cafe_recommend_options o;
        cafe_recommend_options_init(&o);
        static const int32_t scores[] = {CAFE_SCORE_PRODUCT, CAFE_SCORE_COMMON,
                                         CAFE_SCORE_POPULARITY};
        for (int i = 0; i < 3; i++) {
            o.score = scores[i];
            o.top = 3 + 4 * i;
            check_quality(context, &input, &o, &split);
        }
        free(x);
        cafe_split_free(context, &split);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* Two kinds of users and of items that go together nine times of ten: vectors must find it. */
static void planted_tastes_are_found(void **state) {
    enum { USERS = 200, ITEMS = 100, M = 5000 };
    uint64_t seed = 17;
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_links l = test_links_new(M);
    for (int64_t i = 0; i < M; i++) {
        int64_t u = test_below(&seed, USERS), w = test_below(&seed, ITEMS / 4);
        int64_t taste = test_below(&seed, 10) == 0 ? test_below(&seed, 4) : u % 4;
        l.source[i] = (int32_t)u;
        l.target[i] = (int32_t)(USERS + 4 * w + taste);
    }
    cafe_graph *graph = test_graph(context, USERS + ITEMS, &l, 0, NULL);
    cafe_split split;
    cafe_sphere_options sphere;
    cafe_recommend_options o;
    cafe_quality product, popularity;
    int32_t query[USERS];
    int64_t columns;
    float *x;
    cafe_recommend_options_init(&o);
    cafe_sphere_options_init(&sphere);
    sphere.columns = 8;
    for (int32_t u = 0; u < USERS; u++) query[u] = u;
    TEST_OK(context, cafe_split_make(context, graph, 0.2, &split));
    TEST_OK(context, cafe_decoder_vectors(context, split.training, &sphere, NULL, &columns, &x));
    cafe_recommend_inputs input = {sizeof input, split.training, x, columns};
    TEST_OK(context, cafe_recommend_quality(context, &input, &o, &split, USERS, query, &product));
    o.score = CAFE_SCORE_POPULARITY;
    TEST_OK(context,
            cafe_recommend_quality(context, &input, &o, &split, USERS, query, &popularity));
    assert_true(product.recall > 2 * popularity.recall && product.auc > 0.85);
    cafe_block_free(context, x);
    cafe_split_free(context, &split);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- vectors --------------------------------------------------------------------------------- */

/* As many columns as nodes and small residuals: inner products are p p^T plus the positive part of
 * Q, whose trace is the sum of the positive eigenvalues. */
static void products_are_the_part_found(void **state) {
    double p[MOST], values[MOST], trace = 0, want = 0;
    int64_t n = TEST_KARATE_NODES, columns;
    float *x;
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_sphere_options sphere;
    cafe_decoder_options o;
    cafe_decoder_options_init(&o);
    cafe_sphere_options_init(&sphere);
    sphere.columns = 16;
    o.residual = 1e-3;
    double *q = test_dense_q(graph, p);
    test_dense_eigenvalues(n, q, values);
    TEST_OK(context, cafe_decoder_vectors(context, graph, &sphere, &o, &columns, &x));
    for (int64_t u = 0; u < n; u++)
        for (int64_t k = 0; k < columns; k++) {
            float entry = x[u * columns + k];
            if (k == 0) assert_true(fabs((double)entry - p[u]) < 1e-6);
            if (k > 0) trace += (double)entry * (double)entry;
        }
    for (int64_t k = 0; k + 1 < columns; k++) want += values[k];
    assert_true(columns > 5 && fabs(trace - want) < 1e-4);
    cafe_block_free(context, x);
    for (o.decode = 0; o.decode < 4; o.decode++) {
        static const int64_t most[] = {17, 16, 16, 16};
        TEST_OK(context, cafe_decoder_vectors(context, graph, &sphere, &o, &columns, &x));
        assert_true(columns >= 1 && columns <= most[o.decode]);
        cafe_block_free(context, x);
    }
    assert_int_equal(cafe_decoder_vectors(context, graph, &sphere, &o, &columns, &x),
                     CAFE_ERROR_ARGUMENT);
    free(q);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- threads, memory ------------------------------------------------------------------------- */

static void lists_have_the_same_bits(void **state) {
    enum { N = 3000, K = 12 };
    static int32_t query[N], node[N * K], keep_node[N * K];
    static double score[N * K], keep_score[N * K];
    cafe_quality quality, keep;
    float *x = test_block(N, 20, 6);
    (void)state;
    for (int32_t u = 0; u < N; u++) query[u] = u;
    for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
        cafe_context *context = test_context(threads, 7);
        cafe_graph *graph = test_random(context, N, 9000, 1, 0, 21);
        cafe_split split;
        TEST_OK(context, cafe_split_make(context, graph, 0.2, &split));
        cafe_recommend_inputs input = {sizeof input, split.training, x, 20};
        cafe_recommend_options o;
        cafe_recommend_options_init(&o);
        o.top = K;
        TEST_OK(context, cafe_recommend(context, &input, &o, N, query, node, score));
        TEST_OK(context, cafe_recommend_quality(context, &input, &o, &split, N, query, &quality));
        if (threads == 1) {
            memcpy(keep_node, node, sizeof node);
            memcpy(keep_score, score, sizeof score);
            keep = quality;
        }
        assert_memory_equal(keep_node, node, sizeof node);
        assert_memory_equal(keep_score, score, sizeof score);
        assert_memory_equal(&keep, &quality, sizeof keep);
        cafe_split_free(context, &split);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(x);
}

static cafe_status call(cafe_context *context, const cafe_graph *graph, const cafe_split *known,
                        const float *x, int which) {
    int32_t query[3] = {0, 5, 40}, node[30], bipartite;
    double score[30], recall[CAFE_SCORE_AUTO];
    int8_t side[MOST];
    int64_t columns;
    int32_t chosen;
    float *vectors;
    cafe_split split;
    cafe_quality quality;
    cafe_recommend_inputs input = {sizeof input, graph, x, 5};
    cafe_recommend_options o;
    cafe_recommend_options_init(&o);
    if (which == 0) return cafe_graph_sides(context, graph, side, &bipartite);
    if (which == 1) {
        cafe_status status = cafe_split_make(context, graph, 0.2, &split);
        if (status == CAFE_OK) cafe_split_free(context, &split);
        return status;
    }
    if (which == 2) {
        cafe_status status = cafe_decoder_vectors(context, graph, NULL, NULL, &columns, &vectors);
        cafe_block_free(context, vectors);
        return status;
    }
    if (which == 7)
        return cafe_recommend_choose(context, graph, NULL, NULL, 3, query, recall, &chosen);
    o.score = which & 1 ? CAFE_SCORE_COMMON : CAFE_SCORE_PRODUCT;
    if (which < 5) return cafe_recommend(context, &input, &o, 3, query, node, score);
    return cafe_recommend_quality(context, &input, &o, known, 3, query, &quality);
}

static void memory_that_runs_out_is_survived(void **state) {
    test_failing memory;
    cafe_split split;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = make(context, 1);
    float *x = whole_vectors(cafe_graph_nodes(graph), 5, 1);
    TEST_OK(context, cafe_split_make(context, graph, 0.2, &split));
    for (int which = 0; which < 8; which++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = call(context, graph, &split, x, which);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    cafe_split_free(context, &split);
    free(x);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_are_found_where_there_are_two),
        cmocka_unit_test(lists_are_those_of_brute_force),
        cmocka_unit_test(links_and_oneself_are_left_out),
        cmocka_unit_test(hidden_and_kept_links_are_the_graph),
        cmocka_unit_test(hidden_links_leave_no_trace),
        cmocka_unit_test(figures_are_those_of_brute_force),
        cmocka_unit_test(planted_tastes_are_found),
        cmocka_unit_test(products_are_the_part_found),
        cmocka_unit_test(lists_have_the_same_bits),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
