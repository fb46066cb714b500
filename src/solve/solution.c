/* Solutions: made, started from random or given rows, multiplied, read, freed. */
#include "solve/solution.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "kernels/rows.h"

enum {
    BLOCK = 1024,
    SUM = 4096 /* nodes of a partial sum of the objective */
};

cafe_status cafe_solution_new(cafe_context *context, int64_t n, int64_t columns, int64_t sweeps,
                              cafe_solution **solution) {
    cafe_solution *s = cafe_mem_zero(context, 1, sizeof *s);
    *solution = NULL;
    if (!s) return CAFE_ERROR_MEMORY;
    s->context = context;
    s->n = n;
    s->columns = s->asked = columns;
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
    const float *start; /* rows `width` floats apart, from column `first` on */
    int64_t width, first;
    uint64_t seed, stream;
} start_job;

/* Entries uniform in (-1,1) from 16 bits each: the direction is all that matters. */
static void random_row(const start_job *job, int64_t u, int64_t columns, float *row) {
    int64_t draws = (columns + 7) / 8;
    for (int64_t d = 0; d < draws; d++) {
        cafe_random4 r = cafe_philox(job->seed, job->stream, (uint64_t)(u * draws + d));
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
        memcpy(row, job->start + u * job->width + job->first, (size_t)columns * sizeof *row);
        norm = length(columns, row);
    }
    if (!(norm > 0)) {
        random_row(job, u, columns, row);
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

static cafe_status check_rows(cafe_context *context, const start_job *job, const char *what) {
    const cafe_solution *s = job->solution;
    for (int64_t i = 0; job->start && i < s->n * s->columns; i++) {
        int64_t u = i / s->columns, column = job->first + i % s->columns;
        if (!isfinite(job->start[u * job->width + column]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the %s of node %lld is not finite in column %lld", what, (long long)u,
                             (long long)column);
    }
    return CAFE_OK;
}

cafe_status cafe_solution_start_part(cafe_context *context, const float *start, int64_t width,
                                     int64_t first, uint64_t stream, cafe_solution *solution) {
    start_job job = {solution, start, width, first, context->seed, stream};
    cafe_status status = check_rows(context, &job, "start vector");
    if (status != CAFE_OK) return status;
    cafe_phase(context, "start", 0);
    return cafe_parallel(context, cafe_blocks(solution->n, BLOCK), start_block, &job);
}

cafe_status cafe_solution_start(cafe_context *context, const float *start,
                                cafe_solution *solution) {
    return cafe_solution_start_part(context, start, solution->columns, 0, CAFE_STREAM_START,
                                    solution);
}

static void set_block(void *argument, int64_t block, int32_t worker) {
    const start_job *job = argument;
    const cafe_solution *s = job->solution;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(s->n, BLOCK, block); u++) {
        float *row = s->h + u * s->stride;
        memset(row, 0, (size_t)s->stride * sizeof *row);
        memcpy(row, job->start + u * s->columns, (size_t)s->columns * sizeof *row);
    }
}

cafe_status cafe_solution_set(cafe_context *context, const float *rows, cafe_solution *solution) {
    start_job job = {.solution = solution, .start = rows, .width = solution->columns};
    cafe_status status = check_rows(context, &job, "vector");
    if (status != CAFE_OK) return status;
    return cafe_parallel(context, cafe_blocks(solution->n, BLOCK), set_block, &job);
}

/* ---- the product ----------------------------------------------------------------------------- */

typedef struct sum_job {
    const cafe_operator *op;
    const cafe_solution *solution;
    double *whole, *diagonal; /* one of each a block of SUM nodes */
} sum_job;

/* <x,y>, the columns of the bottom end counted with the opposite sign. */
static double signed_dot(const sum_job *job, const float *x, const float *y) {
    const cafe_solution *s = job->solution;
    double sum = job->op->kernels->dot(s->stride, x, y);
    for (int64_t k = s->columns - s->bottom; k < s->columns; k++) sum -= 2.0 * x[k] * y[k];
    return sum;
}

/* tr(H^T Q H) = sum_u p_u <h_u, y_u>, and of it the diagonal's part, sum_u q(u,u) ||h_u||^2. */
static void sum_block(void *argument, int64_t block, int32_t worker) {
    const sum_job *job = argument;
    const cafe_solution *s = job->solution;
    const cafe_operator_parts *q = &job->op->parts;
    double whole = 0, diagonal = 0;
    (void)worker;
    for (int64_t u = block * SUM; u < cafe_block_end(s->n, SUM, block); u++) {
        const float *h = s->h + u * s->stride;
        whole += q->p[u] * signed_dot(job, h, s->y + u * s->stride);
        diagonal += cafe_operator_diagonal(q, u) * signed_dot(job, h, h);
    }
    job->whole[block] = whole;
    job->diagonal[block] = diagonal;
}

static cafe_status add_up(cafe_context *context, const cafe_operator *op, cafe_solution *solution,
                          double *trace) {
    int64_t blocks = cafe_blocks(solution->n, SUM);
    sum_job job = {op, solution, cafe_mem(context, 2 * blocks, sizeof(double)), NULL};
    if (!job.whole) return CAFE_ERROR_MEMORY;
    job.diagonal = job.whole + blocks;
    cafe_status status = cafe_parallel(context, blocks, sum_block, &job);
    *trace = solution->diagonal = 0;
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++) {
        *trace += job.whole[b];
        solution->diagonal += job.diagonal[b];
    }
    cafe_mem_free(context, job.whole);
    return status;
}

cafe_status cafe_solution_product(cafe_context *context, const cafe_operator *op,
                                  cafe_solution *solution, double *trace) {
    cafe_status status = CAFE_OK;
    cafe_phase(context, "product", 0);
    solution->y = cafe_mem(context, solution->n * solution->stride, sizeof *solution->y);
    if (!solution->y) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_operator_apply(context, op, CAFE_SIDE_WALK, solution->stride, solution->h, 1, 0,
                                 0, solution->y));
    CAFE_TRY(add_up(context, op, solution, trace));
done:
    return status;
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
