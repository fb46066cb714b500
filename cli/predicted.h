/* --predicted: the most likely label of every node, with its probability. */
#ifndef CAFE_CLI_PREDICTED_H
#define CAFE_CLI_PREDICTED_H

#include "run.h"

#define CLI_ROW_PREDICTED(type, field)                                                           \
    CLI_ROW_WRITES(type, field, "predicted", ".tsv .txt -",                                      \
                   "with --labels: the most likely label of each node and its probability, one " \
                   "line per node below a heading; - is standard output")

/* What is written: of each node its best class, -1 where no label reaches it. */
typedef struct cli_predicted {
    cli_run *run;
    const cafe_labels *labels;
    int32_t *best;
    float *probability;
    int64_t reached;
} cli_predicted;

/* From memberships, rows in compressed form (columns beyond the classes are of no label) or all of
 * their columns one after the other (offsets NULL). */
int cli_predict(cli_run *run, const cafe_labels *labels, int64_t width, const int64_t *offsets,
                const int32_t *columns, const float *values, cli_predicted *predicted);
/* The file, and a line about it. */
int cli_write_predicted(const cli_predicted *predicted, const char *path);

#endif
