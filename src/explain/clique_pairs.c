/* Pairs lie one after the other; a hash table finds them by their nodes. */
#include "explain/clique_pairs.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_ROOM = 1 << 12 };

void cafe_clique_pairs_free(cafe_clique_pairs *pairs) {
    cafe_mem_free_all(pairs->context, pairs->u, pairs->w, pairs->c, pairs->y, pairs->x,
                      pairs->forced, pairs->seen);
}

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 33) * 0xff51afd7ed558ccdULL;
    z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return z ^ z >> 33;
}

/* Where the pair stands in the table, or the free place for it. */
static int64_t find(const cafe_clique_pairs *s, int32_t u, int32_t w) {
    uint64_t mask = (uint64_t)s->seen_room - 1, i = mix((uint64_t)u << 32 | (uint32_t)w) & mask;
    for (; s->seen[i]; i = (i + 1) & mask) {
        uint32_t pair = s->seen[i] - 1;
        if (s->u[pair] == u && s->w[pair] == w) break;
    }
    return (int64_t)i;
}

static cafe_status make_room(cafe_clique_pairs *s) {
    cafe_context *context = s->context;
    int64_t needed = s->count + 1;
    if (needed >= UINT32_MAX / 2) return CAFE_ERROR_LIMIT;
    CAFE_PASS(cafe_mem_grow(context, &s->u, &s->room[0], needed, sizeof *s->u));
    CAFE_PASS(cafe_mem_grow(context, &s->w, &s->room[1], needed, sizeof *s->w));
    CAFE_PASS(cafe_mem_grow(context, &s->c, &s->room[2], needed, sizeof *s->c));
    CAFE_PASS(cafe_mem_grow(context, &s->y, &s->room[3], needed, sizeof *s->y));
    CAFE_PASS(cafe_mem_grow(context, &s->x, &s->room[4], needed, sizeof *s->x));
    CAFE_PASS(cafe_mem_grow(context, &s->forced, &s->room[5], needed, sizeof *s->forced));
    if (2 * s->count < s->seen_room) return CAFE_OK;
    int64_t size = s->seen_room ? 2 * s->seen_room : FIRST_ROOM;
    uint32_t *seen = cafe_mem_resize(context, s->seen, size, sizeof *seen);
    CAFE_PASS(cafe_mem_had(seen));
    s->seen = seen;
    s->seen_room = size;
    memset(seen, 0, (size_t)size * sizeof *seen);
    for (int64_t i = 0; i < s->count; i++) seen[find(s, s->u[i], s->w[i])] = (uint32_t)i + 1;
    return CAFE_OK;
}

/* c(u,w) without an edge */
static double expected(const cafe_clique_pairs *s, int32_t u, int32_t w) {
    const cafe_operator_parts *q = s->parts;
    if (q->f) return s->scale * q->kappa * cafe_factor_expected(q, s->resolution, u, w);
    return -s->scale * q->p[u] * q->p[w];
}

cafe_status cafe_clique_pairs_take(cafe_clique_pairs *s, int32_t u, int32_t w, uint32_t *pair) {
    int32_t first = u < w ? u : w, second = u < w ? w : u;
    CAFE_PASS(make_room(s));
    int64_t place = find(s, first, second), i = s->count;
    if (!s->seen[place]) {
        s->u[i] = first, s->w[i] = second;
        s->c[i] = expected(s, first, second);
        s->y[i] = s->c[i] / s->gamma;
        s->x[i] = 0;
        s->forced[i] = CAFE_CLIQUE_FREE;
        s->seen[place] = (uint32_t)++s->count;
    }
    *pair = s->seen[place] - 1;
    return CAFE_OK;
}

/* ---- the positive pairs by node -------------------------------------------------------------- */

void cafe_clique_near_free(cafe_context *context, cafe_clique_near *near) {
    cafe_mem_free_all(context, near->first, near->node, near->x);
}

static void put(cafe_clique_near *near, int32_t u, int32_t w, double x) {
    int64_t place = near->first[u + 1]++;
    near->node[place] = w;
    near->x[place] = (float)x;
}

cafe_status cafe_clique_near_fill(const cafe_clique_pairs *pairs, int64_t n, double least,
                                  cafe_clique_near *near) {
    cafe_context *context = pairs->context;
    int64_t positive = 0, at = 0;
    if (!near->first) near->first = cafe_mem(context, n + 2, sizeof *near->first);
    CAFE_PASS(cafe_mem_had(near->first));
    /* first[u + 1] <- where the row of u starts; put() moves it to the start of the next row */
    memset(near->first, 0, (size_t)(n + 2) * sizeof *near->first);
    for (int64_t i = 0; i < pairs->count; i++)
        if (pairs->y[i] > least) near->first[pairs->u[i]]++, near->first[pairs->w[i]]++, positive++;
    CAFE_PASS(
        cafe_mem_grow(context, &near->node, &near->room, 2 * positive + 1, sizeof *near->node));
    CAFE_PASS(cafe_mem_grow(context, &near->x, &near->x_room, 2 * positive + 1, sizeof *near->x));
    for (int64_t u = 0, count = near->first[0]; u < n; u++) {
        int64_t next = near->first[u + 1];
        near->first[u + 1] = at;
        at += count;
        count = next;
    }
    near->first[0] = 0;
    for (int64_t i = 0; i < pairs->count; i++) {
        if (!(pairs->y[i] > least)) continue;
        double x = cafe_clique_clip(pairs->y[i]);
        put(near, pairs->u[i], pairs->w[i], x);
        put(near, pairs->w[i], pairs->u[i], x);
    }
    return CAFE_OK;
}
