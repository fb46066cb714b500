/* The difference of two whole graphs as changes of the first: nodes matched by name unless the
 * caller has done so, then rows compared one by one.
 *
 * The numbers are those of the new graph. Nodes that it lacks have numbers behind, so that their
 * edges can be removed.
 */
#include <stdlib.h>
#include <string.h>

#include <cafe-private/changes.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "update/update.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

static int64_t integer_name(const cafe_graph *graph, int64_t u) {
    return graph->names.kind == CAFE_NAMES_INTEGER ? graph->names.integers[u] : u;
}

/* Integer names ascend in both graphs. */
static void match_integers(const cafe_graph *old, const cafe_graph *now, int32_t *origin) {
    int64_t at = 0;
    for (int64_t u = 0; u < now->n; u++) {
        int64_t name = integer_name(now, u);
        while (at < old->n && integer_name(old, at) < name) at++;
        origin[u] = at < old->n && integer_name(old, at) == name ? (int32_t)at : -1;
    }
}

/* Node u has the same text in both graphs. */
static bool same_text(const cafe_names *a, const cafe_names *b, int64_t u) {
    int64_t length = a->start[u + 1] - a->start[u];
    return length == b->start[u + 1] - b->start[u] &&
           memcmp(a->text + a->start[u], b->text + b->start[u], (size_t)length) == 0;
}

/* Most nodes are where they were: only others are looked up. */
static cafe_status match_texts(cafe_context *context, const cafe_graph *old, const cafe_graph *now,
                               int32_t *origin) {
    bool strings = old->names.kind == CAFE_NAMES_STRING && now->names.kind == CAFE_NAMES_STRING;
    size_t room = 0;
    char unused, *name;
    for (int64_t u = 0; u < now->n; u++) {
        size_t length = cafe_graph_name(now, u, &unused, 1) + 1;
        if (length > room) room = length;
    }
    name = cafe_mem(context, (int64_t)room + 1, 1);
    if (!name) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < now->n; u++) {
        origin[u] = (int32_t)u;
        if (strings && u < old->n && same_text(&old->names, &now->names, u)) continue;
        cafe_graph_name(now, u, name, room);
        origin[u] = (int32_t)cafe_graph_find(old, name);
    }
    cafe_mem_free(context, name);
    return CAFE_OK;
}

/* place[] from origin[]; old nodes that the new graph lacks get numbers behind its own. */
static void number_lost(cafe_changes *c) {
    for (int64_t u = 0; u < c->old_nodes; u++) c->place[u] = -1;
    c->counts.new_nodes = 0;
    for (int64_t u = 0; u < c->graph->n; u++) {
        if (c->origin[u] >= 0)
            c->place[c->origin[u]] = (int32_t)u;
        else
            c->counts.new_nodes++;
    }
    c->nodes = c->graph->n;
    c->same_numbers = c->graph->n == c->old_nodes && c->counts.new_nodes == 0;
    for (int64_t u = 0; u < c->old_nodes; u++) {
        c->same_numbers = c->same_numbers && c->place[u] == u;
        if (c->place[u] >= 0) continue;
        c->origin[c->nodes] = (int32_t)u;
        c->place[u] = (int32_t)c->nodes++;
    }
    c->counts.lost_nodes = c->nodes - c->graph->n;
}

