/* Communities after changes: never worse than before them, connected, the same bits for any
 * threads, near the changes alone; parts, new nodes and numbers. */
#include <stdio.h>

#include <cafe-private/changes.h>

#include "failing.h"
#include "graphs.h"
#include "update/update.h"

enum { NODES = 4000, EDGES = 24000, MOST = 400 };

/* Changes as arrays. */
typedef struct edits {
    int64_t count;
    int32_t source[MOST], target[MOST];
    float weights[MOST];
    uint8_t removed[MOST];
} edits;

static void edit(edits *e, int64_t u, int64_t w, int removed) {
    e->source[e->count] = (int32_t)u;
    e->target[e->count] = (int32_t)w;
    e->weights[e->count] = 1.5f;
    e->removed[e->count++] = (uint8_t)removed;
}

static cafe_changes *change(cafe_context *context, const cafe_graph *graph, int64_t nodes,
                            const edits *e, bool weighted) {
    cafe_changes *changes = NULL;
    TEST_OK(context, cafe_changes_from_edges(context, graph, nodes, e->count, e->source, e->target,
                                             weighted ? e->weights : NULL, e->removed, &changes));
    return changes;
}

static edits rewire(const cafe_graph *graph, int64_t count, uint64_t seed) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    edits e = {0};
    int64_t n = cafe_graph_nodes(graph);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    while (e.count < count) {
        int64_t u = test_below(&seed, n), w = test_below(&seed, n), row = offsets[u];
        bool again = false;
        if (row == offsets[u + 1] || u == w || cafe_changes_weight(graph, u, w) > 0) continue;
        for (int64_t i = 0; i < e.count; i++) /* an edge is removed once */
            again |= e.source[i] == u || e.target[i] == u || e.source[i] == targets[row] ||
                     e.target[i] == targets[row];
        if (again) continue;
        edit(&e, u, targets[row], 1);
        edit(&e, u, w, 0);
    }
    return e;
}

static cafe_graph *planted(cafe_context *context) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = NODES, o.edges = EDGES, o.blocks = 40, o.mixing = 0.3;
    TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_PLANTED, &o, &graph, NULL));
    return graph;
}

static void find(cafe_context *context, const cafe_graph *graph, int32_t *part) {
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_layers *layers = NULL;
    TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
    TEST_OK(context, cafe_layers_find(context, op, NULL, &layers));
    const cafe_layer *top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    memcpy(part, top->partition, (size_t)cafe_graph_nodes(graph) * sizeof *part);
    cafe_layers_free(layers);
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
}

/* By its definition; numbers of communities are below `most`. */
static double modularity_of(const cafe_graph *graph, const int32_t *part, int64_t most) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double *degree = calloc((size_t)most, sizeof *degree), inside = 0, total = 0, squares = 0;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            double a = weights ? weights[j] : 1;
            degree[part[u]] += a, total += a;
            if (part[targets[j]] == part[u]) inside += a;
        }
    for (int64_t c = 0; c < most; c++) squares += degree[c] / total * (degree[c] / total);
    free(degree);
    return inside / total - squares;
}

/* Is every community connected? */
static bool are_connected(const cafe_graph *graph, const int32_t *part) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t n = cafe_graph_nodes(graph), count = 0;
    uint8_t *found = calloc((size_t)n, 1), *begun = calloc((size_t)n, 1);
    int32_t *queue = malloc((size_t)n * sizeof *queue);
    bool fine = true;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t s = 0; s < n; s++) {
        if (found[s]) continue;
        fine &= !begun[part[s]];
        begun[part[s]] = found[s] = 1;
        queue[0] = (int32_t)s, count = 1;
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = offsets[queue[i]]; j < offsets[queue[i] + 1]; j++) {
                if (found[targets[j]] || part[targets[j]] != part[s]) continue;
                found[targets[j]] = 1;
                queue[count++] = targets[j];
            }
    }
    free(found), free(begun), free(queue);
    return fine;
}

