/* cafe evaluate classify: labels of nodes predicted from vectors.
 *
 * A method that uses labels is run again for every split, and is handed the labels of the training
 * nodes alone.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <cafe-private/inputs.h>

#include "command.h"
#include "evaluate.h"
#include "labels.h"

/* ---- methods that see the training labels ---------------------------------------------------- */

/* The classes for the method: those of the training nodes, split by split, or in the paper's
 * full-label form those of the test nodes too. */
static int know_classes(evaluate_job *job) {
    if (!evaluate_is_labelled(job)) return CLI_OK;
    if (cafe_labels_multiple(job->labels) > 0)
        return cli_error(job->run, CLI_FAILED,
                         "%s gives nodes several labels: --method %s takes one per node",
                         job->labels_path, cli_method_name(&job->method));
    job->known = malloc((size_t)job->counts.nodes * sizeof *job->known + 1);
    if (!job->known) return cli_error(job->run, CLI_RESOURCES, "out of memory");
    if (job->full_label)
        cli_warn(job->run, "--full-label shows the method the labels it is tested on");
    return cli_check(job->run, cafe_labels_single(job->run->context, job->labels, job->known));
}

/* Are the vectors made for every split? */
static bool is_supervised(const evaluate_job *job) {
    return evaluate_is_labelled(job) && !job->full_label;
}

/* ---- the task -------------------------------------------------------------------------------- */

/* Scores of such labels say nothing of the vectors. */
static void warn_classes(evaluate_job *job) {
    int64_t classes = cafe_labels_classes(job->labels);
    if (classes == 1)
        cli_warn(job->run,
                 "all labels are alike: there is nothing to tell apart, and every score is 1");
    else if (classes >= cafe_labels_labelled(job->labels))
        cli_warn(job->run,
                 "there are as many labels as labelled nodes: what stands in %s may be no classes",
                 job->labels_path);
}

static int read_labels(evaluate_job *job) {
    cafe_context *context = job->run->context;
    const char *path = job->labels_path;
    CLI_TRY(cli_read_labels(job->run, job->graph, path, &job->labels));
    CLI_TRY(cli_check(job->run, cafe_targets_from_labels(context, job->counts.nodes, job->labels,
                                                         &job->targets)));
    cli_say_labels(job->run, path, job->graph, job->labels);
    warn_classes(job);
    return CLI_OK;
}

/* Without a classifier the columns are the classes' scores. */
static int check_none(evaluate_job *job, bool again) {
    if (job->classifier_kind != EVALUATE_NONE || again ||
        job->source.columns == cafe_labels_classes(job->labels))
        return CLI_OK;
    return cli_error(job->run, CLI_FAILED,
                     "--classifier none takes the largest column for the class: there are %" PRId64
                     " columns and %" PRId64 " classes",
                     job->source.columns, cafe_labels_classes(job->labels));
}

int evaluate_prepare_method(evaluate_job *job) {
    bool again = is_supervised(job);
    CLI_TRY(know_classes(job));
    if (job->choose) return evaluate_choices_prepare(job, again);
    CLI_TRY(again ? evaluate_make(job, NULL, true, &job->source) : evaluate_vectors(job));
    return check_none(job, again);
}

int evaluate_prepare_classify(evaluate_job *job) {
    CLI_TRY(evaluate_read(job));
    CLI_TRY(read_labels(job));
    CLI_TRY(evaluate_classifier(job));
    return job->methods ? CLI_OK : evaluate_prepare_method(job);
}

int evaluate_measure_classify(evaluate_job *job) {
    if (job->methods) return evaluate_methods_measure(job);
    cafe_features features = job->choice_count > 0
                                 ? job->choices[0].features
                                 : evaluate_features(&job->source, is_supervised(job));
    const cafe_classifier *classifier =
        job->classifier_kind == EVALUATE_NONE ? NULL : &job->classifier;
    return cli_check(
        job->run, cafe_classify(job->run->context, &job->targets, &features, classifier,
                                &job->classify, job->share_count, job->shares, &job->evaluation));
}

int evaluate_check_supervised(const evaluate_job *job) {
    uint32_t labels = job->method.row->takes & (CAFE_TAKES_LABELS | CAFE_NEEDS_LABELS);
    if ((job->supervised || job->full_label) && (job->embedding || labels != CAFE_TAKES_LABELS))
        return cli_usage_error("evaluate classify",
                               "--supervised and --full-label go with methods that can use labels "
                               "or do without, such as --method cafe");
    if (job->supervised && job->full_label)
        return cli_usage_error("evaluate classify", "give --supervised or --full-label, not both");
    return CLI_OK;
}

static int check(void *argument) {
    evaluate_job *job = argument;
    if (!job->labels_path)
        return cli_usage_error("evaluate classify", "no labels: give --labels FILE");
    return job->methods ? CLI_OK : evaluate_check_supervised(job);
}

static int work(void *job) {
    return evaluate_work(job);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_READS(evaluate_job, labels_path, "labels",
                  "one 'node label[,label...]' per line; nodes that no edge mentions are isolated "
                  "nodes"),
    CLI_ROWS_LABEL_FILE,
    CLI_ROW_METHOD(evaluate_job, method, CLI_VECTORS_METHOD, "sphere",
                   "the method that makes the vectors"),
    CLI_ROW_TEXT(
        evaluate_job, methods, "methods", "LIST",
        "several methods on the same splits, each against the first: "
        "sphere,netmf:window=5,cafe:sampling=walk:window=3; --columns counts for all; micro F1 is "
        "printed, the report has all figures"),
    CLI_ROW_FLAG(evaluate_job, supervised, "supervised",
                 "with --method cafe, keep the training nodes' labels fixed, a column per class "
                 "(label-propagation always does)"),
    CLI_ROW_FLAG(evaluate_job, full_label, "full-label",
                 "with --method cafe, fix the labels of all nodes, test nodes too: the paper's "
                 "full-label form, a leak by design"),
    CLI_ROW_TEXT(evaluate_job, choose, "choose", "LIST",
                 "settings of the method to choose from in every split, by folds of the training "
                 "nodes alone: alpha=0.5,0.8 or theta=1,3:sweeps=5,10, each with each"),
    CLI_ROW_PROPAGATE(evaluate_job, method),
    EVALUATE_ROWS_COMMON("0.1,0.3,0.5"),
};

static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Splits", evaluate_job, classify, cafe_classify_option_table),
    EVALUATE_GROUPS_COMMON,
    {0},
};

const cli_command cli_evaluate_classify = {
    .name = "evaluate classify",
    .arguments = "GRAPH... --labels FILE [options]",
    .many = true,
    .summary = "predict the labels of nodes",
    .description =
        "Trains a classifier on the vectors of a share of the labelled nodes and tests it on the "
        "others, --repeats times for every share of --train. A node of several labels is given as "
        "many as it has, those of the largest scores.",
    CLI_JOB(evaluate_job, 1, 1),
    .check = check,
    .release = evaluate_release,
};
