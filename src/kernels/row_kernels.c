/* The row loops, compiled once per instruction set (CAFE_ISA names it) from this one body. */
#include "kernels/row_kernels.h"

#include <math.h>
#ifdef __F16C__
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define TEXT_(a)    #a
#define TEXT(a)     TEXT_(a)
#define INLINE      static inline __attribute__((always_inline))

/* Vectors of 4, 8 and 16 floats at any address of a float, and vectors of integers. */
typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t i4 __attribute__((vector_size(16)));
typedef uint16_t s4 __attribute__((vector_size(8), aligned(2), may_alias));
#ifdef __AVX__
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int32_t i8 __attribute__((vector_size(32)));
typedef uint16_t s8 __attribute__((vector_size(16), aligned(2), may_alias));
#endif
#ifdef __AVX512F__
typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t i16 __attribute__((vector_size(64)));
typedef uint16_t s16 __attribute__((vector_size(32), aligned(2), may_alias));
#endif

/* Columns summed in registers at a time: half of the registers, except for the widest rows, for
 * which there are twice as many. */
#if defined(__AVX512F__)
enum { PANEL = 128 };
#elif defined(__AVX__) || defined(__aarch64__)
enum { PANEL = 64 };
#else
enum { PANEL = 32 };
#endif
enum {
    WIDEST = 128,   /* columns of the widest panel */
    FAR_BYTES = 256 /* bytes of a row above which prefetches are half as many rows ahead */
};

/* ---- over the lanes of a register ------------------------------------------------------------ */

/* Sums by halves: 8 + 8, 4 + 4, then two and two. */
INLINE double sum_v4(v4 x) {
    return ((double)x[0] + x[2]) + ((double)x[1] + x[3]);
}

INLINE float most_v4(v4 x) {
    float a = x[0] > x[2] ? x[0] : x[2], b = x[1] > x[3] ? x[1] : x[3];
    return a > b ? a : b;
}

#ifdef __AVX__
INLINE double sum_v8(v8 x) {
    return sum_v4(*(const v4 *)&x + *((const v4 *)&x + 1));
}

INLINE float most_v8(v8 x) {
    float a = most_v4(*(const v4 *)&x), b = most_v4(*((const v4 *)&x + 1));
    return a > b ? a : b;
}
#endif

#ifdef __AVX512F__
INLINE double sum_v16(v16 x) {
    return sum_v8(*(const v8 *)&x + *((const v8 *)&x + 1));
}

INLINE float most_v16(v16 x) {
    float a = most_v8(*(const v8 *)&x), b = most_v8(*((const v8 *)&x + 1));
    return a > b ? a : b;
}
#endif

/* float16 as floats, where the processor does it. */
#ifdef __F16C__
INLINE v4 from_half_v4(const uint16_t *x) {
    return (v4)_mm_cvtph_ps(_mm_loadl_epi64((const __m128i *)x));
}
INLINE v8 from_half_v8(const uint16_t *x) {
    return (v8)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)x));
}
#ifdef __AVX512F__
INLINE v16 from_half_v16(const uint16_t *x) {
    return (v16)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)x));
}
#endif
#endif

/* ---- the loops, for each width --------------------------------------------------------------- */

#define V              v4
#define I              i4
#define S              s4
#define OF(function)   function##_v4
#define WIDTH          4
#define NAME(function) function##_4
#include "kernels/row_kernels_body.h"
#undef WIDTH
#undef NAME

#ifdef __AVX__
#undef V
#undef I
#undef S
#undef OF
#define V            v8
#define I            i8
#define S            s8
#define OF(function) function##_v8
#endif
#define WIDTH          8
#define NAME(function) function##_8
#include "kernels/row_kernels_body.h"
#undef WIDTH
#undef NAME

#ifdef __AVX512F__
#undef V
#undef I
#undef S
#undef OF
#define V            v16
#define I            i16
#define S            s16
#define OF(function) function##_v16
#endif
#define WIDTH          16
#define NAME(function) function##_16
#include "kernels/row_kernels_body.h"

/* ---- gather ---------------------------------------------------------------------------------- */

