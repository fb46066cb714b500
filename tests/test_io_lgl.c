/* LGL and adjacency lists: nodes and the lines of their neighbours, what is refused. */
#define _GNU_SOURCE
#include "test_records.h"

static const char *const lgl = "# ann\nbob 2.5\r\n\n\"c y\" 1\n# bob\n# lone\n";
static const char *const adjacency = "# by networkx\nann bob \"c y\"\nbob\n\nlone\ncy bob\n";

static void test_lgl(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x.lgl", lgl, NULL);
    assert_int_equal(cafe_graph_nodes(graph), 4);
    assert_true(io_weight(graph, "ann", "bob") == 2.5f && io_weight(graph, "ann", "c y") == 1);
    assert_int_equal(cafe_graph_get_counts(graph)->isolated, 1);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_LGL);
    cafe_graph_free(graph);
    static const refused cases[] = {
        {"a 1\n# b\nc\n", "x.lgl:1:1: expected '# node' before its neighbours, found 'a'"},
        {"#\nb\n", "x.lgl:1:2: expected a node, found the end of the line"},
        {"# a b c\n", "x.lgl:1:5: expected the end of the line, found 'b'"},
        {"# a\nb 1 2\n", "x.lgl:2:5: expected the end of the line, found '2'"},
        {"# a\nb x\n", "x.lgl:2: expected a finite weight"},
        {"# a\nb 1\nc\n", "x.lgl:3: expected a weight for every edge or for none"},
    };
    REFUSE_ALL("x.lgl", cases);
}

/* Lists that name each edge at both ends, or at one; commas; content alone is no sign. */
static void test_adjacency(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph *graph = io_read(shared, "x.adjlist", adjacency, NULL);
    assert_int_equal(cafe_graph_nodes(graph), 5);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 3);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_ADJACENCY);
    cafe_graph_free(graph);
    cafe_graph_options_init(&options);
    options.format = CAFE_FORMAT_ADJACENCY;
    graph = io_read(shared, "x", "1,2,3\n2,1\n3,1\n4\n", &options);
    assert_int_equal(cafe_graph_nodes(graph), 4);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    cafe_graph_free(graph);
    io_refuse(shared, "x", "0 1 2 3\n1 2 4\n2 3 4\n", NULL, "x:1");
    assert_non_null(strstr(cafe_error(shared), "format=adjacency"));
    io_refuse(shared, "x.adjlist", "a \"b\n", NULL, "x.adjlist:1:3: expected a node");
}

static void test_any_bytes(void **state) {
    (void)state;
    cut_off("x.lgl", lgl);
    read_with_failing_memory("x.lgl", lgl);
    cut_off("x.adjlist", adjacency);
    read_with_failing_memory("x.adjlist", adjacency);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lgl), cmocka_unit_test(test_adjacency),
                                       cmocka_unit_test(test_any_bytes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
