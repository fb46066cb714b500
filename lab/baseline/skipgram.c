/* Skip-gram training in parallel, with the same bits for any number of threads.
 *
 * A pair (u,v) is a draw of a context v for the centre u. With negative sampling (Mikolov et al.,
 * NIPS 2013) the loss is
 *
 *     -log sigma(<h_u, c_v>) - sum over k drawn contexts w of log sigma(-<h_u, c_w>)
 *
 * and a step moves both rows of every term by rate * (label - sigma) times the other row. Each term
 * is a step of its own, so the order of the terms is free. Node blocks form a grid
 * (pair_batches.h). The terms of bucket (i,j) touch only the rows h of block i and c of block j. In
 * round r the buckets (i, r - i mod B) run side by side: no two share a row. (GraphVite, WWW 2019,
 * does this between GPUs.) With one matrix for both ends, i -> r - i is its own inverse, and
 * buckets (i,j) and (j,i) form one task.
 *
 * GraphVite draws the noise of a pair from the pair's own block of contexts, which changes the
 * method: with many blocks, nodes are compared only with those few. Here bucket (i,j) has noise for
 * all pairs with centre block i, in proportion to the mass of block j. The centres are drawn from
 * those pairs. The expectation is exactly the terms above, for any number of blocks.
 *
 * The tree of the hierarchical softmax has its upper decisions in common; skipgram_tree.c puts the
 * blocks below them. The lower decisions run in the rounds. The upper ones run before them, one
 * task for each block of centres with a copy of their B - 1 rows. The mean of the copies, weighted
 * by pairs and added in the order of the blocks, becomes the new rows (local gradient descent).
 */
#include "baseline/skipgram.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "kernels/row_kernels.h"

enum {
    PER_BUCKET = 1,            /* pairs of a node in a bucket: long turns between blocks, in which
                                * a row meets only one of them, make first-order LINE swing */
    BATCH_LEAST = 1 << 10,     /* pairs */
    BATCH_MOST = 1 << 22,      /* pairs: 32 MiB */
    SLICES = 64,               /* tasks of a racing batch */
    START_BLOCK = 1024,        /* nodes of a task */
    NODES_MOST = (1 << 30) - 1 /* twice a row and a bit fit 32 bits */
};

/* The rate falls linearly to this share of itself, as in word2vec. */
static const double rate_floor = 1e-4;

/* Odd numbers: rows a power of two apart share cache sets. More blocks keep more threads busy, but
 * need more pairs in a batch for the same work between two waits. */
