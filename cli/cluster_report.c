/* What cafe cluster writes and says: the partition, the tree of layers, the report. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "command.h"
#include "graph_text.h"
#include "json.h"
#include "memory.h"
#include "output.h"

enum { NAME = 256, CHECK = 65536 };

static const char *const phase_names[CLUSTER_PHASES] = {"read", "sample", "solve", "write"};

static double total_seconds(const cluster_job *job) {
    return cli_seconds() - job->run.began;
}

/* ---- for people ------------------------------------------------------------------------------ */

void cluster_say_layers(cluster_job *job) {
    char count[CLI_COUNT_TEXT];
    int64_t layers = cafe_layers_count(job->layers);
    cli_say(&job->run, "layers    %" PRId64 " layer%s; modularity %.6f with %s communit%s", layers,
            layers == 1 ? "" : "s", job->modularity, cli_count_text(job->communities, count),
            job->communities == 1 ? "y" : "ies");
    if (!job->run.common->verbose) return;
    cli_say(&job->run, "          layer  communities  modularity");
    for (int64_t i = 0; i < layers; i++) {
        cafe_layer layer = *cafe_layers_get(job->layers, i);
        cli_say(&job->run, "          %5" PRId64 "  %11s  %10.6f", i + 1,
                cli_count_text(layer.communities, count), layer.modularity);
    }
}

void cluster_say_softmax(cluster_job *job) {
    char count[CLI_COUNT_TEXT];
    cli_say(&job->run, "softmax   %s rows, %" PRId64 " sweep%s: objective %.6f -> %.6f, %s",
            job->memberships ? "sparse" : "dense", job->sweeps, job->sweeps == 1 ? "" : "s",
            job->objective[0], job->objective[job->sweeps],
            job->converged ? "converged to the tolerance" : "stopped at the sweep limit");
    cli_say(&job->run, "          modularity %.6f with %s communit%s", job->modularity,
            cli_count_text(job->communities, count), job->communities == 1 ? "y" : "ies");
}

void cluster_say_sizes(cluster_job *job) {
    char largest[CLI_COUNT_TEXT], median[CLI_COUNT_TEXT], smallest[CLI_COUNT_TEXT];
    int64_t k = job->communities;
    cli_say(&job->run, "sizes     largest %s, median %s, smallest %s node%s",
            cli_count_text(job->sizes[k - 1], largest), cli_count_text(job->sizes[k / 2], median),
            cli_count_text(job->sizes[0], smallest), job->sizes[0] == 1 ? "" : "s");
}

