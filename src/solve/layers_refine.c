/* Refinement: communities that are connected inside (Traag, Waltman, van Eck, From Louvain to
 * Leiden, Sci. Rep. 9, 2019).
 *
 * Within a community S every node starts alone. In random order, a node v that is still alone and
 * well connected to S,
 *
 *     p(v, S - v) >= resolution p_v p(S - v),
 *
 * joins the refined community R of S, well connected to S in the same sense, with the largest
 *
 *     p(v,R) - resolution p_v p(R),
 *
 * if this is not negative. So a refined community grows by neighbours only, the modularity of the
 * refined partition only grows, and the next level may undo early joins of local moving.
 *
 * If edges are spread evenly, these parts are pairs and triples. Pooling them leaves nearly all
 * edges: a level that costs as much as the graph and moves no more than single nodes could. So on
 * large graphs (`twice`) the parts join once more in the same way, if pooling would leave more than
 * 0.4 of the edges within S. On small graphs a second join saves little and costs modularity.
 *
 * Communities are independent of each other. One task handles each, and copies its edges into a
 * small graph (layers_nest.c) that stays in the cache.
 */
#include <string.h>

#include "base/memory.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "graph/permutation.h"
#include "solve/layers.h"
#include "solve/layers_nest.h"

enum {
    COMMUNITIES = 256,   /* of a task that counts their arcs */
    TASK_ARCS = 1 << 14, /* arcs of a task, unless one community has more */
    SIZES = 64,          /* communities are ordered by the bits of their arcs */
    NESTS = 2            /* a worker's: of nodes, of parts */
};

static const double most_links = 0.4;

typedef struct refine_job {
    cafe_context *context;
    const cafe_pooled *g;
    double resolution;
    uint64_t turn;
    cafe_groups groups;  /* by community */
    int32_t *place;      /* of each node in groups.member */
    int64_t *arcs;       /* of each community */
    int32_t *order;      /* communities, those of most arcs first */
    int64_t *tasks;      /* where the communities of a task begin in the order */
    int64_t count;       /* of tasks */
    int32_t rank, ranks; /* this process, whose tasks are task mod ranks = rank, and how many */
    int32_t *top;        /* the part of each place */
    cafe_nest *nests;    /* NESTS a worker */
    cafe_bins *bins;
    bool twice;        /* where pooling the parts would save little, they join once more */
    atomic_int status; /* of the tasks */
    int32_t *refined;
} refine_job;

/* ---- tasks ----------------------------------------------------------------------------------- */

/* arcs_c = sum over v in community c of the number of arcs of v: the cost of c. */
static void count_arcs(void *argument, int64_t first, int64_t last) {
    const refine_job *job = argument;
    for (int64_t c = first; c < last; c++) {
        int64_t arcs = 0;
        for (int64_t i = job->groups.start[c]; i < job->groups.start[c + 1]; i++) {
            int32_t v = job->groups.member[i];
            arcs += job->g->offsets[v + 1] - job->g->offsets[v];
        }
        job->arcs[c] = arcs;
    }
}

/* floor(log2(arcs)): communities are ordered by this class of their cost. */
static inline int bits_of(int64_t arcs) {
    return SIZES - 1 - __builtin_clzll((uint64_t)arcs | 1);
}

/* The largest first, so that no thread begins with one when the others are done. */
static void order_communities(refine_job *job) {
    int64_t start[SIZES + 1] = {0};
    for (int64_t c = 0; c < job->groups.count; c++) start[SIZES - bits_of(job->arcs[c])]++;
    for (int i = 0; i < SIZES; i++) start[i + 1] += start[i];
    for (int64_t c = 0; c < job->groups.count; c++)
        job->order[start[SIZES - 1 - bits_of(job->arcs[c])]++] = (int32_t)c;
}

/* Cuts the order into tasks of TASK_ARCS arcs or more; a larger community is a task by itself. */
static void share_communities(refine_job *job) {
    int64_t held = 0;
    job->count = 0;
    for (int64_t i = 0; i < job->groups.count; i++) {
        if (held == 0) job->tasks[job->count++] = i;
        held += job->arcs[job->order[i]];
        if (held >= TASK_ARCS) held = 0;
    }
    job->tasks[job->count] = job->groups.count;
}

