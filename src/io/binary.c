/* .cafe files: layout and checksums, the writer. */
#include "io/binary.h"

#include <stddef.h>
#include <string.h>

#include <cafe-private/output.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "io/binary_attributes.h"
#include "io/format_registry.h"
#include "io/gzip.h"
#include "io/shared.h"

static const uint64_t block = (uint64_t)1 << 20;

bool cafe_binary_layout(const cafe_binary_header *h,
                        cafe_binary_section sections[CAFE_BINARY_SECTIONS], uint64_t *file_bytes) {
    const int64_t most = (int64_t)1 << 56; /* no sum below can overflow */
    if (h->nodes < 0 || h->nodes >= INT32_MAX || h->arcs < 0 || h->arcs > most ||
        h->text_bytes < 0 || h->text_bytes > most || h->attribute_bytes < 0 ||
        h->attribute_bytes > most)
        return false;
    uint64_t nodes = (uint64_t)h->nodes, arcs = (uint64_t)h->arcs;
    bool weights = h->flags & CAFE_BINARY_WEIGHTS, strings = h->flags & CAFE_BINARY_STRINGS;
    bool integers = h->flags & CAFE_BINARY_INTEGERS;
    uint64_t bytes[CAFE_BINARY_SECTIONS] = {8 * (nodes + 1),
                                            4 * arcs,
                                            weights ? 4 * arcs : 0,
                                            strings    ? 8 * (nodes + 1)
                                            : integers ? 8 * nodes
                                                       : 0,
                                            strings ? (uint64_t)h->text_bytes : 0,
                                            h->flags & CAFE_BINARY_ORDERED ? 4 * nodes : 0,
                                            (uint64_t)h->attribute_bytes};
    uint64_t at = sizeof *h;
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) {
        sections[i] = (cafe_binary_section){at, bytes[i]};
        at += (bytes[i] + CAFE_BINARY_ALIGN - 1) / CAFE_BINARY_ALIGN * CAFE_BINARY_ALIGN;
    }
    *file_bytes = at;
    bool attributes = h->flags & CAFE_BINARY_ATTRIBUTES;
    return (h->flags & ~31u) == 0 && !(strings && integers) && (strings || h->text_bytes == 0) &&
           attributes == (h->attribute_bytes > 0);
}

cafe_binary_arrays cafe_binary_point(const cafe_binary_header *h,
                                     const cafe_binary_section *sections, const uint8_t *bytes) {
    const void *parts[CAFE_BINARY_SECTIONS];
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) parts[i] = bytes + sections[i].start;
    cafe_binary_arrays a = {.offsets = parts[CAFE_BINARY_OFFSETS],
                            .targets = parts[CAFE_BINARY_TARGETS]};
    if (h->flags & CAFE_BINARY_WEIGHTS) a.weights = parts[CAFE_BINARY_VALUES];
    if (h->flags & CAFE_BINARY_ORDERED) a.order = parts[CAFE_BINARY_ORDER];
    if (h->flags & CAFE_BINARY_ATTRIBUTES) a.attributes = parts[CAFE_BINARY_FACTS];
    if (h->flags & CAFE_BINARY_INTEGERS)
        a.names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = parts[CAFE_BINARY_NAMES]};
    if (h->flags & CAFE_BINARY_STRINGS)
        a.names = (cafe_names){.kind = CAFE_NAMES_STRING,
                               .start = parts[CAFE_BINARY_NAMES],
                               .text = parts[CAFE_BINARY_TEXT]};
    return a;
}

typedef struct summing {
    const cafe_binary_section *sections;
    const uint8_t *const *parts;
    int64_t first; /* block that is summed up here */
    uint64_t *sums;
} summing;

static int64_t blocks_of(const cafe_binary_section *section) {
    return (int64_t)((section->bytes + block - 1) / block);
}

static void sum_block(void *argument, int64_t task) {
    summing *s = argument;
    int64_t b = s->first + task;
    int i = 0;
    while (b >= blocks_of(&s->sections[i])) b -= blocks_of(&s->sections[i++]);
    uint64_t from = (uint64_t)b * block, left = s->sections[i].bytes - from;
    s->sums[s->first + task] =
        cafe_crc64(0, s->parts[i] + from, (int64_t)(left < block ? left : block));
}

