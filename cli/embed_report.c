/* What cafe embed reports: a short aligned summary for people, everything in JSON for programs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "embed.h"
#include "graph_text.h"
#include "predicted.h"
#include "report.h"

enum { FIRST_COLUMNS = 6 };

static const char *const phase_names[PHASES] = {"read", "sample", "solve", "finish", "write"};

/* The problem the certificate is for, and which Q it is when not that of the links as they are. */
static const char *problem_text(const embed_job *job, char *text, size_t capacity) {
    double x = cafe_sampled_get_info(cafe_model_sampled(job->model))->degree_exponent;
    int at = snprintf(text, capacity, "%s",
                      job->certificate.generalised ? "Q v = rho D v" : "Q v = rho v");
    if (x > 0) snprintf(text + at, capacity - (size_t)at, ", degree exponent %.9g", x);
    return text;
}

static const char *form_text(const embed_job *job, char *text, size_t capacity) {
    const cafe_option_table *table = cafe_finish_option_table();
    snprintf(text, capacity, "?");
    for (size_t i = 0; i < table->count; i++)
        if (table->options[i].offset == offsetof(cafe_finish_options, form))
            cafe_options_text(&table->options[i], &job->method.finish, text, capacity);
    return text;
}

/* ---- for people ------------------------------------------------------------------------------ */

void embed_warn_graph(embed_job *job) {
    const cafe_graph_counts *c = &job->run.counts;
    int64_t parts = c->components - c->isolated; /* an isolated node is a component of its own */
    if (parts < 2) return;
    cli_warn(&job->run,
             "the graph is not connected: of %" PRId64
             " components with edges the largest has %.1f%% of the nodes; part of the columns goes "
             "to telling components apart",
             parts, 100.0 * (double)c->largest / (double)c->nodes);
}

/* The history of the paper's methods is tr(H^T Q H), of the others their own loss. */
static const char *history_name(const embed_job *job) {
    return cli_method_samples(&job->method) ? "objective" : "loss";
}

static void say_sweeps(embed_job *job) {
    for (int64_t i = 0; i <= job->sweeps; i++)
        cli_say(&job->run, "          sweep %4" PRId64 "  %s %.9f", i, history_name(job),
                job->objective[i]);
}

/* Methods of one step have a figure, not a course. */
static void say_other(embed_job *job) {
    const char *name = cli_method_name(&job->method);
    if (job->drawn > 0)
        cli_say(&job->run, "%-9s matrix drawn by %" PRId64 " walks, loss %.6g", name, job->drawn,
                job->objective[0]);
    else if (job->sweeps == 0)
        cli_say(&job->run, "%-9s loss %.6g", name, job->objective[0]);
    else
        cli_say(&job->run, "%-9s %" PRId64 " epoch%s: loss %.6g -> %.6g", name, job->sweeps,
                cli_plural(job->sweeps), job->objective[0], job->objective[job->sweeps]);
}

void embed_say_solution(embed_job *job) {
    const cli_method *method = &job->method;
    if (method->row->communities) { /* found layer by layer, without sweeps */
        cli_say(&job->run, "%-9s %" PRId64 " communit%s at the top, modularity %.6f",
                method->row->name, job->communities, job->communities == 1 ? "y" : "ies",
                job->modularity);
        return;
    }
    if (job->solved == 0) return; /* the hub part alone */
    if (job->run.common.verbose) say_sweeps(job);
    if (!cli_method_samples(method)) {
        say_other(job);
        return;
    }
    cli_say(&job->run, "%-9s %" PRId64 " column%s, %" PRId64 " sweep%s: objective %.6f -> %.6f, %s",
            cli_method_name(method), job->solved, cli_plural(job->solved), job->sweeps,
            cli_plural(job->sweeps), job->objective[0], job->objective[job->sweeps],
            job->converged ? "converged to the tolerance" : "stopped at the sweep limit");
    if (job->communities > 0)
        cli_say(&job->run, "          %" PRId64 " communit%s, modularity %.6f", job->communities,
                job->communities == 1 ? "y" : "ies", job->modularity);
}

/* One line of the certificate's table: the first columns side by side. */
static void say_row(embed_job *job, const char *name, const char *format, const double *values) {
    char line[128];
    int64_t pairs = job->certificate.pairs;
    int at = snprintf(line, sizeof line, "          %-11s", name);
    for (int64_t j = 0; j < pairs && j < FIRST_COLUMNS; j++)
        at += snprintf(line + at, sizeof line - (size_t)at, format, values[j]);
    cli_say(&job->run, "%s%s", line, pairs > FIRST_COLUMNS ? "  ..." : "");
}

