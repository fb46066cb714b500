/* Directed edges: the matrix A, merged and in compressed rows, and functions that all rules share.
 */
#ifndef CAFE_GRAPH_DIRECTED_H
#define CAFE_GRAPH_DIRECTED_H

#include <cafe/graph.h>

#include "graph/compressed_rows.h"

/* A or its transpose: rows ascend, no entry twice, weights positive. */
cafe_status cafe_rows_transpose(cafe_context *context, const cafe_rows *arcs, cafe_rows *turned);

/* The rules beyond the sum: the symmetric graph, counted. */
cafe_status cafe_graph_cocitation(cafe_context *context, const cafe_rows *arcs, cafe_graph **graph);
/* f(u,w) = pi_u P(u,w) for each entry of A, in its order; `flow` has room for all of them. */
cafe_status cafe_rows_flow(cafe_context *context, const cafe_rows *arcs, float *flow);

/* cafe_graph_from_edges() by this rule (cafe_directed) in place of the options'. */
cafe_status cafe_graph_from_arcs(cafe_context *context, int64_t nodes, int64_t count,
                                 const int32_t *source, const int32_t *target, const float *weights,
                                 int32_t rule, const cafe_graph_options *options,
                                 cafe_graph **graph);

#endif
