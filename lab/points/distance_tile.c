/* Squares of distances, |x - y|^2 = sum over k of (x_k - y_k)^2, for a tile of points or a single
 * pair.
 *
 * Differences are squared and added (no |x|^2 - 2xy + |y|^2): equal points have distance 0, d(u,w)
 * and d(w,u) have the same bits, and nothing cancels. In a tile every pair has its own lane and
 * adds column by column; a single pair has 16 lanes. Both orders are fixed, so wider registers
 * change the speed and no bits.
 */
#include "points/points.h"

typedef float v4 __attribute__((vector_size(16), aligned(4), may_alias));
#define TARGET
#define V              v4
#define NAME(function) function##_plain
#include "points/distance_tile_body.h"

#ifdef CAFE_X86
typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
#define TARGET         __attribute__((target("avx2")))
#define V              v8
#define NAME(function) function##_avx2
#include "points/distance_tile_body.h"
typedef float v16 __attribute__((vector_size(64), aligned(4), may_alias));
#define TARGET         __attribute__((target("avx512f,prefer-vector-width=512")))
#define V              v16
#define NAME(function) function##_avx512
#include "points/distance_tile_body.h"
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
