/* Files: the formats there are, vectors of a graph's nodes in and out, and files that appear whole
 * or not at all.
 */
#ifndef CAFE_FILES_H
#define CAFE_FILES_H

#include <cafe/graph.h>
#include <cafe/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- formats --------------------------------------------------------------------------------- */

typedef enum cafe_file_kind {
    CAFE_FILE_GRAPH = 0,
    CAFE_FILE_VECTORS = 1 /* rows of numbers with names: vectors, maps, reduced tables */
} cafe_file_kind;

/* The formats of vectors: name, endings, what it is, whether names stand in FILE.names.txt. All are
 * read and written. */
#define CAFE_VECTOR_FORMATS(X)             \
    X(npy, ".npy", "NumPy array", 1)       \
    X(tsv, ".tsv", "name, tab, values", 0) \
    X(txt, ".txt", "word2vec text", 0)     \
    X(csv, ".csv", "name, comma, values", 0)
#define CAFE_VECTOR_ENDINGS                              CAFE_VECTOR_FORMATS(CAFE_VECTOR_ENDING)
#define CAFE_VECTOR_ENDING(name, endings, title, beside) " " endings

typedef struct cafe_file_format {
    const char *name;    /* "mtx" */
    const char *endings; /* of file names, with blanks between them: ".graph .metis" */
    const char *title;   /* "Matrix Market" */
    int32_t writes;      /* 1: it is written, not only read */
    int32_t beside;      /* 1: names are written into FILE.names.txt, unless they are 0 .. n-1 */
} cafe_file_format;

/* Format number `index` of the kind; NULL behind the last one. */
CAFE_API const cafe_file_format *cafe_file_format_at(cafe_file_kind kind, int64_t index);
/* The format that a path's ending tells, or NULL. Behind it may stand .gz and, of a file that is
 * read, .zst or .xz; with `writes` only formats that can be written count, and .gz goes with text
 * alone. */
CAFE_API const cafe_file_format *cafe_file_format_of(cafe_file_kind kind, const char *path,
                                                     int32_t writes);

/* ---- graphs with what is known of their nodes -------------------------------------------------
 */

/* A value per node, of which one array is given: reals[u * stride], integers[u] or texts[u]. */
typedef struct cafe_attribute {
    const char *name;
    const float *reals;
    int64_t stride;
    const int32_t *integers;
    const char *const *texts;
} cafe_attribute;

/* cafe_graph_write() with attributes of the nodes (columns of vectors, communities, centralities),
 * which GraphML and GML have room for. */
CAFE_API cafe_status cafe_graph_write_attributes(cafe_context *context, const cafe_graph *graph,
                                                 int64_t count, const cafe_attribute *attributes,
                                                 const char *path, cafe_format format,
                                                 int32_t overwrite);

/* ---- vectors --------------------------------------------------------------------------------- */

/* cafe_table_read() of a table with a row per node: a first column of integers that are the names
 * of the nodes, each once, names the rows and is no data. */
CAFE_API cafe_status cafe_table_read_nodes(cafe_context *context, const char *path,
                                           const cafe_graph *graph, cafe_table **table);

/* The rows of a table in the order of the graph's nodes, rows[nodes * columns]: rows that are named
 * go to their nodes, others are in the order of the nodes. A node that the graph does not have, one
 * that comes twice or one that is missing is CAFE_ERROR_FORMAT. */
CAFE_API cafe_status cafe_table_place(cafe_context *context, const cafe_table *table,
                                      const cafe_graph *graph, float *rows);

/* Gives the nodes of a graph the names of a table's rows (nothing happens when it has none). The
 * graph has as many nodes as the table has rows; a name that two rows share is CAFE_ERROR_FORMAT.
 */
CAFE_API cafe_status cafe_graph_name_rows(cafe_context *context, cafe_graph *graph,
                                          const cafe_table *table);

/* Room for what vectors were made with: a sampling's name, a blank and the degree exponent, as
 * "edge 0.25" (cafe_sampling_made() takes it apart). */
enum { CAFE_VECTORS_MADE = 40 };

/* Vectors of the graph's nodes, row-major nodes x *columns, freed with cafe_block_free(): .npy
 * (with the names of its rows in FILE.names.txt, else in the order of the nodes), .tsv (name, tab,
 * values), .txt (word2vec text, "n K" first), plain or gzip; "-" is TSV on standard input. Names
 * count as in cafe_table_place(). made[CAFE_VECTORS_MADE], if not NULL, gets what they were made
 * with; it is empty if the file has no mark: only a .npy file that Cafe wrote does. */
CAFE_API cafe_status cafe_vectors_read(cafe_context *context, const cafe_graph *graph,
                                       const char *path, int64_t *columns, float **vectors,
                                       char *made);
/* Any table of a row per node (CSV, TSV, .npy), likewise: its names count where it has some. */
CAFE_API cafe_status cafe_attributes_read(cafe_context *context, const cafe_graph *graph,
                                          const char *path, int64_t *columns, float **rows);
CAFE_API void cafe_block_free(cafe_context *context, float *values);

/* Writes vectors of the graph's nodes, row-major nodes x columns, in the format that the ending
 * tells ("-" is TSV on standard output), under a temporary name, and renames. An existing file is
 * kept (CAFE_ERROR_EXISTS) unless `overwrite`. Names that are not 0 .. n-1 stand in FILE.names.txt
 * beside a .npy file. */
CAFE_API cafe_status cafe_vectors_write(cafe_context *context, const cafe_graph *graph,
                                        int64_t columns, const float *vectors, const char *path,
                                        int32_t overwrite);

/* ---- files that appear whole ----------------------------------------------------------------- */

/* A file written under a temporary name; "-" is standard output. An existing file is
 * CAFE_ERROR_EXISTS unless `overwrite`; the new one then has its permissions, and a symbolic link
 * is followed. It ends with commit, which gives it its name, or discard. Temporary files of runs
 * that were killed are removed by the next output in their folder.
 */
typedef struct cafe_output cafe_output;

CAFE_API cafe_status cafe_output_create(cafe_context *context, const char *path, int32_t overwrite,
                                        cafe_output **output);
CAFE_API cafe_status cafe_output_write(cafe_output *output, const void *bytes, int64_t size);
/* Both free the output, and commit sets it NULL, whatever comes of it; discard accepts NULL. */
CAFE_API cafe_status cafe_output_commit(cafe_output **output);
CAFE_API void cafe_output_discard(cafe_output *output);

/* Files that belong together, by whatever calls on this context they are written: between begin and
 * end those that are complete keep their temporary names, and the end gives all of them their names
 * or, with a status other than CAFE_OK, which it returns, none. A process that is killed among the
 * renames leaves an empty file .cafe-unfinished.NAME beside each, and readers refuse these files
 * until they are written again. Groups may be nested: the outermost counts. */
CAFE_API cafe_status cafe_outputs_begin(cafe_context *context);
CAFE_API cafe_status cafe_outputs_end(cafe_context *context, cafe_status status);

#ifdef __cplusplus
}
#endif
#endif
