/* Solutions: made, started from random or given rows, read, freed. */
#include "solve/solution.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "kernels/rows.h"

enum { BLOCK = 1024 };

cafe_status cafe_solution_new(cafe_context *context, int64_t n, int64_t columns, int64_t sweeps,
                              cafe_solution **solution) {
    cafe_solution *s = cafe_mem_zero(context, 1, sizeof *s);
    *solution = NULL;
    if (!s) return CAFE_ERROR_MEMORY;
    s->context = context;
    s->n = n;
    s->columns = columns;
    s->stride = cafe_stride(columns);
    s->h = cafe_mem(context, n * s->stride, sizeof *s->h);
    s->objective = cafe_mem_zero(context, sweeps + 1, sizeof *s->objective);
    if (!s->h || !s->objective) {
        cafe_solution_free(s);
        return CAFE_ERROR_MEMORY;
    }
    *solution = s;
    return CAFE_OK;
}

void cafe_solution_free(cafe_solution *solution) {
    if (!solution) return;
    cafe_mem_free(solution->context, solution->h);
    cafe_mem_free(solution->context, solution->y);
    cafe_mem_free(solution->context, solution->objective);
    cafe_mem_free(solution->context, solution);
}

/* ---- start ----------------------------------------------------------------------------------- */

typedef struct start_job {
    cafe_solution *solution;
    const float *start;
    uint64_t seed;
} start_job;

/* Entries uniform in (-1,1) from 16 bits each: the direction is all that matters. */
static void random_row(uint64_t seed, int64_t u, int64_t columns, float *row) {
    int64_t draws = (columns + 7) / 8;
    for (int64_t d = 0; d < draws; d++) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_START, (uint64_t)(u * draws + d));
        for (int i = 0; i < 8 && d * 8 + i < columns; i++) {
            uint32_t bits = (r.v[i / 2] >> (16 * (i % 2))) & 0xFFFF;
            row[d * 8 + i] = ((float)bits + 0.5f) * 0x1p-15f - 1;
        }
    }
}

static double length(int64_t columns, const float *row) {
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) sum += (double)row[k] * row[k];
    return sqrt(sum);
}

static void start_row(const start_job *job, int64_t u) {
    int64_t columns = job->solution->columns;
    float *row = job->solution->h + u * job->solution->stride;
    memset(row, 0, (size_t)job->solution->stride * sizeof *row);
    double norm = 0;
    if (job->start) {
        memcpy(row, job->start + u * columns, (size_t)columns * sizeof *row);
        norm = length(columns, row);
    }
    if (!(norm > 0)) {
        random_row(job->seed, u, columns, row);
        norm = length(columns, row);
    }
    for (int64_t k = 0; k < columns; k++) row[k] = (float)(row[k] / norm);
}

static void start_block(void *argument, int64_t block, int32_t worker) {
    const start_job *job = argument;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(job->solution->n, BLOCK, block); u++)
        start_row(job, u);
}

static cafe_status check_start(cafe_context *context, const cafe_solution *s, const float *start) {
    for (int64_t i = 0; start && i < s->n * s->columns; i++)
        if (!isfinite(start[i]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the start vector of node %lld is not finite in column %lld",
                             (long long)(i / s->columns), (long long)(i % s->columns));
    return CAFE_OK;
}

cafe_status cafe_solution_start(cafe_context *context, const float *start,
                                cafe_solution *solution) {
    cafe_status status = check_start(context, solution, start);
    if (status != CAFE_OK) return status;
    start_job job = {solution, start, context->seed};
    cafe_phase(context, "start", 0);
    return cafe_parallel(context, cafe_blocks(solution->n, BLOCK), start_block, &job);
}

/* ---- reading --------------------------------------------------------------------------------- */

int64_t cafe_solution_columns(const cafe_solution *solution) {
    return solution->columns;
}

int64_t cafe_solution_sweeps(const cafe_solution *solution) {
    return solution->sweeps;
}

const double *cafe_solution_objective(const cafe_solution *solution) {
    return solution->objective;
}

double cafe_solution_diagonal(const cafe_solution *solution) {
    return solution->diagonal;
}

int32_t cafe_solution_converged(const cafe_solution *solution) {
    return solution->converged;
}

void cafe_solution_copy(const cafe_solution *solution, float *h) {
    for (int64_t u = 0; u < solution->n; u++)
        memcpy(h + u * solution->columns, solution->h + u * solution->stride,
               (size_t)solution->columns * sizeof *h);
}
