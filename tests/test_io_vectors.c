/* Vectors out: .npy, .tsv, word2vec text, names beside them, and back in. */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>

#include "failing.h"
#include "test_io.h"

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
    if (cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled) != CAFE_OK ||
        cafe_operator_modularity(context, sampled, &op) != CAFE_OK ||
        cafe_sphere(context, op, &sphere, NULL, &solution) != CAFE_OK ||
        cafe_finish(context, op, &solution, &finish, &embedding) != CAFE_OK)
        fail_msg("%s", cafe_error(context));
    cafe_operator_free(op);
    cafe_sampled_free(sampled);
    return embedding;
}

static void write_as(const cafe_embedding *embedding, const cafe_graph *graph, const char *path) {
    if (cafe_embedding_write(shared, embedding, graph, path, 0) != CAFE_OK)
        fail_msg("%s", cafe_error(shared));
}

static void test_npy(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_grid(shared, 60, 70);
    cafe_embedding *embedding = embed(shared, graph, 5);
    int64_t n = cafe_embedding_certificate(embedding)->nodes,
            k = cafe_embedding_certificate(embedding)->columns, columns;
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
    assert_int_equal(cafe_vectors_read(shared, graph, scratch.path, &columns, &values, NULL),
                     CAFE_OK);
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
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, scratch.path, 0),
                     CAFE_ERROR_EXISTS);
    unlink(scratch.path);
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, scratch.path, 0),
                     CAFE_ERROR_EXISTS);
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, scratch.path, 1), CAFE_OK);
    assert_int_equal(io_scratch_files(&scratch), 2);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* The text holds the name and exactly the floats of each row. */
static void check_text(const char *text, char separator, const cafe_embedding *embedding,
                       const cafe_graph *graph) {
    const char *p = separator == ' ' ? text : strchr(text, '\n') + 1; /* behind the heading */
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        char name[64];
        size_t length = cafe_graph_name(graph, u, name, sizeof name);
        assert_true(strncmp(p, name, length) == 0);
        p += length;
        for (int64_t j = 0; j < cafe_embedding_certificate(embedding)->columns; j++) {
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
    int length = snprintf(wanted, sizeof wanted, "3 %d\n",
                          (int)cafe_embedding_certificate(embedding)->columns);
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
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, io_path(&scratch, "h.txt"), 0),
                     CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(shared), "'x y'"));
    assert_int_equal(cafe_embedding_write(shared, embedding, graph, io_path(&scratch, "h.xyz"), 0),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_embedding_write(shared, embedding, other, io_path(&scratch, "h.npy"), 0),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(io_scratch_files(&scratch), 0);
    write_as(embedding, graph, io_path(&scratch, "h.tsv")); /* a tab in a name: quotes */
    char *text = io_load(scratch.path, &size);
    assert_non_null(strstr(text, "\n\"x y\"\t"));
    assert_non_null(strstr(text, "\n\"t\tq\"\t"));
    free(text);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    cafe_graph_free(other);
    io_scratch_free(&scratch);
}

/* ---- in: rows find their nodes by name ------------------------------------------------------- */

/* Names that only an exact reader takes for what they are. */
static const char odd_edges[] = "a #b\n\"#b\" \" c\"\n\" c\" \"d\"\"\"\n\"d\"\"\" \"e,f\"\n";

