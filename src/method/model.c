/* The model: a graph, the sampled graph, its operator, and the operator vectors are certified for.
 */
#include "base/memory.h"
#include "graph/graph.h"
#include "method/method.h"
#include "method/model_layers.h"
#include "method/model_parts.h"
#include "method/node_features.h"
#include "method/null_model.h"
#include "operator/operator.h"

/* Drawn walks: the certificate is for the exact P, which needs only products. Products do not know
 * of seeds and of degree exponents. */
static cafe_status certify_exact(cafe_context *context, int64_t window, cafe_model *model) {
    const cafe_sampled_info *info = cafe_sampled_get_info(model->sampled);
    if (info->sampling != CAFE_SAMPLING_WALK || info->exact || info->seeds > 0 ||
        info->degree_exponent > 0)
        return CAFE_OK;
    CAFE_PASS(cafe_sample(context, model->graph, CAFE_SAMPLING_EDGE, NULL, NULL, &model->edges));
    return cafe_operator_walk(context, model->edges, window, &model->certify);
}

/* ---- signs ----------------------------------------------------------------------------------- */

/* The layers of a signed graph (Gomez, Jensen, Arenas: Analysis of community structure in networks
 * of correlated data, Physical Review E 80, 2009):
 *
 *     Q = (m+ Q+ - m- Q-) / (m+ + m-),   m+ and m- the sums of the weights of one sign
 */
struct cafe_signs {
    cafe_operator *positive, *negative, *plain; /* plain: null_model.h, of the negative weights */
    cafe_sampled *sampled; /* of the negative weights; the model's is that of the positive ones */
    double share;          /* m- / (m+ + m-) */
};

static cafe_status join_signs(cafe_context *context, const cafe_method_options *o,
                              const cafe_sample_options *sample, const cafe_sample_inputs *in,
                              cafe_model *m) {
    const cafe_graph *against = m->graph->negative;
    double up = m->graph->counts.total_weight, down = against->counts.total_weight;
    struct cafe_signs *s = m->signs = cafe_mem_zero(context, 1, sizeof *s);
    CAFE_PASS(cafe_mem_had(s));
    s->share = down / (up + down);
    CAFE_PASS(cafe_sample(context, against, (cafe_sampling)o->sampling, sample, in, &s->sampled));
    CAFE_PASS(cafe_operator_modularity(context, s->sampled, &s->negative));
    CAFE_PASS(cafe_null_apply(context, m->graph, m->graph, (cafe_sampling)o->sampling, sample,
                              &s->negative, &s->plain));
    const cafe_summand layers[] = {{m->op, 1 - s->share, 1}, {s->negative, -s->share, 1}};
    cafe_operator *sum = NULL;
    CAFE_PASS(cafe_operator_sum(context, 2, layers, &sum));
    s->positive = m->op;
    m->op = sum;
    return CAFE_OK;
}

static void free_signs(cafe_context *context, struct cafe_signs *s) {
    if (!s) return;
    cafe_operator_free(s->positive);
    cafe_operator_free(s->negative);
    cafe_operator_free(s->plain);
    cafe_sampled_free(s->sampled);
    cafe_mem_free(context, s);
}

void cafe_model_signs(const cafe_model *model, cafe_model_part parts[2]) {
    const struct cafe_signs *s = model->signs;
    parts[0] = (cafe_model_part){"positive", s->positive, 1 - s->share, 1};
    parts[1] = (cafe_model_part){"negative", s->negative, -s->share, 1};
}

static cafe_status check_signs(cafe_context *context, const cafe_graph *graph,
                               const cafe_method *method, const cafe_sample_options *sample) {
    bool other = sample->null_model != CAFE_NULL_CONFIGURATION;
    if ((!graph->negative && !graph->layer_count && !other) || (method->takes & CAFE_TAKES_SUMS))
        return CAFE_OK;
    return cafe_fail(
        context, CAFE_ERROR_ARGUMENT,
        CAFE_OPT("method=%s") " takes no %s; sphere, cafe, layers, softmax and spectral do",
        method->name,
        graph->negative ? "negative weights"
        : other         ? "other null model than configuration"
                        : "layers or slices");
}

const cafe_operator *cafe_model_plain(const cafe_model *model) {
    return model->plain      ? model->plain
           : model->signs    ? model->signs->positive
           : model->layers   ? model->layers->plain
           : model->features ? model->features->graph
                             : model->op;
}

/* Under the null model of the layer's operator; that of one graph needs no F. */
static cafe_status measure_one(cafe_context *context, const cafe_operator *op,
                               const cafe_sampled *sampled, const int32_t *part, int64_t parts,
                               double resolution, double *modularity) {
    if (op->parts.f)
        return cafe_null_measure(context, op, sampled, part, parts, resolution, modularity);
    return cafe_model_modularity(context, sampled, part, parts, resolution, modularity);
}

