/* Chunks: find the new rows, write them while S follows, weigh the links inside.
 *
 * Threads meet twice a chunk. The rows of a chunk are written when all of them are known, in
 * exchange for the old ones; the links inside it, which need old and new ones, are weighed beside
 * the search for the next chunk's rows, which have a place of their own. Many chunks are one job of
 * the pool.
 */
#include "operator/move.h"

#include <string.h>

#include "base/limit.h"
#include "base/memory.h"
#include "base/pool.h"
#include "operator/table.h"
#include "operator/trail.h"

enum {
    ALONE = 1 << 20, /* bytes that a chunk's rows are summed from, below which one thread does it */
    MOVE_AHEAD = 4,  /* rows asked for before they are written */
    TASK = 32,       /* nodes of a chunk that one task updates; fixes the shape of the sums */
    WEIGH = 512,     /* nodes whose links inside one task weighs */
    COPY = 1024,     /* rows that one task copies */
    SETTLE = 64,     /* rows of S that one task moves, */
    COLUMNS = 16,    /* or columns, where it has one row */
    TURNS = 31       /* chunks of a job of the pool */
};

/* A chunk at work, and the one before it in the same job. */
typedef struct turn {
    const cafe_mover *mover;
    const struct turn *before; /* NULL: it is the first */
    int64_t chunk, size;       /* and its nodes */
    int64_t tasks, weighs;
    float *rows;       /* the new rows; when they are written, the old ones */
    cafe_gains *gains; /* one a slot */
    double *change;    /* of S */
    double *worth;     /* one a piece */
} turn;

struct cafe_mover {
    cafe_context *context;
    const cafe_operator *op;
    const cafe_operator_parts *q;
    cafe_moving by; /* the rule, and what all rows share */
    int64_t stride;
    float *h;
    uint16_t *packed; /* the same numbers in 16 bits, for the sums of neighbours; NULL: not */
    const uint8_t *fixed;
    float *moved;
    cafe_chunks *chunks;
    cafe_trail *trail; /* the links in the order of chunks; NULL: they are read where they stand */
    double factor; /* of S as the kernels read it: subtracted from the neighbours' sum in units of
                    * p_u, or for F of many columns added to that sum before it is scaled */
    int64_t size;  /* L x stride: that of S */
    double *s;     /* S = F^T H, and what it changes by in two chunks */
    float *single; /* the same times the factor */
    float *none;   /* a row of zeros, for F of many columns */
    int64_t task;  /* nodes of a chunk's task */
    int64_t slots; /* of sums: one a worker, where they have no order; of a table one a task */
    double *shift; /* S of a slot: sum of f_u Delta_u */
    int64_t piece, pieces; /* numbers of S that one task moves; how many such tasks */
    float *scratch;        /* of each worker, for F of many columns */
    /* of two chunks, the one at work and that before it */
    float *rows;
    cafe_gains *gains;
    double *worth;
    turn turns[TURNS + 1];
    double gain;   /* of the chunks that have been weighed */
    bool alone;    /* chunks are too small to be worth waking other threads */
    int64_t width; /* columns summed up at a time where H lies in a file; 0: it is in memory */
    float *panel;  /* so many columns of H, n x width; then the moves of a chunk */
    int64_t first, count; /* the columns in it */
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

/* Rows that neighbours are summed up from have half the bytes. H itself, which the finish goes on
 * with, stays beside them: the two are less than H and its product later. Within a limit that has
 * no room for them H alone gives the same bits. */
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

/* Bytes of rows that a chunk reads, on average. */
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

/* The panel is used twice: for a group of columns, then for the moves of a chunk. */
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
    int64_t largest = cafe_chunk_largest(m->chunks), slots;
    m->moved = moved;
    m->task = TASK;
    m->alone = chunk_bytes(m) < ALONE;
    slots = m->alone && m->width == 0 ? 1 : context->threads;
    if (m->q->f) slots = cafe_tile_parts(m->q->width, largest, m->stride, &m->task);
    m->slots = slots;
    CAFE_PASS(make_rows(context, m, largest));
    CAFE_PASS(pack_all(context, m));
    if (m->width == 0)
        CAFE_PASS(
            cafe_trail_new(context, m->op, m->chunks, m->stride, m->by.rule.passes, &m->trail));
    m->gains = cafe_mem_zero(context, 2 * slots, sizeof *m->gains);
    m->shift = cafe_mem_zero(context, slots * m->size, sizeof *m->shift);
    return cafe_mem_had(m->gains, m->shift);
}

const cafe_chunks *cafe_mover_chunks(const cafe_mover *mover) {
    return mover->chunks;
}

