/* Probabilities smoothed over the edges.
 *
 * P are probabilities by vectors, A the weights of the edges, d the degrees, S = D^-1/2 A D^-1/2.
 * F0 is P, with the rows of known nodes replaced by their classes. Then
 *
 *     F <- a S F + (1 - a) F0
 *
 * STEPS times. F is divided by the result for F0 = 1, so that a row of F is a weighted mean of
 * rows of F0. How far neighbours agree says how much they are asked: with p(u,w) = a(u,w) / 2m and
 * mu the mean of P by degree,
 *
 *     r = sum p(u,w) <P_u - mu, P_w - mu> / sum p_u |P_u - mu|^2,     a = 1 - (1 - r) / 2,
 *
 * kept between .3 and .98. r is the correlation of the ends of an edge: it needs no labels beside
 * those that P is made from. With features a is at most .8: their columns are averages over the
 * neighbours already.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "predict/predict.h"

enum { BLOCK = 256, STEPS = 50 };
#define LEAST              .3
#define MOST               .98
#define MOST_WITH_FEATURES .8

typedef struct smoother {
    const predict_job *job;
    const cafe_graph *graph;
    int64_t fold, classes, width; /* width: classes and the column of ones */
    double a;
    const double *mean;  /* mu */
    double *root, *sums; /* 1 / sqrt(d_u); width for each worker */
    float *first;        /* F0, n x width */
    float *from, *to;    /* F */
    float *score;
} smoother;

static double weight(const cafe_graph *g, int64_t j) {
    return g->scaled ? g->scaled[j] : 1;
}

/* sums[classes] += d_u P_u, sums[classes] += d_u */
static void sum_mean(void *argument, int64_t first, int64_t last, double *sums) {
    const smoother *s = argument;
    for (int64_t u = first; u < last; u++) {
        double d = cafe_row_sum(s->graph->offsets, s->graph->scaled, u);
        for (int64_t c = 0; c < s->classes; c++) sums[c] += d * s->score[u * s->classes + c];
        sums[s->classes] += d;
    }
}

/* <P_u - mu, P_w - mu> */
static double agreement(const smoother *s, int64_t u, int64_t w) {
    const float *x = s->score + u * s->classes, *y = s->score + w * s->classes;
    double sum = 0;
    for (int64_t c = 0; c < s->classes; c++) sum += (x[c] - s->mean[c]) * (y[c] - s->mean[c]);
    return sum;
}

/* the two sums of r */
static void sum_agreement(void *argument, int64_t first, int64_t last, double *sums) {
    const smoother *s = argument;
    const cafe_graph *g = s->graph;
    for (int64_t u = first; u < last; u++) {
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++)
            sums[0] += weight(g, j) * agreement(s, u, g->targets[j]);
        sums[1] += cafe_row_sum(g->offsets, g->scaled, u) * agreement(s, u, u);
    }
}

static cafe_status find_share(smoother *s, double *mean) {
    cafe_context *context = s->job->context;
    double r[2] = {0};
    memset(mean, 0, (size_t)s->width * sizeof *mean);
    CAFE_PASS(cafe_sums(context, s->job->n, BLOCK, sum_mean, s, s->width, mean));
    for (int64_t c = 0; c < s->classes && mean[s->classes] > 0; c++) mean[c] /= mean[s->classes];
    s->mean = mean;
    CAFE_PASS(cafe_sums(context, s->job->n, BLOCK, sum_agreement, s, 2, r));
    double a = r[1] > 0 ? 1 - (1 - r[0] / r[1]) / 2 : LEAST;
    s->a = fmin(fmax(a, LEAST), s->job->averaged ? MOST_WITH_FEATURES : MOST);
    return CAFE_OK;
}

/* F0 */
static void start_rows(void *argument, int64_t first, int64_t last) {
    smoother *s = argument;
    const cafe_targets *known = s->job->known;
    for (int64_t u = first; u < last; u++) {
        float *row = s->first + u * s->width;
        double d = cafe_row_sum(s->graph->offsets, s->graph->scaled, u);
        s->root[u] = d > 0 ? 1 / sqrt(d) : 0;
        memcpy(row, s->score + u * s->classes, (size_t)s->classes * sizeof *row);
        row[s->classes] = 1;
        if (!predict_is_known(s->job, u, s->fold)) continue;
        memset(row, 0, (size_t)s->classes * sizeof *row);
        for (int64_t i = known->offsets[u]; i < known->offsets[u + 1]; i++)
            row[known->value[i]] = 1;
    }
}

/* a (S F)_u + (1 - a) F0_u */
static void step_row(const smoother *s, int64_t u, double *restrict sum) {
    const cafe_graph *g = s->graph;
    memset(sum, 0, (size_t)s->width * sizeof *sum);
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        const float *restrict row = s->from + g->targets[j] * s->width;
        double a = weight(g, j) * s->root[g->targets[j]];
        for (int64_t c = 0; c < s->width; c++) sum[c] += a * row[c];
    }
    for (int64_t c = 0; c < s->width; c++)
        s->to[u * s->width + c] =
            (float)(s->a * s->root[u] * sum[c] + (1 - s->a) * s->first[u * s->width + c]);
}

static void step_block(void *argument, int64_t block, int32_t worker) {
    smoother *s = argument;
    for (int64_t u = block * BLOCK; u < cafe_block_end(s->job->n, BLOCK, block); u++)
        step_row(s, u, s->sums + worker * s->width);
}

static void finish_rows(void *argument, int64_t first, int64_t last) {
    smoother *s = argument;
    for (int64_t u = first; u < last; u++) {
        const float *row = s->from + u * s->width;
        for (int64_t c = 0; c < s->classes; c++)
            s->score[u * s->classes + c] = row[c] / row[s->classes];
    }
}

static cafe_status iterate(smoother *s) {
    cafe_context *context = s->job->context;
    int64_t n = s->job->n;
    CAFE_PASS(cafe_ranges(context, n, BLOCK, start_rows, s));
    memcpy(s->from, s->first, (size_t)(n * s->width) * sizeof *s->from);
    cafe_phase(context, "smooth", STEPS);
    for (int step = 1; step <= STEPS; step++) {
        CAFE_PASS(cafe_parallel(context, cafe_blocks(n, BLOCK), step_block, s));
        float *swap = s->from;
        s->from = s->to, s->to = swap;
        cafe_step(context, step, 0);
    }
    return cafe_ranges(context, n, BLOCK, finish_rows, s);
}

cafe_status cafe_predict_smooth(predict_job *job, int64_t fold, float *score) {
    cafe_context *context = job->context;
    cafe_status status = CAFE_OK;
    smoother s = {.job = job, .graph = job->graph, .fold = fold, .score = score};
    s.classes = job->classes;
    s.width = job->classes + 1;
    double *mean = cafe_mem(context, s.width, sizeof *mean);
    s.root = cafe_mem(context, job->n, sizeof *s.root);
    s.sums = cafe_mem(context, context->threads * s.width, sizeof *s.sums);
    s.first = cafe_mem(context, job->n * s.width, sizeof *s.first);
    s.from = cafe_mem(context, job->n * s.width, sizeof *s.from);
    s.to = cafe_mem(context, job->n * s.width, sizeof *s.to);
    CAFE_TRY(cafe_mem_had(mean, s.root, s.sums, s.first, s.from, s.to));
    CAFE_TRY(find_share(&s, mean));
    CAFE_TRY(iterate(&s));
    job->smoothing = s.a;
done:
    cafe_mem_free_all(context, mean, s.root, s.sums, s.first, s.from, s.to);
    return status;
}
