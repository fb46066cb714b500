/* The end of a run: a few passes over the n x count vectors, in parts of a fixed shape. */
#include "spectral/eigen_result.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/processes.h"
#include "base/thread_pool.h"
#include "engine/dense.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    ROWS = 512,
    MOST_PARTS = 16 /* of a sum over rows: each may hold count x count numbers */
};

static int64_t part_rows(const cafe_owned *rows) {
    int64_t step = rows->engine ? rows->piece : ROWS, n = rows->own > 0 ? rows->own : 1;
    return cafe_blocks(cafe_blocks(n, MOST_PARTS), step) * step;
}

int64_t cafe_outcome_bytes(int64_t n, int64_t count, int64_t threads) {
    int64_t settle = (MOST_PARTS + 2) * count * count + threads * ROWS * count;
    int64_t measure = 2 * n * WIDTH;
    return (settle > measure ? settle : measure) * (int64_t)sizeof(double);
}

/* ---- orthonormal columns --------------------------------------------------------------------- */

typedef struct settle_job {
    const cafe_owned *rows;
    int64_t count;
    double *x, *scratch;
    const double *m;
} settle_job;

/* G = X^T X; columns have length about 1. If several processes hold the rows, the matrix of each
 * piece, computed after the sum's memory, is rounded to a grid: the sum has no order. */
static void gram_rows(void *argument, int64_t first, int64_t last, double *sums) {
    const settle_job *job = argument;
    int64_t count = job->count, square = count * count, step = job->rows->piece;
    if (!job->rows->engine) cafe_dense_gram(last - first, count, job->x + first * count, sums);
    for (int64_t u = first; job->rows->engine && u < last; u += step) {
        double *gram = sums + square;
        memset(gram, 0, (size_t)square * sizeof *gram);
        cafe_dense_gram(last - u < step ? last - u : step, count, job->x + u * count, gram);
        for (int64_t i = 0; i < square; i++) sums[i] += cafe_to_grid(gram[i]);
    }
}

/* X <- X M */
static void mix_rows(void *argument, int64_t block, int32_t worker) {
    const settle_job *job = argument;
    int64_t first = block * ROWS, rows = cafe_block_end(job->rows->own, ROWS, block) - first;
    double *x = job->x + first * job->count, *scratch = job->scratch + worker * ROWS * job->count;
    cafe_dense_triangular(rows, job->count, x, job->m, scratch);
    memcpy(x, scratch, (size_t)(rows * job->count) * sizeof *x);
}

/* X R^-1 with R^T R = X^T X */
cafe_status cafe_outcome_settle(cafe_context *context, const cafe_owned *rows, cafe_eigen *found) {
    cafe_status status = CAFE_OK;
    int64_t width = found->count * found->count * (rows->engine ? 2 : 1);
    int64_t count = found->count, *kept = cafe_mem(context, count, sizeof *kept);
    double *g = cafe_mem_zero(context, width, sizeof *g);
    double *m = cafe_mem(context, count * count, sizeof *m);
    double *scratch = cafe_mem(context, context->threads * ROWS * count, sizeof *scratch);
    settle_job job = {rows, count, found->vectors, scratch, m};
    CAFE_TRY(cafe_mem_had(kept, g, m, scratch));
    CAFE_TRY(cafe_sums(context, rows->own, part_rows(rows), gram_rows, &job, width, g));
    CAFE_TRY(cafe_owned_add(context, rows, count * count, g));
    if (cafe_dense_cholesky(count, g, 1e-3, NULL, NULL, kept) < count) goto done;
    cafe_dense_orthonormaliser(count, g, count, kept, m);
    CAFE_TRY(cafe_parallel(context, cafe_blocks(rows->own, ROWS), mix_rows, &job));
done:
    cafe_mem_free_all(context, kept, g, m, scratch);
    return status;
}

/* ---- signs ----------------------------------------------------------------------------------- */

/* An entry and its row. */
typedef struct entry {
    double value;
    int64_t row;
} entry;

typedef struct orient_job {
    const cafe_owned *rows;
    int64_t count;
    double *x;
    entry *largest; /* per part */
} orient_job;

/* Keeps the entry larger in size, of equal ones that of the smaller row. */
static void take_larger(entry here, entry *best) {
    double size = fabs(here.value), most = fabs(best->value);
    if (size > most || (size == most && here.row < best->row)) *best = here;
}

