/* The dominant eigenpairs of any symmetric map, from both ends of its spectrum at once. */
#ifndef CAFE_METHOD_SPECTRAL_KRYLOV_H
#define CAFE_METHOD_SPECTRAL_KRYLOV_H

#include "base/context.h"

/* Vectors of a block: a map takes so many at a time, n x CAFE_KRYLOV_WIDTH row-major. */
enum { CAFE_KRYLOV_WIDTH = 8 };

/* A symmetric n x n map. */
typedef struct cafe_krylov_map {
    int64_t n;
    /* y = M x for blocks; the same bits for any number of threads */
    cafe_status (*product)(cafe_context *context, void *argument, const double *x, double *y);
    /* how much an eigenvalue is wanted: the largest come first. Quasi-convex in the value, so that
     * what is wanted lies at the ends of the spectrum; NULL: its size. */
    double (*want)(const void *argument, double value);
    void *argument;
} cafe_krylov_map;

/* The `count` most wanted eigenpairs: values[count] in that order, vectors[n * count] row-major
 * with unit columns, the entry largest in size positive. *converged: 1 when every |M v - lambda v|
 * <= tolerance |M|, 0 when the limit of restarts came first. count <= n. */
cafe_status cafe_krylov_solve(cafe_context *context, const cafe_krylov_map *map, int64_t count,
                              double tolerance, double *values, double *vectors,
                              int32_t *converged);

#endif
