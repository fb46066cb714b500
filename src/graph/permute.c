/* The same graph with its nodes in another order: rows and labels of nodes that are next to each
 * other in the order are next to each other in memory.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "graph/coarsen.h"

enum { NODES = 4096 }; /* of a task */

typedef struct permute_job {
    const cafe_pooled *g;
    const int32_t *order, *place;
    int64_t *offsets;
    int32_t *targets;
    float *single, *factor;
    double *loops, *mass;
} permute_job;

/* Row i of the new graph is that of order[i], its neighbours called by their places. */
static void copy_row(const permute_job *job, int64_t i) {
    const cafe_pooled *g = job->g;
    int64_t u = job->order[i], end = g->offsets[u + 1], at = job->offsets[i];
    for (int64_t j = g->offsets[u]; j < end; j++, at++) {
        job->targets[at] = cafe_pooled_label(g, job->place, j, end);
        if (g->single) job->single[at] = g->single[j];
    }
}

static void count_rows(void *argument, int64_t first, int64_t last) {
    const permute_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        int32_t u = job->order[i];
        job->offsets[i + 1] = job->g->offsets[u + 1] - job->g->offsets[u];
    }
}

static void copy_rows(void *argument, int64_t first, int64_t last) {
    const permute_job *job = argument;
    const cafe_pooled *g = job->g;
    for (int64_t i = first; i < last; i++) {
        int32_t u = job->order[i];
        cafe_pooled_send_for(g, job->place, job->order, i, last);
        copy_row(job, i);
        job->mass[i] = g->mass[u];
        if (g->factor) job->factor[i] = g->factor[u];
        if (g->loops) job->loops[i] = g->loops[u];
    }
}

/* What the graph does not have stays NULL. */
static cafe_status allocate(cafe_context *context, permute_job *job) {
    const cafe_pooled *g = job->g;
    int64_t n = g->n, arcs = g->offsets[n];
    job->offsets = cafe_mem(context, n + 1, sizeof *job->offsets);
    job->targets = cafe_mem(context, arcs, sizeof *job->targets);
    job->mass = cafe_mem(context, n, sizeof *job->mass);
    CAFE_PASS(cafe_mem_had(job->offsets, job->targets, job->mass));
    if (g->single) job->single = cafe_mem(context, arcs, sizeof *job->single);
    if (g->factor) job->factor = cafe_mem(context, n, sizeof *job->factor);
    if (g->loops) job->loops = cafe_mem(context, n, sizeof *job->loops);
    bool had = !g->single == !job->single && !g->factor == !job->factor && !g->loops == !job->loops;
    return had ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status cafe_pooled_permute(cafe_context *context, const cafe_pooled *g, const int32_t *order,
                                const int32_t *place, cafe_pooled **permuted) {
    cafe_status status = CAFE_OK;
    permute_job job = {.g = g, .order = order, .place = place};
    cafe_pooled *made = cafe_mem_zero(context, 1, sizeof *made);
    *permuted = NULL;
    CAFE_TRY(made ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(allocate(context, &job));
    CAFE_TRY(cafe_ranges(context, g->n, NODES, count_rows, &job));
    job.offsets[0] = 0;
    for (int64_t i = 0; i < g->n; i++) job.offsets[i + 1] += job.offsets[i];
    CAFE_TRY(cafe_ranges(context, g->n, NODES, copy_rows, &job));
    *made = (cafe_pooled){.context = context,
                          .n = g->n,
                          .offsets = job.offsets,
                          .targets = job.targets,
                          .single = job.single,
                          .factor = job.factor,
                          .loops = job.loops,
                          .mass = job.mass,
                          .total = g->total,
                          .widest = g->widest};
    *permuted = made;
done:
    if (status == CAFE_OK) return status;
    cafe_mem_free_all(context, made, job.offsets, job.targets, job.single, job.factor, job.loops,
                      job.mass);
    return status;
}
