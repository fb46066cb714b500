/* The report of a run: the same keys from the tool, from C and from Python. */
#include <math.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/run.h>
#include <cafe-private/text.h>

#include "os/os.h"
#include "report/report.h"
#include "run/run.h"
#include "solve/checkpoint.h"

/* ---- what was asked for ---------------------------------------------------------------------- */

static void put_path(cafe_report *report, const char *key, const char *path) {
    if (path) cafe_report_string(report, key, path);
}

/* The options that belong to the sampling; of lambda and the mean only the one that counts. */
void cafe_run_report_sampling(const cafe_run *run, cafe_report *report) {
    const cafe_option_table *table = run->tables[RUN_SAMPLE].table;
    const cafe_sampler *row = cafe_sampler_of((cafe_sampling)run->options.sampling);
    if (!table) return;
    cafe_report_string(report, "sampling", row->name);
    for (size_t i = 0; i < table->count; i++) {
        const char *name = table->options[i].name;
        cafe_option_table one = *table;
        one.options = &table->options[i];
        one.count = 1;
        if (strcmp(name, run->sample.aim ? "lambda" : "twist-mean") != 0 &&
            cafe_sampler_has(row, name))
            cafe_report_options(report, &one, &run->sample);
    }
    put_path(report, "attributes", run->given.attributes_path);
    put_path(report, "seeds", run->given.seeds_path);
}

void cafe_run_report_options(const cafe_run *run, cafe_report *report) {
    const run_table *own = &run->tables[RUN_OWN];
    cafe_report_string(report, "method", run->method->name);
    cafe_run_report_sampling(run, report);
    cafe_report_options(report, own->table, own->values);
    if (run->tables[RUN_FINISH].table) {
        cafe_report_options(report, run->tables[RUN_FINISH].table, &run->finish);
        cafe_report_truth(report, "propagate", run->propagate);
    }
    if (run->propagate)
        cafe_report_options(report, run->tables[RUN_PROPAGATE].table, &run->propagation);
    if (run->given.features || run->given.features_path)
        cafe_report_options(report, run->tables[RUN_FEATURES].table, &run->features);
    put_path(report, "features", run->given.features_path);
}

static void put_options(const cafe_run *run, cafe_report *report) {
    cafe_report_open(report, "options", '{');
    cafe_run_report_options(run, report);
    put_path(report, "labels", run->given.labels_path);
    put_path(report, "start", run->given.start_path);
    put_path(report, "start", run->given.partition_path);
    put_path(report, "keep", run->given.keep_path);
    cafe_report_context(report);
    cafe_report_options(report, cafe_graph_option_table(), run->reading);
    cafe_report_close(report);
}

static void put_classes(const cafe_run *run, cafe_report *report) {
    put_path(report, "labels_reading", run->given.labels_reading);
    if (!run->given.class_names) return;
    cafe_report_open(report, "classes", '[');
    for (int64_t i = 0; i < run->given.classes; i++)
        cafe_report_string(report, NULL, run->given.class_names[i]);
    cafe_report_close(report);
}

/* Of a graph that is not there its size is known. */
static void put_graph(const cafe_run *run, cafe_report *report) {
    if (run->graph) {
        cafe_report_graph(report, run->path, run->graph);
        return;
    }
    cafe_report_open(report, "graph", '{');
    cafe_report_integer(report, "nodes", run->counts.nodes);
    cafe_report_integer(report, "edges", run->counts.edges);
    cafe_report_close(report);
}

/* The methods others published do not sample: their vectors are certified for the edges. */
static const char *sampling_name(const cafe_run *run) {
    return cafe_sampling_name(run->tables[RUN_SAMPLE].table ? (cafe_sampling)run->options.sampling
                                                            : CAFE_SAMPLING_EDGE);
}

/* ---- the forecast ---------------------------------------------------------------------------- */

static void put_files(const cafe_run *run, int32_t dry, cafe_report *report) {
    const cafe_run_forecast *f = &run->forecast;
    const cafe_plan *p = &f->plan;
    cafe_report_integer(report, "least", p->least);
    cafe_report_integer(report, "files", p->files);
    cafe_report_integer(report, "disk_free", f->disk_free);
    if (f->disk_reads > 0) cafe_report_real(report, "disk_reads", f->disk_reads);
    if (f->disk_writes > 0) cafe_report_real(report, "disk_writes", f->disk_writes);
    cafe_report_integer(report, "groups", p->groups);
    cafe_report_integer(report, "chunks", p->chunks);
    cafe_report_integer(report, "sweep_reads", p->sweep_reads);
    cafe_report_integer(report, "sweep_writes", p->sweep_writes);
    cafe_report_integer(report, "reads", p->reads);
    cafe_report_integer(report, "writes", p->writes);
    if (!dry) cafe_report_integer(report, "file_bytes", cafe_peak_file_bytes(run->context));
}

static void put_forecast(const cafe_run *run, int32_t dry, cafe_report *report) {
    const cafe_run_forecast *f = &run->forecast;
    if (!run->planned || run->purpose != CAFE_PURPOSE_VECTORS || !run->graph) return;
    cafe_report_open(report, "memory", '{');
    cafe_report_integer(report, "needed", f->needed);
    cafe_report_integer(report, "available", f->available);
    cafe_report_truth(report, "fits", f->fits);
    if (f->device_free > 0) cafe_report_integer(report, "device_needed", f->device_needed);
    if (f->device_free > 0) cafe_report_integer(report, "device_available", f->device_free);
    if (run->limit > 0 && f->plan.files > 0) put_files(run, dry, report);
    cafe_report_close(report);
}

