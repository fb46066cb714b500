/* Pooling: one task makes each row of the coarse graph by adding the rows of its group.
 *
 *     p~(i,j) = sum over u in group i and w in group j of p(u,w)
 *
 * The length of a row is unknown before. So a task keeps its rows one after the other, and at the
 * end all rows are copied to their places. Threads share all steps over nodes, arcs or groups,
 * except sums over the lengths of rows.
 */
#include "graph/pooling.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/label_sums.h"

enum {
    NODES = 1 << 14,    /* of a task */
    GROUPS = 256,       /* of a task that counts their arcs, */
    TASK_ARCS = 1 << 14 /* and arcs of one that pools them, unless a group has more */
};

/* ---- groups ---------------------------------------------------------------------------------- */

/* Each task reads all nodes and takes those of its own range of groups: no thread waits, and
 * members come in order. */
typedef struct groups_job {
    int64_t n, tasks;
    const int32_t *group;
    cafe_groups *groups;
    int64_t *bounds; /* of the tasks' ranges of groups */
} groups_job;

/* start[i + 2] counts the members of i */
static void count_members(void *argument, int64_t task) {
    const groups_job *job = argument;
    int64_t *count = job->groups->start + 2;
    int64_t first = job->groups->count * task / job->tasks;
    uint32_t range = (uint32_t)(job->groups->count * (task + 1) / job->tasks - first);
    for (int64_t u = 0; u < job->n; u++)
        if ((uint32_t)(job->group[u] - first) < range) count[job->group[u]]++;
}

/* start[i + 1] is where the next member of i goes */
static void place_members(void *argument, int64_t task) {
    const groups_job *job = argument;
    int64_t *next = job->groups->start + 1, first = job->bounds[task];
    uint32_t range = (uint32_t)(job->bounds[task + 1] - first);
    for (int64_t u = 0; u < job->n; u++)
        if ((uint32_t)(job->group[u] - first) < range)
            job->groups->member[next[job->group[u]]++] = (int32_t)u;
}

/* Makes ranges of groups with about equally many members. */
static void share_groups(groups_job *job) {
    int64_t task = 1;
    job->bounds[0] = 0;
    for (int64_t i = 0; i < job->groups->count; i++)
        while (task < job->tasks && job->groups->start[i + 1] >= job->n * task / job->tasks)
            job->bounds[task++] = i;
    while (task <= job->tasks) job->bounds[task++] = job->groups->count;
}

cafe_status cafe_groups_new(cafe_context *context, int64_t n, const int32_t *group, int64_t count,
                            cafe_groups *groups) {
    cafe_status status = CAFE_OK;
    groups_job job = {n, n < NODES ? 1 : context->threads, group, groups, NULL};
    *groups = (cafe_groups){count, cafe_mem_zero(context, count + 2, sizeof(int64_t)),
                            cafe_mem(context, n, sizeof(int32_t))};
    job.bounds = cafe_mem(context, job.tasks + 1, sizeof *job.bounds);
    CAFE_TRY(cafe_mem_had(groups->start, groups->member, job.bounds));
    CAFE_TRY(cafe_each(context, job.tasks, count_members, &job));
    for (int64_t i = 2; i < count + 2; i++) groups->start[i] += groups->start[i - 1];
    share_groups(&job);
    CAFE_TRY(cafe_each(context, job.tasks, place_members, &job));
done:
    cafe_mem_free(context, job.bounds);
    if (status != CAFE_OK) cafe_groups_free(context, groups);
    return status;
}

void cafe_groups_free(cafe_context *context, cafe_groups *groups) {
    cafe_mem_free_all(context, groups->start, groups->member);
    *groups = (cafe_groups){0, NULL, NULL};
}

/* The numbers of groups by the first node of each. */
typedef struct number_job {
    int64_t n;
    int32_t *group;
    int32_t *first;  /* of each group: its first node, then its number */
    int64_t *before; /* groups that begin before each block of nodes */
} number_job;

static void forget_first(void *argument, int64_t first, int64_t last) {
    const number_job *job = argument;
    for (int64_t i = first; i < last; i++) job->first[i] = INT32_MAX;
}

