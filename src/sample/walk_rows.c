/* Exact rows of B = sum_t c_t D (D^-1 A)^t, row by row, on all threads.
 *
 * Breadth-first search first counts the entries of a row, which costs less than computing them, and
 * shows whether they fit into memory. Each unordered pair is computed in one row only, and the
 * builder of graphs puts it into both: P is symmetric to the bit.
 */

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/array_sums.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "sample/walk.h"

enum {
    ROWS = 4,        /* of a task */
    LINK_BYTES = 48, /* of memory per pair: itself, two arcs in buckets and two in rows */
    PROBES = 256     /* rows that are tried before all are counted */
};

/* The arrays of a worker: place of a walk, result of a step, sum; all are empty between rows. */
enum { NOW, NEXT, SUM, TALLIES };

typedef struct row_job {
    const cafe_walk *walk;
    cafe_tally *tallies; /* TALLIES for each worker */
    int64_t *offsets;    /* counts, then where the pairs of each row are */
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

static cafe_tally *tallies_of(const row_job *job, int32_t worker) {
    return job->tallies + worker * TALLIES;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Pairs of row u: the nodes that 1 to `steps` steps lead to, in the order they are met. Stops
 * counting beyond `most`. */
static int64_t count_row(const cafe_walk *w, cafe_tally *met, int64_t u, int64_t most) {
    const cafe_graph *g = w->graph;
    int64_t begin = 0, pairs = 0, ends = 1;
    int32_t start = (int32_t)u;
    for (int64_t t = 0; t < w->steps && ends > 0 && pairs <= most; t++) {
        const int32_t *from = t == 0 ? &start : met->keys + begin;
        int64_t before = met->count;
        for (int64_t i = 0; i < ends && pairs <= most; i++)
            for (int64_t j = g->offsets[from[i]]; j < g->offsets[from[i] + 1]; j++) {
                int32_t next = g->targets[j];
                pairs += met->sum[next] == 0 && holds(w, u, next);
                cafe_tally_add(met, next, 1);
            }
        begin = before;
        ends = met->count - before;
    }
    cafe_tally_clear(met);
    return pairs;
}

static void count_rows(void *argument, int64_t task, int32_t worker) {
    row_job *job = argument;
    const cafe_walk *w = job->walk;
    int64_t sum = 0;
    for (int64_t u = task * ROWS; u < cafe_block_end(w->graph->n, ROWS, task); u++) {
        bool over = atomic_load(&job->counted) + sum > job->limit;
        job->offsets[u + 1] =
            over || !begins(w, u) ? 0 : count_row(w, tallies_of(job, worker), u, job->limit);
        sum += job->offsets[u + 1];
    }
    atomic_fetch_add(&job->counted, sum);
}

/* Tries a few evenly spread rows, to refuse graphs that need more than twice the memory. One worker
 * does it, before the others get memory. */
static cafe_status probe(cafe_context *context, const row_job *job, bool *promising) {
    const cafe_walk *w = job->walk;
    cafe_tally *met = cafe_tallies_new(context, 1, w->graph->n);
    int64_t probes = w->starts < PROBES ? w->starts : PROBES;
    int64_t most = (int64_t)(2 * (double)job->limit * (double)probes / (double)w->starts) + 1;
    int64_t sum = 0;
    if (!met) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < probes && sum <= most; i++) {
        int64_t at = i * w->starts / probes, u = w->start ? w->start[at] : at;
        if (begins(w, u)) sum += count_row(w, met, u, most);
    }
    *promising = sum <= most;
    cafe_tallies_free(context, met, 1);
    return CAFE_OK;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* One step: next_w = sum over v of now_v a(v,w) / d_v, sum += share * next. Adds that are 0 for
 * smallness are left out: to a tally they are not met. */
static void step(const cafe_walk *w, cafe_tally *t, double share) {
    const cafe_graph *g = w->graph;
    for (int64_t i = 0; i < t[NOW].count; i++) {
        int32_t v = t[NOW].keys[i];
        double out = t[NOW].sum[v] / w->degree[v];
        for (int64_t j = g->offsets[v]; j < g->offsets[v + 1]; j++) {
            double add = g->scaled ? out * g->scaled[j] : out;
            if (add > 0) cafe_tally_add(&t[NEXT], g->targets[j], add);
        }
    }
    cafe_tally_clear(&t[NOW]);
    for (int64_t i = 0; i < t[NEXT].count; i++) {
        double add = share * t[NEXT].sum[t[NEXT].keys[i]];
        if (add > 0) cafe_tally_add(&t[SUM], t[NEXT].keys[i], add);
    }
    cafe_tally now = t[NOW];
    t[NOW] = t[NEXT];
    t[NEXT] = now;
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

static void fill_row(const row_job *job, cafe_tally *t, int64_t u) {
    const cafe_walk *w = job->walk;
    int64_t at = job->offsets[u];
    cafe_tally_add(&t[NOW], (int32_t)u, w->degree[u]);
    for (int64_t i = 0; i < w->steps; i++) step(w, t, w->share[i]);
    for (int64_t i = 0; i < t[SUM].count; i++)
        put_pair(job, u, t[SUM].keys[i], t[SUM].sum[t[SUM].keys[i]], &at);
    end_row(job, u, at);
    cafe_tally_clear(&t[NOW]);
    cafe_tally_clear(&t[SUM]);
}

static void fill_rows(void *argument, int64_t task, int32_t worker) {
    row_job *job = argument;
    int64_t n = job->walk->graph->n;
    for (int64_t u = task * ROWS; u < cafe_block_end(n, ROWS, task); u++)
        if (begins(job->walk, u)) fill_row(job, tallies_of(job, worker), u);
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
    int32_t workers = context->threads * TALLIES;
    bool promising;
    *own = NULL;
    atomic_init(&job.counted, 0);
    CAFE_TRY(probe(context, &job, &promising));
    if (!promising) goto done;
    job.offsets = cafe_mem_zero(context, walk->graph->n + 1, sizeof *job.offsets);
    job.tallies = cafe_tallies_new(context, workers, walk->graph->n);
    CAFE_TRY(job.offsets && job.tallies ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_parallel(context, cafe_blocks(walk->graph->n, ROWS), count_rows, &job));
    if (atomic_load(&job.counted) <= job.limit) CAFE_TRY(compute(context, &job, own));
done:
    cafe_tallies_free(context, job.tallies, workers);
    cafe_mem_free_all(context, job.offsets, job.target, job.weight, job.room);
    return status;
}
