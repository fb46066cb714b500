/* Sums of neighbours' rows, at the speed of memory.
 *
 * The rows wanted are known long before they are needed: the targets of several nodes are first
 * copied into one short list, and the gather asks for the row CAFE_AHEAD entries further down while
 * it adds the present one, across the borders of nodes.
 */
#include <string.h>

#include "operator/operator.h"

enum { LIST = 2048 };

typedef struct stream {
    const cafe_operator_parts *parts;
    cafe_range range;
    const uint8_t *skip;
    int64_t node;   /* the next node to copy */
    int64_t within; /* arcs of it already copied */
    int64_t filled; /* entries of the list, and how many of them are used up */
    int64_t used;
    int32_t targets[LIST + CAFE_AHEAD];
    float weights[LIST];
} stream;

static void ask_ahead(const stream *s, int64_t i) {
    const cafe_operator_parts *p = s->parts;
    if (i + 8 >= s->range.count) return;
    int64_t u = cafe_range_node(&s->range, i + 8);
    if (i + 16 < s->range.count)
        __builtin_prefetch(&p->offsets[cafe_range_node(&s->range, i + 16)]);
    int64_t from = p->offsets[u];
    __builtin_prefetch(&p->targets[from]);
    __builtin_prefetch(&p->targets[from + 16]);
    if (p->weights) __builtin_prefetch(&p->weights[from]);
}

static bool weighted(const cafe_operator_parts *p) {
    return p->weights || p->factor;
}

static int64_t arcs_of(const stream *s, int64_t u) {
    if (s->skip && s->skip[u]) return 0;
    return s->parts->offsets[u + 1] - s->parts->offsets[u];
}

/* Copies the targets of as many nodes as fit. A node's arcs are not parted, so that its sum does
 * not depend on the nodes before it, unless they are more than a list holds: then by whole lists.
 */
static void fill_list(stream *s) {
    const cafe_operator_parts *p = s->parts;
    s->filled = s->used = 0;
    while (s->node < s->range.count && s->filled < LIST) {
        ask_ahead(s, s->node);
        int64_t u = cafe_range_node(&s->range, s->node);
        int64_t from = p->offsets[u] + s->within, left = arcs_of(s, u) - s->within;
        int64_t take = left < LIST - s->filled ? left : LIST - s->filled;
        if (take < left && s->filled > 0) break;
        for (int64_t j = 0; j < take; j++) s->targets[s->filled + j] = p->targets[from + j];
        for (int64_t j = 0; weighted(p) && j < take; j++)
            s->weights[s->filled + j] = CAFE_LINK(p, u, from + j);
        s->filled += take;
        s->within += take;
        if (take < left) break;
        s->node++;
        s->within = 0;
    }
    memset(s->targets + s->filled, 0, CAFE_AHEAD * sizeof *s->targets);
}

/* sum = sum over the arcs of the next node, taken from the list, which is filled when used up. */
static void sum_node(stream *s, const cafe_kernels *kernels, int64_t stride, const float *x,
                     int64_t arcs, float *sum) {
    if (arcs == 0) memset(sum, 0, (size_t)stride * sizeof *sum);
    for (int64_t summed = 0; summed < arcs;) {
        if (s->used == s->filled) fill_list(s);
        int64_t there = s->filled - s->used, part = arcs - summed < there ? arcs - summed : there;
        kernels->gather(x, stride, s->targets + s->used,
                        weighted(s->parts) ? s->weights + s->used : NULL, part, summed == 0, sum);
        s->used += part;
        summed += part;
    }
}

void cafe_stream_rows(const cafe_operator *op, int64_t stride, const float *x, cafe_range range,
                      const uint8_t *skip, bool own, float *out, int64_t out_step,
                      cafe_row_done *done, void *argument) {
    enum { OWN_AHEAD = 2 };
    stream s; /* the lists are written before they are read */
    s.parts = &op->parts;
    s.range = range;
    s.skip = skip;
    s.node = s.within = s.filled = s.used = 0;
    for (int64_t i = 0; i < range.count; i++) {
        int64_t u = cafe_range_node(&range, i);
        float *sum = out + i * out_step;
        if (own && i + OWN_AHEAD < range.count)
            cafe_ask_row(x + cafe_range_node(&range, i + OWN_AHEAD) * stride, stride);
        sum_node(&s, op->kernels, stride, x, arcs_of(&s, u), sum);
        done(argument, i, u, sum);
    }
}
