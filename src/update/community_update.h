/* Communities after edges changed: nodes near the changes move, then some communities are searched
 * again. All steps work on rows before and after the changes, without the changed graph.
 *
 * With degrees d_u and their sum 2m, the attachment of u to community S is, times 2m,
 *
 *     z_u(S) = sum over w in S, w != u, of a(u,w) - d_u d(S - u) / 2m.
 */
#ifndef CAFE_UPDATE_COMMUNITY_UPDATE_H
#define CAFE_UPDATE_COMMUNITY_UPDATE_H

#include <cafe-private/changes.h>

#include "graph/hash_sums.h"
#include "update/update.h"

/* A node that left a community. */
typedef struct cafe_leaver {
    int32_t node, from;
} cafe_leaver;

/* Communities are numbered 0 .. count-1; some are empty. */
typedef struct cafe_regrouping {
    cafe_context *context;
    const cafe_changes *changes;
    int64_t n, count;
    int32_t *part;
    double *degree, *mass; /* d_u; d(S) */
    int32_t *size;
    double total;   /* 2m */
    double *shift;  /* of each community: the weight that changed, and that nodes took along */
    int32_t *empty; /* stack of communities without nodes */
    int64_t empties;
    cafe_bins *bins;
    int32_t *queue; /* a ring of n places */
    uint8_t *queued;
    int64_t head, waiting;
    int64_t visits;
    cafe_leaver *leavers;
    int64_t leaver_count, leaver_room;
} cafe_regrouping;

/* Nodes with changed edges wait in the queue, and new ones. */
void cafe_regroup_begin(cafe_regrouping *r);
void cafe_regroup_enqueue(cafe_regrouping *r, int64_t u);

/* Nodes of the queue go to their best community, then neighbours of moved nodes, until none
 * gains. */
cafe_status cafe_regroup_move(cafe_regrouping *r);

/* Divides communities that removed edges or leaving nodes made fall apart. The nodes of the smaller
 * part wait in the queue. */
cafe_status cafe_regroup_part(cafe_regrouping *r);

/* Searches communities again whose edges changed: each with a probability of about `share` times
 * the changed share of its edges. Over many days each is searched in proportion to its changes. */
cafe_status cafe_regroup_search(cafe_regrouping *r, double share);

/* Moves u to a community without nodes. */
void cafe_regroup_isolate(cafe_regrouping *r, int64_t u);
void cafe_regroup_put(cafe_regrouping *r, int64_t u, int32_t to);

#endif
