/* Nodes of one island next to each other in memory.
 *
 * A round reads the points of all neighbours. In the order of the coarsest groups most neighbours
 * are near in memory and stay in the cache. The order of arcs within a row stays, so sums are the
 * same.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/node_order.h"
#include "map/map.h"

enum { BLOCK = 4096 };

typedef struct sorting {
    const cafe_map_rows *from;
    cafe_map_rows to;
    const int32_t *order, *rank; /* the old number of a new one, and the reverse */
    const int32_t *group;
    int32_t *group_to;
} sorting;

static void copy_block(void *argument, int64_t first, int64_t last) {
    const sorting *s = argument;
    for (int64_t i = first; i < last; i++) {
        int64_t u = s->order[i], at = s->to.offsets[i];
        s->to.node[i] = s->from->node[u];
        s->group_to[i] = s->group[u];
        for (int64_t arc = s->from->offsets[u]; arc < s->from->offsets[u + 1]; arc++, at++) {
            s->to.targets[at] = s->rank[s->from->targets[arc]];
            s->to.weights[at] = s->from->weights[arc];
        }
    }
}

static cafe_status make_room(cafe_context *context, sorting *s) {
    int64_t n = s->from->n, arcs = s->from->offsets[n];
    s->to.n = n;
    s->to.node = cafe_mem(context, n, sizeof *s->to.node);
    s->to.offsets = cafe_mem(context, n + 1, sizeof *s->to.offsets);
    s->to.targets = cafe_mem(context, arcs, sizeof *s->to.targets);
    s->to.weights = cafe_mem(context, arcs, sizeof *s->to.weights);
    s->group_to = cafe_mem(context, n, sizeof *s->group_to);
    CAFE_PASS(cafe_mem_had(s->to.node, s->to.offsets, s->to.targets, s->to.weights, s->group_to));
    s->to.offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t u = s->order[i];
        s->to.offsets[i + 1] = s->to.offsets[i] + s->from->offsets[u + 1] - s->from->offsets[u];
    }
    return CAFE_OK;
}

cafe_status cafe_map_order(cafe_context *context, const int32_t *key, int64_t keys,
                           cafe_map_rows *rows, int32_t **group) {
    int32_t *order = cafe_mem(context, rows->n, sizeof *order);
    int32_t *rank = cafe_mem(context, rows->n, sizeof *rank);
    sorting s = {.from = rows, .order = order, .rank = rank, .group = *group};
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!order || !rank) goto done;
    CAFE_TRY(cafe_order_by_keys(context, rows->n, key, keys, order));
    for (int64_t i = 0; i < rows->n; i++) rank[order[i]] = (int32_t)i;
    CAFE_TRY(make_room(context, &s));
    CAFE_TRY(cafe_ranges(context, rows->n, BLOCK, copy_block, &s));
    cafe_map_rows old = *rows;
    int32_t *old_group = *group;
    *rows = s.to;
    *group = s.group_to;
    s.to = old;
    s.group_to = old_group;
done:
    cafe_map_unlink(context, &s.to);
    cafe_mem_free_all(context, s.group_to, order, rank);
    return status;
}
