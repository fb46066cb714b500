/* cafe info: what a graph file holds. The table is the result: it goes to standard output. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "memory.h"
#include "output.h"

typedef struct info_values {
    cli_common common;
    const char *json;
    cafe_graph_options graph;
} info_values;

/* What the counts do not say yet. */
typedef struct info_figures {
    cafe_graph_counts counts;
    double mean_degree;
    int64_t median_degree, high_degree; /* half, and 99 in 100 nodes have at most so many */
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

static void put_count(const char *name, int64_t count) {
    char text[CLI_COUNT_TEXT];
    printf("%-12s %s\n", name, cli_count_text(count, text));
}

static void put_names(const cafe_graph *graph, const info_figures *f) {
    char first[64] = "", last[64] = "";
    int64_t n = f->counts.nodes;
    if (n > 0) cafe_graph_name(graph, 0, first, sizeof first);
    if (n > 0) cafe_graph_name(graph, n - 1, last, sizeof last);
    printf("%-12s %s: %s .. %s\n", "names", f->names, first, last);
}

static void put_sides(const info_figures *f) {
    char first[CLI_COUNT_TEXT], second[CLI_COUNT_TEXT];
    if (f->bipartite)
        printf("%-12s yes: %s and %s nodes\n", "bipartite", cli_count_text(f->sides[0], first),
               cli_count_text(f->sides[1], second));
    else
        printf("%-12s no\n", "bipartite");
}

static void print_info(const char *path, const cafe_graph *graph, const info_figures *f) {
    const cafe_graph_counts *c = &f->counts;
    char changes[512], bytes[CLI_BYTES_TEXT];
    printf("%-12s %s\n", "graph", path);
    put_count("nodes", c->nodes);
    put_count("edges", c->edges);
    put_count("listed", c->lines);
    printf("%-12s %s\n", "changed",
           cli_graph_changes(c, changes, sizeof changes) ? changes : "nothing");
    if (c->directed) printf("%-12s %s\n", "directed", cli_directed_text(c->directed));
    put_count("isolated", c->isolated);
    put_count("components", c->components);
    put_count("largest", c->largest);
    put_sides(f);
    printf("%-12s %" PRId64 " to %" PRId64 ", mean %.2f, median %" PRId64 ", 99%% at most %" PRId64
           "\n",
           "degrees", c->min_degree, c->max_degree, f->mean_degree, f->median_degree,
           f->high_degree);
    if (c->weighted)
        printf("%-12s %g to %g, total %.9g\n", "weights", f->least_weight, f->most_weight,
               c->total_weight / 2);
    else
        printf("%-12s none: every edge weighs 1\n", "weights");
    put_names(graph, f);
    printf("%-12s %s\n", "memory", cli_bytes_text(f->row_bytes, bytes));
}

static void put_report(FILE *file, const char *path, const info_figures *f) {
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/info/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, path, &f->counts);
    cli_json_real(&json, "mean_degree", f->mean_degree);
    cli_json_integer(&json, "median_degree", f->median_degree);
    cli_json_integer(&json, "degree_99", f->high_degree);
    cli_json_real(&json, "least_weight", f->least_weight);
    cli_json_real(&json, "most_weight", f->most_weight);
    cli_json_text(&json, "names", f->names);
    cli_json_bool(&json, "bipartite", f->bipartite != 0);
    cli_json_integer(&json, "side_0", f->sides[0]);
    cli_json_integer(&json, "side_1", f->sides[1]);
    cli_json_integer(&json, "row_bytes", f->row_bytes);
    cli_json_close(&json, '}');
}

static int write_report(cli_run *run, const char *json, const char *path, const info_figures *f) {
    cli_output output;
    int code = cli_output_open(run, json, &output);
    if (code != CLI_OK) return code;
    put_report(output.file, path, f);
    return cli_output_close(run, &output, true);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int describe(cli_run *run, const info_values *v, const char *path) {
    cafe_graph *graph = NULL;
    info_figures f = {0};
    int code = cli_check(run, cafe_graph_read(run->context, path, &v->graph, &graph));
    if (code != CLI_OK) return code;
    f.counts = *cafe_graph_get_counts(graph);
    if (!find_degrees(graph, &f)) code = cli_error(run, CLI_FAILED, "out of memory: degrees");
    find_weights(graph, &f);
    if (code == CLI_OK) code = find_sides(run, graph, &f);
    f.names = kind_of_names(graph);
    cli_progress_hide(run->bar);
    if (code == CLI_OK && (!v->json || strcmp(v->json, "-") != 0)) print_info(path, graph, &f);
    if (code == CLI_OK && v->json) code = write_report(run, v->json, path, &f);
    cafe_graph_free(graph);
    return code;
}

static int run_info(const void *values, const cli_arguments *arguments) {
    const info_values *v = values;
    cli_run run;
    int code = cli_output_check("info", &v->common, v->json);
    if (code != CLI_OK) return code;
    code = cli_begin(&run, "info", &v->common);
    if (code == CLI_OK) code = describe(&run, v, arguments->words[0]);
    return cli_end(&run, code);
}

static const cli_option options[] = {
    {"json", 0, "FILE", CLI_TEXT, offsetof(info_values, json), NULL, NULL,
     "write the figures as JSON; - prints them instead of the table"},
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(info_values, graph)},
    {0},
};

const cli_command cli_info = {
    .name = "info",
    .arguments = "GRAPH [options]",
    .summary = "say what a graph file holds",
    .description =
        "Prints nodes, edges, what was dropped or merged, components, whether the graph is "
        "bipartite and the sizes of its sides, degrees, weights, names and memory; - is standard "
        "input.",
    .groups = groups,
    .size = sizeof(info_values),
    .least = 1,
    .most = 1,
    .run = run_info,
};
