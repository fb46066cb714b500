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
        const int ahead = vectors * LANES > 64 ? CAFE_AHEAD / 2 : CAFE_AHEAD;                \
        V total[PANEL / LANES];                                                              \
        for (int i = 0; i < vectors; i++) total[i] = (V){0};                                 \
        for (int64_t j = 0; j < count; j++) {                                                \
            ask(h + targets[j + ahead] * stride, vectors * LANES);                           \
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

/* ---- sums of lanes --------------------------------------------------------------------------- */

/* By halves: 8 + 8, 4 + 4, then two and two. */
INLINE double sum_v4(v4 x) {
    return ((double)x[0] + x[2]) + ((double)x[1] + x[3]);
}
INLINE double sum_v8(v8 x) {
    return sum_v4(*(const v4 *)&x + *((const v4 *)&x + 1));
}
INLINE double sum_v16(v16 x) {
    return sum_v8(*(const v8 *)&x + *((const v8 *)&x + 1));
}

/* Rows of 4, of 8, or of a multiple of 16 floats: the loops below exist once for each vector. */
#define BY_STRIDE(function, ...)                             \
    switch (stride) {                                        \
        case 4: return function##_v4(4, __VA_ARGS__);        \
        case 8: return function##_v8(8, __VA_ARGS__);        \
        default: return function##_v16(stride, __VA_ARGS__); \
    }

#define DEFINE_DOT(V)                                                              \
    INLINE double dot_##V(int64_t stride, const float *x, const float *y) {        \
        V sum = {0};                                                               \
        for (int64_t k = 0; k < stride; k += (int64_t)(sizeof(V) / sizeof(float))) \
            sum += *(const V *)(x + k) * *(const V *)(y + k);                      \
        return sum_##V(sum);                                                       \
    }
DEFINE_DOT(v4)
DEFINE_DOT(v8)
DEFINE_DOT(v16)

static double dot(int64_t stride, const float *x, const float *y){BY_STRIDE(dot, x, y)}
/* ---- the sphere update ----------------------------------------------------------------------- */

/* First loop: z in place of the sum, and v = z + keep h; second: Delta = v / ||v|| - h. */
#define DEFINE_SPHERE(V)                                                                          \
    INLINE cafe_sphere_gain sphere_##V(int64_t stride, const float *h, const float *s,            \
                                       float inverse_degree, float own, float keep, float *sum) { \
        const int64_t lanes = sizeof(V) / sizeof(float);                                          \
        V square = {0}, linear = {0}, moved = {0};                                                \
        for (int64_t k = 0; k < stride; k += lanes) {                                             \
            V old = *(const V *)(h + k);                                                          \
            V z = *(const V *)(sum + k) * inverse_degree - *(const V *)(s + k) + own * old;       \
            V v = z + keep * old;                                                                 \
            *(V *)(sum + k) = z;                                                                  \
            square += v * v;                                                                      \
        }                                                                                         \
        float norm = sqrtf((float)sum_##V(square));                                               \
        float inverse = norm > 1e-18f ? 1 / norm : 0, leave = norm > 1e-18f ? 1 : 0;              \
        for (int64_t k = 0; k < stride; k += lanes) {                                             \
            V old = *(const V *)(h + k), z = *(const V *)(sum + k);                               \
            V delta = (z + keep * old) * inverse - leave * old;                                   \
            linear += z * delta;                                                                  \
            moved += delta * delta;                                                               \
            *(V *)(sum + k) = delta;                                                              \
        }                                                                                         \
        return (cafe_sphere_gain){sum_##V(linear), sum_##V(moved)};                               \
    }
DEFINE_SPHERE(v4) DEFINE_SPHERE(v8) DEFINE_SPHERE(v16)

    static cafe_sphere_gain sphere(int64_t stride, const float *h, const float *s,
                                   float inverse_degree, float own, float keep, float *sum) {
    BY_STRIDE(sphere, h, s, inverse_degree, own, keep, sum)
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
