/* Sends edges to the processes of their rows.
 *
 * Processes own runs of blocks of rows with about equally many edges. Every process sends an edge
 * to the owners of both its ends, in batches. The received edges go through the builder
 * (graph/builder.c), which leaves out rows of other processes.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "io/shared.h"

enum { BATCH = 1 << 18, MOST_BLOCKS = 4096 }; /* edges sent at a time; blocks of rows */

typedef struct dealing {
    cafe_context *context;
    const cafe_edge_list *list;
    int64_t nodes, block, blocks; /* rows of a block */
    int64_t *links;               /* of each block */
    int32_t *owner;
    int64_t width; /* numbers of 4 bytes that an edge is sent as */
    int32_t *give;
    int64_t *sizes, *places;
} dealing;

static int32_t owner_of(const dealing *d, int32_t node) {
    return d->owner[node / d->block];
}

/* ---- who has which rows ---------------------------------------------------------------------- */

static cafe_status count_links(dealing *d) {
    const int32_t *source = d->list->source, *target = d->list->target;
    for (int64_t i = 0; i < d->list->count; i++) {
        d->links[source[i] / d->block]++;
        d->links[target[i] / d->block]++;
    }
    return cafe_team_sum(d->context, d->links, d->blocks);
}

/* Block b is the process's whose share of all edges its middle falls into. */
static void deal_blocks(dealing *d, int64_t *bounds) {
    int32_t ranks = cafe_team_ranks(d->context), rank = 0;
    double all = 0, before = 0;
    for (int64_t b = 0; b < d->blocks; b++) all += (double)d->links[b];
    for (int64_t b = 0; b < d->blocks; b++) {
        double middle = before + (double)d->links[b] / 2;
        while (rank + 1 < ranks && middle * ranks >= all * (rank + 1) && all > 0)
            bounds[++rank] = b * d->block;
        d->owner[b] = rank;
        before += (double)d->links[b];
    }
    bounds[0] = 0;
    while (rank < ranks) bounds[++rank] = d->nodes;
}

static cafe_status deal(dealing *d, int64_t *bounds) {
    int64_t runs = cafe_blocks(cafe_blocks(d->nodes, CAFE_PORTION_ROWS), MOST_BLOCKS);
    d->block = CAFE_PORTION_ROWS * (runs > 0 ? runs : 1);
    d->blocks = cafe_blocks(d->nodes, d->block);
    d->links = cafe_mem_zero(d->context, d->blocks, sizeof *d->links);
    d->owner = cafe_mem(d->context, d->blocks, sizeof *d->owner);
    CAFE_PASS(cafe_team_agree(d->context, cafe_mem_had(d->links, d->owner)));
    CAFE_PASS(count_links(d));
    deal_blocks(d, bounds);
    return CAFE_OK;
}

/* ---- edges on their way ---------------------------------------------------------------------- */

static int32_t *put_link(const dealing *d, int64_t i, int32_t *at) {
    at[0] = ((const int32_t *)d->list->source)[i];
    at[1] = ((const int32_t *)d->list->target)[i];
    if (d->width > 2) memcpy(at + 2, &d->list->weights[i], sizeof *d->list->weights);
    return at;
}

/* Edges first .. last - 1 to the owners of their ends, once where both are the same. */
static void pack(dealing *d, int64_t first, int64_t last) {
    const int32_t *source = d->list->source, *target = d->list->target;
    int32_t ranks = cafe_team_ranks(d->context);
    memset(d->sizes, 0, (size_t)ranks * sizeof *d->sizes);
    for (int64_t i = first; i < last; i++) {
        int32_t a = owner_of(d, source[i]), b = owner_of(d, target[i]);
        d->sizes[a]++;
        d->sizes[b] += a != b;
    }
    for (int32_t r = 0, before = 0; r < ranks; r++) {
        d->places[r] = before;
        before += (int32_t)d->sizes[r];
        d->sizes[r] *= d->width * 4;
    }
    for (int64_t i = first; i < last; i++) {
        int32_t a = owner_of(d, source[i]), b = owner_of(d, target[i]);
        put_link(d, i, d->give + d->width * d->places[a]++);
        if (a != b) put_link(d, i, d->give + d->width * d->places[b]++);
    }
}

/* share: the part of all edges received up to now. */
static cafe_status unpack(const dealing *d, const int32_t *got, int64_t bytes, double share,
                          cafe_edge_list *own) {
    int64_t links = bytes / 4 / d->width;
    CAFE_PASS(cafe_edge_list_reserve(own, links, share));
    for (int64_t i = 0; i < links; i++, own->count++) {
        const int32_t *link = got + d->width * i;
        ((int32_t *)own->source)[own->count] = link[0];
        ((int32_t *)own->target)[own->count] = link[1];
        if (d->width > 2) memcpy(&own->weights[own->count], link + 2, sizeof *own->weights);
    }
    return CAFE_OK;
}

