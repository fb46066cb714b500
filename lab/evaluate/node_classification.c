/* Node classification: for every share and repeat, training nodes and test nodes are drawn, a
 * classifier learns from the former and is counted on the latter.
 *
 * What may be known is enforced by what is handed out. A method gets a copy of the classes
 * with those of all nodes outside training taken out; the classifier gets the training rows'
 * classes only. The test nodes' classes are read after the scores are there. (For nodes of several
 * classes their number is used too: the top-k rule of Perozzi et al., KDD 2014, and those who
 * compare.)
 *
 * Settings are chosen in the same way, one level down. The training nodes are cut into folds, and
 * the best setting there is run with all of them. Test nodes have no influence.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/option.h"
#include "evaluate/metrics.h"
#include "evaluate/train_test_split.h"
#include "evaluate/trials.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option classify_options[] = {
    {"repeats", "R", CAFE_OPTION_INTEGER, offsetof(cafe_classify_options, repeats), 10, 1, 1e6,
     NULL, "splits for each share"},
    {"split", "RULE", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(cafe_classify_options, split),
     CAFE_SPLIT_STRATIFIED, 0, 1, "stratified|uniform",
     "every class keeps its share in training, or all labelled nodes are drawn alike"},
    {"test", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_classify_options, test), 0,
     0, 2147483647, NULL, "test nodes; 0 takes all that are not trained on"},
    {"first", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_classify_options, first),
     0, 0, 1e6, NULL, "number of the first repeat: 10 goes on where a run of 10 repeats ended"},
    {"folds", "K", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_classify_options, folds),
     5, 2, 1000, NULL,
     "with " CAFE_OPT("choose") ", parts of the training nodes, each predicted from the others"},
};

CAFE_OPTION_TABLE(classify, "classify", "node classification from vectors", classify_options)

static const char *const metric_names[CAFE_CLASS_METRICS] = {"accuracy", "micro_f1", "macro_f1",
                                                             "auc", "auc_paper"};

/* ---- what all trials share ------------------------------------------------------------------- */

typedef struct classify {
    const cafe_targets *targets;
    cafe_features *features;           /* what is to be chosen from */
    int64_t choices;                   /* at least 1 */
    const cafe_classifier *classifier; /* NULL: the columns are the scores */
    cafe_classify_options options;
    int32_t multiple;  /* 1: some node has several classes */
    uint8_t *expected; /* of each class: 1 when a node has it */
} classify;

enum { MOST_CHOICES = 1000 };

/* ---- the training part of the classes -------------------------------------------------------- */

/* label[nodes] gets the classes of the training nodes, -1 for all others. */
static void mask_labels(const cafe_targets *t, const cafe_parts *parts, int32_t *label) {
    for (int64_t u = 0; u < t->nodes; u++) label[u] = -1;
    for (int64_t i = 0; i < parts->train; i++)
        label[parts->train_node[i]] = t->value[t->offsets[parts->train_node[i]]];
}

/* ---- rows of some nodes ---------------------------------------------------------------------- */

typedef struct rows {
    float *x;
    int64_t *offsets;
    int32_t *value;
    int64_t columns;
} rows;

static void free_rows(cafe_context *context, rows *r) {
    cafe_mem_free_all(context, r->x, r->offsets, r->value);
}

static cafe_status gather(cafe_context *context, const cafe_targets *t, const float *x,
                          int64_t columns, int64_t count, const int32_t *node, rows *r) {
    int64_t entries = 0, used = 0;
    for (int64_t i = 0; i < count; i++) entries += t->offsets[node[i] + 1] - t->offsets[node[i]];
    r->columns = columns;
    r->x = cafe_mem(context, count * columns, sizeof *r->x);
    r->offsets = cafe_mem(context, count + 1, sizeof *r->offsets);
    r->value = cafe_mem(context, entries, sizeof *r->value);
    if (!r->x || !r->offsets || !r->value) return CAFE_ERROR_MEMORY;
    r->offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t u = node[i];
        memcpy(r->x + i * columns, x + u * columns, (size_t)columns * sizeof *x);
        for (int64_t j = t->offsets[u]; j < t->offsets[u + 1]; j++) r->value[used++] = t->value[j];
        r->offsets[i + 1] = used;
    }
    return CAFE_OK;
}

