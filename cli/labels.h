/* Files of labels and of communities: one reader and one set of rules for every command. */
#ifndef CAFE_CLI_LABELS_H
#define CAFE_CLI_LABELS_H

#include "run.h"

/* --unknown-nodes: the treatment of nodes that the file names and the graph does not have. With
 * auto, a file that names every node of the graph is a list of all nodes, and the others have no
 * edge. They are added, or left out if vectors settle what the nodes are. Any other file is
 * refused. */
enum { CLI_UNKNOWN_AUTO, CLI_UNKNOWN_REFUSE, CLI_UNKNOWN_SKIP, CLI_UNKNOWN_ADD };
#define CLI_ROWS_LABEL_FILE                                                                        \
    CLI_ROW_TEXT(cli_common, label_columns.id, "id", "COLUMN",                                     \
                 "column of the nodes in the file of labels (else of communities), by name or by " \
                 "number from 0"),                                                                 \
        CLI_ROW_TEXT(                                                                              \
            cli_common, label_columns.label, "label", "COLUMN",                                    \
            "column of the labels in that file; several with commas between them; without "        \
            "--labels, an attribute of the graph's nodes"),                                        \
        CLI_ROW_CHOICE(cli_common, unknown_nodes, "unknown-nodes", "WHAT", "auto",                 \
                       "auto|refuse|skip|add",                                                     \
                       "labelled nodes that the graph does not have: refuse the file, skip them, " \
                       "or add them as "                                                           \
                       "nodes without an edge; auto adds them (or skips them, where vectors are "  \
                       "given) when the "                                                          \
                       "file labels every node of the graph too, and refuses it otherwise")

/* Nodes that only the file names become nodes of the graph, if the rules require it: *added of
 * them, which is 0 before. And a line that tells about them. */
int cli_add_labelled(cli_run *run, const char *path, cafe_graph **graph, int64_t *added);
cafe_status cli_try_labelled(cli_run *run, const char *path, cafe_graph **graph, int64_t *added);
void cli_say_added(cli_run *run, const char *path, int64_t added);

/* The labels of the nodes, and what was understood. */
int cli_read_labels(cli_run *run, const cafe_graph *graph, const char *path, cafe_labels **labels);

/* "labels    FILE: 17 classes, 2,363 of 2,405 nodes labelled" */
void cli_say_labels(cli_run *run, const char *path, const cafe_graph *graph,
                    const cafe_labels *labels);
/* The same of a file that leaves nodes out. */
void cli_say_partial(cli_run *run, const char *path, const cafe_graph *graph,
                     const cafe_labels *labels);

/* One class a node, -1 without one, in memory of the run. */
int cli_read_classes(cli_run *run, const cafe_graph *graph, const char *path, cafe_labels **labels,
                     int32_t **label);

#endif
