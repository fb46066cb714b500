/* Sums of neighbour rows, z_u = sum over w of a(u,w) x_w, at the speed of memory.
 *
 * The targets of several nodes are first copied into one list. The gather adds the row of one entry
 * and prefetches the row CAFE_AHEAD entries later, across the borders of nodes. In the same way the
 * edges of later nodes are prefetched node by node, before they are copied.
 */
#include <string.h>

#include "operator/operator.h"

enum {
    LIST = 1024, /* targets copied at a time */
    FAR = 16,    /* nodes between the prefetch of a node's offsets and the prefetch of its edges */
    FIRST = 32,  /* nodes prefetched before the first list */
    OWN_AHEAD = 2, /* nodes between the prefetch of a node's own row and its use */
    LINE = 16      /* targets of a cache line */
};

typedef struct stream {
    const cafe_operator_parts *parts;
    cafe_range range;
    const uint8_t *skip;
    int64_t asked;  /* nodes whose edges were prefetched */
    int64_t node;   /* the next node to copy */
    int64_t within; /* arcs of this node already copied */
    int64_t filled; /* entries of the list, and the number of entries already used */
    int64_t used;
    int32_t targets[LIST + CAFE_AHEAD];
    float weights[LIST];
} stream;

static bool weighted(const cafe_operator_parts *p) {
    return p->weights || p->factor;
}

static int64_t arcs_of(const stream *s, int64_t u) {
    if (s->skip && s->skip[u]) return 0;
    return s->parts->offsets[u + 1] - s->parts->offsets[u];
}

/* Prefetches offsets and factor of node i; its edges follow FAR nodes later. */
static void ask_node(const stream *s, int64_t i) {
    if (i >= s->range.count) return;
    int64_t u = cafe_range_node(&s->range, i);
    __builtin_prefetch(&s->parts->offsets[u]);
    if (s->parts->p) __builtin_prefetch(&s->parts->p[u]);
    if (s->skip) __builtin_prefetch(&s->skip[u]);
}

/* Prefetches the edges of the next node. The caller does this once for each node that it sums, so
 * the edges arrive beside the rows. The hardware prefetcher continues after the first lines. */
static void ask_links(stream *s) {
    const cafe_operator_parts *p = s->parts;
    ask_node(s, s->asked + FAR);
    if (s->asked >= s->range.count) return;
    int64_t u = cafe_range_node(&s->range, s->asked++), from = p->offsets[u];
    __builtin_prefetch(&p->targets[from]);
    __builtin_prefetch(&p->targets[from + LINE]);
    if (p->weights) __builtin_prefetch(&p->weights[from]);
    if (p->weights) __builtin_prefetch(&p->weights[from + LINE]);
}

/* Moves the unused rest of the list to its front and fills the list with the next targets. */
static void fill_list(stream *s) {
    const cafe_operator_parts *p = s->parts;
    s->filled -= s->used;
    memmove(s->targets, s->targets + s->used, (size_t)s->filled * sizeof *s->targets);
    if (weighted(p))
        memmove(s->weights, s->weights + s->used, (size_t)s->filled * sizeof *s->weights);
    s->used = 0;
    while (s->node < s->range.count && s->filled < LIST) {
        int64_t u = cafe_range_node(&s->range, s->node);
        int64_t from = p->offsets[u] + s->within, left = arcs_of(s, u) - s->within;
        int64_t take = left < LIST - s->filled ? left : LIST - s->filled;
        for (int64_t j = 0; j < take; j++) s->targets[s->filled + j] = p->targets[from + j];
        for (int64_t j = 0; weighted(p) && j < take; j++)
            s->weights[s->filled + j] = CAFE_LINK(p, u, from + j);
        s->filled += take;
        s->within += take;
        if (take < left) break;
        s->node++;
        s->within = 0;
    }
    if (s->asked < s->node) s->asked = s->node;
    memset(s->targets + s->filled, 0, CAFE_AHEAD * sizeof *s->targets);
}

/* sum = sum over the arcs of the next node of a(u,w) x_w, by whole segments of the gather: the sum
 * does not depend on where the list begins. The list is filled again before the prefetches run dry.
 */
static void sum_node(stream *s, const cafe_kernels *kernels, int64_t stride, cafe_stored x,
                     int64_t arcs, float *sum) {
    if (arcs == 0) memset(sum, 0, (size_t)stride * sizeof *sum);
    for (int64_t summed = 0; summed < arcs;) {
        int64_t part = arcs - summed < CAFE_SEGMENT ? arcs - summed : CAFE_SEGMENT;
        if (s->filled - s->used < part + CAFE_AHEAD && s->node < s->range.count) fill_list(s);
        const int32_t *targets = s->targets + s->used;
        const float *weights = weighted(s->parts) ? s->weights + s->used : NULL;
        if (x.packed)
            kernels->gather_packed(x.storage, x.packed, stride, targets, weights, part, summed == 0,
                                   sum);
        else
            kernels->gather(x.x, stride, targets, weights, part, summed == 0, sum);
        s->used += part;
        summed += part;
    }
}

void cafe_stream_stored(const cafe_operator *op, int64_t stride, cafe_stored x, cafe_range range,
                        const uint8_t *skip, bool own, float *out, int64_t out_step,
                        cafe_row_done *done, void *argument) {
    stream s; /* not initialised: every list is written before it is read */
    s.parts = &op->parts;
    s.range = range;
    s.skip = skip;
    s.asked = s.node = s.within = s.filled = s.used = 0;
    for (int64_t i = 0; i < FAR; i++) ask_node(&s, i);
    for (int64_t i = 0; i < FIRST; i++) ask_links(&s);
    for (int64_t i = 0; i < range.count; i++) {
        int64_t u = cafe_range_node(&range, i);
        float *sum = out + i * out_step;
        ask_links(&s);
        if (own && i + OWN_AHEAD < range.count)
            cafe_ask_row(x.x + cafe_range_node(&range, i + OWN_AHEAD) * stride, stride);
        sum_node(&s, op->kernels, stride, x, arcs_of(&s, u), sum);
        done(argument, i, u, sum);
    }
}

void cafe_stream_rows(const cafe_operator *op, int64_t stride, const float *x, cafe_range range,
                      const uint8_t *skip, bool own, float *out, int64_t out_step,
                      cafe_row_done *done, void *argument) {
    cafe_stored rows = {x, NULL, CAFE_STORAGE_FLOAT32};
    cafe_stream_stored(op, stride, rows, range, skip, own, out, out_step, done, argument);
}
