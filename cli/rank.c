/* cafe rank: centralities of nodes, and figures of two sets.
 *
 * The list is the result: it goes to standard output, unless a file is asked for.
 */
#include <inttypes.h>

#include <cafe-private/results.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"

enum { BY_DEGREE, BY_PAGERANK, BY_RELATIVE };

static const char *const by_names[] = {"degree", "pagerank", "relative"};

typedef struct rank_job {
    cli_run run;
    const char *set_path, *other_path;
    int32_t by, top;
    cafe_pagerank_options options;
    cafe_sampled *sampled;
    uint8_t *set, *other; /* NULL: none given */
    int64_t members;      /* of the first */
    double *value;        /* of each node */
    int64_t shown;        /* nodes of the list */
    int32_t *order;
    cafe_pagerank_report steps;
    cafe_pair_figures figures;
} rank_job;

/* ---- the list -------------------------------------------------------------------------------- */

static void put_list(FILE *file, const rank_job *job) {
    char heading[64];
    snprintf(heading, sizeof heading, "node\t%s", by_names[job->by]);
    cli_put_heading(file, &job->run, heading);
    for (int64_t i = 0; i < job->shown; i++) {
        cli_put_node(file, &job->run, job->run.graph, job->order[i]);
        fprintf(file, "\t%.17g\n", job->value[job->order[i]]);
    }
}

static void put_set(FILE *file, const char *name, const cafe_set_figures *f) {
    char nodes[CLI_COUNT_TEXT];
    fprintf(file, "%-8s %12s %14.9f %14.9f %14.9f %14.9f\n", name, cli_count_text(f->nodes, nodes),
            f->mass, f->inside, f->strength, f->conductance);
}

static void put_figures(FILE *file, const cafe_pair_figures *f) {
    fprintf(file, "%-8s %12s %14s %14s %14s %14s\n", "", "nodes", "p(S)", "p(S,S)", "q(S,S)",
            "conductance");
    put_set(file, "A", &f->first);
    put_set(file, "B", &f->second);
    fprintf(file, "\n%-28s %.9f\n", "p(A,B)", f->joint);
    fprintf(file, "%-28s %.9f\n", "covariance q(A,B)", f->covariance);
    fprintf(file, "%-28s %.9f\n", "relative centrality C(A|B)", f->first_to_second);
    fprintf(file, "%-28s %.9f\n", "relative centrality C(B|A)", f->second_to_first);
}

