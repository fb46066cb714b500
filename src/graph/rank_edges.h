/* The edges between ranks, where the rows of a graph are dealt out to several. */
#ifndef CAFE_GRAPH_RANK_EDGES_H
#define CAFE_GRAPH_RANK_EDGES_H

#include <cafe/graph.h>

/* Pieces of `piece` rows, dealt out to the ranks in turn: the rank of the row at a place. */
static inline int64_t cafe_cut_rank(int64_t place, int64_t piece, int64_t ranks) {
    return place / piece % ranks;
}

/* A rank keeps a copy, a ghost, of every row of another rank that one of its own has an edge to. */
typedef struct cafe_cut {
    int64_t arcs;   /* edges between ranks, from both ends */
    int64_t ghosts; /* of all ranks together */
    int64_t inner;  /* rows without an edge to another rank */
    /* The most that any rank has: rows, their edges, ghosts, and ghosts that others have of its
     * rows. */
    int64_t most_rows, most_arcs, most_ghosts, most_sent;
} cafe_cut;

/* Counted edge by edge, in the order that the graph keeps where it has one. */
cafe_status cafe_graph_cut(cafe_context *context, const cafe_graph *graph, int64_t piece,
                           int64_t ranks, cafe_cut *cut);

#endif
