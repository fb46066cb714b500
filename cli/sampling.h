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
    cafe_sample_inputs inputs; /* of the files, once they are read: */
    float *numbers;
    int32_t *nodes;
    const char *features_path; /* of the operator; NULL: none */
    const cafe_feature_inputs *features;
} cli_sampling;

/* The options of the tool, of a command whose struct `type` has the field; those of the
 * library's table are a group of their own. */
#define CLI_ROWS_SAMPLING(type) CLI_ROWS_SAMPLING_AT(type, sampling)
#define CLI_ROWS_SAMPLING_AT(type, field)                                                        \
    {"sampling",                                                                                 \
     0,                                                                                          \
     "NAME",                                                                                     \
     CLI_SAMPLING,                                                                               \
     offsetof(type, field.kind),                                                                 \
     "edge",                                                                                     \
     NULL,                                                                                       \
     "which pairs of nodes count as seen together: the ends of an edge, of a walk of 1 to "      \
     "--window steps, of a walk that stops by chance, or of an edge between nodes that are "     \
     "alike"},                                                                                   \
        CLI_ROW_READS(                                                                           \
            type, field.attributes, "attributes",                                                \
            "twisted: a row of numbers per node (.npy, CSV, TSV; rows without names are in the " \
            "order of the nodes); with --tune measure=category also one 'node label' per line"), \
        CLI_ROW_READS(type, field.seeds, "seeds",                                                \
                      "walk, pagerank: walks begin at these nodes, one name per line")

/* Reads the files of attributes and seeds, unless they have been read. */
int cli_sampling_read(cli_run *run, cli_sampling *s, const cafe_graph *graph);
void cli_sampling_free(cli_run *run, cli_sampling *s);
/* The inputs of a run that come from here: paths, and what was read. */
cafe_run_inputs cli_sampling_inputs(const cli_sampling *s);
/* Says what came out, unless it is plain edge sampling. */
void cli_sampling_say(cli_run *run, const cafe_sampled *sampled);

#endif
