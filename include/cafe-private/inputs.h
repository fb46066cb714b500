/* Inputs of the tool's commands: formats by a path's ending, tables with a row per node, options
 * that go with a sampling.
 */
#ifndef CAFE_PRIVATE_INPUTS_H
#define CAFE_PRIVATE_INPUTS_H

#include <cafe-private/private.h>
#include <cafe/files.h>
#include <cafe/labels.h>
#include <cafe/sample.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_file_kind {
    CAFE_FILE_GRAPH = 0,
    CAFE_FILE_VECTORS = 1 /* rows of numbers with names: vectors, maps, reduced tables */
} cafe_file_kind;

typedef struct cafe_file_format {
    const char *name;    /* "mtx" */
    const char *endings; /* of file names, with blanks between them: ".graph .metis" */
    const char *title;   /* "Matrix Market" */
    int32_t writes;      /* 1: it is written, not only read */
    int32_t beside;      /* 1: names are written into FILE.names.txt, unless they are 0 .. n-1 */
} cafe_file_format;

/* Format number `index` of the kind; NULL behind the last one. */
CAFE_PRIVATE const cafe_file_format *cafe_file_format_at(cafe_file_kind kind, int64_t index);
/* The format that a path's ending tells, or NULL. Behind it may stand .gz and, of a file that is
 * read, .zst or .xz; with `writes` only formats that can be written count, and .gz goes with text
 * alone. */
CAFE_PRIVATE const cafe_file_format *cafe_file_format_of(cafe_file_kind kind, const char *path,
                                                         int32_t writes);

/* cafe_table_read() of a table with a row per node: a first column of integers that are the names
 * of the nodes, each once, names the rows and is no data. */
CAFE_PRIVATE cafe_status cafe_table_read_nodes(cafe_context *context, const char *path,
                                               const cafe_graph *graph, cafe_table **table);

/* The rows of a table in the order of the graph's nodes, rows[nodes * columns]: rows that are named
 * go to their nodes, others are in the order of the nodes. A node that the graph does not have, one
 * that comes twice or one that is missing is CAFE_ERROR_FORMAT. */
CAFE_PRIVATE cafe_status cafe_table_place(cafe_context *context, const cafe_table *table,
                                          const cafe_graph *graph, float *rows);

/* Gives the nodes of a graph the names of a table's rows (nothing happens when it has none). The
 * graph has as many nodes as the table has rows; a name that two rows share is CAFE_ERROR_FORMAT.
 */
CAFE_PRIVATE cafe_status cafe_graph_name_rows(cafe_context *context, cafe_graph *graph,
                                              const cafe_table *table);

/* The name of a node (cafe_graph_name()) as a field of a text file, as every reader of such files
 * takes it: in double quotes, those inside doubled (RFC 4180), when it has a blank, tab, comma,
 * semicolon or quote in it, begins with #, % or a byte order mark, or is a lone + or -. */
CAFE_PRIVATE size_t cafe_graph_field(const cafe_graph *graph, int64_t node, char *text,
                                     size_t capacity);

/* What the file names: *known of the graph's nodes, and *unknown lines of others. */
CAFE_PRIVATE cafe_status cafe_labels_census(cafe_context *context, const cafe_graph *graph,
                                            const char *path, const cafe_label_columns *columns,
                                            int64_t *known, int64_t *unknown);

/* What vectors were made with, from the text that cafe_vectors_read() gives: *sampling is -1 where
 * it is empty or names no sampling. */
CAFE_PRIVATE void cafe_sampling_made(const char *made, int32_t *sampling, double *degree_exponent);

/* The row of a sampling, or NULL. */
CAFE_PRIVATE const cafe_sampler *cafe_sampler_of(cafe_sampling sampling);
/* 1 when the option of the table goes with it. */
CAFE_PRIVATE int32_t cafe_sampler_has(const cafe_sampler *sampler, const char *option);

#ifdef __cplusplus
}
#endif
#endif
