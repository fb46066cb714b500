/* What cafe cluster reports, to people and to programs. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>
#include <cafe-private/text.h>

#include "cluster.h"
#include "graph_text.h"

/* ---- for people ------------------------------------------------------------------------------ */

static void say_layers(cluster_job *job) {
    char count[CLI_COUNT_TEXT];
    const cafe_layers *layers = job->found->layers;
    int64_t top = cafe_layers_count(layers);
    cli_say(&job->shared.run, "%-9s %" PRId64 " layer%s", job->shared.method.row->name, top,
            cli_plural(top));
    if (!job->shared.run.common.verbose) return;
    cli_say(&job->shared.run, "          layer  communities  modularity");
    for (int64_t i = 0; i < top; i++) {
        const cafe_layer *layer = cafe_layers_get(layers, i);
        cli_say(&job->shared.run, "          %5" PRId64 "  %11s  %10.6f", i + 1,
                cli_count_text(layer->communities, count), layer->modularity);
    }
}

static void say_sweeps(cluster_job *job) {
    const cafe_clustering_info *f = job->found;
    cli_say(&job->shared.run, "%-9s %s rows, %" PRId64 " sweep%s: objective %.4g -> %.4g, %s",
            job->shared.method.row->name, f->sparse ? "sparse" : "dense", f->sweeps,
            cli_plural(f->sweeps), f->objective[0], f->objective[f->sweeps],
            f->converged ? "converged to the tolerance" : "stopped at the sweep limit");
}

/* Under the edges alone a partition has another modularity than under walks, say. */
static bool edges_differ(const cafe_clustering_info *f) {
    return fabs(f->modularity - f->edge_modularity) > 1e-9;
}

/* What the run found by this name; -1: nothing. */
static double finding_of(const cluster_job *job, const char *name) {
    const cafe_run_course *course = cafe_run_get(job->shared.of)->course;
    for (int64_t i = 0; i < course->finding_count; i++)
        if (strcmp(course->findings[i].name, name) == 0) return course->findings[i].value;
    return -1;
}

static void say_bound(cluster_job *job) {
    double bound = finding_of(job, "bound"), found = job->found->modularity;
    char text[CLI_DISTANCE_TEXT];
    if (finding_of(job, "proved") > 0)
        cli_say(&job->shared.run, "          proved optimal: no partition has a larger modularity");
    else if (bound > 0 && found > 0)
        cli_say(&job->shared.run, "          bound %.4g: %s", bound,
                cli_distance_text(bound, found, text));
}

void cluster_say_found(cluster_job *job) {
    const cafe_clustering_info *f = job->found;
    char count[CLI_COUNT_TEXT];
    if (f->layers) say_layers(job);
    if (f->objective) say_sweeps(job);
    cli_say(&job->shared.run, "          modularity %.4g with %s communit%s", f->modularity,
            cli_count_text(f->communities, count), f->communities == 1 ? "y" : "ies");
    say_bound(job);
    if (edges_differ(f))
        cli_say(&job->shared.run, "          modularity %.4g under the edges alone",
                f->edge_modularity);
}

void cluster_say_sizes(cluster_job *job) {
    char largest[CLI_COUNT_TEXT], median[CLI_COUNT_TEXT], smallest[CLI_COUNT_TEXT];
    const cafe_sizes *s = &job->sizes;
    cli_say(&job->shared.run, "sizes     largest %s, median %s, smallest %s node%s",
            cli_count_text(s->largest, largest), cli_count_text(s->median, median),
            cli_count_text(s->smallest, smallest), cli_plural(s->smallest));
}

/* With fewer than 19 random graphs no p is as small as 0.05. */
static const char *verdict_of(const cafe_run_trials *t) {
    if (t->p <= 0.05) return "there are communities";
    return t->p * (double)(t->count + 1) < 1.5 ? "too few trials to tell" : "no more than chance";
}

void cluster_say_trials(cluster_job *job) {
    const cafe_run_trials *t = cafe_run_get(job->shared.of)->trials;
    cli_run *run = &job->shared.run;
    char count[CLI_COUNT_TEXT];
    if (!t) return;
    cli_say(run, "trials    %" PRId64 ": modularity %.4g +- %.2g, the best is kept", t->count,
            t->mean, cli_above_rounding(t->deviation, t->mean));
    cli_say(run, "          nodes stay with their community in %.1f%% of the trials (least %.1f%%)",
            100 * t->stay_mean, 100 * t->stay_least);
    cli_say(run, "          consensus of %s communities, modularity %.4g",
            cli_count_text(t->consensus_communities, count), t->consensus_modularity);
    cli_say(run,
            "random    %" PRId64
            " graphs with the same degrees: modularity %.4g +- %.2g, z %.1f "
            "+- %.1f, p %.3g: %s",
            t->count, t->random_mean, t->random_deviation, t->z, t->z_error, t->p, verdict_of(t));
}

void cluster_say_profile(cluster_job *job) {
    const cafe_run_results *r = cafe_run_get(job->shared.of);
    cli_run *run = &job->shared.run;
    char count[CLI_COUNT_TEXT], next[16], plateau[16];
    if (r->profile_count == 0) return;
    cli_say(run, "profile   resolution  communities  modularity  seeds   next  plateau");
    for (const cafe_run_resolution *row = r->profile; row < r->profile + r->profile_count; row++) {
        snprintf(next, sizeof next, isnan(row->next) ? "" : "%.3f", row->next);
        snprintf(plateau, sizeof plateau, row->plateau == 0 ? "" : "%" PRId32, row->plateau);
        cli_say(run, "          %10.4g  %11s  %10.6f  %.3f  %5s  %7s", row->resolution,
                cli_count_text(row->communities, count), row->modularity, row->seeds, next,
                plateau);
    }
}

void cluster_say_end(cluster_job *job) {
    char peak[CAFE_BYTES_TEXT];
    cli_job_say_end(&job->shared);
    cli_say(&job->shared.run, "memory    peak %s", cafe_bytes_text(cafe_memory_peak(), peak));
}

/* ---- for programs ---------------------------------------------------------------------------- */

void cluster_fill_report(cafe_report *report, const void *argument) {
    const cluster_job *job = argument;
    cafe_run_report(job->shared.of, 0, report);
    if (job->hierarchy) cafe_report_string(report, "hierarchy", job->hierarchy);
    if (job->soft) cafe_report_string(report, "soft", job->soft);
}
