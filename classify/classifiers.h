/* The classifiers of the evaluation: boosted trees by XGBoost, which is loaded when it is first
 * used, and logistic regression.
 */
#ifndef CAFE_CLASSIFIERS_H
#define CAFE_CLASSIFIERS_H

#include <cafe/evaluate.h>
#include <cafe/option.h>

/* Boosted trees: multi:softprob, or binary:logistic for two classes and for each class of nodes
 * with several. */
typedef struct cafe_xgboost_options {
    size_t struct_size;
    int64_t trees; /* rounds; each has one tree for every class */
    int64_t depth;
    double eta;   /* learning rate */
    int64_t bins; /* of a column's histogram */
} cafe_xgboost_options;

CAFE_OPTIONS(xgboost)

/* L2-regularised logistic regression, one class against the rest. */
typedef struct cafe_logistic_options {
    size_t struct_size;
    double cost;         /* C: weight of the losses against |w|^2 / 2 */
    int32_t standardise; /* 1: columns of mean 0 and variance 1 in training; 0: as they are */
    double tolerance;    /* of the gradient, relative */
} cafe_logistic_options;

CAFE_OPTIONS(logistic)

/* Each fills in a classifier that keeps a pointer to its options (NULL: defaults); they outlive it.
 * xgboost: CAFE_ERROR_SYSTEM, naming the package, when its library cannot be loaded. */
cafe_status cafe_classifier_xgboost(cafe_context *context, const cafe_xgboost_options *options,
                                    cafe_classifier *classifier);
cafe_status cafe_classifier_logistic(cafe_context *context, const cafe_logistic_options *options,
                                     cafe_classifier *classifier);

#endif
