/* cafe cluster: read, sample, find communities, write, report. */
#include "cluster.h"

#include <cafe-private/members.h>
#include <cafe-private/run.h>
#include <cafe-private/writers.h>

#include "command.h"
#include "start.h"

/* ---- before the work ------------------------------------------------------------------------- */

/* Does the method fit a number of soft clusters? */
static bool is_soft(const cluster_job *job) {
    const cli_method *method = &job->shared.method;
    return cafe_method_columns(method->row->communities(), method->own) > 0;
}

static int check(void *argument) {
    cluster_job *job = argument;
    const char *name = job->shared.method.row->name;
    if (job->hierarchy && is_soft(job))
        return cli_usage_error(
            "cluster", "--hierarchy does not go with --method %s, but with --method layers", name);
    if (job->soft && !is_soft(job))
        return cli_usage_error(
            "cluster", "--soft does not go with --method %s, but with --method softmax", name);
    return cli_checkpoint_check("cluster", &job->shared.checkpoint, job->shared.run.arguments);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static int after_solve(cluster_job *job) {
    cli_run *run = &job->shared.run;
    const cafe_clustering_info *f = job->found =
        cafe_clustering_get(cafe_run_get(job->shared.of)->clustering);
    CLI_TRY(cli_check(run, cafe_partition_sizes(run->context, f->nodes, f->partition,
                                                f->communities, &job->sizes)));
    cluster_say_found(job);
    cluster_say_sizes(job);
    cluster_say_trials(job);
    cluster_say_profile(job);
    cli_say_changes(run, cafe_run_get(job->shared.of)->changes);
    return CLI_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The memberships of a soft method. */
static int write_soft(cluster_job *job) {
    cli_run *run = &job->shared.run;
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
    if (!job->soft) return CLI_OK;
    CLI_TRY(cli_check(
        run, cafe_clustering_memberships(run->context, cafe_run_get(job->shared.of)->clustering,
                                         &offsets, &columns, &values)));
    return cli_check(
        run, cafe_npz_write_csr(run->context, job->soft, run->counts.nodes, job->found->columns,
                                offsets, columns, values, run->common.force));
}

static int write_files(cluster_job *job) {
    cli_run *run = &job->shared.run;
    if (job->hierarchy)
        CLI_TRY(cli_check(run, cafe_layers_write(run->context, job->found->layers, run->graph,
                                                 job->hierarchy, run->common.force)));
    return write_soft(job);
}

static int work(void *argument) {
    cluster_job *job = argument;
    cli_run *run = &job->shared.run;
    CLI_TRY(cli_job_open(&job->shared, CAFE_PURPOSE_COMMUNITIES, false));
    CLI_TRY(cli_job_read(&job->shared));
    for (cafe_run_step done = CAFE_STEP_NONE; done != CAFE_STEP_WRITE;) {
        CLI_TRY(cli_job_after(&job->shared, cafe_run_next(job->shared.of, &done)));
        if (done == CAFE_STEP_SAMPLE) cli_job_say_sample(&job->shared);
        if (done == CAFE_STEP_SOLVE) CLI_TRY(after_solve(job));
    }
    CLI_TRY(write_files(job));
    CLI_TRY(cli_write_report(run, "cafe/cluster/1", cluster_fill_report, job));
    cluster_say_end(job);
    return CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_OUTPUT(
        CLI_TABLES,
        "the partition: a heading, then node name, tab, community number; - is standard output"),
    CLI_ROW_WRITES(cluster_job, hierarchy, "hierarchy", NULL,
                   "all layers: a table of node, level, community and parent (.tsv, .csv), a "
                   "dendrogram (.nwk, Newick), else a tree in JSON; - is standard output"),
    CLI_ROW_WRITES(cluster_job, soft, "soft", ".npz",
                   "the memberships of a soft method: a sparse matrix of nodes x clusters as scipy "
                   "reads it (.npz)"),
    CLI_ROW_FLAG(
        cluster_job, bound, "bound",
        "search for an upper bound on the modularity of every partition, for about 20 s of "
        "one processor; without it the report has a bound that is quick and wide"),
    CLI_ROW_WRITES(cluster_job, bound_file, "bound-file", ".tsv .csv -",
                   "the inequalities of the bound with their multipliers, which prove it"),
    CLI_ROW_JSON("a report with every figure of the run; - is standard output"),
    CLI_ROWS_CHECKPOINT(cluster_job, shared.checkpoint),
    CLI_ROW_VERBOSE,
    CLI_ROW_ENGINE,
    CLI_ROW_PARTITION,
    CLI_ROW_NO_HEADING,
    CLI_ROWS_SEEDED,
};
static const cli_option model_options[] = {
    CLI_ROW_METHOD(cluster_job, shared.method, CLI_COMMUNITIES_METHOD, "layers",
                   "layers finds how many communities there are, softmax fits a given number of "
                   "soft clusters"),
    CLI_ROW_READS(
        cluster_job, shared.start_from.communities, "start",
        "communities to start from, one 'node community' per line: nodes leave them where "
        "that gains, and the communities found keep their numbers"),
    CLI_ROW_READS(cluster_job, shared.start_from.keep, "keep",
                  "nodes that may not leave the community in which they start, one name per line"),
    CLI_ROWS_KNOWN,
    CLI_ROW_END,
};
static const cli_group groups[] = {
    CLI_GROUP("Input and output", options),
    CLI_GROUP("Model", model_options),
    CLI_GROUP_TABLE("--method", cluster_job, shared.method.own, cli_communities_methods),
    {"Sampling", cli_job_sampling, cafe_sample_option_table,
     offsetof(cluster_job, shared.method.sampling.options)},
    CLI_GROUP_TABLE("How sure", cluster_job, trials, cafe_trials_option_table),
    CLI_GROUP_TABLE("With --features", cluster_job, shared.features, cafe_feature_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_cluster = {
    .name = "cluster",
    .arguments = "GRAPH... -o OUT.tsv [options]",
    .many = true,
    .summary = "find communities that make the modularity large",
    .description =
        "Reads a graph ('cafe help formats' lists the formats; - is standard input). "
        "Divides its nodes into communities of a large modularity: more edges inside than "
        "degrees alone would give. Writes each node with the number of its community. "
        "Communities are connected, unless --labels say what they are, and numbered by "
        "size, the largest 0.",
    CLI_JOB(cluster_job, 1, 1),
    .needs = "output|hierarchy|soft|bound-file|trials|profile|json",
    .check = check,
    .release = cli_job_release,
};
