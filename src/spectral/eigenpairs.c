/* Eigenpairs of an operator: the solver's map is Q in double precision. */
#include <string.h>

#include <cafe/bounds.h>

#include "spectral/eigen.h"

enum { MOST_PAIRS = 10000 };

static cafe_status multiply(cafe_context *context, const void *argument, const double *x,
                            double *y) {
    const cafe_operator *op = argument;
    return cafe_operator_exact(context, &op->parts, CAFE_EIGEN_WIDTH, x, y);
}

static cafe_status multiply_single(cafe_context *context, const void *argument, const float *x,
                                   float *y) {
    const cafe_operator *op = argument;
    return cafe_operator_eight(context, &op->parts, x, y);
}

cafe_eigen_problem cafe_eigen_operator(const cafe_operator *op,
                                       double (*want)(const void *argument, double value),
                                       int64_t count, double tolerance) {
    return (cafe_eigen_problem){
        op->n, multiply, want, op, count, tolerance, .single = multiply_single};
}

/* Y = Q X in doubles for eight columns, on the rows of this process, by the engine. */
static cafe_status multiply_own(cafe_context *context, const void *argument, const double *x,
                                double *y) {
    const cafe_owned *s = argument;
    return s->engine->ops->eight(context, s->engine, s->op, s->held, false, x, y);
}

static cafe_status multiply_own_single(cafe_context *context, const void *argument, const float *x,
                                       float *y) {
    const cafe_owned *s = argument;
    return s->engine->ops->eight(context, s->engine, s->op, s->held, true, x, y);
}

cafe_eigen_problem cafe_eigen_owned(const cafe_operator *op, const cafe_owned *owned,
                                    double (*want)(const void *argument, double value),
                                    int64_t count, double tolerance) {
    cafe_eigen_problem problem = cafe_eigen_operator(op, want, count, tolerance);
    if (!owned->engine) return problem;
    problem.product = multiply_own, problem.single = multiply_own_single;
    problem.argument = owned, problem.owned = owned;
    return problem;
}

/* Checks the arguments of cafe_operator_eigen(). */
static cafe_status check(cafe_context *context, const cafe_operator *op, cafe_end end,
                         int64_t count, double tolerance) {
    int64_t most = op->n < MOST_PAIRS ? op->n : MOST_PAIRS;
    if (end != CAFE_END_LARGEST && end != CAFE_END_SMALLEST)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%d is no end of the spectrum", (int)end);
    if (count < 1 || count > most)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%lld eigenpairs: expected 1 to %lld of this operator", (long long)count,
                         (long long)most);
    if (!(tolerance >= 0 && tolerance < 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the tolerance is %g: expected at least 0 and less than 1", tolerance);
    return cafe_operator_need_rows(context, op);
}

/* The `count` pairs of Q at one end of its spectrum, with |Q v - lambda v| <= tolerance |Q| for
 * each. */
cafe_status cafe_operator_eigen(cafe_context *context, const cafe_operator *op, cafe_end end,
                                int64_t count, double tolerance, double *values, double *vectors) {
    cafe_eigen found = {0};
    cafe_status status = CAFE_OK;
    cafe_eigen_problem problem = cafe_eigen_operator(
        op, end == CAFE_END_LARGEST ? cafe_want_largest : cafe_want_smallest, count, tolerance);
    CAFE_TRY(check(context, op, end, count, tolerance));
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(cafe_eigen_solve(context, &problem, &found));
    CAFE_TRY(cafe_eigen_need_all(context, &found));
    memcpy(values, found.values, (size_t)count * sizeof *values);
    if (vectors) memcpy(vectors, found.vectors, (size_t)(op->n * count) * sizeof *vectors);
done:
    cafe_phase(context, "", 0);
    cafe_eigen_free(context, &found);
    return status;
}
