/* A Krylov space of a symmetric map, its Ritz pairs, and restarts: a run of the eigensolver. */
#ifndef CAFE_SPECTRAL_KRYLOV_H
#define CAFE_SPECTRAL_KRYLOV_H

#include "base/thread_pool.h"
#include "spectral/chebyshev.h"
#include "spectral/krylov_basis.h"

/* No residual is resolved below this share of |M|. */
#define CAFE_KRYLOV_ROUNDING 1e-14

typedef struct cafe_krylov {
    const cafe_eigen_problem *problem;
    cafe_owned rows; /* of V */
    int64_t count;
    bool single;
    double tolerance;
    cafe_filter filter;             /* V belongs to this polynomial of M */
    double norm;                    /* |M| from below */
    bool reached;                   /* the estimates have been within the tolerance */
    bool careful;                   /* and the measures have not */
    cafe_basis basis;               /* V, its next block P, and W */
    int64_t last, passes;           /* first column of the last block; products made */
    double *t, *s, *theta, *chosen; /* all of the order of V's columns: T, its eigenpairs */
    int64_t *order;                 /* Ritz pairs, most wanted first */
    double *values;                 /* those of the pairs that were locked last, */
    int64_t locked, begun;          /* as many, and the passes that the limit does not count */
    double sum;                     /* of the wanted values at that time */
    double gram[CAFE_EIGHT * CAFE_EIGHT]; /* W^T W */
} cafe_krylov;

static inline int64_t cafe_whole_blocks(int64_t columns) {
    return cafe_blocks(columns, CAFE_EIGEN_WIDTH) * CAFE_EIGEN_WIDTH;
}

/* Columns of V at most, for so many pairs. */
int64_t cafe_krylov_columns(int64_t count);

/* V is empty, and P is random. */
cafe_status cafe_krylov_new(cafe_context *context, const cafe_eigen_problem *problem, bool single,
                            cafe_krylov *k);
void cafe_krylov_free(cafe_context *context, cafe_krylov *k);

/* P from a random block, orthogonal to V. */
cafe_status cafe_krylov_start(cafe_context *context, cafe_krylov *k);

/* V grows until it has no room for a block, or so many blocks have been added; then its Ritz pairs.
 */
cafe_status cafe_krylov_fill(cafe_context *context, cafe_krylov *k, int64_t blocks);

/* V <- the `keep` most wanted Ritz vectors, a multiple of eight, T <- their values; P stays. */
cafe_status cafe_krylov_restart(cafe_context *context, cafe_krylov *k, int64_t keep);

/* order[]: the values, the most wanted first. */
void cafe_krylov_rank(const cafe_eigen_problem *problem, int64_t count, const double *values,
                      int64_t *order);

/* How much a Ritz value is wanted; and all of the wanted ones. */
double cafe_krylov_want(const cafe_krylov *k, double value);
double cafe_krylov_sum(const cafe_krylov *k);

/* What a pair's residual is by its estimate, and what it may be. */
double cafe_krylov_residual(const cafe_krylov *k, int64_t pair);
double cafe_krylov_allowed(const cafe_krylov *k, int64_t pair);

/* How far the wanted pairs are from a share of the tolerance: the mean over them of the powers of e
 * that their residuals have to fall by. */
double cafe_krylov_distance(const cafe_krylov *k, double share);

/* The `keep` most wanted columns of S, to `chosen`. */
void cafe_krylov_choose(cafe_krylov *k, int64_t keep);

#endif
