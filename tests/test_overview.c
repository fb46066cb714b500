/* Overviews: what communities are about, nodes between them, odd nodes, and the text as a whole, on
 * two cliques whose answers are known by hand.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/about.h>
#include <cafe/overview.h>

#include "failing.h"
#include "graphs.h"

#include "overview/surroundings.h"

/* Cliques 0-5 and 6-11; node 12 has three edges to each. Node 3 of the first has the label of the
 * second. */
enum { CLIQUE = 6, NODES = 2 * CLIQUE + 1, BETWEEN = NODES - 1, ODD = 3 };

static cafe_graph *two_cliques(cafe_context *context) {
    int32_t source[64], target[64];
    int64_t count = 0;
    for (int32_t c = 0; c < 2; c++)
        for (int32_t u = 0; u < CLIQUE; u++)
            for (int32_t w = u + 1; w < CLIQUE; w++) {
                source[count] = c * CLIQUE + u;
                target[count++] = c * CLIQUE + w;
            }
    for (int32_t i = 0; i < 3; i++) {
        source[count] = source[count + 1] = BETWEEN;
        target[count++] = i;
        target[count++] = CLIQUE + i;
    }
    cafe_graph *graph = NULL;
    assert_int_equal(
        cafe_graph_from_edges(context, NODES, count, source, target, NULL, NULL, &graph), CAFE_OK);
    return graph;
}

static cafe_labels *labels_of(cafe_context *context) {
    static const char *const names[] = {"red", "blue"};
    int32_t label[NODES];
    cafe_labels *labels = NULL;
    for (int u = 0; u < NODES; u++) label[u] = u >= CLIQUE;
    label[ODD] = 1;
    label[BETWEEN] = -1;
    assert_int_equal(cafe_labels_from_arrays(context, NODES, NULL, label, 2, names, &labels),
                     CAFE_OK);
    return labels;
}

static void partition_of(int32_t part[NODES]) {
    for (int u = 0; u < NODES; u++) part[u] = u >= CLIQUE;
    part[BETWEEN] = 0;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void communities_are_about_their_labels(void **state) {
    cafe_context *context = *state;
    cafe_graph *graph = two_cliques(context);
    cafe_labels *labels = labels_of(context);
    int32_t part[NODES];
    double central[NODES];
    cafe_about *about;
    partition_of(part);
    for (int u = 0; u < NODES; u++) central[u] = u == 2 ? 2 : u == BETWEEN ? 3 : 1;
    const cafe_about_sources all = {labels, NULL, central}, none = {NULL, NULL, central};
    assert_int_equal(cafe_about_find(context, graph, &all, part, 2, &about), CAFE_OK);
    /* blue: 6 of 6, expected 6 * 7/13; z = 2.27 is no more than chance may give; red: 5 of 7 */
    assert_string_equal(cafe_about_text(about, 1), "6, 7 \xe2\x80\xa6");
    cafe_about_free(about);
    assert_int_equal(cafe_about_find(context, graph, &none, part, 2, &about), CAFE_OK);
    assert_string_equal(cafe_about_text(about, 0), "12, 2 \xe2\x80\xa6");
    cafe_about_free(about);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
}

/* Ten communities of ten nodes: a word of one of them is far above its share of a tenth. */
static void words_above_chance_describe(void **state) {
    enum { N = 100, PARTS = 10 };
    cafe_context *context = *state;
    static int32_t source[N], target[N], part[N], label[N];
    cafe_graph *graph = NULL;
    cafe_labels *labels = NULL;
    cafe_about *about;
    for (int32_t u = 0; u < N; u++) {
        source[u] = u;
        target[u] = (u + 1) % N;
        part[u] = u / PARTS;
        label[u] = u % PARTS < 8 ? part[u] : (part[u] + 1) % PARTS;
    }
    assert_int_equal(cafe_graph_from_edges(context, N, N, source, target, NULL, NULL, &graph),
                     CAFE_OK);
    assert_int_equal(cafe_labels_from_arrays(context, N, NULL, label, PARTS, NULL, &labels),
                     CAFE_OK);
    const cafe_about_sources sources = {labels, NULL, NULL};
    assert_int_equal(cafe_about_find(context, graph, &sources, part, PARTS, &about), CAFE_OK);
    for (int k = 0; k < PARTS; k++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "label: %d (80 %%)", k);
        assert_string_equal(cafe_about_text(about, k), wanted);
    }
    cafe_about_free(about);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
}