void cafe_mover_sums(cafe_mover *m, bool put, double *s) {
    memmove(put ? m->s : s, put ? s : m->s, (size_t)m->size * sizeof *s);
    for (int64_t i = 0; i < m->size; i++) m->single[i] = (float)(m->factor * m->s[i]);
}

/* ---- find the new rows ----------------------------------------------------------------------- */

/* Nodes first .. last - 1 of a chunk, as far as it goes. */
static cafe_range some_nodes(const turn *t, int64_t first, int64_t last) {
    int64_t end = last < t->size ? last : t->size;
    return cafe_chunk_nodes(t->mover->chunks, t->chunk, first, end - first);
}

typedef struct span {
    const turn *turn;
    const cafe_range *range;
    int64_t first;   /* number of its first node in the chunk, which begins a task */
    cafe_gains sums; /* of these nodes: those of other threads are on the same lines */
    double *shift;   /* where these nodes' part of S's change is added up; NULL: elsewhere */
} span;

static void find_row(void *argument, int64_t i, int64_t u, float *row) {
    span *within = argument;
    const cafe_mover *m = within->turn->mover;
    const cafe_operator_parts *q = m->q;
    int64_t stride = m->stride, place = within->range->first + i * within->range->step;
    const float *h = m->h + u * stride;
    if (!(q->p[u] > 0) || (m->fixed && m->fixed[u])) { /* nothing pulls, or nothing may */
        memcpy(row, h, (size_t)stride * sizeof *row);
        if (m->moved) m->moved[place] = 0;
        return;
    }
    if (q->f)
        m->op->kernels->gather(m->single, stride, q->every, q->f + u * q->width, q->width,
                               !q->offsets, row);
    double shift = cafe_chunk_shift(q, m->chunks, m->by.rule.resolution, within->turn->chunk,
                                    within->first + i, u);
    cafe_moved moved = cafe_move_row(&m->by, u, shift, h, row);
    within->sums.linear += moved.linear;
    within->sums.square += moved.square;
    if (m->moved) m->moved[place] = (float)sqrt(moved.length);
    if (within->shift) m->op->kernels->accumulate_move(stride, q->p[u], row, h, within->shift);
}

/* The shift of a task, for F of many columns. */
static void shift_task(const turn *t, int64_t task, int32_t worker) {
    const cafe_mover *m = t->mover;
    cafe_range range = some_nodes(t, task * m->task, (task + 1) * m->task);
    const float *rows = t->rows + task * m->task * m->stride;
    cafe_tile_moves(m->op, &range, m->stride, m->h, rows, m->shift + task * m->size,
                    m->scratch + worker * cafe_tile_moves_scratch(m->q->width, m->stride));
}

/* The new rows of some tasks, from the values before the chunk. */
static void find_some(const turn *t, int64_t first, int64_t last, span *within) {
    const cafe_mover *m = t->mover;
    float *rows = t->rows + first * m->task * m->stride;
    cafe_range range = some_nodes(t, first * m->task, last * m->task);
    bool summed = !m->q->offsets || m->width > 0;
    cafe_stored x = {m->h, m->packed, m->by.rule.storage};
    within->range = &range;
    within->first = first * m->task;
    if (cafe_trail_has(m->trail, t->chunk))
        cafe_trail_stored(m->trail, t->chunk, within->first, range, m->stride, x, m->fixed, rows,
                          find_row, within);
    else if (!summed)
        cafe_stream_stored(m->op, m->stride, x, range, m->fixed, true, rows, m->stride, find_row,
                           within);
    for (int64_t i = 0; summed && i < range.count; i++)
        find_row(within, i, cafe_range_node(&range, i), rows + i * m->stride);
}

static void add_gains(cafe_gains *sums, const cafe_gains *more) {
    sums->linear += more->linear;
    sums->square += more->square;
    sums->inner += more->inner;
}

/* Of a graph what a worker adds up has no order, and is one sum for all of its tasks. */
static void find_rows(const turn *t, int64_t first, int64_t last, int32_t worker) {
    const cafe_mover *m = t->mover;
    if (!m->q->f) {
        span within = {.turn = t, .shift = m->shift + worker * m->size};
        find_some(t, first, last, &within);
        add_gains(&t->gains[worker], &within.sums);
    }
    for (int64_t task = first; m->q->f && task < last; task++) {
        span within = {.turn = t};
        find_some(t, task, task + 1, &within);
        t->gains[task] = within.sums;
        shift_task(t, task, worker);
    }
}

/* ---- weigh and write them -------------------------------------------------------------------- */

/* <Delta_u, Delta_w> of two nodes of the chunk, whose rows have been written. */
static double dot_moves(const turn *t, const cafe_range *all, int64_t one, int64_t other) {
    const cafe_mover *m = t->mover;
    const float *h = m->h;
    int64_t stride = m->stride, u = cafe_range_node(all, one), w = cafe_range_node(all, other);
    if (m->width > 0)
        return m->op->kernels->dot(stride, m->panel + one * stride, m->panel + other * stride);
    return m->op->kernels->dot_moves(stride, h + u * stride, t->rows + one * stride, h + w * stride,
                                     t->rows + other * stride);
}

