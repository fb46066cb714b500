/* From a model to vectors: the method's solution, the finish, the hub part, the propagation. */
#include <math.h>
#include <string.h>

#include <cafe-private/run.h>

#include "base/memory.h"
#include "method/hubs.h"
#include "method/method.h"
#include "method/node_features.h"
#include "sample/sampled_graph.h"
#include "spectral/embedding.h"

/* ---- the solution ---------------------------------------------------------------------------- */

cafe_status cafe_model_solve(cafe_context *context, const cafe_model *model,
                             const cafe_method *method, const cafe_method_options *options,
                             const cafe_method_inputs *inputs, cafe_solution **solution,
                             cafe_layers **layers) {
    cafe_status status = CAFE_OK;
    cafe_job job = {.layers = layers};
    *solution = NULL;
    if (cafe_ordered_takes(model, method))
        return cafe_ordered_solve(context, model, method, options, inputs, solution);
    CAFE_TRY(cafe_job_open(context, model, method, false, options, inputs, &job));
    CAFE_TRY(job.method->code->solve(context, &job, solution));
    /* a method that finds fewer columns than it may has missed none */
    if ((*solution)->asked == cafe_method_columns(job.method->vectors(), job.own))
        (*solution)->asked += job.cut;
done:
    cafe_job_close(context, &job);
    return status;
}

/* ---- the finish ------------------------------------------------------------------------------ */

/* No column, and nothing proved: what the hub part is added to when it is the only one. */
static cafe_status bare(cafe_context *context, int64_t nodes, cafe_embedding **embedding) {
    cafe_embedding *e = *embedding = cafe_mem_zero(context, 1, sizeof *e);
    if (!e) return CAFE_ERROR_MEMORY;
    e->context = context;
    e->certificate.nodes = nodes;
    e->certificate.orthogonality = NAN;
    const cafe_engine *engine = NULL;
    CAFE_PASS(cafe_engine_keeps(context, &engine));
    CAFE_PASS(engine->ops->make(context, engine, nodes, 1, &e->vectors));
    e->vectors.columns = 0;
    return CAFE_OK;
}

/* Behind the columns found, which have the mean variance 1 too. */
static cafe_status join_columns(cafe_context *context, const cafe_block *more, cafe_embedding *e) {
    const cafe_engine_ops *ops = cafe_ops(&e->vectors);
    cafe_status status = CAFE_OK;
    cafe_block all = {0};
    cafe_part behind = {0, e->vectors.n, e->vectors.columns, more->columns};
    CAFE_TRY(ops->make(context, e->vectors.engine ? e->vectors.engine : &cafe_processor,
                       e->vectors.n, e->vectors.columns + more->columns, &all));
    if (e->vectors.columns > 0) CAFE_TRY(ops->copy(context, &e->vectors, &all, 0));
    CAFE_TRY(ops->copy_in(context, &all, behind, more->x, more->stride));
    cafe_block_drop(context, &e->vectors);
    e->vectors = all;
    all = (cafe_block){0};
done:
    cafe_block_drop(context, &all);
    return status;
}

/* A group of the columns behind those that are certified, the next `columns` of them. */
static cafe_status add_group(cafe_context *context, const char *kind, const char *problem,
                             int64_t columns, cafe_embedding *e) {
    const cafe_certificate *c = &e->certificate;
    const cafe_group *last = c->group_count ? &c->groups[c->group_count - 1] : NULL;
    int64_t behind = last ? last->first + last->columns - c->certified : 0;
    cafe_group group = {.kind = kind, .problem = problem, .columns = columns};
    group.values = e->values + behind, group.residuals = e->residuals + behind;
    return cafe_embedding_add(context, group, e);
}

/* The columns of features, if the solution leaves room for them. */
static cafe_status add_features(cafe_context *context, const struct cafe_node_features *features,
                                int64_t width, cafe_embedding *e) {
    cafe_status status = CAFE_OK;
    cafe_block block = {0};
    int64_t columns = cafe_feature_columns(features, width);
    if (columns == 0) return CAFE_OK;
    CAFE_TRY(cafe_feature_block(context, features, columns, &block, e->values));
    for (int64_t j = 0; j < 2 * columns; j++) e->residuals[j] = NAN;
    CAFE_TRY(join_columns(context, &block, e));
    CAFE_TRY(add_group(context, "features", CAFE_PROBLEM_FEATURES, columns, e));
    CAFE_TRY(add_group(context, "smoothed", CAFE_PROBLEM_FEATURES, columns, e));
done:
    cafe_block_drop(context, &block);
    return status;
}

/* As many columns of hubs as are missing. */
static cafe_status add_hubs(cafe_context *context, const cafe_graph *graph, int64_t width,
                            cafe_embedding *e) {
    cafe_status status = CAFE_OK;
    cafe_hubs hubs = {0};
    int64_t missing = width - e->vectors.columns;
    int64_t behind = e->vectors.columns - e->certificate.certified;
    if (missing <= 0) return CAFE_OK;
    CAFE_TRY(cafe_hubs_find(context, graph, missing, CAFE_HUB_STEPS, &hubs));
    CAFE_TRY(join_columns(context, &hubs.x, e));
    memcpy(e->values + behind, hubs.values, (size_t)missing * sizeof *hubs.values);
    memcpy(e->residuals + behind, hubs.residuals, (size_t)missing * sizeof *hubs.residuals);
    CAFE_TRY(add_group(context, "hubs", CAFE_PROBLEM_HUBS, missing, e));
done:
    cafe_hubs_free(context, &hubs);
    return status;
}

