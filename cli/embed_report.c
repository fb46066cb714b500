/* What cafe embed reports: a short aligned summary for people, everything in JSON for programs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/text.h>

#include "embed.h"

static const cafe_certificate *certificate_of(const embed_job *job) {
    return cafe_embedding_certificate(cafe_run_get(job->shared.of)->embedding);
}

/* The problem the certificate is for, and which Q it is when not that of the edges as they are. */
static const char *problem_text(const embed_job *job, char *text, size_t capacity) {
    const cafe_sampled *sampled = cafe_run_get(job->shared.of)->sampled;
    double x = cafe_sampled_get_info(sampled)->degree_exponent;
    int at = snprintf(text, capacity, "%s", certificate_of(job)->groups[0].problem);
    if (x > 0) snprintf(text + at, capacity - (size_t)at, ", degree exponent %.9g", x);
    return text;
}

static const char *form_text(const embed_job *job, char *text, size_t capacity) {
    const cafe_option_table *table = cafe_finish_option_table();
    snprintf(text, capacity, "?");
    for (size_t i = 0; i < table->count; i++)
        if (table->options[i].offset == offsetof(cafe_finish_options, form))
            cafe_options_text(&table->options[i], cafe_run_get(job->shared.of)->options->finish,
                              text, capacity);
    return text;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void say_sweeps(embed_job *job, const cafe_run_course *c) {
    for (int64_t i = 0; i <= c->sweeps; i++)
        cli_say(&job->shared.run, "          sweep %4" PRId64 "  %s %.9f", i,
                c->is_loss ? "loss" : "objective", c->objective[i]);
}

/* A number that the method found, by its name in the report; 0: it found none. */
static double finding(const cafe_run_course *c, const char *name) {
    for (int64_t i = 0; i < c->finding_count; i++)
        if (strcmp(c->findings[i].name, name) == 0) return c->findings[i].value;
    return 0;
}

/* Methods of one step have a figure, not a course. */
static void say_other(embed_job *job, const cafe_run_course *c) {
    const char *name = cli_method_name(&job->shared.method);
    if (finding(c, "drawn_walks") > 0)
        cli_say(&job->shared.run, "%-9s matrix drawn by %.0f walks, loss %.4g", name,
                finding(c, "drawn_walks"), c->objective[0]);
    else if (c->sweeps == 0)
        cli_say(&job->shared.run, "%-9s loss %.4g", name, c->objective[0]);
    else
        cli_say(&job->shared.run, "%-9s %" PRId64 " epoch%s: loss %.4g -> %.4g", name, c->sweeps,
                cli_plural(c->sweeps), c->objective[0], c->objective[c->sweeps]);
}

static void say_communities(embed_job *job, const char *name, const char *where) {
    const cafe_run_course *c = cafe_run_get(job->shared.of)->course;
    double communities = finding(c, "communities");
    cli_say(&job->shared.run, "%-9s %.0f communit%s%s, modularity %.4g", name, communities,
            communities == 1 ? "y" : "ies", where, finding(c, "modularity"));
}

void embed_say_solution(embed_job *job) {
    const cafe_run_course *c = cafe_run_get(job->shared.of)->course;
    const char *name = cli_method_name(&job->shared.method);
    if (job->shared.method.row->communities) { /* found layer by layer, without sweeps */
        say_communities(job, name, " at the top");
        return;
    }
    if (c->columns == 0) return; /* the finish adds all columns */
    if (job->shared.run.common.verbose) say_sweeps(job, c);
    if (c->is_loss) {
        say_other(job, c);
        return;
    }
    cli_say(&job->shared.run,
            "%-9s %" PRId64 " column%s, %" PRId64 " sweep%s: objective %.4g -> %.4g, %s", name,
            c->columns, cli_plural(c->columns), c->sweeps, cli_plural(c->sweeps), c->objective[0],
            c->objective[c->sweeps],
            c->converged ? "converged to the tolerance" : "stopped at the sweep limit");
    if (finding(c, "communities") > 0) say_communities(job, "", "");
}

/* A value that six decimals do not show is 0, without a sign. */
static double six_decimals(double value) {
    return fabs(value) < 5e-7 ? 0 : value;
}

static void say_values(embed_job *job) {
    const cafe_certificate *c = certificate_of(job);
    double values[CLI_FIRST_COLUMNS] = {0};
    for (int64_t j = 0; j < c->pairs && j < CLI_FIRST_COLUMNS; j++)
        values[j] = six_decimals(c->ritz_values[j]);
    cli_say_row(&job->shared.run, "Ritz value", " %9.4g", values, c->pairs);
}

static void say_columns(embed_job *job) {
    const cafe_certificate *c = certificate_of(job);
    cli_say(&job->shared.run, "          number  Ritz value    residual   share");
    for (int64_t j = 0; j < c->pairs; j++)
        cli_say(&job->shared.run, "          %6" PRId64 "  %10.6f  %10.3e  %5.1f%%", j + 1,
                six_decimals(c->ritz_values[j]), c->residuals[j], 100 * c->shares[j]);
}

/* Where the columns come from, if that is more than one source. */
static void say_groups(embed_job *job, const cafe_certificate *c) {
    char line[256];
    int at = 0;
    for (int64_t g = 0; g < c->group_count && at < (int)sizeof line; g++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%s%" PRId64 " %s", g ? ", " : "",
                       c->groups[g].columns, c->groups[g].kind);
    if (c->group_count > 1)
        cli_say(&job->shared.run, "columns   %s; %" PRId64 " direction%s", line, c->pairs,
                cli_plural(c->pairs));
}

void embed_say_certificate(embed_job *job) {
    const cafe_certificate *c = certificate_of(job);
    char form[32], problem[64], which[64] = "";
    cli_say(&job->shared.run, "vectors   %" PRId64 " column%s, %s form; effective rank of H %.2f",
            c->columns, cli_plural(c->columns), form_text(job, form, sizeof form),
            c->effective_rank);
    say_groups(job, c);
    if (c->certified == 0) return;
    if (c->columns > c->certified)
        snprintf(which, sizeof which, " of the first %" PRId64 " column%s", c->certified,
                 cli_plural(c->certified));
    cli_say(&job->shared.run,
            "bound     %s: an eigenvalue lies within the residual of each value%s",
            problem_text(job, problem, sizeof problem), which);
    if (job->shared.run.common.verbose) {
        say_columns(job);
        return;
    }
    say_values(job);
    cli_say_row(&job->shared.run, "residual", " %9.1e", c->residuals, c->pairs);
}

void embed_say_end(embed_job *job) {
    char peak[CAFE_BYTES_TEXT], needed[CAFE_BYTES_TEXT];
    cli_run *run = &job->shared.run;
    cli_job_say_end(&job->shared);
    if (job->memory > 0 && job->forecast.plan.files > 0)
        cli_say(run, "memory    peak %s, %s in files", cafe_bytes_text(cafe_memory_peak(), peak),
                cafe_bytes_text(cafe_peak_file_bytes(run->context), needed));
    else
        cli_say(run, "memory    peak %s (%s predicted)", cafe_bytes_text(cafe_memory_peak(), peak),
                cafe_bytes_text(job->forecast.needed, needed));
}

static double disk_seconds(const embed_job *job, int64_t reads, int64_t writes) {
    return (double)reads / job->forecast.disk_reads + (double)writes / job->forecast.disk_writes;
}

static void print_passes(const cafe_plan *p, const embed_job *job) {
    char reads[CAFE_BYTES_TEXT], writes[CAFE_BYTES_TEXT];
    if (p->groups == 1)
        printf("a sweep reads and writes no files: its rows fit into the memory\n");
    else
        printf("a sweep, in %" PRId64 " groups of columns and %" PRId64
               " chunks, reads %s and writes %s: %.1f s\n",
               p->groups, p->chunks, cafe_bytes_text(p->sweep_reads, reads),
               cafe_bytes_text(p->sweep_writes, writes),
               disk_seconds(job, p->sweep_reads, p->sweep_writes));
    printf(
        "the run reads about %s and writes %s: %.0f s at the measured %.0f and %.0f MB/s, less "
        "where the system caches files\n",
        cafe_bytes_text(p->reads, reads), cafe_bytes_text(p->writes, writes),
        disk_seconds(job, p->reads, p->writes), job->forecast.disk_reads / 1e6,
        job->forecast.disk_writes / 1e6);
}

/* With --memory-limit: what lies in files, and how long these take. */
static void print_files(const embed_job *job) {
    char files[CAFE_BYTES_TEXT], space[CAFE_BYTES_TEXT], least[CAFE_BYTES_TEXT];
    const cafe_run_forecast *f = &job->forecast;
    printf("with vectors in files it needs %s at least, and %s in %s, which has %s free: it %s\n",
           cafe_bytes_text(f->plan.least, least), cafe_bytes_text(f->plan.files, files), f->folder,
           cafe_bytes_text(f->disk_free, space), f->fits ? "fits" : "does not fit");
    if (f->fits) print_passes(&f->plan, job);
}

/* Of this process alone. */
static void print_alone(const embed_job *job) {
    char needed[CAFE_BYTES_TEXT], available[CAFE_BYTES_TEXT];
    const cafe_run_forecast *f = &job->forecast;
    printf("the run needs %s; %s %s: it %s\n", cafe_bytes_text(f->needed, needed),
           cafe_bytes_text(f->available, available),
           job->memory > 0 ? "is the limit" : "is available",
           f->needed <= f->available ? "fits" : "does not fit");
    bool fits = f->device_needed <= f->device_free;
    if (f->device_free > 0)
        printf("%s of the device's memory; %s is left: it %s\n",
               cafe_bytes_text(f->device_needed, needed),
               cafe_bytes_text(f->device_free, available), fits ? "fits" : "does not fit");
    if (f->device_free > 0 && !fits) printf("%" PRId64 " columns would fit\n", f->device_columns);
    if (job->memory > 0 && f->plan.files > 0) print_files(job);
}

/* --dry-run: the plan is the result, so it goes to standard output (or into the JSON there). */
void embed_print_plan(embed_job *job) {
    if (job->shared.run.common.json && strcmp(job->shared.run.common.json, "-") == 0) return;
    cli_progress_hide(job->shared.run.bar);
    int64_t nodes = job->shared.run.counts.nodes, edges = job->shared.run.counts.edges;
    int threads = (int)cafe_threads(job->shared.run.context);
    printf("%" PRId64 " node%s, %" PRId64 " edge%s, %" PRId64 " column%s, %d thread%s\n", nodes,
           cli_plural(nodes), edges, cli_plural(edges), job->forecast.columns,
           cli_plural(job->forecast.columns), threads, cli_plural(threads));
    if (job->forecast.ranks.ranks > 0)
        embed_ranks_print(job);
    else
        print_alone(job);
    cli_flush_output();
    cli_progress_show(job->shared.run.bar);
}

/* ---- for programs ---------------------------------------------------------------------------- */

void embed_fill_report(cafe_report *report, const void *argument) {
    const embed_job *job = argument;
    cafe_run_report(job->shared.of, job->dry_run, report);
}
