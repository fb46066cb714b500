/* help and version: the pages for people and the options of the manual, all from the one merged
 * list, so that they cannot drift apart.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cafe-private/team.h>
#include <cafe-private/text.h>

#include "command.h"
#include "run.h"

enum { LINE = 80, INDENT = 26, LONGEST_NOTE = 256 };

/* ---- what is known about an option ----------------------------------------------------------- */

/* A default outside of the range stands for something that the help text says. */
static bool stands_for(const cafe_option *o) {
    return o && cafe_option_kind(o) == CAFE_OPTION_REAL && o->initial < o->minimum;
}

/* The default as text: "" when there is none worth naming. */
static void default_text(const cli_entry *e, char *text, size_t capacity) {
    text[0] = 0;
    if (e->own) {
        if (e->own->initial) snprintf(text, capacity, "%s", e->own->initial);
        return;
    }
    const cafe_option_table *table = e->group->table();
    if (stands_for(e->shared)) return;
    void *options = calloc(1, table->struct_size);
    if (!options) return;
    cafe_options_init(table, options, table->struct_size);
    cafe_options_text(e->shared, options, text, capacity);
    free(options);
}

static void range_text(const cli_entry *e, char *text, size_t capacity) {
    const cafe_option *o = e->shared;
    const char *choices = e->own ? cli_choices(e->own) : o->choices;
    text[0] = 0;
    if (choices)
        snprintf(text, capacity, "%s; ", choices);
    else if (o && cafe_option_kind(o) == CAFE_OPTION_REAL && isfinite(o->maximum))
        snprintf(text, capacity, "%.9g to %.9g; ", o->minimum, o->maximum);
}

/* " (a|b; default a)", or nothing */
static void note_text(const cli_entry *e, char note[LONGEST_NOTE]) {
    char initial[64], range[128];
    default_text(e, initial, sizeof initial);
    range_text(e, range, sizeof range);
    note[0] = 0;
    if (initial[0])
        snprintf(note, LONGEST_NOTE, " (%sdefault %s)", range, initial);
    else if (stands_for(e->shared))
        snprintf(note, LONGEST_NOTE, " (%.*s)", (int)strcspn(range, ";"), range);
}

/* ---- --help ---------------------------------------------------------------------------------- */

/* The length of the word at text; of one that fills more than a line (a list of choices), as much
 * as fits up to a bar. */
static int word_length(const char *text, int most) {
    int length = (int)strcspn(text, " "), cut = 0;
    if (length <= most) return length;
    for (int i = 0; i < most; i++)
        if (text[i] == '|') cut = i + 1;
    return cut > 0 ? cut : length;
}

int cli_put_words(const char *text, int indent, int at) {
    while (*text) {
        text += strspn(text, " ");
        int length = word_length(text, LINE - indent);
        if (length == 0) break;
        if (at > indent && at + 1 + length > LINE) {
            printf("\n%*s", indent, "");
            at = indent;
        }
        at += printf("%s%.*s", at > indent ? " " : "", length, text);
        text += length;
    }
    return at;
}

/* -k, --columns K, or chunks=N of --tune; then the text from a column on. */
static void put_row(const cli_entry *e, const char *help, const char *note) {
    char *text = NULL;
    int at = e->tuned    ? printf("  %s=%s", e->name, e->placeholder)
             : e->letter ? printf("  -%c, --%s", e->letter, e->name)
                         : printf("      --%s", e->name);
    if (e->placeholder && !e->tuned) at += printf(" %s", e->placeholder);
    if (at + 2 > INDENT) {
        printf("\n");
        at = 0;
    }
    printf("%*s", INDENT - at, "");
    if (asprintf(&text, "%s%s", help, note) < 0) text = NULL;
    cli_put_words(text ? text : help, INDENT, INDENT);
    printf("\n");
    free(text);
}

void cli_put_option(const cli_entry *e) {
    char note[LONGEST_NOTE];
    note_text(e, note);
    put_row(e, cli_entry_help(e), note);
}

