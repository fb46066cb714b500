/* Passes until the objective hardly grows, and what is known of it at the end. */
#include "solve/sweep.h"

static cafe_status iterate(cafe_context *context, cafe_mover *mover, const cafe_passes *passes,
                           cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    cafe_phase(context, "sweep", passes->most);
    for (int64_t i = 0; i < passes->most && !solution->converged; i++) {
        double gain;
        CAFE_TRY(cafe_mover_sweep(context, mover, &gain));
        solution->objective[i + 1] = solution->objective[i] + gain;
        solution->sweeps = i + 1;
        double now = passes->level + solution->objective[i + 1];
        solution->converged = passes->tolerance > 0 && gain <= passes->tolerance * fabs(now);
        cafe_step(context, i + 1, now);
    }
done:
    return status;
}

cafe_status cafe_sweep(cafe_context *context, const cafe_operator *op, const cafe_passes *passes,
                       cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    cafe_mover *mover = NULL;
    CAFE_TRY(cafe_mover_new(context, op, passes->rule, solution->stride, solution->h.x,
                            passes->fixed, &mover));
    CAFE_TRY(cafe_mover_aim(context, mover, NULL, 0, passes->chunks, NULL));
    CAFE_TRY(iterate(context, mover, passes, solution));
done:
    cafe_mover_free(mover);
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
