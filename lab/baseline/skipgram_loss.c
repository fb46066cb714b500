/* The mean loss of a pair, on a fixed sample: units spread evenly over a pass, and for negative
 * sampling noise drawn from all nodes, always the same. Sums go unit by unit, then in their order.
 */
#include <math.h>

#include "base/thread_pool.h"
#include "baseline/skipgram.h"

enum { UNITS = 64 };

typedef struct loss_job {
    const cafe_skipgram *s;
    double sum[UNITS];
    int64_t pairs[UNITS];
} loss_job;

static double dot(const cafe_skipgram *s, const float *h, int64_t row) {
    return s->kernels->dot(s->stride, h, s->c + row * s->stride);
}

/* -log sigma(x), without overflow */
static double surprise(double x) {
    return x > 0 ? log1p(exp(-x)) : log1p(exp(x)) - x;
}

static double path_loss(const cafe_skipgram *s, const cafe_path *path, int64_t leaf,
                        const float *h) {
    double sum = 0;
    for (int64_t d = path->offsets[leaf]; d < path->offsets[leaf + 1]; d++) {
        double x = dot(s, h, path->decisions[d] / 2);
        sum += surprise(path->decisions[d] & 1 ? -x : x);
    }
    return sum;
}

static double pair_loss(const cafe_skipgram *s, cafe_pair pair, cafe_draws *draws) {
    const float *h = s->h + pair.centre * s->stride;
    if (s->plan->loss == CAFE_LOSS_HIERARCHICAL)
        return path_loss(s, &s->tree.top, pair.context % s->blocks, h) +
               path_loss(s, &s->tree.inner, pair.context, h);
    double sum = surprise(dot(s, h, pair.context));
    for (int64_t k = 0; k < s->plan->negative; k++) {
        int32_t v = cafe_noise_draw(&s->noise, draws);
        if (s->plan->shared && v == pair.centre) continue; /* as in training */
        sum += surprise(-dot(s, h, v));
    }
    return sum;
}

static void unit_loss(void *argument, int64_t k, int32_t worker) {
    loss_job *job = argument;
    const cafe_skipgram *s = job->s;
    cafe_pair *room = s->grid.room + worker * s->source->most;
    cafe_draws draws = cafe_draws_of(s->seed, CAFE_STREAM_SKIP_LOSS, (uint64_t)k);
    int64_t units = s->source->units, unit = units < UNITS ? k : k * (units / UNITS);
    double sum = 0;
    job->pairs[k] = s->source->emit(s->source->self, unit, room);
    for (int64_t i = 0; i < job->pairs[k]; i++) sum += pair_loss(s, room[i], &draws);
    job->sum[k] = sum;
}

cafe_status cafe_skipgram_loss(cafe_context *context, const cafe_skipgram *s, double *loss) {
    loss_job job = {.s = s};
    int64_t units = s->source->units < UNITS ? s->source->units : UNITS, pairs = 0;
    cafe_status status = cafe_parallel(context, units, unit_loss, &job);
    double sum = 0;
    for (int64_t k = 0; k < units; k++) sum += job.sum[k], pairs += job.pairs[k];
    *loss = pairs > 0 ? sum / (double)pairs : 0;
    return status;
}
