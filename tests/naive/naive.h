/* The naive engine: plain loops from the definitions, one thread, for tests.
 *
 * Its blocks are column-major, unlike the processor's, so tests find code that reads the floats of
 * a block without the engine.
 */
#ifndef CAFE_NAIVE_H
#define CAFE_NAIVE_H

#include "engine/engine.h"

static inline float *naive_at(const cafe_block *x, int64_t u, int64_t k) {
    return &x->x[(x->first + k) * x->n + u];
}

static inline const cafe_engine_host *naive_host(const cafe_block *x) {
    return *(const cafe_engine_host *const *)x->engine->state;
}

/* Loads row u as the contract of bits defines it: `stride` floats, 0 after the last column. */
void naive_load(const cafe_block *x, int64_t u, float *row);
void naive_store(cafe_block *x, int64_t u, const float *row);

/* The sum over k of x_k y_k. Lane l of 4, 8 or 16 (by the stride) adds k = l, l + 16, ... in single
 * precision. Lanes half their number apart are added until 4 are left, and these in double
 * precision as (0 + 2) + (1 + 3). */
double naive_dot(int64_t stride, const float *x, const float *y);

/* The sum over u of weights_u x_uk (NULL: 1): pieces of cafe_piece_rows(n) rows, each added up in
 * double precision from its first row to its last; then the pieces. */
double naive_total(const cafe_block *x, const double *weights, int64_t k);

/* S = F^T X: such totals with the weights p. */
cafe_status naive_project(cafe_context *context, const cafe_operator *op, void *held,
                          const cafe_block *x, double *s);

cafe_status naive_product(cafe_context *context, const cafe_operator *op, void *held,
                          cafe_side side, float a, const cafe_block *x, float b, float c,
                          cafe_block *y);

cafe_status naive_sweep_open(cafe_context *context, const cafe_operator *op, void *held,
                             const cafe_rule *rule, int64_t chunks, const uint8_t *fixed,
                             cafe_block *h, void **sweep);
cafe_status naive_sweep_run(cafe_context *context, void *sweep, double *gain);
cafe_status naive_sweep_sums(cafe_context *context, void *sweep, bool put, double *s);
const cafe_chunks *naive_sweep_chunks(const void *sweep);
void naive_sweep_close(cafe_context *context, void *sweep);

#endif
