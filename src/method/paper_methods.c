/* The paper's methods as rows of the registry: sphere, cafe and layers. Softmax clustering, which
 * has more to choose from, is in softmax_method.c. */
#include "base/memory.h"
#include "base/option.h"
#include "graph/graph.h"
#include "method/hubs.h"
#include "method/method.h"
#include "solve/solution.h"
#include "solve/sweep.h"
#include "spectral/ends.h"

/* ---- sphere ---------------------------------------------------------------------------------- */

/* The first `count` columns of H and Y stay. */
static cafe_status narrow(cafe_context *context, int64_t count, cafe_solution *s) {
    int64_t *kept = cafe_mem(context, count, sizeof *kept);
    cafe_status status = cafe_mem_had(kept);
    CAFE_TRY(status);
    for (int64_t k = 0; k < count; k++) kept[k] = k;
    CAFE_TRY(cafe_ops(&s->h)->select(context, &s->h, count, kept));
    CAFE_TRY(cafe_ops(&s->y)->select(context, &s->y, count, kept));
    s->columns = s->asked = count;
    s->stride = s->h.stride;
done:
    cafe_mem_free(context, kept);
    return status;
}

/* Of a start all columns are followed: which half of them matters is not known. */
static cafe_status solve_half(cafe_context *context, const cafe_job *job, cafe_sphere_options o,
                              cafe_solution **solution) {
    const int64_t half = (o.columns + 1) / 2;
    if (!job->inputs.start) o.columns = half;
    CAFE_PASS(cafe_sphere(context, job->model->op, &o, job->inputs.start, solution));
    return job->inputs.start ? narrow(context, half, *solution) : CAFE_OK;
}

/* All columns, of which the first half stays when the bottom end of the spectrum is strong: then
 * there is structure that the top's columns do not show. The caller has already checked
 * explicit ends, and a caller who asks for eigenvectors wants these. */
static cafe_status solve_auto(cafe_context *context, const cafe_job *job,
                              const cafe_sphere_options *o, cafe_solution **solution) {
    enum { SHARE = 16 };
    const cafe_finish_options *finish = job->options.finish;
    bool bottom = false;
    CAFE_PASS(cafe_sphere_sweeps(context, job->model->op, o, job->inputs.start, solution));
    if (o->ends != CAFE_ENDS_TOP || o->columns < 2 || (finish && finish->residual > 0))
        return cafe_sweep_settle(context, job->model->op, *solution);
    CAFE_PASS(cafe_ends_probe(context, job->model->op, o, *solution,
                              (o->columns + SHARE - 1) / SHARE, &bottom));
    return bottom ? narrow(context, (o->columns + 1) / 2, *solution) : CAFE_OK;
}

static cafe_status solve_parts(cafe_context *context, const cafe_job *job,
                               const cafe_sphere_options *o, cafe_solution **solution) {
    if (o->parts == CAFE_PARTS_AUTO) return solve_auto(context, job, o, solution);
    if (o->parts == CAFE_PARTS_BOTH) return solve_half(context, job, *o, solution);
    if (job->inputs.start)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the hub part takes no start vectors");
    if (context->checkpoint)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the hub part keeps no checkpoints");
    return cafe_solution_new(context, job->model->graph->n, 0, 0, solution);
}

/* The other forms are those of the certificate: what is found, and nothing beside it. */
static bool is_scaled(const cafe_job *job) {
    const cafe_finish_options *finish = job->options.finish;
    return (finish ? finish->form : job->method->form) == CAFE_FORM_SCALED;
}

/* The sphere's columns, and how many there are to be with those of the hub part, which has half of
 * them at most: more of it drowns a span of few directions. */
static cafe_status solve_sphere(cafe_context *context, const cafe_job *job,
                                cafe_solution **solution) {
    const cafe_sphere_options *o = job->own;
    const int64_t n = job->model->graph->n;
    if (!is_scaled(job) && (o->parts == CAFE_PARTS_BOTH || o->parts == CAFE_PARTS_HUBS))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the hub part goes with the scaled form: other forms are of the sphere's "
                         "columns alone");
    bool alone = !is_scaled(job) || o->parts == CAFE_PARTS_SPHERE;
    if (alone)
        CAFE_PASS(cafe_options_idle(context, cafe_sphere_option_table(), o, "quality",
                                    "the hub part: the scaled form, and parts other than sphere"));
    if (alone) return cafe_sphere(context, job->model->op, o, job->inputs.start, solution);
    cafe_status status = solve_parts(context, job, o, solution);
    if (status != CAFE_OK) {
        cafe_solution_free(*solution);
        *solution = NULL;
        return status;
    }
    (*solution)->width = o->columns < n ? o->columns : n - 1;
    (*solution)->least = ((*solution)->width + 1) / 2;
    (*solution)->hub_steps = o->quality == CAFE_QUALITY_HIGH ? CAFE_HUB_STEPS_HIGH : CAFE_HUB_STEPS;
    return CAFE_OK;
}

static const cafe_method_code sphere_code = {.solve = solve_sphere, .files = true, .ranks = true};
const cafe_method cafe_sphere_method = {
    .name = "sphere",
    .title = "Sphere-GCN",
    .summary = "vectors of length 1 that follow their neighbours (algorithm 4)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_START | CAFE_TAKES_CHECKPOINT,
    .form = CAFE_FORM_SCALED,
    .vectors = cafe_sphere_option_table,
    .code = &sphere_code,
    .degree_exponent = CAFE_SPHERE_EXPONENT,
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

static const cafe_method_code cafe_code = {.solve = solve_cafe, .files = true, .ranks = true};
const cafe_method cafe_cafe_method = {
    .name = "cafe",
    .title = "Cafe-GCN",
    .summary = "softmax clusters as columns (algorithms 1 and 2)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_LABELS | CAFE_TAKES_START | CAFE_TAKES_CHECKPOINT,
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
    (*solution)->layers = layers;
    layers = NULL;
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
