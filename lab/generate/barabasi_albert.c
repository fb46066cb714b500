/* Barabasi-Albert growth, in parallel (Sanders and Schulz, IPL 116, 2016).
 *
 * The first c+1 nodes form a complete graph. Every later node brings about the same number of edges
 * to older nodes, each chosen in proportion to its degree. Number the edges from 0 and write their
 * ends in a row: the new node at 2i, the old one at 2i+1. An end drawn uniformly among the ends of
 * earlier edges is such a choice. The end that edge i draws depends on i alone. To find the node at
 * end 2i+1, draw it again and follow it until an end with a known node: half of all ends, so about
 * two steps.
 *
 * A node that draws the same older node twice has an edge too few. These edges are drawn again from
 * random later nodes.
 */
#include <math.h>

#include "base/thread_pool.h"
#include "generate/generate.h"

typedef struct growth {
    uint64_t seed;
    int64_t n;
    int64_t core;       /* c: nodes 0 .. c are linked with each other */
    int64_t core_links; /* c (c+1) / 2 */
    int64_t links;      /* of all the nodes after the core */
    int64_t edges;
} growth;

static int64_t later_nodes(const growth *g) {
    return g->n - 1 - g->core;
}

/* The first edge of node u > c, and the node that edge i comes with. */
static int64_t first_link(const growth *g, int64_t u) {
    return g->core_links + cafe_share_start(g->links, later_nodes(g), u - g->core - 1);
}
static int64_t node_of_link(const growth *g, int64_t i) {
    return g->core + 1 + cafe_share_of(g->links, later_nodes(g), i - g->core_links);
}

/* Edge i of the core joins a and b < a, i = a (a-1) / 2 + b. */
static void core_link(int64_t i, int64_t *a, int64_t *b) {
    int64_t x = (int64_t)((1 + sqrt(1 + 8 * (double)i)) / 2);
    while (x * (x - 1) / 2 > i) x--;
    while (x * (x + 1) / 2 <= i) x++;
    *a = x;
    *b = i - x * (x - 1) / 2;
}

/* An end that nodes older than u filled. */
static int64_t draw_end(const growth *g, uint64_t stream, uint64_t index, int64_t u) {
    cafe_random4 r = cafe_philox(g->seed, stream, index);
    return (int64_t)cafe_below(r.v[0], r.v[1], 2 * (uint64_t)first_link(g, u));
}

static int64_t node_at_end(const growth *g, int64_t end) {
    for (;;) {
        int64_t i = end / 2, a, b;
        if (i < g->core_links) {
            core_link(i, &a, &b);
            return end % 2 ? b : a;
        }
        int64_t u = node_of_link(g, i);
        if (end % 2 == 0) return u;
        end = draw_end(g, CAFE_STREAM_LINKS, (uint64_t)i, u);
    }
}

static void draw(const void *model, int kind, uint64_t index, int32_t *u, int32_t *w) {
    const growth *g = model;
    int64_t end = 2 * (int64_t)index + 1;
    (void)kind;
    if (index < (uint64_t)g->edges) {
        *u = (int32_t)node_at_end(g, end - 1);
        *w = (int32_t)node_at_end(g, end);
    } else {
        cafe_random4 r = cafe_philox(g->seed, CAFE_STREAM_MORE_LINKS, 2 * index);
        uint64_t later = cafe_below(r.v[0], r.v[1], (uint64_t)later_nodes(g));
        *u = (int32_t)(g->core + 1 + (int64_t)later);
        end = draw_end(g, CAFE_STREAM_MORE_LINKS, 2 * index + 1, *u);
        *w = (int32_t)node_at_end(g, end);
    }
}

/* The smallest c with c edges for every later node enough: c (c+1)/2 + c (n-1-c) >= edges. Then
 * c (c+1)/2 <= edges too, and every node after the core has c or c-1 edges, at least one. */
static int64_t choose_core(int64_t n, int64_t edges) {
    int64_t c = edges / n > 1 ? edges / n : 1;
    while (c < n - 1 && c * n - c * (c + 1) / 2 < edges) c++;
    return c < n - 1 ? c : n - 1;
}

cafe_status cafe_generate_ba(cafe_context *context, const cafe_generate_options *options,
                             cafe_graph **graph) {
    growth g = {.seed = context->seed, .n = options->nodes, .edges = options->edges};
    g.core = choose_core(g.n, g.edges);
    g.core_links = g.core * (g.core + 1) / 2;
    g.links = g.edges - g.core_links;
    cafe_drawing d = {.nodes = g.n, .wanted = {g.edges, 0}, .draw = draw, .model = &g};
    return cafe_generate_links(context, &d, graph);
}
