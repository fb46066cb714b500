/* Sweeps: every process moves its own nodes of a chunk, then all exchange rows.
 *
 * As on the processor, a chunk moves from the values before it. A process needs two things from
 * others: the rows of its ghosts that moved in the chunk before, and the change of S. Both arrive
 * while it sums the neighbours of nodes without ghosts:
 *
 *     neighbour sums of inner nodes       | ghost rows and the change of S of the chunk before arrive
 *     neighbour sums of border nodes
 *     moves of all nodes by the rule, their part of the change of S
 *     edges inside the chunk weighed, rows written, rows with copies elsewhere sent
 *
 * The gain needs one sum over the processes at the end of the sweep. All its parts, and the change
 * of S, are sums without order (kernels/sum_shapes.h).
 *
 * If one process has all rows, its sweep is the processor's, and the others receive the gain.
 */
#include "sweep.h"

#include <string.h>

enum { TASK = 64 }; /* rows of a task */

/* ---- opened ---------------------------------------------------------------------------------- */

static cafe_status allocate_rows(cafe_context *context, petsc_sweep *s) {
    const cafe_engine_host *host = s->state->host;
    int64_t stride = s->h->stride, workers = host->threads(context);
    s->rows = host->allocate(context, s->plan.most * stride, sizeof *s->rows);
    s->s = host->allocate(context, 3 * stride, sizeof *s->s);
    s->single = host->allocate(context, stride, sizeof *s->single);
    s->shift = host->allocate(context, workers * stride, sizeof *s->shift);
    s->gains = host->allocate(context, s->view.count, sizeof *s->gains);
    s->part = host->allocate(context, workers, sizeof *s->part);
    s->squares = host->allocate(context, s->view.count, sizeof *s->squares);
    if (!s->rows || !s->s || !s->single || !s->shift || !s->gains || !s->part || !s->squares)
        return CAFE_ERROR_MEMORY;
    s->change = s->s + stride, s->sent = s->s + 2 * stride;
    memset(s->shift, 0, (size_t)(workers * stride) * sizeof *s->shift);
    memset(s->part, 0, (size_t)workers * sizeof *s->part);
    return CAFE_OK;
}

/* fixed by places */
static cafe_status take_fixed(cafe_context *context, petsc_sweep *s, const uint8_t *fixed) {
    const petsc_layout *l = s->graph->layout;
    if (!fixed) return CAFE_OK;
    s->fixed = s->state->host->allocate(context, l->own, sizeof *s->fixed);
    for (int64_t i = 0; i < l->own && s->fixed; i++) s->fixed[i] = fixed[l->number[i]];
    return s->fixed ? CAFE_OK : CAFE_ERROR_MEMORY;
}

static void round_sums(petsc_sweep *s) {
    for (int64_t k = 0; k < s->h->stride; k++) s->single[k] = (float)(s->by.expected * s->s[k]);
}

static cafe_status open_divided(cafe_context *context, const cafe_operator *op,
                                const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                                petsc_sweep *s) {
    const cafe_engine_host *host = s->state->host;
    CAFE_PASS(host->lay_out(context, op, chunks, s->h->stride, &s->chunks));
    CAFE_PASS(petsc_plan_make(context, op, s));
    CAFE_PASS(allocate_rows(context, s));
    CAFE_PASS(take_fixed(context, s, fixed));
    s->local = petsc_local_operator(s->graph, op);
    s->by = host->moving(host->kernels(), &s->local.parts, rule, s->h->stride, s->single);
    if (rule->storage != CAFE_STORAGE_FLOAT32)
        s->by.kernels->round(rule->storage, s->graph->layout->own * s->h->stride, s->h->x);
    CAFE_PASS(petsc_project(context, op, s->graph, s->h, s->s));
    round_sums(s);
    s->graph->swept = s->h->x;
    return petsc_ghosts(context, s->graph, s->h);
}

