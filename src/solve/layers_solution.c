/* The layers as one block H = [H_top ... H_finest]: vectors that know communities of every size. */
#include <math.h>
#include <string.h>

#include <cafe/cluster.h>

#include "base/random.h"
#include "base/thread_pool.h"
#include "solve/solution.h"
#include "solve/sweep.h"

enum { BLOCK = 1024, FEW = 64, ATTEMPTS = 100 };

/* Columns `first` .. `first + width` hold one layer; a mixed one is drawn in the given attempt. */
typedef struct fill_job {
    cafe_solution *solution;
    cafe_layer layer;
    int64_t index, first, width;
    uint64_t seed, attempt;
} fill_job;

/* The signs of 128 columns of a community, from column `k`, a multiple of 128. */
static cafe_random4 draw_signs(const fill_job *job, int64_t community, int64_t k) {
    uint64_t key = ((uint64_t)job->index << 40) ^ (uint64_t)community;
    uint64_t stream = (job->attempt << 32) + CAFE_STREAM_MIX + (uint64_t)(k / 128);
    return cafe_philox(job->seed, stream, key);
}

/* Bit k mod 128 of the draw: 1 is the positive sign. */
static uint32_t sign_of(cafe_random4 drawn, int64_t k) {
    return drawn.v[k / 32 % 4] >> (k % 32) & 1;
}

/* A sign of length 1 / sqrt(width) for each column: the vectors of two communities are nearly
 * orthogonal, so distances survive (Johnson and Lindenstrauss). */
static void mix(const fill_job *job, int64_t community, float *row) {
    float size = (float)(1 / sqrt((double)job->width));
    cafe_random4 drawn = {{0}};
    for (int64_t k = 0; k < job->width; k++) {
        if (k % 128 == 0) drawn = draw_signs(job, community, k);
        row[k] = sign_of(drawn, k) ? size : -size;
    }
}

/* Whether `x` is no sum, modulo 2, of those in `basis`, which then has it too, by its lowest bit.
 */
static int joins(uint64_t basis[FEW], uint64_t x) {
    for (int bit = 0; bit < FEW && x; bit++) {
        if (!(x >> bit & 1)) continue;
        if (!basis[bit]) return basis[bit] = x, 1;
        x ^= basis[bit];
    }
    return 0;
}

/* Whether the columns of signs and the constant, which Q takes to 0, are independent as bits modulo
 * 2. Then they are so as numbers: a determinant that is odd is not 0. */
static int keeps_all(const fill_job *job) {
    uint64_t basis[FEW] = {0}, columns[FEW] = {0};
    int64_t few = job->layer.communities;
    int kept = joins(basis, UINT64_MAX >> (FEW - few));
    for (int64_t community = 0; community < few; community++) {
        cafe_random4 drawn = draw_signs(job, community, 0);
        for (int64_t k = 0; k < job->width; k++)
            columns[k] |= (uint64_t)sign_of(drawn, k) << community;
    }
    for (int64_t k = 0; k < job->width && kept; k++) kept = joins(basis, columns[k]);
    return kept;
}

/* Signs of few communities are often alike in two columns, or in all rows of one: such are drawn
 * again. Seven of ten attempts fail at most. */
static void choose_attempt(fill_job *job) {
    if (job->width >= job->layer.communities || job->layer.communities > FEW) return;
    while (job->attempt < ATTEMPTS && !keeps_all(job)) job->attempt++;
}

/* The rows of one layer: the unit vector of the community if there is a column for each, else
 * random signs,
 *
 *     row = (+-1, ..., +-1) / sqrt(width),   E <row_S, row_T> = 0 for S != T, variance 1 / width.
 */
static void fill_block(void *argument, int64_t first, int64_t last) {
    const fill_job *job = argument;
    cafe_solution *s = job->solution;
    for (int64_t u = first; u < last; u++) {
        float *row = s->h.x + u * s->stride + job->first;
        int64_t community = job->layer.partition[u];
        if (job->width < job->layer.communities)
            mix(job, community, row);
        else
            row[community] = 1;
    }
}

/* How many columns all layers together take, when there are no more than `columns`. */
static int64_t count_columns(const cafe_layers *layers, int64_t columns) {
    int64_t sum = 0;
    for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
        cafe_layer layer = *cafe_layers_get(layers, i);
        sum += layer.communities;
    }
    return sum < columns ? sum : columns;
}

/* H = [H_top ... H_finest]: each layer takes min(communities, columns left) columns, the coarsest
 * first. */
static cafe_status fill(cafe_context *context, const cafe_layers *layers, cafe_solution *s) {
    int64_t first = 0;
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    for (int64_t i = cafe_layers_count(layers) - 1; i >= 0 && first < s->columns; i--) {
        fill_job job = {.solution = s, .index = i, .first = first, .seed = context->seed};
        job.layer = *cafe_layers_get(layers, i);
        int64_t left = s->columns - first;
        job.width = job.layer.communities < left ? job.layer.communities : left;
        choose_attempt(&job);
        CAFE_PASS(cafe_ranges(context, s->n, BLOCK, fill_block, &job));
        first += job.width;
    }
    return CAFE_OK;
}

/* H from layers, and its trace. A layer with a column for each community has orthogonal columns,
 * because each node is in one community of the layer. */
cafe_status cafe_layers_solution(cafe_context *context, const cafe_operator *op,
                                 const cafe_layers *layers, int64_t columns,
                                 cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *s = NULL;
    *solution = NULL;
    if (columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "an embedding needs at least one column");
    CAFE_TRY(cafe_engine_need_processor(context, "layers"));
    CAFE_TRY(cafe_solution_new(context, op->n, count_columns(layers, columns), 0, &s));
    CAFE_TRY(fill(context, layers, s));
    s->converged = 1;
    CAFE_TRY(cafe_sweep_settle(context, op, s));
    *solution = s;
    s = NULL;
done:
    cafe_solution_free(s);
    return status;
}
