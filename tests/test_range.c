/* The range of weights: what lies outside is refused, what lies inside gives finite results, and
 * the unit of the weights changes none of them by a bit. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/writers.h>
#include <cafe/lab.h>

#include "failing.h"
#include "graph/directed.h"
#include "graph/graph.h"
#include "graphs.h"
#include "method/method.h"

enum { NODES = 60, LINKS = 220, CLASSES = 4, COLUMNS = 6, ATTRIBUTES = 3 };

static const int units[] = {-100, -30, -10, 1, 10, 30, 100};
enum { UNITS = sizeof units / sizeof *units };

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Four groups; weights 1/2 to 8, or all 1, times `unit`. */
static test_links draw(int32_t weighted, double unit) {
    test_links l = test_links_new(LINKS);
    uint64_t state = 12;
    for (int64_t i = 0; i < LINKS; i++) {
        int64_t u = test_below(&state, NODES - 2), step = 4 * (1 + test_below(&state, 13));
        if (test_below(&state, 5) == 0) step = 1 + test_below(&state, NODES - 4);
        l.source[i] = (int32_t)u;
        l.target[i] = (int32_t)((u + step) % (NODES - 2));
        double weight = weighted ? 0.5 * (double)(1 + test_below(&state, 16)) : 1;
        l.weights[i] = (float)(weight * unit);
    }
    return l;
}

static cafe_graph *build(cafe_context *context, test_links *l) {
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.duplicates = CAFE_DUPLICATES_ONE;
    cafe_graph *graph = test_graph(context, NODES, l, 1, &options);
    test_links_free(l);
    return graph;
}

static cafe_graph *graph_in(cafe_context *context, int32_t weighted, double unit) {
    test_links l = draw(weighted, unit);
    return build(context, &l);
}

