/* Exact eigenpairs of Q, and the distance of softmax clustering with K = 2 from the first one. This
 * is theorem 4 of the paper, with its second bound in the sharper form that its proof yields.
 */
#ifndef CAFE_BOUNDS_H
#define CAFE_BOUNDS_H

#include <cafe/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- exact eigenpairs ------------------------------------------------------------------------ */

typedef enum cafe_end {
    CAFE_END_LARGEST = 0, /* the algebraically largest eigenvalues, descending */
    CAFE_END_SMALLEST = 1 /* the algebraically smallest, ascending */
} cafe_end;

/* `count` eigenpairs of Q in double precision from one end of the spectrum: values[count], and
 * unless NULL vectors[nodes * count], row-major. Column j is the unit eigenvector of values[j]; its
 * entry of the largest size is positive. Every pair has ||Q v - lambda v|| <= tolerance ||Q||
 * (tolerance 0: as small as rounding allows, about 1e-14). What does not converge in 1,500 passes
 * over the graph, or is seen not to before, is CAFE_ERROR_NUMERIC, and the outputs are left as they
 * were. The start follows from the context's seed. Any number of calls may run at the same time.
 *
 * Meant for a few pairs: 1 <= count <= min(nodes, 10000). The memory is about 8 n (3 count + 64)
 * bytes, or up to 256 MiB when that is more. */
CAFE_API cafe_status cafe_operator_eigen(cafe_context *context, const cafe_operator *op,
                                         cafe_end end, int64_t count, double tolerance,
                                         double *values, double *vectors);

/* ---- theorem 4 ------------------------------------------------------------------------------- */

/* The ends of the spectrum, and the ratio the theorem is about. */
typedef struct cafe_gap {
    double first;  /* lambda_1, the largest eigenvalue */
    double second; /* lambda_2 */
    double last;   /* lambda_n, the smallest */
    double delta;  /* max(lambda_2, -lambda_n) / lambda_1; infinite when lambda_1 is 0 */
} cafe_gap;

/* What the theorem says of one vector x, and what is the case. The sign of v1, which is free, is
 * taken so that v1^T x >= 0.
 *
 * With x^T Q x = lambda_1 (1 - epsilon), |x| = 1, and a = 1 - epsilon - delta: if delta < 1 and
 * epsilon <= 1 - delta, then
 *
 *     cos(v1, x)  >= first  = sqrt(a / (1 - delta))
 *     cos(v1, Qx) >= second = sqrt(a / (a + epsilon delta^2))
 *     cos(v1, Qx) >= cos(v1, x)
 *
 * The paper states the weaker sqrt(a / (a + delta^2)) in place of `second`. */
typedef struct cafe_bound {
    double rayleigh; /* x^T Q x / x^T x */
    double epsilon;  /* 1 - rayleigh / lambda_1; infinite when lambda_1 is 0 */
    double cosine_x, cosine_qx;
    int32_t applies; /* 1: the theorem's condition holds for this x; else the bounds are 0 */
    double first;
    double second, second_published;
    int32_t holds; /* 1: it applies, and all of the above is so (up to rounding, 1e-8) */
} cafe_bound;

/* ---- softmax clustering with K = 2 against v1 ------------------------------------------------ */

typedef struct cafe_bounds_options {
    size_t struct_size;
    double theta;     /* inverse temperature in units of n, the default units of softmax */
    int64_t restarts; /* random starts; the one with the largest objective counts */
    int64_t sweeps;   /* at most this many passes over the nodes, per start */
    double tolerance; /* stop when a sweep gains less than this share of the objective */
} cafe_bounds_options;

CAFE_OPTIONS(bounds)

typedef struct cafe_bounds cafe_bounds;

/* The arrays have one entry per node and belong to the bounds. Rows of H sum to 1 and
 * those of Q to 0, so Q (h_1 - h_2) = 2 Q h_1. The direction of Qx, and its cosine, is therefore
 * the same for both forms of x. */
typedef struct cafe_bounds_report {
    cafe_gap gap;
    double objective;    /* of the best start, off the diagonal of Q, as softmax climbs it */
    int64_t best;        /* its number, from 0 */
    int64_t converged;   /* starts that reached the tolerance before the sweep limit */
    cafe_bound plain;    /* of x = h_1 / |h_1|, the paper's */
    cafe_bound centred;  /* of x = (h_1 - h_2) / |h_1 - h_2| */
    const double *x;     /* h_1 / |h_1| */
    const double *xc;    /* (h_1 - h_2) / |h_1 - h_2| */
    const double *qx;    /* Qx, scaled to length 1 */
    const double *first; /* v1, with v1^T Qx >= 0 */
} cafe_bounds_report;

/* Runs softmax clustering with two columns `restarts` times and compares the best with v1. */
CAFE_API cafe_status cafe_bounds_find(cafe_context *context, const cafe_operator *op,
                                      const cafe_bounds_options *options, cafe_bounds **bounds);
CAFE_API void cafe_bounds_free(cafe_bounds *bounds);
CAFE_API const cafe_bounds_report *cafe_bounds_get(const cafe_bounds *bounds);

#ifdef __cplusplus
}
#endif
#endif
