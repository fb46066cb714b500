/* GraphML, GEXF, GML and Pajek: what is read, what is refused, attributes out, memory that fails.
 */
#define _GNU_SOURCE
#include "test_records.h"

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

/* The attribute that names the nodes; labels that are missing or repeated. */
static void test_names_are_chosen(void **state) {
    static const struct {
        const char *file, *text, *option, *first, *warning, *error;
    } cases[] = {
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), NULL, "ann",
         "x.gexf: 'label' is missing or repeated for 1 of 2 nodes", 0},
        {"x.gexf", GEXF(" label=\"ann\"", ""), NULL, "ann", "for 1 of 2 nodes", 0},
        {"x.gexf", GEXF("", " label=\"ann\""), NULL, "1", "for 1 of 2 nodes", 0},
        {"x.gexf", GEXF("", ""), NULL, "1", "", 0},
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), "id", "1", "", 0},
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), "city", "Bern", "", 0},
        {"x.gexf", GEXF(" label=\"ann\"", " label=\"ann\""), "label", "ann", "for 1 of 2", 0},
        {"x.gexf", GEXF("", ""), "town", 0, 0, "expected the attribute 'town' of nodes"},
        {"x.gml", GML("name \"ann\"", "name \"bob\""), NULL, "ann", "", 0}, /* igraph */
        {"x.gml", GML("name \"ann\" label \"x\"", "label \"y\" name \"bob\""), NULL, "x", "", 0},
        {"x.gml", GML("name \"ann\" label \"x\"", "label \"y\" name \"bob\""), "name", "ann", "",
         0},
        {"x.gml", GML("name \"ann\"", "name \"ann\""), NULL, "ann", "for 1 of 2 nodes", 0},
        {"x.gml", "graph [ node [ id 1 label \"a\" ] node [ id 2 label \"a\" ] node [ id 3 ] ]",
         NULL, "1", "nodes are named by their ids, not by their labels, of which 1 differ", 0},
        {"x.gml", "graph [ node [ label \"a\" id 1 ] node [ id 2 label \"a\" ] node [ id 3 ] ]",
         "label", "a", "for 2 of 3 nodes", 0},
        {"x.gml", GML("town \"ann\"", "town \"bob\""), "town", "ann", "", 0},
        {"x.graphml", KEYS, NULL, "ann", "", 0},
        {"x.graphml", KEYS, "city", "Bern", "", 0},
        {"x.graphml", KEYS, "id", "1", "", 0},
        {"x.net", PAJEK("\xc3\xa4nn", "\"caf\xe9\""), NULL, "\xc3\xa4nn",
         "1 values of attributes are no UTF-8", 0},
        {"x.net", PAJEK("ann", "bob"), "id", "1", "", 0},
        {"x.net", PAJEK("ann", "bob"), "city", 0, 0, "expected the attribute 'city' of nodes"},
        {"x.txt", "ann bob\nbob cy\n", "label", 0, 0, "such as GraphML"},
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

static void test_cut_off(void **state) {
    (void)state;
    for (int i = 0; i < GOOD; i++) cut_off(good[i].name, good[i].text);
}

/* Names that are not unique get the ids, until they are. */
static void test_unique_names(void **state) {
    static const char *const names[] = {"a (2)", "a", "a (3)", "a (2) (4)", "5"};
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    options.name = "label";
    cafe_graph *graph =
        io_read(shared, "x.gml",
                "graph [ node [ id 1 label \"a (2)\" ] node [ id 2 label \"a\" ] node [ id 3 label "
                "\"a\" ] node [ id 4 label \"a (2)\" ] node [ id 5 ] ]",
                &options);
    for (int64_t u = 0; u < 5; u++) io_expect_name(graph, u, names[u]);
    cafe_graph_free(graph);
}

