/* The messy files of tests/messy by the library: read from memory in windows of several sizes and
 * by several threads, the same comes of them.
 */
#define _GNU_SOURCE
#include <math.h>

#include <cafe-private/inputs.h>
#include <cafe/rank.h>
#include <cafe/update.h>

#include "test_io.h"

#include "io/facts.h"

enum { LINE = 1024 };

/* "--name value --name value" into the options; the texts stay in `words`. */
static void set_options(char *words, cafe_graph_options *options) {
    char *at = NULL;
    cafe_graph_options_init(options);
    for (char *name = strtok_r(words, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
        const char *value = strtok_r(NULL, " ", &at);
        assert_non_null(value);
        TEST_OK(shared,
                cafe_options_set(shared, cafe_graph_option_table(), options, name + 2, value));
    }
}

static void expect_graph(const char *file, const cafe_graph *graph, const char *wanted) {
    const cafe_graph_counts *c = cafe_graph_get_counts(graph);
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    long long nodes = 0, edges = 0;
    double total = 0;
    assert_int_equal(sscanf(wanted, "%lld %lld %lf", &nodes, &edges, &total), 3);
    if (c->nodes != nodes || c->edges != edges ||
        fabs(c->total_weight / 2 - total) > 1e-6 * (1 + total))
        fail_msg("%s: %lld nodes, %lld edges, %g", file, (long long)c->nodes, (long long)c->edges,
                 c->total_weight / 2);
    assert_true(r->format > CAFE_FORMAT_AUTO);
    assert_non_null(r->text);
    if (r->format == CAFE_FORMAT_EDGES) assert_true(r->text[0] && r->edges[0]);
}

/* The tool's spelling of the options in an error text: --header no. */
static const char *tool_text(const char *error) {
    static char text[LINE];
    size_t length = 0;
    bool inside = false;
    for (const char *at = error; *at && length + 3 < sizeof text;) {
        bool opens = strncmp(at, "\u2018", 3) == 0, closes = strncmp(at, "\u2019", 3) == 0;
        if (opens) text[length++] = '-', text[length++] = '-';
        if (!opens && !closes) text[length++] = inside && *at == '=' ? ' ' : *at;
        inside = opens || (inside && !closes);
        at += opens || closes ? 3 : 1;
    }
    text[length] = 0;
    return text;
}

static void try_case(const char *file, const char *bytes, size_t size, const char *given,
                     const char *wanted, int64_t window, int32_t threads) {
    char words[LINE];
    cafe_graph_options options;
    cafe_graph *graph = NULL;
    cafe_context *context = test_context(threads, 1);
    snprintf(words, sizeof words, "%s", given);
    set_options(words, &options);
    cafe_status status = io_read_windows(context, file, bytes, size, window, &options, &graph);
    if (wanted[0] == '!') {
        if (status != CAFE_ERROR_FORMAT && status != CAFE_ERROR_ARGUMENT)
            fail_msg("%s %s: not refused", file, given);
        if (!strstr(tool_text(cafe_error(context)), wanted + 2))
            fail_msg("%s %s: %s", file, given, cafe_error(context));
        assert_null(graph);
    } else if (status != CAFE_OK) {
        fail_msg("%s %s: %s", file, given, cafe_error(context));
    } else {
        expect_graph(file, graph, wanted);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void test_every_file(void **state) {
    static const int64_t windows[] = {0, 16, 100};
    char line[LINE], path[512];
    int cases = 0;
    (void)state;
    const char *source = getenv("SOURCE");
    assert_non_null(source);
    snprintf(path, sizeof path, "%s/tests/messy/expected.tsv", source);
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        char *at = line, *file = strsep(&at, "\t"), *given = strsep(&at, "\t");
        char *wanted = strsep(&at, "\n");
        size_t size;
        if (file[0] == '#') continue;
        snprintf(path, sizeof path, "%s/tests/messy/%s", source, file);
        char *bytes = io_load(path, &size);
        for (int i = 0; i < 3; i++)
            try_case(file, bytes, size, given, wanted, windows[i], 1 + 2 * i);
        free(bytes);
        cases++;
    }
    fclose(list);
    assert_true(cases >= 100);
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* "3 2 Anna=female": labelled nodes, classes, and the first label of one node. */
static void expect_labels(const char *file, const cafe_graph *graph, const cafe_labels *labels,
                          char *wanted) {
    long long labelled = 0, classes = 0;
    int at = 0;
    const int32_t *of;
    assert_int_equal(sscanf(wanted, "%lld %lld %n", &labelled, &classes, &at), 2);
    if (cafe_labels_labelled(labels) != labelled || cafe_labels_classes(labels) != classes)
        fail_msg("%s: %lld labelled nodes, %lld classes", file,
                 (long long)cafe_labels_labelled(labels), (long long)cafe_labels_classes(labels));
    char *label = wanted + at, *node = strsep(&label, "=");
    int64_t u = cafe_graph_find(graph, node);
    assert_true(u >= 0 && cafe_labels_of(labels, u, &of) > 0);
    assert_string_equal(cafe_labels_class_name(labels, of[0]), label);
    assert_true(cafe_labels_reading(labels)[0]);
}

/* The same by every call that reads such a file: a file that is refused adds no node either. */
static void try_labels(const char *file, const char *path, const cafe_graph *graph, char *given,
                       char *wanted) {
    cafe_label_columns columns = {.id = NULL};
    cafe_labels *labels = NULL;
    int64_t known, unknown;
    char *at = NULL;
    for (char *name = strtok_r(given, " ", &at); name; name = strtok_r(NULL, " ", &at)) {
        const char **column = strcmp(name, "--id") == 0 ? &columns.id : &columns.label;
        *column = strtok_r(NULL, " ", &at);
        assert_non_null(*column);
    }
    cafe_status status = cafe_labels_read(shared, graph, path, &columns, NULL, &labels);
    if (wanted[0] == '!') {
        if (status != CAFE_ERROR_FORMAT) fail_msg("%s: not refused", file);
        if (!strstr(cafe_error(shared), wanted + 2)) fail_msg("%s", cafe_error(shared));
        assert_null(labels);
        return;
    }
    if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
    expect_labels(file, graph, labels, wanted);
    TEST_OK(shared, cafe_labels_census(shared, graph, path, &columns, &known, &unknown));
    assert_true(known >= cafe_labels_labelled(labels)); /* some have no label */
    assert_int_equal(unknown, 0);
    cafe_labels_free(labels);
}

static void test_every_label_file(void **state) {
    char line[LINE], path[512], of[512];
    int cases = 0;
    (void)state;
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/messy/labels/expected.tsv", source);
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        char *at = line, *file = strsep(&at, "\t"), *name = strsep(&at, "\t");
        char *given = strsep(&at, "\t"), *wanted = strsep(&at, "\n");
        cafe_graph *graph = NULL;
        if (file[0] == '#') continue;
        snprintf(of, sizeof of, "%s/tests/messy/labels/%s.csv", source, name);
        snprintf(path, sizeof path, "%s/tests/messy/labels/%s", source, file);
        TEST_OK(shared, cafe_graph_read(shared, of, NULL, &graph));
        try_labels(file, path, graph, given, wanted);
        cafe_graph_free(graph);
        cases++;
    }
    fclose(list);
    assert_true(cases >= 30);
}

/* ---- tables of nodes, partitions ------------------------------------------------------------- */

typedef void try_file(const char *file, const char *path, const cafe_graph *graph, char *wanted);

/* Runs the lines of FOLDER/expected.tsv, "file graph wanted", or "file graph options wanted";
 * returns how many there are. */
static int each_file(const char *folder, bool optional, try_file *try) {
    char line[LINE], path[512], of[512], none[] = "";
    int cases = 0;
    const char *source = getenv("SOURCE");
    snprintf(path, sizeof path, "%s/tests/messy/%s/expected.tsv", source, folder);
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        char *at = line, *file = strsep(&at, "\t"), *name = strsep(&at, "\t");
        char *given = optional ? strsep(&at, "\t") : none, *wanted = strsep(&at, "\n");
        cafe_graph_options options;
        cafe_graph *graph = NULL;
        if (file[0] == '#') continue;
        set_options(given, &options);
        options.beside = 1;
        snprintf(of, sizeof of, "%s/tests/messy/labels/%s.csv", source, name);
        snprintf(path, sizeof path, "%s/tests/messy/%s/%s", source, folder, file);
        TEST_OK(shared, cafe_graph_read(shared, of, &options, &graph));
        try(file, path, graph, wanted);
        cafe_graph_free(graph);
        cases++;
    }
    fclose(list);
    return cases;
}

static void expect_refusal(const char *file, cafe_status status, const char *wanted) {
    if (status != CAFE_ERROR_FORMAT && status != CAFE_ERROR_ARGUMENT)
        fail_msg("%s: not refused", file);
    if (!strstr(cafe_error(shared), wanted + 2)) fail_msg("%s", cafe_error(shared));
}

/* "4 0 2 Label=Bob": columns, lines left out, a node, a column, the text there. */
static void try_table(const char *file, const char *path, const cafe_graph *graph, char *wanted) {
    cafe_facts *facts = NULL;
    int64_t skipped = 0, found = -1;
    long long columns = 0, left = 0;
    int at = 0;
    cafe_status status = cafe_facts_read(shared, graph, path, &facts, &skipped);
    if (wanted[0] == '!') {
        expect_refusal(file, status, wanted);
        assert_null(facts);
        return;
    }
    if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
    assert_int_equal(sscanf(wanted, "%lld %lld %n", &columns, &left, &at), 2);
    char *text = wanted + at, *node = strsep(&text, " "), *column = strsep(&text, "=");
    assert_int_equal(cafe_facts_columns(facts), columns);
    assert_int_equal(skipped, left);
    for (int64_t j = 0; j < columns; j++)
        if (strcmp(cafe_facts_name(facts, j), column) == 0) found = j;
    assert_true(found >= 0);
    assert_string_equal(cafe_facts_text(facts, found, cafe_graph_find(graph, node)), text);
    cafe_facts_free(facts);
}

/* "4 2": nodes that are in a community, communities. */
static void try_partition(const char *file, const char *path, const cafe_graph *graph,
                          char *wanted) {
    cafe_labels *labels = NULL;
    int32_t part[64];
    long long nodes = 0, communities = 0;
    cafe_status status = cafe_labels_read(shared, graph, path, NULL, NULL, &labels);
    assert_true(cafe_graph_nodes(graph) <= 64);
    if (status == CAFE_OK) status = cafe_labels_single(shared, labels, part);
    if (wanted[0] == '!') {
        expect_refusal(file, status, wanted);
    } else {
        if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
        assert_int_equal(sscanf(wanted, "%lld %lld", &nodes, &communities), 2);
        if (cafe_labels_labelled(labels) != nodes || cafe_labels_classes(labels) != communities)
            fail_msg("%s: %s", file, cafe_labels_reading(labels));
    }
    cafe_labels_free(labels);
}

static void test_every_table(void **state) {
    (void)state;
    assert_true(each_file("nodes", false, try_table) >= 15);
}

static void test_every_partition(void **state) {
    (void)state;
    assert_true(each_file("partitions", false, try_partition) >= 14);
}

/* ---- tables of numbers, changes, lists ------------------------------------------------------- */

/* "2 MYC 4.5 -1.25": columns, a node, its numbers. */
static void try_numbers(const char *file, const char *path, const cafe_graph *graph, char *wanted) {
    int64_t columns = 0;
    float *rows = NULL;
    long long count = 0;
    char name[32];
    double x = 0, y = 0;
    cafe_status status = cafe_attributes_read(shared, graph, path, &columns, &rows);
    if (wanted[0] == '!') {
        expect_refusal(file, status, wanted);
        assert_null(rows);
        return;
    }
    if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
    assert_int_equal(sscanf(wanted, "%lld %31s %lf %lf", &count, name, &x, &y), 4);
    assert_int_equal(columns, count);
    const float *row = rows + columns * cafe_graph_find(graph, name);
    if (row[0] != (float)x || row[1] != (float)y) fail_msg("%s: %g %g", file, row[0], row[1]);
    assert_non_null(strstr(cafe_tables_read(shared), path));
    cafe_block_free(shared, rows);
}

/* "1 1": edges added, edges removed. */
static void try_changes(const char *file, const char *path, const cafe_graph *graph, char *wanted) {
    cafe_changes *changes = NULL;
    long long added = 0, removed = 0;
    cafe_status status = cafe_changes_read(shared, graph, path, &changes);
    if (wanted[0] == '!') {
        expect_refusal(file, status, wanted);
        assert_null(changes);
        return;
    }
    if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
    assert_int_equal(sscanf(wanted, "%lld %lld", &added, &removed), 2);
    assert_int_equal(cafe_changes_get(changes)->added, added);
    assert_int_equal(cafe_changes_get(changes)->removed, removed);
    assert_non_null(strstr(cafe_tables_read(shared), path));
    cafe_changes_free(changes);
}

static void try_list(const char *file, const char *path, const cafe_graph *graph, char *wanted) {
    uint8_t member[64];
    int64_t count = 0;
    assert_true(cafe_graph_nodes(graph) <= 64);
    cafe_status status = cafe_set_read(shared, graph, path, member, &count);
    if (wanted[0] == '!') {
        expect_refusal(file, status, wanted);
        return;
    }
    if (status != CAFE_OK) fail_msg("%s", cafe_error(shared));
    assert_int_equal(count, atoi(wanted));
    assert_non_null(strstr(cafe_tables_read(shared), path));
}

static void test_every_table_of_numbers(void **state) {
    (void)state;
    assert_true(each_file("tables", true, try_numbers) >= 20);
}

static void test_every_file_of_changes(void **state) {
    (void)state;
    assert_true(each_file("changes", true, try_changes) >= 12);
}

static void test_every_list(void **state) {
    (void)state;
    assert_true(each_file("lists", true, try_list) >= 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_file),
                                       cmocka_unit_test(test_every_label_file),
                                       cmocka_unit_test(test_every_table),
                                       cmocka_unit_test(test_every_partition),
                                       cmocka_unit_test(test_every_table_of_numbers),
                                       cmocka_unit_test(test_every_file_of_changes),
                                       cmocka_unit_test(test_every_list)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