/* A row of -h: the first words of the help text, which say what the option is. */
static void put_usual_option(const cli_entry *e) {
    char initial[64], note[LONGEST_NOTE] = "", help[LONGEST_NOTE];
    default_text(e, initial, sizeof initial);
    if (initial[0]) snprintf(note, sizeof note, " (default %s)", initial);
    const char *whole = cli_entry_help(e);
    snprintf(help, sizeof help, "%.*s", (int)strcspn(whole, ";:"), whole);
    put_row(e, help, note);
}

/* A name that is no option is printed alone: the test of the pages finds it. */
static void put_usual(const cli_command *command) {
    static cli_entries entries;
    cli_merge(command, cli_default_method(command), &entries);
    printf("\noptions that most people use:\n");
    for (const char *at = cli_usual_of(command)->options; *at; at += *at == '|') {
        size_t length = strcspn(at, "|");
        const cli_entry *entry = cli_find_entry(&entries, at, length);
        if (entry) put_usual_option(entry);
        if (!entry) printf("      --%.*s\n", (int)length, at);
        at += length;
    }
    printf("\n'cafe %s --help' has all options.\n", command->name);
}

static void put_tasks(const cli_command *command) {
    printf("\ntasks:\n");
    for (size_t i = 0; command->tasks[i]; i++)
        printf("  %-10s %s\n", cli_task_word(command->tasks[i]), command->tasks[i]->summary);
    printf("\n'cafe %s TASK --help' explains a task.\n", command->name);
}

static void put_all(const cli_command *command) {
    static cli_entries entries;
    const cli_group *group = NULL;
    const char *method = cli_default_method(command);
    cli_merge(command, method, &entries);
    for (size_t i = 0; i < entries.count; i++) {
        if (entries.at[i].tuned) continue;
        if (entries.at[i].group != group) printf("\n%s:\n", entries.at[i].group->title);
        group = entries.at[i].group;
        cli_put_option(&entries.at[i]);
    }
    if (method) printf("\n'cafe help METHOD' has the options of another method.\n");
}

void cli_print_help(const cli_command *command, bool brief) {
    printf("cafe %s - %s\n\nusage: cafe %s %s\n", command->name, command->summary, command->name,
           command->arguments);
    if (!command->tasks)
        printf("example: cafe %s %s\n", command->name, cli_usual_of(command)->example);
    if (command->description && !brief) {
        printf("\n");
        cli_put_words(command->description, 0, 0);
        printf("\n");
    }
    if (command->tasks)
        put_tasks(command);
    else if (brief)
        put_usual(command);
    else
        put_all(command);
}

static void print_overview(void) {
    printf("cafe %s - graphs into vectors that can be explained and checked\n\n", cafe_version());
    printf("usage: cafe COMMAND [arguments] [options]\n\ncommands:\n");
    for (size_t i = 0; cli_commands[i]; i++)
        printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf(
        "\n'cafe COMMAND -h' shows the usual options, 'cafe COMMAND --help' all of them, 'man\n"
        "cafe-COMMAND' explains at length.\n"
        "\ntopics of 'cafe help TOPIC':\n");
    cli_print_topics();
    printf(
        "\n"
        "example: cafe embed graph.txt -o vectors.npy --columns 64 --json report.json\n\n");
    cli_print_exit_line();
}

/* ---- the manual ------------------------------------------------------------------------------ */

/* Text for scdoc, in which a backslash makes the next character an ordinary one. */
static void put_escaped(const char *text) {
    for (; *text; text++) {
        if (strchr("\\*_~", *text)) putchar('\\');
        putchar(*text);
    }
}

/* Help texts are phrases; in the manual they begin as sentences do. */
static void put_sentence(const char *text) {
    putchar(toupper((unsigned char)text[0]));
    put_escaped(text + 1);
}