/* A value that six decimals do not show is 0, without a sign. */
static double six_decimals(double value) {
    return fabs(value) < 5e-7 ? 0 : value;
}

static void say_values(embed_job *job) {
    const cafe_certificate *c = &job->certificate;
    double values[FIRST_COLUMNS] = {0};
    for (int64_t j = 0; j < c->pairs && j < FIRST_COLUMNS; j++)
        values[j] = six_decimals(c->ritz_values[j]);
    say_row(job, "Ritz value", " %9.6f", values);
}

static void say_columns(embed_job *job) {
    const cafe_certificate *c = &job->certificate;
    cli_say(&job->run, "          number  Ritz value    residual   share");
    for (int64_t j = 0; j < c->pairs; j++)
        cli_say(&job->run, "          %6" PRId64 "  %10.6f  %10.3e  %5.1f%%", j + 1,
                six_decimals(c->ritz_values[j]), c->residuals[j], 100 * c->shares[j]);
}

/* Why there are fewer columns than were asked for. */
static const char *dropped_text(const embed_job *job) {
    if (job->certificate.asked >= job->run.counts.nodes)
        return "they are combinations of the others and carry no information (the graph has fewer "
               "nodes)";
    if (job->method.row->communities)
        return "those of a layer add up to a constant, and a coarse layer to sums of finer ones; "
               "more --columns bring in finer layers, if there are any";
    return "they are combinations of the others and carry no information";
}

static void warn_certificate(embed_job *job) {
    const cafe_certificate *c = &job->certificate;
    if (c->columns == 0)
        cli_warn(&job->run,
                 "no column carries information: what was found of this graph follows "
                 "from its degrees alone");
    else if (c->certified > c->pairs && c->hubs == 0)
        cli_warn(&job->run, "only %" PRId64 " of the %" PRId64 " columns are independent", c->pairs,
                 c->certified);
    else if (c->dropped > 0 && c->hubs == 0 && c->columns < job->run.counts.nodes)
        cli_warn(&job->run, "%" PRId64 " of %" PRId64 " columns dropped: %s", c->dropped, c->asked,
                 dropped_text(job));
    if (c->tolerance > 0 && c->converged < c->certified)
        cli_warn(&job->run,
                 "%" PRId64 " of %" PRId64
                 " columns did not reach the relative residual %g; more "
                 "--residual-steps may help",
                 c->certified - c->converged, c->certified, c->tolerance);
}

/* A value of 0 is that of a column M has no direction for. */
static void say_parts(embed_job *job) {
    const cafe_certificate *c = &job->certificate;
    int64_t empty = 0;
    if (c->hubs == 0) return;
    for (int64_t j = 0; j < c->hubs; j++) empty += c->hub_values[j] == 0;
    cli_say(&job->run,
            "parts     %" PRId64 " column%s from the sphere (%" PRId64 " direction%s), %" PRId64
            " from the hubs",
            c->certified, cli_plural(c->certified), c->pairs, cli_plural(c->pairs), c->hubs);
    if (empty > 0)
        cli_warn(&job->run, "%" PRId64 " column%s 0 throughout: the graph has no more directions",
                 empty, empty == 1 ? " is" : "s are");
}

void embed_say_certificate(embed_job *job) {
    const cafe_certificate *c = &job->certificate;
    char form[32], problem[64];
    cli_say(&job->run, "vectors   %" PRId64 " column%s, %s form; effective rank of H %.2f",
            c->columns, cli_plural(c->columns), form_text(job, form, sizeof form),
            c->effective_rank);
    if (c->bottom > 0)
        cli_say(&job->run,
                "ends      %" PRId64 " columns of H from the top of the spectrum, %" PRId64
                " from the bottom",
                c->top, c->bottom);
    say_parts(job);
    warn_certificate(job);
    if (c->certified == 0) return;
    cli_say(&job->run, "bound     %s: an eigenvalue lies within the residual of each value%s",
            problem_text(job, problem, sizeof problem),
            c->hubs > 0 ? " (the sphere's columns)" : "");
    if (job->run.common.verbose) {
        say_columns(job);
        return;
    }
    say_values(job);
    say_row(job, "residual", " %9.1e", c->residuals);
}

