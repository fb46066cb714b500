/* Pooling: every row of the coarse graph is added up by one task from the rows of its group.
 *
 * The room a row may take is known beforehand (its group's arcs, or the number of groups), so that
 * tasks write without asking each other; afterwards the rows close up.
 */
#include "graph/coarsen.h"

#include <string.h>

#include "base/memory.h"
#include "base/pool.h"

enum { ROWS = 256 };

/* ---- groups ---------------------------------------------------------------------------------- */

cafe_status cafe_groups_new(cafe_context *context, int64_t n, const int32_t *group, int64_t count,
                            cafe_groups *groups) {
    *groups = (cafe_groups){count, cafe_mem_zero(context, count + 2, sizeof(int64_t)),
                            cafe_mem(context, n, sizeof(int32_t))};
    if (!groups->start || !groups->member) {
        cafe_groups_free(context, groups);
        return CAFE_ERROR_MEMORY;
    }
    /* start[i + 2] counts, start[i + 1] is where the next member of i goes */
    for (int64_t u = 0; u < n; u++) groups->start[group[u] + 2]++;
    for (int64_t i = 2; i < count + 2; i++) groups->start[i] += groups->start[i - 1];
    for (int64_t u = 0; u < n; u++) groups->member[groups->start[group[u] + 1]++] = (int32_t)u;
    return CAFE_OK;
}

void cafe_groups_free(cafe_context *context, cafe_groups *groups) {
    cafe_mem_free_all(context, groups->start, groups->member);
    *groups = (cafe_groups){0, NULL, NULL};
}

cafe_status cafe_groups_number(cafe_context *context, int64_t n, int32_t *group, int64_t *count) {
    int32_t *number = cafe_mem(context, n, sizeof *number), next = 0;
    if (!number) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) number[i] = -1;
    for (int64_t u = 0; u < n; u++) {
        int32_t *at = &number[group[u]];
        if (*at < 0) *at = next++;
        group[u] = *at;
    }
    *count = next;
    cafe_mem_free(context, number);
    return CAFE_OK;
}

/* ---- tallies --------------------------------------------------------------------------------- */

cafe_tally *cafe_tallies_new(cafe_context *context, int32_t workers, int64_t keys) {
    cafe_tally *tallies = cafe_mem_zero(context, workers, sizeof *tallies);
    if (!tallies) return NULL;
    for (int32_t i = 0; i < workers; i++) {
        tallies[i].sum = cafe_mem_zero(context, keys, sizeof(double));
        tallies[i].keys = cafe_mem(context, keys + 1, sizeof(int32_t));
        if (tallies[i].sum && tallies[i].keys) continue;
        cafe_tallies_free(context, tallies, workers);
        return NULL;
    }
    return tallies;
}

void cafe_tallies_free(cafe_context *context, cafe_tally *tallies, int32_t workers) {
    if (!tallies) return;
    for (int32_t i = 0; i < workers; i++) {
        cafe_mem_free_all(context, tallies[i].sum, tallies[i].keys);
    }
    cafe_mem_free(context, tallies);
}

/* ---- the object ------------------------------------------------------------------------------ */

cafe_status cafe_pooled_view(cafe_context *context, cafe_pooled rows, const float *loops,
                             cafe_pooled **view) {
    cafe_pooled *g = cafe_mem(context, 1, sizeof *g);
    *view = NULL;
    if (!g) return CAFE_ERROR_MEMORY;
    *g = rows;
    g->context = context;
    g->borrowed = true;
    g->loops = NULL;
    if (loops) {
        double *copy = cafe_mem(context, g->n, sizeof *copy);
        if (!copy) {
            cafe_pooled_free(g);
            return CAFE_ERROR_MEMORY;
        }
        for (int64_t u = 0; u < g->n; u++) copy[u] = loops[u];
        g->loops = copy;
    }
    *view = g;
    return CAFE_OK;
}

void cafe_pooled_free(cafe_pooled *g) {
    if (!g) return;
    cafe_mem_free(g->context, (void *)g->loops);
    if (!g->borrowed) {
        cafe_mem_free_all(g->context, (void *)g->offsets, (void *)g->targets, (void *)g->pooled,
                          (void *)g->mass);
    }
    cafe_mem_free(g->context, g);
}

/* ---- coarsening ------------------------------------------------------------------------------ */

typedef struct coarsen_job {
    const cafe_pooled *g;
    const int32_t *group;
    const cafe_groups *groups;
    cafe_tally *tallies; /* one a worker */
    int64_t *room;       /* where each row may begin */
    int64_t *length;     /* of each row; the coarse offsets, one place ahead */
    int32_t *targets;
    double *weights, *loops, *mass;
} coarsen_job;

