/* Communities layer by layer: every figure recomputed from its definition, and what the method
 * promises checked on random graphs with weights, loops, several components and isolated nodes.
 */
#define _GNU_SOURCE
#include "dense.h"
#include "failing.h"
#include "graph/permutation.h"
#include "graphs.h"
#include "operator/operator.h"
#include "solve/layers.h"
#include "team.h"

/* A graph with its operator. */
typedef struct setting {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
} setting;

static setting begin(cafe_context *context, cafe_graph *graph) {
    setting s = {context, graph, NULL, NULL};
    assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &s.sampled),
                     CAFE_OK);
    assert_int_equal(cafe_operator_modularity(context, s.sampled, &s.op), CAFE_OK);
    return s;
}

static void end(setting *s) {
    cafe_operator_free(s->op);
    cafe_sampled_free(s->sampled);
    cafe_graph_free(s->graph);
}

static cafe_layers_options with(double resolution, int32_t refine, const char *effort,
                                int64_t chunks) {
    cafe_layers_options o;
    cafe_layers_options_init(&o);
    o.resolution = resolution;
    o.refine = refine;
    o.effort = refine ? effort : NULL; /* without refinement there is one round */
    o.chunks = chunks;
    return o;
}

static cafe_layers *find(const setting *s, const cafe_layers_options *options) {
    cafe_layers *layers = NULL;
    if (cafe_layers_find(s->context, s->op, options, &layers) != CAFE_OK)
        fail_msg("%s", cafe_error(s->context));
    assert_true(cafe_layers_count(layers) >= 1);
    return layers;
}

static cafe_layer top_of(const cafe_layers *layers) {
    cafe_layer top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    return top;
}

/* ---- independent recomputation --------------------------------------------------------------- */

/* sum over pairs in the same community of p(u,w) - resolution p_u p_w */
static double dense_modularity(const cafe_graph *graph, const int32_t *part, double resolution) {
    int64_t n = cafe_graph_nodes(graph);
    double sum = 0, *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(graph, p);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (part[u] == part[w]) sum += q[u * n + w] + (1 - resolution) * p[u] * p[w];
    free(p);
    free(q);
    return sum;
}

/* Pieces into which the communities fall when only edges inside them count. */
static int64_t count_pieces(const cafe_graph *graph, const int32_t *part) {
    int64_t n = cafe_graph_nodes(graph), pieces = n;
    int32_t *root = malloc((size_t)n * sizeof *root);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++) root[u] = (int32_t)u;
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            int32_t a = (int32_t)u, b = targets[j];
            if (part[a] != part[b]) continue;
            while (root[a] != a) a = root[a];
            while (root[b] != b) b = root[b];
            if (a == b) continue;
            root[a > b ? a : b] = a > b ? b : a;
            pieces--;
        }
    free(root);
    return pieces;
}

static void expect_first_appearance(const int32_t *part, int64_t n, int64_t communities) {
    int32_t next = 0;
    for (int64_t u = 0; u < n; u++) {
        assert_true(part[u] >= 0 && part[u] <= next);
        next += part[u] == next;
    }
    assert_int_equal(next, communities);
}

/* By size, the largest first; of equal ones the one of the lowest node. None is empty. */
static void expect_numbered(const int32_t *part, int64_t n, int64_t communities) {
    int64_t *size = calloc((size_t)communities, sizeof *size);
    int64_t *first = calloc((size_t)communities, sizeof *first);
    for (int64_t u = 0; u < n; u++) {
        assert_true(part[u] >= 0 && part[u] < communities);
        if (size[part[u]]++ == 0) first[part[u]] = u;
    }
    for (int64_t i = 0; i < communities; i++) {
        assert_true(size[i] > 0);
        if (i > 0)
            assert_true(size[i - 1] > size[i] ||
                        (size[i - 1] == size[i] && first[i - 1] < first[i]));
    }
    free(size);
    free(first);
}

