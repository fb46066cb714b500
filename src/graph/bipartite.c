/* The two sides of a bipartite graph: breadth first, in node order, a colour for every level. */
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"

enum { CHECK = 65536 };

/* Colours the component of `root`, whose colour is there; *fits: no edge joins equals. */
static cafe_status colour(cafe_context *context, const cafe_graph *g, int32_t root, int32_t *queue,
                          int8_t *side, int32_t *fits) {
    int64_t head = 0, tail = 0;
    queue[tail++] = root;
    while (head < tail && *fits) {
        int32_t u = queue[head++];
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            int32_t w = g->targets[j];
            if (side[w] == side[u]) *fits = 0;
            if (side[w] >= 0) continue;
            side[w] = (int8_t)(1 - side[u]);
            queue[tail++] = w;
        }
        if (head % CHECK == 0 && cafe_check_cancel(context) != CAFE_OK) break;
    }
    return cafe_check_cancel(context);
}

cafe_status cafe_graph_sides(cafe_context *context, const cafe_graph *graph, int8_t *side,
                             int32_t *bipartite) {
    cafe_status status = CAFE_OK;
    int64_t n = graph->n;
    *bipartite = graph->arcs > 0;
    memset(side, -1, (size_t)n);
    int32_t *queue = cafe_mem(context, n, sizeof *queue);
    if (!queue) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n && *bipartite && status == CAFE_OK; u++) {
        if (side[u] >= 0 || graph->offsets[u] == graph->offsets[u + 1]) continue;
        side[u] = 0;
        status = colour(context, graph, (int32_t)u, queue, side, bipartite);
    }
    if (!*bipartite) memset(side, -1, (size_t)n);
    cafe_mem_free(context, queue);
    return status;
}
