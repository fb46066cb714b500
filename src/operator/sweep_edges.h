/* The links of a graph in the order of a sweep.
 *
 * The nodes of a chunk stand far apart: their links, where these begin, and the factors that make
 * their weights come from lines of memory of their own, the factors from one a link. A trail is a
 * copy of the links with their weights, chunk after chunk. A sweep reads it from the first link to
 * the last, and knows which rows of H come next across the borders of nodes.
 *
 * It takes no more memory than H, which is doubled by its product as soon as the sweeps are over;
 * where all links are more than that, it has those of the first chunks, if these are half of them
 * at least. To make it costs about what it saves in two sweeps. The sums have the same bits with it
 * and without.
 */
#ifndef CAFE_OPERATOR_SWEEP_EDGES_H
#define CAFE_OPERATOR_SWEEP_EDGES_H

#include "operator/chunks.h"

typedef struct cafe_trail {
    cafe_context *context;
    const cafe_operator *op;
    const cafe_chunks *chunks;
    int64_t count;    /* chunks it has the links of: the first ones */
    int64_t *offsets; /* of the nodes in the order of chunks */
    int32_t *targets; /* and CAFE_AHEAD more */
    float *weights;   /* factors included; NULL: all 1 */
} cafe_trail;

/* For so many sweeps over rows of `stride` floats; *trail stays NULL where it is not worth it. */
cafe_status cafe_trail_new(cafe_context *context, const cafe_operator *op,
                           const cafe_chunks *chunks, int64_t stride, int64_t passes,
                           cafe_trail **trail);
void cafe_trail_free(cafe_trail *trail);

static inline bool cafe_trail_has(const cafe_trail *trail, int64_t chunk) {
    return trail && chunk < trail->count;
}

/* cafe_stream_stored() for the nodes `range` of a chunk it has, from number `first` on; x_u is read
 * too, and each node has a row of `out`. */
void cafe_trail_stored(const cafe_trail *trail, int64_t chunk, int64_t first, cafe_range range,
                       int64_t stride, cafe_stored x, const uint8_t *skip, float *out,
                       cafe_row_done *done, void *argument);

#endif