/* Everything that holds for the layers of any graph. */
static void expect_sound(const setting *s, const cafe_layers *layers, double resolution,
                         int32_t connected) {
    int64_t n = cafe_graph_nodes(s->graph), count = cafe_layers_count(layers);
    cafe_layer layer, next;
    double last = -HUGE_VAL;
    for (int64_t i = 0; i < count; i++) {
        layer = *cafe_layers_get(layers, i);
        expect_numbered(layer.partition, n, layer.communities);
        double q = dense_modularity(s->graph, layer.partition, resolution);
        assert_true(fabs(layer.modularity - q) <= 1e-11 * (1 + resolution));
        assert_true(layer.modularity >= last - 1e-12 * (1 + resolution));
        last = layer.modularity;
        if (connected) assert_int_equal(count_pieces(s->graph, layer.partition), layer.communities);
        assert_int_equal(layer.parent == NULL, i + 1 == count);
        if (!layer.parent) continue;
        next = *cafe_layers_get(layers, i + 1);
        assert_true(next.communities < layer.communities);
        for (int64_t u = 0; u < n; u++)
            assert_int_equal(layer.parent[layer.partition[u]], next.partition[u]);
    }
}

/* ---- random graphs --------------------------------------------------------------------------- */

static void random_graphs_are_sound(void **state) {
    cafe_context *context = test_context(2, 7);
    const double resolutions[] = {0.3, 1, 2.5};
    const int64_t chunks[] = {0, 1, 3, 16, 1000};
    (void)state;
    for (int trial = 0; trial < 30; trial++) {
        int64_t n = 12 + 5 * trial;
        setting s = begin(
            context, test_random(context, n, 3 * n, trial % 2, trial % 3 == 0, (uint64_t)trial));
        double resolution = resolutions[trial % 3];
        for (int32_t refine = 0; refine < 2; refine++) {
            cafe_layers_options o =
                with(resolution, refine, trial % 2 ? "fast" : NULL, chunks[trial % 5]);
            cafe_layers *layers = find(&s, &o);
            expect_sound(&s, layers, resolution, refine);
            assert_true(top_of(layers).modularity >= 0 || resolution > 1);
            cafe_layers_free(layers);
        }
        end(&s);
    }
    cafe_context_free(context);
}

/* A search begins with the one round of "fast", and "high" with that search. */
static void more_effort_is_no_worse(void **state) {
    const char *efforts[] = {"fast", "normal", "high", "0.05"};
    cafe_context *context = test_context(1, 3);
    (void)state;
    for (uint64_t seed = 1; seed < (TEST_SANITIZED ? 2 : 4); seed++) {
        setting s = begin(context, test_random(context, 200, 700, 1, 0, seed));
        double found[4];
        for (int e = 0; e < 4; e++) {
            cafe_layers_options o = with(1, 1, efforts[e], 0);
            cafe_layers *layers = find(&s, &o);
            found[e] = top_of(layers).modularity;
            expect_sound(&s, layers, 1, 1);
            cafe_layers_free(layers);
        }
        assert_true(found[0] <= found[1] && found[1] <= found[2] && found[0] <= found[3]);
        end(&s);
    }
    cafe_context_free(context);
}

/* ---- the same bits --------------------------------------------------------------------------- */

static void expect_same(const cafe_layers *a, const cafe_layers *b, int64_t n) {
    assert_int_equal(cafe_layers_count(a), cafe_layers_count(b));
    for (int64_t i = 0; i < cafe_layers_count(a); i++) {
        cafe_layer x, y;
        x = *cafe_layers_get(a, i);
        y = *cafe_layers_get(b, i);
        assert_int_equal(x.communities, y.communities);
        assert_memory_equal(&x.modularity, &y.modularity, sizeof x.modularity);
        assert_memory_equal(x.partition, y.partition, (size_t)n * sizeof *x.partition);
    }
}

static cafe_graph *planted(cafe_context *context, int64_t nodes, int64_t edges, double mixing,
                           int32_t *labels) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = nodes;
    o.edges = edges;
    o.blocks = 12;
    o.mixing = mixing;
    assert_int_equal(cafe_generate(context, CAFE_GENERATOR_PLANTED, &o, &graph, labels), CAFE_OK);
    return graph;
}

/* A graph of 8,000 nodes without communities of light nodes. */
static cafe_graph *hubs(cafe_context *context) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = 8000;
    o.edges = 100000;
    assert_int_equal(cafe_generate(context, CAFE_GENERATOR_RMAT, &o, &graph, NULL), CAFE_OK);
    return graph;
}

static void threads_change_no_bit(void **state) {
    const int64_t chunks[] = {0, 1, 4, 37};
    (void)state;
    for (int c = 0; c < 4; c += 1 + TEST_SANITIZED)
        for (int32_t refine = 0; refine < 2; refine++) {
            cafe_context *contexts[4];
            cafe_layers *layers[4];
            setting s[4];
            cafe_layers_options o = with(1, refine, NULL, chunks[c]);
            for (int t = 0; t < TEST_THREADS; t++) {
                contexts[t] = test_context(test_thread_counts[t], 11);
                s[t] = begin(contexts[t], planted(contexts[t], 4000, 20000, 0.4, NULL));
                layers[t] = find(&s[t], &o);
                expect_same(layers[0], layers[t], 4000);
            }
            for (int t = 0; t < TEST_THREADS; t++) {
                cafe_layers_free(layers[t]);
                end(&s[t]);
                cafe_context_free(contexts[t]);
            }
        }
}

