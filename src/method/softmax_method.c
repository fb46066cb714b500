/* Softmax clustering: where it starts, dense or sparse rows, the hard partition. */
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "graph/pooling.h"
#include "method/method.h"
#include "sample/sampled_graph.h"
#include "sample/set_masses.h"
#include "solve/checkpoint.h"
#include "solve/softmax_sparse.h"
#include "solve/solution.h"

enum { DENSE_COLUMNS = 256 }; /* more columns than this are held in sparse rows */

/* Where a run begins: a partition, rows, or neither. */
typedef struct beginning {
    int32_t *part;
    float *rows;
} beginning;

/* ---- starts ---------------------------------------------------------------------------------- */

/* The partition of the layers; their number is the number of columns when it may be chosen. */
static cafe_status start_from_layers(cafe_context *context, const cafe_job *job,
                                     cafe_softmax_options *o, beginning *b) {
    cafe_status status = CAFE_OK;
    cafe_layers *layers = NULL;
    const cafe_layer *top;
    int64_t n = cafe_graph_nodes(job->model->graph);
    const cafe_model *model = job->model;
    CAFE_TRY(cafe_layers_find(context, model->features ? cafe_model_plain(model) : model->op, NULL,
                              &layers));
    top = cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    if (job->options.free_columns && top->communities > o->columns) o->columns = top->communities;
    b->part = cafe_mem(context, n, sizeof *b->part);
    CAFE_TRY(b->part ? CAFE_OK : CAFE_ERROR_MEMORY);
    for (int64_t u = 0; u < n; u++) b->part[u] = (int32_t)(top->partition[u] % o->columns);
done:
    cafe_layers_free(layers);
    return status;
}

/* Rows of length 1 squared are probabilities. */
static cafe_status start_from_sphere(cafe_context *context, const cafe_job *job,
                                     const cafe_softmax_options *o, beginning *b) {
    cafe_status status = CAFE_OK;
    cafe_sphere_options sphere;
    cafe_solution *solution = NULL;
    int64_t count = cafe_graph_nodes(job->model->graph) * o->columns;
    cafe_sphere_options_init(&sphere);
    sphere.columns = o->columns;
    struct cafe_checkpoint *kept = cafe_checkpoint_pause(context);
    status = cafe_sphere(context, job->model->op, &sphere, NULL, &solution);
    cafe_checkpoint_resume(context, kept);
    CAFE_TRY(status);
    b->rows = cafe_mem(context, count, sizeof *b->rows);
    CAFE_TRY(b->rows ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_solution_copy(solution, b->rows));
    for (int64_t i = 0; i < count; i++) b->rows[i] *= b->rows[i];
done:
    cafe_solution_free(solution);
    return status;
}

/* Nine parts in ten for the node's own column, the rest for all alike: a 0 would stay 0. */
static cafe_status soften(cafe_context *context, int64_t n, int64_t columns, beginning *b) {
    b->rows = cafe_mem(context, n * columns, sizeof *b->rows);
    if (!b->rows) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < n * columns; i++)
        b->rows[i] =
            (float)((i % columns == b->part[i / columns] ? 0.9 : 0) + 0.1 / (double)columns);
    return CAFE_OK;
}

/* ---- dense and sparse rows ------------------------------------------------------------------- */

static cafe_status run_dense(cafe_context *context, const cafe_job *job,
                             const cafe_softmax_options *o, beginning *b, cafe_clustering *c) {
    if (b->part) CAFE_PASS(soften(context, c->info.nodes, o->columns, b));
    CAFE_PASS(cafe_softmax(context, job->model->op, o, b->rows, job->inputs.labels, &c->solution));
    CAFE_PASS(cafe_solution_partition(context, c->solution, c->part, &c->info.communities));
    c->info.objective = c->solution->objective;
    c->info.sweeps = c->solution->sweeps;
    c->info.converged = c->solution->converged;
    return CAFE_OK;
}

static cafe_status run_sparse(cafe_context *context, const cafe_job *job,
                              const cafe_softmax_options *o, const beginning *b,
                              cafe_clustering *c) {
    CAFE_PASS(cafe_softmax_sparse(context, job->model->op, o, b->part, job->inputs.labels,
                                  &c->memberships));
    CAFE_PASS(cafe_memberships_partition(context, c->memberships, c->part, &c->info.communities));
    c->info.sparse = 1;
    c->info.objective = cafe_memberships_objective(c->memberships);
    c->info.sweeps = cafe_memberships_sweeps(c->memberships);
    c->info.converged = cafe_memberships_converged(c->memberships);
    return CAFE_OK;
}

