/* The second step of the builder: the arcs of a bucket by their rows. */
#ifndef CAFE_GRAPH_BUCKET_SORT_H
#define CAFE_GRAPH_BUCKET_SORT_H

#include "graph/buckets.h"

/* Arcs somewhere in memory: keys and, unless NULL, weights. */
typedef struct cafe_arcs {
    uint32_t *keys;
    float *weights;
} cafe_arcs;

/* Writes the arcs of bucket b, row after row, to `to`: memory for them all, or their own place.
 * starts[i] becomes the first arc of the bucket's row i, from 0. */
void cafe_order_bucket(const cafe_buckets *buckets, int64_t b, int64_t rows, cafe_arcs to,
                       int64_t *starts);

#endif
