/* The soft method of cafe cluster: where it starts, dense or sparse rows, labels, memberships out.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "command.h"

enum { DENSE_COLUMNS = 256 };        /* more columns than this are held in sparse rows */
static const float smallest = 1e-6f; /* probabilities written of dense rows */

/* ---- labels and starts ----------------------------------------------------------------------- */

static int read_labels(cluster_job *job, const cli_arguments *arguments) {
    cafe_softmax_options *o = &job->values.softmax;
    const char *path = job->values.labels;
    cafe_labels *labels = NULL;
    if (!path) return CLI_OK;
    int code = cli_check(&job->run, cafe_labels_read(job->run.context, job->graph, path, &labels));
    if (code != CLI_OK) return code;
    int64_t classes = cafe_labels_classes(labels);
    if (!cli_given(arguments, "columns")) o->columns = classes;
    job->label = malloc((size_t)job->counts.nodes * sizeof *job->label);
    if (!job->label)
        code = cli_error(&job->run, CLI_FAILED, "out of memory");
    else if (o->columns < classes)
        code = cli_error(&job->run, CLI_FAILED,
                         "%s has %" PRId64 " classes: --columns %" PRId64 " is too few", path,
                         classes, o->columns);
    else
        code = cli_check(&job->run, cafe_labels_single(job->run.context, labels, job->label));
    cafe_labels_free(labels);
    return code;
}

/* The partition of the layers; their number is the number of columns unless one was given. */
static int start_from_layers(cluster_job *job, const cli_arguments *arguments, int32_t **part) {
    cafe_softmax_options *o = &job->values.softmax;
    cafe_layers *layers = NULL;
    cafe_layer top;
    int code = cli_check(&job->run, cafe_layers_find(job->run.context, job->op, NULL, &layers));
    if (code != CLI_OK) return code;
    top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    if (!cli_given(arguments, "columns") && top.communities > o->columns)
        o->columns = top.communities;
    *part = malloc((size_t)job->counts.nodes * sizeof **part);
    for (int64_t u = 0; *part && u < job->counts.nodes; u++)
        (*part)[u] = (int32_t)(top.partition[u] % o->columns);
    cafe_layers_free(layers);
    return *part ? CLI_OK : cli_error(&job->run, CLI_FAILED, "out of memory");
}

/* Nine parts in ten for the node's own column, the rest for all alike: a 0 would stay 0. */
static float *soften(const int32_t *part, int64_t n, int64_t columns) {
    float *start = malloc((size_t)(n * columns) * sizeof *start);
    for (int64_t i = 0; start && i < n * columns; i++)
        start[i] = (float)((i % columns == part[i / columns] ? 0.9 : 0) + 0.1 / (double)columns);
    return start;
}

/* Rows of length 1 squared are probabilities. */
static int start_from_sphere(cluster_job *job, float **start) {
    cafe_sphere_options o;
    cafe_solution *solution = NULL;
    cafe_sphere_options_init(&o);
    o.columns = job->values.softmax.columns;
    int code = cli_check(&job->run, cafe_sphere(job->run.context, job->op, &o, NULL, &solution));
    if (code != CLI_OK) return code;
    size_t count = (size_t)(job->counts.nodes * o.columns);
    *start = malloc(count * sizeof **start);
    if (*start) cafe_solution_copy(solution, *start);
    for (size_t i = 0; *start && i < count; i++) (*start)[i] *= (*start)[i];
    cafe_solution_free(solution);
    return *start ? CLI_OK : cli_error(&job->run, CLI_FAILED, "out of memory");
}

/* ---- dense and sparse rows ------------------------------------------------------------------- */

/* The rows of a dense solution as compressed ones. */
static int compress(cluster_job *job) {
    int64_t n = job->counts.nodes, k = job->values.softmax.columns;
    float *h = malloc((size_t)(n * k) * sizeof *h);
    job->soft_offsets = malloc((size_t)(n + 1) * sizeof *job->soft_offsets);
    job->soft_columns = malloc((size_t)(n * k) * sizeof *job->soft_columns);
    if (!h || !job->soft_offsets || !job->soft_columns) {
        free(h);
        return cli_error(&job->run, CLI_FAILED, "out of memory");
    }
    int64_t count = 0;
    cafe_solution_copy(job->solution, h);
    for (int64_t u = 0; u < n; u++) {
        job->soft_offsets[u] = count;
        for (int64_t j = 0; j < k; j++)
            if (h[u * k + j] > smallest) {
                job->soft_columns[count] = (int32_t)j;
                h[count++] = h[u * k + j]; /* never ahead of what is still to be read */
            }
    }
    job->soft_offsets[n] = count;
    job->soft_values = h;
    return CLI_OK;
}

static int keep_course(cluster_job *job, const double *objective, int64_t sweeps,
                       int32_t converged) {
    job->sweeps = sweeps;
    job->converged = converged != 0;
    job->objective = malloc((size_t)(sweeps + 1) * sizeof *job->objective);
    if (!job->objective) return cli_error(&job->run, CLI_FAILED, "out of memory");
    memcpy(job->objective, objective, (size_t)(sweeps + 1) * sizeof *job->objective);
    return CLI_OK;
}