static cafe_status match_nodes(cafe_changes *c, const int32_t *origin) {
    const cafe_graph *old = c->old, *now = c->graph;
    int64_t most = old->n + now->n;
    if (most > CAFE_MOST_NODES)
        return cafe_fail(c->context, CAFE_ERROR_LIMIT, "more than %d nodes in both graphs",
                         CAFE_MOST_NODES);
    c->origin = cafe_mem(c->context, most, sizeof *c->origin);
    c->place = cafe_mem(c->context, old->n, sizeof *c->place);
    CAFE_PASS(cafe_mem_had(c->origin, c->place));
    if (origin)
        memcpy(c->origin, origin, (size_t)now->n * sizeof *origin);
    else if (old->names.kind != CAFE_NAMES_STRING && now->names.kind != CAFE_NAMES_STRING)
        match_integers(old, now, c->origin);
    else
        CAFE_PASS(match_texts(c->context, old, now, c->origin));
    number_lost(c);
    return CAFE_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct neighbour {
    int32_t w;
    float weight;
} neighbour;

typedef struct comparing {
    cafe_changes *changes;
    neighbour *row; /* an old row under new numbers */
    int64_t count, room, arc_room;
} comparing;

static int by_number(const void *a, const void *b) {
    int32_t x = ((const neighbour *)a)->w, y = ((const neighbour *)b)->w;
    return (x > y) - (x < y);
}

static cafe_status take_old_row(comparing *d, int64_t u) {
    const cafe_changes *c = d->changes;
    const cafe_graph *old = c->old;
    int64_t from = c->origin[u];
    bool sorted = true;
    d->count = 0;
    if (from < 0) return CAFE_OK;
    CAFE_PASS(cafe_mem_grow(c->context, &d->row, &d->room,
                            old->offsets[from + 1] - old->offsets[from], sizeof *d->row));
    for (int64_t j = old->offsets[from]; j < old->offsets[from + 1]; j++) {
        int32_t w = c->place[old->targets[j]];
        sorted = sorted && (d->count == 0 || d->row[d->count - 1].w < w);
        d->row[d->count++] = (neighbour){w, old->weights ? old->weights[j] : 1};
    }
    if (!sorted) qsort(d->row, (size_t)d->count, sizeof *d->row, by_number);
    return CAFE_OK;
}

static cafe_status note(comparing *d, int64_t u, int32_t w, float before, float after) {
    cafe_changes *c = d->changes;
    if (before == after) return CAFE_OK;
    CAFE_PASS(cafe_mem_grow(c->context, &c->arcs, &d->arc_room, c->arc_count + 1, sizeof *c->arcs));
    c->arcs[c->arc_count++] = (cafe_changed_arc){(int32_t)u, w, before, after};
    if (w < u) return CAFE_OK; /* counted in the other row */
    c->counts.added += before == 0;
    c->counts.removed += after == 0;
    c->counts.reweighted += before != 0 && after != 0;
    return CAFE_OK;
}

static cafe_status compare_row(comparing *d, int64_t u) {
    cafe_changes *c = d->changes;
    const cafe_graph *now = c->graph;
    int64_t i = 0, before = c->arc_count, j = 0, end = 0;
    CAFE_PASS(take_old_row(d, u));
    if (u < now->n) j = now->offsets[u], end = now->offsets[u + 1];
    while (i < d->count || j < end) {
        int32_t a = i < d->count ? d->row[i].w : INT32_MAX,
                b = j < end ? now->targets[j] : INT32_MAX;
        float was = a <= b ? d->row[i].weight : 0;
        float is = b <= a ? (now->weights ? now->weights[j] : 1) : 0;
        CAFE_PASS(note(d, u, a < b ? a : b, was, is));
        i += a <= b;
        j += b <= a;
    }
    c->counts.touched += c->arc_count > before;
    return CAFE_OK;
}

static cafe_status compare_rows(cafe_changes *c) {
    comparing d = {.changes = c};
    cafe_status status = CAFE_OK;
    for (int64_t u = 0; u < c->nodes && status == CAFE_OK; u++) {
        status = compare_row(&d, u);
        if (u % 4096 == 0 && status == CAFE_OK) status = cafe_check_cancel(c->context);
    }
    cafe_mem_free(c->context, d.row);
    c->counts.lines = c->counts.added + c->counts.removed + c->counts.reweighted;
    return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

cafe_status cafe_changes_between(cafe_context *context, const cafe_graph *old,
                                 const cafe_graph *now, const int32_t *origin,
                                 cafe_changes **changes) {
    cafe_status status = CAFE_OK;
    *changes = NULL;
    cafe_changes *c = cafe_mem_zero(context, 1, sizeof *c);
    if (!c) return CAFE_ERROR_MEMORY;
    cafe_phase(context, "changes", 0);
    c->context = context;
    c->old = old;
    c->graph = now;
    c->made = true;
    c->counts.reading = c->reading;
    c->old_nodes = old->n;
    c->weighted = old->weights || now->weights;
    CAFE_TRY(match_nodes(c, origin));
    c->counts.origin = c->origin;
    CAFE_TRY(compare_rows(c));
    *changes = c;
    c = NULL;
done:
    cafe_changes_free(c);
    cafe_phase(context, "", 0);
    return status;
}

/* ---- the same nodes -------------------------------------------------------------------------- */

int64_t cafe_graph_ends(const cafe_graph *graph, int32_t *source, int32_t *target) {
    int64_t count = 0;
    for (int64_t u = 0; u < graph->n; u++)
        for (int64_t j = graph->offsets[u]; j < graph->offsets[u + 1]; j++) {
            if (graph->targets[j] <= u) continue;
            if (source) source[count] = (int32_t)u, target[count] = graph->targets[j];
            count++;
        }
    return count;
}

cafe_status cafe_graph_over(cafe_context *context, const cafe_graph *graph, const cafe_graph *other,
                            int64_t *lost, cafe_graph **over) {
    cafe_status status = CAFE_OK;
    cafe_changes *changes = NULL;
    int64_t count = cafe_graph_ends(other, NULL, NULL), kept = 0;
    int32_t *source = cafe_mem(context, count, sizeof *source);
    int32_t *target = cafe_mem(context, count, sizeof *target);
    float *weight = cafe_mem(context, count, sizeof *weight);
    *over = NULL;
    CAFE_TRY(cafe_mem_had(source, target, weight));
    CAFE_TRY(cafe_changes_between(context, other, graph, NULL, &changes));
    for (int64_t u = 0; u < other->n; u++)
        for (int64_t j = other->offsets[u]; j < other->offsets[u + 1]; j++) {
            int32_t from = changes->place[u], to = changes->place[other->targets[j]];
            if (other->targets[j] <= u || from >= graph->n || to >= graph->n) continue;
            source[kept] = from;
            target[kept] = to;
            weight[kept++] = other->weights ? other->weights[j] : 1;
        }
    *lost = count - kept;
    CAFE_TRY(cafe_graph_from_edges(context, graph->n, kept, source, target,
                                   other->weights ? weight : NULL, NULL, over));
done:
    cafe_changes_free(changes);
    cafe_mem_free_all(context, source, target, weight);
    return status;
}
