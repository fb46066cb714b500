/* Features from files: CSR matrices and tables, rows matched by id, by name and by order. */
#define _GNU_SOURCE
#include <cafe-private/writers.h>

#include "failing.h"
#include "test_io.h"

static char folder[] = "/tmp/cafe-features-XXXXXX";
static char path[64];

static int start(void **state) {
    (void)state;
    shared = test_context(2, 1);
    return mkdtemp(folder) ? 0 : -1;
}

static int stop(void **state) {
    (void)state;
    cafe_context_free(shared);
    return rmdir(folder);
}

/* Nodes 1, 3 and 4, or a, b and c. */
static cafe_graph *graph_of(cafe_context *context, bool words) {
    const char *text = words ? "a b\nb c\n" : "1 3\n3 4\n";
    cafe_graph *graph = NULL;
    cafe_input input = {.context = context, .name = "g"};
    input.bytes = (const uint8_t *)text, input.size = 8;
    TEST_OK(context, cafe_graph_read_input(&input, NULL, &graph));
    assert_int_equal(cafe_graph_nodes(graph), 3);
    return graph;
}

/* A matrix with `rows` rows: row i has i + 1 in column i mod 4 and 10 i in column 3 - i mod 4. */
static cafe_status write_matrix(cafe_context *context, int64_t rows) {
    int64_t offsets[16] = {0};
    int32_t columns[32];
    float values[32];
    for (int64_t i = 0; i < rows; i++) {
        columns[2 * i] = (int32_t)(i % 4), values[2 * i] = (float)(i + 1);
        columns[2 * i + 1] = (int32_t)(3 - i % 4), values[2 * i + 1] = (float)(10 * i);
        offsets[i + 1] = 2 * i + 2;
    }
    snprintf(path, sizeof path, "%s/x.npz", folder);
    return cafe_npz_write_csr(context, path, rows, 4, offsets, columns, values, 1);
}

static void write_text(const char *name, const char *text) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* The file has these rows for the three nodes. */
static void expect_rows(const cafe_graph *graph, const int64_t rows[3], const char *reading) {
    cafe_feature_file *f;
    TEST_OK(shared, cafe_feature_file_read(shared, graph, path, &f));
    const cafe_feature_inputs *in = cafe_feature_file_inputs(f);
    assert_int_equal(in->columns, 4);
    assert_int_equal(in->offsets[3], 6);
    for (int u = 0; u < 3; u++) {
        assert_int_equal(in->offsets[u], 2 * u);
        assert_int_equal(in->indices[2 * u], rows[u] % 4);
        assert_float_equal(in->values[2 * u], (float)(rows[u] + 1), 0);
        assert_int_equal(in->indices[2 * u + 1], 3 - rows[u] % 4);
        assert_float_equal(in->values[2 * u + 1], (float)(10 * rows[u]), 0);
    }
    assert_string_equal(cafe_feature_file_reading(f), reading);
    cafe_feature_file_free(f);
}

static void expect_refused(const cafe_graph *graph, const char *text) {
    cafe_feature_file *f;
    assert_int_not_equal(cafe_feature_file_read(shared, graph, path, &f), CAFE_OK);
    if (!strstr(cafe_error(shared), text)) fail_msg("%s", cafe_error(shared));
    assert_null(f);
}

static void matrices_are_matched(void **state) {
    (void)state;
    cafe_graph *numbers = graph_of(shared, false), *words = graph_of(shared, true);
    TEST_OK(shared, write_matrix(shared, 3));
    expect_rows(numbers, (int64_t[]){0, 1, 2}, "rows in the order of the nodes");
    expect_rows(words, (int64_t[]){0, 1, 2}, "rows in the order of the nodes");
    TEST_OK(shared, write_matrix(shared, 6));
    expect_rows(numbers, (int64_t[]){1, 3, 4}, "row i for the node with the id i");
    expect_refused(words, "each of 3 nodes, found 6");
    TEST_OK(shared, write_matrix(shared, 4));
    expect_refused(numbers, "each of 3 nodes, found 4");
    unlink(path);
    cafe_graph_free(numbers);
    cafe_graph_free(words);
}

static void tables_are_matched(void **state) {
    (void)state;
    cafe_graph *graph = graph_of(shared, true);
    cafe_feature_file *f;
    const float truth[] = {5, 6, 1, 2, 3, 4};
    write_text("x.csv", "node,age,size\nb,1,2\nc,3,4\na,5,6\n");
    TEST_OK(shared, cafe_feature_file_read(shared, graph, path, &f));
    assert_int_equal(cafe_feature_file_inputs(f)->columns, 2);
    assert_null(cafe_feature_file_inputs(f)->offsets);
    assert_memory_equal(cafe_feature_file_inputs(f)->values, truth, sizeof truth);
    assert_string_equal(
        cafe_feature_file_reading(f),
        "rows by the names of the nodes; names of rows in column 0; a heading; commas");
    cafe_feature_file_free(f);
    unlink(path);
    write_text("x.csv", "node,age,size\nb,1,2\nd,3,4\na,5,6\n");
    expect_refused(graph, "d");
    unlink(path);
    cafe_graph_free(graph);
}

/* Every byte of a file changed, and every length: an error or a table, never a crash. */
static void any_bytes_are_survived(void **state) {
    (void)state;
    cafe_graph *graph = graph_of(shared, false);
    TEST_OK(shared, write_matrix(shared, 6));
    FILE *file = fopen(path, "rb");
    static uint8_t bytes[4096];
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size > 500 && size < sizeof bytes);
    for (size_t i = 0; i < size; i += 3) {
        cafe_feature_file *f;
        uint8_t was = bytes[i];
        bytes[i] = (uint8_t)(was + 1 + i % 255);
        file = fopen(path, "wb");
        fwrite(bytes, 1, i % 7 ? size : i, file);
        fclose(file);
        bytes[i] = was;
        if (cafe_feature_file_read(shared, graph, path, &f) == CAFE_OK) cafe_feature_file_free(f);
    }
    unlink(path);
    cafe_graph_free(graph);
}

static void every_failure_of_memory_is_met(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    cafe_graph *graph = graph_of(context, false);
    TEST_OK(context, write_matrix(context, 6));
    for (long k = 0;; k++) {
        cafe_feature_file *f;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_feature_file_read(context, graph, path, &f);
        int failed = test_failing_disarm(&memory);
        if (status == CAFE_OK) cafe_feature_file_free(f);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    unlink(path);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_are_matched),
        cmocka_unit_test(tables_are_matched),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(every_failure_of_memory_is_met),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
