/* The steps of a run, and the course that the method leaves. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/graph_writer.h"
#include "method/method.h"
#include "os/os.h"
#include "run/run.h"
#include "solve/checkpoint.h"
#include "solve/solution.h"

/* ---- before ---------------------------------------------------------------------------------- */

static bool same_sampling(const cafe_run *a, const cafe_run *b) {
    return a->graph == b->graph && a->method == b->method &&
           a->options.sampling == b->options.sampling &&
           memcmp(&a->sample, &b->sample, sizeof a->sample) == 0 &&
           a->given.attributes == b->given.attributes && a->given.seeds == b->given.seeds &&
           !a->given.features && !b->given.features;
}

static cafe_model *shared_model(const cafe_run *run) {
    for (const cafe_run *other = run->from; other; other = other->from)
        if (other->model && same_sampling(run, other)) return other->model;
    return NULL;
}

/* A limit that the run keeps to without files needs no watching any more. */
static cafe_status sample(cafe_run *run) {
    if (!run->graph)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         "the run has the size of a graph, and no graph");
    CAFE_PASS(cafe_run_fits(run));
    if (run->forecast.ranks.ranks > 0)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("ranks") " is for forecasts: a run has the processes that mpirun "
                                           "gives it");
    if (run->limit > 0 && run->forecast.plan.files == 0)
        CAFE_PASS(cafe_limit_memory(run->context, 0, NULL));
    run->model = shared_model(run);
    run->borrowed = run->model != NULL;
    if (run->borrowed) return CAFE_OK;
    CAFE_PASS(cafe_model_create(run->context, run->graph, run->method, &run->options, &run->inputs,
                                &run->model));
    return cafe_run_divide(run);
}

/* ---- the method ------------------------------------------------------------------------------ */

static cafe_status keep_objective(cafe_run *run, const double *objective) {
    cafe_run_course *c = &run->course;
    size_t bytes = (size_t)(c->sweeps + 1) * sizeof *objective;
    if (!objective) return CAFE_OK;
    c->objective = run->objective = cafe_mem(run->context, c->sweeps + 1, sizeof *objective);
    if (!run->objective) return CAFE_ERROR_MEMORY;
    memcpy(run->objective, objective, bytes);
    return CAFE_OK;
}

/* The finish consumes the solution, so its course is copied. */
static cafe_status keep_course(cafe_run *run) {
    cafe_solution *s = run->solution;
    cafe_run_course *c = &run->course;
    *c = (cafe_run_course){.columns = s->columns,
                           .sweeps = s->sweeps,
                           .converged = s->converged,
                           .findings = run->findings,
                           .finding_count = s->finding_count,
                           .is_loss = s->loss};
    memcpy(run->findings, s->findings, sizeof run->findings);
    CAFE_PASS(keep_objective(run, s->objective));
    c->off_diagonal = c->is_loss ? NAN : c->objective[c->sweeps] - cafe_solution_diagonal(s);
    return CAFE_OK;
}

static cafe_status keep_communities(cafe_run *run) {
    cafe_run_course *c = &run->course;
    const cafe_clustering_info *found = cafe_clustering_get(run->clustering);
    *c = (cafe_run_course){.columns = found->columns,
                           .sweeps = found->sweeps,
                           .converged = found->converged,
                           .off_diagonal = NAN,
                           .findings = run->findings,
                           .finding_count = 2};
    run->findings[0] = (cafe_finding){"communities", (double)found->communities};
    run->findings[1] = (cafe_finding){"modularity", found->modularity};
    return keep_objective(run, found->objective);
}

/* The solvers find the run's checkpoint in the context. */
static cafe_status solve(cafe_run *run) {
    bool vectors = run->purpose == CAFE_PURPOSE_VECTORS;
    CAFE_PASS(cafe_run_take_start(run));
    run->context->checkpoint = run->checkpoint;
    cafe_status status =
        vectors ? cafe_model_solve(run->context, run->model, run->method, &run->options,
                                   &run->inputs, &run->solution, &run->layers)
                : cafe_model_cluster(run->context, run->model, run->method, &run->options,
                                     &run->inputs, &run->clustering);
    run->context->checkpoint = NULL;
    if (status == CAFE_OK && !vectors) status = cafe_run_try(run);
    if (status == CAFE_OK && !vectors) status = cafe_run_profile(run);
    if (status == CAFE_OK) status = vectors ? keep_course(run) : keep_communities(run);
    if (status == CAFE_OK && !vectors) status = cafe_run_find_bound(run);
    if (status == CAFE_OK && !vectors) status = cafe_run_warn_sizes(run);
    if (status == CAFE_OK) status = cafe_run_compare_start(run);
    return status == CAFE_OK ? cafe_run_warn_course(run) : status;
}

cafe_status cafe_run_rows(const cafe_run *run, float *rows) {
    if (!run->solution)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT,
                         "the rows of the method are there between its step and the finish");
    return cafe_solution_copy(run->solution, rows);
}

/* ---- after ----------------------------------------------------------------------------------- */

/* Nothing is made of a mapped graph whose file changed meanwhile. */
static cafe_status finish(cafe_run *run) {
    if (run->purpose == CAFE_PURPOSE_VECTORS) {
        CAFE_PASS(cafe_model_finish_to(run->context, run->model, run->method, &run->options,
                                       run->output, run->overwrite, &run->solution,
                                       &run->embedding));
        CAFE_PASS(cafe_run_warn_vectors(run));
    }
    CAFE_PASS(cafe_run_measure_division(run));
    return cafe_graph_unchanged(run->context, run->graph);
}

static cafe_status write_result(cafe_run *run) {
    if (!run->output) return CAFE_OK;
    if (run->embedding)
        return cafe_embedding_write(run->context, run->embedding, run->graph, run->output,
                                    run->overwrite);
    const cafe_run_changes *changes = cafe_run_changes_of(run);
    const cafe_run_trials *trials = cafe_run_trials_of(run);
    cafe_partition_columns columns = {cafe_clustering_get(run->clustering)->partition, NULL, NULL};
    if (changes) columns.partition = changes->partition;
    if (trials) columns.stay = trials->stay, columns.consensus = trials->consensus;
    return cafe_partition_write(run->context, run->graph, &columns, run->output, run->overwrite);
}

static cafe_status write_output(cafe_run *run) {
    CAFE_PASS(write_result(run));
    return run->checkpoint ? cafe_checkpoint_remove(run->context, run->checkpoint) : CAFE_OK;
}

/* ---- the steps ------------------------------------------------------------------------------- */

cafe_status cafe_run_next(cafe_run *run, cafe_run_step *done) {
    static cafe_status (*const steps[])(cafe_run *) = {sample, solve, finish, write_output};
    double began = cafe_os_seconds();
    *done = run->step;
    if (run->step >= CAFE_STEP_WRITE) return CAFE_OK;
    CAFE_PASS(steps[run->step](run));
    *done = run->step = (cafe_run_step)(run->step + 1);
    run->seconds[run->step] = cafe_os_seconds() - began;
    return CAFE_OK;
}

cafe_status cafe_run_go(cafe_run *run) {
    cafe_run_step done = run->step;
    while (done != CAFE_STEP_WRITE) CAFE_PASS(cafe_run_next(run, &done));
    return CAFE_OK;
}
