/* The methods: their options by name, their refusals, and the way from a graph to vectors. */
#include "method.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

/* ---- what a method is ------------------------------------------------------------------------ */

const char *cli_method_name(const cli_method *m) {
    static const char *const own[] = {"sphere", "cafe", "layers", "label-propagation"};
    size_t count;
    const cafe_baseline *others = cafe_baselines(&count);
    return m->kind < CLI_FIRST_BASELINE ? own[m->kind] : others[m->kind - CLI_FIRST_BASELINE].name;
}

static const cafe_baseline *baseline_of(const cli_method *m) {
    size_t count;
    return m->kind < CLI_FIRST_BASELINE ? NULL
                                        : cafe_baselines(&count) + m->kind - CLI_FIRST_BASELINE;
}

const cafe_option_table *cli_method_table(const cli_method *m) {
    switch (m->kind) {
        case CLI_SPHERE: return cafe_sphere_option_table();
        case CLI_CAFE: return cafe_softmax_option_table();
        case CLI_LAYERS: return cafe_layers_option_table();
        case CLI_LABEL_PROPAGATION: return cafe_label_propagation_option_table();
        default: return baseline_of(m)->table();
    }
}

const void *cli_method_options(const cli_method *m) {
    switch (m->kind) {
        case CLI_SPHERE: return &m->sphere;
        case CLI_CAFE: return &m->softmax;
        case CLI_LAYERS: return &m->layers;
        case CLI_LABEL_PROPAGATION: return &m->spread;
        default: return &m->baseline;
    }
}

/* Where a method keeps K; NULL when its options do not have it. */
static int64_t *columns_field(const cli_method *m) {
    const cafe_option_table *table = cli_method_table(m);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, "columns") == 0)
            return (int64_t *)((char *)cli_method_options(m) + table->options[i].offset);
    return NULL;
}

int64_t cli_method_columns(const cli_method *m) {
    const int64_t *field = columns_field(m);
    return m->kind == CLI_LAYERS ? m->layers_columns : field ? *field : 0;
}

void cli_method_set_columns(cli_method *m, int64_t columns) {
    int64_t *field = columns_field(m);
    if (field) *field = columns;
}

bool cli_method_samples(const cli_method *m) {
    return m->kind <= CLI_LAYERS;
}

bool cli_method_labels(const cli_method *m) {
    return m->kind == CLI_CAFE || m->kind == CLI_LABEL_PROPAGATION;
}