/* The sum over links (u,w) inside the chunk, u in the tasks, of the shares of 2 a(u,w) <Delta_u,
 * Delta_w> / total. */
static void weigh_rows(const turn *t, int64_t first, int64_t last, int32_t worker) {
    const cafe_mover *m = t->mover;
    const cafe_chunks *c = m->chunks;
    cafe_range all = some_nodes(t, 0, INT64_MAX);
    const int64_t *offsets = c->offsets + c->starts[t->chunk];
    double sum = 0;
    for (int64_t i = first * WEIGH; i < cafe_block_end(all.count, WEIGH, last - 1); i++)
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            sum += cafe_inner_share(c->weights ? c->weights[j] : 1,
                                    dot_moves(t, &all, i, c->targets[j]), m->q->total, m->by.unit);
    t->gains[worker].inner += sum;
}

/* Rows of H in exchange for the new ones: `row` is one of these, and has the old one then. */
static void write_row(const cafe_mover *m, float *restrict h, float *restrict row) {
    for (int64_t k = 0; k < m->stride; k++) {
        float now = row[k];
        row[k] = h[k];
        h[k] = now;
    }
    if (m->packed) m->op->kernels->pack(m->by.rule.storage, m->stride, h, m->packed + (h - m->h));
}

static void write_rows(const turn *t, int64_t first, int64_t last) {
    const cafe_mover *m = t->mover;
    cafe_range range = some_nodes(t, first, last);
    for (int64_t i = 0; i < range.count; i++) {
        if (i + MOVE_AHEAD < range.count)
            cafe_ask_row(m->h + cafe_range_node(&range, i + MOVE_AHEAD) * m->stride, m->stride);
        write_row(m, m->h + cafe_range_node(&range, i) * m->stride,
                  t->rows + (first + i) * m->stride);
    }
}

/* ---- S --------------------------------------------------------------------------------------- */

/* S += the slots' shifts: some columns of its one row, or of many rows some, whose squares are
 * added up in four lanes. A worker's shift is 0 again for the next chunk. */
