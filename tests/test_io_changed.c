/* Files that another program changes while they are read, or while a graph points into them: an
 * error, never a signal, and never a result. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>

#include "base/memory_limit.h"
#include "craft.h"

enum { LINES = 40000 };

static cafe_context *shared;

static int setup(void **state) {
    (void)state;
    shared = test_context(2, 1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    cafe_context_free(shared);
    return 0;
}

/* A text of edges as a file; the caller frees it. */
static char *edges_text(size_t *size) {
    char *text = malloc(LINES * 16), *p = text;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++) p += sprintf(p, "%d %d\n", i, (i * 7 + 1) % LINES);
    *size = (size_t)(p - text);
    return text;
}

/* The file's time becomes another one, however coarse the clock of the file system is. */
static void age(const char *path) {
    struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void halve(const char *path) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(truncate(path, about.st_size / 2), 0);
    age(path);
}

static void empty(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
    age(path);
}

static void overwrite(const char *path) {
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "7 8\n", 4, 0), 4);
    close(fd);
    age(path);
}

static void (*const changes[])(const char *path) = {halve, empty, overwrite};

/* Opened, changed, read: refused as changed, in windows of any size. */
static void refuse_changed(const char *path, void (*change)(const char *), int64_t window) {
    cafe_input input;
    cafe_graph *graph = NULL;
    TEST_OK(shared, cafe_input_open(shared, path, &input));
    input.window = window;
    change(path);
    assert_int_equal(cafe_graph_read_input(&input, NULL, &graph), CAFE_ERROR_IO);
    assert_null(graph);
    assert_non_null(strstr(cafe_error(shared), "changed while it was read"));
}

static void test_text(void **state) {
    io_scratch scratch = io_scratch_new();
    size_t size;
    char *text = edges_text(&size);
    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int64_t window = 0; window <= 4096; window += 4096) {
            io_store(io_path(&scratch, "g.txt"), text, size);
            refuse_changed(scratch.path, changes[i], window);
        }
    free(text);
    io_scratch_free(&scratch);
}

static void test_other_formats(void **state) {
    static const char *const endings[] = {"g.mtx", "g.graph", "g.cafe"};
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_random(shared, 2000, 9000, 1, 0, 4);
    (void)state;
    for (size_t e = 0; e < sizeof endings / sizeof *endings; e++)
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            io_path(&scratch, endings[e]);
            TEST_OK(shared, cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 1));
            refuse_changed(scratch.path, changes[i], 0);
        }
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* ---- while it is read ------------------------------------------------------------------------ */

typedef struct vandal {
    const char *path;
    char *text;
    size_t size;
    atomic_int stop;
} vandal;

/* Cuts the file short and fills it again, over and over. */
static void *cut_and_fill(void *argument) {
    vandal *v = argument;
    int fd = open(v->path, O_WRONLY);
    uint64_t seed = 3;
    while (!atomic_load(&v->stop)) {
        if (ftruncate(fd, test_below(&seed, (int64_t)v->size)) != 0) break;
        if (pwrite(fd, v->text, v->size, 0) != (ssize_t)v->size) break;
    }
    close(fd);
    return NULL;
}

/* Two hundred readings beside it: each ends, with a graph of the whole file or with an error. */
static void test_cut_meanwhile(void **state) {
    io_scratch scratch = io_scratch_new();
    size_t size;
    char *text = edges_text(&size);
    vandal v = {.path = io_path(&scratch, "g.txt"), .text = text, .size = size};
    pthread_t thread;
    (void)state;
    io_store(v.path, text, size);
    assert_int_equal(pthread_create(&thread, NULL, cut_and_fill, &v), 0);
    for (int i = 0; i < 200; i++) {
        cafe_graph *graph = NULL;
        cafe_status status = cafe_graph_read(shared, v.path, NULL, &graph);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_IO || status == CAFE_ERROR_FORMAT);
        assert_int_equal(graph != NULL, status == CAFE_OK);
        cafe_graph_free(graph);
    }
    atomic_store(&v.stop, 1);
    pthread_join(thread, NULL);
    free(text);
    io_scratch_free(&scratch);
}

/* ---- a graph of a .cafe file ----------------------------------------------------------------- */

/* All ids, and whatever else is behind the header, become others: outside any array. */
static void scramble(const char *path) {
    uint8_t bytes[4096];
    struct stat about;
    int fd = open(path, O_WRONLY);
    memset(bytes, 0x7f, sizeof bytes);
    assert_true(fd >= 0 && fstat(fd, &about) == 0);
    for (int64_t at = 256, left; (left = about.st_size - at) > 0; at += (int64_t)sizeof bytes) {
        size_t count = left < (int64_t)sizeof bytes ? (size_t)left : sizeof bytes;
        assert_int_equal(pwrite(fd, bytes, count, at), (ssize_t)count);
    }
    close(fd);
}

/* Reads every id and follows it. */
static void walk(const cafe_graph *graph) {
    cafe_graph_profile profile;
    cafe_sampled *sampled = NULL;
    TEST_OK(shared, cafe_graph_describe(shared, graph, &profile));
    TEST_OK(shared, cafe_sample(shared, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &sampled));
    cafe_sampled_free(sampled);
}

/* A graph of a file that is changed in every way is what it was: in memory, and within a limit to
 * the memory in a file without a name. */