/* Of the edges of all layers and both signs. */
static cafe_status measure_graph(cafe_context *context, const cafe_model *model,
                                 const int32_t *part, int64_t parts, double resolution,
                                 double *modularity) {
    const struct cafe_signs *s = model->signs;
    const cafe_operator *op = s                 ? s->positive
                              : model->features ? model->features->graph
                                                : model->op;
    double against;
    if (model->layers)
        return cafe_model_layers_measure(context, model, part, parts, resolution, modularity);
    CAFE_PASS(measure_one(context, op, model->sampled, part, parts, resolution, modularity));
    if (!s) return CAFE_OK;
    CAFE_PASS(measure_one(context, s->negative, s->sampled, part, parts, resolution, &against));
    *modularity = (1 - s->share) * *modularity - s->share * against;
    return CAFE_OK;
}

cafe_status cafe_model_measure(cafe_context *context, const cafe_model *model, const int32_t *part,
                               int64_t parts, double resolution, double *modularity) {
    const struct cafe_node_features *f = model->features;
    double features;
    CAFE_PASS(measure_graph(context, model, part, parts, resolution, modularity));
    if (!f || !f->table) return CAFE_OK;
    CAFE_PASS(cafe_features_measure(context, f, part, parts, &features));
    *modularity = (1 - f->report.weight) * *modularity + f->report.weight * features;
    return CAFE_OK;
}

/* ---- the model ------------------------------------------------------------------------------- */

/* The options of the sampling, with the exponent of the method where none is asked for. */
static cafe_status take_sample(cafe_context *context, const cafe_method *method,
                               const cafe_sample_options *given, cafe_sample_options *o) {
    CAFE_PASS(cafe_options_take(context, cafe_sample_option_table(), given, o));
    if (o->degree_exponent < 0) o->degree_exponent = cafe_null_exponent(method, o);
    return CAFE_OK;
}

static cafe_status check_sampling(cafe_context *context, const cafe_method *method,
                                  const cafe_method_options *o, const cafe_method_inputs *in) {
    if (method->takes & CAFE_TAKES_SAMPLING) return CAFE_OK;
    if (o->sampling == CAFE_SAMPLING_EDGE && !o->sample && !in->sample) return CAFE_OK;
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%s takes no sampling: it sees the graph itself",
                     method->name);
}

cafe_status cafe_model_create(cafe_context *context, const cafe_graph *graph,
                              const cafe_method *method, const cafe_method_options *options,
                              const cafe_method_inputs *inputs, cafe_model **model) {
    cafe_status status = CAFE_OK;
    cafe_method_options o;
    cafe_method_inputs in;
    cafe_sample_options sample;
    cafe_model *m = NULL;
    *model = NULL;
    method = cafe_method_or_first(method, false);
    CAFE_TRY(cafe_method_take(context, options, inputs, &o, &in));
    CAFE_TRY(check_sampling(context, method, &o, &in));
    CAFE_TRY(take_sample(context, method, o.sample, &sample));
    CAFE_TRY(check_signs(context, graph, method, &sample));
    m = cafe_mem_zero(context, 1, sizeof *m);
    if (!m) return CAFE_ERROR_MEMORY;
    m->context = context;
    m->graph = graph;
    m->method = method;
    CAFE_TRY(cafe_engine_sample(context, graph, (cafe_sampling)o.sampling, &sample, in.sample,
                                &m->sampled));
    CAFE_TRY(cafe_operator_modularity(context, m->sampled, &m->op));
    if (!graph->layer_count)
        CAFE_TRY(cafe_null_apply(context, graph, graph, (cafe_sampling)o.sampling, &sample, &m->op,
                                 &m->plain));
    if (graph->negative) CAFE_TRY(join_signs(context, &o, &sample, in.sample, m));
    if (graph->layer_count)
        CAFE_TRY(cafe_model_layers_join(context, (cafe_sampling)o.sampling, &sample, in.sample, m));
    if (in.features) CAFE_TRY(cafe_features_join(context, o.features, in.features, m));
    if (!in.features && !graph->negative && !graph->layer_count && !m->plain) {
        CAFE_TRY(certify_exact(context, sample.window, m));
        CAFE_TRY(cafe_ordered_make(context, method, &o, m));
    }
    *model = m;
    m = NULL;
done:
    cafe_model_free(m);
    return status;
}

void cafe_model_free(cafe_model *model) {
    if (!model) return;
    cafe_model_free(model->ordered);
    cafe_graph_free(model->renumbered);
    bool sum = model->features && model->features->graph != model->op;
    cafe_operator_free(model->op);
    cafe_features_free(model->context, model->features, sum);
    free_signs(model->context, model->signs);
    cafe_operator_free(model->plain);
    cafe_model_layers_free(model->context, model->layers);
    cafe_operator_free(model->certify);
    cafe_sampled_free(model->edges);
    cafe_sampled_free(model->sampled);
    cafe_mem_free(model->context, model);
}

const cafe_sampled *cafe_model_sampled(const cafe_model *model) {
    return model->sampled;
}

const cafe_feature_report *cafe_model_features(const cafe_model *model) {
    return model->features ? &model->features->report : NULL;
}

const cafe_operator *cafe_model_operator(const cafe_model *model) {
    return model->op;
}

cafe_status cafe_model_divide(cafe_context *context, const cafe_model *model, int32_t partitioner,
                              double *cut) {
    const cafe_operator *op = model->ordered ? model->ordered->op : model->op;
    return cafe_engine_divide(context, op, (cafe_partitioner)partitioner, cut);
}

const cafe_operator *cafe_model_certified(const cafe_model *model) {
    return model->certify ? model->certify : model->op;
}
