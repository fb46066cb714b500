/* What cafe reproduce writes: Markdown tables for people, every figure in JSON. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <cafe-private/members.h>
#include <cafe-private/text.h>

#include "os/os.h"
#include "report.h"
#include "reproduce.h"

static const char *const mark_names[] = {"", "ahead", "equal", "behind"};
static const char *const mark_signs[] = {"", " ▲", " =", " ▽"};

/* ---- the machine ----------------------------------------------------------------------------- */

static void today(char *text, size_t capacity) {
    time_t now = time(NULL);
    struct tm day;
    if (!gmtime_r(&now, &day) || strftime(text, capacity, "%Y-%m-%d", &day) == 0)
        snprintf(text, capacity, "unknown day");
}

static void put_preface(FILE *file, const reproduce_job *job) {
    char cpu[128], date[16], repeats[40] = "";
    if (!cafe_os_processor_name(cpu, sizeof cpu)) strcpy(cpu, "unknown processor");
    today(date, sizeof date);
    if (job->repeats > 0)
        snprintf(repeats, sizeof repeats, ", %d repeats a cell", (int)job->repeats);
    fprintf(file,
            "cafe %s, %s; %s, %d threads; seed %" PRIu64
            "%s. Mean ± sample "
            "standard deviation over the repeats.\n"
            "▲ ahead of the published figure, = within one published standard deviation of it, ▽ "
            "behind; the published figure stands below ours.\n\n",
            cafe_version(), date, cpu, (int)cafe_threads(job->run.context),
            cafe_seed(job->run.context), repeats);
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static int64_t width_of(const cafe_paper_table *table) {
    int64_t width = 0;
    while (width < REPRODUCE_CELLS && table->columns[width]) width++;
    return width;
}

/* The number of columns of the vectors stands where rows differ by it. */
static bool has_widths(const cafe_paper_table *table) {
    return table->metrics[0] != NULL;
}

static void put_heading(FILE *file, const cafe_paper_table *table) {
    int64_t width = width_of(table) + (table->ranked ? 1 : 0) + (has_widths(table) ? 2 : 0);
    fprintf(file, "| set | method |%s", has_widths(table) ? " columns | repeats |" : "");
    for (int64_t i = 0; i < width_of(table); i++) fprintf(file, " %s |", table->columns[i]);
    if (table->ranked) fprintf(file, " seconds |");
    fprintf(file, "\n|---|---|");
    for (int64_t i = 0; i < width; i++) fprintf(file, "---|");
    fprintf(file, "\n");
}

/* A ranked table has the standard error of the mean, others the deviation. */
static void put_cell(FILE *file, const reproduce_cell *c, double repeats) {
    double spread = repeats > 0 ? c->spread / sqrt(repeats) : c->spread;
    if (isnan(c->ours))
        fprintf(file, " N/A");
    else
        fprintf(file, " %.3f", c->ours);
    if (!isnan(c->ours) && !isnan(spread)) fprintf(file, " ± %.3f", spread);
    fprintf(file, "%s", mark_signs[reproduce_compare(c)]);
    if (!isnan(c->published)) {
        fprintf(file, "<br>%.3f", c->published);
        if (c->published_spread >= 5e-4) fprintf(file, " ± %.3f", c->published_spread);
    }
    fprintf(file, " |");
}

static void put_row(FILE *file, const cafe_paper_table *table, const reproduce_result *r) {
    fprintf(file, "| %s | %s%s |", r->set, r->method, r->note ? " *" : "");
    if (has_widths(table) && r->repeats > 0)
        fprintf(file, " %" PRId64 " | %" PRId64 " |", r->width, r->repeats);
    else if (has_widths(table))
        fprintf(file, " – | – |");
    for (int64_t i = 0; i < width_of(table); i++)
        if (r->missing || r->refused)
            fprintf(file, " – |");
        else
            put_cell(file, &r->cell[i], table->ranked ? (double)r->repeats : 0);
    if (table->ranked && isnan(r->embed_seconds))
        fprintf(file, " – |");
    else if (table->ranked)
        fprintf(file, " %.2f |", r->embed_seconds);
    fprintf(file, "\n");
}

static bool told_before(const reproduce_job *job, int64_t result) {
    for (int64_t i = 0; i < result; i++)
        if (job->results[i].note == job->results[result].note) return true;
    return false;
}

static void put_notes(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (strcmp(r->table, table->name) == 0 && r->note && !told_before(job, i))
            fprintf(file, "\\* %s: %s\n\n", r->method, r->note);
    }
}

static void put_refused(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (strcmp(r->table, table->name) == 0 && r->refused)
            fprintf(file, "%s, %s: did not run: %s.\n\n", r->set, r->method, r->refused);
    }
}

/* A table of the rows that --repeats 0 found nothing of: a set and its methods in a row. */
static void put_open(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    const char *last = NULL;
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (strcmp(r->table, table->name) != 0 || !r->open) continue;
        if (!last) fprintf(file, "| set | not run yet |\n|---|---|");
        if (last && strcmp(r->set, last) == 0)
            fprintf(file, ", %s", r->method);
        else
            fprintf(file, "%s\n| %s | %s", last ? " |" : "", r->set, r->method);
        last = r->set;
    }
    if (last) fprintf(file, " |\n\n");
}