static void test_round_trip(void **state) {
    static const char *const files[] = {"v.npy", "v.tsv"};
    io_scratch scratch = io_scratch_new();
    (void)state;
    cafe_graph *graph = io_read(shared, "x", odd_edges, NULL);
    int64_t n = cafe_graph_nodes(graph), columns;
    float vectors[64], *read = NULL;
    for (int64_t i = 0; i < 3 * n; i++) vectors[i] = (float)(i * 0.1 - 1e-7 * (double)(i * i));
    for (int i = 0; i < 2; i++) {
        TEST_OK(shared,
                cafe_vectors_write(shared, graph, 3, vectors, io_path(&scratch, files[i]), 0));
        TEST_OK(shared, cafe_vectors_read(shared, graph, scratch.path, &columns, &read, NULL));
        assert_int_equal(columns, 3);
        assert_memory_equal(read, vectors, (size_t)(3 * n) * sizeof *read);
        cafe_block_free(shared, read);
    }
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* The same rows in another order, in every format, are the same vectors. */
static void test_rows_by_name(void **state) {
    static const struct {
        const char *name, *text;
    } files[] = {
        {"v.tsv", "c\t3\t30\na\t1\t10\nb\t2\t20\n"},
        {"v.txt", "3 2\nc 3 30\na 1 10 \nb 2 20"},
        {"attributes.csv", "id,x,y\nc,3,30\na,1,10\nb,2,20\n"},
        {"v.npy.names.txt", "c\na\r\nb\n"},
    };
    static const float rows[6] = {3, 30, 1, 10, 2, 20}, expected[6] = {1, 10, 2, 20, 3, 30};
    io_scratch scratch = io_scratch_new();
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "a b\nb c\n", NULL);
    cafe_graph *plain = io_read(shared, "x", "0 1\n1 2\n", NULL);
    TEST_OK(shared, cafe_vectors_write(shared, plain, 2, rows, io_path(&scratch, "v.npy"), 0));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        int64_t columns = 0;
        float *read = NULL;
        io_store(io_path(&scratch, files[i].name), files[i].text, strlen(files[i].text));
        if (i == 2)
            TEST_OK(shared, cafe_attributes_read(shared, graph, scratch.path, &columns, &read));
        else
            TEST_OK(shared, cafe_vectors_read(shared, graph,
                                              i == 3 ? io_path(&scratch, "v.npy") : scratch.path,
                                              &columns, &read, NULL));
        assert_int_equal(columns, 2);
        assert_memory_equal(read, expected, sizeof expected);
        cafe_block_free(shared, read);
    }
    cafe_graph_free(graph);
    cafe_graph_free(plain);
    io_scratch_free(&scratch);
}

static void test_rows_refused(void **state) {
    static const struct {
        const char *name, *text, *error;
    } cases[] = {
        {"v.tsv", "a\t1\nb\t2\na\t3\n", "v.tsv:3: expected each node once, found 'a' again"},
        {"v.tsv", "a\t1\nx\t2\nb\t3\n",
         "v.tsv:2: expected the name of a node of the graph, found 'x'"},
        {"v.tsv", "a\t1\nb\t2\n", "v.tsv: expected a row for each of 3 nodes, found 2"},
        {"v.tsv", "a\t1\nb\t2\t3\nc\t4\n", "v.tsv:2:5: expected the end of the line"},
        {"v.tsv", "a\t1\n\nb\t2\nc\t3\n", "v.tsv:2:1: expected another number"},
        {"v.tsv", "a\tnan\nb\t2\nc\t3\n", "v.tsv:1:3: expected a finite number, found 'nan'"},
        {"v.tsv", "node\tx0\na\t1\na\t2\nb\t3\n", "v.tsv:3: expected each node once, found 'a'"},
        {"v.tsv", "node\tx0\na\tx\nb\t3\n", "v.tsv:2:3: expected a finite number, found 'x'"},
        {"v.tsv", "node\tx0\n", "v.tsv:2:1: expected a name and numbers"},
        {"v.tsv", "", "v.tsv:1:1: expected a name and numbers"},
        {"v.txt", "3 1\na 1\na 2\nb 3\n", "v.txt:3: expected each node once, found 'a' again"},
        {"v.txt", "a 1\nb 2\nc 3\n", "v.txt:1:1: expected the numbers of nodes and of columns"},
        {"v.txt", "3 2\na 1\nb 2\nc 3\n", "v.txt:2:4: expected as many numbers as stated"},
        {"v.txt", "4 1\na 1\nb 2\nc 3\n",
         "v.txt:1: expected the number of rows that follow, 3, found 4"},
        {"t.csv", "a,1,2\nb,2,3\na,3,4\n",
         "t.csv: row 2: expected each node once, found 'a' again"},
    };
    io_scratch scratch = io_scratch_new();
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "a b\nb c\n", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t columns = -1;
        float before, *read = &before;
        io_store(io_path(&scratch, cases[i].name), cases[i].text, strlen(cases[i].text));
        cafe_status status =
            strstr(cases[i].name, ".csv")
                ? cafe_attributes_read(shared, graph, scratch.path, &columns, &read)
                : cafe_vectors_read(shared, graph, scratch.path, &columns, &read, NULL);
        assert_int_equal(status, CAFE_ERROR_FORMAT);
        assert_null(read);
        if (!strstr(cafe_error(shared), cases[i].error))
            fail_msg("expected \"%s\", got %s", cases[i].error, cafe_error(shared));
    }
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* Names beside a .npy file: as many as it has rows. */
/* Takes the digest of the names out of a .npy file: any program may have written it. */
static void forget_names(const char *path) {
    char bytes[192];
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    char *comment = memchr(bytes, '#', size);
    assert_non_null(comment);
    memset(comment, ' ', strlen("# names 0123456789abcdef"));
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Names of another run, and none at all, are not those that the vectors were written with. */
static void test_names_of_another_run(void **state) {
    static const float rows[3] = {1, 2, 3};
    io_scratch scratch = io_scratch_new();
    int64_t columns;
    float *read = NULL;
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "a b\nb c\n", NULL);
    TEST_OK(shared, cafe_vectors_write(shared, graph, 1, rows, io_path(&scratch, "v.npy"), 0));
    TEST_OK(shared,
            cafe_vectors_read(shared, graph, io_path(&scratch, "v.npy"), &columns, &read, NULL));
    cafe_block_free(shared, read);
    io_store(io_path(&scratch, "v.npy.names.txt"), "b\na\nc\n", 6);
    assert_int_equal(
        cafe_vectors_read(shared, graph, io_path(&scratch, "v.npy"), &columns, &read, NULL),
        CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "v.npy was written with, found others"));
    assert_int_equal(remove(io_path(&scratch, "v.npy.names.txt")), 0);
    assert_int_equal(
        cafe_vectors_read(shared, graph, io_path(&scratch, "v.npy"), &columns, &read, NULL),
        CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "v.npy was written with, found no file"));
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

