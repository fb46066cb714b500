/* The largest component: nodes, edges, weights, loops and names of every kind stay. */
#define _GNU_SOURCE
#include "failing.h"
#include "test_io.h"

/* Two components of three nodes, one of two and an isolated node: the first of three counts. */
static const char *const texts[3] = {
    "# cafe: nodes 9\n0 1 2\n2 6 3\n6 4 .5\n6 6 7\n3 5 1\n5 7 1\n", /* indices */
    "100 101 2\n102 106 3\n106 104 .5\n106 106 7\n103 105 1\n105 107 1\n",
    "# cafe: edges\nz y 2\nb g 3\ng d .5\ng g 7\nc e 1\ne f 1\n"};
static const char *const names[3][3] = {{"2", "4", "6"}, {"102", "104", "106"}, {"b", "g", "d"}};

static void test_part(void **state) {
    cafe_graph_options options;
    (void)state;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    for (int kind = 0; kind < 3; kind++) {
        cafe_graph *part, *graph = io_read(shared, "x", texts[kind], &options);
        const char *const *name = names[kind];
        const char *hub = kind == 2 ? name[1] : name[2], *last = kind == 2 ? name[2] : name[1];
        assert_int_equal(cafe_graph_largest_component(shared, graph, &part), CAFE_OK);
        assert_int_equal(cafe_graph_nodes(part), 3);
        assert_int_equal(cafe_graph_get_counts(part)->edges, 3);
        for (int u = 0; u < 3; u++) io_expect_name(part, u, name[u]);
        assert_true(io_weight(part, name[0], hub) == 3 && io_weight(part, hub, last) == .5f);
        assert_true(io_weight(part, hub, hub) == 14);
        cafe_graph_free(graph);
        cafe_graph_free(part);
    }
}

static void test_whole(void **state) {
    (void)state;
    cafe_graph *part, *graph = io_read(shared, "x", "0 1\n1 2\n", NULL);
    assert_int_equal(cafe_graph_largest_component(shared, graph, &part), CAFE_OK);
    io_expect_equal(graph, part);
    cafe_graph_free(graph);
    cafe_graph_free(part);
}

static void test_failing_memory(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 2);
        cafe_graph *graph = io_read(context, "x", texts[kind], NULL), *part;
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_graph_largest_component(context, graph, &part);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(part);
            if (!failed) break;
        }
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_part), cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
