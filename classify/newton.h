/* L2-regularised logistic regression of two classes: a trust-region Newton method. */
#ifndef CAFE_CLASSIFY_NEWTON_H
#define CAFE_CLASSIFY_NEWTON_H

#include <cafe/cafe.h>

typedef struct newton_problem {
    int64_t rows, columns;
    const double *x; /* rows x columns */
    const double *y; /* of each row: 1 or -1 */
    double cost, tolerance;
} newton_problem;

/* Doubles of work space, which the caller brings: fits of one size share it. */
int64_t newton_room(int64_t rows, int64_t columns);

/* The w that makes w.w / 2 + cost sum over i of log(1 + exp(-y_i w.x_i)) smallest, up to the
 * tolerance: a share of the gradient at 0, times the share of the rarer class. */
cafe_status newton_fit(cafe_context *context, const newton_problem *problem, double *room,
                       double *w);

#endif
