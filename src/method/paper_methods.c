/* The paper's methods cafe and layers as rows of the registry. Sphere is in sphere_method.c,
 * softmax clustering in softmax_method.c. */
#include "base/memory.h"
#include "method/method.h"
#include "solve/layers_start.h"
#include "solve/solution.h"

/* ---- cafe ------------------------------------------------------------------------------------ */

/* The hard partition of a softmax solution and its modularity, at resolution 1 to compare runs. */
static cafe_status judge(cafe_context *context, const cafe_job *job, cafe_solution *s) {
    cafe_status status = CAFE_OK;
    int64_t communities;
    double modularity;
    int32_t *part = cafe_mem(context, s->n, sizeof *part);
    CAFE_TRY(part ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_solution_partition(context, s, part, &communities));
    CAFE_TRY(cafe_model_measure(context, job->model, part, communities, 1, &modularity));
    cafe_solution_find(s, "communities", (double)communities);
    cafe_solution_find(s, "modularity", modularity);
done:
    cafe_mem_free(context, part);
    return status;
}

static cafe_status solve_cafe(cafe_context *context, const cafe_job *job,
                              cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_softmax_traced(context, job->model->op, job->own, job->inputs.start,
                                 job->inputs.labels, true, solution));
    CAFE_TRY(judge(context, job, *solution));
    (*solution)->sources[0].kind = "clusters";
    /* as of every method that samples: the whole trace */
    cafe_mem_free(context, (*solution)->objective);
    (*solution)->objective = (*solution)->trace;
    (*solution)->trace = NULL;
    (*solution)->rest = 0;
done:
    if (status != CAFE_OK) {
        cafe_solution_free(*solution);
        *solution = NULL;
    }
    return status;
}

static const cafe_method_code cafe_code = {.solve = solve_cafe, .files = true, .ranks = true};
const cafe_method cafe_cafe_method = {
    .name = "cafe",
    .title = "Cafe-GCN",
    .summary = "softmax clusters as columns (algorithms 1 and 2)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_LABELS | CAFE_TAKES_START | CAFE_TAKES_CHECKPOINT |
             CAFE_TAKES_FEATURES | CAFE_TAKES_SUMS,
    .form = CAFE_FORM_AVERAGED,
    .vectors = cafe_cafe_option_table,
    .code = &cafe_code,
};

/* ---- layers ---------------------------------------------------------------------------------- */

/* keep[n] <- 1 at the nodes that the run was given; NULL: none. */
static cafe_status mark_kept(cafe_context *context, const cafe_method_inputs *in, int64_t n,
                             uint8_t **keep) {
    if (in->keep_count == 0) return CAFE_OK;
    *keep = cafe_mem_zero(context, n, sizeof **keep);
    CAFE_PASS(cafe_mem_had(*keep));
    for (int64_t i = 0; i < in->keep_count; i++) {
        if (in->keep[i] < 0 || in->keep[i] >= n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no node %d to keep",
                             (int)in->keep[i]);
        (*keep)[in->keep[i]] = 1;
    }
    return CAFE_OK;
}

/* From the communities that the run was given, if there are any. */
static cafe_status find_layers(cafe_context *context, const cafe_job *job, cafe_layers **layers) {
    const cafe_operator *op = job->model->op;
    uint8_t *keep = NULL;
    cafe_layers_start start = {.part = job->inputs.partition, .steady = true};
    if (!start.part) return cafe_layers_find(context, op, job->own, layers);
    cafe_status status = mark_kept(context, &job->inputs, op->n, &keep);
    start.keep = keep;
    if (status == CAFE_OK) status = cafe_layers_find_from(context, op, job->own, &start, layers);
    cafe_mem_free(context, keep);
    return status;
}

static cafe_status solve_layers(cafe_context *context, const cafe_job *job,
                                cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_layers_options *o = job->own;
    cafe_layers *layers = NULL;
    const cafe_layer *top;
    CAFE_TRY(find_layers(context, job, &layers));
    top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    CAFE_TRY(cafe_layers_solution(context, job->model->op, layers, o->columns, solution));
    (*solution)->sources[0].kind = "layers";
    cafe_solution_find(*solution, "communities", (double)top->communities);
    cafe_solution_find(*solution, "modularity", top->modularity);
    if (job->layers) {
        *job->layers = layers;
        layers = NULL;
    }
done:
    cafe_layers_free(layers);
    return status;
}

static cafe_status cluster_layers(cafe_context *context, const cafe_job *job, cafe_clustering *c) {
    const cafe_layer *top;
    CAFE_PASS(find_layers(context, job, &c->layers));
    c->resolution = ((const cafe_layers_options *)job->own)->resolution;
    top = cafe_layers_get(c->layers, cafe_layers_count(c->layers) - 1);
    c->info.layers = c->layers;
    c->info.partition = top->partition;
    c->info.communities = top->communities;
    c->info.modularity = top->modularity;
    return CAFE_OK;
}

static const cafe_method_code layers_code = {.solve = solve_layers, .cluster = cluster_layers};
const cafe_method cafe_layers_method = {
    .name = "layers",
    .title = "Layered Cafe",
    .summary =
        "communities of any number, layer by layer; as vectors, all layers side by side "
        "(algorithm 3)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_PARTITION | CAFE_TAKES_FEATURES | CAFE_TAKES_SUMS,
    .form = CAFE_FORM_SCALED,
    .vectors = cafe_layers_vectors_option_table,
    .communities = cafe_layers_option_table,
    .code = &layers_code,
};
