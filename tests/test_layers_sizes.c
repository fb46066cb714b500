/* Communities of wanted sizes and of a wanted number: limits hold, communities are connected, a
 * join is the least loss, small graphs come near the best that brute force finds. */
#include "dense.h"
#include "failing.h"
#include "graphs.h"
#include "operator/operator.h"
#include "solve/layers_sizes.h"

typedef struct setting {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_pooled *g;
    double *q; /* dense */
} setting;

static setting begin(cafe_context *context, cafe_graph *graph) {
    setting s = {.context = context, .graph = graph};
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &s.sampled));
    TEST_OK(context, cafe_operator_modularity(context, s.sampled, &s.op));
    const cafe_operator_parts *p = &s.op->parts;
    cafe_pooled rows = {.n = p->n,
                        .offsets = p->offsets,
                        .targets = p->targets,
                        .single = p->weights,
                        .factor = p->factor,
                        .mass = p->p,
                        .total = p->total};
    TEST_OK(context, cafe_pooled_view(context, rows, p->loops, &s.g));
    double *masses = malloc((size_t)p->n * sizeof *masses);
    s.q = test_dense_q(graph, masses);
    free(masses);
    return s;
}

static void end(setting *s) {
    free(s->q);
    cafe_pooled_free(s->g);
    cafe_operator_free(s->op);
    cafe_sampled_free(s->sampled);
    cafe_graph_free(s->graph);
}

/* A path through all nodes and random edges besides. */
static cafe_graph *connected(cafe_context *context, int64_t n, int64_t more, uint64_t seed) {
    test_links l = test_links_new(n - 1 + more);
    for (int64_t i = 0; i < l.count; i++) {
        l.source[i] = (int32_t)(i < n - 1 ? i : test_below(&seed, n));
        l.target[i] = (int32_t)(i < n - 1 ? i + 1 : test_below(&seed, n));
        l.weights[i] = (float)(1 + test_below(&seed, 8)) / 4;
    }
    cafe_graph *graph = test_graph(context, n, &l, seed % 2, NULL);
    test_links_free(&l);
    return graph;
}

static double modularity_of(const setting *s, const int32_t *part) {
    int64_t n = s->g->n;
    double sum = 0;
    for (int64_t i = 0; i < n * n; i++) sum += part[i / n] == part[i % n] ? s->q[i] : 0;
    return sum;
}

static void visit(const cafe_pooled *g, const int32_t *part, int32_t u, uint8_t *seen) {
    seen[u] = 1;
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
        if (part[g->targets[j]] == part[u] && !seen[g->targets[j]])
            visit(g, part, g->targets[j], seen);
}

/* The number of connected pieces of all communities. */
static int64_t pieces_of(const cafe_pooled *g, const int32_t *part) {
    uint8_t *seen = calloc((size_t)g->n, 1);
    int64_t pieces = 0;
    for (int32_t u = 0; u < g->n; u++)
        if (!seen[u]) visit(g, part, u, seen), pieces++;
    free(seen);
    return pieces;
}

static void sizes_of(const int32_t *part, int64_t n, int64_t count, int64_t *least, int64_t *most) {
    int64_t *size = calloc((size_t)count, sizeof *size);
    *least = n, *most = 0;
    for (int64_t u = 0; u < n; u++) size[part[u]]++;
    for (int64_t c = 0; c < count; c++) {
        if (size[c] < *least) *least = size[c];
        if (size[c] > *most) *most = size[c];
    }
    free(size);
}

static cafe_layer top_of(const cafe_layers *layers) {
    return *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
}

/* Nested layers with their own modularity; the top layer is connected. */
static void expect_layers(const setting *s, const cafe_layers *layers) {
    cafe_layer top = top_of(layers);
    assert_int_equal(pieces_of(s->g, top.partition), top.communities);
    for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
        const cafe_layer *l = cafe_layers_get(layers, i);
        assert_true(fabs(l->modularity - modularity_of(s, l->partition)) < 1e-10);
        if (!l->parent) continue;
        const int32_t *above = cafe_layers_get(layers, i + 1)->partition;
        for (int64_t u = 0; u < s->g->n; u++)
            assert_int_equal(l->parent[l->partition[u]], above[u]);
    }
}

/* ---- joins ----------------------------------------------------------------------------------- */

