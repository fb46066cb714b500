/* GraphML, GEXF, GML and Pajek: what is read, what is refused, attributes out, memory that fails.
 */
#define _GNU_SOURCE
#include "failing.h"
#include "test_io.h"

#define XML     "<?xml version=\"1.0\"?><graphml>"
#define WEIGHTS "<key id=\"w\" for=\"edge\" attr.name=\"weight\"/>"
#define NAMES   "<key id=\"l\" for=\"node\" attr.name=\"label\"/>"

static const struct {
    const char *name, *text;
} good[] = {
    {"x.graphml", XML NAMES WEIGHTS
     "<graph edgedefault=\"directed\"><node id=\"1\"><data key=\"l\">ann</data></node><node "
     "id=\"2\">"
     "<data key=\"l\">b &amp; c</data></node><edge source=\"1\" target=\"2\"><data key=\"w\"> 2.5 "
     "</data></edge></graph></graphml>"},
    {"x.gexf",
     "<gexf><graph defaultedgetype=\"directed\"><nodes><node id=\"1\" label=\"ann\"/>"
     "<node id=\"2\" label=\"b &amp; c\"/></nodes><edges><edge source=\"1\" target=\"2\" "
     "weight=\"2.5\"/></edges></graph></gexf>"},
    {"x.gml",
     "graph [ directed 1 node [ id 1 label \"ann\" ] node [ id 2 label \"b &#38; c\" ]\n"
     "edge [ source 1 target 2 weight 2.5 ] ]"},
    {"x.net", "*Vertices 2\n1 ann\n2 \"b & c\"\n*Arcs\n1 2 2.5\n"},
};
enum { GOOD = sizeof good / sizeof *good };

/* All say the same: an arc of weight 2.5 from ann to "b & c". */
static void test_the_same_graph(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    for (int i = 0; i < GOOD; i++) {
        cafe_graph *graph = io_read(shared, good[i].name, good[i].text, NULL);
        assert_int_equal(cafe_graph_nodes(graph), 2);
        io_expect_name(graph, 0, "ann");
        assert_true(io_weight(graph, "ann", "b & c") == 2.5f);
        assert_non_null(strstr(cafe_graph_get_reading(graph)->text, "directed edges"));
        cafe_graph_free(graph);
        options.weights = 0;
        options.directed = CAFE_DIRECTED_SUM;
        graph = io_read(shared, good[i].name, good[i].text, &options);
        assert_true(io_weight(graph, "ann", "b & c") == 1);
        cafe_graph_free(graph);
    }
}

#define GEXF(a, b)                                                                              \
    "<gexf><graph><attributes class=\"node\"><attribute id=\"0\" title=\"city\"/></attributes>" \
    "<nodes><node id=\"1\"" a                                                                   \
    "><attvalues><attvalue for=\"0\" value=\"Bern\"/></attvalues></node>"                       \
    "<node id=\"2\"" b                                                                          \
    "><attvalues><attvalue for=\"0\" value=\"Basel\"/></attvalues></node></nodes>"              \
    "<edges><edge source=\"1\" target=\"2\"/></edges></graph></gexf>"
#define GML(a, b) "graph [ node [ id 1 " a " ] node [ id 2 " b " ] edge [ source 1 target 2 ] ]"
#define KEYS                                                                          \
    XML NAMES                                                                         \
        "<key id=\"c\" for=\"node\" attr.name=\"city\"/><graph><node id=\"1\">"       \
        "<data key=\"l\">ann</data><data key=\"c\">Bern</data></node><node id=\"2\">" \
        "<data key=\"l\">bob</data><data key=\"c\">Basel</data></node>"               \
        "<edge source=\"1\" target=\"2\"/></graph></graphml>"
#define PAJEK(a, b) "*Vertices 2\n1 " a "\n2 " b "\n*Edges\n1 2\n"

