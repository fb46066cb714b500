/* Vectors out: .npy, .tsv, word2vec text, names beside them, and back in. */
#define _GNU_SOURCE
#include "failing.h"
#include "test_io.h"

static cafe_context *shared;

static int start(void **state) {
    (void)state;
    shared = test_context(2, 1);
    return 0;
}

static int stop(void **state) {
    (void)state;
    cafe_context_free(shared);
    return 0;
}

/* A quick embedding of the graph. */
static cafe_embedding *embed(cafe_context *context, const cafe_graph *graph, int64_t columns) {
    cafe_sampled *sampled = NULL;
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options sphere;
    cafe_finish_options finish;
    cafe_sphere_options_init(&sphere);
    cafe_finish_options_init(&finish);
    sphere.columns = columns;
    sphere.sweeps = 2;
    finish.form = CAFE_FORM_RAW;
    if (cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &sampled) != CAFE_OK ||
        cafe_operator_modularity(context, sampled, &op) != CAFE_OK ||
        cafe_sphere(context, op, &sphere, NULL, &solution) != CAFE_OK ||
        cafe_finish(context, op, &solution, &finish, &embedding) != CAFE_OK)
        fail_msg("%s", cafe_error(context));
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return embedding;
}

static void write_as(const cafe_embedding *embedding, const cafe_graph *graph, const char *path) {
    if (cafe_embedding_write(shared, embedding, graph, path, CAFE_VECTORS_AUTO, 0) != CAFE_OK)
        fail_msg("%s", cafe_error(shared));
}

static void test_npy(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_grid(shared, 60, 70);
    cafe_embedding *embedding = embed(shared, graph, 5);
    int64_t n = cafe_embedding_nodes(embedding), k = cafe_embedding_columns(embedding), rows,
            columns;
    float *values = NULL;
    size_t size;
    (void)state;
    write_as(embedding, graph, io_path(&scratch, "h.npy"));
    assert_int_equal(io_scratch_files(&scratch), 1); /* names are 0 .. n-1: no file of names */
    char *bytes = io_load(scratch.path, &size);
    size_t header = 10 + (size_t)(uint8_t)bytes[8] + 256 * (size_t)(uint8_t)bytes[9];
    assert_int_equal(header % 64, 0);
    assert_int_equal(bytes[header - 1], '\n');
    assert_int_equal(size, header + (size_t)(n * k) * sizeof(float));
    free(bytes);
    assert_int_equal(cafe_block_read(shared, scratch.path, &rows, &columns, &values), CAFE_OK);
    assert_int_equal(rows, n);
    assert_int_equal(columns, k);
    for (int64_t u = 0; u < n; u++)
        assert_memory_equal(values + u * k, cafe_embedding_row(embedding, u),
                            (size_t)k * sizeof(float));
    cafe_block_free(shared, values);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_names_beside(void **state) {
    io_scratch scratch = io_scratch_new();
    size_t size;
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "a \"x y\"\n\"x y\" c\n", NULL);
    cafe_embedding *embedding = embed(shared, graph, 2);
    write_as(embedding, graph, io_path(&scratch, "h.npy"));
    char *names = io_load(io_path(&scratch, "h.npy.names.txt"), &size);
    assert_string_equal(names, "a\nx y\nc\n");
    free(names);
    /* either of the two files is kept */
    io_path(&scratch, "h.npy");
    assert_int_equal(
        cafe_embedding_write(shared, embedding, graph, scratch.path, CAFE_VECTORS_AUTO, 0),
        CAFE_ERROR_EXISTS);
    unlink(scratch.path);
    assert_int_equal(
        cafe_embedding_write(shared, embedding, graph, scratch.path, CAFE_VECTORS_AUTO, 0),
        CAFE_ERROR_EXISTS);
    assert_int_equal(
        cafe_embedding_write(shared, embedding, graph, scratch.path, CAFE_VECTORS_AUTO, 1),
        CAFE_OK);
    assert_int_equal(io_scratch_files(&scratch), 2);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* The text holds the name and exactly the floats of each row. */
static void check_text(const char *text, char separator, const cafe_embedding *embedding,
                       const cafe_graph *graph) {
    const char *p = text;
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        char name[64];
        size_t length = cafe_graph_name(graph, u, name, sizeof name);
        assert_true(strncmp(p, name, length) == 0);
        p += length;
        for (int64_t j = 0; j < cafe_embedding_columns(embedding); j++) {
            char *end;
            assert_int_equal(*p, separator);
            assert_true(strtof(p + 1, &end) == cafe_embedding_row(embedding, u)[j]);
            p = end;
        }
        assert_int_equal(*p++, '\n');
    }
    assert_int_equal(*p, 0);
}

