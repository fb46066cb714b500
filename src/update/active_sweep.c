/* The sweep over active nodes: sphere's update where something changed, and only there.
 *
 * The pull on node w is z_w = sum over u of a(u,w) h_u / d_w - s. When its neighbours move by
 * Delta_u it changes by at most
 *
 *     pressure_w = sum over u of a(u,w) / d_w ||Delta_u||
 *
 * (s moves too, but by p_u ||Delta_u||, which is small for all alike). Pressure adds up until the
 * node is swept, which clears it; nodes whose pressure exceeds `spread` are active. It is kept in
 * fixed point, so that it can be added by all threads and is the same for any number of them.
 *
 * A round makes an operator of its own. Its nodes are those that the update has reached, under
 * their places. Active nodes have all their edges there, other nodes none: only active nodes move.
 * The active nodes are a list of the common sweep (operator/chunk_move.h), whose shift keeps the
 * objective from falling.
 */
#include "update/active_sweep.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/chunk_move.h"
#include "sample/sampled_graph.h"
#include "update/changed_rows.h"

enum {
    BLOCK = 1024,
    LEAST_CHUNKS = 64,
    LARGEST = 4096 /* nodes of a chunk at most */
};

static const double unit = 0x1p32; /* of the pressure in fixed point */

void cafe_active_free(cafe_active *active) {
    if (active->context) cafe_mem_free_all(active->context, active->list, active->moved);
}

/* ---- pressure -------------------------------------------------------------------------------- */

static void press(cafe_active *a, int64_t place, double pressure) {
    /* far below an overflow of 64 bits, for any number of neighbours */
    uint64_t fixed = (uint64_t)ceil((pressure < 16 ? pressure : 16) * unit);
    atomic_fetch_add_explicit(&a->reached->met[place].pressure, fixed, memory_order_relaxed);
}

static cafe_status press_node(cafe_active *a, int64_t u, double pressure) {
    int64_t place;
    CAFE_PASS(cafe_reach(a->reached, u, &place));
    press(a, place, pressure);
    return CAFE_OK;
}

/* The weight of an arc, as CAFE_LINK has it. */
static double weigh(const cafe_update_state *s, float a, int64_t u, int64_t w) {
    return s->factor ? (float)(a * ((double)s->factor[u] * s->factor[w])) : a;
}

/* If a node's degree changed, its factor and the weights of all its edges changed by a share, which
 * presses its neighbours. */
static cafe_status press_neighbours(cafe_active *a, int64_t u, double before) {
    const cafe_update_state *s = a->state;
    double share = fabs(before / s->factor[u] - 1);
    cafe_row_walk walk = cafe_row_of(a->reached->changes, u);
    cafe_entry e;
    if (a->reached->changes->origin[u] < 0 || share == 0) return CAFE_OK;
    while (cafe_row_next(&walk, &e))
        if (e.after > 0 && s->strength[e.w] > 0)
            CAFE_PASS(press_node(a, e.w, share * weigh(s, e.after, u, e.w) / s->strength[e.w]));
    return CAFE_OK;
}

/* Of a node whose edges changed: the changed weight as a share of its degree. A new node is always
 * swept. */
cafe_status cafe_active_press(cafe_active *a, const float *factors_before) {
    const cafe_changes *c = a->reached->changes;
    const cafe_update_state *s = a->state;
    int64_t touched = 0;
    for (int64_t i = 0; i < c->arc_count; i++) {
        const cafe_changed_arc *arc = &c->arcs[i];
        float more = (float)cafe_graph_to_scaled(c->old, fabs((double)arc->after - arc->before));
        double strength = s->strength[arc->u];
        if (strength > 0)
            CAFE_PASS(press_node(a, arc->u, weigh(s, more, arc->u, arc->v) / strength));
        if (i + 1 < c->arc_count && c->arcs[i + 1].u == arc->u) continue;
        if (s->factor) CAFE_PASS(press_neighbours(a, arc->u, factors_before[touched]));
        touched++;
    }
    for (int64_t u = 0; c->counts.new_nodes > 0 && u < c->nodes; u++)
        if (c->origin[u] < 0) CAFE_PASS(press_node(a, u, 2));
    return CAFE_OK;
}

cafe_status cafe_active_collect(cafe_active *a) {
    const cafe_reached *r = a->reached;
    uint64_t least = (uint64_t)(a->spread * unit);
    a->count = 0;
    for (int64_t i = 0; i < r->count; i++) {
        if (atomic_load_explicit(&r->met[i].pressure, memory_order_relaxed) <= least ||
            !(a->state->strength[r->met[i].node] > 0))
            continue;
        CAFE_PASS(
            cafe_mem_grow(a->context, &a->list, &a->list_room, a->count + 1, sizeof *a->list));
        a->list[a->count++] = (int32_t)i;
    }
    return cafe_mem_grow(a->context, &a->moved, &a->moved_room, a->count, sizeof *a->moved);
}

