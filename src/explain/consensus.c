/* The partition that several agree on, and counterparts of communities.
 *
 * Nodes that are together in all partitions are a group, and groups move. Every community D of
 * partition t has a short list of the communities of the consensus that meet it, with the number of
 * common nodes. The sum of these numbers over the D of a group is what a move gains. All numbers
 * are integers, so the result does not depend on threads or rounding.
 */
#include "explain/consensus.h"

#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "graph/pooling.h"
#include "solve/layers_search.h"

/* ---- agreement ------------------------------------------------------------------------------- */

/* Groups of nodes with their labels in all partitions. */
typedef struct grouped {
    int64_t count;
    int32_t *of;    /* of each node */
    int32_t *label; /* count x partitions */
    int64_t *size;  /* nodes */
} grouped;

/* Sums |S and D|^2 over the communities D of partition t, S being groups member[first .. last). */
static double sum_squares(const grouped *g, int64_t width, int64_t t, const int32_t *member,
                          int64_t first, int64_t last, int64_t *held) {
    double sum = 0;
    for (int64_t i = first; i < last; i++) {
        int64_t size = g->size[member[i]], *h = &held[g->label[member[i] * width + t]];
        sum += (double)size * (double)(2 * *h + size);
        *h += size;
    }
    for (int64_t i = first; i < last; i++) held[g->label[member[i] * width + t]] = 0;
    return sum;
}

