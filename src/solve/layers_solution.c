/* The layers as one block H = [H_top ... H_finest]: vectors that know communities of every size. */
#include <math.h>
#include <string.h>

#include <cafe/cluster.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "solve/sweep.h"

enum { BLOCK = 1024 };

/* Columns `first` .. `first + width` hold one layer. */
typedef struct fill_job {
    cafe_solution *solution;
    cafe_layer layer;
    int64_t index, first, width;
    uint64_t seed;
} fill_job;

/* A sign of length 1 / sqrt(width) for each column: the vectors of two communities are nearly
 * orthogonal, so distances survive (Johnson and Lindenstrauss). */
static void mix(const fill_job *job, int64_t community, float *row) {
    float size = (float)(1 / sqrt((double)job->width));
    uint64_t key = ((uint64_t)job->index << 40) ^ (uint64_t)community;
    for (int64_t k = 0; k < job->width; k++) {
        cafe_random4 r = cafe_philox(job->seed, CAFE_STREAM_MIX + (uint64_t)(k / 128), key);
        row[k] = r.v[k / 32 % 4] >> (k % 32) & 1 ? size : -size;
    }
}

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

static cafe_status fill(cafe_context *context, const cafe_layers *layers, cafe_solution *s) {
    int64_t first = 0;
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    for (int64_t i = cafe_layers_count(layers) - 1; i >= 0 && first < s->columns; i--) {
        fill_job job = {.solution = s, .index = i, .first = first, .seed = context->seed};
        job.layer = *cafe_layers_get(layers, i);
        int64_t left = s->columns - first;
        job.width = job.layer.communities < left ? job.layer.communities : left;
        CAFE_PASS(cafe_ranges(context, s->n, BLOCK, fill_block, &job));
        first += job.width;
    }
    return CAFE_OK;
}

cafe_status cafe_layers_solution(cafe_context *context, const cafe_operator *op,
                                 const cafe_layers *layers, int64_t columns,
                                 cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *s = NULL;
    *solution = NULL;
    if (columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "an embedding needs at least one column");
    CAFE_TRY(cafe_solution_rows(context, "layers", op->n, count_columns(layers, columns), 0, &s));
    CAFE_TRY(fill(context, layers, s));
    s->converged = 1;
    CAFE_TRY(cafe_sweep_settle(context, op, s));
    *solution = s;
    s = NULL;
done:
    cafe_solution_free(s);
    return status;
}
