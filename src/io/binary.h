/* The .cafe format, version 1 or 2: a graph as it lies in memory.
 *
 * A header of 256 bytes, then sections, each at a multiple of 64 bytes with zeros between them:
 *
 *     offsets   int64[nodes + 1]
 *     targets   int32[arcs]
 *     weights   float32[arcs]                        flag WEIGHTS
 *     names     int64[nodes]                         flag INTEGERS
 *          or   int64[nodes + 1], byte[text_bytes]   flag STRINGS
 *     order     int32[nodes]                         flag ORDERED
 *     attributes  (io/binary_attributes.h)           flag ATTRIBUTES
 *
 * Version 2 has attributes of nodes, version 1 has none.
 * All numbers are little-endian. `body` is the CRC-64 (ECMA, reflected) of the list of CRC-64s of
 * all sections' blocks of 1 MiB, so that many threads can check it. `header` is the CRC-64 of the
 * 248 bytes before it.
 */
#ifndef CAFE_IO_BINARY_H
#define CAFE_IO_BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/node_names.h"
#include "io/input_file.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the .cafe format is read and written in place on little-endian machines only"
#endif

enum { CAFE_BINARY_VERSION = 2, CAFE_BINARY_ALIGN = 64, CAFE_BINARY_SECTIONS = 7 };
enum {
    CAFE_BINARY_WEIGHTS = 1,
    CAFE_BINARY_INTEGERS = 2,
    CAFE_BINARY_STRINGS = 4,
    CAFE_BINARY_ORDERED = 8,
    CAFE_BINARY_ATTRIBUTES = 16
};
enum {
    CAFE_BINARY_OFFSETS,
    CAFE_BINARY_TARGETS,
    CAFE_BINARY_VALUES,
    CAFE_BINARY_NAMES,
    CAFE_BINARY_TEXT,
    CAFE_BINARY_ORDER,
    CAFE_BINARY_FACTS
};

typedef struct cafe_binary_header {
    uint8_t magic[8];
    uint32_t version, flags;
    uint64_t file_bytes;
    uint64_t body;
    int64_t nodes, arcs, text_bytes;
    /* the graph's counts; see cafe_graph_counts */
    int64_t edges, lines, self_loops, duplicates, reversed, zero_weights;
    int64_t isolated, components, largest, min_degree, max_degree;
    double total_weight;
    int64_t self_loops_kept;
    int64_t attribute_bytes;
    int64_t reserved[10];
    uint64_t header;
} cafe_binary_header;

_Static_assert(sizeof(cafe_binary_header) == 256, "the header's layout is part of the format");

#define CAFE_BINARY_MAGIC \
    "\x89"                \
    "CAFE\r\n\x1a"

/* The counts of a graph in the header: those that follow from the rows, and those of the edges as
 * listed. */
#define CAFE_BINARY_COUNTS(X) CAFE_BINARY_TOLD(X) CAFE_BINARY_HISTORY(X) X(total_weight)
#define CAFE_BINARY_TOLD(X) \
    X(edges)                \
    X(isolated)             \
    X(min_degree)           \
    X(max_degree)           \
    X(self_loops_kept)      \
    X(components)           \
    X(largest)
#define CAFE_BINARY_HISTORY(X) X(lines) X(self_loops) X(duplicates) X(reversed) X(zero_weights)

/* A section: where it lies in the file and how long it is (0: absent). */
typedef struct cafe_binary_section {
    uint64_t start, bytes;
} cafe_binary_section;

/* The sections that a header implies, and the size of the file; false when the numbers are absurd.
 */
bool cafe_binary_layout(const cafe_binary_header *header,
                        cafe_binary_section sections[CAFE_BINARY_SECTIONS], uint64_t *file_bytes);

/* The arrays of a file that begins at `bytes`; NULL for arrays that the file lacks. */
typedef struct cafe_binary_arrays {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_names names;
    const int32_t *order;
    const uint8_t *attributes;
} cafe_binary_arrays;

cafe_binary_arrays cafe_binary_point(const cafe_binary_header *header,
                                     const cafe_binary_section *sections, const uint8_t *bytes);

/* The checksum of the sections, which lie at parts[]; with `shared` every process of a team sums up
 * its part of the blocks. */
cafe_status cafe_binary_checksum(cafe_context *context, const cafe_binary_section *sections,
                                 const uint8_t *const *parts, bool shared, uint64_t *checksum);

uint64_t cafe_binary_header_checksum(const cafe_binary_header *header);

/* binary_read.c */
cafe_status cafe_binary_read(cafe_input *input, const cafe_graph_options *options,
                             cafe_graph **graph);

#endif
