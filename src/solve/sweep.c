/* The chunked sweep and the course of the objective. */
#include "solve/sweep.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"

enum {
    ALONE =
        1 << 20, /* bytes that a chunk's rows are gathered from, below which one thread does it */
    MOVE_AHEAD = 4, /* rows asked for before they are written */
    TASK = 32       /* nodes of a chunk that one task updates; fixes the shape of the sums */
};

/* What a task adds up. */
typedef struct part {
    double linear; /* sum of p_u <z_u, Delta_u> */
    double square; /* sum of p_u^2 ||Delta_u||^2 */
    double inner;  /* sum over arcs inside the chunk of a(u,w) <Delta_u, Delta_w> */
} part;

struct cafe_sweep {
    cafe_context *context;
    const cafe_operator *op;
    cafe_solution *solution;
    const uint8_t *fixed;
    cafe_update *update;
    const void *method;
    cafe_chunks *chunks;
    double sign;     /* the operator's */
    double expected; /* sign times the resolution: the weight of p p^T */
    double *s;       /* sum of p_w h_w */
    float *s_single; /* the same times that weight, as the kernels read it */
    float *rows;     /* a chunk's new rows */
    part *parts;     /* one a task */
    double *shift;   /* one row a task: sum of p_u Delta_u */
    int64_t chunk;   /* the one at work */
    bool alone;      /* chunks are too small to be worth waking other threads */
};

