/* Node names on their way out: how long, how quoted, and the file of names beside a matrix. */
#ifndef CAFE_IO_NAMES_H
#define CAFE_IO_NAMES_H

#include "graph/graph.h"
#include "io/output.h"

/* The most bytes a name of this graph takes, quotes included. */
int64_t cafe_names_longest(const cafe_graph *graph);

/* Writes the bare name of a node and returns the place behind it. */
char *cafe_put_name(const cafe_graph *graph, int64_t u, char *text);

/* The same as a field of an edge list or table: in quotes when it could be taken for something else
 * without (a separator, a comment or an integer). */
char *cafe_put_field(const cafe_graph *graph, int64_t u, char *text);

/* The same as a cell of a table of tabs: in quotes when it has a tab or a quote in it. */
char *cafe_put_cell(const cafe_graph *graph, int64_t u, char *text);

/* Opens FILE.names.txt and writes one name per line, in the order of the nodes; names that are
 * indices need none (the output stays zeroed), and then a leftover of an earlier run is an error,
 * or with `overwrite` removed by cafe_names_commit(). */
cafe_status cafe_names_write(cafe_context *context, const cafe_graph *graph, const char *path,
                             bool overwrite, cafe_output *output);
cafe_status cafe_names_commit(cafe_context *context, const char *path, cafe_output *output);

#endif
