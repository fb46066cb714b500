/* Rows of numbers from a file, one for each node of a graph: vectors, attributes. */
#ifndef CAFE_CLI_ROWS_H
#define CAFE_CLI_ROWS_H

#include "run.h"

/* .npy, CSV or TSV: rows that are named go to their nodes, others are in the order of the nodes.
 * *x gets nodes x *width numbers, to be freed with free(). */
int cli_read_rows(cli_run *run, const char *path, const cafe_graph *graph, float **x,
                  int64_t *width);

#endif
