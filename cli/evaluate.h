/* cafe evaluate: what its tasks share, and what cafe reproduce asks of them.
 *
 * The tasks are classify (labels from vectors), link (links from vectors) and cluster (a partition
 * against a graph and against labels).
 */
#ifndef CAFE_CLI_EVALUATE_H
#define CAFE_CLI_EVALUATE_H

#include "classifiers.h"
#include "method.h"

enum { EVALUATE_XGBOOST, EVALUATE_LOGISTIC, EVALUATE_NONE };
enum { EVALUATE_MOST_SHARES = 16 };

/* Fields of both tasks that train a classifier. */
typedef struct evaluate_values {
    cli_common common;
    const char *json, *labels, *embedding, *train;
    cli_method method;
    bool supervised, full_label;
    int32_t classifier;
    cafe_xgboost_options xgboost;
    cafe_logistic_options logistic;
    cafe_classify_options classify;
    cafe_link_options link;
    cafe_graph_options graph;
} evaluate_values;

/* One evaluation, from the files to the figures. */
typedef struct evaluate_job {
    cli_run *run;
    const char *task; /* "classify" or "link" */
    evaluate_values values;
    const char *path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_labels *labels;
    cafe_targets targets;
    int32_t *known; /* to the vectors that are made once: --full-label */
    cafe_model *model;
    float *vectors; /* nodes x columns; NULL: made anew for every task */
    int64_t columns;
    cafe_classifier classifier;
    double shares[EVALUATE_MOST_SHARES];
    int64_t share_count;
    cafe_evaluation *evaluation;
    double embed_seconds;
} evaluate_job;

extern const cli_command cli_evaluate_classify, cli_evaluate_link, cli_evaluate_cluster;

/* Options against each other, and the list of --train: CLI_OK or CLI_USAGE. */
int evaluate_check(evaluate_job *job, const cli_arguments *arguments);
/* Both evaluate within job->run, leave job->evaluation and say what they do. */
int evaluate_classify(evaluate_job *job);
int evaluate_link(evaluate_job *job);
void evaluate_free(evaluate_job *job);

/* Graph, vectors (of --embedding or of the method, once for the whole graph), classifier. */
int evaluate_read(evaluate_job *job);
int evaluate_vectors(evaluate_job *job);
int evaluate_classifier(evaluate_job *job);

/* The vectors of a method in a task of its own; frees what it needed. */
cafe_status evaluate_embed(cafe_context *context, const cli_method *m, const cafe_model *model,
                           const int32_t *labels, int64_t classes, int64_t *columns,
                           float **vectors);

/* The table on standard output, and the report. */
void evaluate_print(const evaluate_job *job);
int evaluate_write_report(evaluate_job *job);

/* Runs a task as the tool does: cli_begin to cli_end. */
int evaluate_run(const char *name, const void *values, const cli_arguments *arguments,
                 int (*evaluate)(evaluate_job *job));

/* Rows of options that both tasks have. */
#define EVALUATE_ROWS_COMMON                                                                 \
    {"train",                                                                                \
     0,                                                                                      \
     "LIST",                                                                                 \
     CLI_TEXT,                                                                               \
     offsetof(evaluate_values, train),                                                       \
     "0.1,0.3,0.5",                                                                          \
     NULL,                                                                                   \
     "shares to train on, separated by commas"},                                             \
        {"classifier",                                                                       \
         0,                                                                                  \
         "NAME",                                                                             \
         CLI_CHOICE,                                                                         \
         offsetof(evaluate_values, classifier),                                              \
         "xgboost",                                                                          \
         "xgboost|logistic|none",                                                            \
         "boosted trees, logistic regression (one class against the rest), or none: the "    \
         "vectors themselves are the scores"},                                               \
        {"embedding",                                                                        \
         0,                                                                                  \
         "FILE",                                                                             \
         CLI_TEXT,                                                                           \
         offsetof(evaluate_values, embedding),                                               \
         NULL,                                                                               \
         NULL,                                                                               \
         "evaluate these vectors (.npy, .tsv, .csv: a row per node) instead of a method's"}, \
        {"json",                                                                             \
         0,                                                                                  \
         "FILE",                                                                             \
         CLI_TEXT,                                                                           \
         offsetof(evaluate_values, json),                                                    \
         NULL,                                                                               \
         NULL,                                                                               \
         "a report with every figure; - is standard output"},                                \
        CLI_ROW_SEED, CLI_ROW_THREADS, CLI_ROW_FORCE, CLI_ROW_QUIET, CLI_ROW_VERBOSE, CLI_ROW_HELP

extern const cli_option evaluate_sampling_rows[];

/* Groups of options that both tasks have, behind their own. */
#define EVALUATE_GROUPS_COMMON                                                                     \
    {"--classifier xgboost", NULL, cafe_xgboost_option_table, offsetof(evaluate_values, xgboost)}, \
        {"--classifier logistic", NULL, cafe_logistic_option_table,                                \
         offsetof(evaluate_values, logistic)},                                                     \
        CLI_METHOD_GROUPS(evaluate_values, evaluate_sampling_rows), {                              \
        "Reading the graph", NULL, cafe_graph_option_table, offsetof(evaluate_values, graph)       \
    }

#endif