int64_t cafe_skipgram_blocks(int64_t n) {
    int64_t blocks = n < 1024 ? 9 : n < 1 << 17 ? 17 : 33;
    if (blocks > n) blocks = n;
    return blocks > 0 ? blocks : 1;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* The rate when `part` of the batch is done. */
static double rate_at(const cafe_skipgram *s, double part) {
    double left = 1 - ((double)s->batch + part) / (double)s->batches;
    return s->plan->rate * (left > rate_floor ? left : rate_floor);
}

/* One term: label 1 for a pair, 0 for noise. The centre's move is only noted. */
static inline void term(const cafe_skipgram *s, const float *h, float *c, float label, float rate,
                        float *move) {
    float sigma = cafe_sigma_at(&s->sigma, s->kernels->dot(s->stride, h, c));
    s->kernels->pull(s->stride, rate * (label - sigma), h, c, move);
}

static void pair_step(const cafe_skipgram *s, cafe_pair pair, float rate, float *move) {
    float *h = s->h + pair.centre * s->stride;
    if (s->plan->shared && pair.centre == pair.context) return;
    term(s, h, s->c + pair.context * s->stride, 1, rate, move);
    s->kernels->apply(s->stride, move, h);
}

static void noise_step(const cafe_skipgram *s, int32_t centre, int64_t block, float rate,
                       cafe_draws *draws, float *move) {
    float *h = s->h + centre * s->stride;
    for (int64_t k = 0; k < s->plan->negative; k++) {
        int32_t v = cafe_noise_in(&s->noise, block, draws);
        if (s->plan->shared && v == centre) continue;
        term(s, h, s->c + v * s->stride, 0, rate, move);
    }
    s->kernels->apply(s->stride, move, h);
}

/* The decisions on a way; `rows` begins with row `first`. Bit 1 goes right: label 0. */
static void path_step(const cafe_skipgram *s, const cafe_path *path, int32_t leaf, float *rows,
                      int64_t first, float *h, float rate, float *move) {
    for (int64_t d = path->offsets[leaf]; d < path->offsets[leaf + 1]; d++) {
        int32_t decision = path->decisions[d];
        term(s, h, rows + (decision / 2 - first) * s->stride, decision & 1 ? 0 : 1, rate, move);
    }
    s->kernels->apply(s->stride, move, h);
}

/* ---- rounds ---------------------------------------------------------------------------------- */

static cafe_draws bucket_draws(const cafe_skipgram *s, int64_t bucket, int64_t slice) {
    int64_t item = (s->batch * s->blocks * s->blocks + bucket) * s->slices + slice;
    return cafe_draws_of(s->seed, CAFE_STREAM_SKIP_TRAIN, (uint64_t)item);
}

/* How often noise is drawn in a slice of bucket (i,j): pairs of block i times the mass of block j,
 * rounded up or down at random. */
static int64_t noise_count(const cafe_skipgram *s, int64_t i, int64_t j, cafe_draws *draws) {
    const int64_t *start = s->grid.start;
    double pairs = (double)(start[(i + 1) * s->blocks] - start[i * s->blocks]);
    if (s->plan->loss == CAFE_LOSS_HIERARCHICAL || s->plan->negative == 0) return 0;
    double expected = pairs * s->noise.mass[j] / (double)s->slices;
    return (int64_t)floor(expected + cafe_draw_uniform(draws));
}

static int32_t some_centre(const cafe_skipgram *s, int64_t i, cafe_draws *draws) {
    int64_t begin = s->grid.start[i * s->blocks], end = s->grid.start[(i + 1) * s->blocks];
    return s->grid.pairs[begin + cafe_draw_below(draws, end - begin)].centre;
}

/* Pairs and noise of a bucket, evenly mixed. */
static void train_bucket(const cafe_skipgram *s, int64_t i, int64_t j, int64_t slice, float *move) {
    int64_t bucket = i * s->blocks + j, begin = s->grid.start[bucket];
    int64_t all = s->grid.start[bucket + 1] - begin;
    const cafe_pair *pair = s->grid.pairs + begin + all * slice / s->slices;
    int64_t pairs = all * (slice + 1) / s->slices - all * slice / s->slices;
    cafe_draws draws = bucket_draws(s, bucket, slice);
    int64_t terms = pairs + noise_count(s, i, j, &draws), next = 0;
    for (int64_t t = 0; t < terms; t++) {
        double part = ((double)s->round + (double)t / (double)terms) / (double)s->blocks;
        float rate = (float)rate_at(s, part);
        if ((next + 1) * terms > (t + 1) * pairs) {
            noise_step(s, some_centre(s, i, &draws), j, rate, &draws, move);
            continue;
        }
        if (s->plan->loss == CAFE_LOSS_HIERARCHICAL)
            path_step(s, &s->tree.inner, pair[next].context, s->c, 0,
                      s->h + pair[next].centre * s->stride, rate, move);
        else
            pair_step(s, pair[next], rate, move);
        next++;
    }
}

static void train_task(void *argument, int64_t task, int32_t worker) {
    const cafe_skipgram *s = argument;
    float *move = s->move + worker * s->stride;
    int64_t i = task / s->slices, slice = task % s->slices;
    int64_t j = (s->round + s->blocks - i) % s->blocks;
    if (s->plan->shared && i > j) return;
    train_bucket(s, i, j, slice, move);
    if (s->plan->shared && i < j) train_bucket(s, j, i, slice, move);
}

/* ---- the upper decisions of the tree --------------------------------------------------------- */

static int64_t block_pairs(const cafe_skipgram *s, int64_t i) {
    return s->grid.start[(i + 1) * s->blocks] - s->grid.start[i * s->blocks];
}

/* As many pairs as the block has, drawn from them: buckets one after another would show the same
 * way to the same decisions many times in a row. */
static void train_top(void *argument, int64_t i, int32_t worker) {
    const cafe_skipgram *s = argument;
    int64_t pairs = block_pairs(s, i), size = (s->blocks - 1) * s->stride;
    const cafe_pair *pair = s->grid.pairs + s->grid.start[i * s->blocks];
    float *rows = s->top + i * size, *move = s->move + worker * s->stride;
    cafe_draws draws =
        cafe_draws_of(s->seed, CAFE_STREAM_SKIP_TOP, (uint64_t)(s->batch * s->blocks + i));
    memcpy(rows, s->c + s->tree.first_top * s->stride, (size_t)size * sizeof *rows);
    for (int64_t t = 0; t < pairs; t++) {
        cafe_pair p = pair[cafe_draw_below(&draws, pairs)];
        float rate = (float)rate_at(s, (double)t / (double)pairs);
        path_step(s, &s->tree.top, (int32_t)(p.context % s->blocks), rows, s->tree.first_top,
                  s->h + p.centre * s->stride, rate, move);
    }
}

static void merge_top(const cafe_skipgram *s) {
    int64_t size = (s->blocks - 1) * s->stride, pairs = s->grid.start[s->blocks * s->blocks];
    float *rows = s->c + s->tree.first_top * s->stride;
    if (pairs == 0) return;
    memset(rows, 0, (size_t)size * sizeof *rows);
    for (int64_t i = 0; i < s->blocks; i++) {
        float share = (float)((double)block_pairs(s, i) / (double)pairs);
        for (int64_t k = 0; k < size; k++) rows[k] += share * s->top[i * size + k];
    }
}

/* ---- batches and passes ---------------------------------------------------------------------- */

static cafe_status train_batch(cafe_context *context, cafe_skipgram *s, int64_t first,
                               int64_t count) {
    CAFE_PASS(cafe_grid_fill(context, s->source, first, count, s->batch, &s->grid));
    if (s->top) {
        CAFE_PASS(cafe_parallel(context, s->blocks, train_top, s));
        merge_top(s);
    }
    for (s->round = 0; s->round < s->blocks; s->round++)
        CAFE_PASS(cafe_parallel(context, s->blocks * s->slices, train_task, s));
    s->batch++;
    return CAFE_OK;
}

static cafe_status train_pass(cafe_context *context, cafe_skipgram *s, int64_t pass,
                              cafe_solution *found) {
    int64_t units = s->source->units;
    for (int64_t at = 0; at < units; at += s->grid.units) {
        int64_t count = units - at < s->grid.units ? units - at : s->grid.units;
        CAFE_PASS(train_batch(context, s, pass * units + at, count));
        cafe_step(context, s->batch, found->objective[pass]);
    }
    CAFE_PASS(cafe_skipgram_loss(context, s, &found->objective[pass + 1]));
    found->sweeps = pass + 1;
    return CAFE_OK;
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Entries of h uniform in (-1/2, 1/2) / K; contexts begin at 0. */
static void start_block(void *argument, int64_t first, int64_t last) {
    const cafe_skipgram *s = argument;
    int64_t columns = s->plan->columns, draws = (columns + 3) / 4;
    for (int64_t u = first; u < last; u++) {
        float *row = s->h + u * s->stride;
        memset(row, 0, (size_t)s->stride * sizeof *row);
        for (int64_t k = 0; k < columns; k++) {
            cafe_random4 r =
                cafe_philox(s->seed, CAFE_STREAM_SKIP_START, (uint64_t)(u * draws + k / 4));
            row[k] = (float)((cafe_uniform_open(r.v[k % 4]) - 0.5) / (double)columns);
        }
    }
}

static cafe_status make_rows(cafe_context *context, const cafe_graph *graph, cafe_skipgram *s) {
    int64_t top = s->blocks * (s->blocks - 1) * s->stride;
    s->move = cafe_mem_zero(context, context->threads * s->stride, sizeof *s->move);
    if (!s->move) return CAFE_ERROR_MEMORY;
    if (s->plan->loss == CAFE_LOSS_HIERARCHICAL)
        CAFE_PASS(cafe_tree_new(context, graph, s->blocks, &s->tree));
    else
        CAFE_PASS(cafe_noise_new(context, graph, s->blocks, 0.75, &s->noise));
    if (s->plan->loss == CAFE_LOSS_HIERARCHICAL && s->blocks > 1) {
        s->top = cafe_mem(context, top, sizeof *s->top);
        if (!s->top) return CAFE_ERROR_MEMORY;
    }
    s->c = s->plan->shared ? s->h : cafe_mem_zero(context, s->n * s->stride, sizeof *s->c);
    return cafe_mem_had(s->c);
}

static int64_t batch_pairs(int64_t n, int64_t blocks) {
    int64_t pairs = PER_BUCKET * n * blocks;
    if (pairs < BATCH_LEAST) return BATCH_LEAST;
    return pairs < BATCH_MOST ? pairs : BATCH_MOST;
}

static cafe_status prepare(cafe_context *context, const cafe_graph *graph, cafe_skipgram *s) {
    const cafe_pair_source *source = s->source;
    cafe_phase(context, "start", 0);
    cafe_sigma_init(&s->sigma);
    CAFE_PASS(make_rows(context, graph, s));
    CAFE_PASS(cafe_ranges(context, s->n, START_BLOCK, start_block, s));
    CAFE_PASS(cafe_grid_new(context, source, s->blocks,
                            batch_pairs(s->n, cafe_skipgram_blocks(s->n)), &s->grid));
    s->grid.seed = s->seed;
    if (source->units > 0) s->batches = s->plan->passes * cafe_blocks(source->units, s->grid.units);
    return CAFE_OK;
}

static void release(cafe_context *context, cafe_skipgram *s) {
    cafe_grid_free(context, &s->grid);
    cafe_noise_free(context, &s->noise);
    cafe_tree_free(context, &s->tree);
    cafe_mem_free_all(context, s->top, s->move);
    if (!s->plan->shared) cafe_mem_free(context, s->c);
}

static cafe_skipgram describe(cafe_context *context, const cafe_graph *graph,
                              const cafe_pair_source *source, const cafe_skipgram_plan *plan) {
    cafe_skipgram s = {.plan = plan, .source = source, .n = graph->n};
    s.stride = cafe_stride(plan->columns);
    s.blocks = plan->fast ? 1 : cafe_skipgram_blocks(graph->n);
    s.slices = plan->fast ? SLICES : 1;
    s.kernels = plan->fast ? cafe_skip_kernels_racing() : cafe_skip_kernels_best();
    s.seed = context->seed;
    return s;
}

cafe_status cafe_skipgram_train(cafe_context *context, const cafe_graph *graph,
                                const cafe_pair_source *source, const cafe_skipgram_plan *plan,
                                uint64_t salt, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *found = NULL;
    cafe_skipgram s = describe(context, graph, source, plan);
    *solution = NULL;
    if (graph->n > NODES_MOST)
        return cafe_fail(context, CAFE_ERROR_LIMIT, "skip-gram training takes at most %d nodes",
                         NODES_MOST);
    if (graph->arcs == 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the graph has no edges: there are no pairs to learn from");
    s.seed += salt * 0x9E3779B97F4A7C15u;
    CAFE_TRY(
        cafe_solution_rows(context, "skip-gram", graph->n, plan->columns, plan->passes, &found));
    s.h = found->h.x;
    CAFE_TRY(prepare(context, graph, &s));
    CAFE_TRY(cafe_skipgram_loss(context, &s, &found->objective[0]));
    cafe_phase(context, "train", s.batches);
    for (int64_t pass = 0; pass < plan->passes; pass++)
        CAFE_TRY(train_pass(context, &s, pass, found));
    *solution = found;
    found = NULL;
done:
    release(context, &s);
    cafe_solution_free(found);
    return status;
}
