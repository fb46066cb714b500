/* Null models besides configuration: which graphs they go with, and modularity under them. */
#include "method/null_model.h"

#include "base/memory.h"
#include "sample/sampled_graph.h"
#include "sample/set_masses.h"

/* Refuses samplings and graphs under which the model is not what its name says. */
static cafe_status check(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                         const cafe_sample_options *o) {
    bool directed = o->null_model == CAFE_NULL_DIRECTED;
    if (!directed && o->null_model != CAFE_NULL_TWO_SIDED) return CAFE_OK;
    if (sampling != CAFE_SAMPLING_EDGE || o->degree_exponent > 0)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("null=%s") " is for edge sampling without a degree exponent",
                         directed ? "directed" : "two-sided");
    if (directed && !graph->surplus)
        return cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            CAFE_OPT("null=directed") " needs directions: read the edges with " CAFE_OPT(
                "directed=sum") ", without choices of edges by weight");
    return CAFE_OK;
}

/* surplus[n] <- 1 on one side, -1 on the other; memory of the caller. */
static cafe_status find_sides(cafe_context *context, const cafe_graph *graph, double **surplus) {
    int32_t bipartite = 0;
    int8_t *side = cafe_mem(context, graph->n, sizeof *side);
    *surplus = cafe_mem(context, graph->n, sizeof **surplus);
    cafe_status status = cafe_mem_had(side, *surplus);
    if (status == CAFE_OK) status = cafe_graph_sides(context, graph, side, &bipartite);
    if (status == CAFE_OK && !bipartite)
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           CAFE_OPT("null=two-sided") " needs a graph whose edges all go from one "
                                                      "side to the other");
    for (int64_t u = 0; u < graph->n && status == CAFE_OK; u++)
        (*surplus)[u] = side[u] == 1 ? -1 : 1;
    cafe_mem_free(context, side);
    return status;
}

/* The operator that takes the place of `plain`. Without a null model slices have no part in it. */
static cafe_status make(cafe_context *context, const cafe_graph *graph, const cafe_operator *plain,
                        cafe_null null, const double *surplus, cafe_operator **made) {
    if (!graph->slice || null == CAFE_NULL_NONE)
        return cafe_operator_null(context, plain, null, surplus, made);
    return cafe_operator_slices(context, plain, graph->slice, graph->layer_count, null, surplus,
                                made);
}

cafe_status cafe_null_apply(cafe_context *context, const cafe_graph *graph, const cafe_graph *sides,
                            cafe_sampling sampling, const cafe_sample_options *sample,
                            cafe_operator **op, cafe_operator **plain) {
    cafe_null null = (cafe_null)sample->null_model;
    double *found = NULL;
    cafe_operator *made = NULL;
    *plain = NULL;
    if (null == CAFE_NULL_CONFIGURATION && !graph->slice) return CAFE_OK;
    CAFE_PASS(check(context, graph, sampling, sample));
    cafe_status status = CAFE_OK;
    if (null == CAFE_NULL_TWO_SIDED) status = find_sides(context, sides, &found);
    const double *surplus = null == CAFE_NULL_DIRECTED ? graph->surplus : found;
    if (status == CAFE_OK) status = make(context, graph, *op, null, surplus, &made);
    cafe_mem_free(context, found);
    if (status != CAFE_OK) return status;
    *plain = *op;
    *op = made;
    return CAFE_OK;
}

cafe_status cafe_null_measure(cafe_context *context, const cafe_operator *op,
                              const cafe_sampled *sampled, const int32_t *part, int64_t parts,
                              double resolution, double *modularity) {
    const cafe_operator_parts *q = &op->parts;
    cafe_status status = CAFE_OK;
    double *mass = cafe_mem_zero(context, parts * q->width, sizeof *mass);
    cafe_set_sums *sets = cafe_mem(context, parts, sizeof *sets);
    *modularity = 0;
    CAFE_TRY(cafe_mem_had(mass, sets));
    CAFE_TRY(cafe_partition_sums(context, &CAFE_JOINT(sampled), part, parts, sets, NULL));
    for (int64_t u = 0; u < q->n; u++)
        for (int64_t l = 0; l < q->width; l++)
            mass[part[u] * q->width + l] += q->f[u * q->width + l];
    for (int64_t i = 0; i < parts; i++) *modularity += sets[i].inside;
    for (int64_t i = 0; i < parts * q->width; i++)
        *modularity += resolution * cafe_factor_sign(q, i % q->width) * (mass[i] * mass[i]);
done:
    cafe_mem_free_all(context, mass, sets);
    return status;
}
