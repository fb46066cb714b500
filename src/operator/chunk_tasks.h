/* A turn: the work on one chunk of a sweep, cut into tasks.
 *
 * For the mover (operator/chunk_move.h) alone, which shares the tasks of a turn among threads. The
 * functions must be called in this order: find, write and settle (in any order), then weigh, then
 * gain.
 */
#ifndef CAFE_OPERATOR_CHUNK_TASKS_H
#define CAFE_OPERATOR_CHUNK_TASKS_H

#include "operator/chunk_move.h"
#include "operator/sweep_edges.h"

enum {
    CAFE_TURNS = 31,      /* chunks of a job of the pool */
    CAFE_TURN_WEIGH = 512 /* nodes whose edges inside the chunk one task weighs */
};

/* A chunk at work; `before` is the chunk before it in the same job. */
typedef struct cafe_turn {
    cafe_mover *mover;
    const struct cafe_turn *before; /* NULL: this chunk is the first */
    int64_t chunk, size;            /* number of the chunk, and of its nodes */
    int64_t tasks, weighs;
    float *rows;       /* the new rows; after cafe_turn_write() the old rows */
    cafe_gains *gains; /* one for each slot of sums */
    double *change;    /* F_C^T Delta_C, the change of S */
    double *worth;     /* sums of squares of the change, one for each piece of S (tables) */
} cafe_turn;

struct cafe_mover {
    cafe_context *context;
    const cafe_operator *op;
    const cafe_operator_parts *q;
    cafe_moving by; /* the rule, and the numbers that all rows share */
    int64_t stride;
    float *h;
    uint16_t *packed; /* H in 16 bits for the sums of neighbour rows; NULL: H itself is read */
    const uint8_t *fixed;
    float *moved;
    cafe_chunks *chunks;
    cafe_trail *trail; /* copy of the edges in the order of chunks; NULL: the edges of the graph are
                        * read */
    double factor; /* the kernels read factor S. For a graph it is subtracted from the neighbour sum
                    * in units of p_u; for F of several columns it is added to that sum before
                    * scaling */
    int64_t size;  /* L x stride, the size of S */
    double *s;     /* S = F^T H, and its change in two chunks */
    float *single; /* factor S in single precision */
    float *none;   /* a row of zeros, for F of several columns */
    int64_t task;  /* nodes of a task */
    int64_t slots; /* slots of sums: one for each worker if sums have no order, one for each task of
                    * a table */
    double *shift; /* sum of f_u Delta_u of each slot */
    int64_t piece, pieces; /* entries of S that one task updates; the number of these tasks */
    float *scratch;        /* of each worker, for F of several columns */
    /* of two chunks: this chunk and the chunk before */
    float *rows;
    cafe_gains *gains;
    double *worth;
    cafe_turn turns[CAFE_TURNS + 1];
    double gain;   /* of the chunks weighed up to now */
    bool alone;    /* chunks are too small to be worth waking other threads */
    int64_t width; /* columns that are summed at a time if H lies in a file; 0: H is in memory */
    float *panel;  /* `width` columns of H, n x width; then the moves of a chunk */
    int64_t first, count; /* the columns in the panel */
};

/* Returns nodes first .. last - 1 of a chunk, cut at its end. */
static inline cafe_range cafe_turn_nodes(const cafe_turn *t, int64_t first, int64_t last) {
    int64_t end = last < t->size ? last : t->size;
    return cafe_chunk_nodes(t->mover->chunks, t->chunk, first, end - first);
}

/* single = factor S with the signs of the columns of F, entries from .. end - 1. */
static inline void cafe_mover_round_sums(const cafe_mover *m, int64_t from, int64_t end) {
    for (int64_t i = from; i < end; i++)
        m->single[i] = (float)((m->q->subtracted ? cafe_factor_sign(m->q, i / m->stride) : 1) *
                               (m->factor * m->s[i]));
}

/* Finds the new rows of tasks first .. last - 1 from the values before the chunk. */
void cafe_turn_find(const cafe_turn *turn, int64_t first, int64_t last, int32_t worker);
/* Adds, over the edges (u,w) inside the chunk with u in the tasks, the shares of 2 a(u,w) <Delta_u,
 * Delta_w> / total. */
void cafe_turn_weigh(const cafe_turn *turn, int64_t first, int64_t last, int32_t worker);
/* Writes the new rows of nodes first .. last - 1 of the chunk. t->rows then has the old rows. */
void cafe_turn_write(const cafe_turn *turn, int64_t first, int64_t last);
/* One piece of S <- S + change, where change is the sum of the shifts of all slots. For a table,
 * worth gets the sum of squares of the change, added in four lanes. For a graph, the shifts become
 * 0 for the next chunk. */
void cafe_turn_settle(const cafe_turn *turn, int64_t piece);
/* Adds the growth of the objective after all tasks of a chunk are done. The sums become 0 for the
 * chunk after the next. */
void cafe_turn_gain(cafe_mover *mover, const cafe_turn *turn);

#endif
