/* Rows of numbers from a file, in the order of a graph's nodes. */
#ifndef CAFE_CLI_VECTORS_H
#define CAFE_CLI_VECTORS_H

#include "run.h"

/* cafe_vectors_read() and cafe_attributes_read(): nodes x *columns numbers, to be freed with
 * free(). Argument labels: NULL, or the file beside the vectors. If it is a list of all nodes
 * (labels.h) and the vectors are of these, nodes without an edge are added to the graph. Argument
 * made: as in cafe_vectors_read(). */
int cli_read_vectors(cli_run *run, const char *path, const char *labels, cafe_graph **graph,
                     int64_t *columns, float **vectors, char *made);
/* Sets the degree exponent, unless the user has, to that of the vectors, or to `otherwise` where
 * their file does not say it, and reports so. Vectors of another sampling than this one are refused
 * unless the user gave it. */
int cli_made_with(cli_run *run, const char *path, const char *made, int32_t sampling,
                  double otherwise, double *degree_exponent);
/* A row for each node and no others. */
int cli_read_start(cli_run *run, const char *path, const cafe_graph *graph, int64_t *columns,
                   float **vectors);
int cli_read_rows(cli_run *run, const char *path, const cafe_graph *graph, float **x,
                  int64_t *width);

#endif
