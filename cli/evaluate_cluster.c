/* cafe evaluate cluster: a partition against the graph (modularity, conductance) and against labels
 * (mutual information, adjusted Rand index).
 */
#include <inttypes.h>
#include <string.h>

#include <cafe-private/results.h>
#include <cafe-private/run.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "method.h"
#include "output.h"
#include "report.h"

typedef struct cluster_job {
    cli_run run;
    const char *labels, *communities;
    cli_sampling sampling;
    cafe_layers_options layers;
    cafe_run *of;
    const int32_t *part, *label; /* of each node, -1 without one */
    int64_t parts, classes;
    cafe_partition_quality quality, truth;
    cafe_agreement agreement;
} cluster_job;

/* The options of layers before those for sizes, of which one has the name of a file here. */
static const cafe_option_table *layers_table(void) {
    static cafe_option_table table;
    if (table.count > 0) return &table;
    table = *cafe_layers_option_table();
    for (table.count = 0; strcmp(table.options[table.count].name, "min-size") != 0;) table.count++;
    return &table;
}

/* ---- the two partitions ---------------------------------------------------------------------- */

/* One class a node from a file of labels or communities. */
static int read_classes(cluster_job *job, const char *path, const int32_t **class,
                        int64_t *classes) {
    int32_t *found = NULL;
    cafe_labels *labels = NULL;
    int code = cli_read_classes(&job->run, job->run.graph, path, &labels, &found);
    *class = found;
    if (code == CLI_OK) cli_say_partial(&job->run, path, job->run.graph, labels);
    if (code == CLI_OK) *classes = cafe_labels_classes(labels);
    cafe_labels_free(labels);
    return code;
}

static int find_layers(cluster_job *job) {
    cafe_run_step done;
    CLI_TRY(cli_check(&job->run, cafe_run_next(job->of, &done)));
    const cafe_clustering_info *found = cafe_clustering_get(cafe_run_get(job->of)->clustering);
    job->part = found->partition;
    job->parts = found->communities;
    return CLI_OK;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void put_quality(FILE *file, const char *name, const cafe_partition_quality *q) {
    fprintf(file, "%-12s %8" PRId64 "  %10.6f  %11.6f  %11.6f\n", name, q->sets, q->modularity,
            q->conductance, q->weighted_conductance);
}

static int put_figures(FILE *file, const void *argument) {
    const cluster_job *job = argument;
    fprintf(file, "                 sets  modularity  conductance  by size\n");
    put_quality(file, "communities", &job->quality);
    if (!job->label) return CLI_OK;
    put_quality(file, "labels", &job->truth);
    fprintf(file, "NMI %.6f, ARI %.6f over %" PRId64 " nodes\n", job->agreement.nmi,
            job->agreement.ari, job->agreement.nodes);
    return CLI_OK;
}

static void put_report(cafe_report *report, const void *argument) {
    const cluster_job *job = argument;
    cafe_report_string(report, "task", "cluster");
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_open(report, "options", '{');
    if (job->communities) cafe_report_string(report, "communities", job->communities);
    if (job->labels) cafe_report_string(report, "labels", job->labels);
    cafe_run_report_sampling(job->of, report);
    if (!job->communities) cafe_report_options(report, layers_table(), &job->layers);
    cafe_report_context(report);
    cafe_report_close(report);
    cafe_report_quality(report, "communities", &job->quality);
    if (job->label) cafe_report_quality(report, "labels", &job->truth);
    if (job->label) cafe_report_agreement(report, &job->agreement);
    cli_report_seconds(report, &job->run);
}

/* ---- the task -------------------------------------------------------------------------------- */

static cafe_status measure(cluster_job *job) {
    cafe_context *context = job->run.context;
    const cafe_sampled *sampled = cafe_run_get(job->of)->sampled;
    cafe_status status =
        cafe_partition_measure(context, sampled, job->part, job->parts, &job->quality);
    if (status == CAFE_OK && job->label)
        status = cafe_partition_measure(context, sampled, job->label, job->classes, &job->truth);
    if (status == CAFE_OK && job->label)
        status = cafe_partition_agreement(context, job->run.counts.nodes, job->part, job->label,
                                          &job->agreement);
    return status;
}

static int work(void *argument) {
    cluster_job *job = argument;
    cli_run *run = &job->run;
    CLI_TRY(cli_open_sampling(run, &job->sampling, &job->of));
    CLI_TRY(cli_read_graph(run, job->labels));
    CLI_TRY(cli_sample(run, &job->sampling, job->of));
    if (job->labels) CLI_TRY(read_classes(job, job->labels, &job->label, &job->classes));
    CLI_TRY(job->communities ? read_classes(job, job->communities, &job->part, &job->parts)
                             : find_layers(job));
    CLI_TRY(cli_check(run, measure(job)));
    CLI_TRY(cli_write_result(run, put_figures, job));
    return cli_write_report(run, "cafe/evaluate/1", put_report, job);
}

static int check(void *argument) {
    cluster_job *job = argument;
    if (!job->communities) return CLI_OK;
    return cli_only_with(job->run.command, job->run.arguments, "resolution|refine|effort|chunks",
                         "communities that are found here, not with --communities");
}

static void release(void *argument) {
    cluster_job *job = argument;
    cafe_run_free(job->of);
    cli_sampling_free(&job->run, &job->sampling);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_READS(cluster_job, communities, "communities",
                  "one 'node community' per line, as cafe cluster writes them; without it they are "
                  "found by layers"),
    CLI_ROW_READS(cluster_job, labels, "labels",
                  "one 'node label' per line, to be compared with; nodes that no edge mentions are "
                  "isolated nodes"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_JSON("a report with every figure; - is standard output"),
    CLI_ROW_VERBOSE,
    CLI_ROWS_SEEDED,
};
static const cli_option sampling_rows[] = {
    CLI_ROWS_SAMPLING(cluster_job),
    CLI_ROW_END,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Finding communities", cluster_job, layers, layers_table),
    {"Sampling", sampling_rows, cafe_sample_option_table, offsetof(cluster_job, sampling.options)},
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_evaluate_cluster = {
    .name = "evaluate cluster",
    .arguments = "GRAPH... [--communities FILE] [--labels FILE]",
    .many = true,
    .summary = "judge a partition by the graph and by labels",
    .description =
        "Prints modularity and conductance of a partition. With labels, also normalised "
        "mutual information (by the arithmetic mean of the entropies) and adjusted Rand "
        "index, over the nodes that have both.",
    CLI_JOB(cluster_job, 1, 1),
    .check = check,
    .release = release,
};
