/* Evaluation: how well vectors classify nodes and tell edges from other pairs, and how well a
 * partition fits a graph or known classes.
 *
 * For every share and every repeat, the drivers cut the labelled nodes (or the pairs) into a
 * training and a test part. They train a classifier on the one and count on the other. Splits
 * follow from the context's seed; tasks run in parallel, and every value has the same bits for any
 * number of threads. A figure that is not defined is NaN. */
#ifndef CAFE_EVALUATE_H
#define CAFE_EVALUATE_H

#include <cafe/lab_option.h>
#include <cafe/labels.h>
#include <cafe/method.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what is to be predicted ----------------------------------------------------------------- */

/* Classes of nodes in compressed rows: node u has class[offsets[u]] .. class[offsets[u+1] - 1],
 * ascending; none: the node takes no part. */
typedef struct cafe_targets {
    int64_t nodes, classes;
    const int64_t *offsets; /* nodes + 1 */
    const int32_t *value;   /* in 0 .. classes-1 */
} cafe_targets;

/* From labels that were read for a graph of that many nodes, or from label[nodes] (-1: none). Freed
 * with cafe_targets_free(), after which everything is 0. */
CAFE_API cafe_status cafe_targets_from_labels(cafe_context *context, int64_t nodes,
                                              const cafe_labels *labels, cafe_targets *targets);
CAFE_API void cafe_targets_free(cafe_context *context, cafe_targets *targets);

/* ---- what predicts --------------------------------------------------------------------------- */

/* Training and test rows of one task. Numbers are row-major. */
typedef struct cafe_classifier_data {
    int64_t train, test, columns, classes;
    const float *x_train, *x_test; /* train x columns, test x columns */
    const int64_t *offsets;        /* train + 1: where each row's classes stand */
    const int32_t *value;          /* not every class need be among them */
    int32_t multiple;              /* 1: rows may have several classes, or none; else exactly one */
    uint64_t seed;                 /* of the repeat */
    const double *weight;          /* of each training row; NULL: all count alike */
} cafe_classifier_data;

/* A classifier. predict() fills scores[test * classes] (zeros on entry), larger for more likely
 * classes. It is called from several threads at once, uses one thread, and depends on its arguments
 * alone. `context` is the task's own, of one thread; failures leave through
 * cafe_evaluate_fail(context, ...). Work of more than a second looks at cafe_evaluate_stopped(). */
typedef struct cafe_classifier {
    size_t struct_size; /* sizeof(cafe_classifier) */
    const char *name;
    const void *self;
    cafe_status (*predict)(const void *self, cafe_context *context,
                           const cafe_classifier_data *data, double *scores);
} cafe_classifier;

/* Sets the context's error text and returns the status. */
CAFE_API cafe_status cafe_evaluate_fail(cafe_context *context, cafe_status status,
                                        const char *text);
/* CAFE_ERROR_CANCELLED once the evaluation is to stop. */
CAFE_API cafe_status cafe_evaluate_stopped(cafe_context *context);

/* The classes that occur in the training rows, for implementers: `of` has their numbers in the
 * task, ascending; number[c] is the place of class c there, or -1. Freed with cafe_classes_free(),
 * after which everything is 0. */
typedef struct cafe_classes {
    int64_t count;
    int32_t *of, *number;
} cafe_classes;

CAFE_API cafe_status cafe_classes_find(cafe_context *context, const cafe_classifier_data *data,
                                       cafe_classes *present);
CAFE_API void cafe_classes_free(cafe_context *context, cafe_classes *present);
/* mark[train] = 1 for the rows that have the class, 0 for the others; returns how many have. */
CAFE_API int64_t cafe_classes_mark(const cafe_classifier_data *data, int32_t number, uint8_t *mark);
/* Sets one class's score in every test row. */
CAFE_API void cafe_classes_fill(const cafe_classifier_data *data, int32_t number, double score,
                                double *scores);

/* L2-regularised logistic regression, one class against the rest. */
typedef struct cafe_logistic_options {
    size_t struct_size;
    double cost;         /* C: weight of the losses against |w|^2 / 2 */
    int32_t standardise; /* 1: columns of mean 0 and variance 1 in training; 0: as they are */
    double tolerance;    /* of the gradient, relative */
} cafe_logistic_options;

CAFE_LAB_OPTIONS(logistic)

/* Fills in a classifier that keeps a pointer to its options (NULL: defaults); they outlive it. */
CAFE_API cafe_status cafe_classifier_logistic(cafe_context *context,
                                              const cafe_logistic_options *options,
                                              cafe_classifier *classifier);

/* ---- what it is predicted from --------------------------------------------------------------- */

/* One block for all tasks, or a method that makes vectors for each task. It runs in one thread; its
 * seed follows from the caller's and the repeat. It knows what the task allows and no more. In
 * classification these are the labels of the training nodes, if it takes labels; in link prediction
 * the graph without the hidden edges (honest) or the whole one (paper).
 */