/* Processes that share the work find what one finds alone. */
typedef struct shared_run {
    cafe_layers_options options;
    const cafe_layers *alone;
    bool hubs;
} shared_run;

static setting begin_shared(cafe_context *context, bool of_hubs) {
    return begin(context, of_hubs ? hubs(context) : planted(context, 4000, 20000, 0.4, NULL));
}

static void find_together(team_member *m, void *argument) {
    const shared_run *run = argument;
    m->context->team = NULL; /* the graph is everyone's own */
    setting s = begin_shared(m->context, run->hubs);
    m->context->team = &m->team;
    cafe_layers *layers = find(&s, &run->options);
    m->context->team = NULL;
    expect_same(run->alone, layers, run->hubs ? 8000 : 4000);
    cafe_layers_free(layers);
    end(&s);
}

static void processes_change_no_bit(void **state) {
    const int64_t chunks[] = {1, 4, 37, 64};
    (void)state;
    for (int c = 0; c < 4; c += 1 + TEST_SANITIZED) {
        cafe_context *context = test_context(2, 1);
        shared_run run = {.options = with(1, 1, c < 3 ? NULL : "fast", chunks[c]), .hubs = c == 3};
        setting s = begin_shared(context, run.hubs);
        cafe_layers *alone = find(&s, &run.options);
        run.alone = alone;
        team_run(2, find_together, &run);
#ifndef __SANITIZE_THREAD__
        team_run(3, find_together, &run);
        team_run(7, find_together, &run);
#endif
        cafe_layers_free(alone);
        end(&s);
        cafe_context_free(context);
    }
}

/* Enough nodes for several tasks: members ascend, numbers follow the first appearance. */
static void groups_are_counted_by_any_threads(void **state) {
    const int32_t threads[] = {1, 2, 3, 8};
    const int64_t n = 50000, ranges[] = {3, 700, 50000};
    int32_t *group = malloc((size_t)n * sizeof *group);
    (void)state;
    for (int t = 0; t < 12; t++) {
        cafe_context *context = test_context(threads[t % 4], 1);
        cafe_groups groups = {0, NULL, NULL};
        uint64_t numbers = (uint64_t)t;
        int64_t count = 0;
        for (int64_t u = 0; u < n; u++) group[u] = (int32_t)test_below(&numbers, ranges[t / 4]);
        assert_int_equal(cafe_groups_number(context, n, group, &count), CAFE_OK);
        expect_first_appearance(group, n, count);
        if (t & 1) {
            assert_int_equal(cafe_groups_by_size(context, n, group, count), CAFE_OK);
            expect_numbered(group, n, count);
        }
        assert_int_equal(cafe_groups_new(context, n, group, count, &groups), CAFE_OK);
        assert_int_equal(groups.start[0], 0);
        assert_int_equal(groups.start[count], n);
        for (int64_t i = 0; i < count; i++)
            for (int64_t m = groups.start[i]; m < groups.start[i + 1]; m++) {
                assert_int_equal(group[groups.member[m]], i);
                if (m > groups.start[i]) assert_true(groups.member[m] > groups.member[m - 1]);
            }
        cafe_groups_free(context, &groups);
        cafe_context_free(context);
    }
    free(group);
}

