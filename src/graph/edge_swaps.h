/* Random graphs with the degrees of a given one. */
#ifndef CAFE_GRAPH_EDGE_SWAPS_H
#define CAFE_GRAPH_EDGE_SWAPS_H

#include <cafe/graph.h>

#include "base/context.h"

/* A random graph in which every node has as many neighbours as in `graph`. It has the same loops
 * and, edge by edge, the same weights; of a node with weights their number is kept, not their sum.
 * `draw` numbers the random graphs of a seed. The caller frees it. */
cafe_status cafe_graph_swap_edges(cafe_context *context, const cafe_graph *graph, uint32_t draw,
                                  cafe_graph **random);

#endif
