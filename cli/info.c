/* cafe info: what a graph file holds. The table is the result: it goes to standard output. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/text.h>

#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"

typedef struct info_job {
    cli_run run;
    cafe_graph_profile profile;
    int64_t memory; /* bytes; 0: no limit */
} info_job;

/* ---- reports --------------------------------------------------------------------------------- */

static void put_count(FILE *file, const char *name, int64_t count) {
    char text[CLI_COUNT_TEXT];
    fprintf(file, "%-12s %s\n", name, cli_count_text(count, text));
}

static void put_names(FILE *file, const info_job *job) {
    int64_t n = job->run.counts.nodes;
    fprintf(file, "%-12s %s: %.63s", "names", job->profile.names,
            n > 0 ? cli_name(&job->run, job->run.graph, 0) : "");
    fprintf(file, " .. %.63s\n", n > 0 ? cli_name(&job->run, job->run.graph, n - 1) : "");
}

static void put_attribute(FILE *file, const cafe_attribute *a, int64_t nodes) {
    double least = INFINITY, most = -INFINITY;
    char count[CLI_COUNT_TEXT], name[128];
    int64_t given = 0;
    for (int64_t u = 0; u < nodes; u++) {
        bool has = a->numbers ? !isnan(a->numbers[u]) : a->integers[u] >= 0;
        given += has;
        if (has && a->numbers) least = fmin(least, a->numbers[u]);
        if (has && a->numbers) most = fmax(most, a->numbers[u]);
    }
    cafe_show(a->name, strlen(a->name), name, sizeof name);
    fprintf(file, "%s: ", name);
    if (a->numbers)
        fprintf(file, "%.9g to %.9g", least, most);
    else
        fprintf(file, "%s text%s", cli_count_text(a->values, count), cli_plural(a->values));
    if (given < nodes)
        fprintf(file, ", of %s node%s", cli_count_text(given, count), cli_plural(given));
}

/* The attributes of the nodes, with their ranges, and how many nodes have one if not all. */
static void put_attributes(FILE *file, const cafe_graph *graph) {
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    if (r->attribute_count > 0) fprintf(file, "%-12s ", "attributes");
    for (int64_t i = 0; i < r->attribute_count; i++) {
        if (i > 0) fprintf(file, "; ");
        put_attribute(file, &r->attributes[i], cafe_graph_nodes(graph));
    }
    if (r->attribute_count > 0) fprintf(file, "\n");
}

/* How the file was understood, and its first edges, so that a misunderstanding shows. */
static void put_reading(FILE *file, const cafe_graph *graph) {
    const cafe_graph_reading *r = cafe_graph_get_reading(graph);
    const cafe_file_format *format = cafe_file_format_at(CAFE_FILE_GRAPH, r->format - 1);
    if (format) fprintf(file, "%-12s %s\n", "format", format->title);
    if (r->text && *r->text) fprintf(file, "%-12s %s\n", "read as", r->text);
    const char *label = "first edges";
    for (const char *p = r->edges ? r->edges : ""; *p; label = "") {
        int length = (int)strcspn(p, "\n");
        fprintf(file, "%-12s %.*s\n", label, length, p);
        p += length + (p[length] == '\n');
    }
}

static void put_sides(FILE *file, const cafe_graph_profile *f) {
    char first[CLI_COUNT_TEXT], second[CLI_COUNT_TEXT];
    if (f->bipartite)
        fprintf(file, "%-12s yes: %s and %s nodes\n", "bipartite",
                cli_count_text(f->first_side, first), cli_count_text(f->second_side, second));
    else
        fprintf(file, "%-12s no\n", "bipartite");
}

static int put_table(FILE *file, const void *argument) {
    const info_job *job = argument;
    const cafe_graph_profile *f = &job->profile;
    const cafe_graph_counts *c = &job->run.counts;
    char changes[512], bytes[CAFE_BYTES_TEXT];
    fprintf(file, "%-12s %s\n", "graph", job->run.words[0]);
    put_reading(file, job->run.graph);
    put_count(file, "nodes", c->nodes);
    put_count(file, "edges", c->edges);
    put_count(file, "listed", c->lines);
    fprintf(file, "%-12s %s\n", "changed",
            cli_graph_changes(c, changes, sizeof changes) ? changes : "nothing");
    if (c->directed) fprintf(file, "%-12s %s\n", "directed", cli_directed_text(c->directed));
    put_count(file, "isolated", c->isolated);
    put_count(file, "components", c->components);
    put_count(file, "largest", c->largest);
    put_sides(file, f);
    fprintf(file,
            "%-12s %" PRId64 " to %" PRId64 ", mean %.2f, median %" PRId64 ", 99%% at most %" PRId64
            "\n",
            "degrees", c->min_degree, c->max_degree, f->mean_degree, f->median_degree,
            f->high_degree);
    if (c->weighted)
        fprintf(file, "%-12s %g to %g\n%-12s %.9g, every edge counted at both ends\n", "weights",
                f->least_weight, f->most_weight, "total weight", c->total_weight);
    else
        fprintf(file, "%-12s none: every edge weighs 1\n", "weights");
    put_names(file, job);
    put_attributes(file, job->run.graph);
    fprintf(file, "%-12s %s\n", "memory", cafe_bytes_text(f->row_bytes, bytes));
    return CLI_OK;
}

static void put_report(cafe_report *report, const void *argument) {
    const info_job *job = argument;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_reading(report, job->run.graph);
    cafe_report_profile(report, &job->profile);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int work(void *argument) {
    info_job *job = argument;
    cli_run *run = &job->run;
    int64_t added;
    CLI_TRY(cli_check(run, cafe_limit_memory(run->context, job->memory, NULL)));
    CLI_TRY(cli_check(
        run, cafe_graph_read(run->context, run->words[0], &run->common.reading, &run->graph)));
    cli_warn_reading(run, run->graph);
    CLI_TRY(cli_add_nodes(run, &run->graph, &added));
    run->counts = *cafe_graph_get_counts(run->graph);
    CLI_TRY(cli_check(run, cafe_graph_describe(run->context, run->graph, &job->profile)));
    CLI_TRY(cli_write_result(run, put_table, job));
    return cli_write_report(run, "cafe/info/1", put_report, job);
}

static const cli_option options[] = {
    CLI_ROW_JSON("write the figures as JSON; - prints them instead of the table"),
    CLI_ROW_NUMBER(info_job, memory, "memory-limit", "SIZE", CLI_BYTES, NULL,
                   "memory to stay within, such as 512M or 8G; a graph that takes more is refused"),
    CLI_ROWS_PLAIN,
};
static const cli_group groups[] = {CLI_GROUP("Options", options), CLI_GROUP_READING, {0}};

const cli_command cli_info = {
    .name = "info",
    .arguments = "GRAPH... [options]",
    .many = true,
    .summary = "say what a graph file holds",
    .description =
        "Prints how the file was understood (format, columns, heading) with its first three "
        "edges. Then come nodes, edges, what was dropped or merged, components, the sizes "
        "of the sides of a bipartite graph, degrees, weights, names and memory. - is "
        "standard input.",
    CLI_JOB(info_job, 1, 1),
};
