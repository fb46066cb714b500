/* What is around a node: how its edges divide among communities, and whether its neighbours are
 * like it. */
#ifndef CAFE_OVERVIEW_SURROUNDINGS_H
#define CAFE_OVERVIEW_SURROUNDINGS_H

#include <cafe/cluster.h>
#include <cafe/graph.h>
#include <cafe/labels.h>

#include "rank/top_list.h"

enum { CAFE_AROUND = 10 }; /* nodes in each list */

/* Bridging: b_u = d_u / 2m (1 - sum_k s_k^2), where s_k is the share of u's edge weight that goes
 * to community k. score is b_u. */
typedef struct cafe_bridge {
    int32_t node, other; /* other: the foreign community with the largest share; -1: none */
    double score;
    double own, next; /* the shares of its community and of `other` */
} cafe_bridge;

/* Odd: nodes of three neighbours or more that disagree with them. With labels: of `count` labelled
 * neighbours `same` have the node's label, and `most` the label `other`. Without: agreement is the
 * mean cosine of the node's vector and those of its neighbours, by the weights of the edges. */
typedef struct cafe_odd {
    int32_t node, label, other;
    int64_t count, same, most;
    double agreement;
} cafe_odd;

typedef struct cafe_surroundings {
    int64_t bridges, odds;
    cafe_bridge bridge[CAFE_AROUND];
    cafe_odd odd[CAFE_AROUND];
} cafe_surroundings;

cafe_status cafe_surroundings_find(cafe_context *context, const cafe_graph *graph,
                                   const cafe_layer *layer, const cafe_labels *labels,
                                   int64_t columns, const float *vectors, cafe_surroundings *found);

#endif
