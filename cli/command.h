/* The commands of the tool. A new command is one file that defines cli_NAME and one line here. */
#ifndef CAFE_CLI_COMMAND_H
#define CAFE_CLI_COMMAND_H

#include <stdbool.h>

#include "option.h"

#define CLI_COMMANDS(X) \
    X(embed)            \
    X(cluster)          \
    X(convert)          \
    X(info)             \
    X(generate)         \
    X(update)           \
    X(place)            \
    X(reduce)           \
    X(rank)             \
    X(predict)          \
    X(recommend)        \
    X(points)           \
    X(evaluate)         \
    X(reproduce)        \
    X(report)           \
    X(explain)          \
    X(plot)             \
    X(help)             \
    X(version)

struct cli_command {
    const char *name;
    const char *arguments;   /* as in the usage line: "GRAPH -o OUT.npy" */
    const char *summary;     /* one line, no full stop */
    const char *description; /* a paragraph; NULL: none */
    const cli_group *groups; /* ended by a group without a title; NULL: no options */
    size_t size;             /* of the struct the options are stored in; it starts with cli_run */
    int least, most;         /* how many words that are no options */
    const char *instead;     /* an option that may stand for them all; NULL: none */
    int inputs;              /* the first of them are files to read */
    bool many;               /* the first word may be several: files of the same list of edges */
    const char *single;      /* why it may not; NULL: the usage line says it */
    const char *needs;       /* one of these options must be given: "output|json"; NULL: none */
    const char *in_place;    /* outputs that may be an input, an option or a word by its number:
                                "output:from graph-out:1"; NULL: none */
    bool one_by_one;         /* files get their names as they are complete, not all at the end */
    /* Refuses options that contradict each other, does the work, frees what is not the run's: they
     * get the command's struct. check and release may be NULL. */
    int (*check)(void *job);
    int (*work)(void *job);
    void (*release)(void *job);
    /* A command of several tasks, ended by NULL, has no options of its own: the word behind it
     * names one. A task's name has both words: "evaluate link". */
    const cli_command *const *tasks;
};

/* The members of a command of one file: its job, how many words, and how many of them are inputs.
 */
#define CLI_JOB(type, words, files)                                                               \
    .groups = groups, .size = sizeof(type), .least = (words), .most = (words), .inputs = (files), \
    .work = work

#define CLI_DECLARE(name) extern const cli_command cli_##name;
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

/* The commands in the order of the list above, ended by NULL. */
extern const cli_command *const cli_commands[];

/* The command of that name, or NULL; and its task of that name, or NULL. */
const cli_command *cli_find_command(const char *name);
const cli_command *cli_find_task(const cli_command *command, const char *name);
/* The commands one after the other, with the tasks in place of those that have some; NULL behind
 * the last. */
const cli_command *cli_task_at(size_t index);
/* The task's word without the command's. */
const char *cli_task_word(const cli_command *task);

/* Prints words from column `at` on, in lines that begin at column `indent`; the column behind. */
int cli_put_words(const char *text, int indent, int at);
/* A row of usual.c: the command line of an example behind "cafe COMMAND", and the options of -h,
 * "output|columns". */
typedef struct cli_usual {
    const char *command, *example, *options;
} cli_usual;
const cli_usual *cli_usual_of(const cli_command *command);

/* The help page of a command, with all options or only the usual ones. */
void cli_print_help(const cli_command *command, bool brief);
/* The page of a topic, a method or a sampling; false when there is none of that name. The list of
 * topics. */
bool cli_print_topic(const char *name);
void cli_print_topics(void);
/* A row of such a page, and the table of all options for --tune. */
void cli_put_option(const cli_entry *entry);
void cli_print_tuned(bool manual);

/* A script that completes commands, options and values in a shell; in the order of
 * `cafe help --completion`. */
typedef enum cli_shell { CLI_BASH, CLI_ZSH, CLI_FISH } cli_shell;
void cli_print_completion(cli_shell shell);

#endif
