/* Null models by name: operators against their definitions, modularity recomputed, planted groups
 * found again, sweeps that never lower the objective, the same bits for any threads, refusals.
 */
#include <stdio.h>

#include "dense_runs.h"
#include "failing.h"
#include "operator/operator.h"
#include "solve/solution.h"

enum { NODES = 120, EDGES = 1500, GROUPS = 4, ITEMS = 50, SLICES = 3 };

static const char *const names[] = {"configuration", "constant", "directed", "two-sided", "none"};

/* Directed edges with weights; groups u % GROUPS. Some nodes send much more than they receive. With
 * two sides, nodes below ITEMS are the targets. */
static test_links planted(bool two_sided, double mixing) {
    test_links l = test_links_new(EDGES);
    uint64_t seed = 7;
    for (int64_t i = 0; i < EDGES;) {
        int64_t u = test_below(&seed, NODES), w = test_below(&seed, two_sided ? ITEMS : NODES);
        if (two_sided && u < ITEMS) continue;
        if (u == w || (u % 5 != 0 && test_below(&seed, 3) > 0)) continue;
        bool mixed = (double)(test_number(&seed) >> 11) * 0x1p-53 < mixing;
        if (!mixed && u % GROUPS != w % GROUPS) continue;
        l.source[i] = (int32_t)u, l.target[i] = (int32_t)w;
        l.weights[i] = (float)(1 + i % 3);
        i++;
    }
    return l;
}

static cafe_graph *graph_of(cafe_context *context, const test_links *l) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.directed = CAFE_DIRECTED_SUM;
    return test_graph(context, NODES, l, 1, &o);
}

/* Q from the edges: A + A^T over 2m less the null model, times r. */
static double *dense_q(const test_links *l, cafe_null null, double r) {
    double out[NODES] = {0}, in[NODES] = {0}, m = 0, *q = calloc(NODES * NODES, sizeof *q);
    for (int64_t i = 0; i < l->count; i++) {
        int64_t u = l->source[i], w = l->target[i];
        q[u * NODES + w] += l->weights[i], q[w * NODES + u] += l->weights[i];
        out[u] += l->weights[i], in[w] += l->weights[i], m += l->weights[i];
    }
    for (int64_t i = 0; i < NODES * NODES; i++) {
        int64_t u = i / NODES, w = i % NODES;
        double both = (out[u] + in[u]) * (out[w] + in[w]) / (4 * m * m);
        double expected = null == CAFE_NULL_CONFIGURATION ? both
                          : null == CAFE_NULL_CONSTANT    ? 1.0 / (NODES * NODES)
                          : null == CAFE_NULL_NONE
                              ? 0
                              : (out[u] * in[w] + in[u] * out[w]) / (2 * m * m);
        q[i] = q[i] / (2 * m) - r * expected;
    }
    return q;
}

/* The same edges in slices, edge i in slice i mod SLICES. */
static cafe_graph *sliced(cafe_context *context, const test_links *l) {
    cafe_graph *graphs[SLICES], *all;
    for (int s = 0; s < SLICES; s++) {
        test_links part = test_links_new(l->count / SLICES);
        for (int64_t i = 0; i < part.count; i++) {
            part.source[i] = l->source[SLICES * i + s], part.target[i] = l->target[SLICES * i + s];
            part.weights[i] = l->weights[SLICES * i + s];
        }
        graphs[s] = graph_of(context, &part);
        test_links_free(&part);
    }
    TEST_OK(context,
            cafe_graph_couple(context, SLICES, (const cafe_graph *const *)graphs, NULL, 1, &all));
    for (int s = 0; s < SLICES; s++) cafe_graph_free(graphs[s]);
    return all;
}

/* NODE@SLICE */
static int32_t node_of(const cafe_graph *all, int64_t copy) {
    char name[32];
    int node, slice;
    cafe_graph_name(all, copy, name, sizeof name);
    assert_int_equal(sscanf(name, "%d@%d", &node, &slice), 2);
    assert_int_equal(slice, all->slice[copy]);
    return node;
}

