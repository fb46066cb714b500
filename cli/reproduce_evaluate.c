/* Tables whose rows are runs of cafe evaluate: the options of a row are parsed as if typed. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "evaluate.h"
#include "reproduce.h"

enum { MOST_WORDS = 64 };

/* ---- which rows ------------------------------------------------------------------------------ */

static const char *const paper_sets[] = {"cora", "wiki", "ego-facebook", NULL};
static const char *const split_sets[] = {"cora", NULL};
static const char *const other_sets[] = {"blogcatalog", "pubmed",           "wikipedia-pos",
                                         "coauthor-cs", "amazon-computers", "lastfm-asia",
                                         NULL};

static const char *const *sets_of(const char *table) {
    if (strcmp(table, "others") == 0) return other_sets;
    return strcmp(table, "cora-split") == 0 ? split_sets : paper_sets;
}

static bool has_own(const reproduce_recipe *recipe, const char *set) {
    for (const reproduce_recipe *r = reproduce_recipes; r->table; r++)
        if (r->set && strcmp(r->table, recipe->table) == 0 && strcmp(r->set, set) == 0 &&
            strcmp(r->method, recipe->method) == 0)
            return true;
    return false;
}

static bool is_for(const reproduce_recipe *recipe, const char *table, const char *set) {
    if (strcmp(recipe->table, table) != 0) return false;
    return recipe->set ? strcmp(recipe->set, set) == 0 : !has_own(recipe, set);
}

static bool is_asked(const reproduce_job *job, const char *set, const char *method) {
    return (!job->set || strcmp(job->set, set) == 0) &&
           (!job->method || strcasestr(method, job->method));
}

/* ---- one row --------------------------------------------------------------------------------- */

/* The command line of a row; `words` points into `text`. */
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

/* As a reader would type it, with the folder of the sets left open. */
static char *shown_command(const reproduce_job *job, const reproduce_recipe *recipe,
                           const char *set, bool link) {
    char *text = NULL;
    const char *graph = recipe->graph ? recipe->graph : "edges.txt";
    int written = link ? asprintf(&text, "cafe evaluate link %s/%s %s --repeats %d", set, graph,
                                  recipe->options, (int)job->repeats)
                       : asprintf(&text,
                                  "cafe evaluate classify %s/%s --labels %s/labels.txt %s "
                                  "--repeats %d",
                                  set, graph, set, recipe->options, (int)job->repeats);
    return written < 0 ? NULL : text;
}

static void take_figures(const reproduce_table *table, const cafe_evaluation *e,
                         const reproduce_published *published, reproduce_result *result) {
    for (int64_t share = 0; share < cafe_evaluation_shares(e); share++)
        for (int i = 0; i < 4 && table->metrics[i]; i++)
            for (int64_t m = 0; m < cafe_evaluation_metrics(e); m++) {
                if (strcmp(cafe_evaluation_metric_name(e, m), table->metrics[i]) != 0) continue;
                if (result->cells == REPRODUCE_CELLS) return;
                reproduce_cell *cell = &result->cell[result->cells];
                cafe_figure figure;
                cafe_evaluation_figure(e, share, m, &figure);
                cell->ours = figure.mean;
                cell->spread = figure.std;
                const double *p = published ? &published->figures[2 * result->cells] : NULL;
                cell->published = p && p[0] > 0 ? p[0] : NAN;
                cell->published_spread = p && p[0] > 0 ? p[1] : NAN;
                result->cells++;
            }
}

static int evaluate_row(reproduce_job *job, const cli_command *task, command_line *line,
                        int (*evaluate)(evaluate_job *job), const reproduce_table *table,
                        const reproduce_published *published, reproduce_result *result) {
    evaluate_job e = {.run = &job->run, .task = cli_task_word(task)};
    cli_arguments arguments;
    double began = cli_seconds();
    int code = cli_parse(task, line->count, line->words, &e, &arguments);
    if (code == CLI_OK) e.path = arguments.words[0];
    if (code == CLI_OK) code = evaluate_check(&e, &arguments);
    if (code == CLI_OK) code = evaluate(&e);
    if (code == CLI_OK) {
        take_figures(table, e.evaluation, published, result);
        result->seconds = cli_seconds() - began;
        if (e.vectors) result->embed_seconds = e.embed_seconds;
    }
    evaluate_free(&e);
    cli_arguments_free(&arguments);
    return code;
}

static void say_missing(reproduce_job *job, const char *set) {
    const reproduce_set *s = reproduce_find_set(set);
    cli_warn(&job->run, "%s is not in %s: left out; %s", set, job->data, s ? s->source : "");
}

static int run_row(reproduce_job *job, const reproduce_recipe *recipe, const char *set) {
    const reproduce_table *table = reproduce_find_table(recipe->table);
    bool link = strcmp(recipe->table, "link") == 0;
    char *edges = reproduce_path(job, set, recipe->graph ? recipe->graph : "edges.txt");
    char *labels = link ? NULL : reproduce_path(job, set, "labels.txt");
    command_line line = {0};
    int code = CLI_OK;
    reproduce_result *result = reproduce_add(job, recipe->table, set, recipe->method);
    if (!result) return cli_error(&job->run, CLI_FAILED, "out of memory");
    result->note = recipe->note;
    result->missing = !edges || (!link && !labels);
    if (result->missing) {
        say_missing(job, set);
        goto done;
    }
    result->command = shown_command(job, recipe, set, link);
    if (!result->command ||
        asprintf(&line.text, "%s%s%s %s --repeats %d", edges, labels ? " --labels " : "",
                 labels ? labels : "", recipe->options, (int)job->repeats) < 0)
        code = cli_error(&job->run, CLI_FAILED, "out of memory");
    if (code != CLI_OK) goto done;
    cut_words(&line);
    cli_say(&job->run, "-- %s, %s: %s", recipe->table, set, recipe->method);
    code = evaluate_row(job, link ? &cli_evaluate_link : &cli_evaluate_classify, &line,
                        link ? evaluate_link : evaluate_classify, table,
                        reproduce_find_published(recipe->table, set, recipe->method), result);
    /* a method that refuses a graph (too large for it) leaves its cells empty */
    if (code == CLI_FAILED && !cli_signal()) {
        result->refused = strdup(cafe_error(job->run.context));
        code = CLI_OK;
    } else if (code == CLI_OK)
        cli_say(&job->run, "   %.4f ... %.4f, %.1f seconds", result->cell[0].ours,
                result->cell[result->cells - 1].ours, result->seconds);
done:
    free(edges);
    free(labels);
    free(line.text);
    return code;
}

int reproduce_evaluate(reproduce_job *job, const char *table) {
    int code = CLI_OK;
    for (const char *const *set = sets_of(table); *set && code == CLI_OK; set++)
        for (const reproduce_recipe *r = reproduce_recipes; r->table && code == CLI_OK; r++)
            if (is_for(r, table, *set) && is_asked(job, *set, r->method))
                code = run_row(job, r, *set);
    return code;
}
