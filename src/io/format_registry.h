/* The registry of file formats. A graph format is a row of CAFE_GRAPH_FORMATS (cafe/graph.h) and
 * the functions that its own file defines as cafe_graph_format_NAME.
 */
#ifndef CAFE_IO_FORMAT_REGISTRY_H
#define CAFE_IO_FORMAT_REGISTRY_H

#include <cafe-private/inputs.h>
#include <cafe/graph.h>

#include <cafe/files.h>
#include "io/input_file.h"
#include "io/output_file.h"
#include "io/text_position.h"

typedef struct cafe_graph_format {
    const char
        *magic; /* how the (decompressed) content starts, letters in any case; NULL: no sign */
    bool (*is)(const uint8_t *bytes, int64_t size); /* the same by a look at it; NULL: no sign */
    /* Options are complete and checked. A reader may keep the mapped file: input->map becomes NULL.
     */
    cafe_status (*read)(cafe_input *input, const cafe_graph_options *options, cafe_graph **graph);
    cafe_status (*write)(cafe_output *output, const cafe_graph *graph); /* NULL: it is only read */
    bool directed;   /* the reader knows directions */
    bool attributes; /* nodes have attributes, and edges one that is the weight */
    bool encoded;    /* its files may state their encoding */
    bool whole;      /* it is read as a whole: expanded, and in memory, before */
    bool binary;     /* gzip data is expanded before it is read; never written to standard output */
} cafe_graph_format;

#define CAFE_GRAPH_FORMAT_DECLARED(constant, name, endings, title, writes, beside) \
    extern const cafe_graph_format cafe_graph_format_##name;
CAFE_GRAPH_FORMATS(CAFE_GRAPH_FORMAT_DECLARED)
#undef CAFE_GRAPH_FORMAT_DECLARED

/* The functions of a format (not AUTO). */
const cafe_graph_format *cafe_graph_format_get(cafe_format format);
/* Returns the format by the (decompressed) beginning of a file or by its name; else AUTO. */
cafe_format cafe_format_of_content(const uint8_t *bytes, int64_t size);
cafe_format cafe_format_of_name(const char *name, bool writes);

/* vector_file.c: the rows of its kind. */
const cafe_file_format *cafe_vector_format_at(int64_t index);

/* Returns CAFE_ERROR_ARGUMENT "path: <what> written as .this or .that". */
cafe_status cafe_fail_ending(cafe_context *context, cafe_file_kind kind, const char *path,
                             const char *what);

/* For the formats that state their number of nodes: --nodes must agree when it is given. */
cafe_status cafe_check_nodes(cafe_context *context, const char *name, int64_t stated,
                             const cafe_graph_options *options);

/* Are the stated nodes many more than the edges make likely, as where ids are far apart? --nodes
 * takes them all the same. */
bool cafe_is_spread(int64_t nodes, int64_t edges, const cafe_graph_options *options);
/* Nodes that a line states are then refused. */
cafe_status cafe_check_spread(cafe_context *context, const cafe_place *line, int64_t nodes,
                              int64_t edges, const cafe_graph_options *options);

/* Writes the endings of all formats of the kind, or of those with a writer, as snprintf does: ".npy
 * .tsv .txt". */
size_t cafe_file_endings(cafe_file_kind kind, int32_t writes, char *text, size_t capacity);

#endif
