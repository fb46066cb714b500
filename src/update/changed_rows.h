/* The rows of a graph before and after changes, read without the changed graph.
 *
 * The rows come from the old graph and the changed arcs. Nodes have the numbers of the new graph.
 * Weights are in the unit of the old graph's scaled weights (graph/weight_scale.h).
 */
#ifndef CAFE_UPDATE_CHANGED_ROWS_H
#define CAFE_UPDATE_CHANGED_ROWS_H

#include "graph/graph.h"
#include "graph/weight_scale.h"
#include "update/update.h"

/* An arc to w with its weight on both days; 0: there is none. */
typedef struct cafe_entry {
    int32_t w;
    float before, after;
} cafe_entry;

typedef struct cafe_row_walk {
    const cafe_changes *changes;
    int64_t at, end;                            /* arcs of the old row that are left */
    const cafe_changed_arc *first, *arc, *last; /* the changed arcs; those from `arc` on are left */
} cafe_row_walk;

/* The first of the changed arcs first .. last-1, in order, that is not before (u,w). */
static inline const cafe_changed_arc *cafe_changed_find(const cafe_changed_arc *first,
                                                        const cafe_changed_arc *last, int64_t u,
                                                        int64_t w) {
    while (first < last) {
        const cafe_changed_arc *middle = first + (last - first) / 2;
        if (middle->u < u || (middle->u == u && middle->v < w))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static inline cafe_row_walk cafe_row_of(const cafe_changes *c, int64_t u) {
    const cafe_changed_arc *end = c->arcs + c->arc_count;
    int64_t from = c->origin[u];
    cafe_row_walk row = {.changes = c};
    row.first = row.arc = cafe_changed_find(c->arcs, end, u, 0);
    row.last = cafe_changed_find(row.first, end, u + 1, 0);
    if (from < 0) return row;
    row.at = c->old->offsets[from];
    row.end = c->old->offsets[from + 1];
    return row;
}

/* Takes the next entry: unchanged arcs in the order of the old row, then the changed ones. */
static inline bool cafe_row_next(cafe_row_walk *row, cafe_entry *e) {
    const cafe_changes *c = row->changes;
    const cafe_graph *old = c->old;
    while (row->at < row->end) {
        int64_t j = row->at++;
        int32_t w = c->place[old->targets[j]];
        if (row->first < row->last) {
            const cafe_changed_arc *arc =
                cafe_changed_find(row->first, row->last, row->first->u, w);
            if (arc < row->last && arc->v == w) continue;
        }
        float a = old->scaled ? old->scaled[j] : 1;
        *e = (cafe_entry){w, a, a};
        return true;
    }
    if (row->arc == row->last) return false;
    *e = (cafe_entry){row->arc->v, (float)cafe_graph_to_scaled(old, row->arc->before),
                      (float)cafe_graph_to_scaled(old, row->arc->after)};
    row->arc++;
    return true;
}

#endif
