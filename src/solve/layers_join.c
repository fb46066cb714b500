/* Joins of neighbouring communities that lose least modularity.
 *
 * A join of S and T changes the modularity by 2 (p(S,T) - r p(S) p(T)). Joins of other communities
 * do not change this number, so a heap of the pairs has the best one on top. Pairs of a community
 * that has been joined since are dropped when they are met.
 */

#include <string.h>

#include "base/memory.h"
#include "solve/layers_factors.h"
#include "solve/layers_sizes.h"

/* A pair of communities, a < b; or one community, a = b, with minus its size as the gain. */
typedef struct pair {
    double gain;
    int32_t a, b;
    int32_t stamp_a, stamp_b; /* of their communities when the pair was made */
} pair;

/* Communities are sets of nodes of the coarse graph, one for each at first. */
typedef struct joining {
    cafe_context *context;
    const cafe_pooled *g; /* the coarse graph */
    double resolution;
    const cafe_size_limits *limits;
    int64_t count;
    int32_t *set;         /* of each node: one nearer to the number of its community */
    int32_t *next, *last; /* the nodes of a community as a list; -1 ends it */
    int32_t *stamp;       /* joins so far; -1: the community is part of another one */
    int64_t *size;        /* nodes of the finest graph */
    double *mass;
    double *f; /* of factors; NULL: none */
    cafe_bins *bins;
    pair *heap;
    int64_t pairs, room;
} joining;

/* ---- the heap -------------------------------------------------------------------------------- */

