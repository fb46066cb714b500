/* cafe cluster: read, sample, find communities, write, report. */
#include "cluster.h"

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "predicted.h"

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_labels(cluster_job *job) {
    cli_run *run = &job->run;
    if (!job->labels_path) return CLI_OK;
    CLI_TRY(cli_read_classes(run, run->graph, job->labels_path, &job->labels, &job->label));
    cli_say_labels(run, job->labels_path, run->graph, job->labels);
    return CLI_OK;
}

static cafe_method_inputs inputs_of(const cluster_job *job) {
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    inputs.labels = job->label;
    inputs.classes = job->labels ? cafe_labels_classes(job->labels) : 0;
    return inputs;
}

static int read_input(cluster_job *job) {
    cli_run *run = &job->run;
    double began = cli_seconds();
    CLI_TRY(cli_read_graph(run, job->labels_path));
    job->seconds[CLUSTER_READ] = cli_seconds() - began;
    CLI_TRY(read_labels(job));
    cafe_method_inputs inputs = inputs_of(job);
    return cli_method_settle(run, &job->method, &inputs, run->counts.nodes);
}

/* Does the method fit a number of soft clusters? */
static bool is_soft(const cluster_job *job) {
    return cafe_method_columns(job->method.row->communities(), job->method.own) > 0;
}

static int sample(cluster_job *job) {
    double began = cli_seconds();
    int code = cli_model_make(&job->run, &job->method, job->run.graph, &job->model);
    if (code == CLI_OK && is_soft(job))
        code = cli_team_divide(&job->run, job->model, &job->division);
    job->seconds[CLUSTER_SAMPLE] = cli_seconds() - began;
    return code;
}

static int solve(cluster_job *job) {
    double began = cli_seconds();
    cafe_method_options options = cli_method_options(&job->method);
    cafe_method_inputs inputs = inputs_of(job);
    int code =
        cli_check(&job->run, cafe_model_cluster(job->run.context, job->model, job->method.row,
                                                &options, &inputs, &job->clustering));
    job->seconds[CLUSTER_SOLVE] = cli_seconds() - began;
    if (code != CLI_OK) return cli_checkpoint_left(&job->run, code);
    job->found = cafe_clustering_get(job->clustering);
    code = cli_check(&job->run, cafe_partition_sizes(job->run.context, job->run.counts.nodes,
                                                     job->found->partition, job->found->communities,
                                                     &job->sizes));
    if (code != CLI_OK) return code;
    cluster_say_found(job);
    cluster_say_sizes(job);
    job->division.whole = !job->found->objective || job->found->sparse;
    job->division.shared = !job->found->objective;
    return cli_team_measure(&job->run, &job->division);
}

static int write_soft(cluster_job *job) {
    const char *path = job->soft;
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    if (!path) return CLI_OK;
    cafe_status status =
        cafe_clustering_memberships(job->run.context, job->clustering, &offsets, &columns, &values);
    if (status == CAFE_OK)
        status =
            cafe_npz_write_csr(job->run.context, path, job->run.counts.nodes, job->found->columns,
                               offsets, columns, values, job->run.common.force);
    return cli_check(&job->run, status);
}

static int write_predicted(cluster_job *job) {
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    cli_predicted predicted;
    if (!job->predicted) return CLI_OK;
    CLI_TRY(cli_check(&job->run, cafe_clustering_memberships(job->run.context, job->clustering,
                                                             &offsets, &columns, &values)));
    CLI_TRY(cli_predict(&job->run, job->labels, 0, offsets, columns, values, &predicted));
    return cli_write_predicted(&predicted, job->predicted);
}

static int write_files(cluster_job *job) {
    cli_run *run = &job->run;
    double began = cli_seconds();
    CLI_TRY(cli_write_file(run, run->common.output, cluster_put_partition, job));
    if (job->hierarchy)
        CLI_TRY(cli_check(run, cafe_layers_write(run->context, job->found->layers, run->graph,
                                                 job->hierarchy, run->common.force)));
    CLI_TRY(write_soft(job));
    CLI_TRY(write_predicted(job));
    job->seconds[CLUSTER_WRITE] = cli_seconds() - began;
    return CLI_OK;
}

