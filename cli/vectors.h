/* An embedding from a file, its rows in the order of a graph's nodes. */
#ifndef CAFE_CLI_VECTORS_H
#define CAFE_CLI_VECTORS_H

#include "run.h"

/* As the tool writes it: .npy with names beside it, .tsv, .txt (word2vec text), or - for TSV on
 * standard input. *vectors gets nodes x *columns numbers, to be freed with free(). */
int cli_read_vectors(cli_run *run, const char *path, const cafe_graph *graph, int64_t *columns,
                     float **vectors);

#endif
