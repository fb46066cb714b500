/* Cuts items into training and test by a seed. */
#ifndef CAFE_EVALUATE_TRAIN_TEST_SPLIT_H
#define CAFE_EVALUATE_TRAIN_TEST_SPLIT_H

#include <cafe/evaluate.h>

#include "base/context.h"

/* What is cut: items 0 .. count-1, each in a stratum (NULL: one for all; negative: not to be
 * drawn). */
typedef struct cafe_strata {
    int64_t count;
    const int32_t *stratum;
} cafe_strata;

/* Marks `wanted` of the items with 1 in chosen[count], all others with 0. Every stratum keeps its
 * share, rounded up or down at random. `draw` tells the draws of one seed apart. */
cafe_status cafe_strata_draw(cafe_context *context, const cafe_strata *strata, int64_t wanted,
                             uint64_t seed, uint64_t draw, uint8_t *chosen);

/* Nodes of the two parts, ascending. */
typedef struct cafe_parts {
    int64_t train, test;
    int32_t *train_node, *test_node;
} cafe_parts;

/* train: as the shares of cafe_classify(); test: a count, 0 for the rest. */
cafe_status cafe_parts_make(cafe_context *context, const cafe_targets *targets, double train,
                            int64_t test, cafe_split_rule rule, uint64_t seed, cafe_parts *parts);
/* Training nodes cut once more: fold f of the folds is the test part, the others the training part.
 * Room for all of them is in `inner`, made by the first call and freed like any parts. */
cafe_status cafe_parts_fold(cafe_context *context, const cafe_parts *parts, int64_t folds,
                            int64_t fold, uint64_t seed, cafe_parts *inner);
void cafe_parts_free(cafe_context *context, cafe_parts *parts);

#endif
