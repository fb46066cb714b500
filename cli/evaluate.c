/* cafe evaluate: the steps that its tasks share, and the command that has them.
 *
 * A method that sees no labels makes its vectors once, with all threads; splits and classifiers
 * then run side by side.
 */
#include "evaluate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/run.h>
#include <cafe-private/text.h>

#include "command.h"
#include "graph_text.h"
#include "labels.h"
#include "output.h"
#include "report.h"
#include "vectors.h"

/* ---- before the work ------------------------------------------------------------------------- */

static bool given_with_embedding(const cli_arguments *arguments) {
    return cli_given(arguments, "method") || cli_given(arguments, "columns") ||
           cli_given(arguments, "propagate") || cli_given(arguments, "sampling");
}

/* "0.1,0.3,0.5" */
static int parse_shares(evaluate_job *job, const char *command) {
    const char *at = job->train;
    while (*at) {
        const char *end;
        double share = cafe_parse_number(at, &end);
        if (end == at || !(share > 0) || share > 1e9 || (*end && *end != ','))
            return cli_usage_error(command,
                                   "--train takes shares such as 0.1,0.3,0.5 (classify: or numbers "
                                   "of nodes), not '%s'",
                                   job->train);
        if (job->share_count == EVALUATE_MOST_SHARES)
            return cli_usage_error(command, "--train takes at most %d shares",
                                   EVALUATE_MOST_SHARES);
        job->shares[job->share_count++] = share;
        at = *end ? end + 1 : end;
    }
    return CLI_OK;
}

int evaluate_check(evaluate_job *job) {
    const char *command = job->run->command;
    if (job->embedding && !job->methods && given_with_embedding(job->arguments))
        return cli_usage_error(command, "--embedding stands for a method: give one of the two");
    if (job->choose && job->embedding)
        return cli_usage_error(command, "--choose needs a method, not --embedding");
    CLI_TRY(parse_shares(job, command));
    if (job->methods) return evaluate_methods_check(job);
    if (!job->embedding) CLI_TRY(evaluate_open(job, &job->source.of));
    return job->choose ? evaluate_choices_check(job) : CLI_OK;
}

/* ---- the steps ------------------------------------------------------------------------------- */

int evaluate_read(evaluate_job *job) {
    bool settled = job->embedding && job->run->common.unknown_nodes != CLI_UNKNOWN_ADD;
    CLI_TRY(cli_read_labelled(job->run, job->path, &job->own.common.reading,
                              settled ? NULL : job->labels_path, &job->graph));
    if (job->embedding)
        CLI_TRY(cli_read_vectors(job->run, job->embedding, job->labels_path, &job->graph,
                                 &job->source.columns, &job->source.copy, NULL));
    job->source.block = job->source.copy;
    job->counts = *cafe_graph_get_counts(job->graph);
    return CLI_OK;
}

int evaluate_classifier(evaluate_job *job) {
    cafe_context *context = job->run->context;
    switch (job->classifier_kind) {
        case EVALUATE_XGBOOST:
            return cli_check(job->run,
                             cafe_classifier_xgboost(context, &job->xgboost, &job->classifier));
        case EVALUATE_LOGISTIC:
            return cli_check(job->run,
                             cafe_classifier_logistic(context, &job->logistic, &job->classifier));
        default: return CLI_OK;
    }
}

/* ---- a method at work ------------------------------------------------------------------------ */

bool evaluate_is_labelled(const evaluate_job *job) {
    return !job->embedding &&
           ((job->method.row->takes & CAFE_NEEDS_LABELS) || job->supervised || job->full_label);
}

static cafe_run_inputs inputs_of(const evaluate_job *job) {
    cafe_run_inputs inputs = cli_sampling_inputs(&job->method.sampling);
    if (!evaluate_is_labelled(job)) return inputs;
    inputs.labels_path = job->labels_path;
    inputs.labels = job->known;
    inputs.classes = job->known ? cafe_labels_classes(job->labels) : 0;
    return inputs;
}

/* Once labels are read, a method that uses them has a column a class. */
static int set_classes(evaluate_job *job, cafe_run *of) {
    char columns[32];
    const cafe_option_table *table = job->method.row->vectors();
    if (!job->labels || !evaluate_is_labelled(job)) return CLI_OK;
    snprintf(columns, sizeof columns, "%" PRId64, cafe_labels_classes(job->labels));
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].name, "columns") == 0)
            return cli_check(job->run, cafe_run_set(of, "columns", columns));
    return CLI_OK;
}

int evaluate_open(evaluate_job *job, cafe_run **of) {
    cafe_run_inputs inputs = inputs_of(job);
    CLI_TRY(cli_open_run(job->run, job->method.row->name, CAFE_PURPOSE_VECTORS, job->arguments,
                         &inputs, of));
    return set_classes(job, *of);
}

/* All that the run is given. The labels of test nodes are among them for the number of columns:
 * a method that is run for every split gets others there. */
