/* What cafe reduce reports: a short aligned summary for people, everything in JSON for programs. */
#include <inttypes.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>

#include "graph_text.h"
#include "reduce.h"
#include "report.h"

static const char *const phase_names[REDUCE_PHASES] = {"read", "solve", "write"};

static const char *method_text(const reduce_job *job) {
    return job->options.method == CAFE_REDUCE_SPHERE ? "sphere" : "softmax";
}

static bool is_sequential(const reduce_job *job) {
    return job->report.chunks == job->report.rows;
}

/* ---- for people ------------------------------------------------------------------------------ */

void reduce_say_table(reduce_job *job) {
    char rows[CLI_COUNT_TEXT], columns[CLI_COUNT_TEXT];
    cli_say(
        &job->run, "table     %s: %s rows, %s columns; %s, %s", job->run.words[0],
        cli_count_text(cafe_table_rows(job->table), rows),
        cli_count_text(cafe_table_columns(job->table), columns),
        cafe_table_has_heading(job->table) ? "the first line names the columns" : "no heading",
        cafe_table_has_row_names(job->table) ? "the first column names the rows" : "no row names");
}

static void say_sweeps(reduce_job *job) {
    for (int64_t i = 0; i <= job->report.sweeps; i++)
        cli_say(&job->run, "          sweep %4" PRId64 "  objective %.9g", i,
                job->report.objective[i]);
}

static void say_solution(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    char order[48], theta[48] = "";
    cli_say_row(&job->run, "means", " %9.3g", r->means, r->width);
    if (is_sequential(job))
        snprintf(order, sizeof order, "row after row");
    else
        snprintf(order, sizeof order, "in %" PRId64 " chunk%s", r->chunks, cli_plural(r->chunks));
    if (job->options.method == CAFE_REDUCE_SOFTMAX)
        snprintf(theta, sizeof theta, ", theta %.4g", r->theta);
    if (job->run.common.verbose) say_sweeps(job);
    cli_say(&job->run,
            "%-9s %" PRId64 " column%s%s, %" PRId64 " sweep%s %s: objective %.4g -> %.4g%s",
            method_text(job), r->asked, cli_plural(r->asked), theta, r->sweeps,
            cli_plural(r->sweeps), order, r->objective[0], r->objective[r->sweeps],
            r->converged ? ", converged to the tolerance" : "");
    if (job->options.method == CAFE_REDUCE_SOFTMAX)
        cli_say(&job->run,
                "          %" PRId64 " of %" PRId64
                " columns hold the largest part of some row, %" PRId64 " are empty",
                r->clusters, r->held, r->asked - r->held);
}

static void say_columns(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    cli_say(&job->run, "          column  Ritz value    residual   share  beside PCA");
    for (int64_t j = 0; j < r->columns; j++) {
        char beside[32] = "-";
        if (r->projections) snprintf(beside, sizeof beside, "%.6f", r->projections[j]);
        cli_say(&job->run, "          %6" PRId64 "  %10.6g  %10.3e  %5.1f%%  %10s", j + 1,
                r->ritz_values[j], r->residuals[j], 100 * r->shares[j], beside);
    }
}

static void warn_columns(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    if (r->rank == 0)
        cli_warn(&job->run, "no column carries information: the rows of the table are alike");
    else if (r->columns > r->rank)
        cli_warn(&job->run,
                 "columns %" PRId64 " to %" PRId64
                 " carry no information: they complete the others to an orthonormal set and are "
                 "arbitrary",
                 r->rank + 1, r->columns);
    if (!r->projections)
        cli_warn(&job->run,
                 "the table is too wide for the exact components, which are therefore not compared "
                 "with");
}

void reduce_say_result(reduce_job *job) {
    const cafe_reduction_report *r = &job->report;
    double explained = 0;
    say_solution(job);
    for (int64_t j = 0; j < r->columns; j++) explained += r->shares[j];
    cli_say(&job->run,
            "vectors   %" PRId64 " column%s, of rank %" PRId64 ", with %.2f%% of the variance",
            r->columns, cli_plural(r->columns), r->rank, 100 * explained);
    warn_columns(job);
    if (r->columns == 0) return;
    cli_say(&job->run,
            "proof     Q v = rho v: an eigenvalue lies within the residual of each value");
    if (job->run.common.verbose) {
        say_columns(job);
        return;
    }
    cli_say_row(&job->run, "Ritz value", " %9.4g", r->ritz_values, r->columns);
    cli_say_row(&job->run, "residual", " %9.1e", r->residuals, r->columns);
    if (!r->projections) return;
    cli_say(&job->run,
            "PCA       part of each column outside the %" PRId64
            " dominant eigenvectors (1 - sum of squared cosines)",
            r->eigenpairs);
    cli_say_row(&job->run, "", " %9.6f", r->projections, r->columns);
}

void reduce_say_end(reduce_job *job) {
    cli_say_phases(&job->run, REDUCE_PHASES, phase_names, job->seconds);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void put_options(cafe_report *report, const reduce_job *job) {
    cafe_report_open(report, "options", '{');
    cafe_report_context(report);
    cafe_report_options(report, cafe_reduce_option_table(), &job->options);
    cafe_report_close(report);
}

void reduce_fill_report(cafe_report *report, const void *argument) {
    const reduce_job *job = argument;
    cafe_report_table(report, job->run.words[0], job->table, job->reduction);
    cafe_report_string(report, "method", method_text(job));
    put_options(report, job);
    cafe_report_reduction(report, job->reduction);
    if (job->run.common.output) cafe_report_string(report, "output", job->run.common.output);
    if (job->w) cafe_report_string(report, "w", job->w);
    cli_report_phases(report, &job->run, REDUCE_PHASES, phase_names, job->seconds);
    cli_report_memory(report, &job->run);
}
