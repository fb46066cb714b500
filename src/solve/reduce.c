/* Softmax clustering and sphere-GCN on a table (eq. reduce1111 of the paper), in chunks.
 *
 *     maximise sum over u != w of <x_u, x_w> <h_u, h_w>,    W = X^T H
 *
 * A row sees the others through W alone, so that z_u costs O(L K):
 *
 *     z_u = x_u W - ||x_u||^2 h_u
 *
 *     softmax   h_uk <- h_uk exp(theta_u z_uk) / sum,   theta_u = min(theta, 4 / c_u)
 *     sphere    h_u  <- normalise(z_u + (c_u + gamma_u) h_u)
 *
 * Rows of a chunk C read the W from before it and move together; then W += sum of x_u^T Delta_u.
 * Off its diagonal, Q on C plus diag(||x_u||^2) is X_C X_C^T, which is positive semidefinite: so
 * c_u = ||x_u||^2 keeps the objective from falling for any chunk, that of all rows included, and
 * c_u = 0 will do for a chunk of one row (the paper's algorithm). docs/algorithms/reduce.md has the
 * argument.
 *
 * The objective needs no pass of its own: it is ||W||^2 - sum over u of ||x_u||^2 ||h_u||^2.
 */
#include "solve/reduce.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"

enum {
    SEQUENTIAL_ROWS = 4096, /* up to here rows move one by one unless asked otherwise */
    CHUNKS = 64,
    START_ROWS = 1024, /* of a task */
    SETTLE_ROWS = 64,  /* rows of W of a task */
    CANCEL_ROWS = 256  /* rows moved between looks at the cancel flag */
};

/* Larger exponents than these are hard assignments already, and a float holds them. */
static const double largest_theta = 1e30;

cafe_status cafe_reduce_plan_make(cafe_context *context, const cafe_centred *table,
                                  const cafe_reduce_options *o, cafe_reduce_plan *plan) {
    bool sequential = o->order == CAFE_ORDER_SEQUENTIAL;
    if (sequential && o->chunks > 0 && o->chunks < table->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the sequential order has a chunk for each row, not %lld chunks",
                         (long long)o->chunks);
    if (o->order == CAFE_ORDER_AUTO && o->chunks == 0) sequential = table->n <= SEQUENTIAL_ROWS;
    plan->chunks = sequential ? table->n : o->chunks > 0 ? o->chunks : CHUNKS;
    if (plan->chunks > table->n) plan->chunks = table->n;
    double automatic = table->total > 0 ? 4 * (double)o->columns / table->total : 1;
    plan->theta = o->theta > 0 ? o->theta * table->scale * table->scale : automatic;
    if (plan->theta > largest_theta) plan->theta = largest_theta;
    return CAFE_OK;
}

/* ---- start ----------------------------------------------------------------------------------- */

typedef struct start_job {
    cafe_solution *solution;
    uint64_t seed;
} start_job;

/* Uniform on the simplex: exponential numbers over their sum. */
static void start_row(const start_job *job, int64_t u) {
    int64_t columns = job->solution->columns, draws = (columns + 3) / 4;
    float *row = job->solution->h.x + u * job->solution->stride;
    double sum = 0;
    memset(row, 0, (size_t)job->solution->stride * sizeof *row);
    for (int64_t k = 0; k < columns; k++) {
        cafe_random4 r = cafe_philox(job->seed, CAFE_STREAM_START, (uint64_t)(u * draws + k / 4));
        row[k] = (float)-log(cafe_uniform_open(r.v[k % 4]));
        sum += row[k];
    }
    for (int64_t k = 0; k < columns; k++) row[k] = (float)(row[k] / sum);
}

static void start_block(void *argument, int64_t block, int32_t worker) {
    const start_job *job = argument;
    int64_t end = cafe_block_end(job->solution->n, START_ROWS, block);
    (void)worker;
    for (int64_t u = block * START_ROWS; u < end; u++) start_row(job, u);
}

static cafe_status start(cafe_context *context, int32_t method, cafe_solution *solution) {
    start_job job = {solution, context->seed};
    if (method == CAFE_REDUCE_SPHERE) return cafe_solution_start(context, NULL, solution);
    cafe_phase(context, "start", 0);
    return cafe_parallel(context, cafe_blocks(solution->n, START_ROWS), start_block, &job);
}

/* ---- one row --------------------------------------------------------------------------------- */

