/* Batches of pairs: made twice, first to be counted and then to be put into their buckets.
 *
 * Walking a second time costs less than the memory to remember the first: a walk step takes tens of
 * nanoseconds, the training of its pairs thousands. Tasks are fixed ranges of units, and a bucket
 * holds the tasks' pairs in the order of the tasks: no thread leaves a trace. The shuffle of a
 * bucket (Fisher and Yates) is a function of seed, batch and bucket.
 */
#include "baseline/pair_batches.h"

#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"

enum { TASKS = 32 };

/* ---- windows --------------------------------------------------------------------------------- */

int64_t cafe_window_most(int64_t length, int64_t window) {
    int64_t others = 2 * window < length - 1 ? 2 * window : length - 1;
    return length * others;
}

int64_t cafe_window_pairs(const int32_t *nodes, int64_t length, int64_t window, cafe_draws *draws,
                          cafe_pair *pairs) {
    int64_t count = 0;
    for (int64_t i = 0; i < length; i++) {
        int64_t reach = draws ? 1 + cafe_draw_below(draws, window) : window;
        int64_t begin = i > reach ? i - reach : 0, end = i + reach + 1;
        for (int64_t j = begin; j < end && j < length; j++)
            if (j != i) pairs[count++] = (cafe_pair){nodes[i], nodes[j]};
    }
    return count;
}

/* Later passes walk the same walks again and draw the reach again, as word2vec does. */
static int64_t emit_walk(const void *self, int64_t unit, cafe_pair *room) {
    const cafe_walk_pairs *w = self;
    int32_t nodes[CAFE_WALK_LONGEST];
    int64_t n = w->walker->graph->n, number = unit % (n * w->walks);
    cafe_draws steps = cafe_draws_of(w->seed, CAFE_STREAM_SKIP_WALK, (uint64_t)number);
    cafe_draws reach = cafe_draws_of(w->seed, CAFE_STREAM_SKIP_WINDOW, (uint64_t)unit);
    int64_t start = cafe_permuted(w->seed, (uint64_t)(number / n), n, number % n);
    int64_t length = cafe_walker_go(w->walker, (int32_t)start, w->length, &steps, nodes);
    return cafe_window_pairs(nodes, length, w->window, &reach, room);
}

cafe_pair_source cafe_walk_source(const cafe_walk_pairs *walks) {
    return (cafe_pair_source){walks->walker->graph->n * walks->walks,
                              cafe_window_most(walks->length, walks->window), emit_walk, walks};
}

/* ---- the grid -------------------------------------------------------------------------------- */

cafe_status cafe_grid_new(cafe_context *context, const cafe_pair_source *source, int64_t blocks,
                          int64_t pairs, cafe_grid *grid) {
    int64_t buckets = blocks * blocks, most = source->most > 0 ? source->most : 1;
    *grid = (cafe_grid){
        .blocks = blocks, .seed = context->seed, .units = pairs / most > 0 ? pairs / most : 1};
    if (grid->units > source->units) grid->units = source->units;
    grid->capacity = grid->units * most;
    grid->pairs = cafe_mem(context, grid->capacity, sizeof *grid->pairs);
    grid->start = cafe_mem(context, buckets + 1, sizeof *grid->start);
    grid->tally = cafe_mem(context, TASKS * buckets, sizeof *grid->tally);
    grid->room = cafe_mem(context, context->threads * most, sizeof *grid->room);
    return cafe_mem_had(grid->pairs, grid->start, grid->tally, grid->room);
}

void cafe_grid_free(cafe_context *context, cafe_grid *grid) {
    cafe_mem_free_all(context, grid->pairs, grid->start, grid->tally, grid->room);
    *grid = (cafe_grid){0};
}

typedef struct fill_job {
    const cafe_pair_source *source;
    cafe_grid *grid;
    int64_t first, count, batch;
    int place; /* 0: count, 1: put the pairs into their places */
} fill_job;

static void fill_task(void *argument, int64_t task, int32_t worker) {
    const fill_job *job = argument;
    cafe_grid *g = job->grid;
    const cafe_pair_source *source = job->source;
    int32_t blocks = (int32_t)g->blocks;
    int64_t *tally = g->tally + task * g->blocks * g->blocks;
    cafe_pair *room = g->room + worker * (source->most > 0 ? source->most : 1);
    if (!job->place) memset(tally, 0, (size_t)(g->blocks * g->blocks) * sizeof *tally);
    int64_t end = job->first + job->count * (task + 1) / TASKS;
    for (int64_t unit = job->first + job->count * task / TASKS; unit < end; unit++) {
        int64_t count = source->emit(source->self, unit, room);
        for (int64_t k = 0; k < count; k++) {
            int64_t bucket = room[k].centre % blocks * blocks + room[k].context % blocks;
            int64_t at = tally[bucket]++;
            if (job->place) g->pairs[at] = room[k];
        }
    }
}

/* From counts to places: bucket by bucket, within it task by task. */
static void find_places(cafe_grid *g) {
    int64_t buckets = g->blocks * g->blocks, at = 0;
    for (int64_t b = 0; b < buckets; b++) {
        g->start[b] = at;
        for (int64_t t = 0; t < TASKS; t++) {
            int64_t count = g->tally[t * buckets + b];
            g->tally[t * buckets + b] = at;
            at += count;
        }
    }
    g->start[buckets] = at;
}

static void shuffle_bucket(void *argument, int64_t bucket) {
    const fill_job *job = argument;
    const cafe_grid *g = job->grid;
    uint64_t item = (uint64_t)(job->batch * g->blocks * g->blocks + bucket);
    cafe_draws draws = cafe_draws_of(g->seed, CAFE_STREAM_SKIP_SHUFFLE, item);
    cafe_pair *pairs = g->pairs + g->start[bucket];
    for (int64_t left = g->start[bucket + 1] - g->start[bucket]; left > 1; left--) {
        int64_t k = cafe_draw_below(&draws, left);
        cafe_pair last = pairs[left - 1];
        pairs[left - 1] = pairs[k];
        pairs[k] = last;
    }
}

cafe_status cafe_grid_fill(cafe_context *context, const cafe_pair_source *source, int64_t first,
                           int64_t count, int64_t batch, cafe_grid *grid) {
    fill_job job = {source, grid, first, count, batch, 0};
    CAFE_PASS(cafe_parallel(context, TASKS, fill_task, &job));
    find_places(grid);
    job.place = 1;
    CAFE_PASS(cafe_parallel(context, TASKS, fill_task, &job));
    return cafe_each(context, grid->blocks * grid->blocks, shuffle_bucket, &job);
}
