/* A command at work: its context, what it says, how it is interrupted, how long it took.
 *
 * Data goes to standard output, everything said for people to standard error.
 */
#ifndef CAFE_CLI_RUN_H
#define CAFE_CLI_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include <cafe/lab.h>

#include "option.h"
#include "tell.h"

typedef struct cli_progress_bar cli_progress_bar;

/* What the struct of a command starts with; the rest of it are its options and what they lead to.
 */
typedef struct cli_run {
    cli_common common;
    const char *command;
    const cli_arguments *arguments;
    const char **words; /* that are no options */
    cafe_context *context;
    cli_progress_bar *bar;    /* NULL: none is drawn */
    double began;             /* cli_seconds() at the start */
    bool grouped;             /* files wait for their names until the end */
    bool kept;                /* files are kept whatever the exit code is */
    cafe_graph *graph;        /* of cli_read_graph(), with its counts */
    cafe_graph_counts counts; /* of it */
    const char *told[4];      /* tables whose reading was printed */
    struct cli_memory *memory;
} cli_run;

/* Runs a command, whatever its words: reads the options, checks the files they name, lets it work
 * and releases what it has. Returns the exit code of the process. */
int cli_run_command(const cli_command *command, int argc, char **argv);

/* Leaves a function that returns an exit code: what it holds is the run's, which releases it. */
#define CLI_TRY(call)                      \
    do {                                   \
        int code_ = (call);                \
        if (code_ != CLI_OK) return code_; \
    } while (0)

/* count x size zeroed bytes that are released with the run; NULL, and a message, without memory. */
void *cli_new(cli_run *run, int64_t count, size_t size);
/* Room for a text of `length` bytes and its end, used again by the next one. Without memory it is
 * "", and no file is completed any more. */
char *cli_text_room(const cli_run *run, size_t length);
/* The name of a node, valid until the next text. */
const char *cli_name(const cli_run *run, const cafe_graph *graph, int64_t node);
/* Was there no memory for a text? */
bool cli_text_lost(const cli_run *run);

/* CLI_OK, or the status as a message and an exit code. */
int cli_check(const cli_run *run, cafe_status status);
/* Prints "cafe COMMAND: message" and returns `code`. */
int cli_error(const cli_run *run, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line, and a warning, on standard error unless --quiet. */
void cli_say(const cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_warn(const cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line of cafe_tables_read(). */
typedef struct cli_table {
    char text[1200];
    const char *file, *reading;
} cli_table;
/* Takes the next of the lines; false: there is none. */
bool cli_next_table(const char **lines, cli_table *table);
/* The reading of this file was printed: the end does not do so again. */
void cli_told_table(cli_run *run, const char *path);

/* Standard input, output and error are open, so that no file takes their place. And what was
 * printed reached its reader: `code`, or CLI_FAILED and a message. */
void cli_open_streams(void);
int cli_close_streams(int code);
/* Writes out what standard output holds; the end reports a failure. */
void cli_flush_output(void);

/* The signal that asked this process to stop, or 0. */
int cli_signal(void);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* progress.c: one line on a terminal, redrawn ten times a second by a thread of its own; with
 * --log json a line for each phase. */
cli_progress_bar *cli_progress_start(const cli_run *run);
void cli_progress_stop(cli_progress_bar *bar);
/* Takes the line away, so that text can be printed, and lets it come back. Accepts NULL. */
void cli_progress_hide(cli_progress_bar *bar);
void cli_progress_show(cli_progress_bar *bar);

#endif
