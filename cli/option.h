/* Options of a command: its own ones and those of the library's tables, merged into one list that
 * feeds the parser, --help and the manual.
 */
#ifndef CAFE_CLI_OPTION_H
#define CAFE_CLI_OPTION_H

#include <stdbool.h>

#include <cafe/lab.h>

#include "config.h"
#include "exit_code.h"

typedef struct cli_command cli_command;

typedef enum cli_kind {
    CLI_FLAG,     /* bool; takes no value */
    CLI_HELP,     /* int32_t: 0, CLI_BRIEF by -h, CLI_FULL by --help */
    CLI_TUNE,     /* NAME=VALUE of an option of the library that is marked CAFE_OPTION_TUNE */
    CLI_TEXT,     /* const char * */
    CLI_READS,    /* const char *: a file to read; - is standard input */
    CLI_WRITES,   /* const char *: a file to write; `choices` are its endings, ".npy .tsv -" */
    CLI_KEEPS,    /* const char *: a file that is read, if it is there, and written */
    CLI_THREADS,  /* int32_t from 0 to 1024 */
    CLI_COUNT,    /* int32_t from 0 */
    CLI_POSITIVE, /* int32_t from 1 */
    CLI_SEED,     /* uint64_t */
    CLI_BYTES,    /* int64_t: 512M, 8G */
    CLI_CHOICE,   /* int32_t, index into `choices` */
    /* of the library's registries: */
    CLI_VECTORS_METHOD,     /* const cafe_method *, a method for vectors */
    CLI_COMMUNITIES_METHOD, /* const cafe_method *, a method for communities */
    CLI_SAMPLING            /* int32_t, cafe_sampling */
} cli_kind;

enum { CLI_BRIEF = 1, CLI_FULL };

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

/* As a group's table these stand for all methods of the library for vectors or for communities: a
 * group "--method NAME" for each. A * in a title stands for the methods that take samplings. */
const cafe_option_table *cli_vectors_methods(void);
const cafe_option_table *cli_communities_methods(void);
/* The groups of a command, with those of the methods; ended by one without a title. */
const cli_group *cli_groups(const cli_command *command);
/* The digits that the text begins with, a whole number up to `most`; false where there are none, or
 * where it is larger. *end is behind them. */
bool cli_whole(const char *text, uint64_t most, uint64_t *value, const char **end);
/* The choices of an option, "a|b"; NULL: none. */
const char *cli_choices(const cli_option *option);

/* What every command's struct starts with, and the rows of the options that fill it. */
typedef struct cli_common {
    bool quiet, verbose, force, no_heading;
    int32_t help;
    int32_t threads;
    uint64_t seed;
    int32_t log;                      /* cli_log_form */
    int32_t unknown_nodes;            /* labels.h */
    cafe_label_columns label_columns; /* likewise */
    const char *engine;               /* NULL: the processor */
    int32_t partition;                /* cafe_partitioner: of the nodes among processes */
    const char *output, *json;        /* NULL: not asked for */
    const char *config;               /* NULL: none */
    cafe_graph_options reading;       /* of the graph */
    const char *nodes_from;           /* a file of its nodes; NULL: none */
} cli_common;

/* Rows, one a line: an option of the struct `type`, stored in its `field`. */
#define CLI_ROW_FLAG(type, field, name, help) \
    { name, 0, NULL, CLI_FLAG, offsetof(type, field), NULL, NULL, help }
#define CLI_ROW_TEXT(type, field, name, value, help) \
    { name, 0, value, CLI_TEXT, offsetof(type, field), NULL, NULL, help }
#define CLI_ROW_READS(type, field, name, help) \
    { name, 0, "FILE", CLI_READS, offsetof(type, field), NULL, NULL, help }
#define CLI_ROW_WRITES(type, field, name, endings, help) \
    { name, 0, "FILE", CLI_WRITES, offsetof(type, field), NULL, endings, help }
#define CLI_ROW_NUMBER(type, field, name, value, kind, initial, help) \
    { name, 0, value, kind, offsetof(type, field), initial, NULL, help }
#define CLI_ROW_CHOICE(type, field, name, value, initial, choices, help) \
    { name, 0, value, CLI_CHOICE, offsetof(type, field), initial, choices, help }

/* Endings of a table with a row per node or the like: any that is not of another format. */
#define CLI_TABLES ".tsv .csv .txt * -"

/* Rows of options that many commands have; endings: NULL for any. */
#define CLI_ROW_OUTPUT(endings, help) \
    { "output", 'o', "FILE", CLI_WRITES, offsetof(cli_common, output), NULL, endings, help }
#define CLI_ROW_JSON(help) CLI_ROW_WRITES(cli_common, json, "json", NULL, help)
#define CLI_ROW_HELP                                                         \
    {                                                                        \
        "help", 'h', NULL, CLI_HELP, offsetof(cli_common, help), NULL, NULL, \
            "show all options; -h shows the dozen that most people use"      \
    }
#define CLI_ROW_LOG                                                                        \
    CLI_ROW_CHOICE(cli_common, log, "log", "FORM", "text", "text|json",                    \
                   "what standard error gets: text for people, or json, an object a line " \
                   "with time, level, command, phase, message, file and line")
#define CLI_ROW_CONFIG                                                                         \
    CLI_ROW_READS(cli_common, config, "config",                                                \
                  "options and arguments from a file: lines key = value in TOML, or the JSON " \
                  "report of an earlier run; the command line goes before")
#define CLI_ROW_QUIET                                                          \
    {                                                                          \
        "quiet", 'q', NULL, CLI_FLAG, offsetof(cli_common, quiet), NULL, NULL, \
            "print nothing on standard error but errors"                       \
    }
