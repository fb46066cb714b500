/* An order of nodes for locality, and the graph in that order.
 *
 * A sweep and a product read the rows of a node's neighbours. If neighbours have close ids, these
 * rows are in the cache already. The graph keeps its node ids: the order is stored with it, and
 * results computed in that order are put back into the order of the ids.
 */
#ifndef CAFE_GRAPH_NODE_ORDER_H
#define CAFE_GRAPH_NODE_ORDER_H

#include <stdbool.h>

#include <cafe/graph.h>

#include "os/lab.h"

/* order[n]: the nodes by keys[n] in 0 .. count-1, ascending; nodes with equal keys by id. */
CAFE_LAB cafe_status cafe_order_by_keys(cafe_context *context, int64_t n, const int32_t *keys,
                                        int64_t count, int32_t *order);

/* The last step of making a graph. Gives it the chosen order: none removes it, auto keeps the
 * present one. Keeps the options (cafe_graph_tables()). On failure the graph is freed and *graph is
 * NULL. */
cafe_status cafe_graph_arrange(cafe_context *context, const cafe_graph_options *options,
                               cafe_graph **graph);

/* node_order_labels.c: communities[n], in 0 .. *count-1 by first appearance, by propagation of
 * labels: quick, and good enough to lay linked nodes side by side. */
cafe_status cafe_graph_labels(cafe_context *context, const cafe_graph *graph, int32_t *communities,
                              int64_t *count);

/* Makes the graph with node order[i] as its node i, without names. *near gets the share of its
 * edges whose ends are at most CAFE_NEAR apart. */
enum { CAFE_NEAR = 8192 };
cafe_status cafe_graph_renumber(cafe_context *context, const cafe_graph *graph,
                                const int32_t *order, cafe_graph **renumbered, double *near);

/* Is every number of 0 .. n-1 there once? */
cafe_status cafe_is_order(cafe_context *context, int64_t n, const int32_t *order, bool *found);

/* The order that the graph keeps: node order[i] is the i-th in it; NULL: none. A .cafe file keeps
 * it too. */
const int32_t *cafe_graph_order(const cafe_graph *graph);

#endif
