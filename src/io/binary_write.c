/* The .cafe writer: header, then the arrays as they are. */
#include <string.h>

#include "io/binary.h"
#include "io/write.h"

static void fill_header(const cafe_graph *g, cafe_binary_header *h) {
    const cafe_graph_counts *c = &g->counts;
    memset(h, 0, sizeof *h);
    memcpy(h->magic, CAFE_BINARY_MAGIC, sizeof h->magic);
    h->version = CAFE_BINARY_VERSION;
    h->flags = (g->weights ? CAFE_BINARY_WEIGHTS : 0u) |
               (g->names.kind == CAFE_NAMES_INTEGER ? CAFE_BINARY_INTEGERS : 0u) |
               (g->names.kind == CAFE_NAMES_STRING ? CAFE_BINARY_STRINGS : 0u);
    h->nodes = g->n;
    h->arcs = g->arcs;
    h->text_bytes = g->names.kind == CAFE_NAMES_STRING ? g->names.start[g->n] : 0;
    h->edges = c->edges;
    h->lines = c->lines;
    h->self_loops = c->self_loops;
    h->duplicates = c->duplicates;
    h->reversed = c->reversed;
    h->zero_weights = c->zero_weights;
    h->isolated = c->isolated;
    h->components = c->components;
    h->largest = c->largest;
    h->min_degree = c->min_degree;
    h->max_degree = c->max_degree;
    h->total_weight = c->total_weight;
    h->self_loops_kept = c->self_loops_kept;
}

static cafe_status write_section(cafe_output *output, const uint8_t *bytes, uint64_t size) {
    static const uint8_t zeros[CAFE_BINARY_ALIGN];
    cafe_status status = cafe_output_write(output, bytes, (int64_t)size);
    if (status != CAFE_OK) return status;
    return cafe_output_write(output, zeros, (int64_t)(-size % CAFE_BINARY_ALIGN));
}

cafe_status cafe_write_binary(cafe_output *output, const cafe_graph *graph) {
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const cafe_names *names = &graph->names;
    const uint8_t *parts[CAFE_BINARY_SECTIONS] = {
        (const uint8_t *)graph->offsets, (const uint8_t *)graph->targets,
        (const uint8_t *)graph->weights,
        (const uint8_t *)(names->kind == CAFE_NAMES_STRING ? names->start : names->integers),
        (const uint8_t *)names->text};
    cafe_status status = CAFE_OK;
    fill_header(graph, &header);
    if (!cafe_binary_layout(&header, sections, &header.file_bytes))
        return cafe_fail(output->context, CAFE_ERROR_ARGUMENT,
                         "the graph is too large for a .cafe file");
    CAFE_TRY(cafe_binary_checksum(output->context, sections, parts, &header.body));
    header.header = cafe_binary_header_checksum(&header);
    CAFE_TRY(cafe_output_write(output, &header, sizeof header));
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++)
        CAFE_TRY(write_section(output, parts[i], sections[i].bytes));
done:
    return status;
}
