/* cafe evaluate: the steps that its tasks share, and the command that has them.
 *
 * A method that sees no labels makes its vectors once, with all threads; splits and classifiers
 * then run side by side.
 */
#include "evaluate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int evaluate_check(evaluate_job *job, const cli_arguments *arguments) {
    const char *command = job->run->command;
    if (job->embedding && !job->methods && given_with_embedding(arguments))
        return cli_usage_error(command, "--embedding stands for a method: give one of the two");
    CLI_TRY(cli_method_check(command, &job->method, CLI_VECTORS_METHOD, arguments));
    if (job->methods) CLI_TRY(evaluate_methods_check(job, arguments));
    if (job->choose && job->embedding)
        return cli_usage_error(command, "--choose needs a method, not --embedding");
    if (job->choose) CLI_TRY(evaluate_choices_check(job));
    return parse_shares(job, command);
}

/* ---- the steps ------------------------------------------------------------------------------- */

int evaluate_read(evaluate_job *job) {
    bool settled = job->embedding && job->run->common.unknown_nodes != CLI_UNKNOWN_ADD;
    CLI_TRY(cli_read_labelled(job->run, job->path, &job->own.common.reading,
                              settled ? NULL : job->labels_path, &job->graph));
    if (job->embedding)
        CLI_TRY(cli_read_vectors(job->run, job->embedding, job->labels_path, &job->graph,
                                 &job->columns, &job->vectors, NULL));
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

/* The vectors of the method for the whole graph, which may know all labels. */
int evaluate_embed(evaluate_job *job, const cli_method *method, const cafe_model *model,
                   float **vectors, int64_t *columns) {
    cafe_context *context = job->run->context;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_method_options options = cli_method_options(method);
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    inputs.labels = job->known;
    inputs.classes = job->known ? cafe_labels_classes(job->labels) : 0;
    cafe_status status =
        cafe_model_solve(context, model, method->row, &options, &inputs, &solution);
    if (status == CAFE_OK)
        status = cafe_model_finish(context, model, method->row, &options, &solution, &embedding);
    if (status != CAFE_OK) return cli_check(job->run, status);
    *columns = cafe_embedding_columns(embedding);
    *vectors = malloc((size_t)(job->counts.nodes * *columns) * sizeof **vectors + 1);
    status = *vectors ? cafe_embedding_copy(embedding, *vectors) : CAFE_ERROR_MEMORY;
    cafe_embedding_free(embedding);
    return cli_check(job->run, status);
}

int evaluate_vectors(evaluate_job *job) {
    double began = cli_seconds();
    if (job->embedding) return CLI_OK;
    int code = cli_model_make(job->run, &job->method, job->graph, &job->model);
    if (code == CLI_OK)
        code = evaluate_embed(job, &job->method, job->model, &job->vectors, &job->columns);
    job->embed_seconds = cli_seconds() - began;
    if (code == CLI_OK)
        cli_say(job->run, "vectors   %s: %lld columns, %.3f seconds", cli_method_name(&job->method),
                (long long)job->columns, job->embed_seconds);
    return code;
}

void evaluate_free(evaluate_job *job) {
    cafe_evaluation_free(job->evaluation);
    evaluate_choices_free(job);
    evaluate_methods_free(job);
    if (job->run->context) cafe_targets_free(job->run->context, &job->targets);
    cafe_model_free(job->model);
    cafe_labels_free(job->labels);
    cafe_graph_free(job->graph);
    free(job->vectors);
    free(job->known);
}

/* ---- the frame ------------------------------------------------------------------------------- */

int evaluate_check_task(evaluate_job *job) {
    job->run = &job->own;
    job->task = strchr(job->own.command, ' ') + 1;
    job->path = job->own.words[0];
    return evaluate_check(job, job->own.arguments);
}

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
    CLI_TRY(evaluate_prepare(job));
    CLI_TRY(is_link(job) ? evaluate_measure_link(job) : evaluate_measure_classify(job));
    CLI_TRY(cli_write_result(&job->own, evaluate_put, job));
    evaluate_say_end(job);
    return cli_write_report(&job->own, "cafe/evaluate/1", evaluate_fill_report, job);
}

void evaluate_release(void *job) {
    evaluate_free(job);
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
        "Asks how well vectors predict labels or links, or how well communities fit, by "
        "repeated splits into a training and a test part that follow from the seed.",
    .tasks = tasks,
};
