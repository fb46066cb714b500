/* L2-regularised logistic regression of two classes, or of several pairs: a trust-region Newton
 * method. */
#ifndef CAFE_EVALUATE_NEWTON_H
#define CAFE_EVALUATE_NEWTON_H

#include "base/context.h"

typedef struct cafe_newton_problem {
    int64_t rows, columns;
    const double *x; /* rows x columns */
    double cost, tolerance;
    const double *weight; /* of each row, times cost; NULL: 1 */
} cafe_newton_problem;

enum { NEWTON_MOST = 16 }; /* fits side by side */

/* Doubles of work space for a fit, which the caller brings. */
int64_t cafe_newton_room(int64_t rows, int64_t columns);

/* Makes `count` fits, at most NEWTON_MOST, of the same rows side by side: y[k * rows + i] is 1 or
 * -1, room is that of `count` fits. The w[k * columns + j] minimise w.w / 2 + cost sum over i of
 * weight_i log(1 + exp(-y_i w.x_i)). The tolerance is a share of the gradient at 0, times the share
 * of the rarer class. Each fit has the bits it has alone. */
cafe_status cafe_newton_fit(cafe_context *context, const cafe_newton_problem *problem,
                            int64_t count, const double *y, double *room, double *w);

#endif
