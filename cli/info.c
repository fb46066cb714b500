/* cafe info: what a graph file holds. The table is the result: it goes to standard output. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "memory.h"
#include "output.h"
#include "report.h"

/* What the counts do not say yet. */
typedef struct info_figures {
    cafe_graph_counts counts;
    double mean_degree;
    int64_t median_degree, high_degree; /* half, and 99 in 100 nodes have no more */
    double least_weight, most_weight;
    const char *names;
    int32_t bipartite;
    int64_t sides[2];  /* nodes of each, when bipartite; isolated ones are on neither */
    int64_t row_bytes; /* the compressed rows, in memory or mapped */
} info_figures;

/* ---- figures --------------------------------------------------------------------------------- */

/* The smallest degree that at least `share` of the nodes do not exceed, from how many nodes have
 * each degree. */
static int64_t quantile(const int64_t *having, int64_t nodes, double share) {
    int64_t degree = 0, seen = having[0];
    while ((double)seen < share * (double)nodes) seen += having[++degree];
    return degree;
}

static bool find_degrees(const cafe_graph *graph, info_figures *f) {
    const int64_t *offsets;
    int64_t n = f->counts.nodes, longest = 0;
    cafe_graph_csr(graph, &offsets, &(const int32_t *){NULL}, &(const float *){NULL});
    if (n == 0) return true;
    for (int64_t u = 0; u < n; u++)
        if (offsets[u + 1] - offsets[u] > longest) longest = offsets[u + 1] - offsets[u];
    int64_t *having = calloc((size_t)longest + 1, sizeof *having);
    if (!having) return false;
    for (int64_t u = 0; u < n; u++) having[offsets[u + 1] - offsets[u]]++;
    f->mean_degree = (double)offsets[n] / (double)n;
    f->median_degree = quantile(having, n, 0.5);
    f->high_degree = quantile(having, n, 0.99);
    free(having);
    return true;
}

static void find_weights(const cafe_graph *graph, info_figures *f) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    int64_t n = f->counts.nodes, arcs = n > 0 ? offsets[n] : 0;
    f->row_bytes = (n + 1) * (int64_t)sizeof *offsets +
                   arcs * (int64_t)(sizeof *targets + (weights ? sizeof *weights : 0));
    f->least_weight = f->most_weight = arcs > 0 ? 1 : 0;
    if (!weights || arcs == 0) return;
    f->least_weight = f->most_weight = weights[0];
    for (int64_t i = 1; i < arcs; i++) {
        if (weights[i] < f->least_weight) f->least_weight = weights[i];
        if (weights[i] > f->most_weight) f->most_weight = weights[i];
    }
}

static int find_sides(cli_run *run, const cafe_graph *graph, info_figures *f) {
    int64_t n = f->counts.nodes;
    int8_t *side = malloc((size_t)n + 1);
    if (!side) return cli_error(run, CLI_FAILED, "out of memory: sides");
    int code = cli_check(run, cafe_graph_sides(run->context, graph, side, &f->bipartite));
    for (int64_t u = 0; u < n && code == CLI_OK && f->bipartite; u++)
        if (side[u] >= 0) f->sides[side[u]]++;
    free(side);
    return code;
}

static const char *kind_of_names(const cafe_graph *graph) {
    char name[24];
    if (cafe_graph_names_are_indices(graph)) return "indices";
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        cafe_graph_name(graph, u, name, sizeof name);
        size_t digits = strspn(name + (name[0] == '-'), "0123456789");
        if (digits == 0 || name[digits + (name[0] == '-')] != 0) return "strings";
    }
    return "integers";
}

/* ---- reports --------------------------------------------------------------------------------- */

typedef struct info_job {
    cli_run run;
    info_figures figures;
} info_job;

static void put_count(FILE *file, const char *name, int64_t count) {
    char text[CLI_COUNT_TEXT];
    fprintf(file, "%-12s %s\n", name, cli_count_text(count, text));
}

static void put_names(FILE *file, const info_job *job) {
    int64_t n = job->figures.counts.nodes;
    fprintf(file, "%-12s %s: %.63s", "names", job->figures.names,
            n > 0 ? cli_name(&job->run, job->run.graph, 0) : "");
    fprintf(file, " .. %.63s\n", n > 0 ? cli_name(&job->run, job->run.graph, n - 1) : "");
}

static void put_sides(FILE *file, const info_figures *f) {
    char first[CLI_COUNT_TEXT], second[CLI_COUNT_TEXT];
    if (f->bipartite)
        fprintf(file, "%-12s yes: %s and %s nodes\n", "bipartite",
                cli_count_text(f->sides[0], first), cli_count_text(f->sides[1], second));
    else
        fprintf(file, "%-12s no\n", "bipartite");
}

static int put_table(FILE *file, const void *argument) {
    const info_job *job = argument;
    const info_figures *f = &job->figures;
    const cafe_graph_counts *c = &f->counts;
    char changes[512], bytes[CLI_BYTES_TEXT];
    fprintf(file, "%-12s %s\n", "graph", job->run.words[0]);
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
        fprintf(file, "%-12s %g to %g, total %.9g\n", "weights", f->least_weight, f->most_weight,
                c->total_weight / 2);
    else
        fprintf(file, "%-12s none: every edge weighs 1\n", "weights");
    put_names(file, job);
    fprintf(file, "%-12s %s\n", "memory", cli_bytes_text(f->row_bytes, bytes));
    return CLI_OK;
}

static void put_report(cafe_report *report, const void *argument) {
    const info_job *job = argument;
    const info_figures *f = &job->figures;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_real(report, "mean_degree", f->mean_degree);
    cafe_report_integer(report, "median_degree", f->median_degree);
    cafe_report_integer(report, "degree_99", f->high_degree);
    cafe_report_real(report, "least_weight", f->least_weight);
    cafe_report_real(report, "most_weight", f->most_weight);
    cafe_report_string(report, "names", f->names);
    cafe_report_truth(report, "bipartite", f->bipartite);
    cafe_report_integer(report, "side_0", f->sides[0]);
    cafe_report_integer(report, "side_1", f->sides[1]);
    cafe_report_integer(report, "row_bytes", f->row_bytes);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int work(void *argument) {
    info_job *job = argument;
    cli_run *run = &job->run;
    info_figures *f = &job->figures;
    CLI_TRY(cli_check(
        run, cafe_graph_read(run->context, run->words[0], &run->common->reading, &run->graph)));
    f->counts = *cafe_graph_get_counts(run->graph);
    if (!find_degrees(run->graph, f)) return cli_error(run, CLI_FAILED, "out of memory: degrees");
    find_weights(run->graph, f);
    CLI_TRY(find_sides(run, run->graph, f));
    f->names = kind_of_names(run->graph);
    CLI_TRY(cli_write_result(run, put_table, job));
    return cli_write_report(run, "cafe/info/1", put_report, job);
}

static const cli_option options[] = {
    CLI_ROW_JSON("write the figures as JSON; - prints them instead of the table"),
    CLI_ROWS_PLAIN,
};
static const cli_group groups[] = {CLI_GROUP("Options", options), CLI_GROUP_READING, {0}};

const cli_command cli_info = {
    .name = "info",
    .arguments = "GRAPH [options]",
    .summary = "say what a graph file holds",
    .description =
        "Prints nodes, edges, what was dropped or merged, components, whether the graph is "
        "bipartite and the sizes of its sides, degrees, weights, names and memory; - is standard "
        "input.",
    CLI_JOB(info_job, 1, 1),
};
