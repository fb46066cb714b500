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
        cmocka_unit_test(test_the_same_graph), cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_failing_memory), cmocka_unit_test(test_attributes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
