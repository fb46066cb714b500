/* Layers that begin with a given partition: never worse than it, the same bits for any threads.
 * Kept nodes stay together and apart. Runs keep the numbers of communities and count what became of
 * them. */
#include "dense.h"
#include "failing.h"
#include "graphs.h"
#include "operator/operator.h"
#include "solve/layers_start.h"

typedef struct setting {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
} setting;

static setting begin(cafe_context *context, cafe_graph *graph) {
    setting s = {context, graph, NULL, NULL};
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &s.sampled));
    TEST_OK(context, cafe_operator_modularity(context, s.sampled, &s.op));
    return s;
}

static void end(setting *s) {
    cafe_operator_free(s->op);
    cafe_sampled_free(s->sampled);
    cafe_graph_free(s->graph);
}

static cafe_graph *planted(cafe_context *context, int64_t nodes, int64_t edges) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = nodes, o.edges = edges, o.blocks = 12, o.mixing = 0.4;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_PLANTED, &o, &graph, NULL));
    return graph;
}

static double modularity_of(const setting *s, const int32_t *part) {
    int64_t n = cafe_graph_nodes(s->graph);
    double sum = 0, *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(s->graph, p);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (part[u] == part[w]) sum += q[u * n + w];
    free(p);
    free(q);
    return sum;
}

static cafe_layer top_of(const cafe_layers *layers) {
    return *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
}

/* Communities at random, every fifth node without one (after numbering alone: n - 1 - u). */
static void random_start(int64_t n, uint64_t seed, int32_t *part, int32_t *numbered) {
    for (int64_t u = 0; u < n; u++) {
        part[u] = u % 5 == 4 ? -1 : (int32_t)test_below(&seed, n / 8);
        numbered[u] = part[u] < 0 ? (int32_t)(n - 1 - u / 5) : part[u];
    }
}

static void a_start_is_never_made_worse(void **state) {
    cafe_context *context = test_context(2, 5);
    int32_t part[150], numbered[150];
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        int64_t n = 40 + 10 * (int64_t)seed;
        cafe_layers *layers = NULL;
        setting s = begin(context, test_random(context, n, 4 * n, seed % 2, seed % 3 == 0, seed));
        random_start(n, seed, part, numbered);
        cafe_layers_start start = {.part = part, .steady = seed % 2};
        TEST_OK(context, cafe_layers_find_from(context, s.op, NULL, &start, &layers));
        cafe_layer top = top_of(layers);
        assert_true(top.modularity >= modularity_of(&s, numbered) - 1e-12);
        assert_true(fabs(top.modularity - modularity_of(&s, top.partition)) < 1e-12);
        cafe_layers_free(layers);
        end(&s);
    }
    cafe_context_free(context);
}

/* A result is a fixed point of steady runs. */
static void a_result_stays_as_it_is(void **state) {
    cafe_context *context = test_context(1, 5);
    (void)state;
    setting s = begin(context, planted(context, 3000, 12000));
    cafe_layers *first = NULL, *again = NULL;
    TEST_OK(context, cafe_layers_find(context, s.op, NULL, &first));
    cafe_layers_start start = {.part = top_of(first).partition, .steady = true};
    TEST_OK(context, cafe_layers_find_from(context, s.op, NULL, &start, &again));
    assert_true(top_of(again).modularity >= top_of(first).modularity - 1e-12);
    int64_t same = 0;
    for (int64_t u = 0; u < 3000; u++)
        same += top_of(again).partition[u] == top_of(first).partition[u];
    assert_true(same > 2900);
    cafe_layers_free(first);
    cafe_layers_free(again);
    end(&s);
    cafe_context_free(context);
}

/* Two kept nodes are together if and only if they start together. */
static void expect_kept(const int32_t *start, const uint8_t *keep, const int32_t *part, int64_t n) {
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < u; w++)
            if (keep[u] && keep[w]) assert_int_equal(start[u] == start[w], part[u] == part[w]);
}