/* Twenty days; the start of each is the result of the day before. */
static void test_days(void **state) {
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = planted(context);
    int32_t *part = malloc(NODES * sizeof *part), *fresh = malloc(NODES * sizeof *fresh);
    (void)state;
    find(context, graph, part);
    for (uint64_t day = 1; day <= 20; day++) {
        cafe_regrouped *regrouped;
        edits e = rewire(graph, 2 + (int64_t)(day * 12), day);
        cafe_changes *changes = change(context, graph, NODES, &e, false);
        TEST_OK(context, cafe_communities_update(context, changes, part, &regrouped));
        const cafe_regrouped_report *r = cafe_regrouped_get(regrouped);
        const cafe_graph *now = cafe_changes_graph(changes);
        double before = modularity_of(now, part, 2 * NODES);
        assert_true(modularity_of(now, r->partition, 2 * NODES) >= before - 1e-12);
        assert_true(are_connected(now, r->after));
        assert_false(r->whole);
        assert_true(r->visits > 0 && r->visits < NODES / 2);
        assert_int_equal(r->kept + r->moved, NODES);
        assert_true(r->kept > NODES * 3 / 4);
        int64_t kept = 0;
        for (int64_t u = 0; u < NODES; u++) {
            kept += part[u] == r->partition[u];
            assert_int_equal(r->number[r->after[u]], r->partition[u]);
        }
        assert_int_equal(kept, r->kept);
        memcpy(part, r->partition, NODES * sizeof *part);
        cafe_regrouped_free(regrouped);
        TEST_OK(context, cafe_graph_write(context, now, "days.cafe", CAFE_FORMAT_AUTO, 1));
        cafe_changes_free(changes);
        cafe_graph_free(graph);
        TEST_OK(context, cafe_graph_read(context, "days.cafe", NULL, &graph));
    }
    find(context, graph, fresh);
    assert_true(modularity_of(graph, part, 2 * NODES) > modularity_of(graph, fresh, NODES) - 0.005);
    remove("days.cafe");
    free(part), free(fresh);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void test_threads(void **state) {
    int32_t *part = malloc(NODES * sizeof *part), *first = NULL;
    (void)state;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 3);
        cafe_graph *graph = planted(context);
        cafe_regrouped *regrouped;
        find(context, graph, part);
        edits e = rewire(graph, 200, 5);
        cafe_changes *changes = change(context, graph, NODES, &e, true);
        TEST_OK(context, cafe_communities_update(context, changes, part, &regrouped));
        const int32_t *found = cafe_regrouped_get(regrouped)->partition;
        if (!first) {
            first = malloc(NODES * sizeof *first);
            memcpy(first, found, NODES * sizeof *first);
        }
        assert_memory_equal(first, found, NODES * sizeof *first);
        cafe_regrouped_free(regrouped);
        cafe_changes_free(changes);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(part), free(first);
}

