/* The two sides of a bipartite graph: breadth first, in node order, a colour for every level. Edges
 * of either sign go to the other side. Copies of a node in slices of time are on one side. */
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"

enum { CHECK = 65536 };

typedef struct colouring {
    const cafe_graph *g;
    int32_t *queue; /* nodes with a colour; those before head have given it to their neighbours */
    int64_t head, tail;
    int8_t *side;
    bool fits; /* no edge joins equals */
} colouring;

static void put(colouring *c, int32_t u, int8_t side) {
    c->side[u] = side;
    c->queue[c->tail++] = u;
}

/* The neighbours of u by these edges; an edge between slices joins copies of one node. */
static void pass_on(colouring *c, const cafe_graph *edges, int32_t u) {
    const int32_t *slice = c->g->slice;
    for (int64_t j = edges->offsets[u]; j < edges->offsets[u + 1]; j++) {
        int32_t w = edges->targets[j];
        bool copies = slice && slice[u] != slice[w];
        int8_t side = (int8_t)(copies ? c->side[u] : 1 - c->side[u]);
        if (c->side[w] < 0) put(c, w, side);
        if (c->side[w] != side) c->fits = false;
    }
}

/* Colours the component of the nodes in the queue. */
static cafe_status colour(cafe_context *context, colouring *c) {
    while (c->head < c->tail && c->fits) {
        int32_t u = c->queue[c->head++];
        pass_on(c, c->g, u);
        if (c->g->negative) pass_on(c, c->g->negative, u);
        if (c->head % CHECK == 0 && cafe_check_cancel(context) != CAFE_OK) break;
    }
    return cafe_check_cancel(context);
}

static bool has_edges(const cafe_graph *g, int64_t u) {
    return g->offsets[u] < g->offsets[u + 1] || (g->negative && has_edges(g->negative, u));
}

cafe_status cafe_graph_sides(cafe_context *context, const cafe_graph *graph, int8_t *side,
                             int32_t *bipartite) {
    cafe_status status = CAFE_OK;
    int64_t n = graph->n;
    colouring c = {.g = graph, .side = side, .fits = graph->arcs > 0 || graph->negative};
    memset(side, -1, (size_t)n);
    c.queue = cafe_mem(context, n, sizeof *c.queue);
    if (!c.queue) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < n && c.fits && status == CAFE_OK; u++) {
        if (side[u] >= 0 || !has_edges(graph, u)) continue;
        c.head = c.tail = 0;
        put(&c, (int32_t)u, 0);
        status = colour(context, &c);
    }
    *bipartite = c.fits;
    if (!c.fits) memset(side, -1, (size_t)n);
    cafe_mem_free(context, c.queue);
    return status;
}