cafe_status cafe_binary_checksum(cafe_context *context, const cafe_binary_section *sections,
                                 const uint8_t *const *parts, bool shared, uint64_t *checksum) {
    int64_t count = 0, rank = shared ? cafe_team_rank(context) : 0;
    int64_t ranks = shared ? cafe_team_ranks(context) : 1;
    void *all = NULL;
    cafe_status status = CAFE_OK;
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++) count += blocks_of(&sections[i]);
    summing s = {sections, parts, count * rank / ranks, cafe_mem(context, count, sizeof(uint64_t))};
    int64_t here = count * (rank + 1) / ranks - s.first;
    if (!s.sums) CAFE_TRY(CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_each(context, here, sum_block, &s));
    if (shared) CAFE_TRY(cafe_team_gather(context, s.sums + s.first, here * 8, &all, NULL));
    *checksum = cafe_crc64(0, all ? all : s.sums, count * 8);
done:
    cafe_mem_free_all(context, s.sums, all);
    return status;
}

uint64_t cafe_binary_header_checksum(const cafe_binary_header *header) {
    return cafe_crc64(0, header, offsetof(cafe_binary_header, header));
}

/* ---- writing --------------------------------------------------------------------------------- */

static void fill_header(const cafe_graph *g, int64_t attribute_bytes, cafe_binary_header *h) {
    const cafe_graph_counts *c = &g->counts;
    memset(h, 0, sizeof *h);
    memcpy(h->magic, CAFE_BINARY_MAGIC, sizeof h->magic);
    h->version = attribute_bytes > 0 ? 2 : 1;
    h->flags = (g->weights ? CAFE_BINARY_WEIGHTS : 0u) |
               (g->names.kind == CAFE_NAMES_INTEGER ? CAFE_BINARY_INTEGERS : 0u) |
               (g->names.kind == CAFE_NAMES_STRING ? CAFE_BINARY_STRINGS : 0u) |
               (g->order ? CAFE_BINARY_ORDERED : 0u) |
               (attribute_bytes > 0 ? CAFE_BINARY_ATTRIBUTES : 0u);
    h->attribute_bytes = attribute_bytes;
    h->nodes = g->n;
    h->arcs = g->arcs;
    h->text_bytes = g->names.kind == CAFE_NAMES_STRING ? g->names.start[g->n] : 0;
#define PUT(name) h->name = c->name;
    CAFE_BINARY_COUNTS(PUT)
}

static cafe_status write_section(cafe_output *output, const uint8_t *bytes, uint64_t size) {
    static const uint8_t zeros[CAFE_BINARY_ALIGN];
    CAFE_PASS(cafe_output_write(output, bytes, (int64_t)size));
    return cafe_output_write(output, zeros, (int64_t)(-size % CAFE_BINARY_ALIGN));
}

static cafe_status write_sections(cafe_output *output, const cafe_binary_section *sections,
                                  const uint8_t *const *parts) {
    for (int i = 0; i < CAFE_BINARY_SECTIONS; i++)
        CAFE_PASS(write_section(output, parts[i], sections[i].bytes));
    return CAFE_OK;
}

static cafe_status write_parts(cafe_output *output, const cafe_graph *graph,
                               const uint8_t *attributes, int64_t attribute_bytes) {
    cafe_binary_header header;
    cafe_binary_section sections[CAFE_BINARY_SECTIONS];
    const cafe_names *names = &graph->names;
    const uint8_t *parts[CAFE_BINARY_SECTIONS] = {
        (const uint8_t *)graph->offsets,
        (const uint8_t *)graph->targets,
        (const uint8_t *)graph->weights,
        (const uint8_t *)(names->kind == CAFE_NAMES_STRING ? names->start : names->integers),
        (const uint8_t *)names->text,
        (const uint8_t *)graph->order,
        attributes};
    fill_header(graph, attribute_bytes, &header);
    if (!cafe_binary_layout(&header, sections, &header.file_bytes))
        return cafe_fail(output->context, CAFE_ERROR_ARGUMENT,
                         "the graph is too large for a .cafe file");
    CAFE_PASS(cafe_binary_checksum(output->context, sections, parts, graph->common, &header.body));
    header.header = cafe_binary_header_checksum(&header);
    CAFE_PASS(cafe_output_write(output, &header, sizeof header));
    return graph->common ? cafe_write_shared(output, sections, parts, header.file_bytes)
                         : write_sections(output, sections, parts);
}

/* Each of several processes has all attributes. */
static cafe_status write_binary(cafe_output *output, const cafe_graph *graph) {
    uint8_t *attributes = NULL;
    int64_t bytes = 0;
    cafe_status status = cafe_binary_pack(output->context, graph->n, output->attribute_count,
                                          output->attributes, &attributes, &bytes);
    if (graph->common) status = cafe_team_agree(output->context, status);
    if (status == CAFE_OK) status = write_parts(output, graph, attributes, bytes);
    cafe_mem_free(output->context, attributes);
    return status;
}

const cafe_graph_format cafe_graph_format_cafe = {
    .magic = CAFE_BINARY_MAGIC, .read = cafe_binary_read, .write = write_binary, .binary = true};
