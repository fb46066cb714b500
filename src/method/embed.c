/* From a model to vectors: the method's solution, the finish, the propagation; and the memory. */
#include "base/memory.h"
#include "method/method.h"
#include "sample/sampled.h"
#include "spectral/embedding.h"

/* ---- the solution ---------------------------------------------------------------------------- */

cafe_status cafe_model_solve(cafe_context *context, const cafe_model *model,
                             const cafe_method *method, const cafe_method_options *options,
                             const cafe_method_inputs *inputs, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_job job = {0};
    *solution = NULL;
    CAFE_TRY(cafe_job_open(context, model, method, false, options, inputs, &job));
    CAFE_TRY(job.method->code->solve(context, &job, solution));
    /* a method that finds fewer columns than it may has missed none */
    if ((*solution)->asked == cafe_method_columns(job.method->vectors(), job.own))
        (*solution)->cut = job.cut;
done:
    cafe_job_close(context, &job);
    return status;
}

/* ---- the finish ------------------------------------------------------------------------------ */

/* What comes out of the filter is certified as it is. */
static cafe_status propagate(cafe_context *context, const cafe_model *model,
                             const cafe_propagate_options *options, cafe_embedding **embedding) {
    cafe_status status = CAFE_OK;
    int64_t columns = cafe_embedding_columns(*embedding);
    float *vectors = cafe_mem(context, cafe_embedding_nodes(*embedding) * columns, sizeof *vectors);
    if (vectors) cafe_embedding_copy(*embedding, vectors);
    cafe_embedding_free(*embedding);
    *embedding = NULL;
    CAFE_TRY(vectors ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_propagate(context, model->graph, options, columns, vectors));
    CAFE_TRY(cafe_certify(context, model->op, columns, vectors, NULL, embedding));
done:
    cafe_mem_free(context, vectors);
    return status;
}

cafe_status cafe_model_finish(cafe_context *context, const cafe_model *model,
                              const cafe_method *method, const cafe_method_options *options,
                              cafe_solution **solution, cafe_embedding **embedding) {
    cafe_status status = CAFE_OK;
    cafe_method_options o;
    cafe_method_inputs none;
    cafe_finish_options finish;
    int64_t cut = (*solution)->cut;
    *embedding = NULL;
    CAFE_TRY(cafe_method_take(context, options, NULL, &o, &none));
    CAFE_TRY(cafe_options_take(context, cafe_finish_option_table(), o.finish, &finish));
    if (method && !o.finish) finish.form = method->form;
    CAFE_TRY(cafe_finish(context, cafe_model_certified(model), solution, &finish, embedding));
    if (o.propagate) CAFE_TRY(propagate(context, model, o.propagate, embedding));
    (*embedding)->certificate.asked += cut;
    (*embedding)->certificate.dropped += cut;
done:
    cafe_solution_free(*solution);
    *solution = NULL;
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
    CAFE_TRY(cafe_model_solve(context, model, method, options, inputs, &solution));
    CAFE_TRY(cafe_model_finish(context, model, method, options, &solution, embedding));
done:
    cafe_model_free(model);
    return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Solvers hold two blocks of their columns, as sphere does; a choice of ends, where the method has
 * one, means the same. */
static void size_of(const cafe_option_table *table, const void *own, cafe_sphere_options *size) {
    const cafe_option *ends = cafe_table_find(table, "ends");
    cafe_sphere_options_init(size);
    size->columns = cafe_method_columns(table, own);
    if (ends) size->ends = (int32_t)cafe_options_number(ends, own);
}

int64_t cafe_method_bytes(const cafe_method *method, const cafe_method_options *options,
                          const cafe_graph_counts *counts, int32_t threads) {
    cafe_finish_options finish;
    cafe_sphere_options size;
    size_of(method->vectors(), options->own, &size);
    if (size.columns > counts->nodes) size.columns = counts->nodes;
    cafe_finish_options_init(&finish);
    if (options->finish) finish = *options->finish;
    int64_t entries =
        cafe_sample_entries((cafe_sampling)options->sampling, options->sample, counts);
    bool plain = entries == 2 * counts->edges;
    int64_t bytes = cafe_embed_bytes(counts->nodes, entries / 2, counts->weighted || !plain, &size,
                                     &finish, threads);
    if (method->code->bytes) bytes += (int64_t)method->code->bytes(options->own, counts, threads);
    if (options->propagate)
        bytes += (int64_t)cafe_propagate_bytes(counts->nodes, size.columns, threads);
    return bytes;
}
