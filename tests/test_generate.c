/* The random graph models: the same graph for any number of threads, and the statistics that
 * define each model. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "failing.h"
#include "generate/generate.h"
#include "graph/graph.h"
#include "graphs.h"

enum { MODELS = 4 };

typedef struct made {
    cafe_context *context;
    cafe_graph *graph;
    int32_t *labels;
    int64_t n, m;
} made;

static cafe_generate_options options_of(int64_t nodes, int64_t edges, int64_t blocks,
                                        double mixing) {
    cafe_generate_options o;
    cafe_generate_options_init(&o);
    o.nodes = nodes;
    o.edges = edges;
    o.blocks = blocks;
    o.mixing = mixing;
    return o;
}

static made make(cafe_generator model, cafe_generate_options o, int32_t threads, uint64_t seed) {
    made x = {.context = test_context(threads, seed), .n = o.nodes};
    x.labels = malloc((size_t)o.nodes * sizeof *x.labels);
    assert_non_null(x.labels);
    cafe_status status = cafe_generate(x.context, model, &o, &x.graph, x.labels);
    if (status != CAFE_OK) fail_msg("%s", cafe_error(x.context));
    x.m = cafe_graph_get_counts(x.graph)->edges;
    return x;
}

static void unmake(made *x) {
    cafe_graph_free(x->graph);
    cafe_context_free(x->context);
    free(x->labels);
}

static int64_t degree(const made *x, int64_t u) {
    return x->graph->offsets[u + 1] - x->graph->offsets[u];
}

static bool same(const made *a, const made *b) {
    size_t arcs = (size_t)a->graph->arcs;
    return a->n == b->n && a->graph->arcs == b->graph->arcs &&
           memcmp(a->labels, b->labels, (size_t)a->n * sizeof *a->labels) == 0 &&
           memcmp(a->graph->offsets, b->graph->offsets, (size_t)(a->n + 1) * sizeof(int64_t)) ==
               0 &&
           memcmp(a->graph->targets, b->graph->targets, arcs * sizeof(int32_t)) == 0;
}

/* The share of edges that leave their block. */
static double mixing_of(const made *x) {
    int64_t leaving = 0;
    for (int64_t u = 0; u < x->n; u++)
        for (int64_t i = x->graph->offsets[u]; i < x->graph->offsets[u + 1]; i++)
            leaving += x->labels[u] != x->labels[x->graph->targets[i]];
    return (double)leaving / (double)x->graph->arcs;
}

/* The exponent of the degrees from `least` on, by maximum likelihood (continuous, shifted 1/2). */
static double exponent_of(const made *x, int64_t least) {
    double sum = 0;
    int64_t count = 0;
    for (int64_t u = 0; u < x->n; u++)
        if (degree(x, u) >= least) {
            sum += log((double)degree(x, u) / ((double)least - 0.5));
            count++;
        }
    return 1 + (double)count / sum;
}

/* ---- all models --------------------------------------------------------------------------------
 */

static void threads_do_not_matter(void **state) {
    cafe_generate_options o = options_of(20000, 100000, 0, 0.2);
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        made one = make(model, o, 1, 5);
        for (int i = 1; i < TEST_THREADS; i++) {
            made other = make(model, o, test_thread_counts[i], 5);
            assert_true(same(&one, &other));
            unmake(&other);
        }
        made another = make(model, o, 2, 6);
        assert_false(same(&one, &another));
        unmake(&another);
        unmake(&one);
    }
}

static void graphs_are_simple_and_complete(void **state) {
    (void)state;
    for (int model = 0; model < MODELS; model++)
        for (int64_t n = 50; n < 5000; n = 3 * n + 1) {
            made x = make(model, options_of(n, 4 * n, 0, 0.3), 2, 3);
            cafe_graph_counts c = *cafe_graph_get_counts(x.graph);
            assert_int_equal(c.edges, 4 * n);
            assert_int_equal(c.lines, 4 * n);
            assert_int_equal(c.nodes, n);
            assert_int_equal(c.weighted | c.self_loops_kept, 0);
            assert_int_equal(x.graph->arcs, 8 * n);
            for (int64_t u = 0; u < n; u++)
                for (int64_t i = x.graph->offsets[u]; i < x.graph->offsets[u + 1]; i++) {
                    assert_int_not_equal(x.graph->targets[i], u);
                    if (i > x.graph->offsets[u])
                        assert_true(x.graph->targets[i - 1] < x.graph->targets[i]);
                }
            unmake(&x);
        }
}

