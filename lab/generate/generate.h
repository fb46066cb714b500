/* Functions that all random graph models share: a shuffle of ids, and drawing edges until a simple
 * graph has enough. */
#ifndef CAFE_GENERATE_GENERATE_H
#define CAFE_GENERATE_GENERATE_H

#include <cafe/generate.h>
#include <cafe/graph.h>

#include "base/random.h"

/* A model draws edges by number: edge `index` is a function of the seed and the index alone. */
typedef struct cafe_drawing {
    int64_t nodes;
    int64_t wanted[2];     /* edges of kind 0 and kind 1; with labels: inside and between blocks */
    const int32_t *labels; /* blocks of the nodes; NULL: all edges are of kind 0 */
    void (*draw)(const void *model, int kind, uint64_t index, int32_t *u, int32_t *w);
    const void *model;
} cafe_drawing;

/* Makes the simple graph of the drawn edges. Loops and repeated edges are drawn again until all
 * edges exist (of a large graph 199 in 200), or the model has almost no new edges. */
cafe_status cafe_generate_links(cafe_context *context, const cafe_drawing *drawing,
                                cafe_graph **graph);

/* order[n] becomes a permutation of 0 .. n-1 that depends on the seed. */
cafe_status cafe_generate_order(cafe_context *context, int64_t n, int32_t *order);

/* The models; labels[nodes] is written. Options have been checked. */
cafe_status cafe_generate_sbm(cafe_context *context, const cafe_generate_options *options,
                              cafe_graph **graph, int32_t *labels);
cafe_status cafe_generate_planted(cafe_context *context, const cafe_generate_options *options,
                                  cafe_graph **graph, int32_t *labels);
cafe_status cafe_generate_ba(cafe_context *context, const cafe_generate_options *options,
                             cafe_graph **graph);
cafe_status cafe_generate_rmat(cafe_context *context, const cafe_generate_options *options,
                               cafe_graph **graph);

/* total shared out over `parts` as evenly as can be: where part k starts, and the part of item i.
 */
static inline int64_t cafe_share_start(int64_t total, int64_t parts, int64_t k) {
    return (int64_t)((unsigned __int128)total * (uint64_t)k / (uint64_t)parts);
}
static inline int64_t cafe_share_of(int64_t total, int64_t parts, int64_t i) {
    /* start(k) <= i  <=>  k total < (i+1) parts */
    unsigned __int128 product = (unsigned __int128)(uint64_t)(i + 1) * (uint64_t)parts - 1;
    if (product >> 64 == 0) return (int64_t)((uint64_t)product / (uint64_t)total);
    return (int64_t)(product / (uint64_t)total);
}

#endif
