/* What cafe cluster writes and says: the partition, the tree of layers, the report. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "report.h"

enum { NAME = 256, CHECK = 65536 };

static const char *const phase_names[CLUSTER_PHASES] = {"read", "sample", "solve", "write"};

/* ---- for people ------------------------------------------------------------------------------ */

static void say_layers(cluster_job *job) {
    char count[CLI_COUNT_TEXT];
    const cafe_layers *layers = job->found->layers;
    int64_t top = cafe_layers_count(layers);
    cli_say(&job->run, "%-9s %" PRId64 " layer%s", job->values.method.row->name, top,
            top == 1 ? "" : "s");
    if (!job->run.common->verbose) return;
    cli_say(&job->run, "          layer  communities  modularity");
    for (int64_t i = 0; i < top; i++) {
        const cafe_layer *layer = cafe_layers_get(layers, i);
        cli_say(&job->run, "          %5" PRId64 "  %11s  %10.6f", i + 1,
                cli_count_text(layer->communities, count), layer->modularity);
    }
}

static void say_sweeps(cluster_job *job) {
    const cafe_clustering_info *f = job->found;
    cli_say(&job->run, "%-9s %s rows, %" PRId64 " sweep%s: objective %.6f -> %.6f, %s",
            job->values.method.row->name, f->sparse ? "sparse" : "dense", f->sweeps,
            f->sweeps == 1 ? "" : "s", f->objective[0], f->objective[f->sweeps],
            f->converged ? "converged to the tolerance" : "stopped at the sweep limit");
}

/* Under the edges alone a partition has another modularity than under walks, say. */
static bool edges_differ(const cafe_clustering_info *f) {
    return fabs(f->modularity - f->edge_modularity) > 1e-9;
}

void cluster_say_found(cluster_job *job) {
    const cafe_clustering_info *f = job->found;
    char count[CLI_COUNT_TEXT];
    if (f->layers) say_layers(job);
    if (f->objective) say_sweeps(job);
    cli_say(&job->run, "          modularity %.6f with %s communit%s", f->modularity,
            cli_count_text(f->communities, count), f->communities == 1 ? "y" : "ies");
    if (edges_differ(f))
        cli_say(&job->run, "          modularity %.6f under the edges alone", f->edge_modularity);
}

void cluster_say_sizes(cluster_job *job) {
    char largest[CLI_COUNT_TEXT], median[CLI_COUNT_TEXT], smallest[CLI_COUNT_TEXT];
    const cafe_sizes *s = &job->sizes;
    cli_say(&job->run, "sizes     largest %s, median %s, smallest %s node%s",
            cli_count_text(s->largest, largest), cli_count_text(s->median, median),
            cli_count_text(s->smallest, smallest), s->smallest == 1 ? "" : "s");
}

void cluster_say_end(cluster_job *job) {
    const cluster_values *v = &job->values;
    char peak[CLI_BYTES_TEXT];
    if (v->output) cli_say(&job->run, "output    %s", v->output);
    if (v->hierarchy) cli_say(&job->run, "hierarchy %s", v->hierarchy);
    if (v->soft) cli_say(&job->run, "soft      %s", v->soft);
    if (v->json) cli_say(&job->run, "report    %s", v->json);
    cli_say_phases(&job->run, CLUSTER_PHASES, phase_names, job->seconds);
    cli_say(&job->run, "memory    peak %s", cli_bytes_text(cafe_memory_peak(), peak));
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
    line_writer w = {output.file, job->found->partition};
    code = each_name(job, put_line, &w);
    int closed = cli_output_close(&job->run, &output, code == CLI_OK);
    return code != CLI_OK ? code : closed;
}

int cluster_write_hierarchy(cluster_job *job) {
    if (!job->values.hierarchy) return CLI_OK;
    return cli_check(&job->run, cafe_layers_write(job->run.context, job->found->layers, job->graph,
                                                  job->values.hierarchy, job->values.common.force));
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_options(cafe_report *report, const cluster_job *job) {
    const cluster_values *v = &job->values;
    cafe_report_open(report, "options", '{');
    cafe_report_string(report, "method", v->method.row->name);
    cli_report_sampling(report, &v->method.sampling);
    cafe_report_context(report);
    cafe_report_options(report, v->method.table, v->method.own);
    cafe_report_options(report, cafe_graph_option_table(), &v->graph);
    cafe_report_close(report);
}

static void put_report(cafe_report *report, const void *argument) {
    const cluster_job *job = argument;
    const cafe_clustering_info *f = job->found;
    cafe_report_graph(report, job->path, job->graph);
    cafe_report_string(report, "method", job->values.method.row->name);
    put_options(report, job);
    cafe_report_sampled(report, cafe_model_sampled(job->model));
    cafe_report_real(report, "modularity", f->modularity);
    if (edges_differ(f)) cafe_report_real(report, "modularity_edges", f->edge_modularity);
    cafe_report_integer(report, "communities", f->communities);
    cafe_report_sizes(report, &job->sizes);
    cafe_report_layers(report, f->layers);
    if (f->objective) {
        cafe_report_history(report, "objective", f->sweeps, f->converged, f->objective);
        cafe_report_string(report, "rows", f->sparse ? "sparse" : "dense");
    }
    if (job->values.output) cafe_report_string(report, "output", job->values.output);
    if (job->values.hierarchy) cafe_report_string(report, "hierarchy", job->values.hierarchy);
    if (job->values.soft) cafe_report_string(report, "soft", job->values.soft);
    cli_report_phases(report, &job->run, CLUSTER_PHASES, phase_names, job->seconds);
    cli_report_memory(report, &job->run);
}

int cluster_write_report(cluster_job *job) {
    return cli_write_report_to(&job->run, job->values.json, "cafe/cluster/1", put_report, job);
}