static bool are_neighbours(const setting *s, const int32_t *part, int32_t a, int32_t b) {
    for (int64_t u = 0; u < s->g->n; u++)
        for (int64_t j = s->g->offsets[u]; j < s->g->offsets[u + 1]; j++)
            if (part[u] == a && part[s->g->targets[j]] == b) return true;
    return false;
}

/* The largest modularity after a join of two neighbours. */
static double best_join(const setting *s, const int32_t *part, int32_t count) {
    int32_t joined[32];
    double best = -2;
    for (int32_t a = 0; a < count; a++)
        for (int32_t b = 0; b < a; b++) {
            if (!are_neighbours(s, part, a, b)) continue;
            for (int64_t u = 0; u < s->g->n; u++) joined[u] = part[u] == a ? b : part[u];
            double now = modularity_of(s, joined);
            if (now > best) best = now;
        }
    return best;
}

static void a_join_loses_least(void **state) {
    cafe_context *context = test_context(1, 3);
    int32_t part[32];
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int64_t n = 10 + (int64_t)seed % 20, count = n;
        setting s = begin(context, connected(context, n, n, seed));
        for (int64_t u = 0; u < n; u++) part[u] = (int32_t)u;
        while (count > 1) {
            double best = best_join(&s, part, (int32_t)count);
            cafe_size_limits limits = {.least = 1, .most = n, .communities = count - 1};
            TEST_OK(context, cafe_layers_join(context, s.g, 1, &limits, part, &count));
            assert_int_equal(count, limits.communities);
            assert_true(fabs(modularity_of(&s, part) - best) < 1e-12);
        }
        end(&s);
    }
    cafe_context_free(context);
}

/* ---- a number of communities ----------------------------------------------------------------- */

/* The best connected partition with `count` communities, by trying all. */
static void try_all(const setting *s, int32_t *part, int64_t at, int32_t used, int32_t count,
                    double *best) {
    int64_t n = s->g->n;
    if (used > count || count - used > n - at) return;
    if (at == n) {
        if (pieces_of(s->g, part) != count) return;
        double now = modularity_of(s, part);
        if (now > *best) *best = now;
        return;
    }
    for (int32_t c = 0; c <= used; c++) {
        part[at] = c;
        try_all(s, part, at + 1, used + (c == used), count, best);
    }
}

/* With fewer communities than a search finds; with more the resolution rises instead. */
static void numbers_hold_and_are_nearly_the_best(void **state) {
    cafe_context *context = test_context(1, 3);
    int64_t cases = 0, optimal = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 36; seed++) {
        int64_t n = 5 + (int64_t)seed % 5, most = n;
        setting s = begin(context, connected(context, n, n / 2, seed));
        for (int64_t count = 0; count <= most; count++) {
            int32_t part[16];
            double best = -2;
            cafe_layers *layers = NULL;
            cafe_layers_options o;
            cafe_layers_options_init(&o);
            o.communities = count;
            TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
            if (count == 0) most = top_of(layers).communities;
            if (count > 0) try_all(&s, part, 0, 0, (int32_t)count, &best);
            if (count > 0) assert_int_equal(top_of(layers).communities, count);
            expect_layers(&s, layers);
            cases += count > 0;
            optimal += count > 0 && top_of(layers).modularity >= best - 1e-12;
            cafe_layers_free(layers);
        }
        end(&s);
    }
    if (100 * optimal < 95 * cases) fail_msg("%d of %d are optimal", (int)optimal, (int)cases);
    cafe_context_free(context);
}

static void numbers_hold(void **state) {
    cafe_context *context = test_context(2, 3);
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        int64_t n = 60 + 10 * (int64_t)seed;
        setting s = begin(context, connected(context, n, 2 * n, seed));
        for (int64_t count = 1; count < n; count += 1 + count) {
            cafe_layers *layers = NULL;
            cafe_layers_options o;
            cafe_layers_options_init(&o);
            o.communities = count;
            o.refine = seed % 4 > 0;
            TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
            assert_int_equal(top_of(layers).communities, count);
            expect_layers(&s, layers);
            cafe_layers_free(layers);
        }
        end(&s);
    }
    cafe_context_free(context);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void sizes_hold(void **state) {
    cafe_context *context = test_context(2, 3);
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        int64_t n = 60 + 10 * (int64_t)seed, least, most;
        setting s = begin(context, connected(context, n, 2 * n, seed));
        cafe_layers *layers = NULL;
        cafe_layers_options o;
        cafe_layers_options_init(&o);
        o.min_size = seed % 3 ? 3 * (int64_t)(seed % 7) : 0;
        o.max_size = seed % 2 ? n / 6 + 1 : 0;
        if (o.max_size > 0 && o.min_size > o.max_size) o.min_size = o.max_size;
        TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
        expect_layers(&s, layers);
        sizes_of(top_of(layers).partition, n, top_of(layers).communities, &least, &most);
        if (o.max_size > 0) assert_true(most <= o.max_size);
        if (o.max_size == 0) assert_true(least >= o.min_size);
        cafe_layers_free(layers);
        end(&s);
    }
    cafe_context_free(context);
}