void embed_say_end(embed_job *job) {
    char peak[CLI_BYTES_TEXT], needed[CLI_BYTES_TEXT];
    cli_team_say(&job->run, &job->division);
    cli_say_phases(&job->run, PHASES, phase_names, job->seconds);
    if (job->memory > 0 && job->plan.files > 0)
        cli_say(&job->run, "memory    peak %s, %s in files",
                cli_bytes_text(cafe_memory_peak(), peak),
                cli_bytes_text(cafe_peak_file_bytes(job->run.context), needed));
    else
        cli_say(&job->run, "memory    peak %s (%s predicted)",
                cli_bytes_text(cafe_memory_peak(), peak), cli_bytes_text(job->needed, needed));
}

static double disk_seconds(const embed_job *job, int64_t reads, int64_t writes) {
    return (double)reads / job->disk.reads + (double)writes / job->disk.writes;
}

/* With --memory-limit: what lies in files, and how long these take. */
static void print_files(const embed_job *job) {
    char files[CLI_BYTES_TEXT], space[CLI_BYTES_TEXT], reads[CLI_BYTES_TEXT];
    char writes[CLI_BYTES_TEXT], folder[EMBED_FOLDER];
    const cafe_plan *p = &job->plan;
    printf("with vectors in files it needs %s at least, and %s in %s, which has %s free: it %s\n",
           cli_bytes_text(p->least, reads), cli_bytes_text(p->files, files),
           embed_folder(job, folder), cli_bytes_text(job->disk.free, space),
           embed_fits(job) ? "fits" : "does not fit");
    if (!embed_fits(job)) return;
    if (p->groups == 1)
        printf("a sweep reads and writes no files: its rows fit into the memory\n");
    else
        printf("a sweep, in %" PRId64 " groups of columns and %" PRId64
               " chunks, reads %s and writes %s: %.1f s\n",
               p->groups, p->chunks, cli_bytes_text(p->sweep_reads, reads),
               cli_bytes_text(p->sweep_writes, writes),
               disk_seconds(job, p->sweep_reads, p->sweep_writes));
    printf(
        "the run reads about %s and writes %s: %.0f s at the measured %.0f and %.0f MB/s, less "
        "where the system caches files\n",
        cli_bytes_text(p->reads, reads), cli_bytes_text(p->writes, writes),
        disk_seconds(job, p->reads, p->writes), job->disk.reads / 1e6, job->disk.writes / 1e6);
}

/* Of this process alone. */
static void print_alone(const embed_job *job) {
    char needed[CLI_BYTES_TEXT], available[CLI_BYTES_TEXT];
    printf("the run needs %s; %s %s: it %s\n", cli_bytes_text(job->needed, needed),
           cli_bytes_text(job->available, available),
           job->memory > 0 ? "is the limit" : "is available",
           job->needed <= job->available ? "fits" : "does not fit");
    if (job->device > 0)
        printf("%s of the device's memory; %s is left: it %s\n",
               cli_bytes_text(job->plan.device, needed), cli_bytes_text(job->device, available),
               embed_fits_device(job) ? "fits" : "does not fit");
    if (job->device > 0 && !embed_fits_device(job))
        printf("%" PRId64 " columns would fit\n", embed_device_columns(job));
    if (job->memory > 0 && job->plan.files > 0) print_files(job);
}

