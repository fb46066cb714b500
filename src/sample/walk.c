/* Walk and PageRank sampling: the plan (starts, lengths, exact or drawn) and the error of drawn
 * pairs.
 */
#include "sample/walk.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"

enum {
    BLOCK = 4096,
    PAIR_BYTES = 40,    /* of memory per drawn pair: two nodes, two arcs while rows are built */
    PAIRS_PER_ARC = 16, /* pairs to draw by default, for each arc */
    LEAST_PAIRS = 1000 * 1000, /* pairs to draw by default, at least */
    MOST_STEPS = 100 * 1000
};
#define REST 1e-6 /* PageRank walks beyond this share are left out of exact rows */

/* ---- where walks begin ----------------------------------------------------------------------- */

static void fill_degrees(void *argument, int64_t begin, int64_t end) {
    const cafe_walk *w = argument;
    for (int64_t u = begin; u < end; u++)
        w->degree[u] = cafe_row_sum(w->graph->offsets, w->graph->scaled, u);
}

/* Seeds without edges are left out: no walk begins there. */
static void list_seeds(cafe_walk *w) {
    for (int64_t u = 0; u < w->graph->n; u++) {
        if (!(w->degree[u] > 0)) w->seed[u] = 0;
        if (w->seed[u]) w->start[w->starts++] = (int32_t)u;
    }
}

static cafe_status take_seeds(cafe_context *context, const cafe_sample_inputs *inputs,
                              cafe_walk *w) {
    int64_t n = w->graph->n;
    if (!inputs->seeds) {
        w->starts = n;
        return CAFE_OK;
    }
    w->seed = cafe_mem_zero(context, n, sizeof *w->seed);
    w->start = cafe_mem(context, n, sizeof *w->start);
    if (!w->seed || !w->start) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < inputs->seed_count; i++) {
        int32_t u = inputs->seeds[i];
        if (u < 0 || u >= n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "seed %d is no node: the graph has nodes 0 to %lld", (int)u,
                             (long long)n - 1);
        w->seed[u] = 1;
    }
    list_seeds(w);
    if (w->starts == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "no seed has an edge: there is no walk from the seeds");
    return CAFE_OK;
}

/* ---- how long they are ----------------------------------------------------------------------- */

/* walk: c_t = 1/T up to T. pagerank: c_t = (1-d) d^(t-1), up to the first L with d^L < REST. */
static cafe_status take_lengths(cafe_context *context, cafe_sampling sampling,
                                const cafe_sample_options *o, cafe_walk *w) {
    w->steps = o->window;
    w->damping = -1;
    if (sampling == CAFE_SAMPLING_PAGERANK) {
        w->damping = o->damping;
        w->rest = o->damping;
        for (w->steps = 1; w->rest >= REST && w->steps < MOST_STEPS; w->steps++)
            w->rest *= o->damping;
    }
    w->share = cafe_mem(context, w->steps, sizeof *w->share);
    if (!w->share) return CAFE_ERROR_MEMORY;
    double share = w->damping < 0 ? 1 / (double)w->steps : 1 - w->damping;
    for (int64_t t = 0; t < w->steps; t++) {
        w->share[t] = share;
        if (w->damping >= 0) share *= w->damping;
    }
    return CAFE_OK;
}

static int64_t count_samples(const cafe_walk *w, int64_t asked) {
    if (asked > 0) return asked;
    int64_t wanted = PAIRS_PER_ARC * w->graph->arcs, room = w->bytes / PAIR_BYTES;
    if (wanted < LEAST_PAIRS) wanted = LEAST_PAIRS;
    return wanted < room ? wanted : room;
}

static cafe_status plan(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                        const cafe_sample_options *o, const cafe_sample_inputs *inputs,
                        cafe_walk *w) {
    w->context = context;
    w->graph = graph;
    w->bytes = o->budget * 1000 * 1000;
    w->samples = count_samples(w, o->samples);
    w->degree = cafe_mem(context, graph->n, sizeof *w->degree);
    if (!w->degree) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_ranges(context, graph->n, BLOCK, fill_degrees, w));
    CAFE_PASS(take_seeds(context, inputs, w));
    return take_lengths(context, sampling, o, w);
}

/* ---- the error of drawn pairs ---------------------------------------------------------------- */

enum { SQUARES, PAIRS, SUMS };

/* The squared shares of the pairs, and how many there are. */
static void add_pairs(void *argument, int64_t first, int64_t last, double *sums) {
    const cafe_sampled *s = argument;
    double samples = s->total / 2;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            if (s->targets[j] < u) continue;
            double count = CAFE_LINK(s, u, j);
            double share = (s->targets[j] == u ? count / 2 : count) / samples;
            sums[SQUARES] += share * share;
            sums[PAIRS]++;
        }
}

/* N pairs of which c_i are the i-th unordered one, g_i = c_i / N. With pi_i their probability
 *
 *     E sum (g_i - pi_i)^2        = sum pi_i (1 - pi_i) / N, estimated by (1 - sum g_i^2) / (N-1),
 *     E sum (g_i - pi_i)^2 / pi_i = (pairs - 1) / N.
 *
 * Walks begin in strata (walk_draw.c), which can only make both smaller. */
static cafe_status find_error(cafe_context *context, int64_t samples, cafe_sampled *s) {
    double sums[SUMS] = {0}, fewer = samples > 1 ? (double)samples - 1 : 1;
    CAFE_PASS(cafe_sums(context, s->n, BLOCK, add_pairs, s, SUMS, sums));
    s->info.pairs = (int64_t)sums[PAIRS];
    s->info.exact = 0;
    s->info.samples = samples;
    s->info.standard_error = sqrt(fmax(1 - sums[SQUARES], 0) / fewer);
    s->info.relative_error = sqrt((sums[PAIRS] - 1) / (double)samples);
    return CAFE_OK;
}

/* ---- the sampling ---------------------------------------------------------------------------- */

static void release(cafe_context *context, cafe_walk *w) {
    cafe_mem_free_all(context, w->degree, w->seed, w->start, w->share);
}

cafe_status cafe_sample_walk(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                             const cafe_sample_options *o, const cafe_sample_inputs *inputs,
                             cafe_sampled **sampled) {
    cafe_status status = CAFE_OK;
    cafe_walk walk = {0};
    cafe_graph *own = NULL;
    cafe_sampled *s = NULL;
    cafe_phase(context, "sample", 0);
    CAFE_TRY(plan(context, graph, sampling, o, inputs, &walk));
    if (o->samples == 0) CAFE_TRY(cafe_walk_rows(context, &walk, &own));
    bool exact = own != NULL;
    if (!exact) CAFE_TRY(cafe_walk_draw(context, &walk, &own));
    CAFE_TRY(cafe_sampled_adopt(context, own, sampling, &s));
    if (!exact) CAFE_TRY(find_error(context, walk.samples, s));
    s->info.seeds = walk.seed ? walk.starts : 0;
    s->info.steps = exact || walk.damping < 0 ? walk.steps : 0;
    s->info.truncation = exact ? walk.rest : 0;
    *sampled = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_sampled_free(s);
    release(context, &walk);
    return status;
}
