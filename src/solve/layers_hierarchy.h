/* One hierarchy of the multi-layer method, for the rounds of layers.c. */
#ifndef CAFE_SOLVE_LAYERS_HIERARCHY_H
#define CAFE_SOLVE_LAYERS_HIERARCHY_H

#include "solve/layers.h"

typedef struct cafe_hierarchy {
    const cafe_layers_options *options;
    const cafe_pooled *finest;
    const int32_t *start;  /* of the finest nodes; NULL: every node alone */
    uint64_t turn;         /* grows with every refinement */
    bool gather;           /* large: nodes of a community lie together in memory; */
    cafe_pooled *gathered; /* then this is the finest level, with nodes at these places */
    int32_t *place;
    bool even;  /* degrees are: the build ends after the first moves if these join trees alone, */
    bool trees; /* which is then known, and no layer is built */
    bool inner; /* built on the first pooled level of another hierarchy */
    cafe_layers *layers;
} cafe_hierarchy;

/* Builds one hierarchy; afterwards h->layers has its layers. The caller frees them, and gathered
 * and place. */
cafe_status cafe_hierarchy_build(cafe_context *context, cafe_hierarchy *h);

/* The same for a large graph from single nodes, or from labels (layers_anneal.c) if the first moves
 * of single nodes find trees alone. part[finest->n] is working space. */
cafe_status cafe_hierarchy_begin(cafe_context *context, cafe_hierarchy *h, int32_t *part);

/* The modularity of the top layer, the largest of the hierarchy. */
static inline double top_modularity(const cafe_layers *layers) {
    return layers->at[layers->count - 1].modularity;
}

static inline const int32_t *top_partition(const cafe_layers *layers) {
    return layers->at[layers->count - 1].partition;
}

#endif