typedef struct cafe_features {
    size_t struct_size; /* sizeof(cafe_features) */
    const float *block; /* nodes x columns, row-major */
    int64_t columns;
    const cafe_method *method;          /* NULL: the block */
    const cafe_method_options *options; /* of the method; NULL: defaults */
    const cafe_model *model;            /* classification: the graph as the method sees it */
    /* classification: others to choose from, these being the first. In every trial all of them are
     * judged on the training nodes alone, cut into folds of which each is predicted from the rest.
     * The most accurate (of equal ones the first) is then what the trial is about. */
    const void *const *choices; /* cafe_features each */
    int64_t choice_count;
} cafe_features;

/* ---- results --------------------------------------------------------------------------------- */

typedef struct cafe_evaluation cafe_evaluation;

/* Over the repeats whose value is defined. */
typedef struct cafe_figure {
    double mean;     /* NaN when no value is defined */
    double std;      /* sample standard deviation; NaN of fewer than two values */
    int64_t defined; /* values that are not NaN */
} cafe_figure;

/* Of one share; counts are those of the first repeat. */
typedef struct cafe_share {
    double train;                    /* as asked for */
    int64_t train_count, test_count; /* nodes or pairs */
    int64_t columns;                 /* that the classifier saw */
    int64_t wanted, hidden;          /* link, honest: edges to hide and hidden; else 0 */
    double feature_seconds;          /* in the method and in the classifier,      */
    double classifier_seconds;       /* summed over the tasks */
    int64_t choice;                  /* the features chosen; 0: the first, or there was no choice */
} cafe_share;

CAFE_API int64_t cafe_evaluation_shares(const cafe_evaluation *evaluation);
CAFE_API int64_t cafe_evaluation_repeats(const cafe_evaluation *evaluation);
CAFE_API double cafe_evaluation_seconds(const cafe_evaluation *evaluation); /* by the clock */
CAFE_API const cafe_share *cafe_evaluation_share(const cafe_evaluation *evaluation, int64_t share);
/* Metrics by number, 0 .. metrics-1, with the names used in reports:
 *   classification  accuracy micro_f1 macro_f1 auc auc_paper
 *   link prediction accuracy f1 auc average_precision */
CAFE_API int64_t cafe_evaluation_metrics(const cafe_evaluation *evaluation);
CAFE_API const char *cafe_evaluation_metric_name(const cafe_evaluation *evaluation, int64_t metric);
CAFE_API void cafe_evaluation_figure(const cafe_evaluation *evaluation, int64_t share,
                                     int64_t metric, cafe_figure *figure);
CAFE_API double cafe_evaluation_value(const cafe_evaluation *evaluation, int64_t share,
                                      int64_t repeat, int64_t metric);
/* Which of the features a trial chose: 0 for the first. */
CAFE_API int64_t cafe_evaluation_choice(const cafe_evaluation *evaluation, int64_t share,
                                        int64_t repeat);
CAFE_API void cafe_evaluation_free(cafe_evaluation *evaluation); /* accepts NULL */

/* ---- node classification --------------------------------------------------------------------- */

typedef enum cafe_split_rule {
    CAFE_SPLIT_STRATIFIED = 0, /* every class keeps its share */
    CAFE_SPLIT_UNIFORM = 1     /* drawn from all labelled nodes alike */
} cafe_split_rule;

typedef struct cafe_classify_options {
    size_t struct_size;
    int64_t repeats; /* splits for each share */
    int32_t split;   /* cafe_split_rule */
    int64_t test;    /* test nodes; 0: all that are not trained on */
    int64_t first;   /* number of the first repeat: with 10 the splits are those of the 11th on */
    int64_t folds;   /* of the training nodes, where there are features to choose from */
} cafe_classify_options;

CAFE_LAB_OPTIONS(classify)

/* Each of `count` shares is the training part: a number below 1 is a share of the labelled nodes, 1
 * and above their number. Without a classifier the columns are the scores of the classes. The
 * largest wins, of equal ones the class with most training nodes. Nodes of several classes are
 * given their k largest scores, k being the node's true number of classes. Options may be NULL. */
CAFE_API cafe_status cafe_classify(cafe_context *context, const cafe_targets *targets,
                                   const cafe_features *features, const cafe_classifier *classifier,
                                   const cafe_classify_options *options, int64_t count,
                                   const double *shares, cafe_evaluation **evaluation);

/* ---- two methods on the same splits ---------------------------------------------------------- */

/* Of the differences a[i] - b[i] where both are defined. What is not defined is NaN: all of it of
 * no difference, all but the mean of one, t and p where all are 0. */