/* A panel of at most PANEL columns, their number a constant in each branch. */
#define PANEL_CASE(columns)                                                                \
    case columns:                                                                          \
        gather_16(h, stride, from, targets, weights, count, first, out, storage, columns); \
        break

INLINE void gather_panel(const void *h, int64_t stride, int64_t from, const int32_t *targets,
                         const float *weights, int64_t count, int first, float *out,
                         const int32_t storage) {
    if (stride - from >= PANEL) {
        gather_16(h, stride, from, targets, weights, count, first, out, storage, PANEL);
        return;
    }
    switch (stride - from) {
        case 4: gather_4(h, stride, from, targets, weights, count, first, out, storage, 4); break;
        case 8:
            gather_8(h, stride, from, targets, weights, count, first, out, storage, 8);
            break;
            PANEL_CASE(16);
            PANEL_CASE(32);
            PANEL_CASE(48);
            PANEL_CASE(64);
            PANEL_CASE(80);
            PANEL_CASE(96);
            PANEL_CASE(112);
    }
}

/* By segments, which fix the order of the additions. */
INLINE void gather_rows(const void *h, int64_t stride, const int32_t *targets, const float *weights,
                        int64_t count, int first, float *out, const int32_t storage) {
    int64_t from = 0;
    do {
        int64_t rows = count - from < CAFE_SEGMENT ? count - from : CAFE_SEGMENT;
        for (int64_t column = 0; column < stride; column += PANEL)
            gather_panel(h, stride, column, targets + from, weights ? weights + from : 0, rows,
                         first && from == 0, out + column, storage);
        from += rows;
    } while (from < count);
}

#define GATHER(storage)                                                       \
    if (weights)                                                              \
        gather_rows(h, stride, targets, weights, count, first, out, storage); \
    else                                                                      \
        gather_rows(h, stride, targets, 0, count, first, out, storage)

static void gather(const float *h, int64_t stride, const int32_t *targets, const float *weights,
                   int64_t count, int first, float *out) {
    GATHER(CAFE_STORAGE_FLOAT32);
}

static void gather_half(const uint16_t *h, int64_t stride, const int32_t *targets,
                        const float *weights, int64_t count, int first, float *out) {
    GATHER(CAFE_STORAGE_FLOAT16);
}

static void gather_brain(const uint16_t *h, int64_t stride, const int32_t *targets,
                         const float *weights, int64_t count, int first, float *out) {
    GATHER(CAFE_STORAGE_BFLOAT16);
}

static void gather_packed(int32_t storage, const uint16_t *h, int64_t stride,
                          const int32_t *targets, const float *weights, int64_t count, int first,
                          float *out) {
    if (storage == CAFE_STORAGE_FLOAT16)
        gather_half(h, stride, targets, weights, count, first, out);
    else
        gather_brain(h, stride, targets, weights, count, first, out);
}

/* ---- rows of 4, of 8, or of a multiple of 16 floats ------------------------------------------ */

#define BY_STRIDE(function, ...)                  \
    (stride == 4   ? function##_4(4, __VA_ARGS__) \
     : stride == 8 ? function##_8(8, __VA_ARGS__) \
                   : function##_16(stride, __VA_ARGS__))

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

static void exchange(int64_t stride, float *restrict x, float *restrict y, const float *next) {
    for (int64_t k = 0; k < stride; k += 16) __builtin_prefetch(next + k, 1);
    for (int64_t k = 0; k < stride; k++) {
        float now = y[k];
        y[k] = x[k];
        x[k] = now;
    }
}

static void round_all(int32_t storage, int64_t count, float *x) {
    for (int64_t k = 0; k < count; k += 4) {
        v4 *four = (v4 *)(x + k);
        *four = storage == CAFE_STORAGE_FLOAT16 ? round_4(*four, CAFE_STORAGE_FLOAT16)
                                                : round_4(*four, CAFE_STORAGE_BFLOAT16);
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
    exchange,
    round_all,
    pack,
    JOIN(cafe_hash_links_, CAFE_ISA),
    &JOIN(cafe_products_, CAFE_PRODUCTS),
    {&JOIN(cafe_eights_single_, CAFE_ISA), &JOIN(cafe_eights_double_, CAFE_ISA)},
};