typedef struct reducing {
    const cafe_centred *table;
    cafe_solution *solution;
    int32_t method;
    double theta, gamma; /* gamma in units of ||x_u||^2 */
    int64_t chunks, chunk;
    int64_t size; /* L x stride */
    double *w;    /* W, and rounded to float */
    float *w_single;
    float *none;       /* a row of zeros */
    int64_t each;      /* rows of a part of a chunk */
    int64_t parts;     /* of the chunk at hand */
    double *moves;     /* X^T Delta of each part */
    double *diagonals; /* of each part: sum of ||x_u||^2 ||h_u||^2 */
    float *scratch;    /* of each worker */
    int64_t room;      /* floats of scratch per worker */
} reducing;

/* row = the new h_u. */
static void find_row(const reducing *r, int64_t u, float shift, float *row) {
    const cafe_kernels *kernels = r->table->kernels;
    int64_t stride = r->solution->stride;
    const float *h = r->solution->h.x + u * stride;
    float norm = r->table->norms[u];
    cafe_pull pull = {1, -norm};
    cafe_centred_row(r->table, u, stride, r->w_single, row);
    if (r->method == CAFE_REDUCE_SPHERE) {
        kernels->sphere(stride, h, r->none, pull, shift + (float)r->gamma * norm, row);
        return;
    }
    double most = shift > 0 ? 4 / (double)shift : largest_theta;
    kernels->softmax(stride, h, r->none, pull, (float)(r->theta < most ? r->theta : most), row);
}

static double row_diagonal(const reducing *r, int64_t u, const float *row) {
    return r->table->norms[u] * r->table->kernels->dot(r->solution->stride, row, row);
}

