/* Link prediction: features of pairs from the vectors of their ends, a classifier on the training
 * pairs, figures on the test pairs.
 */
#include <math.h>
#include <stddef.h>

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/option.h"
#include "evaluate/metrics.h"
#include "evaluate/node_pairs.h"
#include "evaluate/trials.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option link_options[] = {
    {"protocol", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE,
     offsetof(cafe_link_options, protocol), CAFE_LINK_HONEST, 0, 1, "paper|honest",
     "vectors of the whole graph, pairs cut afterwards; or test edges hidden before there are "
     "vectors"},
    {"operator", "NAME", CAFE_OPTION_CHOICE | CAFE_OPTION_TUNE, offsetof(cafe_link_options, pair),
     CAFE_PAIR_HADAMARD, 0, 4, "concatenation|hadamard|l1|l2|dot",
     "features of a pair from the vectors of its ends"},
    {"repeats", "R", CAFE_OPTION_INTEGER, offsetof(cafe_link_options, repeats), 10, 1, 1e6, NULL,
     "splits for each share"},
    {"negatives", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_link_options, negatives),
     1, 1e-3, 1e3, NULL, "pairs without an edge for each one with"},
    {"most", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_link_options, most), 0, 0,
     2147483647, NULL, "edges used at most, drawn by the seed; 0 uses all"},
    {"first", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_link_options, first), 0, 0,
     1e6, NULL, "number of the first repeat: 10 goes on where a run of 10 repeats ended"},
};

CAFE_OPTION_TABLE(link, "link", "link prediction from vectors", link_options)

enum { ACCURACY, F1, AUC, AVERAGE_PRECISION, METRICS };
static const char *const metric_names[METRICS] = {"accuracy", "f1", "auc", "average_precision"};

/* ---- features of pairs ----------------------------------------------------------------------- */

typedef struct link {
    const cafe_graph *graph;
    const cafe_features *features;
    const cafe_classifier *classifier; /* NULL: the sum of the columns is the score */
    cafe_link_options options;
} link;

static int64_t pair_columns(int32_t pair, int64_t columns) {
    return pair == CAFE_PAIR_CONCATENATION ? 2 * columns : pair == CAFE_PAIR_DOT ? 1 : columns;
}

static void pair_row(int32_t pair, int64_t columns, const float *x, const float *y, float *out) {
    double dot = 0;
    for (int64_t j = 0; j < columns; j++) switch (pair) {
            case CAFE_PAIR_HADAMARD: out[j] = x[j] * y[j]; break;
            case CAFE_PAIR_L1: out[j] = fabsf(x[j] - y[j]); break;
            case CAFE_PAIR_L2: out[j] = (x[j] - y[j]) * (x[j] - y[j]); break;
            case CAFE_PAIR_DOT: dot += (double)x[j] * y[j]; break;
            default: out[j] = x[j], out[columns + j] = y[j]; break;
        }
    if (pair == CAFE_PAIR_DOT) out[0] = (float)dot;
}

static float *pair_block(cafe_context *context, int32_t pair, const cafe_pairs *p, const float *x,
                         int64_t columns) {
    int64_t wide = pair_columns(pair, columns);
    float *block = cafe_mem(context, p->count * wide, sizeof *block);
    for (int64_t i = 0; block && i < p->count; i++)
        pair_row(pair, columns, x + p->source[i] * columns, x + p->target[i] * columns,
                 block + i * wide);
    return block;
}

/* ---- scores and decisions -------------------------------------------------------------------- */

/* Without a classifier: products speak for an edge, distances against it. */
static void add_columns(int32_t pair, const float *x, int64_t rows, int64_t columns,
                        const int32_t *linked, cafe_scored *items) {
    double sign = pair == CAFE_PAIR_L1 || pair == CAFE_PAIR_L2 ? -1 : 1;
    for (int64_t i = 0; i < rows; i++) {
        double sum = 0;
        for (int64_t j = 0; j < columns; j++) sum += x[i * columns + j];
        items[i] = (cafe_scored){sign * sum, linked[i]};
    }
}

static cafe_status score_by_columns(cafe_context *context, int32_t pair,
                                    const cafe_classifier_data *d, const cafe_pair_sets *sets,
                                    cafe_scored *items, double *cut) {
    cafe_scored *seen = cafe_mem(context, d->train, sizeof *seen);
    if (!seen) return CAFE_ERROR_MEMORY;
    add_columns(pair, d->x_train, d->train, d->columns, sets->train.linked, seen);
    *cut = cafe_best_cut(seen, d->train);
    cafe_mem_free(context, seen);
    add_columns(pair, d->x_test, d->test, d->columns, sets->test.linked, items);
    return CAFE_OK;
}

