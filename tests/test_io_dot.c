/* DOT: graphs and digraphs, chains, subgraphs, attributes and their defaults, what is refused. */
#define _GNU_SOURCE
#include "test_records.h"

static const char *const digraph =
    "/* c */ strict digraph \"g\" { // c\n# c\nrankdir=LR; node [shape=box, city=Bern]\n"
    "a:n -> \"b c\" -> d:w:ne [weight=2.5 label=<i<b>x</b>>]; \"b c\" [city=Basel];\n"
    "subgraph s { e [age=-3]; edge [weight=4] e -> a } f }";

static void test_digraph(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", digraph, NULL);
    assert_int_equal(cafe_graph_nodes(graph), 5);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 3);
    io_expect_name(graph, 1, "b c");
    io_expect_name(graph, 4, "f");
    assert_true(io_weight(graph, "a", "b c") == 2.5f && io_weight(graph, "b c", "d") == 2.5f);
    assert_true(io_weight(graph, "e", "a") == 4);
    expect_text(graph, "city", 0, "Bern");
    expect_text(graph, "city", 1, "Basel");
    assert_true(number_of(graph, "age", 3) == -3);
    assert_non_null(strstr(cafe_graph_get_reading(graph)->text, "; directed edges"));
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_DOT);
    cafe_graph_free(graph);
}

/* An edge between subgraphs joins all their nodes, each once; defaults end with their braces. */
static void test_subgraphs(void **state) {
    (void)state;
    cafe_graph *graph =
        io_read(shared, "x",
                "graph{{a b a--b}--{c;d}--e;{edge[weight=3] node[k=1] x--y} y--z;1--2--.5}", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 11);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 11);
    assert_true(io_weight(graph, "a", "c") == 1 && io_weight(graph, "d", "e") == 1);
    assert_true(io_weight(graph, "x", "y") == 3 && io_weight(graph, "y", "z") == 1);
    assert_true(io_weight(graph, "2", ".5") == 1 && io_weight(graph, "a", "e") == 0);
    assert_true(number_of(graph, "k", cafe_graph_find(graph, "y")) == 1);
    assert_true(isnan(number_of(graph, "k", cafe_graph_find(graph, "z"))));
    cafe_graph_free(graph);
}

static void test_quotes(void **state) {
    (void)state;
    cafe_graph *graph = io_read(
        shared, "x", "graph {\n\"a\\\"b\" -- \"c\" + \"d\\\ne\"\n<<b>x</b>> -- -1.5 }", NULL);
    io_expect_name(graph, 0, "a\"b");
    io_expect_name(graph, 1, "cde");
    io_expect_name(graph, 2, "<b>x</b>");
    io_expect_name(graph, 3, "-1.5");
    cafe_graph_free(graph);
}

/* Strict graphs have each edge once, others add weights; labels name nodes if asked. */
static void test_options(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph *graph =
        io_read(shared, "x", "strict graph { a--b[weight=2] b--a[weight=3] }", NULL);
    assert_true(io_weight(graph, "a", "b") == 3);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "graph { a--b[weight=2] b--a[weight=3] }", NULL);
    assert_true(io_weight(graph, "a", "b") == 5);
    cafe_graph_free(graph);
    cafe_graph_options_init(&options);
    options.name = "label";
    graph = io_read(shared, "x", "graph { a--b a[label=Ann] b[label=Bob] }", &options);
    io_expect_name(graph, 1, "Bob");
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "graph { a--b a[label=Ann] b[label=Bob] }", NULL);
    io_expect_name(graph, 1, "b");
    expect_text(graph, "label", 1, "Bob");
    cafe_graph_free(graph);
    cafe_graph_options_init(&options);
    options.directed = CAFE_DIRECTED_SUM;
    io_refuse(shared, "x", "graph { a--b }", &options, "x:1: expected directed edges");
    options.directed = CAFE_DIRECTED_NO;
    options.weight = "length";
    io_refuse(shared, "x", "graph { a--b [len=2] }", &options,
              "x:1: expected the attribute 'length' of edges, as the option weight says");
}

static void test_refused(void **state) {
    static const refused cases[] = {
        {"graph {\na -> b }", "x.dot:2: expected '--' in a graph, found '->'"},
        {"digraph { a -- b }", "x.dot:1: expected '->' in a digraph, found '--'"},
        {"graph { a -- }", "x.dot:1: expected the second node of the edge, found '}'"},
        {"graph { a -- b", "x.dot:1: expected '}', found the end of the file"},
        {"graph { a -- b } graph { }", "x.dot:1: expected one graph, and nothing behind it"},
        {"graph { a [x] }", "x.dot:1: expected '=' behind the attribute, found ']'"},
        {"graph { a [x=] }", "x.dot:1: expected a value behind '=', found ']'"},
        {"graph { a [x=1 }", "x.dot:1: expected an attribute or ']', found '}'"},
        {"graph { a:= }", "x.dot:1: expected a port behind ':', found '='"},
        {"graph { \"a }", "x.dot:1: expected a closing quote, found the end"},
        {"graph { <a }", "x.dot:1: expected a closing '>', found the end"},
        {"graph { a; ? }", "x.dot:1: expected an id, an edge or one of {}[]=;,:, found '?'"},
        {"graph { a -- b [weight=x] }", "x.dot:1: expected a finite weight"},
        {"graph { a -- b [weight=-1] }", "x.dot:1: expected a finite weight"},
        {"graph { }", "x.dot:1: expected nodes"},
        {"a -- b", "x.dot:1: expected 'graph' or 'digraph', found 'a'"},
        {"graph { node = }", "x.dot:1: expected '[', found '='"},
    };
    (void)state;
    REFUSE_ALL("x.dot", cases);
}

/* Braces in braces end in an error, not in a full stack. */
static void test_deep(void **state) {
    char text[4096] = "graph {";
    (void)state;
    memset(text + 7, '{', sizeof text - 8);
    io_refuse(shared, "x", text, NULL, "x:1: expected fewer subgraphs in subgraphs");
}

/* The content decides; a list of edges between nodes of such names is none. */
static void test_recognised(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x.txt", "\n// c\nGraph \"a b\" { a -- b }", NULL);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_DOT);
    cafe_graph_free(graph);
    graph = io_read(shared, "x.txt", "graph digraph\nstrict graph\n", NULL);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_EDGES);
    cafe_graph_free(graph);
}

static void test_any_bytes(void **state) {
    (void)state;
    cut_off("x.dot", digraph);
    read_with_failing_memory("x.dot", digraph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digraph),    cmocka_unit_test(test_subgraphs),
        cmocka_unit_test(test_quotes),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_deep),
        cmocka_unit_test(test_recognised), cmocka_unit_test(test_any_bytes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