/* Nodes that are named by their ids although they have labels, and why; the option that chooses. */
static void test_names_are_chosen(void **state) {
    static const struct {
        const char *file, *text, *option, *first, *warning, *error;
    } cases[] = {
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), NULL, "1",
         "x.gexf: nodes are named by their ids, not by their labels: 'ann' is that of two nodes",
         0},
        {"x.gexf", GEXF(" label=\"ann\"", ""), NULL, "1", "node '2' has none", 0},
        {"x.gexf", GEXF("", " label=\"ann\""), NULL, "1", "node '1' has none", 0},
        {"x.gexf", GEXF("", ""), NULL, "1", "", 0},
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), "id", "1", "", 0},
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), "city", "Bern", "", 0},
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), "label", 0, 0,
         "expected a 'label' of every node, no two the same, as the option name says, but 'ann' "
         "is"},
        {"x.gexf", GEXF("", ""), "town", 0, 0, "expected the attribute 'town' of nodes"},
        {"x.gml", GML("name \"ann\"", "name \"bob\""), NULL, "ann", "", 0}, /* igraph */
        {"x.gml", GML("name \"ann\" label \"x\"", "label \"y\" name \"bob\""), NULL, "x", "", 0},
        {"x.gml", GML("name \"ann\" label \"x\"", "label \"y\" name \"bob\""), "name", "ann", "",
         0},
        {"x.gml", GML("name \"ann\"", "name \"ann\""), NULL, "1", "two nodes", 0},
        {"x.gml", GML("town \"ann\"", "town \"bob\""), "town", "ann", "", 0},
        {"x.graphml", KEYS, NULL, "ann", "", 0},
        {"x.graphml", KEYS, "city", "Bern", "", 0},
        {"x.graphml", KEYS, "id", "1", "", 0},
        {"x.net", PAJEK("ann", "\"caf\xe9\""), NULL, "1", "that of node '2' is no line of UTF-8",
         0},
        {"x.net", PAJEK("ann", "bob"), "id", "1", "", 0},
        {"x.net", PAJEK("ann", "bob"), "city", 0, 0, "expected the attribute 'city' of nodes"},
        {"x.txt", "ann bob\nbob cy\n", "label", 0, 0, "goes with GraphML"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cafe_graph_options options;
        cafe_graph *graph = NULL;
        cafe_graph_options_init(&options);
        options.name = cases[i].option;
        cafe_status status = io_read_bytes(shared, cases[i].file, cases[i].text,
                                           strlen(cases[i].text), &options, &graph);
        if (cases[i].error) {
            assert_int_not_equal(status, CAFE_OK);
            if (!strstr(cafe_error(shared), cases[i].error)) fail_msg("%s", cafe_error(shared));
            continue;
        }
        if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
        const char *warning = cafe_graph_get_reading(graph)->warning;
        io_expect_name(graph, 0, cases[i].first);
        bool expected = cases[i].warning[0] ? strstr(warning, cases[i].warning) != NULL : !*warning;
        if (!expected) fail_msg("case %d: '%s'", (int)i, warning);
        cafe_graph_free(graph);
    }
}

/* Whatever byte is missing at the end, there is an error or a graph, never more. */
static void test_cut_off(void **state) {
    (void)state;
    for (int i = 0; i < GOOD; i++)
        for (size_t size = 1; size < strlen(good[i].text); size++) {
            cafe_graph *graph = NULL;
            cafe_status status =
                io_read_bytes(shared, good[i].name, good[i].text, size, NULL, &graph);
            assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
            cafe_graph_free(graph);
        }
}

static void test_failing_memory(void **state) {
    (void)state;
    for (int i = 0; i < GOOD; i++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 2);
        for (long k = 0;; k++) {
            cafe_graph *graph = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = io_read_bytes(context, good[i].name, good[i].text,
                                               strlen(good[i].text), NULL, &graph);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(graph);
            if (!failed) break;
        }
        cafe_context_free(context);
    }
}

static void test_attributes(void **state) {
    static const float reals[] = {0.5f, 1, -2, 3}; /* two columns of two nodes */
    static const int32_t integers[] = {7, -8};
    static const char *const texts[] = {"<a & \"b\">", NULL};
    const cafe_attribute attributes[] = {{.name = "v0", .reals = reals, .stride = 2},
                                         {.name = "v1", .reals = reals + 1, .stride = 2},
                                         {.name = "class", .integers = integers},
                                         {.name = "my label", .texts = texts}};
    static const char *const wanted[][2] = {
        {"g.graphml",
         "<node id=\"ann\"><data key=\"d0\">0.5</data><data key=\"d1\">1</data><data "
         "key=\"d2\">7</data><data key=\"d3\">&lt;a &amp; &quot;b&quot;&gt;</data>"},
        {"g.gml",
         "node [ id 0 label \"ann\" v0 0.5 v1 1 class 7 my_label \"&lt;a &amp; "
         "&quot;b&quot;&gt;\" ]"}};
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, good[0].name, good[0].text, NULL), *again = NULL;
    (void)state;
    for (int i = 0; i < 2; i++) {
        const char *path = io_path(&scratch, wanted[i][0]);
        size_t size;
        TEST_OK(shared, cafe_graph_write_attributes(shared, graph, 4, attributes, path,
                                                    CAFE_FORMAT_AUTO, 0));
        char *text = io_load(path, &size);
        if (!strstr(text, wanted[i][1])) fail_msg("%s", text);
        free(text);
        TEST_OK(shared, cafe_graph_read(shared, path, NULL, &again));
        io_expect_equal(graph, again);
        cafe_graph_free(again);
    }
    assert_int_equal(cafe_graph_write_attributes(shared, graph, 1, attributes,
                                                 io_path(&scratch, "g.txt"), CAFE_FORMAT_AUTO, 0),
                     CAFE_ERROR_ARGUMENT);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_same_graph), cmocka_unit_test(test_names_are_chosen),
        cmocka_unit_test(test_cut_off), cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_attributes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
