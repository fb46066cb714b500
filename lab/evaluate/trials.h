/* The frame of an evaluation: tasks, their contexts, what they measured. */
#ifndef CAFE_EVALUATE_TRIALS_H
#define CAFE_EVALUATE_TRIALS_H

#include <cafe/evaluate.h>

#include "base/context.h"

/* One split of one share. */
typedef struct cafe_trial {
    cafe_context *context; /* its own: one thread, the repeat's seed, cancelled with the caller's */
    int64_t share, repeat;
    double train;
    double *value;     /* of each metric, to be filled in */
    cafe_share result; /* likewise, except for `train` */
} cafe_trial;

typedef cafe_status cafe_trial_body(const void *self, cafe_trial *trial);

/* What is run: repeats first .. first + repeats - 1 of every share. */
typedef struct cafe_trials {
    const char *const *names; /* of the metrics */
    int64_t metrics, first, repeats;
    cafe_trial_body *body;
    const void *self;
} cafe_trials;

/* Runs repeats x count trials in parallel and gathers their values. The first of the trials that
 * failed gives status and text. */
cafe_status cafe_evaluation_run(cafe_context *context, const cafe_trials *trials, int64_t count,
                                const double *shares, cafe_evaluation **evaluation);

/* What a method may know in a trial. */
typedef struct cafe_known {
    const cafe_graph *graph; /* NULL: that of the features' model */
    const int32_t *label;    /* of each node, -1 without one; NULL: none */
    int64_t classes;
} cafe_known;

/* The vectors of a trial: of the method when there is one, to be released, or the block. */
cafe_status cafe_trial_features(cafe_trial *trial, const cafe_features *features, int64_t nodes,
                                cafe_known known, const float **x, int64_t *columns);
void cafe_trial_release(cafe_trial *trial, const cafe_features *features, const float *x);

/* Calls the classifier, on the clock; a score that is not finite is CAFE_ERROR_NUMERIC. */
cafe_status cafe_trial_predict(cafe_trial *trial, const cafe_classifier *classifier,
                               const cafe_classifier_data *data, double *scores);

/* The caller's structs by their sizes, into own ones; classifier NULL: none. */
cafe_status cafe_evaluation_inputs(cafe_context *context, const cafe_features *features,
                                   const cafe_classifier *classifier, cafe_features *own,
                                   cafe_classifier *judge);

/* There is a method, or a block of finite numbers. */
cafe_status cafe_features_check(cafe_context *context, const cafe_features *features,
                                int64_t nodes);

cafe_status cafe_targets_from_array(cafe_context *context, int64_t nodes, int64_t classes,
                                    const int32_t *label, cafe_targets *targets);

#endif
