/* The methods of the registry as options of a command, and on the way into the library. */
#define _GNU_SOURCE
#include "method.h"

#include <stdlib.h>
#include <string.h>

#include <cafe-private/inputs.h>

#include "command.h"

/* ---- the registry as choices and groups ------------------------------------------------------ */

static const cafe_option_table *(*table_of(const cafe_method *row, cli_kind purpose))(void) {
    return purpose == CLI_VECTORS_METHOD ? row->vectors : row->communities;
}

/* "a|b|c": the methods for a purpose that take all of `takes`. */
static void join_methods(cli_kind purpose, uint32_t takes, char *text, size_t room) {
    size_t count;
    const cafe_method *const *rows = cafe_lab_methods(&count);
    text[0] = 0;
    for (size_t i = 0; i < count; i++)
        if (table_of(rows[i], purpose) && (rows[i]->takes & takes) == takes)
            snprintf(text + strlen(text), room - strlen(text), "%s%s", text[0] ? "|" : "",
                     rows[i]->name);
}

const char *cli_choices(const cli_option *option) {
    static char texts[3][512];
    if (option->kind < CLI_VECTORS_METHOD) return option->choices;
    char *text = texts[option->kind - CLI_VECTORS_METHOD];
    if (option->kind != CLI_SAMPLING) {
        join_methods(option->kind, 0, text, sizeof texts[0]);
        return text;
    }
    text[0] = 0;
    for (size_t i = 0; cafe_sampler_at(i); i++)
        snprintf(text + strlen(text), sizeof texts[0] - strlen(text), "%s%s", i ? "|" : "",
                 cafe_sampler_at(i)->name);
    return text;
}

const cafe_option_table *cli_vectors_methods(void) {
    return NULL;
}

const cafe_option_table *cli_communities_methods(void) {
    return NULL;
}

/* A group "--method NAME" for every method. */
static size_t expand_methods(const cli_group *group, cli_kind purpose, cli_group *flat) {
    size_t count, made = 0;
    const cafe_method *const *rows = cafe_lab_methods(&count);
    for (size_t i = 0; i < count; i++) {
        char *title = NULL;
        if (!table_of(rows[i], purpose)) continue;
        if (asprintf(&title, "--method %s", rows[i]->name) < 0) continue;
        flat[made++] = (cli_group){title, NULL, table_of(rows[i], purpose), group->offset};
    }
    return made;
}

static size_t expand_group(const cli_group *group, cli_group *flat) {
    const char *star = strchr(group->title, '*');
    char names[512], *title = NULL;
    if (group->table == cli_vectors_methods) return expand_methods(group, CLI_VECTORS_METHOD, flat);
    if (group->table == cli_communities_methods)
        return expand_methods(group, CLI_COMMUNITIES_METHOD, flat);
    flat[0] = *group;
    join_methods(CLI_VECTORS_METHOD, CAFE_TAKES_SAMPLING, names, sizeof names);
    if (star && asprintf(&title, "%.*s%s%s", (int)(star - group->title), group->title, names,
                         star + 1) >= 0)
        flat[0].title = title;
    return 1;
}

const cli_group *cli_groups(const cli_command *command) {
    enum { MOST = 64, COMMANDS = 64 };
    static const cli_option tune[] = {
        {"tune", 0, "NAME=VALUE", CLI_TUNE, 0, NULL, NULL,
         "set an option that only developers need, 'cafe help tune' lists them; may be given "
         "several times"},
        CLI_ROW_END};
    static struct {
        const cli_command *command;
        cli_group *groups;
    } known[COMMANDS];
    size_t i = 0, count = 0;
    while (known[i].command && known[i].command != command) i++;
    if (known[i].command || !command->groups) return known[i].groups;
    cli_group *flat = calloc(MOST, sizeof *flat); /* for as long as the process lives */
    for (const cli_group *g = command->groups; flat && g->title; g++)
        count += expand_group(g, flat + count);
    if (flat && cli_has_tuned(flat)) flat[count] = (cli_group){"For developers", tune, NULL, 0};
    known[i].command = command;
    known[i].groups = flat;
    return flat;
}

