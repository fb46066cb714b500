/* Communities that moves of single nodes do not find, and those that large graphs join too early.
 * Blocks are found, and draws of labels and divisions keep their promises on random graphs.
 */
#define _GNU_SOURCE
#include "failing.h"
#include "graphs.h"
#include "operator/operator.h"
#include "solve/layers_search.h"

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The modularity of the blocks, and the one found, with the number of communities. */
static void find_blocks(int64_t nodes, int64_t edges, int64_t blocks, double mixing,
                        double *planted, double *found, int64_t *communities) {
    cafe_context *context = test_context(2, 1);
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_layers *layers = NULL;
    int32_t *labels = malloc((size_t)nodes * sizeof *labels);
    cafe_generate_options_init(&o);
    o.nodes = nodes, o.edges = edges, o.blocks = blocks, o.mixing = mixing;
    assert_int_equal(cafe_generate(context, CAFE_GENERATOR_SBM, &o, &graph, labels), CAFE_OK);
    assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled),
                     CAFE_OK);
    assert_int_equal(cafe_operator_modularity(context, sampled, &op), CAFE_OK);
    assert_int_equal(cafe_layers_find(context, op, NULL, &layers), CAFE_OK);
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    *found = top->modularity;
    *communities = top->communities;
    cafe_pooled g = {.n = nodes,
                     .offsets = op->parts.offsets,
                     .targets = op->parts.targets,
                     .mass = op->parts.p,
                     .total = op->parts.total};
    assert_int_equal(cafe_layers_modularity(context, &g, 1, labels, blocks, planted), CAFE_OK);
    cafe_layers_free(layers);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    cafe_graph_free(graph);
    cafe_context_free(context);
    free(labels);
}

/* Hierarchies from single nodes join the first blocks to half as many lumps. They find nothing of
 * the second ones, to whose nodes most edges come from other blocks: 0.16 instead of 0.34. */
static void equal_blocks_are_found(void **state) {
    double planted, found;
    int64_t communities;
    (void)state;
    find_blocks(TEST_LARGE(60000), TEST_LARGE(530000), 30, 0.5, &planted, &found, &communities);
    assert_int_equal(communities, 30);
    assert_true(found >= planted);
    find_blocks(TEST_LARGE(60000), TEST_LARGE(600000), 20, 0.6, &planted, &found, &communities);
    if (TEST_LARGE(60000) == 60000) assert_true(communities == 20 && found >= planted);
}

/* ---- divisions of random graphs -------------------------------------------------------------- */

enum { NODES = 400, SEEDS = 6 };

typedef struct setting {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_pooled *g;
    cafe_layers_options options;
    cafe_hierarchy h; /* with its layers */
} setting;

static cafe_graph *blocks(cafe_context *context, uint64_t seed) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = NODES, o.edges = 5 * NODES, o.blocks = 10, o.mixing = 0.2;
    context->seed = seed;
    assert_int_equal(cafe_generate(context, CAFE_GENERATOR_SBM, &o, &graph, NULL), CAFE_OK);
    return graph;
}

/* Blocks if the seed is odd, else a graph with weights. */
static void begin(cafe_context *context, uint64_t seed, setting *s) {
    *s = (setting){.context = context};
    s->graph = seed % 2 ? blocks(context, seed)
                        : test_random(context, NODES, 3 * NODES, 1, seed % 3 == 0, seed);
    assert_int_equal(cafe_sample(context, s->graph, CAFE_SAMPLING_EDGE, NULL, NULL, &s->sampled),
                     CAFE_OK);
    assert_int_equal(cafe_operator_modularity(context, s->sampled, &s->op), CAFE_OK);
    const cafe_operator_parts *p = &s->op->parts;
    cafe_pooled rows = {.n = p->n,
                        .offsets = p->offsets,
                        .targets = p->targets,
                        .single = p->weights,
                        .mass = p->p,
                        .total = p->total};
    assert_int_equal(cafe_pooled_view(context, rows, p->loops, &s->g), CAFE_OK);
    cafe_layers_options_init(&s->options);
    s->options.resolution = 0.1; /* large communities, so that there is something to divide */
    s->h = (cafe_hierarchy){.options = &s->options, .finest = s->g};
    assert_int_equal(cafe_hierarchy_build(context, &s->h), CAFE_OK);
    s->options.resolution = 1;
}

