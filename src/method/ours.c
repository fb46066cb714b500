/* The paper's methods as rows of the registry: sphere, cafe and layers. Softmax clustering, which
 * has more to choose from, is in soft.c. */
#include "base/memory.h"
#include "graph/graph.h"
#include "method/method.h"

/* ---- sphere ---------------------------------------------------------------------------------- */

static cafe_status solve_sphere(cafe_context *context, const cafe_job *job,
                                cafe_solution **solution) {
    return cafe_sphere(context, job->model->op, job->own, job->inputs.start, solution);
}

static const cafe_method_code sphere_code = {.solve = solve_sphere};
const cafe_method cafe_sphere_method = {
    .name = "sphere",
    .title = "Sphere-GCN",
    .summary = "rows on the sphere that follow their neighbours (algorithm 4)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_START,
    .form = CAFE_FORM_SCALED,
    .vectors = cafe_sphere_option_table,
    .code = &sphere_code,
};

/* ---- cafe ------------------------------------------------------------------------------------ */

/* The hard partition of a softmax solution and its modularity. */
static cafe_status judge(cafe_context *context, const cafe_job *job, cafe_solution *s) {
    cafe_status status = CAFE_OK;
    const cafe_softmax_options *o = job->own;
    int32_t *part = cafe_mem(context, s->n, sizeof *part);
    CAFE_TRY(part ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_solution_partition(context, s, part, &s->communities));
    CAFE_TRY(cafe_model_modularity(context, job->model->sampled, part, s->communities,
                                   o->resolution, &s->modularity));
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

static const cafe_method_code cafe_code = {.solve = solve_cafe};
const cafe_method cafe_cafe_method = {
    .name = "cafe",
    .title = "Cafe-GCN",
    .summary = "softmax clusters as columns (algorithms 1 and 2)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_LABELS | CAFE_TAKES_START,
    .form = CAFE_FORM_SCALED,
    .vectors = cafe_cafe_option_table,
    .code = &cafe_code,
};

/* ---- layers ---------------------------------------------------------------------------------- */

static cafe_status solve_layers(cafe_context *context, const cafe_job *job,
                                cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_layers_options *o = job->own;
    cafe_layers *layers = NULL;
    const cafe_layer *top;
    CAFE_TRY(cafe_layers_find(context, job->model->op, o, &layers));
    top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    CAFE_TRY(cafe_layers_solution(context, job->model->op, layers, o->columns, solution));
    (*solution)->communities = top->communities;
    (*solution)->modularity = top->modularity;
done:
    cafe_layers_free(layers);
    return status;
}

static cafe_status cluster_layers(cafe_context *context, const cafe_job *job, cafe_clustering *c) {
    const cafe_layer *top;
    CAFE_PASS(cafe_layers_find(context, job->model->op, job->own, &c->layers));
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
    .takes = CAFE_TAKES_SAMPLING,
    .form = CAFE_FORM_SCALED,
    .vectors = cafe_layers_vectors_option_table,
    .communities = cafe_layers_option_table,
    .code = &layers_code,
};
