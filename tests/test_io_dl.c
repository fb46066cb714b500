/* DL: matrices, lists of edges and of neighbours, labels, what is refused. */
#define _GNU_SOURCE
#include "test_records.h"

static const char *const matrix = "DL N=3\nlabels:\nann,bob\ncy\ndata:\n0 2 0\n2 0 .5\n0 .5 0\n";
static const char *const embedded =
    "dl n = 3 format = edgelist1\nlabels embedded\ndata:\nann bob 2\nbob \"c y\" 0.5\n";
static const char *const lists = "dl n=4 format=nodelist1 data:\n1 2 3\n3 1\n";

static void test_matrix(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", matrix, NULL);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_true(io_weight(graph, "ann", "bob") == 2 && io_weight(graph, "bob", "cy") == .5f);
    assert_int_equal(cafe_graph_get_counts(graph)->reversed, 0);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_DL);
    cafe_graph_free(graph);
}

/* Names above and before the entries; a matrix that is not symmetric has arcs; entries of 0 and 1
 * are no weights; rows may run on. */
static void test_embedded_matrix(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    options.directed = CAFE_DIRECTED_SUM;
    cafe_graph *graph = io_read(
        shared, "x", "dl\nn=2, format=fullmatrix\nLABELS EMBEDDED\nDATA:\n b a\nb 0\n 1\na 0 1\n",
        &options);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 1);
    io_expect_name(graph, 0, "b");
    assert_int_equal(cafe_graph_get_counts(graph)->self_loops, 1);
    assert_int_equal(cafe_graph_get_counts(graph)->weighted, 0);
    cafe_graph_free(graph);
}

static void test_lists(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", embedded, NULL);
    assert_int_equal(cafe_graph_nodes(graph), 3);
    assert_true(io_weight(graph, "ann", "bob") == 2 && io_weight(graph, "bob", "c y") == .5f);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", lists, NULL);
    assert_int_equal(cafe_graph_nodes(graph), 4); /* the fourth has no edge */
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_true(io_weight(graph, "1", "3") == 1);
    cafe_graph_free(graph);
    graph = io_read(shared, "x", "dl n=3 format=edgelist1 data:\n1 2\n1 3 4\n", NULL);
    assert_true(io_weight(graph, "1", "2") == 1 && io_weight(graph, "1", "3") == 4);
    cafe_graph_free(graph);
}

static void test_refused(void **state) {
    static const refused cases[] = {
        {"x n=2", "x.dl:1: expected DL, found 'x'"},
        {"dl n=2\nnm=2 data:",
         "x.dl:2: expected n=, format=, diagonal=, labels:, labels embedded or data:"},
        {"dl n=2 nc=3 data:", "x.dl:1: expected n=, as rows and columns are the same nodes"},
        {"dl n=2 diagonal=some data:", "x.dl:1: expected diagonal=present or absent, found 'some'"},
        {"dl n=3 format=lowerhalf data:\n0 1 0\n0 0",
         "x.dl:3: expected more numbers of the matrix, found the end"},
        {"dl n=2 format=lowerhalf diagonal=absent data:\n1 0",
         "x.dl:2: expected no more numbers of the matrix, found '0'"},
        {"dl n=2 format=lowerhalf labels embedded data:\na b\nb 1\na 1 1",
         "x.dl:3: expected rows in the order of the columns, found 'b'"},
        {"dl n=9000 format=lowerhalf data:\n0",
         "x.dl:1: expected 9000 x 9000 numbers up to the diagonal, found fewer"},
        {"dl n=2 format=halfmatrix",
         "x.dl:1: expected the format fullmatrix, lowerhalf, edgelist1"},
        {"dl n=0 data:", "x.dl:1: expected a number of nodes, found '0'"},
        {"dl n=99999999 data:",
         "x.dl:1: expected a number of nodes that goes with the file's size"},
        {"dl n=", "x.dl:1: expected a value, found the end"},
        {"dl n=2\n", "x.dl:2: expected data:, found the end of the file"},
        {"dl format=edgelist1 data:\n1 2", "x.dl:1: expected n= before the data"},
        {"dl labels: a n=2 data:", "x.dl:1: expected n= before the labels, found 'a'"},
        {"dl n=1 labels: a b data:", "x.dl:1: expected data: behind the labels, found 'b'"},
        {"dl n=2 data:\n0 1\n1", "x.dl:3: expected more numbers of the matrix, found the end"},
        {"dl n=2 data:\n0 1 1 0 1", "x.dl:2: expected no more numbers of the matrix, found '1'"},
        {"dl n=2 data:\n0 -1 1 0", "x.dl:2: expected a number of the matrix that is not negative"},
        {"dl n=2 data:\n0 x 1 0", "x.dl:2: expected a number of the matrix"},
        {"dl n=9000 data:\n0", "x.dl:1: expected 9000 x 9000 numbers, found fewer"},
        {"dl n=2 format=edgelist1 data:\n1 3", "x.dl:2: expected a node from 1 to n, found '3'"},
        {"dl n=2 format=edgelist1 data:\n1",
         "x.dl:2: expected a second node, found the line's end"},
        {"dl n=2 format=edgelist1 data:\n1 2 3 4",
         "x.dl:2: expected the end of the line, found '4'"},
        {"dl n=2 format=edgelist1 data:\n1 2 x", "x.dl:2: expected a finite weight"},
        {"dl n=2 format=edgelist1 labels embedded data:\na b\nb c",
         "x.dl:3: expected no more nodes than the head says, found 'c'"},
        {"dl n=2 format=edgelist1 labels embedded data:\n\"a b",
         "x.dl:2: expected a closing quote"},
    };
    (void)state;
    REFUSE_ALL("x.dl", cases);
}

/* The content decides; an edge list between nodes of such names is none. */
static void test_recognised(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x.txt", "dl n\nn dl\n", NULL);
    assert_int_equal(cafe_graph_get_reading(graph)->format, CAFE_FORMAT_EDGES);
    cafe_graph_free(graph);
}

static void test_any_bytes(void **state) {
    const char *const texts[] = {matrix, embedded, lists};
    (void)state;
    for (int i = 0; i < 3; i++) {
        cut_off("x.dl", texts[i]);
        read_with_failing_memory("x.dl", texts[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),     cmocka_unit_test(test_embedded_matrix),
        cmocka_unit_test(test_lists),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_recognised), cmocka_unit_test(test_any_bytes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
