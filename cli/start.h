/* --start and --keep of cafe cluster: communities to begin with, and nodes that stay in them. */
#ifndef CAFE_CLI_START_H
#define CAFE_CLI_START_H

#include "job.h"

/* Reads both files, where they were named, into the inputs of a run. Arrays are the run's. */
int cli_read_communities(cli_run *run, const cli_start *start, cafe_run_inputs *inputs);
/* Indices of classes become the numbers that the file has, if all its communities have one. */
void cli_community_numbers(const cafe_labels *labels, int64_t n, int32_t *part);
/* What became of the communities of the start, in a line. */
void cli_say_changes(const cli_run *run, const cafe_run_changes *changes);

#endif