static void put_manual_option(const cli_entry *e) {
    char note[LONGEST_NOTE];
    if (e->letter) printf("*-%c*, ", e->letter);
    printf(e->tuned ? "*%s*" : "*--%s*", e->name);
    if (e->placeholder) {
        printf(e->tuned ? "=_" : " _");
        put_escaped(e->placeholder);
        printf("_");
    }
    printf("\n\t");
    put_sentence(cli_entry_help(e));
    note_text(e, note);
    put_escaped(note);
    printf(".\n\n");
}

static bool same_group(const cli_group *a, const cli_group *b) {
    return a->table && a->table == b->table && strcmp(a->title, b->title) == 0;
}

/* Did a task before `task` have the group already? */
static bool printed_before(const cli_command *command, size_t task, const cli_group *group) {
    for (size_t i = 0; i < task; i++)
        for (const cli_group *g = cli_groups(command->tasks[i]); g && g->title; g++)
            if (same_group(g, group)) return true;
    return false;
}

/* Groups of options under headings, but those that an earlier task of `parent` had. */
static void put_manual_groups(const cli_command *command, const cli_command *parent, size_t task) {
    static cli_entries entries;
    const cli_group *group = NULL;
    cli_merge(command, NULL, &entries);
    for (size_t i = 0; i < entries.count; i++) {
        const cli_group *g = entries.at[i].group;
        if (entries.at[i].tuned || (parent && printed_before(parent, task, g))) continue;
        if (g != group && parent && !g->table)
            printf("## %s: %s\n\n", cli_task_word(command), g->title);
        else if (g != group)
            printf("## %s\n\n", g->title);
        group = g;
        put_manual_option(&entries.at[i]);
    }
}

static void print_manual_options(const cli_command *command) {
    if (!command->tasks) put_manual_groups(command, NULL, 0);
    for (size_t i = 0; command->tasks && command->tasks[i]; i++)
        put_manual_groups(command->tasks[i], command, i);
}

static void print_manual_commands(void) {
    for (size_t i = 0; cli_commands[i]; i++) {
        printf("*cafe %s* ", cli_commands[i]->name);
        put_escaped(cli_commands[i]->arguments);
        printf("\n\t");
        put_sentence(cli_commands[i]->summary);
        printf(".\n\n");
    }
}

/* ---- --tune ---------------------------------------------------------------------------------- */

/* Did a command before number `index` have the table? */
static bool came_before(size_t index, const cli_group *group) {
    for (size_t i = 0; i < index; i++)
        for (const cli_group *g = cli_groups(cli_task_at(i)); g && g->title; g++)
            if (g->table && g->table() == group->table()) return true;
    return false;
}

void cli_print_tuned(bool manual) {
    static cli_entries entries;
    for (size_t i = 0; cli_task_at(i); i++) {
        const cli_group *group = NULL;
        cli_merge(cli_task_at(i), NULL, &entries);
        for (size_t j = 0; j < entries.count; j++) {
            const cli_entry *e = &entries.at[j];
            if (!e->tuned || came_before(i, e->group)) continue;
            if (e->group != group)
                printf(manual ? "## cafe %s: %s\n\n" : "\ncafe %s, %s:\n", cli_task_at(i)->name,
                       e->group->title);
            group = e->group;
            (manual ? put_manual_option : cli_put_option)(e);
        }
    }
}

/* ---- the commands ---------------------------------------------------------------------------- */

typedef struct help_job {
    cli_run run;
    bool manual;
    int32_t shell;              /* cli_shell, with --completion */
    const cli_command *command; /* NULL: the tool, or a topic */
} help_job;

static int check(void *argument) {
    help_job *job = argument;
    const cli_arguments *a = job->run.arguments;
    if (a->count > 0) job->command = cli_find_command(a->words[0]);
    if (a->count > 1 && !job->command)
        return cli_usage_error("help", "unknown command '%s'", a->words[0]);
    if (a->count > 1 && !(job->command = cli_find_task(job->command, a->words[1])))
        return cli_usage_error("help", "cafe %s has no task '%s'", a->words[0], a->words[1]);
    return CLI_OK;
}

