/* Matrix Market, METIS, gzip, and the choice of format. */
#define _GNU_SOURCE
#include <cafe-private/inputs.h>

#include "failing.h"
#include "packed.h"
#include "test_io.h"

#include "io/format_registry.h"
#include "io/zstd_xz.h"

/* ---- Matrix Market --------------------------------------------------------------------------- */

#define BANNER(kind) "%%MatrixMarket matrix coordinate " kind "\n"

static void test_mtx(void **state) {
    (void)state;
    cafe_graph *graph =
        io_read(shared, "x", BANNER("pattern symmetric") "% note\n\n4 4 2\n2 1\n3 2\n", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 4);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    assert_true(io_weight(graph, "0", "1") == 1 && io_weight(graph, "0", "2") == 0);
    cafe_graph_free(graph);
    /* general and symmetric: stays what it is; general and not: M + M^T */
    graph = io_read(shared, "x", BANNER("real general") "3 3 3\n1 2 0.5\n2 1 .5\n3 1 2\n", NULL);
    assert_true(io_weight(graph, "0", "1") == 1 && io_weight(graph, "0", "2") == 2);
    cafe_graph_free(graph);
    graph =
        io_read(shared, "x", BANNER("integer general") "3 3 4\n1 2 5\n2 1 5\n3 1 2\n1 3 2\n", NULL);
    assert_true(io_weight(graph, "0", "1") == 5 && io_weight(graph, "2", "0") == 2);
    cafe_graph_free(graph);
}

/* A diagonal entry is a(u,u) in either kind of file. */
static void test_mtx_loops(void **state) {
    cafe_graph_options options;
    cafe_graph_counts counts;
    (void)state;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    cafe_graph *symmetric =
        io_read(shared, "x", BANNER("real symmetric") "2 2 2\n1 1 3\n2 1 4\n", &options);
    cafe_graph *general =
        io_read(shared, "x", BANNER("real general") "2 2 3\n1 1 3\n2 1 4\n1 2 4\n", &options);
    assert_true(io_weight(symmetric, "0", "0") == 3 && io_weight(symmetric, "0", "1") == 4);
    io_expect_equal(symmetric, general);
    counts = *cafe_graph_get_counts(symmetric);
    assert_int_equal(counts.lines, 2);
    assert_int_equal(counts.reversed, 0);
    cafe_graph_free(symmetric);
    cafe_graph_free(general);
}

static void test_mtx_refused(void **state) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"%%MatrixMarket matrix array real general\n2 2\n", "x:1:23: expected 'coordinate'"},
        {BANNER("complex general") "1 1 0\n",
         "x:1:34: expected 'real', 'integer' or 'pattern', found 'complex'"},
        {BANNER("real skew-symmetric") "1 1 0\n", "x:1:39: expected 'general' or 'symmetric'"},
        {BANNER("real hermitian") "1 1 0\n", "x:1:39: expected 'general' or 'symmetric'"},
        {"%%MatrixMarket matrix coordinate real\n",
         "x:1:38: expected 'general' or 'symmetric', found the end of the line"},
        {BANNER("real general"), "x:2:1: expected the number of rows, found the end of the file"},
        {BANNER("real general") "3 4 1\n1 1 1\n", "x:2:1: expected as many rows as columns"},
        {BANNER("real general") "3 3\n", "x:2:4: expected the number of entries, found the end"},
        {BANNER("real general") "3 3 x\n", "x:2:5: expected the number of entries, found 'x'"},
        {BANNER("real general") "3 3 1 1\n", "x:2:7: expected the end of the line, found '1'"},
        {BANNER("real general") "3 3 -1\n", "x:2:5: expected the number of entries, found '-1'"},
        {BANNER("real general") "0 0 0\n", "x:2:1: expected 1 to 2147483646 rows"},
        {BANNER("real general") "9999999999 9999999999 1\n", "x:2:1: expected 1 to"},
        {BANNER("real general") "3 3 2\n1 2 1\n", "x:4:1: expected entry 2 of 2, found the end"},
        {BANNER("real general") "3 3 1\n1 2 1\n2 1 1\n",
         "x:2:1: expected the number of entries that follow, 2, found 1"},
        {BANNER("real general") "3 3 1\n0 2 1\n",
         "x:3:1: expected a node id from 1 to 3, found '0'"},
        {BANNER("real general") "3 3 1\n1 4 1\n",
         "x:3:3: expected a node id from 1 to 3, found '4'"},
        {BANNER("real general") "3 3 1\n1 2\n", "x:3:4: expected a weight"},
        {BANNER("real general") "3 3 1\n1 2 -7\n", "x:3:5: expected a weight that is not negative"},
        {BANNER("pattern general") "3 3 1\n1 2 7\n", "x:3:5: expected the end of the line"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        io_refuse(shared, "x", cases[i].text, NULL, cases[i].error);
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.nodes = 5;
    io_refuse(shared, "x", BANNER("pattern general") "3 3 1\n1 2\n", &options,
              "x: expected 5 nodes, as the option nodes says, found 3");
}

