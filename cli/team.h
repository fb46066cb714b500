/* One command in several processes ("mpirun -n 8 cafe ... --engine petsc"): all of them compute,
 * the first one speaks and writes.
 */
#ifndef CAFE_CLI_TEAM_H
#define CAFE_CLI_TEAM_H

#include <stdbool.h>

#include "run.h"

/* Before the options are read: errors are printed once. The environment tells which
 * process this is; --engine among the words, that it may be one of several. */
void cli_team_guess(int argc, char **argv);
/* Once the engine is open: who this process really is. Refuses what several cannot do, several that
 * do not know one another, and several that were not given the same. */
int cli_team_join(cli_run *run, const cli_command *command);
/* same.c: compares what the command was given among all processes. */
int cli_team_same(cli_run *run, const cli_command *command);

/* The number of this process. Does it speak? */
int32_t cli_team_rank(void);
bool cli_team_speaks(void);
/* Are there several? */
bool cli_team_several(void);
/* Keeps the first line of one that does not, for its end; it is freed. */
void cli_team_keep(char *line);

/* The end of one that failed before it knew the others: it says what it kept. `code`. */
int cli_team_end(int code);
/* The end of a process that failed: the first one has spoken; another waits for that, then says
 * what it kept, with its number. Then it ends all of them. Returns if only one process runs. */
void cli_team_fail(const cli_run *run, int code);
/* The end of one that did not: it waits for the others. */
int cli_team_wait(const cli_run *run);

/* How the nodes were divided (--partition), and what that cost. */
void cli_team_say(const cli_run *run, const cafe_run_division *division);

#endif