int cli_method_check(const char *command, cli_method *m, const cli_arguments *arguments) {
    /* only the paper's methods leave an H that is meant to go through Q once more */
    if (!cli_method_samples(m) && !cli_given(arguments, "output-form"))
        m->finish.form = CAFE_FORM_RAW;
    static const char *const filter[] = {"propagate-order", "propagate-mu", "propagate-theta"};
    for (size_t i = 0; i < sizeof filter / sizeof *filter && !m->propagate; i++)
        if (cli_given(arguments, filter[i]))
            return cli_usage_error(command, "--%s needs --propagate", filter[i]);
    if (!cli_method_samples(m)) return CLI_OK;
    return cli_sampling_check(command, &m->sampling, arguments);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Drawn walks: the certificate is for the exact P, which needs only products. */
static cafe_status certify_exact(cafe_context *context, const cli_method *m, cli_model *model) {
    cafe_sampled_info info = *cafe_sampled_get_info(model->sampled);
    if (info.sampling != CAFE_SAMPLING_WALK || info.exact || info.seeds > 0 ||
        m->sampling.options.balance) /* products do not know of the weights */
        return CAFE_OK;
    cafe_status status = cafe_sample(context, model->graph, CAFE_SAMPLING_EDGE, &model->edges);
    if (status == CAFE_OK)
        status =
            cafe_operator_walk(context, model->edges, m->sampling.options.window, &model->certify);
    return status;
}

static cafe_status make_operators(cafe_context *context, const cli_method *m, cli_model *model) {
    cafe_status status = cafe_operator_modularity(context, model->sampled, &model->op);
    return status == CAFE_OK ? certify_exact(context, m, model) : status;
}

cafe_status cli_model_plain(cafe_context *context, const cli_method *m, const cafe_graph *graph,
                            cli_model *model) {
    cafe_sample_inputs none = {.struct_size = sizeof none};
    *model = (cli_model){.graph = graph};
    cafe_status status = cli_method_samples(m)
                             ? cafe_sample_with(context, graph, (cafe_sampling)m->sampling.kind,
                                                &m->sampling.options, &none, &model->sampled)
                             : cafe_sample(context, graph, CAFE_SAMPLING_EDGE, &model->sampled);
    return status == CAFE_OK ? make_operators(context, m, model) : status;
}

int cli_model_make(cli_run *run, const cli_method *m, const cafe_graph *graph, cli_model *model) {
    if (!cli_method_samples(m))
        return cli_check(run, cli_model_plain(run->context, m, graph, model));
    *model = (cli_model){.graph = graph};
    int code = cli_sample(run, &m->sampling, graph, &model->sampled);
    return code == CLI_OK ? cli_check(run, make_operators(run->context, m, model)) : code;
}

void cli_model_free(cli_model *model) {
    cafe_operator_free(model->op);
    cafe_operator_free(model->certify);
    cafe_sampled_free(model->edges);
    cafe_sampled_free(model->sampled);
    *model = (cli_model){0};
}

/* ---- solvers --------------------------------------------------------------------------------- */

/* The hard partition of a softmax solution and its modularity. */
static cafe_status judge_partition(cafe_context *context, const cli_model *model,
                                   cli_solved *solved) {
    int32_t *part = malloc((size_t)cafe_graph_nodes(model->graph) * sizeof *part + 1);
    double *covariance = NULL;
    cafe_status status = part ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        status = cafe_solution_partition(context, solved->solution, part, &solved->communities);
    size_t count = (size_t)solved->communities;
    if (status == CAFE_OK && !(covariance = malloc(count * count * sizeof *covariance + 1)))
        status = CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        status =
            cafe_operator_covariance(context, model->op, part, solved->communities, covariance);
    for (size_t i = 0; i < count && status == CAFE_OK; i++)
        solved->modularity += covariance[i * count + i];
    free(part);
    free(covariance);
    return status;
}

/* With labels there is a column a class unless more are asked for. */
static cafe_status solve_softmax(cafe_context *context, const cli_method *m, const cli_model *model,
                                 const float *start, cli_known known, cli_solved *solved) {
    cafe_status status =
        cafe_softmax(context, model->op, &m->softmax, start, known.label, &solved->solution);
    return status == CAFE_OK ? judge_partition(context, model, solved) : status;
}

static cafe_status solve_layers(cafe_context *context, const cli_method *m, const cli_model *model,
                                cli_solved *solved) {
    cafe_layers *layers = NULL;
    cafe_layer top;
    cafe_status status = cafe_layers_find(context, model->op, &m->layers, &layers);
    if (status != CAFE_OK) return status;
    top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    solved->communities = top.communities;
    solved->modularity = top.modularity;
    status = cafe_layers_solution(context, model->op, layers, m->layers_columns, &solved->solution);
    cafe_layers_free(layers);
    return status;
}

cafe_status cli_method_solve(cafe_context *context, const cli_method *m, const cli_model *model,
                             const float *start, cli_known known, cli_solved *solved) {
    *solved = (cli_solved){0};
    switch (m->kind) {
        case CLI_SPHERE:
            return cafe_sphere(context, model->op, &m->sphere, start, &solved->solution);
        case CLI_CAFE: return solve_softmax(context, m, model, start, known, solved);
        case CLI_LAYERS: return solve_layers(context, m, model, solved);
        case CLI_LABEL_PROPAGATION:
            return cafe_label_propagation(context, model->graph, known.label, known.classes,
                                          &m->spread, &solved->solution);
        default:
            return baseline_of(m)->solve(context, model->graph, &m->baseline, &solved->solution);
    }
}

/* ---- the finish ------------------------------------------------------------------------------ */

/* The last step of ProNE on vectors of any method; what comes out is certified as it is. */
static cafe_status propagate(cafe_context *context, const cli_method *m, const cli_model *model,
                             cafe_embedding **embedding) {
    int64_t columns = cafe_embedding_columns(*embedding);
    int64_t n = cafe_embedding_nodes(*embedding);
    float *vectors = malloc((size_t)(n * columns) * sizeof *vectors + 1);
    cafe_status status = vectors ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) cafe_embedding_copy(*embedding, vectors);
    cafe_embedding_free(*embedding);
    *embedding = NULL;
    if (status == CAFE_OK)
        status = cafe_propagate(context, model->graph, &m->propagation, columns, vectors);
    if (status == CAFE_OK)
        status = cafe_certify(context, model->op, columns, vectors, NULL, embedding);
    free(vectors);
    return status;
}

cafe_status cli_method_finish(cafe_context *context, const cli_method *m, const cli_model *model,
                              cafe_solution **solution, cafe_embedding **embedding) {
    cafe_status status = cafe_finish(context, model->certify ? model->certify : model->op, solution,
                                     &m->finish, embedding);
    if (status == CAFE_OK && m->propagate) status = propagate(context, m, model, embedding);
    return status;
}

cafe_status cli_method_embed(cafe_context *context, const cli_method *m, const cli_model *model,
                             cli_known known, cafe_embedding **embedding) {
    cli_solved solved;
    cafe_status status = cli_method_solve(context, m, model, NULL, known, &solved);
    *embedding = NULL;
    if (status == CAFE_OK)
        status = cli_method_finish(context, m, model, &solved.solution, embedding);
    cafe_solution_free(solved.solution);
    return status;
}

/* ---- reports --------------------------------------------------------------------------------- */

void cli_report_method(cafe_report *report, const cli_method *m) {
    cafe_report_string(report, "method", cli_method_name(m));
    if (cli_method_samples(m)) cli_report_sampling(report, &m->sampling);
    if (m->kind == CLI_LAYERS) cafe_report_integer(report, "columns", m->layers_columns);
    cafe_report_options(report, cli_method_table(m), cli_method_options(m));
    cafe_report_options(report, cafe_finish_option_table(), &m->finish);
    cafe_report_truth(report, "propagate", m->propagate);
    if (m->propagate) cafe_report_options(report, cafe_propagate_option_table(), &m->propagation);
}