/* For each column of a part: the entry largest in size, and its row. */
static void find_largest(void *argument, int64_t part) {
    const orient_job *job = argument;
    int64_t rows = part_rows(job->rows), end = cafe_block_end(job->rows->own, rows, part);
    entry *largest = job->largest + part * job->count;
    for (int64_t i = part * rows; i < end; i++) {
        int64_t row = cafe_owned_row(job->rows, i);
        for (int64_t j = 0; j < job->count; j++)
            take_larger((entry){job->x[i * job->count + j], row}, &largest[j]);
    }
}

/* x_j <- -x_j for columns whose largest entry is negative. */
static void turn_rows(void *argument, int64_t first, int64_t last) {
    const orient_job *job = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t j = 0; j < job->count; j++)
            if (job->largest[j].value < 0) job->x[u * job->count + j] *= -1;
}

/* The largest entry of each column among `size` entries. */
static void join_largest(int64_t size, int64_t count, const entry *from, entry *largest) {
    for (int64_t i = 0; i < size; i++) take_larger(from[i], &largest[i % count]);
}

/* The same over all processes. */
static cafe_status share_largest(cafe_context *context, const orient_job *job) {
    void *all = NULL;
    int64_t count = job->count;
    if (!job->rows->engine) return CAFE_OK;
    CAFE_PASS(cafe_team_gather(context, job->largest, count * (int64_t)sizeof(entry), &all, NULL));
    join_largest(count * cafe_team_ranks(context), count, all, job->largest);
    cafe_mem_free(context, all);
    return CAFE_OK;
}

cafe_status cafe_outcome_orient(cafe_context *context, const cafe_owned *rows, cafe_eigen *found) {
    cafe_status status = CAFE_OK;
    int64_t count = found->count, parts = cafe_blocks(rows->own, part_rows(rows));
    entry *largest = cafe_mem_zero(context, (parts + 1) * count, sizeof *largest);
    orient_job job = {rows, count, found->vectors, largest};
    CAFE_TRY(cafe_mem_had(largest));
    CAFE_TRY(cafe_each(context, parts, find_largest, &job));
    join_largest(parts * count, count, largest, largest);
    CAFE_TRY(share_largest(context, &job));
    CAFE_TRY(cafe_ranges(context, rows->own, ROWS, turn_rows, &job));
done:
    cafe_mem_free(context, largest);
    return status;
}

/* ---- residuals ------------------------------------------------------------------------------- */

typedef struct measure_job {
    const cafe_owned *rows;
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

/* For a block of WIDTH pairs: Y = M X, then with `refresh` lambda_j = x_j^T y_j, and
 *
 *     residual_j = ||y_j - lambda_j x_j||.
 *
 * M is symmetric, so an eigenvalue lies within residual_j of lambda_j.
 */
static cafe_status measure_some(cafe_context *context, const cafe_eigen_problem *problem,
                                bool refresh, measure_job *job, cafe_eigen *found) {
    double values[WIDTH] = {0}, squares[WIDTH] = {0}, *own = found->values + job->first;
    int64_t block = part_rows(job->rows);
    job->values = values;
    CAFE_PASS(cafe_ranges(context, job->rows->own, ROWS, take_rows, job));
    CAFE_PASS(problem->product(context, problem->argument, job->x, job->y));
    found->passes++;
    if (refresh)
        CAFE_PASS(cafe_owned_sums(context, job->rows, block, add_forms, job, WIDTH, values));
    if (refresh) memcpy(own, values, (size_t)job->width * sizeof *own);
    memcpy(values, own, (size_t)job->width * sizeof *own);
    CAFE_PASS(cafe_owned_sums(context, job->rows, block, add_squares, job, WIDTH, squares));
    for (int64_t j = 0; j < job->width; j++) found->residuals[job->first + j] = sqrt(squares[j]);
    return CAFE_OK;
}

/* Residuals of all pairs, from products of their own: count / WIDTH passes over the matrix. */
cafe_status cafe_outcome_measure(cafe_context *context, const cafe_eigen_problem *problem,
                                 const cafe_owned *rows, bool refresh, cafe_eigen *found) {
    cafe_status status = CAFE_OK;
    double *x = cafe_mem_zero(context, rows->own * WIDTH, sizeof *x);
    double *y = cafe_mem(context, rows->own * WIDTH, sizeof *y);
    CAFE_TRY(cafe_mem_had(x, y));
    for (int64_t j = 0; j < found->count; j += WIDTH) {
        int64_t left = found->count - j;
        measure_job job = {rows, found, j, left < WIDTH ? left : WIDTH, x, y, NULL};
        CAFE_TRY(measure_some(context, problem, refresh, &job, found));
    }
done:
    cafe_mem_free_all(context, x, y);
    return status;
}