/* Three nodes: city a text, missing for the second; age a number; zip a text of digits. */
static const struct {
    const char *name, *text;
} attributed[] = {
    {"x.graphml",
     XML "<key id=\"a\" for=\"node\" attr.name=\"city\"/><key id=\"b\" for=\"node\" "
         "attr.name=\"age\"><default>7</default></key><key id=\"c\" for=\"node\" "
         "attr.name=\"age\"/>"
         "<key id=\"z\" attr.name=\"zip\"/><key id=\"y\" for=\"node\" yfiles.type=\"x\"/>"
         "<graph><node id=\"1\"><data key=\"a\">Bern</data><data key=\"z\">007</data><data "
         "key=\"y\"> <y:shape>no text</y:shape></data></node>"
         "<node id=\"2\"><data key=\"b\">1e3</data></node><node id=\"3\"><data "
         "key=\"a\">Bern</data><data key=\"c\">.5</data></node>"
         "<edge source=\"1\" target=\"2\"/></graph></graphml>"},
    {"x.gexf",
     "<gexf><graph><attributes class=\"node\"><attribute id=\"0\" title=\"city\"/><attribute "
     "id=\"1\" title=\"age\"><default>7</default></attribute><attribute id=\"2\" "
     "title=\"zip\"/></attributes><attributes class=\"edge\"><attribute id=\"0\" "
     "title=\"time\"/></attributes><nodes><node id=\"1\"><attvalues><attvalue for=\"0\" "
     "value=\"Bern\"/><attvalue for=\"2\" value=\"007\"/></attvalues></node><node "
     "id=\"2\"><attvalues>"
     "<attvalue for=\"1\" value=\"1e3\"/></attvalues></node><node id=\"3\"><attvalues><attvalue "
     "for=\"0\" value=\"Bern\"/><attvalue for=\"1\" "
     "value=\".5\"/></attvalues></node></nodes><edges>"
     "<edge source=\"1\" target=\"2\"><attvalues><attvalue for=\"0\" "
     "value=\"3\"/></attvalues></edge></edges></graph></gexf>"},
    {"x.gml",
     "graph [ node [ city \"Bern\" id 1 age 7 zip \"007\" graphics [ x 1 ] ]\n"
     "node [ id 2 age 1e3 ] node [ id 3 city \"Bern\" age .5 ] edge [ source 1 target 2 ] ]"},
};

static void test_failing_memory(void **state) {
    (void)state;
    for (int i = 0; i < GOOD; i++) read_with_failing_memory(good[i].name, good[i].text);
    for (int i = 0; i < 3; i++) read_with_failing_memory(attributed[i].name, attributed[i].text);
}

/* Attributes as labels and as facts, with memory that fails. */
static void test_uses(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = io_read(context, attributed[2].name, attributed[2].text, NULL);
    int failed = 1;
    (void)state;
    for (long k = 0; failed; k++) {
        cafe_labels *labels = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_labels_read(context, graph, "city", NULL, NULL, &labels);
        failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) assert_int_equal(cafe_labels_classes(labels), 1);
        cafe_labels_free(labels);
    }
    failed = 1;
    for (long k = 0; failed; k++) {
        cafe_facts *facts = NULL;
        int64_t skipped;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_facts_read(context, graph, NULL, &facts, &skipped);
        failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) assert_int_equal(cafe_facts_columns(facts), 3);
        cafe_facts_free(facts);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void test_attributes_are_kept(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) {
        cafe_graph *graph = io_read(shared, attributed[i].name, attributed[i].text, NULL);
        const double *ages = attribute_of(graph, "age")->numbers;
        assert_int_equal(cafe_graph_get_reading(graph)->attribute_count, 3);
        expect_text(graph, "city", 0, "Bern");
        expect_text(graph, "city", 1, NULL);
        expect_text(graph, "zip", 0, "007");
        assert_int_equal(attribute_of(graph, "city")->values, 1);
        assert_true(ages[0] == 7 && ages[1] == 1000 && ages[2] == .5);
        cafe_graph_free(graph);
    }
}

/* Coordinates behind the label, values of a project; a list of another length is of another
 * network. */
