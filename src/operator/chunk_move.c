/* Sweeps: the nodes move chunk after chunk, all nodes or the nodes of a list.
 *
 * A chunk has two phases, so threads wait for each other twice:
 *
 *     1  find the new rows of chunk c; meanwhile weigh the edges inside chunk c - 1
 *     2  S += F_c^T Delta_c, add the gain of chunk c - 1, write the rows of chunk c
 *
 * Writing exchanges new and old rows: the edges inside a chunk need both to give Delta = new - old.
 * A turn is the work on one chunk. Several turns are one job of the pool.
 */
#include "operator/chunk_tasks.h"

#include <string.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "base/thread_pool.h"
#include "operator/table_operator.h"

enum {
    ALONE =
        1 << 20, /* bytes of neighbour rows of a chunk: with fewer, one thread does all the work */
    TASK = 16,   /* nodes of a chunk that one task moves: few, so that all threads end at about the
                  * same time */
    COPY = 1024, /* rows that one task copies */
    SETTLE = 64, /* rows of S that one task moves, */
    COLUMNS = 16 /* or columns, where it has one row */
};

/* ---- rows of 16 bits ------------------------------------------------------------------------- */

static void round_rows(void *argument, int64_t first, int64_t last) {
    const cafe_mover *m = argument;
    m->op->kernels->round(m->by.rule.storage, (last - first) * m->stride, m->h + first * m->stride);
}

static void pack_rows(void *argument, int64_t first, int64_t last) {
    const cafe_mover *m = argument;
    m->op->kernels->pack(m->by.rule.storage, (last - first) * m->stride, m->h + first * m->stride,
                         m->packed + first * m->stride);
}

/* Makes the copy of H in 16 bits, which the sums of neighbour rows read: half the bytes. H in
 * floats stays for the finish. H and its copy take less memory than H and its product later. If a
 * memory limit leaves no room, H alone gives the same bits. */
static cafe_status pack_all(cafe_context *context, cafe_mover *m) {
    int64_t bytes = m->q->n * m->stride * (int64_t)sizeof *m->packed;
    if (bytes > cafe_room(context)) return CAFE_OK;
    if (m->by.rule.storage == CAFE_STORAGE_FLOAT32 || m->width > 0 || m->packed || !m->q->offsets)
        return CAFE_OK;
    m->packed = cafe_mem(context, m->q->n * m->stride, sizeof *m->packed);
    CAFE_PASS(cafe_mem_had(m->packed));
    return cafe_ranges(context, m->q->n, COPY, pack_rows, m);
}

/* ---- made and aimed -------------------------------------------------------------------------- */

cafe_status cafe_mover_new(cafe_context *context, const cafe_operator *op, cafe_rule rule,
                           int64_t stride, float *h, const uint8_t *fixed, cafe_mover **mover) {
    const cafe_operator_parts *q = &op->parts;
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_mover *m = cafe_mem_zero(context, 1, sizeof *m);
    *mover = NULL;
    if (!m) return status;
    m->context = context, m->op = op, m->q = q;
    m->stride = stride, m->h = h, m->fixed = fixed, m->size = q->width * stride;
    m->s = cafe_mem(context, 3 * m->size, sizeof *m->s);
    m->single = cafe_mem(context, m->size, sizeof *m->single);
    m->piece = q->f ? SETTLE * stride : COLUMNS;
    m->pieces = cafe_blocks(m->size, m->piece);
    m->worth = cafe_mem(context, 2 * m->pieces, sizeof *m->worth);
    m->none = cafe_mem_zero(context, stride, sizeof *m->none);
    if (q->f)
        m->scratch = cafe_mem(context, context->threads * cafe_tile_moves_scratch(q->width, stride),
                              sizeof *m->scratch);
    if (!m->s || !m->single || !m->worth || !m->none || (q->f && !m->scratch)) goto done;
    m->by = cafe_moving_of(op->kernels, q, &rule, stride, q->f ? m->none : m->single);
    m->factor = q->f ? -m->by.expected * q->sign * q->total : m->by.expected;
    CAFE_TRY(cafe_operator_need_rows(context, op));
    if (rule.storage != CAFE_STORAGE_FLOAT32)
        CAFE_TRY(cafe_ranges(context, q->n, COPY, round_rows, m));
    CAFE_TRY(cafe_operator_sums(context, op, stride, h, m->s));
    cafe_mover_sums(m, true, m->s);
    *mover = m;
    m = NULL;
done:
    cafe_mover_free(m);
    return status;
}

static void forget_aim(cafe_mover *m) {
    cafe_trail_free(m->trail);
    cafe_chunks_free(m->chunks);
    m->trail = NULL;
    cafe_mem_free_all(m->context, m->rows, m->gains, m->shift, m->panel);
    m->chunks = NULL, m->rows = NULL, m->gains = NULL, m->shift = NULL, m->panel = NULL;
}

void cafe_mover_free(cafe_mover *m) {
    if (!m) return;
    forget_aim(m);
    cafe_mem_free_all(m->context, m->none, m->s, m->single, m->worth, m->scratch, m->packed, m);
}