void cluster_say_end(cluster_job *job) {
    const cluster_values *v = &job->values;
    char line[256], peak[CLI_BYTES_TEXT];
    int at = 0;
    if (v->output) cli_say(&job->run, "output    %s", v->output);
    if (v->hierarchy) cli_say(&job->run, "hierarchy %s", v->hierarchy);
    if (v->soft) cli_say(&job->run, "soft      %s", v->soft);
    if (v->json) cli_say(&job->run, "report    %s", v->json);
    for (int i = 0; i < CLUSTER_PHASES; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%s %.3f, ", phase_names[i],
                       job->seconds[i]);
    cli_say(&job->run, "seconds   %stotal %.3f", line, total_seconds(job));
    cli_say(&job->run, "memory    peak %s", cli_bytes_text(cli_memory_peak(), peak));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* The name of a node: in `text`, or for a long one in memory the caller frees; NULL: no memory. */
static char *node_name(const cafe_graph *graph, int64_t u, char text[NAME]) {
    size_t length = cafe_graph_name(graph, u, text, NAME);
    if (length < NAME) return text;
    char *name = malloc(length + 1);
    if (name) cafe_graph_name(graph, u, name, length + 1);
    return name;
}

typedef void put_name(void *argument, int64_t u, const char *name);

/* Calls `put` for every node, as long as there is memory and no signal. */
static int each_name(cluster_job *job, put_name *put, void *argument) {
    char text[NAME];
    for (int64_t u = 0; u < job->counts.nodes; u++) {
        if (u % CHECK == 0 && cli_signal()) return cli_check(&job->run, CAFE_ERROR_CANCELLED);
        char *name = node_name(job->graph, u, text);
        if (!name) return cli_error(&job->run, CLI_FAILED, "out of memory");
        put(argument, u, name);
        if (name != text) free(name);
    }
    return CLI_OK;
}

typedef struct line_writer {
    FILE *file;
    const int32_t *partition;
} line_writer;

static void put_line(void *argument, int64_t u, const char *name) {
    const line_writer *w = argument;
    cli_put_cell(w->file, name);
    fprintf(w->file, "\t%" PRId32 "\n", w->partition[u]);
}

int cluster_write_partition(cluster_job *job) {
    cli_output output;
    if (!job->values.output) return CLI_OK;
    int code = cli_output_open(&job->run, job->values.output, &output);
    if (code != CLI_OK) return code;
    line_writer w = {output.file, job->partition};
    code = each_name(job, put_line, &w);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

static void put_text(void *argument, int64_t u, const char *name) {
    (void)u;
    cli_json_text(argument, NULL, name);
}

static void put_layer(cli_json *json, const cafe_layer *layer) {
    cli_json_open(json, NULL, '{');
    cli_json_integer(json, "communities", layer->communities);
    cli_json_real(json, "modularity", layer->modularity);
    if (layer->parent) cli_json_integers(json, "parent", layer->parent, layer->communities);
    cli_json_close(json, '}');
}

/* Names of the nodes (unless they are 0 .. n-1), the finest partition, and for every layer but the
 * last the parents of its communities: all other partitions follow. */
static int put_tree(cluster_job *job, FILE *file) {
    cli_json json = {.file = file};
    cafe_layer layer;
    int code = CLI_OK;
    layer = *cafe_layers_get(job->layers, 0);
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/hierarchy/1");
    cli_json_integer(&json, "nodes", job->counts.nodes);
    if (!cafe_graph_names_are_indices(job->graph)) {
        cli_json_open(&json, "names", '[');
        code = each_name(job, put_text, &json);
        cli_json_close(&json, ']');
    }
    cli_json_integers(&json, "finest", layer.partition, job->counts.nodes);
    cli_json_open(&json, "layers", '[');
    for (int64_t i = 0; i < cafe_layers_count(job->layers); i++) {
        layer = *cafe_layers_get(job->layers, i);
        put_layer(&json, &layer);
    }
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    return code;
}

int cluster_write_hierarchy(cluster_job *job) {
    cli_output output;
    if (!job->values.hierarchy) return CLI_OK;
    int code = cli_output_open(&job->run, job->values.hierarchy, &output);
    if (code != CLI_OK) return code;
    code = put_tree(job, output.file);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_options(cli_json *json, const cluster_job *job) {
    const cluster_values *v = &job->values;
    cli_json_open(json, "options", '{');
    cli_json_text(json, "method", job->method->name);
    cli_json_sampling(json, &v->sampling);
    cli_json_unsigned(json, "seed", cafe_seed(job->run.context));
    cli_json_integer(json, "threads", cafe_threads(job->run.context));
    cli_json_text(json, "engine", cafe_engine_name(job->run.context));
    cli_json_options(json, job->method->table(), (const char *)v + job->method->offset);
    cli_json_options(json, cafe_graph_option_table(), &v->graph);
    cli_json_close(json, '}');
}

static void put_layers(cli_json *json, const cluster_job *job) {
    cli_json_open(json, "layers", '[');
    for (int64_t i = 0; job->layers && i < cafe_layers_count(job->layers); i++) {
        cafe_layer layer = *cafe_layers_get(job->layers, i);
        layer.parent = NULL; /* in the tree only */
        put_layer(json, &layer);
    }
    cli_json_close(json, ']');
}

static void put_sizes(cli_json *json, const cluster_job *job) {
    int64_t k = job->communities, singles = 0;
    while (singles < k && job->sizes[singles] == 1) singles++;
    cli_json_open(json, "sizes", '{');
    cli_json_integer(json, "largest", job->sizes[k - 1]);
    cli_json_integer(json, "median", job->sizes[k / 2]);
    cli_json_integer(json, "smallest", job->sizes[0]);
    cli_json_integer(json, "single_nodes", singles);
    cli_json_close(json, '}');
}

static void put_seconds(cli_json *json, const cluster_job *job) {
    cli_json_open(json, "seconds", '{');
    for (int i = 0; i < CLUSTER_PHASES; i++) cli_json_real(json, phase_names[i], job->seconds[i]);
    cli_json_real(json, "total", total_seconds(job));
    cli_json_close(json, '}');
}

static int put_report(FILE *file, const void *argument) {
    const cluster_job *job = argument;
    cli_json json = {.file = file};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "cafe/cluster/1");
    cli_json_text(&json, "version", cafe_version());
    cli_json_graph(&json, job->path, &job->counts);
    cli_json_text(&json, "method", job->method->name);
    put_options(&json, job);
    cli_json_sampled(&json, job->sampled);
    cli_json_real(&json, "modularity", job->modularity);
    cli_json_integer(&json, "communities", job->communities);
    put_sizes(&json, job);
    put_layers(&json, job);
    if (job->objective) {
        cli_json_integer(&json, "sweeps", job->sweeps);
        cli_json_bool(&json, "converged", job->converged);
        cli_json_reals(&json, "objective", job->objective, job->sweeps + 1);
        cli_json_text(&json, "rows", job->memberships ? "sparse" : "dense");
    }
    if (job->values.output) cli_json_text(&json, "output", job->values.output);
    if (job->values.hierarchy) cli_json_text(&json, "hierarchy", job->values.hierarchy);
    if (job->values.soft) cli_json_text(&json, "soft", job->values.soft);
    put_seconds(&json, job);
    cli_json_integer(&json, "peak_bytes", cli_memory_peak());
    cli_json_integer(&json, "allocated_bytes", cafe_peak_bytes(job->run.context));
    cli_json_close(&json, '}');
    return CLI_OK;
}

int cluster_write_report(cluster_job *job) {
    return cli_write_file(&job->run, job->values.json, put_report, job);
}