static void test_names_beside_refused(void **state) {
    static const float rows[3] = {1, 2, 3};
    io_scratch scratch = io_scratch_new();
    int64_t columns;
    float *read = NULL;
    (void)state;
    cafe_graph *graph = io_read(shared, "x", "a b\nb c\n", NULL);
    TEST_OK(shared, cafe_vectors_write(shared, graph, 1, rows, io_path(&scratch, "v.npy"), 0));
    forget_names(io_path(&scratch, "v.npy"));
    io_store(io_path(&scratch, "v.npy.names.txt"), "a\nb\n", 4);
    assert_int_equal(
        cafe_vectors_read(shared, graph, io_path(&scratch, "v.npy"), &columns, &read, NULL),
        CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "v.npy.names.txt: expected 3 names, found 2"));
    io_store(io_path(&scratch, "v.npy.names.txt"), "a\nb\na\n", 6);
    assert_int_equal(
        cafe_vectors_read(shared, graph, io_path(&scratch, "v.npy"), &columns, &read, NULL),
        CAFE_ERROR_FORMAT);
    assert_non_null(strstr(cafe_error(shared), "v.npy.names.txt:3: expected each node once"));
    cafe_graph_free(graph);
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
        assert_int_equal(
            cafe_embedding_write(shared, embedding, graph, io_path(&scratch, names[i]), 0),
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
            cafe_status status =
                cafe_embedding_write(context, embedding, graph, io_path(&scratch, names[i]), 0);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    assert_int_equal(io_scratch_files(&scratch), 4);
    cafe_graph_find(graph, "a"); /* builds the index, which look-ups can do without */
    for (int i = 0; i < 3; i++)
        for (long k = 0;; k++) {
            int64_t columns;
            float *values = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_vectors_read(context, graph, io_path(&scratch, names[i]),
                                                   &columns, &values, NULL);
            int failed = test_failing_disarm(&memory);
            if (status == CAFE_OK) cafe_block_free(context, values);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_npy),
                                       cmocka_unit_test(test_names_beside),
                                       cmocka_unit_test(test_text),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_round_trip),
                                       cmocka_unit_test(test_rows_by_name),
                                       cmocka_unit_test(test_rows_refused),
                                       cmocka_unit_test(test_names_beside_refused),
                                       cmocka_unit_test(test_names_of_another_run),
                                       cmocka_unit_test(test_cancel),
                                       cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