/* Q of slices: the edges less, in each slice, the null model of its own edges and nodes. */
static double *dense_slices(const cafe_graph *all, const test_links *l, cafe_null null, double r) {
    static double out[SLICES][NODES], in[SLICES][NODES];
    static int32_t node[SLICES * NODES];
    double m[SLICES] = {0}, nodes[SLICES] = {0}, total = all->counts.total_weight;
    int64_t n = all->n;
    memset(out, 0, sizeof out), memset(in, 0, sizeof in);
    for (int64_t i = 0; i < l->count; i++) {
        out[i % SLICES][l->source[i]] += l->weights[i],
            in[i % SLICES][l->target[i]] += l->weights[i];
        m[i % SLICES] += l->weights[i];
    }
    double *q = calloc((size_t)(n * n), sizeof *q);
    for (int64_t i = 0; i < n; i++) node[i] = node_of(all, i), nodes[all->slice[i]]++;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = all->offsets[i]; j < all->offsets[i + 1]; j++)
            q[i * n + all->targets[j]] += all->weights[j] / total;
    for (int64_t i = 0; i < n * n; i++) {
        int s = all->slice[i / n];
        int32_t u = node[i / n], w = node[i % n];
        if (s != all->slice[i % n] || null == CAFE_NULL_NONE) continue;
        double both = (out[s][u] + in[s][u]) * (out[s][w] + in[s][w]) / (4 * m[s] * m[s]);
        double across = (out[s][u] * in[s][w] + in[s][u] * out[s][w]) / (2 * m[s] * m[s]);
        double expected = null == CAFE_NULL_CONFIGURATION ? both
                          : null == CAFE_NULL_CONSTANT    ? 1 / (nodes[s] * nodes[s])
                                                          : across;
        q[i] -= r * (2 * m[s] / total) * expected;
    }
    return q;
}

static cafe_run *run_of(cafe_context *context, const cafe_graph *graph, cafe_purpose purpose,
                        const char *method, const char *null, const char *option,
                        const char *value) {
    const char *const options[] = {"null", null, option, value, NULL};
    return test_run(context, graph, purpose, method, options);
}

