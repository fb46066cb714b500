/* The row loops, compiled once per instruction set (CAFE_ISA names it) from this one body. */
#include "kernels/rows.h"

#include <math.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)
#define INLINE      static inline __attribute__((always_inline))

/* Vectors of 4, 8 and 16 floats that may lie at any float's address, and integers beside them. */
typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef uint16_t s4 __attribute__((vector_size(8), aligned(2), may_alias));
typedef uint16_t s8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef uint16_t s16 __attribute__((vector_size(32), aligned(2), may_alias));

enum { PANEL = 128 }; /* columns summed in registers at a time */

/* ---- over the lanes of a vector -------------------------------------------------------------- */

/* Sums by halves: 8 + 8, 4 + 4, then two and two. */
INLINE double sum_v4(v4 x) {
    return ((double)x[0] + x[2]) + ((double)x[1] + x[3]);
}
INLINE double sum_v8(v8 x) {
    return sum_v4(*(const v4 *)&x + *((const v4 *)&x + 1));
}
INLINE double sum_v16(v16 x) {
    return sum_v8(*(const v8 *)&x + *((const v8 *)&x + 1));
}

INLINE float most_v4(v4 x) {
    float a = x[0] > x[2] ? x[0] : x[2], b = x[1] > x[3] ? x[1] : x[3];
    return a > b ? a : b;
}
INLINE float most_v8(v8 x) {
    float a = most_v4(*(const v4 *)&x), b = most_v4(*((const v4 *)&x + 1));
    return a > b ? a : b;
}
INLINE float most_v16(v16 x) {
    float a = most_v8(*(const v8 *)&x), b = most_v8(*((const v8 *)&x + 1));
    return a > b ? a : b;
}

/* float16 as floats, where the processor does it. */
#ifdef __F16C__
INLINE v4 from_half_v4(const uint16_t *x) {
    return (v4)_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)x));
}
INLINE v8 from_half_v8(const uint16_t *x) {
    return (v8)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x));
}
INLINE v16 from_half_v16(const uint16_t *x) {
#ifdef __AVX512F__
    return (v16)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)x));
#else
    v16 both;
    *(v8 *)&both = from_half_v8(x), *((v8 *)&both + 1) = from_half_v8(x + 8);
    return both;
#endif
}
#endif

#define V              v4
#define I              i4
#define S              s4
#define NAME(function) function##_v4
#include "kernels/rows_body.h"
#undef V
#undef I
#undef S
#undef NAME
#define V              v8
#define I              i8
#define S              s8
#define NAME(function) function##_v8
#include "kernels/rows_body.h"
#undef V
#undef I
#undef S
#undef NAME
#define V              v16
#define I              i16
#define S              s16
#define NAME(function) function##_v16
#include "kernels/rows_body.h"

/* ---- gather ---------------------------------------------------------------------------------- */

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
        int64_t rows = count - from < CAFE_SEGMENT ? count - from : CAFE_SEGMENT;
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

/* Sums of rows of 16 bits: a column's sum does not depend on the vector it is in, so that the
 * widest one is taken which the machine converts at once. */
#ifdef __AVX512F__
#define PACKED gather_packed_v16
enum { PACKED_LANES = 16 };
#else
#define PACKED gather_packed_v8
enum { PACKED_LANES = 8 };
#endif

#define PACKED_CASE(width)                                                    \
    case width:                                                               \
        PACKED(h, stride, targets, weights, count, first, out,                \
               (width) < PACKED_LANES ? 1 : (width) / PACKED_LANES, storage); \
        break

INLINE void packed_panel(const uint16_t *h, int64_t stride, const int32_t *targets,
                         const float *weights, int64_t count, int first, int64_t width, float *out,
                         const int32_t storage) {
    switch (width) {
        case 4: gather_packed_v4(h, stride, targets, weights, count, first, out, 1, storage); break;
        case 8:
            gather_packed_v8(h, stride, targets, weights, count, first, out, 1, storage);
            break;
            PACKED_CASE(16);
            PACKED_CASE(32);
            PACKED_CASE(48);
            PACKED_CASE(64);
            PACKED_CASE(80);
            PACKED_CASE(96);
            PACKED_CASE(112);
        default:
            PACKED(h, stride, targets, weights, count, first, out, PANEL / PACKED_LANES, storage);
            break;
    }
}

INLINE void packed_rows(const uint16_t *h, int64_t stride, const int32_t *targets,
                        const float *weights, int64_t count, int first, float *out,
                        const int32_t storage) {
    int64_t from = 0;
    do {
        int64_t rows = count - from < CAFE_SEGMENT ? count - from : CAFE_SEGMENT;
        for (int64_t column = 0; column < stride; column += PANEL) {
            int64_t width = stride - column < PANEL ? stride - column : PANEL;
            packed_panel(h + column, stride, targets + from, weights ? weights + from : 0, rows,
                         first && from == 0, width, out + column, storage);
        }
        from += rows;
    } while (from < count);
}

