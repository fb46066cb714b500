/* Directed links: the matrix A, merged and in compressed rows, and what the rules share. */
#ifndef CAFE_GRAPH_DIRECTED_H
#define CAFE_GRAPH_DIRECTED_H

#include "graph/graph.h"

/* A or its transpose: rows ascend, no entry twice, weights positive. */
typedef struct cafe_arcs {
    int64_t n;
    int64_t *offsets; /* n + 1 */
    int32_t *targets;
    float *weights;
} cafe_arcs;

void cafe_arcs_free(cafe_context *context, cafe_arcs *arcs);
cafe_status cafe_arcs_transpose(cafe_context *context, const cafe_arcs *arcs, cafe_arcs *turned);

/* The rules beyond the sum: the symmetric graph, counted. */
cafe_status cafe_graph_cocitation(cafe_context *context, const cafe_arcs *arcs, cafe_graph **graph);
/* f(u,w) = pi_u P(u,w) for each entry of A, in its order; `flow` has room for all of them. */
cafe_status cafe_arcs_flow(cafe_context *context, const cafe_arcs *arcs, float *flow);

#endif
