/* A classifier of the evaluation beside the library's own: boosted trees by XGBoost, which is
 * loaded when it is first used.
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

CAFE_OPTIONS_INSIDE(xgboost)

/* Fills in a classifier that keeps a pointer to its options (NULL: defaults); they outlive it.
 * CAFE_ERROR_SYSTEM, naming the package, when its library cannot be loaded. */
cafe_status cafe_classifier_xgboost(cafe_context *context, const cafe_xgboost_options *options,
                                    cafe_classifier *classifier);

#endif
