/* cafe cluster: read, sample, find communities, write, report.
 *
 * A new method is a row of `methods`, a word in the choices of --method and a group of options.
 */
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

/* ---- the methods ----------------------------------------------------------------------------- */

static int solve_layers(cluster_job *job, const cli_arguments *arguments) {
    (void)arguments;
    cafe_layers_options options = job->values.layers;
    cafe_layer top;
    int code =
        cli_check(&job->run, cafe_layers_find(job->run.context, job->op, &options, &job->layers));
    if (code != CLI_OK) return code;
    top = *cafe_layers_get(job->layers, cafe_layers_count(job->layers) - 1);
    job->partition = top.partition;
    job->communities = top.communities;
    job->modularity = top.modularity;
    return CLI_OK;
}

static const cluster_method methods[] = {
    {"layers", cafe_layers_option_table, offsetof(cluster_values, layers), solve_layers,
     cluster_say_layers},
    {"softmax", cafe_softmax_option_table, offsetof(cluster_values, softmax), cluster_solve_softmax,
     cluster_say_softmax},
};

/* ---- the phases ------------------------------------------------------------------------------ */

static int read_input(cluster_job *job) {
    double began = cli_seconds();
    int code = cli_check(
        &job->run, cafe_graph_read(job->run.context, job->path, &job->values.graph, &job->graph));
    job->seconds[CLUSTER_READ] = cli_seconds() - began;
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    return CLI_OK;
}

static int sample(cluster_job *job) {
    double began = cli_seconds();
    cafe_context *context = job->run.context;
    int code = cli_sample(&job->run, &job->values.sampling, job->graph, &job->sampled);
    if (code == CLI_OK)
        code = cli_check(&job->run, cafe_operator_modularity(context, job->sampled, &job->op));
    job->seconds[CLUSTER_SAMPLE] = cli_seconds() - began;
    return code;
}

static int solve(cluster_job *job, const cli_arguments *arguments) {
    double began = cli_seconds();
    int code = job->method->solve(job, arguments);
    job->seconds[CLUSTER_SOLVE] = cli_seconds() - began;
    if (code == CLI_OK)
        code = cli_check(&job->run,
                         cafe_partition_sizes(job->run.context, job->counts.nodes, job->partition,
                                              job->communities, &job->sizes));
    if (code != CLI_OK) return code;
    job->method->say(job);
    cluster_say_sizes(job);
    return CLI_OK;
}

static int write_files(cluster_job *job) {
    double began = cli_seconds();
    int code = cluster_write_partition(job);
    if (code == CLI_OK) code = cluster_write_hierarchy(job);
    if (code == CLI_OK) code = cluster_write_soft(job);
    job->seconds[CLUSTER_WRITE] = cli_seconds() - began;
    return code;
}

static int cluster(cluster_job *job, const cli_arguments *arguments) {
    int code = read_input(job);
    if (code == CLI_OK) code = sample(job);
    if (code == CLI_OK) code = solve(job, arguments);
    if (code == CLI_OK) code = write_files(job);
    if (code == CLI_OK) code = cluster_write_report(job);
    if (code == CLI_OK) cluster_say_end(job);
    return code;
}

static int run_cluster(const void *values, const cli_arguments *arguments) {
    cluster_job job = {.values = *(const cluster_values *)values, .path = arguments->words[0]};
    job.method = &methods[job.values.method];
    if (job.values.no_refine) job.values.layers.refine = 0;
    if (job.values.hierarchy && strcmp(job.method->name, "layers") != 0)
        return cli_usage_error("cluster", "--hierarchy needs --method layers");
    int code = check_names(&job.values);
    if (code == CLI_OK) code = cli_sampling_check("cluster", &job.values.sampling, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "cluster", &job.values.common);
    if (code == CLI_OK) code = cluster(&job, arguments);
    cluster_free_soft(&job);
    cafe_layers_free(job.layers);
    cafe_operator_free(job.op);
    cafe_sampled_free(job.sampled);
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
    {"method", 0, "NAME", CLI_CHOICE, offsetof(cluster_values, method), "layers", "layers|softmax",
     "layers finds hard communities of any number, softmax soft clusters of a given one"},
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_ENGINE,
    CLI_ROW_END,
};

static const cli_option layers_options[] = {
    {"no-refine", 0, NULL, CLI_FLAG, offsetof(cluster_values, no_refine), NULL, NULL,
     "the same as --refine no"},
    CLI_ROW_END,
};

static const cli_option softmax_options[] = {
    {"soft", 0, "FILE", CLI_TEXT, offsetof(cluster_values, soft), NULL, NULL,
     "the memberships: a sparse matrix of nodes x clusters as scipy reads it (.npz)"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(cluster_values, labels), NULL, NULL,
     "known labels, 'node label' a line: their rows stay fixed"},
    {"start", 0, "FROM", CLI_CHOICE, offsetof(cluster_values, start), "random",
     "random|layers|sphere",
     "where to begin: at random, at the communities of the layers, or at a sphere solution"},
    {"rows", 0, "KIND", CLI_CHOICE, offsetof(cluster_values, rows), "auto", "auto|dense|sparse",
     "dense rows, or sparse ones for many columns; auto takes sparse ones above 256 columns"},
    CLI_ROW_END,
};

static const cli_option sampling_options[] = {
    CLI_ROWS_SAMPLING(cluster_values),
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Input and output", options, NULL, 0},
    {"Model", model_options, NULL, 0},
    {"--method layers", layers_options, cafe_layers_option_table, offsetof(cluster_values, layers)},
    {"--method softmax", softmax_options, cafe_softmax_option_table,
     offsetof(cluster_values, softmax)},
    {"--method softmax", NULL, cafe_sparse_option_table, offsetof(cluster_values, sparse)},
    {"Sampling", sampling_options, cafe_sample_option_table,
     offsetof(cluster_values, sampling.options)},
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