static void smallest_graphs(void **state) {
    (void)state;
    for (int model = 0; model < MODELS; model++)
        for (int64_t n = 1; n < 4; n++) {
            made x = make(model, options_of(n, n - 1, 0, 0.2), 1, 1);
            assert_int_equal(x.m, n - 1);
            unmake(&x);
        }
    for (int model = 0; model < MODELS; model++) {
        if (model == CAFE_GENERATOR_PLANTED) continue; /* a complete graph has no power law */
        made x = make(model, options_of(12, 66, 0, 0.2), 1, 1);
        assert_int_equal(x.m, 66);
        unmake(&x);
    }
}

static void refuse(int model, cafe_generate_options o, const char *said) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = (cafe_graph *)&o;
    int64_t bytes = cafe_bytes(context);
    assert_int_equal(cafe_generate(context, model, &o, &graph, NULL), CAFE_ERROR_ARGUMENT);
    assert_null(graph);
    if (!strstr(cafe_error(context), said)) fail_msg("'%s' lacks '%s'", cafe_error(context), said);
    assert_int_equal(cafe_bytes(context), bytes);
    cafe_context_free(context);
}

static void impossible_requests_are_refused(void **state) {
    cafe_generate_options o = options_of(10, 20, 0, 0.2);
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        refuse(model, options_of(10, 46, 0, 0.2), "46 edges do not fit: 10 nodes have 45 pairs");
        refuse(model, options_of(0, 0, 0, 0.2), "‘nodes’");
        refuse(model, options_of(10, -1, 0, 0.2), "‘edges’");
        refuse(model, options_of(10, 20, 0, NAN), "‘mixing’");
        refuse(model, options_of(10, 20, 0, 1.1), "‘mixing’");
    }
    refuse(CAFE_GENERATOR_SBM, options_of(10, 20, 11, 0.2), "11 blocks");
    refuse(CAFE_GENERATOR_PLANTED, options_of(10, 20, 11, 0.2), "11 blocks");
    refuse(CAFE_GENERATOR_SBM, options_of(10, 20, 5, 0.2), "16 edges inside the 5 blocks");
    refuse(CAFE_GENERATOR_SBM, options_of(10, 40, 2, 0.9), "36 edges between the 2 blocks");
    refuse(CAFE_GENERATOR_PLANTED, options_of(10, 44, 1, 0), "too many for power-law degrees");
    refuse(CAFE_GENERATOR_BA, options_of(10, 8, 0, 0.2), "ba needs at least");
    refuse(17, o, "no model number 17");
    o.exponent = 1;
    refuse(CAFE_GENERATOR_PLANTED, o, "‘exponent’");
    o = options_of(10, 20, 0, 0.2);
    o.struct_size = 1;
    refuse(CAFE_GENERATOR_SBM, o, "not initialised");
}

