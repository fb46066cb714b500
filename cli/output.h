/* Output files of the tool itself (reports, labels): written under a temporary name and renamed;
 * what exists is kept unless asked otherwise. "-" is standard output.
 */
#ifndef CAFE_CLI_OUTPUT_H
#define CAFE_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "run.h"

/* Before any work: can the file be made there, and is there none yet (or --force)? Prints what is
 * wrong and returns an exit code. A NULL path and "-" are fine. */
int cli_output_check(const char *command, const cli_common *common, const char *path);

/* The ending of a name with its dot (".npy"), "" when it has none. */
const char *cli_extension(const char *path);

typedef struct cli_output {
    FILE *file;
    const char *path;
    char *temporary;
} cli_output;

int cli_output_open(cli_run *run, const char *path, cli_output *output);
/* With `keep` the file gets its name, else (and when a write failed or a signal came) it goes. */
int cli_output_close(cli_run *run, cli_output *output, bool keep);

/* Writes a file by `put`, whose exit code decides whether it is kept. A NULL path: nothing to do.
 */
typedef int cli_put(FILE *file, const void *argument);
int cli_write_file(cli_run *run, const char *path, cli_put *put, const void *argument);

#endif
