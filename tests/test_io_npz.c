/* scipy .npz matrices and .npy blocks, made here byte by byte. */
#define _GNU_SOURCE
#include "failing.h"
#include "packed.h"
#include "test_io.h"

#include "io/table.h"

/* ---- making archives ------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t data[16384];
    size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size) {
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_number(bytes *b, uint64_t value, size_t size) {
    put(b, &value, size);
}

/* A .npy array with this header text. */
static bytes npy(const char *header, const void *data, size_t size) {
    bytes b = {.size = 0};
    size_t length = strlen(header);
    put(&b, "\x93NUMPY\x01\x00", 8);
    put_number(&b, length, 2);
    put(&b, header, length);
    put(&b, data, size);
    return b;
}

static bytes array(const char *type, int64_t count, const void *data, size_t size) {
    char header[128];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%lld,), }\n",
             type, (long long)count);
    return npy(header, data, size);
}

typedef struct archive {
    bytes local, directory;
    int count;
    bool deflate, zip64;
} archive;

static bytes pack(const bytes *member, bool deflate) {
    bytes packed = {.size = 0};
    if (!deflate) return *member;
    packed.size =
        test_pack(IGZIP_DEFLATE, member->data, member->size, packed.data, sizeof packed.data);
    assert_true(packed.size > 0);
    return packed;
}

static void add(archive *a, const char *name, bytes member) {
    bytes packed = pack(&member, a->deflate);
    size_t at = a->local.size, length = strlen(name);
    uint32_t crc = crc32_gzip_refl(0, member.data, member.size);
    put(&a->local, "PK\3\4", 4);
    put_number(&a->local, 20, 2);
    put_number(&a->local, 0, 2);
    put_number(&a->local, a->deflate ? 8 : 0, 2);
    put_number(&a->local, 0, 4);
    put_number(&a->local, crc, 4);
    put_number(&a->local, a->zip64 ? 0xffffffff : packed.size, 4);
    put_number(&a->local, a->zip64 ? 0xffffffff : member.size, 4);
    put_number(&a->local, length, 2);
    put_number(&a->local, 0, 2);
    put(&a->local, name, length);
    put(&a->local, packed.data, packed.size);
    put(&a->directory, "PK\1\2", 4);
    put_number(&a->directory, 20, 4); /* versions */
    put_number(&a->directory, 0, 2);
    put_number(&a->directory, a->deflate ? 8 : 0, 2);
    put_number(&a->directory, 0, 4);
    put_number(&a->directory, crc, 4);
    put_number(&a->directory, a->zip64 ? 0xffffffff : packed.size, 4);
    put_number(&a->directory, a->zip64 ? 0xffffffff : member.size, 4);
    put_number(&a->directory, length, 2);
    put_number(&a->directory, a->zip64 ? 20 : 0, 2);
    put_number(&a->directory, 0, 8); /* comment, disk, attributes */
    put_number(&a->directory, 0, 2);
    put_number(&a->directory, at, 4);
    put(&a->directory, name, length);
    if (a->zip64) {
        put_number(&a->directory, 1, 2);
        put_number(&a->directory, 16, 2);
        put_number(&a->directory, member.size, 8);
        put_number(&a->directory, packed.size, 8);
    }
    a->count++;
}

static bytes finish(const archive *a) {
    bytes b = a->local;
    size_t at = b.size;
    put(&b, a->directory.data, a->directory.size);
    if (a->zip64) {
        size_t end = b.size;
        put(&b, "PK\6\6", 4);
        put_number(&b, 44, 8);
        put_number(&b, 20, 4);
        put_number(&b, 0, 8);
        put_number(&b, (uint64_t)a->count, 8);
        put_number(&b, (uint64_t)a->count, 8);
        put_number(&b, a->directory.size, 8);
        put_number(&b, at, 8);
        put(&b, "PK\6\7", 4);
        put_number(&b, 0, 4);
        put_number(&b, end, 8);
        put_number(&b, 1, 4);
    }
    put(&b, "PK\5\6", 4);
    put_number(&b, 0, 4);
    put_number(&b, a->zip64 ? 0xffff : (uint64_t)a->count, 2);
    put_number(&b, a->zip64 ? 0xffff : (uint64_t)a->count, 2);
    put_number(&b, a->zip64 ? 0xffffffff : a->directory.size, 4);
    put_number(&b, a->zip64 ? 0xffffffff : at, 4);
    put_number(&b, 0, 2);
    return b;
}

