/* The solvers on a table: softmax and sphere through W = X^T H. */
#ifndef CAFE_SOLVE_REDUCE_H
#define CAFE_SOLVE_REDUCE_H

#include <cafe/reduce.h>

#include "operator/table.h"
#include "solve/solution.h"

/* How a run is done, in the units of the centred table. */
typedef struct cafe_reduce_plan {
    int64_t chunks; /* n: one row after the other */
    double theta;
} cafe_reduce_plan;

/* Options complete and checked; CAFE_ERROR_ARGUMENT when they contradict each other. */
cafe_status cafe_reduce_plan_make(cafe_context *context, const cafe_centred *table,
                                  const cafe_reduce_options *options, cafe_reduce_plan *plan);

/* H from random rows. The solution's objective is the sum over u != w of q(u,w) <h_u,h_w>, in the
 * units of the centred table; its y stays NULL. */
cafe_status cafe_reduce_solve(cafe_context *context, const cafe_centred *table,
                              const cafe_reduce_options *options, const cafe_reduce_plan *plan,
                              cafe_solution **solution);

#endif