/* ---- scores ---------------------------------------------------------------------------------- */

/* Equal scores, such as those of a node that no label reaches, go to the class that training has
 * most of: far below what float32 tells apart in memberships. */
#define TIE 1e-9

static cafe_status columns_as_scores(cafe_context *context, const cafe_classifier_data *d,
                                     double *scores) {
    if (d->columns != d->classes)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "without a classifier %lld columns stand for %lld classes",
                         (long long)d->columns, (long long)d->classes);
    double *share = cafe_mem_zero(context, d->classes, sizeof *share);
    if (!share) return CAFE_ERROR_MEMORY;
    int64_t known = d->offsets[d->train];
    for (int64_t j = 0; j < known; j++) share[d->value[j]] += 1 / (double)known;
    for (int64_t i = 0; i < d->test * d->columns; i++)
        scores[i] = d->x_test[i] + TIE * share[i % d->columns];
    cafe_mem_free(context, share);
    return CAFE_OK;
}

static cafe_status predict(const classify *c, cafe_trial *trial, const cafe_parts *parts,
                           const rows *train, const rows *test, double *scores) {
    cafe_classifier_data d = {.train = parts->train,
                              .test = parts->test,
                              .columns = train->columns,
                              .classes = c->targets->classes,
                              .x_train = train->x,
                              .x_test = test->x,
                              .offsets = train->offsets,
                              .value = train->value,
                              .multiple = c->multiple,
                              .seed = cafe_seed(trial->context)};
    if (!c->classifier) return columns_as_scores(trial->context, &d, scores);
    return cafe_trial_predict(trial, c->classifier, &d, scores);
}

/* ---- decisions ------------------------------------------------------------------------------- */

/* The class with the largest score that is not taken; of equal ones that with more training rows,
 * then the smaller number. So a row about which nothing is known gets the largest class. */
static int32_t best_class(const double *score, int64_t classes, const int64_t *size,
                          const uint8_t *taken) {
    int32_t best = -1;
    for (int32_t k = 0; k < classes; k++) {
        if (taken[k]) continue;
        if (best < 0 || score[k] > score[best] || (score[k] == score[best] && size[k] > size[best]))
            best = k;
    }
    return best;
}

/* Row i gets as many classes as it has. size[classes]: training rows of each class. */
static void decide(const rows *test, int64_t count, int64_t classes, const double *scores,
                   const int64_t *size, uint8_t *taken, int32_t *predicted) {
    memset(taken, 0, (size_t)classes);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = test->offsets[i]; j < test->offsets[i + 1]; j++) {
            predicted[j] = best_class(scores + i * classes, classes, size, taken);
            taken[predicted[j]] = 1;
        }
        for (int64_t j = test->offsets[i]; j < test->offsets[i + 1]; j++) taken[predicted[j]] = 0;
    }
}

static cafe_status measure(const classify *c, cafe_trial *trial, const cafe_parts *parts,
                           const rows *train, const rows *test, const double *scores,
                           double *value) {
    cafe_context *context = trial->context;
    cafe_status status = CAFE_OK;
    int64_t classes = c->targets->classes;
    int64_t *size = cafe_mem_zero(context, classes, sizeof *size);
    uint8_t *taken = cafe_mem(context, classes, sizeof *taken);
    int32_t *predicted = cafe_mem(context, test->offsets[parts->test], sizeof *predicted);
    CAFE_TRY(cafe_mem_had(size, taken, predicted));
    for (int64_t j = 0; j < train->offsets[parts->train]; j++) size[train->value[j]]++;
    decide(test, parts->test, classes, scores, size, taken, predicted);
    cafe_outcome o = {parts->test, classes, test->offsets, test->value,
                      predicted,   scores,  c->expected,   c->multiple};
    status = cafe_class_metrics(context, &o, value);
done:
    cafe_mem_free_all(context, size, taken, predicted);
    return status;
}