#define CLI_ROW_NO_HEADING                             \
    CLI_ROW_FLAG(cli_common, no_heading, "no-heading", \
                 "write tables (.tsv, .csv, -) without the line of column names, for pipes")
#define CLI_ROW_VERBOSE                                                            \
    {                                                                              \
        "verbose", 'v', NULL, CLI_FLAG, offsetof(cli_common, verbose), NULL, NULL, \
            "print more: every sweep and every column"                             \
    }
#define CLI_ROW_FORCE                                                          \
    {                                                                          \
        "force", 'f', NULL, CLI_FLAG, offsetof(cli_common, force), NULL, NULL, \
            "overwrite files that exist"                                       \
    }
#define CLI_ROW_THREADS                                                                         \
    {                                                                                           \
        "threads", 't', "T", CLI_THREADS, offsetof(cli_common, threads), "0", NULL,             \
            "threads to use; 0 is one per CPU this process may run on; the result is the same " \
            "for any number"                                                                    \
    }
#define CLI_ROW_ENGINE                                                                          \
    CLI_ROW_TEXT(cli_common, engine, "engine", "NAME",                                          \
                 "the device that computes, such as cuda, or petsc, which joins the processes " \
                 "that mpirun started; 'cafe version --verbose' lists them")
#define CLI_ROW_PARTITION                                                                      \
    CLI_ROW_CHOICE(cli_common, partition, "partition", "HOW", "contiguous",                    \
                   "contiguous|scotch|parmetis",                                               \
                   "with an engine that joins processes: which of them has which nodes; "      \
                   "contiguous, in pieces of consecutive nodes; scotch and parmetis, so that " \
                   "few edges lie between two")
#define CLI_ROW_SEED                                             \
    CLI_ROW_NUMBER(cli_common, seed, "seed", "S", CLI_SEED, "1", \
                   "seed of the random numbers; the same seed gives the same bits")

/* What an array of rows ends with; those of a command, without and with random numbers. */
#define CLI_ROW_END \
    { NULL, 0, NULL, CLI_FLAG, 0, NULL, NULL, NULL }
#define CLI_ROWS_PLAIN                                                                        \
    CLI_ROW_CONFIG, CLI_ROW_FORCE, CLI_ROW_THREADS, CLI_ROW_LOG, CLI_ROW_QUIET, CLI_ROW_HELP, \
        CLI_ROW_END
#define CLI_ROWS_SEEDED CLI_ROW_SEED, CLI_ROWS_PLAIN

/* Groups: rows alone, a table of the library in `field`, and that of reading a graph. */
#define CLI_GROUP(title, rows) \
    { title, rows, NULL, 0 }
#define CLI_GROUP_TABLE(title, type, field, table) \
    { title, NULL, table, offsetof(type, field) }
#define CLI_GROUP_READING                                                               \
    CLI_GROUP_TABLE("Reading the graph", cli_common, reading, cafe_graph_option_table), \
        CLI_GROUP("Nodes without edges", cli_nodes_rows)
extern const cli_option cli_nodes_rows[];

/* Endings of graphs and of vectors; a - is standard output. */
#define CLI_GRAPHS  CAFE_GRAPH_ENDINGS
#define CLI_VECTORS CAFE_VECTOR_ENDINGS

/* One option of the merged list: of the tool (`own`) or of a library table (`shared`). */
typedef struct cli_entry {
    const cli_group *group;
    const cli_option *own;
    const cafe_option *shared;
    const char *name, *placeholder, *help;
    char letter;
    bool tuned; /* given by --tune NAME=VALUE */
} cli_entry;

/* Its help text with options as the tool spells them; kept for as long as the process lives. */
const char *cli_entry_help(const cli_entry *entry);

enum { CLI_MOST_OPTIONS = 256 };

typedef struct cli_entries {
    cli_entry at[CLI_MOST_OPTIONS];
    size_t count;
} cli_entries;

/* method: NULL for the options of all methods, or leaves out those of the others. */
void cli_merge(const cli_command *command, const char *method, cli_entries *entries);
/* The method without --method; NULL when the command has none. */
const char *cli_default_method(const cli_command *command);
/* Is a library option of this name one for --tune? Have the groups one? */
bool cli_is_tuned(const char *name, size_t length);
bool cli_has_tuned(const cli_group *groups);
/* Does an option take a value, and is that a file? */
bool cli_takes_value(const cli_entry *entry);
bool cli_takes_file(const cli_entry *entry);

/* The words that are no options, and which options were given. */
typedef struct cli_arguments {
    const char **words; /* in the places of the usage line; further files of the graph come last */
    int count;
    int further; /* that many, which were given behind the first word */
    cli_entries entries;
    bool given[CLI_MOST_OPTIONS];
    const char *text[CLI_MOST_OPTIONS]; /* the values as they were given */
    cli_config config;                  /* of --config */
} cli_arguments;

/* Fills `values` with the defaults, then with what argv says. On error prints it and returns
 * CLI_USAGE. --help ends the parsing. Free with cli_arguments_free() in any case. */
int cli_parse(const cli_command *command, int argc, char **argv, void *values,
              cli_arguments *arguments);
void cli_arguments_free(cli_arguments *arguments);
bool cli_given(const cli_arguments *arguments, const char *name);
/* The option whose name the first `length` letters are, or NULL. */
const cli_entry *cli_find_entry(const cli_entries *entries, const char *name, size_t length);
/* Refuses the options "a|b" where one was given: "--a goes with WHAT". */
int cli_only_with(const char *command, const cli_arguments *arguments, const char *names,
                  const char *what);

/* The nearest of `count` names to a misspelt one, or NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *names, size_t count);

/* Prints "cafe COMMAND: message" to standard error, with a pointer to --help, and returns
 * CLI_USAGE. */
int cli_usage_error(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
