/* Communities by layers under null models of several factors: every step against a dense Q, small
 * graphs against all their partitions, and the same bits for any threads.
 */
#include "base/memory.h"
#include "dense.h"
#include "explain/partition_bound.h"
#include "failing.h"
#include "graphs.h"
#include "operator/operator.h"
#include "operator/table_operator.h"
#include "solve/layers_factors.h"
#include "solve/layers_search.h"

enum { GRAPHS = 3, MOST = 240 };

/* A sum of up to three graphs with weights of either sign, and a table; Q as a dense matrix. */
typedef struct sum {
    test_problem part[GRAPHS];
    int64_t count, n;
    cafe_operator *table, *op;
    double *q;
} sum;

/* The last one is that of the table. */
static const double sum_weights[][GRAPHS + 1] = {{1, -0.7, 0, 0},   {1, 0.4, 0.3, 0},
                                                 {0.2, -1, 0.5, 0}, {1, 1, -2, 0},
                                                 {1, 0, 0, 0.5},    {1, -0.5, 0, 1}};
enum { KINDS = sizeof sum_weights / sizeof *sum_weights };

/* Weights 1 to 3, loops, repeated edges, perhaps isolated nodes. */
static cafe_graph *random_graph(cafe_context *context, int64_t n, int64_t edges, uint64_t seed) {
    test_links l = test_links_new(edges);
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.self_loops = CAFE_LOOPS_KEEP;
    for (int64_t i = 0; i < edges; i++) {
        l.source[i] = (int32_t)test_below(&seed, n);
        l.target[i] = (int32_t)test_below(&seed, n);
        l.weights[i] = (float)(1 + test_below(&seed, 3));
    }
    cafe_graph *graph = test_graph(context, n, &l, 1, &o);
    test_links_free(&l);
    return graph;
}

static sum open_sum(cafe_context *context, int64_t n, int64_t edges, const double *weights,
                    uint64_t seed) {
    enum { WIDTH = 5 };
    sum s = {.n = n};
    cafe_summand layers[GRAPHS + 1];
    for (int l = 0; l < GRAPHS; l++) {
        if (weights[l] == 0) continue;
        cafe_graph *graph = random_graph(context, n, edges, seed + (uint64_t)l);
        s.part[s.count] = test_open(context, graph);
        layers[s.count] = (cafe_summand){s.part[s.count].op, weights[l], 1};
        s.count++;
    }
    if (weights[GRAPHS] != 0) {
        float *x = malloc((size_t)(n * WIDTH) * sizeof *x);
        for (int64_t i = 0; i < n * WIDTH; i++)
            x[i] = (float)test_below(&seed, 1000) + (i / WIDTH % 3 == i % WIDTH ? 900 : 0);
        TEST_OK(context, cafe_operator_table(context, n, WIDTH, x, &s.table));
        layers[s.count] = (cafe_summand){s.table, weights[GRAPHS], 2e5 * (double)(n * n)};
        free(x);
    }
    TEST_OK(context, cafe_operator_sum(context, s.count + (s.table != NULL), layers, &s.op));
    s.q = malloc((size_t)(n * n) * sizeof *s.q);
    for (int64_t u = 0; u < n; u++)
        TEST_OK(context, cafe_operator_row(context, s.op, u, s.q + u * n));
    return s;
}

static void close_sum(sum *s) {
    free(s->q);
    cafe_operator_free(s->op);
    cafe_operator_free(s->table);
    for (int64_t l = 0; l < s->count; l++) {
        s->part[l].context = NULL;
        cafe_operator_free(s->part[l].op);
        cafe_sampled_free(s->part[l].sampled);
        cafe_graph_free(s->part[l].graph);
    }
}

/* A - r F C F^T from Q = A - F C F^T, without r for the table, whose columns are the first added
 * ones after those of the graphs. */
static double covariance(const sum *s, int64_t u, int64_t w, double resolution) {
    const cafe_operator_parts *q = &s->op->parts;
    double graphs = cafe_factor_product(q, u, w);
    int64_t width = s->table ? s->table->parts.width : 0, end = q->width - q->subtracted;
    for (int64_t l = end - width; l < end; l++)
        graphs -= (double)q->f[u * q->width + l] * q->f[w * q->width + l];
    return s->q[u * s->n + w] + (resolution - 1) * graphs;
}

