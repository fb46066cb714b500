/* The same rows with their nodes in another order: rows and labels of nodes that are next to each
 * other in the order are next to each other in memory.
 */
#include "graph/permutation.h"

#include <string.h>

#include "base/memory.h"

enum { NODES = 4096 }; /* of a task */

typedef struct permute_job {
    const cafe_pooled *g;
    const int32_t *order;
    const int32_t *place;
    int32_t *found;
    cafe_rows *rows;
    float *factor;
    double *loops, *mass, *f;
} permute_job;

static void find_places(void *argument, int64_t first, int64_t last) {
    const permute_job *job = argument;
    for (int64_t i = first; i < last; i++) job->found[job->order[i]] = (int32_t)i;
}

cafe_status cafe_find_places(cafe_context *context, int64_t n, const int32_t *order,
                             int32_t *place) {
    permute_job job = {.order = order, .found = place};
    return cafe_ranges(context, n, NODES, find_places, &job);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void count_rows(void *argument, int64_t first, int64_t last) {
    const permute_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        int32_t u = job->order[i];
        job->rows->offsets[i + 1] = job->g->offsets[u + 1] - job->g->offsets[u];
    }
}

/* Row i of the new graph is that of order[i], its neighbours called by their places. */
static void copy_row(const permute_job *job, int64_t i) {
    const cafe_pooled *g = job->g;
    const cafe_rows *to = job->rows;
    int64_t u = job->order[i], from = g->offsets[u], end = g->offsets[u + 1], at = to->offsets[i];
    for (int64_t j = from; j < end; j++)
        to->targets[at + j - from] = cafe_pooled_label(g, job->place, j, end);
    if (g->single && end > from)
        memcpy(to->weights + at, g->single + from, (size_t)(end - from) * sizeof *to->weights);
}

static void copy_rows(void *argument, int64_t first, int64_t last) {
    const permute_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        cafe_pooled_send_for(job->g, job->place, job->order, i, last);
        copy_row(job, i);
    }
}

cafe_status cafe_permute_rows(cafe_context *context, const cafe_pooled *g, const int32_t *order,
                              const int32_t *place, cafe_rows *rows) {
    int64_t n = g->n, arcs = g->offsets[n];
    permute_job job = {.g = g, .order = order, .place = place, .rows = rows};
    *rows = (cafe_rows){.n = n};
    rows->offsets = cafe_mem(context, n + 1, sizeof *rows->offsets);
    rows->targets = cafe_mem(context, arcs, sizeof *rows->targets);
    CAFE_PASS(cafe_mem_had(rows->offsets, rows->targets));
    if (g->single) rows->weights = cafe_mem(context, arcs, sizeof *rows->weights);
    if (g->single) CAFE_PASS(cafe_mem_had(rows->weights));
    CAFE_PASS(cafe_ranges(context, n, NODES, count_rows, &job));
    rows->offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) rows->offsets[i + 1] += rows->offsets[i];
    return cafe_ranges(context, n, NODES, copy_rows, &job);
}

/* ---- the graph ------------------------------------------------------------------------------- */

static void copy_nodes(void *argument, int64_t first, int64_t last) {
    const permute_job *job = argument;
    const cafe_pooled *g = job->g;
    for (int64_t i = first; i < last; i++) {
        int32_t u = job->order[i];
        job->mass[i] = g->mass[u];
        if (g->factor) job->factor[i] = g->factor[u];
        if (g->loops) job->loops[i] = g->loops[u];
        if (g->null.width > 0)
            memcpy(job->f + i * g->null.width, g->null.f + u * g->null.width,
                   (size_t)g->null.width * sizeof *job->f);
    }
}

/* Arrays that the graph lacks stay NULL. */
static cafe_status allocate(cafe_context *context, permute_job *job) {
    const cafe_pooled *g = job->g;
    job->mass = cafe_mem(context, g->n, sizeof *job->mass);
    if (g->factor) job->factor = cafe_mem(context, g->n, sizeof *job->factor);
    if (g->loops) job->loops = cafe_mem(context, g->n, sizeof *job->loops);
    if (g->null.width > 0) job->f = cafe_mem(context, g->n * g->null.width, sizeof *job->f);
    bool had = job->mass && !g->factor == !job->factor && !g->loops == !job->loops &&
               !g->null.f == !job->f;
    return had ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status cafe_pooled_permute(cafe_context *context, const cafe_pooled *g, const int32_t *order,
                                const int32_t *place, cafe_pooled **permuted) {
    cafe_status status = CAFE_OK;
    cafe_rows rows = {0};
    permute_job job = {.g = g, .order = order};
    cafe_pooled *made = cafe_mem_zero(context, 1, sizeof *made);
    *permuted = NULL;
    CAFE_TRY(made ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(allocate(context, &job));
    CAFE_TRY(cafe_permute_rows(context, g, order, place, &rows));
    CAFE_TRY(cafe_ranges(context, g->n, NODES, copy_nodes, &job));
    *made = (cafe_pooled){.context = context,
                          .n = g->n,
                          .offsets = rows.offsets,
                          .targets = rows.targets,
                          .single = rows.weights,
                          .factor = job.factor,
                          .loops = job.loops,
                          .mass = job.mass,
                          .null = g->null,
                          .total = g->total,
                          .widest = g->widest};
    made->null.f = job.f;
    *permuted = made;
done:
    if (status == CAFE_OK) return status;
    cafe_rows_free(context, &rows);
    cafe_mem_free_all(context, made, job.factor, job.loops, job.mass, job.f);
    return status;
}
