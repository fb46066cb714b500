/* The null model of a run: the operator of each of its graphs. */
#ifndef CAFE_METHOD_NULL_MODEL_H
#define CAFE_METHOD_NULL_MODEL_H

#include "graph/graph.h"
#include "operator/operator.h"

/* Replaces *op, the modularity of `graph` as sampled, by the operator of another null model; *plain
 * gets that modularity, which the new one reads (NULL: *op stays). `sides`, of the graph with all
 * edges, says which nodes are on which side. */
cafe_status cafe_null_apply(cafe_context *context, const cafe_graph *graph, const cafe_graph *sides,
                            cafe_sampling sampling, const cafe_sample_options *sample,
                            cafe_operator **op, cafe_operator **plain);

/* Sum over communities of p(S,S) - resolution M_S C M_S^T, M_S the sum of the rows of F. */
cafe_status cafe_null_measure(cafe_context *context, const cafe_operator *op,
                              const cafe_sampled *sampled, const int32_t *part, int64_t parts,
                              double resolution, double *modularity);

#endif