static void gather_packed(int32_t storage, const uint16_t *h, int64_t stride,
                          const int32_t *targets, const float *weights, int64_t count, int first,
                          float *out) {
    if (storage == CAFE_STORAGE_FLOAT16 && weights)
        packed_rows(h, stride, targets, weights, count, first, out, CAFE_STORAGE_FLOAT16);
    else if (storage == CAFE_STORAGE_FLOAT16)
        packed_rows(h, stride, targets, 0, count, first, out, CAFE_STORAGE_FLOAT16);
    else if (weights)
        packed_rows(h, stride, targets, weights, count, first, out, CAFE_STORAGE_BFLOAT16);
    else
        packed_rows(h, stride, targets, 0, count, first, out, CAFE_STORAGE_BFLOAT16);
}

/* ---- rows of 4, of 8, or of a multiple of 16 floats ------------------------------------------ */

#define BY_STRIDE(function, ...)                   \
    (stride == 4   ? function##_v4(4, __VA_ARGS__) \
     : stride == 8 ? function##_v8(8, __VA_ARGS__) \
                   : function##_v16(stride, __VA_ARGS__))

static double dot(int64_t stride, const float *x, const float *y) {
    return BY_STRIDE(dot, x, y);
}

static double dot_moves(int64_t stride, const float *x, const float *old_x, const float *y,
                        const float *old_y) {
    return BY_STRIDE(dot_moves, x, old_x, y, old_y);
}

/* The storage is a constant in each branch. */
#define BY_STORAGE(function, ...)                                                                 \
    (storage == CAFE_STORAGE_FLOAT16    ? BY_STRIDE(function, __VA_ARGS__, CAFE_STORAGE_FLOAT16)  \
     : storage == CAFE_STORAGE_BFLOAT16 ? BY_STRIDE(function, __VA_ARGS__, CAFE_STORAGE_BFLOAT16) \
                                        : BY_STRIDE(function, __VA_ARGS__, CAFE_STORAGE_FLOAT32))

static cafe_gain sphere(int32_t storage, int64_t stride, const float *h, const float *s,
                        cafe_pull pull, float keep, float *row) {
    return BY_STORAGE(sphere, h, s, pull, keep, row);
}

static cafe_gain softmax(int32_t storage, int64_t stride, const float *h, const float *s,
                         cafe_pull pull, float theta, float *row) {
    return BY_STORAGE(softmax, h, s, pull, theta, row);
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

static void accumulate(int64_t stride, double weight, const float *restrict x, double *restrict y) {
    for (int64_t k = 0; k < stride; k++) y[k] += weight * x[k];
}

static void accumulate_move(int64_t stride, double weight, const float *restrict x,
                            const float *restrict old, double *restrict y) {
    for (int64_t k = 0; k < stride; k++) y[k] += cafe_to_grid(weight * ((double)x[k] - old[k]));
}

static void round_all(int32_t storage, int64_t count, float *x) {
    for (int64_t k = 0; k < count; k += 4) {
        v4 *four = (v4 *)(x + k);
        *four = storage == CAFE_STORAGE_FLOAT16 ? round_v4(*four, CAFE_STORAGE_FLOAT16)
                                                : round_v4(*four, CAFE_STORAGE_BFLOAT16);
    }
}

static void pack(int32_t storage, int64_t count, const float *restrict x, uint16_t *restrict y) {
    int64_t k = 0;
#ifdef __F16C__
    for (; storage == CAFE_STORAGE_FLOAT16 && k + 8 <= count; k += 8)
        _mm_storeu_si128((__m128i *)(y + k),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + k), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; storage == CAFE_STORAGE_FLOAT16 && k < count; k++)
        y[k] = cafe_pack(CAFE_STORAGE_FLOAT16, x[k]);
    for (; k < count; k++) y[k] = cafe_pack(CAFE_STORAGE_BFLOAT16, x[k]);
}

extern const cafe_products JOIN(cafe_products_, CAFE_PRODUCTS);
extern const cafe_eights JOIN(cafe_eights_single_, CAFE_ISA), JOIN(cafe_eights_double_, CAFE_ISA);
extern cafe_hash_links JOIN(cafe_hash_links_, CAFE_ISA);
extern const cafe_kernels JOIN(cafe_kernels_, CAFE_ISA);
const cafe_kernels JOIN(cafe_kernels_, CAFE_ISA) = {
    TEXT(CAFE_ISA),
    gather,
    gather_packed,
    sphere,
    softmax,
    combine,
    dot,
    dot_moves,
    accumulate,
    accumulate_move,
    round_all,
    pack,
    JOIN(cafe_hash_links_, CAFE_ISA),
    &JOIN(cafe_products_, CAFE_PRODUCTS),
    {&JOIN(cafe_eights_single_, CAFE_ISA), &JOIN(cafe_eights_double_, CAFE_ISA)},
};
