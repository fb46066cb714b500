/* --methods: several methods on the same splits.
 *
 * Each item of "sphere,netmf:window=5" is a command line of its own, parsed as if typed, of which
 * only the options of the method may be given. The graph, the labels and the classifier are those
 * of the run; vectors are made, measured and dropped one method after the other.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/run.h>

#include "evaluate.h"
#include "tell.h"

enum { MOST_METHODS = 64, MOST_SETTINGS = 32 };

/* ---- which options belong to a method -------------------------------------------------------- */

static bool belongs_to_method(const cli_entry *e) {
    static const char *const flags[] = {"propagate", "supervised", "full-label"};
    static const char *const titles[] = {"--method", "Spectral finish", "With --propagate"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(e->name, flags[i]) == 0) return true;
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (strstr(e->group->title, titles[i])) return true;
    return false;
}

static bool is_method(const cli_entry *e) {
    return strcmp(e->name, "method") == 0;
}

/* Of the run's own options the number of columns counts for all methods, and no other one. */
static int check_run(const evaluate_job *job) {
    const char *command = job->run->command;
    const cli_arguments *arguments = job->arguments;
    if (cli_given(arguments, "method"))
        return cli_usage_error(command, "give --method or --methods, not both");
    if (job->embedding || job->choose)
        return cli_usage_error(command, "--methods does not go with --%s",
                               job->embedding ? "embedding" : "choose");
    for (size_t i = 0; i < arguments->entries.count; i++) {
        const cli_entry *e = &arguments->entries.at[i];
        if (arguments->given[i] && belongs_to_method(e) && strcmp(e->name, "columns") != 0)
            return cli_usage_error(command,
                                   "with --methods, options of a method stand in the list: "
                                   "sphere:%s%s%s, not " CLI_OPT("%s"),
                                   e->name, e->placeholder ? "=" : "",
                                   e->placeholder ? e->placeholder : "", e->name);
    }
    return CLI_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* The words of an item, from the first on; all but the graph point into the entry's text. */
typedef struct item {
    char *words[MOST_SETTINGS + 3];
    int first, count;
} item;

/* "netmf:window=5:propagate" becomes --method=netmf --window=5 --propagate, at 1 of the words; an
 * option for developers becomes --tune=NAME=VALUE. */
static bool cut_item(const char *name, char **to, item *it) {
    const char *before = "--method=";
    it->first = it->count = 1;
    for (const char *at = name;; at++, before = "--") {
        size_t size = strcspn(at, ":");
        if (size == 0 || it->count > MOST_SETTINGS) return false;
        it->words[it->count++] = *to;
        if (before[2] == 0 && cli_is_tuned(at, strcspn(at, "=:"))) before = "--tune=";
        *to += sprintf(*to, "%s%.*s", before, (int)size, at) + 1;
        at += size;
        if (!*at) return true;
    }
}

/* The run's number of columns stands in front, where the method takes one: the last one counts. */
static void add_columns(const evaluate_job *job, char *to, item *it) {
    const cafe_method *row =
        cafe_method_find(job->run->context, it->words[1] + strlen("--method="));
    const cafe_option_table *table = row && row->vectors ? row->vectors() : NULL;
    bool takes = false;
    for (size_t i = 0; table && i < table->count; i++)
        takes |= strcmp(table->options[i].name, "columns") == 0;
    if (!takes) return;
    sprintf(to, "--columns=%" PRId64,
            cafe_method_columns(job->method.row->vectors(), job->method.own));
    it->words[it->first = 0] = to;
}

static int bad_list(const evaluate_job *job) {
    return cli_usage_error(job->run->command,
                           "--methods takes a list such as sphere,netmf:window=5, of at most %d "
                           "methods, not '%s'",
                           MOST_METHODS, job->methods);
}

/* What the run has and the item has not. */
static void lend(const evaluate_job *job, evaluate_job *own) {
    own->task = job->task;
    own->path = job->path;
    own->graph = job->graph;
    own->counts = job->counts;
    own->labels = job->labels;
    own->targets = job->targets;
    own->classifier = job->classifier;
    own->classifier_kind = job->classifier_kind;
    own->classify = job->classify;
    own->share_count = job->share_count;
    memcpy(own->shares, job->shares, sizeof own->shares);
}

static int check_entry(evaluate_job *job, evaluate_entry *entry) {
    const char *command = job->run->command;
    evaluate_job *own = entry->job;
    for (size_t i = 0; i < entry->arguments.entries.count; i++) {
        const cli_entry *e = &entry->arguments.entries.at[i];
        if (entry->arguments.given[i] && !belongs_to_method(e) && !is_method(e))
            return cli_usage_error(command, "--methods: '%s' is no option of a method", e->name);
    }
    own->run = job->run;
    own->arguments = &entry->arguments;
    own->labels_path = job->labels_path;
    CLI_TRY(evaluate_check_supervised(own));
    return evaluate_open(own, &own->source.of);
}

static int parse_entry(evaluate_job *job, bool columns, evaluate_entry *entry) {
    item it;
    size_t length = strlen(job->path) + 1;
    entry->job = calloc(1, sizeof *entry->job);
    char *to = entry->text = entry->name ? malloc(length + 64 + 8 * strlen(entry->name)) : NULL;
    if (!entry->job || !to) return cli_error(job->run, CLI_RESOURCES, "out of memory");
    char *path = memcpy(to, job->path, length);
    to += length;
    if (!cut_item(entry->name, &to, &it)) return bad_list(job);
    if (columns) add_columns(job, to, &it);
    it.words[it.count++] = path;
    CLI_TRY(cli_parse(&cli_evaluate_classify, it.count - it.first, it.words + it.first, entry->job,
                      &entry->arguments));
    return check_entry(job, entry);
}

static int parse_list(evaluate_job *job, bool columns) {
    job->entries = calloc(MOST_METHODS, sizeof *job->entries);
    if (!job->entries) return cli_error(job->run, CLI_RESOURCES, "out of memory");
    for (const char *at = job->methods;; at++) {
        size_t length = strcspn(at, ",");
        if (length == 0 || job->entry_count == MOST_METHODS) return bad_list(job);
        evaluate_entry *entry = &job->entries[job->entry_count++];
        entry->name = strndup(at, length);
        CLI_TRY(parse_entry(job, columns, entry));
        at += length;
        if (!*at) return CLI_OK;
    }
}

int evaluate_methods_check(evaluate_job *job) {
    CLI_TRY(check_run(job));
    return parse_list(job, cli_given(job->arguments, "columns"));
}

/* ---- at work --------------------------------------------------------------------------------- */

/* The run keeps its options for the report, and nothing else. */
static int drop_vectors(evaluate_job *own) {
    evaluate_source_free(&own->source);
    cli_sampling_free(own->run, &own->method.sampling);
    free(own->known);
    own->known = NULL;
    return evaluate_open(own, &own->source.of);
}

int evaluate_methods_measure(evaluate_job *job) {
    for (int64_t i = 0; i < job->entry_count; i++) {
        evaluate_job *own = job->entries[i].job;
        lend(job, own);
        CLI_TRY(evaluate_prepare_method(own));
        CLI_TRY(evaluate_measure_classify(own));
        CLI_TRY(drop_vectors(own));
        cli_say(job->run, "measured  %s: %.1f seconds", job->entries[i].name,
                cafe_evaluation_seconds(own->evaluation));
    }
    return CLI_OK;
}

static void free_entry(evaluate_job *own) {
    cafe_evaluation_free(own->evaluation);
    evaluate_source_free(&own->source);
    if (own->run) cli_sampling_free(own->run, &own->method.sampling);
    free(own->known);
}

void evaluate_methods_free(evaluate_job *job) {
    for (int64_t i = 0; i < job->entry_count; i++) {
        evaluate_entry *entry = &job->entries[i];
        if (entry->job) free_entry(entry->job);
        cli_arguments_free(&entry->arguments);
        free(entry->job);
        free(entry->text);
        free(entry->name);
    }
    free(job->entries);
    job->entries = NULL;
    job->entry_count = 0;
}
