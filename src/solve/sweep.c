/* Passes until the objective hardly grows, and what is known of it at the end. */
#include "solve/sweep.h"

#include "solve/checkpoint.h"

/* A run ends if the rule of the solver ends it, or after the largest number of sweeps. */
static bool is_over(const cafe_passes *passes, const cafe_solution *solution) {
    return solution->converged || solution->sweeps >= passes->most;
}

/* objective_{i+1} = objective_i + gain_i, where every sweep returns its exact gain
 * (operator/chunk_move.h). A run has converged if
 *
 *     gain_i <= tolerance |level + objective_{i+1}|,
 *
 * level being the objective at the start if it was computed, else 0.
 */
static cafe_status iterate(cafe_context *context, const cafe_operator *op, void *sweep,
                           cafe_passes *passes, cafe_solution *solution) {
    while (!is_over(passes, solution)) {
        double gain, *objective = solution->objective + solution->sweeps;
        CAFE_PASS(cafe_ops(&solution->h)->sweep_run(context, sweep, &gain));
        objective[1] = objective[0] + gain;
        solution->sweeps++;
        double now = passes->level + objective[1];
        solution->converged = passes->tolerance > 0 && gain <= passes->tolerance * fabs(now);
        if (passes->after) CAFE_PASS(passes->after(context, op, passes, solution));
        CAFE_PASS(cafe_keeper_note(context, passes, solution, sweep, is_over(passes, solution)));
        cafe_step(context, solution->sweeps, now);
    }
    return CAFE_OK;
}

/* Sweeps from the start, or from a checkpoint. In the second case H, the course and S are those of
 * the checkpoint, and the bits of the result are those of an uninterrupted run. */
cafe_status cafe_sweep(cafe_context *context, const cafe_operator *op, cafe_passes *passes,
                       cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    cafe_block *h = &solution->h;
    void *held = NULL, *sweep = NULL;
    bool begun = cafe_keeper_has(passes);
    passes->rule.passes = passes->most;
    if (begun) CAFE_TRY(cafe_keeper_restore(context, passes, solution));
    if (begun && is_over(passes, solution)) goto done;
    CAFE_TRY(cafe_engine_hold(context, h, op, &held));
    CAFE_TRY(cafe_ops(h)->sweep_open(context, op, held, &passes->rule, passes->chunks,
                                     passes->fixed, h, &sweep));
    cafe_phase(context, "sweep", passes->most);
    if (begun)
        CAFE_TRY(cafe_keeper_put_sums(context, passes, solution, sweep));
    else if (passes->after)
        CAFE_TRY(passes->after(context, op, passes, solution));
    CAFE_TRY(iterate(context, op, sweep, passes, solution));
done:
    cafe_ops(h)->sweep_close(context, sweep);
    return status;
}

/* Computes the objective at the end, tr(H^T Q H), from a product, and shifts the course by the
 * difference:
 *
 *     objective_i <- objective_i + (tr(H^T Q H) - objective_end),   i = 0 .. sweeps,
 *
 * because gains fix the course up to a constant only.
 */
cafe_status cafe_sweep_settle(cafe_context *context, const cafe_operator *op,
                              cafe_solution *solution) {
    double end = 0;
    cafe_status status = cafe_solution_product(context, op, solution, &end);
    double shift = end - solution->objective[solution->sweeps];
    for (int64_t i = 0; i <= solution->sweeps && status == CAFE_OK; i++)
        solution->objective[i] += shift;
    return status;
}
