/* The frame of an evaluation.
 *
 * A trial is one task of the pool. What it calls (a method, a classifier) wants a context, and the
 * caller's is busy with the pool. So every trial has a context of its own, with the same allocator
 * and a seed that follows from the caller's and the repeat. It has one thread, or an equal part of
 * the caller's threads if these are more than the trials. The seed does not depend
 * on the share: a share's values are the same whichever others are asked for. Values go to places
 * of their own, so the order in which trials end does not matter.
 */
#define _POSIX_C_SOURCE 200809L
#include "evaluate/trials.h"

#include <math.h>
#include <string.h>

#include <cafe-private/results.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "method/model.h"
#include "os/os.h"

struct cafe_evaluation {
    cafe_context *context;
    int64_t shares, repeats, metrics;
    const char *const *names;
    double *value;      /* shares x repeats x metrics */
    int64_t *choice;    /* shares x repeats */
    cafe_share *result; /* of each share */
    double seconds;
};

/* ---- trials ---------------------------------------------------------------------------------- */

/* What went wrong in a worker; task -1: nothing did. */
typedef struct failure {
    int64_t task;
    cafe_status status;
    char text[sizeof((cafe_context *)0)->error];
} failure;

typedef struct run {
    cafe_context *context;
    cafe_evaluation *evaluation;
    const double *shares;
    const cafe_trials *trials;
    cafe_share *result; /* of each trial */
    failure *failures;  /* of each worker: its first */
    int32_t threads;    /* of each trial */
    atomic_llong done;
    atomic_int failed;
} run;

static uint64_t repeat_seed(uint64_t seed, int64_t repeat) {
    cafe_random4 r = cafe_philox(seed, CAFE_STREAM_REPEAT, (uint64_t)repeat);
    return (uint64_t)r.v[0] << 32 | r.v[1];
}

static cafe_status open_context(cafe_context *parent, int64_t repeat, int32_t threads,
                                cafe_context **context) {
    cafe_context_options o;
    cafe_context_options_init(&o);
    o.threads = threads;
    o.seed = repeat_seed(parent->seed, repeat);
    o.allocator = parent->allocator;
    o.engine = parent->engine_name;
    cafe_status status = cafe_context_create(&o, context);
    if (status != CAFE_OK) return status;
    (*context)->parent = parent;
    (*context)->methods = parent->methods;
    (*context)->method_count = parent->method_count;
    return CAFE_OK;
}

static void note_failure(run *r, int64_t task, int32_t worker, cafe_status status,
                         const char *text) {
    failure *f = &r->failures[worker];
    atomic_store(&r->failed, 1);
    if (f->task >= 0) return;
    f->task = task;
    f->status = status;
    size_t length = strnlen(text, sizeof f->text - 1);
    memcpy(f->text, text, length);
    f->text[length] = 0;
}

/* The last shares first: they are usually the largest, and the longest should not begin last. */
static void run_trial(void *argument, int64_t task, int32_t worker) {
    run *r = argument;
    cafe_evaluation *e = r->evaluation;
    int64_t share = e->shares - 1 - task / e->repeats, repeat = task % e->repeats;
    int64_t place = share * e->repeats + repeat;
    cafe_trial trial = {.share = share, .repeat = repeat, .train = r->shares[share]};
    trial.value = e->value + place * e->metrics;
    if (atomic_load(&r->failed)) return;
    cafe_status status =
        open_context(r->context, r->trials->first + repeat, r->threads, &trial.context);
    if (status == CAFE_OK) status = r->trials->body(r->trials->self, &trial);
    if (status != CAFE_OK)
        note_failure(r, task, worker, status,
                     trial.context ? cafe_error(trial.context) : "out of memory: a context");
    cafe_context_free(trial.context);
    r->result[place] = trial.result;
    e->choice[place] = trial.result.choice;
    cafe_step(r->context, atomic_fetch_add(&r->done, 1) + 1, 0);
}

static cafe_status first_failure(run *r) {
    const failure *first = NULL;
    for (int32_t i = 0; i < r->context->threads; i++) {
        const failure *f = &r->failures[i];
        if (f->task >= 0 && (!first || f->task < first->task)) first = f;
    }
    return first ? cafe_fail(r->context, first->status, "%s", first->text) : CAFE_OK;
}