/* --dry-run: the plan is the result, so it goes to standard output (or into the JSON there). */
void embed_print_plan(embed_job *job) {
    if (job->run.common.json && strcmp(job->run.common.json, "-") == 0) return;
    cli_progress_hide(job->run.bar);
    int64_t nodes = job->run.counts.nodes, edges = job->run.counts.edges;
    int threads = (int)cafe_threads(job->run.context);
    printf("%" PRId64 " node%s, %" PRId64 " edge%s, %" PRId64 " column%s, %d thread%s\n", nodes,
           cli_plural(nodes), edges, cli_plural(edges), job->columns, cli_plural(job->columns),
           threads, cli_plural(threads));
    if (job->spread.ranks > 0)
        embed_ranks_print(job);
    else
        print_alone(job);
    cli_flush_output();
    cli_progress_show(job->run.bar);
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_options(cafe_report *report, const embed_job *job) {
    cafe_report_open(report, "options", '{');
    cli_report_method(report, &job->method);
    if (job->labels_path) cafe_report_string(report, "labels", job->labels_path);
    if (job->start_path) cafe_report_string(report, "start", job->start_path);
    cafe_report_context(report);
    if (job->spread.ranks > 0) cafe_report_options(report, cafe_ranks_option_table(), &job->ranks);
    cafe_report_options(report, cafe_graph_option_table(), &job->run.common.reading);
    cafe_report_close(report);
}

static void put_files(cafe_report *report, const embed_job *job) {
    const cafe_plan *p = &job->plan;
    cafe_report_integer(report, "least", p->least);
    cafe_report_integer(report, "files", p->files);
    cafe_report_integer(report, "disk_free", job->disk.free);
    cafe_report_integer(report, "groups", p->groups);
    cafe_report_integer(report, "chunks", p->chunks);
    cafe_report_integer(report, "sweep_reads", p->sweep_reads);
    cafe_report_integer(report, "sweep_writes", p->sweep_writes);
    cafe_report_integer(report, "reads", p->reads);
    cafe_report_integer(report, "writes", p->writes);
    if (job->dry_run) cafe_report_real(report, "disk_reads", job->disk.reads);
    if (job->dry_run) cafe_report_real(report, "disk_writes", job->disk.writes);
    if (!job->dry_run)
        cafe_report_integer(report, "file_bytes", cafe_peak_file_bytes(job->run.context));
}

static void put_memory(cafe_report *report, const embed_job *job) {
    cafe_report_open(report, "memory", '{');
    cafe_report_integer(report, "needed", job->needed);
    cafe_report_integer(report, "available", job->available);
    cafe_report_truth(report, "fits", embed_fits(job));
    if (job->device > 0) cafe_report_integer(report, "device_needed", job->plan.device);
    if (job->device > 0) cafe_report_integer(report, "device_available", job->device);
    if (job->memory > 0 && job->plan.files > 0) put_files(report, job);
    cafe_report_close(report);
}

/* The methods others published do not sample: their vectors are certified for the edges. */
static cafe_sampling sampling_of(const embed_job *job) {
    const cli_method *m = &job->method;
    return cli_method_samples(m) ? (cafe_sampling)m->sampling.kind : CAFE_SAMPLING_EDGE;
}

static void put_history(cafe_report *report, const embed_job *job) {
    const cli_method *m = &job->method;
    cafe_report_history(report, history_name(job), job->sweeps, job->converged, job->objective);
    if (job->drawn > 0) cafe_report_integer(report, "drawn_walks", job->drawn);
    if (!cli_method_samples(m)) return;
    cafe_report_real(report, "objective_off_diagonal", job->objective[job->sweeps] - job->diagonal);
    if (job->communities == 0) return;
    cafe_report_integer(report, "communities", job->communities);
    cafe_report_real(report, "modularity", job->modularity);
}

static void put_run(cafe_report *report, const embed_job *job) {
    put_history(report, job);
    cafe_report_embedding(report, job->embedding, cafe_model_sampled(job->model),
                          cafe_model_certified(job->model) != cafe_model_operator(job->model));
    cli_report_checkpoint(report, &job->run);
    if (job->run.common.output) cafe_report_string(report, "output", job->run.common.output);
    cli_report_phases(report, &job->run, PHASES, phase_names, job->seconds);
    cli_report_memory(report, &job->run);
}

/* Of a graph that is not there its size is known. */
static void put_graph(cafe_report *report, const embed_job *job) {
    if (job->run.graph) {
        cafe_report_graph(report, job->run.words[0], job->run.graph);
        return;
    }
    cafe_report_open(report, "graph", '{');
    cafe_report_integer(report, "nodes", job->run.counts.nodes);
    cafe_report_integer(report, "edges", job->run.counts.edges);
    cafe_report_close(report);
}

void embed_fill_report(cafe_report *report, const void *argument) {
    const embed_job *job = argument;
    cafe_report_truth(report, "dry_run", job->dry_run);
    put_graph(report, job);
    cafe_report_string(report, "sampling", cafe_sampling_name(sampling_of(job)));
    cafe_report_string(report, "method", cli_method_name(&job->method));
    put_options(report, job);
    cli_report_classes(report, job->labels);
    if (job->run.graph) put_memory(report, job);
    if (job->spread.ranks > 0) embed_ranks_put(report, job);
    cli_team_report(report, &job->run, &job->division);
    if (!job->dry_run) put_run(report, job);
}
