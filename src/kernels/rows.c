/* The row loops, compiled once per instruction set (CAFE_ISA names it) from this one body. */
#include "kernels/rows.h"

#include <math.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)
#define INLINE      static inline __attribute__((always_inline))

/* Vectors of 4, 8 and 16 floats that may lie at any float's address. */
typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));

enum {
    PANEL = 128,  /* columns summed in registers at a time */
    SEGMENT = 256 /* rows summed in registers before they join the total: bounds the rounding */
};

/* ---- gather ---------------------------------------------------------------------------------- */

/* Asks for the cache lines of one row's panel. */
INLINE void ask(const float *row, int columns) {
    for (int i = 0; i < columns; i += 16) __builtin_prefetch(row + i, 0, 3);
}

/* Sums `count` rows of VECTORS vectors of type V into out; `first` says that out is still empty. */
#define DEFINE_GATHER(V)                                                                     \
    INLINE void gather_##V(const float *h, int64_t stride, const int32_t *targets,           \
                           const float *weights, int64_t count, int first, float *out,       \
                           const int vectors) {                                              \
        enum { LANES = sizeof(V) / sizeof(float) };                                          \
        V total[PANEL / LANES];                                                              \
        for (int i = 0; i < vectors; i++) total[i] = (V){0};                                 \
        for (int64_t j = 0; j < count; j++) {                                                \
            ask(h + targets[j + CAFE_AHEAD] * stride, vectors * LANES);                      \
            const float *row = h + targets[j] * stride;                                      \
            if (weights)                                                                     \
                for (int i = 0; i < vectors; i++)                                            \
                    total[i] += weights[j] * *(const V *)(row + i * LANES);                  \
            else                                                                             \
                for (int i = 0; i < vectors; i++) total[i] += *(const V *)(row + i * LANES); \
        }                                                                                    \
        for (int i = 0; i < vectors; i++) {                                                  \
            V *at = (V *)(out + i * LANES);                                                  \
            if (first)                                                                       \
                *at = total[i];                                                              \
            else                                                                             \
                *at += total[i];                                                             \
        }                                                                                    \
    }
DEFINE_GATHER(v4)
DEFINE_GATHER(v8)
DEFINE_GATHER(v16)

/* One panel of at most PANEL columns; the width is a constant in each branch, so that the running
 * sums stay in registers. */
INLINE void gather_panel(const float *h, int64_t stride, const int32_t *targets,
                         const float *weights, int64_t count, int first, int64_t width,
                         float *out) {
    switch (width) {
        case 4: gather_v4(h, stride, targets, weights, count, first, out, 1); break;
        case 8: gather_v8(h, stride, targets, weights, count, first, out, 1); break;
        case 16: gather_v16(h, stride, targets, weights, count, first, out, 1); break;
        case 32: gather_v16(h, stride, targets, weights, count, first, out, 2); break;
        case 48: gather_v16(h, stride, targets, weights, count, first, out, 3); break;
        case 64: gather_v16(h, stride, targets, weights, count, first, out, 4); break;
        case 80: gather_v16(h, stride, targets, weights, count, first, out, 5); break;
        case 96: gather_v16(h, stride, targets, weights, count, first, out, 6); break;
        case 112: gather_v16(h, stride, targets, weights, count, first, out, 7); break;
        default: gather_v16(h, stride, targets, weights, count, first, out, 8); break;
    }
}

INLINE void gather_rows(const float *h, int64_t stride, const int32_t *targets,
                        const float *weights, int64_t count, int first, float *out) {
    int64_t from = 0;
    do {
        int64_t rows = count - from < SEGMENT ? count - from : SEGMENT;
        for (int64_t column = 0; column < stride; column += PANEL) {
            int64_t width = stride - column < PANEL ? stride - column : PANEL;
            gather_panel(h + column, stride, targets + from, weights ? weights + from : 0, rows,
                         first && from == 0, width, out + column);
        }
        from += rows;
    } while (from < count);
}

static void gather(const float *h, int64_t stride, const int32_t *targets, const float *weights,
                   int64_t count, int first, float *out) {
    if (weights)
        gather_rows(h, stride, targets, weights, count, first, out);
    else
        gather_rows(h, stride, targets, 0, count, first, out);
}

