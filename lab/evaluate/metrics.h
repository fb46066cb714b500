/* Figures of predictions: of classes, of scores, of a binary decision. */
#ifndef CAFE_EVALUATE_METRICS_H
#define CAFE_EVALUATE_METRICS_H

#include <stdint.h>

#include "base/context.h"

/* A test row's score for a class, and whether it has the class. */
typedef struct cafe_scored {
    double score;
    int32_t positive;
} cafe_scored;

/* Sorts the items by score. Both are NaN without a positive; the AUC also without a negative. */
double cafe_roc_auc(cafe_scored *items, int64_t count);
double cafe_average_precision(cafe_scored *items, int64_t count);

/* The score above which "positive" is right most often, of the least such cuts. Sorts the items. */
double cafe_best_cut(cafe_scored *items, int64_t count);

/* Decisions for one class, counted. */
typedef struct cafe_confusion {
    int64_t tp, fp, fn;
} cafe_confusion;

/* F1 = 2 TP / (2 TP + FP + FN); 0 when there is nothing to find and nothing was found. */
double cafe_f1(cafe_confusion c);

/* Test rows: row i has the classes value[offsets[i]] .. value[offsets[i+1] - 1] and was given as
 * many, predicted[...] at the same places. */
typedef struct cafe_outcome {
    int64_t rows, classes;
    const int64_t *offsets;
    const int32_t *value, *predicted;
    const double *scores;    /* rows x classes */
    const uint8_t *expected; /* of each class: 1 when a node of the whole task has it */
    int32_t multiple;        /* 1: rows of the task may have several classes */
} cafe_outcome;

enum {
    CAFE_METRIC_ACCURACY,
    CAFE_METRIC_MICRO_F1,
    CAFE_METRIC_MACRO_F1,
    CAFE_METRIC_AUC,
    CAFE_METRIC_AUC_PAPER,
    CAFE_CLASS_METRICS
};

/* value[CAFE_CLASS_METRICS] */
cafe_status cafe_class_metrics(cafe_context *context, const cafe_outcome *outcome, double *value);

#endif
