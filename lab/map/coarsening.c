/* Coarsening for the map: every node joins its best neighbour (Boruvka's step).
 *
 * The rating of an edge is a(u,w)^2 / (size_u size_w), which keeps groups of even size (Sanders and
 * Schulz, ESA 2011). Ties are broken by the ids of the ends, so the order of edges is total.
 * Following best edges then ends in a pair of nodes that are each other's best: one group per pair,
 * and the number of groups at least halves.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "map/map.h"

enum { BLOCK = 4096 };

typedef struct joining {
    const cafe_map_level *level;
    int32_t *best; /* the node itself when it has no edge */
} joining;

static double rating(const cafe_map_level *level, int64_t u, int64_t arc) {
    double a = cafe_pooled_weight(level->graph, u, arc);
    return a * a / ((double)level->size[u] * level->size[level->graph->targets[arc]]);
}

/* Is edge (u,w) before (u,v) among edges of equal rating? By the smaller end, then the other. */
static bool earlier(int64_t u, int64_t w, int64_t v) {
    int64_t lw = u < w ? u : w, lv = u < v ? u : v;
    return lw != lv ? lw < lv : w < v;
}

static void best_block(void *argument, int64_t first, int64_t last) {
    const joining *j = argument;
    const cafe_pooled *g = j->level->graph;
    for (int64_t u = first; u < last; u++) {
        int32_t best = (int32_t)u;
        double top = 0;
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++) {
            int32_t w = g->targets[arc];
            double r = w == u ? 0 : rating(j->level, u, arc);
            if (r > top || (r == top && best != u && w != u && earlier(u, w, best))) {
                top = r;
                best = w;
            }
        }
        j->best[u] = best;
    }
}

/* Of a pair that are each other's best the smaller is the root. */
static bool is_root(const int32_t *best, int32_t u) {
    return best[u] == u || (best[best[u]] == u && u < best[u]);
}

/* Sets the root of all nodes on the way (-1: unset), so all ways together take linear time. */
static void find_root(const int32_t *best, int32_t *root, int32_t u) {
    int32_t top = u;
    while (root[top] < 0 && !is_root(best, top)) top = best[top];
    int32_t found = root[top] >= 0 ? root[top] : top;
    for (; u != top; u = best[u]) root[u] = found;
    root[top] = found;
}

cafe_status cafe_map_join(cafe_context *context, const cafe_map_level *level, int32_t *group,
                          int64_t *count) {
    int64_t n = level->graph->n;
    joining j = {level, cafe_mem(context, n, sizeof *j.best)};
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!j.best) goto done;
    CAFE_TRY(cafe_ranges(context, n, BLOCK, best_block, &j));
    for (int64_t u = 0; u < n; u++) group[u] = -1;
    for (int64_t u = 0; u < n; u++) find_root(j.best, group, (int32_t)u);
    CAFE_TRY(cafe_groups_number(context, n, group, count));
done:
    cafe_mem_free(context, j.best);
    return status;
}
