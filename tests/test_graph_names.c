/* Components and names of a graph. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "base/context.h"
#include "base/memory.h"
#include "failing.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "graphs.h"

/* ---- components ------------------------------------------------------------------------------ */

static void components_are_numbered_by_smallest_node(void **state) {
    (void)state;
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 1);
        for (int64_t m = 100; m < 40000; m *= 3) {
            cafe_graph *g = test_random(context, 10000, m, 0, 0, (uint64_t)m);
            int32_t *component = malloc((size_t)g->n * sizeof *component), next = 0;
            int64_t count = 0, *size = calloc((size_t)g->n, sizeof *size), largest = 0;
            assert_int_equal(cafe_graph_components(context, g, component, &count), CAFE_OK);
            for (int64_t u = 0; u < g->n; u++) {
                assert_in_range(component[u], 0, next);
                if (component[u] == next) next++;
                if (++size[component[u]] > largest) largest = size[component[u]];
                for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
                    assert_int_equal(component[u], component[g->targets[j]]);
            }
            assert_int_equal(count, next);
            assert_int_equal(count, g->counts.components);
            assert_int_equal(largest, g->counts.largest);
            free(component);
            free(size);
            cafe_graph_free(g);
        }
        cafe_context_free(context);
    }
}

/* Joined where links join and nowhere else: against a search from each smallest node. */
static void components_are_not_joined_without_links(void **state) {
    cafe_context *context = test_context(2, 1);
    enum { CLIQUES = 50, SIZE = 6, N = CLIQUES * SIZE };
    test_links l = test_links_new(CLIQUES * SIZE * (SIZE - 1) / 2);
    int32_t component[N];
    int64_t count = 0, at = 0;
    (void)state;
    for (int32_t c = 0; c < CLIQUES; c++)
        for (int32_t i = 0; i < SIZE; i++)
            for (int32_t j = 0; j < i; j++)
                l.source[at] = c + CLIQUES * i, l.target[at++] = c + CLIQUES * j;
    cafe_graph *g = test_graph(context, N, &l, 0, NULL);
    assert_int_equal(cafe_graph_components(context, g, component, &count), CAFE_OK);
    assert_int_equal(count, CLIQUES);
    for (int32_t u = 0; u < N; u++) assert_int_equal(component[u], u % CLIQUES);
    cafe_graph_free(g);
    test_links_free(&l);
    cafe_context_free(context);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void assert_names_lead_back(const cafe_graph *g) {
    char name[64];
    for (int64_t u = 0; u < g->n; u++) {
        size_t length = cafe_graph_name(g, u, name, sizeof name);
        assert_int_equal(length, strlen(name));
        assert_int_equal(cafe_graph_find(g, name), u);
    }
}

static void index_names(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *g = test_karate(context);
    const char *absent[] = {"34", "-1", "", "x", "1x", " 1", "+1", "-", "99999999999999999999"};
    char text[2];
    (void)state;
    assert_int_equal(cafe_graph_names_are_indices(g), 1);
    assert_names_lead_back(g);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        assert_int_equal(cafe_graph_find(g, absent[i]), -1);
    assert_int_equal(cafe_graph_name(g, 33, text, sizeof text), 2);
    assert_string_equal(text, "3");
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void integer_names(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *g = test_karate(context);
    int64_t *integers = cafe_mem(context, g->n, sizeof *integers);
    (void)state;
    for (int64_t u = 0; u < g->n; u++) integers[u] = u * u - 100;
    integers[0] = INT64_MIN, integers[33] = INT64_MAX;
    cafe_graph_adopt_names(g, (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = integers});
    assert_int_equal(cafe_graph_names_are_indices(g), 0);
    assert_names_lead_back(g);
    assert_int_equal(cafe_graph_find(g, "-98"), -1);
    assert_int_equal(cafe_graph_find(g, "9223372036854775808"), -1);
    assert_int_equal(cafe_graph_find(g, "-9223372036854775809"), -1);
    cafe_graph_free(g);
    cafe_context_free(context);
}

enum { STRINGS = 5000 };

static cafe_graph *graph_with_strings(cafe_context *context) {
    cafe_graph *g = NULL;
    int64_t *start = cafe_mem(context, STRINGS + 1, sizeof *start);
    char *text = cafe_mem(context, STRINGS * 16, 1);
    assert_int_equal(cafe_graph_from_edges(context, STRINGS, 0, NULL, NULL, NULL, NULL, &g),
                     CAFE_OK);
    start[0] = 0;
    for (int64_t u = 0; u < STRINGS; u++)
        start[u + 1] = start[u] + sprintf(text + start[u], "n%x", (unsigned)(u * 2654435761u));
    cafe_graph_adopt_names(g,
                           (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text});
    return g;
}

static void *look_up_all(void *graph) {
    char name[32];
    for (int64_t u = 0; u < STRINGS; u++) {
        cafe_graph_name(graph, u, name, sizeof name);
        if (cafe_graph_find(graph, name) != u) return graph;
    }
    return NULL;
}

static void string_names_from_several_threads(void **state) {
    cafe_context *context = test_context(1, 1);
    int64_t before = cafe_bytes(context);
    cafe_graph *g = graph_with_strings(context);
    pthread_t threads[4];
    void *wrong = NULL;
    char text[3];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, look_up_all, g), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_non_null(atomic_load(&g->index));
    assert_int_equal(cafe_graph_find(g, "n"), -1);
    assert_int_equal(cafe_graph_find(g, ""), -1);
    assert_int_equal(cafe_graph_find(g, "nothing"), -1);
    assert_int_equal(cafe_graph_name(g, 1, text, sizeof text), 9);
    assert_string_equal(text, "n9");
    assert_int_equal(cafe_graph_name(g, 1, NULL, 0), 9);
    cafe_graph_free(g);
    assert_int_equal(cafe_bytes(context), before);
    cafe_context_free(context);
}

static void names_are_found_without_memory_for_an_index(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *g = graph_with_strings(context);
    (void)state;
    test_failing_arm(&memory, 0);
    assert_int_equal(cafe_graph_find(g, "n0"), 0);
    assert_int_equal(test_failing_disarm(&memory), 1);
    assert_null(look_up_all(g));
    cafe_graph_free(g);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

/* ---- names from an array --------------------------------------------------------------------- */

static void test_set_names(void **state) {
    static const char *const names[3] = {"z\xc3\xbcrich", " 7", "a\tb"};
    static const char *const bad[][3] = {
        {"a", "b", "a"}, {"a", "", "b"}, {"a", "b\nc", "d"}, {"a", "\xff", "b"}};
    static const int32_t source[2] = {0, 1}, target[2] = {1, 2};
    char text[16];
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = NULL;
    assert_int_equal(cafe_graph_from_edges(context, 3, 2, source, target, NULL, NULL, &graph),
                     CAFE_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cafe_graph_set_names(context, graph, bad[i]), CAFE_ERROR_ARGUMENT);
        assert_true(cafe_graph_names_are_indices(graph));
        assert_int_equal(cafe_graph_find(graph, "2"), 2);
    }
    assert_int_equal(cafe_graph_set_names(context, graph, names), CAFE_OK);
    for (int u = 0; u < 3; u++) {
        assert_int_equal(cafe_graph_find(graph, names[u]), u);
        assert_int_equal(cafe_graph_name(graph, u, text, sizeof text), strlen(names[u]));
        assert_string_equal(text, names[u]);
    }
    assert_int_equal(cafe_graph_set_names(context, graph, names), CAFE_ERROR_ARGUMENT);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_names),
        cmocka_unit_test(components_are_numbered_by_smallest_node),
        cmocka_unit_test(components_are_not_joined_without_links),
        cmocka_unit_test(index_names),
        cmocka_unit_test(integer_names),
        cmocka_unit_test(string_names_from_several_threads),
        cmocka_unit_test(names_are_found_without_memory_for_an_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
