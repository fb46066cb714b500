/* What cafe cluster writes and says: the partition, the tree of layers, the report. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "command.h"
#include "graph_text.h"
#include "output.h"
#include "predicted.h"
#include "report.h"

enum { CHECK = 65536 }; /* nodes between two looks at the signals */

static const char *const phase_names[CLUSTER_PHASES] = {"read", "sample", "solve", "write"};

/* ---- for people ------------------------------------------------------------------------------ */

static void say_layers(cluster_job *job) {
    char count[CLI_COUNT_TEXT];
    const cafe_layers *layers = job->found->layers;
    int64_t top = cafe_layers_count(layers);
    cli_say(&job->run, "%-9s %" PRId64 " layer%s", job->method.row->name, top, cli_plural(top));
    if (!job->run.common.verbose) return;
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
            job->method.row->name, f->sparse ? "sparse" : "dense", f->sweeps, cli_plural(f->sweeps),
            f->objective[0], f->objective[f->sweeps],
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
            cli_count_text(s->smallest, smallest), cli_plural(s->smallest));
}

void cluster_say_end(cluster_job *job) {
    char peak[CLI_BYTES_TEXT];
    cli_team_say(&job->run, &job->division);
    cli_say_phases(&job->run, CLUSTER_PHASES, phase_names, job->seconds);
    cli_say(&job->run, "memory    peak %s", cli_bytes_text(cafe_memory_peak(), peak));
}

/* ---- files ----------------------------------------------------------------------------------- */

/* "\tNUMBER\n": fprintf takes most of the time that a large partition's file takes. */
static void put_community(FILE *file, int32_t community) {
    char text[16], *at = text + sizeof text;
    *--at = '\n';
    do {
        *--at = (char)('0' + community % 10);
        community /= 10;
    } while (community > 0);
    *--at = '\t';
    fwrite(at, 1, (size_t)(text + sizeof text - at), file);
}

int cluster_put_partition(FILE *file, const void *argument) {
    const cluster_job *job = argument;
    for (int64_t u = 0; u < job->run.counts.nodes; u++) {
        if (u % CHECK == 0 && cli_signal()) return cli_check(&job->run, CAFE_ERROR_CANCELLED);
        cli_put_node(file, &job->run, job->run.graph, u);
        put_community(file, job->found->partition[u]);
    }
    return CLI_OK;
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_options(cafe_report *report, const cluster_job *job) {
    cafe_report_open(report, "options", '{');
    cafe_report_string(report, "method", job->method.row->name);
    cli_report_sampling(report, &job->method.sampling);
    cafe_report_context(report);
    cafe_report_options(report, job->method.table, job->method.own);
    cafe_report_options(report, cafe_graph_option_table(), &job->run.common.reading);
    cafe_report_close(report);
}

void cluster_fill_report(cafe_report *report, const void *argument) {
    const cluster_job *job = argument;
    const cafe_clustering_info *f = job->found;
    cafe_report_graph(report, job->run.words[0], job->run.graph);
    cafe_report_string(report, "method", job->method.row->name);
    put_options(report, job);
    cli_report_classes(report, job->labels);
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
    cli_team_report(report, &job->run, &job->division);
    cli_report_checkpoint(report, &job->run);
    if (job->run.common.output) cafe_report_string(report, "output", job->run.common.output);
    if (job->hierarchy) cafe_report_string(report, "hierarchy", job->hierarchy);
    if (job->soft) cafe_report_string(report, "soft", job->soft);
    cli_report_phases(report, &job->run, CLUSTER_PHASES, phase_names, job->seconds);
    cli_report_memory(report, &job->run);
}