static double modularity_of(const sum *s, const int32_t *part, double resolution) {
    double value = 0;
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t w = 0; w < s->n; w++)
            if (part[u] == part[w]) value += covariance(s, u, w, resolution);
    return value;
}

/* The finest level, as cafe_layers_find() has it. */
typedef struct level {
    cafe_pooled *g;
    double *f, *mass;
} level;

static level open_level(cafe_context *context, const sum *s, double resolution) {
    const cafe_operator_parts *q = &s->op->parts;
    level l = {0};
    cafe_pooled rows = {.n = q->n, .offsets = q->offsets, .targets = q->targets};
    TEST_OK(context, cafe_factors_take(context, q, resolution, &rows.null, &l.f, &l.mass));
    rows.single = q->weights, rows.factor = q->factor;
    rows.mass = l.mass, rows.total = q->total;
    TEST_OK(context, cafe_pooled_view(context, rows, q->loops, &l.g));
    return l;
}

static void close_level(cafe_context *context, level *l) {
    cafe_pooled_free(l->g);
    cafe_mem_free_all(context, l->f, l->mass);
}

static void random_parts(int64_t n, int64_t parts, uint64_t seed, int32_t *part) {
    for (int64_t u = 0; u < n; u++) part[u] = (int32_t)test_below(&seed, parts);
}

/* ---- small graphs ---------------------------------------------------------------------------- */

/* The largest modularity of all partitions: part[i] is at most one more than all before it. */
static double best_of_all(const sum *s, double resolution, int32_t *part, int64_t i, int32_t used) {
    double best = -HUGE_VAL;
    if (i == s->n) return modularity_of(s, part, resolution);
    for (int32_t c = 0; c <= used; c++) {
        part[i] = c;
        best = fmax(best, best_of_all(s, resolution, part, i + 1, used + (c == used)));
    }
    return best;
}

static void small_graphs_get_a_best_partition(void **state) {
    (void)state;
    static const double resolutions[] = {0.4, 1, 2.5};
    cafe_context *context = test_context(1, 1);
    for (uint64_t trial = 0; trial < 3 * KINDS; trial++) {
        int32_t part[8];
        sum s = open_sum(context, 7, 12, sum_weights[trial % KINDS], 100 + 10 * trial);
        cafe_layers_options o;
        cafe_layers *layers;
        cafe_layers_options_init(&o);
        o.resolution = resolutions[trial / KINDS];
        TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
        const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        double best = best_of_all(&s, o.resolution, part, 0, 0);
        assert_float_equal(modularity_of(&s, top->partition, o.resolution), best, 1e-9);
        assert_float_equal(top->modularity, best, 1e-7);
        for (int work = 0; work < 2; work++) {
            cafe_partition_bound b;
            TEST_OK(context, cafe_partition_bound_find(context, s.op, o.resolution, top->modularity,
                                                       work, NULL, &b));
            assert_true(b.pairs > best - 1e-9 && b.bound > best - 1e-9);
            assert_true(work == b.proved && (work == 0 || b.bound < best + 1e-6));
        }
        cafe_clique_bound by_rows;
        TEST_OK(context, cafe_clique_bound_find(context, &s.op->parts, o.resolution, 0.2, best,
                                                NULL, &by_rows));
        assert_true(by_rows.bound > best - 1e-9 && by_rows.bound < best + 1e-6);
        cafe_layers_free(layers);
        close_sum(&s);
    }
    cafe_context_free(context);
}

