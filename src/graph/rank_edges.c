/* Counts the edges between ranks.
 *
 * Edges are symmetric, so the ranks that keep a ghost of row u are the ranks that own a neighbour
 * of u. One pass over each row marks the ranks that occur, and counts their ghosts and the rows
 * that u's own rank sends. No list of ghosts is made.
 */
#include "graph/rank_edges.h"

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"

enum { RANGE = 4096 };

/* The counts of one worker: for each rank, and the last row that marked it. */
typedef struct tally {
    int64_t *rows, *arcs, *ghosts, *sent, *met;
    int64_t cut, inner;
    char apart[64];
} tally;

typedef struct cut_job {
    const cafe_graph *graph;
    const int32_t *owner; /* of each node */
    tally *tallies;
} cut_job;

static void count_row(const cut_job *job, int64_t u, tally *t) {
    const cafe_graph *g = job->graph;
    int32_t own = job->owner[u];
    int64_t before = t->cut;
    t->rows[own]++;
    t->arcs[own] += g->offsets[u + 1] - g->offsets[u];
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int32_t other = job->owner[g->targets[j]];
        if (other == own) continue;
        t->cut++;
        if (t->met[other] == u + 1) continue;
        t->met[other] = u + 1;
        t->ghosts[other]++;
        t->sent[own]++;
    }
    t->inner += t->cut == before;
}

static void count_range(void *argument, int64_t task, int32_t worker) {
    const cut_job *job = argument;
    int64_t end = cafe_block_end(job->graph->n, RANGE, task);
    for (int64_t u = task * RANGE; u < end; u++) count_row(job, u, &job->tallies[worker]);
}

/* Row i of the order goes to the rank of place i, whatever its node. */
static void fill_owners(const cafe_graph *g, int64_t piece, int64_t ranks, int32_t *owner) {
    for (int64_t i = 0; i < g->n; i++)
        owner[g->order ? g->order[i] : i] = (int32_t)cafe_cut_rank(i, piece, ranks);
}

static cafe_status make_tallies(cafe_context *context, int64_t ranks, tally *tallies) {
    for (int32_t w = 0; w < cafe_threads(context); w++) {
        int64_t *room = cafe_mem_zero(context, 5 * ranks, sizeof *room);
        if (!room) return CAFE_ERROR_MEMORY;
        tallies[w] = (tally){.rows = room,
                             .arcs = room + ranks,
                             .ghosts = room + 2 * ranks,
                             .sent = room + 3 * ranks,
                             .met = room + 4 * ranks};
    }
    return CAFE_OK;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void add_up(const tally *tallies, int32_t workers, int64_t ranks, cafe_cut *cut) {
    for (int32_t w = 0; w < workers; w++) {
        cut->arcs += tallies[w].cut;
        cut->inner += tallies[w].inner;
    }
    for (int64_t r = 0; r < ranks; r++) {
        int64_t rows = 0, arcs = 0, ghosts = 0, sent = 0;
        for (int32_t w = 0; w < workers; w++) {
            rows += tallies[w].rows[r];
            arcs += tallies[w].arcs[r];
            ghosts += tallies[w].ghosts[r];
            sent += tallies[w].sent[r];
        }
        cut->ghosts += ghosts;
        cut->most_rows = larger(cut->most_rows, rows);
        cut->most_arcs = larger(cut->most_arcs, arcs);
        cut->most_ghosts = larger(cut->most_ghosts, ghosts);
        cut->most_sent = larger(cut->most_sent, sent);
    }
}

cafe_status cafe_graph_cut(cafe_context *context, const cafe_graph *graph, int64_t piece,
                           int64_t ranks, cafe_cut *cut) {
    cafe_status status = CAFE_OK;
    int32_t workers = cafe_threads(context);
    tally *tallies = cafe_mem_zero(context, workers, sizeof *tallies);
    int32_t *owner = cafe_mem(context, graph->n, sizeof *owner);
    *cut = (cafe_cut){0};
    CAFE_TRY(cafe_mem_had(tallies, owner));
    CAFE_TRY(make_tallies(context, ranks, tallies));
    fill_owners(graph, piece, ranks, owner);
    cut_job job = {graph, owner, tallies};
    CAFE_TRY(cafe_parallel(context, cafe_blocks(graph->n, RANGE), count_range, &job));
    add_up(tallies, workers, ranks, cut);
done:
    for (int32_t w = 0; tallies && w < workers; w++) cafe_mem_free(context, tallies[w].rows);
    cafe_mem_free_all(context, tallies, owner);
    return status;
}
