/* cafe cluster: read, sample, find communities, write, report. */
#include "cluster.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

/* ---- before the work ------------------------------------------------------------------------- */

static int check_names(const cluster_values *v) {
    const char *paths[] = {v->output, v->hierarchy, v->soft, v->json};
    enum { PATHS = sizeof paths / sizeof *paths };
    int code = CLI_OK;
    if (!v->output && !v->hierarchy && !v->soft && !v->json)
        return cli_usage_error("cluster",
                               "no output: give -o FILE (or --hierarchy, --soft or --json)");
    if (v->soft && strcmp(cli_extension(v->soft), ".npz") != 0)
        return cli_usage_error("cluster", "%s: memberships are written as .npz", v->soft);
    for (int i = 0; i < PATHS; i++)
        for (int j = 0; j < i; j++)
            if (paths[i] && paths[j] && strcmp(paths[i], paths[j]) == 0)
                return cli_usage_error("cluster", "two outputs cannot both go to %s", paths[i]);
    for (int i = 0; i < PATHS && code == CLI_OK; i++)
        code = cli_output_check("cluster", &v->common, paths[i]);
    return code;
}

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_labels(cluster_job *job) {
    const char *path = job->values.labels;
    if (!path) return CLI_OK;
    int code =
        cli_check(&job->run, cafe_labels_read(job->run.context, job->graph, path, &job->labels));
    if (code != CLI_OK) return code;
    job->label = malloc((size_t)job->counts.nodes * sizeof *job->label);
    if (!job->label) return cli_error(&job->run, CLI_FAILED, "out of memory");
    return cli_check(&job->run, cafe_labels_single(job->run.context, job->labels, job->label));
}

static cafe_method_inputs inputs_of(const cluster_job *job) {
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    inputs.labels = job->label;
    inputs.classes = job->labels ? cafe_labels_classes(job->labels) : 0;
    return inputs;
}

static int read_input(cluster_job *job) {
    double began = cli_seconds();
    int code = cli_check(
        &job->run, cafe_graph_read(job->run.context, job->path, &job->values.graph, &job->graph));
    job->seconds[CLUSTER_READ] = cli_seconds() - began;
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    code = read_labels(job);
    cafe_method_inputs inputs = inputs_of(job);
    if (code != CLI_OK) return code;
    return cli_method_settle(&job->run, &job->values.method, &inputs, job->counts.nodes);
}

static int sample(cluster_job *job) {
    double began = cli_seconds();
    int code = cli_model_make(&job->run, &job->values.method, job->graph, &job->model);
    job->seconds[CLUSTER_SAMPLE] = cli_seconds() - began;
    return code;
}

static int solve(cluster_job *job) {
    double began = cli_seconds();
    cafe_method_options options = cli_method_options(&job->values.method);
    cafe_method_inputs inputs = inputs_of(job);
    int code = cli_check(&job->run,
                         cafe_model_cluster(job->run.context, job->model, job->values.method.row,
                                            &options, &inputs, &job->clustering));
    job->seconds[CLUSTER_SOLVE] = cli_seconds() - began;
    if (code != CLI_OK) return code;
    job->found = cafe_clustering_get(job->clustering);
    code = cli_check(
        &job->run, cafe_partition_sizes(job->run.context, job->counts.nodes, job->found->partition,
                                        job->found->communities, &job->sizes));
    if (code != CLI_OK) return code;
    cluster_say_found(job);
    cluster_say_sizes(job);
    return CLI_OK;
}

static int write_soft(cluster_job *job) {
    const char *path = job->values.soft;
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    if (!path) return CLI_OK;
    cafe_status status =
        cafe_clustering_memberships(job->run.context, job->clustering, &offsets, &columns, &values);
    if (status == CAFE_OK)
        status = cafe_npz_write_csr(job->run.context, path, job->counts.nodes, job->found->columns,
                                    offsets, columns, values, job->values.common.force);
    return cli_check(&job->run, status);
}

