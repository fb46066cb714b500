/* What --methods reports: every method by share, its rank, and its difference to the first one.
 *
 * Repeat i of all methods is the same split, so differences are taken split by split. The error
 * beside a mean difference is that over splits of this graph; t and p allow for their overlap
 * (cafe_paired_test).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/results.h>
#include <cafe-private/run.h>

#include "evaluate.h"
#include "report.h"

enum { SHOWN = 1 }; /* micro F1, the figure of the table for people */

static const cafe_evaluation *evaluation_of(const evaluate_job *job, int64_t entry) {
    return job->entries[entry].job->evaluation;
}

static double mean_of(const cafe_evaluation *e, int64_t share, int64_t metric) {
    cafe_figure figure;
    cafe_evaluation_figure(e, share, metric, &figure);
    return figure.mean;
}

/* 1 + how many have a larger mean, those with the same counting half; NaN without one. */
static double rank_of(const evaluate_job *job, int64_t entry, int64_t share, int64_t metric) {
    double own = mean_of(evaluation_of(job, entry), share, metric), rank = 1;
    for (int64_t i = 0; i < job->entry_count; i++) {
        if (i != entry) rank += cli_before(mean_of(evaluation_of(job, i), share, metric), own);
    }
    return isnan(own) ? NAN : rank;
}

static void copy_values(const cafe_evaluation *e, int64_t share, int64_t metric, double *values) {
    for (int64_t i = 0; i < cafe_evaluation_repeats(e); i++)
        values[i] = cafe_evaluation_value(e, share, i, metric);
}

/* This one less the first. */
static cafe_paired compare(const evaluate_job *job, int64_t entry, int64_t share, int64_t metric) {
    const cafe_evaluation *e = evaluation_of(job, entry), *first = evaluation_of(job, 0);
    const cafe_share *s = cafe_evaluation_share(e, share);
    int64_t repeats = cafe_evaluation_repeats(e);
    double *values = cli_new(job->run, 2 * repeats, sizeof *values);
    cafe_paired paired = {0, NAN, NAN, NAN, NAN, NAN};
    if (!values) return paired;
    copy_values(e, share, metric, values);
    copy_values(first, share, metric, values + repeats);
    cafe_paired_test(repeats, values, values + repeats,
                     (double)s->test_count / (double)s->train_count, &paired);
    return paired;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void put_difference(FILE *file, const cafe_paired *d) {
    if (isnan(d->error))
        fprintf(file, "  %-16s  %7s  %6s", "N/A", "N/A", "N/A");
    else if (isnan(d->t))
        fprintf(file, "  %+.4f ± %.4f  %7s  %6s", d->mean, d->error, "N/A", "N/A");
    else
        fprintf(file, "  %+.4f ± %.4f  %7.2f  %6.4f", d->mean, d->error, d->t, d->p);
}

static void put_method(FILE *file, const evaluate_job *job, int64_t share, int64_t i, int width) {
    const evaluate_job *own = job->entries[i].job;
    cafe_figure figure;
    cafe_evaluation_figure(own->evaluation, share, SHOWN, &figure);
    fprintf(file, "  %-*s", width, job->entries[i].name);
    evaluate_put_figure(file, &figure);
    fprintf(file, "  %4.3g", rank_of(job, i, share, SHOWN));
    cafe_paired d = compare(job, i, share, SHOWN);
    if (i > 0)
        put_difference(file, &d);
    else
        fprintf(file, "  %-16s  %7s  %6s", "", "", "");
    fprintf(file, "  %7.2f\n", own->embed_seconds);
}

static int name_width(const evaluate_job *job) {
    size_t width = strlen("method");
    for (int64_t i = 0; i < job->entry_count; i++) {
        size_t length = strlen(job->entries[i].name);
        width = length > width ? length : width;
    }
    return (int)width;
}

void evaluate_put_methods(FILE *file, const evaluate_job *job) {
    const cafe_evaluation *first = evaluation_of(job, 0);
    int width = name_width(job);
    fprintf(file, " train  %-*s  %-15s  rank  %-16s  %7s  %6s  seconds\n", width, "method",
            cafe_evaluation_metric_name(first, SHOWN), "less the first", "t", "p");
    for (int64_t s = 0; s < cafe_evaluation_shares(first); s++)
        for (int64_t i = 0; i < job->entry_count; i++) {
            if (i == 0)
                evaluate_put_share(file, cafe_evaluation_share(first, s)->train);
            else
                fprintf(file, "%6s", "");
            put_method(file, job, s, i, width);
        }
}

void evaluate_say_methods(const evaluate_job *job) {
    cli_say(
        job->run,
        "%" PRId64
        " repeats a share, the same splits for all; ± is the standard error of a difference; t and "
        "p allow for overlap (Nadeau and Bengio); seconds are of the vectors",
        cafe_evaluation_repeats(evaluation_of(job, 0)));
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void report_metric(cafe_report *report, const evaluate_job *job, int64_t entry,
                          int64_t share, int64_t metric) {
    const cafe_evaluation *e = evaluation_of(job, entry);
    cafe_paired d = compare(job, entry, share, metric);
    double *values = cli_new(job->run, cafe_evaluation_repeats(e), sizeof *values);
    cafe_report_open(report, cafe_evaluation_metric_name(e, metric), '{');
    cafe_report_real(report, "rank", rank_of(job, entry, share, metric));
    if (entry > 0) {
        cafe_report_real(report, "difference", d.mean);
        cafe_report_real(report, "standard_error", d.error);
        cafe_report_real(report, "corrected_error", d.corrected_error);
        cafe_report_real(report, "t", d.t);
        cafe_report_real(report, "p", d.p);
    }
    if (values) copy_values(e, share, metric, values);
    cafe_report_reals(report, "values", cafe_evaluation_repeats(e), values);
    cafe_report_close(report);
}

static void report_method(cafe_report *report, const evaluate_job *job, int64_t entry) {
    const evaluate_job *own = job->entries[entry].job;
    const cafe_evaluation *e = own->evaluation;
    cafe_report_open(report, NULL, '{');
    cafe_report_string(report, "name", job->entries[entry].name);
    cafe_report_open(report, "options", '{');
    cafe_run_report_options(own->source.of, report);
    cafe_report_truth(report, "supervised", own->supervised);
    cafe_report_truth(report, "full_label", own->full_label);
    cafe_report_close(report);
    cafe_report_real(report, "embed_seconds", own->embed_seconds);
    cafe_report_evaluation(report, e);
    cafe_report_open(report, "against_first", '[');
    for (int64_t s = 0; s < cafe_evaluation_shares(e); s++) {
        cafe_report_open(report, NULL, '{');
        cafe_report_real(report, "train", cafe_evaluation_share(e, s)->train);
        for (int64_t m = 0; m < cafe_evaluation_metrics(e); m++)
            report_metric(report, job, entry, s, m);
        cafe_report_close(report);
    }
    cafe_report_close(report);
    cafe_report_close(report);
}

void evaluate_report_methods(cafe_report *report, const evaluate_job *job) {
    cafe_report_open(report, "methods", '[');
    for (int64_t i = 0; i < job->entry_count; i++) report_method(report, job, i);
    cafe_report_close(report);
}
