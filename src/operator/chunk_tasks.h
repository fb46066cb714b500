/* A chunk of a sweep at work: find the new rows, write them while S follows, weigh the links
 * inside.
 *
 * For the mover (operator/chunk_move.h) alone, which lets threads share the tasks of a turn.
 */
#ifndef CAFE_OPERATOR_CHUNK_TASKS_H
#define CAFE_OPERATOR_CHUNK_TASKS_H

#include "operator/chunk_move.h"
#include "operator/sweep_edges.h"

enum {
    CAFE_TURNS = 31,      /* chunks of a job of the pool */
    CAFE_TURN_WEIGH = 512 /* nodes whose links inside one task weighs */
};

/* A chunk at work, and the one before it in the same job. */
typedef struct cafe_turn {
    const cafe_mover *mover;
    const struct cafe_turn *before; /* NULL: it is the first */
    int64_t chunk, size;            /* and its nodes */
    int64_t tasks, weighs;
    float *rows;       /* the new rows; when they are written, the old ones */
    cafe_gains *gains; /* one a slot */
    double *change;    /* of S */
    double *worth;     /* one a piece */
} cafe_turn;

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
    cafe_turn turns[CAFE_TURNS + 1];
    double gain;   /* of the chunks that have been weighed */
    bool alone;    /* chunks are too small to be worth waking other threads */
    int64_t width; /* columns summed up at a time where H lies in a file; 0: it is in memory */
    float *panel;  /* so many columns of H, n x width; then the moves of a chunk */
    int64_t first, count; /* the columns in it */
};

/* Nodes first .. last - 1 of a chunk, up to its end. */
static inline cafe_range cafe_turn_nodes(const cafe_turn *t, int64_t first, int64_t last) {
    int64_t end = last < t->size ? last : t->size;
    return cafe_chunk_nodes(t->mover->chunks, t->chunk, first, end - first);
}

/* The new rows of tasks first .. last - 1, from the values before the chunk. */
void cafe_turn_find(const cafe_turn *turn, int64_t first, int64_t last, int32_t worker);
/* The sum over links (u,w) inside the chunk, u in the tasks, of the shares of 2 a(u,w) <Delta_u,
 * Delta_w> / total. */
void cafe_turn_weigh(const cafe_turn *turn, int64_t first, int64_t last, int32_t worker);
/* Nodes first .. last - 1 get their new rows, and these places the old ones. */
void cafe_turn_write(const cafe_turn *turn, int64_t first, int64_t last);
/* S += the slots' shifts: some columns of its one row, or of many rows some, whose squares are
 * added up in four lanes. A worker's shift is 0 again for the next chunk. */
void cafe_turn_settle(const cafe_turn *turn, int64_t piece);
/* The growth of the objective, when all of the chunk is done; its sums are 0 again for the chunk
 * after the next one. */
void cafe_turn_gain(cafe_mover *mover, const cafe_turn *turn);

#endif
