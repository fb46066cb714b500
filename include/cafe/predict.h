/* Prediction: the classes of all nodes of a graph from those of some of them, with probabilities
 * and with the accuracy to be expected.
 *
 *     cafe_predict_inputs in;
 *     cafe_prediction *found = NULL;
 *     cafe_predict_inputs_init(&in);
 *     in.graph = graph, in.known = &targets;
 *     cafe_predict(context, &in, NULL, &found);
 *     ... cafe_prediction_probabilities(found), cafe_prediction_figures(found)->accuracy ...
 *     cafe_prediction_free(found);
 *
 * The known nodes are cut into folds. Each fold is predicted from the others: these predictions
 * choose the predictor, make probabilities of its scores, and give the expected accuracy.
 */
#ifndef CAFE_PREDICT_H
#define CAFE_PREDICT_H

#include <cafe/evaluate.h>
#include <cafe/method.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_predictor {
    CAFE_PREDICT_AUTO = 0,        /* chosen by the folds */
    CAFE_PREDICT_SMOOTHED = 1,    /* the classifier, then its probabilities smoothed over edges */
    CAFE_PREDICT_CLASSIFIER = 2,  /* logistic regression on the vectors */
    CAFE_PREDICT_PROPAGATION = 3, /* harmonic labels with class masses; nodes of one class */
    CAFE_PREDICT_CAFE = 4,        /* semi-supervised CAFE-GCN; nodes of one class */
    CAFE_PREDICT_ABSORBING = 5,   /* where walks end that may end at every node; one class */
    CAFE_PREDICT_COMBINED = 6     /* a weighted mean of the probabilities of all others */
} cafe_predictor;

typedef struct cafe_predict_options {
    size_t struct_size;
    int32_t by;      /* cafe_predictor */
    int64_t folds;   /* of the known nodes, each predicted from the others */
    int32_t several; /* 1: a node may have several classes, even if no known node has; 0: nodes
                        have several classes if a known node has */
} cafe_predict_options;

CAFE_LAB_OPTIONS(predict)

typedef struct cafe_predict_inputs {
    size_t struct_size;
    const cafe_graph *graph;
    const cafe_targets *known; /* the classes of the known nodes; the others have none */
    const float *vectors;      /* nodes x columns, row-major; NULL: those of Sphere-GCN */
    int64_t columns;
    const double *weight; /* weight[nodes] of the known nodes, above 0; NULL: all count alike */
    const cafe_feature_inputs *features; /* of the nodes, for the vectors of Sphere-GCN; NULL: none.
                                          * They do not go with vectors of the caller */
    int32_t averaged; /* 1: the vectors of the caller have columns of features averaged over the
                       * neighbours, as those of sphere with features */
} cafe_predict_inputs;

CAFE_INPUTS(predict)

/* Options may be NULL. CAFE_ERROR_ARGUMENT: no node has a class. */
typedef struct cafe_prediction cafe_prediction;
CAFE_API cafe_status cafe_predict(cafe_context *context, const cafe_predict_inputs *inputs,
                                  const cafe_predict_options *options,
                                  cafe_prediction **prediction);
CAFE_API void cafe_prediction_free(cafe_prediction *prediction); /* accepts NULL */

/* nodes x classes, row-major. Rows of nodes with one class sum to 1. Known nodes have their classes
 * with probability 1. Valid as long as the prediction, like all below. */
CAFE_API const float *cafe_prediction_probabilities(const cafe_prediction *prediction);
/* The predicted classes of node u are (*value)[(*offsets)[u]] .. (*value)[(*offsets)[u + 1] - 1],
 * most likely first, at least one. Nodes with one class have the most likely; with several, those
 * whose probability is at least the threshold. */
CAFE_API void cafe_prediction_classes(const cafe_prediction *prediction, const int64_t **offsets,
                                      const int32_t **value);

/* What held-out nodes say of a predictor. The found share of a node is the share of its classes
 * that are among as many classes of largest score: with one class 1 or 0. */
typedef struct cafe_predict_trial {
    const char *predictor; /* as the options call it */
    double accuracy;       /* mean found share; NaN: no node was held out */
    double error;          /* standard error of that mean */
    double log_loss;       /* mean over nodes of -log of the probability of what is true */
    double ahead;          /* mean difference of the found share to that of the first trial, */
    double ahead_error;    /* and its standard error; 0 for the first */
} cafe_predict_trial;

typedef struct cafe_predict_figures {
    const char *predictor;  /* the one used, as the options call it */
    int32_t several;        /* 1: nodes may have several classes */
    int64_t known;          /* nodes */
    int64_t classes;        /* that a known node has */
    int64_t held_out;       /* known nodes predicted from others; 0: accuracy and so on are NaN */
    double accuracy, error; /* as in its trial */
    double micro_f1, macro_f1; /* of the predicted classes of held-out nodes */
    double log_loss;           /* of held-out nodes */
    double frequency_log_loss; /* that of the class frequencies of the known nodes */
    double calibration_error;  /* mean difference of probability and share right, ten bins */
    double smoothing;          /* part of the neighbours in smoothed probabilities; 0: none */
    double threshold;          /* several: probability from which a class counts; else 0 */
    int64_t trials;            /* predictors that were compared */
    const cafe_predict_trial *trial;
    const char *warning; /* why the expected accuracy cannot be relied on; NULL: it can */
} cafe_predict_figures;

CAFE_API const cafe_predict_figures *cafe_prediction_figures(const cafe_prediction *prediction);

/* ---- edges that are not there yet ------------------------------------------------------------ */

/* The probability that a pair of nodes gets an edge, by a logistic regression on six columns. These
 * are the cosine of the vectors, their lengths, paths of two and of three edges, the degrees. It
 * learns from pairs that had no edge and got one, beside as many pairs without an edge. Both ends
 * of these are drawn by their number of edges. The columns of the pairs that it learns from are
 * those of a graph without the edges to be found; later they are those of the whole graph. */
typedef struct cafe_link_model cafe_link_model;

/* The probability holds where half of the pairs get an edge, as among those it learns from. All
 * figures are of pairs that are predicted from the others, by five folds; NaN: too few. */
typedef struct cafe_link_figures {
    int64_t edges, others;    /* pairs to learn from: that got an edge, that have none */
    double accuracy;          /* share right, with .5 as the threshold */
    double auc;               /* chance that a pair with an edge has the larger probability */
    double average_precision; /* of the pairs by descending probability */
    double log_loss;          /* log 2 of a probability that knows nothing */
    double calibration_error; /* mean difference of probability and share right, ten bins */
} cafe_link_figures;

/* `earlier` has the same nodes and the edges of an earlier time: edges that came since are those to
 * learn from. NULL: a tenth of the edges is hidden by the seed. The graph must outlive the model.
 * CAFE_ERROR_ARGUMENT: no edge can be hidden, none came, or every pair has an edge. */
CAFE_API cafe_status cafe_link_model_learn(cafe_context *context, const cafe_graph *graph,
                                           const cafe_graph *earlier, cafe_link_model **model);
CAFE_API void cafe_link_model_free(cafe_link_model *model); /* accepts NULL */
CAFE_API const cafe_link_figures *cafe_link_model_figures(const cafe_link_model *model);

/* probability[count] of pairs of nodes. It is 1 for an edge of the graph, and 0 for a node with
 * itself and for two nodes of one side of a bipartite graph. */
CAFE_API cafe_status cafe_link_model_predict(cafe_context *context, const cafe_link_model *model,
                                             int64_t count, const int32_t *source,
                                             const int32_t *target, double *probability);

#ifdef __cplusplus
}
#endif
#endif