/* A table that hashes and one that does not, against sums in an array. */
static void bins_add_up(void **state) {
    cafe_context *context = test_context(1, 1);
    const int64_t ranges[] = {1, 40, 600, 100000}, entries[] = {1, 20, 300, 20000};
    (void)state;
    for (int t = 0; t < 16; t++) {
        int64_t range = ranges[t / 4], most = entries[t % 4], seen = 0;
        double *sum = calloc((size_t)range, sizeof *sum);
        uint64_t numbers = (uint64_t)t + 1;
        cafe_bins *bins = cafe_bins_new(context, 1, most, range);
        assert_non_null(bins);
        for (int64_t rows = 0; rows < 3; rows++) {
            cafe_bins_open(bins, most);
            for (int64_t i = 0; i < most; i++) {
                int32_t key = (int32_t)(test_below(&numbers, range) / 1024 * 1024 % range);
                seen += sum[key] == 0;
                sum[key] += (double)(i + 1);
                cafe_bins_add(bins, key, (double)(i + 1));
            }
            assert_int_equal(bins->count, seen);
            for (int64_t i = 0; i < bins->count; i++) {
                cafe_bin b = cafe_bins_at(bins, i);
                assert_true(b.sum == sum[b.key] && cafe_bins_sum(bins, b.key) == b.sum);
                sum[b.key] = 0;
            }
            cafe_bins_clear(bins);
            seen = 0;
        }
        cafe_bins_free(context, bins, 1);
        free(sum);
    }
    cafe_context_free(context);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static cafe_pooled *finest(const setting *s) {
    const cafe_operator_parts *p = &s->op->parts;
    cafe_pooled rows = {.n = p->n,
                        .offsets = p->offsets,
                        .targets = p->targets,
                        .single = p->weights,
                        .mass = p->p,
                        .total = p->total};
    cafe_pooled *g = NULL;
    assert_int_equal(cafe_pooled_view(s->context, rows, p->loops, &g), CAFE_OK);
    return g;
}

/* A random partition into about n / 4 groups, numbered. */
static int64_t random_groups(cafe_context *context, int64_t n, uint64_t *state, int32_t *group) {
    int64_t count = 0;
    for (int64_t u = 0; u < n; u++) group[u] = (int32_t)test_below(state, n / 4 + 1);
    assert_int_equal(cafe_groups_number(context, n, group, &count), CAFE_OK);
    return count;
}

static void pooling_keeps_sum_and_modularity(void **state) {
    cafe_context *context = test_context(3, 1);
    (void)state;
    for (uint64_t seed = 1; seed < 12; seed++) {
        int64_t n = 40 + 37 * (int64_t)seed;
        uint64_t numbers = seed;
        setting s = begin(context, test_random(context, n, 4 * n, seed % 2, seed % 3 > 0, seed));
        cafe_pooled *g = finest(&s), *coarse = NULL;
        int32_t *group = malloc((size_t)n * sizeof *group),
                *part = malloc((size_t)n * sizeof *part);
        int64_t groups = random_groups(context, n, &numbers, group);
        assert_int_equal(cafe_coarsen(context, g, group, groups, &coarse), CAFE_OK);
        double sum = 0, mass = 0, q = 0;
        for (int64_t i = 0; i < groups; i++) {
            double row = coarse->loops[i];
            for (int64_t j = coarse->offsets[i]; j < coarse->offsets[i + 1]; j++) {
                assert_int_not_equal(coarse->targets[j], i);
                row += coarse->pooled[j];
            }
            assert_true(fabs(row / coarse->total - coarse->mass[i]) < 1e-14);
            sum += row / coarse->total;
            mass += coarse->mass[i];
        }
        assert_true(fabs(sum - 1) < 1e-12 && fabs(mass - 1) < 1e-12);
        int32_t *above = malloc((size_t)groups * sizeof *above);
        int64_t count = random_groups(context, groups, &numbers, above);
        for (int64_t u = 0; u < n; u++) part[u] = above[group[u]];
        assert_int_equal(cafe_layers_modularity(context, coarse, 1.5, above, count, &q), CAFE_OK);
        assert_true(fabs(q - dense_modularity(s.graph, part, 1.5)) < 1e-12);
        free(above);
        free(part);
        free(group);
        cafe_pooled_free(coarse);
        cafe_pooled_free(g);
        end(&s);
    }
    cafe_context_free(context);
}

/* order[n] at random, place[order[i]] = i */
static void random_order(int64_t n, uint64_t *state, int32_t *order, int32_t *place) {
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = test_below(state, i + 1);
        int32_t held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    for (int64_t i = 0; i < n; i++) place[order[i]] = (int32_t)i;
}

/* Layers found in another order of the nodes, brought back, are sound for the graph as it is. */
static void order_of_nodes_is_taken_back(void **state) {
    const int32_t n = 300;
    cafe_context *context = test_context(3, 1);
    int32_t order[300], place[300], part[300], above[300];
    (void)state;
    for (uint64_t seed = 1; seed < 7; seed++) {
        setting s = begin(context, test_random(context, n, 900, seed % 2, seed % 3 > 0, seed));
        cafe_pooled *g = finest(&s), *moved = NULL, *coarse = NULL;
        cafe_layers *layers = cafe_layers_new(context, n);
        int64_t count, next;
        double q;
        uint64_t numbers = seed;
        random_order(n, &numbers, order, place);
        assert_int_equal(cafe_pooled_permute(context, g, order, place, &moved), CAFE_OK);
        for (int32_t i = 0; i < n; i++) part[i] = i;
        assert_int_equal(cafe_layers_move(context, moved, 1, 0, 0, part), CAFE_OK);
        assert_int_equal(cafe_groups_number(context, n, part, &count), CAFE_OK);
        assert_int_equal(cafe_layers_modularity(context, moved, 1, part, count, &q), CAFE_OK);
        assert_int_equal(cafe_layers_add(context, layers, part, count, q), CAFE_OK);
        assert_int_equal(cafe_coarsen(context, moved, part, count, &coarse), CAFE_OK);
        for (int32_t i = 0; i < count; i++) above[i] = i;
        assert_int_equal(cafe_layers_move(context, coarse, 1, 0, 0, above), CAFE_OK);
        above[count - 1] = above[0]; /* one community fewer in any case */
        assert_int_equal(cafe_groups_number(context, count, above, &next), CAFE_OK);
        assert_int_equal(cafe_layers_modularity(context, coarse, 1, above, next, &q), CAFE_OK);
        assert_int_equal(cafe_layers_add(context, layers, above, next, q), CAFE_OK);
        assert_int_equal(cafe_layers_restore(context, layers, place), CAFE_OK);
        for (int l = 0; l < 2; l++) {
            cafe_layer layer = *cafe_layers_get(layers, l);
            expect_numbered(layer.partition, n, layer.communities);
            q = dense_modularity(s.graph, layer.partition, 1);
            assert_true(fabs(layer.modularity - q) < 1e-12);
            for (int32_t u = 0; u < n && l == 0; u++)
                assert_int_equal(layer.parent[layer.partition[u]], top_of(layers).partition[u]);
        }
        cafe_layers_free(layers);
        cafe_pooled_free(coarse);
        cafe_pooled_free(moved);
        cafe_pooled_free(g);
        end(&s);
    }
    cafe_context_free(context);
}

/* No node gains by going to any other community, or by being alone. */
static void expect_settled(const setting *s, const int32_t *part, double resolution) {
    int64_t n = cafe_graph_nodes(s->graph);
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(s->graph, p);
    double *z = malloc((size_t)n * sizeof *z);
    for (int64_t u = 0; u < n; u++) {
        for (int64_t c = 0; c < n; c++) z[c] = 0;
        for (int64_t w = 0; w < n; w++)
            if (w != u) z[part[w]] += q[u * n + w] + (1 - resolution) * p[u] * p[w];
        for (int64_t c = 0; c < n; c++) assert_true(z[c] - z[part[u]] <= 1.1e-10 * p[u] + 1e-16);
        assert_true(z[part[u]] >= -1.1e-10 * p[u] - 1e-16);
    }
    free(z);
    free(q);
    free(p);
}

/* Moves until a call, which looks at every node, changes nothing; the modularity never falls. */
static void climb(const setting *s, const cafe_pooled *g, int64_t chunks, int32_t *part) {
    size_t bytes = (size_t)g->n * sizeof *part;
    int32_t *before = malloc(bytes);
    double q = dense_modularity(s->graph, part, 1), next;
    do {
        memcpy(before, part, bytes);
        assert_int_equal(cafe_layers_move(s->context, g, 1, chunks, 0, part), CAFE_OK);
        next = dense_modularity(s->graph, part, 1);
        assert_true(next >= q - 1e-14);
        q = next;
    } while (memcmp(before, part, bytes) != 0);
    free(before);
}

static void moving_climbs_and_settles(void **state) {
    const int64_t chunks[] = {0, 1, 2, 5, 17};
    (void)state;
    cafe_context *context = test_context(3, 1);
    for (int trial = 0; trial < 25; trial++) {
        int64_t n = 60 + 10 * trial;
        uint64_t numbers = (uint64_t)trial;
        setting s = begin(context, test_random(context, n, (2 + trial % 6) * n, trial % 2,
                                               trial % 3 == 0, (uint64_t)trial));
        cafe_pooled *g = finest(&s);
        int32_t *part = malloc((size_t)n * sizeof *part);
        random_groups(context, n, &numbers, part);
        climb(&s, g, chunks[trial % 5], part);
        expect_settled(&s, part, 1);
        free(part);
        cafe_pooled_free(g);
        end(&s);
    }
    cafe_context_free(context);
}

/* Everybody at once, on a graph where everybody wants to change sides: moving all would fall. */
static void one_chunk_of_a_bipartite_graph_ends(void **state) {
    cafe_context *context = test_context(2, 1);
    setting s = begin(context, test_bipartite(context, 40, 40));
    cafe_layers_options o = with(1, 1, NULL, 1);
    (void)state;
    cafe_layers *layers = find(&s, &o);
    expect_sound(&s, layers, 1, 1);
    assert_true(top_of(layers).modularity >= -1e-12);
    cafe_layers_free(layers);
    end(&s);
    cafe_context_free(context);
}

static void refinement_splits_into_connected_parts(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (uint64_t seed = 1; seed < 10; seed++) {
        int64_t n = 300, count;
        uint64_t numbers = seed;
        setting s = begin(context, test_random(context, n, 900, seed % 2, seed % 2, seed));
        cafe_pooled *g = finest(&s);
        int32_t *part = malloc((size_t)n * sizeof *part), *fine = malloc((size_t)n * sizeof *fine);
        for (int64_t u = 0; u < n; u++) part[u] = (int32_t)test_below(&numbers, 4);
        assert_int_equal(cafe_groups_number(context, n, part, &count), CAFE_OK);
        assert_int_equal(cafe_layers_refine(context, g, 1, part, count, seed, seed % 2, fine),
                         CAFE_OK);
        assert_int_equal(cafe_groups_number(context, n, fine, &count), CAFE_OK);
        assert_int_equal(count_pieces(s.graph, fine), count);
        for (int64_t u = 0; u < n; u++)
            for (int64_t w = 0; w < u; w++)
                if (fine[u] == fine[w]) assert_int_equal(part[u], part[w]);
        free(fine);
        free(part);
        cafe_pooled_free(g);
        end(&s);
    }
    cafe_context_free(context);
}

/* ---- known answers --------------------------------------------------------------------------- */

static void karate_reaches_its_best_partition(void **state) {
    cafe_context *context = test_context(1, 1);
    setting s = begin(context, test_karate(context));
    (void)state;
    cafe_layers *layers = find(&s, NULL);
    expect_sound(&s, layers, 1, 1);
    assert_true(top_of(layers).modularity > 0.4197); /* 0.419790 is known to be the maximum */
    cafe_layers_free(layers);
    cafe_layers_options paper = with(1, 0, NULL, 0);
    layers = find(&s, &paper);
    expect_sound(&s, layers, 1, 0);
    assert_true(top_of(layers).modularity > 0.39);
    cafe_layers_free(layers);
    end(&s);
    cafe_context_free(context);
}

static cafe_graph *ring_of_cliques(cafe_context *context, int32_t cliques, int32_t size) {
    test_links l = test_links_new((int64_t)cliques * (size * (size - 1) / 2 + 1));
    l.count = 0;
    for (int32_t c = 0; c < cliques; c++) {
        for (int32_t a = 0; a < size; a++)
            for (int32_t b = 0; b < a; b++) {
                l.source[l.count] = c * size + a;
                l.target[l.count++] = c * size + b;
            }
        l.source[l.count] = c * size;
        l.target[l.count++] = (c + 1) % cliques * size + 1;
    }
    cafe_graph *graph = test_graph(context, (int64_t)cliques * size, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static void cliques_of_a_ring_are_found(void **state) {
    cafe_context *context = test_context(2, 1);
    setting s = begin(context, ring_of_cliques(context, 9, 6));
    (void)state;
    for (int32_t refine = 0; refine < 2; refine++) {
        cafe_layers_options o = with(1, refine, NULL, 0);
        cafe_layers *layers = find(&s, &o);
        cafe_layer top = top_of(layers);
        assert_int_equal(top.communities, 9);
        for (int32_t u = 0; u < 54; u++) assert_int_equal(top.partition[u], u / 6);
        cafe_layers_free(layers);
    }
    end(&s);
    cafe_context_free(context);
}

/* The first round finds the best partition of a graph with clear communities. Two more fresh starts
 * find it again, which ends the search: hierarchies built count its time. */
static void searches_that_agree_end(void **state) {
    cafe_context *context = test_context(1, 1);
    setting s = begin(context, ring_of_cliques(context, 9, 6));
    cafe_progress progress;
    (void)state;
    cafe_layers *layers = find(&s, NULL);
    cafe_get_progress(context, &progress);
    assert_true(progress.step >= 2 && progress.step <= 6);
    cafe_layers_free(layers);
    end(&s);
    cafe_context_free(context);
}

static void planted_blocks_are_recovered(void **state) {
    const int64_t n = 3000, chunks[] = {0, 8};
    cafe_context *context = test_context(2, 5);
    int32_t *labels = malloc((size_t)n * sizeof *labels), block[64];
    setting s = begin(context, planted(context, n, 30000, 0.1, labels));
    (void)state;
    for (int c = 0; c < 2; c++) {
        cafe_layers_options o = with(1, 1, NULL, chunks[c]);
        cafe_layers *layers = find(&s, &o);
        cafe_layer top = top_of(layers);
        int64_t strangers = 0;
        assert_int_equal(top.communities, 12);
        for (int i = 0; i < 64; i++) block[i] = -1;
        for (int64_t u = 0; u < n; u++) {
            if (block[top.partition[u]] < 0) block[top.partition[u]] = labels[u];
            strangers += block[top.partition[u]] != labels[u];
        }
        assert_true(strangers <= n / 200); /* nodes of few edges may be nearer to another block */
        cafe_layers_free(layers);
    }
    end(&s);
    free(labels);
    cafe_context_free(context);
}

/* Equal blocks of a graph that counts as large: a hierarchy leaves some nodes in the wrong block,
 * and rounds go on until they are home. */
static void equal_blocks_of_a_large_graph_are_found(void **state) {
    const int64_t n = TEST_LARGE(60000);
    cafe_context *context = test_context(2, 1);
    int32_t *labels = malloc((size_t)n * sizeof *labels);
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    double planted_modularity;
    (void)state;
    cafe_generate_options_init(&o);
    o.nodes = n;
    o.edges = TEST_LARGE(540000);
    o.blocks = 60;
    o.mixing = 0.3;
    assert_int_equal(cafe_generate(context, CAFE_GENERATOR_SBM, &o, &graph, labels), CAFE_OK);
    setting s = begin(context, graph);
    cafe_pooled *g = finest(&s);
    assert_int_equal(cafe_layers_modularity(context, g, 1, labels, 60, &planted_modularity),
                     CAFE_OK);
    cafe_layers *layers = find(&s, NULL);
    assert_int_equal(top_of(layers).communities, 60);
    assert_true(top_of(layers).modularity >= planted_modularity);
    cafe_layers_free(layers);
    cafe_pooled_free(g);
    end(&s);
    free(labels);
    cafe_context_free(context);
}

/* Without communities of light nodes: chunks begin again with the nodes of most edges, and find
 * more than nodes one by one do (0.110). Chunks in the order of nodes find 0.110 too. Threads
 * change no bit. */
static void nodes_of_most_edges_find_more(void **state) {
    cafe_layers *layers[4];
    cafe_context *contexts[4];
    cafe_layers_options o = with(1, 1, "fast", 64);
    setting s[4];
    (void)state;
    for (int t = 0; t < TEST_THREADS; t++) {
        contexts[t] = test_context(test_thread_counts[t], 1);
        s[t] = begin(contexts[t], hubs(contexts[t]));
        layers[t] = find(&s[t], &o);
        expect_same(layers[0], layers[t], 8000);
    }
    expect_sound(&s[0], layers[0], 1, 1);
    assert_true(top_of(layers[0]).modularity > 0.116);
    for (int t = 0; t < TEST_THREADS; t++) {
        cafe_layers_free(layers[t]);
        end(&s[t]);
        cafe_context_free(contexts[t]);
    }
}

/* More than four million arcs: rows are gathered by community, and the upper layers are built
 * several times in a round. */
static void graphs_beyond_the_caches_are_sound(void **state) {
    const int64_t n = 4000;
    cafe_layers *layers[2];
    cafe_context *contexts[2];
    setting s[2];
    (void)state;
    TEST_NOT_OF_THREADS();
    for (int t = 0; t < 2; t++) {
        cafe_generate_options o;
        cafe_graph *graph = NULL;
        contexts[t] = test_context(1 + 2 * t, 1);
        cafe_generate_options_init(&o);
        o.nodes = n;
        o.edges = 2200000;
        o.blocks = 8;
        o.mixing = 0.7;
        assert_int_equal(cafe_generate(contexts[t], CAFE_GENERATOR_SBM, &o, &graph, NULL), CAFE_OK);
        s[t] = begin(contexts[t], graph);
        layers[t] = find(&s[t], NULL);
    }
    expect_sound(&s[0], layers[0], 1, 1);
    expect_same(layers[0], layers[1], n);
    assert_int_equal(top_of(layers[0]).communities, 8);
    for (int t = 0; t < 2; t++) {
        cafe_layers_free(layers[t]);
        end(&s[t]);
        cafe_context_free(contexts[t]);
    }
}

static void resolution_goes_from_components_to_single_nodes(void **state) {
    cafe_context *context = test_context(1, 1);
    setting s = begin(context, test_random(context, 150, 260, 1, 0, 4));
    cafe_graph_counts counts;
    (void)state;
    counts = *cafe_graph_get_counts(s.graph);
    for (int32_t refine = 0; refine < 2; refine++) {
        cafe_layers_options none = with(0, refine, NULL, 0), huge = with(1e9, refine, NULL, 0);
        cafe_layers *layers = find(&s, &none);
        assert_int_equal(top_of(layers).communities, counts.components);
        assert_true(fabs(top_of(layers).modularity - 1) < 1e-12);
        cafe_layers_free(layers);
        layers = find(&s, &huge);
        assert_int_equal(top_of(layers).communities, 150);
        cafe_layers_free(layers);
    }
    end(&s);
    cafe_context_free(context);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void bad_options_are_refused(void **state) {
    cafe_context *context = test_context(1, 1);
    setting s = begin(context, test_karate(context));
    cafe_layers_options bad[] = {with(-1, 1, NULL, 0), with(NAN, 1, NULL, 0), with(1, 2, NULL, 0),
                                 with(1, 1, NULL, -1), with(1, 1, "0", 0),    with(1, 1, "-3", 0),
                                 with(1, 1, "much", 0)};
    cafe_layers *layers = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cafe_layers_find(context, s.op, &bad[i], &layers), CAFE_ERROR_ARGUMENT);
        assert_null(layers);
        assert_true(cafe_error(context)[0] != 0);
    }
    end(&s);
    cafe_context_free(context);
}

static void every_failed_allocation_is_survived(void **state) {
    const int64_t chunks[] = {0, 3};
    test_failing f;
    cafe_context *context = test_failing_context(&f, 2);
    setting s = begin(context, test_random(context, 60, 200, 1, 1, 9));
    (void)state;
    for (int c = 0; c < 2; c++)
        for (long k = 0;; k++) {
            cafe_layers_options o = with(1, 1, NULL, chunks[c]);
            cafe_layers *layers = NULL;
            long live = test_failing_arm(&f, k);
            cafe_status status = cafe_layers_find(context, s.op, &o, &layers);
            int failed = test_failing_disarm(&f);
            test_failing_expect(&f, status, failed, live, context);
            cafe_layers_free(layers);
            if (!failed) break;
        }
    end(&s);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&f.live), 0);
}

