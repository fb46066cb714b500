/* Output files of the tool itself (reports, labels), written by the library: they appear whole or
 * not at all. "-" is standard output.
 */
#ifndef CAFE_CLI_OUTPUT_H
#define CAFE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "run.h"

/* Before any work: can the file be made there, and is there none yet (or --force)? Prints what is
 * wrong and returns an exit code. A NULL path and "-" are fine. */
int cli_output_check(const char *command, const cli_common *common, const char *path);

/* Checks the files that a command's options and words name. Needed files exist, only one is
 * standard input, and outputs differ, have allowed endings and can be made. Between these come the
 * command's own checks. */
int cli_check_files(cli_run *run, const cli_command *command);
/* How many of the inputs, the first words and the files of options, are standard input. */
int cli_reads_standard(const cli_run *run, int words);
/* A command that reads a file does not write it, unless it is meant to (its in_place). `output` is
 * the name of the option. */
int cli_check_in_place(const cli_run *run, const cli_command *command, const char *output,
                       const char *path);
/* Makes an output's temporary file, or that of each, and removes it: what cannot be written is
 * known before the work. */
int cli_try_output(cli_run *run, const char *path);
int cli_try_outputs(cli_run *run);
/* Says which files the run has written, once they have their names. */
void cli_say_written(const cli_run *run);
/* The ending of an output is in the list ".npy .tsv -". */
int cli_check_ending(const char *command, const char *path, const char *endings);
/* A .npy file has no room for names: they go into a file beside it, which must be free too. */
int cli_check_names_file(cli_run *run, const char *path);

/* "-" */
bool cli_is_standard(const char *path);
bool cli_ends_in(const char *path, const char *ending);
/* The ending of a name with its dot (".npy"), "" when it has none. */
const char *cli_extension(const char *path);

/* The first line of a table, unless --no-heading. */
void cli_put_heading(FILE *file, const cli_run *run, const char *line);
/* Writes a file by `put`, whose exit code decides whether it is kept. A NULL path: nothing to do.
 */
typedef int cli_put(FILE *file, const void *argument);
int cli_write_file(cli_run *run, const char *path, cli_put *put, const void *argument);
/* The result of a command, on standard output unless -o names a file or the report is there. */
int cli_write_result(cli_run *run, cli_put *put, const void *argument);

#endif
