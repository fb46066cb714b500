/* Numeric loops over rows of n x K float blocks: no allocation, no errors.
 *
 * A block is row-major; its rows are `stride` floats apart, stride = cafe_stride(K), and the floats
 * after column K are zero and stay zero. So no loop has a ragged end.
 *
 * Every loop fixes the order of its additions (16 lanes, then the lanes), whatever the instruction
 * set: all builds give the same bits.
 */
#ifndef CAFE_KERNELS_ROWS_H
#define CAFE_KERNELS_ROWS_H

#include <stdint.h>

/* How far the gather asks ahead at most, in rows; lists of targets must be readable that far past
 * their end (the lists of src/operator/stream.h do so). */
enum { CAFE_AHEAD = 32 };

/* Floats from one row to the next for K columns: rows of 16 and more columns start on a cache line.
 */
static inline int64_t cafe_stride(int64_t columns) {
    if (columns <= 4) return 4;
    if (columns <= 8) return 8;
    return (columns + 15) / 16 * 16;
}

/* What a node contributes to the change of the objective in one sphere update. */
typedef struct cafe_sphere_gain {
    double linear; /* <z_u, Delta_u>, in units of p_u */
    double square; /* ||Delta_u||^2 */
} cafe_sphere_gain;

typedef struct cafe_kernels {
    const char *name;

    /* out = sum over j of weights_j * h[target_j] (added to out unless `first`); weights NULL:
     * all 1. While it adds row j it asks memory for row j + CAFE_AHEAD, so targets[count .. count +
     * CAFE_AHEAD) are read too. */
    void (*gather)(const float *h, int64_t stride, const int32_t *targets, const float *weights,
                   int64_t count, int first, float *out);

    /* One sphere update in units of p_u. sum = sum over w of a(u,w) h_w, loop included;
     *   z = sum / d_u - s + own h,        own takes the diagonal out again
     *   Delta = (z + keep h) / ||z + keep h|| - h
     * and Delta replaces sum; a vanishing z + keep h leaves h as it is (Delta = 0). */
    cafe_sphere_gain (*sphere)(int64_t stride, const float *h, const float *s, float inverse_degree,
                               float own, float keep, float *sum);

    /* y = a * (sum * scale - shift * s) + b * x + c * y */
    void (*combine)(int64_t stride, const float *sum, float scale, float shift, const float *s,
                    float a, float b, const float *x, float c, float *y);

    double (*dot)(int64_t stride, const float *x, const float *y);
    void (*add)(int64_t stride, const float *x, float *y);                        /* y += x */
    void (*accumulate)(int64_t stride, double weight, const float *x, double *y); /* y += w x */
} cafe_kernels;

/* The fastest set this machine runs. */
const cafe_kernels *cafe_kernels_best(void);
/* "plain", "avx2" or "avx512"; NULL when unknown or not runnable here. */
const cafe_kernels *cafe_kernels_named(const char *name);

#endif