/* A chunk of one row: W follows at once. */
static double move_alone(reducing *r, int64_t u) {
    int64_t stride = r->solution->stride;
    float *h = r->solution->h.x + u * stride, *row = r->scratch;
    const float *x = r->table->x + u * r->table->width;
    find_row(r, u, 0, row);
    for (int64_t j = 0; j < r->table->width; j++) {
        double *w = r->w + j * stride;
        float *single = r->w_single + j * stride;
        for (int64_t k = 0; k < stride; k++) {
            w[k] += x[j] * ((double)row[k] - h[k]);
            single[k] = (float)w[k];
        }
    }
    memcpy(h, row, (size_t)stride * sizeof *h);
    return row_diagonal(r, u, row);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Rows u = chunk + i B, i in the part: new rows, their Delta tile by tile, and X^T Delta. Nobody
 * else reads or writes these rows of H. */
static void move_part(void *argument, int64_t part, int32_t worker) {
    reducing *r = argument;
    const cafe_centred *t = r->table;
    int64_t stride = r->solution->stride, step = r->chunks;
    int64_t count = (t->n - r->chunk + step - 1) / step, end = cafe_block_end(count, r->each, part);
    float *row = r->scratch + worker * r->room, *delta = row + stride;
    float *tile = delta + CAFE_TILE * stride;
    double *moves = r->moves + part * r->size, diagonal = 0;
    memset(moves, 0, (size_t)r->size * sizeof *moves);
    for (int64_t from = part * r->each; from < end; from += CAFE_TILE) {
        int64_t rows = end - from < CAFE_TILE ? end - from : CAFE_TILE;
        for (int64_t i = 0; i < rows; i++) {
            int64_t u = r->chunk + (from + i) * step;
            float *h = r->solution->h.x + u * stride;
            find_row(r, u, t->norms[u], row);
            diagonal += row_diagonal(r, u, row);
            for (int64_t k = 0; k < stride; k++) delta[i * stride + k] = row[k] - h[k];
            memcpy(h, row, (size_t)stride * sizeof *h);
        }
        cafe_centred_tile(t, r->chunk + from * step, step, rows, stride, delta, moves, tile);
    }
    r->diagonals[part] = diagonal;
}

/* W += the parts, in their order. */
static void settle_rows(void *argument, int64_t task, int32_t worker) {
    reducing *r = argument;
    int64_t block = SETTLE_ROWS * r->solution->stride, end = cafe_block_end(r->size, block, task);
    (void)worker;
    for (int64_t p = 0; p < r->parts; p++)
        for (int64_t i = task * block; i < end; i++) r->w[i] += r->moves[p * r->size + i];
    for (int64_t i = task * block; i < end; i++) r->w_single[i] = (float)r->w[i];
}

static cafe_status run_tasks(cafe_context *context, int64_t tasks, cafe_task *task, reducing *r) {
    if (tasks > 1) return cafe_parallel(context, tasks, task, r);
    task(r, 0, 0);
    return cafe_check_cancel(context);
}

static cafe_status move_chunk(cafe_context *context, reducing *r, double *diagonal) {
    int64_t count = (r->table->n - r->chunk + r->chunks - 1) / r->chunks;
    r->parts = cafe_blocks(count, r->each);
    cafe_status status = run_tasks(context, r->parts, move_part, r);
    for (int64_t p = 0; p < r->parts && status == CAFE_OK; p++) *diagonal += r->diagonals[p];
    if (status != CAFE_OK) return status;
    return run_tasks(context, cafe_blocks(r->table->width, SETTLE_ROWS), settle_rows, r);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static double square_of(const reducing *r) {
    double sum = 0;
    for (int64_t i = 0; i < r->size; i++) sum += r->w[i] * r->w[i];
    return sum;
}

/* The sum of ||x_u||^2 ||h_u||^2 over all rows, one after the other: once a run. */
static double whole_diagonal(const reducing *r) {
    double sum = 0;
    for (int64_t u = 0; u < r->table->n; u++)
        sum += row_diagonal(r, u, r->solution->h.x + u * r->solution->stride);
    return sum;
}

/* One pass over the rows; *objective gets its value afterwards. */
static cafe_status sweep(cafe_context *context, reducing *r, double *objective) {
    cafe_status status = cafe_check_cancel(context);
    double diagonal = 0;
    for (int64_t c = 0; c < r->chunks && status == CAFE_OK; c++) {
        r->chunk = c;
        if (c + r->chunks >= r->table->n) {
            diagonal += move_alone(r, c);
            if (c % CANCEL_ROWS == 0) status = cafe_check_cancel(context);
        } else {
            status = move_chunk(context, r, &diagonal);
        }
    }
    *objective = square_of(r) - diagonal;
    return status;
}

static cafe_status iterate(cafe_context *context, reducing *r, int64_t sweeps, double tolerance) {
    cafe_solution *s = r->solution;
    cafe_status status = CAFE_OK;
    s->objective[0] = square_of(r) - whole_diagonal(r);
    cafe_phase(context, "sweep", sweeps);
    for (int64_t i = 0; i < sweeps && !s->converged; i++) {
        CAFE_TRY(sweep(context, r, &s->objective[i + 1]));
        s->sweeps = i + 1;
        double now = s->objective[i + 1], gain = now - s->objective[i];
        s->converged = tolerance > 0 && gain <= tolerance * fabs(now);
        cafe_step(context, i + 1, now * r->table->scale * r->table->scale);
    }
done:
    return status;
}

static cafe_status reducing_new(cafe_context *context, reducing *r) {
    const cafe_centred *t = r->table;
    int64_t stride = r->solution->stride, threads = context->threads;
    int64_t largest = (t->n + r->chunks - 1) / r->chunks;
    int64_t parts = cafe_centred_parts(t, largest, stride, &r->each);
    cafe_status status = CAFE_OK;
    r->size = t->width * stride;
    r->room = stride * (1 + CAFE_TILE) + cafe_centred_scratch(t, stride);
    r->w = cafe_mem(context, r->size, sizeof *r->w);
    r->w_single = cafe_mem(context, r->size, sizeof *r->w_single);
    r->none = cafe_mem_zero(context, stride, sizeof *r->none);
    r->moves = cafe_mem(context, parts * r->size, sizeof *r->moves);
    r->diagonals = cafe_mem(context, parts, sizeof *r->diagonals);
    r->scratch = cafe_mem(context, threads * r->room, sizeof *r->scratch);
    if (!r->w || !r->w_single || !r->none || !r->moves || !r->diagonals || !r->scratch)
        return CAFE_ERROR_MEMORY;
    status = cafe_centred_sums(context, t, stride, r->solution->h.x, r->w);
    for (int64_t i = 0; i < r->size && status == CAFE_OK; i++) r->w_single[i] = (float)r->w[i];
    return status;
}

static void reducing_free(cafe_context *context, reducing *r) {
    cafe_mem_free(context, r->w);
    cafe_mem_free(context, r->w_single);
    cafe_mem_free(context, r->none);
    cafe_mem_free(context, r->moves);
    cafe_mem_free(context, r->diagonals);
    cafe_mem_free(context, r->scratch);
}

cafe_status cafe_reduce_solve(cafe_context *context, const cafe_centred *table,
                              const cafe_reduce_options *o, const cafe_reduce_plan *plan,
                              cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    reducing r = {.table = table, .method = o->method, .theta = plan->theta};
    *solution = NULL;
    r.gamma = (1 - o->beta) / o->beta;
    r.chunks = plan->chunks;
    CAFE_TRY(cafe_solution_rows(context, "reduce", table->n, o->columns, o->sweeps, &r.solution));
    CAFE_TRY(start(context, o->method, r.solution));
    CAFE_TRY(reducing_new(context, &r));
    CAFE_TRY(iterate(context, &r, o->sweeps, o->tolerance));
    *solution = r.solution;
    r.solution = NULL;
done:
    reducing_free(context, &r);
    cafe_solution_free(r.solution);
    return status;
}
