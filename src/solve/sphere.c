/* Sphere-GCN: algorithm 4 of the paper, in chunks.
 *
 *     maximise tr(H^T Q H)  subject to  ||h_u|| = 1
 *
 * One update, in units of p_u (gamma = (1 - beta) / beta, c_u of solve/chunks.h):
 *
 *     z_u  = sum over w != u of p(u,w) h_w / p_u - (s - p_u h_u),     s = sum over w of p_w h_w
 *     h_u <- normalise(z_u + (c_u / p_u + gamma) h_u)
 *
 * which is the paper's h_u <- normalise((1 - b_u) h_u + b_u z_u) with a b_u in [0,1] of each node's
 * own. Because of c_u it never lowers the objective, however many nodes of a chunk move at once;
 * docs/algorithms/sphere.md has the argument.
 *
 * The objective is known without extra passes. When the nodes of a chunk move by Delta it grows by
 *
 *     2 sum_u <z_u, Delta_u> + sum_{u != w} q(u,w) <Delta_u, Delta_w>
 *
 * and the second sum needs only the arcs inside the chunk and the change of s.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "solve/chunks.h"
#include "solve/solution.h"

enum {
    MOVE_AHEAD = 4, /* rows asked for before they are moved */
    TASK = 32,      /* nodes of a chunk that one task updates; fixes the shape of the sums */
    BLOCK = 4096    /* nodes of a partial sum of the objective */
};

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option sphere_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, columns), 64, 1, 65536,
     NULL, "columns of the embedding"},
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, sweeps), 10, 0, 1e9, NULL,
     "passes over the nodes at most; 5 to 30 give the best vectors, more only a larger objective"},
    {"tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_sphere_options, tolerance), 1e-3, 0, 1, NULL,
     "stop when a sweep gains less than this share of the objective"},
    {"beta", "B", CAFE_OPTION_REAL, offsetof(cafe_sphere_options, beta), 1, 1e-6, 1, NULL,
     "influence of the neighbours; below 1 a node keeps a part of its old direction"},
    {"chunks", "B", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, chunks), 0, 0, 2147483647,
     NULL,
     "groups of nodes that move together; 0 chooses by size, the number of nodes is the "
     "sequential algorithm"},
};

static const cafe_option_table sphere_table = {
    "sphere", "sphere-GCN: rows of length 1 that maximise the trace of the modularity matrix",
    sizeof(cafe_sphere_options), sphere_options, sizeof sphere_options / sizeof *sphere_options};

const cafe_option_table *cafe_sphere_option_table(void) {
    return &sphere_table;
}

void cafe_sphere_options_init(cafe_sphere_options *options) {
    cafe_options_init(&sphere_table, options);
}

/* ---- one chunk ------------------------------------------------------------------------------- */

/* What a task adds up. */
typedef struct part {
    double linear; /* sum of p_u <z_u, Delta_u> */
    double square; /* sum of p_u^2 ||Delta_u||^2 */
    double inner;  /* sum over arcs inside the chunk of a(u,w) <Delta_u, Delta_w> */
} part;

typedef struct sphere_run {
    const cafe_operator *op;
    const cafe_chunks *chunks;
    cafe_solution *solution;
    double gamma;
    double *s;       /* sum of p_w h_w */
    float *s_single; /* the same, as the kernel reads it */
    float *delta;    /* a chunk's moves, one padded row a node */
    part *parts;     /* one a task */
    double *shift;   /* one row a task: sum of p_u Delta_u */
    int64_t chunk;   /* the one at work */
} sphere_run;

typedef struct task_state {
    const sphere_run *run;
    part *part;
    double *shift;
} task_state;

static void move_node(void *argument, int64_t i, int64_t u, float *sum) {
    const task_state *state = argument;
    const sphere_run *run = state->run;
    const cafe_sampled *sampled = run->op->sampled;
    const cafe_kernels *kernels = run->op->kernels;
    int64_t stride = run->solution->stride;
    double p = sampled->p[u];
    (void)i;
    if (!(p > 0)) { /* no edge: nothing pulls, h_u stays */
        memset(sum, 0, (size_t)stride * sizeof *sum);
        return;
    }
    double inverse_degree = 1 / (p * sampled->total);
    double loop = sampled->loops ? sampled->loops[u] * inverse_degree : 0;
    double inner = run->chunks->inner ? run->chunks->inner[u] : 0;
    /* c_u / p_u = a_u / p_u + P_C - p_u */
    double keep = inner + (run->chunks->mass[run->chunk] - p) + run->gamma;
    cafe_sphere_gain gain =
        kernels->sphere(stride, run->solution->h + u * stride, run->s_single, (float)inverse_degree,
                        (float)(p - loop), (float)keep, sum);
    state->part->linear += p * gain.linear;
    state->part->square += p * p * gain.square;
    kernels->accumulate(stride, p, sum, state->shift);
}