/* ---- METIS ----------------------------------------------------------------------------------- */

static void test_metis(void **state) {
    (void)state;
    /* the triangle 1-2-3 and the isolated vertex 4 */
    cafe_graph *plain = io_read(shared, "x.graph", "% c\n4 3\n2 3\n% c\n3 1\n1 2\n\n", NULL);
    assert_int_equal(cafe_graph_nodes(plain), 4);
    assert_int_equal(cafe_graph_get_counts(plain)->edges, 3);
    cafe_graph *dressed =
        io_read(shared, "x.metis",
                "4 3 110 2\r\n9 1 1 2 3\r\n9 1 1 3 1\r\n9 1 1 1 2\r\n9 1 1\r\n\r\n", NULL);
    io_expect_equal(plain, dressed);
    cafe_graph_free(plain);
    cafe_graph_free(dressed);
    cafe_graph *weighted = io_read(shared, "x.graph", "3 2 001\n2 5 3 7\n1 5\n1 7\n", NULL);
    assert_true(io_weight(weighted, "0", "1") == 5 && io_weight(weighted, "2", "0") == 7);
    cafe_graph_free(weighted);
}

static void test_metis_refused(void **state) {
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"% only\n", "x.graph:2:1: expected the number of vertices, found the end of the file"},
        {"a 3\n", "x.graph:1:1: expected the number of vertices, found 'a'"},
        {"3\n", "x.graph:1:2: expected the number of edges"},
        {"3 2 002\n", "x.graph:1:5: expected a format of three digits"},
        {"3 2 1 1 1\n", "x.graph:1:9: expected the end of the line"},
        {"0 0\n", "x.graph:1:1: expected at least one vertex"},
        {"3 2\n2 3\n1\n",
         "x.graph:4:1: expected the line of vertex 3 of 3, found the end of the file"},
        {"3 2\n2 3\n1\n1\n2\n", "x.graph:5:1: expected no more lines than the header has vertices"},
        {"3 2\n2 4\n1\n1\n", "x.graph:2:3: expected a vertex from 1 to 3, found '4'"},
        {"3 2\n2 0\n1\n1\n", "x.graph:2:3: expected a vertex from 1 to 3, found '0'"},
        {"3 2\n2 x\n1\n1\n", "x.graph:2:3: expected a vertex from 1 to 3, found 'x'"},
        {"3 2\n2 1\n1\n1\n", "x.graph:2:3: expected another vertex than the line's own, found '1'"},
        {"3 3\n2 3\n1\n1\n", "x.graph:1:1: expected 3 edges, each listed by both ends, found 4"},
        {"3 2\n2 3\n1 3\n\n", "x.graph:1:1: expected each edge once in the line of either end"},
        {"3 2\n2 2\n1 1\n\n", "x.graph:1:1: expected each edge once in the line of either end"},
        {"2 1 1\n2 5\n1 6\n", "x.graph:1:1: expected each edge once in the line of either end"},
        {"2 1 1\n2 5\n1\n", "x.graph:3:2: expected a weight"},
        {"2 1 1\n2 -5\n1 -5\n", "x.graph:2:3: expected a weight that is not negative, found '-5'"},
        {"2 1 10\n1 2\n\n", "x.graph:3:1: expected a size or weight of the vertex"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        io_refuse(shared, "x.graph", cases[i].text, NULL, cases[i].error);
}

/* ---- gzip ------------------------------------------------------------------------------------ */

/* One gzip member of the text, behind `size` bytes; returns the new size. */
static size_t gzip_member(const char *text, size_t length, uint8_t *out, size_t size) {
    size_t packed = test_pack(IGZIP_GZIP, text, length, out + size, 2 * length + 1000);
    assert_true(packed > 0);
    return size + packed;
}

