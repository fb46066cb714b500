/* Files that belong together: all get their names or none, whatever fails or dies among them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cafe-private/output.h>

#include "failing.h"
#include "test_io.h"

static cafe_status put(cafe_context *context, const char *path, const char *text) {
    cafe_output *output = NULL;
    cafe_status status = cafe_output_create(context, path, 1, &output);
    if (status == CAFE_OK) status = cafe_output_write(output, text, (int64_t)strlen(text));
    if (status == CAFE_OK) status = cafe_output_commit(&output);
    cafe_output_discard(output);
    return status;
}

/* The file holds just this text; NULL: there is none. */
static bool holds(const char *path, const char *text) {
    char found[64] = "";
    FILE *file = fopen(path, "rb");
    if (!file) return !text;
    size_t size = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    return text && size == strlen(text) && memcmp(found, text, size) == 0;
}

static void test_all_or_none(void **state) {
    io_scratch scratch = io_scratch_new();
    (void)state;
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "old"));
    TEST_OK(shared, cafe_outputs_begin(shared));
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "new"));
    TEST_OK(shared, put(shared, io_path(&scratch, "b"), "new"));
    assert_true(holds(io_path(&scratch, "a"), "old"));
    assert_true(holds(io_path(&scratch, "b"), NULL));
    assert_int_equal(cafe_outputs_end(shared, CAFE_ERROR_FORMAT), CAFE_ERROR_FORMAT);
    assert_int_equal(io_scratch_files(&scratch), 1);
    assert_true(holds(io_path(&scratch, "a"), "old"));
    TEST_OK(shared, cafe_outputs_begin(shared));
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "new"));
    TEST_OK(shared, put(shared, io_path(&scratch, "b"), "new"));
    TEST_OK(shared, cafe_outputs_end(shared, CAFE_OK));
    assert_int_equal(io_scratch_files(&scratch), 2);
    assert_true(holds(io_path(&scratch, "a"), "new"));
    assert_true(holds(io_path(&scratch, "b"), "new"));
    assert_int_equal(cafe_outputs_end(shared, CAFE_OK), CAFE_ERROR_ARGUMENT);
    io_scratch_free(&scratch);
}

/* An inner group waits for the outer one, and goes alone when it fails. */
static void test_nested(void **state) {
    io_scratch scratch = io_scratch_new();
    (void)state;
    TEST_OK(shared, cafe_outputs_begin(shared));
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "1"));
    TEST_OK(shared, cafe_outputs_begin(shared));
    TEST_OK(shared, put(shared, io_path(&scratch, "b"), "2"));
    TEST_OK(shared, cafe_outputs_end(shared, CAFE_OK));
    TEST_OK(shared, cafe_outputs_begin(shared));
    TEST_OK(shared, put(shared, io_path(&scratch, "c"), "3"));
    assert_int_equal(cafe_outputs_end(shared, CAFE_ERROR_IO), CAFE_ERROR_IO);
    TEST_OK(shared, put(shared, io_path(&scratch, "d"), "4"));
    assert_true(holds(io_path(&scratch, "b"), NULL));
    TEST_OK(shared, cafe_outputs_end(shared, CAFE_OK));
    assert_int_equal(io_scratch_files(&scratch), 3);
    assert_true(holds(io_path(&scratch, "a"), "1"));
    assert_true(holds(io_path(&scratch, "b"), "2"));
    assert_true(holds(io_path(&scratch, "d"), "4"));
    io_scratch_free(&scratch);
}

static void test_one_name_twice(void **state) {
    io_scratch scratch = io_scratch_new();
    (void)state;
    TEST_OK(shared, cafe_outputs_begin(shared));
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "1"));
    TEST_OK(shared, put(shared, io_path(&scratch, "./a"), "2"));
    assert_int_equal(cafe_outputs_end(shared, CAFE_OK), CAFE_ERROR_ARGUMENT);
    assert_int_equal(io_scratch_files(&scratch), 0);
    io_scratch_free(&scratch);
}