/* The matrix [0 2 0; 2 0 3; 0 3 0] as scipy saves it; parts can be exchanged. */
typedef struct matrix {
    const char *format;
    bytes shape, indptr, indices, data;
} matrix;

static matrix path_matrix(void) {
    static const int64_t shape[2] = {3, 3};
    static const int32_t indptr[4] = {0, 1, 3, 4}, indices[4] = {1, 0, 2, 1};
    static const double data[4] = {2, 2, 3, 3};
    return (matrix){"csr", array("<i8", 2, shape, sizeof shape),
                    array("<i4", 4, indptr, sizeof indptr),
                    array("<i4", 4, indices, sizeof indices), array("<f8", 4, data, sizeof data)};
}

static bytes save(const matrix *m, bool deflate, bool zip64) {
    static archive a;
    a = (archive){.deflate = deflate, .zip64 = zip64};
    char header[128];
    snprintf(header, sizeof header, "{'descr': '|S%zu', 'fortran_order': False, 'shape': (), }\n",
             strlen(m->format));
    add(&a, "indices.npy", m->indices);
    add(&a, "indptr.npy", m->indptr);
    add(&a, "format.npy", npy(header, m->format, strlen(m->format)));
    add(&a, "shape.npy", m->shape);
    add(&a, "data.npy", m->data);
    return finish(&a);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void expect_path(const bytes *b) {
    cafe_graph *graph = NULL;
    if (io_read_bytes(shared, "x.npz", b->data, b->size, NULL, &graph) != CAFE_OK)
        fail_msg("%s", cafe_error(shared));
    assert_int_equal(cafe_graph_nodes(graph), 3);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_true(io_weight(graph, "0", "1") == 2 && io_weight(graph, "2", "1") == 3);
    cafe_graph_free(graph);
}

static void test_kinds(void **state) {
    static const int64_t indptr[4] = {0, 1, 3, 4}, indices[4] = {1, 0, 2, 1};
    static const int8_t data[4] = {2, 2, 3, 3};
    (void)state;
    for (int i = 0; i < 8; i++) {
        matrix m = path_matrix();
        m.format = i & 4 ? "csc" : "csr";
        if (i & 4) m.indptr = array("<i8", 4, indptr, sizeof indptr);
        if (i & 4) m.indices = array("<u8", 4, indices, sizeof indices);
        if (i & 4) m.data = array("|i1", 4, data, sizeof data);
        bytes b = save(&m, i & 1, i & 2);
        expect_path(&b);
    }
}

static bytes save_coordinates(int64_t n) {
    const int64_t shape[2] = {n, n};
    static const int32_t row[4] = {1, 0, 2, 1}, column[4] = {0, 1, 1, 2};
    static const float data[4] = {2, 2, 3, 3};
    static archive a;
    a = (archive){.deflate = true};
    add(&a, "row.npy", array("<i4", 4, row, sizeof row));
    add(&a, "col.npy", array("<i4", 4, column, sizeof column));
    add(&a, "format.npy",
        npy("{'descr': '<U3', 'fortran_order': False, 'shape': (), }", "c\0\0\0o\0\0\0o\0\0\0",
            12));
    add(&a, "shape.npy", array("<i8", 2, shape, sizeof shape));
    add(&a, "data.npy", array("<f4", 4, data, sizeof data));
    return finish(&a);
}

static void test_coo(void **state) {
    (void)state;
    bytes b = save_coordinates(3), far = save_coordinates(99999999);
    expect_path(&b);
    io_refuse_bytes(
        shared, "x.npz", far.data, far.size, NULL,
        "x.npz: expected fewer rows for 4 entries, found 99999999 (\u2018nodes=99999999\u2019");
}

/* All values 1: no weights. Not symmetric: M + M^T. */
static void test_values(void **state) {
    static const double ones[4] = {1, 1, 1, 1}, uneven[4] = {2, 5, 3, 3};
    cafe_graph *graph = NULL;
    (void)state;
    matrix m = path_matrix();
    m.data = array("<f8", 4, ones, sizeof ones);
    bytes b = save(&m, true, false);
    assert_int_equal(io_read_bytes(shared, "x", b.data, b.size, NULL, &graph), CAFE_OK);
    cafe_graph_counts counts = *cafe_graph_get_counts(graph);
    assert_int_equal(counts.weighted, 0);
    cafe_graph_free(graph);
    m.data = array("<f8", 4, uneven, sizeof uneven);
    b = save(&m, true, false);
    assert_int_equal(io_read_bytes(shared, "x", b.data, b.size, NULL, &graph), CAFE_OK);
    assert_true(io_weight(graph, "0", "1") == 7 && io_weight(graph, "1", "2") == 6);
    cafe_graph_free(graph);
}

static void refuse(const matrix *m, const char *error) {
    bytes b = save(m, false, false);
    io_refuse_bytes(shared, "x.npz", b.data, b.size, NULL, error);
}

static void test_refused(void **state) {
    static const int64_t wide[2] = {3, 4}, none[2] = {0, 0};
    static const int32_t falling[4] = {0, 3, 1, 4}, shifted[4] = {1, 1, 3, 4},
                         far[4] = {1, 0, 3, 1}, low[4] = {1, 0, -2, 1};
    static const double minus[4] = {2, 2, -3, 3};
    (void)state;
    matrix m = path_matrix();
    m.format = "bsr";
    refuse(&m, "x.npz: format.npy: expected a CSR, CSC or COO matrix");
    m = path_matrix();
    m.shape = array("<i8", 2, wide, sizeof wide);
    refuse(&m, "x.npz: shape.npy: expected as many rows as columns, found 3 x 4");
    m.shape = array("<i8", 2, none, sizeof none);
    refuse(&m, "x.npz: shape.npy: expected 1 to");
    m = path_matrix();
    m.indptr = array("<i4", 4, falling, sizeof falling);
    refuse(&m, "x.npz: indptr.npy: element 2: expected offsets that ascend");
    m.indptr = array("<i4", 4, shifted, sizeof shifted);
    refuse(&m, "x.npz: indptr.npy: expected offsets from 0 to 4");
    m.indptr = array("<i4", 3, falling, 12);
    refuse(&m, "x.npz: indptr.npy: expected 4 elements, found 3");
    m = path_matrix();
    m.indices = array("<i4", 4, far, sizeof far);
    refuse(&m, "x.npz: indices.npy: element 2: expected an index within the matrix, found 3");
    m.indices = array("<i4", 4, low, sizeof low);
    refuse(&m, "x.npz: indices.npy: element 2: expected an index within the matrix, found -2");
    m = path_matrix();
    m.data = array("<f8", 4, minus, sizeof minus);
    refuse(&m,
           "x.npz: data.npy: element 2: expected a finite number that is not negative, found -3");
    m.data = array(">f8", 4, minus, sizeof minus);
    refuse(&m, "x.npz: data.npy: expected a .npy header");
    m.data = array("<f8", 5, minus, sizeof minus);
    refuse(&m, "x.npz: data.npy: expected 5 elements of 8 bytes, found 32 bytes of data");
    m.data = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 2), }",
                 minus, sizeof minus);
    refuse(&m, "x.npz: data.npy: expected a .npy header");
}

