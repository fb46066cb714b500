/* Graphs of several layers: kinds of edges, slices of time. */
#ifndef CAFE_GRAPH_JOINED_H
#define CAFE_GRAPH_JOINED_H

#include <cafe/graph.h>

#include "graph/dictionary.h"

/* Layers before they are one graph. */
typedef struct cafe_joining {
    int64_t nodes;                /* of all layers together */
    const cafe_dictionary *names; /* of these nodes; NULL: 0 .. nodes-1 */
    int64_t count;                /* layers */
    const cafe_graph *const *graphs;
    const int32_t *const *number; /* of the nodes of each graph; NULL: they are the same nodes */
    const char *const *titles;    /* names of the layers; NULL: 0, 1, ... */
    const double *weights;        /* NULL: all 1 */
} cafe_joining;

/* cafe_graph_join() and cafe_graph_couple() of numbered nodes. */
cafe_status cafe_graph_join_numbered(cafe_context *context, const cafe_joining *joining,
                                     cafe_graph **graph);
cafe_status cafe_graph_couple_numbered(cafe_context *context, const cafe_joining *joining,
                                       double coupling, cafe_graph **graph);

/* Frees the layers of a graph. */
void cafe_joined_free(cafe_graph *graph);

#endif
