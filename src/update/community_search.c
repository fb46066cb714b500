/* Communities that are searched again after a change.
 *
 * Moves of single nodes do not divide a community that has become two. So communities whose edges
 * changed are opened: their nodes form a graph of their own, in which every other community that
 * they touch is one node that stays. A search in it costs the edges of the opened communities.
 * Community S is opened with the probability
 *
 *     share * (weight of S that changed) / d(S),
 *
 * so that the expected cost is `share` times the changed edges, on every graph.
 */

#include "base/memory.h"
#include "base/random.h"
#include "graph/pooling.h"
#include "io/gzip.h"
#include "solve/layers_start.h"
#include "update/changed_rows.h"
#include "update/community_update.h"

typedef struct opened {
    cafe_regrouping *r;
    uint8_t *open;   /* of each community */
    int32_t *place;  /* of each node of an open one; -1: others */
    int32_t *whole;  /* of each other community its node; -1: none */
    int32_t *member; /* of each place its node, or a community that is a node */
    int64_t members, n;
    /* the graph */
    int64_t *offsets;
    int32_t *targets;
    double *weights, *mass;
    uint8_t *kept;
    int64_t arcs, target_room, weight_room;
    int32_t *part;
} opened;

/* ---- which ----------------------------------------------------------------------------------- */

/* The numbers follow from the seed and the changes: another day opens others. */
static bool choose(opened *o, double share) {
    cafe_regrouping *r = o->r;
    const cafe_changes *c = r->changes;
    uint64_t day = cafe_crc64(0, c->arcs, c->arc_count * (int64_t)sizeof *c->arcs);
    bool any = false;
    for (int64_t s = 0; s < r->count; s++) {
        if (r->shift[s] == 0 || r->size[s] == 0) continue;
        cafe_random4 drawn = cafe_philox(r->context->seed, CAFE_STREAM_REGROUP, day + (uint64_t)s);
        double chance = share * r->shift[s] / r->mass[s];
        o->open[s] = cafe_uniform(drawn.v[0], drawn.v[1]) < chance;
        any |= o->open[s];
    }
    return any;
}

static void list_members(opened *o) {
    cafe_regrouping *r = o->r;
    for (int64_t u = 0; u < r->n; u++) {
        o->place[u] = o->open[r->part[u]] ? (int32_t)o->members : -1;
        if (o->place[u] >= 0) o->member[o->members++] = (int32_t)u;
    }
    o->n = o->members;
    for (int64_t s = 0; s < r->count; s++) o->whole[s] = -1;
}

/* ---- their graph ----------------------------------------------------------------------------- */

static cafe_status add_arc(opened *o, int32_t target, double weight) {
    cafe_context *context = o->r->context;
    CAFE_PASS(cafe_mem_grow(context, &o->targets, &o->target_room, o->arcs + 1, sizeof(int32_t)));
    CAFE_PASS(cafe_mem_grow(context, &o->weights, &o->weight_room, o->arcs + 1, sizeof(double)));
    o->targets[o->arcs] = target;
    o->weights[o->arcs++] = weight;
    return CAFE_OK;
}

/* The node that community s is. */
static int32_t whole_of(opened *o, int32_t s) {
    if (o->whole[s] < 0) {
        o->whole[s] = (int32_t)o->n;
        o->member[o->n++] = s;
    }
    return o->whole[s];
}

/* The row of a member: other members, then communities. */
static cafe_status add_row(opened *o, int32_t u) {
    cafe_regrouping *r = o->r;
    cafe_row_walk row = cafe_row_of(r->changes, u);
    cafe_status status = CAFE_OK;
    cafe_bins_open(r->bins, row.end - row.at + (row.last - row.first) + 1);
    for (cafe_entry e; cafe_row_next(&row, &e);) {
        if (e.after <= 0 || e.w == u) continue;
        if (o->place[e.w] < 0)
            cafe_bins_add(r->bins, r->part[e.w], e.after);
        else
            CAFE_TRY(add_arc(o, o->place[e.w], e.after));
    }
    for (int64_t i = 0; i < r->bins->count; i++) {
        cafe_bin s = cafe_bins_at(r->bins, i);
        CAFE_TRY(add_arc(o, whole_of(o, s.key), s.sum));
    }
done:
    cafe_bins_clear(r->bins);
    return status;
}

/* The rows of communities: the arcs of members to them, the other way round. */
static cafe_status add_reversed(opened *o) {
    int64_t arcs = o->arcs, wholes = o->n - o->members;
    cafe_context *context = o->r->context;
    int64_t *at = cafe_mem_zero(context, wholes + 1, sizeof *at);
    CAFE_PASS(cafe_mem_had(at));
    for (int64_t j = 0; j < arcs; j++)
        if (o->targets[j] >= o->members) at[o->targets[j] - o->members + 1]++;
    for (int64_t s = 0; s < wholes; s++) at[s + 1] += at[s];
    for (int64_t s = 0; s <= wholes; s++) o->offsets[o->members + s] = at[s] + arcs;
    cafe_status status = CAFE_OK;
    for (int64_t j = 0; j < at[wholes] && status == CAFE_OK; j++) status = add_arc(o, 0, 0);
    for (int64_t u = 0; u < o->members && status == CAFE_OK; u++)
        for (int64_t j = o->offsets[u]; j < o->offsets[u + 1]; j++) {
            if (o->targets[j] < o->members) continue;
            int64_t to = arcs + at[o->targets[j] - o->members]++;
            o->targets[to] = (int32_t)u;
            o->weights[to] = o->weights[j];
        }
    cafe_mem_free(context, at);
    return status;
}

