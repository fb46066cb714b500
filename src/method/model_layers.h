/* The operator of a graph with several layers or slices. */
#ifndef CAFE_METHOD_MODEL_LAYERS_H
#define CAFE_METHOD_MODEL_LAYERS_H

#include "method/method.h"

/* Layers of the model's operator: Q = sum of share_l Q_l. Of slices there are none. */
struct cafe_model_layers {
    cafe_operator *plain; /* of all edges together */
    int64_t count;
    cafe_sampled **sampled;
    cafe_operator **op, **bare; /* bare: under the configuration model if op is not; else NULL */
    double *share;              /* w_l / sum of w */
};

/* Makes model->op the sum of the layers, or the operator of the slices. */
cafe_status cafe_model_layers_join(cafe_context *context, cafe_sampling sampling,
                                   const cafe_sample_options *sample, const cafe_sample_inputs *in,
                                   cafe_model *model);
void cafe_model_layers_free(cafe_context *context, struct cafe_model_layers *layers);

/* The modularity of a partition of such a graph. */
cafe_status cafe_model_layers_measure(cafe_context *context, const cafe_model *model,
                                      const int32_t *part, int64_t parts, double resolution,
                                      double *modularity);

/* Bytes at the peak that layers, slices, negative weights and the null model (cafe_null) add to a
 * run, of the method layers or another. */
double cafe_model_layers_bytes(const cafe_graph *graph, int32_t null_model, bool by_layers);

#endif