/* ---- what came out --------------------------------------------------------------------------- */

static void put_course(const cafe_run *run, cafe_report *report) {
    const cafe_run_course *c = &run->course;
    if (c->objective)
        cafe_report_history(report, c->is_loss ? "loss" : "objective", c->sweeps, c->converged,
                            c->objective);
    if (!isnan(c->off_diagonal))
        cafe_report_real(report, "objective_off_diagonal", c->off_diagonal);
}

static void put_vectors(const cafe_run *run, cafe_report *report) {
    const cafe_run_course *c = &run->course;
    for (int64_t i = 0; i < c->finding_count; i++)
        cafe_report_real(report, c->findings[i].name, c->findings[i].value);
    cafe_report_embedding(report, run->embedding, cafe_model_sampled(run->model),
                          cafe_model_certified(run->model) != cafe_model_operator(run->model));
}

static void put_features(const cafe_run *run, cafe_report *report) {
    const cafe_feature_report *f = run->model ? cafe_model_features(run->model) : NULL;
    if (!f) return;
    cafe_report_open(report, "features", '{');
    put_path(report, "reading", run->given.features_reading);
    cafe_report_integer(report, "columns", f->columns);
    cafe_report_integer(report, "entries", f->entries);
    cafe_report_truth(report, "words", f->words);
    cafe_report_integer(report, "directions", f->directions);
    cafe_report_real(report, "variance", f->variance);
    cafe_report_real(report, "correlation", f->correlation);
    cafe_report_real(report, "weight", f->weight);
    cafe_report_close(report);
}

/* Under the edges alone a partition has another modularity than under walks, say. */
static void put_communities(const cafe_run *run, cafe_report *report) {
    const cafe_clustering_info *f = cafe_clustering_get(run->clustering);
    cafe_sizes sizes;
    cafe_report_sampled(report, cafe_model_sampled(run->model));
    cafe_report_real(report, "modularity", f->modularity);
    cafe_run_report_bound(run, report);
    if (fabs(f->modularity - f->edge_modularity) > 1e-9)
        cafe_report_real(report, "modularity_edges", f->edge_modularity);
    cafe_report_integer(report, "communities", f->communities);
    if (cafe_partition_sizes(run->context, f->nodes, f->partition, f->communities, &sizes) ==
        CAFE_OK)
        cafe_report_sizes(report, &sizes);
    cafe_report_tree(report, f->layers, false);
    if (f->objective) cafe_report_string(report, "rows", f->sparse ? "sparse" : "dense");
}

static void put_checkpoint(const cafe_run *run, cafe_report *report) {
    const cafe_checkpoint_info *info =
        run->checkpoint ? cafe_checkpoint_get(run->checkpoint) : NULL;
    if (!info) return;
    cafe_report_open(report, "checkpoint", '{');
    cafe_report_string(report, "path", info->path);
    cafe_report_integer(report, "every", info->every);
    cafe_report_integer(report, "resumed_after_sweep", info->resumed);
    cafe_report_integer(report, "saved", info->saved);
    cafe_report_integer(report, "bytes", info->bytes);
    cafe_report_close(report);
}

static void put_seconds(const cafe_run *run, cafe_report *report) {
    static const char *const names[] = {"read", "sample", "solve", "finish", "write"};
    cafe_report_open(report, "seconds", '{');
    for (int i = 0; i <= CAFE_STEP_WRITE; i++) cafe_report_real(report, names[i], run->seconds[i]);
    cafe_report_real(report, "total", cafe_os_seconds() - run->began);
    cafe_report_close(report);
}

static void put_warnings(const cafe_run *run, cafe_report *report) {
    cafe_report_open(report, "warnings", '[');
    for (int64_t i = 0; i < run->warning_count; i++)
        cafe_report_string(report, NULL, run->warnings[i]);
    cafe_report_close(report);
}

void cafe_run_report(const cafe_run *run, int32_t dry, cafe_report *report) {
    cafe_report_truth(report, "dry_run", dry);
    put_graph(run, report);
    cafe_report_string(report, "sampling", sampling_name(run));
    cafe_report_string(report, "method", run->method->name);
    put_options(run, report);
    put_classes(run, report);
    put_forecast(run, dry, report);
    put_warnings(run, report);
    cafe_run_report_ranks(run, dry, report);
    if (dry) return;
    put_features(run, report);
    put_course(run, report);
    if (run->embedding) put_vectors(run, report);
    if (run->clustering) put_communities(run, report);
    cafe_run_report_trials(run, report);
    cafe_run_report_profile(run, report);
    cafe_run_report_changes(run, report);
    put_checkpoint(run, report);
    if (run->output) cafe_report_string(report, "output", run->output);
    put_seconds(run, report);
    cafe_report_integer(report, "peak_bytes", cafe_memory_peak());
    cafe_report_integer(report, "allocated_bytes", cafe_peak_bytes(run->context));
}
