/* The rows that this process has of a map's, if the engine joins several processes: for solvers
 * that work on rows themselves. And sums over all rows, with the same bits for any number of
 * processes.
 */
#ifndef CAFE_ENGINE_OWNED_ROWS_H
#define CAFE_ENGINE_OWNED_ROWS_H

#include "base/thread_pool.h"
#include "engine/engine.h"

typedef struct cafe_owned {
    const cafe_engine *engine; /* NULL: every row is this process's */
    const cafe_operator *op;
    void *held;     /* data of the engine for the operator */
    int64_t n, own; /* all rows, and the rows of this process */
    int64_t piece;  /* rows of a piece, all of which are one process's (kernels/sum_shapes.h) */
    int64_t count, *mine; /* its pieces, in their order */
} cafe_owned;

/* All rows, in one process; and the rows of this process if the engine in use multiplies eight
 * columns of them. */
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

/* cafe_sums() over the rows of all processes. A task gets rows of this process: ranges of `block`
 * rows, or pieces if several processes hold the rows. */
cafe_status cafe_owned_sums(cafe_context *context, const cafe_owned *owned, int64_t block,
                            cafe_sum_task *task, void *argument, int64_t width, double *sums);

#endif
