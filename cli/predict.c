/* cafe predict: read, learn from the known labels, predict the others, write. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/results.h>

#include "command.h"
#include "graph_text.h"
#include "job.h"
#include "labels.h"
#include "output.h"
#include "predict.h"
#include "report.h"
#include "vectors.h"

enum { CHECK = 4096 };

typedef struct predict_job {
    cli_run run;
    const char *labels_path, *embedding, *features_path, *probabilities;
    cafe_predict_options options;
    cafe_labels *labels;
    cafe_feature_file *features;
    cafe_targets targets;
    int64_t columns;
    float *vectors; /* NULL: the library makes them */
    cafe_prediction *found;
    int64_t predicted; /* nodes */
    predict_links links;
} predict_job;

/* ---- lines ----------------------------------------------------------------------------------- */

/* A label as every reader of labels takes it: in quotes when something in it separates. */
static void put_label(FILE *file, const char *name) {
    if (!strpbrk(name, " \t,;\"#%")) {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name; name++) {
        if (*name == '"') fputc('"', file);
        fputc(*name, file);
    }
    fputc('"', file);
}

static bool is_known(const predict_job *job, int64_t u) {
    return job->targets.offsets[u + 1] > job->targets.offsets[u];
}

/* A line for each class of each node without a known one. */
static int put_result(FILE *file, const void *argument) {
    const predict_job *job = argument;
    const float *p = cafe_prediction_probabilities(job->found);
    const int64_t *offsets;
    const int32_t *value;
    cafe_prediction_classes(job->found, &offsets, &value);
    cli_put_heading(file, &job->run, "node\tlabel\tprobability");
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        if (u % CHECK == 0 && cli_signal()) return cli_check(&job->run, CAFE_ERROR_CANCELLED);
        for (int64_t i = offsets[u]; i < offsets[u + 1] && !is_known(job, u); i++) {
            cli_put_node(file, &job->run, job->run.graph, u);
            fputc('\t', file);
            put_label(file, cafe_labels_class_name(job->labels, value[i]));
            fprintf(file, "\t%.6g\n", (double)p[u * job->targets.classes + value[i]]);
        }
    }
    return CLI_OK;
}

/* A line for each node, a column for each class. */
static int put_probabilities(FILE *file, const void *argument) {
    const predict_job *job = argument;
    int64_t classes = job->targets.classes;
    const float *p = cafe_prediction_probabilities(job->found);
    if (!job->run.common.no_heading) {
        fputs("node", file);
        for (int64_t c = 0; c < classes; c++) {
            fputc('\t', file);
            put_label(file, cafe_labels_class_name(job->labels, c));
        }
        fputc('\n', file);
    }
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        if (u % CHECK == 0 && cli_signal()) return cli_check(&job->run, CAFE_ERROR_CANCELLED);
        cli_put_node(file, &job->run, job->run.graph, u);
        for (int64_t c = 0; c < classes; c++) fprintf(file, "\t%.6g", (double)p[u * classes + c]);
        fputc('\n', file);
    }
    return CLI_OK;
}

/* ---- what was found, for people -------------------------------------------------------------- */

static void say_trials(cli_run *run, const cafe_predict_figures *f) {
    for (int64_t i = 0; i < f->trials; i++) {
        const cafe_predict_trial *t = &f->trial[i];
        cli_say(run, "%-9s %-12s accuracy %.4f +- %.4f, log loss %.4f%s", i == 0 ? "compared" : "",
                t->predictor, t->accuracy, t->error, t->log_loss,
                t->predictor == f->predictor ? "; used" : "");
    }
}

