/* Communities of a graph in which moves of single nodes find nothing but trees.
 *
 * If edges are spread evenly inside large communities, two neighbours of a node are hardly ever
 * neighbours. Moves from single nodes then join pairs and triples by one edge each, which is as
 * often between communities as inside, and levels above inherit these errors. There every node
 * draws one of few labels instead, again and again:
 *
 *     P(label S of u) ~ exp(beta (a(u,S) - resolution d_u p(S))),
 *
 * with a(u,w) in units of the mean weight and d_u the sum of its row. This is Gibbs sampling of the
 * modularity. Let K be the number of labels and d the mean degree of the end of an edge. A small
 * excess of a label travels along an edge with the factor x = (e^beta - 1) / (e^beta + K - 1).
 * Errors grow if d x^2 > 1, so the draws freeze anywhere; communities grow if mu x > 1, where mu is
 * the edges of a node into its community beyond expectation. With
 *
 *     x = 0.8 / sqrt(d)
 *
 * communities with mu > 1.25 sqrt(d) grow from nothing and errors die out (the limit for any method
 * is mu > sqrt(d): Decelle, Krzakala, Moore, Zdeborova, Phys. Rev. E 84, 2011).
 *
 * The nodes u mod CHUNKS = c draw together from the state before; the draws depend on (seed, turn,
 * pass, u) alone, and masses are integers: any threads find the same.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "graph/label_sums.h"
#include "solve/layers.h"

enum {
    CHUNKS = 64,
    NODES = 256,       /* of a task */
    RANGE = 1 << 14,   /* nodes of a task that does little */
    LEAST_PASSES = 4,  /* before the growth is looked at */
    MOST_PASSES = 200, /* weak communities take a hundred */
    LABELS = 256       /* at most */
};

static const double below_freezing = 0.8; /* x sqrt(d) */
/* The passes end when the edges inside labels grew less than this in two passes: 1e-2 and more
 * while communities grow. */
static const double least_growth = 5e-3;
/* Degrees are even if their mean at the end of an edge is below this many times their mean. */
static const double even_degrees = 2;
/* A community that is a tree has one edge less than nodes; more edges inside than this many times
 * that are no trees. */
static const double more_than_trees = 1.5;

typedef struct anneal_job {
    const cafe_pooled *g;
    uint64_t seed, turn;
    double resolution, beta, unit; /* the mean weight of an arc */
    int64_t labels, chunk, pass;
    int32_t *part, *next; /* next: of the chunk's nodes */
    int64_t *mass;        /* p of each label */
    int64_t *change;      /* of mass, a row of LABELS for each worker */
    double *inside;       /* of each task: the weight that its nodes have to their own labels */
    cafe_bins *bins;
} anneal_job;

/* ---- is this such a graph? ------------------------------------------------------------------- */

/* sum d_u^2 / sum d_u, the mean degree of the end of an edge. Degrees are taken as proportional to
 * p_u, because g may have only some of the edges that p_u counts. */
static double end_degree(const cafe_pooled *g) {
    double mass = 0, squares = 0;
    for (int64_t u = 0; u < g->n; u++) {
        mass += g->mass[u];
        squares += g->mass[u] * g->mass[u];
    }
    return squares / (mass * mass) * (double)g->offsets[g->n];
}

static double mean_weight(const cafe_pooled *g) {
    double sum = 0;
    if (!g->single && !g->factor && !g->pooled) return 1;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
            sum += cafe_pooled_weight(g, u, arc);
    return sum / (double)g->offsets[g->n];
}

bool cafe_layers_are_even(const cafe_pooled *g) {
    return end_degree(g) * (double)g->n < even_degrees * (double)g->offsets[g->n];
}

double cafe_layers_random_level(const cafe_pooled *g) {
    return 1 / sqrt(end_degree(g));
}

bool cafe_layers_are_trees(const cafe_pooled *g, int64_t communities, double modularity) {
    return modularity * g->total / mean_weight(g) / 2 <
           more_than_trees * (double)(g->n - communities);
}

/* ---- draws ----------------------------------------------------------------------------------- */

static inline int64_t mass_of(const anneal_job *job, int64_t u) {
    return (int64_t)(job->g->mass[u] * 0x1p62);
}

/* Pass 0 is the start. */
static inline cafe_random4 random_of(const anneal_job *job, int64_t u) {
    uint64_t call = 8 * job->turn + 5 + ((uint64_t)job->pass << 24);
    return cafe_philox(job->seed, CAFE_STREAM_LAYERS, (call << 32) + (uint64_t)u);
}

/* One of the labels, each with the same probability. */
static inline int32_t any_label(const anneal_job *job, uint32_t random) {
    return (int32_t)((uint64_t)random * (uint64_t)job->labels >> 32);
}

/* beta (a(u,S) - resolution d_u p(S)), without u itself in its own label. */
static double score(const anneal_job *job, int64_t u, int32_t label, double edges) {
    int64_t mass = job->mass[label] - (label == job->part[u] ? mass_of(job, u) : 0);
    double degree = job->g->mass[u] * job->g->total;
    return job->beta * (edges - job->resolution * degree * (double)mass * 0x1p-62) / job->unit;
}

/* The label drawn for u, whose edges are in the table. The labels without an edge to u are many and
 * much alike: one of them, drawn before, stands for all. */