/* Inequalities are closer than pairs, and no partition is above them. */
static void inequalities_bound_sums(void **state) {
    (void)state;
    enum { N = 60 };
    cafe_context *context = test_context(1, 1);
    for (uint64_t trial = 0; trial < KINDS; trial++) {
        sum s = open_sum(context, N, 250, sum_weights[trial], 300 + 10 * trial);
        double resolution = trial % 2 ? 1 : 1.5;
        cafe_layers_options o;
        cafe_layers *layers;
        cafe_partition_bound pairs, rows;
        cafe_layers_options_init(&o);
        o.resolution = resolution;
        TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
        const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        double found = top->modularity;
        TEST_OK(context,
                cafe_partition_bound_find(context, s.op, resolution, found, 0, NULL, &pairs));
        TEST_OK(context,
                cafe_partition_bound_find(context, s.op, resolution, found, 0.1, NULL, &rows));
        assert_true(rows.bound > found - 1e-9);
        assert_true(rows.bound - found < 0.5 * (pairs.bound - found));
        cafe_layers_free(layers);
        close_sum(&s);
    }
    cafe_context_free(context);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Returns whether u has an edge to the community. */
static bool is_next_to(const level *l, const int32_t *part, int64_t u, int32_t community) {
    for (int64_t j = l->g->offsets[u]; j < l->g->offsets[u + 1]; j++)
        if (l->g->targets[j] != u && part[l->g->targets[j]] == community) return true;
    return false;
}

/* z_u(S) of all communities from the dense matrix. */
static void attach(const sum *s, const int32_t *part, int64_t u, double resolution, double *z) {
    for (int64_t c = 0; c < s->n; c++) z[c] = 0;
    for (int64_t w = 0; w < s->n; w++)
        if (w != u) z[part[w]] += covariance(s, u, w, resolution);
}

/* After moves node by node no node gains by another one, and the modularity did not fall. */
static void moves_end_where_no_node_gains(void **state) {
    (void)state;
    enum { N = 90 };
    cafe_context *context = test_context(1, 1);
    for (uint64_t trial = 0; trial < 2 * KINDS; trial++) {
        double resolution = trial < KINDS ? 1 : 1.7, z[N];
        int32_t part[N];
        sum s = open_sum(context, N, 400, sum_weights[trial % KINDS], 7 + 10 * trial);
        level l = open_level(context, &s, resolution);
        random_parts(N, 9, trial + 1, part);
        double before = modularity_of(&s, part, resolution);
        /* a visit to all nodes, since masses change what nodes gain that are not next to a move */
        for (int pass = 0; pass < 20; pass++)
            TEST_OK(context, cafe_layers_move(context, l.g, resolution, N, trial, part));
        double after = modularity_of(&s, part, resolution);
        assert_true(after > before + 0.01);
        for (int64_t u = 0; u < N; u++) {
            attach(&s, part, u, resolution, z);
            assert_true(z[part[u]] > -1e-7);
            for (int32_t c = 0; c < N; c++)
                if (is_next_to(&l, part, u, c)) assert_true(z[c] < z[part[u]] + 1e-7);
        }
        close_level(context, &l);
        close_sum(&s);
    }
    cafe_context_free(context);
}

/* However many nodes move at once, for any threads. */
static void chunks_never_lower_the_modularity(void **state) {
    (void)state;
    static const int64_t chunks[] = {1, 2, 5, 16, 60};
    static const int32_t threads[] = {1, 2, 3, 8};
    int64_t grown = 0;
    for (uint64_t trial = 0; trial < 5 * KINDS; trial++) {
        int32_t first[MOST], part[MOST];
        for (int t = 0; t < 4; t++) {
            cafe_context *context = test_context(threads[t], 1);
            sum s = open_sum(context, MOST, 1500, sum_weights[trial % KINDS], 3 + 10 * trial);
            level l = open_level(context, &s, 1.3);
            random_parts(MOST, 1 + (int64_t)trial, trial + 1, part);
            double before = modularity_of(&s, part, 1.3);
            TEST_OK(context, cafe_layers_move(context, l.g, 1.3, chunks[trial / KINDS], 0, part));
            double after = modularity_of(&s, part, 1.3);
            assert_true(after > before - 1e-9);
            grown += after > before + 0.01;
            if (t == 0) memcpy(first, part, sizeof part);
            assert_memory_equal(first, part, sizeof part);
            close_level(context, &l);
            close_sum(&s);
            cafe_context_free(context);
        }
    }
    assert_true(grown >= 4 * 5 * KINDS - 8);
}

/* Refined parts lie inside their communities and have at least the modularity of single nodes; the
 * graph of the parts has the modularity of the nodes. */
static void refinement_and_pooling_keep_their_promises(void **state) {
    (void)state;
    for (uint64_t trial = 0; trial < 2 * KINDS; trial++) {
        cafe_context *context = test_context(2, 5);
        int32_t part[MOST], refined[MOST], alone[MOST];
        int64_t count;
        double modularity;
        cafe_pooled *coarse;
        sum s = open_sum(context, MOST, 1500, sum_weights[trial % KINDS], 11 + 10 * trial);
        level l = open_level(context, &s, 1);
        random_parts(MOST, 6, trial + 1, part);
        for (int32_t u = 0; u < MOST; u++) alone[u] = u;
        TEST_OK(context,
                cafe_layers_refine(context, l.g, 1, part, 6, trial + 1, trial % 2 == 1, refined));
        for (int64_t u = 0; u < MOST; u++) assert_int_equal(part[u], part[refined[u]]);
        assert_true(modularity_of(&s, refined, 1) > modularity_of(&s, alone, 1) + 0.01);
        TEST_OK(context, cafe_groups_number(context, MOST, refined, &count));
        assert_true(count > 6 && count < MOST);
        TEST_OK(context, cafe_coarsen(context, l.g, refined, count, &coarse));
        TEST_OK(context, cafe_layers_modularity(context, coarse, 1, NULL, count, &modularity));
        assert_float_equal(modularity, modularity_of(&s, refined, 1), 1e-7);
        cafe_pooled_free(coarse);
        close_level(context, &l);
        close_sum(&s);
        cafe_context_free(context);
    }
}

/* ---- whole searches -------------------------------------------------------------------------- */

static void searches_have_the_same_bits_for_any_threads(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    for (uint64_t trial = 0; trial < KINDS; trial++) {
        int32_t first[MOST];
        for (int t = 0; t < 4; t++) {
            cafe_context *context = test_context(threads[t], 9);
            sum s = open_sum(context, MOST, 1500, sum_weights[trial], 31 + trial);
            cafe_layers_options o;
            cafe_layers *layers;
            cafe_layers_options_init(&o);
            o.effort = trial == 0 ? "fast" : NULL, o.chunks = trial == 2 ? 7 : 0;
            TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
            double last = -HUGE_VAL;
            for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
                const cafe_layer *layer = cafe_layers_get(layers, i);
                assert_float_equal(layer->modularity, modularity_of(&s, layer->partition, 1), 1e-7);
                assert_true(layer->modularity > last - 1e-9);
                last = layer->modularity;
            }
            const int32_t *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1)->partition;
            if (t == 0) memcpy(first, top, sizeof first);
            assert_memory_equal(first, top, sizeof first);
            cafe_layers_free(layers);
            close_sum(&s);
            cafe_context_free(context);
        }
    }
}

