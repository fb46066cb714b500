/* --node NAME,...: nodes by their names, the same for every command. */
#ifndef CAFE_CLI_NODES_H
#define CAFE_CLI_NODES_H

#include "run.h"

#define CLI_NODES_HELP "; names with a comma stand in double quotes"

/* The nodes of the run's graph that a list names: one name, which may have commas in it, or several
 * with commas between. An unknown one is reported with the nearest name. A NULL list: none.
 * The array is the run's. */
int cli_find_nodes(cli_run *run, const char *list, int64_t **nodes, int64_t *count);

#endif