static void defaults_are_usable(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int model = 0; model < MODELS; model++) {
        cafe_graph *graph = NULL;
        assert_int_equal(cafe_generate(context, model, NULL, &graph, NULL), CAFE_OK);
        assert_int_equal(cafe_graph_nodes(graph), 1000);
        assert_int_equal(cafe_graph_get_counts(graph)->edges, 5000);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

static void every_failed_allocation_is_survived(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_generate_options o = options_of(300, 1500, 0, 0.2);
    (void)state;
    for (int model = 0; model < MODELS; model++)
        for (int failed = 1, k = 0; failed; k++) {
            cafe_graph *graph = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_generate(context, model, &o, &graph, NULL);
            failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            assert_int_equal(graph == NULL, failed);
            cafe_graph_free(graph);
        }
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

static void a_cancelled_run_leaves_nothing(void **state) {
    cafe_context *context = test_context(2, 1);
    int64_t bytes = cafe_bytes(context);
    (void)state;
    cafe_cancel(context);
    for (int model = 0; model < MODELS; model++) {
        cafe_graph *graph = NULL;
        assert_int_equal(cafe_generate(context, model, NULL, &graph, NULL), CAFE_ERROR_CANCELLED);
        assert_null(graph);
        assert_int_equal(cafe_bytes(context), bytes);
    }
    cafe_context_free(context);
}

/* ---- what they are made of ----------------------------------------------------------------------
 */

static void the_shuffle_is_a_permutation(void **state) {
    enum { MOST = 5000 };
    static int32_t order[MOST], other[MOST];
    cafe_context *context = test_context(2, 1), *another = test_context(2, 2);
    (void)state;
    for (int64_t n = 1; n < MOST; n = n * 3 / 2 + 1) {
        char seen[MOST] = {0};
        int64_t kept = 0, equal = 0;
        assert_int_equal(cafe_generate_order(context, n, order), CAFE_OK);
        assert_int_equal(cafe_generate_order(another, n, other), CAFE_OK);
        for (int64_t i = 0; i < n; i++) {
            assert_in_range(order[i], 0, n - 1);
            assert_false(seen[order[i]]++);
            kept += order[i] == i;
            equal += order[i] == other[i];
        }
        if (n > 100) assert_true(kept < 10 && equal < 10);
    }
    cafe_context_free(another);
    cafe_context_free(context);
}

static void shares_are_even(void **state) {
    const int64_t totals[] = {1, 7, 1000, ((int64_t)1 << 45) + 3};
    (void)state;
    for (int i = 0; i < 4; i++)
        for (int64_t parts = 1; parts <= totals[i] && parts < 100000; parts = parts * 7 + 1) {
            int64_t total = totals[i], step = parts / 50 + 1;
            assert_int_equal(cafe_share_start(total, parts, parts), total);
            for (int64_t k = 0; k < parts; k += step) {
                int64_t start = cafe_share_start(total, parts, k);
                int64_t size = cafe_share_start(total, parts, k + 1) - start;
                assert_in_range(size, total / parts, total / parts + 1);
                assert_int_equal(cafe_share_of(total, parts, start), k);
                assert_int_equal(cafe_share_of(total, parts, start + size - 1), k);
            }
        }
}

/* ---- blocks ------------------------------------------------------------------------------------
 */

static void the_mixing_is_what_was_asked(void **state) {
    const double mixings[] = {0, 0.1, 0.5, 1};
    (void)state;
    for (int model = 0; model <= CAFE_GENERATOR_PLANTED; model++)
        for (int i = 0; i < 4; i++) {
            made x = make(model, options_of(5000, 30000, 20, mixings[i]), 2, 1);
            assert_true(fabs(mixing_of(&x) - mixings[i]) < 1e-9);
            unmake(&x);
        }
}

static void sizes_of_blocks(const made *x, int64_t blocks, int64_t *least, int64_t *most) {
    int64_t *size = calloc((size_t)blocks, sizeof *size);
    *least = INT64_MAX, *most = 0;
    for (int64_t u = 0; u < x->n; u++) {
        assert_in_range(x->labels[u], 0, blocks - 1);
        size[x->labels[u]]++;
    }
    for (int64_t b = 0; b < blocks; b++) {
        if (size[b] < *least) *least = size[b];
        if (size[b] > *most) *most = size[b];
    }
    free(size);
}

/* Neighbouring ids share a block no more often than any two nodes do. */
static void assert_ids_are_shuffled(const made *x, int64_t most) {
    int64_t together = 0;
    for (int64_t u = 0; u + 1 < x->n; u++) together += x->labels[u] == x->labels[u + 1];
    assert_true((double)together < 2 * (double)most);
}

static void sbm_has_equal_blocks_and_poisson_degrees(void **state) {
    enum { N = 10007, M = 100000, B = 30 };
    made x = make(CAFE_GENERATOR_SBM, options_of(N, M, B, 0.3), 2, 1);
    double mean = 2.0 * M / N, variance = 0;
    int64_t least, most;
    (void)state;
    sizes_of_blocks(&x, B, &least, &most);
    assert_in_range(least, N / B, N / B + 1);
    assert_in_range(most, N / B, N / B + 1);
    assert_ids_are_shuffled(&x, most);
    for (int64_t u = 0; u < N; u++) variance += pow((double)degree(&x, u) - mean, 2) / N;
    assert_true(fabs(variance / mean - 1) < 0.1); /* standard deviation of it: sqrt(2/N) = 0.014 */
    unmake(&x);
}

static void planted_has_power_law_degrees(void **state) {
    const double exponents[] = {2.5, 3.5};
    (void)state;
    for (int i = 0; i < 2; i++) {
        cafe_generate_options o = options_of(50000, 400000, 25, 0.2);
        o.exponent = exponents[i];
        made x = make(CAFE_GENERATOR_PLANTED, o, 2, 1);
        double found = exponent_of(&x, 30);
        assert_true(fabs(found - exponents[i]) < 0.3);
        assert_true((double)x.graph->counts.max_degree < 1.5 * sqrt(2.0 * 400000));
        unmake(&x);
    }
}

static void planted_nodes_keep_to_their_blocks(void **state) {
    enum { N = 20000, M = 200000, B = 40 };
    made x = make(CAFE_GENERATOR_PLANTED, options_of(N, M, B, 0.3), 2, 1);
    double sum = 0, squares = 0, count = 0;
    int64_t least, most;
    (void)state;
    sizes_of_blocks(&x, B, &least, &most);
    assert_true(most > 4 * least);
    assert_ids_are_shuffled(&x, most);
    for (int64_t u = 0; u < N; u++) {
        double inside = 0, d = (double)degree(&x, u);
        if (d < 20) continue;
        for (int64_t i = x.graph->offsets[u]; i < x.graph->offsets[u + 1]; i++)
            inside += x.labels[u] == x.labels[x.graph->targets[i]];
        sum += inside / d, squares += inside / d * inside / d, count++;
    }
    double mean = sum / count, deviation = sqrt(squares / count - mean * mean);
    assert_true(fabs(mean - 0.7) < 0.03);
    assert_true(deviation < 0.12); /* binomial at degree 20: 0.10 */
    unmake(&x);
}

/* The exponent of sizes between `least` and `ratio` times it, as v = size / least has the mean log
 * v of the truncated power law. This is 1/a - log R / (R^a - 1) with a = exponent - 1. */
static double size_exponent_of(const int64_t *size, int64_t blocks, double least, double ratio) {
    double mean = 0, low = -3, high = 4.1;
    for (int64_t b = 0; b < blocks; b++) mean += log((double)size[b] / least) / (double)blocks;
    for (int i = 0; i < 60; i++) {
        double a = (low + high) / 2, found = 1 / a - log(ratio) / (pow(ratio, a) - 1);
        if (found > mean)
            low = a;
        else
            high = a;
    }
    return 1 + low;
}

static void planted_sizes_fall_off_as_asked(void **state) {
    TEST_NOT_OF_THREADS();
    enum { N = 600000, B = 2000 };
    const double exponents[] = {0, 1, 2, 3.5}, ratios[] = {20, 5, 50, 20};
    static int64_t size[B];
    (void)state;
    for (int i = 0; i < 4; i++) {
        cafe_generate_options o = options_of(N, N, B, 0.2);
        o.size_exponent = exponents[i], o.size_ratio = ratios[i];
        made x = make(CAFE_GENERATOR_PLANTED, o, 2, 1);
        int64_t least, most;
        sizes_of_blocks(&x, B, &least, &most);
        assert_true((double)most < 1.05 * ratios[i] * (double)least);
        assert_true((double)most > 0.5 * ratios[i] * (double)least);
        memset(size, 0, sizeof size);
        for (int64_t u = 0; u < N; u++) size[x.labels[u]]++;
        double found = size_exponent_of(size, B, (double)least, ratios[i]);
        if (fabs(found - exponents[i]) > 0.2) fail_msg("%g, not %g", found, exponents[i]);
        unmake(&x);
    }
}

static void planted_blocks_can_be_equal(void **state) {
    enum { N = 10007, B = 30 };
    cafe_generate_options o = options_of(N, 50000, B, 0.3);
    (void)state;
    o.size_ratio = 1;
    made x = make(CAFE_GENERATOR_PLANTED, o, 2, 1);
    int64_t least, most;
    sizes_of_blocks(&x, B, &least, &most);
    assert_in_range(least, N / B, N / B + 1);
    assert_in_range(most, N / B, N / B + 1);
    assert_true(fabs(exponent_of(&x, 20) - 2.5) < 0.3);
    unmake(&x);
}

static void blocks_are_chosen_by_size(void **state) {
    (void)state;
    for (int model = 0; model <= CAFE_GENERATOR_PLANTED; model++) {
        made x = make(model, options_of(40000, 200000, 0, 0.2), 2, 1);
        int64_t least, most;
        sizes_of_blocks(&x, 100, &least, &most); /* sqrt(40000) / 2 */
        assert_true(least > 0);
        unmake(&x);
    }
}

/* ---- growth and the recursive matrix ------------------------------------------------------------
 */

static double mean_degree(const made *x, int64_t begin, int64_t end) {
    return (double)(x->graph->offsets[end] - x->graph->offsets[begin]) / (double)(end - begin);
}

static void ba_degrees_follow_age(void **state) {
    enum { N = 100000, M = 500000 };
    made x = make(CAFE_GENERATOR_BA, options_of(N, M, 0, 0.2), 2, 1);
    double per_node = (double)M / N;
    (void)state;
    assert_int_equal(x.m, M);
    assert_int_equal(x.graph->counts.components, 1);
    assert_true(fabs(exponent_of(&x, 15) - 3) < 0.3);
    /* a node that came at time t has degree (m/n) sqrt(n/t) on average; the mean over a N .. b N is
     * (m/n) 2 (sqrt b - sqrt a) / (b - a) */
    for (int i = 1; i < 10; i++) {
        double a = i / 10.0, b = (i + 1) / 10.0,
               expected = per_node * 2 * (sqrt(b) - sqrt(a)) / (b - a);
        double found = mean_degree(&x, N / 10 * i, N / 10 * (i + 1));
        assert_true(fabs(found / expected - 1) < 0.05);
    }
    unmake(&x);
}

/* Every node brings its edges to older nodes: M/N of them, give or take rounding and repeats. */
static void ba_nodes_bring_their_links(void **state) {
    enum { N = 2000 };
    (void)state;
    for (int64_t m = N - 1; m < 8 * N; m = m * 3 / 2) {
        made x = make(CAFE_GENERATOR_BA, options_of(N, m, 0, 0.2), 2, 1);
        int64_t short_of = 0;
        for (int64_t u = N / 2; u < N; u++) {
            int64_t older = 0;
            for (int64_t i = x.graph->offsets[u]; i < x.graph->offsets[u + 1]; i++)
                older += x.graph->targets[i] < u;
            assert_true(older >= 1);
            short_of += older < m / N;
        }
        assert_true(short_of < N / 20);
        unmake(&x);
    }
}

/* Of the ends of links, 0.57 + 0.19 fall into the first half of the square, and so on down. */
static void rmat_quarters(void **state) {
    enum { LEVELS = 17, N = 1 << LEVELS, M = 50000 };
    made x = make(CAFE_GENERATOR_RMAT, options_of(N, M, 0, 0.2), 2, 1);
    int32_t *order = malloc(N * sizeof *order);
    (void)state;
    assert_int_equal(cafe_generate_order(x.context, N, order), CAFE_OK);
    for (int level = 0; level < 4; level++) {
        int64_t low = 0;
        for (int64_t i = 0; i < N; i++)
            if (!(i >> (LEVELS - 1 - level) & 1)) low += degree(&x, order[i]);
        assert_true(fabs((double)low / (2.0 * M) - 0.76) < 0.01);
    }
    assert_true(x.graph->counts.max_degree > 100);
    free(order);
    unmake(&x);
}

static void rmat_takes_any_number_of_nodes(void **state) {
    const int64_t nodes[] = {65, 127, 1000, 1025};
    (void)state;
    for (int i = 0; i < 4; i++) {
        made x = make(CAFE_GENERATOR_RMAT, options_of(nodes[i], 3 * nodes[i], 0, 0.2), 2, 1);
        assert_int_equal(x.m, 3 * nodes[i]);
        for (int64_t u = 0; u < x.n; u++) assert_int_equal(x.labels[u], 0);
        unmake(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(graphs_are_simple_and_complete),
        cmocka_unit_test(smallest_graphs),
        cmocka_unit_test(impossible_requests_are_refused),
        cmocka_unit_test(defaults_are_usable),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_cancelled_run_leaves_nothing),
        cmocka_unit_test(the_shuffle_is_a_permutation),
        cmocka_unit_test(shares_are_even),
        cmocka_unit_test(the_mixing_is_what_was_asked),
        cmocka_unit_test(sbm_has_equal_blocks_and_poisson_degrees),
        cmocka_unit_test(planted_has_power_law_degrees),
        cmocka_unit_test(planted_nodes_keep_to_their_blocks),
        cmocka_unit_test(planted_sizes_fall_off_as_asked),
        cmocka_unit_test(planted_blocks_can_be_equal),
        cmocka_unit_test(blocks_are_chosen_by_size),
        cmocka_unit_test(ba_degrees_follow_age),
        cmocka_unit_test(ba_nodes_bring_their_links),
        cmocka_unit_test(rmat_quarters),
        cmocka_unit_test(rmat_takes_any_number_of_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
