/* Tables whose rows are runs of cafe evaluate: the options of a row are parsed as if typed. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/results.h>
#include <cafe-private/text.h>

#include "command.h"
#include "evaluate.h"
#include "reproduce.h"

enum { MOST_WORDS = 64 };

/* ---- which rows ------------------------------------------------------------------------------ */

static bool is_asked(const reproduce_job *job, const char *set, const char *method) {
    return (!job->set || strcmp(job->set, set) == 0) &&
           (!job->method || strcasestr(method, job->method));
}

/* ---- the command line of a row --------------------------------------------------------------- */

/* `words` points into `text`. */
typedef struct command_line {
    char *text;
    char *words[MOST_WORDS];
    int count;
} command_line;

static void cut_words(command_line *line) {
    for (char *word = strtok(line->text, " "); word && line->count < MOST_WORDS;
         word = strtok(NULL, " "))
        line->words[line->count++] = word;
}

/* As a reader would type it, with the folder of the sets and the number of repeats left open. */
static char *shown_command(const cafe_paper_recipe *recipe, const char *set, bool link) {
    char *text = NULL;
    const char *graph = reproduce_graph(recipe, set);
    set = reproduce_folder(set);
    int written = link ? asprintf(&text, "cafe evaluate link %s/%s %s", set, graph, recipe->options)
                       : asprintf(&text, "cafe evaluate classify %s/%s --labels %s/labels.txt %s",
                                  set, graph, set, recipe->options);
    return written < 0 ? NULL : text;
}

/* ---- its figures ----------------------------------------------------------------------------- */

static int64_t metric_of(const cafe_evaluation *e, const char *name) {
    for (int64_t m = 0; m < cafe_evaluation_metrics(e); m++)
        if (strcmp(cafe_evaluation_metric_name(e, m), name) == 0) return m;
    return -1;
}

/* The cells of one repeat: the table's metrics of every share. Returns how many there are. */
static int64_t cells_of(const cafe_paper_table *table, const cafe_evaluation *e, int64_t repeat,
                        double *value) {
    int64_t cells = 0;
    for (int64_t share = 0; share < cafe_evaluation_shares(e); share++)
        for (int i = 0; table->metrics[i] && cells < REPRODUCE_CELLS; i++)
            value[cells++] =
                cafe_evaluation_value(e, share, repeat, metric_of(e, table->metrics[i]));
    return cells;
}

static int append_repeats(reproduce_job *job, const cafe_paper_table *table,
                          const cafe_evaluation *e, reproduce_result *result) {
    int64_t repeats = cafe_evaluation_repeats(e);
    double *more = realloc(result->values,
                           (size_t)((result->repeats + repeats) * REPRODUCE_CELLS) * sizeof *more);
    if (!more) return cli_error(&job->run, CLI_RESOURCES, "out of memory");
    result->values = more;
    if (result->width == 0) result->width = cafe_evaluation_share(e, 0)->columns;
    for (int64_t i = 0; i < repeats; i++, result->repeats++)
        result->cells = cells_of(table, e, i, more + result->repeats * result->cells);
    return CLI_OK;
}

/* Is the first repeat of what was kept what has just come out? */
static bool same_first(const cafe_paper_table *table, const cafe_evaluation *e,
                       const reproduce_result *result) {
    double value[REPRODUCE_CELLS];
    if (cells_of(table, e, 0, value) != result->cells) return false;
    for (int64_t i = 0; i < result->cells; i++)
        if (value[i] != result->values[i] && !(isnan(value[i]) && isnan(result->values[i])))
            return false;
    return true;
}

static void find_figures(const cafe_paper_published *published, reproduce_result *result) {
    for (int64_t i = 0; i < result->cells; i++) {
        reproduce_cell *cell = &result->cell[i];
        cafe_figure figure;
        const double *p = published && i < published->count ? &published->figures[2 * i] : NULL;
        cafe_figure_find(result->repeats, result->cells, result->values + i, &figure);
        cell->ours = figure.mean, cell->spread = figure.std;
        cell->published = p && p[0] > 0 ? p[0] : NAN;
        cell->published_spread = p && p[0] > 0 ? p[1] : NAN;
    }
}

/* ---- one row --------------------------------------------------------------------------------- */

enum { LEAST_PIECE = 10 };

/* Repeats between two writes: enough to keep all threads at work. */
static int64_t piece_of(const reproduce_job *job) {
    int64_t threads = cafe_threads(job->run.context);
    if (!job->keep) return job->repeats;
    return threads > LEAST_PIECE ? threads : LEAST_PIECE;
}

/* What is missing of the row, piece by piece. */
static int run_repeats(reproduce_job *job, evaluate_job *e, const cafe_paper_table *table,
                       const reproduce_key *key, reproduce_result *result) {
    int64_t piece = piece_of(job);
    while (result->repeats < job->repeats) {
        int64_t first = result->repeats, left = job->repeats - first;
        double began = cli_seconds();
        CLI_TRY(evaluate_measure(e, first, left < piece ? left : piece));
        CLI_TRY(append_repeats(job, table, e->evaluation, result));
        result->seconds += cli_seconds() - began;
        CLI_TRY(reproduce_keep_write(job, key, result));
    }
    return CLI_OK;
}

/* Kept repeats of another build hold when their first comes out again, to the bit. */
static int check_kept(reproduce_job *job, evaluate_job *e, const cafe_paper_table *table,
                      const reproduce_key *key, reproduce_result *result) {
    CLI_TRY(evaluate_measure(e, 0, 1));
    if (same_first(table, e->evaluation, result)) return reproduce_keep_write(job, key, result);
    cli_say(&job->run, "   kept figures are not this build's: run again");
    result->repeats = 0;
    return CLI_OK;
}