/* Every cut and every single broken byte: refused or harmless, never more. */
static void test_damage(void **state) {
    (void)state;
    for (int deflate = 0; deflate < 2; deflate++) {
        matrix m = path_matrix();
        bytes b = save(&m, deflate != 0, deflate != 0);
        cafe_graph *graph = NULL;
        for (size_t size = 4; size < b.size; size++)
            assert_int_equal(io_read_bytes(shared, "x", b.data, size, NULL, &graph),
                             CAFE_ERROR_FORMAT);
        for (size_t i = 4; i < b.size; i++) {
            b.data[i] ^= 0x41;
            cafe_status status = io_read_bytes(shared, "x", b.data, b.size, NULL, &graph);
            assert_true(status == CAFE_OK || status == CAFE_ERROR_FORMAT);
            if (status == CAFE_OK) cafe_graph_free(graph);
            b.data[i] ^= 0x41;
        }
    }
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void test_blocks(void **state) {
    static const float c_order[6] = {1, 2, 3, 4, 5, 6};
    static const double f_order[6] = {1, 4, 2, 5, 3, 6};
    (void)state;
    for (int fortran = 0; fortran < 2; fortran++) {
        bytes b = fortran ? npy("{'shape': (2, 3), 'fortran_order': True, 'descr': '<f8'}", f_order,
                                sizeof f_order)
                          : npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n",
                                c_order, sizeof c_order);
        io_scratch scratch = io_scratch_new();
        cafe_table *table = NULL;
        io_store(io_path(&scratch, "h.npy"), b.data, b.size);
        assert_int_equal(cafe_table_read(shared, scratch.path, &table), CAFE_OK);
        assert_int_equal(cafe_table_rows(table), 2);
        assert_int_equal(cafe_table_columns(table), 3);
        assert_memory_equal(cafe_table_values(table), c_order, sizeof c_order);
        cafe_table_free(table);
        io_scratch_free(&scratch);
    }
}