/* ---- one trial ------------------------------------------------------------------------------- */

/* The vectors of the trial, from the training nodes' classes alone. */
static cafe_status find_features(const classify *c, const cafe_features *features,
                                 cafe_trial *trial, const cafe_parts *parts, const float **x,
                                 int64_t *columns) {
    const cafe_targets *t = c->targets;
    int32_t *label = NULL;
    if (features->method) {
        label = cafe_mem(trial->context, t->nodes, sizeof *label);
        if (!label) return CAFE_ERROR_MEMORY;
        mask_labels(t, parts, label);
    }
    cafe_known known = {NULL, label, t->classes};
    cafe_status status = cafe_trial_features(trial, features, t->nodes, known, x, columns);
    cafe_mem_free(trial->context, label);
    return status;
}

/* Learns from one part and counts on the other: value[CAFE_CLASS_METRICS]. */
static cafe_status judge(const classify *c, const cafe_features *features, cafe_trial *trial,
                         const cafe_parts *parts, double *value) {
    cafe_context *context = trial->context;
    cafe_status status = CAFE_OK;
    rows train = {0}, test = {0};
    const float *x = NULL;
    double *scores = NULL;
    int64_t columns = 0;
    CAFE_TRY(find_features(c, features, trial, parts, &x, &columns));
    CAFE_TRY(gather(context, c->targets, x, columns, parts->train, parts->train_node, &train));
    CAFE_TRY(gather(context, c->targets, x, columns, parts->test, parts->test_node, &test));
    scores = cafe_mem_zero(context, parts->test * c->targets->classes, sizeof *scores);
    CAFE_TRY(cafe_mem_had(scores));
    CAFE_TRY(predict(c, trial, parts, &train, &test, scores));
    CAFE_TRY(measure(c, trial, parts, &train, &test, scores, value));
    trial->result.columns = columns;
done:
    cafe_trial_release(trial, features, x);
    cafe_mem_free(context, scores);
    free_rows(context, &train);
    free_rows(context, &test);
    return status;
}

/* ---- a choice by the training nodes ---------------------------------------------------------- */

/* How many of the training nodes are right when each fold is predicted from the others. Of several
 * classes a node the micro F1 counts, which is the accuracy of single ones. */
static cafe_status try_folds(const classify *c, const cafe_features *features, cafe_trial *trial,
                             const cafe_parts *parts, double *right) {
    cafe_status status = CAFE_OK;
    cafe_parts inner = {0};
    double value[CAFE_CLASS_METRICS];
    int64_t folds = c->options.folds < parts->train ? c->options.folds : parts->train;
    *right = 0;
    for (int64_t fold = 0; fold < folds; fold++) {
        CAFE_TRY(
            cafe_parts_fold(trial->context, parts, folds, fold, cafe_seed(trial->context), &inner));
        CAFE_TRY(judge(c, features, trial, &inner, value));
        *right += value[CAFE_METRIC_MICRO_F1] * (double)inner.test;
    }
done:
    cafe_parts_free(trial->context, &inner);
    return status;
}

static cafe_status choose(const classify *c, cafe_trial *trial, const cafe_parts *parts) {
    double right, best = -1;
    if (c->choices == 1 || parts->train < 2) return CAFE_OK;
    for (int64_t i = 0; i < c->choices; i++) {
        CAFE_PASS(try_folds(c, &c->features[i], trial, parts, &right));
        if (right > best) best = right, trial->result.choice = i;
    }
    return CAFE_OK;
}