typedef struct cafe_paired {
    int64_t count; /* of the differences: R */
    double mean;
    double error;           /* s / sqrt(R): of the mean over splits of these data */
    double corrected_error; /* s sqrt(1/R + ratio) */
    double t, p; /* mean / corrected_error; two-sided, by Student's distribution of R - 1 degrees */
} cafe_paired;

/* Repeated splits overlap, so ratio is the size of the test part of a split over that of its
 * training part (Nadeau and Bengio 2003). With 0, for independent values, it is the common paired t
 * test. */
CAFE_API void cafe_paired_test_sized(int64_t count, const double *a, const double *b, double ratio,
                                     cafe_paired *paired, size_t size);
static inline void cafe_paired_test(int64_t count, const double *a, const double *b, double ratio,
                                    cafe_paired *paired) {
    cafe_paired_test_sized(count, a, b, ratio, paired, sizeof *paired);
}

/* ---- link prediction ------------------------------------------------------------------------- */

typedef enum cafe_link_protocol {
    CAFE_LINK_PAPER = 0, /* vectors of the whole graph; the pairs are cut into training and test */
    CAFE_LINK_HONEST = 1 /* test edges are hidden before there are vectors; components are kept */
} cafe_link_protocol;

/* The features of a pair (u,w) from the rows x and y of its ends. */
typedef enum cafe_pair_operator {
    CAFE_PAIR_CONCATENATION = 0, /* [x, y] */
    CAFE_PAIR_HADAMARD = 1,      /* x_j y_j */
    CAFE_PAIR_L1 = 2,            /* |x_j - y_j| */
    CAFE_PAIR_L2 = 3,            /* (x_j - y_j)^2 */
    CAFE_PAIR_DOT = 4            /* <x, y>: one column */
} cafe_pair_operator;

typedef struct cafe_link_options {
    size_t struct_size;
    int32_t protocol; /* cafe_link_protocol */
    int32_t pair;     /* cafe_pair_operator; called "operator" on the command line */
    int64_t repeats;
    double negatives; /* pairs without an edge for each one with */
    int64_t most;     /* edges used at most, drawn by the seed; 0: all */
    int64_t first;    /* as in cafe_classify_options */
} cafe_link_options;

CAFE_LAB_OPTIONS(link)

/* Shares are those of training, in (0,1): of the pairs (paper), of the edges that stay in the graph
 * (honest). Pairs without an edge are no edges of the whole graph, distinct and never loops. With
 * classifier NULL the pair's score is the sum of its columns (minus the sum for l1 and l2; not for
 * concatenation). It is cut where it is most accurate in training. Honest needs a method. Options
 * may be NULL. */
CAFE_API cafe_status cafe_link(cafe_context *context, const cafe_graph *graph,
                               const cafe_features *features, const cafe_classifier *classifier,
                               const cafe_link_options *options, int64_t count,
                               const double *shares, cafe_evaluation **evaluation);

/* ---- partitions ------------------------------------------------------------------------------ */

/* Of two partitions over the nodes that are in a set of both (numbers >= 0). */
typedef struct cafe_agreement {
    int64_t nodes; /* compared */
    double
        nmi; /* mutual information over the arithmetic mean of the entropies; 1 when both are 0 */
    double ari; /* adjusted Rand index */
} cafe_agreement;

CAFE_API cafe_status cafe_partition_agreement_sized(cafe_context *context, int64_t nodes,
                                                    const int32_t *a, const int32_t *b,
                                                    cafe_agreement *agreement, size_t size);
static inline cafe_status cafe_partition_agreement(cafe_context *context, int64_t nodes,
                                                   const int32_t *a, const int32_t *b,
                                                   cafe_agreement *agreement) {
    return cafe_partition_agreement_sized(context, nodes, a, b, agreement, sizeof *agreement);
}

/* Of a partition of a sampled graph, part[nodes] in 0 .. parts-1 (negative: in no set). Sets
 * without an edge, and a set that has them all, have no conductance. */
typedef struct cafe_partition_quality {
    int64_t sets;                /* that have a node */
    double modularity;           /* sum of p(C,C) - p(C)^2 */
    double conductance;          /* mean of p(C,not C) / min(p(C), 1 - p(C)); NaN: none has one */
    double weighted_conductance; /* the same, weighted by the number of nodes */
} cafe_partition_quality;

CAFE_API cafe_status cafe_partition_measure_sized(cafe_context *context,
                                                  const cafe_sampled *sampled, const int32_t *part,
                                                  int64_t parts, cafe_partition_quality *quality,
                                                  size_t size);
static inline cafe_status cafe_partition_measure(cafe_context *context, const cafe_sampled *sampled,
                                                 const int32_t *part, int64_t parts,
                                                 cafe_partition_quality *quality) {
    return cafe_partition_measure_sized(context, sampled, part, parts, quality, sizeof *quality);
}

#ifdef __cplusplus
}
#endif
#endif