static void kept_nodes_stay(void **state) {
    cafe_context *context = test_context(2, 5);
    int32_t part[150], numbered[150];
    uint8_t keep[150];
    (void)state;
    for (uint64_t seed = 1; seed < 16; seed++) {
        int64_t n = 40 + 7 * (int64_t)seed;
        cafe_layers *layers = NULL;
        cafe_layers_options o;
        cafe_layers_options_init(&o);
        o.refine = seed % 4 > 0;
        o.chunks = seed % 3 ? 0 : 4;
        setting s = begin(context, test_random(context, n, 4 * n, seed % 2, seed % 3 == 0, seed));
        random_start(n, seed, part, numbered);
        for (int64_t u = 0; u < n; u++) keep[u] = part[u] >= 0 && u % 3 == 0;
        cafe_layers_start start = {.part = part, .keep = keep};
        TEST_OK(context, cafe_layers_find_from(context, s.op, &o, &start, &layers));
        for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
            cafe_layer layer = *cafe_layers_get(layers, i);
            expect_kept(part, keep, layer.partition, n);
            assert_true(fabs(layer.modularity - modularity_of(&s, layer.partition)) < 1e-12);
        }
        cafe_layers_free(layers);
        end(&s);
    }
    cafe_context_free(context);
}

static void threads_change_no_bit(void **state) {
    int32_t part[4000], one[4000];
    uint8_t keep[4000] = {0};
    (void)state;
    for (int64_t u = 0; u < 4000; u++) part[u] = (int32_t)(u / 40);
    for (int64_t u = 0; u < 4000; u += 9) keep[u] = 1;
    for (int t = 0; t < TEST_THREADS; t++) {
        cafe_context *context = test_context(test_thread_counts[t], 11);
        cafe_layers *layers = NULL;
        cafe_layers_options o;
        cafe_layers_options_init(&o);
        o.chunks = 7;
        setting s = begin(context, planted(context, 4000, 20000));
        cafe_layers_start start = {.part = part, .keep = keep};
        TEST_OK(context, cafe_layers_find_from(context, s.op, &o, &start, &layers));
        if (t == 0) memcpy(one, top_of(layers).partition, sizeof one);
        assert_memory_equal(one, top_of(layers).partition, sizeof one);
        cafe_layers_free(layers);
        end(&s);
        cafe_context_free(context);
    }
}

