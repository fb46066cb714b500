/* One pass over the rows of P for all sets. */
#include "sample/set_masses.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

enum { BLOCK = 1024 };

double cafe_joint_node(const cafe_joint *joint, const int32_t *part, int32_t set, int64_t u) {
    double sum = 0;
    for (int64_t j = joint->offsets[u]; j < joint->offsets[u + 1]; j++)
        if (part[joint->targets[j]] == set) sum += CAFE_LINK(joint, u, j);
    return sum / joint->total;
}

static cafe_status check_parts(cafe_context *context, int64_t n, const int32_t *part,
                               int64_t parts) {
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= parts)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "node %lld is in set %d of %lld",
                             (long long)u, (int)part[u], (long long)parts);
    return CAFE_OK;
}

/* ---- each set -------------------------------------------------------------------------------- */

typedef struct sums_job {
    const cafe_joint *joint;
    const int32_t *part;
    double *inside;
} sums_job;

static void inside_block(void *argument, int64_t first, int64_t last) {
    const sums_job *job = argument;
    for (int64_t u = first; u < last; u++)
        job->inside[u] =
            job->part[u] < 0 ? 0 : cafe_joint_node(job->joint, job->part, job->part[u], u);
}

cafe_status cafe_partition_sums(cafe_context *context, const cafe_joint *joint, const int32_t *part,
                                int64_t parts, cafe_set_sums *sums, double *inside) {
    cafe_status status = CAFE_OK;
    double *own = inside ? NULL : cafe_mem(context, joint->n, sizeof *own);
    sums_job job = {joint, part, inside ? inside : own};
    if (!job.inside) return CAFE_ERROR_MEMORY;
    CAFE_TRY(check_parts(context, joint->n, part, parts));
    CAFE_TRY(cafe_ranges(context, joint->n, BLOCK, inside_block, &job));
    for (int64_t c = 0; c < parts; c++) sums[c] = (cafe_set_sums){0};
    for (int64_t u = 0; u < joint->n; u++) {
        if (part[u] < 0) continue;
        cafe_set_sums *s = &sums[part[u]];
        s->nodes++;
        s->mass += joint->p[u];
        s->inside += job.inside[u];
    }
done:
    cafe_mem_free(context, own);
    return status;
}

/* ---- pairs of sets --------------------------------------------------------------------------- */

typedef struct pairs_job {
    const cafe_joint *joint;
    const int32_t *part;
    int64_t parts, block; /* sets; nodes of a task */
    double *pairs;        /* parts x parts a task: sum of a(u,w) */
    double *mass;         /* parts a task: sum of p_u */
} pairs_job;

static void pairs_block(void *argument, int64_t task) {
    const pairs_job *job = argument;
    const cafe_joint *s = job->joint;
    double *pairs = job->pairs + task * job->parts * job->parts;
    double *mass = job->mass + task * job->parts;
    for (int64_t u = task * job->block; u < cafe_block_end(s->n, job->block, task); u++) {
        int32_t own = job->part[u];
        if (own < 0) continue;
        mass[own] += s->p[u];
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            int32_t other = job->part[s->targets[j]];
            if (other >= 0) pairs[own * job->parts + other] += CAFE_LINK(s, u, j);
        }
    }
}

/* Adds the tasks up in their order. */
static void add_tasks(const pairs_job *job, int64_t tasks, double *pairs, double *mass) {
    int64_t parts = job->parts;
    for (int64_t i = 0; i < parts * parts; i++) {
        double sum = 0;
        for (int64_t t = 0; t < tasks; t++) sum += job->pairs[t * parts * parts + i];
        pairs[i] = sum / job->joint->total;
    }
    for (int64_t i = 0; i < parts; i++) {
        mass[i] = 0;
        for (int64_t t = 0; t < tasks; t++) mass[i] += job->mass[t * parts + i];
    }
}

cafe_status cafe_partition_pairs(cafe_context *context, const cafe_joint *joint,
                                 const int32_t *part, int64_t parts, double *pairs, double *mass) {
    enum { MOST_TASKS = 64, ROOM = 1 << 22 }; /* doubles for all tasks together */
    CAFE_PASS(check_parts(context, joint->n, part, parts));
    int64_t room = ROOM / (parts * parts + 1), most = room < 1 ? 1 : room;
    if (most > MOST_TASKS) most = MOST_TASKS;
    pairs_job job = {joint, part, parts, cafe_blocks(joint->n, most), NULL, NULL};
    int64_t tasks = cafe_blocks(joint->n, job.block);
    job.pairs = cafe_mem_zero(context, tasks * parts * parts, sizeof *job.pairs);
    job.mass = cafe_mem_zero(context, tasks * parts, sizeof *job.mass);
    cafe_status status = job.pairs && job.mass ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_each(context, tasks, pairs_block, &job);
    if (status == CAFE_OK) add_tasks(&job, tasks, pairs, mass);
    cafe_mem_free_all(context, job.pairs, job.mass);
    return status;
}

/* ---- connected pieces ------------------------------------------------------------------------ */

/* Gives `number` to all that u reaches within its own set; the queue has room for every node. */
static void take_piece(const cafe_joint *joint, const int32_t *part, int64_t u, int32_t number,
                       int32_t *piece, int32_t *queue) {
    int64_t used = 0, filled = 0;
    piece[u] = number;
    queue[filled++] = (int32_t)u;
    while (used < filled) {
        int32_t v = queue[used++];
        for (int64_t j = joint->offsets[v]; j < joint->offsets[v + 1]; j++) {
            int32_t w = joint->targets[j];
            if (piece[w] >= 0 || part[w] != part[v]) continue;
            piece[w] = number;
            queue[filled++] = w;
        }
    }
}

cafe_status cafe_partition_connect(cafe_context *context, const cafe_joint *joint, int32_t *part,
                                   int64_t *parts) {
    int32_t *piece = cafe_mem(context, joint->n, sizeof *piece);
    int32_t *queue = cafe_mem(context, joint->n, sizeof *queue);
    cafe_status status = cafe_mem_had(piece, queue);
    int32_t count = 0;
    if (status == CAFE_OK) {
        memset(piece, 0xFF, (size_t)joint->n * sizeof *piece);
        for (int64_t u = 0; u < joint->n; u++)
            if (piece[u] < 0) take_piece(joint, part, u, count++, piece, queue);
        memcpy(part, piece, (size_t)joint->n * sizeof *part);
        *parts = count;
    }
    cafe_mem_free_all(context, piece, queue);
    return status;
}