static void test_cafe_changes(void **state) {
    static void (*const all[])(const char *path) = {halve, empty, overwrite, scramble};
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_random(shared, 50000, 300000, 1, 0, 4), *read = NULL;
    (void)state;
    io_path(&scratch, "g.cafe");
    for (int limited = 0; limited < 2; limited++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            TEST_OK(shared, cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 1));
            TEST_OK(shared, cafe_limit_memory(shared, limited ? 8 << 20 : 0, "."));
            TEST_OK(shared, cafe_graph_read(shared, scratch.path, NULL, &read));
            assert_int_equal(cafe_in_file(shared, read->targets), limited);
            all[i](scratch.path);
            TEST_OK(shared, cafe_graph_unchanged(shared, read));
            io_expect_equal(graph, read);
            walk(read);
            cafe_graph_free(read);
        }
    TEST_OK(shared, cafe_limit_memory(shared, 0, NULL));
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* Written anew under its name, as the library writes, the graph stays what it was. */
static void test_cafe_replaced(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_random(shared, 500, 2000, 1, 0, 4), *read = NULL;
    cafe_graph *other = test_karate(shared);
    (void)state;
    io_path(&scratch, "g.cafe");
    TEST_OK(shared, cafe_graph_write(shared, graph, scratch.path, CAFE_FORMAT_AUTO, 1));
    TEST_OK(shared, cafe_graph_read(shared, scratch.path, NULL, &read));
    TEST_OK(shared, cafe_graph_write(shared, other, scratch.path, CAFE_FORMAT_AUTO, 1));
    TEST_OK(shared, cafe_graph_unchanged(shared, read));
    io_expect_equal(graph, read);
    cafe_graph_free(graph);
    cafe_graph_free(read);
    cafe_graph_free(other);
    io_scratch_free(&scratch);
}

/* Scrambles the ids and writes them again, over and over, without a change of size. */
static void *scramble_and_mend(void *argument) {
    vandal *v = argument;
    int fd = open(v->path, O_WRONLY);
    while (!atomic_load(&v->stop)) {
        scramble(v->path);
        if (pwrite(fd, v->text, v->size, 0) != (ssize_t)v->size) break;
    }
    close(fd);
    return NULL;
}

/* Readings beside it: each ends with a graph that is sound, or with an error. */
static void test_scrambled_meanwhile(void **state) {
    io_scratch scratch = io_scratch_new();
    cafe_graph *graph = test_random(shared, 5000, 20000, 1, 0, 4);
    vandal v = {.path = io_path(&scratch, "g.cafe")};
    pthread_t thread;
    (void)state;
    TEST_OK(shared, cafe_graph_write(shared, graph, v.path, CAFE_FORMAT_AUTO, 1));
    v.text = io_load(v.path, &v.size);
    assert_int_equal(pthread_create(&thread, NULL, scramble_and_mend, &v), 0);
    for (int i = 0; i < 200; i++) {
        cafe_graph *read = NULL;
        cafe_status status = cafe_graph_read(shared, v.path, NULL, &read);
        assert_true(status == CAFE_OK || status == CAFE_ERROR_IO || status == CAFE_ERROR_FORMAT);
        if (status == CAFE_OK) walk(read);
        cafe_graph_free(read);
    }
    atomic_store(&v.stop, 1);
    pthread_join(thread, NULL);
    free(v.text);
    cafe_graph_free(graph);
    io_scratch_free(&scratch);
}

/* ---- text from a file is that from memory ---------------------------------------------------- */

static void expect_same(io_scratch *scratch, const char *name, const char *text, size_t size,
                        int64_t window) {
    cafe_graph *memory = NULL, *file = NULL;
    cafe_input input;
    io_store(io_path(scratch, name), text, size);
    TEST_OK(shared, io_read_windows(shared, name, text, size, window, NULL, &memory));
    TEST_OK(shared, cafe_input_open(shared, scratch->path, &input));
    input.window = window;
    TEST_OK(shared, cafe_graph_read_input(&input, NULL, &file));
    io_expect_equal(memory, file);
    cafe_graph_free(memory);
    cafe_graph_free(file);
}

static void test_file_and_memory(void **state) {
    static const char *const texts[] = {"0 1",
                                        "0 1\n",
                                        "# a comment that is longer than any window\n0 1\n1 2",
                                        "a,b,1\nb,\"c d\",2\r\nc c,a,3\n\n\n",
                                        "\xef\xbb\xbf"
                                        "0 1\n99999999999 5\n7 0\n",
                                        "1 2\n2 3\nx y\n"};
    static const int64_t windows[] = {0, 1, 2, 3, 5, 16, 64};
    io_scratch scratch = io_scratch_new();
    size_t size;
    char *long_text = edges_text(&size);
    (void)state;
    for (size_t w = 0; w < sizeof windows / sizeof *windows; w++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            expect_same(&scratch, "t.txt", texts[i], strlen(texts[i]), windows[w]);
    expect_same(&scratch, "t.txt", long_text, size, 0);
    expect_same(&scratch, "t.txt", long_text, size, 1000);
    expect_same(&scratch, "t.txt", long_text, size - 1, 70000);
    free(long_text);
    io_scratch_free(&scratch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_other_formats),
        cmocka_unit_test(test_cut_meanwhile),
        cmocka_unit_test(test_cafe_changes),
        cmocka_unit_test(test_cafe_replaced),
        cmocka_unit_test(test_scrambled_meanwhile),
        cmocka_unit_test(test_file_and_memory),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