static int work(void *argument) {
    cluster_job *job = argument;
    CLI_TRY(cli_checkpoint_begin(&job->run, &job->checkpoint));
    CLI_TRY(read_input(job));
    CLI_TRY(sample(job));
    CLI_TRY(solve(job));
    CLI_TRY(write_files(job));
    CLI_TRY(cli_write_report(&job->run, "cafe/cluster/1", cluster_fill_report, job));
    cluster_say_end(job);
    return cli_checkpoint_end(&job->run);
}

static int check(void *argument) {
    cluster_job *job = argument;
    const cafe_method *row = job->method.row;
    bool soft = is_soft(job);
    if (job->hierarchy && soft)
        return cli_usage_error("cluster",
                               "--hierarchy does not go with --method %s, but with --method layers",
                               row->name);
    if (job->soft && !soft)
        return cli_usage_error(
            "cluster", "--soft does not go with --method %s, but with --method softmax", row->name);
    CLI_TRY(cli_method_check("cluster", &job->method, CLI_COMMUNITIES_METHOD, job->run.arguments));
    CLI_TRY(cli_method_check_inputs("cluster", &job->method, job->labels_path, NULL));
    CLI_TRY(cli_checkpoint_check("cluster", &job->checkpoint, &job->method, job->run.arguments));
    if (job->predicted && !job->labels_path)
        return cli_usage_error("cluster", "--predicted needs --labels FILE");
    return CLI_OK;
}

static void release(void *argument) {
    cluster_job *job = argument;
    cafe_labels_free(job->labels);
    cafe_clustering_free(job->clustering);
    cafe_model_free(job->model);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_OUTPUT(NULL, "the partition: node name, tab, community number; - is standard output"),
    CLI_ROW_WRITES(cluster_job, hierarchy, "hierarchy", NULL,
                   "all layers as a tree in JSON; - is standard output"),
    CLI_ROW_WRITES(cluster_job, soft, "soft", ".npz",
                   "the memberships of a soft method: a sparse matrix of nodes x clusters as scipy "
                   "reads it (.npz)"),
    CLI_ROW_JSON("a report with every figure of the run; - is standard output"),
    CLI_ROWS_CHECKPOINT(cluster_job),
    CLI_ROW_VERBOSE,
    CLI_ROW_ENGINE,
    CLI_ROW_PARTITION,
    CLI_ROWS_SEEDED,
};
static const cli_option model_options[] = {
    CLI_ROW_METHOD(cluster_job, CLI_COMMUNITIES_METHOD, "layers",
                   "layers finds how many communities there are, softmax fits a given number of "
                   "soft clusters"),
    CLI_ROW_READS(cluster_job, labels_path, "labels",
                  "known labels, one 'node label' per line, for methods that use them; they stay "
                  "as they are"),
    CLI_ROW_UNKNOWN,
    CLI_ROW_PREDICTED(cluster_job, predicted),
    CLI_ROW_END,
};
static const cli_option sampling_options[] = {
    CLI_ROWS_SAMPLING_AT(cluster_job, method.sampling),
    CLI_ROW_END,
};
static const cli_group groups[] = {
    CLI_GROUP("Input and output", options),
    CLI_GROUP("Model", model_options),
    CLI_GROUP_TABLE("--method", cluster_job, method.own, cli_communities_methods),
    {"Sampling", sampling_options, cafe_sample_option_table,
     offsetof(cluster_job, method.sampling.options)},
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_cluster = {
    .name = "cluster",
    .arguments = "GRAPH -o OUT.tsv [options]",
    .summary = "find communities that make the modularity large",
    .description =
        "Reads a graph ('cafe help formats' lists the formats; - is standard input), divides its "
        "nodes into communities of a large modularity (more links inside than degrees alone would "
        "give), and writes each node with the number of its community. Communities are connected, "
        "unless --labels say what they are, and numbered by size, the largest 0.",
    CLI_JOB(cluster_job, 1, 1),
    .needs = "output|hierarchy|soft|predicted|json",
    .check = check,
    .release = release,
};