static void end(setting *s) {
    cafe_layers_free(s->h.layers);
    cafe_pooled_free(s->g);
    cafe_operator_free(s->op);
    cafe_sampled_free(s->sampled);
    cafe_graph_free(s->graph);
}

/* Does b never divide a group of a? */
static bool is_coarser(const int32_t *a, const int32_t *b) {
    int32_t of[NODES];
    for (int64_t u = 0; u < NODES; u++) of[a[u]] = b[u];
    for (int64_t u = 0; u < NODES; u++)
        if (of[a[u]] != b[u]) return false;
    return true;
}

static double modularity(const setting *s, const int32_t *part) {
    double found;
    assert_int_equal(cafe_layers_modularity(s->context, s->g, 1, part, NODES, &found), CAFE_OK);
    return found;
}

/* Drawn labels find blocks, use labels of the range, and are the same for any threads. */
static void labels_are_drawn(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int32_t drawn[TEST_THREADS][NODES];
        for (int t = 0; t < TEST_THREADS; t++) {
            setting s;
            begin(test_context(test_thread_counts[t], seed), seed, &s);
            assert_int_equal(cafe_layers_anneal(s.context, s.g, 1, 3, 20, drawn[t]), CAFE_OK);
            for (int u = 0; u < NODES; u++) assert_in_range(drawn[t][u], 0, 19);
            if (seed % 2) assert_true(modularity(&s, drawn[t]) > 0.3);
            assert_memory_equal(drawn[0], drawn[t], sizeof drawn[t]);
            end(&s);
            cafe_context_free(s.context);
        }
    }
}

/* A division gains if the communities were found at a low resolution, and stays inside them. Any
 * threads find the same. */
static void divisions_are_inside(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        int32_t divided[TEST_THREADS][NODES];
        for (int t = 0; t < TEST_THREADS; t++) {
            setting s;
            bool may;
            begin(test_context(test_thread_counts[t], seed), seed, &s);
            const int32_t *top = top_partition(s.h.layers);
            assert_int_equal(cafe_layers_divide(s.context, &s.h, s.h.layers, divided[t]), CAFE_OK);
            assert_true(is_coarser(divided[t], top));
            assert_int_equal(cafe_layers_may_divide(s.context, &s.h, s.h.layers, &may), CAFE_OK);
            if (seed % 2) assert_true(may);
            if (seed % 2) assert_true(modularity(&s, divided[t]) > modularity(&s, top) + 0.1);
            assert_memory_equal(divided[0], divided[t], sizeof divided[t]);
            end(&s);
            cafe_context_free(s.context);
        }
    }
}

/* What the search of a graph itself has found is not divided. */
static void good_communities_stay(void **state) {
    setting s;
    bool may;
    (void)state;
    begin(test_context(2, 1), 1, &s);
    cafe_layers *found = NULL;
    assert_int_equal(cafe_layers_find(s.context, s.op, NULL, &found), CAFE_OK);
    assert_int_equal(cafe_layers_may_divide(s.context, &s.h, found, &may), CAFE_OK);
    assert_false(may);
    cafe_layers_free(found);
    end(&s);
    cafe_context_free(s.context);
}

static cafe_status call_all(setting *s, int32_t *part) {
    bool yes;
    CAFE_PASS(cafe_layers_may_divide(s->context, &s->h, s->h.layers, &yes));
    CAFE_PASS(cafe_layers_anneal(s->context, s->g, 1, 0, 256, part));
    return cafe_layers_divide(s->context, &s->h, s->h.layers, part);
}

static void every_failed_allocation_is_survived(void **state) {
    test_failing f;
    cafe_context *context = test_failing_context(&f, 2);
    int32_t part[NODES];
    setting s;
    (void)state;
    begin(context, 3, &s);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&f, k);
        cafe_status status = call_all(&s, part);
        int failed = test_failing_disarm(&f);
        test_failing_expect(&f, status, failed, live, context);
        if (!failed) break;
    }
    end(&s);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&f.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_blocks_are_found),
        cmocka_unit_test(labels_are_drawn),
        cmocka_unit_test(divisions_are_inside),
        cmocka_unit_test(good_communities_stay),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
