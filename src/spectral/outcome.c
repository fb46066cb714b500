/* The end of a run: a few passes over the n x count vectors, in parts of a fixed shape. */
#include "spectral/outcome.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "engine/dense.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    ROWS = 512,
    MOST_PARTS = 16 /* of a sum over rows: each may hold count x count numbers */
};

static int64_t part_rows(int64_t n) {
    return cafe_blocks(cafe_blocks(n, MOST_PARTS), ROWS) * ROWS;
}

int64_t cafe_outcome_bytes(int64_t n, int64_t count, int64_t threads) {
    int64_t settle = (MOST_PARTS + 2) * count * count + threads * ROWS * count;
    int64_t measure = 2 * n * WIDTH;
    return (settle > measure ? settle : measure) * (int64_t)sizeof(double);
}

/* ---- orthonormal columns --------------------------------------------------------------------- */

typedef struct settle_job {
    int64_t n, count;
    double *x, *scratch;
    const double *m;
} settle_job;

static void gram_rows(void *argument, int64_t first, int64_t last, double *sums) {
    const settle_job *job = argument;
    cafe_dense_gram(last - first, job->count, job->x + first * job->count, sums);
}

/* X <- X M */
static void mix_rows(void *argument, int64_t block, int32_t worker) {
    const settle_job *job = argument;
    int64_t first = block * ROWS, rows = cafe_block_end(job->n, ROWS, block) - first;
    double *x = job->x + first * job->count, *scratch = job->scratch + worker * ROWS * job->count;
    cafe_dense_triangular(rows, job->count, x, job->m, scratch);
    memcpy(x, scratch, (size_t)(rows * job->count) * sizeof *x);
}

/* X R^-1 with R^T R = X^T X */
cafe_status cafe_outcome_settle(cafe_context *context, int64_t n, cafe_eigen *found) {
    cafe_status status = CAFE_OK;
    int64_t count = found->count, *kept = cafe_mem(context, count, sizeof *kept);
    double *g = cafe_mem_zero(context, count * count, sizeof *g);
    double *m = cafe_mem(context, count * count, sizeof *m);
    double *scratch = cafe_mem(context, context->threads * ROWS * count, sizeof *scratch);
    settle_job job = {n, count, found->vectors, scratch, m};
    CAFE_TRY(cafe_mem_had(kept, g, m, scratch));
    CAFE_TRY(cafe_sums(context, n, part_rows(n), gram_rows, &job, count * count, g));
    if (cafe_dense_cholesky(count, g, 1e-3, NULL, NULL, kept) < count) goto done;
    cafe_dense_orthonormaliser(count, g, count, kept, m);
    CAFE_TRY(cafe_parallel(context, cafe_blocks(n, ROWS), mix_rows, &job));
done:
    cafe_mem_free_all(context, kept, g, m, scratch);
    return status;
}

/* ---- signs ----------------------------------------------------------------------------------- */

typedef struct orient_job {
    int64_t n, count;
    double *x, *largest; /* largest: per part */
} orient_job;

static void find_largest(void *argument, int64_t part) {
    const orient_job *job = argument;
    int64_t rows = part_rows(job->n), end = cafe_block_end(job->n, rows, part);
    double *largest = job->largest + part * job->count;
    for (int64_t u = part * rows; u < end; u++)
        for (int64_t j = 0; j < job->count; j++)
            if (fabs(job->x[u * job->count + j]) > fabs(largest[j]))
                largest[j] = job->x[u * job->count + j];
}

static void turn_rows(void *argument, int64_t first, int64_t last) {
    const orient_job *job = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = 0; j < job->count; j++)
            if (job->largest[j] < 0) job->x[u * job->count + j] *= -1;
}

cafe_status cafe_outcome_orient(cafe_context *context, int64_t n, cafe_eigen *found) {
    cafe_status status = CAFE_OK;
    int64_t count = found->count, parts = cafe_blocks(n, part_rows(n));
    double *largest = cafe_mem_zero(context, parts * count, sizeof *largest);
    orient_job job = {n, count, found->vectors, largest};
    CAFE_TRY(cafe_mem_had(largest));
    CAFE_TRY(cafe_each(context, parts, find_largest, &job));
    for (int64_t i = count; i < parts * count; i++)
        if (fabs(largest[i]) > fabs(largest[i % count])) largest[i % count] = largest[i];
    CAFE_TRY(cafe_ranges(context, n, ROWS, turn_rows, &job));
done:
    cafe_mem_free(context, largest);
    return status;
}

/* ---- residuals ------------------------------------------------------------------------------- */

typedef struct measure_job {
    const cafe_eigen *found;
    int64_t first, width; /* pairs first .. first + width - 1 */
    double *x, *y;
    const double *values; /* theirs */
} measure_job;

static void take_rows(void *argument, int64_t first, int64_t last) {
    const measure_job *job = argument;
    for (int64_t u = first; u < last; u++)
        memcpy(job->x + u * WIDTH, job->found->vectors + u * job->found->count + job->first,
               (size_t)job->width * sizeof *job->x);
}

/* v^T M v */
static void add_forms(void *argument, int64_t first, int64_t last, double *sums) {
    const measure_job *job = argument;
    for (int64_t i = first * WIDTH; i < last * WIDTH; i++) sums[i % WIDTH] += job->x[i] * job->y[i];
}

/* |M v - lambda v|^2 */
static void add_squares(void *argument, int64_t first, int64_t last, double *sums) {
    const measure_job *job = argument;
    for (int64_t i = first * WIDTH; i < last * WIDTH; i++) {
        double d = job->y[i] - job->values[i % WIDTH] * job->x[i];
        sums[i % WIDTH] += d * d;
    }
}

static cafe_status measure_some(cafe_context *context, const cafe_eigen_problem *problem,
                                bool refresh, measure_job *job, cafe_eigen *found) {
    double values[WIDTH] = {0}, squares[WIDTH] = {0}, *own = found->values + job->first;
    int64_t n = problem->n;
    job->values = values;
    CAFE_PASS(cafe_ranges(context, n, ROWS, take_rows, job));
    CAFE_PASS(problem->product(context, problem->argument, job->x, job->y));
    found->passes++;
    if (refresh) CAFE_PASS(cafe_sums(context, n, part_rows(n), add_forms, job, WIDTH, values));
    if (refresh) memcpy(own, values, (size_t)job->width * sizeof *own);
    memcpy(values, own, (size_t)job->width * sizeof *own);
    CAFE_PASS(cafe_sums(context, n, part_rows(n), add_squares, job, WIDTH, squares));
    for (int64_t j = 0; j < job->width; j++) found->residuals[job->first + j] = sqrt(squares[j]);
    return CAFE_OK;
}

cafe_status cafe_outcome_measure(cafe_context *context, const cafe_eigen_problem *problem,
                                 bool refresh, cafe_eigen *found) {
    cafe_status status = CAFE_OK;
    double *x = cafe_mem_zero(context, problem->n * WIDTH, sizeof *x);
    double *y = cafe_mem(context, problem->n * WIDTH, sizeof *y);
    CAFE_TRY(cafe_mem_had(x, y));
    for (int64_t j = 0; j < found->count; j += WIDTH) {
        int64_t left = found->count - j;
        measure_job job = {found, j, left < WIDTH ? left : WIDTH, x, y, NULL};
        CAFE_TRY(measure_some(context, problem, refresh, &job, found));
    }
done:
    cafe_mem_free_all(context, x, y);
    return status;
}
