/* Blocks of eight columns, compiled once per instruction set (CAFE_ISA names it) from one body. */
#include "kernels/eight_columns.h"

#include <stddef.h>
#if defined(__AVX__)
#include <immintrin.h>
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
#define INLINE      static inline __attribute__((always_inline))

/* Bytes of a register: compilers put vectors that are wider on the stack. */
#if defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

enum {
    EIGHT = CAFE_EIGHT,
    SEGMENT = CAFE_EIGHTS_SEGMENT,
    AHEAD = 32,                           /* rows between a prefetch and its use */
    LINE = 64,                            /* bytes that memory gives at a time */
    LANES = BYTES / sizeof(double),       /* of sums */
    SUMS = EIGHT * sizeof(double) / BYTES /* registers of a row of sums */
};
typedef double wide __attribute__((vector_size(BYTES), aligned(8), may_alias));

/* REGISTER: numbers as stored. AT_ONCE: rows whose sums are in registers together. PART: columns of
 * A whose sums are in registers together. widen: LANES doubles, from memory or from place `s` of a
 * register; narrow stores them back. */
#define T          float
#define NAME(name) name##_single
typedef float register_single __attribute__((vector_size(BYTES), aligned(4), may_alias));
enum { AT_ONCE_single = 4, PART_single = 8 };
#if defined(__AVX__) /* compilers convert vectors of floats by halves */
INLINE wide widen_single(const float *x) {
    return (wide)_mm256_cvtps_pd(_mm_loadu_ps(x));
}
INLINE wide widen_part_single(register_single x, int s) {
    __m256 all = (__m256)x;
    return (wide)_mm256_cvtps_pd(s == 0 ? _mm256_castps256_ps128(all)
                                        : _mm256_extractf128_ps(all, 1));
}
INLINE void narrow_single(wide sum, float *y) {
    _mm_storeu_ps(y, _mm256_cvtpd_ps((__m256d)sum));
}
#else
INLINE wide widen_single(const float *x) {
    return (wide){x[0], x[1]};
}
INLINE wide widen_part_single(register_single x, int s) {
    return (wide){x[2 * s], x[2 * s + 1]};
}
INLINE void narrow_single(wide sum, float *y) {
    y[0] = (float)sum[0], y[1] = (float)sum[1];
}
#endif
#include "kernels/eight_columns_body.h"
#undef T
#undef NAME
#define T          double
#define NAME(name) name##_double
typedef wide register_double;
enum { AT_ONCE_double = 2, PART_double = 4 };
INLINE wide widen_double(const double *x) {
    return *(const wide *)x;
}
INLINE wide widen_part_double(register_double x, int s) {
    (void)s;
    return x;
}
INLINE void narrow_double(wide sum, double *y) {
    *(wide *)y = sum;
}
#include "kernels/eight_columns_body.h"

extern const cafe_eights JOIN(cafe_eights_single_, CAFE_ISA), JOIN(cafe_eights_double_, CAFE_ISA);
const cafe_eights JOIN(cafe_eights_single_, CAFE_ISA) = {
    sizeof(float), cross_single, combine_single, gather_single, weigh_single};
const cafe_eights JOIN(cafe_eights_double_, CAFE_ISA) = {
    sizeof(double), cross_double, combine_double, gather_double, weigh_double};
