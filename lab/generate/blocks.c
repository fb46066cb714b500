/* Nodes in blocks: the number of blocks, the members of each, and the edges inside and between. */
#include "generate/blocks.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"

int64_t cafe_generate_blocks(const cafe_generate_options *options, int64_t room) {
    double n = (double)options->nodes, m = (double)options->edges;
    if (options->blocks > 0) return options->blocks;
    double inside = 2 * m / n * (1 - options->mixing);
    double blocks = fmin(sqrt(n) / 2, n / ((double)room * (inside + 1)));
    return blocks < 1 ? 1 : (int64_t)blocks;
}

cafe_status cafe_partition_create(cafe_context *context, int64_t n, int64_t blocks, int32_t *labels,
                                  cafe_partition *partition) {
    *partition = (cafe_partition){.n = n, .blocks = blocks, .labels = labels};
    partition->start = cafe_mem(context, blocks + 1, sizeof *partition->start);
    partition->order = cafe_mem(context, n, sizeof *partition->order);
    return cafe_mem_had(partition->start, partition->order);
}

void cafe_partition_free(cafe_context *context, cafe_partition *partition) {
    cafe_mem_free_all(context, partition->start, partition->order);
}

static void label_block(void *argument, int64_t task) {
    cafe_partition *p = argument;
    for (int64_t x = p->start[task]; x < p->start[task + 1]; x++)
        p->labels[p->order[x]] = (int32_t)task;
}

cafe_status cafe_partition_spread(cafe_context *context, cafe_partition *partition) {
    CAFE_PASS(cafe_generate_order(context, partition->n, partition->order));
    return cafe_each(context, partition->blocks, label_block, partition);
}

cafe_status cafe_partition_shares(cafe_context *context, const cafe_partition *partition,
                                  const cafe_generate_options *options, int64_t wanted[2]) {
    int64_t n = partition->n, pairs[2] = {0, 0};
    const char *where[2] = {"inside", "between"};
    for (int64_t b = 0; b < partition->blocks; b++) {
        int64_t size = partition->start[b + 1] - partition->start[b];
        pairs[0] += size * (size - 1) / 2;
    }
    pairs[1] = n * (n - 1) / 2 - pairs[0];
    wanted[1] = partition->blocks > 1 ? llround(options->mixing * (double)options->edges) : 0;
    wanted[0] = options->edges - wanted[1];
    for (int k = 0; k < 2; k++)
        if (wanted[k] > pairs[k])
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "%" PRId64 " edges %s the %" PRId64 " blocks do not fit: %" PRId64
                             " pairs are there (fewer edges, fewer blocks or another mixing)",
                             wanted[k], where[k], partition->blocks, pairs[k]);
    return CAFE_OK;
}