static void gather_results(const run *r) {
    cafe_evaluation *e = r->evaluation;
    for (int64_t s = 0; s < e->shares; s++) {
        const cafe_share *of = r->result + s * e->repeats;
        cafe_share sum = of[0];
        sum.train = r->shares[s];
        for (int64_t i = 1; i < e->repeats; i++) {
            sum.feature_seconds += of[i].feature_seconds;
            sum.classifier_seconds += of[i].classifier_seconds;
        }
        e->result[s] = sum;
    }
}

static cafe_status new_evaluation(cafe_context *context, int64_t shares, int64_t repeats,
                                  int64_t metrics, cafe_evaluation **evaluation) {
    cafe_evaluation *e = *evaluation = cafe_mem_zero(context, 1, sizeof *e);
    if (!e) return CAFE_ERROR_MEMORY;
    e->context = context;
    e->shares = shares;
    e->repeats = repeats;
    e->metrics = metrics;
    e->value = cafe_mem_zero(context, shares * repeats * metrics, sizeof *e->value);
    e->choice = cafe_mem_zero(context, shares * repeats, sizeof *e->choice);
    e->result = cafe_mem_zero(context, shares, sizeof *e->result);
    return cafe_mem_had(e->value, e->choice, e->result);
}

cafe_status cafe_evaluation_run(cafe_context *context, const cafe_trials *trials, int64_t count,
                                const double *shares, cafe_evaluation **evaluation) {
    cafe_status status = CAFE_OK;
    double begun = cafe_os_seconds();
    run r = {.context = context, .shares = shares, .trials = trials};
    *evaluation = NULL;
    if (count < 1) return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no share to train on");
    CAFE_TRY(new_evaluation(context, count, trials->repeats, trials->metrics, evaluation));
    r.evaluation = *evaluation;
    r.evaluation->names = trials->names;
    int64_t tasks = count * trials->repeats;
    r.threads = tasks < context->threads ? (int32_t)(context->threads / tasks) : 1;
    r.result = cafe_mem_zero(context, tasks, sizeof *r.result);
    r.failures = cafe_mem(context, context->threads, sizeof *r.failures);
    CAFE_TRY(cafe_mem_had(r.result, r.failures));
    for (int32_t i = 0; i < context->threads; i++) r.failures[i].task = -1;
    cafe_phase(context, "evaluate", tasks);
    CAFE_TRY(cafe_parallel(context, tasks, run_trial, &r));
    CAFE_TRY(first_failure(&r));
    gather_results(&r);
    r.evaluation->seconds = cafe_os_seconds() - begun;
done:
    cafe_mem_free_all(context, r.result, r.failures);
    if (status != CAFE_OK) {
        cafe_evaluation_free(*evaluation);
        *evaluation = NULL;
    }
    return status;
}

/* ---- what trials share ----------------------------------------------------------------------- */

static cafe_status check_finite(cafe_context *context, const float *x, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(x[i]))
            return cafe_fail(context, CAFE_ERROR_NUMERIC,
                             "the vectors have a number that is not "
                             "finite");
    return CAFE_OK;
}

cafe_status cafe_evaluation_inputs(cafe_context *context, const cafe_features *features,
                                   const cafe_classifier *classifier, cafe_features *own,
                                   cafe_classifier *judge) {
    CAFE_PASS(cafe_inputs_take(context, "features", features, own, sizeof *own));
    return cafe_inputs_take(context, "classifier", classifier, judge, sizeof *judge);
}

cafe_status cafe_features_check(cafe_context *context, const cafe_features *features,
                                int64_t nodes) {
    if (features->method) return CAFE_OK;
    if (features->block && features->columns > 0)
        return check_finite(context, features->block, nodes * features->columns);
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no vectors and no method that makes them");
}

/* Everything in the trial's own context. */
static cafe_status embed(cafe_context *context, const cafe_features *f, cafe_known known,
                         int64_t nodes, int64_t *columns, float **x) {
    cafe_status status = CAFE_OK;
    cafe_model *own = NULL;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    if (f->method->takes & CAFE_TAKES_LABELS) inputs.labels = known.label;
    inputs.classes = inputs.labels ? known.classes : 0;
    if (known.graph)
        CAFE_TRY(cafe_model_create(context, known.graph, f->method, f->options, NULL, &own));
    const cafe_model *model = known.graph ? own : f->model;
    CAFE_TRY(cafe_model_solve(context, model, f->method, f->options, &inputs, &solution, NULL));
    CAFE_TRY(cafe_model_finish(context, model, f->method, f->options, &solution, &embedding));
    *columns = cafe_embedding_certificate(embedding)->columns;
    *x = cafe_mem(context, nodes * *columns, sizeof **x);
    CAFE_TRY(*x ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_embedding_copy(embedding, *x));
done:
    cafe_embedding_free(embedding);
    cafe_model_free(own);
    return status;
}