static void bad_starts_are_refused(void **state) {
    cafe_context *context = test_context(1, 1);
    int32_t part[40];
    (void)state;
    setting s = begin(context, test_random(context, 40, 100, 0, 0, 1));
    const int32_t bad[] = {-2, 40, INT32_MAX};
    for (int i = 0; i < 3; i++) {
        cafe_layers *layers = NULL;
        for (int32_t u = 0; u < 40; u++) part[u] = u;
        part[17] = bad[i];
        cafe_layers_start start = {.part = part};
        assert_int_equal(cafe_layers_find_from(context, s.op, NULL, &start, &layers),
                         CAFE_ERROR_ARGUMENT);
        assert_null(layers);
    }
    end(&s);
    cafe_context_free(context);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Four cliques of six nodes in a ring; the last two are joined by more edges if `joined`. */
static cafe_graph *cliques(cafe_context *context, bool joined) {
    test_links l = test_links_new(4 * 15 + 4 + 36);
    int64_t at = 0;
    for (int32_t c = 0; c < 4; c++)
        for (int32_t i = 0; i < 6; i++)
            for (int32_t j = 0; j < i; j++) {
                l.source[at] = 6 * c + i;
                l.target[at++] = 6 * c + j;
            }
    for (int32_t c = 0; c < 4; c++) {
        l.source[at] = 6 * c;
        l.target[at++] = (6 * c + 7) % 24;
    }
    for (int32_t i = 0; i < 36; i++) {
        l.source[at] = joined ? 12 + i / 6 : 0;
        l.target[at++] = joined ? 18 + i % 6 : 1;
    }
    for (int64_t i = 0; i < at; i++) l.weights[i] = 1;
    cafe_graph *graph = test_graph(context, 24, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_run *run_from(cafe_context *context, const cafe_graph *graph,
                          const cafe_run_inputs *inputs) {
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, "layers", &run));
    TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
    TEST_OK(context, cafe_run_give(run, inputs));
    TEST_OK(context, cafe_run_go(run));
    return run;
}

/* Cliques 0 .. 3 were 40, 7, 7 and 12, and two nodes are new: 7 splits, a number above 40 is new.
 */
static void numbers_stay(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = cliques(context, false);
    int32_t part[24];
    cafe_run_inputs in;
    (void)state;
    cafe_run_inputs_init(&in);
    for (int32_t u = 0; u < 24; u++) part[u] = (const int32_t[]){40, 7, 7, 12}[u / 6];
    part[3] = part[20] = -1;
    in.partition = part;
    cafe_run *run = run_from(context, graph, &in);
    const cafe_run_changes *c = cafe_run_get(run)->changes;
    assert_non_null(c);
    assert_int_equal(c->added, 2);
    assert_int_equal(c->communities->split, 1);
    assert_int_equal(c->born + c->died + c->communities->merged, 0);
    assert_int_equal(c->kept + c->moved, 22);
    assert_int_equal(c->moved, 6);
    assert_int_equal(c->partition[0], 40);
    assert_int_equal(c->partition[3], 40);
    assert_int_equal(c->partition[20], 12);
    assert_true(c->partition[6] == 7 || c->partition[12] == 7);
    assert_int_equal(c->partition[6] + c->partition[12], 7 + 41);
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Two that grow together are one merger, unless their nodes are kept apart. */
static void mergers_are_reported(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = cliques(context, true);
    int32_t part[24], keep[] = {12, 23};
    cafe_run_inputs in;
    (void)state;
    cafe_run_inputs_init(&in);
    for (int32_t u = 0; u < 24; u++) part[u] = 3 * (u / 6);
    in.partition = part;
    cafe_run *run = run_from(context, graph, &in);
    const cafe_run_changes *c = cafe_run_get(run)->changes;
    assert_int_equal(c->communities->merged, 1);
    assert_int_equal(c->partition[12], c->partition[23]);
    assert_true(c->partition[12] == 6 || c->partition[12] == 9);
    assert_int_equal(c->partition[0], 0);
    cafe_run_free(run);
    in.keep = keep, in.keep_count = 2;
    run = run_from(context, graph, &in);
    c = cafe_run_get(run)->changes;
    assert_int_equal(c->partition[12], 6);
    assert_int_equal(c->partition[23], 9);
    cafe_run_free(run);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void runs_refuse_bad_starts(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = cliques(context, false);
    int32_t part[24] = {0}, keep[] = {24};
    (void)state;
    for (int bad = 0; bad < 4; bad++) {
        cafe_run *run;
        cafe_run_inputs in;
        cafe_run_inputs_init(&in);
        in.partition = bad == 3 ? NULL : part;
        in.keep = keep, in.keep_count = bad > 0;
        part[5] = bad == 0 ? -7 : -1;
        keep[0] = bad == 1 ? 24 : 5;
        TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, NULL, &run));
        TEST_OK(context, cafe_run_graph(run, graph, NULL, NULL));
        TEST_OK(context, cafe_run_give(run, &in));
        assert_int_equal(cafe_run_go(run), CAFE_ERROR_ARGUMENT);
        cafe_run_free(run);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static cafe_status start_once(cafe_context *context, const cafe_graph *graph,
                              const cafe_run_inputs *in) {
    cafe_run *run = NULL;
    cafe_status status = cafe_run_create(context, CAFE_PURPOSE_COMMUNITIES, "layers", &run);
    if (status == CAFE_OK) status = cafe_run_graph(run, graph, NULL, NULL);
    if (status == CAFE_OK) status = cafe_run_give(run, in);
    if (status == CAFE_OK) status = cafe_run_go(run);
    cafe_run_free(run);
    return status;
}

static void every_failed_allocation_is_survived(void **state) {
    int32_t part[34], keep[] = {0, 1, 33};
    cafe_run_inputs in;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    (void)state;
    cafe_run_inputs_init(&in);
    for (int32_t u = 0; u < 34; u++) part[u] = u % 4;
    in.partition = part, in.keep = keep, in.keep_count = 3;
    int failed = 1;
    for (long k = 0; failed; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = start_once(context, graph, &in);
        failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_is_never_made_worse),
        cmocka_unit_test(a_result_stays_as_it_is),
        cmocka_unit_test(kept_nodes_stay),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(bad_starts_are_refused),
        cmocka_unit_test(numbers_stay),
        cmocka_unit_test(mergers_are_reported),
        cmocka_unit_test(runs_refuse_bad_starts),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests_name("layers_start", tests, NULL, NULL);
}