/* Sizes and numbers of communities hold, and what follows a search loses no more than its joins. */
static void limits_hold(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 9);
    for (uint64_t trial = 0; trial < 2 * KINDS; trial++) {
        sum s = open_sum(context, MOST, 1500, sum_weights[trial % KINDS], 51 + 10 * trial);
        int64_t size[MOST] = {0};
        cafe_layers_options o;
        cafe_layers *layers;
        cafe_layers_options_init(&o);
        if (trial < KINDS)
            o.communities = 30;
        else
            o.max_size = 20, o.min_size = 3;
        TEST_OK(context, cafe_layers_find(context, s.op, &o, &layers));
        const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        for (int64_t u = 0; u < MOST; u++) size[top->partition[u]]++;
        if (trial < KINDS) assert_int_equal(top->communities, 30);
        for (int64_t c = 0; c < top->communities && trial >= KINDS; c++)
            assert_in_range(size[c], 3, 20);
        assert_float_equal(top->modularity, modularity_of(&s, top->partition, 1), 1e-7);
        cafe_layers_free(layers);
        close_sum(&s);
    }
    cafe_context_free(context);
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    sum s = open_sum(context, 60, 200, sum_weights[0], 5);
    cafe_layers_options o;
    cafe_layers_options_init(&o);
    o.effort = "fast", o.chunks = 5;
    for (long k = 0;; k++) {
        cafe_layers *layers = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_layers_find(context, s.op, &o, &layers);
        int failed = test_failing_disarm(&memory);
        cafe_layers_free(layers);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    close_sum(&s);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_graphs_get_a_best_partition),
        cmocka_unit_test(inequalities_bound_sums),
        cmocka_unit_test(moves_end_where_no_node_gains),
        cmocka_unit_test(chunks_never_lower_the_modularity),
        cmocka_unit_test(refinement_and_pooling_keep_their_promises),
        cmocka_unit_test(searches_have_the_same_bits_for_any_threads),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
