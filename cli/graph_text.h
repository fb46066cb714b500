/* What a graph is and what was dropped or merged on the way in. */
#ifndef CAFE_CLI_GRAPH_TEXT_H
#define CAFE_CLI_GRAPH_TEXT_H

#include "run.h"

/* "1,234,567" into text; returns text. */
enum { CLI_COUNT_TEXT = 32 };
const char *cli_count_text(int64_t count, char text[CLI_COUNT_TEXT]);

/* A figure for people: 0 when it is below the rounding of the largest beside it. */
double cli_above_rounding(double value, double largest);

/* A node's name as a field, in quotes where it needs them. */
void cli_put_node(FILE *file, const cli_run *run, const cafe_graph *graph, int64_t node);

/* What the file may have meant otherwise, and many dropped or merged edges, as warnings. */
void cli_warn_reading(cli_run *run, const cafe_graph *graph);

/* The counts in a sentence, then what was changed, if anything was. */
void cli_say_graph(cli_run *run, const char *path, const cafe_graph *graph);

/* Reads the graph of the first word into the run and says what it is; labels: as below. */
int cli_read_graph(cli_run *run, const char *labels);
/* Adds the nodes of --nodes-from that the graph lacks, isolated; *added gets their number. */
int cli_add_nodes(cli_run *run, cafe_graph **graph, int64_t *added);
/* Writes a graph in the format its ending tells. */
int cli_write_graph(cli_run *run, const cafe_graph *graph, const char *path);

/* Reads a graph, and says what it is; with a label file (NULL: none) its nodes that no edge
 * mentions are isolated nodes of it, by the rules of labels.h. */
int cli_read_labelled(cli_run *run, const char *path, const cafe_graph_options *options,
                      const char *labels, cafe_graph **graph);

/* What was dropped or merged, as "3 self-loops dropped, ..." into text; false: nothing was. */
bool cli_graph_changes(const cafe_graph_counts *counts, char *text, size_t capacity);

/* The rule that made directed edges symmetric (cafe_directed), in words. */
const char *cli_directed_text(int32_t rule);

/* "at most 2.1 % from the best": how far a modularity is from a bound. */
enum { CLI_DISTANCE_TEXT = 48 };
const char *cli_distance_text(double bound, double found, char text[CLI_DISTANCE_TEXT]);

#endif
