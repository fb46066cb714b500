/* Label files: what is read, how classes are numbered, what is refused and where. */
#include <stdio.h>
#include <unistd.h>

#include <cafe-private/inputs.h>

#include "dense.h"
#include "failing.h"

static char path[64];

static const char *file_of(const char *text) {
    snprintf(path, sizeof path, "/tmp/cafe-labels-%d.txt", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static cafe_labels *read_labels(cafe_context *context, const cafe_graph *graph, const char *text) {
    cafe_labels *labels = NULL;
    TEST_OK(context, cafe_labels_read(context, graph, file_of(text), NULL, NULL, &labels));
    unlink(path);
    return labels;
}

static void expect(const cafe_labels *l, int64_t node, const char *name) {
    const int32_t *classes;
    int64_t count = cafe_labels_of(l, node, &classes);
    if (!name) {
        assert_int_equal(count, 0);
        return;
    }
    assert_true(count >= 1);
    assert_string_equal(cafe_labels_class_name(l, classes[0]), name);
}

static void files_are_read(void **state) {
    (void)state;
    static const char *const texts[] = {
        "# nodes\n0 10\n1 2\n\n3 10\n2 2", "0\t10\r\n1\t2\r\n3\t10\r\n2\t2\r\n",
        "0,10\n1,2\n3,10\n2,2\n",
        "0 10\n1 2\n3 10\n2 2\n3 10\n", /* the same line again is no conflict */
    };
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int32_t label[TEST_KARATE_NODES];
        cafe_labels *l = read_labels(context, graph, texts[i]);
        assert_int_equal(cafe_labels_classes(l), 2);
        assert_string_equal(cafe_labels_class_name(l, 0), "2"); /* integers ascend */
        assert_string_equal(cafe_labels_class_name(l, 1), "10");
        assert_int_equal(cafe_labels_labelled(l), 4);
        expect(l, 0, "10"), expect(l, 1, "2"), expect(l, 2, "2"), expect(l, 3, "10");
        expect(l, 4, NULL);
        TEST_OK(context, cafe_labels_single(context, l, label));
        assert_int_equal(label[0], 1);
        assert_int_equal(label[1], 0);
        assert_int_equal(label[33], -1);
        cafe_labels_free(l);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void several_labels_are_kept(void **state) {
    (void)state;
    static const char *const texts[] = {"5 b,a\n6 a\n", "5,b,a\n6,a\n", "5\tb,a\n6\ta\n"};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    for (int i = 0; i < 3; i++) {
        int32_t label[TEST_KARATE_NODES];
        const int32_t *classes;
        cafe_labels *l = read_labels(context, graph, texts[i]);
        assert_int_equal(cafe_labels_of(l, 5, &classes), 2);
        assert_string_equal(cafe_labels_class_name(l, classes[0]), "b");
        assert_string_equal(cafe_labels_class_name(l, classes[1]), "a");
        assert_string_equal(cafe_labels_class_name(l, 0), "b"); /* by first appearance */
        assert_int_equal(cafe_labels_multiple(l), 1);
        assert_int_equal(cafe_labels_single(context, l, label), CAFE_ERROR_ARGUMENT);
        cafe_labels_free(l);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* A first line that names no node is a heading by its words, or by its kind among integers. */
static void headings_are_no_nodes(void **state) {
    (void)state;
    static const char *const texts[] = {"node label\n5 b\n6 a\n",
                                        "id,class\n5,b\n6,a\n",
                                        "seven\twhat\n5\tb\n6\ta\n",
                                        "# x\nNode;Label\n5;b\n6;a\n",
                                        "node,size,Label\n5,3,b\n6,,a\n",
                                        "\"node\",\"label\"\n5,b\n6,a\n",
                                        "node\tlabel\tprobability\n5\tb\t0.5\n6\ta\t1\n"};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t known, unknown, added;
        cafe_labels *l = read_labels(context, graph, texts[i]);
        assert_int_equal(cafe_labels_classes(l), 2);
        assert_int_equal(cafe_labels_labelled(l), 2);
        expect(l, 5, "b");
        expect(l, 6, "a");
        cafe_labels_free(l);
        TEST_OK(context,
                cafe_labels_census(context, graph, file_of(texts[i]), NULL, &known, &unknown));
        assert_int_equal(known, 2);
        assert_int_equal(unknown, 0);
        TEST_OK(context, cafe_graph_add_labelled(context, path, NULL, &graph, &added));
        assert_int_equal(added, 0);
    }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* The same labels: node 5 has b and a, node 6 has a, node 7 none. */
static void every_form_gives_the_same(void **state) {
    static const struct {
        const char *text, *id, *label;
    } forms[] = {
        {"5 b,a\n6 a\n", NULL, NULL},
        {"5\tb;a\n6\ta\n7\t\n", NULL, NULL},
        {"5\tb | a\n6\ta\n7\tNA\n", NULL, NULL},
        {"5|b\n6|a\n5|a\n", NULL, NULL},
        {"gene,term\n5,b\n6,a\n5,a\n7,?\n", NULL, NULL},
        {"term\tgene\nb\t5\na\t6\na\t5\n", NULL, NULL},
        {"\"node\",\"classes\"\n\"5\",\"b;a\"\n\"6\",\"a\"\n", NULL, NULL},
        {"node,b,a\n5,1,1\n6,0,1\n7,0,0\n", NULL, NULL},
        {"node;b;a\n5;True;True\n6;False;True\n7;;NA\n", NULL, NULL},
        {"# node,b,a\n5,1,1\n6,0,1\n", NULL, "b,a"},
        {"id,size,b,a\n5,30,1,1\n6,4,0,1\n", NULL, "b,a"},
        {"weight,key,main,more\n2,5,b,a\n1,6,a,\n", "key", "main,more"},
        {"x,5,b,a\ny,6,a,a\n", "1", "2,3"},
        {"\"node\" \"label\"\n\"1\" 5 \"b\"\n\"2\" 6 \"a\"\n\"3\" 5 \"a\"\n", NULL, NULL},
        {"sep=;\nId;Label;class\n5;five;b\n6;six;a\n5;five;a\n", NULL, NULL},
    };
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const cafe_label_columns columns = {.id = forms[i].id, .label = forms[i].label};
        const int32_t *classes;
        cafe_labels *l = NULL;
        cafe_status status =
            cafe_labels_read(context, graph, file_of(forms[i].text), &columns, NULL, &l);
        if (status != CAFE_OK) fail_msg("form %d: %s", (int)i, cafe_error(context));
        if (cafe_labels_of(l, 5, &classes) != 2 || cafe_labels_classes(l) != 2)
            fail_msg("form %d: %s", (int)i, cafe_labels_reading(l));
        assert_string_equal(cafe_labels_class_name(l, classes[0]), "b");
        assert_string_equal(cafe_labels_class_name(l, classes[1]), "a");
        assert_int_equal(cafe_labels_of(l, 6, &classes), 1);
        assert_string_equal(cafe_labels_class_name(l, classes[0]), "a");
        assert_int_equal(cafe_labels_labelled(l), 2);
        assert_true(cafe_labels_reading(l)[0]);
        cafe_labels_free(l);
    }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void columns_are_refused(void **state) {
    static const struct {
        const char *text, *id, *label, *said;
    } bad[] = {
        {"node,b,a\n5,1,1\n6,2,1\n", NULL, NULL, "a heading with a column called label"},
        {"node,b,a\n5,1,1\n", NULL, "c", ":1:1: expected a column 'c', as the option"},
        {"5,1\n", NULL, "x", "expected a column 'x', as the option"},
        {"5,b\n", "2", NULL, "expected a column '2', as the option id says, found no heading"},
        {"node,b\n5,1\n", NULL, "node", "expected different columns"},
        {"node,label\n5,\n", NULL, NULL, "no labels found"},
        {"5 a;b\n6 a|b\n", NULL, NULL, "expected one separator between the labels"},
        {"node,label\n5,b\n6\n", NULL, NULL, "expected one separator in all lines"},
        {"node,label\n5,b\n,b\n", NULL, NULL, ":3:1: expected a node"},
    };
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const cafe_label_columns columns = {.id = bad[i].id, .label = bad[i].label};
        cafe_labels *l = NULL;
        cafe_status status =
            cafe_labels_read(context, graph, file_of(bad[i].text), &columns, NULL, &l);
        if (status != CAFE_ERROR_FORMAT || !strstr(cafe_error(context), bad[i].said))
            fail_msg("case %d: %d %s", (int)i, (int)status, cafe_error(context));
    }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void nodes_are_counted(void **state) {
    (void)state;
    int64_t known, unknown;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    TEST_OK(context, cafe_labels_census(context, graph, file_of("0 a\n1 b\n0 a\n99 c\n98 d\n"),
                                        NULL, &known, &unknown));
    assert_int_equal(known, 2);
    assert_int_equal(unknown, 2);
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* A column of weights: where a node may have one class it has the heaviest; 0 is no label. */
static void weights_choose_one_class(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_labels *l = NULL;
    int32_t label[TEST_KARATE_NODES];
    const int32_t *of;
    (void)state;
    const char *table =
        file_of("node,class,weight\n0,a,0.2\n0,b,0.7\n0,c,0.1\n1,a,0\n1,b,3\n2,a,\n3,c,0\n");
    TEST_OK(context, cafe_labels_read(context, graph, table, NULL, NULL, &l));
    assert_non_null(strstr(cafe_labels_reading(l), "weight column 2"));
    assert_int_equal(cafe_labels_of(l, 0, &of), 3);
    assert_int_equal(cafe_labels_of(l, 1, &of), 1);
    assert_int_equal(cafe_labels_of(l, 3, &of), 0);
    TEST_OK(context, cafe_labels_single(context, l, label));
    assert_string_equal(cafe_labels_class_name(l, label[0]), "b");
    assert_string_equal(cafe_labels_class_name(l, label[1]), "b");
    assert_string_equal(cafe_labels_class_name(l, label[2]), "a");
    assert_int_equal(label[3], -1);
    cafe_labels_free(l);
    TEST_OK(context,
            cafe_labels_read(context, graph, file_of("node;class;score\n0;a;0,5\n0;b;0,5\n"), NULL,
                             NULL, &l));
    assert_int_equal(cafe_labels_single(context, l, label), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "several have the largest weight"));
    cafe_labels_free(l);
    TEST_OK(context, cafe_labels_read(context, graph, file_of("node,class,score\n0,a,-1\n"), NULL,
                                      NULL, &l)); /* no weights */
    assert_null(strstr(cafe_labels_reading(l), "weights"));
    cafe_labels_free(l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void mistakes_are_located(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"0 a\n99 b\n",
         ":2:1: expected nodes of the graph, found 1 of 2 that it does not have: '99'"},
        {"0 a\n99 b\n98 c\n1 a\n97 a\n96 a\n",
         ":2:1: expected nodes of the graph, found 4 of 6 that it does not have: '99', '98', '97', "
         "..."},
        {"0 New York\n", ":1:7: expected the end of the line"},
        {"node,size,colour\n1,3,red\n", ":1:1: expected a heading with a column called label"},
        {"0 a\n1\n", ":2:"},
        {"0 a\nzero b\n", ":2:1: expected nodes of the graph"},
        {"0 \xc3\xa4\n1 \xff\n", ":2:3: expected UTF-8"},
        {"", "no labels"},
        {"# nothing\n", "no labels"},
    };
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cafe_labels *l = NULL;
        cafe_status status = cafe_labels_read(context, graph, file_of(bad[i][0]), NULL, NULL, &l);
        if (status != CAFE_ERROR_FORMAT || !strstr(cafe_error(context), bad[i][1]))
            fail_msg("case %d: %d %s", (int)i, (int)status, cafe_error(context));
        assert_null(l);
    }
    cafe_labels *l = NULL;
    assert_int_equal(cafe_labels_read(context, graph, "/nonexistent/labels", NULL, NULL, &l),
                     CAFE_ERROR_IO);
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void many_classes_are_found_again(void **state) {
    (void)state;
    enum { N = 3000 };
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_grid(context, 1, N);
    char *text = malloc(N * 24), *at = text;
    for (int u = 0; u < N; u++) at += sprintf(at, "%d class-%d\n", u, u % 1500);
    cafe_labels *l = read_labels(context, graph, text);
    assert_int_equal(cafe_labels_classes(l), 1500);
    for (int u = 0; u < N; u++) {
        char name[24];
        snprintf(name, sizeof name, "class-%d", u % 1500);
        expect(l, u, name);
    }
    cafe_labels_free(l);
    free(text);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Nodes that only labels name: isolated nodes, in the order of the ids; old rows stay. */
static void labelled_nodes_without_edges_are_added(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    const int32_t source[] = {0, 1}, target[] = {1, 2};
    cafe_graph *graph = NULL;
    cafe_graph_counts counts;
    int64_t added = 0;
    TEST_OK(context, cafe_graph_from_edges(context, 3, 2, source, target, NULL, NULL, &graph));
    TEST_OK(context,
            cafe_graph_add_labelled(context, file_of("1 a,b\n2 b\n"), NULL, &graph, &added));
    assert_int_equal(added, 0);
    assert_int_equal(cafe_graph_nodes(graph), 3);
    const char *text = "-5 a,b\n0 b\n7 a\n0005 b\n5 b\n";
    TEST_OK(context, cafe_graph_add_labelled(context, file_of(text), NULL, &graph, &added));
    assert_int_equal(added, 3);
    counts = *cafe_graph_get_counts(graph);
    assert_int_equal(counts.nodes, 6);
    assert_int_equal(counts.edges, 2);
    assert_int_equal(counts.isolated, 3);
    assert_int_equal(counts.lines, 2);
    assert_int_equal(cafe_graph_find(graph, "-5"), 0);
    assert_int_equal(cafe_graph_find(graph, "1"), 2);
    assert_int_equal(cafe_graph_find(graph, "7"), 5);
    /* 0005 and 5 are one node here, and two in the file */
    cafe_labels *l = NULL;
    assert_int_equal(cafe_labels_read(context, graph, file_of(text), NULL, NULL, &l),
                     CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(context), ":5:1: expected one name a node"));
    TEST_OK(context, cafe_labels_read(context, graph, file_of("-5 a,b\n0 b\n7 a\n0005 b\n"), NULL,
                                      NULL, &l));
    assert_int_equal(cafe_labels_labelled(l), 4);
    cafe_labels_free(l);
    /* among integers a word is a mistake, as before */
    TEST_OK(context,
            cafe_graph_add_labelled(context, file_of("node label\n"), NULL, &graph, &added));
    assert_int_equal(added, 0);
    assert_int_equal(cafe_labels_read(context, graph, path, NULL, NULL, &l), CAFE_ERROR_FORMAT);
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void adding_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    for (long k = 0;; k++) {
        cafe_graph *graph = test_karate(context);
        int64_t added = 0;
        const char *name = file_of("40 a\n1 b\n50 c,d\n");
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_graph_add_labelled(context, name, NULL, &graph, &added);
        int failed = test_failing_disarm(&memory);
        if (failed) test_failing_expect(&memory, status, failed, live, context);
        assert_int_equal(cafe_graph_nodes(graph), TEST_KARATE_NODES + (failed ? 0 : 2));
        cafe_graph_free(graph);
        if (!failed) break;
    }
    unlink(path);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = test_karate(context);
    for (long k = 0;; k++) {
        cafe_labels *l = NULL;
        const char *name = file_of("0 a\n1 b\n2 c,d\n");
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_labels_read(context, graph, name, NULL, NULL, &l);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_labels_free(l);
        if (!failed) break;
    }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static void arrays_are_taken(void **state) {
    static const char *const names[] = {"red", "gr\xc3\xbcn", "blue"};
    static const int32_t one[4] = {2, -1, 0, 2}, several[5] = {0, 2, 1, 1, 2};
    static const int64_t offsets[5] = {0, 2, 2, 4, 5};
    int32_t label[4];
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_labels *l = NULL;
    TEST_OK(context, cafe_labels_from_arrays(context, 4, NULL, one, 3, names, &l));
    assert_int_equal(cafe_labels_classes(l), 3);
    assert_int_equal(cafe_labels_labelled(l), 3);
    assert_string_equal(cafe_labels_class_name(l, 1), names[1]);
    expect(l, 0, "blue"), expect(l, 1, NULL), expect(l, 2, "red"), expect(l, 3, "blue");
    TEST_OK(context, cafe_labels_single(context, l, label));
    assert_memory_equal(label, one, sizeof one);
    cafe_labels_free(l);
    TEST_OK(context, cafe_labels_from_arrays(context, 4, offsets, several, 3, NULL, &l));
    assert_int_equal(cafe_labels_multiple(l), 1); /* node 2 names one class twice */
    expect(l, 0, "0"), expect(l, 1, NULL), expect(l, 2, "1"), expect(l, 3, "2");
    cafe_labels_free(l);
    cafe_context_free(context);
}

static void bad_arrays_are_refused(void **state) {
    static const char *const twice[] = {"a", "b", "a"};
    static const int32_t label[2] = {0, 3}, negative[2] = {0, -2};
    static const int64_t descending[3] = {0, 1, 0};
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_labels *l = NULL;
    assert_int_equal(cafe_labels_from_arrays(context, 2, NULL, label, 3, NULL, &l),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_labels_from_arrays(context, 2, NULL, negative, 3, NULL, &l),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_labels_from_arrays(context, 2, NULL, label, 0, NULL, &l),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_labels_from_arrays(context, 2, descending, label, 4, NULL, &l),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_labels_from_arrays(context, 1, NULL, label, 3, twice, &l),
                     CAFE_ERROR_ARGUMENT);
    assert_string_equal(cafe_error(context), "classes 0 and 2 have the same name 'a'");
    assert_null(l);
    cafe_context_free(context);
}

static void arrays_without_memory(void **state) {
    static const int32_t label[3] = {1, 0, 1};
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 1);
    for (long k = 0;; k++) {
        cafe_labels *l = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_labels_from_arrays(context, 3, NULL, label, 2, NULL, &l);
        int failed = test_failing_disarm(&memory);
        if (status == CAFE_OK) cafe_labels_free(l);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_taken),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(arrays_without_memory),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(several_labels_are_kept),
        cmocka_unit_test(headings_are_no_nodes),
        cmocka_unit_test(every_form_gives_the_same),
        cmocka_unit_test(columns_are_refused),
        cmocka_unit_test(nodes_are_counted),
        cmocka_unit_test(weights_choose_one_class),
        cmocka_unit_test(mistakes_are_located),
        cmocka_unit_test(many_classes_are_found_again),
        cmocka_unit_test(labelled_nodes_without_edges_are_added),
        cmocka_unit_test(adding_survives_failing_memory),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