static void say_figures(predict_job *job) {
    cli_run *run = &job->run;
    const cafe_predict_figures *f = cafe_prediction_figures(job->found);
    if (f->trials > 1) say_trials(run, f);
    if (f->held_out > 0)
        cli_say(run,
                "expected  accuracy %.4f +- %.4f, log loss %.4f (class frequencies alone: %.4f), "
                "macro F1 %.4f, from %" PRId64 " held-out nodes",
                f->accuracy, f->error, f->log_loss, f->frequency_log_loss, f->macro_f1,
                f->held_out);
    if (f->warning) cli_warn(run, "%s", f->warning);
    cli_say(run, "predicted %" PRId64 " node%s by %s", job->predicted, cli_plural(job->predicted),
            f->predictor);
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_report(cafe_report *report, const void *argument) {
    const predict_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_predict_option_table(), &job->options);
    cafe_report_options(report, cafe_graph_option_table(), &job->run.common.reading);
    cafe_report_close(report);
    if (job->labels_path) cafe_report_string(report, "labels", job->labels_path);
    cafe_report_string(report, "labels_reading", cafe_labels_reading(job->labels));
    if (job->embedding) cafe_report_string(report, "embedding", job->embedding);
    if (job->features) cafe_report_string(report, "features", job->features_path);
    if (job->features)
        cafe_report_string(report, "features_reading", cafe_feature_file_reading(job->features));
    cafe_report_integer(report, "nodes_predicted", job->predicted);
    cafe_report_prediction(report, job->found);
    cli_report_seconds(report, &job->run);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_features(predict_job *job) {
    cli_run *run = &job->run;
    if (!job->features_path) return CLI_OK;
    CLI_TRY(cli_check(
        run, cafe_feature_file_read(run->context, run->graph, job->features_path, &job->features)));
    cli_say(run, "features  %s: %" PRId64 " columns; %s", job->features_path,
            cafe_feature_file_inputs(job->features)->columns,
            cafe_feature_file_reading(job->features));
    return CLI_OK;
}

static int read_inputs(predict_job *job) {
    cli_run *run = &job->run;
    bool settled = job->embedding && run->common.unknown_nodes != CLI_UNKNOWN_ADD;
    CLI_TRY(cli_read_graph(run, settled ? NULL : job->labels_path));
    if (job->embedding)
        CLI_TRY(cli_read_vectors(run, job->embedding, job->labels_path, &run->graph, &job->columns,
                                 &job->vectors, NULL));
    CLI_TRY(cli_read_labels(run, run->graph, job->labels_path, &job->labels));
    cli_say_labels(run, job->labels_path, run->graph, job->labels);
    CLI_TRY(read_features(job));
    return cli_check(
        run, cafe_targets_from_labels(run->context, run->counts.nodes, job->labels, &job->targets));
}

static int work(void *argument) {
    predict_job *job = argument;
    cli_run *run = &job->run;
    if (job->links.pairs_path) return predict_links_work(run, &job->links);
    CLI_TRY(read_inputs(job));
    cafe_predict_inputs inputs;
    cafe_predict_inputs_init(&inputs);
    inputs.graph = run->graph;
    inputs.known = &job->targets;
    inputs.vectors = job->vectors;
    inputs.columns = job->columns;
    if (job->features) inputs.features = cafe_feature_file_inputs(job->features);
    CLI_TRY(cli_check(run, cafe_predict(run->context, &inputs, &job->options, &job->found)));
    for (int64_t u = 0; u < run->counts.nodes; u++) job->predicted += !is_known(job, u);
    say_figures(job);
    CLI_TRY(cli_write_result(run, put_result, job));
    CLI_TRY(cli_write_file(run, job->probabilities, put_probabilities, job));
    return cli_write_report(run, "cafe/predict/1", put_report, job);
}

static int check(void *argument) {
    const predict_job *job = argument;
    if (job->links.pairs_path) return predict_links_check(&job->run);
    if (job->links.since) return cli_usage_error("predict", "--since goes with --pairs");
    if (job->embedding && job->features_path)
        return cli_usage_error(
            "predict", "--features goes without --embedding: give --features to cafe embed");
    if (job->labels_path || job->run.common.label_columns.label) return CLI_OK;
    return cli_usage_error("predict", "no labels: give --labels FILE, or --label ATTRIBUTE");
}

static void release(void *argument) {
    predict_job *job = argument;
    predict_links_free(&job->links);
    free(job->vectors);
    cafe_feature_file_free(job->features);
    cafe_prediction_free(job->found);
    cafe_targets_free(job->run.context, &job->targets);
    cafe_labels_free(job->labels);
}

#define JOB predict_job

static const cli_option options[] = {
    CLI_ROW_READS(JOB, labels_path, "labels",
                  "the known labels, one 'node label[,label...]' per line, or a table"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_READS(JOB, embedding, "embedding",
                  "vectors to learn from (.npy, .tsv, .csv or .txt) instead of those of sphere"),
    CLI_ROW_FEATURES(JOB, features_path),
    CLI_ROW_READS(JOB, links.pairs_path, "pairs",
                  "instead of labels, predict whether these pairs of nodes get an edge: a file of "
                  "pairs in any format of graphs"),
    CLI_ROW_READS(JOB, links.since, "since",
                  "with --pairs, the graph at an earlier time: edges that came since are those to "
                  "learn from"),
    CLI_ROW_OUTPUT(CLI_TABLES,
                   "node, label and probability of every node without a known label, "
                   "separated by tabs, into a file instead of standard output"),
    CLI_ROW_WRITES(JOB, probabilities, "probabilities", ".tsv",
                   "the probability of every class for every node"),
    CLI_ROW_JSON("the report"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {
    {"Options", options, cafe_predict_option_table, offsetof(JOB, options)},
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_predict = {
    .name = "predict",
    .arguments = "GRAPH... --labels FILE | --pairs FILE [-o OUT] [options]",
    .many = true,
    .summary = "predict labels of nodes from those of others, or edges to come",
    .description =
        "Learns from the known labels, one or several a node, and predicts those of all other "
        "nodes, with probabilities. Folds of the known nodes choose the predictor and give the "
        "accuracy to be expected. --pairs predicts whether pairs of nodes get an edge.",
    CLI_JOB(predict_job, 1, 1),
    .check = check,
    .release = release,
};