static bool is_before(const pair *x, const pair *y) {
    if (x->gain != y->gain) return x->gain > y->gain;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static cafe_status push(joining *j, pair p) {
    int64_t at = j->pairs;
    CAFE_PASS(cafe_mem_grow(j->context, &j->heap, &j->room, j->pairs + 1, sizeof *j->heap));
    for (; at > 0 && is_before(&p, &j->heap[(at - 1) / 2]); at = (at - 1) / 2)
        j->heap[at] = j->heap[(at - 1) / 2];
    j->heap[at] = p;
    j->pairs++;
    return CAFE_OK;
}

static pair pop(joining *j) {
    pair top = j->heap[0], p = j->heap[--j->pairs];
    int64_t at = 0;
    for (int64_t child = 1; child < j->pairs; child = 2 * at + 1) {
        child += child + 1 < j->pairs && is_before(&j->heap[child + 1], &j->heap[child]);
        if (!is_before(&j->heap[child], &p)) break;
        j->heap[at] = j->heap[child];
        at = child;
    }
    j->heap[at] = p;
    return top;
}

static bool is_stale(const joining *j, const pair *p) {
    return j->stamp[p->a] != p->stamp_a || j->stamp[p->b] != p->stamp_b;
}

/* ---- communities ----------------------------------------------------------------------------- */

static int32_t find(joining *j, int32_t i) {
    while (j->set[i] != i) i = j->set[i] = j->set[j->set[i]];
    return i;
}

/* bins <- total * p(a,T) for every neighbour T of community a. */
static void sum_neighbours(joining *j, int32_t a) {
    const cafe_pooled *g = j->g;
    cafe_bins_clear(j->bins);
    for (int32_t i = a; i >= 0; i = j->next[i])
        for (int64_t arc = g->offsets[i]; arc < g->offsets[i + 1]; arc++) {
            int32_t t = find(j, g->targets[arc]);
            if (t != a) cafe_bins_add(j->bins, t, cafe_pooled_weight(g, i, arc));
        }
}

/* Half of what the modularity changes by: p(a,b) - r p(a) p(b). */
static double gain_of(const joining *j, int32_t a, cafe_bin to) {
    const cafe_factors *by = &j->g->null;
    double expected =
        j->f ? cafe_factors_product(by, j->f + a * by->width, j->f + to.key * by->width)
             : j->mass[a] * j->mass[to.key];
    return to.sum / j->g->total - j->resolution * expected;
}

static bool fits(const joining *j, int32_t a, int32_t b) {
    return j->size[a] + j->size[b] <= j->limits->most;
}

/* Community b becomes part of a: p(a) <- p(a) + p(b), and p(a,T) <- p(a,T) + p(b,T) for all T. */
static void join(joining *j, int32_t a, int32_t b) {
    j->set[b] = a;
    j->next[j->last[a]] = b;
    j->last[a] = j->last[b];
    j->size[a] += j->size[b];
    j->mass[a] += j->mass[b];
    if (j->f)
        cafe_factors_add(&j->g->null, j->f + b * j->g->null.width, 1, j->f + a * j->g->null.width);
    j->stamp[a]++;
    j->stamp[b] = -1;
    j->count--;
}

static cafe_status push_neighbours(joining *j, int32_t a, bool above) {
    sum_neighbours(j, a);
    for (int64_t i = 0; i < j->bins->count; i++) {
        cafe_bin to = cafe_bins_at(j->bins, i);
        int32_t low = a < to.key ? a : to.key, high = a < to.key ? to.key : a;
        if (above && low != a) continue;
        if (fits(j, a, to.key))
            CAFE_PASS(push(j, (pair){gain_of(j, a, to), low, high, j->stamp[low], j->stamp[high]}));
    }
    return CAFE_OK;
}

/* ---- the best pairs -------------------------------------------------------------------------- */

static cafe_status join_best(joining *j) {
    int64_t wanted = j->limits->communities;
    j->pairs = 0;
    for (int32_t a = 0; a < j->g->n; a++) CAFE_PASS(push_neighbours(j, a, true));
    while (j->pairs > 0 && j->count > wanted) {
        pair best = pop(j);
        if (is_stale(j, &best)) continue;
        if (wanted == 0 && !(best.gain > 0)) break;
        join(j, best.a, best.b);
        CAFE_PASS(push_neighbours(j, best.a, false));
        CAFE_PASS(cafe_check_cancel(j->context));
    }
    return CAFE_OK;
}

/* ---- small communities ----------------------------------------------------------------------- */

/* The neighbour with which community a loses least, one that leaves room if there is any; -1: a has
 * no neighbours, or none that leaves room. */
static int32_t best_neighbour(joining *j, int32_t a) {
    double best = 0;
    int32_t found = -1;
    sum_neighbours(j, a);
    for (int64_t i = 0; i < j->bins->count; i++) {
        cafe_bin to = cafe_bins_at(j->bins, i);
        double gain = gain_of(j, a, to);
        if (!fits(j, a, to.key)) continue;
        if (found < 0 || gain > best || (gain == best && to.key < found)) {
            best = gain;
            found = to.key;
        }
    }
    return found;
}

static cafe_status push_small(joining *j, int32_t a) {
    if (j->size[a] >= j->limits->least) return CAFE_OK;
    return push(j, (pair){-(double)j->size[a], a, a, j->stamp[a], j->stamp[a]});
}

static cafe_status join_small(joining *j) {
    j->pairs = 0;
    for (int32_t a = 0; a < j->g->n; a++)
        if (j->stamp[a] >= 0) CAFE_PASS(push_small(j, a));
    while (j->pairs > 0) {
        pair small = pop(j);
        if (is_stale(j, &small)) continue;
        int32_t to = best_neighbour(j, small.a);
        if (to < 0) continue;
        join(j, to, small.a);
        CAFE_PASS(push_small(j, to));
        CAFE_PASS(cafe_check_cancel(j->context));
    }
    return CAFE_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

static cafe_status open(joining *j, int64_t n, const int32_t *part) {
    int64_t count = j->g->n;
    j->set = cafe_mem(j->context, count, sizeof *j->set);
    j->next = cafe_mem(j->context, count, sizeof *j->next);
    j->last = cafe_mem(j->context, count, sizeof *j->last);
    j->stamp = cafe_mem_zero(j->context, count, sizeof *j->stamp);
    j->size = cafe_mem_zero(j->context, count, sizeof *j->size);
    j->mass = cafe_mem(j->context, count, sizeof *j->mass);
    j->bins = cafe_bins_new(j->context, 1, count, count);
    CAFE_PASS(cafe_mem_had(j->set, j->next, j->last, j->stamp, j->size, j->mass, j->bins));
    cafe_bins_open(j->bins, count);
    for (int64_t i = 0; i < count; i++) {
        j->set[i] = j->last[i] = (int32_t)i;
        j->next[i] = -1;
        j->mass[i] = j->g->mass[i];
    }
    if (j->g->null.width > 0) {
        size_t size = (size_t)(count * j->g->null.width) * sizeof *j->f;
        j->f = cafe_mem(j->context, count * j->g->null.width, sizeof *j->f);
        CAFE_PASS(cafe_mem_had(j->f));
        memcpy(j->f, j->g->null.f, size);
    }
    for (int64_t u = 0; u < n; u++) j->size[part[u]]++;
    return CAFE_OK;
}

static void close(joining *j) {
    cafe_bins_free(j->context, j->bins, 1);
    cafe_mem_free_all(j->context, j->set, j->next, j->last, j->stamp, j->size, j->mass, j->heap,
                      j->f);
}

cafe_status cafe_layers_join(cafe_context *context, const cafe_pooled *g, double resolution,
                             const cafe_size_limits *limits, int32_t *part, int64_t *count) {
    cafe_status status = CAFE_OK;
    cafe_pooled *coarse = NULL;
    joining j = {.context = context, .resolution = resolution, .limits = limits, .count = *count};
    CAFE_TRY(cafe_coarsen(context, g, part, *count, &coarse));
    j.g = coarse;
    CAFE_TRY(open(&j, g->n, part));
    CAFE_TRY(join_best(&j));
    CAFE_TRY(join_small(&j));
    for (int64_t u = 0; u < g->n; u++) part[u] = find(&j, part[u]);
    CAFE_TRY(cafe_groups_number(context, g->n, part, count));
done:
    close(&j);
    cafe_pooled_free(coarse);
    return status;
}