/* ---- connected communities --------------------------------------------------------------------
 */

/* What is in one column need not hang together. A set S without an edge between its parts S1 and S2
 * has p(S,S) = p(S1,S1) + p(S2,S2), so that taking it apart raises the modularity by
 *
 *     gamma (p(S)^2 - p(S1)^2 - p(S2)^2) = 2 gamma p(S1) p(S2) >= 0.
 *
 * Labels are another matter: nodes of one class may lie anywhere. So may nodes of alike features.
 */
static cafe_status connect(cafe_context *context, const cafe_job *job, cafe_clustering *c) {
    if (job->inputs.labels || cafe_operator_is_sum(&job->model->op->parts)) return CAFE_OK;
    CAFE_PASS(cafe_partition_connect(context, &CAFE_JOINT(job->model->sampled), c->part,
                                     &c->info.communities));
    return cafe_groups_by_size(context, c->info.nodes, c->part, c->info.communities);
}

/* ---- the method ------------------------------------------------------------------------------ */

static cafe_status cluster_softmax(cafe_context *context, const cafe_job *job, cafe_clustering *c) {
    cafe_status status = CAFE_OK;
    cafe_softmax_options o = *(const cafe_softmax_options *)job->own;
    beginning b = {NULL, NULL};
    c->part = cafe_mem(context, c->info.nodes, sizeof *c->part);
    CAFE_TRY(c->part ? CAFE_OK : CAFE_ERROR_MEMORY);
    bool many =
        o.rows == CAFE_ROWS_SPARSE || (o.rows == CAFE_ROWS_AUTO && o.columns > DENSE_COLUMNS);
    if (o.initial == CAFE_INITIAL_AUTO)
        o.initial = many && !job->inputs.labels ? CAFE_INITIAL_LAYERS : CAFE_INITIAL_RANDOM;
    if (o.initial == CAFE_INITIAL_LAYERS) CAFE_TRY(start_from_layers(context, job, &o, &b));
    bool sparse =
        o.rows == CAFE_ROWS_SPARSE || (o.rows == CAFE_ROWS_AUTO && o.columns > DENSE_COLUMNS);
    if (o.storage != CAFE_STORAGE_FLOAT32 && sparse)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           CAFE_OPT("storage") " is for dense rows: give " CAFE_OPT(
                               "rows=dense") ", or fewer columns"));
    if (!sparse)
        CAFE_TRY(
            cafe_options_idle(context, cafe_softmax_option_table(), &o, "support|threshold",
                              "sparse rows: give " CAFE_OPT("rows=sparse") ", or more columns"));
    if (o.initial == CAFE_INITIAL_SPHERE && sparse)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           CAFE_OPT("initial=sphere") " needs dense rows: give " CAFE_OPT(
                               "rows=dense") ", or fewer columns"));
    if (context->checkpoint && sparse)
        CAFE_TRY(cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            "sparse rows keep no checkpoints: give " CAFE_OPT("rows=dense") ", or fewer columns"));
    if (o.initial == CAFE_INITIAL_SPHERE) CAFE_TRY(start_from_sphere(context, job, &o, &b));
    CAFE_TRY(sparse ? run_sparse(context, job, &o, &b, c) : run_dense(context, job, &o, &b, c));
    CAFE_TRY(connect(context, job, c));
    c->info.partition = c->part;
    c->info.columns = o.columns;
    c->resolution = o.resolution;
done:
    cafe_mem_free_all(context, b.part, b.rows);
    return status;
}

static const cafe_method_code softmax_code = {.cluster = cluster_softmax};
const cafe_method cafe_softmax_method = {
    .name = "softmax",
    .title = "Softmax clustering",
    .summary = "soft clusters of a given number (algorithm 1)",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_LABELS | CAFE_TAKES_CHECKPOINT | CAFE_TAKES_FEATURES |
             CAFE_TAKES_SUMS,
    .form = CAFE_FORM_RAW,
    .communities = cafe_softmax_option_table,
    .code = &softmax_code,
};
