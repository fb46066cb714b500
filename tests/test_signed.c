/* Signed graphs: reading, the operator, modularity and vectors against their definitions; planted
 * groups found again. */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>

#include "dense_runs.h"
#include "failing.h"
#include "test_io.h"

enum { NODES = 240, EDGES = 3000, GROUPS = 4 };

/* Groups u % GROUPS: an edge inside is positive, one between is negative, but for a share of
 * errors. */
static test_links planted(double errors) {
    test_links l = test_links_new(EDGES);
    uint64_t seed = 5;
    for (int64_t i = 0; i < EDGES; i++) {
        l.source[i] = (int32_t)test_below(&seed, NODES),
        l.target[i] = (int32_t)test_below(&seed, NODES);
        bool wrong = (double)(test_number(&seed) >> 11) * 0x1p-53 < errors;
        bool inside = l.source[i] % GROUPS == l.target[i] % GROUPS;
        l.weights[i] = (inside != wrong ? 1.0F : -1.0F) * (float)(1 + i % 3);
    }
    return l;
}

static cafe_graph *graph_of(cafe_context *context, const test_links *l) {
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.with_signs = 1;
    return test_graph(context, NODES, l, 1, &o);
}

/* Q of Gomez, Jensen and Arenas from the edges; repeated edges add up in each part. */
static double *dense_q(const test_links *l) {
    double *a[2], d[2][NODES] = {{0}}, m[2] = {0}, *q = calloc(NODES * NODES, sizeof *q);
    for (int s = 0; s < 2; s++) a[s] = calloc(NODES * NODES, sizeof *q);
    for (int64_t i = 0; i < l->count; i++) {
        int s = l->weights[i] < 0;
        int64_t u = l->source[i], w = l->target[i];
        if (u == w) continue;
        a[s][u * NODES + w] += fabs(l->weights[i]), a[s][w * NODES + u] += fabs(l->weights[i]);
        d[s][u] += fabs(l->weights[i]), d[s][w] += fabs(l->weights[i]),
            m[s] += 2 * fabs(l->weights[i]);
    }
    for (int64_t i = 0; i < NODES * NODES; i++)
        for (int s = 0; s < 2; s++)
            q[i] +=
                (s ? -1 : 1) * (a[s][i] - d[s][i / NODES] * d[s][i % NODES] / m[s]) / (m[0] + m[1]);
    free(a[0]), free(a[1]);
    return q;
}

static cafe_run *run_of(cafe_context *context, const cafe_graph *graph, cafe_purpose purpose,
                        const char *method, const char *columns) {
    bool soft = purpose == CAFE_PURPOSE_COMMUNITIES;
    const char *const options[] = {
        "columns", columns, "degree-exponent", "0", soft ? "initial" : NULL, "sphere", NULL};
    return test_run(context, graph, purpose, method, options);
}

