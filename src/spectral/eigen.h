/* The eigensolver: the wanted eigenpairs of any symmetric map, in double precision. */
#ifndef CAFE_SPECTRAL_EIGEN_H
#define CAFE_SPECTRAL_EIGEN_H

#include "engine/owned_rows.h"

/* Vectors of a block: a map takes so many at a time, n x CAFE_EIGEN_WIDTH row-major. */
enum {
    CAFE_EIGEN_WIDTH = CAFE_EIGHT,
    CAFE_EIGEN_SMALL = 512 /* nodes up to which LAPACK solves whatever is asked */
};

/* What is asked: `count` <= n eigenpairs of a symmetric n x n map M. */
typedef struct cafe_eigen_problem {
    int64_t n;
    /* y = M x for blocks; the same bits for any number of threads */
    cafe_status (*product)(cafe_context *context, void *argument, const double *x, double *y);
    /* how much an eigenvalue is wanted: the largest come first. Quasi-convex in the value, so that
     * what is wanted lies at the ends of the spectrum. */
    double (*want)(const void *argument, double value);
    void *argument;
    int64_t count;
    double tolerance; /* |M v - lambda v| <= tolerance |M|; less than rounding allows: that */
    int64_t passes;   /* products with a block at most; 0: the usual limit. As many again when
                       * eigenvalues that come many times are looked for. */
    /* the same product in single precision; NULL: there is none. It serves for tolerances that it
     * can keep; what is returned is measured, and if need be found again, in double precision. */
    cafe_status (*single)(cafe_context *context, void *argument, const float *x, float *y);
    /* the rows of blocks that this process has; NULL: all */
    const cafe_owned *owned;
} cafe_eigen_problem;

static inline cafe_owned cafe_eigen_rows(const cafe_eigen_problem *problem) {
    return problem->owned ? *problem->owned : cafe_owned_all(problem->n);
}

/* The usual wishes. */
double cafe_want_largest(const void *argument, double value);
double cafe_want_smallest(const void *argument, double value);
CAFE_LAB double cafe_want_size(const void *argument, double value);

/* What is found. */
typedef struct cafe_eigen {
    int64_t count;
    bool exact; /* a small problem, solved by LAPACK: residuals are rounding, and told as 0 */
    int64_t converged; /* pairs within the tolerance; fewer than `count`: the limit came first */
    int64_t sure;      /* pairs, the first ones, of which none can be missing in between */
    int64_t passes;    /* products with a block of CAFE_EIGEN_WIDTH vectors */
    double norm;       /* |M|, from below; 0: a small problem */
    double *values;    /* count, the most wanted first */
    double *residuals; /* |M v - lambda v|, from a product of its own */
    double *vectors;   /* n x count row-major, unit columns, the entry largest in size positive;
                        * of n rows those of this process */
} cafe_eigen;

CAFE_LAB cafe_status cafe_eigen_solve(cafe_context *context, const cafe_eigen_problem *problem,
                                      cafe_eigen *found);
CAFE_LAB void cafe_eigen_free(cafe_context *context, cafe_eigen *found);

/* The error for pairs that did not converge; CAFE_OK when all did. */
cafe_status cafe_eigen_need_all(cafe_context *context, const cafe_eigen *found);

/* A problem whose map is Q; the operator has rows. */
cafe_eigen_problem cafe_eigen_operator(const cafe_operator *op,
                                       double (*want)(const void *argument, double value),
                                       int64_t count, double tolerance);

/* The same on the rows of this process, opened with the operator: the engine's product, where it
 * has one. */
cafe_eigen_problem cafe_eigen_owned(const cafe_operator *op, const cafe_owned *owned,
                                    double (*want)(const void *argument, double value),
                                    int64_t count, double tolerance);

/* Bytes that a run takes at its peak, what it returns included. */
CAFE_LAB int64_t cafe_eigen_bytes(int64_t n, int64_t count, int64_t threads);

#endif