/* The average bytes of neighbour rows that a chunk reads. */
static int64_t chunk_bytes(const cafe_mover *m) {
    const cafe_operator_parts *q = m->q;
    int64_t rows = q->offsets ? q->offsets[q->n] : 0;
    if (q->f) rows += q->n * q->width;
    if (m->chunks->list) rows = (int64_t)((double)rows * (double)m->chunks->size / (double)q->n);
    return rows / m->chunks->count * m->stride * (int64_t)sizeof(float);
}

void cafe_mover_group(cafe_mover *mover, int64_t width) {
    mover->width = width;
}

/* Allocates the new rows of two turns. The panel has two uses: first a group of columns, then the
 * moves of a chunk. */
static cafe_status make_rows(cafe_context *context, cafe_mover *m, int64_t largest) {
    void *rows = NULL;
    int64_t columns = m->q->n * m->width, moves = largest * m->stride;
    if (m->width == 0) m->rows = cafe_mem(context, 2 * moves, sizeof *m->rows);
    if (m->width == 0) return cafe_mem_had(m->rows);
    CAFE_PASS(cafe_mem_file(context, moves, sizeof *m->rows, &rows));
    m->rows = rows;
    m->panel = cafe_mem(context, columns > moves ? columns : moves, sizeof *m->panel);
    return cafe_mem_had(m->panel);
}

cafe_status cafe_mover_aim(cafe_context *context, cafe_mover *m, const int32_t *list, int64_t size,
                           int64_t chunks, float *moved) {
    forget_aim(m);
    CAFE_PASS(cafe_chunks_new(context, m->op, list, size, chunks, m->stride, &m->chunks));
    int64_t largest = cafe_chunk_largest(m->chunks), slots, shifts;
    m->moved = moved;
    m->task = TASK;
    m->alone = chunk_bytes(m) < ALONE;
    slots = m->alone && m->width == 0 ? 1 : context->threads;
    shifts = m->q->f ? cafe_tile_parts(m->q->width, largest, m->stride, &m->task) : slots;
    m->slots = slots = shifts > slots ? shifts : slots;
    CAFE_PASS(make_rows(context, m, largest));
    CAFE_PASS(pack_all(context, m));
    if (m->width == 0)
        CAFE_PASS(
            cafe_trail_new(context, m->op, m->chunks, m->stride, m->by.rule.passes, &m->trail));
    m->gains = cafe_mem_zero(context, 2 * slots, sizeof *m->gains);
    m->shift = cafe_mem_zero(context, shifts * m->size, sizeof *m->shift);
    return cafe_mem_had(m->gains, m->shift);
}

const cafe_chunks *cafe_mover_chunks(const cafe_mover *mover) {
    return mover->chunks;
}

void cafe_mover_sums(cafe_mover *m, bool put, double *s) {
    memmove(put ? m->s : s, put ? s : m->s, (size_t)m->size * sizeof *s);
    cafe_mover_round_sums(m, 0, m->size);
}

/* ---- chunks in turn -------------------------------------------------------------------------- */

/* Phase 1: finds the new rows of this chunk from the values before the chunk, and weighs the edges
 * inside the chunk before. The rows of that chunk do not change any more. */
static void find_and_weigh(void *argument, int64_t first, int64_t last, int32_t worker) {
    const cafe_turn *t = argument;
    int64_t tasks = t->tasks;
    if (first < tasks) cafe_turn_find(t, first, last < tasks ? last : tasks, worker);
    if (first < tasks) first = tasks;
    if (first < last) cafe_turn_weigh(t->before, first - tasks, last - tasks, worker);
}

/* Phase 2: S += F_c^T Delta_c, which gives the gain of the chunk before; then the rows are written.
 */
static void settle_and_write(void *argument, int64_t first, int64_t last, int32_t worker) {
    const cafe_turn *t = argument;
    const cafe_mover *m = t->mover;
    (void)worker;
    if (first == 0 && t->before) cafe_turn_gain(t->mover, t->before);
    for (; first < last && first < m->pieces; first++) cafe_turn_settle(t, first);
    if (first < last)
        cafe_turn_write(t, (first - m->pieces) * m->task, (last - m->pieces) * m->task);
}

/* Prepares turn i of a job for chunk c. */
static cafe_turn *take_turn(cafe_mover *m, int64_t i, int64_t c) {
    int64_t other = i % 2;
    bool weigh = m->chunks->offsets;
    cafe_turn *t = &m->turns[i];
    *t = (cafe_turn){.mover = m, .before = i > 0 ? t - 1 : NULL, .chunk = c};
    t->size = cafe_chunk_size(m->chunks, c);
    t->tasks = cafe_blocks(t->size, m->task);
    t->weighs = weigh ? cafe_blocks(t->size, CAFE_TURN_WEIGH) : 0;
    t->rows = m->rows + other * cafe_chunk_largest(m->chunks) * m->stride;
    t->gains = m->gains + other * m->slots;
    t->change = m->s + (1 + other) * m->size;
    t->worth = m->worth + other * m->pieces;
    return t;
}

