/* Draws edges until a simple graph has enough of them.
 *
 * In each round: draw as many edges as are missing, build the graph of these and the edges up to
 * now (loops and repeated edges disappear), count the missing ones. One array of the final size
 * holds all edges: those of the last graph at its front, the new ones after them. An edge depends
 * on its number alone, and numbers continue from round to round. So the graph is the same for any
 * number of threads and never has too many edges.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "generate/generate.h"
#include "graph/builder.h"
#include "graph/graph.h"

enum { LINKS = 1 << 14, ROWS = 4096, LARGE = 1 << 20, LEAST_ROUNDS = 8, MOST_ROUNDS = 1000 };

typedef struct rounds {
    const cafe_drawing *drawing;
    int32_t *source, *target; /* `wanted` of them */
    int64_t wanted;
    int64_t missing[2]; /* edges of each kind to draw */
    int64_t edges;      /* at the front of the arrays */
    uint64_t drawn;     /* edges drawn so far: the number of the next */
    const cafe_graph *graph;
    int64_t *starts; /* of the edges of each block of rows */
    atomic_llong kinds[2];
} rounds;

static void draw_links(void *argument, int64_t first, int64_t last) {
    rounds *r = argument;
    const cafe_drawing *d = r->drawing;
    for (int64_t i = first; i < last; i++)
        d->draw(d->model, i >= r->missing[0], r->drawn + (uint64_t)i, &r->source[r->edges + i],
                &r->target[r->edges + i]);
}

/* The edges of a block of rows by kind; how many there are goes to starts[task + 1]. */
static void count_kinds(void *argument, int64_t first, int64_t last) {
    rounds *r = argument;
    const cafe_graph *g = r->graph;
    const int32_t *labels = r->drawing->labels;
    int64_t kinds[2] = {0, 0};
    for (int64_t u = first; u < last; u++)
        for (int64_t i = g->offsets[u + 1]; i-- > g->offsets[u] && g->targets[i] > u;)
            kinds[labels && labels[u] != labels[g->targets[i]]]++;
    r->starts[first / ROWS + 1] = kinds[0] + kinds[1];
    atomic_fetch_add(&r->kinds[0], kinds[0]);
    atomic_fetch_add(&r->kinds[1], kinds[1]);
}

static void list_edges(void *argument, int64_t first, int64_t last) {
    rounds *r = argument;
    const cafe_graph *g = r->graph;
    int64_t at = r->starts[first / ROWS];
    for (int64_t u = first; u < last; u++)
        for (int64_t i = g->offsets[u + 1]; i-- > g->offsets[u] && g->targets[i] > u;) {
            r->source[at] = (int32_t)u;
            r->target[at++] = g->targets[i];
        }
}

/* Draws the missing edges and builds the graph of all edges. */
static cafe_status draw_and_build(cafe_context *context, rounds *r, cafe_graph **graph) {
    int64_t fresh = r->missing[0] + r->missing[1];
    cafe_links links = {.nodes = r->drawing->nodes, .count = r->edges + fresh};
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    links.source = r->source;
    links.target = r->target;
    CAFE_PASS(cafe_ranges(context, fresh, LINKS, draw_links, r));
    r->drawn += (uint64_t)fresh;
    return cafe_graph_build(context, &links, &options, graph);
}

/* Counts the missing edges and moves the present ones to the front of the arrays. */
static cafe_status take_stock(cafe_context *context, rounds *r, const cafe_graph *graph) {
    int64_t blocks = cafe_blocks(graph->n, ROWS);
    r->graph = graph;
    atomic_store(&r->kinds[0], 0);
    atomic_store(&r->kinds[1], 0);
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, count_kinds, r));
    for (int64_t b = 0; b < blocks; b++) r->starts[b + 1] += r->starts[b];
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, list_edges, r));
    r->edges = r->starts[blocks];
    for (int k = 0; k < 2; k++) r->missing[k] = r->drawing->wanted[k] - atomic_load(&r->kinds[k]);
    cafe_step(context, r->edges, 0);
    return CAFE_OK;
}

/* Large graphs may lack one edge in 200, small ones none. A model may be nearly full (more edges
 * wanted than it has likely pairs), so patience ends: sooner when a round is dear. */
static bool is_done(const rounds *r, int round) {
    int64_t missing = r->missing[0] + r->missing[1];
    int64_t allowed = r->wanted < LARGE ? 0 : r->wanted / 200;
    int64_t patience = LEAST_ROUNDS + 16 * (int64_t)LARGE / (r->wanted + 1);
    return missing <= allowed || round >= (patience < MOST_ROUNDS ? patience : MOST_ROUNDS);
}

static cafe_status draw_rounds(cafe_context *context, rounds *r, cafe_graph **graph) {
    for (int round = 1;; round++) {
        CAFE_PASS(draw_and_build(context, r, graph));
        CAFE_PASS(take_stock(context, r, *graph));
        if (is_done(r, round)) break;
        cafe_graph_free(*graph);
        *graph = NULL;
    }
    (*graph)->counts = (cafe_graph_counts){.lines = r->edges};
    return CAFE_OK;
}

cafe_status cafe_generate_links(cafe_context *context, const cafe_drawing *drawing,
                                cafe_graph **graph) {
    rounds r = {.drawing = drawing, .missing = {drawing->wanted[0], drawing->wanted[1]}};
    cafe_status status = CAFE_ERROR_MEMORY;
    r.wanted = drawing->wanted[0] + drawing->wanted[1];
    *graph = NULL;
    r.source = cafe_mem(context, r.wanted, sizeof *r.source);
    r.target = cafe_mem(context, r.wanted, sizeof *r.target);
    r.starts = cafe_mem_zero(context, cafe_blocks(drawing->nodes, ROWS) + 1, sizeof *r.starts);
    if (!r.source || !r.target || !r.starts) goto done;
    CAFE_TRY(draw_rounds(context, &r, graph));
done:
    cafe_mem_free_all(context, r.source, r.target, r.starts);
    if (status != CAFE_OK) {
        cafe_graph_free(*graph);
        *graph = NULL;
    }
    return status;
}