static void find_first(void *argument, int64_t first, int64_t last) {
    const number_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        int32_t *at = &job->first[job->group[u]], seen = __atomic_load_n(at, __ATOMIC_RELAXED);
        while (seen > u && !__atomic_compare_exchange_n(at, &seen, (int32_t)u, true,
                                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
}

static void count_first(void *argument, int64_t first, int64_t last) {
    const number_job *job = argument;
    int64_t count = 0;
    for (int64_t u = first; u < last; u++) count += job->first[job->group[u]] == u;
    job->before[first / NODES + 1] = count;
}

/* Only the first node of a group changes its entry, but other threads may read it meanwhile. So
 * numbers are stored as -1 - number, which is no node. */
static void give_numbers(void *argument, int64_t first, int64_t last) {
    const number_job *job = argument;
    int32_t next = (int32_t)job->before[first / NODES];
    for (int64_t u = first; u < last; u++) {
        int32_t *at = &job->first[job->group[u]];
        if (__atomic_load_n(at, __ATOMIC_RELAXED) == u)
            __atomic_store_n(at, -1 - next++, __ATOMIC_RELAXED);
    }
}

static void take_numbers(void *argument, int64_t first, int64_t last) {
    const number_job *job = argument;
    for (int64_t u = first; u < last; u++) job->group[u] = -1 - job->first[job->group[u]];
}

cafe_status cafe_groups_number(cafe_context *context, int64_t n, int32_t *group, int64_t *count) {
    cafe_status status = CAFE_OK;
    int64_t blocks = cafe_blocks(n, NODES);
    number_job job = {n, group, cafe_mem(context, n, sizeof *job.first),
                      cafe_mem_zero(context, blocks + 1, sizeof *job.before)};
    CAFE_TRY(cafe_mem_had(job.first, job.before));
    CAFE_TRY(cafe_ranges(context, n, NODES, forget_first, &job));
    CAFE_TRY(cafe_ranges(context, n, NODES, find_first, &job));
    CAFE_TRY(cafe_ranges(context, n, NODES, count_first, &job));
    for (int64_t b = 0; b < blocks; b++) job.before[b + 1] += job.before[b];
    *count = job.before[blocks];
    CAFE_TRY(cafe_ranges(context, n, NODES, give_numbers, &job));
    CAFE_TRY(cafe_ranges(context, n, NODES, take_numbers, &job));
done:
    cafe_mem_free_all(context, job.first, job.before);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

static int64_t widest_row(int64_t n, const int64_t *offsets) {
    int64_t widest = 0;
    for (int64_t u = 0; u < n; u++) {
        int64_t arcs = offsets[u + 1] - offsets[u];
        widest = arcs > widest ? arcs : widest;
    }
    return widest;
}

cafe_status cafe_pooled_view(cafe_context *context, cafe_pooled rows, const float *loops,
                             cafe_pooled **view) {
    cafe_pooled *g = cafe_mem(context, 1, sizeof *g);
    *view = NULL;
    if (!g) return CAFE_ERROR_MEMORY;
    *g = rows;
    g->context = context;
    g->borrowed = true;
    g->widest = widest_row(g->n, g->offsets);
    g->loops = NULL;
    g->kept = NULL;
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
    cafe_mem_free_all(g->context, g->loops, g->kept);
    if (!g->borrowed) {
        cafe_mem_free_all(g->context, g->offsets, g->targets, g->single, g->factor, g->pooled,
                          g->mass, g->null.f);
    }
    cafe_mem_free(g->context, g);
}

/* ---- coarsening ------------------------------------------------------------------------------ */

/* Rows one after the other, of a worker or of a task. On its own cache line. */
typedef struct stock {
    _Alignas(64) int32_t *targets;
    double *weights;
    int64_t used, target_room, weight_room;
} stock;

typedef struct coarsen_job {
    cafe_context *context;
    const cafe_pooled *g;
    const int32_t *group;
    cafe_groups groups;
    int64_t *tasks;    /* where the groups of each task begin */
    int64_t count;     /* of tasks */
    cafe_bins *bins;   /* one a worker, */
    stock *stocks;     /* and one of these for each worker; */
    stock *pieces;     /* one a task */
    int64_t *offsets;  /* of the coarse rows; first the arcs of the groups, then the lengths of
                        * their rows, one place ahead */
    atomic_int status; /* of the tasks */
    int32_t *targets;
    double *weights, *loops, *mass;
    double *f; /* rows of the null model's factors; NULL: there are none */
} coarsen_job;

static void count_arcs(void *argument, int64_t first, int64_t last) {
    const coarsen_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        int64_t arcs = 0;
        for (int64_t m = job->groups.start[i]; m < job->groups.start[i + 1]; m++) {
            int32_t u = job->groups.member[m];
            arcs += job->g->offsets[u + 1] - job->g->offsets[u];
        }
        job->offsets[i + 1] = arcs;
    }
}

/* Makes tasks with about equally many arcs: groups have any size, and large groups are often
 * adjacent. */
static void share_rows(coarsen_job *job) {
    int64_t held = 0;
    job->count = 0;
    for (int64_t i = 0; i < job->groups.count; i++) {
        if (held == 0) job->tasks[job->count++] = i;
        held += job->offsets[i + 1] + 1;
        if (held >= TASK_ARCS) held = 0;
    }
    job->tasks[job->count] = job->groups.count;
}

/* A row has no more entries than its members have arcs, nor than there are groups. */
static int64_t most_entries(const coarsen_job *job, int64_t i) {
    int64_t arcs = job->offsets[i + 1];
    return arcs < job->groups.count ? arcs : job->groups.count;
}

/* f~_i = sum over u in group i of f_u */
static void add_factors(const coarsen_job *job, int64_t i) {
    int64_t width = job->g->null.width;
    double *sum = job->f + i * width;
    for (int64_t l = 0; l < width; l++) sum[l] = 0;
    for (int64_t m = job->groups.start[i]; m < job->groups.start[i + 1]; m++) {
        const double *f = job->g->null.f + job->groups.member[m] * width;
        for (int64_t l = 0; l < width; l++) sum[l] += f[l];
    }
}

/* Adds up the rows of a group's members: p~(i,j) for every j, p~_i. */
static void add_members(const coarsen_job *job, int64_t i, cafe_bins *bins) {
    const cafe_pooled *g = job->g;
    double mass = 0, loop = 0;
    cafe_bins_open(bins, most_entries(job, i));
    for (int64_t m = job->groups.start[i]; m < job->groups.start[i + 1]; m++) {
        int64_t u = job->groups.member[m];
        cafe_pooled_send_for(g, job->group, job->groups.member, m, g->n);
        mass += g->mass[u];
        loop += cafe_pooled_loop(g, u);
        cafe_gather_row(g, job->group, NULL, u, bins);
    }
    job->mass[i] = mass;
    job->loops[i] = loop;
    if (job->f) add_factors(job, i);
}

/* The sums met become the row, which is the last of the stock. */
static cafe_status add_row(const coarsen_job *job, int64_t i, const cafe_bins *bins, stock *s) {
    int64_t at = s->used, most = at + bins->count;
    CAFE_PASS(cafe_mem_grow(job->context, &s->targets, &s->target_room, most, sizeof(int32_t)));
    CAFE_PASS(cafe_mem_grow(job->context, &s->weights, &s->weight_room, most, sizeof(double)));
    for (int64_t k = 0; k < bins->count; k++) {
        cafe_bin b = cafe_bins_at(bins, k);
        if (b.key == i) {
            job->loops[i] += b.sum;
            continue;
        }
        s->targets[at] = b.key;
        s->weights[at++] = b.sum;
    }
    job->offsets[i + 1] = at - s->used;
    s->used = at;
    return CAFE_OK;
}

/* Afterwards the stock is empty. */
static cafe_status keep_rows(const coarsen_job *job, stock *s, stock *piece) {
    int64_t count = s->used;
    s->used = 0;
    if (count == 0) return CAFE_OK;
    piece->targets = cafe_mem(job->context, count, sizeof(int32_t));
    piece->weights = cafe_mem(job->context, count, sizeof(double));
    CAFE_PASS(cafe_mem_had(piece->targets, piece->weights));
    memcpy(piece->targets, s->targets, (size_t)count * sizeof(int32_t));
    memcpy(piece->weights, s->weights, (size_t)count * sizeof(double));
    piece->used = count;
    return CAFE_OK;
}

static void pool_rows(void *argument, int64_t task, int32_t worker) {
    coarsen_job *job = argument;
    cafe_bins *bins = &job->bins[worker];
    stock *s = &job->stocks[worker];
    cafe_status status = CAFE_OK;
    for (int64_t i = job->tasks[task]; i < job->tasks[task + 1] && status == CAFE_OK; i++) {
        add_members(job, i, bins);
        status = add_row(job, i, bins, s);
        cafe_bins_clear(bins);
    }
    if (status == CAFE_OK) status = keep_rows(job, s, &job->pieces[task]);
    if (status != CAFE_OK) atomic_store(&job->status, status);
}

static void free_rows(cafe_context *context, stock *s) {
    cafe_mem_free_all(context, s->targets, s->weights);
    *s = (stock){0};
}

static void gather_rows(void *argument, int64_t task) {
    const coarsen_job *job = argument;
    stock *piece = &job->pieces[task];
    int64_t to = job->offsets[job->tasks[task]];
    if (piece->used == 0) return;
    memcpy(job->targets + to, piece->targets, (size_t)piece->used * sizeof(int32_t));
    memcpy(job->weights + to, piece->weights, (size_t)piece->used * sizeof(double));
    free_rows(job->context, piece);
}

/* Lengths one place ahead become offsets; returns the longest. */
static int64_t add_up(int64_t count, int64_t *offsets) {
    int64_t longest = 0;
    offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        longest = offsets[i + 1] > longest ? offsets[i + 1] : longest;
        offsets[i + 1] += offsets[i];
    }
    return longest;
}

static cafe_status allocate(cafe_context *context, coarsen_job *job) {
    int64_t count = job->groups.count;
    job->tasks =
        cafe_mem(context, (job->g->offsets[job->g->n] + count) / TASK_ARCS + 2, sizeof *job->tasks);
    job->offsets = cafe_mem(context, count + 1, sizeof(int64_t));
    job->loops = cafe_mem(context, count, sizeof(double));
    job->mass = cafe_mem(context, count, sizeof(double));
    job->bins = cafe_bins_new(context, context->threads, count, count);
    job->stocks = cafe_mem_zero(context, context->threads, sizeof *job->stocks);
    if (job->g->null.width > 0) {
        job->f = cafe_mem(context, count * job->g->null.width, sizeof *job->f);
        CAFE_PASS(cafe_mem_had(job->f));
    }
    return cafe_mem_had(job->tasks, job->offsets, job->loops, job->mass, job->bins, job->stocks);
}

static cafe_status make_rows(cafe_context *context, coarsen_job *job, int64_t *widest) {
    int64_t count = job->groups.count;
    CAFE_PASS(cafe_ranges(context, count, GROUPS, count_arcs, job));
    share_rows(job);
    job->pieces = cafe_mem_zero(context, job->count, sizeof *job->pieces);
    CAFE_PASS(cafe_mem_had(job->pieces));
    CAFE_PASS(cafe_parallel(context, job->count, pool_rows, job));
    CAFE_PASS((cafe_status)atomic_load(&job->status));
    *widest = add_up(count, job->offsets);
    job->targets = cafe_mem(context, job->offsets[count], sizeof(int32_t));
    job->weights = cafe_mem(context, job->offsets[count], sizeof(double));
    CAFE_PASS(cafe_mem_had(job->targets, job->weights));
    return cafe_each(context, job->count, gather_rows, job);
}

static void release(cafe_context *context, coarsen_job *job, bool rows) {
    for (int32_t i = 0; job->stocks && i < context->threads; i++)
        free_rows(context, &job->stocks[i]);
    for (int64_t t = 0; job->pieces && t < job->count; t++) free_rows(context, &job->pieces[t]);
    cafe_bins_free(context, job->bins, context->threads);
    cafe_groups_free(context, &job->groups);
    cafe_mem_free_all(context, job->stocks, job->pieces, job->tasks);
    if (!rows) return;
    cafe_mem_free_all(context, job->offsets, job->targets, job->weights, job->loops, job->mass,
                      job->f);
}

/* A group of a node that stays is one that stays. */
static cafe_status pool_kept(cafe_context *context, const cafe_pooled *g, const int32_t *group,
                             int64_t count, uint8_t **kept) {
    if (!g->kept) return CAFE_OK;
    *kept = cafe_mem_zero(context, count, sizeof **kept);
    CAFE_PASS(cafe_mem_had(*kept));
    for (int64_t u = 0; u < g->n; u++) (*kept)[group[u]] |= g->kept[u];
    return CAFE_OK;
}

cafe_status cafe_coarsen(cafe_context *context, const cafe_pooled *g, const int32_t *group,
                         int64_t count, cafe_pooled **coarse) {
    cafe_status status = CAFE_OK;
    coarsen_job job = {.context = context, .g = g, .group = group};
    cafe_pooled *made = NULL;
    uint8_t *kept = NULL;
    int64_t widest;
    *coarse = NULL;
    CAFE_TRY(pool_kept(context, g, group, count, &kept));
    CAFE_TRY(cafe_groups_new(context, g->n, group, count, &job.groups));
    CAFE_TRY(allocate(context, &job));
    CAFE_TRY(make_rows(context, &job, &widest));
    made = cafe_mem(context, 1, sizeof *made);
    CAFE_TRY(made ? CAFE_OK : CAFE_ERROR_MEMORY);
    *made = (cafe_pooled){.context = context,
                          .n = count,
                          .offsets = job.offsets,
                          .targets = job.targets,
                          .pooled = job.weights,
                          .loops = job.loops,
                          .mass = job.mass,
                          .null = g->null,
                          .total = g->total,
                          .kept = kept,
                          .widest = widest};
    made->null.f = job.f;
    *coarse = made;
    kept = NULL;
done:
    cafe_mem_free(context, kept);
    release(context, &job, status != CAFE_OK);
    return status;
}