cafe_status petsc_sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                             const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                             cafe_block *h, void **sweep) {
    petsc_state *state = petsc_of(h);
    petsc_sweep *s = *sweep = state->host->allocate(context, 1, sizeof *s);
    if (!s) return CAFE_ERROR_MEMORY;
    *s = (petsc_sweep){.state = state, .graph = held, .h = h, .reduce = MPI_REQUEST_NULL};
    if (s->graph->layout->sole < 0) return open_divided(context, op, rule, chunks, fixed, s);
    if (!s->graph->whole) return state->host->lay_out(context, op, chunks, h->stride, &s->chunks);
    s->here = petsc_local(h);
    return s->here.engine->ops->sweep_open(context, op, NULL, rule, chunks, fixed, &s->here,
                                           &s->alone);
}

void petsc_sweep_close(cafe_context *context, void *sweep) {
    petsc_sweep *s = sweep;
    if (!s) return;
    const cafe_engine_host *host = s->state->host;
    if (!petsc_idle(1, &s->reduce)) s->s = NULL; /* MPI keeps them */
    if (!petsc_idle(s->plan.count, s->plan.requests))
        s->plan.outgoing = s->plan.incoming = NULL, s->plan.requests = NULL;
    void *all[] = {s->rows, s->s, s->single, s->shift, s->gains, s->part, s->squares, s->fixed};
    if (s->alone) s->here.engine->ops->sweep_close(context, s->alone);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) host->release(context, all[i]);
    if (s->graph->swept) petsc_ghosts_leave(s->graph, s->h);
    s->graph->swept = NULL;
    petsc_plan_free(context, s);
    host->chunks_free(s->chunks);
    host->release(context, s);
}

/* ---- neighbours' sums ------------------------------------------------------------------------ */

/* Nodes first .. last - 1 of the chunk at work. */
typedef struct some {
    petsc_sweep *sweep;
    int64_t first, count;
} some;

static void leave_sum(void *argument, int64_t i, int64_t u, float *sum) {
    (void)argument, (void)i, (void)u, (void)sum;
}

static void sum_task(void *argument, int64_t first, int64_t last) {
    const some *nodes = argument;
    const petsc_sweep *s = nodes->sweep;
    int64_t stride = s->h->stride, from = nodes->first + first;
    cafe_range range = {s->view.starts[s->chunk] + from, 1, last - first, s->plan.list};
    s->state->host->stream_rows(&s->local, stride, s->h->x, range, s->fixed, false,
                                s->rows + from * stride, stride, leave_sum, NULL);
}