static cafe_status classify_trial(const void *self, cafe_trial *trial) {
    const classify *c = self;
    cafe_status status = CAFE_OK;
    cafe_parts parts = {0};
    CAFE_TRY(cafe_parts_make(trial->context, c->targets, trial->train, c->options.test,
                             (cafe_split_rule)c->options.split, cafe_seed(trial->context), &parts));
    CAFE_TRY(choose(c, trial, &parts));
    CAFE_TRY(judge(c, &c->features[trial->result.choice], trial, &parts, trial->value));
    trial->result.train_count = parts.train;
    trial->result.test_count = parts.test;
done:
    cafe_parts_free(trial->context, &parts);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Looks at every class: in its range, in order? which are there? does a node have several? */
static cafe_status look_at_targets(cafe_context *context, classify *c) {
    const cafe_targets *t = c->targets;
    for (int64_t u = 0; u < t->nodes; u++) {
        if (t->offsets[u + 1] - t->offsets[u] > 1) c->multiple = 1;
        for (int64_t j = t->offsets[u]; j < t->offsets[u + 1]; j++) {
            int32_t least = j > t->offsets[u] ? t->value[j - 1] + 1 : 0;
            if (t->value[j] < least || t->value[j] >= t->classes)
                return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                                 "node %lld has class %d: out of order or not below %lld",
                                 (long long)u, t->value[j], (long long)t->classes);
            c->expected[t->value[j]] = 1;
        }
    }
    return CAFE_OK;
}

static cafe_status check_method(cafe_context *context, const classify *c, const cafe_features *f) {
    if (!f->method) return CAFE_OK;
    if (!f->model)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no model for the method %s to work on",
                         f->method->name);
    if (c->multiple && (f->method->takes & CAFE_TAKES_LABELS))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "nodes have several labels: %s takes one per node", f->method->name);
    return CAFE_OK;
}

/* The features and those to choose from, by their sizes, into one array. */
static cafe_status take_features(cafe_context *context, const cafe_features *given, classify *c) {
    cafe_features first;
    CAFE_PASS(cafe_inputs_take(context, "features", given, &first, sizeof first));
    c->choices = 1 + (first.choices ? first.choice_count : 0);
    if (c->choices < 1 || c->choices > MOST_CHOICES)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%lld features to choose from, at most %d",
                         (long long)c->choices, MOST_CHOICES);
    c->features = cafe_mem(context, c->choices, sizeof *c->features);
    if (!c->features) return CAFE_ERROR_MEMORY;
    c->features[0] = first;
    for (int64_t i = 1; i < c->choices; i++)
        CAFE_PASS(cafe_inputs_take(context, "features", first.choices[i - 1], &c->features[i],
                                   sizeof first));
    return CAFE_OK;
}

cafe_status cafe_classify(cafe_context *context, const cafe_targets *targets,
                          const cafe_features *features, const cafe_classifier *classifier,
                          const cafe_classify_options *options, int64_t count, const double *shares,
                          cafe_evaluation **evaluation) {
    cafe_status status = CAFE_OK;
    cafe_classifier own;
    classify c = {.targets = targets, .classifier = classifier ? &own : NULL};
    *evaluation = NULL;
    CAFE_TRY(take_features(context, features, &c));
    CAFE_TRY(cafe_inputs_take(context, "classifier", classifier, &own, sizeof own));
    CAFE_TRY(cafe_options_take(context, &classify_table, options, &c.options));
    c.expected = cafe_mem_zero(context, targets->classes, sizeof *c.expected);
    CAFE_TRY(cafe_mem_had(c.expected));
    CAFE_TRY(look_at_targets(context, &c));
    for (int64_t i = 0; i < c.choices; i++) {
        CAFE_TRY(cafe_features_check(context, &c.features[i], targets->nodes));
        CAFE_TRY(check_method(context, &c, &c.features[i]));
    }
    cafe_trials trials = {metric_names,      CAFE_CLASS_METRICS, c.options.first,
                          c.options.repeats, classify_trial,     &c};
    status = cafe_evaluation_run(context, &trials, count, shares, evaluation);
done:
    cafe_mem_free_all(context, c.expected, c.features);
    return status;
}
