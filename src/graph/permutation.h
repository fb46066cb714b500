/* Nodes in another order: node order[i] becomes node i, and place[order[i]] = i. */
#ifndef CAFE_GRAPH_PERMUTATION_H
#define CAFE_GRAPH_PERMUTATION_H

#include "graph/compressed_rows.h"
#include "graph/pooling.h"

/* place[n] of an order[n] */
cafe_status cafe_find_places(cafe_context *context, int64_t n, const int32_t *order,
                             int32_t *place);

/* The rows of g, which is not pooled, each with its entries in their old order; weights NULL if g
 * has none. cafe_rows_free() frees them, also after a failure. */
cafe_status cafe_permute_rows(cafe_context *context, const cafe_pooled *g, const int32_t *order,
                              const int32_t *place, cafe_rows *rows);

/* The same graph, not a pooled one, in the order. */
cafe_status cafe_pooled_permute(cafe_context *context, const cafe_pooled *g, const int32_t *order,
                                const int32_t *place, cafe_pooled **permuted);

#endif
