/* Squares of distances, for a tile of points at a time and for single pairs.
 *
 * Differences are squared and added (no |x|^2 - 2xy + |y|^2): copies of a point are at distance 0,
 * d(u,w) and d(w,u) have the same bits, and nothing cancels. In a tile every pair has a lane of its
 * own and is added up column by column; a pair alone has 16 lanes. Either order is fixed, so that
 * wider registers change the speed and no bit.
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
