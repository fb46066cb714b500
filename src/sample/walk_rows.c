/* Exact rows of B = sum_t c_t D (D^-1 A)^t, one row after the other, by all threads.
 *
 * The places of a row are counted first by breadth-first search, which costs less than the numbers
 * and tells whether they fit. Each unordered pair is computed in one row only, and the builder of
 * graphs puts it into both: P is symmetric to the bit.
 */
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "graph/build.h"
#include "sample/walk.h"

enum {
    ROWS = 4,        /* of a task */
    LINK_BYTES = 48, /* of memory per pair: itself, two arcs in buckets and two in rows */
    PROBES = 256     /* rows that are looked at before all are counted */
};

typedef struct scratch {
    double *now, *next, *sum; /* all 0 between rows */
    int32_t *list, *heads, *found;
    uint8_t *mark; /* all 0 between rows */
} scratch;

typedef struct row_job {
    const cafe_walk *walk;
    scratch *scratch; /* one per worker */
    int64_t *offsets; /* counts, then where the pairs of each row are */
    int32_t *target;
    float *weight;
    double *room;         /* for wide rows */
    int64_t limit;        /* pairs that fit */
    atomic_llong counted; /* so far */
} row_job;

static bool begins(const cafe_walk *w, int64_t u) {
    return w->seed ? w->seed[u] != 0 : w->degree[u] > 0;
}