static int solve_dense(cluster_job *job, const int32_t *part, float *start) {
    cafe_context *context = job->run.context;
    if (part && !(start = soften(part, job->counts.nodes, job->values.softmax.columns)))
        return cli_error(&job->run, CLI_FAILED, "out of memory");
    cafe_status status =
        cafe_softmax(context, job->op, &job->values.softmax, start, job->label, &job->solution);
    if (part) free(start);
    if (status == CAFE_OK)
        status = cafe_solution_partition(context, job->solution, job->own, &job->communities);
    int code = cli_check(&job->run, status);
    if (code == CLI_OK)
        code = keep_course(job, cafe_solution_objective(job->solution),
                           cafe_solution_sweeps(job->solution),
                           cafe_solution_converged(job->solution));
    if (code == CLI_OK && job->values.soft) code = compress(job);
    return code;
}

static int solve_sparse(cluster_job *job, const int32_t *part) {
    cafe_context *context = job->run.context;
    cafe_status status =
        cafe_softmax_sparse(context, job->op, &job->values.softmax, &job->values.sparse, part,
                            job->label, &job->memberships);
    if (status == CAFE_OK)
        status = cafe_memberships_partition(context, job->memberships, job->own, &job->communities);
    int code = cli_check(&job->run, status);
    if (code == CLI_OK)
        code = keep_course(job, cafe_memberships_objective(job->memberships),
                           cafe_memberships_sweeps(job->memberships),
                           cafe_memberships_converged(job->memberships));
    return code;
}

/* ---- the method ------------------------------------------------------------------------------ */

/* sum over communities of (inside / 2m - (degrees / 2m)^2) */
static double modularity(const cluster_job *job, double *mass) {
    const int64_t *offsets;
    const int32_t *targets, *part = job->own;
    const float *weights;
    double total = job->counts.total_weight, inside = 0, expected = 0;
    cafe_graph_csr(job->graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < job->counts.nodes; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            double weight = weights ? weights[j] : 1;
            mass[part[u]] += weight;
            if (part[targets[j]] == part[u]) inside += weight;
        }
    for (int64_t i = 0; i < job->communities; i++) expected += mass[i] * mass[i];
    return inside / total - expected / total / total;
}

static int find_start(cluster_job *job, const cli_arguments *arguments, int32_t **part,
                      float **start) {
    if (job->values.start == START_LAYERS) return start_from_layers(job, arguments, part);
    if (job->values.start == START_SPHERE) return start_from_sphere(job, start);
    return CLI_OK;
}

static bool wants_sparse(const cluster_values *v) {
    return v->rows == ROWS_SPARSE || (v->rows == ROWS_AUTO && v->softmax.columns > DENSE_COLUMNS);
}

int cluster_solve_softmax(cluster_job *job, const cli_arguments *arguments) {
    int32_t *part = NULL;
    float *start = NULL;
    double *mass = NULL;
    job->own = malloc((size_t)job->counts.nodes * sizeof *job->own);
    if (!job->own) return cli_error(&job->run, CLI_FAILED, "out of memory");
    int code = read_labels(job, arguments);
    if (code == CLI_OK) code = find_start(job, arguments, &part, &start);
    if (code == CLI_OK && wants_sparse(&job->values) && start)
        code = cli_error(&job->run, CLI_FAILED,
                         "--start sphere needs dense rows: --rows dense, or fewer --columns");
    if (code == CLI_OK)
        code = wants_sparse(&job->values) ? solve_sparse(job, part) : solve_dense(job, part, start);
    if (code == CLI_OK && !(mass = calloc((size_t)job->communities, sizeof *mass)))
        code = cli_error(&job->run, CLI_FAILED, "out of memory");
    if (code == CLI_OK) job->modularity = modularity(job, mass);
    job->partition = job->own;
    free(mass);
    free(part);
    free(start);
    return code;
}

int cluster_write_soft(cluster_job *job) {
    const cluster_values *v = &job->values;
    const int64_t *offsets = job->soft_offsets;
    const int32_t *columns = job->soft_columns;
    const float *values = job->soft_values;
    if (!v->soft) return CLI_OK;
    if (job->memberships) cafe_memberships_csr(job->memberships, &offsets, &columns, &values);
    return cli_check(&job->run, cafe_npz_write_csr(job->run.context, v->soft, job->counts.nodes,
                                                   v->softmax.columns, offsets, columns, values,
                                                   v->common.force));
}

void cluster_free_soft(cluster_job *job) {
    free(job->label);
    free(job->own);
    free(job->objective);
    free(job->soft_offsets);
    free(job->soft_columns);
    free(job->soft_values);
    cafe_solution_free(job->solution);
    cafe_memberships_free(job->memberships);
}