static int write_files(cluster_job *job) {
    double began = cli_seconds();
    int code = cluster_write_partition(job);
    if (code == CLI_OK) code = cluster_write_hierarchy(job);
    if (code == CLI_OK) code = write_soft(job);
    job->seconds[CLUSTER_WRITE] = cli_seconds() - began;
    return code;
}

static int cluster(cluster_job *job) {
    int code = read_input(job);
    if (code == CLI_OK) code = sample(job);
    if (code == CLI_OK) code = solve(job);
    if (code == CLI_OK) code = write_files(job);
    if (code == CLI_OK) code = cluster_write_report(job);
    if (code == CLI_OK) cluster_say_end(job);
    return code;
}

static int check(cluster_values *v, const cli_arguments *arguments) {
    bool soft = cafe_method_columns(v->method.row->communities(), v->method.own) > 0;
    if (v->hierarchy && soft)
        return cli_usage_error("cluster", "--hierarchy does not go with --method %s",
                               v->method.row->name);
    if (v->soft && !soft)
        return cli_usage_error("cluster", "--soft does not go with --method %s",
                               v->method.row->name);
    int code = check_names(v);
    if (code == CLI_OK) code = cli_method_check_inputs("cluster", &v->method, v->labels, NULL);
    return code == CLI_OK
               ? cli_method_check("cluster", &v->method, CLI_COMMUNITIES_METHOD, arguments)
               : code;
}

static int run_cluster(const void *values, const cli_arguments *arguments) {
    cluster_job job = {.values = *(const cluster_values *)values, .path = arguments->words[0]};
    int code = check(&job.values, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "cluster", &job.values.common);
    if (code == CLI_OK) code = cluster(&job);
    free(job.label);
    cafe_labels_free(job.labels);
    cafe_clustering_free(job.clustering);
    cafe_model_free(job.model);
    cafe_graph_free(job.graph);
    return cli_end(&job.run, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"output", 'o', "FILE", CLI_TEXT, offsetof(cluster_values, output), NULL, NULL,
     "the partition: node name, tab, community number; - is standard output"},
    {"hierarchy", 0, "FILE", CLI_TEXT, offsetof(cluster_values, hierarchy), NULL, NULL,
     "all layers as a tree in JSON; - is standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(cluster_values, json), NULL, NULL,
     "a report with every figure of the run; - is standard output"},
    CLI_ROW_FORCE,
    CLI_ROW_QUIET,
    CLI_ROW_VERBOSE,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_option model_options[] = {
    CLI_ROW_METHOD(cluster_values, CLI_COMMUNITIES_METHOD, "layers",
                   "layers finds hard communities of any number, softmax soft clusters of a given "
                   "one"),
    {"soft", 0, "FILE", CLI_TEXT, offsetof(cluster_values, soft), NULL, NULL,
     "the memberships of a soft method: a sparse matrix of nodes x clusters as scipy reads it "
     "(.npz)"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(cluster_values, labels), NULL, NULL,
     "known labels, 'node label' a line, of methods that use them: their rows stay fixed"},
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_ENGINE,
    CLI_ROW_END,
};

static const cli_option sampling_options[] = {
    CLI_ROWS_SAMPLING_AT(cluster_values, method.sampling),
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Input and output", options, NULL, 0},
    {"Model", model_options, NULL, 0},
    {"--method", NULL, cli_communities_methods, offsetof(cluster_values, method.own)},
    {"Sampling", sampling_options, cafe_sample_option_table,
     offsetof(cluster_values, method.sampling.options)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(cluster_values, graph)},
    {0},
};

const cli_command cli_cluster = {
    .name = "cluster",
    .arguments = "GRAPH -o OUT.tsv [options]",
    .summary = "find communities that make the modularity large",
    .description =
        "Reads a graph (formats as for embed; - is standard input), finds a partition of its nodes "
        "with a large modularity, layer by layer, and writes each node with the number of its "
        "community. Communities are connected, and numbered by first appearance.",
    .groups = groups,
    .size = sizeof(cluster_values),
    .least = 1,
    .most = 1,
    .run = run_cluster,
};
