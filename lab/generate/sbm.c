/* The stochastic block model with equal blocks and a fixed number of edges.
 *
 * An edge inside a block: a random node and another node of its block. An edge between blocks: a
 * random node and a node of another block. All pairs of a kind are equally likely (block sizes
 * differ by one at most), and the mixing fixes the number of edges of each kind.
 */
#include "base/context.h"
#include "generate/blocks.h"

enum { ROOM = 3 };

typedef struct sbm {
    uint64_t seed;
    cafe_partition partition;
} sbm;

static void draw(const void *model, int kind, uint64_t index, int32_t *u, int32_t *w) {
    const sbm *m = model;
    const cafe_partition *p = &m->partition;
    cafe_random4 r = cafe_philox(m->seed, CAFE_STREAM_LINKS, index);
    int64_t x = (int64_t)cafe_below(r.v[0], r.v[1], (uint64_t)p->n), y = x;
    int64_t b = cafe_share_of(p->n, p->blocks, x);
    int64_t start = p->start[b], size = p->start[b + 1] - start;
    if (kind == 0 && size > 1) { /* any of the block but x */
        y = start + (int64_t)cafe_below(r.v[2], r.v[3], (uint64_t)(size - 1));
        if (y >= x) y++;
    } else if (kind == 1) { /* any node outside the block */
        y = (int64_t)cafe_below(r.v[2], r.v[3], (uint64_t)(p->n - size));
        if (y >= start) y += size;
    }
    *u = p->order[x];
    *w = p->order[y];
}

cafe_status cafe_generate_sbm(cafe_context *context, const cafe_generate_options *options,
                              cafe_graph **graph, int32_t *labels) {
    int64_t n = options->nodes, blocks = cafe_generate_blocks(options, ROOM);
    sbm m = {.seed = context->seed};
    cafe_drawing d = {.nodes = n, .labels = labels, .draw = draw, .model = &m};
    cafe_status status;
    CAFE_TRY(cafe_partition_create(context, n, blocks, labels, &m.partition));
    for (int64_t b = 0; b <= blocks; b++) m.partition.start[b] = cafe_share_start(n, blocks, b);
    CAFE_TRY(cafe_partition_shares(context, &m.partition, options, d.wanted));
    CAFE_TRY(cafe_partition_spread(context, &m.partition));
    CAFE_TRY(cafe_generate_links(context, &d, graph));
done:
    cafe_partition_free(context, &m.partition);
    return status;
}
