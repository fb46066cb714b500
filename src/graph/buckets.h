/* The first step of the builder: edges become arcs, sorted into buckets of consecutive rows. */
#ifndef CAFE_GRAPH_BUCKETS_H
#define CAFE_GRAPH_BUCKETS_H

#include "graph/builder.h"

/* Two arcs per edge, one per kept loop. Bucket b has the arcs begin[b] .. begin[b+1] - 1, which are
 * in rows b << shift .. (b + 1) << shift, in no order. */
typedef struct cafe_buckets {
    int64_t count;
    int32_t shift; /* at most 16 */
    int64_t *begin;
    uint16_t *rows; /* of each arc, from the first of its bucket */
    uint32_t *keys; /* 2 w + d for an arc to w; d = 1 when listed from the larger to the smaller */
    float *weights; /* or NULL: all 1 */
    int64_t self_loops, zero_weights; /* edges that are loops; left out for their weight */
} cafe_buckets;

/* Makes the arcs of these edges, with weights if `weighted`. Fails with the first edge that has an
 * invalid node or weight. */
cafe_status cafe_partition(cafe_context *context, const cafe_links *links, bool keep_loops,
                           bool weighted, cafe_buckets *buckets);

void cafe_buckets_free(cafe_context *context, cafe_buckets *buckets);

/* The rows of bucket b: first .. end - 1. */
static inline int64_t cafe_bucket_first(const cafe_buckets *buckets, int64_t b) {
    return b << buckets->shift;
}
static inline int64_t cafe_bucket_end(const cafe_buckets *buckets, int64_t nodes, int64_t b) {
    int64_t end = (b + 1) << buckets->shift;
    return end < nodes ? end : nodes;
}

#endif
