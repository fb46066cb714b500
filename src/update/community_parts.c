/* Communities that fell apart: an edge inside was removed, or a node left that joined two parts.
 *
 * Two nodes of a community are in one part if searches from both, in turn, meet. If one of the
 * searches ends before, its nodes are a part of their own, and become a community. So the cost is
 * that of the smaller part, or of the way to where the searches meet.
 */

#include "base/memory.h"
#include "update/changed_rows.h"
#include "update/community_update.h"

/* The nodes found from one of the two nodes; those up to `read` have had their neighbours added. */
typedef struct side {
    int32_t *node;
    int64_t count, read, room;
    int32_t mark;
} side;

typedef struct parting {
    cafe_regrouping *r;
    int32_t *mark; /* of each node the side that found it last; marks never return */
    side sides[2];
    int32_t marks; /* so far */
} parting;

static cafe_status find(parting *p, side *s, int32_t u) {
    CAFE_PASS(cafe_mem_grow(p->r->context, &s->node, &s->room, s->count + 1, sizeof *s->node));
    s->node[s->count++] = u;
    p->mark[u] = s->mark;
    return CAFE_OK;
}

/* Adds the neighbours of the next node; *met: one of them is of the other side. */
static cafe_status go_on(parting *p, side *s, const side *other, bool *met) {
    int32_t u = s->node[s->read++];
    cafe_row_walk row = cafe_row_of(p->r->changes, u);
    for (cafe_entry e; !*met && cafe_row_next(&row, &e);) {
        if (e.after <= 0 || p->r->part[e.w] != p->r->part[u]) continue;
        *met = p->mark[e.w] == other->mark;
        if (!*met && p->mark[e.w] != s->mark) CAFE_PASS(find(p, s, e.w));
    }
    return CAFE_OK;
}

/* The nodes of a side leave their community together, and are visited again. */
static void divide(cafe_regrouping *r, const side *s) {
    cafe_regroup_isolate(r, s->node[0]);
    for (int64_t i = 1; i < s->count; i++) cafe_regroup_put(r, s->node[i], r->part[s->node[0]]);
    for (int64_t i = 0; i < s->count; i++) cafe_regroup_enqueue(r, s->node[i]);
}

/* If u and w, of one community, are in different parts, one of these becomes a community. */
static cafe_status part_pair(parting *p, int32_t u, int32_t w) {
    bool met = false;
    if (u == w || p->r->part[u] != p->r->part[w]) return CAFE_OK;
    for (int i = 0; i < 2; i++) {
        side *s = &p->sides[i];
        s->count = s->read = 0;
        s->mark = ++p->marks;
        CAFE_PASS(find(p, s, i == 0 ? u : w));
    }
    for (int i = 0; !met; i = 1 - i) {
        side *s = &p->sides[i];
        if (s->read == s->count) {
            divide(p->r, s);
            return CAFE_OK;
        }
        CAFE_PASS(go_on(p, s, &p->sides[1 - i], &met));
    }
    return CAFE_OK;
}

/* The neighbours that a node left behind. */
static cafe_status part_neighbours(parting *p, cafe_leaver left) {
    cafe_row_walk row = cafe_row_of(p->r->changes, left.node);
    int32_t first = -1;
    for (cafe_entry e; cafe_row_next(&row, &e);) {
        if (e.w >= p->r->n || p->r->part[e.w] != left.from) continue;
        if (first >= 0 && p->r->part[first] == left.from) CAFE_PASS(part_pair(p, first, e.w));
        if (p->r->part[e.w] == left.from) first = e.w;
    }
    return CAFE_OK;
}

static cafe_status part_all(parting *p) {
    cafe_regrouping *r = p->r;
    const cafe_changes *c = r->changes;
    for (int64_t i = 0; i < c->arc_count; i++) {
        const cafe_changed_arc *arc = &c->arcs[i];
        if (arc->after > 0 || arc->v <= arc->u || arc->v >= r->n) continue;
        CAFE_PASS(part_pair(p, arc->u, arc->v));
    }
    for (int64_t i = 0; i < r->leaver_count; i++) CAFE_PASS(part_neighbours(p, r->leavers[i]));
    r->leaver_count = 0;
    return CAFE_OK;
}

cafe_status cafe_regroup_part(cafe_regrouping *r) {
    parting p = {.r = r, .mark = cafe_mem_zero(r->context, r->n, sizeof *p.mark)};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_mem_had(p.mark));
    status = part_all(&p);
done:
    cafe_mem_free_all(r->context, p.mark, p.sides[0].node, p.sides[1].node);
    return status;
}
