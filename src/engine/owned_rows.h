/* The rows that this process has of a map's, where the engine joins several processes, for solvers
 * that work on rows themselves; and sums over all rows, the same bits for any number of processes.
 */
#ifndef CAFE_ENGINE_OWNED_ROWS_H
#define CAFE_ENGINE_OWNED_ROWS_H

#include "base/thread_pool.h"
#include "engine/engine.h"

typedef struct cafe_owned {
    const cafe_engine *engine; /* NULL: every row is this process's */
    const cafe_operator *op;
    void *held;     /* what the engine has of it */
    int64_t n, own; /* rows, and those of this process */
    int64_t piece;  /* rows of a piece, all of which are one process's (kernels/sum_shapes.h) */
    int64_t count, *mine; /* its pieces, in their order */
} cafe_owned;

/* All rows; and those of this process where the engine in use multiplies eight columns of them. */
static inline cafe_owned cafe_owned_all(int64_t n) {
    return (cafe_owned){.n = n, .own = n};
}
cafe_status cafe_owned_open(cafe_context *context, const cafe_operator *op, cafe_owned *owned);
void cafe_owned_close(cafe_context *context, cafe_owned *owned);

/* The number among all rows of row i of this process. */
static inline int64_t cafe_owned_row(const cafe_owned *owned, int64_t i) {
    return owned->engine ? owned->mine[i / owned->piece] * owned->piece + i % owned->piece : i;
}

/* The sums over all processes, in place. They have no order: every process's is 0 or on one grid.
 */
cafe_status cafe_owned_add(cafe_context *context, const cafe_owned *owned, int64_t count,
                           double *sums);

/* cafe_sums() over the rows of all processes, a task those of this process's that it is given: in
 * ranges of `block` rows, or, where several processes have them, in pieces. */
cafe_status cafe_owned_sums(cafe_context *context, const cafe_owned *owned, int64_t block,
                            cafe_sum_task *task, void *argument, int64_t width, double *sums);

#endif