static void operators_are_those_of_their_names(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    for (int null = 0; null <= CAFE_NULL_NONE; null++) {
        test_links l = planted(null == CAFE_NULL_TWO_SIDED, 0.2);
        cafe_graph *graph = graph_of(context, &l);
        double *q = dense_q(&l, (cafe_null)null, 1);
        cafe_run *run = run_of(context, graph, CAFE_PURPOSE_VECTORS, "sphere", names[null],
                               "degree-exponent", "0");
        test_operator_is(context, run, NODES, q);
        cafe_run_free(run);
        free(q);
        test_links_free(&l);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* By layers and from there by softmax: the value is that of the definition, at any resolution, and
 * the groups are those that were planted. */
static void planted_groups_are_found(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    for (int null = 0; null < CAFE_NULL_NONE; null++)
        for (int i = 0; i < 3; i++) {
            test_links l = planted(null == CAFE_NULL_TWO_SIDED, 0.2);
            cafe_graph *graph = graph_of(context, &l);
            double r = i == 1 ? 1.4 : 1, *q = dense_q(&l, (cafe_null)null, r);
            cafe_run *run =
                run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, i == 2 ? "softmax" : "layers",
                       names[null], i == 2 ? "initial" : "resolution",
                       i == 2   ? "layers"
                       : i == 1 ? "1.4"
                                : "1");
            const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
            assert_float_equal(info->modularity, test_modularity(q, NODES, info->partition), 1e-7);
            int64_t same = 0;
            for (int32_t u = 0; u < NODES; u++)
                same += info->partition[u] == info->partition[u % GROUPS];
            assert_true(i == 1 || same > 0.95 * NODES);
            cafe_run_free(run);
            free(q);
            test_links_free(&l);
            cafe_graph_free(graph);
        }
    cafe_context_free(context);
}

/* Every slice has the null model for itself; edges between copies have none. */
static void slices_have_null_models_of_their_own(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    for (int null = 0; null <= CAFE_NULL_NONE; null++) {
        test_links l = planted(null == CAFE_NULL_TWO_SIDED, 0.1);
        cafe_graph *all = sliced(context, &l);
        int64_t n = all->n, same = 0;
        double *q = dense_slices(all, &l, (cafe_null)null, 1);
        cafe_run *run =
            run_of(context, all, CAFE_PURPOSE_COMMUNITIES, "layers", names[null], NULL, NULL);
        test_operator_is(context, run, n, q);
        const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
        assert_float_equal(info->modularity, test_modularity(q, n, info->partition), 1e-7);
        int32_t first[GROUPS];
        for (int64_t u = n; u-- > 0;) first[node_of(all, u) % GROUPS] = info->partition[u];
        for (int64_t u = 0; u < n; u++)
            same += info->partition[u] == first[node_of(all, u) % GROUPS];
        assert_true(null == CAFE_NULL_NONE || (double)same > 0.95 * (double)n);
        cafe_run_free(run);
        free(q);
        test_links_free(&l);
        cafe_graph_free(all);
    }
    cafe_context_free(context);
}

/* Edges of both signs go from one side to the other, and each sign has Barber's null model. */
static void signs_go_with_two_sides(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    test_links l = planted(true, 0.1), up = test_links_new(EDGES), down = test_links_new(EDGES);
    int64_t same = 0;
    up.count = down.count = 0;
    for (int64_t i = 0; i < EDGES; i++) {
        bool against = i % 3 == 0;
        if (against) l.target[i] = (l.target[i] + 1) % ITEMS;
        test_links *to = against ? &down : &up;
        to->source[to->count] = l.source[i], to->target[to->count] = l.target[i];
        to->weights[to->count++] = l.weights[i];
        if (against) l.weights[i] = -l.weights[i];
    }
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.with_signs = 1;
    cafe_graph *graph = test_graph(context, NODES, &l, 1, &o);
    cafe_run *run =
        run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, "layers", "two-sided", NULL, NULL);
    double *q = dense_q(&up, CAFE_NULL_TWO_SIDED, 1);
    double *against = dense_q(&down, CAFE_NULL_TWO_SIDED, 1);
    double m = graph->counts.total_weight, taken = graph->negative->counts.total_weight;
    for (int64_t i = 0; i < NODES * NODES; i++)
        q[i] = (m * q[i] - taken * against[i]) / (m + taken);
    test_operator_is(context, run, NODES, q);
    const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
    assert_float_equal(info->modularity, test_modularity(q, NODES, info->partition), 1e-7);
    for (int32_t u = 0; u < NODES; u++) same += info->partition[u] == info->partition[u % GROUPS];
    assert_true(same > 0.95 * NODES);
    cafe_run_free(run);
    free(q), free(against);
    test_links_free(&l), test_links_free(&up), test_links_free(&down);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Eigenpairs of the dense Q, of a graph and of slices. */
static void eigenvectors_are_those_of_the_definition(void **state) {
    (void)state;
    enum { COLUMNS = 5 };
    cafe_context *context = test_context(2, 3);
    for (int i = 0; i < 2 * (CAFE_NULL_NONE + 1); i++) {
        int null = i / 2;
        test_links l = planted(null == CAFE_NULL_TWO_SIDED, 0.2);
        cafe_graph *graph = i % 2 ? sliced(context, &l) : graph_of(context, &l);
        int64_t n = graph->n;
        double *q =
            i % 2 ? dense_slices(graph, &l, (cafe_null)null, 1) : dense_q(&l, (cafe_null)null, 1);
        double *y = malloc((size_t)n * sizeof *y);
        float *x = malloc((size_t)(n * COLUMNS) * sizeof *x);
        cafe_run *run =
            run_of(context, graph, CAFE_PURPOSE_VECTORS, "spectral", names[null], "columns", "5");
        const cafe_embedding *e = cafe_run_get(run)->embedding;
        const cafe_certificate *c = cafe_embedding_certificate(e);
        TEST_OK(context, cafe_embedding_copy(e, x));
        assert_int_equal(c->columns, COLUMNS);
        for (int64_t k = 0; k < COLUMNS; k++) {
            test_dense_times(n, q, x, COLUMNS, k, y);
            for (int64_t u = 0; u < n; u++)
                assert_float_equal(y[u], c->ritz_values[k] * x[u * COLUMNS + k], 2e-8);
        }
        cafe_run_free(run);
        free(q), free(y), free(x);
        test_links_free(&l);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* 30 cliques in a ring: modularity joins pairs of them, the constant model with twice the mean
 * density keeps them apart. */
static void constant_has_no_resolution_limit(void **state) {
    (void)state;
    enum { CLIQUES = 30, SIZE = 5 };
    cafe_context *context = test_context(1, 3);
    test_links l = test_links_new(CLIQUES * (SIZE * (SIZE - 1) / 2 + 1));
    int64_t at = 0;
    for (int32_t c = 0; c < CLIQUES; c++) {
        for (int32_t i = 0; i < SIZE; i++)
            for (int32_t j = 0; j < i; j++)
                l.source[at] = c * SIZE + i, l.target[at++] = c * SIZE + j;
        l.source[at] = c * SIZE, l.target[at++] = (c + 1) % CLIQUES * SIZE + 1;
    }
    cafe_graph *graph = test_graph(context, CLIQUES * SIZE, &l, 0, NULL);
    for (int null = 0; null < 2; null++) {
        cafe_run *run = run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, "layers", names[null],
                               "resolution", null ? "2" : "1");
        const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
        assert_true(null ? info->communities == CLIQUES : info->communities < CLIQUES);
        cafe_run_free(run);
    }
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Without a null model communities are components; with negative weights they are not. */
static void none_leaves_the_edges(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    test_links l = planted(false, 0);
    cafe_graph *graph = graph_of(context, &l);
    cafe_run *run = run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, "layers", "none", NULL, NULL);
    const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
    assert_int_equal(info->communities, GROUPS);
    assert_float_equal(info->modularity, 1, 1e-9);
    cafe_run_free(run);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void sweeps_never_lower_the_objective(void **state) {
    (void)state;
    static const int32_t threads[] = {1, 2, 3, 8};
    enum { COLUMNS = 6 };
    for (int null = 1, slices = 0; null <= CAFE_NULL_NONE; null += slices, slices = !slices)
        for (int64_t chunks = 1; chunks <= 16; chunks *= 4) {
            static float first[SLICES * NODES * COLUMNS], h[SLICES * NODES * COLUMNS];
            for (int t = 0; t < 4; t++) {
                cafe_context *context = test_context(threads[t], 3);
                test_links l = planted(null == CAFE_NULL_TWO_SIDED, 0.2);
                cafe_graph *graph = slices ? sliced(context, &l) : graph_of(context, &l);
                cafe_run *run = run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, "layers",
                                       names[null], NULL, NULL);
                cafe_sphere_options o;
                cafe_solution *s;
                cafe_sphere_options_init(&o);
                o.columns = COLUMNS, o.chunks = chunks;
                TEST_OK(context, cafe_sphere(context, cafe_run_get(run)->op, &o, NULL, &s));
                for (int64_t i = 0; i < s->sweeps; i++)
                    assert_true(s->objective[i + 1] > s->objective[i] - 1e-6);
                TEST_OK(context, cafe_solution_copy(s, h));
                if (t == 0) memcpy(first, h, sizeof h);
                assert_memory_equal(first, h, sizeof h);
                cafe_solution_free(s);
                cafe_run_free(run);
                test_links_free(&l);
                cafe_graph_free(graph);
                cafe_context_free(context);
            }
        }
}

static void expect_refused(cafe_context *context, const cafe_graph *graph, const char *method,
                           const char *null, const char *option, const char *value,
                           const char *why) {
    cafe_run *run;
    TEST_OK(context, cafe_run_create(context, CAFE_PURPOSE_VECTORS, method, &run));
    cafe_status status = cafe_run_set(run, "null", null);
    if (status == CAFE_OK && option) status = cafe_run_set(run, option, value);
    if (status == CAFE_OK) status = cafe_run_graph(run, graph, NULL, NULL);
    if (status == CAFE_OK) status = cafe_run_go(run);
    assert_int_equal(status, CAFE_ERROR_ARGUMENT);
    if (!strstr(cafe_error(context), why)) fail_msg("%s", cafe_error(context));
    cafe_run_free(run);
}

static void contradictions_are_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    test_links l = planted(false, 0.2);
    cafe_graph *directed = graph_of(context, &l), *plain = test_graph(context, NODES, &l, 1, NULL);
    expect_refused(context, plain, "sphere", "directed", NULL, NULL, "needs directions");
    expect_refused(context, directed, "sphere", "directed", "degree-exponent", "0.25", "exponent");
    expect_refused(context, directed, "sphere", "directed", "sampling", "walk", "edge sampling");
    expect_refused(context, plain, "sphere", "two-sided", NULL, NULL, "one side to the other");
    expect_refused(context, plain, "sphere", "random", NULL, NULL, "random");
    cafe_graph *slices = sliced(context, &l);
    expect_refused(context, slices, "sphere", "two-sided", NULL, NULL, "one side to the other");
    expect_refused(context, slices, "spectral", "directed", "sampling", "walk", "edge sampling");
    cafe_graph_free(slices);
    test_links_free(&l);
    cafe_graph_free(directed);
    cafe_graph_free(plain);
    cafe_context_free(context);
}

static void every_failed_allocation_is_survived(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    test_links l = planted(true, 0.2);
    l.count = 200;
    for (long k = 0;; k++) {
        cafe_method_options o;
        cafe_sample_options sample;
        cafe_model *model = NULL;
        cafe_method_options_init(&o);
        cafe_sample_options_init(&sample);
        sample.null_model = k % 2 ? CAFE_NULL_DIRECTED : CAFE_NULL_TWO_SIDED;
        o.sample = &sample;
        long live = test_failing_arm(&memory, k / 2);
        cafe_graph *graph = NULL;
        cafe_graph_options reading;
        cafe_graph_options_init(&reading);
        reading.directed = CAFE_DIRECTED_SUM;
        cafe_status status = cafe_graph_from_edges(context, NODES, l.count, l.source, l.target,
                                                   l.weights, &reading, &graph);
        const cafe_graph *both[] = {graph, graph};
        cafe_graph *slices = NULL;
        if (status == CAFE_OK) status = cafe_graph_couple(context, 2, both, NULL, 1, &slices);
        for (int i = 0; i < 2 && status == CAFE_OK; i++) {
            cafe_model_free(model);
            status = cafe_model_create(context, i ? slices : graph, &cafe_layers_method, &o, NULL,
                                       &model);
        }
        int failed = test_failing_disarm(&memory);
        cafe_model_free(model);
        cafe_graph_free(slices);
        cafe_graph_free(graph);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed && k % 2) break;
    }
    test_links_free(&l);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_are_those_of_their_names),
        cmocka_unit_test(planted_groups_are_found),
        cmocka_unit_test(slices_have_null_models_of_their_own),
        cmocka_unit_test(signs_go_with_two_sides),
        cmocka_unit_test(eigenvectors_are_those_of_the_definition),
        cmocka_unit_test(constant_has_no_resolution_limit),
        cmocka_unit_test(none_leaves_the_edges),
        cmocka_unit_test(sweeps_never_lower_the_objective),
        cmocka_unit_test(contradictions_are_refused),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