/* Row u has the pair {u,w}, unless row w has it. */
static bool holds(const cafe_walk *walk, int64_t u, int64_t w) {
    return w >= u || (walk->seed && !walk->seed[w]);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Pairs of row u: the nodes that 1 to `steps` steps lead to. Stops counting beyond `most`. */
static int64_t count_row(const cafe_walk *w, scratch *s, int64_t u, int64_t most) {
    const cafe_graph *g = w->graph;
    int64_t begin = 0, filled = 0, pairs = 0, ends = 1;
    s->heads[0] = (int32_t)u;
    for (int64_t t = 0; t < w->steps && ends > 0 && pairs <= most; t++) {
        const int32_t *from = t == 0 ? s->heads : s->found + begin;
        int64_t before = filled;
        for (int64_t i = 0; i < ends && pairs <= most; i++)
            for (int64_t j = g->offsets[from[i]]; j < g->offsets[from[i] + 1]; j++) {
                int32_t next = g->targets[j];
                if (s->mark[next]) continue;
                s->mark[next] = 1;
                s->found[filled++] = next;
                pairs += holds(w, u, next);
            }
        begin = before;
        ends = filled - before;
    }
    for (int64_t i = 0; i < filled; i++) s->mark[s->found[i]] = 0;
    return pairs;
}

static void count_rows(void *argument, int64_t task, int32_t worker) {
    row_job *job = argument;
    const cafe_walk *w = job->walk;
    int64_t sum = 0;
    for (int64_t u = task * ROWS; u < cafe_block_end(w->graph->n, ROWS, task); u++) {
        bool over = atomic_load(&job->counted) + sum > job->limit;
        job->offsets[u + 1] =
            over || !begins(w, u) ? 0 : count_row(w, &job->scratch[worker], u, job->limit);
        sum += job->offsets[u + 1];
    }
    atomic_fetch_add(&job->counted, sum);
}

/* A few rows, evenly spread, tell what is hopeless: more than twice what fits. */
static bool promising(const row_job *job) {
    const cafe_walk *w = job->walk;
    int64_t probes = w->starts < PROBES ? w->starts : PROBES;
    int64_t most = (int64_t)(2 * (double)job->limit * (double)probes / (double)w->starts) + 1;
    int64_t sum = 0;
    for (int64_t i = 0; i < probes && sum <= most; i++) {
        int64_t at = i * w->starts / probes, u = w->start ? w->start[at] : at;
        if (begins(w, u)) sum += count_row(w, &job->scratch[0], u, most);
    }
    return sum <= most;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* One step from the nodes of `list`: next_w = sum over v of now_v a(v,w) / d_v. Adds that are 0 for
 * smallness are left out, so that 0 means "not yet met". Returns the nodes in `heads`. */
static int64_t step(const cafe_walk *w, scratch *s, int64_t count) {
    const cafe_graph *g = w->graph;
    int64_t filled = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t v = s->list[i];
        double out = s->now[v] / w->degree[v];
        s->now[v] = 0;
        for (int64_t j = g->offsets[v]; j < g->offsets[v + 1]; j++) {
            double add = g->weights ? out * g->weights[j] : out;
            if (!(add > 0)) continue;
            if (s->next[g->targets[j]] == 0) s->heads[filled++] = g->targets[j];
            s->next[g->targets[j]] += add;
        }
    }
    return filled;
}

/* sum += c_t next, and next becomes now. */
static int64_t keep(scratch *s, int64_t count, double share, int64_t found) {
    for (int64_t i = 0; i < count; i++) {
        int32_t v = s->heads[i];
        double add = share * s->next[v];
        if (!(add > 0)) continue;
        if (s->sum[v] == 0) s->found[found++] = v;
        s->sum[v] += add;
    }
    double *now = s->now;
    s->now = s->next;
    s->next = now;
    int32_t *list = s->list;
    s->list = s->heads;
    s->heads = list;
    return found;
}

/* The pair {u,w} of row u; a loop weighs half, since the builder doubles it, and so does a pair
 * with one end outside the seeds. */
static void put_pair(const row_job *job, int64_t u, int64_t w, double value, int64_t *at) {
    const cafe_walk *walk = job->walk;
    bool half = w == u || (walk->seed && !walk->seed[w]);
    if (!(value > 0) || !holds(walk, u, w)) return;
    job->target[*at] = (int32_t)w;
    job->weight[(*at)++] = (float)(half ? value / 2 : value);
}

/* Places that are left, for numbers too small, hold loops of weight 0: no pair. */
static void end_row(const row_job *job, int64_t u, int64_t at) {
    for (; at < job->offsets[u + 1]; at++) {
        job->target[at] = (int32_t)u;
        job->weight[at] = 0;
    }
}

static void fill_row(const row_job *job, scratch *s, int64_t u) {
    const cafe_walk *w = job->walk;
    int64_t count = 1, found = 0;
    s->list[0] = (int32_t)u;
    s->now[u] = w->degree[u];
    for (int64_t t = 0; t < w->steps; t++) {
        count = step(w, s, count);
        found = keep(s, count, w->share[t], found);
    }
    for (int64_t i = 0; i < count; i++) s->now[s->list[i]] = 0;
    int64_t at = job->offsets[u];
    for (int64_t i = 0; i < found; i++) {
        put_pair(job, u, s->found[i], s->sum[s->found[i]], &at);
        s->sum[s->found[i]] = 0;
    }
    end_row(job, u, at);
}

static void fill_rows(void *argument, int64_t task, int32_t worker) {
    row_job *job = argument;
    int64_t n = job->walk->graph->n;
    for (int64_t u = task * ROWS; u < cafe_block_end(n, ROWS, task); u++)
        if (begins(job->walk, u)) fill_row(job, &job->scratch[worker], u);
}

/* Rows of many nodes, by walk_dense.c. */
static void fill_wide(void *argument, int64_t task, int32_t worker) {
    row_job *job = argument;
    const cafe_walk *w = job->walk;
    int64_t first = task * CAFE_WALK_WIDE, n = w->graph->n;
    int64_t count = cafe_block_end(w->starts, CAFE_WALK_WIDE, task) - first;
    double *room = job->room + worker * 2 * n * CAFE_WALK_WIDE;
    int32_t u[CAFE_WALK_WIDE] = {0};
    for (int64_t i = 0; i < count; i++)
        u[i] = w->start ? w->start[first + i] : (int32_t)(first + i);
    const double *rows = cafe_walk_dense(w, u, count, room, room + n * CAFE_WALK_WIDE);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = job->offsets[u[i]];
        for (int64_t v = 0; v < n; v++) put_pair(job, u[i], v, rows[v * CAFE_WALK_WIDE + i], &at);
        end_row(job, u[i], at);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool take_scratch(cafe_context *context, int64_t n, scratch *s) {
    s->now = cafe_mem_zero(context, n, sizeof *s->now);
    s->next = cafe_mem_zero(context, n, sizeof *s->next);
    s->sum = cafe_mem_zero(context, n, sizeof *s->sum);
    s->list = cafe_mem(context, n, sizeof *s->list);
    s->heads = cafe_mem(context, n, sizeof *s->heads);
    s->found = cafe_mem(context, n, sizeof *s->found);
    s->mark = cafe_mem_zero(context, n, sizeof *s->mark);
    return s->now && s->next && s->sum && s->list && s->heads && s->found && s->mark;
}

static void free_scratch(cafe_context *context, scratch *s, int32_t workers) {
    for (int32_t i = 0; s && i < workers; i++) {
        void *const blocks[] = {s[i].now,   s[i].next,  s[i].sum, s[i].list,
                                s[i].heads, s[i].found, s[i].mark};
        for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
            cafe_mem_free(context, blocks[k]);
    }
    cafe_mem_free(context, s);
}

static cafe_status prepare(cafe_context *context, row_job *job) {
    int64_t n = job->walk->graph->n;
    int32_t workers = context->threads;
    job->offsets = cafe_mem_zero(context, n + 1, sizeof *job->offsets);
    job->scratch = cafe_mem_zero(context, workers, sizeof *job->scratch);
    if (!job->offsets || !job->scratch) return CAFE_ERROR_MEMORY;
    return take_scratch(context, n, &job->scratch[0]) ? CAFE_OK : CAFE_ERROR_MEMORY;
}

/* Scratch memory for the other workers, once it is known that there will be work for them. */
static cafe_status prepare_others(cafe_context *context, row_job *job) {
    for (int32_t i = 1; i < context->threads; i++)
        if (!take_scratch(context, job->walk->graph->n, &job->scratch[i])) return CAFE_ERROR_MEMORY;
    return CAFE_OK;
}

/* Lists pay where rows are short: below an eighth of the nodes. */
static cafe_status fill(cafe_context *context, row_job *job, int64_t pairs) {
    const cafe_walk *w = job->walk;
    int64_t n = w->graph->n;
    if ((double)pairs * 16 < (double)w->starts * (double)n)
        return cafe_parallel(context, cafe_blocks(n, ROWS), fill_rows, job);
    job->room = cafe_mem(context, 2 * n * context->threads, CAFE_WALK_WIDE * sizeof(double));
    if (!job->room) return CAFE_ERROR_MEMORY;
    return cafe_parallel(context, cafe_blocks(w->starts, CAFE_WALK_WIDE), fill_wide, job);
}

static cafe_status compute(cafe_context *context, row_job *job, cafe_graph **own) {
    const cafe_graph *g = job->walk->graph;
    for (int64_t u = 0; u < g->n; u++) job->offsets[u + 1] += job->offsets[u];
    int64_t pairs = job->offsets[g->n];
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    job->target = cafe_mem(context, pairs, sizeof *job->target);
    job->weight = cafe_mem(context, pairs, sizeof *job->weight);
    if (!job->target || !job->weight) return CAFE_ERROR_MEMORY;
    CAFE_PASS(fill(context, job, pairs));
    cafe_links links = {.nodes = g->n,
                        .count = pairs,
                        .offsets = job->offsets,
                        .target = job->target,
                        .weights = job->weight};
    return cafe_graph_build(context, &links, &options, own);
}

cafe_status cafe_walk_rows(cafe_context *context, const cafe_walk *walk, cafe_graph **own) {
    cafe_status status = CAFE_OK;
    row_job job = {.walk = walk, .limit = walk->bytes / LINK_BYTES};
    *own = NULL;
    atomic_init(&job.counted, 0);
    CAFE_TRY(prepare(context, &job));
    if (!promising(&job)) goto done;
    CAFE_TRY(prepare_others(context, &job));
    CAFE_TRY(cafe_parallel(context, cafe_blocks(walk->graph->n, ROWS), count_rows, &job));
    if (atomic_load(&job.counted) <= job.limit) CAFE_TRY(compute(context, &job, own));
done:
    free_scratch(context, job.scratch, context->threads);
    cafe_mem_free_all(context, job.offsets, job.target, job.weight, job.room);
    return status;
}