/* Without changes nothing is visited; with many the whole graph is searched. */
static void test_none_and_many(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_regrouped *regrouped;
    int32_t part[34];
    edits e = {0};
    (void)state;
    find(context, graph, part);
    for (int64_t u = 0; u < 34; u++) part[u] = 1000000 * (part[u] + 1);
    cafe_changes *changes = change(context, graph, 34, &e, false);
    TEST_OK(context, cafe_communities_update(context, changes, part, &regrouped));
    assert_memory_equal(cafe_regrouped_get(regrouped)->partition, part, sizeof part);
    assert_int_equal(cafe_regrouped_get(regrouped)->visits, 0);
    cafe_regrouped_free(regrouped);
    cafe_changes_free(changes);
    e = rewire(graph, 12, 4);
    changes = change(context, graph, 34, &e, false);
    TEST_OK(context, cafe_communities_update(context, changes, part, &regrouped));
    assert_true(cafe_regrouped_get(regrouped)->whole);
    assert_true(are_connected(cafe_changes_graph(changes), cafe_regrouped_get(regrouped)->after));
    cafe_regrouped_free(regrouped);
    part[3] = -2;
    assert_int_equal(cafe_communities_update(context, changes, part, &regrouped),
                     CAFE_ERROR_ARGUMENT);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

enum { RINGS = 30, RING = 20, IN_RINGS = RINGS * RING };

/* Rings of 20 nodes with chords, each linked to the next by one edge. */
static cafe_graph *rings(cafe_context *context, int32_t *part) {
    test_links l = test_links_new(IN_RINGS * 2 + RINGS);
    for (int32_t u = 0; u < IN_RINGS; u++) {
        int32_t ring = u / RING, at = u % RING;
        part[u] = ring;
        l.source[2 * u] = l.source[2 * u + 1] = u;
        l.target[2 * u] = ring * RING + (at + 1) % RING;
        l.target[2 * u + 1] = ring * RING + (at + 2) % RING;
    }
    for (int32_t i = 0; i < RINGS; i++) {
        l.source[2 * IN_RINGS + i] = i * RING;
        l.target[2 * IN_RINGS + i] = (i + 1) % RINGS * RING + 9;
    }
    cafe_graph *graph = test_graph(context, IN_RINGS, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* A ring that loses the edges between two halves is two communities: the larger keeps its number.
 * A node that loses all edges is alone; a new one joins its neighbours. */
static void test_parts(void **state) {
    cafe_context *context = test_context(1, 1);
    int32_t start[IN_RINGS + 1];
    cafe_graph *graph = rings(context, start);
    cafe_regrouped *regrouped;
    edits e = {0};
    (void)state;
    edit(&e, 0, 19, 1), edit(&e, 0, 18, 1), edit(&e, 1, 19, 1); /* between 19 and 0 */
    edit(&e, 6, 7, 1), edit(&e, 6, 8, 1), edit(&e, 5, 7, 1);    /* between 6 and 7 */
    edit(&e, 45, 46, 1), edit(&e, 45, 47, 1), edit(&e, 44, 45, 1), edit(&e, 43, 45, 1);
    edit(&e, IN_RINGS, 62, 0), edit(&e, IN_RINGS, 63, 0);
    start[IN_RINGS] = -1;
    cafe_changes *changes = change(context, graph, IN_RINGS + 1, &e, false);
    TEST_OK(context, cafe_communities_update(context, changes, start, &regrouped));
    const cafe_regrouped_report *r = cafe_regrouped_get(regrouped);
    assert_false(r->whole);
    for (int u = 7; u < 20; u++) assert_int_equal(r->partition[u], 0);
    for (int u = 0; u < 7; u++) assert_int_equal(r->partition[u], r->partition[0]);
    assert_int_not_equal(r->partition[0], 0);
    assert_true(r->partition[45] >= RINGS);
    assert_int_equal(r->partition[46], 2);
    assert_int_equal(r->partition[IN_RINGS], 3);
    assert_true(are_connected(cafe_changes_graph(changes), r->after));
    cafe_regrouped_free(regrouped);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

enum { CIRCLES = 6, CIRCLE = 400 };

/* Circles that are cut twice are two communities each, without a search, which is unlikely. */
static void test_cuts(void **state) {
    cafe_context *context = test_context(2, 1);
    int32_t start[CIRCLES * CIRCLE];
    test_links l = test_links_new(CIRCLES * CIRCLE);
    cafe_regrouped *regrouped;
    edits e = {0};
    (void)state;
    for (int32_t u = 0; u < CIRCLES * CIRCLE; u++) {
        start[u] = u / CIRCLE;
        l.source[u] = u;
        l.target[u] = start[u] * CIRCLE + (u + 1) % CIRCLE;
    }
    cafe_graph *graph = test_graph(context, CIRCLES * CIRCLE, &l, 0, NULL);
    for (int32_t i = 0; i < CIRCLES; i++) {
        edit(&e, i * CIRCLE, i * CIRCLE + 1, 1);
        edit(&e, i * CIRCLE + 150 + i, i * CIRCLE + 151 + i, 1);
    }
    cafe_changes *changes = change(context, graph, CIRCLES * CIRCLE, &e, false);
    TEST_OK(context, cafe_communities_update(context, changes, start, &regrouped));
    const cafe_regrouped_report *r = cafe_regrouped_get(regrouped);
    assert_true(are_connected(cafe_changes_graph(changes), r->after));
    assert_true(r->moved >= CIRCLES * 150);
    cafe_regrouped_free(regrouped);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    test_links_free(&l);
    cafe_context_free(context);
}

enum { CLIQUES = 32, CLIQUE = 10, IN_CLIQUES = CLIQUES * CLIQUE, PAIRS = 8, JOINED = 6 };

/* Pairs of cliques with six edges between them are one community, with two edges they are two,
 * which only a search finds. Most pairs are searched; each by a chance of its own. */
static void test_divisions(void **state) {
    cafe_context *context = test_context(2, 1);
    int32_t start[IN_CLIQUES];
    test_links l = test_links_new(CLIQUES * CLIQUE * (CLIQUE - 1) / 2 + PAIRS * JOINED);
    cafe_regrouped *regrouped;
    edits e = {0};
    int64_t at = 0, divided = 0;
    (void)state;
    for (int32_t u = 0; u < IN_CLIQUES; u++) {
        int32_t clique = u / CLIQUE;
        start[u] = clique < 2 * PAIRS ? clique / 2 : clique;
        for (int32_t w = u + 1; w < (clique + 1) * CLIQUE; w++)
            l.source[at] = u, l.target[at++] = w;
    }
    for (int32_t i = 0; i < PAIRS; i++)
        for (int32_t j = 0; j < JOINED; j++) {
            int32_t u = 2 * i * CLIQUE + j;
            l.source[at] = u, l.target[at++] = u + CLIQUE;
            if (j >= 2) edit(&e, u, u + CLIQUE, 1);
        }
    cafe_graph *graph = test_graph(context, IN_CLIQUES, &l, 0, NULL);
    cafe_changes *changes = change(context, graph, IN_CLIQUES, &e, false);
    TEST_OK(context, cafe_communities_update(context, changes, start, &regrouped));
    const cafe_regrouped_report *r = cafe_regrouped_get(regrouped);
    assert_false(r->whole);
    for (int32_t i = 0; i < PAIRS; i++)
        divided += r->after[2 * i * CLIQUE] != r->after[(2 * i + 1) * CLIQUE];
    assert_true(divided >= PAIRS / 2);
    cafe_regrouped_free(regrouped);
    cafe_changes_free(changes);
    cafe_graph_free(graph);
    test_links_free(&l);
    cafe_context_free(context);
}

static void test_failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    int32_t start[IN_RINGS];
    cafe_graph *graph = rings(context, start);
    (void)state;
    for (int many = 0; many < 2; many++) {
        edits e = rewire(graph, many ? 160 : 20, 9);
        for (long k = 0;; k++) {
            cafe_changes *changes = change(context, graph, IN_RINGS, &e, false);
            cafe_regrouped *regrouped = NULL;
            if (many) assert_non_null(cafe_changes_graph(changes));
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_communities_update(context, changes, start, &regrouped);
            int failed = test_failing_disarm(&memory);
            if (status == CAFE_OK) assert_int_equal(cafe_regrouped_get(regrouped)->whole, many);
            cafe_regrouped_free(regrouped);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_changes_free(changes);
            if (!failed) break;
        }
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_days),           cmocka_unit_test(test_threads),
        cmocka_unit_test(test_none_and_many),  cmocka_unit_test(test_parts),
        cmocka_unit_test(test_cuts),           cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
