/* Reports of commands. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cafe-private/inputs.h>
#include <cafe-private/members.h>
#include <cafe-private/text.h>

/* Options that say how a run is shown and where it writes are not repeated with it. */
static bool is_repeated(const cli_entry *e) {
    static const char *const names[] = {"config", "force", "log", "quiet", "verbose", "no-heading"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(e->name, names[i]) == 0) return false;
    return !e->own || (e->own->kind != CLI_WRITES && e->own->kind != CLI_KEEPS);
}

/* "given": the options and arguments as they were given, which --config takes again. */
static void put_given(cafe_report *report, const cli_run *run) {
    const cli_arguments *a = run->arguments;
    cafe_report_open(report, "given", '{');
    cafe_report_string(report, "command", run->command);
    cafe_report_open(report, "arguments", '[');
    for (int i = 0; i < a->count; i++) { /* in the order of the command line */
        int later = i <= a->further ? a->count - a->further - 1 : -a->further;
        cafe_report_string(report, NULL, a->words[i == 0 ? 0 : i + later]);
    }
    cafe_report_close(report);
    for (size_t i = 0; i < a->entries.count; i++) {
        const cli_entry *e = &a->entries.at[i];
        if (!a->given[i] || !is_repeated(e)) continue;
        if (cli_takes_value(e))
            cafe_report_string(report, e->name, a->text[i]);
        else
            cafe_report_truth(report, e->name, 1);
    }
    cafe_report_close(report);
}

/* "tables": how the files beside the graph were read. */
static void put_tables(cafe_report *report, const cli_run *run) {
    const char *at = cafe_tables_read(run->context);
    cli_table table;
    if (!*at) return;
    cafe_report_open(report, "tables", '[');
    while (cli_next_table(&at, &table)) {
        cafe_report_open(report, NULL, '{');
        cafe_report_string(report, "file", table.file);
        cafe_report_string(report, "reading", table.reading);
        cafe_report_close(report);
    }
    cafe_report_close(report);
}

int cli_write_report(cli_run *run, const char *schema, cli_fill *fill, const void *job) {
    cafe_report *report = NULL;
    if (!run->common.json) return CLI_OK;
    cafe_status status = cafe_report_new(run->context, schema, &report);
    if (status == CAFE_OK) {
        fill(report, job);
        put_tables(report, run);
        put_given(report, run);
        cli_progress_hide(run->bar);
        cli_flush_output(); /* the library writes past it */
        status = cafe_report_write(report, run->common.json, run->common.force);
        cli_progress_show(run->bar);
    }
    cafe_report_free(report);
    return cli_check(run, status);
}

void cli_report_seconds(cafe_report *report, const cli_run *run) {
    cafe_report_real(report, "seconds", cli_seconds() - run->began);
}

void cli_report_phases(cafe_report *report, const cli_run *run, int count, const char *const *names,
                       const double *seconds) {
    cafe_report_open(report, "seconds", '{');
    for (int i = 0; i < count; i++) cafe_report_real(report, names[i], seconds[i]);
    cafe_report_real(report, "total", cli_seconds() - run->began);
    cafe_report_close(report);
}

void cli_say_phases(cli_run *run, int count, const char *const *names, const double *seconds) {
    char line[256] = "";
    int at = 0;
    for (int i = 0; i < count; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, "%s %.3f, ", names[i], seconds[i]);
    cli_say(run, "seconds   %stotal %.3f", line, cli_seconds() - run->began);
}

void cli_say_row(const cli_run *run, const char *name, const char *format, const double *values,
                 int64_t count) {
    char line[160];
    int at = snprintf(line, sizeof line, "          %-11s", name);
    for (int64_t j = 0; j < count && j < CLI_FIRST_COLUMNS; j++)
        at += snprintf(line + at, sizeof line - (size_t)at, format, values[j]);
    cli_say(run, "%s%s", line, count > CLI_FIRST_COLUMNS ? "  ..." : "");
}

double cli_before(double other, double own) {
    if (fabs(other - own) < 1e-12) return 0.5;
    return other > own ? 1 : 0;
}

void cli_report_memory(cafe_report *report, const cli_run *run) {
    cafe_report_integer(report, "peak_bytes", cafe_memory_peak());
    cafe_report_integer(report, "allocated_bytes", cafe_peak_bytes(run->context));
}
