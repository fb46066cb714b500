/* Moves of single nodes after edges changed, from a queue that begins with the ends of the changed
 * edges. A node goes to the community with the largest z_u(S), or to be alone (z = 0); if it moves,
 * its neighbours in other communities are queued. A visit costs the node's edges.
 */
#include "base/memory.h"
#include "update/changed_rows.h"
#include "update/community_update.h"

enum { MOST_VISITS = 50, CHECK = 1024 };

/* A gain must exceed this share of d_u: far above rounding, far below any edge. */
static const double least_gain = 1e-10;

void cafe_regroup_enqueue(cafe_regrouping *r, int64_t u) {
    if (r->queued[u]) return;
    r->queued[u] = 1;
    r->queue[(r->head + r->waiting++) % r->n] = (int32_t)u;
}

static int32_t dequeue(cafe_regrouping *r) {
    int32_t u = r->queue[r->head];
    r->head = (r->head + 1) % r->n;
    r->waiting--;
    r->queued[u] = 0;
    return u;
}

static int32_t take_empty(cafe_regrouping *r) {
    return r->empties > 0 ? r->empty[--r->empties] : (int32_t)r->count++;
}

void cafe_regroup_put(cafe_regrouping *r, int64_t u, int32_t to) {
    int32_t from = r->part[u];
    if (from == to) return;
    if (from >= 0) {
        r->mass[from] -= r->degree[u];
        r->shift[from] += r->degree[u];
        if (--r->size[from] == 0) r->empty[r->empties++] = from, r->mass[from] = 0;
    }
    r->part[u] = to;
    r->mass[to] += r->degree[u];
    r->shift[to] += r->degree[u];
    r->size[to]++;
}

void cafe_regroup_isolate(cafe_regrouping *r, int64_t u) {
    if (r->part[u] >= 0 && r->size[r->part[u]] == 1) return;
    int32_t alone = take_empty(r);
    r->mass[alone] = 0, r->size[alone] = 0, r->shift[alone] = 0;
    cafe_regroup_put(r, u, alone);
}

/* The edges of u to each community, by community. */
static void gather(cafe_regrouping *r, int64_t u) {
    cafe_row_walk row = cafe_row_of(r->changes, u);
    cafe_bins_open(r->bins, row.end - row.at + (row.last - row.first) + 1);
    for (cafe_entry e; cafe_row_next(&row, &e);)
        if (e.after > 0 && e.w != u) cafe_bins_add(r->bins, r->part[e.w], e.after);
}

/* The community of the largest z_u(S); its own: none is better; -1: to be alone. */
static int32_t find_best(cafe_regrouping *r, int64_t u) {
    int32_t own = r->part[u], to = own;
    double pull = r->degree[u] / r->total;
    gather(r, u);
    double stay = cafe_bins_sum(r->bins, own) - pull * (r->mass[own] - r->degree[u]);
    double best = stay + least_gain * r->degree[u];
    for (int64_t i = 0; i < r->bins->count; i++) {
        cafe_bin s = cafe_bins_at(r->bins, i);
        double z = s.key == own ? stay : s.sum - pull * r->mass[s.key];
        if (z > best) best = z, to = s.key;
    }
    cafe_bins_clear(r->bins);
    return best < 0 && r->size[own] > 1 ? -1 : to;
}

static void enqueue_neighbours(cafe_regrouping *r, int64_t u) {
    cafe_row_walk row = cafe_row_of(r->changes, u);
    for (cafe_entry e; cafe_row_next(&row, &e);)
        if (e.after > 0 && e.w != u && r->part[e.w] != r->part[u]) cafe_regroup_enqueue(r, e.w);
}

static cafe_status visit(cafe_regrouping *r, int32_t u) {
    int32_t own = r->part[u], to = r->degree[u] > 0 ? find_best(r, u) : -1;
    if (to == own) return CAFE_OK;
    if (to < 0)
        cafe_regroup_isolate(r, u);
    else
        cafe_regroup_put(r, u, to);
    if (r->part[u] == own) return CAFE_OK;
    enqueue_neighbours(r, u);
    CAFE_PASS(cafe_mem_grow(r->context, &r->leavers, &r->leaver_room, r->leaver_count + 1,
                            sizeof *r->leavers));
    r->leavers[r->leaver_count++] = (cafe_leaver){u, own};
    return CAFE_OK;
}

void cafe_regroup_begin(cafe_regrouping *r) {
    const cafe_changes *c = r->changes;
    for (int64_t i = 0; i < c->arc_count; i++)
        if (c->arcs[i].u < r->n) cafe_regroup_enqueue(r, c->arcs[i].u);
    for (int64_t u = 0; u < r->n; u++)
        if (c->origin[u] < 0) cafe_regroup_enqueue(r, u);
}

cafe_status cafe_regroup_move(cafe_regrouping *r) {
    for (; r->waiting > 0 && r->visits < MOST_VISITS * r->n; r->visits++) {
        if (r->visits % CHECK == 0) CAFE_PASS(cafe_check_cancel(r->context));
        CAFE_PASS(visit(r, dequeue(r)));
    }
    return CAFE_OK;
}
