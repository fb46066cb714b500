/* Inside prediction: the data of one call, scores of a predictor, probabilities of scores. */
#ifndef CAFE_PREDICT_PREDICT_H
#define CAFE_PREDICT_PREDICT_H

#include <cafe/predict.h>

#include "base/context.h"

enum { PREDICTORS = CAFE_PREDICT_COMBINED + 1 };

/* One call of cafe_predict(). Scores are row-major nodes x classes. */
typedef struct predict_job {
    cafe_context *context;
    const cafe_graph *graph;
    const cafe_targets *known;
    int64_t n, classes;
    cafe_predict_options options;
    bool several;                        /* nodes may have several classes */
    const float *given;                  /* vectors of the caller; NULL: none */
    const cafe_feature_inputs *features; /* for the vectors that are made; NULL: none */
    bool averaged;        /* the vectors have features averaged over the neighbours */
    const double *weight; /* of the known nodes; NULL: all count alike */
    int64_t columns;
    float *x;      /* n x columns: the vectors, rows of length 1; NULL: not made yet */
    int32_t *fold; /* fold[n]: the fold in which a known node is held out; -1: none, or unknown */
    int64_t classified; /* the fold whose scores by the classifier stand in the block of scores;
                         * NOT_CLASSIFIED: none */
    double smoothing;   /* the share of the neighbours, as it was last */
} predict_job;

enum { NOT_CLASSIFIED = -2 };

/* Whether a node is known when `fold` is held out (-1: none is). */
static inline bool predict_is_known(const predict_job *j, int64_t u, int64_t fold) {
    return j->known->offsets[u + 1] > j->known->offsets[u] && (fold < 0 || j->fold[u] != fold);
}

/* predictors.c: *x <- the vectors of Sphere-GCN with its defaults, n x *columns, row-major;
 * features may be NULL. *x is of the context's memory, or NULL, whatever the status. */
cafe_status cafe_predict_embed(cafe_context *context, const cafe_graph *graph,
                               const cafe_feature_inputs *features, int64_t *columns, float **x);

/* predictors.c: score[n x classes] of a predictor that knows all known nodes outside of `fold`. It
 * is always the same block: the smoothed scores are made from those of the classifier if they stand
 * in it. */
cafe_status cafe_predictor_scores(predict_job *job, cafe_predictor predictor, int64_t fold,
                                  float *score);

/* smooth.c: probabilities carried along the edges, score <- the smoothed ones; the share of the
 * neighbours into job->smoothing. */
cafe_status cafe_predict_smooth(predict_job *job, int64_t fold, float *score);

/* ---- probabilities (calibrate.c) ------------------------------------------------------------- */

/* How probabilities follow from scores. */
typedef struct predict_calibration {
    double power, share;         /* one class a node */
    double slope, offset, prior; /* several */
} predict_calibration;

/* Held-out nodes with their scores, and the frequencies of the classes among the known nodes. */
typedef struct predict_held {
    int64_t count, classes;
    const int32_t *node; /* count */
    const float *score;  /* count x classes */
    const double *frequency;
    const cafe_targets *known;
    bool several;
    double *weight; /* of each held-out node, with mean 1 */
} predict_held;

/* The calibration with the least log loss of the held-out nodes; `ready`: the scores are
 * probabilities, which change only where the frequencies may be as good. */
cafe_status cafe_predict_calibrate(cafe_context *context, const predict_held *held, bool ready,
                                   predict_calibration *calibration);
/* p[classes] of a row of scores. */
void cafe_predict_apply(const predict_calibration *calibration, const predict_held *held,
                        const float *score, double *p);

/* ---- held-out nodes (folds.c, combine.c) ----------------------------------------------------- */

/* CAFE_ERROR_ARGUMENT: classes out of range, or none known. */
cafe_status cafe_predict_check_known(const predict_job *job);
/* The fold of every known node, the held-out nodes with weight 1, the frequencies, and how many
 * nodes and classes are known. The caller frees the arrays of `held`, whatever the status. */
cafe_status cafe_predict_folds(predict_job *job, predict_held *held, cafe_predict_figures *f);

/* score[held out x classes] <- the combined probabilities; weight[count] of the predictors for all
 * other nodes. p[k] are the probabilities of a predictor: the classifier, the smoothed one, then
 * others. */
cafe_status cafe_predict_combine(predict_job *job, const predict_held *held, int count,
                                 const double *const *p, float *score, double *weight);

/* ---- figures (held_out.c) -------------------------------------------------------------------- */

/* The classes of a node by its probabilities, most likely first, into to[classes]; how many. */
int64_t cafe_predict_decide(const predict_held *held, double threshold, const double *p,
                            uint8_t *taken, int32_t *to);
/* Mean of x over the held-out nodes by weight, and its standard error. */
void cafe_predict_mean(const predict_held *held, const double *x, double *mean, double *error);
/* The threshold with the largest micro F1; found[count]: the found share of each held-out node; all
 * figures but those of the trials. p is count x classes. */
cafe_status cafe_predict_measure(cafe_context *context, const predict_held *held, const double *p,
                                 double *found, cafe_predict_figures *figures);

#endif