/* ---- sums in 16 lanes ------------------------------------------------------------------------ */

/* The 16 lanes by halves: 8 + 8, 4 + 4, ... */
INLINE double sum_lanes(const float *lanes) {
    double sum[16];
    for (int i = 0; i < 16; i++) sum[i] = lanes[i];
    for (int half = 8; half > 0; half /= 2)
        for (int i = 0; i < half; i++) sum[i] += sum[i + half];
    return sum[0];
}

/* In the loops below `width` is 16, or the stride itself when that is shorter: a constant after
 * inlining. */
INLINE double dot_row(int64_t stride, const int width, const float *x, const float *y) {
    float lanes[16] = {0};
    for (int64_t k = 0; k < stride; k += width)
        for (int i = 0; i < width; i++) lanes[i] += x[k + i] * y[k + i];
    return sum_lanes(lanes);
}

static double dot(int64_t stride, const float *x, const float *y) {
    switch (stride) {
        case 4: return dot_row(4, 4, x, y);
        case 8: return dot_row(8, 8, x, y);
        default: return dot_row(stride, 16, x, y);
    }
}

/* ---- the sphere update ----------------------------------------------------------------------- */

INLINE cafe_sphere_gain sphere_row(int64_t stride, const int width, const float *h, const float *s,
                                   float inverse_degree, float own, float keep, float *sum) {
    float lanes[16] = {0}, linear[16] = {0}, square[16] = {0};
    for (int64_t k = 0; k < stride; k += width) /* z, and ||z + keep h||^2 */
        for (int i = 0; i < width; i++) {
            float z = sum[k + i] * inverse_degree - s[k + i] + own * h[k + i];
            float v = z + keep * h[k + i];
            sum[k + i] = z;
            lanes[i] += v * v;
        }
    double norm = sqrt(sum_lanes(lanes));
    float inverse = norm > 1e-30 ? (float)(1 / norm) : 0;
    float stay = norm > 1e-30 ? 1 : 0;
    for (int64_t k = 0; k < stride; k += width) /* Delta = v / ||v|| - h */
        for (int i = 0; i < width; i++) {
            float z = sum[k + i];
            float delta = (z + keep * h[k + i]) * inverse - stay * h[k + i];
            linear[i] += z * delta;
            square[i] += delta * delta;
            sum[k + i] = delta;
        }
    return (cafe_sphere_gain){sum_lanes(linear), sum_lanes(square)};
}

static cafe_sphere_gain sphere(int64_t stride, const float *h, const float *s, float inverse_degree,
                               float own, float keep, float *sum) {
    switch (stride) {
        case 4: return sphere_row(4, 4, h, s, inverse_degree, own, keep, sum);
        case 8: return sphere_row(8, 8, h, s, inverse_degree, own, keep, sum);
        default: return sphere_row(stride, 16, h, s, inverse_degree, own, keep, sum);
    }
}

/* ---- plain loops ----------------------------------------------------------------------------- */

static void combine(int64_t stride, const float *restrict sum, float scale, float shift,
                    const float *restrict s, float a, float b, const float *restrict x, float c,
                    float *restrict y) {
    if (b == 0 && c == 0) /* x and y are not read: they may be anything */
        for (int64_t k = 0; k < stride; k++) y[k] = a * (sum[k] * scale - shift * s[k]);
    else
        for (int64_t k = 0; k < stride; k++)
            y[k] = a * (sum[k] * scale - shift * s[k]) + b * x[k] + c * y[k];
}

static void add(int64_t stride, const float *restrict x, float *restrict y) {
    for (int64_t k = 0; k < stride; k++) y[k] += x[k];
}

static void accumulate(int64_t stride, double weight, const float *restrict x, double *restrict y) {
    for (int64_t k = 0; k < stride; k++) y[k] += weight * x[k];
}

extern const cafe_kernels JOIN(cafe_kernels_, CAFE_ISA);
const cafe_kernels JOIN(cafe_kernels_, CAFE_ISA) = {
    TEXT(CAFE_ISA), gather, sphere, combine, dot, add, accumulate,
};