/* Without other communities beside it, a component stays, whatever its size. */
static void components_stay(void **state) {
    cafe_context *context = test_context(1, 3);
    cafe_layers *layers = NULL;
    cafe_layers_options o;
    int64_t least, most;
    (void)state;
    cafe_layers_options_init(&o);
    o.min_size = 1000;
    setting s = begin(context, test_random(context, 60, 200, 0, 0, 5));
    TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
    int32_t whole[60] = {0};
    assert_int_equal(top_of(layers).communities, pieces_of(s.g, whole));
    expect_layers(&s, layers);
    sizes_of(top_of(layers).partition, 60, top_of(layers).communities, &least, &most);
    assert_int_equal(least, 1);
    cafe_layers_free(layers);
    end(&s);
    cafe_context_free(context);
}

/* ---- threads, memory, refusals --------------------------------------------------------------- */

static void threads_change_no_bit(void **state) {
    int32_t one[3][400];
    (void)state;
    for (int t = 0; t < TEST_THREADS; t++) {
        cafe_context *context = test_context(test_thread_counts[t], 11);
        setting s = begin(context, connected(context, 400, 1200, 9));
        for (int kind = 0; kind < 3; kind++) {
            cafe_layers *layers = NULL;
            cafe_layers_options o;
            cafe_layers_options_init(&o);
            if (kind == 0) o.communities = 25;
            if (kind == 1) o.min_size = 40;
            if (kind == 2) o.max_size = 15;
            TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
            size_t bytes = sizeof one[kind];
            if (t == 0) memcpy(one[kind], top_of(layers).partition, bytes);
            assert_memory_equal(one[kind], top_of(layers).partition, bytes);
            cafe_layers_free(layers);
        }
        end(&s);
        cafe_context_free(context);
    }
}

static void failing_memory_leaks_nothing(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 1);
        setting s = begin(context, test_karate(context));
        for (long k = 0;; k += 1 + k / 4) {
            cafe_layers *layers = NULL;
            cafe_layers_options o;
            cafe_layers_options_init(&o);
            o.effort = "fast";
            if (kind == 0) o.communities = 6;
            if (kind == 1) o.min_size = 4, o.max_size = 8;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_layers_find(context, s.op, &o, &layers);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_layers_free(layers);
            if (!failed) break;
        }
        end(&s);
        cafe_context_free(context);
    }
}

static void expect_refused(const setting *s, int64_t least, int64_t most, int64_t count,
                           const char *text) {
    cafe_layers *layers = NULL;
    cafe_layers_options o;
    cafe_layers_options_init(&o);
    o.min_size = least, o.max_size = most, o.communities = count;
    assert_int_equal(cafe_layers_find(s->context, s->op, &o, &layers), CAFE_ERROR_ARGUMENT);
    if (!strstr(cafe_error(s->context), text)) fail_msg("%s", cafe_error(s->context));
}

static void contradictions_are_refused(void **state) {
    cafe_context *context = test_context(1, 3);
    setting s = begin(context, test_random(context, 60, 200, 0, 0, 5));
    (void)state;
    expect_refused(&s, 9, 8, 0, "is below");
    expect_refused(&s, 2, 0, 3, "does not go with");
    expect_refused(&s, 0, 20, 3, "does not go with");
    expect_refused(&s, 0, 0, 61, "the graph has 60 nodes");
    expect_refused(&s, 0, 0, 2, "components");
    end(&s);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_join_loses_least),
        cmocka_unit_test(numbers_hold_and_are_nearly_the_best),
        cmocka_unit_test(numbers_hold),
        cmocka_unit_test(sizes_hold),
        cmocka_unit_test(components_stay),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(failing_memory_leaks_nothing),
        cmocka_unit_test(contradictions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
