/* Edges while they are read: two ids each, perhaps a weight, in arrays that grow window by window.
 */
#ifndef CAFE_IO_EDGE_BUFFER_H
#define CAFE_IO_EDGE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/node_names.h"
#include "io/text_window.h"

/* Counts of folded edges (repeated_edges.c): edges, loops, edges of weight 0. */
enum { CAFE_FOLDED_LINKS, CAFE_FOLDED_LOOPS, CAFE_FOLDED_ZEROS, CAFE_FOLDS };

typedef struct cafe_edge_list {
    cafe_context *context;
    const char *name; /* of the file, for errors */
    bool wide;        /* ids are int64_t, as when they are negative or do not fit int32_t */
    bool weighted;
    void *source, *target; /* int32_t, or int64_t when wide */
    float *weights;        /* NULL unless weighted */
    int64_t count, capacity;
    int64_t smallest, largest; /* ids; smallest > largest when there are none */
    bool overflow;             /* an id is beyond 63 bits, and no other is a text */
    int64_t zeros[2];          /* line and column of an id with leading zeros; 0: there is none */
    bool with_signs;           /* weights may be negative */
    bool folds;                /* repeated edges of compressed text may be folded */
    bool sum;                  /* weights of the same pair will be added up */
    bool ones;                 /* the weights are all 1 before they are folded */
    int64_t folded[CAFE_FOLDS];
} cafe_edge_list;

void cafe_edge_list_init(cafe_context *context, const char *name, bool wide, bool weighted,
                         cafe_edge_list *list);
void cafe_edge_list_free(cafe_edge_list *list);

/* Room for `more` edges; share: the part of the file, in (0,1], that count + more stand for. */
cafe_status cafe_edge_list_reserve(cafe_edge_list *list, int64_t more, double share);

/* repeated_edges.c: folds repeated edges that the pieces of a window of compressed text found;
 * found[] becomes smaller. The counts of the graph include the folded edges (loops are kept). */
cafe_status cafe_edge_list_fold(cafe_edge_list *list, bool packed, int64_t lines,
                                const cafe_piece *pieces, int64_t *found);
void cafe_edge_list_tell(const cafe_edge_list *list, bool loops, cafe_graph *graph);

/* Piece k wrote found[k] edges from index count + pieces[k].before on. Closes the gaps that comment
 * lines left, and adds the edges to the count. */
void cafe_edge_list_append(cafe_edge_list *list, const cafe_piece *pieces, const int64_t *found);

static inline int64_t cafe_edge_list_id(const cafe_edge_list *list, const void *ids, int64_t i) {
    return list->wide ? ((const int64_t *)ids)[i] : ((const int32_t *)ids)[i];
}

/* Renames the ids 0 .. nodes-1, ascending, in place (a wide store becomes a narrow one), and gives
 * the names that say which id became which node. */
cafe_status cafe_edge_list_number(cafe_edge_list *list, int64_t *nodes, cafe_names *names);

/* Sorts ids ascending; `other` has room for as many. *sorted is one of the two arrays. */
cafe_status cafe_sort_ids(cafe_context *context, int64_t *ids, int64_t *other, int64_t count,
                          int64_t **sorted);

/* A graph of the edges (narrow, ids below nodes). The edges are freed, and the names are the
 * graph's or freed, whatever comes of it. */
cafe_status cafe_edge_list_graph(cafe_edge_list *list, int64_t nodes, cafe_names names,
                                 const cafe_graph_options *options, cafe_graph **graph);

/* The same for the entries of a matrix: rows are compressed first, so a symmetric matrix stays
 * itself. */
cafe_status cafe_edge_list_matrix(cafe_edge_list *list, int64_t nodes,
                                  const cafe_graph_options *options, cafe_graph **graph);

/* Compressed rows of the context's memory to a graph: kept when they can be, freed when not. */
cafe_status cafe_rows_graph(cafe_context *context, int64_t nodes, int64_t *offsets,
                            int32_t *targets, float *weights, const cafe_graph_options *options,
                            cafe_graph **graph);

#endif
