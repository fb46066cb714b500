/* Nearest neighbours of points: the lists, the two searches that fill them, the distances. */
#ifndef CAFE_POINTS_POINTS_H
#define CAFE_POINTS_POINTS_H

#include <stdint.h>
#include <string.h>

#include "base/context.h"

/* n points in rows of dims floats. */
typedef struct cafe_points {
    int64_t n, dims;
    const float *x;
} cafe_points;

/* For each point the k nearest others found up to now, ascending by (square of distance, id). Empty
 * places hold (infinity, INT32_MAX). */
typedef struct cafe_nearest {
    int64_t n, k;
    int32_t *ids;   /* n x k */
    float *squares; /* n x k */
    uint8_t *fresh; /* n x k: entered since the flag was cleared; NULL: not noted */
} cafe_nearest;

cafe_status cafe_nearest_create(cafe_context *context, int64_t n, int64_t k, bool fresh,
                                cafe_nearest *nearest);
void cafe_nearest_free(cafe_context *context, cafe_nearest *nearest);

static inline bool cafe_nearer(float a, int32_t u, float b, int32_t w) {
    return a < b || (a == b && u < w);
}

/* Takes w into the list of u when it is nearer than the last there and not yet in it. Equal points
 * have equal bits of distance, so w can only be where it would enter. Returns 1 when it entered. */
static inline int cafe_nearest_offer(cafe_nearest *nearest, int64_t u, int32_t w, float square) {
    int64_t k = nearest->k, at = k;
    int32_t *ids = nearest->ids + u * k;
    float *squares = nearest->squares + u * k;
    if (k == 0 || !cafe_nearer(square, w, squares[k - 1], ids[k - 1])) return 0;
    while (at > 0 && cafe_nearer(square, w, squares[at - 1], ids[at - 1])) at--;
    if (at > 0 && ids[at - 1] == w) return 0;
    size_t behind = (size_t)(k - 1 - at);
    memmove(ids + at + 1, ids + at, behind * sizeof *ids);
    memmove(squares + at + 1, squares + at, behind * sizeof *squares);
    ids[at] = w;
    squares[at] = square;
    if (nearest->fresh) {
        uint8_t *fresh = nearest->fresh + u * k;
        memmove(fresh + at + 1, fresh + at, behind);
        fresh[at] = 1;
    }
    return 1;
}

/* ---- distances ------------------------------------------------------------------------------- */

enum { CAFE_TILE = 16, CAFE_QUERIES = 4 };

/* Squares of Euclidean distances, with additions in an order that no instruction set changes. */
typedef struct cafe_distances {
    /* CAFE_QUERIES rows against a tile, dims x CAFE_TILE, a point a column: out[query][point] */
    void (*tile)(const float *const rows[CAFE_QUERIES], const float *tile, int64_t dims,
                 float out[CAFE_QUERIES][CAFE_TILE]);
    float (*pair)(const float *x, const float *y, int64_t dims);
} cafe_distances;

const cafe_distances *cafe_distances_best(void);
const cafe_distances *cafe_distances_plain(void);

/* ---- searches -------------------------------------------------------------------------------- */

/* All pairs. Fills lists that are empty; k is at most n - 1. */
cafe_status cafe_nearest_exact(cafe_context *context, const cafe_points *points,
                               cafe_nearest *nearest);

/* The points of a leaf of a random projection tree are offered to each other; every list is full
 * afterwards. */
cafe_status cafe_nearest_trees(cafe_context *context, const cafe_points *points,
                               cafe_nearest *nearest);

/* Trees, then rounds in which neighbours of neighbours are tried. */
cafe_status cafe_nearest_approximate(cafe_context *context, const cafe_points *points,
                                     cafe_nearest *nearest);

#endif
