/* The tasks of a chunk: find the new rows, weigh the edges inside, write the rows, update S. */
#include "operator/chunk_tasks.h"

#include <string.h>

#include "base/thread_pool.h"
#include "operator/table_operator.h"

enum { MOVE_AHEAD = 16 }; /* rows that are prefetched before they are written */

/* ---- find the new rows ----------------------------------------------------------------------- */

typedef struct span {
    const cafe_turn *turn;
    const cafe_range *range;
    int64_t first; /* number of its first node in the chunk, where a task begins */
    cafe_gains
        sums;      /* sums of these nodes: the sums of other threads lie on the same cache lines */
    double *shift; /* where sum f_u Delta_u of these nodes is added; NULL: the caller adds it
                    * elsewhere */
} span;

static void find_row(void *argument, int64_t i, int64_t u, float *row) {
    span *within = argument;
    const cafe_mover *m = within->turn->mover;
    const cafe_operator_parts *q = m->q;
    int64_t stride = m->stride, place = within->range->first + i * within->range->step;
    const float *h = m->h + u * stride;
    if (!(q->p[u] > 0) || (m->fixed && m->fixed[u])) { /* no neighbour has weight here, or the node
                                                        * is fixed */
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

/* shift = sum over the nodes u of the task of f_u Delta_u^T, for F of several columns. */
static void shift_task(const cafe_turn *t, int64_t task, int32_t worker) {
    const cafe_mover *m = t->mover;
    cafe_range range = cafe_turn_nodes(t, task * m->task, (task + 1) * m->task);
    const float *rows = t->rows + task * m->task * m->stride;
    cafe_tile_moves(m->op, &range, m->stride, m->h, rows, m->shift + task * m->size,
                    m->scratch + worker * cafe_tile_moves_scratch(m->q->width, m->stride));
}

/* Finds the new rows of some tasks from the values before the chunk. */
static void find_some(const cafe_turn *t, int64_t first, int64_t last, span *within) {
    const cafe_mover *m = t->mover;
    float *rows = t->rows + first * m->task * m->stride;
    cafe_range range = cafe_turn_nodes(t, first * m->task, last * m->task);
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

/* Finds the new rows of tasks first .. last - 1. For a graph the sums of a worker have no order, so
 * one sum serves all of its tasks. For a table every task has its own sum, added later in the order
 * of the tasks. */
void cafe_turn_find(const cafe_turn *t, int64_t first, int64_t last, int32_t worker) {
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

/* Returns <Delta_u, Delta_w> for two nodes of the chunk after their new rows were written: Delta =
 * (row in H) - (row in t->rows). */
static double dot_moves(const cafe_turn *t, const cafe_range *all, int64_t one, int64_t other) {
    const cafe_mover *m = t->mover;
    const float *h = m->h;
    int64_t stride = m->stride, u = cafe_range_node(all, one), w = cafe_range_node(all, other);
    if (m->width > 0)
        return m->op->kernels->dot(stride, m->panel + one * stride, m->panel + other * stride);
    return m->op->kernels->dot_moves(stride, h + u * stride, t->rows + one * stride, h + w * stride,
                                     t->rows + other * stride);
}

void cafe_turn_weigh(const cafe_turn *t, int64_t first, int64_t last, int32_t worker) {
    const cafe_mover *m = t->mover;
    const cafe_chunks *c = m->chunks;
    cafe_range all = cafe_turn_nodes(t, 0, INT64_MAX);
    const int64_t *offsets = c->offsets + c->starts[t->chunk];
    double sum = 0;
    for (int64_t i = first * CAFE_TURN_WEIGH;
         i < cafe_block_end(all.count, CAFE_TURN_WEIGH, last - 1); i++)
        for (int64_t j = offsets[i]; j < offsets[i + 1]; j++)
            sum += cafe_inner_share(c->weights ? c->weights[j] : 1,
                                    dot_moves(t, &all, i, c->targets[j]), m->q->total, m->by.unit);
    t->gains[worker].inner += sum;
}

/* Exchanges rows of H with the new rows, which lie one after the other. */
void cafe_turn_write(const cafe_turn *t, int64_t first, int64_t last) {
    const cafe_mover *m = t->mover;
    const cafe_kernels *kernels = m->op->kernels;
    int64_t stride = m->stride;
    cafe_range range = cafe_turn_nodes(t, first, last);
    for (int64_t i = 0; i < range.count; i++) {
        int64_t far = i + MOVE_AHEAD < range.count ? i + MOVE_AHEAD : i;
        float *h = m->h + cafe_range_node(&range, i) * stride;
        kernels->exchange(stride, h, t->rows + (first + i) * stride,
                          m->h + cafe_range_node(&range, far) * stride);
        if (m->packed) kernels->pack(m->by.rule.storage, stride, h, m->packed + (h - m->h));
    }
}

/* ---- S --------------------------------------------------------------------------------------- */

void cafe_turn_settle(const cafe_turn *t, int64_t piece) {
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
    for (int64_t i = from; i < end && m->q->f; i += 4) {
        double sign = cafe_factor_sign(m->q, i / m->stride);
        for (int64_t l = 0; l < 4; l++) lanes[l] += sign * (total[i + l] * total[i + l]);
    }
    for (int64_t i = from; i < end; i++) m->s[i] += total[i];
    cafe_mover_round_sums(m, from, end);
    t->worth[piece] = lanes[0] + lanes[1] + lanes[2] + lanes[3];
}

void cafe_turn_gain(cafe_mover *m, const cafe_turn *t) {
    cafe_gains sums = {0, 0, 0};
    double squares = 0;
    for (int64_t slot = 0; slot < m->slots; slot++) {
        add_gains(&sums, &t->gains[slot]);
        t->gains[slot] = (cafe_gains){0, 0, 0};
    }
    for (int64_t i = 0; i < m->size && !m->q->f; i++) squares += t->change[i] * t->change[i];
    for (int64_t b = 0; b < m->pieces && m->q->f; b++) squares += t->worth[b];
    m->gain += cafe_chunk_gain(m->by.unit, m->by.expected, m->q->sign, sums, squares);
}