static void settle_piece(const turn *t, int64_t piece) {
    const cafe_mover *m = t->mover;
    int64_t from = piece * m->piece, end = cafe_block_end(m->size, m->piece, piece);
    double lanes[4] = {0}, *total = t->change;
    size_t bytes = (size_t)(end - from) * sizeof *total;
    memset(total + from, 0, bytes);
    for (int64_t slot = 0; slot < (m->q->f ? t->tasks : m->slots); slot++) {
        double *shift = m->shift + slot * m->size;
        for (int64_t i = from; i < end; i++) total[i] += shift[i];
        if (!m->q->f) memset(shift + from, 0, bytes);
    }
    for (int64_t i = from; i < end && m->q->f; i += 4)
        for (int64_t l = 0; l < 4; l++) lanes[l] += total[i + l] * total[i + l];
    for (int64_t i = from; i < end; i++) {
        m->s[i] += total[i];
        m->single[i] = (float)(m->factor * m->s[i]);
    }
    t->worth[piece] = lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

/* The growth of the objective, when all of the chunk is done; its sums are 0 again for the chunk
 * after the next one. */
static void add_gain(cafe_mover *m, const turn *t) {
    cafe_gains sums = {0, 0, 0};
    double squares = 0;
    for (int64_t slot = 0; slot < (m->q->f ? t->tasks : m->slots); slot++) {
        add_gains(&sums, &t->gains[slot]);
        t->gains[slot] = (cafe_gains){0, 0, 0};
    }
    for (int64_t i = 0; i < m->size && !m->q->f; i++) squares += t->change[i] * t->change[i];
    for (int64_t b = 0; b < m->pieces && m->q->f; b++) squares += t->worth[b];
    m->gain += cafe_chunk_gain(m->by.unit, m->by.expected, m->q->sign, sums, squares);
}

/* ---- chunks in turn -------------------------------------------------------------------------- */

/* The chunk's new rows, from the values before it; then the links inside the chunk before, whose
 * rows nobody moves any more. */
static void find_and_weigh(void *argument, int64_t first, int64_t last, int32_t worker) {
    const turn *t = argument;
    int64_t tasks = t->tasks;
    if (first < tasks) find_rows(t, first, last < tasks ? last : tasks, worker);
    if (first < tasks) first = tasks;
    if (first < last) weigh_rows(t->before, first - tasks, last - tasks, worker);
}

/* S, and with it the gain of the chunk before, then the rows. */
static void settle_and_write(void *argument, int64_t first, int64_t last, int32_t worker) {
    const turn *t = argument;
    const cafe_mover *m = t->mover;
    (void)worker;
    if (first == 0 && t->before) add_gain((cafe_mover *)m, t->before);
    for (; first < last && first < m->pieces; first++) settle_piece(t, first);
    if (first < last) write_rows(t, (first - m->pieces) * m->task, (last - m->pieces) * m->task);
}

/* Number i of a job is chunk c. */
static turn *take_turn(cafe_mover *m, int64_t i, int64_t c) {
    int64_t other = i % 2;
    bool weigh = m->chunks->offsets;
    turn *t = &m->turns[i];
    *t = (turn){.mover = m, .before = i > 0 ? t - 1 : NULL, .chunk = c};
    t->size = cafe_chunk_size(m->chunks, c);
    t->tasks = cafe_blocks(t->size, m->task);
    t->weighs = weigh ? cafe_blocks(t->size, WEIGH) : 0;
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

/* Chunks first .. last - 1, TURNS at most; the last one's links inside are weighed alone. */
static cafe_status run_chunks(cafe_context *context, cafe_mover *m, int64_t first, int64_t last) {
    cafe_stage stages[2 * TURNS + 1];
    int32_t count = 0;
    int64_t weighs = 0;
    turn *end = &m->turns[last - first];
    CAFE_PASS(cafe_check_cancel(context));
    for (int64_t c = first; c < last; c++) {
        turn *t = take_turn(m, c - first, c);
        stages[count++] = (cafe_stage){t->tasks + weighs, find_and_weigh, t};
        stages[count++] = (cafe_stage){m->pieces + t->tasks, settle_and_write, t};
        weighs = t->weighs;
    }
    *end = (turn){.mover = m, .before = end - 1};
    if (weighs > 0) stages[count++] = (cafe_stage){weighs, find_and_weigh, end};
    CAFE_PASS(run_stages(context, m->alone, count, stages));
    add_gain(m, end - 1);
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

/* The neighbours' sums of a task's nodes, of the columns in the panel. */
static void sum_columns(void *argument, int64_t task) {
    const turn *t = argument;
    const cafe_mover *m = t->mover;
    cafe_range range = some_nodes(t, task * m->task, (task + 1) * m->task);
    cafe_stream_rows(m->op, m->count, m->panel, range, m->fixed, false,
                     t->rows + task * m->task * m->stride + m->first, m->stride, leave_sum, NULL);
}

/* Nobody but a node itself reads its row any more: it is written at once, its move kept for the
 * links inside the chunk. */
static void move_task(void *argument, int64_t task, int32_t worker) {
    const turn *t = argument;
    const cafe_mover *m = t->mover;
    int64_t stride = m->stride, first = task * m->task;
    cafe_range range = some_nodes(t, first, first + m->task);
    find_rows(t, task, task + 1, worker);
    for (int64_t i = 0; i < range.count; i++) {
        float *h = m->h + cafe_range_node(&range, i) * stride;
        const float *row = t->rows + (first + i) * stride;
        float *move = m->panel + (first + i) * stride;
        for (int64_t k = 0; k < stride; k++) move[k] = row[k] - h[k];
        memcpy(h, row, (size_t)stride * sizeof *h);
    }
}

static void weigh_task(void *argument, int64_t task, int32_t worker) {
    weigh_rows(argument, task, task + 1, worker);
}

/* The same of one chunk, task by task: pages are let go in between. */
static cafe_status run_grouped(cafe_context *context, cafe_mover *m, int64_t c) {
    turn *t = take_turn(m, 0, c);
    for (m->first = 0; m->first < m->stride; m->first += m->width) {
        m->count = m->stride - m->first < m->width ? m->stride - m->first : m->width;
        CAFE_PASS(cafe_ranges(context, m->q->n, COPY, copy_columns, m));
        CAFE_PASS(cafe_each(context, t->tasks, sum_columns, t));
    }
    CAFE_PASS(cafe_parallel(context, t->tasks, move_task, t));
    CAFE_PASS(cafe_parallel(context, t->weighs, weigh_task, t));
    for (int64_t b = 0; b < m->pieces; b++) settle_piece(t, b);
    add_gain(m, t);
    return CAFE_OK;
}

cafe_status cafe_mover_sweep(cafe_context *context, cafe_mover *m, double *gain) {
    cafe_status status = CAFE_OK;
    int64_t count = m->chunks->count, step = m->width > 0 ? 1 : TURNS;
    m->gain = 0;
    for (int64_t c = 0; c < count && status == CAFE_OK; c += step)
        status = m->width > 0 ? run_grouped(context, m, c)
                              : run_chunks(context, m, c, c + step < count ? c + step : count);
    *gain = m->gain;
    return status;
}
