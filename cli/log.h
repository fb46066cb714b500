/* Lines on standard error: text for people, or by --log json an object a line for programs. */
#ifndef CAFE_CLI_LOG_H
#define CAFE_CLI_LOG_H

#include "option.h"

typedef enum cli_level { CLI_ERROR, CLI_WARNING, CLI_INFO, CLI_PROGRESS } cli_level;

/* The choices of --log. */
typedef enum cli_log_form { CLI_LOG_TEXT, CLI_LOG_JSON } cli_log_form;

/* From now on lines have this form. cli_log_guess() looks for --log among the words, so that
 * messages on wrong options have it too. */
void cli_log_as(cli_log_form form);
void cli_log_guess(int argc, char **argv);
bool cli_log_is_json(void);
/* The files among these arguments are those a message can begin with, and the context knows the
 * phase; NULL: not known. They are valid until the next call. */
void cli_log_of(const cli_arguments *arguments, const cafe_context *context);

/* Errors from now on begin with FILE:LINE, the origin of an option (line 0: with FILE); NULL: they
 * do not. */
void cli_log_origin(const char *file, int line);

/* Writes a line, or keeps it where another process speaks. code: the exit code of an error, else 0.
 * The text has no control characters: cafe_show(). */
void cli_log(cli_level level, const char *command, int code, const char *text);
/* The same for progress, with its numbers. */
void cli_log_progress(const char *command, const cafe_progress *progress);

/* A line for a signal handler: made before, written with the time of the call. */
void cli_log_prepare(const char *command, const char *text);
void cli_log_write_prepared(void);

#endif