/* Adds up the rows of a group's members: p~(i,j) for every j, p~_i. */
static void add_members(const coarsen_job *job, int64_t i, cafe_tally *tally) {
    const cafe_pooled *g = job->g;
    double mass = 0, loop = 0;
    for (int64_t m = job->groups->start[i]; m < job->groups->start[i + 1]; m++) {
        int64_t u = job->groups->member[m];
        mass += g->mass[u];
        loop += cafe_pooled_loop(g, u);
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            if (g->targets[j] != u)
                cafe_tally_add(tally, job->group[g->targets[j]], cafe_pooled_weight(g, u, j));
    }
    job->mass[i] = mass;
    job->loops[i] = loop;
}

static void pool_rows(void *argument, int64_t task, int32_t worker) {
    const coarsen_job *job = argument;
    cafe_tally *tally = &job->tallies[worker];
    for (int64_t i = task * ROWS; i < cafe_block_end(job->groups->count, ROWS, task); i++) {
        int64_t at = job->room[i];
        add_members(job, i, tally);
        for (int64_t k = 0; k < tally->count; k++) {
            int32_t other = tally->keys[k];
            if (other == i) {
                job->loops[i] += tally->sum[other];
                continue;
            }
            job->targets[at] = other;
            job->weights[at++] = tally->sum[other];
        }
        job->length[i + 1] = at - job->room[i];
        cafe_tally_clear(tally);
    }
}

/* A row has no more entries than its members have arcs, nor than there are other groups. */
static void assign_room(coarsen_job *job) {
    const cafe_groups *groups = job->groups;
    job->room[0] = 0;
    for (int64_t i = 0; i < groups->count; i++) {
        int64_t arcs = 0;
        for (int64_t m = groups->start[i]; m < groups->start[i + 1]; m++)
            arcs += job->g->offsets[groups->member[m] + 1] - job->g->offsets[groups->member[m]];
        job->room[i + 1] = job->room[i] + (arcs < groups->count ? arcs : groups->count);
    }
}

/* Rows move down to where the one before ends; `length` becomes the offsets. */
static void close_up(coarsen_job *job) {
    int64_t at = 0;
    job->length[0] = 0;
    for (int64_t i = 0; i < job->groups->count; i++) {
        int64_t length = job->length[i + 1];
        memmove(job->targets + at, job->targets + job->room[i], (size_t)length * sizeof(int32_t));
        memmove(job->weights + at, job->weights + job->room[i], (size_t)length * sizeof(double));
        at += length;
        job->length[i + 1] = at;
    }
}

static cafe_status allocate(cafe_context *context, coarsen_job *job) {
    int64_t count = job->groups->count;
    job->room = cafe_mem(context, count + 1, sizeof(int64_t));
    job->length = cafe_mem(context, count + 1, sizeof(int64_t));
    job->loops = cafe_mem(context, count, sizeof(double));
    job->mass = cafe_mem(context, count, sizeof(double));
    job->tallies = cafe_tallies_new(context, context->threads, count);
    CAFE_PASS(cafe_mem_had(job->room, job->length, job->loops, job->mass, job->tallies));
    assign_room(job);
    job->targets = cafe_mem(context, job->room[count], sizeof(int32_t));
    job->weights = cafe_mem(context, job->room[count], sizeof(double));
    return cafe_mem_had(job->targets, job->weights);
}

/* Gives back the room that rows did not use. */
static cafe_status trim(cafe_context *context, coarsen_job *job) {
    int64_t arcs = job->length[job->groups->count];
    int32_t *targets = cafe_mem_resize(context, job->targets, arcs, sizeof *targets);
    if (!targets) return CAFE_ERROR_MEMORY;
    job->targets = targets;
    double *weights = cafe_mem_resize(context, job->weights, arcs, sizeof *weights);
    if (!weights) return CAFE_ERROR_MEMORY;
    job->weights = weights;
    return CAFE_OK;
}

cafe_status cafe_coarsen(cafe_context *context, const cafe_pooled *g, const int32_t *group,
                         int64_t count, cafe_pooled **coarse) {
    cafe_status status = CAFE_OK;
    cafe_groups groups = {0, NULL, NULL};
    coarsen_job job = {.g = g, .group = group, .groups = &groups};
    cafe_pooled *made = NULL;
    *coarse = NULL;
    CAFE_TRY(cafe_groups_new(context, g->n, group, count, &groups));
    CAFE_TRY(allocate(context, &job));
    CAFE_TRY(cafe_parallel(context, cafe_blocks(count, ROWS), pool_rows, &job));
    close_up(&job);
    CAFE_TRY(trim(context, &job));
    made = cafe_mem(context, 1, sizeof *made);
    CAFE_TRY(made ? CAFE_OK : CAFE_ERROR_MEMORY);
    *made = (cafe_pooled){.context = context,
                          .n = count,
                          .offsets = job.length,
                          .targets = job.targets,
                          .pooled = job.weights,
                          .loops = job.loops,
                          .mass = job.mass,
                          .total = g->total};
    *coarse = made;
done:
    cafe_tallies_free(context, job.tallies, context->threads);
    cafe_groups_free(context, &groups);
    cafe_mem_free(context, job.room);
    if (status == CAFE_OK) return status;
    cafe_mem_free_all(context, job.length, job.targets, job.weights, job.loops, job.mass);
    return status;
}