/* Inner nodes come first in a chunk. */
static cafe_status sum_neighbours(cafe_context *context, petsc_sweep *s, bool border) {
    int64_t inner = s->plan.inners[s->chunk], size = cafe_chunk_size(&s->view, s->chunk);
    some nodes = {s, border ? inner : 0, border ? size - inner : inner};
    return s->state->host->ranges(context, nodes.count, TASK, sum_task, &nodes);
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void move_task(void *argument, int64_t task, int32_t worker) {
    petsc_sweep *s = argument;
    const cafe_kernels *kernels = s->by.kernels;
    int64_t stride = s->h->stride, size = cafe_chunk_size(&s->view, s->chunk);
    int64_t end = (task + 1) * TASK < size ? (task + 1) * TASK : size;
    cafe_gains sums = s->part[worker];
    for (int64_t i = task * TASK; i < end; i++) {
        int64_t u = s->plan.list[s->view.starts[s->chunk] + i];
        const float *h = s->h->x + u * stride;
        float *row = s->rows + i * stride;
        if (!(s->local.parts.p[u] > 0) || (s->fixed && s->fixed[u])) {
            memcpy(row, h, (size_t)stride * sizeof *row);
            continue;
        }
        double shift =
            cafe_chunk_shift(&s->local.parts, &s->view, s->by.rule.resolution, s->chunk, i, u);
        cafe_moved moved = s->state->host->move_row(&s->by, u, shift, h, row);
        sums.linear += moved.linear;
        sums.square += moved.square;
        kernels->accumulate_move(stride, s->local.parts.p[u], row, h, s->shift + worker * stride);
    }
    s->part[worker] = sums;
}

/* Edges inside the chunk whose nodes are both of this process. */
static void weigh_task(void *argument, int64_t task, int32_t worker) {
    petsc_sweep *s = argument;
    const petsc_plan *plan = &s->plan;
    int64_t stride = s->h->stride, start = s->view.starts[s->chunk];
    int64_t size = cafe_chunk_size(&s->view, s->chunk);
    int64_t end = (task + 1) * TASK < size ? (task + 1) * TASK : size;
    for (int64_t i = task * TASK; i < end; i++)
        for (int64_t j = plan->offsets[start + i]; j < plan->offsets[start + i + 1]; j++) {
            int64_t other = plan->targets[j];
            const float *h = s->h->x + (int64_t)plan->list[start + i] * stride;
            const float *old = s->h->x + (int64_t)plan->list[start + other] * stride;
            double dot = s->by.kernels->dot_moves(stride, s->rows + i * stride, h,
                                                  s->rows + other * stride, old);
            s->part[worker].inner +=
                cafe_inner_share(plan->weights[j], dot, s->local.parts.total, s->by.unit);
        }
}

/* Writes the new rows; keeps the moves of nodes with an edge to a ghost of the chunk. */
static void write_task(void *argument, int64_t first, int64_t last) {
    petsc_sweep *s = argument;
    int64_t stride = s->h->stride, start = s->view.starts[s->chunk];
    for (int64_t i = first; i < last; i++) {
        float *h = s->h->x + (int64_t)s->plan.list[start + i] * stride;
        float *row = s->rows + i * stride;
        int32_t kept = s->plan.kept ? s->plan.kept[start + i] : -1;
        float *move = kept >= 0 ? s->plan.moves + (int64_t)kept * stride : NULL;
        for (int64_t k = 0; k < stride && move; k++) move[k] = row[k] - h[k];
        memcpy(h, row, (size_t)stride * sizeof *h);
    }
}

/* Adds the workers' sums to this process's part of the chunk's sums. */
static void take_parts(cafe_context *context, petsc_sweep *s) {
    int64_t stride = s->h->stride, workers = s->state->host->threads(context);
    cafe_gains *sums = &s->gains[s->chunk];
    *sums = (cafe_gains){0, 0, 0};
    memset(s->sent, 0, (size_t)stride * sizeof *s->sent);
    for (int64_t w = 0; w < workers; w++) {
        sums->linear += s->part[w].linear;
        sums->square += s->part[w].square;
        sums->inner += s->part[w].inner;
        for (int64_t k = 0; k < stride; k++) s->sent[k] += s->shift[w * stride + k];
    }
    memset(s->part, 0, (size_t)workers * sizeof *s->part);
    memset(s->shift, 0, (size_t)(workers * stride) * sizeof *s->shift);
}

/* ---- what travels ---------------------------------------------------------------------------- */

/* S, once its change of the last chunk is there. */
static cafe_status settle(cafe_context *context, petsc_sweep *s) {
    const petsc_state *state = s->state;
    cafe_status status = CAFE_OK;
    double squares = 0;
    if (s->reduced < 0) return CAFE_OK;
    PETSC_MPI(MPI_Wait(&s->reduce, MPI_STATUS_IGNORE));
    for (int64_t k = 0; k < s->h->stride; k++) {
        squares += s->change[k] * s->change[k];
        s->s[k] += s->change[k];
    }
    s->squares[s->reduced] = squares;
    s->reduced = -1;
    round_sums(s);
done:
    return status;
}

static cafe_status send_change(cafe_context *context, petsc_sweep *s) {
    const petsc_state *state = s->state;
    cafe_status status = CAFE_OK;
    PETSC_MPI(MPI_Iallreduce(s->sent, s->change, (int)s->h->stride, MPI_DOUBLE, MPI_SUM,
                             state->comm, &s->reduce));
    s->reduced = s->chunk;
done:
    return status;
}

/* ---- a sweep --------------------------------------------------------------------------------- */

static cafe_status run_chunk(cafe_context *context, petsc_sweep *s) {
    const cafe_engine_host *host = s->state->host;
    int64_t size = cafe_chunk_size(&s->view, s->chunk), tasks = petsc_blocks(size, TASK);
    CAFE_PASS(host->check_cancel(context));
    CAFE_PASS(sum_neighbours(context, s, false));
    CAFE_PASS(petsc_receive(context, s));
    CAFE_PASS(sum_neighbours(context, s, true));
    CAFE_PASS(settle(context, s));
    CAFE_PASS(host->parallel(context, tasks, move_task, s));
    if (s->plan.offsets) CAFE_PASS(host->parallel(context, tasks, weigh_task, s));
    CAFE_PASS(host->ranges(context, size, TASK, write_task, s));
    take_parts(context, s);
    CAFE_PASS(send_change(context, s));
    return petsc_send(context, s);
}

static cafe_status add_gains(cafe_context *context, petsc_sweep *s, double *gain) {
    const petsc_state *state = s->state;
    cafe_status status = CAFE_OK;
    PETSC_MPI(MPI_Allreduce(MPI_IN_PLACE, s->gains, (int)(3 * s->view.count), MPI_DOUBLE, MPI_SUM,
                            state->comm));
    for (int64_t c = 0; c < s->view.count; c++)
        *gain += cafe_chunk_gain(s->by.unit, s->by.expected, s->local.parts.sign, s->gains[c],
                                 s->squares[c]);
done:
    return status;
}

/* Numbers of the process that has all rows, for all. */
static cafe_status tell(cafe_context *context, const petsc_sweep *s, int64_t count,
                        double *numbers) {
    const petsc_state *state = s->state;
    int from = s->graph->layout->sole;
    if (state->ranks == 1) return CAFE_OK;
    return petsc_mpi(context, state, MPI_Bcast(numbers, (int)count, MPI_DOUBLE, from, state->comm));
}

cafe_status petsc_sweep_run(cafe_context *context, void *sweep, double *gain) {
    petsc_sweep *s = sweep;
    petsc_of(s->h)->swept++;
    CAFE_PASS(s->state->host->check_cancel(context));
    if (s->alone) CAFE_PASS(s->here.engine->ops->sweep_run(context, s->alone, gain));
    if (s->graph->layout->sole >= 0) return tell(context, s, 1, gain);
    *gain = 0;
    s->reduced = s->sender = -1;
    for (s->chunk = 0; s->chunk < s->view.count; s->chunk++) CAFE_PASS(run_chunk(context, s));
    CAFE_PASS(petsc_receive(context, s));
    CAFE_PASS(settle(context, s));
    return add_gains(context, s, gain);
}

cafe_status petsc_sweep_sums(cafe_context *context, void *sweep, bool put, double *sums) {
    petsc_sweep *s = sweep;
    size_t bytes = (size_t)s->h->stride * sizeof *sums;
    if (s->alone) CAFE_PASS(s->here.engine->ops->sweep_sums(context, s->alone, put, sums));
    if (s->graph->layout->sole >= 0) return put ? CAFE_OK : tell(context, s, s->h->stride, sums);
    memcpy(put ? s->s : sums, put ? sums : s->s, bytes);
    if (!put) return CAFE_OK;
    round_sums(s);
    return petsc_ghosts(context, s->graph, s->h); /* H has been put back too */
}

const cafe_chunks *petsc_sweep_chunks(const void *sweep) {
    const petsc_sweep *s = sweep;
    return s->alone ? s->here.engine->ops->sweep_chunks(s->alone) : s->chunks;
}