static void the_operator_has_both_null_models(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    test_links l = planted(0.05);
    cafe_graph *graph = graph_of(context, &l);
    double *q = dense_q(&l);
    assert_non_null(cafe_graph_negative(graph));
    assert_int_equal(cafe_graph_nodes(cafe_graph_negative(graph)), NODES);
    assert_int_equal(cafe_graph_get_counts(graph)->zero_weights, 0);
    cafe_run *run = run_of(context, graph, CAFE_PURPOSE_VECTORS, "sphere", "8");
    test_operator_is(context, run, NODES, q);
    cafe_run_free(run);
    free(q);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Most pairs of a group are together, and the reported modularity is that of the definition. */
static void planted_groups_are_found(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    test_links l = planted(0.05);
    cafe_graph *graph = graph_of(context, &l);
    double *q = dense_q(&l);
    int32_t truth[NODES], of[GROUPS];
    cafe_run *run = run_of(context, graph, CAFE_PURPOSE_COMMUNITIES, "softmax", "4");
    const cafe_clustering_info *info = cafe_clustering_get(cafe_run_get(run)->clustering);
    int64_t same = 0;
    for (int32_t u = 0; u < NODES; u++) truth[u] = u % GROUPS;
    assert_float_equal(info->modularity, test_modularity(q, NODES, info->partition), 1e-6);
    assert_float_equal(info->edge_modularity, test_modularity(q, NODES, info->partition), 1e-6);
    if (!(info->modularity > 0.95 * test_modularity(q, NODES, truth)))
        fail_msg("modularity %g of %g in %d", info->modularity, test_modularity(q, NODES, truth),
                 (int)info->communities);
    for (int g = 0; g < GROUPS; g++) of[g] = info->partition[g];
    for (int32_t u = 0; u < NODES; u++) same += info->partition[u] == of[u % GROUPS];
    assert_true(same > 0.9 * NODES);
    cafe_run_free(run);
    run = run_of(context, graph, CAFE_PURPOSE_VECTORS, "sphere", "8");
    const cafe_embedding *e = cafe_run_get(run)->embedding;
    double inside = 0, between = 0;
    for (int32_t u = 0; u < NODES; u++)
        for (int32_t w = 0; w < u; w++) {
            double dot = 0, length[2] = {0};
            for (int j = 0; j < 8; j++) {
                float x = cafe_embedding_row(e, u)[j], y = cafe_embedding_row(e, w)[j];
                dot += x * y, length[0] += x * x, length[1] += y * y;
            }
            double cosine = dot / sqrt(length[0] * length[1]);
            if (u % GROUPS == w % GROUPS)
                inside += cosine / (NODES * (NODES / GROUPS - 1) / 2.0);
            else
                between += cosine / (NODES * (NODES - NODES / GROUPS) / 2.0);
        }
    assert_true(inside > between + 0.4);
    cafe_run_free(run);
    free(q);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Without a negative weight the graph is the one without the option. */
static void positive_weights_are_one_graph(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    test_links l = planted(0);
    for (int64_t i = 0; i < l.count; i++) l.weights[i] = fabsf(l.weights[i]);
    cafe_graph *graph = graph_of(context, &l);
    assert_null(cafe_graph_negative(graph));
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void text_is_read(void **state) {
    (void)state;
    static const char *const texts[] = {"0 1 2\n1 2 -0.5\n0 2 -3\n2 3 1e-1\n",
                                        "a,b,w\na,b,2\nb,c,-.5\na,c,-3\nc,d,0.1\n"};
    cafe_graph_options o;
    cafe_graph *graph;
    shared = test_context(1, 1);
    for (int i = 0; i < 2; i++) {
        cafe_graph_options_init(&o);
        assert_int_equal(io_read_bytes(shared, "g", texts[i], strlen(texts[i]), &o, &graph),
                         CAFE_ERROR_FORMAT);
        assert_non_null(strstr(cafe_error(shared), "not negative"));
        o.with_signs = 1;
        TEST_OK(shared, io_read_bytes(shared, "g", texts[i], strlen(texts[i]), &o, &graph));
        const cafe_graph *against = cafe_graph_negative(graph);
        assert_int_equal(cafe_graph_nodes(against), 4);
        assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
        assert_int_equal(cafe_graph_get_counts(against)->edges, 2);
        assert_float_equal(cafe_graph_get_counts(graph)->total_weight, 4.2, 1e-6);
        assert_float_equal(cafe_graph_get_counts(against)->total_weight, 7, 1e-6);
        cafe_graph_free(graph);
    }
    assert_int_equal(io_read_bytes(shared, "g", "0 1 --2\n", 8, &o, &graph), CAFE_ERROR_FORMAT);
    o.min_weight = 1;
    assert_int_not_equal(io_read_bytes(shared, "g", texts[0], strlen(texts[0]), &o, &graph),
                         CAFE_OK);
    assert_non_null(strstr(cafe_error(shared), "choices of edges"));
    cafe_context_free(shared);
}

static void every_failure_of_memory_is_met(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    test_links l = planted(0.05);
    cafe_graph_options o;
    cafe_graph_options_init(&o);
    o.with_signs = 1;
    l.count = 300;
    for (long k = 0;; k++) {
        cafe_embedding *e = NULL;
        cafe_graph *graph = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_graph_from_edges(context, NODES, l.count, l.source, l.target,
                                                   l.weights, &o, &graph);
        if (status == CAFE_OK) status = cafe_embed(context, graph, NULL, NULL, NULL, &e);
        int failed = test_failing_disarm(&memory);
        cafe_embedding_free(e);
        cafe_graph_free(graph);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    test_links_free(&l);
    cafe_context_free(context);
}

/* Exact eigenvectors of the sum: its largest eigenvalues, and the loss of the dense matrix. */
static void eigenvectors_are_those_of_both_parts(void **state) {
    (void)state;
    enum { COLUMNS = 5 };
    cafe_context *context = test_context(2, 3);
    test_links l = planted(0.05);
    cafe_graph *graph = graph_of(context, &l);
    const char *const options[] = {"columns", "5", NULL};
    cafe_run *run = test_run(context, graph, CAFE_PURPOSE_VECTORS, "spectral", options);
    double *q = dense_q(&l), values[NODES], loss = 0;
    for (int64_t i = 0; i < NODES * NODES; i++) loss += q[i] * q[i];
    test_dense_eigenvalues(NODES, q, values);
    const cafe_certificate *c = cafe_embedding_certificate(cafe_run_get(run)->embedding);
    for (int j = 0; j < COLUMNS; j++) {
        assert_float_equal(c->ritz_values[j], values[j], 1e-8);
        loss -= values[j] * values[j];
    }
    assert_float_equal(cafe_run_get(run)->course->objective[0], loss, 1e-8);
    cafe_run_free(run);
    free(q);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void other_methods_refuse(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    test_links l = planted(0.05);
    cafe_graph *graph = graph_of(context, &l);
    cafe_embedding *e;
    cafe_lab_add(context);
    assert_int_equal(cafe_embed(context, graph, cafe_method_find(context, "netmf"), NULL, NULL, &e),
                     CAFE_ERROR_ARGUMENT);
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_operator_has_both_null_models),
        cmocka_unit_test(planted_groups_are_found),
        cmocka_unit_test(positive_weights_are_one_graph),
        cmocka_unit_test(text_is_read),
        cmocka_unit_test(every_failure_of_memory_is_met),
        cmocka_unit_test(eigenvectors_are_those_of_both_parts),
        cmocka_unit_test(other_methods_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