/* ---- the operator of a round ----------------------------------------------------------------- */

typedef struct local {
    cafe_active *active;
    cafe_sampled sampled; /* of the reached nodes, by place */
    int64_t *offsets;
    int32_t *targets;
    float *weights, *loops;
    double *p;
} local;

static void free_local(cafe_context *context, local *l) {
    cafe_mem_free_all(context, l->offsets, l->targets, l->weights, l->loops, l->p,
                      l->sampled.factor);
}

/* Reaches the neighbours of the active nodes; links[i] <- the arcs of active node i. */
static cafe_status reach_neighbours(cafe_active *a, int64_t *links) {
    cafe_reached *r = a->reached;
    int64_t place;
    cafe_entry e;
    for (int64_t i = 0; i < a->count; i++) {
        cafe_row_walk walk = cafe_row_of(r->changes, r->met[a->list[i]].node);
        links[i] = 0;
        while (cafe_row_next(&walk, &e)) {
            if (!(e.after > 0)) continue;
            CAFE_PASS(cafe_reach(r, e.w, &place));
            links[i]++;
        }
        if (i % BLOCK == 0) CAFE_PASS(cafe_check_cancel(a->context));
    }
    return CAFE_OK;
}

/* Offsets of all places: those that are not active have no arcs. */
static void lay_out(const cafe_active *a, const int64_t *links, local *l) {
    int64_t at = 0, next = 0;
    for (int64_t i = 0; i < a->reached->count; i++) {
        l->offsets[i] = at;
        if (next < a->count && a->list[next] == i) at += links[next++];
    }
    l->offsets[a->reached->count] = at;
}

static void fill_rows(void *argument, int64_t first, int64_t last) {
    const local *l = argument;
    const cafe_reached *r = l->active->reached;
    cafe_entry e;
    for (int64_t i = first; i < last; i++) {
        int64_t place = l->active->list[i], at = l->offsets[place], u = r->met[place].node;
        cafe_row_walk walk = cafe_row_of(r->changes, u);
        while (cafe_row_next(&walk, &e)) {
            if (!(e.after > 0)) continue;
            l->targets[at] = r->index[e.w] - 1;
            if (l->weights) l->weights[at] = e.after;
            if (l->loops && e.w == u)
                l->loops[place] = (float)weigh(l->active->state, e.after, u, u);
            at++;
        }
    }
}

static void fill_numbers(void *argument, int64_t first, int64_t last) {
    local *l = argument;
    const cafe_update_state *s = l->active->state;
    for (int64_t i = first; i < last; i++) {
        int64_t u = l->active->reached->met[i].node;
        l->p[i] = s->strength[u] / s->total;
        if (s->factor) l->sampled.factor[i] = s->factor[u];
    }
}

static cafe_status fill_local(cafe_active *a, int64_t arcs, local *l) {
    cafe_context *context = a->context;
    const cafe_changes *c = a->reached->changes;
    int64_t n = a->reached->count;
    l->targets = cafe_mem(context, arcs, sizeof *l->targets);
    l->p = cafe_mem(context, n, sizeof *l->p);
    CAFE_PASS(cafe_mem_had(l->targets, l->p));
    if (c->weighted) CAFE_PASS(cafe_mem_had(l->weights = cafe_mem(context, arcs, sizeof(float))));
    if (c->old->counts.self_loops_kept)
        CAFE_PASS(cafe_mem_had(l->loops = cafe_mem_zero(context, n, sizeof(float))));
    if (a->state->factor)
        CAFE_PASS(cafe_mem_had(l->sampled.factor = cafe_mem(context, n, sizeof(float))));
    CAFE_PASS(cafe_ranges(context, n, BLOCK, fill_numbers, l));
    CAFE_PASS(cafe_ranges(context, a->count, BLOCK, fill_rows, l));
    l->sampled.n = n;
    l->sampled.offsets = l->offsets, l->sampled.targets = l->targets;
    l->sampled.weights = l->weights, l->sampled.loops = l->loops;
    l->sampled.p = l->p, l->sampled.total = a->state->total;
    return CAFE_OK;
}

