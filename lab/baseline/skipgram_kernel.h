/* The three loops of skip-gram training over padded rows (kernels/row_kernels.h), and the sigmoid.
 */
#ifndef CAFE_BASELINE_SKIPGRAM_KERNEL_H
#define CAFE_BASELINE_SKIPGRAM_KERNEL_H

#include <stdint.h>

typedef struct cafe_skip_kernels {
    const char *name;
    float (*dot)(int64_t stride, const float *x, const float *y);
    /* move += g c;  c += g h  (with the old c) */
    void (*pull)(int64_t stride, float g, const float *h, float *c, float *move);
    /* h += move;  move = 0 */
    void (*apply)(int64_t stride, float *move, float *h);
} cafe_skip_kernels;

/* The fastest this machine runs; "plain", "avx2" or "avx512" by name, NULL when not runnable. All
 * give the same bits. */
const cafe_skip_kernels *cafe_skip_kernels_best(void);
const cafe_skip_kernels *cafe_skip_kernels_named(const char *name);

/* For rows that other threads change at the same time (the option fast). */
const cafe_skip_kernels *cafe_skip_kernels_racing(void);

/* ---- sigma(x) = 1 / (1 + exp(-x)) ------------------------------------------------------------ */

/* A straight line between 16 x 128 + 1 values: the error is below h^2 / 8 max |sigma''| < 1e-6 for
 * |x| <= 8. Beyond that it stays at sigma(+-8), which is off by less than 4e-4. */
enum { CAFE_SIGMA_REACH = 8, CAFE_SIGMA_STEPS = 128 };

typedef struct cafe_sigma {
    float value[2 * CAFE_SIGMA_REACH * CAFE_SIGMA_STEPS + 2];
} cafe_sigma;

void cafe_sigma_init(cafe_sigma *sigma);

static inline float cafe_sigma_at(const cafe_sigma *sigma, float x) {
    const float reach = CAFE_SIGMA_REACH;
    if (!(x > -reach)) return sigma->value[0];
    if (x >= reach) return sigma->value[2 * CAFE_SIGMA_REACH * CAFE_SIGMA_STEPS];
    float place = (x + reach) * CAFE_SIGMA_STEPS;
    int i = (int)place;
    return sigma->value[i] + (place - (float)i) * (sigma->value[i + 1] - sigma->value[i]);
}

#endif
