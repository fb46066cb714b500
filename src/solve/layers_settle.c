/* Moves of single nodes that keep sizes, number and connection of the communities.
 *
 * A move of u from S to T gains 2 (z_u(T) - z_u(S)), as in layers_move.c. It is made only if S
 * stays connected without u: a search in S from one neighbour of u has to meet all others. T stays
 * connected, because u has an edge to it.
 */

#include "base/memory.h"
#include "solve/layers_factors.h"
#include "solve/layers_sizes.h"

enum {
    PASSES = 20,      /* over the nodes, at most */
    MOST_NODES = 4096 /* that a search for the connection visits; more count as not connected */
};

/* A gain counts if it is above this share of p_u, as for other moves. */
static const double least_gain = 1e-10;

typedef struct settling {
    const cafe_pooled *g;
    double resolution;
    const cafe_size_limits *limits;
    int32_t *part;
    int64_t *size;
    double *mass;
    double *f; /* of factors; NULL: none */
    cafe_bins *bins;
    int32_t *stack;
    uint32_t *seen; /* the last search in which each node was met */
    uint32_t search;
} settling;

/* ---- connection ------------------------------------------------------------------------------ */

/* Marks the neighbours of u in its community as wanted: returns their number, *first is one. */
static int64_t count_wanted(settling *s, int32_t u, int32_t *first) {
    const cafe_pooled *g = s->g;
    int64_t wanted = 0;
    for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++) {
        int32_t w = g->targets[arc];
        if (w == u || s->part[w] != s->part[u] || s->seen[w] == s->search) continue;
        s->seen[w] = s->search;
        *first = w;
        wanted++;
    }
    return wanted;
}

/* Meets w; returns 1 if it is wanted. seen: search for wanted nodes, search + 1 for met ones. */
static int meet(settling *s, int32_t w, int64_t *height, int64_t *met) {
    int wanted = s->seen[w] == s->search;
    s->seen[w] = s->search + 1;
    s->stack[(*height)++] = w;
    ++*met;
    return wanted;
}

/* Is the community of u connected without u? */
static bool may_leave(settling *s, int32_t u) {
    const cafe_pooled *g = s->g;
    int64_t height = 0, met = 0;
    int32_t first = -1;
    s->search += 2;
    int64_t wanted = count_wanted(s, u, &first);
    if (wanted <= 1) return true;
    s->seen[u] = s->search + 1;
    wanted -= meet(s, first, &height, &met);
    while (height > 0 && wanted > 0 && met < MOST_NODES) {
        int32_t v = s->stack[--height];
        for (int64_t arc = g->offsets[v]; arc < g->offsets[v + 1] && met < MOST_NODES; arc++) {
            int32_t w = g->targets[arc];
            if (s->part[w] == s->part[u] && s->seen[w] != s->search + 1)
                wanted -= meet(s, w, &height, &met);
        }
    }
    return wanted == 0;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* z_u(S) = p(u, S - u) - r p_u p(S - u): the pull of S without u itself. */
static double pull(const settling *s, int32_t u, int32_t to, double sum) {
    const cafe_factors *by = &s->g->null;
    if (s->f) {
        const double *own = by->f + u * by->width;
        double expected = cafe_factors_product(by, own, s->f + to * by->width);
        if (to == s->part[u]) expected -= cafe_factors_product(by, own, own);
        return sum / s->g->total - s->resolution * expected;
    }
    double mass = s->mass[to] - (to == s->part[u] ? s->g->mass[u] : 0);
    return sum / s->g->total - s->resolution * s->g->mass[u] * mass;
}

/* The community with room to which u moves best; its own: it stays. */
static int32_t best_community(settling *s, int32_t u) {
    const cafe_pooled *g = s->g;
    int32_t own = s->part[u], best = own;
    cafe_bins_clear(s->bins);
    for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
        if (g->targets[arc] != u)
            cafe_bins_add(s->bins, s->part[g->targets[arc]], cafe_pooled_weight(g, u, arc));
    double most = pull(s, u, own, cafe_bins_sum(s->bins, own)) + least_gain * g->mass[u];
    for (int64_t i = 0; i < s->bins->count; i++) {
        cafe_bin to = cafe_bins_at(s->bins, i);
        double z = pull(s, u, to.key, to.sum);
        if (to.key == own || s->size[to.key] >= s->limits->most || !(z > most)) continue;
        most = z;
        best = to.key;
    }
    return best;
}

/* u leaves its community S only if |S| > least, and joins T only if |T| < most. */
static bool move(settling *s, int32_t u) {
    int32_t own = s->part[u];
    if (s->size[own] <= s->limits->least) return false;
    int32_t to = best_community(s, u);
    if (to == own || !may_leave(s, u)) return false;
    s->part[u] = to;
    s->size[own]--;
    s->size[to]++;
    s->mass[own] -= s->g->mass[u];
    s->mass[to] += s->g->mass[u];
    if (s->f) {
        const cafe_factors *by = &s->g->null;
        cafe_factors_add(by, by->f + u * by->width, -1, s->f + own * by->width);
        cafe_factors_add(by, by->f + u * by->width, 1, s->f + to * by->width);
    }
    return true;
}

static cafe_status open(cafe_context *context, settling *s, int64_t count) {
    int64_t n = s->g->n, widest = 0;
    for (int64_t u = 0; u < n; u++) {
        int64_t arcs = s->g->offsets[u + 1] - s->g->offsets[u];
        if (arcs > widest) widest = arcs;
    }
    s->size = cafe_mem_zero(context, count, sizeof *s->size);
    s->mass = cafe_mem_zero(context, count, sizeof *s->mass);
    s->stack = cafe_mem(context, n, sizeof *s->stack);
    s->seen = cafe_mem_zero(context, n, sizeof *s->seen);
    s->bins = cafe_bins_new(context, 1, widest + 1, count);
    CAFE_PASS(cafe_mem_had(s->size, s->mass, s->stack, s->seen, s->bins));
    cafe_bins_open(s->bins, widest + 1);
    for (int64_t u = 0; u < n; u++) {
        s->size[s->part[u]]++;
        s->mass[s->part[u]] += s->g->mass[u];
    }
    if (s->g->null.width > 0) CAFE_PASS(cafe_factors_masses(context, s->g, s->part, count, &s->f));
    return CAFE_OK;
}

cafe_status cafe_layers_settle(cafe_context *context, const cafe_pooled *g, double resolution,
                               const cafe_size_limits *limits, int32_t *part, int64_t count) {
    cafe_status status = CAFE_OK;
    settling s = {.g = g, .resolution = resolution, .limits = limits, .part = part};
    CAFE_TRY(open(context, &s, count));
    for (int64_t pass = 0, moved = 1; pass < PASSES && moved > 0; pass++) {
        moved = 0;
        for (int32_t u = 0; u < g->n; u++) moved += move(&s, u);
        CAFE_TRY(cafe_check_cancel(context));
    }
done:
    cafe_bins_free(context, s.bins, 1);
    cafe_mem_free_all(context, s.size, s.mass, s.stack, s.seen, s.f);
    return status;
}
