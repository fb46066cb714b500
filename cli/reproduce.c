/* cafe reproduce: finds the sets, runs the rows of a table, writes Markdown and JSON.
 *
 * A set that is not there is named, with where it can be had, and the rest still runs.
 */
#define _GNU_SOURCE
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "output.h"
#include "report.h"

#define TABLES "classification, cora-split, link, reduction, eigenvectors, others and all"

/* ---- results --------------------------------------------------------------------------------- */

reproduce_result *reproduce_add(reproduce_job *job, const char *table, const char *set,
                                const char *method) {
    if (job->count == job->room) {
        int64_t room = job->room ? 2 * job->room : 64;
        reproduce_result *more = realloc(job->results, (size_t)room * sizeof *more);
        if (!more) return NULL;
        job->results = more;
        job->room = room;
    }
    reproduce_result *result = &job->results[job->count++];
    *result = (reproduce_result){.table = table, .set = set, .method = method};
    result->embed_seconds = result->seconds = NAN;
    for (int i = 0; i < REPRODUCE_CELLS; i++)
        result->cell[i] = (reproduce_cell){NAN, NAN, NAN, NAN};
    return result;
}

reproduce_mark reproduce_compare(const reproduce_cell *cell) {
    double difference = cell->ours - cell->published;
    if (isnan(difference)) return REPRODUCE_NO_MARK;
    if (fabs(difference) <= cell->published_spread) return REPRODUCE_EQUAL;
    return difference > 0 ? REPRODUCE_AHEAD : REPRODUCE_BEHIND;
}

const reproduce_table *reproduce_find_table(const char *name) {
    for (const reproduce_table *t = reproduce_tables; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

const reproduce_set *reproduce_find_set(const char *name) {
    for (const reproduce_set *s = reproduce_sets; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

/* ---- data ------------------------------------------------------------------------------------ */

char *reproduce_path(const reproduce_job *job, const char *set, const char *name) {
    static const char *const endings[] = {"", ".gz"};
    for (int i = 0; i < 2; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s/%s%s", job->data, set, name, endings[i]) < 0) return NULL;
        if (access(path, R_OK) == 0) return path;
        free(path);
    }
    return NULL;
}

static const char *find_data(const reproduce_values *v) {
    const char *environment = getenv("CAFE_DATA");
    if (v->data) return v->data;
    return environment && *environment ? environment : "../shared/data";
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int run_table(reproduce_job *job, const reproduce_table *table) {
    if (strcmp(table->name, "reduction") == 0) return reproduce_reduction(job);
    if (strcmp(table->name, "eigenvectors") == 0) return reproduce_eigenvectors(job);
    return reproduce_evaluate(job, table->name);
}

static int run_tables(reproduce_job *job, const char *name) {
    int code = CLI_OK;
    for (const reproduce_table *t = reproduce_tables; t->name && code == CLI_OK; t++)
        if (strcmp(name, "all") == 0 || strcmp(name, t->name) == 0) code = run_table(job, t);
    return code;
}

/* Without -o the Markdown is the result, on standard output, unless the JSON goes there. */
static int write_results(reproduce_job *job) {
    const reproduce_values *v = job->values;
    bool taken = v->json && strcmp(v->json, "-") == 0;
    int code = cli_write_file(&job->run,
                              v->output ? v->output
                              : taken   ? NULL
                                        : "-",
                              reproduce_markdown, job);
    return code != CLI_OK
               ? code
               : cli_write_report_to(&job->run, v->json, "cafe/reproduce/1", reproduce_fill, job);
}

static bool any_done(const reproduce_job *job) {
    for (int64_t i = 0; i < job->count; i++)
        if (!job->results[i].missing && !job->results[i].refused) return true;
    return false;
}

static int run_reproduce(const void *values, const cli_arguments *arguments) {
    const char *table = arguments->words[0];
    reproduce_job job = {.values = values};
    const reproduce_values *v = values;
    if (strcmp(table, "all") != 0 && !reproduce_find_table(table))
        return cli_usage_error("reproduce", "unknown table '%s'; there are " TABLES, table);
    int code = cli_output_check("reproduce", &v->common, v->output);
    if (code == CLI_OK) code = cli_output_check("reproduce", &v->common, v->json);
    if (code != CLI_OK) return code;
    job.data = find_data(v);
    code = cli_begin(&job.run, "reproduce", &v->common);
    if (code == CLI_OK) code = run_tables(&job, table);
    if (code == CLI_OK && !any_done(&job))
        code = cli_error(&job.run, CLI_FAILED, "nothing could be run: no set of it is in %s",
                         job.data);
    if (code == CLI_OK) code = write_results(&job);
    for (int64_t i = 0; i < job.count; i++) {
        free(job.results[i].command);
        free(job.results[i].refused);
    }
    free(job.results);
    return cli_end(&job.run, code);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    {"data", 0, "DIR", CLI_TEXT, offsetof(reproduce_values, data), NULL, NULL,
     "folder of the sets, DIR/SET/edges.txt[.gz], labels.txt, points.txt; by default $CAFE_DATA, "
     "then ../shared/data"},
    {"repeats", 0, "R", CLI_COUNT, offsetof(reproduce_values, repeats), "10", NULL,
     "splits for each cell; the paper has 100"},
    {"set", 0, "NAME", CLI_TEXT, offsetof(reproduce_values, set), NULL, NULL,
     "only rows of this set: cora, wiki, ego-facebook, ..."},
    {"row", 0, "NAME", CLI_TEXT, offsetof(reproduce_values, method), NULL, NULL,
     "only rows whose method has this in its name: 'Sphere', 'CAFE', ..."},
    {"output", 'o', "FILE", CLI_TEXT, offsetof(reproduce_values, output), NULL, NULL,
     "the tables as Markdown; without it they go to standard output"},
    {"json", 0, "FILE", CLI_TEXT, offsetof(reproduce_values, json), NULL, NULL,
     "every figure, ours and the published; - is standard output"},
    CLI_ROW_SEED,
    CLI_ROW_THREADS,
    CLI_ROW_FORCE,
    CLI_ROW_QUIET,
    CLI_ROW_HELP,
    CLI_ROW_END,
};
static const cli_group groups[] = {{"Options", options, NULL, 0}, {0}};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .arguments = "TABLE [options]",
    .summary = "run the paper's experiments and compare",
    .description =
        "Runs a table of the paper with all its methods, prints our figures beside the published "
        "ones, and marks each cell: ahead, equal within one published standard deviation, or "
        "behind. The tables are " TABLES
        ". 'others' is not in the paper: all methods on further "
        "graphs, with their time.",
    .groups = groups,
    .size = sizeof(reproduce_values),
    .least = 1,
    .most = 1,
    .run = run_reproduce,
};