static cafe_status make_local(cafe_active *a, local *l) {
    cafe_status status = CAFE_OK;
    *l = (local){.active = a};
    int64_t *links = cafe_mem(a->context, a->count, sizeof *links);
    CAFE_TRY(cafe_mem_had(links));
    CAFE_TRY(reach_neighbours(a, links));
    l->offsets = cafe_mem(a->context, a->reached->count + 1, sizeof *l->offsets);
    CAFE_TRY(cafe_mem_had(l->offsets));
    lay_out(a, links, l);
    a->summed += l->offsets[a->reached->count];
    CAFE_TRY(fill_local(a, l->offsets[a->reached->count], l));
done:
    cafe_mem_free(a->context, links);
    return status;
}

/* ---- a round --------------------------------------------------------------------------------- */

typedef struct telling {
    cafe_active *active;
    const cafe_operator_parts *parts;
    const cafe_chunks *chunks;
} telling;

/* Does the neighbour at place `theirs` (-1: not swept) still have to learn of the move at `place`?
 * A later chunk has seen it already. */
static bool must_learn(const cafe_chunks *c, int64_t place, int64_t theirs) {
    return theirs < 0 || cafe_chunk_of(c, theirs) <= cafe_chunk_of(c, place);
}

/* Adds the moves of nodes to the pressure of their neighbours. Small moves are left out: all
 * neighbours of a node together, each below the limit, add less than an eighth of the spread. */
static void tell_block(void *argument, int64_t first, int64_t last) {
    const telling *t = argument;
    cafe_active *a = t->active;
    const cafe_operator_parts *q = t->parts;
    for (int64_t i = first; i < last; i++) {
        int64_t u = a->list[i], from = q->offsets[u], end = q->offsets[u + 1];
        if (!(a->moved[i] > a->spread / 8 && a->moved[i] > 0)) continue;
        atomic_fetch_add_explicit(&a->marked, end - from, memory_order_relaxed);
        for (int64_t j = from; j < end; j++) {
            int64_t w = q->targets[j];
            double weight = CAFE_LINK(q, u, j);
            if (w != u && must_learn(t->chunks, i, t->chunks->places[w]))
                press(a, w, weight * a->moved[i] / (q->p[w] * q->total));
        }
    }
}

/* The mover gets s of the whole graph, and gives it back as the moves left it. */
static void exchange_sums(cafe_update_state *state, cafe_mover *mover, bool put, double *s) {
    for (int64_t k = 0; put && k < state->columns; k++) s[k] = state->s[k] / state->total;
    cafe_mover_sums(mover, put, s);
    for (int64_t k = 0; !put && k < state->columns; k++) state->s[k] = s[k] * state->total;
}

static cafe_status sweep(cafe_active *a, const cafe_operator *op, double *s, double *gain) {
    cafe_context *context = a->context;
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1};
    cafe_mover *mover = NULL;
    cafe_status status = CAFE_OK;
    int64_t fewest = a->count < LEAST_CHUNKS ? a->count : LEAST_CHUNKS;
    int64_t needed = cafe_blocks(a->count, LARGEST);
    cafe_reached *r = a->reached;
    CAFE_TRY(cafe_mover_new(context, op, rule, r->stride, r->h, NULL, &mover));
    exchange_sums(a->state, mover, true, s);
    CAFE_TRY(cafe_mover_aim(context, mover, a->list, a->count, needed > fewest ? needed : fewest,
                            a->moved));
    for (int64_t i = 0; i < a->count; i++) {
        r->met[a->list[i]].swept = true;
        atomic_store_explicit(&r->met[a->list[i]].pressure, 0, memory_order_relaxed);
    }
    CAFE_TRY(cafe_mover_sweep(context, mover, gain));
    exchange_sums(a->state, mover, false, s);
    telling t = {a, &op->parts, cafe_mover_chunks(mover)};
    CAFE_TRY(cafe_ranges(context, a->count, BLOCK, tell_block, &t));
done:
    cafe_mover_free(mover);
    return status;
}

cafe_status cafe_active_sweep(cafe_active *a, double *gain) {
    cafe_status status = CAFE_OK;
    cafe_operator *op = NULL;
    local l;
    double *s = cafe_mem_zero(a->context, a->reached->stride, sizeof *s);
    CAFE_TRY(make_local(a, &l));
    CAFE_TRY(cafe_mem_had(s));
    CAFE_TRY(cafe_operator_modularity(a->context, &l.sampled, &op));
    CAFE_TRY(sweep(a, op, s, gain));
    a->state->swept += a->count;
done:
    cafe_operator_free(op);
    free_local(a->context, &l);
    cafe_mem_free(a->context, s);
    return status;
}
