/* The weight of an edge, for all code that reads compressed rows. */
#ifndef CAFE_GRAPH_EDGE_WEIGHT_H
#define CAFE_GRAPH_EDGE_WEIGHT_H

#include <stdint.h>

#include "base/inline.h"

/* The weight of entry j in row u: a(u,w), or 1 without weights, times f_u f_w with factors f. The
 * product of the factors comes first, so both ends of an edge get the same bits. */
CAFE_INLINE float cafe_row_weight(const int32_t *targets, const float *weights, const float *factor,
                                  int64_t u, int64_t j) {
    float a = weights ? weights[j] : 1;
    return factor ? (float)(a * ((double)factor[u] * factor[targets[j]])) : a;
}

/* The same for any struct with these fields: a sampled graph, the parts of an operator. */
#define CAFE_LINK(of, u, j) cafe_row_weight((of)->targets, (of)->weights, (of)->factor, u, j)

#endif