static void test_freed_context(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_context *context = NULL;
    (void)state;
    TEST_OK(shared, cafe_context_create(NULL, &context));
    TEST_OK(context, cafe_outputs_begin(context));
    TEST_OK(context, cafe_outputs_begin(context));
    TEST_OK(context, put(context, io_path(&scratch, "a"), "1"));
    cafe_context_free(context);
    assert_int_equal(io_scratch_files(&scratch), 0);
    io_scratch_free(&scratch);
}

/* The permissions of the old file stay, those to run as its owner do not; a symbolic link is
 * followed. */
static void test_mode_and_link(void **state) {
    io_scratch scratch = io_scratch_new();
    struct stat about;
    (void)state;
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "old"));
    assert_int_equal(chmod(io_path(&scratch, "a"), 06640), 0);
    assert_int_equal(symlink("a", io_path(&scratch, "link")), 0);
    TEST_OK(shared, put(shared, io_path(&scratch, "link"), "new"));
    assert_int_equal(lstat(io_path(&scratch, "link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_true(holds(io_path(&scratch, "a"), "new"));
    assert_int_equal(stat(io_path(&scratch, "a"), &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_int_equal(symlink("nowhere", io_path(&scratch, "dead")), 0);
    assert_int_equal(put(shared, io_path(&scratch, "dead"), "x"), CAFE_ERROR_IO);
    assert_non_null(strstr(cafe_error(shared), "leads nowhere"));
    io_scratch_free(&scratch);
}

/* A temporary file goes when nobody holds its lock, and only then; links and pipes stay. */
static void test_leftovers(void **state) {
    io_scratch scratch = io_scratch_new();
    static const char dead[] = ".cafe-0123456789abcdef.tmp", alive[] = ".cafe-fedcba9876543210.tmp",
                      link[] = ".cafe-1111111111111111.tmp", pipe[] = ".cafe-2222222222222222.tmp";
    struct stat about;
    (void)state;
    io_store(io_path(&scratch, dead), "x", 1);
    io_store(io_path(&scratch, alive), "x", 1);
    io_store(io_path(&scratch, ".cafe-notes.tmp"), "x", 1);
    io_store(io_path(&scratch, ".cafe-1.tmp"), "x", 1);
    assert_int_equal(symlink(".cafe-1.tmp", io_path(&scratch, link)), 0);
    assert_int_equal(mkfifo(io_path(&scratch, pipe), 0600), 0);
    int fd = open(io_path(&scratch, alive), O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "1"));
    assert_int_not_equal(access(io_path(&scratch, dead), F_OK), 0);
    assert_int_equal(access(io_path(&scratch, alive), F_OK), 0);
    assert_int_equal(access(io_path(&scratch, ".cafe-notes.tmp"), F_OK), 0);
    assert_int_equal(access(io_path(&scratch, ".cafe-1.tmp"), F_OK), 0);
    assert_int_equal(lstat(io_path(&scratch, link), &about), 0);
    assert_int_equal(lstat(io_path(&scratch, pipe), &about), 0);
    close(fd);
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "2"));
    assert_int_not_equal(access(io_path(&scratch, alive), F_OK), 0);
    io_scratch_free(&scratch);
}

static cafe_status read_graph(io_scratch *scratch, const char *name) {
    cafe_graph *graph = NULL;
    cafe_status status = cafe_graph_read(shared, io_path(scratch, name), NULL, &graph);
    cafe_graph_free(graph);
    return status;
}

/* A file with a mark is refused by its name, through a link too, until a run writes it again. A
 * link of the mark's name is not followed. */
static void test_unfinished(void **state) {
    io_scratch scratch = io_scratch_new();
    static const char mark[] = ".cafe-unfinished.g";
    (void)state;
    io_store(io_path(&scratch, "g"), "1 2\n", 4);
    io_store(io_path(&scratch, "precious"), "old", 3);
    assert_int_equal(symlink("g", io_path(&scratch, "link")), 0);
    TEST_OK(shared, read_graph(&scratch, "g"));
    assert_int_equal(symlink("precious", io_path(&scratch, mark)), 0);
    const char *names[] = {"g", "link"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(read_graph(&scratch, names[i]), CAFE_ERROR_FORMAT);
        assert_non_null(strstr(cafe_error(shared), io_path(&scratch, names[i])));
        assert_non_null(strstr(cafe_error(shared), mark));
    }
    TEST_OK(shared, put(shared, io_path(&scratch, "g"), "1 3\n"));
    TEST_OK(shared, read_graph(&scratch, "g"));
    assert_true(holds(io_path(&scratch, "precious"), "old"));
    assert_int_equal(io_scratch_files(&scratch), 3);
    io_scratch_free(&scratch);
}

/* The marks of a dead run stay when the next one fails, and go when it writes the files again. */
static void test_unfinished_set(void **state) {
    io_scratch scratch = io_scratch_new();
    (void)state;
    io_store(io_path(&scratch, "a"), "1 2\n", 4);
    io_store(io_path(&scratch, ".cafe-unfinished.a"), "", 0);
    assert_int_equal(mkdir(io_path(&scratch, ".cafe-unfinished.b"), 0700), 0);
    for (int tries = 0; tries < 2; tries++) {
        TEST_OK(shared, cafe_outputs_begin(shared));
        TEST_OK(shared, put(shared, io_path(&scratch, "a"), "2 3\n"));
        TEST_OK(shared, put(shared, io_path(&scratch, "b"), "2 3\n"));
        cafe_status status = cafe_outputs_end(shared, CAFE_OK);
        assert_int_equal(status, tries ? CAFE_OK : CAFE_ERROR_IO);
        assert_true(holds(io_path(&scratch, "a"), tries ? "2 3\n" : "1 2\n"));
        assert_int_equal(read_graph(&scratch, "a"), tries ? CAFE_OK : CAFE_ERROR_FORMAT);
        if (!tries) assert_int_equal(rmdir(io_path(&scratch, ".cafe-unfinished.b")), 0);
    }
    assert_int_equal(io_scratch_files(&scratch), 2);
    io_scratch_free(&scratch);
}

/* What an earlier version left, or a stranger made: a list of renames that no reader and no writer
 * looks at. */
static void test_no_list(void **state) {
    io_scratch scratch = io_scratch_new();
    char name[64];
    (void)state;
    snprintf(name, sizeof name, ".cafe-%lu.pending", (unsigned long)geteuid());
    io_store(io_path(&scratch, "g"), "1 2\n", 4);
    io_store(io_path(&scratch, "precious"), "old", 3);
    assert_int_equal(symlink("precious", io_path(&scratch, name)), 0);
    TEST_OK(shared, read_graph(&scratch, "g"));
    TEST_OK(shared, put(shared, io_path(&scratch, "h"), "1 2\n"));
    assert_true(holds(io_path(&scratch, "precious"), "old"));
    assert_true(holds(io_path(&scratch, name), "old"));
    io_scratch_free(&scratch);
}

/* The file of names goes with another one: a link of its name is replaced, and a pipe is not
 * waited for. */
static void test_link_beside(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = NULL;
    struct stat about;
    (void)state;
    graph = io_read(shared, "g", "a b\n", NULL);
    io_store(io_path(&scratch, "precious"), "old", 3);
    assert_int_equal(symlink("precious", io_path(&scratch, "g.mtx.names.txt")), 0);
    TEST_OK(shared, cafe_graph_write(shared, graph, io_path(&scratch, "g.mtx"), 0, 1));
    assert_true(holds(io_path(&scratch, "precious"), "old"));
    assert_true(holds(io_path(&scratch, "g.mtx.names.txt"), "a\nb\n"));
    assert_int_equal(lstat(io_path(&scratch, "g.mtx.names.txt"), &about), 0);
    assert_true(S_ISREG(about.st_mode));
    assert_int_equal(unlink(io_path(&scratch, "g.mtx.names.txt")), 0);
    assert_int_equal(mkfifo(io_path(&scratch, "g.mtx.names.txt"), 0600), 0);
    assert_int_equal(read_graph(&scratch, "g.mtx"), CAFE_ERROR_FORMAT);
    cafe_graph_free(graph);
    graph =
        io_read(shared, "g", "0 1\n", NULL); /* without names: a leftover goes, not its target */
    assert_int_equal(unlink(io_path(&scratch, "g.mtx.names.txt")), 0);
    assert_int_equal(symlink("precious", io_path(&scratch, "g.mtx.names.txt")), 0);
    TEST_OK(shared, cafe_graph_write(shared, graph, io_path(&scratch, "g.mtx"), 0, 1));
    assert_true(holds(io_path(&scratch, "precious"), "old"));
    assert_int_not_equal(lstat(io_path(&scratch, "g.mtx.names.txt"), &about), 0);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* A matrix and names of different runs, however they came together, and a matrix without its names.
 */
static void test_mixed_names(void **state) {
    static const char *const files[] = {"g.mtx", "g.graph", "g.mtx.gz"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        io_scratch scratch = io_scratch_new();
        char names[32];
        snprintf(names, sizeof names, "%s.names.txt", files[i]);
        cafe_graph *graph = io_read(shared, "g", "a b\nb c\n", NULL), *read = NULL;
        TEST_OK(shared, cafe_graph_write(shared, graph, io_path(&scratch, files[i]), 0, 1));
        TEST_OK(shared, cafe_graph_read(shared, io_path(&scratch, files[i]), NULL, &read));
        assert_int_equal(cafe_graph_find(read, "c"), 2);
        cafe_graph_free(read);
        io_store(io_path(&scratch, names), "c\nb\na\n", 6);
        assert_int_equal(read_graph(&scratch, files[i]), CAFE_ERROR_FORMAT);
        assert_non_null(strstr(cafe_error(shared), "was written with, found others"));
        assert_int_equal(unlink(io_path(&scratch, names)), 0);
        assert_int_equal(read_graph(&scratch, files[i]), CAFE_ERROR_FORMAT);
        assert_non_null(strstr(cafe_error(shared), "was written with, found no file"));
        cafe_graph_free(graph);
        io_scratch_free(&scratch);
    }
}

static void test_failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    io_scratch scratch = io_scratch_new();
    (void)state;
    for (long k = 0;; k++) {
        io_store(io_path(&scratch, "a"), "old", 3);
        io_store(io_path(&scratch, "b"), "old", 3);
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_outputs_begin(context);
        if (status == CAFE_OK) {
            status = put(context, io_path(&scratch, "a"), "new");
            if (status == CAFE_OK) status = put(context, io_path(&scratch, "b"), "new");
            status = cafe_outputs_end(context, status);
        }
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        assert_true(holds(io_path(&scratch, "a"), failed ? "old" : "new"));
        assert_true(holds(io_path(&scratch, "b"), failed ? "old" : "new"));
        assert_int_equal(io_scratch_files(&scratch), 2);
        if (!failed) break;
    }
    cafe_context_free(context);
    io_scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_or_none),    cmocka_unit_test(test_nested),
        cmocka_unit_test(test_one_name_twice), cmocka_unit_test(test_freed_context),
        cmocka_unit_test(test_mode_and_link),  cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_unfinished),     cmocka_unit_test(test_unfinished_set),
        cmocka_unit_test(test_no_list),        cmocka_unit_test(test_link_beside),
        cmocka_unit_test(test_mixed_names),    cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