static void test_gzip(void **state) {
    static const char text[] = "0 1\n1 2\n2 3\n";
    uint8_t packed[8192];
    cafe_graph *plain = io_read(shared, "x", text, NULL), *graph = NULL;
    (void)state;
    /* one member; two, cut within a line; padded by zeros */
    size_t size = gzip_member(text, sizeof text - 1, packed, 0);
    assert_int_equal(io_read_bytes(shared, "x.gz", packed, size, NULL, &graph), CAFE_OK);
    io_expect_equal(plain, graph);
    cafe_graph_free(graph);
    size = gzip_member(text, 5, packed, 0);
    size = gzip_member("", 0, packed, size);
    size = gzip_member(text + 5, sizeof text - 6, packed, size);
    memset(packed + size, 0, 100);
    assert_int_equal(io_read_bytes(shared, "x.gz", packed, size + 100, NULL, &graph), CAFE_OK);
    io_expect_equal(plain, graph);
    cafe_graph_free(graph);
    cafe_graph_free(plain);
    /* damage */
    io_refuse_bytes(shared, "x.gz", packed, size - 4, NULL,
                    "x.gz:4:1: expected more gzip data, found the end of the file");
    io_refuse_bytes(shared, "x.gz", packed, 12, NULL, "x.gz:1:");
    packed[size] = 'x';
    io_refuse_bytes(shared, "x.gz", packed, size + 1, NULL,
                    "x.gz:4:1: expected the end of the gzip data, found other bytes");
    packed[size - 6] ^= 1;
    io_refuse_bytes(shared, "x.gz", packed, size, NULL, "x.gz:4:1: expected sound gzip data");
}

/* What takes more memory than the limit to unpack is named as that. */
static void test_large_windows(void **state) {
    /* a window of 2 GiB and a raw block; a dictionary of 4 GiB, the checksum of its header behind
     */
    static const uint8_t zstd[] = {0x28, 0xb5, 0x2f, 0xfd, 0,   0xa8, 0x21,
                                   0,    0,    '0',  ' ',  '1', '\n'};
    uint8_t xz[24] = {0xfd, '7',  'z', 'X', 'Z',  0,    0,    0, 0xff, 0x12,
                      0xd9, 0x41, 2,   0,   0x21, 0x01, 0x28, 0, 0,    0};
    uint32_t sum = crc32_gzip_refl(0, xz + 12, 8);
    (void)state;
    memcpy(xz + 20, &sum, sizeof sum);
    if (cafe_packing_of(zstd, sizeof zstd) == CAFE_PACKED_ZSTD)
        io_refuse_bytes(shared, "x.zst", zstd, sizeof zstd, NULL,
                        "x.zst:1:1: expected zstd data with a window of at most 128 MiB, found a "
                        "larger one");
    if (cafe_packing_of(xz, sizeof xz) == CAFE_PACKED_XZ)
        io_refuse_bytes(shared, "x.xz", xz, sizeof xz, NULL,
                        "x.xz:1:1: expected xz data with a dictionary that fits into 1 GiB, found "
                        "a larger one");
}

static void test_gzip_formats(void **state) {
    static const char mtx[] = BANNER("pattern symmetric") "4 4 2\n2 1\n3 2\n";
    static const char metis[] = "4 2\n2\n1 3\n2\n\n";
    uint8_t packed[8192];
    cafe_graph *graphs[2] = {NULL};
    (void)state;
    size_t size = gzip_member(mtx, sizeof mtx - 1, packed, 0);
    assert_int_equal(io_read_bytes(shared, "x", packed, size, NULL, &graphs[0]), CAFE_OK);
    size = gzip_member(metis, sizeof metis - 1, packed, 0);
    assert_int_equal(io_read_bytes(shared, "x.graph.gz", packed, size, NULL, &graphs[1]), CAFE_OK);
    io_expect_equal(graphs[0], graphs[1]);
    cafe_graph_free(graphs[0]);
    cafe_graph_free(graphs[1]);
}

/* Many windows of text, with integer and with string ids: the same graph, and the line of an error
 * in the last of them. */