static cafe_status make_rows(opened *o) {
    for (int64_t i = 0; i < o->members; i++) {
        o->offsets[i] = o->arcs;
        CAFE_PASS(add_row(o, o->member[i]));
    }
    o->offsets[o->members] = o->arcs;
    return add_reversed(o);
}

static void weigh(opened *o) {
    cafe_regrouping *r = o->r;
    for (int64_t i = 0; i < o->n; i++) {
        int32_t from = o->member[i];
        bool whole = i >= o->members;
        o->kept[i] = whole;
        o->mass[i] = (whole ? r->mass[from] : r->degree[from]) / r->total;
        o->part[i] = whole ? (int32_t)i : r->part[from];
    }
}

/* part[] of members has communities: each gets the place of its first member. */
static void number_parts(opened *o) {
    for (int64_t i = 0; i < o->members; i++) {
        int32_t s = o->part[i];
        if (o->whole[s] < 0) o->whole[s] = (int32_t)i;
        o->part[i] = o->whole[s];
    }
    for (int64_t i = 0; i < o->members; i++) o->whole[o->r->part[o->member[i]]] = -1;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Members leave their communities for those of the result. A part without a community of its own
 * gets one without nodes. */
static void take_result(opened *o) {
    cafe_regrouping *r = o->r;
    const int32_t *part = o->part;
    int32_t *number = o->place; /* of each part; the places are not needed any more */
    for (int64_t i = 0; i < o->n; i++) number[i] = -1;
    for (int64_t i = o->members; i < o->n; i++) number[part[i]] = o->member[i];
    for (int64_t s = 0; s < r->count; s++)
        if (o->open[s]) r->size[s] = 0, r->mass[s] = 0, r->empty[r->empties++] = (int32_t)s;
    for (int64_t i = 0; i < o->members; i++) r->part[o->member[i]] = -1;
    for (int64_t i = 0; i < o->members; i++) {
        if (number[part[i]] >= 0)
            cafe_regroup_put(r, o->member[i], number[part[i]]);
        else
            cafe_regroup_isolate(r, o->member[i]);
        number[part[i]] = r->part[o->member[i]];
    }
}

static cafe_status search(opened *o) {
    cafe_context *context = o->r->context;
    cafe_pooled g = {.context = context,
                     .n = o->n,
                     .offsets = o->offsets,
                     .targets = o->targets,
                     .pooled = o->weights,
                     .mass = o->mass,
                     .total = o->r->total,
                     .kept = o->kept};
    for (int64_t i = 0; i < o->n; i++) {
        int64_t arcs = o->offsets[i + 1] - o->offsets[i];
        g.widest = arcs > g.widest ? arcs : g.widest;
    }
    CAFE_PASS(cafe_layers_improve(context, &g, o->part));
    take_result(o);
    return CAFE_OK;
}

static cafe_status allocate(opened *o) {
    cafe_context *context = o->r->context;
    int64_t n = o->r->n;
    o->open = cafe_mem_zero(context, n, sizeof *o->open);
    o->place = cafe_mem(context, n, sizeof *o->place);
    o->whole = cafe_mem(context, n, sizeof *o->whole);
    o->member = cafe_mem(context, n, sizeof *o->member);
    return cafe_mem_had(o->open, o->place, o->whole, o->member);
}

static cafe_status allocate_graph(opened *o) {
    cafe_context *context = o->r->context;
    o->mass = cafe_mem(context, o->n, sizeof *o->mass);
    o->kept = cafe_mem(context, o->n, sizeof *o->kept);
    o->part = cafe_mem(context, o->n, sizeof *o->part);
    return cafe_mem_had(o->mass, o->kept, o->part);
}

cafe_status cafe_regroup_search(cafe_regrouping *r, double share) {
    opened o = {.r = r};
    cafe_context *context = r->context;
    cafe_status status = CAFE_OK;
    CAFE_TRY(allocate(&o));
    if (!choose(&o, share)) goto done;
    list_members(&o);
    o.offsets = cafe_mem(context, r->n + 1, sizeof *o.offsets);
    CAFE_TRY(cafe_mem_had(o.offsets));
    CAFE_TRY(make_rows(&o));
    CAFE_TRY(allocate_graph(&o));
    weigh(&o);
    number_parts(&o);
    status = search(&o);
done:
    cafe_mem_free_all(context, o.open, o.place, o.whole, o.member, o.offsets, o.targets, o.weights,
                      o.mass, o.kept, o.part);
    return status;
}
