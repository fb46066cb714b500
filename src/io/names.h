/* Node names on their way out: how long, how quoted, and the file of names beside a matrix. */
#ifndef CAFE_IO_NAMES_H
#define CAFE_IO_NAMES_H

#include "graph/graph.h"
#include "io/output.h"

/* The most bytes that one of n names takes, quotes included. */
int64_t cafe_names_longest(const cafe_names *names, int64_t n);

/* Writes bare name number u and returns the place behind it. */
char *cafe_put_name(const cafe_names *names, int64_t u, char *text);

/* The same as a field of an edge list or table: in quotes when it could be taken for something else
 * without (a separator, a comment or an integer). */
char *cafe_put_field(const cafe_names *names, int64_t u, char *text);

/* The same as a cell of a table of tabs: in quotes when it has a tab or a quote in it. */
char *cafe_put_cell(const cafe_names *names, int64_t u, char *text);

/* Opens FILE.names.txt and writes one name per line, in the order of the nodes; names that are
 * indices need none (the output is NULL), and then a leftover of an earlier run is an error,
 * or with `overwrite` removed by cafe_names_commit(). */
cafe_status cafe_names_write(cafe_context *context, const cafe_names *names, int64_t n,
                             const char *path, bool overwrite, cafe_output **output);
cafe_status cafe_names_commit(cafe_context *context, const char *path, cafe_output **output);

/* The n names of FILE.names.txt, a line each; without that file the names are indices. */
cafe_status cafe_names_read(cafe_context *context, const char *path, int64_t n, cafe_names *names);

#endif
