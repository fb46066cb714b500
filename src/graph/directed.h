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

#endif
