/* cafe evaluate cluster: a partition against the graph (modularity, conductance) and against labels
 * (mutual information, adjusted Rand index).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"
#include "sampling.h"

typedef struct cluster_values {
    cli_common common;
    const char *labels, *communities, *json;
    cli_sampling sampling;
    cafe_layers_options layers;
    cafe_graph_options graph;
} cluster_values;

typedef struct cluster_job {
    cli_run run;
    cluster_values values;
    const char *path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_sampled *sampled;
    int32_t *part, *label; /* of each node, -1 without one */
    int64_t parts;
    cafe_partition_quality quality, truth;
    cafe_agreement agreement;
} cluster_job;

/* ---- the two partitions ---------------------------------------------------------------------- */

/* One class a node from a file of labels or communities. */
static int read_classes(cluster_job *job, const char *path, int32_t **class, int64_t *classes) {
    cafe_labels *labels = NULL;
    cafe_context *context = job->run.context;
    *class = malloc((size_t)job->counts.nodes * sizeof **class + 1);
    if (!*class) return cli_error(&job->run, CLI_FAILED, "out of memory");
    int code = cli_check(&job->run, cafe_labels_read(context, job->graph, path, &labels));
    if (code == CLI_OK) code = cli_check(&job->run, cafe_labels_single(context, labels, *class));
    if (code == CLI_OK) *classes = cafe_labels_classes(labels);
    cafe_labels_free(labels);
    return code;
}

static int find_layers(cluster_job *job) {
    cafe_context *context = job->run.context;
    cafe_operator *op = NULL;
    cafe_layers *layers = NULL;
    cafe_layer top;
    size_t bytes = (size_t)job->counts.nodes * sizeof *job->part;
    job->part = malloc(bytes + 1);
    if (!job->part) return cli_error(&job->run, CLI_FAILED, "out of memory");
    cafe_status status = cafe_operator_modularity(context, job->sampled, &op);
    if (status == CAFE_OK) status = cafe_layers_find(context, op, &job->values.layers, &layers);
    if (status == CAFE_OK) {
        top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        memcpy(job->part, top.partition, bytes);
        job->parts = top.communities;
    }
    cafe_layers_free(layers);
    cafe_operator_free(op);
    return cli_check(&job->run, status);
}

/* ---- reports --------------------------------------------------------------------------------- */

static void print_quality(const char *name, const cafe_partition_quality *q) {
    printf("%-12s %8" PRId64 "  %10.6f  %11.6f  %11.6f\n", name, q->sets, q->modularity,
           q->conductance, q->weighted_conductance);
}

static void print_figures(cluster_job *job) {
    const char *json = job->values.json;
    if (json && strcmp(json, "-") == 0) return;
    cli_progress_hide(job->run.bar);
    printf("                 sets  modularity  conductance  by size\n");
    print_quality("communities", &job->quality);
    if (job->label) {
        print_quality("labels", &job->truth);
        printf("NMI %.6f, ARI %.6f over %" PRId64 " nodes\n", job->agreement.nmi,
               job->agreement.ari, job->agreement.nodes);
    }
    fflush(stdout);
    cli_progress_show(job->run.bar);
}

static void put_report(cafe_report *report, const void *argument) {
    const cluster_job *job = argument;
    const cluster_values *v = &job->values;
    cafe_report_string(report, "task", "cluster");
    cafe_report_graph(report, job->path, job->graph);
    cafe_report_open(report, "options", '{');
    if (v->communities) cafe_report_string(report, "communities", v->communities);
    if (v->labels) cafe_report_string(report, "labels", v->labels);
    cli_report_sampling(report, &v->sampling);
    if (!v->communities) cafe_report_options(report, cafe_layers_option_table(), &v->layers);
    cafe_report_context(report);
    cafe_report_close(report);
    cafe_report_quality(report, "communities", &job->quality);
    if (job->label) cafe_report_quality(report, "labels", &job->truth);
    if (job->label) cafe_report_agreement(report, &job->agreement);
    cli_report_seconds(report, &job->run);
}

/* ---- the task -------------------------------------------------------------------------------- */

static cafe_status measure(cluster_job *job, int64_t classes) {
    cafe_context *context = job->run.context;
    cafe_status status =
        cafe_partition_measure(context, job->sampled, job->part, job->parts, &job->quality);
    if (status == CAFE_OK && job->label)
        status = cafe_partition_measure(context, job->sampled, job->label, classes, &job->truth);
    if (status == CAFE_OK && job->label)
        status = cafe_partition_agreement(context, job->counts.nodes, job->part, job->label,
                                          &job->agreement);
    return status;
}

static int evaluate(cluster_job *job) {
    const cluster_values *v = &job->values;
    int64_t classes = 0;
    int code = cli_read_labelled(&job->run, job->path, &v->graph, v->labels, &job->graph);
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    code = cli_sample(&job->run, &v->sampling, job->graph, &job->sampled);
    if (code == CLI_OK && v->labels) code = read_classes(job, v->labels, &job->label, &classes);
    if (code == CLI_OK)
        code = v->communities ? read_classes(job, v->communities, &job->part, &job->parts)
                              : find_layers(job);
    if (code == CLI_OK) code = cli_check(&job->run, measure(job, classes));
    if (code == CLI_OK) print_figures(job);
    return code != CLI_OK ? code
                          : cli_write_report_to(&job->run, job->values.json, "cafe/evaluate/1",
                                                put_report, job);
}

static int run_cluster(const void *values, const cli_arguments *arguments) {
    cluster_job job = {.values = *(const cluster_values *)values, .path = arguments->words[0]};
    cluster_values *v = &job.values;
    int code = cli_output_check("evaluate cluster", &v->common, v->json);
    if (code == CLI_OK) code = cli_sampling_check("evaluate cluster", &v->sampling, arguments);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "evaluate cluster", &v->common);
    if (code == CLI_OK) code = evaluate(&job);
    cafe_sampled_free(job.sampled);
    cafe_graph_free(job.graph);
    free(job.part);
    free(job.label);
    return cli_end(&job.run, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"communities", 0, "FILE", CLI_TEXT, offsetof(cluster_values, communities), NULL, NULL,
     "'node community' a line, as cafe cluster writes them; without it they are found by layers"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(cluster_values, labels), NULL, NULL,
     "'node label' a line, to be compared with; nodes that no edge mentions are isolated nodes"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(cluster_values, json), NULL, NULL,
     "a report with every figure; - is standard output"},
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_FORCE,
    CLI_ROW_QUIET,
    CLI_ROW_VERBOSE,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_option sampling_rows[] = {
    CLI_ROWS_SAMPLING(cluster_values),
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Finding communities", NULL, cafe_layers_option_table, offsetof(cluster_values, layers)},
    {"Sampling", sampling_rows, cafe_sample_option_table,
     offsetof(cluster_values, sampling.options)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(cluster_values, graph)},
    {0},
};

const cli_command cli_evaluate_cluster = {
    .name = "evaluate cluster",
    .arguments = "GRAPH [--communities FILE] [--labels FILE] [options]",
    .summary = "judge a partition by the graph and by labels",
    .description =
        "Prints modularity and conductance of a partition, and with labels its normalised mutual "
        "information (by the arithmetic mean of the entropies) and adjusted Rand index with them, "
        "over the nodes that have both.",
    .groups = groups,
    .size = sizeof(cluster_values),
    .least = 1,
    .most = 1,
    .run = run_cluster,
};
