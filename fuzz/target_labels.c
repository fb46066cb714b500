/* Label files: nodes that only they name, then the labels themselves, on graphs whose names are
 * indices and on graphs whose names are words.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"

/* The reader takes a path: a file without a name has one too. */
static int file_of(const uint8_t *data, size_t size, char path[64]) {
    int file = memfd_create("labels", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size) abort();
    snprintf(path, 64, "/proc/self/fd/%d", file);
    return file;
}

static cafe_graph *small_graph(int words) {
    static const char numbers[] = "0 1\n1 2\n", names[] = "a b\nb c\n";
    const char *text = words ? names : numbers;
    cafe_graph *graph = NULL;
    cafe_input input = {.context = fuzz_context(),
                        .name = "g.txt",
                        .bytes = (const uint8_t *)text,
                        .size = (int64_t)strlen(text)};
    if (cafe_graph_read_input(&input, NULL, &graph) != CAFE_OK) abort();
    return graph;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    cafe_context *context = fuzz_context();
    int64_t bytes = cafe_bytes(context), added = 0;
    char path[64];
    int file = file_of(data, size, path);
    cafe_graph *graph = small_graph(size > 0 && (data[size - 1] & 1));
    cafe_labels *labels = NULL;
    cafe_status status = cafe_graph_add_labelled(context, path, &graph, &added);
    if (status == CAFE_OK) fuzz_look(graph);
    if (status == CAFE_OK) status = cafe_labels_read(context, graph, path, &labels);
    for (int64_t u = 0; labels && u < cafe_graph_nodes(graph); u++) {
        const int32_t *classes;
        int64_t count = cafe_labels_of(labels, u, &classes);
        for (int64_t i = 0; i < count; i++)
            if (classes[i] < 0 || classes[i] >= cafe_labels_classes(labels)) abort();
    }
    cafe_labels_free(labels);
    cafe_graph_free(graph);
    close(file);
    fuzz_check(status, bytes);
    return 0;
}
