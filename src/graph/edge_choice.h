/* Edges chosen by their weights, and weights transformed, after a graph is built. */
#ifndef CAFE_GRAPH_EDGE_CHOICE_H
#define CAFE_GRAPH_EDGE_CHOICE_H

#include <stdbool.h>

#include <cafe/graph.h>

/* Do the options leave edges out or transform weights? */
bool cafe_chooses_edges(const cafe_graph_options *options);

/* Refuses options that leave no edge. */
cafe_status cafe_check_choice(cafe_context *context, const cafe_graph_options *options);

/* Leaves out edges of *graph and transforms weights as the options say; without such options the
 * graph stays as it is. On failure the graph is freed and *graph is NULL. */
cafe_status cafe_graph_choose(cafe_context *context, const cafe_graph_options *options,
                              cafe_graph **graph);

#endif