static void put_missing(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    const char *last = "";
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (strcmp(r->table, table->name) != 0 || !r->missing || strcmp(r->set, last) == 0)
            continue;
        const cafe_paper_set *set = cafe_paper_set_find(r->set);
        fprintf(file, "%s was not there: %s.\n\n", r->set, set ? set->source : "unknown");
        last = r->set;
    }
}

/* How many cells are ahead, equal, behind. */
static void put_account(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    int64_t count[4] = {0};
    for (int64_t i = 0; i < job->count; i++)
        for (int64_t j = 0; j < job->results[i].cells; j++)
            if (strcmp(job->results[i].table, table->name) == 0)
                count[reproduce_compare(&job->results[i].cell[j])]++;
    if (count[1] + count[2] + count[3] > 0)
        fprintf(file,
                "Cells: %" PRId64 " ahead, %" PRId64
                " equal within one standard deviation, %" PRId64 " behind.\n\n",
                count[REPRODUCE_AHEAD], count[REPRODUCE_EQUAL], count[REPRODUCE_BEHIND]);
}

static void put_commands(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    bool any = false;
    for (int64_t i = 0; i < job->count; i++) {
        const reproduce_result *r = &job->results[i];
        if (strcmp(r->table, table->name) != 0 || !r->command || r->open) continue;
        if (!any) fprintf(file, "<details><summary>Commands</summary>\n\n```\n");
        any = true;
        fprintf(file, "%s --repeats %" PRId64 "\n", r->command,
                r->repeats > 0 ? r->repeats : job->repeats);
    }
    if (any) fprintf(file, "```\n\n</details>\n\n");
}

static bool has_results(const reproduce_job *job, const cafe_paper_table *table) {
    for (int64_t i = 0; i < job->count; i++)
        if (strcmp(job->results[i].table, table->name) == 0) return true;
    return false;
}

static void put_table(FILE *file, const reproduce_job *job, const cafe_paper_table *table) {
    fprintf(file, "## %s\n\n%s\n\n", table->title, table->text);
    reproduce_put_ranks(file, job, table); /* what many rows come to stands before them */
    put_heading(file, table);
    for (int64_t i = 0; i < job->count; i++)
        if (strcmp(job->results[i].table, table->name) == 0 && !job->results[i].open &&
            !(table->ranked && job->results[i].missing)) /* named below, once a set */
            put_row(file, table, &job->results[i]);
    fprintf(file, "\n");
    put_account(file, job, table);
    reproduce_put_pairs(file, job, table);
    put_notes(file, job, table);
    put_refused(file, job, table);
    put_open(file, job, table);
    put_missing(file, job, table);
    put_commands(file, job, table);
}

int reproduce_markdown(FILE *file, const void *argument) {
    const reproduce_job *job = argument;
    const cafe_paper_table *t;
    put_preface(file, job);
    for (int64_t j = 0; (t = cafe_paper_table_at(j)); j++)
        if (has_results(job, t)) put_table(file, job, t);
    return CLI_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Of every repeat. */
static void put_values(cafe_report *report, const reproduce_result *r, int64_t cell) {
    cafe_report_open(report, "values", '[');
    for (int64_t i = 0; i < r->repeats; i++)
        cafe_report_real(report, NULL, r->values[i * r->cells + cell]);
    cafe_report_close(report);
}

static void put_json_result(cafe_report *report, const reproduce_result *r) {
    const cafe_paper_table *table = cafe_paper_table_find(r->table);
    cafe_report_open(report, NULL, '{');
    cafe_report_string(report, "table", r->table);
    cafe_report_string(report, "set", r->set);
    cafe_report_string(report, "method", r->method);
    cafe_report_truth(report, "missing", r->missing);
    if (r->command) cafe_report_string(report, "command", r->command);
    if (r->command) cafe_report_integer(report, "repeats", r->repeats);
    if (r->command) cafe_report_integer(report, "width", r->width);
    if (r->refused) cafe_report_string(report, "refused", r->refused);
    if (r->note) cafe_report_string(report, "note", r->note);
    cafe_report_open(report, "cells", '[');
    for (int64_t i = 0; i < r->cells; i++) {
        const reproduce_cell *c = &r->cell[i];
        cafe_report_open(report, NULL, '{');
        cafe_report_string(report, "column", table->columns[i]);
        cafe_report_real(report, "mean", c->ours);
        cafe_report_real(report, "std", c->spread);
        cafe_report_real(report, "published", c->published);
        cafe_report_real(report, "published_std", c->published_spread);
        cafe_report_string(report, "mark", mark_names[reproduce_compare(c)]);
        if (r->values) put_values(report, r, i);
        cafe_report_close(report);
    }
    cafe_report_close(report);
    cafe_report_real(report, "embed_seconds", r->embed_seconds);
    cafe_report_real(report, "seconds", r->seconds);
    cafe_report_close(report);
}

void reproduce_fill(cafe_report *report, const void *argument) {
    const reproduce_job *job = argument;
    char cpu[128], date[16];
    if (!cafe_os_processor_name(cpu, sizeof cpu)) strcpy(cpu, "unknown processor");
    today(date, sizeof date);
    cafe_report_string(report, "date", date);
    cafe_report_string(report, "processor", cpu);
    cafe_report_context(report);
    cafe_report_integer(report, "repeats", job->repeats);
    cafe_report_open(report, "rows", '[');
    for (int64_t i = 0; i < job->count; i++) put_json_result(report, &job->results[i]);
    cafe_report_close(report);
    reproduce_report_ranks(report, job);
    cli_report_seconds(report, &job->run);
}