cafe_status cafe_trial_features(cafe_trial *trial, const cafe_features *features, int64_t nodes,
                                cafe_known known, const float **x, int64_t *columns) {
    float *made = NULL;
    double begun = cafe_os_seconds();
    *x = features->block;
    *columns = features->columns;
    if (!features->method) return CAFE_OK;
    *x = NULL;
    *columns = 0;
    cafe_status status = embed(trial->context, features, known, nodes, columns, &made);
    trial->result.feature_seconds += cafe_os_seconds() - begun;
    *x = made;
    if (status != CAFE_OK) return status;
    if (*columns < 1)
        return cafe_fail(trial->context, CAFE_ERROR_ARGUMENT, "the method left no columns");
    return check_finite(trial->context, made, nodes * *columns);
}

void cafe_trial_release(cafe_trial *trial, const cafe_features *features, const float *x) {
    if (features->method) cafe_mem_free(trial->context, x);
}

cafe_status cafe_trial_predict(cafe_trial *trial, const cafe_classifier *classifier,
                               const cafe_classifier_data *data, double *scores) {
    double begun = cafe_os_seconds();
    CAFE_PASS(cafe_check_cancel(trial->context));
    cafe_status status = classifier->predict(classifier->self, trial->context, data, scores);
    trial->result.classifier_seconds += cafe_os_seconds() - begun;
    for (int64_t i = 0; status == CAFE_OK && i < data->test * data->classes; i++)
        if (!isfinite(scores[i]))
            status =
                cafe_fail(trial->context, CAFE_ERROR_NUMERIC,
                          "the classifier %s gave a score that is not finite", classifier->name);
    return status;
}

cafe_status cafe_evaluate_fail(cafe_context *context, cafe_status status, const char *text) {
    return cafe_fail(context, status, "%s", text);
}

cafe_status cafe_evaluate_stopped(cafe_context *context) {
    return cafe_check_cancel(context);
}

/* ---- results --------------------------------------------------------------------------------- */

int64_t cafe_evaluation_shares(const cafe_evaluation *evaluation) {
    return evaluation->shares;
}

int64_t cafe_evaluation_repeats(const cafe_evaluation *evaluation) {
    return evaluation->repeats;
}

double cafe_evaluation_seconds(const cafe_evaluation *evaluation) {
    return evaluation->seconds;
}

const cafe_share *cafe_evaluation_share(const cafe_evaluation *evaluation, int64_t share) {
    return &evaluation->result[share];
}

int64_t cafe_evaluation_metrics(const cafe_evaluation *evaluation) {
    return evaluation->metrics;
}

const char *cafe_evaluation_metric_name(const cafe_evaluation *evaluation, int64_t metric) {
    return evaluation->names[metric];
}

double cafe_evaluation_value(const cafe_evaluation *e, int64_t share, int64_t repeat,
                             int64_t metric) {
    return e->value[(share * e->repeats + repeat) * e->metrics + metric];
}

int64_t cafe_evaluation_choice(const cafe_evaluation *e, int64_t share, int64_t repeat) {
    return e->choice[share * e->repeats + repeat];
}

/* mean = sum x / k, std = sqrt(sum (x - mean)^2 / (k - 1)) over the k values that are defined */
void cafe_figure_find(int64_t count, int64_t stride, const double *value, cafe_figure *figure) {
    double sum = 0, squares = 0;
    int64_t k = 0;
    for (int64_t i = 0; i < count; i++)
        if (!isnan(value[i * stride])) sum += value[i * stride], k++;
    double mean = k ? sum / (double)k : NAN;
    for (int64_t i = 0; i < count; i++) {
        double x = value[i * stride] - mean;
        if (!isnan(x)) squares += x * x;
    }
    *figure = (cafe_figure){mean, k > 1 ? sqrt(squares / (double)(k - 1)) : NAN, k};
}

void cafe_evaluation_figure(const cafe_evaluation *e, int64_t share, int64_t metric,
                            cafe_figure *figure) {
    cafe_figure_find(e->repeats, e->metrics, e->value + share * e->repeats * e->metrics + metric,
                     figure);
}

void cafe_evaluation_free(cafe_evaluation *evaluation) {
    if (!evaluation) return;
    cafe_mem_free_all(evaluation->context, evaluation->value, evaluation->choice,
                      evaluation->result, evaluation);
}
