/* Pairs of nodes, linked and not linked, for training and for test. */
#ifndef CAFE_EVALUATE_NODE_PAIRS_H
#define CAFE_EVALUATE_NODE_PAIRS_H

#include <cafe/evaluate.h>

#include "base/context.h"

typedef struct cafe_pairs {
    int64_t count;
    int32_t *source, *target;
    int32_t *linked; /* 1: the graph has the edge */
} cafe_pairs;

/* The pairs of one trial, and what the vectors may be made from. */
typedef struct cafe_pair_sets {
    cafe_pairs train, test;
    cafe_graph *remaining;  /* honest: the graph without the hidden edges; else NULL */
    int64_t wanted, hidden; /* honest: edges to hide, and hidden */
} cafe_pair_sets;

/* By the context's seed; train in (0,1). Freed with cafe_pair_sets_free(). */
cafe_status cafe_pair_sets_make(cafe_context *context, const cafe_graph *graph,
                                const cafe_link_options *options, double train,
                                cafe_pair_sets *sets);
void cafe_pair_sets_free(cafe_context *context, cafe_pair_sets *sets);

/* `count` distinct pairs u < w without an edge, uniformly; CAFE_ERROR_ARGUMENT when there are not
 * so many. source[count], target[count]. */
cafe_status cafe_non_links(cafe_context *context, const cafe_graph *graph, int64_t count,
                           int32_t *source, int32_t *target);

#endif
