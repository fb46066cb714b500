/* The methods of the registry as options of a command, and on the way into the library. */
#define _GNU_SOURCE
#include "method.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

/* ---- the registry as choices and groups ------------------------------------------------------ */

static const cafe_option_table *(*table_of(const cafe_method *row, cli_kind purpose))(void) {
    return purpose == CLI_VECTORS_METHOD ? row->vectors : row->communities;
}

/* "a|b|c": the methods for a purpose that take all of `takes`. */
static void join_methods(cli_kind purpose, uint32_t takes, char *text, size_t room) {
    size_t count;
    const cafe_method *const *rows = cafe_methods(&count);
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
    const cafe_method *const *rows = cafe_methods(&count);
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

int64_t cli_method_columns(const cli_method *m) {
    return cafe_method_columns(m->table, m->own);
}

int cli_method_check(const char *command, cli_method *m, cli_kind purpose,
                     const cli_arguments *arguments) {
    const cafe_option_table *filter = cafe_propagate_option_table();
    m->table = table_of(m->row, purpose)();
    m->free_columns = !cli_given(arguments, "columns");
    if (!cli_given(arguments, "output-form")) m->finish.form = m->row->form;
    if (m->finish.form != CAFE_FORM_SCALED)
        CLI_TRY(cli_only_with(command, arguments, "scale-exponent|scale-shortest",
                              "--output-form scaled"));
    if (m->finish.residual == 0)
        CLI_TRY(cli_only_with(command, arguments, "residual-steps", "--residual R"));
    for (size_t i = 0; i < filter->count && !m->propagate; i++)
        if (cli_given(arguments, filter->options[i].name))
            return cli_usage_error(command, "--%s needs --propagate", filter->options[i].name);
    if (!cli_method_samples(m)) return CLI_OK;
    if (m->sampling.options.degree_exponent < 0)
        m->sampling.options.degree_exponent = m->row->degree_exponent;
    return cli_sampling_check(command, &m->sampling, arguments);
}

cafe_method_options cli_method_options(const cli_method *m) {
    cafe_method_options o;
    cafe_method_options_init(&o);
    o.own = m->own;
    o.finish = &m->finish;
    o.free_columns = m->free_columns;
    if (m->propagate) o.propagate = &m->propagation;
    if (!cli_method_samples(m)) return o;
    o.sampling = m->sampling.kind;
    o.sample = &m->sampling.options;
    return o;
}

/* ---- at work --------------------------------------------------------------------------------- */

int cli_model_make(cli_run *run, const cli_method *m, const cafe_graph *graph, cafe_model **model) {
    cafe_method_options options = cli_method_options(m);
    cafe_method_inputs inputs;
    cli_sample_files files = {0};
    cafe_method_inputs_init(&inputs);
    int code = cli_method_samples(m) ? cli_sampling_read(run, &m->sampling, graph, &files) : CLI_OK;
    if (cli_method_samples(m)) inputs.sample = &files.inputs;
    if (code == CLI_OK)
        code = cli_check(run,
                         cafe_model_create(run->context, graph, m->row, &options, &inputs, model));
    if (code == CLI_OK && cli_method_samples(m)) cli_sampling_say(run, cafe_model_sampled(*model));
    cli_sampling_free(run, &files);
    return code;
}

/* ---- reports --------------------------------------------------------------------------------- */

void cli_report_method(cafe_report *report, const cli_method *m) {
    cafe_report_string(report, "method", cli_method_name(m));
    if (cli_method_samples(m)) cli_report_sampling(report, &m->sampling);
    cafe_report_options(report, m->table, m->own);
    cafe_report_options(report, cafe_finish_option_table(), &m->finish);
    cafe_report_truth(report, "propagate", m->propagate);
    if (m->propagate) cafe_report_options(report, cafe_propagate_option_table(), &m->propagation);
}
