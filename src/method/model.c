/* The model: a graph, the sampled graph, its operator, and the operator vectors are certified for.
 */
#include "base/memory.h"
#include "method/method.h"
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

/* The options of the sampling, with the exponent of the method where none is asked for. */
static cafe_status take_sample(cafe_context *context, const cafe_method *method,
                               const cafe_sample_options *given, cafe_sample_options *o) {
    CAFE_PASS(cafe_options_take(context, cafe_sample_option_table(), given, o));
    if (o->degree_exponent < 0) o->degree_exponent = method->degree_exponent;
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
    m = cafe_mem_zero(context, 1, sizeof *m);
    if (!m) return CAFE_ERROR_MEMORY;
    m->context = context;
    m->graph = graph;
    m->method = method;
    CAFE_TRY(cafe_engine_sample(context, graph, (cafe_sampling)o.sampling, &sample, in.sample,
                                &m->sampled));
    CAFE_TRY(cafe_operator_modularity(context, m->sampled, &m->op));
    CAFE_TRY(certify_exact(context, sample.window, m));
    CAFE_TRY(cafe_ordered_make(context, method, &o, m));
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
    cafe_operator_free(model->op);
    cafe_operator_free(model->certify);
    cafe_sampled_free(model->edges);
    cafe_sampled_free(model->sampled);
    cafe_mem_free(model->context, model);
}

const cafe_sampled *cafe_model_sampled(const cafe_model *model) {
    return model->sampled;
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
