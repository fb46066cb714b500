/* What the tests of formats of nodes and edges share: attributes, refused texts, memory that fails,
 * texts that are cut off. */
#ifndef CAFE_TEST_RECORDS_H
#define CAFE_TEST_RECORDS_H

#include <math.h>

#include "failing.h"
#include "test_io.h"

/* The attribute of that name; NULL: none. */
TEST_UNUSED static const cafe_attribute *attribute_of(const cafe_graph *graph, const char *name) {
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    for (int64_t i = 0; i < r->attribute_count; i++)
        if (strcmp(r->attributes[i].name, name) == 0) return &r->attributes[i];
    return NULL;
}

TEST_UNUSED static double number_of(const cafe_graph *graph, const char *name, int64_t u) {
    const cafe_attribute *a = attribute_of(graph, name);
    assert_true(a && a->numbers);
    return a->numbers[u];
}

/* text NULL: the node has no value. */
TEST_UNUSED static void expect_text(const cafe_graph *graph, const char *name, int64_t u,
                                    const char *text) {
    const cafe_attribute *a = attribute_of(graph, name);
    assert_non_null(a);
    if (a->integers[u] < 0)
        assert_null(text);
    else
        assert_string_equal(a->texts[a->integers[u]], text ? text : "nothing");
}

/* Texts and the beginnings of their errors. */
typedef struct refused {
    const char *text, *error;
} refused;

TEST_UNUSED static void refuse_all(const char *name, const refused *cases, size_t count) {
    for (size_t i = 0; i < count; i++) io_refuse(shared, name, cases[i].text, NULL, cases[i].error);
}
#define REFUSE_ALL(name, cases) refuse_all(name, cases, sizeof(cases) / sizeof *(cases))

/* Whatever byte is missing at the end, there is an error or a graph, never more. */
TEST_UNUSED static void cut_off(const char *name, const char *text) {
    for (size_t size = 1; size < strlen(text); size++) {
        cafe_graph *graph = NULL;
        cafe_status status = io_read_bytes(shared, name, text, size, NULL, &graph);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
        cafe_graph_free(graph);
    }
}

TEST_UNUSED static void read_with_failing_memory(const char *name, const char *text) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    for (long k = 0;; k++) {
        cafe_graph *graph = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = io_read_bytes(context, name, text, strlen(text), NULL, &graph);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_graph_free(graph);
        if (!failed) break;
    }
    cafe_context_free(context);
}

#endif
