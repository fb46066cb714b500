/* The eigensolver: the wanted eigenpairs of any symmetric map, in double precision. */
#ifndef CAFE_SPECTRAL_EIGEN_H
#define CAFE_SPECTRAL_EIGEN_H

#include "engine/owned_rows.h"

/* Vectors of a block: a map takes n x CAFE_EIGEN_WIDTH numbers, row-major. */
enum {
    CAFE_EIGEN_WIDTH = CAFE_EIGHT,
    CAFE_EIGEN_SMALL = 512 /* nodes up to which every problem is solved as a dense matrix */
};

/* The problem: `count` <= n eigenpairs of a symmetric n x n map M. */
typedef struct cafe_eigen_problem {
    int64_t n;
    /* y = M x for blocks; the same bits for any number of threads */
    cafe_status (*product)(cafe_context *context, const void *argument, const double *x, double *y);
    /* preference for an eigenvalue: larger ones come first. Quasi-convex in the value, so that the
     * wanted values lie at the ends of the spectrum. */
    double (*want)(const void *argument, double value);
    const void *argument;
    int64_t count;
    double tolerance; /* |M v - lambda v| <= tolerance |M|; values below rounding mean rounding */
    int64_t passes;   /* products with a block, at most; 0: the usual limit. The search for copies
                       * of eigenvalues may take as many again. */
    /* the same product in single precision; NULL: none. It serves tolerances that it can meet;
     * results are measured in double precision, and found again in doubles if needed. */
    cafe_status (*single)(cafe_context *context, const void *argument, const float *x, float *y);
    /* the rows of blocks that this process has; NULL: all */
    const cafe_owned *owned;
} cafe_eigen_problem;

static inline cafe_owned cafe_eigen_rows(const cafe_eigen_problem *problem) {
    return problem->owned ? *problem->owned : cafe_owned_all(problem->n);
}

/* The usual preferences. */
double cafe_want_largest(const void *argument, double value);
double cafe_want_smallest(const void *argument, double value);
CAFE_LAB double cafe_want_size(const void *argument, double value);

/* The result. */
typedef struct cafe_eigen {
    int64_t count;
    bool exact; /* a small problem, solved as a dense matrix: residuals are rounding, and reported
                   as 0 */
    int64_t converged; /* pairs within the tolerance; fewer than `count`: the limit came first */
    int64_t sure;      /* the number of first pairs between which none can be missing */
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

/* Returns the error for pairs that did not converge; CAFE_OK if all did. */
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

/* Bytes of a run at its peak, with its result. */
CAFE_LAB int64_t cafe_eigen_bytes(int64_t n, int64_t count, int64_t threads);

#endif
