/* cafe evaluate link: a classifier of vectors distinguishes edges from other pairs.
 *
 * By the protocol of the paper the vectors have seen all edges. By the honest one test edges are
 * hidden first, so every split has a graph and vectors of its own.
 */

#include "command.h"
#include "evaluate.h"

static int check_honest(evaluate_job *job) {
    const cli_sampling *s = &job->method.sampling;
    if (job->embedding)
        return cli_usage_error(job->run->command,
                               "--tune protocol=honest hides edges before there are vectors: it "
                               "needs a method, not --embedding");
    if (s->attributes || s->seeds)
        return cli_usage_error(job->run->command,
                               "--tune protocol=honest does not take --attributes and --seeds");
    return CLI_OK;
}

/* ---- the task -------------------------------------------------------------------------------- */

int evaluate_prepare_link(evaluate_job *job) {
    bool honest = job->link.protocol == CAFE_LINK_HONEST;
    if (honest) CLI_TRY(check_honest(job));
    CLI_TRY(evaluate_read(job));
    CLI_TRY(evaluate_classifier(job));
    return honest ? CLI_OK : evaluate_vectors(job);
}

int evaluate_measure_link(evaluate_job *job) {
    bool honest = job->link.protocol == CAFE_LINK_HONEST;
    cafe_features features = evaluate_features(&job->source, honest);
    const cafe_classifier *classifier =
        job->classifier_kind == EVALUATE_NONE ? NULL : &job->classifier;
    return cli_check(job->run,
                     cafe_link(job->run->context, job->graph, &features, classifier, &job->link,
                               job->share_count, job->shares, &job->evaluation));
}

static int check(void *argument) {
    evaluate_job *job = argument;
    if ((job->method.row->takes & CAFE_NEEDS_LABELS) && !job->embedding)
        return cli_usage_error("evaluate link", "--method %s needs labels", job->method.row->name);
    return CLI_OK;
}

static int work(void *job) {
    return evaluate_work(job);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_METHOD(evaluate_job, method, CLI_VECTORS_METHOD, "sphere",
                   "the method that makes the vectors"),
    CLI_ROW_PROPAGATE(evaluate_job, method),
    EVALUATE_ROWS_COMMON("0.8"),
};

static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("Pairs", evaluate_job, link, cafe_link_option_table),
    EVALUATE_GROUPS_COMMON,
    {0},
};

const cli_command cli_evaluate_link = {
    .name = "evaluate link",
    .arguments = "GRAPH... [options]",
    .many = true,
    .summary = "tell edges from other pairs",
    .description =
        "Trains a classifier on features of pairs of nodes, some linked and some not, and tests it "
        "on others. The test edges are hidden first, and what is connected stays connected. --tune "
        "protocol=paper embeds the whole graph, test edges too.",
    CLI_JOB(evaluate_job, 1, 1),
    .check = check,
    .release = evaluate_release,
};