static void test_gzip_windows(void **state) {
    enum { LINES = 40000 };
    static const int64_t windows[] = {64, 5000, 100000, 0};
    char *text = malloc((size_t)LINES * 20), wanted[64];
    uint8_t *packed = malloc((size_t)LINES * 40 + 1000);
    (void)state;
    for (int i = 0; i < 8; i++) {
        bool names = i % 2;
        cafe_graph *graph = NULL, *plain = NULL;
        char *p = text;
        for (int line = 0; line < LINES; line++)
            p += sprintf(p, names ? "n%d n%d\n" : "%d %d\n", line, line % 503);
        size_t length = (size_t)(p - text), size = gzip_member(text, length, packed, 0);
        assert_int_equal(io_read_windows(shared, "x", packed, size, windows[i / 2], NULL, &graph),
                         CAFE_OK);
        assert_int_equal(io_read_bytes(shared, "x", text, length, NULL, &plain), CAFE_OK);
        io_expect_equal(graph, plain);
        cafe_graph_free(graph);
        cafe_graph_free(plain);
        strcpy(text + length, "5\n");
        size = gzip_member(text, length + 2, packed, 0);
        snprintf(wanted, sizeof wanted, "x:%d:2: expected a", LINES + 1);
        assert_int_equal(io_read_windows(shared, "x", packed, size, windows[i / 2], NULL, &graph),
                         CAFE_ERROR_FORMAT);
        assert_true(strncmp(cafe_error(shared), wanted, strlen(wanted)) == 0);
    }
    free(packed);
    free(text);
}

/* A line longer than the window makes it grow. */
static void test_long_lines(void **state) {
    enum { LONG = 300000 };
    char *text = malloc(LONG + 100);
    uint8_t *packed = malloc(2 * LONG + 2000);
    (void)state;
    sprintf(text, "0 1 2 ");
    memset(text + 6, 'x', LONG);
    strcpy(text + 6 + LONG, "\n1 2 3\n");
    size_t length = strlen(text), size = gzip_member(text, length, packed, 0);
    for (int zipped = 0; zipped < 2; zipped++) {
        cafe_graph *graph = NULL;
        const void *bytes = zipped ? (const void *)packed : text;
        assert_int_equal(
            io_read_windows(shared, "x", bytes, zipped ? size : length, 1000, NULL, &graph),
            CAFE_OK);
        assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
        cafe_graph_free(graph);
    }
    free(packed);
    free(text);
}

/* METIS counts vertices across windows. */
static void test_metis_windows(void **state) {
    enum { N = 5000 };
    char *text = malloc(N * 20), *p = text;
    (void)state;
    p += sprintf(p, "%d %d\n", N, N - 1);
    for (int u = 1; u <= N; u++) {
        if (u % 100 == 0) p += sprintf(p, "%% comment\n");
        if (u > 1) p += sprintf(p, "%d ", u - 1);
        if (u < N) p += sprintf(p, "%d", u + 1);
        p += sprintf(p, "\n");
    }
    for (int64_t window = 16; window < 100000; window *= 7) {
        cafe_graph *graph = NULL;
        assert_int_equal(
            io_read_windows(shared, "x.graph", text, (size_t)(p - text), window, NULL, &graph),
            CAFE_OK);
        assert_int_equal(cafe_graph_get_counts(graph)->edges, N - 1);
        assert_true(io_weight(graph, "4000", "4001") == 1);
        cafe_graph_free(graph);
    }
    free(text);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static void test_choice(void **state) {
    cafe_graph_options options;
    (void)state;
    /* content before name; name before the default; the option before both */
    cafe_graph *graph =
        io_read(shared, "x.graph", BANNER("pattern symmetric") "4 4 1\n2 1\n", NULL);
    assert_int_equal(cafe_graph_nodes(graph), 4);
    cafe_graph_free(graph);
    graph = io_read(shared, "x.graph", "2 1\n2\n1\n", NULL);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 1);
    cafe_graph_free(graph);
    cafe_graph_options_init(&options);
    options.format = CAFE_FORMAT_METIS;
    graph = io_read(shared, "x.txt", "2 1\n2\n1\n", &options);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 1);
    cafe_graph_free(graph);
    options.format = CAFE_FORMAT_EDGES;
    graph = io_read(shared, "x.graph", "2 1\n2 5\n", &options);
    assert_int_equal(cafe_graph_get_counts(graph)->edges, 2);
    cafe_graph_free(graph);
    options.format = CAFE_FORMAT_CAFE;
    io_refuse(shared, "x", "0 1\n", &options, "x: expected a .cafe file, found other data");
    options.format = CAFE_FORMAT_NPZ;
    io_refuse(shared, "x", "0 1\n", &options, "x: expected the directory of a zip archive");
    options.format = CAFE_FORMAT_MTX;
    io_refuse(shared, "x", "0 1\n", &options, "x:1:1: expected '%%MatrixMarket', found '0'");
}