/* ---- one community --------------------------------------------------------------------------- */

/* A random order that depends on seed, turn and place alone. */
static void order_nodes(const refine_job *job, int64_t first, int depth, cafe_nest *nest) {
    for (int64_t i = 0; i < nest->n; i++) nest->order[i] = (int32_t)i;
    cafe_layers_shuffle(job->context->seed, 8 * job->turn + (uint64_t)depth, first, nest->n,
                        nest->order);
}

/* Do the parts, as nodes of the next nest, leave most of the edges? */
static bool hardly_pooled(const cafe_nest *nest) {
    return (double)nest[1].offsets[nest[1].n] > most_links * (double)nest->offsets[nest->n];
}

/* Which part each node is in: top[n], numbered. */
static cafe_status join_parts(const refine_job *job, int64_t first, cafe_nest *nest,
                              cafe_bins *bins, int32_t *top) {
    double pull = job->resolution * job->g->total;
    int64_t n = nest->n, parts;
    order_nodes(job, first, 0, nest);
    cafe_nest_join(nest, pull, bins);
    parts = cafe_nest_number(nest);
    memcpy(top, nest->part, (size_t)n * sizeof *top);
    if (!job->twice || parts == n || parts == 1) return CAFE_OK;
    CAFE_PASS(cafe_nest_pool(job->context, nest, parts, bins, nest + 1));
    if (!hardly_pooled(nest)) return CAFE_OK;
    order_nodes(job, first, 1, nest + 1);
    cafe_nest_join(nest + 1, pull, bins);
    cafe_nest_number(nest + 1);
    for (int64_t i = 0; i < n; i++) top[i] = nest[1].part[top[i]];
    return CAFE_OK;
}

/* A part gets the number of its first node. */
static void name_parts(const refine_job *job, const int32_t *member, int64_t n, const int32_t *top,
                       int32_t *name) {
    int32_t next = 0;
    for (int64_t i = 0; i < n; i++) {
        if (top[i] == next) name[next++] = member[i];
        job->refined[member[i]] = name[top[i]];
    }
}

/* Refines community S = c: copies its graph, joins its nodes into parts, and names the parts.
 * Claim: every part is connected inside, because a node joins only a part to which it has an edge.
 */
static cafe_status refine_community(const refine_job *job, int64_t c, cafe_nest *nest,
                                    cafe_bins *bins) {
    int64_t first = job->groups.start[c], n = job->groups.start[c + 1] - first;
    const int32_t *member = job->groups.member + first;
    int32_t *top = job->top + first;
    CAFE_PASS(
        cafe_nest_take(job->context, job->g, member, n, job->place, first, job->arcs[c], nest));
    CAFE_PASS(join_parts(job, first, nest, bins, top));
    name_parts(job, member, n, top, nest->number);
    return CAFE_OK;
}

/* Refines the communities of a task. No two tasks share a node, so the result does not depend on
 * threads. */
static void refine_task(void *argument, int64_t task, int32_t worker) {
    refine_job *job = argument;
    task = task * job->ranks + job->rank;
    for (int64_t i = job->tasks[task]; i < job->tasks[task + 1]; i++) {
        cafe_status status =
            refine_community(job, job->order[i], &job->nests[NESTS * worker], &job->bins[worker]);
        if (status != CAFE_OK) atomic_store(&job->status, status);
    }
}

/* ---- several processes ----------------------------------------------------------------------- */

/* The members of the communities of process r, one after the other: their parts are put into, or
 * with `take` taken from, parts[]. Returns how many there are. */
static int64_t pass_parts(const refine_job *job, int32_t r, bool take, int32_t *parts) {
    int64_t at = 0;
    for (int64_t t = r; t < job->count; t += job->ranks)
        for (int64_t i = job->tasks[t]; i < job->tasks[t + 1]; i++) {
            int64_t first = job->groups.start[job->order[i]];
            int64_t end = job->groups.start[job->order[i] + 1];
            for (int64_t j = first; j < end; j++, at++) {
                int32_t *refined = &job->refined[job->groups.member[j]];
                if (take)
                    *refined = parts[at];
                else if (parts)
                    parts[at] = *refined;
            }
        }
    return at;
}

