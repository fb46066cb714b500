/* --predicted: the most likely label of every node, with its probability. */
#ifndef CAFE_CLI_PREDICTED_H
#define CAFE_CLI_PREDICTED_H

#include "run.h"

#define CLI_ROW_PREDICTED(type, field)                                                           \
    CLI_ROW_WRITES(type, field, "predicted", ".tsv .txt -",                                      \
                   "the most likely label of each node and its probability, from --labels: one " \
                   "line per node below a heading; - is standard output")

/* The file, from a run that was given the labels (cafe_run_predict()), and a line about it. */
int cli_predict(cli_run *run, cafe_run *of, const cafe_labels *labels, const char *path);

#endif
