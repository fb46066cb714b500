/* The shapes of sums over nodes, the same on every engine, for any number of threads, of a device's
 * blocks or of processes. A device's compiler reads this header too.
 *
 * Long sums are of pieces of consecutive rows: each from its first row to its last in double
 * precision, then the pieces in their order.
 *
 * Sums inside a sweep have no order at all. Every contribution is a multiple of 2^-50 first; as
 * long as the sum is below 8 no addition rounds, so the order does not matter.
 */
#ifndef CAFE_KERNELS_SUM_SHAPES_H
#define CAFE_KERNELS_SUM_SHAPES_H

#include <stdint.h>

#include "base/inline.h"

/* Rows of a piece of a sum over n rows. Small blocks have 64, so that there are enough pieces for
 * all threads. From 65,536 rows on there are 1,024 to 32,768 pieces. */
CAFE_INLINE int64_t cafe_piece_rows(int64_t n) {
    int64_t rows = (n + 1023) / 1024, least = (n + 32767) / 32768;
    if (rows > 1024) rows = 1024;
    if (rows < least) rows = least;
    return rows < 64 ? 64 : rows;
}

/* The multiple of 2^-50 nearest to x, |x| <= 2: x + 6 lies from 4 to 8, where doubles are 2^-50
 * apart, and the subtraction is exact. Fewer than 2^53 such steps are left in a sum below 8, so
 * that it is exact in any order. No compiler may simplify this: it is not for -ffast-math. */
CAFE_INLINE double cafe_to_grid(double x) {
    return (x + 6.0) - 6.0;
}

/* The moves' contributions to the growth of the objective in a chunk, in shares of
 * cafe_gain_unit(). The contribution of each node and edge lies on the grid. */
typedef struct cafe_gains {
    double linear; /* sum of p_u <z_u, Delta_u>, z in units of p_u */
    double square; /* sum of r_u^2 ||Delta_u||^2 */
    double inner;  /* sum over edges inside the chunk of 2 a(u,w) <Delta_u, Delta_w> / total */
} cafe_gains;

/* A power of two that makes all of them fit the grid. Rows are 1 long at most: |Delta| <= 2, |z| <=
 * 1 + resolution, and p as well as 2 a(u,w) / total sum to 1 at most. So no sum of absolute values
 * is above the larger of 2 (1 + resolution) and 4, which is 2 units at most. */
CAFE_INLINE double cafe_gain_unit(double resolution) {
    double unit = 2;
    while (unit < 1 + resolution) unit *= 2;
    return unit;
}

/* The share of a node's x, and that of an edge a of two nodes whose moves have this dot product. */
CAFE_INLINE double cafe_gain_share(double x, double unit) {
    return cafe_to_grid(x / unit);
}
CAFE_INLINE double cafe_inner_share(double a, double dot, double total, double unit) {
    return cafe_to_grid(2 * a * dot / (total * unit));
}

/* The growth of the objective with a chunk. squares is the sum over the columns, in their order, of
 * the squares of the change of S; expected = -kappa resolution. */
CAFE_INLINE double cafe_chunk_gain(double unit, double expected, double sign, cafe_gains sums,
                                   double squares) {
    double moves = 2 * sums.linear + expected * sums.square + sign * sums.inner;
    return unit * moves - expected * squares;
}

#endif