static void test_blocks_refused(void **state) {
    static const double bad[2] = {1, 1e300};
    static const struct {
        const char *header, *error;
    } cases[] = {
        {"{'descr': '|S16', 'fortran_order': False, 'shape': (1,), }",
         "x: expected rows and columns"},
        {"{'descr': '>f8', 'fortran_order': False, 'shape': (2, 1), }",
         "x: expected a .npy header"},
        {"{'descr': '<f8', 'fortran_order': Maybe, 'shape': (2, 1), }",
         "x: expected a .npy header"},
        {"{'descr': '<f8', 'shape': (2, 1), }", "x: expected a .npy header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 1), }",
         "x: expected a .npy header"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }", "x: expected 3 elements"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }",
         "x: row 1, column 0: expected a number that a float32 can hold"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b = npy(cases[i].header, bad, sizeof bad);
        cafe_table *table = NULL;
        cafe_status status =
            cafe_table_read_bytes(shared, "x", b.data, (int64_t)b.size, CAFE_TABLE_LOOK, &table);
        assert_int_equal(status, CAFE_ERROR_FORMAT);
        assert_null(table);
        if (strncmp(cafe_error(shared), cases[i].error, strlen(cases[i].error)) != 0)
            fail_msg("expected \"%s\", got %s", cases[i].error, cafe_error(shared));
    }
}

static void test_failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    matrix m = path_matrix();
    bytes b = save(&m, true, false);
    (void)state;
    for (long k = 0;; k++) {
        cafe_graph *graph = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = io_read_bytes(context, "x", b.data, b.size, NULL, &graph);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_graph_free(graph);
        if (!failed) break;
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),          cmocka_unit_test(test_coo),
        cmocka_unit_test(test_values),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_damage),         cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_blocks_refused), cmocka_unit_test(test_failing_memory)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