/* Groups behind the columns found, up to `width` columns in all. */
static cafe_status add_groups(cafe_context *context, const cafe_model *model, int64_t width,
                              bool features, cafe_embedding *e) {
    int64_t missing = width - e->vectors.columns;
    if (missing <= 0) return CAFE_OK;
    e->values = cafe_mem(context, missing, sizeof *e->values);
    e->residuals = cafe_mem(context, missing, sizeof *e->residuals);
    CAFE_PASS(cafe_mem_had(e->values, e->residuals));
    if (features) CAFE_PASS(add_features(context, model->features, width, e));
    CAFE_PASS(add_hubs(context, model->graph, width, e));
    e->certificate.asked = width;
    e->certificate.dropped = 0;
    return CAFE_OK;
}

/* What comes out of the filter is certified as it is. */
static cafe_status propagate(cafe_context *context, const cafe_model *model,
                             const cafe_propagate_options *options, cafe_embedding **embedding) {
    cafe_status status = CAFE_OK;
    int64_t columns = cafe_embedding_certificate(*embedding)->columns;
    float *vectors =
        cafe_mem(context, cafe_embedding_certificate(*embedding)->nodes * columns, sizeof *vectors);
    CAFE_TRY(vectors ? cafe_embedding_copy(*embedding, vectors) : CAFE_ERROR_MEMORY);
    cafe_embedding_free(*embedding);
    *embedding = NULL;
    CAFE_TRY(cafe_propagate(context, model->graph, options, columns, vectors));
    CAFE_TRY(cafe_certify(context, model->op, columns, vectors, NULL, embedding));
done:
    cafe_mem_free(context, vectors);
    return status;
}

cafe_status cafe_model_finish(cafe_context *context, const cafe_model *model,
                              const cafe_method *method, const cafe_method_options *options,
                              cafe_solution **solution, cafe_embedding **embedding) {
    return cafe_model_finish_to(context, model, method, options, NULL, 0, solution, embedding);
}

cafe_status cafe_model_finish_to(cafe_context *context, const cafe_model *model,
                                 const cafe_method *method, const cafe_method_options *options,
                                 const char *path, int32_t overwrite, cafe_solution **solution,
                                 cafe_embedding **embedding) {
    if ((*solution)->order) {
        CAFE_PASS(cafe_ordered_finish(context, model, method, options, solution, embedding));
        cafe_sampled_made(model->sampled, (*embedding)->made);
        return CAFE_OK;
    }
    cafe_status status = CAFE_OK;
    cafe_method_options o;
    cafe_method_inputs none;
    cafe_finish_options finish;
    int64_t asked = (*solution)->asked, width = (*solution)->width, nodes = (*solution)->n;
    bool features = (*solution)->features;
    cafe_destination to = {model->graph, path, overwrite, width, ""};
    *embedding = NULL;
    cafe_sampled_made(model->sampled, to.made);
    CAFE_TRY(cafe_method_take(context, options, NULL, &o, &none));
    CAFE_TRY(cafe_options_take(context, cafe_finish_option_table(), o.finish, &finish));
    if (!o.finish) finish.form = (method ? method : model->method)->form;
    if ((*solution)->columns > 0)
        CAFE_TRY(cafe_finish_to(context, cafe_model_certified(model), solution, &finish,
                                path && !o.propagate ? &to : NULL, embedding));
    else
        CAFE_TRY(bare(context, nodes, embedding));
    CAFE_TRY(add_groups(context, model, width, features, *embedding));
    if (o.propagate) CAFE_TRY(propagate(context, model, o.propagate, embedding));
    memcpy((*embedding)->made, to.made, sizeof to.made);
    (*embedding)->certificate.dropped += asked - (*embedding)->certificate.asked;
    (*embedding)->certificate.asked = asked;
done:
    cafe_solution_free(*solution);
    *solution = NULL;
    if (status == CAFE_OK) return CAFE_OK;
    cafe_embedding_free(*embedding);
    *embedding = NULL;
    return status;
}

cafe_status cafe_embed(cafe_context *context, const cafe_graph *graph, const cafe_method *method,
                       const cafe_method_options *options, const cafe_method_inputs *inputs,
                       cafe_embedding **embedding) {
    cafe_status status = CAFE_OK;
    cafe_model *model = NULL;
    cafe_solution *solution = NULL;
    *embedding = NULL;
    CAFE_TRY(cafe_model_create(context, graph, method, options, inputs, &model));
    CAFE_TRY(cafe_model_solve(context, model, method, options, inputs, &solution, NULL));
    CAFE_TRY(cafe_model_finish(context, model, method, options, &solution, embedding));
done:
    cafe_model_free(model);
    return status;
}