static int work_help(void *argument) {
    const help_job *job = argument;
    const cli_arguments *a = job->run.arguments;
    if (a->count > 0 && job->manual && strcmp(a->words[0], "tune") == 0)
        cli_print_tuned(true);
    else if (a->count > 0 && job->manual && strcmp(a->words[0], "exit-codes") == 0)
        cli_print_exit_manual();
    else if (a->count > 0 && !job->command)
        return cli_print_topic(a->words[0])
                   ? CLI_OK
                   : cli_usage_error(NULL, "unknown command or topic '%s'", a->words[0]);
    else if (cli_given(a, "completion"))
        cli_print_completion((cli_shell)job->shell);
    else if (job->manual && job->command)
        print_manual_options(job->command);
    else if (job->manual)
        print_manual_commands();
    else if (job->command)
        cli_print_help(job->command, false);
    else
        print_overview();
    return CLI_OK;
}

typedef struct version_job {
    cli_run run;
    bool probe;
} version_job;

/* A library that was not loaded has a file and no version. */
static void put_engine(const cafe_engine_info *engine) {
    bool known = engine->summary[0] != 0;
    printf("%-12s %s: %s%s%s\n", "engine", engine->name, known ? engine->summary : engine->path,
           engine->version[0] ? ", version " : "", engine->version);
    if (known && engine->path[0]) printf("%-12s %s\n", "", engine->path);
    if (engine->problem) printf("%-12s not usable: %s\n", "", engine->problem);
}

static int put_parts(const version_job *job) {
    const cli_run *run = &job->run;
    char line[256];
    cafe_engine_list *list = NULL;
    for (int32_t i = 0; cafe_build_line(i, line, sizeof line) > 0; i++) {
        int length = (int)strcspn(line, "\t");
        printf("%-12.*s %s\n", length, line, line + length + 1);
    }
    CLI_TRY(cli_check(run, cafe_engine_list_make(run->context, job->probe, &list)));
    for (int64_t i = 0; i < cafe_engine_list_count(list); i++)
        put_engine(cafe_engine_list_get(list, i));
    cafe_engine_list_free(list);
    printf("%-12s loaded when first used\n", "XGBoost");
    return CLI_OK;
}

static int work_version(void *argument) {
    const version_job *job = argument;
    printf("cafe %s\n", cafe_version());
    return job->run.common.verbose || job->probe ? put_parts(job) : CLI_OK;
}

static const cli_option help_options[] = {
    CLI_ROW_FLAG(help_job, manual, "man", "print the options as scdoc text, for the manual"),
    CLI_ROW_CHOICE(help_job, shell, "completion", "SHELL", NULL, "bash|zsh|fish",
                   "print a script that completes commands, options and values; bash, zsh or fish"),
    CLI_ROW_LOG,
    CLI_ROW_HELP,
    CLI_ROW_END,
};
static const cli_group help_groups[] = {CLI_GROUP("Options", help_options), {0}};
static const cli_option version_options[] = {
    CLI_ROW_FLAG(cli_common, verbose, "verbose",
                 "print also the build, the compiler, versions of libraries, and the engines that "
                 "--engine can name; none is loaded"),
    CLI_ROW_FLAG(version_job, probe, "probe",
                 "print the same and load each engine, which runs its code: what it is, its "
                 "version, why it cannot be used"),
    CLI_ROW_LOG,
    CLI_ROW_HELP,
    CLI_ROW_END,
};
static const cli_group version_groups[] = {CLI_GROUP("Options", version_options), {0}};

const cli_command cli_help = {
    .name = "help",
    .arguments = "[COMMAND [TASK] | TOPIC]",
    .summary = "explain the tool, a command or a topic",
    .groups = help_groups,
    .size = sizeof(help_job),
    .most = 2,
    .check = check,
    .work = work_help,
};

const cli_command cli_version = {
    .name = "version",
    .arguments = "",
    .summary = "print the version, and with --verbose the libraries and engines",
    .groups = version_groups,
    .size = sizeof(version_job),
    .work = work_version,
};