static int put_result(FILE *file, const void *argument) {
    const rank_job *job = argument;
    if (job->other)
        put_figures(file, &job->figures);
    else
        put_list(file, job);
    return CLI_OK;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_report(cafe_report *report, const void *argument) {
    const rank_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_string(report, "sampling", "edge");
    cafe_report_string(report, "by", job->other ? "sets" : by_names[job->by]);
    if (job->set) cafe_report_integer(report, "set_nodes", job->members);
    if (job->other) cafe_report_sets(report, &job->figures);
    if (!job->other && job->by == BY_PAGERANK)
        cafe_report_pagerank(report, &job->options, job->set != NULL, &job->steps);
    if (!job->other)
        cafe_report_ranking(report, job->run.graph, job->shown, job->order, job->value);
    cli_report_seconds(report, &job->run);
}

/* ---- the work -------------------------------------------------------------------------------- */

static int read_set(rank_job *job, const char *path, uint8_t **member, int64_t *count) {
    cli_run *run = &job->run;
    if (!path) return CLI_OK;
    *member = cli_new(run, run->counts.nodes, 1);
    if (!*member) return CLI_RESOURCES;
    return cli_check(run, cafe_set_read(run->context, run->graph, path, *member, count));
}

static cafe_status find_values(rank_job *job) {
    cafe_context *context = job->run.context;
    if (job->by == BY_RELATIVE)
        return cafe_rank_relative(context, job->sampled, job->set, job->value);
    if (job->by == BY_PAGERANK)
        return cafe_rank_pagerank(context, job->sampled, &job->options, job->set, job->value,
                                  &job->steps);
    for (int64_t u = 0; u < job->run.counts.nodes; u++)
        job->value[u] = cafe_sampled_node(job->sampled, u);
    return CAFE_OK;
}

static int rank_nodes(rank_job *job) {
    cli_run *run = &job->run;
    int64_t n = run->counts.nodes;
    job->shown = job->top == 0 || job->top > n ? n : job->top;
    job->value = cli_new(run, n, sizeof *job->value);
    job->order = cli_new(run, job->shown, sizeof *job->order);
    if (!job->value || !job->order) return CLI_RESOURCES;
    CLI_TRY(cli_check(run, find_values(job)));
    CLI_TRY(cli_check(run, cafe_rank_top(run->context, n, job->value, job->shown, job->order)));
    if (job->by == BY_PAGERANK)
        cli_say(run, "pagerank  %" PRId64 " step%s, %s, error at most %.2g in sum",
                job->steps.steps, cli_plural(job->steps.steps),
                job->steps.converged ? "converged" : "stopped at the limit", job->steps.error);
    return CLI_OK;
}

static int work(void *argument) {
    rank_job *job = argument;
    cli_run *run = &job->run;
    CLI_TRY(cli_read_graph(run, NULL));
    CLI_TRY(read_set(job, job->set_path, &job->set, &job->members));
    CLI_TRY(read_set(job, job->other_path, &job->other, &(int64_t){0}));
    CLI_TRY(cli_check(
        run, cafe_sample(run->context, run->graph, CAFE_SAMPLING_EDGE, NULL, NULL, &job->sampled)));
    if (job->other)
        CLI_TRY(cli_check(run, cafe_set_compare(run->context, job->sampled, job->set, job->other,
                                                &job->figures)));
    else
        CLI_TRY(rank_nodes(job));
    CLI_TRY(cli_write_result(run, put_result, job));
    return cli_write_report(run, "cafe/rank/1", put_report, job);
}

static int check(void *argument) {
    const rank_job *job = argument;
    const cli_run *run = &job->run;
    if (job->other_path &&
        (!job->set_path || run->common.output || cli_given(run->arguments, "by")))
        return cli_usage_error("rank",
                               "--other compares two sets: it goes with --set, and not "
                               "with --by or -o");
    if (job->by == BY_RELATIVE && !job->set_path)
        return cli_usage_error("rank", "--by relative needs --set FILE");
    if (job->by == BY_DEGREE && job->set_path && !job->other_path)
        return cli_usage_error("rank",
                               "degrees do not depend on a set; did you mean --by relative "
                               "or --by pagerank?");
    if (job->other_path) CLI_TRY(cli_only_with("rank", run->arguments, "top", "one set"));
    if (job->by != BY_PAGERANK || job->other_path)
        return cli_only_with("rank", run->arguments, "damping|tolerance|steps", "--by pagerank");
    return CLI_OK;
}

static void release(void *argument) {
    cafe_sampled_free(((rank_job *)argument)->sampled);
}

static const cli_option options[] = {
    CLI_ROW_CHOICE(rank_job, by, "by", "NAME", "pagerank", "degree|pagerank|relative",
                   "what makes a node central: its share of all edges (degree), PageRank "
                   "(personalised with --set), or its share of the edges of the --set (relative)"),
    CLI_ROW_READS(rank_job, set_path, "set",
                  "a set of nodes, one name per line; - is standard input"),
    CLI_ROW_READS(rank_job, other_path, "other",
                  "a second set: instead of a list print covariance, relative centralities and "
                  "conductance of the two"),
    CLI_ROW_NUMBER(rank_job, top, "top", "N", CLI_COUNT, "10", "nodes in the list; 0 lists all"),
    CLI_ROW_OUTPUT(CLI_TABLES,
                   "the list, separated by tabs, into a file instead of standard output"),
    CLI_ROW_JSON("the list and every figure as JSON; - prints it instead of the list"),
    CLI_ROW_NO_HEADING,
    CLI_ROWS_PLAIN,
};
static const cli_group groups[] = {
    CLI_GROUP("Options", options),
    CLI_GROUP_TABLE("PageRank", rank_job, options, cafe_pagerank_option_table),
    CLI_GROUP_READING,
    {0},
};

const cli_command cli_rank = {
    .name = "rank",
    .arguments = "GRAPH... [options]",
    .many = true,
    .summary = "list the most central nodes, or compare two sets",
    .description =
        "Prints the most central nodes, largest first, by degree, by PageRank, or by their share "
        "of the edges of a set of nodes. With two sets it prints how they are related.",
    CLI_JOB(rank_job, 1, 1),
    .check = check,
    .release = release,
};