static void bridges_and_odd_nodes(void **state) {
    cafe_context *context = *state;
    cafe_graph *graph = two_cliques(context);
    cafe_labels *labels = labels_of(context);
    int32_t part[NODES];
    float rows[NODES * 2];
    cafe_surroundings s;
    partition_of(part);
    const cafe_layer layer = {.communities = 2, .partition = part};
    /* the vector of node 7 is across that of its clique */
    for (int u = 0; u < NODES; u++) rows[2 * u] = u != 7, rows[2 * u + 1] = u == 7;
    assert_int_equal(cafe_surroundings_find(context, graph, &layer, labels, 2, rows, &s), CAFE_OK);
    assert_int_equal(s.bridge[0].node, BETWEEN);
    assert_true(s.bridge[0].own == 0.5 && s.bridge[0].next == 0.5);
    assert_int_equal(s.bridge[0].other, 1);
    /* d/2m (1 - 1/4 - 1/4) with d = 6 and 2m = 72 */
    assert_true(fabs(s.bridge[0].score - 6.0 / 72 / 2) < 1e-15);
    assert_int_equal(s.odds, 1);
    assert_int_equal(s.odd[0].node, ODD);
    assert_int_equal(s.odd[0].same, 0);
    assert_int_equal(s.odd[0].most, 5);
    assert_int_equal(s.odd[0].count, 5);
    assert_int_equal(cafe_surroundings_find(context, graph, &layer, NULL, 2, rows, &s), CAFE_OK);
    assert_int_equal(s.odd[0].node, 7);
    assert_true(s.odd[0].agreement == 0);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void the_text_has_the_answers(void **state) {
    cafe_context *context = *state;
    cafe_graph *graph = two_cliques(context);
    cafe_labels *labels = labels_of(context);
    const cafe_overview_inputs inputs = {
        .struct_size = sizeof inputs, .title = "A *b* <c>", .labels = labels};
    cafe_overview *overview;
    assert_int_equal(cafe_overview_make(context, graph, &inputs, &overview), CAFE_OK);
    const char *text = cafe_overview_text(overview);
    assert_non_null(strstr(text, "# A \\*b\\* \\<c\\>\n"));
    assert_non_null(strstr(text, "13 nodes and 36 edges in 1 component"));
    assert_non_null(strstr(text, "| 12 | 0 | 50 % | 1 | 50 % |"));
    assert_non_null(strstr(text, "| 3 | blue | 0 of 5 | red | 5 of 5 |"));
    assert_null(strstr(text, "nan"));
    cafe_overview_free(overview);
    cafe_labels_free(labels);
    cafe_graph_free(graph);
}

static void a_graph_without_edges_is_refused(void **state) {
    cafe_graph *graph = NULL;
    cafe_overview *overview;
    assert_int_equal(cafe_graph_from_edges(*state, 3, 0, NULL, NULL, NULL, NULL, &graph), CAFE_OK);
    assert_int_equal(cafe_overview_make(*state, graph, NULL, &overview), CAFE_ERROR_ARGUMENT);
    assert_null(overview);
    cafe_graph_free(graph);
}

/* Every allocation fails once at first, later fewer of them. */
static void memory_may_run_out(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = two_cliques(context);
    for (long k = 0;; k += 1 + k / 8) {
        cafe_overview *overview;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_overview_make(context, graph, NULL, &overview);
        cafe_overview_free(overview);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    cafe_context *context;
    if (cafe_context_create(NULL, &context) != CAFE_OK) return 1;
    struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(communities_are_about_their_labels, context),
        cmocka_unit_test_prestate(words_above_chance_describe, context),
        cmocka_unit_test_prestate(bridges_and_odd_nodes, context),
        cmocka_unit_test_prestate(the_text_has_the_answers, context),
        cmocka_unit_test_prestate(a_graph_without_edges_is_refused, context),
        cmocka_unit_test(memory_may_run_out),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cafe_context_free(context);
    return failed;
}
