/* The counts that follow from a graph's rows.
 *
 * Sums of floating-point weights have one shape for any number of threads, and of processes that
 * share the rows. Rows are added in order within a block of rows, then blocks in order.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "graph/weight_scale.h"

enum { ROWS = CAFE_PORTION_ROWS };

typedef struct tally {
    int64_t loops, isolated, min_degree, max_degree;
    double weight;
} tally;

typedef struct counting {
    const cafe_graph *graph;
    tally *tallies; /* one per block of rows */
    int64_t first;  /* block of the share */
    bool loops;     /* rows may have some */
} counting;

/* Rows have no entry twice: one loop at most. */
static int64_t row_loops(const cafe_graph *graph, int64_t u) {
    int64_t end = graph->offsets[u + 1];
    int64_t at = cafe_row_find(graph->targets, graph->offsets[u], end, u);
    return at < end && graph->targets[at] == u;
}

static void count_rows(const counting *c, int64_t first, int64_t last) {
    const int64_t *offsets = c->graph->offsets;
    tally t = {.min_degree = INT64_MAX};
    for (int64_t u = first; u < last; u++) {
        int64_t entries = offsets[u + 1] - offsets[u];
        int64_t loops = c->loops ? row_loops(c->graph, u) : 0;
        int64_t degree = entries + loops; /* a loop has both its ends here */
        t.loops += loops;
        t.isolated += entries == loops;
        if (degree < t.min_degree) t.min_degree = degree;
        if (degree > t.max_degree) t.max_degree = degree;
        t.weight += cafe_row_sum(offsets, c->graph->weights, u);
    }
    c->tallies[first / ROWS] = t;
}

/* Each process counts the blocks of its share; the others send theirs. */
static void count_block(void *argument, int64_t block) {
    const counting *c = argument;
    block += c->first;
    count_rows(c, block * ROWS, cafe_block_end(c->graph->n, ROWS, block));
}

static void add_tallies(const tally *tallies, int64_t count, cafe_graph *graph) {
    cafe_graph_counts *c = &graph->counts;
    int64_t loops = 0;
    c->isolated = c->max_degree = 0;
    c->total_weight = 0;
    c->min_degree = graph->n > 0 ? INT64_MAX : 0;
    for (const tally *t = tallies; t < tallies + count; t++) {
        loops += t->loops;
        c->isolated += t->isolated;
        c->total_weight += t->weight;
        if (t->min_degree < c->min_degree) c->min_degree = t->min_degree;
        if (t->max_degree > c->max_degree) c->max_degree = t->max_degree;
    }
    c->nodes = graph->n;
    c->edges = (graph->arcs + loops) / 2;
    c->weighted = graph->weights != NULL;
    c->self_loops_kept = loops > 0;
}

/* Collects all tallies, in order, from those of each process's rows. */
static cafe_status gather_tallies(cafe_context *context, const counting *c, int64_t count) {
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(context, c->tallies + c->first, count * (int64_t)sizeof *c->tallies,
                               &all, NULL));
    memcpy(c->tallies, all, (size_t)cafe_blocks(c->graph->n, ROWS) * sizeof *c->tallies);
    cafe_mem_free(context, all);
    return CAFE_OK;
}

cafe_status cafe_graph_tally(cafe_context *context, cafe_graph *graph, bool loops) {
    int64_t blocks = cafe_blocks(graph->n, ROWS);
    cafe_portion portion = cafe_portion_of(graph->portion, graph->n);
    int64_t count = cafe_blocks(portion.last, ROWS) - portion.first / ROWS;
    if (portion.first == portion.last) count = 0;
    counting c = {graph, cafe_mem(context, blocks, sizeof *c.tallies), portion.first / ROWS, loops};
    if (!c.tallies) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_each(context, count, count_block, &c);
    if (status == CAFE_OK && portion.shared) status = gather_tallies(context, &c, count);
    if (status == CAFE_OK) add_tallies(c.tallies, blocks, graph);
    cafe_mem_free(context, c.tallies);
    return status == CAFE_OK ? cafe_graph_scale(context, graph) : status;
}

cafe_status cafe_graph_count(cafe_context *context, cafe_graph *graph, bool loops) {
    CAFE_PASS(cafe_graph_tally(context, graph, loops));
    return cafe_graph_measure_components(context, graph);
}
