/* The start of layers: a partition from outside as one of all nodes, and nodes that are kept.
 *
 * Kept nodes of one community become one node before anything else, and that node never moves.
 * Communities begin with at most one such node. A move takes none of them along, and refinement
 * splits communities only, so every community of every level has at most one. Kept nodes of one
 * community therefore stay together, and those of two communities apart.
 */
#include "solve/layers_start.h"

#include <string.h>

#include "base/memory.h"
#include "solve/layers_search.h"

/* ---- the partition --------------------------------------------------------------------------- */

/* Gives nodes without a community numbers that no community has. There are enough: the communities
 * of the other nodes are no more than these. */
static void place_alone(int64_t n, const uint8_t *used, int32_t *part) {
    int32_t next = 0;
    for (int64_t u = 0; u < n; u++) {
        if (part[u] >= 0) continue;
        while (used[next]) next++;
        part[u] = next++;
    }
}

static cafe_status check_part(cafe_context *context, int64_t n, const int32_t *part) {
    for (int64_t u = 0; u < n; u++)
        if (part[u] < -1 || part[u] >= n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "node %lld starts in community %d: numbers from 0 to %lld, or -1",
                             (long long)u, (int)part[u], (long long)n - 1);
    return CAFE_OK;
}

cafe_status cafe_layers_take_start(cafe_context *context, int64_t n, const cafe_layers_start *start,
                                   int32_t *part) {
    int64_t count;
    CAFE_PASS(check_part(context, n, start->part));
    uint8_t *used = cafe_mem_zero(context, n, sizeof *used);
    if (!used) return CAFE_ERROR_MEMORY;
    memcpy(part, start->part, (size_t)n * sizeof *part);
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= 0) used[part[u]] = 1;
    place_alone(n, used, part);
    cafe_mem_free(context, used);
    return cafe_groups_number(context, n, part, &count);
}

/* ---- nodes that are kept --------------------------------------------------------------------- */

/* place[u] <- a node of its group: the first kept one of its community, or u itself. */
static void group_kept(int64_t n, const uint8_t *keep, const int32_t *part, int32_t *first,
                       int32_t *place) {
    for (int64_t u = 0; u < n; u++) first[u] = -1;
    for (int64_t u = 0; u < n; u++) {
        if (keep[u] && first[part[u]] < 0) first[part[u]] = (int32_t)u;
        place[u] = keep[u] ? first[part[u]] : (int32_t)u;
    }
}

/* part of nodes becomes part of groups. Groups are numbered by first appearance, so the entries
 * that are written were read before. */
static void pool_part(int64_t n, const int32_t *place, int32_t *part) {
    for (int64_t u = 0; u < n; u++) part[place[u]] = part[u];
}

cafe_status cafe_layers_join_kept(cafe_context *context, const cafe_pooled *finest,
                                  const uint8_t *keep, int32_t *part, int32_t *place,
                                  cafe_pooled **joined) {
    cafe_status status = CAFE_OK;
    int64_t n = finest->n, count;
    cafe_pooled marked = *finest;
    int32_t *first = cafe_mem(context, n, sizeof *first);
    *joined = NULL;
    marked.kept = keep;
    CAFE_TRY(cafe_mem_had(first));
    group_kept(n, keep, part, first, place);
    CAFE_TRY(cafe_groups_number(context, n, place, &count));
    pool_part(n, place, part);
    CAFE_TRY(cafe_coarsen(context, &marked, place, count, joined));
done:
    cafe_mem_free(context, first);
    return status;
}

/* ---- a part of a graph ----------------------------------------------------------------------- */

cafe_status cafe_layers_improve(cafe_context *context, const cafe_pooled *g, int32_t *part) {
    cafe_layers_start start = {.steady = false};
    cafe_layers_options options;
    cafe_search s = {.given = &start, .quiet = true};
    cafe_status status = CAFE_OK;
    cafe_layers_options_init(&options);
    s.h.options = &options;
    CAFE_TRY(cafe_search_open(context, g, &s));
    memcpy(s.meet, part, (size_t)g->n * sizeof *part);
    CAFE_TRY(cafe_search_run(context, &s));
    memcpy(part, top_partition(s.best), (size_t)g->n * sizeof *part);
done:
    cafe_search_free(context, &s);
    return status;
}
