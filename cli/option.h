/* Options of a command: its own ones and those of the library's tables, merged into one list that
 * feeds the parser, --help and the manual.
 */
#ifndef CAFE_CLI_OPTION_H
#define CAFE_CLI_OPTION_H

#include <stdbool.h>

#include <cafe/cafe.h>

typedef struct cli_command cli_command;

typedef enum cli_kind {
    CLI_FLAG,  /* bool; takes no value */
    CLI_TEXT,  /* const char * */
    CLI_COUNT, /* int32_t from 0 to 1024 */
    CLI_SEED,  /* uint64_t */
    CLI_BYTES, /* int64_t: 512M, 8G */
    CLI_CHOICE /* int32_t, index into `choices` */
} cli_kind;

/* An option of the tool itself; the value is stored at `offset` of the command's struct. */
typedef struct cli_option {
    const char *name;
    char letter; /* 0: none */
    const char *placeholder;
    cli_kind kind;
    size_t offset;
    const char *initial; /* as text; NULL: zero */
    const char *choices; /* "a|b" */
    const char *help;    /* one sentence, no full stop */
} cli_option;

/* A group has options of the tool (ended by a row without a name) or a table of the library, whose
 * options struct lies at `offset` of the command's struct. A group whose title has "--method NAME"
 * in it, or "--method NAME|OTHER", counts only with those methods. */
typedef struct cli_group {
    const char *title;
    const cli_option *own;
    const cafe_option_table *(*table)(void);
    size_t offset;
} cli_group;

/* What every command's struct starts with, and the rows of the options that fill it. */
typedef struct cli_common {
    bool help, quiet, verbose, force;
    int32_t threads;
    uint64_t seed;
} cli_common;

/* What an array of rows ends with. */
#define CLI_ROW_END \
    { NULL, 0, NULL, CLI_FLAG, 0, NULL, NULL, NULL }
#define CLI_ROW_HELP \
    { "help", 'h', NULL, CLI_FLAG, offsetof(cli_common, help), NULL, NULL, "show this help" }
#define CLI_ROW_QUIET                                                          \
    {                                                                          \
        "quiet", 'q', NULL, CLI_FLAG, offsetof(cli_common, quiet), NULL, NULL, \
            "say nothing but errors"                                           \
    }
#define CLI_ROW_VERBOSE                                                            \
    {                                                                              \
        "verbose", 'v', NULL, CLI_FLAG, offsetof(cli_common, verbose), NULL, NULL, \
            "say more: every sweep and every column"                               \
    }
#define CLI_ROW_FORCE                                                          \
    {                                                                          \
        "force", 'f', NULL, CLI_FLAG, offsetof(cli_common, force), NULL, NULL, \
            "overwrite files that exist"                                       \
    }
#define CLI_ROW_THREADS                                                                         \
    {                                                                                           \
        "threads", 't', "T", CLI_COUNT, offsetof(cli_common, threads), "0", NULL,               \
            "threads to use; 0 is one per CPU this process may run on; the result is the same " \
            "for any"                                                                           \
    }
#define CLI_ROW_SEED                                                        \
    {                                                                       \
        "seed", 0, "S", CLI_SEED, offsetof(cli_common, seed), "1", NULL,    \
            "seed of the random numbers; the same seed gives the same bits" \
    }

/* One option of the merged list: of the tool (`own`) or of a library table (`shared`). */
typedef struct cli_entry {
    const cli_group *group;
    const cli_option *own;
    const cafe_option *shared;
    const char *name, *placeholder, *help;
    char letter;
} cli_entry;

enum { CLI_MOST_OPTIONS = 256 };

typedef struct cli_entries {
    cli_entry at[CLI_MOST_OPTIONS];
    size_t count;
} cli_entries;

/* method: NULL for the options of all methods, or leaves out those of the others. */
void cli_merge(const cli_command *command, const char *method, cli_entries *entries);

/* The words that are no options, and which options were given. */
typedef struct cli_arguments {
    const char **words;
    int count;
    cli_entries entries;
    bool given[CLI_MOST_OPTIONS];
} cli_arguments;

/* Fills `values` with the defaults, then with what argv says. On error prints it and returns
 * CLI_USAGE. --help ends the parsing. Free with cli_arguments_free() in any case. */
int cli_parse(const cli_command *command, int argc, char **argv, void *values,
              cli_arguments *arguments);
void cli_arguments_free(cli_arguments *arguments);
bool cli_given(const cli_arguments *arguments, const char *name);

/* The nearest of `count` names to a misspelt one, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* Prints "cafe COMMAND: message" to standard error, with a pointer to --help, and returns
 * CLI_USAGE. */
int cli_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
