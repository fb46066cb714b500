/* Files that belong together: all get their names or none, whatever fails or dies among them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing.h"
#include "test_io.h"

#include "base/memory.h"
#include "io/journal.h"

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

/* The mode of the old file stays, and a symbolic link is followed. */
static void test_mode_and_link(void **state) {
    io_scratch scratch = io_scratch_new();
    struct stat about;
    (void)state;
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "old"));
    assert_int_equal(chmod(io_path(&scratch, "a"), 0640), 0);
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

/* A temporary file goes when nobody holds its lock, and only then. */
static void test_leftovers(void **state) {
    io_scratch scratch = io_scratch_new();
    static const char dead[] = ".cafe-0123456789abcdef.tmp", alive[] = ".cafe-fedcba9876543210.tmp";
    (void)state;
    io_store(io_path(&scratch, dead), "x", 1);
    io_store(io_path(&scratch, alive), "x", 1);
    io_store(io_path(&scratch, ".cafe-notes.tmp"), "x", 1);
    int fd = open(io_path(&scratch, alive), O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "1"));
    assert_int_not_equal(access(io_path(&scratch, dead), F_OK), 0);
    assert_int_equal(access(io_path(&scratch, alive), F_OK), 0);
    assert_int_equal(access(io_path(&scratch, ".cafe-notes.tmp"), F_OK), 0);
    close(fd);
    TEST_OK(shared, put(shared, io_path(&scratch, "a"), "2"));
    assert_int_not_equal(access(io_path(&scratch, alive), F_OK), 0);
    io_scratch_free(&scratch);
}

/* Writes a journal in the scratch folder that names x -> a and takes b away, and leaves it. */
static void leave_journal(io_scratch *scratch, bool whole) {
    char from[512], a[512], b[512], folder[410];
    char *full = cafe_folder_of(shared, io_path(scratch, "a"));
    assert_non_null(full);
    snprintf(folder, sizeof folder, "%.400s", full);
    cafe_mem_free(shared, full);
    snprintf(from, sizeof from, "%s/.cafe-0123456789abcdef.tmp", folder);
    snprintf(a, sizeof a, "%s/a", folder);
    snprintf(b, sizeof b, "%s/b", folder);
    io_store(from, "new", 3);
    io_store(a, "old", 3);
    io_store(b, "old", 3);
    cafe_naming names[2] = {{.from = from, .to = a, .folder = folder, .overwrite = true},
                            {.to = b, .folder = folder}};
    cafe_journal journal;
    TEST_OK(shared, cafe_journal_open(shared, names, 2, &journal));
    TEST_OK(shared, cafe_journal_add(&journal, names, 2));
    if (!whole) assert_int_equal(ftruncate(journal.fd, lseek(journal.fd, 0, SEEK_END) - 2), 0);
    close(journal.fd);
    journal.fd = -1;
    cafe_journal_close(&journal);
}

/* What a dead run had decided is done by whoever comes next; what it had not is not. */
static void test_journal(void **state) {
    (void)state;
    for (int whole = 0; whole < 2; whole++) {
        io_scratch scratch = io_scratch_new();
        leave_journal(&scratch, whole != 0);
        TEST_OK(shared, put(shared, io_path(&scratch, "c"), "3"));
        assert_true(holds(io_path(&scratch, "a"), whole ? "new" : "old"));
        assert_true(holds(io_path(&scratch, "b"), whole ? NULL : "old"));
        assert_int_equal(io_scratch_files(&scratch), whole ? 2 : 3);
        io_scratch_free(&scratch);
    }
}

/* A reader completes it too. */
static void test_journal_read(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = NULL;
    (void)state;
    io_store(io_path(&scratch, "g"), "1 2\n", 4);
    leave_journal(&scratch, true);
    TEST_OK(shared, cafe_graph_read(shared, io_path(&scratch, "g"), NULL, &graph));
    assert_true(holds(io_path(&scratch, "a"), "new"));
    assert_true(holds(io_path(&scratch, "b"), NULL));
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
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
        cmocka_unit_test(test_journal),        cmocka_unit_test(test_journal_read),
        cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
