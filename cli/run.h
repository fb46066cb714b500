/* A command at work: its context, what it says, how it is interrupted, how long it took.
 *
 * Data goes to standard output, everything said for people to standard error.
 */
#ifndef CAFE_CLI_RUN_H
#define CAFE_CLI_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include <cafe/cafe.h>

#include "option.h"

typedef struct cli_progress_bar cli_progress_bar;

typedef struct cli_run {
    const char *command;
    cafe_context *context;
    const cli_common *common;
    cli_progress_bar *bar; /* NULL: none is drawn */
    double began;          /* cli_seconds() at the start */
} cli_run;

/* Makes the context, lets Ctrl-C cancel it and starts the progress bar (when standard error is a
 * terminal). Returns an exit code; cli_end() is called in any case. */
int cli_begin(cli_run *run, const char *command, const cli_common *common);
/* Ends the run: `code`, or CLI_FAILED when standard output could not be written. */
int cli_end(cli_run *run, int code);

/* CLI_OK, or the status as a message and an exit code. */
int cli_check(cli_run *run, cafe_status status);
/* Prints "cafe COMMAND: message" and returns `code`. */
int cli_error(cli_run *run, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line, and a warning, on standard error unless --quiet. */
void cli_say(cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_warn(cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The signal that asked this process to stop, or 0. */
int cli_signal(void);

/* Seconds on a clock that only goes forward. */
double cli_seconds(void);

/* progress.c: one line on a terminal, redrawn ten times a second by a thread of its own. */
cli_progress_bar *cli_progress_start(cafe_context *context);
void cli_progress_stop(cli_progress_bar *bar);
/* Takes the line away, so that text can be printed, and lets it come back. Accepts NULL. */
void cli_progress_hide(cli_progress_bar *bar);
void cli_progress_show(cli_progress_bar *bar);

#endif
