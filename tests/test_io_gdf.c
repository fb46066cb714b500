/* GDF: columns, quotes, directions, what is refused. */
#define _GNU_SOURCE
#include "test_records.h"

static const char *const good =
    "nodedef>name VARCHAR,label VARCHAR(32), age INT default 3,city VARCHAR\r\n"
    "s1,'Site, \\'1\\'',7,\"B, n\"\r\n\r\ns2, Other ,8\r\n# c\ns3\n"
    "edgedef>node1 VARCHAR,node2 VARCHAR,directed BOOLEAN,label VARCHAR,weight DOUBLE\n"
    "s1,s2,true,x,2.5\ns2,'s1',false,,\n";

static void test_good(void **state) {
    (void)state;
    cafe_graph *graph = io_read(shared, "x", good, NULL);
    assert_int_equal(cafe_graph_nodes(graph), 3);
    io_expect_name(graph, 0, "Site, '1'");
    io_expect_name(graph, 1, "Other");
    io_expect_name(graph, 2, "s3"); /* without a label: by its id, with a warning */
    assert_non_null(strstr(cafe_graph_get_reading(graph)->warning, "for 1 of 3 nodes"));
    assert_true(io_weight(graph, "Other", "Site, '1'") == 3.5f);
    assert_true(number_of(graph, "age", 1) == 8);
    expect_text(graph, "city", 0, "B, n");
    assert_non_null(strstr(cafe_graph_get_reading(graph)->text, "directed and undirected edges"));
    cafe_graph_free(graph);
}

static void test_refused(void **state) {
#define HEAD "nodedef>name\na\nb\nedgedef>node1,node2,weight\n"
    static const refused cases[] = {
        {"a,b\n", "x.gdf:1:1: expected 'nodedef>'"},
        {"nodedef>\n", "x.gdf:1:1: expected columns behind the '>'"},
        {"nodedef>name\na\na\n", "x.gdf:3: expected each node once, found 'a'"},
        {"nodedef>name\na,b\n", "x.gdf:2:3: expected no more fields than columns, found 'b'"},
        {"nodedef>name\n'a\n", "x.gdf:2:1: expected a closing quote on the same line"},
        {"nodedef>name\n'a'b\n", "x.gdf:2:4: expected a comma behind the quote, found 'b'"},
        {"nodedef>name\na\nnodedef>name\n", "x.gdf:3:1: expected nodes first, then edges"},
        {"nodedef>name\na\nedgedef>from,to\n", "x.gdf:3:1: expected the columns node1 and node2"},
        {HEAD "a\n", "x.gdf:5:1: expected two nodes"},
        {HEAD "a,b,x\n", "x.gdf:5: expected a finite weight"},
        {HEAD "a,b,1,2\n", "x.gdf:5:7: expected no more fields than columns"},
        {HEAD "a,c\n", "x.gdf:5: expected edges between nodes of the file, found 'c'"},
    };
    (void)state;
    REFUSE_ALL("x.gdf", cases);
}

static void test_any_bytes(void **state) {
    (void)state;
    cut_off("x.gdf", good);
    read_with_failing_memory("x.gdf", good);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_any_bytes)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
