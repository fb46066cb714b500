/* --start and --keep of cafe cluster: communities to begin with, and nodes that stay in them. */
#ifndef CAFE_CLI_START_H
#define CAFE_CLI_START_H

#include "job.h"

/* Reads both files, where they were named, into the inputs of a run. Arrays are the run's. */
int cli_read_communities(cli_run *run, const cli_start *start, cafe_run_inputs *inputs);
/* What became of the communities of the start, in a line. */
void cli_say_changes(const cli_run *run, const cafe_run_changes *changes);

#endif
