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

/* The formats of vectors: name, endings, what it is, whether names stand in FILE.names.txt. All are
 * read and written. */
#define CAFE_VECTOR_FORMATS(X)             \
    X(npy, ".npy", "NumPy array", 1)       \
    X(tsv, ".tsv", "name, tab, values", 0) \
    X(txt, ".txt", "word2vec text", 0)     \
    X(csv, ".csv", "name, comma, values", 0)
#define CAFE_VECTOR_ENDINGS                              CAFE_VECTOR_FORMATS(CAFE_VECTOR_ENDING)
#define CAFE_VECTOR_ENDING(name, endings, title, beside) " " endings

/* ---- graphs with what is known of their nodes -------------------------------------------------
 */

/* cafe_graph_write() with attributes of the nodes (columns of vectors, communities, centralities),
 * which .cafe, GraphML, GEXF, GML and JSON have room for. The graph's own attributes of other
 * names follow. */
CAFE_API cafe_status cafe_graph_write_attributes(cafe_context *context, const cafe_graph *graph,
                                                 int64_t count, const cafe_attribute *attributes,
                                                 const char *path, cafe_format format,
                                                 int32_t overwrite);

/* ---- vectors --------------------------------------------------------------------------------- */

/* Room for what vectors were made with: a sampling's name, a blank and the degree exponent, as
 * "edge 0.25". */
enum { CAFE_VECTORS_MADE = 40 };

/* Vectors of the graph's nodes, row-major nodes x *columns, freed with cafe_block_free(). The
 * formats are .npy, .tsv (name, tab, values) and .txt (word2vec text, "n K" first), plain or gzip;
 * "-" is TSV on standard input. Names of the rows of a .npy file are in FILE.names.txt; without
 * that file the rows have the order of the nodes. Rows with names go to their nodes. An unknown,
 * repeated or missing node is CAFE_ERROR_FORMAT. made[CAFE_VECTORS_MADE], if not NULL, gets what
 * the vectors were made with, or nothing if the file has no mark. Only .npy files that Cafe wrote
 * have one. */
CAFE_API cafe_status cafe_vectors_read(cafe_context *context, const cafe_graph *graph,
                                       const char *path, int64_t *columns, float **vectors,
                                       char *made);
CAFE_API void cafe_block_free(cafe_context *context, float *values);

/* Writes vectors of the graph's nodes, row-major nodes x columns, in the format that the ending
 * tells ("-" is TSV on standard output), under a temporary name, and renames. An existing file is
 * kept (CAFE_ERROR_EXISTS) unless `overwrite`. Names that are not 0 .. n-1 stand in FILE.names.txt
 * beside a .npy file. */
CAFE_API cafe_status cafe_vectors_write(cafe_context *context, const cafe_graph *graph,
                                        int64_t columns, const float *vectors, const char *path,
                                        int32_t overwrite);

#ifdef __cplusplus
}
#endif
#endif