/* ---- what a method is ------------------------------------------------------------------------ */

const char *cli_method_name(const cli_method *m) {
    return m->row->name;
}

bool cli_method_samples(const cli_method *m) {
    return (m->row->takes & CAFE_TAKES_SAMPLING) != 0;
}

/* ---- a run of the library -------------------------------------------------------------------- */

/* Options of the run are those of its tables; all others are the command's. */
static bool is_of_run(const cli_entry *entry, const cafe_option_table *own) {
    static const char *const names[] = {"sampling", "propagate", "partition", "bound",
                                        "bound-file"};
    const cafe_option_table *table = entry->shared ? entry->group->table() : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(entry->name, names[i]) == 0) return true;
    return table && (table->options == own->options || table == cafe_sample_option_table() ||
                     table == cafe_finish_option_table() ||
                     table == cafe_propagate_option_table() || table == cafe_ranks_option_table() ||
                     table == cafe_trials_option_table() || table == cafe_feature_option_table());
}

int cli_refuse(const cli_run *run, cafe_status status) {
    if (status == CAFE_ERROR_ARGUMENT)
        return cli_usage_error(run->command, "%s", cafe_error(run->context));
    return cli_check(run, status);
}

static int set_options(cli_run *run, const cafe_option_table *own, const cli_arguments *given,
                       cafe_run *of) {
    for (size_t i = 0; i < given->entries.count; i++) {
        const cli_entry *entry = &given->entries.at[i];
        const char *text = given->text[i];
        if (!given->given[i] || !is_of_run(entry, own)) continue;
        CLI_TRY(cli_refuse(run, cafe_run_set(of, entry->name, text[0] ? text : "yes")));
    }
    return CLI_OK;
}

int cli_open_run(cli_run *run, const char *method, cafe_purpose purpose, const cli_arguments *given,
                 const cafe_run_inputs *inputs, cafe_run **of) {
    CLI_TRY(cli_check(run, cafe_run_create(run->context, purpose, method, of)));
    const cafe_method *row = cafe_run_get(*of)->method;
    CLI_TRY(set_options(run, purpose == CAFE_PURPOSE_VECTORS ? row->vectors() : row->communities(),
                        given, *of));
    CLI_TRY(cli_check(run, cafe_run_give(*of, inputs)));
    return cli_refuse(run, cafe_run_check(*of));
}

int cli_open_sampling(cli_run *run, const cli_sampling *s, cafe_run **of) {
    cafe_run_inputs inputs = cli_sampling_inputs(s);
    return cli_open_run(run, NULL, CAFE_PURPOSE_COMMUNITIES, run->arguments, &inputs, of);
}

int cli_sample(cli_run *run, cli_sampling *s, cafe_run *of) {
    cafe_run_step done;
    CLI_TRY(cli_sampling_read(run, s, run->graph));
    cafe_run_inputs inputs = cli_sampling_inputs(s);
    CLI_TRY(cli_check(run, cafe_run_graph(of, run->graph, NULL, NULL)));
    CLI_TRY(cli_check(run, cafe_run_give(of, &inputs)));
    CLI_TRY(cli_check(run, cafe_run_next(of, &done)));
    cli_sampling_say(run, cafe_run_get(of)->sampled);
    return CLI_OK;
}

int cli_find_communities(cli_run *run, const cafe_graph *graph, const int32_t *start,
                         const char *output, cafe_run **of) {
    cafe_run_inputs inputs;
    cafe_run_inputs_init(&inputs);
    inputs.partition = start;
    CLI_TRY(cli_check(run, cafe_run_create(run->context, CAFE_PURPOSE_COMMUNITIES, NULL, of)));
    CLI_TRY(cli_check(run, cafe_run_graph(*of, graph, NULL, NULL)));
    CLI_TRY(cli_check(run, cafe_run_give(*of, &inputs)));
    if (output) CLI_TRY(cli_check(run, cafe_run_output(*of, output, run->common.force)));
    return cli_check(run, cafe_run_go(*of));
}
