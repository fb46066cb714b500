/* Features of the nodes beside the graph: as a layer of the operator, and as columns of vectors. */
#ifndef CAFE_METHOD_NODE_FEATURES_H
#define CAFE_METHOD_NODE_FEATURES_H

#include "method/method.h"
#include "spectral/feature_directions.h"

/* What was chosen by trial; docs/algorithms/sums.md has the figures. */
enum {
    CAFE_FEATURE_DIRECTIONS = 256, /* principal directions of the table */
    CAFE_FEATURE_LAYER = 128       /* of them in the operator */
};

struct cafe_node_features {
    cafe_directions directions;
    cafe_operator *graph, *table; /* the layers of the model's operator; no table of weight 0 */
    double unit;                  /* by which the table is divided in the sum */
    cafe_feature_report report;
};

/* Makes model->op the sum of the graph's operator and the table. */
cafe_status cafe_features_join(cafe_context *context, const cafe_feature_options *options,
                               const cafe_feature_inputs *table, cafe_model *model);
/* sum: the model's operator is the sum, and not that of the graph alone. */
void cafe_features_free(cafe_context *context, struct cafe_node_features *features, bool sum);

/* Sum over communities S of ||sum over u in S of x_u||^2 / unit: the table's part of modularity. */
cafe_status cafe_features_measure(cafe_context *context, const struct cafe_node_features *features,
                                  const int32_t *part, int64_t parts, double *modularity);

/* Columns of each of the two groups in vectors of `columns` columns. */
int64_t cafe_feature_columns(const struct cafe_node_features *features, int64_t columns);

/* The two groups side by side, 2 `columns` columns with the variance of each as a share of the
 * table's. They are the principal directions of the table, and those of its rows averaged over
 * neighbours. The mean variance of the columns is 1, and 4 for the averages. */
cafe_status cafe_feature_block(cafe_context *context, const struct cafe_node_features *features,
                               int64_t columns, cafe_block *block, double *values);

/* Bytes at the peak that features add to a run, of the method layers or another. */
double cafe_feature_bytes(int64_t n, const cafe_feature_inputs *table, bool by_layers);

#endif
