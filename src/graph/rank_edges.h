/* The edges between ranks, if the rows of a graph are divided among several. */
#ifndef CAFE_GRAPH_RANK_EDGES_H
#define CAFE_GRAPH_RANK_EDGES_H

#include <cafe/graph.h>

/* Returns the rank of the row at a place: pieces of `piece` rows go to the ranks in turn. */
static inline int64_t cafe_cut_rank(int64_t place, int64_t piece, int64_t ranks) {
    return place / piece % ranks;
}

/* A rank keeps a copy, a ghost, of every row of another rank to which one of its rows has an edge.
 */
typedef struct cafe_cut {
    int64_t arcs;   /* edges between ranks, from both ends */
    int64_t ghosts; /* of all ranks together */
    int64_t inner;  /* rows without an edge to another rank */
    /* The maximum over the ranks of rows, their arcs, ghosts, and ghosts that others keep of its
     * rows. */
    int64_t most_rows, most_arcs, most_ghosts, most_sent;
} cafe_cut;

/* Counts edge by edge, in the order that the graph keeps, if any. */
cafe_status cafe_graph_cut(cafe_context *context, const cafe_graph *graph, int64_t piece,
                           int64_t ranks, cafe_cut *cut);

#endif