static void test_standard_input(void **state) {
    int ends[2], saved = dup(STDIN_FILENO);
    cafe_graph *graph = NULL;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "0 1\n1 2\n", 8), 8);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(cafe_graph_read(shared, "-", NULL, &graph), CAFE_OK);
    assert_int_equal(cafe_graph_nodes(graph), 3);
    cafe_graph_free(graph);
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void test_failing_memory(void **state) {
    uint8_t packed[4096];
    static const struct {
        const char *name, *text;
    } cases[] = {{"x", BANNER("real general") "3 3 2\n1 2 1\n3 1 2\n"},
                 {"x", BANNER("pattern symmetric") "3 3 1\n2 1\n"},
                 {"x.graph", "3 2 1\n2 5 3 1\n1 5\n1 1\n"},
                 {"x.gz", "0 1\n1 2\n"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 2);
        const void *bytes = cases[i].text;
        size_t size = strlen(cases[i].text);
        if (i == 3) size = gzip_member(cases[i].text, size, packed, 0), bytes = packed;
        for (long k = 0;; k++) {
            cafe_graph *graph = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = io_read_bytes(context, cases[i].name, bytes, size, NULL, &graph);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_graph_free(graph);
            if (!failed) break;
        }
        cafe_context_free(context);
    }
}

/* ---- the registry ---------------------------------------------------------------------------- */

/* Rows and functions agree, and every ending of a list leads back to its row. */
static void test_registry(void **state) {
    (void)state;
    for (int kind = CAFE_FILE_GRAPH; kind <= CAFE_FILE_VECTORS; kind++) {
        const cafe_file_format *row;
        char all[256], path[64];
        size_t listed = cafe_file_endings(kind, 0, all, sizeof all);
        for (int64_t i = 0; (row = cafe_file_format_at(kind, i)) != NULL; i++) {
            if (kind == CAFE_FILE_GRAPH)
                assert_int_equal(row->writes, cafe_graph_format_get(i + 1)->write != NULL);
            assert_non_null(strstr(all, row->endings));
            for (const char *e = row->endings; *e; e += strspn(e, " ")) {
                int length = (int)strcspn(e, " ");
                snprintf(path, sizeof path, "a.b/file%.*s", length, e);
                assert_ptr_equal(cafe_file_format_of(kind, path, 0), row);
                assert_ptr_equal(cafe_file_format_of(kind, path, 1), row->writes ? row : NULL);
                assert_null(cafe_file_format_of(kind, path + strlen(path) - length, 0));
                strcat(path, ".GZ");
                assert_ptr_equal(cafe_file_format_of(kind, path, 0), row);
                bool text = kind == CAFE_FILE_GRAPH ? !cafe_graph_format_get(i + 1)->binary
                                                    : row->beside == 0;
                assert_ptr_equal(cafe_file_format_of(kind, path, 1),
                                 row->writes && text ? row : NULL);
                e += length;
            }
        }
        assert_null(cafe_file_format_at(kind, -1));
        assert_null(cafe_file_format_of(kind, "file.xyz", 0));
        assert_int_equal(cafe_file_endings(kind, 0, path, 5), listed);
        assert_int_equal(strlen(path), 4);
    }
    assert_string_equal(CAFE_VECTOR_ENDINGS, " .npy .tsv .txt .csv");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mtx),
                                       cmocka_unit_test(test_mtx_loops),
                                       cmocka_unit_test(test_mtx_refused),
                                       cmocka_unit_test(test_metis),
                                       cmocka_unit_test(test_metis_refused),
                                       cmocka_unit_test(test_gzip),
                                       cmocka_unit_test(test_gzip_formats),
                                       cmocka_unit_test(test_large_windows),
                                       cmocka_unit_test(test_gzip_windows),
                                       cmocka_unit_test(test_long_lines),
                                       cmocka_unit_test(test_metis_windows),
                                       cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_standard_input),
                                       cmocka_unit_test(test_failing_memory),
                                       cmocka_unit_test(test_registry)};
    return cmocka_run_group_tests(tests, io_start, io_stop);
}
