/* Lanczos runs on S (Q + N) S - T, S and T diagonal, in double precision and with a full basis. */
#ifndef CAFE_EXPLAIN_LANCZOS_H
#define CAFE_EXPLAIN_LANCZOS_H

#include "operator/operator.h"

/* Adds N x to y, N symmetric. */
typedef void cafe_more(void *argument, const double *x, double *y);

/* The matrix: y = s ((Q + N) (s x)) - t x, entry by entry; s NULL: 1, t NULL: 0, more NULL: N = 0.
 */
typedef struct cafe_scaled {
    const cafe_operator *op;
    const double *s, *t;
    cafe_more *more;
    void *argument;
    double *inner, *scratch;
} cafe_scaled;

cafe_status cafe_scaled_new(cafe_context *context, const cafe_operator *op, const double *s,
                            const double *t, cafe_scaled *m);
void cafe_scaled_free(cafe_context *context, cafe_scaled *m);

/* Its eigenvalues, descending, values[n]: the matrix is written out. For small n. */
cafe_status cafe_scaled_eigenvalues(cafe_context *context, cafe_scaled *m, double *values);

typedef struct cafe_lanczos {
    int64_t n, room, steps; /* steps taken: fewer than room when the space is invariant */
    double *basis;          /* room vectors of n, one behind the other; the first is the start */
    double *next;           /* what goes on from them */
    double *alpha, *beta;   /* beta[i] couples i and i + 1; the last one is what is left over */
    double *values;         /* Ritz values, descending */
    double *small;          /* steps x steps: column j is the j-th vector in the basis */
    double *partial;
} cafe_lanczos;

/* Steps that fit into about 256 MiB, but always 24, and `wanted` at most. */
int64_t cafe_lanczos_room(int64_t n, int64_t wanted);
cafe_status cafe_lanczos_new(cafe_context *context, int64_t n, int64_t room, cafe_lanczos *l);
void cafe_lanczos_free(cafe_context *context, cafe_lanczos *l);

/* A run from the start in basis[0 .. n), which need not have length 1; a zero start takes no step.
 */
cafe_status cafe_lanczos_run(cafe_context *context, cafe_scaled *m, cafe_lanczos *l);

/* The largest Ritz value and its true residual |M x - theta x| after at most `restarts` further
 * runs of so many steps, each from the Ritz vector before; ends early at `tolerance` times the
 * range of the Ritz values. The start is random. */
cafe_status cafe_lanczos_largest(cafe_context *context, cafe_scaled *m, int64_t steps,
                                 double tolerance, int64_t restarts, double *theta,
                                 double *residual);

#endif