static void test_text(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, "x", "10 20\n20 -7\n10 -7\n", NULL);
    cafe_embedding *embedding = embed(shared, graph, 3);
    char wanted[32];
    size_t size;
    (void)state;
    write_as(embedding, graph, io_path(&scratch, "h.tsv"));
    char *text = io_load(scratch.path, &size);
    check_text(text, '\t', embedding, graph);
    free(text);
    write_as(embedding, graph, io_path(&scratch, "h.txt"));
    text = io_load(scratch.path, &size);
    int length = snprintf(wanted, sizeof wanted, "3 %d\n", (int)cafe_embedding_columns(embedding));
    assert_true(strncmp(text, wanted, (size_t)length) == 0);
    check_text(text + length, ' ', embedding, graph);
    free(text);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_refusals(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, "x", "a \"x y\"\n\"x y\" \"t\tq\"\n", NULL);
    cafe_graph *other = test_karate(shared);
    cafe_embedding *embedding = embed(shared, graph, 2);
    size_t size;
    (void)state;
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, io_path(&scratch, "h.txt"),
                                          CAFE_VECTORS_AUTO, 0),
                     CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(shared), "'x y'"));
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, io_path(&scratch, "h.xyz"),
                                          CAFE_VECTORS_AUTO, 0),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, "-", CAFE_VECTORS_NPY, 0),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_embedding_write(shared, embedding, other, io_path(&scratch, "h.npy"),
                                          CAFE_VECTORS_AUTO, 0),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(io_scratch_files(&scratch), 0);
    write_as(embedding, graph, io_path(&scratch, "h.tsv")); /* a tab in a name: quotes */
    char *text = io_load(scratch.path, &size);
    assert_non_null(strstr(text, "\nx y\t"));
    assert_non_null(strstr(text, "\n\"t\tq\"\t"));
    free(text);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    cafe_graph_free(other);
    io_scratch_free(&scratch);
}

static void test_cancel(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = io_read(shared, "x", "a b\nb c\n", NULL);
    cafe_embedding *embedding = embed(shared, graph, 2);
    static const char *const names[] = {"h.npy", "h.tsv", "h.txt"};
    (void)state;
    cafe_cancel(shared);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cafe_embedding_write(shared, embedding, graph, io_path(&scratch, names[i]),
                                              CAFE_VECTORS_AUTO, 0),
                         CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(shared);
    assert_int_equal(io_scratch_files(&scratch), 0);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    io_scratch scratch = io_scratch_new();
    static const char *const names[] = {"h.npy", "h.tsv", "h.txt"};
    (void)state;
    cafe_graph *graph = io_read(context, "x", "a b\nb c\n", NULL);
    cafe_embedding *embedding = embed(context, graph, 2);
    for (int i = 0; i < 3; i++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_embedding_write(
                context, embedding, graph, io_path(&scratch, names[i]), CAFE_VECTORS_AUTO, 0);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    assert_int_equal(io_scratch_files(&scratch), 4);
    for (long k = 0;; k++) {
        int64_t rows, columns;
        float *values = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status =
            cafe_block_read(context, io_path(&scratch, "h.npy"), &rows, &columns, &values);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_block_free(context, values);
        if (!failed) break;
    }
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy),    cmocka_unit_test(test_names_beside),
        cmocka_unit_test(test_text),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cancel), cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, start, stop);
}
