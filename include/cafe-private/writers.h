/* Results of the commands as files: new and placed rows, sparse memberships, trees of layers,
 * tables.
 */
#ifndef CAFE_PRIVATE_WRITERS_H
#define CAFE_PRIVATE_WRITERS_H

#include <cafe-private/private.h>
#include <cafe/cluster.h>
#include <cafe/reduce.h>
#include <cafe/update.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As cafe_embedding_write does; and the state, if the options named a file for it. */
CAFE_PRIVATE cafe_status cafe_updated_write(cafe_context *context, const cafe_updated *updated,
                                            cafe_changes *changes, const char *path,
                                            int32_t overwrite);

/* Writes placed rows with the new nodes' names, as cafe_embedding_write does. */
CAFE_PRIVATE cafe_status cafe_placed_write(cafe_context *context, const cafe_new_links *links,
                                           int64_t columns, const float *placed, const char *path,
                                           int32_t overwrite);

/* Writes a sparse matrix in compressed rows (row i has the entries offsets[i] .. offsets[i+1]) as
 * scipy.sparse.save_npz does: a stored, not compressed, archive with float32 values. Names as
 * above. Columns need not ascend within a row. */
CAFE_PRIVATE cafe_status cafe_npz_write_csr(cafe_context *context, const char *path, int64_t rows,
                                            int64_t columns, const int64_t *offsets,
                                            const int32_t *columns_of, const float *values,
                                            int32_t overwrite);

/* Writes the hierarchy of the layers. FILE.tsv and FILE.csv are tables of node, level, community
 * and parent, FILE.nwk a dendrogram (Newick). Other files are JSON, schema "cafe/hierarchy/1":
 * names of the nodes (unless they are 0 .. n-1), the finest partition, and the parents of the
 * communities of every layer but the last. */
CAFE_PRIVATE cafe_status cafe_layers_write(cafe_context *context, const cafe_layers *layers,
                                           const cafe_graph *graph, const char *path,
                                           int32_t overwrite);

/* Whose names the rows of a written matrix have. */
typedef enum cafe_table_side {
    CAFE_TABLE_ROWS = 0,   /* one line per row of the table: vectors */
    CAFE_TABLE_COLUMNS = 1 /* one line per column of the table: W */
} cafe_table_side;

/* Writes a row-major matrix as .npy (float32; names, when the table has any, one per line in
 * PATH.names.txt) or as .tsv (name, tab, values); "-" is TSV on standard output. Written under a
 * temporary name and renamed; an existing file is kept (CAFE_ERROR_EXISTS) unless `overwrite`. */
CAFE_PRIVATE cafe_status cafe_table_write(cafe_context *context, const cafe_table *table,
                                          cafe_table_side side, int64_t columns,
                                          const float *values, const char *path, int32_t overwrite);

/* Edges of new nodes. */
CAFE_PRIVATE int64_t cafe_new_links_count(const cafe_new_links *links);

#ifdef __cplusplus
}
#endif
#endif