/* What each process found, for all. */
static cafe_status share_parts(cafe_context *context, const refine_job *job) {
    int64_t count = pass_parts(job, job->rank, false, NULL);
    void *all = NULL;
    int32_t *mine = cafe_mem(context, count, sizeof *mine);
    cafe_status status = cafe_team_agree(context, cafe_mem_had(mine));
    if (status == CAFE_OK) {
        pass_parts(job, job->rank, false, mine);
        status = cafe_team_gather(context, mine, count * (int64_t)sizeof *mine, &all, NULL);
    }
    int32_t *told = all;
    for (int32_t r = 0; r < job->ranks && status == CAFE_OK; r++)
        told += pass_parts(job, r, true, told);
    cafe_mem_free_all(context, mine, all);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static cafe_status allocate(cafe_context *context, refine_job *job) {
    int64_t n = job->g->n, count = job->groups.count, largest = 0;
    for (int64_t c = 0; c < count; c++) {
        int64_t size = job->groups.start[c + 1] - job->groups.start[c];
        largest = size > largest ? size : largest;
    }
    job->place = cafe_mem(context, n, sizeof *job->place);
    job->top = cafe_mem(context, n, sizeof *job->top);
    job->arcs = cafe_mem(context, count, sizeof *job->arcs);
    job->order = cafe_mem(context, count, sizeof *job->order);
    job->tasks = cafe_mem(context, count + 1, sizeof *job->tasks);
    job->nests = cafe_mem_zero(context, NESTS * context->threads, sizeof *job->nests);
    job->bins = cafe_bins_new(context, context->threads, largest, largest);
    return cafe_mem_had(job->place, job->top, job->arcs, job->order, job->tasks, job->nests,
                        job->bins);
}

static void release(cafe_context *context, refine_job *job) {
    for (int32_t i = 0; job->nests && i < NESTS * context->threads; i++)
        cafe_nest_free(context, &job->nests[i]);
    cafe_bins_free(context, job->bins, context->threads);
    cafe_groups_free(context, &job->groups);
    cafe_mem_free_all(context, job->place, job->top, job->arcs, job->order, job->tasks, job->nests);
}

/* refined <- a partition finer than part. Within community S, a node joins a part only while both
 * are well connected to S,
 *
 *     p(T, S - T) >= resolution p(T) p(S - T).
 *
 * Communities are independent of each other, so each is the work of one task.
 */
cafe_status cafe_layers_refine(cafe_context *context, const cafe_pooled *g, double resolution,
                               const int32_t *part, int64_t count, uint64_t turn, bool twice,
                               int32_t *refined) {
    cafe_status status = CAFE_OK;
    refine_job job = {.context = context,
                      .g = g,
                      .resolution = resolution,
                      .turn = turn,
                      .twice = twice,
                      .refined = refined};
    atomic_init(&job.status, CAFE_OK);
    CAFE_TRY(cafe_groups_new(context, g->n, part, count, &job.groups));
    CAFE_TRY(allocate(context, &job));
    CAFE_TRY(cafe_find_places(context, g->n, job.groups.member, job.place));
    CAFE_TRY(cafe_ranges(context, count, COMMUNITIES, count_arcs, &job));
    order_communities(&job);
    share_communities(&job);
    job.rank = cafe_team_rank(context), job.ranks = cafe_team_ranks(context);
    int64_t tasks = (job.count - job.rank + job.ranks - 1) / job.ranks;
    CAFE_TRY(cafe_parallel(context, tasks, refine_task, &job));
    CAFE_TRY(cafe_team_agree(context, (cafe_status)atomic_load(&job.status)));
    if (job.ranks > 1) CAFE_TRY(share_parts(context, &job));
done:
    release(context, &job);
    return status;
}