/* Weights at both ends of the range: 1, and of every fifth link 2^-64. */
static cafe_graph *widest(cafe_context *context) {
    test_links l = draw(0, 1);
    for (int64_t i = 0; i < LINKS; i++)
        if (l.source[i] % 5 == 0 || l.target[i] % 5 == 0) l.weights[i] = 0x1p-64f;
    return build(context, &l);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(float first, float second, const char *text) {
    cafe_context *context = test_context(1, 1);
    const int32_t source[] = {0, 1}, target[] = {1, 2}, columns[] = {1, 0, 2, 1};
    const int64_t offsets[] = {0, 1, 3, 4};
    const float weights[] = {first, second}, entries[] = {first, first, second, second};
    cafe_graph *graph = NULL;
    cafe_status status[4];
    char said[4][256];
    for (int i = 0; i < 4; i++) {
        if (i < 2)
            status[i] = cafe_graph_from_csr(context, 3, offsets, columns, entries, i, NULL, &graph);
        else if (i == 2)
            status[i] = cafe_graph_from_edges(context, 3, 2, source, target, weights, NULL, &graph);
        else
            status[i] = cafe_graph_from_arcs(context, 3, 2, source, target, weights,
                                             CAFE_DIRECTED_SUM, NULL, &graph);
        snprintf(said[i], sizeof said[i], "%s", cafe_error(context));
        assert_null(graph);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(status[i], CAFE_ERROR_ARGUMENT);
        if (!strstr(said[i], text)) fail_msg("'%s' lacks '%s'", said[i], text);
    }
    cafe_context_free(context);
}

static void outside_is_refused(void **state) {
    (void)state;
    refused(1e-40f, 1e-40f, "the smallest weight");
    refused(1, 1e-40f, "the smallest weight");
    refused(1, 1e-20f, "the weights of the graph go from");
    refused(FLT_MAX, 1, "the weights of the graph go from");
}

/* The weights, their sum and their ends are reported as given. */
static void units_are_the_users(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    for (int i = 0; i < UNITS; i++)
        for (int32_t weighted = 0; weighted < 2; weighted++) {
            cafe_graph *one = graph_in(context, weighted, 1);
            cafe_graph *other = graph_in(context, weighted, ldexp(1, units[i]));
            const float *a, *b;
            const int64_t *offsets;
            const int32_t *targets;
            cafe_graph_profile p, q;
            cafe_graph_csr(one, &offsets, &targets, &a);
            cafe_graph_csr(other, &offsets, &targets, &b);
            assert_non_null(b);
            for (int64_t j = 0; j < offsets[NODES]; j++)
                assert_true(b[j] == ldexp(a ? a[j] : 1, units[i]));
            TEST_OK(context, cafe_graph_describe(context, one, &p));
            TEST_OK(context, cafe_graph_describe(context, other, &q));
            assert_true(q.least_weight == ldexp(p.least_weight, units[i]));
            assert_true(q.most_weight == ldexp(p.most_weight, units[i]));
            assert_true(cafe_graph_get_counts(other)->total_weight ==
                        ldexp(cafe_graph_get_counts(one)->total_weight, units[i]));
            assert_int_equal(cafe_graph_get_counts(other)->weighted, 1);
            cafe_graph_free(one);
            cafe_graph_free(other);
        }
    cafe_context_free(context);
}

/* A file holds the user's weights, and what is computed from it is the same. */
static void files_keep_units(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = graph_in(context, 1, 0x1p90), *read = NULL;
    char path[] = "test_range.cafe";
    TEST_OK(context, cafe_graph_write(context, graph, path, CAFE_FORMAT_AUTO, 1));
    TEST_OK(context, cafe_graph_read(context, path, NULL, &read));
    assert_memory_equal(read->weights, graph->weights, (size_t)graph->arcs * sizeof(float));
    assert_memory_equal(read->scaled, graph->scaled, (size_t)graph->arcs * sizeof(float));
    assert_int_equal(read->exponent, graph->exponent);
    remove(path);
    cafe_graph_free(read);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- one result of any kind ------------------------------------------------------------------ */

/* Numbers that a call leaves. */
typedef struct result {
    size_t size, room;
    double *value;
} result;

static void put(result *r, double value) {
    if (r->size == r->room) {
        r->room = 2 * r->room + 64;
        r->value = realloc(r->value, r->room * sizeof *r->value);
        assert_non_null(r->value);
    }
    r->value[r->size++] = value;
}

typedef struct request {
    const char *name;
    const cafe_method *method;
    int32_t sampling;
    double exponent;
    int64_t samples;
} request;

typedef void computation(cafe_context *context, const cafe_graph *graph, const request *q,
                         result *out);

static const char *const quick[][2] = {{"walks", "2"},    {"length", "8"},  {"epochs", "2"},
                                       {"rounds", "2"},   {"hidden", "12"}, {"columns", "6"},
                                       {"samples", "500"}};

typedef struct setting {
    void *own;
    int32_t labels[NODES];
    float attributes[NODES * ATTRIBUTES];
    cafe_sample_options sample;
    cafe_sample_inputs given;
    cafe_method_options options;
    cafe_method_inputs inputs;
} setting;

static void open_setting(cafe_context *context, const request *q, const cafe_option_table *table,
                         setting *s) {
    uint64_t state = 3;
    s->own = calloc(1, table->struct_size);
    assert_non_null(s->own);
    cafe_options_init(table, s->own, table->struct_size);
    for (size_t i = 0; i < sizeof quick / sizeof *quick; i++)
        for (size_t j = 0; j < table->count; j++)
            if (strcmp(table->options[j].name, quick[i][0]) == 0)
                TEST_OK(context,
                        cafe_options_set(context, table, s->own, quick[i][0], quick[i][1]));
    for (int i = 0; i < NODES; i++) s->labels[i] = i % 3 ? -1 : i / 3 % CLASSES;
    for (int i = 0; i < NODES * ATTRIBUTES; i++)
        s->attributes[i] = (float)test_below(&state, 100) / 100;
    cafe_sample_options_init(&s->sample);
    s->sample.degree_exponent = q->exponent;
    s->sample.samples = q->samples;
    cafe_sample_inputs_init(&s->given);
    if (q->sampling == CAFE_SAMPLING_TWISTED)
        s->given.attributes = s->attributes, s->given.width = ATTRIBUTES;
    cafe_method_options_init(&s->options);
    cafe_method_inputs_init(&s->inputs);
    s->options.own = s->own;
    s->options.sampling = q->sampling;
    if (q->method->takes & CAFE_TAKES_SAMPLING) s->options.sample = &s->sample;
    if (q->method->takes & CAFE_TAKES_SAMPLING) s->inputs.sample = &s->given;
    if (q->method->takes & CAFE_NEEDS_LABELS)
        s->inputs.labels = s->labels, s->inputs.classes = CLASSES;
}

static void embed(cafe_context *context, const cafe_graph *graph, const request *q, result *out) {
    setting s;
    cafe_embedding *e = NULL;
    open_setting(context, q, q->method->vectors(), &s);
    cafe_status status = cafe_embed(context, graph, q->method, &s.options, &s.inputs, &e);
    if (status != CAFE_OK) fail_msg("%s: %s", q->method->name, cafe_error(context));
    const cafe_certificate *c = cafe_embedding_certificate(e);
    put(out, c->objective);
    for (int64_t j = 0; j < c->pairs; j++) put(out, c->ritz_values[j]), put(out, c->residuals[j]);
    for (int64_t u = 0; u < NODES; u++)
        for (int64_t k = 0; k < c->columns; k++) put(out, cafe_embedding_row(e, u)[k]);
    cafe_embedding_free(e);
    free(s.own);
}

static void cluster(cafe_context *context, const cafe_graph *graph, const request *q, result *out) {
    setting s;
    cafe_clustering *c = NULL;
    open_setting(context, q, q->method->communities(), &s);
    cafe_status status = cafe_cluster(context, graph, q->method, &s.options, &s.inputs, &c);
    if (status != CAFE_OK) fail_msg("%s: %s", q->method->name, cafe_error(context));
    const cafe_clustering_info *i = cafe_clustering_get(c);
    put(out, i->modularity), put(out, i->edge_modularity);
    for (int64_t u = 0; u < NODES; u++) put(out, i->partition[u]);
    cafe_clustering_free(c);
    free(s.own);
}

/* Vectors that depend on nothing but the number of a node. */
static void plain_vectors(float *x) {
    uint64_t state = 8;
    for (int i = 0; i < NODES * COLUMNS; i++) x[i] = (float)test_below(&state, 2000) / 1000 - 1;
}

static void map(cafe_context *context, const cafe_graph *graph, const request *q, result *out) {
    float x[NODES * COLUMNS], xy[2 * NODES];
    (void)q;
    plain_vectors(x);
    TEST_OK(context, cafe_map(context, graph, NODES, COLUMNS, x, NULL, xy));
    for (int i = 0; i < 2 * NODES; i++) put(out, xy[i]);
}

static void rank(cafe_context *context, const cafe_graph *graph, const request *q, result *out) {
    cafe_sampled *sampled = NULL;
    double value[NODES];
    cafe_pagerank_report report;
    (void)q;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    TEST_OK(context, cafe_rank_pagerank(context, sampled, NULL, NULL, value, &report));
    for (int i = 0; i < NODES; i++) put(out, value[i]), put(out, cafe_sampled_node(sampled, i));
    cafe_sampled_free(sampled);
}

static void propagate(cafe_context *context, const cafe_graph *graph, const request *q,
                      result *out) {
    float x[NODES * COLUMNS];
    (void)q;
    plain_vectors(x);
    TEST_OK(context, cafe_propagate(context, graph, NULL, COLUMNS, x));
    for (int i = 0; i < NODES * COLUMNS; i++) put(out, x[i]);
}

/* ---- every one of them ----------------------------------------------------------------------- */

static void run(computation *compute, const request *q, int32_t weighted, double unit,
                result *out) {
    cafe_context *context = test_context(2, 7);
    cafe_graph *graph = unit > 0 ? graph_in(context, weighted, unit) : widest(context);
    *out = (result){0};
    compute(context, graph, q, out);
    for (size_t i = 0; i < out->size; i++)
        if (!isfinite(out->value[i])) fail_msg("%s: not finite", q->name);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void check(computation *compute, const request *q) {
    result one, other;
    run(compute, q, 0, 0, &other); /* the widest range */
    free(other.value);
    for (int32_t weighted = 0; weighted < 2; weighted++) {
        run(compute, q, weighted, 1, &one);
        for (int i = 0; i < UNITS; i++) {
            run(compute, q, weighted, ldexp(1, units[i]), &other);
            if (one.size != other.size ||
                memcmp(one.value, other.value, one.size * sizeof *one.value) != 0)
                fail_msg("%s, sampling %d: weights times 2^%d change the result", q->name,
                         q->sampling, units[i]);
            free(other.value);
        }
        free(one.value);
    }
}

static void every_method(void **state) {
    (void)state;
    size_t count;
    const cafe_method *const *all = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++) {
        request q = {.name = all[i]->name, .method = all[i]};
        if (all[i]->vectors) check(embed, &q);
        if (all[i]->communities) check(cluster, &q);
    }
}

static void every_sampling(void **state) {
    (void)state;
    static const int32_t samplings[] = {CAFE_SAMPLING_EDGE, CAFE_SAMPLING_WALK,
                                        CAFE_SAMPLING_PAGERANK, CAFE_SAMPLING_TWISTED};
    for (int i = 0; i < 4; i++)
        for (int way = 0; way < 3; way++) {
            bool walks = i == 1 || i == 2;
            request q = {"sphere", cafe_method_find(NULL, "sphere"), samplings[i],
                         way == 1 ? 0.25 : 0, way == 2 && walks ? 2000 : 0};
            if (way < 2 || walks) check(embed, &q);
        }
}

static void maps_ranks_and_filters(void **state) {
    (void)state;
    check(map, &(request){.name = "map"});
    check(rank, &(request){.name = "rank"});
    check(propagate, &(request){.name = "propagate"});
}

/* Common neighbours count by the product of weights, in the unit of the weights. */
static void paths_have_units(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_recommend_options options;
    cafe_recommend_inputs inputs;
    const int32_t query[] = {0, 1, 2};
    int32_t node[2][9];
    double score[2][9];
    cafe_recommend_options_init(&options);
    options.top = 3, options.score = CAFE_SCORE_COMMON;
    for (int i = 0; i < UNITS; i++) {
        for (int k = 0; k < 2; k++) {
            cafe_graph *graph = graph_in(context, 1, k ? ldexp(1, units[i]) : 1);
            cafe_recommend_inputs_init(&inputs);
            inputs.graph = graph;
            TEST_OK(context,
                    cafe_recommend(context, &inputs, &options, 3, query, node[k], score[k]));
            cafe_graph_free(graph);
        }
        assert_memory_equal(node[0], node[1], sizeof node[0]);
        for (int j = 0; j < 9; j++)
            assert_true(node[0][j] < 0 || score[1][j] == ldexp(score[0][j], 2 * units[i]));
    }
    cafe_context_free(context);
}

/* ---- weights of our own ---------------------------------------------------------------------- */

/* Outliers at every distance: what the library links has weights of the range, and vectors. */
static void outliers_stay_in_range(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    float x[2 * NODES];
    for (double far = 2; far < 1e6; far *= 1.7) {
        cafe_graph *graph = NULL;
        cafe_graph_profile p;
        cafe_embedding *e = NULL;
        uint64_t draws = 5;
        for (int i = 0; i < 2 * NODES; i++) x[i] = (float)test_below(&draws, 1000) / 1000;
        x[0] = x[1] = (float)far;
        TEST_OK(context, cafe_graph_from_points(context, NODES, 2, x, NULL, &graph));
        TEST_OK(context, cafe_graph_describe(context, graph, &p));
        assert_true(p.least_weight >= p.most_weight / CAFE_WEIGHT_RATIO);
        TEST_OK(context, cafe_embed(context, graph, NULL, NULL, NULL, &e));
        cafe_embedding_free(e);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

static void similarities_stay_in_range(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    const float matrix[] = {1, 0.5f, 1e-30f, 0.5f, 1, 0.25f, 1e-30f, 0.25f, 0};
    cafe_graph *graph = NULL;
    cafe_graph_profile p;
    TEST_OK(context, cafe_graph_from_similarity(context, 3, matrix, NULL, &graph));
    TEST_OK(context, cafe_graph_describe(context, graph, &p));
    assert_true(p.least_weight == 0.25);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Directed edges: co-citation multiplies weights and says when that leaves the range; the flow has
 * no unit. */
static cafe_graph *directed(cafe_context *context, int32_t rule, float unit, cafe_status wanted) {
    const int32_t source[] = {0, 1, 0, 1, 2}, target[] = {2, 2, 3, 3, 0};
    float weights[5];
    cafe_graph *graph = NULL;
    for (int i = 0; i < 5; i++) weights[i] = (float)(i + 1) * unit;
    cafe_status status =
        cafe_graph_from_arcs(context, 4, 5, source, target, weights, rule, NULL, &graph);
    assert_int_equal(status, wanted);
    return graph;
}

static void directed_links_stay_in_range(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    static const float far[] = {1e25f, 1e-25f};
    for (int i = 0; i < 2; i++) {
        assert_null(directed(context, CAFE_DIRECTED_COCITATION, far[i], CAFE_ERROR_ARGUMENT));
        assert_non_null(strstr(cafe_error(context), "co-citation multiplies weights"));
    }
    cafe_graph *one = directed(context, CAFE_DIRECTED_FLOW, 1, CAFE_OK);
    for (int i = 0; i < UNITS; i++) {
        cafe_graph *other = directed(context, CAFE_DIRECTED_FLOW, ldexpf(1, units[i]), CAFE_OK);
        assert_int_equal(other->arcs, one->arcs);
        assert_memory_equal(other->weights, one->weights, (size_t)one->arcs * sizeof(float));
        cafe_graph_free(other);
    }
    cafe_graph_free(one);
    cafe_context_free(context);
}

/* ---- tables and results ---------------------------------------------------------------------- */

/* Vectors with a number that is none are not written. */
static void results_are_finite(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = graph_in(context, 1, 1);
    float x[NODES * COLUMNS], xy[2 * NODES];
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        plain_vectors(x);
        x[17 * COLUMNS + 2] = bad[i];
        cafe_status status = cafe_vectors_write(context, graph, COLUMNS, x, "test_range.npy", 1);
        assert_int_equal(status, CAFE_ERROR_NUMERIC);
        assert_non_null(strstr(cafe_error(context), "row 17 is not finite"));
        assert_null(fopen("test_range.npy", "rb"));
        const int64_t offsets[] = {0, 1, 2};
        const int32_t columns[] = {1, 0};
        const float values[] = {1, bad[i]};
        status = cafe_npz_write_csr(context, "test_range.npz", 2, 2, offsets, columns, values, 1);
        assert_int_equal(status, CAFE_ERROR_NUMERIC);
        assert_null(fopen("test_range.npz", "rb"));
        assert_int_not_equal(cafe_map(context, graph, NODES, COLUMNS, x, NULL, xy), CAFE_OK);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_is_refused),
        cmocka_unit_test(units_are_the_users),
        cmocka_unit_test(files_keep_units),
        cmocka_unit_test(every_method),
        cmocka_unit_test(every_sampling),
        cmocka_unit_test(maps_ranks_and_filters),
        cmocka_unit_test(paths_have_units),
        cmocka_unit_test(results_are_finite),
        cmocka_unit_test(outliers_stay_in_range),
        cmocka_unit_test(similarities_stay_in_range),
        cmocka_unit_test(directed_links_stay_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