static cafe_status send_batch(dealing *d, int64_t batch, int64_t batches, cafe_edge_list *own) {
    int64_t first = batch * BATCH, last = cafe_block_end(d->list->count, BATCH, batch), bytes = 0;
    void *got = NULL;
    pack(d, first < last ? first : last, last);
    CAFE_PASS(cafe_team_exchange(d->context, d->give, d->sizes, &got, d->places));
    for (int32_t r = 0; r < cafe_team_ranks(d->context); r++) bytes += d->places[r];
    cafe_status status = unpack(d, got, bytes, (double)(batch + 1) / (double)batches, own);
    cafe_mem_free(d->context, got);
    return cafe_team_agree(d->context, status);
}

/* Sends as many batches as the process with the most edges needs. */
static cafe_status send_links(dealing *d, cafe_edge_list *own) {
    cafe_context *context = d->context;
    int32_t ranks = cafe_team_ranks(context);
    int64_t most = 0;
    void *counts = NULL;
    d->width = d->list->weighted ? 3 : 2;
    d->give =
        cafe_mem(context, (d->list->count < BATCH ? d->list->count : BATCH) * 2 * d->width, 4);
    d->sizes = cafe_mem(context, 2 * ranks, sizeof *d->sizes);
    CAFE_PASS(cafe_team_agree(context, cafe_mem_had(d->give, d->sizes)));
    d->places = d->sizes + ranks;
    CAFE_PASS(cafe_team_gather(context, &d->list->count, sizeof d->list->count, &counts, NULL));
    for (int32_t r = 0; r < ranks; r++)
        if (((int64_t *)counts)[r] > most) most = ((int64_t *)counts)[r];
    cafe_mem_free(context, counts);
    for (int64_t b = 0; b < cafe_blocks(most, BATCH); b++)
        CAFE_PASS(send_batch(d, b, cafe_blocks(most, BATCH), own));
    return CAFE_OK;
}

static void free_dealing(dealing *d) {
    cafe_mem_free_all(d->context, d->links, d->owner, d->give, d->sizes);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Rows without weights get weights of 1. */
static cafe_status write_out_weights(cafe_context *context, cafe_graph *rows) {
    if (rows->weights) return CAFE_OK;
    float *weights = cafe_mem(context, rows->arcs, sizeof *weights);
    rows->weights = weights;
    for (int64_t i = 0; weights && i < rows->arcs; i++) weights[i] = 1;
    return cafe_mem_had(weights);
}

/* Weights that are all 1 here stay, where they are not elsewhere. */
static cafe_status keep_weights(cafe_context *context, cafe_graph *rows) {
    int64_t weighted = rows->weights != NULL;
    CAFE_PASS(cafe_team_sum(context, &weighted, 1));
    return weighted == 0 ? CAFE_OK : write_out_weights(context, rows);
}

/* Halves the weights of edges, not of loops, and drops weights that are all 1. */
static cafe_status halve_weights(cafe_context *context, cafe_graph *rows) {
    bool unit = true;
    float *weights = cafe_mem(context, rows->arcs, sizeof *weights);
    CAFE_PASS(cafe_mem_had(weights));
    for (int64_t u = 0; u < rows->n; u++)
        for (int64_t i = rows->offsets[u]; i < rows->offsets[u + 1]; i++) {
            float whole = rows->weights ? rows->weights[i] : 1;
            weights[i] = rows->targets[i] == u ? whole : whole / 2;
            unit = unit && weights[i] == 1;
        }
    cafe_mem_free_all(context, rows->weights, unit ? weights : NULL);
    rows->weights = unit ? NULL : weights;
    return CAFE_OK;
}

/* The list has each edge once in each direction if the rows of every process have. */
static cafe_status count_once(cafe_context *context, cafe_graph *rows) {
    int64_t found[2] = {!rows->counts.mirrored, rows->counts.reversed};
    CAFE_PASS(cafe_team_sum(context, found, 2));
    rows->counts.mirrored = found[0] == 0 && found[1] > 0;
    cafe_status status = rows->counts.mirrored ? halve_weights(context, rows) : CAFE_OK;
    return cafe_team_agree(context, status);
}

cafe_status cafe_share_rows(cafe_edge_list *list, int64_t nodes, const cafe_graph_options *options,
                            int64_t *bounds, cafe_graph **rows) {
    cafe_context *context = list->context;
    dealing d = {.context = context, .list = list, .nodes = nodes};
    int64_t lines = list->count;
    cafe_edge_list own;
    cafe_status status;
    cafe_phase(context, "build", 0);
    cafe_edge_list_init(context, list->name, false, list->weighted, &own);
    CAFE_TRY(deal(&d, bounds));
    CAFE_TRY(send_links(&d, &own));
    cafe_edge_list_free(list);
    free_dealing(&d);
    d = (dealing){.context = context};
    cafe_links links = {nodes,      own.count,   own.source, NULL,
                        own.target, own.weights, false,      cafe_team_portion(context, bounds)};
    CAFE_TRY(cafe_team_agree(context, cafe_graph_build(context, &links, options, rows)));
    (*rows)->counts.lines = lines;
    CAFE_TRY(count_once(context, *rows));
    status = cafe_team_agree(context, keep_weights(context, *rows));
done:
    free_dealing(&d);
    cafe_edge_list_free(&own);
    return status;
}
