/* cafe view: one interactive page of a graph and its vectors.
 *
 * What the user does not give is found here: communities by the layers, centralities by PageRank,
 * the certificate of the vectors. The page itself is the library's (cafe_view_write).
 */
#include "view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "graph_text.h"
#include "memory.h"
#include "output.h"
#include "vectors.h"

typedef struct view_values {
    cli_common common;
    const char *output, *labels, *communities, *report, *title, *map;
    cafe_graph_options graph;
    cafe_view_options page;
} view_values;

typedef struct view_job {
    cli_run run;
    const view_values *values;
    const char *path, *vectors_path;
    cafe_graph *graph;
    int64_t n, columns;
    float *vectors, *map;
    float *laid_out; /* a map made here */
    cafe_labels *labels, *given;
    cafe_sampled *sampled;
    cafe_operator *op;
    cafe_layers *layers;
    cafe_layer *layer;
    int32_t *partition; /* of the communities given */
    double *centrality;
    cafe_embedding *certified;
    view_report report;
    cafe_view_inputs inputs;
    cafe_view_report made;
} view_job;

/* ---- what is given --------------------------------------------------------------------------- */

static int read_map(view_job *job) {
    int64_t columns = 0;
    const char *map = job->values->map;
    int code = cli_read_vectors(&job->run, map, job->graph, &columns, &job->map);
    if (code == CLI_OK && columns != 2)
        code = cli_error(&job->run, CLI_INPUT, "%s: expected 2 columns of a map, found %" PRId64,
                         map, columns);
    return code;
}

static bool map_is(const view_job *job, const char *word) {
    return strcmp(job->values->map, word) == 0;
}

static int read_input(view_job *job) {
    const view_values *v = job->values;
    cafe_context *context = job->run.context;
    int code = cli_check(&job->run, cafe_graph_read(context, job->path, &v->graph, &job->graph));
    if (code != CLI_OK) return code;
    job->n = cafe_graph_nodes(job->graph);
    cli_say_graph(&job->run, job->path, job->graph);
    code = cli_read_vectors(&job->run, job->vectors_path, job->graph, &job->columns, &job->vectors);
    if (code == CLI_OK && !map_is(job, "auto") && !map_is(job, "none")) code = read_map(job);
    if (code == CLI_OK && v->labels)
        code = cli_read_known_labels(&job->run, job->graph, v->labels, &job->labels);
    if (code == CLI_OK && v->communities)
        code = cli_check(&job->run,
                         cafe_labels_read(context, job->graph, v->communities, &job->given));
    if (code == CLI_OK && v->report) code = view_report_read(&job->run, v->report, &job->report);
    if (code == CLI_OK && v->report && job->report.column_values &&
        job->report.columns != job->columns)
        code = cli_error(&job->run, CLI_INPUT,
                         "%s: is of %" PRId64 " columns, the vectors have %" PRId64, v->report,
                         job->report.columns, job->columns);
    return code;
}

/* ---- what is found --------------------------------------------------------------------------- */

/* The communities of a file are one layer; nodes that it leaves out are a community together. */
static int use_given(view_job *job) {
    cafe_context *context = job->run.context;
    cafe_partition_quality quality;
    int64_t parts = cafe_labels_classes(job->given) + 1;
    job->layer = calloc(1, sizeof *job->layer);
    job->partition = malloc((size_t)(job->n + 1) * sizeof *job->partition);
    if (!job->layer || !job->partition) return cli_error(&job->run, CLI_FAILED, "out of memory");
    int code = cli_check(&job->run, cafe_labels_single(context, job->given, job->partition));
    if (code != CLI_OK) return code;
    for (int64_t u = 0; u < job->n; u++)
        if (job->partition[u] < 0) job->partition[u] = (int32_t)parts - 1;
    if (cafe_labels_labelled(job->given) == job->n) parts--;
    code = cli_check(
        &job->run, cafe_partition_measure(context, job->sampled, job->partition, parts, &quality));
    *job->layer = (cafe_layer){
        .communities = parts, .modularity = quality.modularity, .partition = job->partition};
    job->inputs.layers = 1;
    return code;
}