static cafe_status allocate(cafe_context *context, cafe_sweep *w) {
    int64_t stride = w->solution->stride, largest = cafe_chunk_size(w->chunks, 0);
    int64_t tasks = cafe_blocks(largest, TASK);
    w->s = cafe_mem(context, stride, sizeof *w->s);
    w->s_single = cafe_mem(context, stride, sizeof *w->s_single);
    w->rows = cafe_mem(context, largest * stride, sizeof *w->rows);
    w->parts = cafe_mem(context, tasks, sizeof *w->parts);
    w->shift = cafe_mem(context, tasks * stride, sizeof *w->shift);
    return w->s && w->s_single && w->rows && w->parts && w->shift ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status cafe_sweep_new(cafe_context *context, const cafe_operator *op, cafe_solution *solution,
                           int64_t chunks, const uint8_t *fixed, cafe_update *update,
                           const void *method, cafe_sweep **sweep) {
    cafe_status status = CAFE_OK;
    cafe_sweep *w = cafe_mem_zero(context, 1, sizeof *w);
    *sweep = NULL;
    if (!w) return CAFE_ERROR_MEMORY;
    w->context = context;
    w->op = op;
    w->sign = w->expected = op->parts.sign;
    w->solution = solution;
    w->fixed = fixed;
    w->update = update;
    w->method = method;
    CAFE_TRY(cafe_chunks_new(context, op, chunks, solution->stride, &w->chunks));
    int64_t arcs = op->parts.offsets[op->n] / w->chunks->count;
    w->alone = arcs * solution->stride * (int64_t)sizeof(float) < ALONE;
    CAFE_TRY(allocate(context, w));
    CAFE_TRY(cafe_operator_sums(context, op, solution->stride, solution->h.x, w->s));
    cafe_sweep_weigh(w, 1);
    *sweep = w;
    w = NULL;
done:
    cafe_sweep_free(w);
    return status;
}

void cafe_sweep_weigh(cafe_sweep *sweep, double resolution) {
    sweep->expected = sweep->sign * resolution;
    sweep->chunks->resolution = resolution;
    for (int64_t k = 0; k < sweep->solution->stride; k++)
        sweep->s_single[k] = (float)(sweep->expected * sweep->s[k]);
}

void cafe_sweep_free(cafe_sweep *sweep) {
    if (!sweep) return;
    cafe_chunks_free(sweep->chunks);
    cafe_mem_free(sweep->context, sweep->s);
    cafe_mem_free(sweep->context, sweep->s_single);
    cafe_mem_free(sweep->context, sweep->rows);
    cafe_mem_free(sweep->context, sweep->parts);
    cafe_mem_free(sweep->context, sweep->shift);
    cafe_mem_free(sweep->context, sweep);
}

/* ---- one chunk: find the new rows, weigh them, write them -------------------------------------
 */

typedef struct task_state {
    const cafe_sweep *sweep;
    part *part;
    double *shift;
} task_state;

static void find_row(void *argument, int64_t i, int64_t u, float *row) {
    const task_state *state = argument;
    const cafe_sweep *w = state->sweep;
    const cafe_operator_parts *q = &w->op->parts;
    int64_t stride = w->solution->stride;
    const float *h = w->solution->h.x + u * stride;
    double p = q->p[u];
    (void)i;
    if (!(p > 0) || (w->fixed && w->fixed[u])) { /* nothing pulls, or nothing may */
        memcpy(row, h, (size_t)stride * sizeof *row);
        return;
    }
    double inverse_degree = 1 / (p * q->total);
    double loop = q->loops ? q->loops[u] * inverse_degree : 0;
    cafe_pull pull = {(float)(w->sign * inverse_degree), (float)(w->expected * p - w->sign * loop)};
    cafe_gain gain = w->update(w->method, w->op->kernels, stride, h, w->s_single, pull,
                               (float)cafe_chunk_shift(w->chunks, w->chunk, u, p), row);
    state->part->linear += p * gain.linear;
    state->part->square += p * p * gain.square;
    w->op->kernels->accumulate_move(stride, p, row, h, state->shift);
}

/* The new row of every node, from the values before the chunk. */
static void find_rows(void *argument, int64_t task, int32_t worker) {
    const cafe_sweep *w = argument;
    const cafe_chunks *chunks = w->chunks;
    int64_t stride = w->solution->stride, size = cafe_chunk_size(chunks, w->chunk);
    int64_t first = task * TASK;
    cafe_range range = {w->chunk + first * chunks->count, chunks->count,
                        cafe_block_end(size, TASK, task) - first};
    task_state state = {w, &w->parts[task], w->shift + task * stride};
    (void)worker;
    *state.part = (part){0, 0, 0};
    memset(state.shift, 0, (size_t)stride * sizeof *state.shift);
    cafe_stream_rows(w->op, stride, w->solution->h.x, range, w->fixed, true,
                     w->rows + first * stride, stride, find_row, &state);
}

/* The sum over arcs (u,w) inside the chunk of a(u,w) <Delta_u, Delta_w>, u in the task. */
static void weigh_rows(void *argument, int64_t task, int32_t worker) {
    const cafe_sweep *w = argument;
    const cafe_chunks *c = w->chunks;
    const float *h = w->solution->h.x;
    int64_t stride = w->solution->stride, size = cafe_chunk_size(c, w->chunk);
    double sum = 0;
    (void)worker;
    for (int64_t i = task * TASK; i < cafe_block_end(size, TASK, task); i++) {
        int64_t u = w->chunk + i * c->count;
        for (int64_t j = c->offsets[u]; j < c->offsets[u + 1]; j++) {
            int64_t other = c->targets[j], place = (other - w->chunk) / c->count;
            sum += (c->weights ? c->weights[j] : 1) *
                   w->op->kernels->dot_moves(stride, w->rows + i * stride, h + u * stride,
                                             w->rows + place * stride, h + other * stride);
        }
    }
    w->parts[task].inner = sum;
}

static void write_rows(void *argument, int64_t task, int32_t worker) {
    const cafe_sweep *w = argument;
    const cafe_chunks *chunks = w->chunks;
    int64_t stride = w->solution->stride, size = cafe_chunk_size(chunks, w->chunk);
    int64_t end = cafe_block_end(size, TASK, task);
    (void)worker;
    for (int64_t i = task * TASK; i < end; i++) {
        float *h = w->solution->h.x + (w->chunk + i * chunks->count) * stride;
        if (i + MOVE_AHEAD < end) cafe_ask_row(h + MOVE_AHEAD * chunks->count * stride, stride);
        memcpy(h, w->rows + i * stride, (size_t)stride * sizeof *h);
    }
}

/* Adds up the tasks in their order, moves s, and returns the growth of the objective. */
static double settle_chunk(cafe_sweep *w, int64_t tasks) {
    int64_t stride = w->solution->stride;
    double gain = 0, *total = w->shift;
    for (int64_t t = 0; t < tasks; t++) {
        const part *p = &w->parts[t];
        gain += 2 * p->linear + w->expected * p->square + w->sign * p->inner / w->op->parts.total;
    }
    for (int64_t t = 1; t < tasks; t++)
        for (int64_t k = 0; k < stride; k++) total[k] += w->shift[t * stride + k];
    for (int64_t k = 0; k < stride; k++) {
        gain -= w->expected * total[k] * total[k];
        w->s[k] += total[k];
        w->s_single[k] = (float)(w->expected * w->s[k]);
    }
    return gain;
}

static cafe_status run_tasks(cafe_context *context, int64_t tasks, cafe_task *task, cafe_sweep *w) {
    if (tasks > 1 && !w->alone) return cafe_parallel(context, tasks, task, w);
    for (int64_t t = 0; t < tasks; t++) task(w, t, 0);
    return CAFE_OK;
}

/* ---- passes ---------------------------------------------------------------------------------- */

cafe_status cafe_sweep_run(cafe_context *context, cafe_sweep *sweep, double *gain) {
    cafe_status status = cafe_check_cancel(context);
    *gain = 0;
    for (int64_t c = 0; c < sweep->chunks->count && status == CAFE_OK; c++) {
        int64_t tasks = cafe_blocks(cafe_chunk_size(sweep->chunks, c), TASK);
        sweep->chunk = c;
        CAFE_TRY(run_tasks(context, tasks, find_rows, sweep));
        if (sweep->chunks->offsets) CAFE_TRY(run_tasks(context, tasks, weigh_rows, sweep));
        CAFE_TRY(run_tasks(context, tasks, write_rows, sweep));
        *gain += settle_chunk(sweep, tasks);
    }
done:
    return status;
}

cafe_status cafe_sweep_iterate(cafe_context *context, cafe_sweep *sweep, int64_t sweeps,
                               double tolerance, double level) {
    cafe_solution *solution = sweep->solution;
    cafe_status status = CAFE_OK;
    cafe_phase(context, "sweep", sweeps);
    for (int64_t i = 0; i < sweeps && !solution->converged; i++) {
        double gain;
        CAFE_TRY(cafe_sweep_run(context, sweep, &gain));
        solution->objective[i + 1] = solution->objective[i] + gain;
        solution->sweeps = i + 1;
        double now = level + solution->objective[i + 1];
        solution->converged = tolerance > 0 && gain <= tolerance * fabs(now);
        cafe_step(context, i + 1, now);
    }
done:
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

cafe_status cafe_sweep_settle(cafe_context *context, const cafe_operator *op,
                              cafe_solution *solution) {
    double end = 0;
    cafe_status status = cafe_solution_product(context, op, solution, &end);
    double shift = end - solution->objective[solution->sweeps];
    for (int64_t i = 0; i <= solution->sweeps && status == CAFE_OK; i++)
        solution->objective[i] += shift;
    return status;
}
