/* Nodes in blocks, for the models that plant them. */
#ifndef CAFE_GENERATE_BLOCKS_H
#define CAFE_GENERATE_BLOCKS_H

#include "generate/generate.h"

/* Nodes stand in a random order, block after block: position x holds node order[x], and block b
 * has positions start[b] .. start[b+1]. */
typedef struct cafe_partition {
    int64_t n, blocks;
    int64_t *start;
    int32_t *order;
    int32_t *labels; /* of nodes, not of positions; the caller's */
} cafe_partition;

/* Returns the number of blocks of the options, or sqrt(n)/2, fewer if a block of average size would
 * have less than `room` places for each of its inner edges. */
int64_t cafe_generate_blocks(const cafe_generate_options *options, int64_t room);

/* Makes room for a partition into `blocks` blocks. The caller sets start[] before
 * cafe_partition_spread() fills in the rest. cafe_partition_free() frees it in any state. */
cafe_status cafe_partition_create(cafe_context *context, int64_t n, int64_t blocks, int32_t *labels,
                                  cafe_partition *partition);
cafe_status cafe_partition_spread(cafe_context *context, cafe_partition *partition);
void cafe_partition_free(cafe_context *context, cafe_partition *partition);

/* Edges inside (wanted[0]) and between blocks (wanted[1]) by the mixing; CAFE_ERROR_ARGUMENT when
 * they are more than the pairs of nodes there. A single block takes all edges. */
cafe_status cafe_partition_shares(cafe_context *context, const cafe_partition *partition,
                                  const cafe_generate_options *options, int64_t wanted[2]);

#endif
