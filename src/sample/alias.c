/* Alias tables of all rows: a neighbour by weight in two memory accesses, whatever the degree.
 *
 * A row of k entries becomes k columns of mass 1/k, each shared by its own entry and one other
 * (Vose 1991). Rows are independent, so tables do not depend on the threads.
 */
#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "sample/walk.h"

enum { ROWS = 256 };

typedef struct alias_job {
    const cafe_graph *graph;
    cafe_alias *alias;
    double *mass;  /* per worker: the longest row, in units of the mean */
    int32_t *pile; /* for each worker: entries below the mean from the left, the others from the
                    * right */
    int64_t longest;
} alias_job;

/* Entries below the mean are filled up by entries above it, which may fall below it by that. */
static void build_row(const cafe_graph *g, cafe_alias *alias, int64_t u, double *mass,
                      int32_t *pile) {
    int64_t begin = g->offsets[u], count = g->offsets[u + 1] - begin, low = 0, high = count;
    double sum = 0;
    for (int64_t j = 0; j < count; j++) sum += g->scaled[begin + j];
    for (int64_t j = 0; j < count; j++) {
        mass[j] = g->scaled[begin + j] / sum * (double)count;
        pile[mass[j] < 1 ? low++ : --high] = (int32_t)j;
        alias->keep[begin + j] = 1;
        alias->other[begin + j] = g->targets[begin + j];
    }
    while (low > 0 && high < count) {
        int32_t poor = pile[--low], rich = pile[high];
        alias->keep[begin + poor] = (float)mass[poor];
        alias->other[begin + poor] = g->targets[begin + rich];
        mass[rich] -= 1 - mass[poor];
        if (mass[rich] < 1) {
            high++;
            pile[low++] = rich;
        }
    }
}

static void build_rows(void *argument, int64_t task, int32_t worker) {
    const alias_job *job = argument;
    int64_t n = job->graph->n;
    for (int64_t u = task * ROWS; u < cafe_block_end(n, ROWS, task); u++)
        build_row(job->graph, job->alias, u, job->mass + worker * job->longest,
                  job->pile + worker * job->longest);
}

cafe_status cafe_alias_new(cafe_context *context, const cafe_graph *graph, cafe_alias *alias) {
    cafe_status status = CAFE_OK;
    alias_job job = {.graph = graph, .alias = alias, .longest = 1};
    for (int64_t u = 0; u < graph->n; u++) {
        int64_t count = graph->offsets[u + 1] - graph->offsets[u];
        if (count > job.longest) job.longest = count;
    }
    alias->keep = cafe_mem(context, graph->arcs, sizeof *alias->keep);
    alias->other = cafe_mem(context, graph->arcs, sizeof *alias->other);
    job.mass = cafe_mem(context, job.longest * context->threads, sizeof *job.mass);
    job.pile = cafe_mem(context, job.longest * context->threads, sizeof *job.pile);
    if (!alias->keep || !alias->other || !job.mass || !job.pile)
        status = CAFE_ERROR_MEMORY;
    else
        status = cafe_parallel(context, cafe_blocks(graph->n, ROWS), build_rows, &job);
    cafe_mem_free_all(context, job.mass, job.pile);
    return status; /* the caller frees the tables in any case */
}

void cafe_alias_free(cafe_context *context, cafe_alias *alias) {
    cafe_mem_free_all(context, alias->keep, alias->other);
    *alias = (cafe_alias){NULL, NULL};
}