static cafe_status measure(cafe_context *context, const cafe_partitions *all, const grouped *g,
                           const int32_t *part, int64_t communities, double *agreement) {
    cafe_groups sets = {0};
    int64_t *held = cafe_mem_zero(context, all->nodes, sizeof *held);
    cafe_status status = CAFE_OK;
    *agreement = 0;
    CAFE_TRY(cafe_mem_had(held));
    CAFE_TRY(cafe_groups_new(context, g->count, part, communities, &sets));
    for (int64_t c = 0; c < communities; c++) {
        double size = 0;
        for (int64_t i = sets.start[c]; i < sets.start[c + 1]; i++)
            size += (double)g->size[sets.member[i]];
        *agreement -= (double)all->count / 2 * size * size;
        for (int64_t t = 0; t < all->count; t++)
            *agreement +=
                sum_squares(g, all->count, t, sets.member, sets.start[c], sets.start[c + 1], held);
    }
done:
    cafe_groups_free(context, &sets);
    cafe_mem_free(context, held);
    return status;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void free_grouped(cafe_context *context, grouped *g) {
    cafe_mem_free_all(context, g->of, g->label, g->size);
}

static cafe_status find_groups(cafe_context *context, const cafe_partitions *all, grouped *g) {
    int64_t n = all->nodes;
    g->of = cafe_mem_zero(context, n, sizeof *g->of);
    CAFE_PASS(cafe_mem_had(g->of));
    g->count = n > 0;
    for (int64_t t = 0; t < all->count; t++)
        CAFE_PASS(cafe_layers_meet(context, n, g->of, g->count, all->part[t], all->communities[t],
                                   g->of, &g->count));
    g->label = cafe_mem(context, g->count * all->count, sizeof *g->label);
    g->size = cafe_mem_zero(context, g->count, sizeof *g->size);
    CAFE_PASS(cafe_mem_had(g->label, g->size));
    for (int64_t u = 0; u < n; u++) {
        int32_t *label = g->label + g->of[u] * all->count;
        if (g->size[g->of[u]]++ > 0) continue;
        for (int64_t t = 0; t < all->count; t++) label[t] = all->part[t][u];
    }
    return CAFE_OK;
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A community of the consensus and its nodes in D. */
typedef struct common {
    int32_t community;
    int64_t nodes;
} common;

typedef struct list {
    common *at;
    int64_t count, room;
} list;

typedef struct moving {
    const cafe_partitions *all;
    const grouped *g;
    int64_t *first; /* lists of partition t are first[t] + D */
    list *lists;
    int32_t *part; /* of the groups: 0 .. groups - 1 */
    int64_t *size; /* nodes of each community */
    int32_t *empty;
    int64_t empties;
    int64_t *with;    /* of each community: common nodes of a group, over all partitions */
    int32_t *touched; /* communities with such nodes */
} moving;

static list *list_of(const moving *m, int64_t group, int64_t t) {
    return &m->lists[m->first[t] + m->g->label[group * m->all->count + t]];
}

static cafe_status add_common(cafe_context *context, list *l, int32_t community, int64_t nodes) {
    for (int64_t i = 0; i < l->count; i++) {
        if (l->at[i].community != community) continue;
        l->at[i].nodes += nodes;
        if (l->at[i].nodes == 0) l->at[i] = l->at[--l->count];
        return CAFE_OK;
    }
    if (l->count == l->room) {
        common *grown = cafe_mem_resize(context, l->at, 2 * l->room + 2, sizeof *grown);
        if (!grown) return CAFE_ERROR_MEMORY;
        l->at = grown;
        l->room = 2 * l->room + 2;
    }
    l->at[l->count++] = (common){community, nodes};
    return CAFE_OK;
}

static cafe_status put(cafe_context *context, moving *m, int64_t group, int32_t community,
                       int64_t sign) {
    int64_t nodes = sign * m->g->size[group];
    m->size[community] += nodes;
    for (int64_t t = 0; t < m->all->count; t++)
        CAFE_PASS(add_common(context, list_of(m, group, t), community, nodes));
    return CAFE_OK;
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* The community in which the group, now in none, adds most to F: 2 `with` - T |S|, if above 0; of
 * equal ones its own, then the first. Otherwise -1. */
static int32_t best_of(moving *m, int64_t group, int32_t own) {
    int64_t touched = 0, most = 0;
    int32_t best = -1;
    for (int64_t t = 0; t < m->all->count; t++) {
        const list *l = list_of(m, group, t);
        for (int64_t i = 0; i < l->count; i++) {
            int32_t c = l->at[i].community;
            if (m->with[c] == 0) m->touched[touched++] = c;
            m->with[c] += l->at[i].nodes;
        }
    }
    for (int64_t i = 0; i < touched; i++) {
        int32_t c = m->touched[i];
        int64_t gain = 2 * m->with[c] - m->all->count * m->size[c];
        m->with[c] = 0;
        bool tie = gain == most && gain > 0 && best != own && (c == own || c < best);
        if (gain > most || tie) most = gain, best = c;
    }
    return best;
}

static cafe_status move(cafe_context *context, moving *m, int64_t group, bool *moved) {
    int32_t own = m->part[group];
    CAFE_PASS(put(context, m, group, own, -1));
    int32_t best = best_of(m, group, own);
    if (best < 0 && m->size[own] == 0) best = own; /* alone as before */
    if (m->size[own] == 0 && best != own) m->empty[m->empties++] = own;
    if (best < 0) best = m->empty[--m->empties];
    *moved |= best != own;
    m->part[group] = best;
    return put(context, m, group, best, 1);
}

static cafe_status move_all(cafe_context *context, moving *m) {
    bool moved = true;
    while (moved) { /* F grows by an integer with every move */
        moved = false;
        CAFE_PASS(cafe_check_cancel(context));
        for (int64_t i = 0; i < m->g->count; i++) CAFE_PASS(move(context, m, i, &moved));
    }
    return CAFE_OK;
}

static cafe_status open_moving(cafe_context *context, moving *m, int64_t communities) {
    int64_t groups = m->g->count, lists = 0;
    m->first = cafe_mem(context, m->all->count, sizeof *m->first);
    m->size = cafe_mem_zero(context, groups, sizeof *m->size);
    m->empty = cafe_mem(context, groups, sizeof *m->empty);
    m->with = cafe_mem_zero(context, groups, sizeof *m->with);
    m->touched = cafe_mem(context, groups, sizeof *m->touched);
    CAFE_PASS(cafe_mem_had(m->first, m->size, m->empty, m->with, m->touched));
    for (int64_t t = 0; t < m->all->count; t++) {
        m->first[t] = lists;
        lists += m->all->communities[t];
    }
    m->lists = cafe_mem_zero(context, lists, sizeof *m->lists);
    CAFE_PASS(cafe_mem_had(m->lists));
    for (int64_t c = groups; c > communities; c--) m->empty[m->empties++] = (int32_t)c - 1;
    for (int64_t i = 0; i < groups; i++) CAFE_PASS(put(context, m, i, m->part[i], 1));
    return CAFE_OK;
}

static void close_moving(cafe_context *context, moving *m) {
    int64_t lists = 0;
    for (int64_t t = 0; t < m->all->count; t++) lists += m->all->communities[t];
    for (int64_t i = 0; m->lists && i < lists; i++) cafe_mem_free(context, m->lists[i].at);
    cafe_mem_free_all(context, m->first, m->lists, m->part, m->size, m->empty, m->with, m->touched);
}

/* ---- the consensus --------------------------------------------------------------------------- */

/* part[groups] <- the partition with the largest F, and its communities. */
static cafe_status start_at_best(cafe_context *context, const cafe_partitions *all,
                                 const grouped *g, int32_t *part, int64_t *communities) {
    double most = 0, agreement;
    int64_t best = 0;
    for (int64_t t = 0; t < all->count; t++) {
        for (int64_t i = 0; i < g->count; i++) part[i] = g->label[i * all->count + t];
        CAFE_PASS(measure(context, all, g, part, all->communities[t], &agreement));
        if (t > 0 && !(agreement > most)) continue;
        most = agreement;
        best = t;
    }
    for (int64_t i = 0; i < g->count; i++) part[i] = g->label[i * all->count + best];
    *communities = all->communities[best];
    return CAFE_OK;
}

cafe_status cafe_consensus_find(cafe_context *context, const cafe_partitions *all,
                                int32_t *consensus, int64_t *communities) {
    cafe_status status = CAFE_OK;
    grouped g = {0};
    moving m = {.all = all, .g = &g};
    CAFE_TRY(find_groups(context, all, &g));
    m.part = cafe_mem(context, g.count, sizeof *m.part);
    CAFE_TRY(cafe_mem_had(m.part));
    CAFE_TRY(start_at_best(context, all, &g, m.part, communities));
    CAFE_TRY(open_moving(context, &m, *communities));
    CAFE_TRY(move_all(context, &m));
    for (int64_t u = 0; u < all->nodes; u++) consensus[u] = m.part[g.of[u]];
    CAFE_TRY(cafe_groups_number(context, all->nodes, consensus, communities));
    CAFE_TRY(cafe_groups_by_size(context, all->nodes, consensus, *communities));
done:
    close_moving(context, &m);
    free_grouped(context, &g);
    return status;
}

/* ---- two partitions -------------------------------------------------------------------------- */

/* The number of pairs that are together. */
static cafe_status count_pairs(cafe_context *context, int64_t n, const int32_t *part, int64_t count,
                               double *pairs) {
    int64_t *size = cafe_mem_zero(context, count, sizeof *size);
    *pairs = 0;
    if (!size) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n; u++) *pairs += (double)size[part[u]]++;
    cafe_mem_free(context, size);
    return CAFE_OK;
}

cafe_status cafe_partitions_compare(cafe_context *context, int64_t n, const int32_t *a,
                                    int64_t a_count, const int32_t *b, int64_t b_count,
                                    double *similarity) {
    cafe_status status = CAFE_OK;
    double in_a, in_b, both, all = (double)n * (double)(n - 1) / 2;
    int64_t count;
    int32_t *met = cafe_mem(context, n, sizeof *met);
    CAFE_TRY(cafe_mem_had(met));
    CAFE_TRY(cafe_layers_meet(context, n, a, a_count, b, b_count, met, &count));
    CAFE_TRY(count_pairs(context, n, a, a_count, &in_a));
    CAFE_TRY(count_pairs(context, n, b, b_count, &in_b));
    CAFE_TRY(count_pairs(context, n, met, count, &both));
    double expected = all > 0 ? in_a * in_b / all : 0, most = (in_a + in_b) / 2;
    *similarity = most > expected ? (both - expected) / (most - expected) : 1;
done:
    cafe_mem_free(context, met);
    return status;
}

/* ---- counterparts ---------------------------------------------------------------------------- */

static void find_counterparts(const cafe_groups *sets, const int32_t *other, int64_t *held,
                              int32_t *counterpart) {
    for (int64_t c = 0; c < sets->count; c++) {
        int32_t best = INT32_MAX;
        int64_t most = 0;
        for (int64_t i = sets->start[c]; i < sets->start[c + 1]; i++)
            held[other[sets->member[i]]]++;
        for (int64_t i = sets->start[c]; i < sets->start[c + 1]; i++) {
            int32_t d = other[sets->member[i]];
            if (held[d] > most || (held[d] == most && d < best)) most = held[d], best = d;
        }
        for (int64_t i = sets->start[c]; i < sets->start[c + 1]; i++)
            held[other[sets->member[i]]] = 0;
        counterpart[c] = best;
    }
}

cafe_status cafe_consensus_counterparts(cafe_context *context, const cafe_partitions *all,
                                        const int32_t *part, int64_t communities,
                                        int32_t *counterpart, float *stay) {
    cafe_status status = CAFE_OK;
    cafe_groups sets = {0};
    int64_t *held = cafe_mem_zero(context, all->nodes, sizeof *held);
    CAFE_TRY(cafe_mem_had(held));
    CAFE_TRY(cafe_groups_new(context, all->nodes, part, communities, &sets));
    memset(stay, 0, (size_t)all->nodes * sizeof *stay);
    for (int64_t t = 0; t < all->count; t++) {
        int32_t *own = counterpart + t * communities;
        find_counterparts(&sets, all->part[t], held, own);
        for (int64_t u = 0; u < all->nodes; u++) stay[u] += own[part[u]] == all->part[t][u];
    }
    for (int64_t u = 0; u < all->nodes; u++) stay[u] /= (float)all->count;
done:
    cafe_groups_free(context, &sets);
    cafe_mem_free(context, held);
    return status;
}
