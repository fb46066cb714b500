/* What the tests of readers and writers share: texts as files in memory, errors, scratch files. */
#ifndef CAFE_TEST_IO_H
#define CAFE_TEST_IO_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <cafe-private/inputs.h>
#include <cafe-private/text.h>
#include <cafe/lab.h>

#include "graphs.h"
#include "io/graph_reader.h"

/* The context of a program's tests, for cmocka_run_group_tests(tests, io_start, io_stop). */
TEST_UNUSED static cafe_context *shared;

TEST_UNUSED static int io_start(void **state) {
    (void)state;
    shared = test_context(2, 1);
    return 0;
}

TEST_UNUSED static int io_stop(void **state) {
    (void)state;
    cafe_context_free(shared);
    return 0;
}

/* Reads `size` bytes as the file `name`, in windows of `window` bytes; they get a block of their
 * own, so that a sanitizer sees every byte read beyond them. */
TEST_UNUSED static cafe_status io_read_windows(cafe_context *context, const char *name,
                                               const void *bytes, size_t size, int64_t window,
                                               const cafe_graph_options *options,
                                               cafe_graph **graph) {
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    cafe_input input = {.context = context, .name = name, .bytes = copy, .size = (int64_t)size};
    input.window = window;
    cafe_status status = cafe_graph_read_input(&input, options, graph);
    free(copy);
    return status;
}

TEST_UNUSED static cafe_status io_read_bytes(cafe_context *context, const char *name,
                                             const void *bytes, size_t size,
                                             const cafe_graph_options *options,
                                             cafe_graph **graph) {
    return io_read_windows(context, name, bytes, size, 0, options, graph);
}

TEST_UNUSED static cafe_graph *io_read(cafe_context *context, const char *name, const char *text,
                                       const cafe_graph_options *options) {
    cafe_graph *graph = NULL;
    if (io_read_bytes(context, name, text, strlen(text), options, &graph) != CAFE_OK)
        fail_msg("%s", cafe_error(context));
    return graph;
}

/* Reading must fail as malformed, with an error text that begins so. */
TEST_UNUSED static void io_refuse_bytes(cafe_context *context, const char *name, const void *bytes,
                                        size_t size, const cafe_graph_options *options,
                                        const char *error) {
    cafe_graph *graph = NULL;
    cafe_status status = io_read_bytes(context, name, bytes, size, options, &graph);
    if (status != CAFE_ERROR_FORMAT || strncmp(cafe_error(context), error, strlen(error)) != 0)
        fail_msg("expected \"%s\", got %s: %s", error, cafe_status_name(status),
                 cafe_error(context));
    assert_null(graph);
}

TEST_UNUSED static void io_refuse(cafe_context *context, const char *name, const char *text,
                                  const cafe_graph_options *options, const char *error) {
    io_refuse_bytes(context, name, text, strlen(text), options, error);
}

/* a(u,w) by names; 0 when there is no such edge. */
TEST_UNUSED static float io_weight(const cafe_graph *graph, const char *u, const char *w) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    int64_t a = cafe_graph_find(graph, u), b = cafe_graph_find(graph, w);
    if (a < 0 || b < 0) fail_msg("no node %s or %s", u, w);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t i = offsets[a]; i < offsets[a + 1]; i++)
        if (targets[i] == b) return weights ? weights[i] : 1;
    return 0;
}

TEST_UNUSED static void io_expect_name(const cafe_graph *graph, int64_t u, const char *name) {
    char text[256];
    cafe_graph_name(graph, u, text, sizeof text);
    assert_string_equal(text, name);
}

/* The same nodes in the same order, with the same names, edges and weights? */
TEST_UNUSED static void io_expect_equal(const cafe_graph *a, const cafe_graph *b) {
    const int64_t *offsets[2];
    const int32_t *targets[2];
    const float *weights[2];
    int64_t n = cafe_graph_nodes(a);
    assert_int_equal(n, cafe_graph_nodes(b));
    assert_int_equal(cafe_graph_get_counts(a)->edges, cafe_graph_get_counts(b)->edges);
    assert_int_equal(cafe_graph_names_are_indices(a), cafe_graph_names_are_indices(b));
    cafe_graph_csr(a, &offsets[0], &targets[0], &weights[0]);
    cafe_graph_csr(b, &offsets[1], &targets[1], &weights[1]);
    assert_memory_equal(offsets[0], offsets[1], (size_t)(n + 1) * sizeof(int64_t));
    size_t arcs = (size_t)offsets[0][n];
    assert_memory_equal(targets[0], targets[1], arcs * sizeof(int32_t));
    assert_int_equal(weights[0] != NULL, weights[1] != NULL);
    if (weights[0]) assert_memory_equal(weights[0], weights[1], arcs * sizeof(float));
    for (int64_t u = 0; u < n; u++) {
        char name[256];
        cafe_graph_name(b, u, name, sizeof name);
        io_expect_name(a, u, name);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* A folder for the test's files, below the working folder; made empty. */
typedef struct io_scratch {
    char folder[64];
    char path[256];
} io_scratch;

TEST_UNUSED static io_scratch io_scratch_new(void) {
    io_scratch s;
    snprintf(s.folder, sizeof s.folder, "io-scratch-XXXXXX");
    assert_non_null(mkdtemp(s.folder));
    return s;
}

/* The path of a file in it (overwritten by the next call). */
TEST_UNUSED static const char *io_path(io_scratch *s, const char *name) {
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

TEST_UNUSED static void io_scratch_free(io_scratch *s) {
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", s->folder);
    assert_int_equal(system(command), 0);
}

/* How many files the folder has. */
TEST_UNUSED static int io_scratch_files(const io_scratch *s) {
    char command[128];
    int count = -1;
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", s->folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &count), 1);
    pclose(pipe);
    return count;
}

TEST_UNUSED static void io_store(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* The whole file in memory, a 0 behind it; the caller frees it. */
TEST_UNUSED static char *io_load(const char *path, size_t *size) {
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc((size_t)about.st_size + 1);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (size_t)about.st_size, file);
    assert_int_equal(*size, (size_t)about.st_size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

#endif