static void begin_result(const evaluate_job *e, double seconds, reproduce_result *result) {
    if (result->repeats > 0) return;
    result->seconds = seconds;
    result->width = e->source.block ? e->source.columns : 0;
    result->embed_seconds = e->source.block ? e->embed_seconds : NAN;
}

static int evaluate_row(reproduce_job *job, const cli_command *task, command_line *line,
                        const reproduce_key *key, bool same, reproduce_result *result) {
    const cafe_paper_table *table = cafe_paper_table_find(result->table);
    evaluate_job e = {.run = &job->run, .task = cli_task_word(task)};
    cli_arguments arguments;
    double began = cli_seconds();
    int code = cli_parse(task, line->count, line->words, &e, &arguments);
    e.arguments = &arguments;
    if (code == CLI_OK) e.path = arguments.words[0];
    if (code == CLI_OK) code = evaluate_check(&e);
    if (code == CLI_OK) code = evaluate_prepare(&e);
    if (code == CLI_OK && result->repeats > 0 && !same)
        code = check_kept(job, &e, table, key, result);
    begin_result(&e, cli_seconds() - began, result);
    if (code == CLI_OK) code = run_repeats(job, &e, table, key, result);
    evaluate_release(&e);
    cli_arguments_free(&arguments);
    return code;
}

static void say_row(const reproduce_job *job, const reproduce_result *r, bool taken) {
    cli_say(&job->run, "   %.4f ... %.4f, %.1f seconds%s", r->cell[0].ours,
            r->cell[r->cells - 1].ours, r->seconds, taken ? ", kept" : "");
}

/* Runs what is missing of the row: its command line with the files where they are. */
static int run_missing(reproduce_job *job, const cafe_paper_recipe *recipe, const char *edges,
                       const char *labels, const reproduce_key *key, bool same,
                       reproduce_result *result) {
    command_line line = {0};
    if (asprintf(&line.text, "%s%s%s %s", edges, labels ? " --labels " : "", labels ? labels : "",
                 recipe->options) < 0)
        return cli_error(&job->run, CLI_RESOURCES, "out of memory");
    cut_words(&line);
    int code = evaluate_row(job, labels ? &cli_evaluate_classify : &cli_evaluate_link, &line, key,
                            same, result);
    free(line.text);
    if (result->repeats > job->repeats) result->repeats = job->repeats;
    return code;
}

/* A row that is kept need not be run again; with --repeats 0 nothing is run. */
static int find_row(reproduce_job *job, const cafe_paper_recipe *recipe, const char *edges,
                    const char *labels, reproduce_result *result) {
    reproduce_key key = {0};
    bool same = false, taken = false;
    int code = reproduce_keep_key(job, result, result->command, edges, labels, &key);
    if (code == CLI_OK) code = reproduce_keep_read(job, &key, result, &same);
    if (code == CLI_OK) {
        taken = job->repeats == 0 || (same && result->repeats >= job->repeats);
        if (job->repeats > 0 && result->repeats > job->repeats && taken)
            result->repeats = job->repeats;
        if (!taken) code = run_missing(job, recipe, edges, labels, &key, same, result);
    }
    free(key.path);
    if (code != CLI_OK) return code;
    if (result->repeats == 0) {
        result->open = true;
        return CLI_OK;
    }
    find_figures(cafe_paper_published_find(result->table, result->set, result->method), result);
    say_row(job, result, taken);
    return CLI_OK;
}

static int run_row(reproduce_job *job, const cafe_paper_recipe *recipe, const char *set) {
    bool link = strcmp(recipe->table, "link") == 0;
    char *edges = reproduce_path(job, set, reproduce_graph(recipe, set));
    char *labels = link ? NULL : reproduce_path(job, set, "labels.txt");
    int code = CLI_OK;
    reproduce_result *result = reproduce_add(job, recipe->table, set, recipe->method);
    if (!result) {
        code = cli_error(&job->run, CLI_RESOURCES, "out of memory");
        goto done;
    }
    result->note = recipe->note;
    result->missing = !edges || (!link && !labels);
    if (result->missing) goto done;
    reproduce_say_missing(job);
    result->command = shown_command(recipe, set, link);
    cli_say(&job->run, "-- %s, %s: %s", recipe->table, set, recipe->method);
    code = result->command ? find_row(job, recipe, edges, labels, result)
                           : cli_error(&job->run, CLI_RESOURCES, "out of memory");
    /* a method that refuses a graph (too large for it) leaves its cells empty */
    if ((code == CLI_FAILED || code == CLI_RESOURCES) && !cli_signal()) {
        result->refused = strdup(cafe_error(job->run.context));
        code = CLI_OK;
    }
done:
    free(edges);
    free(labels);
    return code;
}

int reproduce_evaluate(reproduce_job *job, const char *table) {
    const cafe_paper_recipe *r;
    int code = CLI_OK;
    for (const char *const *set = cafe_paper_table_find(table)->sets; *set && code == CLI_OK; set++)
        for (int64_t i = 0; (r = cafe_paper_recipe_at(i)) && code == CLI_OK; i++)
            if (strcmp(r->table, table) == 0 && cafe_paper_recipe_is_for(r, *set) &&
                is_asked(job, *set, r->method))
                code = run_row(job, r, *set);
    return code;
}