static int find_layers(view_job *job) {
    int code =
        cli_check(&job->run, cafe_layers_find(job->run.context, job->op, NULL, &job->layers));
    if (code != CLI_OK) return code;
    job->inputs.layers = cafe_layers_count(job->layers);
    job->layer = calloc((size_t)job->inputs.layers + 1, sizeof *job->layer);
    if (!job->layer) return cli_error(&job->run, CLI_FAILED, "out of memory");
    for (int64_t l = 0; l < job->inputs.layers; l++)
        job->layer[l] = *cafe_layers_get(job->layers, l);
    return CLI_OK;
}

/* The layout of cafe map, with its defaults. */
static int find_map(view_job *job) {
    if (!map_is(job, "auto")) return CLI_OK;
    job->laid_out = malloc((size_t)(2 * job->n + 1) * sizeof *job->laid_out);
    if (!job->laid_out) return cli_error(&job->run, CLI_FAILED, "out of memory");
    return cli_check(&job->run, cafe_map(job->run.context, job->graph, job->n, job->columns,
                                         job->vectors, NULL, job->laid_out));
}

static int find_centrality(view_job *job) {
    job->centrality = malloc((size_t)(job->n + 1) * sizeof *job->centrality);
    if (!job->centrality) return cli_error(&job->run, CLI_FAILED, "out of memory");
    job->inputs.centrality = job->centrality;
    job->inputs.centrality_name = "PageRank";
    return cli_check(&job->run, cafe_rank_pagerank(job->run.context, job->sampled, NULL, NULL,
                                                   job->centrality, NULL));
}

static int find_certificate(view_job *job) {
    cafe_certificate c;
    int code = cli_check(&job->run, cafe_certify(job->run.context, job->op, job->columns,
                                                 job->vectors, NULL, &job->certified));
    if (code != CLI_OK) return code;
    c = *cafe_embedding_certificate(job->certified);
    job->inputs.pairs = c.pairs;
    job->inputs.ritz_values = c.ritz_values;
    job->inputs.residuals = c.residuals;
    job->inputs.column_values = c.column_values;
    job->inputs.column_residuals = c.column_residuals;
    return CLI_OK;
}

static void use_report(view_job *job) {
    const view_report *r = &job->report;
    job->inputs.objectives = r->objectives;
    job->inputs.objective = r->objective;
    job->inputs.pairs = r->pairs;
    job->inputs.ritz_values = r->ritz_values;
    job->inputs.residuals = r->residuals;
    job->inputs.column_values = r->column_values;
    job->inputs.column_residuals = r->column_residuals;
}

static int find_rest(view_job *job) {
    cafe_context *context = job->run.context;
    int code =
        cli_check(&job->run, cafe_sample(context, job->graph, CAFE_SAMPLING_EDGE, &job->sampled));
    if (code == CLI_OK)
        code = cli_check(&job->run, cafe_operator_modularity(context, job->sampled, &job->op));
    if (code == CLI_OK) code = job->given ? use_given(job) : find_layers(job);
    if (code == CLI_OK) code = find_map(job);
    if (code == CLI_OK) code = find_centrality(job);
    if (code == CLI_OK && job->values->report)
        use_report(job);
    else if (code == CLI_OK)
        code = find_certificate(job);
    return code;
}