/* First half of a chunk: Delta of every node from the values before the chunk. */
static void find_moves(void *argument, int64_t task, int32_t worker) {
    const sphere_run *run = argument;
    const cafe_chunks *chunks = run->chunks;
    int64_t stride = run->solution->stride, size = cafe_chunk_size(chunks, run->chunk);
    int64_t first = task * TASK;
    cafe_range range = {run->chunk + first * chunks->count, chunks->count,
                        cafe_block_end(size, TASK, task) - first};
    task_state state = {run, &run->parts[task], run->shift + task * stride};
    (void)worker;
    *state.part = (part){0, 0, 0};
    memset(state.shift, 0, (size_t)stride * sizeof *state.shift);
    cafe_stream_rows(run->op, stride, run->solution->h, range, true, run->delta + first * stride,
                     stride, move_node, &state);
}

/* sum over arcs (u,w) inside the chunk of a(u,w) <Delta_u, Delta_w> for one u. */
static double inner_gain(const sphere_run *run, int64_t u, const float *delta) {
    const cafe_chunks *c = run->chunks;
    int64_t stride = run->solution->stride;
    double sum = 0;
    for (int64_t j = c->offsets[u]; j < c->offsets[u + 1]; j++) {
        const float *other = run->delta + (c->targets[j] - run->chunk) / c->count * stride;
        sum += (c->weights ? c->weights[j] : 1) * run->op->kernels->dot(stride, delta, other);
    }
    return sum;
}

/* Second half: h_u += Delta_u. */
static void make_moves(void *argument, int64_t task, int32_t worker) {
    const sphere_run *run = argument;
    const cafe_chunks *chunks = run->chunks;
    int64_t stride = run->solution->stride, size = cafe_chunk_size(chunks, run->chunk);
    int64_t end = cafe_block_end(size, TASK, task);
    (void)worker;
    for (int64_t i = task * TASK; i < end; i++) {
        int64_t u = run->chunk + i * chunks->count;
        const float *delta = run->delta + i * stride;
        if (i + MOVE_AHEAD < end)
            cafe_ask_row(run->solution->h + (u + MOVE_AHEAD * chunks->count) * stride, stride);
        run->op->kernels->add(stride, delta, run->solution->h + u * stride);
        if (chunks->offsets) run->parts[task].inner += inner_gain(run, u, delta);
    }
}

/* Adds up the tasks in their order, moves s, and returns the growth of the objective. */
static double settle(sphere_run *run, int64_t tasks) {
    int64_t stride = run->solution->stride;
    double gain = 0, *total = run->shift;
    for (int64_t t = 0; t < tasks; t++) {
        const part *p = &run->parts[t];
        gain += 2 * p->linear + p->square + p->inner / run->op->sampled->total;
    }
    for (int64_t t = 1; t < tasks; t++)
        for (int64_t k = 0; k < stride; k++) total[k] += run->shift[t * stride + k];
    for (int64_t k = 0; k < stride; k++) {
        gain -= total[k] * total[k];
        run->s[k] += total[k];
        run->s_single[k] = (float)run->s[k];
    }
    return gain;
}

