/* Node-link JSON: ids, places, attributes, what is refused, written and read again. */
#define _GNU_SOURCE
#include "test_records.h"

static const char *const networkx =
    "{\"links\": [{\"source\": \"a\", \"target\": \"b\\u00fc\\ud83d\\ude00\", \"key\": 0, "
    "\"weight\": 2.5e0, \"x\": null}],\n \"directed\": true, \"multigraph\": true, \"graph\": "
    "{\"a\": [1, {}]}, \"nodes\": [{\"city\": \"Bern\", \"id\": \"a\", \"age\": 7, \"old\": false,"
    " \"list\": [1]}, {\"id\": \"b\\u00fc\\ud83d\\ude00\", \"age\": null}]}";

static void test_networkx(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", networkx, NULL);
    io_expect_name(graph, 1, "b\xc3\xbc\xf0\x9f\x98\x80");
    assert_true(io_weight(graph, "a", "b\xc3\xbc\xf0\x9f\x98\x80") == 2.5f);
    expect_text(graph, "city", 0, "Bern");
    expect_text(graph, "old", 0, "false");
    assert_true(number_of(graph, "age", 0) == 7 && isnan(number_of(graph, "age", 1)));
    assert_int_equal(cafe_graph_get_reading(graph)->attribute_count, 3);
    assert_non_null(strstr(cafe_graph_get_reading(graph)->text, "; directed edges"));
    cafe_graph_free(graph);
}

/* Ends are places if nodes have no ids, or texts as ids; numbers that are ids are ids. */
static void test_places(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x",
                                "{\"nodes\":[{\"name\":\"ann\"},{\"name\":\"bob\"},{}],\"links\":["
                                "{\"source\":0,\"target\":1,\"value\":3}]}",
                                NULL);
    assert_true(io_weight(graph, "ann", "bob") == 3);
    io_expect_name(graph, 2, "2");
    cafe_graph_free(graph);
    graph = io_read(shared, "x",
                    "{\"nodes\":[{\"id\":\"0x\"},{\"id\":\"y\"}],\"edges\":[{\"source\":0,"
                    "\"target\":1}]}",
                    NULL);
    assert_true(io_weight(graph, "0x", "y") == 1);
    cafe_graph_free(graph);
    graph = io_read(shared, "x",
                    "{\"nodes\":[{\"id\":1},{\"id\":0},{\"id\":5}],\"edges\":[{\"source\":1,"
                    "\"target\":5}]}",
                    NULL);
    assert_true(io_weight(graph, "1", "5") == 1 && io_weight(graph, "0", "5") == 0);
    cafe_graph_free(graph);
}

static const char *const cytoscape =
    "{\"data\": {\"name\": \"net\"}, \"elements\": {\"edges\": [{\"data\": {\"id\": \"e\", "
    "\"source\": "
    "\"7\", \"target\": \"8\", \"weight\": 4}}], \"nodes\": [{\"data\": {\"id\": \"7\", \"kind\": "
    "\"gene\"}, "
    "\"position\": {\"x\": 1}}, {\"data\": {\"id\": \"8\"}, \"selected\": true}]}}";

static void test_cytoscape(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", cytoscape, NULL);
    assert_true(io_weight(graph, "7", "8") == 4);
    expect_text(graph, "kind", 0, "gene");
    expect_text(graph, "selected", 1, "true");
    assert_int_equal(cafe_graph_get_reading(graph)->attribute_count, 2);
    cafe_graph_free(graph);
}

/* "id" goes before "key" and that before "id" of "data"; "source" before that of "data" and "from".
 */
static void test_other_words(void **state) {
    (void)state;
    cafe_graph *graph = io_read(
        shared, "x",
        "{\"nodes\":[{\"key\":\"k\",\"data\":{\"id\":\"d\"},\"id\":\"a\"},"
        "{\"attributes\":{\"id\":\"n\",\"age\":3},\"data\":{\"id\":\"d\"},\"key\":\"b\"},"
        "{\"data\":{\"id\":\"c\"}}],"
        "\"edges\":[{\"from\":\"c\",\"to\":\"c\",\"data\":{\"source\":\"b\",\"target\":\"b\"},"
        "\"source\":\"a\"},{\"to\":\"b\",\"from\":\"c\"}]}",
        NULL);
    assert_true(io_weight(graph, "a", "b") == 1 && io_weight(graph, "b", "c") == 1);
    expect_text(graph, "key", 0, "k");
    assert_true(number_of(graph, "age", 1) == 3);
    cafe_graph_free(graph);
}

