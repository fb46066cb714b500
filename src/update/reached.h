/* The nodes that an update has reached: their rows, which it may change, and their pressure.
 *
 * Everything an update does is done to these nodes, so that its cost follows the change. A node is
 * reached when its edges changed, or when the row of a node is read for a neighbour.
 */
#ifndef CAFE_UPDATE_REACHED_H
#define CAFE_UPDATE_REACHED_H

#include <stdatomic.h>

#include "update/update.h"

typedef struct cafe_met {
    _Atomic uint64_t pressure; /* in fixed point (update/active_sweep.c) */
    int32_t node;
    bool swept;
    bool started; /* it has a row: a new node gets one from its neighbours */
} cafe_met;

typedef struct cafe_reached {
    cafe_context *context;
    const cafe_changes *changes;
    const float *rows; /* of the old nodes */
    int64_t columns, stride, count;
    int64_t met_room, h_room;
    int32_t *index; /* of each node its place + 1; 0: not reached */
    cafe_met *met;  /* by place */
    float *h;       /* padded rows, by place */
} cafe_reached;

/* rows: of the old nodes. They must outlive the object; cafe_reached_free() accepts a zeroed one.
 */
cafe_status cafe_reached_new(cafe_context *context, const cafe_changes *changes, int64_t columns,
                             const float *rows, cafe_reached *reached);
void cafe_reached_free(cafe_reached *reached);

/* *place <- that of node u, which is reached now at the latest. May move h. The row of a new node
 * is 0. */
cafe_status cafe_reach(cafe_reached *reached, int64_t u, int64_t *place);

static inline float *cafe_reached_row(const cafe_reached *r, int64_t place) {
    return r->h + place * r->stride;
}

/* The row before the update; NULL: a new node. */
static inline const float *cafe_reached_before(const cafe_reached *r, int64_t u) {
    int64_t from = r->changes->origin[u];
    return from < 0 ? NULL : r->rows + from * r->columns;
}

/* Did the row at this place change? New nodes count. */
bool cafe_reached_moved(const cafe_reached *r, int64_t place);

/* Gives new nodes their rows: the normalised mean of neighbours that have one, again and again;
 * nodes without one after some passes are drawn at random. */
cafe_status cafe_reached_start(cafe_reached *r);

#endif
