/* Sparse matrices are read back by our own reader, byte by byte by the zip reader, and by scipy.
 * The last is in test_npz_scipy.sh, which calls this program with the name of a file.
 */
#define _GNU_SOURCE
#include <cafe-private/writers.h>

#include "failing.h"
#include "io/input_file.h"
#include "io/npy.h"
#include "io/zip.h"
#include "test_io.h"

static char folder[] = "/tmp/cafe-npz-XXXXXX";
static char path[64];

static int start(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/m.npz", folder);
    shared = test_context(2, 1);
    return 0;
}

static int stop(void **state) {
    (void)state;
    unlink(path);
    cafe_context_free(shared);
    return rmdir(folder);
}

/* Entry k of row i is in column (7 i + 3 k) mod columns; row i has i mod 4 entries. */
typedef struct matrix {
    int64_t rows, columns;
    int64_t *offsets;
    int32_t *columns_of;
    float *values;
} matrix;

static matrix make(int64_t rows, int64_t columns) {
    matrix m = {rows, columns, malloc((size_t)(rows + 1) * sizeof(int64_t)),
                malloc((size_t)(4 * rows + 1) * sizeof(int32_t)),
                malloc((size_t)(4 * rows + 1) * sizeof(float))};
    m.offsets[0] = 0;
    for (int64_t i = 0; i < rows; i++) {
        m.offsets[i + 1] = m.offsets[i] + i % 4;
        for (int64_t k = 0; k < i % 4; k++) {
            m.columns_of[m.offsets[i] + k] = (int32_t)((7 * i + 3 * k) % columns);
            m.values[m.offsets[i] + k] = (float)i + (float)k / 8;
        }
    }
    return m;
}

static void drop(matrix *m) {
    free(m->offsets);
    free(m->columns_of);
    free(m->values);
}

static cafe_status save(cafe_context *context, const char *name, const matrix *m, int overwrite) {
    return cafe_npz_write_csr(context, name, m->rows, m->columns, m->offsets, m->columns_of,
                              m->values, overwrite);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void check_array(cafe_zip *zip, const char *name, char kind, int64_t size, int64_t count,
                        const void *data) {
    cafe_zip_member *member = cafe_zip_find(zip, name);
    cafe_npy array;
    assert_non_null(member);
    assert_int_equal(cafe_npy_open(shared, name, member->bytes, member->size, &array), CAFE_OK);
    assert_int_equal(array.kind, kind);
    assert_int_equal(array.size, size);
    assert_int_equal(array.count, count);
    assert_memory_equal(array.data, data, (size_t)(size * count));
}

/* Rows and columns of any number, none among them; the CRCs are checked by the unpacking. */
static void every_array_comes_back(void **state) {
    static const int64_t shapes[][2] = {{1, 1}, {5, 9}, {1000, 3}, {30000, 30001}, {0, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        matrix m = make(shapes[i][0], shapes[i][1]);
        cafe_input input;
        cafe_zip zip;
        if (save(shared, path, &m, 1) != CAFE_OK) fail_msg("%s", cafe_error(shared));
        assert_int_equal(cafe_input_open(shared, path, &input), CAFE_OK);
        assert_int_equal(cafe_input_load(&input), CAFE_OK);
        assert_int_equal(cafe_zip_open(shared, path, input.bytes, input.size, &zip), CAFE_OK);
        assert_int_equal(cafe_zip_unpack(&zip), CAFE_OK);
        check_array(&zip, "format.npy", 'S', 3, 1, "csr");
        check_array(&zip, "shape.npy", 'i', 8, 2, shapes[i]);
        check_array(&zip, "indptr.npy", 'i', 8, m.rows + 1, m.offsets);
        check_array(&zip, "indices.npy", 'i', 4, m.offsets[m.rows], m.columns_of);
        check_array(&zip, "data.npy", 'f', 4, m.offsets[m.rows], m.values);
        cafe_zip_close(&zip);
        cafe_input_close(&input);
        drop(&m);
    }
}

/* The rows of a graph, written and read as a graph again. */
static void a_graph_comes_back(void **state) {
    (void)state;
    cafe_graph *graph = test_random(shared, 200, 900, 1, 0, 3), *again = NULL;
    const int64_t *offsets, *offsets2;
    const int32_t *targets, *targets2;
    const float *weights, *weights2;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    assert_int_equal(cafe_npz_write_csr(shared, path, 200, 200, offsets, targets, weights, 1),
                     CAFE_OK);
    assert_int_equal(cafe_graph_read(shared, path, NULL, &again), CAFE_OK);
    cafe_graph_csr(again, &offsets2, &targets2, &weights2);
    assert_memory_equal(offsets, offsets2, 201 * sizeof *offsets);
    assert_memory_equal(targets, targets2, (size_t)offsets[200] * sizeof *targets);
    assert_memory_equal(weights, weights2, (size_t)offsets[200] * sizeof *weights);
    cafe_graph_free(graph);
    cafe_graph_free(again);
}

static void bad_matrices_are_refused(void **state) {
    (void)state;
    matrix m = make(8, 30);
    unlink(path);
    m.columns_of[3] = 30;
    assert_int_equal(save(shared, path, &m, 0), CAFE_ERROR_ARGUMENT);
    m.columns_of[3] = -1;
    assert_int_equal(save(shared, path, &m, 0), CAFE_ERROR_ARGUMENT);
    m.columns_of[3] = 0;
    m.offsets[4]++;
    m.offsets[3] = m.offsets[4] + 1;
    assert_int_equal(save(shared, path, &m, 0), CAFE_ERROR_ARGUMENT);
    m.offsets[0] = 1;
    assert_int_equal(save(shared, path, &m, 0), CAFE_ERROR_ARGUMENT);
    assert_int_not_equal(access(path, F_OK), 0);
    drop(&m);
}

static void files_are_kept_and_cancelled_ones_go(void **state) {
    (void)state;
    matrix m = make(8, 30);
    assert_int_equal(save(shared, path, &m, 0), CAFE_OK);
    assert_int_equal(save(shared, path, &m, 0), CAFE_ERROR_EXISTS);
    assert_int_equal(save(shared, path, &m, 1), CAFE_OK);
    unlink(path);
    cafe_cancel(shared);
    assert_int_equal(save(shared, path, &m, 0), CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(shared);
    assert_int_not_equal(access(path, F_OK), 0);
    drop(&m);
}

static void memory_that_runs_out_is_survived(void **state) {
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    matrix m = make(40, 30);
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = save(context, path, &m, 1);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    drop(&m);
    cafe_context_free(context);
}

/* The matrix that test_npz_scipy.sh looks at. */
static int write_example(const char *name) {
    cafe_context *context = NULL;
    matrix m = make(11, 6);
    if (cafe_context_create(NULL, &context) != CAFE_OK) return 1;
    cafe_status status = save(context, name, &m, 1);
    cafe_context_free(context);
    drop(&m);
    return status == CAFE_OK ? 0 : 1;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_array_comes_back),
        cmocka_unit_test(a_graph_comes_back),
        cmocka_unit_test(bad_matrices_are_refused),
        cmocka_unit_test(files_are_kept_and_cancelled_ones_go),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    if (argc == 2) return write_example(argv[1]);
    return cmocka_run_group_tests(tests, start, stop);
}