static cafe_status run_tasks(cafe_context *context, int64_t tasks, cafe_task *task,
                             sphere_run *run) {
    if (tasks > 1) return cafe_parallel(context, tasks, task, run);
    task(run, 0, 0);
    return CAFE_OK;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

static cafe_status sweep(cafe_context *context, sphere_run *run, double *gain) {
    cafe_status status = cafe_check_cancel(context);
    *gain = 0;
    for (int64_t c = 0; c < run->chunks->count && status == CAFE_OK; c++) {
        int64_t tasks = cafe_blocks(cafe_chunk_size(run->chunks, c), TASK);
        run->chunk = c;
        CAFE_TRY(run_tasks(context, tasks, find_moves, run));
        CAFE_TRY(run_tasks(context, tasks, make_moves, run));
        *gain += settle(run, tasks);
    }
done:
    return status;
}

static cafe_status allocate(cafe_context *context, sphere_run *run) {
    int64_t stride = run->solution->stride, largest = cafe_chunk_size(run->chunks, 0);
    int64_t tasks = cafe_blocks(largest, TASK);
    run->s = cafe_mem_zero(context, stride, sizeof *run->s);
    run->s_single = cafe_mem_zero(context, stride, sizeof *run->s_single);
    run->delta = cafe_mem(context, largest * stride, sizeof *run->delta);
    run->parts = cafe_mem(context, tasks, sizeof *run->parts);
    run->shift = cafe_mem(context, tasks * stride, sizeof *run->shift);
    bool all = run->s && run->s_single && run->delta && run->parts && run->shift;
    return all ? CAFE_OK : CAFE_ERROR_MEMORY;
}

/* Sweeps until the gain is small; objective[i] is relative to the start until finish() shifts it.
 * `level` is the objective at the start as far as it matters for the stopping rule. */
static cafe_status iterate(cafe_context *context, const cafe_sphere_options *o, double level,
                           sphere_run *run) {
    cafe_solution *solution = run->solution;
    cafe_status status = CAFE_OK;
    cafe_phase(context, "sweep", o->sweeps);
    for (int64_t i = 0; i < o->sweeps && !solution->converged; i++) {
        double gain;
        CAFE_TRY(sweep(context, run, &gain));
        solution->objective[i + 1] = solution->objective[i] + gain;
        solution->sweeps = i + 1;
        double now = level + solution->objective[i + 1];
        solution->converged = o->tolerance > 0 && gain < o->tolerance * fabs(now);
        cafe_step(context, i + 1, now);
    }
done:
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

typedef struct objective_job {
    const cafe_operator *op;
    const cafe_solution *solution;
    double *partial; /* one a block of BLOCK nodes */
} objective_job;

static void objective_block(void *argument, int64_t block, int32_t worker) {
    const objective_job *job = argument;
    const cafe_solution *s = job->solution;
    double sum = 0;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(s->n, BLOCK, block); u++)
        sum += job->op->sampled->p[u] *
               job->op->kernels->dot(s->stride, s->h + u * s->stride, s->y + u * s->stride);
    job->partial[block] = sum;
}

/* tr(H^T Q H) = sum_u p_u <h_u, y_u> */
static cafe_status exact_objective(cafe_context *context, const cafe_operator *op,
                                   const cafe_solution *solution, double *objective) {
    int64_t blocks = cafe_blocks(solution->n, BLOCK);
    objective_job job = {op, solution, cafe_mem(context, blocks, sizeof(double))};
    if (!job.partial) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(context, blocks, objective_block, &job);
    *objective = 0;
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++) *objective += job.partial[b];
    cafe_mem_free(context, job.partial);
    return status;
}

/* The sum of q(u,u) = p(u,u) - p_u^2 */
static double diagonal(const cafe_sampled *s) {
    double sum = 0;
    for (int64_t u = 0; u < s->n; u++)
        sum += (s->loops ? s->loops[u] / s->total : 0) - s->p[u] * s->p[u];
    return sum;
}

/* Keeps Y = D^-1 Q H, which every spectral finish starts from, and with it the exact objective;
 * the earlier ones follow from it by their gains. */
static cafe_status finish(cafe_context *context, const cafe_operator *op, cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    double end = 0;
    cafe_phase(context, "product", 0);
    solution->y = cafe_mem(context, solution->n * solution->stride, sizeof *solution->y);
    if (!solution->y) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_operator_apply(context, op, CAFE_SIDE_WALK, solution->stride, solution->h, 1, 0,
                                 0, solution->y));
    CAFE_TRY(exact_objective(context, op, solution, &end));
    solution->diagonal = diagonal(op->sampled);
    double shift = end - solution->objective[solution->sweeps];
    for (int64_t i = 0; i <= solution->sweeps; i++) solution->objective[i] += shift;
done:
    return status;
}

cafe_status cafe_sphere(cafe_context *context, const cafe_operator *op,
                        const cafe_sphere_options *options, const float *start,
                        cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    if (options) o = *options;
    sphere_run run = {.op = op, .gamma = (1 - o.beta) / o.beta};
    cafe_chunks *chunks = NULL;
    double level = 0; /* of a random start: nearly 0 */
    *solution = NULL;
    CAFE_TRY(cafe_options_check(context, &sphere_table, &o));
    CAFE_TRY(cafe_solution_new(context, op->n, o.columns, o.sweeps, &run.solution));
    CAFE_TRY(cafe_solution_start(context, start, run.solution));
    CAFE_TRY(cafe_chunks_new(context, op, o.chunks, run.solution->stride, &chunks));
    run.chunks = chunks;
    CAFE_TRY(allocate(context, &run));
    CAFE_TRY(cafe_operator_mean(context, op, run.solution->stride, run.solution->h, run.s));
    for (int64_t k = 0; k < run.solution->stride; k++) run.s_single[k] = (float)run.s[k];
    if (start)
        CAFE_TRY(
            cafe_operator_trace_block(context, op, run.solution->stride, run.solution->h, &level));
    CAFE_TRY(iterate(context, &o, level, &run));
    CAFE_TRY(finish(context, op, run.solution));
    *solution = run.solution;
    run.solution = NULL;
done:
    cafe_mem_free(context, run.s);
    cafe_mem_free(context, run.s_single);
    cafe_mem_free(context, run.delta);
    cafe_mem_free(context, run.parts);
    cafe_mem_free(context, run.shift);
    cafe_chunks_free(chunks);
    cafe_solution_free(run.solution);
    return status;
}
