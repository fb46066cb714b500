/* From a model to communities: the method's partition, and the figures of any partition. */
#include "base/finite.h"
#include "base/memory.h"
#include "graph/graph.h"
#include "method/method.h"
#include "sample/sampled_graph.h"
#include "sample/set_masses.h"
#include "solve/softmax_sparse.h"

static const float smallest = 1e-6f; /* probabilities of dense rows that are kept */

/* ---- modularity ------------------------------------------------------------------------------ */

cafe_status cafe_model_modularity(cafe_context *context, const cafe_sampled *sampled,
                                  const int32_t *part, int64_t parts, double resolution,
                                  double *modularity) {
    cafe_set_sums *sets = cafe_mem(context, parts, sizeof *sets);
    if (!sets) return CAFE_ERROR_MEMORY;
    cafe_status status =
        cafe_partition_sums(context, &CAFE_JOINT(sampled), part, parts, sets, NULL);
    *modularity = 0;
    for (int64_t i = 0; i < parts && status == CAFE_OK; i++)
        *modularity += sets[i].inside - resolution * (sets[i].mass * sets[i].mass);
    cafe_mem_free(context, sets);
    return status;
}

/* Under the edges of a graph, whatever the sampling of the run. */
static cafe_status measure_edges(cafe_context *context, const cafe_graph *graph,
                                 const cafe_clustering_info *i, double *modularity) {
    cafe_sampled *edges = NULL;
    CAFE_PASS(cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &edges));
    cafe_status status =
        cafe_model_modularity(context, edges, i->partition, i->communities, 1, modularity);
    cafe_sampled_free(edges);
    return status;
}

static cafe_status judge(cafe_context *context, const cafe_model *model, cafe_clustering *c) {
    const cafe_graph *g = model->graph;
    cafe_clustering_info *i = &c->info;
    if (!c->layers || model->op->parts.f) /* layers of one graph know theirs */
        CAFE_PASS(cafe_model_measure(context, model, i->partition, i->communities, c->resolution,
                                     &i->modularity));
    CAFE_PASS(measure_edges(context, g, i, &i->edge_modularity));
    if (g->negative) {
        double up = g->counts.total_weight, down = g->negative->counts.total_weight, against;
        CAFE_PASS(measure_edges(context, g->negative, i, &against));
        i->edge_modularity = (up * i->edge_modularity - down * against) / (up + down);
    }
    return cafe_check_number(context, "the modularity", i->modularity + i->edge_modularity);
}

/* ---- the call -------------------------------------------------------------------------------- */

cafe_status cafe_model_cluster(cafe_context *context, const cafe_model *model,
                               const cafe_method *method, const cafe_method_options *options,
                               const cafe_method_inputs *inputs, cafe_clustering **clustering) {
    cafe_status status = CAFE_OK;
    cafe_job job = {0};
    cafe_clustering *c = NULL;
    *clustering = NULL;
    CAFE_TRY(cafe_job_open(context, model, method, true, options, inputs, &job));
    c = cafe_mem_zero(context, 1, sizeof *c);
    CAFE_TRY(c ? CAFE_OK : CAFE_ERROR_MEMORY);
    c->context = context;
    c->info.nodes = model->graph->n;
    CAFE_TRY(job.method->code->cluster(context, &job, c));
    CAFE_TRY(judge(context, model, c));
    *clustering = c;
    c = NULL;
done:
    cafe_clustering_free(c);
    cafe_job_close(context, &job);
    return status;
}

cafe_status cafe_cluster(cafe_context *context, const cafe_graph *graph, const cafe_method *method,
                         const cafe_method_options *options, const cafe_method_inputs *inputs,
                         cafe_clustering **clustering) {
    cafe_status status = CAFE_OK;
    cafe_model *model = NULL;
    *clustering = NULL;
    method = cafe_method_or_first(method, true);
    CAFE_TRY(cafe_model_create(context, graph, method, options, inputs, &model));
    CAFE_TRY(cafe_model_cluster(context, model, method, options, inputs, clustering));
done:
    cafe_model_free(model);
    return status;
}

void cafe_clustering_free(cafe_clustering *clustering) {
    if (!clustering) return;
    cafe_layers_free(clustering->layers);
    cafe_solution_free(clustering->solution);
    cafe_memberships_free(clustering->memberships);
    cafe_mem_free_all(clustering->context, clustering->part, clustering->offsets,
                      clustering->columns, clustering->values, clustering);
}

const cafe_clustering_info *cafe_clustering_get(const cafe_clustering *clustering) {
    return &clustering->info;
}

/* ---- memberships ----------------------------------------------------------------------------- */

static cafe_status compress_rows(cafe_context *context, const float *h, int64_t n, int64_t columns,
                                 cafe_clustering *c) {
    int64_t count = 0;
    for (int64_t i = 0; i < n * columns; i++) count += h[i] > smallest;
    c->offsets = cafe_mem(context, n + 1, sizeof *c->offsets);
    c->columns = cafe_mem(context, count, sizeof *c->columns);
    c->values = cafe_mem(context, count, sizeof *c->values);
    if (!c->offsets || !c->columns || !c->values) return CAFE_ERROR_MEMORY;
    count = 0;
    for (int64_t i = 0; i < n * columns; i++) {
        if (i % columns == 0) c->offsets[i / columns] = count;
        if (!(h[i] > smallest)) continue;
        c->columns[count] = (int32_t)(i % columns);
        c->values[count++] = h[i];
    }
    c->offsets[n] = count;
    return CAFE_OK;
}

/* The rows of a dense solution as compressed ones. */
static cafe_status compress(cafe_context *context, cafe_clustering *c) {
    cafe_status status = CAFE_OK;
    int64_t n = c->info.nodes, columns = c->solution->columns;
    float *h = cafe_mem(context, n * columns, sizeof *h);
    CAFE_TRY(h ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_solution_copy(c->solution, h));
    CAFE_TRY(compress_rows(context, h, n, columns, c));
done:
    cafe_mem_free(context, h);
    return status;
}

cafe_status cafe_clustering_memberships(cafe_context *context, cafe_clustering *clustering,
                                        const int64_t **offsets, const int32_t **columns,
                                        const float **values) {
    cafe_clustering *c = clustering;
    if (c->memberships) {
        cafe_memberships_csr(c->memberships, offsets, columns, values);
        return CAFE_OK;
    }
    if (!c->solution)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the communities are hard: no memberships");
    cafe_status status = c->values ? CAFE_OK : compress(context, c);
    *offsets = c->offsets;
    *columns = c->columns;
    *values = c->values;
    return status;
}
