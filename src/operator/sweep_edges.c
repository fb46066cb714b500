/* Copies of edges in the order of chunks: made in one pass over the edges, then read by sweeps. */
#include "operator/sweep_edges.h"

#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"

enum {
    RANGE = 4096,
    FAR = 16,     /* nodes between the prefetch of a node's numbers and their use */
    PASSES = 3,   /* a copy is made for at least this many sweeps */
    OWN_AHEAD = 6 /* nodes between the prefetch of a node's own row and its use */
};

/* ---- made ------------------------------------------------------------------------------------ */

static bool weighted(const cafe_trail *t) {
    return t->op->parts.weights || t->op->parts.factor;
}

/* Returns the position of a node in the order of chunks. */
static int64_t spot_of(const cafe_chunks *c, int64_t u) {
    return c->starts[cafe_chunk_of(c, u)] + cafe_chunk_number(c, u);
}

static void count_links(void *argument, int64_t first, int64_t last) {
    const cafe_trail *t = argument;
    const int64_t *offsets = t->op->parts.offsets;
    for (int64_t u = first; u < last; u++)
        t->offsets[spot_of(t->chunks, u) + 1] = offsets[u + 1] - offsets[u];
}

/* Copies the edges node by node in node order: the part of every chunk is written front to back. */
static void copy_links(void *argument, int64_t first, int64_t last) {
    const cafe_trail *t = argument;
    const cafe_operator_parts *q = &t->op->parts;
    int64_t end = t->chunks->starts[t->count];
    for (int64_t u = first; u < last; u++) {
        int64_t spot = spot_of(t->chunks, u), from = q->offsets[u];
        if (spot >= end) continue;
        int64_t at = t->offsets[spot], count = t->offsets[spot + 1] - at;
        memcpy(t->targets + at, q->targets + from, (size_t)count * sizeof *t->targets);
        for (int64_t j = 0; t->weights && j < count; j++)
            t->weights[at + j] = CAFE_LINK(q, u, from + j);
    }
}

/* Chooses as many chunks as there is room for. */
static void choose_chunks(int64_t room, cafe_trail *t) {
    const cafe_chunks *c = t->chunks;
    while (t->count < c->count && t->offsets[c->starts[t->count + 1]] <= room) t->count++;
}

static cafe_status fill(cafe_context *context, int64_t room, cafe_trail *t) {
    int64_t n = t->chunks->size;
    t->offsets = cafe_mem(context, n + 1, sizeof *t->offsets);
    CAFE_PASS(cafe_mem_had(t->offsets));
    CAFE_PASS(cafe_ranges(context, n, RANGE, count_links, t));
    t->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) t->offsets[i + 1] += t->offsets[i];
    choose_chunks(room, t);
    int64_t links = t->offsets[t->chunks->starts[t->count]];
    t->targets = cafe_mem(context, links + CAFE_AHEAD, sizeof *t->targets);
    if (weighted(t)) t->weights = cafe_mem(context, links, sizeof *t->weights);
    CAFE_PASS(cafe_mem_had(t->targets, weighted(t) ? (void *)t->weights : t->targets));
    memset(t->targets + links, 0, CAFE_AHEAD * sizeof *t->targets);
    return cafe_ranges(context, n, RANGE, copy_links, t);
}

/* Returns the number of edges that there is room for. */
static int64_t room_for(const cafe_context *context, int64_t stride, const cafe_trail *t) {
    int64_t h = t->op->n * stride * (int64_t)sizeof(float), room = cafe_room(context) / 2;
    int64_t places = (t->op->n + 1) * (int64_t)sizeof *t->offsets;
    int64_t link = (int64_t)sizeof *t->targets + (weighted(t) ? (int64_t)sizeof *t->weights : 0);
    if (room > h) room = h;
    return room > places ? (room - places) / link : 0;
}

/* Makes no copy if every chunk has one node (nodes then stand in their order already), or for
 * lists, which change with every sweep. */
cafe_status cafe_trail_new(cafe_context *context, const cafe_operator *op,
                           const cafe_chunks *chunks, int64_t stride, int64_t passes,
                           cafe_trail **trail) {
    cafe_trail made = {.context = context, .op = op, .chunks = chunks};
    *trail = NULL;
    if (!op->parts.offsets || chunks->list || chunks->count >= chunks->size || passes < PASSES)
        return CAFE_OK;
    int64_t room = room_for(context, stride, &made);
    if (room < op->parts.offsets[op->n] / 2) return CAFE_OK;
    *trail = cafe_mem(context, 1, sizeof **trail);
    CAFE_PASS(cafe_mem_had(*trail));
    **trail = made;
    return fill(context, room, *trail);
}

void cafe_trail_free(cafe_trail *t) {
    if (t) cafe_mem_free_all(t->context, t->offsets, t->targets, t->weights, t);
}

/* ---- followed -------------------------------------------------------------------------------- */

/* Prefetches the numbers of a node, except its edges. */
static void ask_node(const cafe_trail *t, const cafe_range *range, int64_t i, int64_t stride,
                     const float *x, const uint8_t *skip) {
    if (i + OWN_AHEAD < range->count)
        cafe_ask_row(x + cafe_range_node(range, i + OWN_AHEAD) * stride, stride);
    if (i + FAR >= range->count) return;
    int64_t u = cafe_range_node(range, i + FAR);
    if (t->op->parts.p) __builtin_prefetch(&t->op->parts.p[u]);
    if (skip) __builtin_prefetch(&skip[u]);
}

/* Sums row `spot`; reads nothing if the node is skipped. */
static void sum_row(const cafe_trail *t, int64_t spot, bool skipped, int64_t stride, cafe_stored x,
                    float *sum) {
    const cafe_kernels *kernels = t->op->kernels;
    int64_t from = t->offsets[spot], count = skipped ? 0 : t->offsets[spot + 1] - from;
    const float *weights = t->weights ? t->weights + from : NULL;
    if (x.packed)
        kernels->gather_packed(x.storage, x.packed, stride, t->targets + from, weights, count, 1,
                               sum);
    else
        kernels->gather(x.x, stride, t->targets + from, weights, count, 1, sum);
}

void cafe_trail_stored(const cafe_trail *t, int64_t chunk, int64_t first, cafe_range range,
                       int64_t stride, cafe_stored x, const uint8_t *skip, float *out,
                       cafe_row_done *done, void *argument) {
    int64_t spot = t->chunks->starts[chunk] + first;
    for (int64_t i = 0; i <= range.count; i++) {
        int64_t before = i - 1; /* handles the node before while the rows of this node arrive */
        if (i < range.count) {
            ask_node(t, &range, i, stride, x.x, skip);
            sum_row(t, spot + i, skip && skip[cafe_range_node(&range, i)], stride, x,
                    out + i * stride);
        }
        if (i > 0) done(argument, before, cafe_range_node(&range, before), out + before * stride);
    }
}
