/* A copy ("trail") of the edges of a graph in the order of a sweep.
 *
 * The nodes of a chunk are far apart in memory. Without a copy their edges, offsets and factors
 * come from scattered cache lines, the factors one line for each edge. A trail holds edges and
 * weights chunk after chunk. A sweep reads the trail front to back and can prefetch the rows of H
 * across the borders of nodes.
 *
 * A trail takes no more memory than H, which its product will double after the sweeps. If all edges
 * need more memory, the trail has the edges of the first chunks, at least half of all. Making a
 * trail costs about the time that two sweeps save. Sums have the same bits with and without a
 * trail.
 */
#ifndef CAFE_OPERATOR_SWEEP_EDGES_H
#define CAFE_OPERATOR_SWEEP_EDGES_H

#include "operator/chunks.h"

typedef struct cafe_trail {
    cafe_context *context;
    const cafe_operator *op;
    const cafe_chunks *chunks;
    int64_t count;    /* chunks in the trail: the first chunks of the sweep */
    int64_t *offsets; /* of the nodes in the order of chunks */
    int32_t *targets; /* followed by CAFE_AHEAD further entries */
    float *weights;   /* factors included; NULL: all 1 */
} cafe_trail;

/* Makes a trail for `passes` sweeps over rows of `stride` floats; *trail stays NULL if a trail does
 * not pay. */
cafe_status cafe_trail_new(cafe_context *context, const cafe_operator *op,
                           const cafe_chunks *chunks, int64_t stride, int64_t passes,
                           cafe_trail **trail);
void cafe_trail_free(cafe_trail *trail);

static inline bool cafe_trail_has(const cafe_trail *trail, int64_t chunk) {
    return trail && chunk < trail->count;
}

/* cafe_stream_stored() for the nodes `range` of a chunk in the trail, from number `first` on. x_u
 * is prefetched too, and each node has its own row of `out`. */
void cafe_trail_stored(const cafe_trail *trail, int64_t chunk, int64_t first, cafe_range range,
                       int64_t stride, cafe_stored x, const uint8_t *skip, float *out,
                       cafe_row_done *done, void *argument);

#endif