/* ---- the page -------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void say_left_out(view_job *job) {
    const cafe_view_report *r = &job->made;
    int64_t edges = cafe_graph_edges(job->graph);
    if (r->columns < job->columns)
        cli_say(&job->run, "left out  %" PRId64 " of %" PRId64 " columns",
                job->columns - r->columns, job->columns);
    if (r->links == 0 && edges > 0)
        cli_say(&job->run, "left out  %" PRId64 " links%s", edges,
                job->values->page.links == CAFE_VIEW_LINKS_NONE ? "" : " (--links all keeps them)");
    if (r->layers < job->inputs.layers)
        cli_say(&job->run, "left out  the %" PRId64 " finest of %" PRId64 " layers",
                job->inputs.layers - r->layers, job->inputs.layers);
    if (!r->names) cli_say(&job->run, "left out  the names of the nodes");
    if (job->labels && !r->labels) cli_say(&job->run, "left out  the labels");
}

static int write_page(view_job *job) {
    char size[CLI_BYTES_TEXT];
    const view_values *v = job->values;
    job->inputs.title = v->title ? v->title : base_name(job->path);
    job->inputs.columns = job->columns;
    job->inputs.vectors = job->vectors;
    job->inputs.map = job->laid_out ? job->laid_out : job->map;
    job->inputs.labels = job->labels;
    job->inputs.layer = job->layer;
    int code =
        cli_check(&job->run, cafe_view_write(job->run.context, job->graph, &job->inputs, &v->page,
                                             v->output, v->common.force, &job->made));
    if (code != CLI_OK) return code;
    say_left_out(job);
    cli_say(&job->run,
            "page      %s: %s, %" PRId64 " columns, %" PRId64 " layers, %" PRId64 " links",
            v->output, cli_bytes_text(job->made.bytes, size), job->made.columns, job->made.layers,
            job->made.links);
    return CLI_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int check_values(const view_values *v) {
    if (!v->output) return cli_usage_error("view", "no output: give -o PAGE.html");
    return cli_output_check("view", &v->common, v->output);
}

static int work(view_job *job) {
    cafe_view_inputs_init(&job->inputs);
    int code = read_input(job);
    if (code == CLI_OK) code = find_rest(job);
    if (code == CLI_OK) code = write_page(job);
    return code;
}

static int run_view(const void *values, const cli_arguments *arguments) {
    view_job job = {
        .values = values, .path = arguments->words[0], .vectors_path = arguments->words[1]};
    int code = check_values(job.values);
    if (code != CLI_OK) return code;
    code = cli_begin(&job.run, "view", &job.values->common);
    if (code == CLI_OK) code = work(&job);
    cafe_embedding_free(job.certified);
    cafe_layers_free(job.layers);
    cafe_operator_free(job.op);
    cafe_sampled_free(job.sampled);
    cafe_labels_free(job.labels);
    cafe_labels_free(job.given);
    free(job.vectors);
    free(job.map);
    cafe_graph_free(job.graph);
    view_report_free(&job.report);
    free(job.layer);
    free(job.partition);
    free(job.centrality);
    free(job.laid_out);
    return cli_end(&job.run, code);
}

static const cli_option options[] = {
    {"output", 'o', "PAGE.html", CLI_TEXT, offsetof(view_values, output), NULL, NULL,
     "the page; - is standard output"},
    {"labels", 0, "FILE", CLI_TEXT, offsetof(view_values, labels), NULL, NULL,
     "labels of the nodes to colour by: node label, one a line"},
    {"communities", 0, "FILE", CLI_TEXT, offsetof(view_values, communities), NULL, NULL,
     "communities to show instead of those found here: node community, as cafe cluster writes"},
    {"report", 0, "FILE", CLI_TEXT, offsetof(view_values, report), NULL, NULL,
     "the --json report of the run of cafe embed: objective per sweep and its certificate; "
     "without it the vectors are certified anew"},
    {"map", 0, "auto|none|FILE", CLI_TEXT, offsetof(view_values, map), "auto", NULL,
     "the layout in the plane to open with: made here as cafe map does, none, or two columns of a "
     "file"},
    {"title", 0, "TEXT", CLI_TEXT, offsetof(view_values, title), NULL, NULL,
     "of the page; without it the name of the graph's file"},
    CLI_ROW_FORCE,
    CLI_ROW_THREADS,
    CLI_ROW_SEED,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};

static const cli_group groups[] = {
    {"Options", options, NULL, 0},
    {"Size of the page", NULL, cafe_view_option_table, offsetof(view_values, page)},
    {"Reading the graph", NULL, cafe_graph_option_table, offsetof(view_values, graph)},
    {0},
};

const cli_command cli_view = {
    .name = "view",
    .arguments = "GRAPH EMBEDDING -o PAGE.html [options]",
    .summary = "one interactive page of an embedding, to open in a browser",
    .description =
        "Writes a page that needs nothing but itself: points to move, zoom, search and select, "
        "coloured by community, label, column or centrality; cards of nodes and of columns; the "
        "layers of communities; the spectrum.",
    .groups = groups,
    .size = sizeof(view_values),
    .least = 2,
    .most = 2,
    .run = run_view,
};
