/* Files of many megabytes, which are written in aligned pieces past the page cache. The bytes are
 * those that were given, for any number of threads, and a file that cannot grow is an error and no
 * file.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/resource.h>

#include "io/digits.h"
#include "io/output_file.h"
#include "io/vector_file.h"
#include "test_io.h"

enum { ROWS = 60001, COLUMNS = 80, STRIDE = 96 };

static const int32_t threads[] = {1, 2, 5};

static float *make_values(void) {
    float *values = malloc(sizeof *values * ROWS * STRIDE);
    uint64_t seed = 3;
    assert_non_null(values);
    for (int64_t i = 0; i < (int64_t)ROWS * STRIDE; i++)
        values[i] = (float)((double)(test_number(&seed) >> 40) * 1e-8 - 0.08);
    return values;
}

static cafe_matrix matrix_of(const float *values, const cafe_names *names) {
    return (cafe_matrix){
        .rows = ROWS, .columns = COLUMNS, .stride = STRIDE, .values = values, .names = names};
}

static void test_npy(void **state) {
    float *values = make_values();
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    cafe_matrix m = matrix_of(values, &names);
    size_t size, row = COLUMNS * sizeof(float);
    (void)state;
    for (int i = 0; i < 3; i++) {
        io_scratch scratch = io_scratch_new();
        cafe_context *context = test_context(threads[i], 1);
        assert_int_equal(cafe_matrix_write(context, &m, io_path(&scratch, "v.npy"), 0), CAFE_OK);
        assert_int_equal(io_scratch_files(&scratch), 1);
        char *bytes = io_load(scratch.path, &size);
        size_t header = 10 + (size_t)(uint8_t)bytes[8];
        assert_int_equal(size, header + ROWS * row);
        for (int64_t u = 0; u < ROWS; u++)
            assert_memory_equal(bytes + header + (size_t)u * row, values + u * STRIDE, row);
        free(bytes);
        cafe_context_free(context);
        io_scratch_free(&scratch);
    }
    free(values);
}

/* Writes the heading of the columns; returns its length. */
static int heading(char *text) {
    int length = sprintf(text, "node");
    for (int k = 0; k < COLUMNS; k++) length += sprintf(text + length, "\tx%d", k);
    text[length++] = '\n';
    return length;
}

static void test_tsv(void **state) {
    float *values = make_values();
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    cafe_matrix m = matrix_of(values, &names);
    size_t size;
    (void)state;
    for (int i = 0; i < 3; i++) {
        io_scratch scratch = io_scratch_new();
        cafe_context *context = test_context(threads[i], 1);
        assert_int_equal(cafe_matrix_write(context, &m, io_path(&scratch, "v.tsv"), 0), CAFE_OK);
        char *bytes = io_load(scratch.path, &size), *p = bytes, text[COLUMNS * 20];
        int length = heading(text);
        assert_memory_equal(p, text, (size_t)length);
        p += length;
        for (int64_t u = 0; u < ROWS; u++) {
            char *end = cafe_put_integer(text, u);
            for (int k = 0; k < COLUMNS; k++) {
                *end = '\t';
                end = cafe_put_float(end + 1, values[u * STRIDE + k]);
            }
            *end++ = '\n';
            assert_memory_equal(p, text, (size_t)(end - text));
            p += end - text;
        }
        assert_int_equal(p - bytes, size);
        free(bytes);
        cafe_context_free(context);
        io_scratch_free(&scratch);
    }
    free(values);
}

/* One write after the other, of sizes that are not those of pages. */
static void write_all(cafe_output *output, const char *bytes, int64_t size, int64_t first,
                      int64_t step) {
    for (int64_t at = 0; at < size;) {
        int64_t count = at == 0 ? first : step;
        if (count > size - at) count = size - at;
        assert_int_equal(cafe_output_write(output, bytes + at, count), CAFE_OK);
        at += count;
    }
}

static void test_writes(void **state) {
    enum { SIZE = 38000003 };
    const int64_t firsts[] = {1, 17000001, 38000003, 4096}, steps[] = {999999, 4096, 1, 9000000};
    char *bytes = malloc(SIZE);
    uint64_t seed = 9;
    size_t size;
    (void)state;
    assert_non_null(bytes);
    for (int64_t i = 0; i < SIZE; i++) bytes[i] = (char)(test_number(&seed) >> 56);
    for (int i = 0; i < 4; i++) {
        io_scratch scratch = io_scratch_new();
        cafe_output *output = NULL;
        assert_int_equal(cafe_output_create(shared, io_path(&scratch, "x"), 0, &output), CAFE_OK);
        write_all(output, bytes, SIZE, firsts[i], steps[i]);
        assert_int_equal(cafe_output_commit(&output), CAFE_OK);
        char *found = io_load(scratch.path, &size);
        assert_int_equal(size, SIZE);
        assert_memory_equal(found, bytes, SIZE);
        free(found);
        io_scratch_free(&scratch);
    }
    free(bytes);
}

/* Beyond the largest file that the process may write. */
static void test_no_room(void **state) {
    const char *const endings[] = {"v.npy", "v.tsv"};
    float *values = make_values();
    cafe_names names = {.kind = CAFE_NAMES_INDEX};
    cafe_matrix m = matrix_of(values, &names);
    struct rlimit old, limit;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    limit = (struct rlimit){18 << 20, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i < 2; i++) {
        io_scratch scratch = io_scratch_new();
        int64_t bytes = cafe_bytes(shared);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        cafe_status status = cafe_matrix_write(shared, &m, io_path(&scratch, endings[i]), 0);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, CAFE_ERROR_IO);
        assert_non_null(strstr(cafe_error(shared), "cannot be written: File too large"));
        assert_int_equal(io_scratch_files(&scratch), 0);
        assert_int_equal(cafe_bytes(shared), bytes);
        io_scratch_free(&scratch);
    }
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_npy), cmocka_unit_test(test_tsv),
                                       cmocka_unit_test(test_writes),
                                       cmocka_unit_test(test_no_room)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