/* The score is the second class's lead over the first, so that 0 is the cut. */
static cafe_status score_by_classifier(cafe_trial *trial, const cafe_classifier *classifier,
                                       const cafe_classifier_data *d, const cafe_pair_sets *sets,
                                       cafe_scored *items, double *cut) {
    double *scores = cafe_mem_zero(trial->context, 2 * d->test, sizeof *scores);
    if (!scores) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_trial_predict(trial, classifier, d, scores);
    for (int64_t i = 0; i < d->test; i++)
        items[i] = (cafe_scored){scores[2 * i + 1] - scores[2 * i], sets->test.linked[i]};
    *cut = 0;
    cafe_mem_free(trial->context, scores);
    return status;
}

static void measure(cafe_scored *items, int64_t count, double cut, double *value) {
    cafe_confusion c = {0};
    int64_t right = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t predicted = items[i].score > cut;
        right += predicted == items[i].positive;
        c.tp += predicted && items[i].positive;
        c.fp += predicted && !items[i].positive;
        c.fn += !predicted && items[i].positive;
    }
    value[ACCURACY] = (double)right / (double)count;
    value[F1] = cafe_f1(c);
    value[AUC] = cafe_roc_auc(items, count);
    value[AVERAGE_PRECISION] = cafe_average_precision(items, count);
}

/* ---- one trial ------------------------------------------------------------------------------- */

/* Training rows have one class each: row i has linked[i]. */
static int64_t *one_each(cafe_context *context, int64_t rows) {
    int64_t *offsets = cafe_mem(context, rows + 1, sizeof *offsets);
    for (int64_t i = 0; offsets && i <= rows; i++) offsets[i] = i;
    return offsets;
}

static cafe_status judge(const link *l, cafe_trial *trial, const cafe_pair_sets *sets,
                         const float *x, int64_t columns) {
    cafe_context *context = trial->context;
    cafe_status status = CAFE_OK;
    int32_t pair = l->options.pair;
    float *train = pair_block(context, pair, &sets->train, x, columns);
    float *test = pair_block(context, pair, &sets->test, x, columns);
    int64_t *offsets = one_each(context, sets->train.count);
    cafe_scored *items = cafe_mem(context, sets->test.count, sizeof *items);
    double cut = 0;
    CAFE_TRY(cafe_mem_had(train, test, offsets, items));
    cafe_classifier_data d = {.train = sets->train.count,
                              .test = sets->test.count,
                              .columns = pair_columns(pair, columns),
                              .classes = 2,
                              .x_train = train,
                              .x_test = test,
                              .offsets = offsets,
                              .value = sets->train.linked,
                              .seed = cafe_seed(context)};
    trial->result.columns = d.columns;
    if (l->classifier)
        CAFE_TRY(score_by_classifier(trial, l->classifier, &d, sets, items, &cut));
    else
        CAFE_TRY(score_by_columns(context, pair, &d, sets, items, &cut));
    measure(items, d.test, cut, trial->value);
done:
    cafe_mem_free_all(context, train, test, offsets, items);
    return status;
}

static cafe_status link_trial(const void *self, cafe_trial *trial) {
    const link *l = self;
    cafe_context *context = trial->context;
    cafe_status status = CAFE_OK;
    cafe_pair_sets sets = {.wanted = 0};
    const float *x = NULL;
    int64_t columns = 0;
    CAFE_TRY(cafe_pair_sets_make(context, l->graph, &l->options, trial->train, &sets));
    trial->result.wanted = sets.wanted;
    trial->result.hidden = sets.hidden;
    trial->result.train_count = sets.train.count;
    trial->result.test_count = sets.test.count;
    cafe_known known = {sets.remaining ? sets.remaining : l->graph, NULL, 0};
    CAFE_TRY(
        cafe_trial_features(trial, l->features, cafe_graph_nodes(l->graph), known, &x, &columns));
    status = judge(l, trial, &sets, x, columns);
done:
    cafe_trial_release(trial, l->features, x);
    cafe_pair_sets_free(context, &sets);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status check(cafe_context *context, const cafe_link_options *options, link *l) {
    CAFE_PASS(cafe_options_take(context, &link_table, options, &l->options));
    if (!l->classifier && l->options.pair == CAFE_PAIR_CONCATENATION)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "without a classifier a concatenation has no score; hadamard, l1, l2 and "
                         "dot have one");
    if (l->options.protocol == CAFE_LINK_HONEST && !l->features->method)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the honest protocol needs a method: vectors that are there have seen the "
                         "links");
    return cafe_features_check(context, l->features, cafe_graph_nodes(l->graph));
}

cafe_status cafe_link(cafe_context *context, const cafe_graph *graph, const cafe_features *features,
                      const cafe_classifier *classifier, const cafe_link_options *options,
                      int64_t count, const double *shares, cafe_evaluation **evaluation) {
    cafe_features own;
    cafe_classifier judge;
    link l = {.graph = graph, .features = &own, .classifier = classifier ? &judge : NULL};
    *evaluation = NULL;
    CAFE_PASS(cafe_evaluation_inputs(context, features, classifier, &own, &judge));
    CAFE_PASS(check(context, options, &l));
    cafe_trials trials = {metric_names,      METRICS,    l.options.first,
                          l.options.repeats, link_trial, &l};
    return cafe_evaluation_run(context, &trials, count, shares, evaluation);
}
