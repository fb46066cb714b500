/* .cafe files as an attacker makes them: any contents under right checksums. And graphs in memory
 * that no reader would let through. */
#ifndef CAFE_TEST_CRAFT_H
#define CAFE_TEST_CRAFT_H

#include "base/memory.h"
#include "graph/graph.h"
#include "io/binary.h"
#include "test_io.h"

/* Makes the checksums of a changed file right again. */
TEST_UNUSED static void craft_seal(cafe_context *context, char *bytes) {
    cafe_binary_header *header = (cafe_binary_header *)bytes;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const uint8_t *parts[CAFE_BINARY_SECTIONS];
    uint64_t size;
    if (cafe_binary_layout(header, sections, &size) && size == header->file_bytes) {
        for (int i = 0; i < CAFE_BINARY_SECTIONS; i++)
            parts[i] = (const uint8_t *)bytes + sections[i].start;
        assert_int_equal(cafe_binary_checksum(context, sections, parts, false, &header->body),
                         CAFE_OK);
    }
    header->header = cafe_binary_header_checksum(header);
}

/* The graph as the bytes of a .cafe file; the caller frees them. */
TEST_UNUSED static char *craft_file(cafe_context *context, const cafe_graph *graph, size_t *size) {
    io_scratch scratch = io_scratch_new();
    TEST_OK(context,
            cafe_graph_write(context, graph, io_path(&scratch, "g.cafe"), CAFE_FORMAT_AUTO, 0));
    char *bytes = io_load(scratch.path, size);
    io_scratch_free(&scratch);
    return bytes;
}

/* A section of the file, to be changed. */
TEST_UNUSED static void *craft_section(char *bytes, int section) {
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    uint64_t size;
    assert_true(cafe_binary_layout((cafe_binary_header *)bytes, sections, &size));
    return bytes + sections[section].start;
}

/* A graph of arcs that nothing has checked: links[i] goes from source[i] to target[i] and not back.
 * Arcs are sorted by source, then target; weights may be NULL. Its counts are those that its rows
 * tell. The caller frees it. */
TEST_UNUSED static cafe_graph *craft_arcs(cafe_context *context, int64_t nodes, int64_t count,
                                          const int32_t *source, const int32_t *target,
                                          const float *weights) {
    cafe_graph *graph = cafe_graph_new(context);
    int64_t *offsets = cafe_mem_zero(context, nodes + 1, sizeof *offsets);
    int32_t *targets = cafe_mem(context, count, sizeof *targets);
    float *copied = weights ? cafe_mem(context, count, sizeof *copied) : NULL;
    assert_true(graph && offsets && targets && (copied || !weights));
    for (int64_t i = 0; i < count; i++) {
        offsets[source[i] + 1]++;
        targets[i] = target[i];
        if (weights) copied[i] = weights[i];
    }
    for (int64_t u = 0; u < nodes; u++) offsets[u + 1] += offsets[u];
    graph->n = nodes;
    graph->arcs = count;
    graph->offsets = offsets;
    graph->targets = targets;
    graph->weights = copied;
    graph->owns_rows = true;
    TEST_OK(context, cafe_graph_count(context, graph, true));
    return graph;
}

#endif
