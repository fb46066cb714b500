/* --sampling: how embed and cluster draw pairs of nodes from the graph. */
#ifndef CAFE_CLI_SAMPLING_H
#define CAFE_CLI_SAMPLING_H

#include "report.h"
#include "run.h"

/* What was asked for; a field of the command's struct. */
typedef struct cli_sampling {
    int32_t kind; /* cafe_sampling */
    const char *attributes, *seeds;
    cafe_sample_options options;
} cli_sampling;

/* The options of the tool, of a command whose struct `type` has the field; those of the
 * library's table are a group of their own. */
#define CLI_ROWS_SAMPLING(type) CLI_ROWS_SAMPLING_AT(type, sampling)
#define CLI_ROWS_SAMPLING_AT(type, field)                                                      \
    {"sampling",                                                                               \
     0,                                                                                        \
     "NAME",                                                                                   \
     CLI_CHOICE,                                                                               \
     offsetof(type, field.kind),                                                               \
     "edge",                                                                                   \
     "edge|walk|pagerank|twisted",                                                             \
     "how pairs of nodes are drawn from the graph: the ends of an edge, of a walk of 1 to "    \
     "--window steps, of a walk that stops by chance, or of an edge between nodes that are "   \
     "alike"},                                                                                 \
        {"attributes",                                                                         \
         0,                                                                                    \
         "FILE",                                                                               \
         CLI_TEXT,                                                                             \
         offsetof(type, field.attributes),                                                     \
         NULL,                                                                                 \
         NULL,                                                                                 \
         "twisted: a row of numbers per node (.npy, CSV, TSV; rows that are not named are in " \
         "the order of the nodes); with --measure category also 'node label' a line"},         \
    {                                                                                          \
        "seeds", 0, "FILE", CLI_TEXT, offsetof(type, field.seeds), NULL, NULL,                 \
            "walk, pagerank: walks begin at these nodes, a name a line"                        \
    }

/* Options that contradict each other: CLI_OK or CLI_USAGE. */
int cli_sampling_check(const char *command, cli_sampling *s, const cli_arguments *arguments);

/* Reads the files and samples; says what came out unless it is plain edge sampling. */
int cli_sample(cli_run *run, const cli_sampling *s, const cafe_graph *graph,
               cafe_sampled **sampled);

/* Entries of P at most, for foretelling the memory. */
int64_t cli_sampling_entries(const cli_sampling *s, const cafe_graph_counts *counts);

/* The options in a report. */
void cli_report_sampling(cafe_report *report, const cli_sampling *s);

#endif
