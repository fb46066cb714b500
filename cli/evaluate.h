/* cafe evaluate: what its tasks share, and what cafe reproduce asks of them.
 *
 * The tasks are classify (labels from vectors), link (edges from vectors) and cluster (a partition
 * against a graph and against labels).
 */
#ifndef CAFE_CLI_EVALUATE_H
#define CAFE_CLI_EVALUATE_H

#include "classifiers.h"
#include "method.h"

enum { EVALUATE_XGBOOST, EVALUATE_LOGISTIC, EVALUATE_NONE };
enum { EVALUATE_MOST_SHARES = 16 };

/* What vectors come from: a run of the library, or a file. */
typedef struct evaluate_source {
    cafe_run *of;       /* NULL: a file */
    const float *block; /* nodes x columns; NULL: the method makes them for every split */
    float *copy;        /* the block, unless it is the run's */
    int64_t columns;
} evaluate_source;

/* One evaluation, from the files to the figures. */
typedef struct evaluate_job {
    cli_run own;
    const char *labels_path, *embedding, *train;
    cli_method method;
    const char *choose; /* "alpha=0.5,0.8:sweeps=5,10"; NULL: nothing is to be chosen */
    struct evaluate_choice *choices;
    int64_t choice_count;
    const char *methods; /* "sphere,netmf:window=5"; NULL: one method, or given vectors */
    struct evaluate_entry *entries;
    int64_t entry_count;
    bool supervised, full_label;
    int32_t classifier_kind;
    cafe_xgboost_options xgboost;
    cafe_logistic_options logistic;
    cafe_classify_options classify;
    cafe_link_options link;
    cli_run *run;                   /* its own, or that of cafe reproduce */
    const cli_arguments *arguments; /* its own, those of a row, or those of an item of the list */
    const char *task;               /* "classify" or "link" */
    const char *path;
    cafe_graph *graph;
    cafe_graph_counts counts;
    cafe_labels *labels;
    cafe_targets targets;
    int32_t *known; /* the class of each node, for methods that use labels; NULL: they do not */
    evaluate_source source;
    cafe_classifier classifier;
    double shares[EVALUATE_MOST_SHARES];
    int64_t share_count;
    cafe_evaluation *evaluation;
    double embed_seconds;
} evaluate_job;

extern const cli_command cli_evaluate_classify, cli_evaluate_link, cli_evaluate_cluster;

/* Options against each other, the runs that they make, and the list of --train: CLI_OK or
 * CLI_USAGE. */
int evaluate_check(evaluate_job *job);
/* Reads and makes what all repeats share, within job->run, and reports it. Then each call runs
 * `repeats` of them from number `first` on, and leaves job->evaluation. */
int evaluate_prepare(evaluate_job *job);
int evaluate_measure(evaluate_job *job, int64_t first, int64_t repeats);

/* The same of each task, first and repeats being in its options. */
int evaluate_prepare_classify(evaluate_job *job);
int evaluate_measure_classify(evaluate_job *job);
int evaluate_prepare_link(evaluate_job *job);
int evaluate_measure_link(evaluate_job *job);

/* One of the settings to choose from: what it is made of, and how it is called. */
typedef struct evaluate_choice {
    evaluate_source source;
    cafe_features features;
    char *text;
} evaluate_choice;

/* --choose: is the list well formed, and do its names and values go with the method? Then the
 * sampled graphs (and vectors, unless the method is run for every split) of all settings. */
int evaluate_choices_check(evaluate_job *job);
int evaluate_choices_prepare(evaluate_job *job, bool again);
void evaluate_choices_free(evaluate_job *job);

/* A run of the method with the options that were given. */
int evaluate_open(evaluate_job *job, cafe_run **of);
/* Its sampled graph, and unless `again` the vectors of the whole graph. from: the run before this
 * one (cafe_run_share()), or NULL. */
int evaluate_make(evaluate_job *job, cafe_run *from, bool again, evaluate_source *source);
/* The vectors, or with `again` the method that makes them for every split. */
cafe_features evaluate_features(const evaluate_source *source, bool again);
void evaluate_source_free(evaluate_source *source);
/* Does the method see labels? */
bool evaluate_is_labelled(const evaluate_job *job);

/* One of several methods: its item of the list, and a job of its own within the run's. */
typedef struct evaluate_entry {
    char *name; /* the item */
    char *text; /* its words */
    cli_arguments arguments;
    evaluate_job *job; /* with its evaluation, once that has been made */
} evaluate_entry;

/* --methods: are the items well formed, and is everything that does not go with them left out? Then
 * the evaluations of all of them, one after the other, on what the run has prepared. */
int evaluate_methods_check(evaluate_job *job);
int evaluate_methods_measure(evaluate_job *job);
void evaluate_methods_free(evaluate_job *job);
void evaluate_put_methods(FILE *file, const evaluate_job *job);
void evaluate_say_methods(const evaluate_job *job);
void evaluate_report_methods(cafe_report *report, const evaluate_job *job);

/* --supervised and --full-label against the method. */
int evaluate_check_supervised(const evaluate_job *job);
/* The vectors, or the model if they are made for every split. */
int evaluate_prepare_method(evaluate_job *job);

/* Graph, vectors (of --embedding or of the method, once for the whole graph), classifier. */
int evaluate_read(evaluate_job *job);
int evaluate_vectors(evaluate_job *job);
int evaluate_classifier(evaluate_job *job);

/* The report, and the frame's functions of a task. */
void evaluate_fill_report(cafe_report *report, const void *job);
int evaluate_check_task(evaluate_job *job);
int evaluate_work(void *job);
int evaluate_put(FILE *file, const void *job);
void evaluate_say_end(const evaluate_job *job);
/* Mean and deviation, and a share, as the tables have them. */
void evaluate_put_figure(FILE *file, const cafe_figure *figure);
void evaluate_put_share(FILE *file, double train);
void evaluate_release(void *job);

/* Rows of options that both tasks have. */
#define EVALUATE_ROWS_COMMON(shares)                                                            \
    CLI_ROW_NUMBER(evaluate_job, train, "train", "LIST", CLI_TEXT, shares,                      \
                   "shares to train on, separated by commas; classify also takes node counts"), \
        CLI_ROW_CHOICE(evaluate_job, classifier_kind, "classifier", "NAME", "logistic",         \
                       "xgboost|logistic|none",                                                 \
                       "boosted trees, logistic regression (one class against the rest), or "   \
                       "none: the vectors themselves are the scores"),                          \
        CLI_ROW_READS(evaluate_job, embedding, "embedding",                                     \
                      "evaluate these vectors (.npy, .tsv, .txt: a row per node) instead of a " \
                      "method's"),                                                              \
        CLI_ROW_JSON("a report with every figure; - is standard output"), CLI_ROW_VERBOSE,      \
        CLI_ROWS_SEEDED

extern const cli_option evaluate_sampling_rows[];

/* Groups of options that both tasks have, behind their own. */
#define EVALUATE_GROUPS_COMMON                                                                 \
    CLI_GROUP_TABLE("--classifier xgboost", evaluate_job, xgboost, cafe_xgboost_option_table), \
        CLI_GROUP_TABLE("--classifier logistic", evaluate_job, logistic,                       \
                        cafe_logistic_option_table),                                           \
        CLI_METHOD_GROUPS(evaluate_job, method, evaluate_sampling_rows), CLI_GROUP_READING

#endif