static void cancelled_runs_stop(void **state) {
    cafe_context *context = test_context(2, 1);
    setting s = begin(context, test_karate(context));
    cafe_layers *layers = NULL;
    (void)state;
    cafe_cancel(context);
    assert_int_equal(cafe_layers_find(context, s.op, NULL, &layers), CAFE_ERROR_CANCELLED);
    assert_null(layers);
    cafe_reset_cancel(context);
    assert_int_equal(cafe_layers_find(context, s.op, NULL, &layers), CAFE_OK);
    cafe_layers_free(layers);
    cafe_layers_free(NULL);
    end(&s);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_are_sound),
        cmocka_unit_test(more_effort_is_no_worse),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(processes_change_no_bit),
        cmocka_unit_test(groups_are_counted_by_any_threads),
        cmocka_unit_test(bins_add_up),
        cmocka_unit_test(pooling_keeps_sum_and_modularity),
        cmocka_unit_test(order_of_nodes_is_taken_back),
        cmocka_unit_test(moving_climbs_and_settles),
        cmocka_unit_test(one_chunk_of_a_bipartite_graph_ends),
        cmocka_unit_test(refinement_splits_into_connected_parts),
        cmocka_unit_test(karate_reaches_its_best_partition),
        cmocka_unit_test(cliques_of_a_ring_are_found),
        cmocka_unit_test(searches_that_agree_end),
        cmocka_unit_test(planted_blocks_are_recovered),
        cmocka_unit_test(equal_blocks_of_a_large_graph_are_found),
        cmocka_unit_test(nodes_of_most_edges_find_more),
        cmocka_unit_test(graphs_beyond_the_caches_are_sound),
        cmocka_unit_test(resolution_goes_from_components_to_single_nodes),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(cancelled_runs_stop),
    };
    return cmocka_run_group_tests_name("layers", tests, NULL, NULL);
}
