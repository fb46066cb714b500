/* Passes until the objective hardly grows, and what is known of it at the end. */
#include "solve/sweep.h"

static cafe_status iterate(cafe_context *context, const cafe_operator *op, void *sweep,
                           const cafe_passes *passes, cafe_solution *solution) {
    cafe_phase(context, "sweep", passes->most);
    if (passes->after) CAFE_PASS(passes->after(context, op, passes, solution));
    for (int64_t i = 0; i < passes->most && !solution->converged; i++) {
        double gain;
        CAFE_PASS(cafe_ops(&solution->h)->sweep_run(context, sweep, &gain));
        solution->objective[i + 1] = solution->objective[i] + gain;
        solution->sweeps = i + 1;
        double now = passes->level + solution->objective[i + 1];
        solution->converged = passes->tolerance > 0 && gain <= passes->tolerance * fabs(now);
        if (passes->after) CAFE_PASS(passes->after(context, op, passes, solution));
        cafe_step(context, i + 1, now);
    }
    return CAFE_OK;
}

cafe_status cafe_sweep(cafe_context *context, const cafe_operator *op, const cafe_passes *passes,
                       cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    cafe_block *h = &solution->h;
    void *held = NULL, *sweep = NULL;
    CAFE_TRY(cafe_engine_hold(context, h, op, &held));
    CAFE_TRY(cafe_ops(h)->sweep_open(context, op, held, &passes->rule, passes->chunks,
                                     passes->fixed, h, &sweep));
    CAFE_TRY(iterate(context, op, sweep, passes, solution));
done:
    cafe_ops(h)->sweep_close(context, sweep);
    return status;
}

cafe_status cafe_sweep_settle(cafe_context *context, const cafe_operator *op,
                              cafe_solution *solution) {
    double end = 0;
    cafe_status status = cafe_solution_product(context, op, solution, &end);
    double shift = end - solution->objective[solution->sweeps];
    for (int64_t i = 0; i <= solution->sweeps && status == CAFE_OK; i++)
        solution->objective[i] += shift;
    return status;
}