static int32_t draw(const anneal_job *job, int64_t u, const cafe_bins *bins) {
    cafe_random4 r = random_of(job, u);
    int32_t other = any_label(job, r.v[2]);
    double weight[LABELS + 1], most = weight[bins->count] = score(job, u, other, 0), sum = 0;
    for (int64_t i = 0; i < bins->count; i++) {
        cafe_bin b = cafe_bins_at(bins, i);
        weight[i] = score(job, u, b.key, b.sum);
        most = weight[i] > most ? weight[i] : most;
    }
    for (int64_t i = 0; i <= bins->count; i++) {
        double many = i < bins->count ? 1 : (double)(job->labels - bins->count);
        sum += weight[i] = many * exp(weight[i] - most);
    }
    double at = cafe_uniform(r.v[0], r.v[1]) * sum;
    for (int64_t i = 0; i < bins->count; i++)
        if ((at -= weight[i]) < 0) return cafe_bins_at(bins, i).key;
    return other;
}

/* The nodes of the chunk at places first .. last-1 draw from the state before the chunk. */
static void draw_labels(void *argument, int64_t task, int32_t worker) {
    anneal_job *job = argument;
    const cafe_pooled *g = job->g;
    cafe_bins *bins = &job->bins[worker];
    int64_t *change = job->change + worker * LABELS, first = task * NODES;
    int64_t count = (g->n - job->chunk + CHUNKS - 1) / CHUNKS, end = first + NODES;
    int32_t node[NODES];
    double inside = 0;
    count = (end < count ? end : count) - first;
    for (int64_t i = 0; i < count; i++) node[i] = (int32_t)((first + i) * CHUNKS + job->chunk);
    for (int64_t i = 0; i < count; i++) {
        int64_t u = node[i], mass = mass_of(job, u);
        cafe_pooled_send_for(g, job->part, node, i, count);
        cafe_bins_open(bins, g->offsets[u + 1] - g->offsets[u]);
        cafe_gather_row(g, job->part, NULL, u, bins);
        int32_t to = draw(job, u, bins);
        inside += cafe_bins_sum(bins, job->part[u]);
        cafe_bins_clear(bins);
        change[job->part[u]] -= mass;
        change[to] += mass;
        job->next[first + i] = to;
    }
    job->inside[task] += inside;
}

static void take_labels(void *argument, int64_t first, int64_t last) {
    const anneal_job *job = argument;
    for (int64_t i = first; i < last; i++) job->part[i * CHUNKS + job->chunk] = job->next[i];
}

/* p(S) follows, and the changes are zero again. */
static void take_masses(cafe_context *context, anneal_job *job) {
    for (int64_t i = 0; i < context->threads * LABELS; i++) {
        job->mass[i % LABELS] += job->change[i];
        job->change[i] = 0;
    }
}

/* One pass over all chunks; *inside <- the weight inside labels, each node at its visit. */
static cafe_status run_pass(cafe_context *context, anneal_job *job, double *inside) {
    int64_t tasks = cafe_blocks(cafe_blocks(job->g->n, CHUNKS), NODES);
    CAFE_PASS(cafe_check_cancel(context));
    memset(job->inside, 0, (size_t)tasks * sizeof *job->inside);
    for (job->chunk = 0; job->chunk < CHUNKS && job->chunk < job->g->n; job->chunk++) {
        int64_t count = (job->g->n - job->chunk + CHUNKS - 1) / CHUNKS;
        CAFE_PASS(cafe_parallel(context, cafe_blocks(count, NODES), draw_labels, job));
        CAFE_PASS(cafe_ranges(context, count, RANGE, take_labels, job));
        take_masses(context, job);
    }
    *inside = 0;
    for (int64_t t = 0; t < tasks; t++) *inside += job->inside[t];
    return CAFE_OK;
}

static void start_labels(void *argument, int64_t first, int64_t last) {
    const anneal_job *job = argument;
    for (int64_t u = first; u < last; u++) job->part[u] = any_label(job, random_of(job, u).v[0]);
}

/* Random labels and their masses. */
static cafe_status start(cafe_context *context, anneal_job *job) {
    CAFE_PASS(cafe_ranges(context, job->g->n, RANGE, start_labels, job));
    for (int64_t u = 0; u < job->g->n; u++) job->mass[job->part[u]] += mass_of(job, u);
    return CAFE_OK;
}

cafe_status cafe_layers_anneal(cafe_context *context, const cafe_pooled *g, double resolution,
                               uint64_t turn, int64_t labels, int32_t *part) {
    cafe_status status = CAFE_OK;
    int64_t tasks = cafe_blocks(cafe_blocks(g->n, CHUNKS), NODES);
    double inside[MOST_PASSES + 1], x = below_freezing / sqrt(end_degree(g));
    anneal_job job = {.g = g,
                      .seed = context->seed,
                      .turn = turn,
                      .resolution = resolution,
                      .unit = mean_weight(g),
                      .labels = labels < g->n ? labels : g->n,
                      .part = part};
    if (job.labels > LABELS) job.labels = LABELS;
    job.beta = log1p(fmin(x, below_freezing) * (double)job.labels / (1 - fmin(x, below_freezing)));
    job.next = cafe_mem(context, cafe_blocks(g->n, CHUNKS), sizeof *job.next);
    job.mass = cafe_mem_zero(context, LABELS, sizeof *job.mass);
    job.change = cafe_mem_zero(context, context->threads * LABELS, sizeof *job.change);
    job.inside = cafe_mem(context, tasks, sizeof *job.inside);
    job.bins = cafe_bins_new(context, context->threads, g->widest, job.labels);
    CAFE_TRY(cafe_mem_had(job.next, job.mass, job.change, job.inside, job.bins));
    CAFE_TRY(start(context, &job));
    for (job.pass = 1; job.pass <= MOST_PASSES; job.pass++) {
        CAFE_TRY(run_pass(context, &job, &inside[job.pass]));
        if (job.pass >= LEAST_PASSES &&
            inside[job.pass] < inside[job.pass - 2] * (1 + least_growth))
            break;
    }
done:
    cafe_bins_free(context, job.bins, context->threads);
    cafe_mem_free_all(context, job.next, job.mass, job.change, job.inside);
    return status;
}