static cafe_status run_stages(cafe_context *context, bool alone, int32_t count,
                              const cafe_stage *stages) {
    if (!alone) return cafe_stages(context, count, stages);
    for (int32_t s = 0; s < count; s++) {
        CAFE_PASS(cafe_check_cancel(context));
        stages[s].task(stages[s].argument, 0, stages[s].count, 0);
    }
    return CAFE_OK;
}

/* Runs chunks first .. last - 1, at most CAFE_TURNS, as one job. A last stage weighs the edges
 * inside the last chunk. */
static cafe_status run_chunks(cafe_context *context, cafe_mover *m, int64_t first, int64_t last) {
    cafe_stage stages[2 * CAFE_TURNS + 1];
    int32_t count = 0;
    int64_t weighs = 0;
    cafe_turn *end = &m->turns[last - first];
    CAFE_PASS(cafe_check_cancel(context));
    for (int64_t c = first; c < last; c++) {
        cafe_turn *t = take_turn(m, c - first, c);
        stages[count++] = (cafe_stage){t->tasks + weighs, find_and_weigh, t};
        stages[count++] = (cafe_stage){m->pieces + t->tasks, settle_and_write, t};
        weighs = t->weighs;
    }
    *end = (cafe_turn){.mover = m, .before = end - 1};
    if (weighs > 0) stages[count++] = (cafe_stage){weighs, find_and_weigh, end};
    CAFE_PASS(run_stages(context, m->alone, count, stages));
    cafe_turn_gain(m, end - 1);
    return CAFE_OK;
}

/* ---- H in a file ----------------------------------------------------------------------------- */

static void copy_columns(void *argument, int64_t first, int64_t last) {
    const cafe_mover *m = argument;
    for (int64_t u = first; u < last; u++)
        memcpy(m->panel + u * m->count, m->h + u * m->stride + m->first,
               (size_t)m->count * sizeof *m->panel);
}

static void leave_sum(void *argument, int64_t i, int64_t u, float *sum) {
    (void)argument, (void)i, (void)u, (void)sum;
}

/* Sums neighbour rows for the nodes of a task, for the columns in the panel. */
static void sum_columns(void *argument, int64_t task) {
    const cafe_turn *t = argument;
    const cafe_mover *m = t->mover;
    cafe_range range = cafe_turn_nodes(t, task * m->task, (task + 1) * m->task);
    cafe_stream_rows(m->op, m->count, m->panel, range, m->fixed, false,
                     t->rows + task * m->task * m->stride + m->first, m->stride, leave_sum, NULL);
}

/* Moves the nodes of a task. Only the node itself still reads its row, so the new row is written at
 * once. The panel keeps Delta_u for the edges inside the chunk. */
static void move_task(void *argument, int64_t task, int32_t worker) {
    const cafe_turn *t = argument;
    const cafe_mover *m = t->mover;
    int64_t stride = m->stride, first = task * m->task;
    cafe_range range = cafe_turn_nodes(t, first, first + m->task);
    cafe_turn_find(t, task, task + 1, worker);
    for (int64_t i = 0; i < range.count; i++) {
        float *h = m->h + cafe_range_node(&range, i) * stride;
        const float *row = t->rows + (first + i) * stride;
        float *move = m->panel + (first + i) * stride;
        for (int64_t k = 0; k < stride; k++) move[k] = row[k] - h[k];
        memcpy(h, row, (size_t)stride * sizeof *h);
    }
}

static void weigh_task(void *argument, int64_t task, int32_t worker) {
    cafe_turn_weigh(argument, task, task + 1, worker);
}

/* Runs one chunk task by task if H lies in a file. Pages are released between tasks. */
static cafe_status run_grouped(cafe_context *context, cafe_mover *m, int64_t c) {
    cafe_turn *t = take_turn(m, 0, c);
    for (m->first = 0; m->first < m->stride; m->first += m->width) {
        m->count = m->stride - m->first < m->width ? m->stride - m->first : m->width;
        CAFE_PASS(cafe_ranges(context, m->q->n, COPY, copy_columns, m));
        CAFE_PASS(cafe_each(context, t->tasks, sum_columns, t));
    }
    CAFE_PASS(cafe_parallel(context, t->tasks, move_task, t));
    CAFE_PASS(cafe_parallel(context, t->weighs, weigh_task, t));
    for (int64_t b = 0; b < m->pieces; b++) cafe_turn_settle(t, b);
    cafe_turn_gain(m, t);
    return CAFE_OK;
}

cafe_status cafe_mover_sweep(cafe_context *context, cafe_mover *m, double *gain) {
    cafe_status status = CAFE_OK;
    int64_t count = m->chunks->count, step = m->width > 0 ? 1 : CAFE_TURNS;
    m->gain = 0;
    for (int64_t c = 0; c < count && status == CAFE_OK; c += step)
        status = m->width > 0 ? run_grouped(context, m, c)
                              : run_chunks(context, m, c, c + step < count ? c + step : count);
    *gain = m->gain;
    return status;
}