static void test_pajek_attributes(void **state) {
    static const char text[] =
        "*Vertices 2\n2 b 0.1 0.2 ic Red\n1 a 0.3 0.4 0.5\n*Edges\n1 2\n*Partition part of it\n"
        "*Vertices 2\n4\n5\n*Vector\n*Vertices 3\n1\n2\n3\n";
    (void)state;
    cafe_graph *graph = io_read(shared, "x.paj", text, NULL);
    assert_true(number_of(graph, "x", 1) == .1);
    assert_true(attribute_of(graph, "z")->numbers[0] == .5);
    assert_true(attribute_of(graph, "part of it")->numbers[1] == 5);
    assert_int_equal(cafe_graph_get_reading(graph)->attribute_count, 4);
    cafe_graph_free(graph);
    io_refuse(shared, "x.paj", "*Vertices 1\n1 a\n*Vector v\n*Vertices 1\n1\n2\n", NULL,
              "x.paj:6:1: expected no more values than vertices, found '2'");
}

/* Keys of one name are one attribute; an edge has one weight. */
static void test_keys_of_one_name(void **state) {
#define TWO                                                                            \
    XML WEIGHTS                                                                        \
        "<key id=\"v\" for=\"edge\" attr.name=\"weight\"/><key id=\"w\" for=\"node\" " \
        "attr.name=\"weight\"/><graph><node id=\"a\"><data key=\"w\">9</data></node>"  \
        "<node id=\"b\"/><node id=\"c\"/><edge source=\"a\" target=\"b\"><data "       \
        "key=\"w\">2</data>"
    (void)state;
    cafe_graph *graph = io_read(shared, "x",
                                TWO
                                "</edge><edge source=\"b\" target=\"c\"><data "
                                "key=\"v\">0.5</data></edge></graph></graphml>",
                                NULL);
    assert_true(io_weight(graph, "a", "b") == 2 && io_weight(graph, "b", "c") == .5f);
    assert_true(attribute_of(graph, "weight")->numbers[0] == 9);
    cafe_graph_free(graph);
    io_refuse(shared, "x", TWO "<data key=\"v\">3</data></edge></graph></graphml>", NULL,
              "x:1: expected one 'weight' of the edge, found two");
}

/* What one format writes, all others that hold attributes write and read again. */
static void test_attributes_return(void **state) {
    static const char *const files[] = {"a.graphml", "a.cafe", "a.gml", "a.gexf", "a.json"};
    io_scratch scratch = io_scratch_new();
    (void)state;
    cafe_graph *graph = io_read(shared, attributed[2].name, attributed[2].text, NULL), *again;
    for (int i = 0; i < 5; i++) {
        const char *path = io_path(&scratch, files[i]);
        TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 0));
        TEST_OK(shared, cafe_graph_read(shared, path, NULL, &again));
        io_expect_equal(graph, again);
        expect_text(again, "zip", 0, "007");
        expect_text(again, "city", 2, "Bern");
        expect_text(again, "city", 1, NULL);
        assert_true(attribute_of(again, "age")->numbers[1] == 1000);
        cafe_graph_free(again);
    }
    TEST_OK(shared, cafe_graph_largest_component(shared, graph, &again));
    assert_int_equal(cafe_graph_nodes(again), 2);
    assert_true(attribute_of(again, "age")->numbers[1] == 1000);
    cafe_graph_free(again);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
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
         "&quot;b&quot;&gt;\" ]"},
        {"g.cafe", "my label"}};
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, good[0].name, good[0].text, NULL), *again = NULL;
    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *path = io_path(&scratch, wanted[i][0]);
        size_t size;
        TEST_OK(shared, cafe_graph_write_attributes(shared, graph, 4, attributes, path,
                                                    CAFE_FORMAT_AUTO, 0));
        char *text = io_load(path, &size);
        if (!memmem(text, size, wanted[i][1], strlen(wanted[i][1]))) fail_msg("%s", text);
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
        cmocka_unit_test(test_the_same_graph),    cmocka_unit_test(test_names_are_chosen),
        cmocka_unit_test(test_unique_names),      cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_failing_memory),    cmocka_unit_test(test_attributes_are_kept),
        cmocka_unit_test(test_pajek_attributes),  cmocka_unit_test(test_keys_of_one_name),
        cmocka_unit_test(test_attributes_return), cmocka_unit_test(test_uses),
        cmocka_unit_test(test_attributes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
