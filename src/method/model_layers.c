/* A graph with several layers: each is sampled by itself, and Q is the sum of their operators. A
 * graph with slices: all edges are sampled together, and each slice has its own null model. */
#include "method/model_layers.h"
#include "method/node_features.h"
#include "method/null_model.h"

#include <cafe-private/inputs.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "operator/operator.h"
#include "sample/sampled_graph.h"

static cafe_status sum_layers(cafe_context *context, const struct cafe_model_layers *s,
                              cafe_operator **op) {
    cafe_summand *layers = cafe_mem(context, s->count, sizeof *layers);
    CAFE_PASS(cafe_mem_had(layers));
    for (int64_t l = 0; l < s->count; l++)
        layers[l] = (cafe_summand){.op = s->op[l], .weight = s->share[l], .unit = 1};
    cafe_status status = cafe_operator_sum(context, s->count, layers, op);
    cafe_mem_free(context, layers);
    return status;
}

static cafe_status sample_layers(cafe_context *context, cafe_sampling sampling,
                                 const cafe_sample_options *sample, const cafe_sample_inputs *in,
                                 const cafe_graph *graph, struct cafe_model_layers *s) {
    double sum = 0;
    s->count = graph->layer_count;
    s->sampled = cafe_mem_zero(context, s->count, sizeof(cafe_sampled *));
    s->op = cafe_mem_zero(context, s->count, sizeof(cafe_operator *));
    s->bare = cafe_mem_zero(context, s->count, sizeof(cafe_operator *));
    s->share = cafe_mem(context, s->count, sizeof *s->share);
    CAFE_PASS(cafe_mem_had(s->sampled, s->op, s->bare, s->share));
    for (int64_t l = 0; l < s->count; l++) sum += graph->layers[l].weight;
    for (int64_t l = 0; l < s->count; l++) {
        s->share[l] = graph->layers[l].weight / sum;
        CAFE_PASS(
            cafe_sample(context, graph->layer_graphs[l], sampling, sample, in, &s->sampled[l]));
        CAFE_PASS(cafe_operator_modularity(context, s->sampled[l], &s->op[l]));
        CAFE_PASS(cafe_null_apply(context, graph->layer_graphs[l], graph, sampling, sample,
                                  &s->op[l], &s->bare[l]));
    }
    return CAFE_OK;
}

cafe_status cafe_model_layers_join(cafe_context *context, cafe_sampling sampling,
                                   const cafe_sample_options *sample, const cafe_sample_inputs *in,
                                   cafe_model *model) {
    const cafe_graph *graph = model->graph;
    cafe_operator *op = NULL;
    struct cafe_model_layers *s = model->layers = cafe_mem_zero(context, 1, sizeof *s);
    CAFE_PASS(cafe_mem_had(s));
    if (graph->slice)
        return cafe_null_apply(context, graph, graph, sampling, sample, &model->op, &s->plain);
    CAFE_PASS(sample_layers(context, sampling, sample, in, graph, s));
    CAFE_PASS(sum_layers(context, s, &op));
    s->plain = model->op;
    model->op = op;
    return CAFE_OK;
}

void cafe_model_layers_free(cafe_context *context, struct cafe_model_layers *s) {
    if (!s) return;
    for (int64_t l = 0; l < s->count; l++) {
        if (s->op) cafe_operator_free(s->op[l]);
        if (s->bare) cafe_operator_free(s->bare[l]);
        if (s->sampled) cafe_sampled_free(s->sampled[l]);
    }
    cafe_operator_free(s->plain);
    cafe_mem_free_all(context, s->op, s->bare, s->sampled, s->share, s);
}

/* ---- modularity ------------------------------------------------------------------------------ */

cafe_status cafe_model_layers_measure(cafe_context *context, const cafe_model *model,
                                      const int32_t *part, int64_t parts, double resolution,
                                      double *modularity) {
    const struct cafe_model_layers *s = model->layers;
    *modularity = 0;
    if (model->graph->slice)
        return cafe_null_measure(context, model->features ? model->features->graph : model->op,
                                 model->sampled, part, parts, resolution, modularity);
    for (int64_t l = 0; l < s->count; l++) {
        double one;
        CAFE_PASS(
            s->bare[l]
                ? cafe_null_measure(context, s->op[l], s->sampled[l], part, parts, resolution, &one)
                : cafe_model_modularity(context, s->sampled[l], part, parts, resolution, &one));
        *modularity += s->share[l] * one;
    }
    return CAFE_OK;
}

/* A sum has its edges, F and the node weights; an operator with a null model by name has F. By
 * layers F and the masses of communities are held in eight bytes: of the level, and of that made
 * from it. */
double cafe_model_layers_bytes(const cafe_graph *graph, int32_t null_model, bool by_layers) {
    bool two = null_model == CAFE_NULL_DIRECTED || null_model == CAFE_NULL_TWO_SIDED;
    bool other = null_model != CAFE_NULL_CONFIGURATION;
    double arcs = 0, n = (double)graph->n, width = two ? 2 : 1;
    double graphs = graph->negative ? 2 : graph->layer_count > 0 ? (double)graph->layer_count : 1;
    if (graphs == 1 && !other && !graph->slice) return 0;
    double hard = by_layers ? n * (32 * graphs * width + 8) : 0;
    if (graph->slice) return n * (4 * graphs * width + 16) + hard;
    if (other) hard += graphs * n * (4 * width + 16);
    if (graphs == 1) return hard;
    for (int64_t l = 0; l < graph->layer_count; l++) arcs += (double)graph->layer_graphs[l]->arcs;
    if (graph->negative) arcs = (double)(graph->arcs + graph->negative->arcs);
    return 8 * arcs + n * (8 + graphs * (8 + 4 * width) + 28) + hard;
}