static int give(evaluate_job *job, cafe_run *of) {
    CLI_TRY(cli_check(job->run, cafe_run_graph(of, job->graph, NULL, NULL)));
    CLI_TRY(cli_sampling_read(job->run, &job->method.sampling, job->graph));
    CLI_TRY(set_classes(job, of));
    cafe_run_inputs inputs = inputs_of(job);
    return cli_check(job->run, cafe_run_give(of, &inputs));
}

static int take_vectors(evaluate_job *job, evaluate_source *source) {
    const cafe_embedding *found = cafe_run_get(source->of)->embedding;
    source->columns = cafe_embedding_certificate(found)->columns;
    source->block = cafe_embedding_row(found, 0);
    if (cafe_embedding_stride(found) == source->columns) return CLI_OK;
    source->copy = malloc((size_t)(job->counts.nodes * source->columns) * sizeof(float) + 1);
    if (!source->copy) return cli_error(job->run, CLI_RESOURCES, "out of memory");
    source->block = source->copy;
    return cli_check(job->run, cafe_embedding_copy(found, source->copy));
}

int evaluate_make(evaluate_job *job, cafe_run *from, bool again, evaluate_source *source) {
    cafe_run_step done;
    CLI_TRY(give(job, source->of));
    if (from) CLI_TRY(cli_check(job->run, cafe_run_share(source->of, from)));
    CLI_TRY(cli_check(job->run, cafe_run_next(source->of, &done)));
    const cafe_model *model = cafe_run_get(source->of)->model;
    if (cli_method_samples(&job->method) && (!from || cafe_run_get(from)->model != model))
        cli_sampling_say(job->run, cafe_run_get(source->of)->sampled);
    if (again) return CLI_OK;
    CLI_TRY(cli_check(job->run, cafe_run_go(source->of)));
    return take_vectors(job, source);
}

cafe_features evaluate_features(const evaluate_source *source, bool again) {
    cafe_features features = {
        .struct_size = sizeof features, .block = source->block, .columns = source->columns};
    if (!again) return features;
    features.method = cafe_run_get(source->of)->method;
    features.options = cafe_run_get(source->of)->options;
    features.model = cafe_run_get(source->of)->model;
    return features;
}

void evaluate_source_free(evaluate_source *source) {
    cafe_run_free(source->of);
    free(source->copy);
    *source = (evaluate_source){0};
}

int evaluate_vectors(evaluate_job *job) {
    double began = cli_seconds();
    if (job->embedding) return CLI_OK;
    CLI_TRY(evaluate_make(job, NULL, false, &job->source));
    job->embed_seconds = cli_seconds() - began;
    cli_say(job->run, "vectors   %s: %lld columns, %.3f seconds", cli_method_name(&job->method),
            (long long)job->source.columns, job->embed_seconds);
    return CLI_OK;
}

void evaluate_release(void *argument) {
    evaluate_job *job = argument;
    cafe_evaluation_free(job->evaluation);
    evaluate_choices_free(job);
    evaluate_methods_free(job);
    evaluate_source_free(&job->source);
    cafe_targets_free(job->run->context, &job->targets);
    cli_sampling_free(job->run, &job->method.sampling);
    cafe_labels_free(job->labels);
    cafe_graph_free(job->graph);
    free(job->known);
}

/* ---- the frame ------------------------------------------------------------------------------- */

static bool is_link(const evaluate_job *job) {
    return strcmp(job->task, "link") == 0;
}

int evaluate_prepare(evaluate_job *job) {
    return is_link(job) ? evaluate_prepare_link(job) : evaluate_prepare_classify(job);
}

int evaluate_measure(evaluate_job *job, int64_t first, int64_t repeats) {
    job->classify.first = job->link.first = first;
    job->classify.repeats = job->link.repeats = repeats;
    cafe_evaluation_free(job->evaluation);
    job->evaluation = NULL;
    return is_link(job) ? evaluate_measure_link(job) : evaluate_measure_classify(job);
}

int evaluate_work(void *argument) {
    evaluate_job *job = argument;
    job->run = &job->own;
    job->arguments = job->own.arguments;
    job->task = strchr(job->own.command, ' ') + 1;
    job->path = job->own.words[0];
    CLI_TRY(evaluate_check(job));
    CLI_TRY(evaluate_prepare(job));
    CLI_TRY(is_link(job) ? evaluate_measure_link(job) : evaluate_measure_classify(job));
    CLI_TRY(cli_write_result(&job->own, evaluate_put, job));
    evaluate_say_end(job);
    return cli_write_report(&job->own, "cafe/evaluate/1", evaluate_fill_report, job);
}

/* ---- the command ----------------------------------------------------------------------------- */

const cli_option evaluate_sampling_rows[] = {
    CLI_ROWS_SAMPLING_AT(evaluate_job, method.sampling),
    CLI_ROW_END,
};

static const cli_command *const tasks[] = {&cli_evaluate_classify, &cli_evaluate_link,
                                           &cli_evaluate_cluster, NULL};

const cli_command cli_evaluate = {
    .name = "evaluate",
    .arguments = "classify|link|cluster GRAPH [options]",
    .summary = "score a method or given vectors on a task",
    .description =
        "Asks how well vectors predict labels or edges, or how well communities fit, by "
        "repeated splits into a training and a test part that follow from the seed.",
    .tasks = tasks,
};
