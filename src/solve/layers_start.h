/* Layers that begin with a given partition: nodes move from there, and the hierarchy above is built
 * on the result.
 *
 * For graphs that change a little from day to day, and for solvers that improve a partition made
 * elsewhere (of parts that several results share, say).
 */
#ifndef CAFE_SOLVE_LAYERS_START_H
#define CAFE_SOLVE_LAYERS_START_H

#include "solve/layers.h"

typedef struct cafe_layers_start {
    const int32_t *part; /* part[n]: the community of each node, 0 .. n-1; -1: alone */
    const uint8_t *keep; /* keep[n], 1: the node may not leave its community; NULL: all may */
    bool steady; /* 1: no round follows one that gains less than .001; 0: rounds while they gain */
} cafe_layers_start;

/* cafe_layers_find() from this start, without fresh starts. The modularity of the top layer is at
 * least that of the start. Nodes that are kept stay with the other kept nodes of their community
 * and apart from those of other communities; such a community need not be connected. */
cafe_status cafe_layers_find_from(cafe_context *context, const cafe_operator *op,
                                  const cafe_layers_options *options,
                                  const cafe_layers_start *start, cafe_layers **layers);

/* part[g->n] <- better communities: rounds of search from this partition, numbered 0 .. n-1, in
 * which nodes that g->kept has do not move. Two of them in one community are not allowed. */
cafe_status cafe_layers_improve(cafe_context *context, const cafe_pooled *g, int32_t *part);

/* part[n] <- the start, numbered by first appearance; nodes without a community are alone. */
cafe_status cafe_layers_take_start(cafe_context *context, int64_t n, const cafe_layers_start *start,
                                   int32_t *part);

/* In this graph the kept nodes of each community are one node, which stays. Kept nodes of two
 * communities can then meet on no level. The array place[n] gets the node of each node; part[n]
 * becomes the partition of the nodes made. */
cafe_status cafe_layers_join_kept(cafe_context *context, const cafe_pooled *finest,
                                  const uint8_t *keep, int32_t *part, int32_t *place,
                                  cafe_pooled **joined);

#endif
