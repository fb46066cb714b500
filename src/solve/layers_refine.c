/* Refinement: communities that are connected inside (Traag, Waltman, van Eck, From Louvain to
 * Leiden, Sci. Rep. 9, 2019).
 *
 * Within a community S every node starts alone. In random order a node v that is still alone and
 * well connected to S,
 *     p(v, S - v) >= resolution p_v p(S - v),
 * joins that refined community R of S, well connected to S in the same sense, to which
 *     p(v,R) - resolution p_v p(R)
 * is largest, when it is not negative. So a refined community grows by linked nodes only, the
 * modularity of the refined partition only grows, and the next level may undo what local moving
 * joined too early. Communities do not see each other: each is one task's.
 */
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "solve/layers.h"

enum { COMMUNITIES = 16 };

typedef struct refine_job {
    const cafe_pooled *g;
    double resolution;
    uint64_t seed, turn;
    const int32_t *part;
    cafe_groups *groups; /* by community; each task puts its members in random order */
    cafe_tally *tallies;
    int32_t *refined;
    double *mass; /* p(R); a refined community has the number of one of its nodes */
    double *cut;  /* total p(R, S - R) */
    uint8_t *alone;
} refine_job;

/* Every node alone; p(v, S - v). Returns p(S). */
static double start_alone(const refine_job *job, int64_t first, int64_t end) {
    const cafe_pooled *g = job->g;
    double whole = 0;
    for (int64_t i = first; i < end; i++) {
        int32_t v = job->groups->member[i], own = job->part[v];
        double inside = 0;
        for (int64_t j = g->offsets[v]; j < g->offsets[v + 1]; j++) {
            int32_t w = g->targets[j];
            inside += w != v && job->part[w] == own ? cafe_pooled_weight(g, v, j) : 0;
        }
        job->refined[v] = v;
        job->mass[v] = g->mass[v];
        job->cut[v] = inside;
        job->alone[v] = 1;
        whole += g->mass[v];
    }
    return whole;
}

/* p(R, S - R) >= resolution p(R) p(S - R) */
static inline bool well_connected(const refine_job *job, int32_t r, double whole) {
    return job->cut[r] >= job->resolution * job->g->total * job->mass[r] * (whole - job->mass[r]);
}

static void gather(const refine_job *job, int32_t v, cafe_tally *tally) {
    const cafe_pooled *g = job->g;
    for (int64_t j = g->offsets[v]; j < g->offsets[v + 1]; j++) {
        int32_t w = g->targets[j];
        if (w != v && job->part[w] == job->part[v])
            cafe_tally_add(tally, job->refined[w], cafe_pooled_weight(g, v, j));
    }
}

/* The refined community v joins best, or v itself. */
static int32_t find_best(const refine_job *job, int32_t v, double whole, const cafe_tally *tally) {
    double pull = job->resolution * job->g->total * job->g->mass[v], best = 0;
    int32_t to = v;
    for (int64_t i = 0; i < tally->count; i++) {
        int32_t r = tally->keys[i];
        double gain = tally->sum[r] - pull * job->mass[r];
        if (gain < best || (gain == best && to != v)) continue;
        if (!well_connected(job, r, whole)) continue;
        best = gain;
        to = r;
    }
    return to;
}

static void refine_community(const refine_job *job, int64_t c, cafe_tally *tally) {
    int64_t first = job->groups->start[c], end = job->groups->start[c + 1];
    double whole = start_alone(job, first, end);
    cafe_layers_shuffle(job->seed, 2 * job->turn, first, end, job->groups->member);
    for (int64_t i = first; i < end; i++) {
        int32_t v = job->groups->member[i];
        if (!job->alone[v] || !well_connected(job, v, whole)) continue;
        gather(job, v, tally);
        int32_t to = find_best(job, v, whole, tally);
        if (to != v) {
            job->refined[v] = to;
            job->alone[v] = job->alone[to] = 0;
            job->mass[to] += job->mass[v];
            job->cut[to] += job->cut[v] - 2 * tally->sum[to];
        }
        cafe_tally_clear(tally);
    }
}

static void refine_block(void *argument, int64_t task, int32_t worker) {
    const refine_job *job = argument;
    int64_t end = cafe_block_end(job->groups->count, COMMUNITIES, task);
    for (int64_t c = task * COMMUNITIES; c < end; c++)
        refine_community(job, c, &job->tallies[worker]);
}

cafe_status cafe_layers_refine(cafe_context *context, const cafe_pooled *g, double resolution,
                               const int32_t *part, int64_t count, uint64_t turn,
                               int32_t *refined) {
    cafe_status status = CAFE_OK;
    cafe_groups groups = {0, NULL, NULL};
    refine_job job = {.g = g,
                      .resolution = resolution,
                      .seed = context->seed,
                      .turn = turn,
                      .part = part,
                      .groups = &groups,
                      .refined = refined};
    CAFE_TRY(cafe_groups_new(context, g->n, part, count, &groups));
    job.mass = cafe_mem(context, g->n, sizeof *job.mass);
    job.cut = cafe_mem(context, g->n, sizeof *job.cut);
    job.alone = cafe_mem(context, g->n, sizeof *job.alone);
    job.tallies = cafe_tallies_new(context, context->threads, g->n);
    CAFE_TRY(cafe_mem_had(job.mass, job.cut, job.alone, job.tallies));
    CAFE_TRY(cafe_parallel(context, cafe_blocks(count, COMMUNITIES), refine_block, &job));
done:
    cafe_groups_free(context, &groups);
    cafe_mem_free_all(context, job.mass, job.cut, job.alone);
    cafe_tallies_free(context, job.tallies, context->threads);
    return status;
}
