/* Inputs of the tool's commands: formats by a path's ending, tables with a row per node, options
 * that go with a sampling.
 */
#ifndef CAFE_PRIVATE_INPUTS_H
#define CAFE_PRIVATE_INPUTS_H

#include <cafe-private/private.h>
#include <cafe/facts.h>
#include <cafe/files.h>
#include <cafe/labels.h>
#include <cafe/method.h>
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

/* The name of a node (cafe_graph_name()) as a field of a text file, which every reader of such
 * files takes. It is in double quotes if it has a blank, tab, comma, semicolon or quote in it,
 * begins with #, % or a byte order mark, or is + or -. Quotes inside are doubled (RFC 4180).
 */
CAFE_PRIVATE size_t cafe_graph_field(const cafe_graph *graph, int64_t node, char *text,
                                     size_t capacity);

/* What the file names: *known of the graph's nodes, and *unknown lines of others. Both are 0 for a
 * pipe, which is read once. */
CAFE_PRIVATE cafe_status cafe_labels_census(cafe_context *context, const cafe_graph *graph,
                                            const char *path, const cafe_label_columns *columns,
                                            int64_t *known, int64_t *unknown);

/* What vectors were made with, from the text that cafe_vectors_read() gives: *sampling is -1 where
 * it is empty or names no sampling. */
CAFE_PRIVATE void cafe_sampling_made(const char *made, int32_t *sampling, double *degree_exponent);

/* A row: which options and inputs go with a sampling. New fields come at its end. */
typedef struct cafe_sampler {
    const char *name;    /* as after --sampling */
    int32_t sampling;    /* cafe_sampling */
    const char *summary; /* what is drawn, no full stop */
    const char *options; /* names of the options that belong to it: "window|samples" */
    int32_t seeds;       /* 1: takes seeds */
    int32_t attributes;  /* 1: needs attributes; no other takes them */
    /* the library's own */
    cafe_status (*sample)(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                          const cafe_sample_options *options, const cafe_sample_inputs *inputs,
                          cafe_sampled **sampled);
} cafe_sampler;

/* The row of a sampling, or NULL. */
CAFE_PRIVATE const cafe_sampler *cafe_sampler_of(cafe_sampling sampling);
/* 1 when the option of the table goes with it. */
CAFE_PRIVATE int32_t cafe_sampler_has(const cafe_sampler *sampler, const char *option);

/* 1 when the names of the nodes are simply 0 .. n-1. */
CAFE_PRIVATE int32_t cafe_graph_names_are_indices(const cafe_graph *graph);

/* Any table of a row per node (CSV, TSV, .npy) as rows in the order of the nodes
 * (cafe_vectors_read()): its names count where it has some. */
CAFE_PRIVATE cafe_status cafe_attributes_read(cafe_context *context, const cafe_graph *graph,
                                              const char *path, int64_t *columns, float **rows);

/* Features of the nodes from a file: .npz, a CSR matrix of scipy.sparse.save_npz, else a table of
 * any other kind (cafe_attributes_read()). Rows with names, and rows of a matrix whose numbers are
 * the ids of the nodes, go to these nodes; other rows are in the order of the nodes. The inputs
 * point into the object; cafe_feature_file_reading() says how rows were matched. */
typedef struct cafe_feature_file cafe_feature_file;
CAFE_PRIVATE cafe_status cafe_feature_file_read(cafe_context *context, const cafe_graph *graph,
                                                const char *path, cafe_feature_file **file);
CAFE_PRIVATE void cafe_feature_file_free(cafe_feature_file *file); /* accepts NULL */
CAFE_PRIVATE const cafe_feature_inputs *cafe_feature_file_inputs(const cafe_feature_file *file);
CAFE_PRIVATE const char *cafe_feature_file_reading(const cafe_feature_file *file);

/* The edges of negative weight, by their sizes, over the same nodes; NULL: there are none. It lives
 * as long as the graph. */
CAFE_PRIVATE const cafe_graph *cafe_graph_negative(const cafe_graph *graph);

/* A kind of edges, or a slice of time. */
typedef struct cafe_graph_layer {
    const char *name;
    double weight; /* of a kind of edges; 1 of a slice */
    int64_t edges;
    double total_weight; /* as in cafe_graph_counts */
} cafe_graph_layer;

/* The layers or slices of a graph; none: *count is 0. They live as long as the graph. */
CAFE_PRIVATE const cafe_graph_layer *cafe_graph_layers(const cafe_graph *graph, int64_t *count);
/* The slice of each node; NULL: the graph has no slices. */
CAFE_PRIVATE const int32_t *cafe_graph_slice_of(const cafe_graph *graph);

/* 1 when the file named its columns, its rows. */
CAFE_PRIVATE int32_t cafe_table_has_heading(const cafe_table *table);
CAFE_PRIVATE int32_t cafe_table_has_row_names(const cafe_table *table);

/* The name of a column into text (never longer than capacity, always ended by 0), its number if it
 * has none; returns its full length, as snprintf does. */
CAFE_PRIVATE size_t cafe_table_column_name(const cafe_table *table, int64_t column, char *text,
                                           size_t capacity);

/* The tables of text that were read with this context, but for graphs: a line of file, tab, and
 * what was taken for what. */
CAFE_PRIVATE const char *cafe_tables_read(const cafe_context *context);

/* What was taken for what, in words: heading, columns, separator; "": the labels are of no file. */
CAFE_PRIVATE const char *cafe_labels_reading(const cafe_labels *labels);
/* Nodes that have a label, and those that have several. */
CAFE_PRIVATE int64_t cafe_labels_labelled(const cafe_labels *labels);
CAFE_PRIVATE int64_t cafe_labels_multiple(const cafe_labels *labels);

/* A sampling by its place 0, 1, ..., or NULL behind the last; by its number, or NULL. */
CAFE_PRIVATE const cafe_sampler *cafe_sampler_at(size_t index);

/* The name of a sampling as on the command line; NULL: there is none of that number. */
CAFE_PRIVATE const char *cafe_sampling_name(cafe_sampling sampling);

/* Columns of facts. */
CAFE_PRIVATE int64_t cafe_facts_columns(const cafe_facts *facts);

/* Nodes that only the label file names become isolated nodes of the graph, which is replaced by a
 * larger one when there are any; *added gets their number. Call it before cafe_labels_read(). */
CAFE_PRIVATE cafe_status cafe_graph_add_labelled(cafe_context *context, const char *path,
                                                 const cafe_label_columns *columns,
                                                 cafe_graph **graph, int64_t *added);

#ifdef __cplusplus
}
#endif
#endif
