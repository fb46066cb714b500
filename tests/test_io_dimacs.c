/* DIMACS: edges, arcs, what is refused, recognition by content. */
#define _GNU_SOURCE
#include "failing.h"
#include "test_io.h"

static void test_edges(void **state) {
    (void)state;
    cafe_graph *graph =
        io_read(shared, "x", "c a comment\nc\np edge 4 2\nn 1 3\ne 2 1\r\n\ne 2 3", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 4);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_true(io_weight(graph, "0", "1") == 1 && io_weight(graph, "0", "2") == 0);
    cafe_graph_free(graph);
}

/* Arcs in both directions are the edges of a symmetric matrix; others are added up. */
static void test_arcs(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph *graph =
        io_read(shared, "x", "p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 .5\na 3 2 .5\n", NULL);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_true(io_weight(graph, "0", "1") == 5 && io_weight(graph, "1", "2") == .5f);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "p max 3 3\nn 1 s\na 1 2 5\na 2 1 1\na 2 3 4\n", NULL);
    assert_true(io_weight(graph, "0", "1") == 6 && io_weight(graph, "1", "2") == 4);
    cafe_graph_free(graph);
    cafe_graph_options_init(&options);
    options.weights = 0;
    graph = io_read(shared, "x", "p sp 3 2\na 1 2 5\na 2 3 -1\n", &options);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_int_equal(cafe_graph_get_counts(graph)->weighted, 0);
    cafe_graph_free(graph);
}

static void test_directed(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    options.directed = CAFE_DIRECTED_SUM;
    cafe_graph *graph = io_read(shared, "x", "p sp 2 2\na 1 2 5\na 2 1 5\n", &options);
    assert_true(io_weight(graph, "0", "1") == 10);
    cafe_graph_free(graph);
    io_refuse(shared, "x", "p edge 2 1\ne 1 2\n", &options, "x:1:1: expected arcs ('p sp')");
}

static void test_refused(void **state) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"c only\n", "x.gr:2:1: expected the problem line"},
        {"e 1 2\n", "x.gr:1:1: expected the problem line"},
        {"p min 2 1\n", "x.gr:1:3: expected 'edge', 'col', 'sp' or 'max', found 'min'"},
        {"p sp 2\n", "x.gr:1:7: expected the number of edges, found the end of the line"},
        {"p sp 2 1 1\n", "x.gr:1:10: expected the end of the line, found '1'"},
        {"p sp 0 0\n", "x.gr:1:1: expected at least one vertex"},
        {"p sp 2 2\na 1 2 1\n", "x.gr:1:1: expected the number of edges that follow, 1, found 2"},
        {"p sp 99999999 1\na 1 2 1\n", "x.gr:1:1: expected fewer nodes for 1 edges"},
        {"p sp 2 1\na 1 3 1\n", "x.gr:2:5: expected a node id from 1 to 2, found '3'"},
        {"p sp 2 1\na 0 1 1\n", "x.gr:2:3: expected a node id from 1 to 2, found '0'"},
        {"p sp 2 1\na 1 2\n", "x.gr:2:6: expected a weight"},
        {"p sp 2 1\ne 1 2 1\n", "x.gr:2:1: expected 'e' or 'a', as the problem line says"},
        {"p sp 2 1\n1 2 1\n", "x.gr:2:1: expected 'e' or 'a', as the problem line says"},
        {"p col 2 1\ne 1\n", "x.gr:2:4: expected a second node id"},
        {"p col 2 1\ne 1 2 7\n", "x.gr:2:7: expected the end of the line"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        io_refuse(shared, "x.gr", cases[i].text, NULL, cases[i].error);
}

/* The content decides, not the name; an edge list of names with a line 'p max 3' is none. */
static void test_recognised(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x.txt", "p edge 2 1\ne 1 2\n", NULL);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_DIMACS);
    cafe_graph_free(graph);
    graph = io_read(shared, "x.txt", "p max 3\np sp 1\nsp max 2\n", NULL);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_EDGES);
    cafe_graph_free(graph);
}

static void test_failing_memory(void **state) {
    static const char text[] = "p sp 3 3\na 1 2 5\na 2 1 1\na 2 3 4\n";
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    for (long k = 0;; k++) {
        cafe_graph *graph = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = io_read_bytes(context, "x.gr", text, strlen(text), NULL, &graph);
        int failed = test_failing_disarm(&memory);
        if (!failed) assert_int_equal(status, CAFE_OK);
        if (failed) test_failing_expect(&memory, status, failed, live, context);
        cafe_graph_free(graph);
        if (!failed) break;
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges),      cmocka_unit_test(test_arcs),
        cmocka_unit_test(test_directed),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_recognised), cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