#define NODES "{\"nodes\":[{\"id\":1},\n{\"id\":2}],"
static void test_refused(void **state) {
    static const refused cases[] = {
        {"{\"a\": 1}", "x.json:1: expected a graph as node-link JSON, found no \"nodes\""},
        {NODES "\"a\":1}", "x.json:2: expected a graph as node-link JSON, found no \"links\" or"},
        {NODES "\"links\":[{\"source\":1,\"target\":3}]}",
         "x.json:2: expected the id of a node, found '3'"},
        {NODES "\"links\":[{\"source\":1}]}", "x.json:2: expected source and target of the edge"},
        {NODES "\"links\":[],\"edges\":[]}", "x.json:2: expected one list of edges before this"},
        {NODES "\"links\":[1]}", "x.json:2: expected '{' of an edge, found '1]}'"},
        {NODES "\"links\":[}", "x.json:2: expected a value, found '}'"},
        {NODES "\"links\":[]}x", "x.json:2: expected the end of the file, found 'x'"},
        {NODES "\"links\":[]", "x.json:2: expected ',' or '}', found the end of the file"},
        {NODES "\"links\":{}}", "x.json:2: expected '[', found '{}}'"},
        {NODES "\"links\":[{\"source\":1,\"target\":2,\"weight\":\"x\"}]}",
         "x.json:2: expected a finite weight"},
        {NODES "\"links\":[{\"source\":1,\"target\":2,\"weight\":1},{\"source\":1,\"target\":2}]}",
         "x.json:2: expected a weight for every edge or for none"},
        {"{\"nodes\":[{\"id\":1},{}],\"links\":[]}",
         "x.json:1: expected an id of every node or of none"},
        {"{\"nodes\":[{\"id\":1},{\"id\":1}],\"links\":[]}", "x.json:1: expected each node once"},
        {"{\"nodes\":[{\"id\":[]}],\"links\":[]}", "x.json:1: expected a text or a number before"},
        {"{\"nodes\":[{}],\"links\":[{\"source\":0,\"target\":1}]}",
         "x.json:1: expected the place of a node in the list of nodes, found '1'"},
        {"{\"nodes\":[],\"links\":[]}", "x.json:1: expected nodes"},
        {"{\"nodes\":[{\"data\":{\"id\":null}}],\"edges\":[]}",
         "x.json:1: expected a text or a number before"},
        {"{\"elements\":[]}", "x.json:1: expected \"elements\" with lists of \"nodes\" and"},
        {"{\"elements\":{}}", "x.json:1: expected a graph as node-link JSON, found no \"nodes\""},
        {"{\"a\":tru}", "x.json:1: expected a value, found 'tru}'"},
        {"{\"a\":1.}x", "x.json:1: expected a graph"},
        {"{\"a\":\"\\q\"}", "x.json:1: expected an escape of JSON"},
        {"{\"a\":\"\\ud800\"}", "x.json:1: expected an escape of JSON"},
        {"{\"a\":\"\\u0000\"}", "x.json:1: expected an escape of JSON"},
        {"{\"a\":\"b\n\"}", "x.json:1: expected a closing quote on the same line"},
        {"{\"a\" 1}", "x.json:1: expected ':', found '1}'"},
        {"{a:1}", "x.json:1: expected a text in quotes, found 'a:1}'"},
        {"[]", "x.json:1: expected '{' of a graph"},
    };
    (void)state;
    REFUSE_ALL("x.json", cases);
}

static void test_deep(void **state) {
    char text[4096] = "{\"a\":";
    (void)state;
    memset(text + 5, '[', sizeof text - 6);
    io_refuse(shared, "x", text, NULL, "x:1: expected fewer lists in lists");
    text[0] = 0;
    for (int i = 0; i < 200; i++) strcat(text, "{\"elements\":");
    io_refuse(shared, "x", text, NULL, "x:1: expected fewer lists in lists");
}

/* Names, quotes and control characters come back; integer names stay numbers. */
static void test_written(void **state) {
    io_scratch scratch = io_scratch_new();
    const char *path = io_path(&scratch, "g.json");
    size_t size;
    cafe_graph *again;
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    options.delimiter = ",";
    cafe_graph *graph =
        io_read(shared, "x", "a,\"b\"\"\t\\\xc3\xbc\",0.5\nc,\"b\"\"\t\\\xc3\xbc\",2\n", &options);
    TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 0));
    TEST_OK(shared, cafe_graph_read(shared, path, NULL, &again));
    io_expect_equal(graph, again);
    cafe_graph_free(graph);
    cafe_graph_free(again);
    graph = io_read(shared, "x", "5 7\n7 9\n", NULL);
    TEST_OK(shared, cafe_graph_write(shared, graph, path, CAFE_FORMAT_AUTO, 1));
    char *text = io_load(path, &size);
    assert_non_null(
        strstr(text, "{\"source\": 5, \"target\": 7},\n{\"source\": 7, \"target\": 9}\n]}"));
    free(text);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_any_bytes(void **state) {
    (void)state;
    cut_off("x.json", networkx);
    cut_off("x.json", cytoscape);
    read_with_failing_memory("x.json", networkx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networkx),  cmocka_unit_test(test_places),
        cmocka_unit_test(test_cytoscape), cmocka_unit_test(test_other_words),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_deep),
        cmocka_unit_test(test_written),   cmocka_unit_test(test_any_bytes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
