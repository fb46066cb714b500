/* What the fuzz targets share: a context with little memory, and a look at every graph they get. */
#ifndef CAFE_FUZZ_H
#define CAFE_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cafe/lab.h>

#include "io/graph_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file may rightly ask for much memory; the fuzzer's machine need not have it. */
static void *fuzz_allocate(void *user, size_t bytes) {
    (void)user;
    return bytes > ((size_t)64 << 20) ? NULL : malloc(bytes);
}

static void fuzz_release(void *user, void *block) {
    (void)user;
    free(block);
}

/* One context for all inputs, as a program has; one thread, so that runs repeat exactly. */
static inline cafe_context *fuzz_context(void) {
    static cafe_context *context;
    if (!context) {
        cafe_context_options options;
        cafe_context_options_init(&options);
        options.threads = 1;
        options.allocator = (cafe_allocator){fuzz_allocate, fuzz_release, NULL};
        if (cafe_context_create(&options, &context) != CAFE_OK) abort();
        cafe_lab_add(context);
    }
    return context;
}

/* Only these may come of bad bytes; an error has a text, and nothing is left behind. */
static inline void fuzz_check(cafe_status status, int64_t bytes_before) {
    cafe_context *context = fuzz_context();
    if (status != CAFE_OK && status != CAFE_ERROR_FORMAT && status != CAFE_ERROR_MEMORY) abort();
    if (status != CAFE_OK && cafe_error(context)[0] == 0) abort();
    if (cafe_bytes(context) != bytes_before) abort();
}

/* For readers that take a path: a file without a name, used again for every input, that holds the
 * data. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
    static int file = -1;
    static char path[64];
    if (file < 0) {
        file = memfd_create("input", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    if (file < 0 || ftruncate(file, (off_t)size) != 0 ||
        pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

/* Is there an arc from u to w of this weight? */
static inline int fuzz_has_arc(const cafe_graph *graph, int64_t u, int32_t w, float weight) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    int64_t low = offsets[u], high = offsets[u + 1];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (targets[middle] < w)
            low = middle + 1;
        else
            high = middle;
    }
    return low < offsets[u + 1] && targets[low] == w && (weights ? weights[low] : 1) == weight;
}

/* Goes through rows, which are sorted and symmetric, and names. */
static inline void fuzz_look(const cafe_graph *graph) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    char name[64];
    int64_t n = cafe_graph_nodes(graph);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++) {
        int64_t last = -1;
        for (int64_t i = offsets[u]; i < offsets[u + 1]; i++) {
            if (targets[i] <= last || targets[i] >= n) abort();
            if (weights && !(weights[i] > 0)) abort();
            if (!fuzz_has_arc(graph, targets[i], (int32_t)u, weights ? weights[i] : 1)) abort();
            last = targets[i];
        }
    }
    for (int64_t u = 0; u < n && u < 100; u++) {
        size_t length = cafe_graph_name(graph, u, name, sizeof name);
        if (length < sizeof name && cafe_graph_find(graph, name) < 0) abort();
    }
}

/* Options for the reader, and its window, that the last byte of the data chooses. */
static inline void fuzz_choose(const uint8_t *data, size_t size, cafe_format format,
                               cafe_graph_options *options, cafe_input *input) {
    cafe_graph_options_init(options);
    options->format = format;
    if (size == 0) return;
    options->self_loops = data[size - 1] & 1;
    input->window = data[size - 1] & 2 ? 16 : 4096;
    if (format != CAFE_FORMAT_EDGES) return;
    options->header = (data[size - 1] >> 2 & 3) % 3;
    options->decimal = data[size - 1] >> 4 & 1;
    if (data[size - 1] & 32) options->delimiter = ";";
    if (data[size - 1] & 64) options->source = "0", options->target = "2";
}

/* Reads the file with options that the data chooses, and looks at the graph. The caller frees it,
 * and checks the status. */
static inline cafe_status fuzz_read_graph(const char *name, cafe_format format, const uint8_t *data,
                                          size_t size, const uint8_t *file, size_t file_size,
                                          cafe_graph **graph) {
    cafe_graph_options options;
    cafe_input input = {
        .context = fuzz_context(), .name = name, .bytes = file, .size = (int64_t)file_size};
    *graph = NULL;
    fuzz_choose(data, size, format, &options, &input);
    cafe_status status = cafe_graph_read_input(&input, &options, graph);
    if (status == CAFE_OK) fuzz_look(*graph);
    return status;
}

/* The same of a file that is the data itself. */
static inline void fuzz_read(const char *name, cafe_format format, const uint8_t *data,
                             size_t size) {
    cafe_graph *graph;
    int64_t bytes = cafe_bytes(fuzz_context());
    cafe_status status = fuzz_read_graph(name, format, data, size, data, size, &graph);
    cafe_graph_free(graph);
    fuzz_check(status, bytes);
}

#endif
