/* The operator Q as the solvers see it: rows for coordinate updates, products for everything else.
 */
#ifndef CAFE_OPERATOR_OPERATOR_H
#define CAFE_OPERATOR_OPERATOR_H

#include <stdbool.h>

#include <cafe/operator.h>

#include "base/context.h"
#include "kernels/rows.h"
#include "sample/sampled.h"

struct cafe_operator {
    cafe_context *context;
    const cafe_sampled *sampled;
    const cafe_kernels *kernels;
    int64_t n;
    int64_t window; /* 1: Q of the sampled graph; T: of walks of 1 to T steps over it */
    int32_t sign;   /* 1: Q; -1: -Q, whose top end is the bottom end of Q */
};

/* The operator -Q: what products, traces and sweeps see. It lives no longer than `op` and is not
 * freed. */
static inline cafe_operator cafe_operator_negative(const cafe_operator *op) {
    cafe_operator negative = *op;
    negative.sign = -op->sign;
    return negative;
}

/* CAFE_ERROR_ARGUMENT for an operator that has only products. */
cafe_status cafe_operator_need_rows(cafe_context *context, const cafe_operator *op);

/* Which problem an n x K block is multiplied for. */
typedef enum cafe_side {
    CAFE_SIDE_PLAIN = 0, /* Q */
    CAFE_SIDE_WALK = 1   /* D^-1 Q, D = diag(p): symmetric in the inner product of D */
} cafe_side;

/* Y = a M X + b X + c Y with M = Q or D^-1 Q; X and Y are padded blocks (kernels/rows.h) that do
 * not overlap. One pass over the arcs; nodes without edges get M x = 0. */
cafe_status cafe_operator_apply(cafe_context *context, const cafe_operator *op, cafe_side side,
                                int64_t stride, const float *x, float a, float b, float c,
                                float *y);

/* The same for window > 1 (src/operator/walk.c); cafe_operator_apply() calls it. */
cafe_status cafe_operator_apply_walk(cafe_context *context, const cafe_operator *op, cafe_side side,
                                     int64_t stride, const float *x, float a, float b, float c,
                                     float *y);

/* s = sum over w of p_w x_w, added up in blocks of fixed shape; s[stride]. */
cafe_status cafe_operator_mean(cafe_context *context, const cafe_operator *op, int64_t stride,
                               const float *x, double *s);

/* tr(X^T Q X) of a padded block. */
cafe_status cafe_operator_trace_block(cafe_context *context, const cafe_operator *op,
                                      int64_t stride, const float *x, double *trace);

/* Nodes first, first + step, ..., count of them. */
typedef struct cafe_range {
    int64_t first, step, count;
} cafe_range;

/* Calls `done` for the nodes of a range with the sum over w of a(u,w) x_w, which stands in row i of
 * `out` (rows out_step floats apart; 0: one row used again and again). Nodes with skip[u] != 0
 * (skip NULL: none) are not summed up: their row is anything. `own` says that x_u will be read too,
 * so that it is asked for in time. */
typedef void cafe_row_done(void *argument, int64_t i, int64_t u, float *sum);
void cafe_stream_rows(const cafe_operator *op, int64_t stride, const float *x, cafe_range range,
                      const uint8_t *skip, bool own, float *out, int64_t out_step,
                      cafe_row_done *done, void *argument);

/* Asks memory for a row. */
static inline void cafe_ask_row(const float *row, int64_t stride) {
    for (int64_t k = 0; k < stride; k += 16) __builtin_prefetch(row + k);
}

#endif
