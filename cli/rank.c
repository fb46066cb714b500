/* cafe rank: centralities of nodes, and figures of two sets.
 *
 * The list is the result: it goes to standard output, unless a file is asked for.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"

enum { BY_DEGREE, BY_PAGERANK, BY_RELATIVE };

static const char *const by_names[] = {"degree", "pagerank", "relative"};

typedef struct rank_values {
    cli_common common;
    const char *output, *json, *set, *other;
    int32_t by, top;
    cafe_graph_options graph;
    cafe_pagerank_options pagerank;
} rank_values;

typedef struct rank_job {
    cli_run run;
    const rank_values *values;
    const char *path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_sampled *sampled;
    uint8_t *set, *other;    /* NULL: none given */
    int64_t members, others; /* their nodes */
    double *value;           /* of each node */
    int64_t shown, longest;  /* nodes of the list; bytes of the longest name, with its end */
    int32_t *order;          /* the nodes of the list */
    cafe_pagerank_report steps;
    cafe_pair_figures figures;
} rank_job;

static bool is_standard(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* ---- names ----------------------------------------------------------------------------------- */

static void find_longest(rank_job *job) {
    for (int64_t i = 0; i < job->shown; i++) {
        int64_t length = (int64_t)cafe_graph_name(job->graph, job->order[i], &(char){0}, 1);
        if (length + 1 > job->longest) job->longest = length + 1;
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

static int put_list(rank_job *job, FILE *file) {
    char *name = malloc((size_t)job->longest + 1);
    if (!name) return cli_error(&job->run, CLI_FAILED, "out of memory: names");
    fprintf(file, "node\t%s\n", by_names[job->values->by]);
    for (int64_t i = 0; i < job->shown; i++) {
        cafe_graph_name(job->graph, job->order[i], name, (size_t)job->longest + 1);
        cli_put_cell(file, name);
        fprintf(file, "\t%.17g\n", job->value[job->order[i]]);
    }
    free(name);
    return CLI_OK;
}

static void put_set(const char *name, const cafe_set_figures *f) {
    char nodes[CLI_COUNT_TEXT];
    printf("%-8s %12s %14.9f %14.9f %14.9f %14.9f\n", name, cli_count_text(f->nodes, nodes),
           f->mass, f->inside, f->strength, f->conductance);
}

static void print_figures(const cafe_pair_figures *f) {
    printf("%-8s %12s %14s %14s %14s %14s\n", "", "nodes", "p(S)", "p(S,S)", "q(S,S)",
           "conductance");
    put_set("A", &f->first);
    put_set("B", &f->second);
    printf("\n%-28s %.9f\n", "p(A,B)", f->joint);
    printf("%-28s %.9f\n", "covariance q(A,B)", f->covariance);
    printf("%-28s %.9f\n", "relative centrality C(A|B)", f->first_to_second);
    printf("%-28s %.9f\n", "relative centrality C(B|A)", f->second_to_first);
}

/* Where the list goes: the file, or standard output unless the report is there. */
static int write_list(rank_job *job) {
    const rank_values *v = job->values;
    const char *path = v->output ? v->output : "-";
    cli_output output;
    if (!v->output && is_standard(v->json)) return CLI_OK;
    int code = cli_output_open(&job->run, path, &output);
    if (code != CLI_OK) return code;
    cli_progress_hide(job->run.bar);
    if (job->other)
        print_figures(&job->figures);
    else
        code = put_list(job, output.file);
    fflush(stdout);
    cli_progress_show(job->run.bar);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

/* ---- the report ------------------------------------------------------------------------------ */

static void put_json_set(cli_json *json, const char *key, const cafe_set_figures *f) {
    cli_json_open(json, key, '{');
    cli_json_integer(json, "nodes", f->nodes);
    cli_json_real(json, "mass", f->mass);
    cli_json_real(json, "inside", f->inside);
    cli_json_real(json, "strength", f->strength);
    cli_json_real(json, "conductance", f->conductance);
    cli_json_close(json, '}');
}

static void put_json_figures(cli_json *json, const cafe_pair_figures *f) {
    put_json_set(json, "first", &f->first);
    put_json_set(json, "second", &f->second);
    cli_json_real(json, "joint", f->joint);
    cli_json_real(json, "covariance", f->covariance);
    cli_json_real(json, "first_to_second", f->first_to_second);
    cli_json_real(json, "second_to_first", f->second_to_first);
}

static bool put_json_list(cli_json *json, const rank_job *job) {
    char *name = malloc((size_t)job->longest + 1);
    if (!name) return false;
    cli_json_open(json, "top", '[');
    for (int64_t i = 0; i < job->shown; i++) {
        cafe_graph_name(job->graph, job->order[i], name, (size_t)job->longest + 1);
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "node", name);
        cli_json_real(json, "value", job->value[job->order[i]]);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    free(name);
    return true;
}

static void put_json_pagerank(cli_json *json, const rank_job *job) {
    cli_json_open(json, "pagerank", '{');
    cli_json_bool(json, "personalised", job->set != NULL);
    cli_json_options(json, cafe_pagerank_option_table(), &job->values->pagerank);
    cli_json_integer(json, "steps_taken", job->steps.steps);
    cli_json_bool(json, "converged", job->steps.converged != 0);
    cli_json_real(json, "change", job->steps.change);
    cli_json_real(json, "error", job->steps.error);
    cli_json_close(json, '}');
}

static bool put_report(FILE *file, const rank_job *job) {
    cli_json json = {.file = file};
    bool whole = true;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/rank/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->counts);
    cli_json_text(&json, "sampling", "edge");
    cli_json_text(&json, "by", job->other ? "sets" : by_names[job->values->by]);
    if (job->set) cli_json_integer(&json, "set_nodes", job->members);
    if (job->other) put_json_figures(&json, &job->figures);
    if (!job->other && job->values->by == BY_PAGERANK) put_json_pagerank(&json, job);
    if (!job->other) whole = put_json_list(&json, job);
    cli_json_real(&json, "seconds", cli_seconds() - job->run.began);
    cli_json_close(&json, '}');
    return whole;
}

static int write_report(rank_job *job) {
    cli_output output;
    if (!job->values->json) return CLI_OK;
    int code = cli_output_open(&job->run, job->values->json, &output);
    if (code != CLI_OK) return code;
    if (!put_report(output.file, job)) code = cli_error(&job->run, CLI_FAILED, "out of memory");
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

/* ---- the work -------------------------------------------------------------------------------- */

static int read_set(rank_job *job, const char *path, uint8_t **member, int64_t *count) {
    if (!path) return CLI_OK;
    *member = malloc((size_t)job->counts.nodes + 1);
    if (!*member) return cli_error(&job->run, CLI_FAILED, "out of memory: the set");
    return cli_check(&job->run, cafe_set_read(job->run.context, job->graph, path, *member, count));
}

static int read_input(rank_job *job) {
    const rank_values *v = job->values;
    cafe_context *context = job->run.context;
    int code = cli_check(&job->run, cafe_graph_read(context, job->path, &v->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->counts = *cafe_graph_get_counts(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    code = read_set(job, v->set, &job->set, &job->members);
    if (code == CLI_OK) code = read_set(job, v->other, &job->other, &job->others);
    if (code != CLI_OK) return code;
    return cli_check(&job->run,
                     cafe_sample(context, job->graph, CAFE_SAMPLING_EDGE, &job->sampled));
}

static cafe_status find_values(rank_job *job) {
    const rank_values *v = job->values;
    cafe_context *context = job->run.context;
    if (v->by == BY_RELATIVE)
        return cafe_rank_relative(context, job->sampled, job->set, job->value);
    if (v->by == BY_PAGERANK)
        return cafe_rank_pagerank(context, job->sampled, &v->pagerank, job->set, job->value,
                                  &job->steps);
    for (int64_t u = 0; u < job->counts.nodes; u++)
        job->value[u] = cafe_sampled_node(job->sampled, u);
    return CAFE_OK;
}

static int rank_nodes(rank_job *job) {
    const rank_values *v = job->values;
    int64_t n = job->counts.nodes;
    bool all = v->top == 0 || v->top > n;
    job->shown = all ? n : v->top;
    job->value = malloc((size_t)(n + 1) * sizeof *job->value);
    job->order = malloc((size_t)(job->shown + 1) * sizeof *job->order);
    if (!job->value || !job->order) return cli_error(&job->run, CLI_FAILED, "out of memory");
    cafe_status status = find_values(job);
    if (status == CAFE_OK)
        status = cafe_rank_top(job->run.context, n, job->value, job->shown, job->order);
    if (status == CAFE_OK) find_longest(job);
    if (status == CAFE_OK && v->by == BY_PAGERANK)
        cli_say(&job->run, "pagerank  %" PRId64 " steps, %s, error at most %.2g in sum",
                job->steps.steps, job->steps.converged ? "converged" : "stopped at the limit",
                job->steps.error);
    return cli_check(&job->run, status);
}

static int work(rank_job *job) {
    int code = read_input(job);
    if (code != CLI_OK) return code;
    if (job->other)
        code = cli_check(&job->run, cafe_set_compare(job->run.context, job->sampled, job->set,
                                                     job->other, &job->figures));
    else
        code = rank_nodes(job);
    if (code == CLI_OK) code = write_list(job);
    if (code == CLI_OK) code = write_report(job);
    return code;
}

static int check_values(const rank_values *v, const cli_arguments *arguments, const char *path) {
    if (v->other && (!v->set || v->output || cli_given(arguments, "by")))
        return cli_usage_error("rank",
                               "--other compares two sets: it goes with --set, and not "
                               "with --by or -o");
    if (v->by == BY_RELATIVE && !v->set)
        return cli_usage_error("rank", "--by relative needs the set: --set FILE");
    if (v->by == BY_DEGREE && v->set && !v->other)
        return cli_usage_error("rank",
                               "degrees do not depend on a set; did you mean --by relative "
                               "or --by pagerank?");
    if (is_standard(path) + is_standard(v->set) + is_standard(v->other) > 1)
        return cli_usage_error("rank", "only one of the inputs can be standard input");
    if (v->output && v->json && strcmp(v->output, v->json) == 0)
        return cli_usage_error("rank", "list and report cannot both go to %s", v->output);
    int code = cli_output_check("rank", &v->common, v->output);
    return code != CLI_OK ? code : cli_output_check("rank", &v->common, v->json);
}

static int run_rank(const void *values, const cli_arguments *arguments) {
    rank_job job = {.values = values, .path = arguments->words[0]};
    int code = check_values(job.values, arguments, job.path);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "rank", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    cafe_sampled_free(job.sampled);
    cafe_graph_free(job.graph);
    free(job.set);
    free(job.other);
    free(job.value);
    free(job.order);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"by", 0, "NAME", CLI_CHOICE, offsetof(rank_values, by), "pagerank", "degree|pagerank|relative",
     "the centrality: p_u, PageRank (personalised with --set), or p(u,S) / p(S) relative to the "
     "--set"},
    {"set", 0, "FILE", CLI_TEXT, offsetof(rank_values, set), NULL, NULL,
     "a set of nodes, one name per line; - is standard input"},
    {"other", 0, "FILE", CLI_TEXT, offsetof(rank_values, other), NULL, NULL,
     "a second set: instead of a list print covariance, relative centralities and conductance of "
     "the two"},
    {"top", 0, "N", CLI_COUNT, offsetof(rank_values, top), "10", NULL,
     "nodes in the list; 0 lists all"},
    {"output", 'o', "FILE", CLI_TEXT, offsetof(rank_values, output), NULL, NULL,
     "the list, separated by tabs, into a file instead of standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(rank_values, json), NULL, NULL,
     "the list and every figure as JSON; - prints it instead of the list"},
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"PageRank", NULL, cafe_pagerank_option_table, offsetof(rank_values, pagerank)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(rank_values, graph)},
    {0},
};

const cli_command cli_rank = {
    .name = "rank",
    .arguments = "GRAPH [options]",
    .summary = "list the most central nodes, or compare two sets",
    .description =
        "Prints the nodes of the largest centrality, descending: degree, PageRank, or the "
        "centrality relative to a set of nodes. With two sets it prints how they are related.",
    .groups = groups,
    .size = sizeof(rank_values),
    .least = 1,
    .most = 1,
    .run = run_rank,
};
