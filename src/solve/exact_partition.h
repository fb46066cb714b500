/* The best partition of a small graph, by dynamic programming over the sets of its nodes. */
#ifndef CAFE_SOLVE_EXACT_PARTITION_H
#define CAFE_SOLVE_EXACT_PARTITION_H

#include "operator/operator.h"

enum { CAFE_EXACT_NODES = 16 }; /* a graph of so many nodes takes 20 ms and 1.3 MB */

/* A partition of largest modularity sum over S of p(S,S) - resolution p(S)^2, and that modularity.
 * part[n], n <= CAFE_EXACT_NODES, is numbered by first appearance. Among equals a node without
 * edges is alone. The operator has edges. */
cafe_status cafe_exact_partition(cafe_context *context, const cafe_operator *op, double resolution,
                                 int32_t *part, double *modularity);

#endif
