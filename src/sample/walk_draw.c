/* Pairs of a walk by drawing: linear in their number, whatever the length of the rows.
 *
 * The i-th of N walks begins at the place (i + U_i) / N of the nodes laid out by their degrees.
 * These are strata of equal mass: the first ends are spread evenly, unbiased, and found by going
 * forward. All numbers of walk i are a function of (seed, i), so pairs do not depend on threads.
 */
#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/graph.h"
#include "sample/walk.h"

enum {
    TASK = 8192, /* walks of a task */
    SIDE = 32    /* walks that go side by side, so that their memory accesses overlap */
};

typedef struct draw_job {
    const cafe_walk *walk;
    cafe_alias alias;      /* of weighted graphs */
    double *before;        /* starts + 1: degrees added up */
    int32_t *first, *last; /* the ends of each walk */
} draw_job;

static uint64_t high_bits(cafe_random4 r, int half) {
    return ((uint64_t)r.v[2 * half] << 32) | r.v[2 * half + 1];
}

static inline int32_t neighbour(const draw_job *job, int32_t u, uint64_t bits) {
    const cafe_graph *g = job->walk->graph;
    if (g->offsets[u] == g->offsets[u + 1]) return u; /* only where rows are not symmetric */
    return cafe_alias_pick(&job->alias, g->targets, g->offsets[u], g->offsets[u + 1], bits);
}

/* t from one random number: uniform in 1 .. T, or P(t > k) = d^k. */
static int64_t draw_length(const cafe_walk *w, uint32_t high, uint32_t low) {
    if (w->damping < 0) return 1 + (int64_t)cafe_below(high, low, (uint64_t)w->steps);
    if (w->damping == 0) return 1;
    return 1 + (int64_t)floor(log(1 - cafe_uniform(high, low)) / log(w->damping));
}

/* Walks first .. first + count - 1 side by side from their starts; left[i] steps remain. */
static void go(const draw_job *job, int64_t first, int64_t count, int32_t *at, int64_t *left) {
    uint64_t seed = job->walk->context->seed;
    int64_t going = count;
    for (uint64_t k = 1; going > 0; k++) {
        going = 0;
        for (int64_t i = 0; i < count; i++) {
            if (left[i] == 0) continue;
            cafe_random4 r = cafe_philox(seed, CAFE_STREAM_WALK | (k << 32), (uint64_t)(first + i));
            at[i] = neighbour(job, at[i], high_bits(r, 0));
            if (--left[i] > 0) {
                at[i] = neighbour(job, at[i], high_bits(r, 1));
                left[i]--;
            }
            going += left[i] > 0;
        }
    }
}

/* The last start whose mass begins at or before x. */
static int64_t find_start(const draw_job *job, double x) {
    int64_t low = 0, high = job->walk->starts;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (job->before[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Where walk i begins; `near` is at or before it and moves there. */
static int32_t begin_at(const draw_job *job, int64_t i, double u, int64_t *near) {
    const cafe_walk *w = job->walk;
    double total = job->before[w->starts];
    double x = ((double)i + u) / (double)w->samples * total;
    if (x >= total) x = nextafter(total, 0);
    if (*near < 0) *near = find_start(job, x);
    while (job->before[*near + 1] <= x) ++*near;
    return w->start ? w->start[*near] : (int32_t)*near;
}

static void draw(void *argument, int64_t first, int64_t last) {
    const draw_job *job = argument;
    const cafe_walk *w = job->walk;
    int64_t near = -1, left[SIDE];
    for (int64_t i = first; i < last; i += SIDE) {
        int64_t count = last - i < SIDE ? last - i : SIDE;
        for (int64_t k = 0; k < count; k++) {
            cafe_random4 r = cafe_philox(w->context->seed, CAFE_STREAM_WALK, (uint64_t)(i + k));
            job->first[i + k] = begin_at(job, i + k, cafe_uniform(r.v[0], r.v[1]), &near);
            job->last[i + k] = job->first[i + k];
            left[k] = draw_length(w, r.v[2], r.v[3]);
        }
        go(job, i, count, job->last + i, left);
    }
}

static cafe_status prepare(cafe_context *context, draw_job *job) {
    const cafe_walk *w = job->walk;
    job->before = cafe_mem(context, w->starts + 1, sizeof *job->before);
    job->first = cafe_mem(context, w->samples, sizeof *job->first);
    job->last = cafe_mem(context, w->samples, sizeof *job->last);
    if (!job->before || !job->first || !job->last) return CAFE_ERROR_MEMORY;
    job->before[0] = 0;
    for (int64_t i = 0; i < w->starts; i++)
        job->before[i + 1] = job->before[i] + w->degree[w->start ? w->start[i] : i];
    return w->graph->scaled ? cafe_alias_new(context, w->graph, &job->alias) : CAFE_OK;
}

cafe_status cafe_walk_draw(cafe_context *context, const cafe_walk *walk, cafe_graph **own) {
    cafe_status status = CAFE_OK;
    draw_job job = {.walk = walk};
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    options.duplicates = CAFE_DUPLICATES_SUM;
    CAFE_TRY(prepare(context, &job));
    CAFE_TRY(cafe_ranges(context, walk->samples, TASK, draw, &job));
    cafe_links links = {
        .nodes = walk->graph->n, .count = walk->samples, .source = job.first, .target = job.last};
    CAFE_TRY(cafe_graph_build(context, &links, &options, own));
done:
    cafe_alias_free(context, &job.alias);
    cafe_mem_free_all(context, job.before, job.first, job.last);
    return status;
}
