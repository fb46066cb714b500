/* cafe reproduce: finds the sets, runs the rows of a table, writes Markdown and JSON.
 *
 * A set that is not there is named, with where it can be had, and the rest still runs.
 */
#define _GNU_SOURCE
#include "reproduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "os/os.h"
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

const char *reproduce_folder(const char *set) {
    const cafe_paper_set *s = cafe_paper_set_find(set);
    return s && s->folder ? s->folder : set;
}

const char *reproduce_graph(const cafe_paper_recipe *recipe, const char *set) {
    const cafe_paper_set *s = cafe_paper_set_find(set);
    if (recipe->graph) return recipe->graph;
    return s && s->graph ? s->graph : "edges.txt";
}

/* ---- data ------------------------------------------------------------------------------------ */

char *reproduce_path(const reproduce_job *job, const char *set, const char *name) {
    char path[PATH_MAX];
    if (cafe_paper_path(job->data, set, name, path, sizeof path) == 0) return NULL;
    return strdup(path);
}

static bool is_first(const reproduce_job *job, int64_t row) {
    for (int64_t i = 0; i < row; i++)
        if (job->results[i].missing && strcmp(job->results[i].set, job->results[row].set) == 0)
            return false;
    return true;
}

void reproduce_say_missing(reproduce_job *job) {
    for (; job->told < job->count; job->told++) {
        const reproduce_result *r = &job->results[job->told];
        if (!r->missing || !is_first(job, job->told)) continue;
        const cafe_paper_set *set = cafe_paper_set_find(r->set);
        cli_warn(&job->run, "%s is not in %s: left out; %s", r->set, job->data,
                 set ? set->source : "");
    }
}

static int nothing_there(const reproduce_job *job) {
    char names[1024] = "its data sets";
    size_t used = 0;
    for (int64_t i = 0; i < job->count && used < sizeof names; i++)
        if (job->results[i].missing && is_first(job, i))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "",
                                     job->results[i].set);
    return cli_error(&job->run, CLI_FAILED, "nothing could be run: none of %s is in %s", names,
                     job->data);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int add_experiment(reproduce_job *job, const cafe_experiment_report *found) {
    reproduce_result *result = reproduce_add(job, found->table, found->set, found->method);
    if (!result) return cli_error(&job->run, CLI_RESOURCES, "out of memory");
    result->missing = found->missing;
    if (!found->missing) reproduce_say_missing(job);
    for (int64_t i = 0; i < found->count && i < REPRODUCE_CELLS; i++) {
        const cafe_experiment_cell *c = &found->cells[i];
        result->cell[result->cells++] =
            (reproduce_cell){c->ours, NAN, c->published, c->published_spread};
    }
    return CLI_OK;
}

static int run_experiment(reproduce_job *job, const char *table, const char *set) {
    cafe_experiment *e = NULL;
    double began = cli_seconds();
    int code =
        cli_check(&job->run, cafe_experiment_run(job->run.context, table, set, job->data, &e));
    if (code == CLI_OK) code = add_experiment(job, cafe_experiment_get(e));
    if (code == CLI_OK) job->results[job->count - 1].seconds = cli_seconds() - began;
    cafe_experiment_free(e);
    return code;
}

static int run_table(reproduce_job *job, const cafe_paper_table *table) {
    int code = CLI_OK;
    if (table->metrics[0]) return reproduce_evaluate(job, table->name);
    for (const char *const *set = table->sets; *set && code == CLI_OK; set++)
        if (!job->set || strcmp(job->set, *set) == 0) code = run_experiment(job, table->name, *set);
    return code;
}

static int run_tables(reproduce_job *job, const char *name) {
    const cafe_paper_table *t;
    int code = CLI_OK;
    for (int64_t i = 0; (t = cafe_paper_table_at(i)) && code == CLI_OK; i++)
        if (strcmp(name, "all") == 0 || strcmp(name, t->name) == 0) code = run_table(job, t);
    return code;
}

static bool any_done(const reproduce_job *job) {
    for (int64_t i = 0; i < job->count; i++)
        if (!job->results[i].missing && !job->results[i].refused && !job->results[i].open)
            return true;
    return false;
}

static int check(void *argument) {
    reproduce_job *job = argument;
    const char *table = job->run.words[0], *environment = cafe_os_environment("CAFE_DATA");
    if (strcmp(table, "all") != 0 && !cafe_paper_table_find(table))
        return cli_usage_error("reproduce", "unknown table '%s'; there are " TABLES, table);
    if (job->repeats == 0 && !job->keep)
        return cli_usage_error("reproduce", "--repeats 0 prints what is in --keep DIR: give one");
    if (!job->data && environment && *environment) job->data = environment;
    if (job->data) return CLI_OK;
    return cli_error(&job->run, CLI_FAILED,
                     "no folder of data sets: give --data DIR or set CAFE_DATA");
}

static int work(void *argument) {
    reproduce_job *job = argument;
    cli_run *run = &job->run;
    CLI_TRY(reproduce_keep_begin(job));
    int code = run_tables(job, run->words[0]);
    if (code != CLI_OK && job->keep && cli_signal())
        cli_say(run, "what is finished is in %s: the same command goes on from there", job->keep);
    CLI_TRY(code);
    if (!any_done(job)) return nothing_there(job);
    reproduce_say_missing(job);
    CLI_TRY(cli_write_result(run, reproduce_markdown, job));
    return cli_write_report(run, "cafe/reproduce/1", reproduce_fill, job);
}

static void release(void *argument) {
    reproduce_job *job = argument;
    for (int64_t i = 0; i < job->count; i++) {
        free(job->results[i].command);
        free(job->results[i].values);
        free(job->results[i].refused);
    }
    free(job->results);
}

/* ---- the command ----------------------------------------------------------------------------- */

static const cli_option options[] = {
    CLI_ROW_TEXT(reproduce_job, data, "data", "DIR",
                 "folder of the sets, DIR/SET/edges.txt[.gz], labels.txt, points.txt; without it "
                 "$CAFE_DATA"),
    CLI_ROW_NUMBER(reproduce_job, repeats, "repeats", "R", CLI_COUNT, "10",
                   "splits for each cell; the paper has 100; 0, with --keep: run no row, print "
                   "what is kept"),
    CLI_ROW_TEXT(reproduce_job, set, "set", "NAME",
                 "only rows of this set: cora, wiki, ego-facebook, ..."),
    CLI_ROW_TEXT(reproduce_job, method, "row", "NAME",
                 "only rows whose method has this in its name: 'Sphere', 'CAFE', ..."),
    CLI_ROW_TEXT(reproduce_job, keep, "keep", "DIR",
                 "keep finished repeats there, and take those that are: a run that was stopped "
                 "goes on"),
    CLI_ROW_OUTPUT(NULL, "the tables as Markdown; without it they go to standard output"),
    CLI_ROW_JSON("every figure, ours and the published; - is standard output"),
    CLI_ROWS_SEEDED,
};
static const cli_group groups[] = {CLI_GROUP("Options", options), {0}};

const cli_command cli_reproduce = {
    .name = "reproduce",
    .arguments = "TABLE [options]",
    .summary = "run the paper's experiments and compare",
    .description =
        "Runs a table of the paper with all its methods, prints our figures beside the published "
        "ones, and marks each cell: ahead, equal within one published standard deviation, or "
        "behind. The tables are " TABLES
        ". 'others' is not in the paper: all methods on two dozen graphs with 10, 50 and 90 % of "
        "the labels, their ranks and their time.",
    CLI_JOB(reproduce_job, 1, 0),
    .one_by_one = true,
    .check = check,
    .release = release,
};
