/* Squares of distances, for a tile of points at a time and for single pairs.
 *
 * Differences are squared and added (no |x|^2 - 2xy + |y|^2): copies of a point are at distance 0,
 * d(u,w) and d(w,u) have the same bits, and nothing cancels. In a tile every pair has a lane of its
 * own and is added up column by column; a pair alone has 16 lanes. Either order is fixed, so that
 * wider registers change the speed and no bit.
 */
#include "points/points.h"

typedef float lanes __attribute__((vector_size(64), aligned(4), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE void tile_body(const float *const rows[CAFE_QUERIES], const float *tile, int64_t dims,
                      float out[CAFE_QUERIES][CAFE_TILE]) {
    lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    for (int64_t d = 0; d < dims; d++) {
        lanes y = *(const lanes *)(tile + d * CAFE_TILE);
        lanes d0 = y - rows[0][d], d1 = y - rows[1][d];
        lanes d2 = y - rows[2][d], d3 = y - rows[3][d];
        s0 += d0 * d0;
        s1 += d1 * d1;
        s2 += d2 * d2;
        s3 += d3 * d3;
    }
    memcpy(out[0], &s0, sizeof s0);
    memcpy(out[1], &s1, sizeof s1);
    memcpy(out[2], &s2, sizeof s2);
    memcpy(out[3], &s3, sizeof s3);
}

INLINE float pair_body(const float *x, const float *y, int64_t dims) {
    lanes sums = {0};
    float rest = 0;
    int64_t d = 0;
    for (; d + CAFE_TILE <= dims; d += CAFE_TILE) {
        lanes e = *(const lanes *)(x + d) - *(const lanes *)(y + d);
        sums += e * e;
    }
    for (; d < dims; d++) rest += (x[d] - y[d]) * (x[d] - y[d]);
    for (int half = CAFE_TILE / 2; half > 0; half /= 2)
        for (int i = 0; i < half; i++) sums[i] += sums[i + half];
    return sums[0] + rest;
}

#define VARIANT(name, attribute)                                                                \
    attribute static void tile_##name(const float *const rows[CAFE_QUERIES], const float *tile, \
                                      int64_t dims, float out[CAFE_QUERIES][CAFE_TILE]) {       \
        tile_body(rows, tile, dims, out);                                                       \
    }                                                                                           \
    attribute static float pair_##name(const float *x, const float *y, int64_t dims) {          \
        return pair_body(x, y, dims);                                                           \
    }                                                                                           \
    static const cafe_distances distances_##name = {tile_##name, pair_##name};

VARIANT(plain, )
#ifdef CAFE_X86
VARIANT(avx2, __attribute__((target("avx2"))))
VARIANT(avx512, __attribute__((target("avx512f,prefer-vector-width=512"))))
#endif

const cafe_distances *cafe_distances_plain(void) {
    return &distances_plain;
}

const cafe_distances *cafe_distances_best(void) {
#ifdef CAFE_X86
    if (__builtin_cpu_supports("avx512f")) return &distances_avx512;
    if (__builtin_cpu_supports("avx2")) return &distances_avx2;
#endif
    return &distances_plain;
}
