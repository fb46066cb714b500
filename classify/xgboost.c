/* Boosted trees by XGBoost (Chen and Guestrin, KDD 2016), one thread for each call.
 *
 * Trees are grown on histograms of 32 bins: on embeddings of the paper's sets as accurate as the
 * exact search for cuts within 0.005, and eight times as fast. Rows of one class each:
 * multi:softprob over the classes that occur in training (two: binary:logistic). Rows of several:
 * binary:logistic for each class, on one matrix whose histograms are made once.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cafe-private/text.h>

#include "classifiers.h"
#include "xgboost_load.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option xgboost_options[] = {
    {"trees", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_xgboost_options, trees),
     100, 1, 1e5, NULL, "rounds of boosting; each grows a tree for every class"},
    {"depth", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_xgboost_options, depth), 6,
     1, 30, NULL, "levels of a tree"},
    {"eta", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_xgboost_options, eta), 0.3,
     1e-6, 1, NULL, "learning rate"},
    {"bins", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_xgboost_options, bins), 32,
     2, 256, NULL, "bins of a column's histogram"},
};

static const cafe_option_table xgboost_table = {"xgboost", "boosted trees",
                                                sizeof(cafe_xgboost_options), xgboost_options,
                                                sizeof xgboost_options / sizeof *xgboost_options};

const cafe_option_table *cafe_xgboost_option_table(void) {
    return &xgboost_table;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* XGBoost and the libraries under it end the process where they cannot have a little memory (data
 * of threads, exceptions), so it is asked for before. Measured: 15 bytes for each number of the
 * rows, and 12 MB. What other calls that run at the same time have been promised is not there. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t promised;
static const int64_t library_bytes = 64 * 1000 * 1000; /* its own, and room to start */

static int64_t bytes_of(const cafe_classifier_data *data) {
    return INT64_C(32) * 1000 * 1000 + 20 * (data->train + data->test) * data->columns;
}

static cafe_status take(cafe_context *context, int64_t bytes) {
    char text[128];
    pthread_mutex_lock(&lock);
    int64_t available = cafe_memory_available() - promised;
    bool fits = bytes <= available;
    if (fits) promised += bytes;
    pthread_mutex_unlock(&lock);
    if (fits) return CAFE_OK;
    snprintf(text, sizeof text,
             "out of memory: XGBoost takes about %lld MB here, and %lld MB can be had",
             (long long)(bytes / 1000000), (long long)((available > 0 ? available : 0) / 1000000));
    return cafe_evaluate_fail(context, CAFE_ERROR_MEMORY, text);
}

static cafe_status fail_load(cafe_context *context) {
    char text[512];
    snprintf(
        text, sizeof text,
        "XGBoost cannot be loaded (%s); Debian and Ubuntu have it in the package libxgboost-dev",
        xgboost_trouble());
    return cafe_evaluate_fail(context, CAFE_ERROR_SYSTEM, text);
}

static void give_back(int64_t bytes) {
    pthread_mutex_lock(&lock);
    promised -= bytes;
    pthread_mutex_unlock(&lock);
}

/* ---- one call -------------------------------------------------------------------------------- */

typedef struct trees {
    const xgboost *api;
    const cafe_xgboost_options *options;
    cafe_context *context;
    const cafe_classifier_data *data;
    cafe_classes present;
    uint8_t *mark; /* of each training row */
    float *label;  /* likewise, for XGBoost */
    void *train, *test;
} trees;

static cafe_status check(const trees *t, int result) {
    if (result == 0) return CAFE_OK;
    return cafe_evaluate_fail(t->context, CAFE_ERROR_NUMERIC, t->api->XGBGetLastError());
}

#define TRY(call)                         \
    do {                                  \
        status = (call);                  \
        if (status != CAFE_OK) goto done; \
    } while (0)

/* XGBoost reads the rows where they are, through the array interface. */
static cafe_status new_matrix(const trees *t, const float *x, int64_t rows, void **matrix) {
    char array[160];
    snprintf(array, sizeof array,
             "{\"data\": [%llu, true], \"shape\": [%lld, %lld], \"typestr\": \"<f4\", "
             "\"version\": 3}",
             (unsigned long long)(uintptr_t)x, (long long)rows, (long long)t->data->columns);
    return check(
        t, t->api->XGDMatrixCreateFromDense(array, "{\"missing\": NaN, \"nthread\": 1}", matrix));
}

static cafe_status set(const trees *t, void *booster, const char *name, const char *format,
                       double value) {
    char text[32];
    snprintf(text, sizeof text, format, value);
    return check(t, t->api->XGBoosterSetParam(booster, name, text));
}

static cafe_status set_parameters(const trees *t, void *booster, int64_t outputs) {
    cafe_status status = CAFE_OK;
    const char *objective = outputs > 1 ? "multi:softprob" : "binary:logistic";
    TRY(check(t, t->api->XGBoosterSetParam(booster, "tree_method", "hist")));
    TRY(check(t, t->api->XGBoosterSetParam(booster, "objective", objective)));
    /* the metric of the objective is never asked for */
    TRY(check(t, t->api->XGBoosterSetParam(booster, "disable_default_eval_metric", "1")));
    TRY(set(t, booster, "verbosity", "%.0f", 0));
    TRY(set(t, booster, "nthread", "%.0f", 1));
    TRY(set(t, booster, "seed", "%.0f", (double)(t->data->seed & 0x7fffffff)));
    TRY(set(t, booster, "max_depth", "%.0f", (double)t->options->depth));
    TRY(set(t, booster, "eta", "%.17g", t->options->eta));
    TRY(set(t, booster, "max_bin", "%.0f", (double)t->options->bins));
    if (outputs > 1) TRY(set(t, booster, "num_class", "%.0f", (double)outputs));
done:
    return status;
}

/* Boosts on the labels set, and returns the probabilities of the test rows, test x outputs, which
 * belong to the booster. */
static cafe_status boost(const trees *t, int64_t outputs, void **booster, const float **result) {
    cafe_status status = CAFE_OK;
    const uint64_t *shape;
    uint64_t dimensions;
    void *const cached[1] = {t->train};
    TRY(check(
        t, t->api->XGDMatrixSetFloatInfo(t->train, "label", t->label, (uint64_t)t->data->train)));
    TRY(check(t, t->api->XGBoosterCreate(cached, 1, booster)));
    TRY(set_parameters(t, *booster, outputs));
    for (int64_t i = 0; i < t->options->trees; i++) {
        TRY(cafe_evaluate_stopped(t->context));
        TRY(check(t, t->api->XGBoosterUpdateOneIter(*booster, (int)i, t->train)));
    }
    TRY(check(t, t->api->XGBoosterPredictFromDMatrix(
                     *booster, t->test,
                     "{\"type\": 0, \"training\": false, \"iteration_begin\": 0, "
                     "\"iteration_end\": 0, \"strict_shape\": false}",
                     &shape, &dimensions, result)));
done:
    return status;
}

/* Rows of one class each, out of three or more. */
static cafe_status softmax(const trees *t, double *scores) {
    const cafe_classifier_data *d = t->data;
    const float *result = NULL;
    void *booster = NULL;
    int64_t m = t->present.count;
    for (int64_t i = 0; i < d->train; i++)
        t->label[i] = (float)t->present.number[d->value[d->offsets[i]]];
    cafe_status status = boost(t, m, &booster, &result);
    for (int64_t i = 0; status == CAFE_OK && i < d->test; i++)
        for (int64_t k = 0; k < m; k++)
            scores[i * d->classes + t->present.of[k]] = result[i * m + k];
    if (booster) t->api->XGBoosterFree(booster);
    return status;
}

/* One class against the rest; against >= 0: the class that gets the rest of the probability. */
static cafe_status logistic(const trees *t, int32_t class, int32_t against, double *scores) {
    const cafe_classifier_data *d = t->data;
    const float *result = NULL;
    void *booster = NULL;
    if (cafe_classes_mark(d, class, t->mark) == d->train) {
        cafe_classes_fill(d, class, 1, scores);
        return CAFE_OK;
    }
    for (int64_t i = 0; i < d->train; i++) t->label[i] = t->mark[i];
    cafe_status status = boost(t, 1, &booster, &result);
    for (int64_t i = 0; status == CAFE_OK && i < d->test; i++) {
        scores[i * d->classes + class] = result[i];
        if (against >= 0) scores[i * d->classes + against] = 1 - (double)result[i];
    }
    if (booster) t->api->XGBoosterFree(booster);
    return status;
}

static cafe_status choose(const trees *t, double *scores) {
    const cafe_classes *p = &t->present;
    cafe_status status = CAFE_OK;
    if (!t->data->multiple && p->count == 2) return logistic(t, p->of[1], p->of[0], scores);
    if (!t->data->multiple && p->count > 2) return softmax(t, scores);
    for (int64_t k = 0; status == CAFE_OK && k < p->count; k++)
        status = logistic(t, p->of[k], -1, scores);
    return status;
}

static cafe_status fit(const void *self, cafe_context *context, const cafe_classifier_data *data,
                       double *scores) {
    cafe_status status = CAFE_OK;
    cafe_xgboost_options defaults;
    cafe_xgboost_options_init(&defaults);
    trees t = {.api = xgboost_load(), .context = context, .data = data};
    t.options = self ? self : &defaults;
    TRY(cafe_classes_find(context, data, &t.present));
    t.mark = malloc((size_t)data->train + 1);
    t.label = malloc(((size_t)data->train + 1) * sizeof *t.label);
    if (!t.mark || !t.label)
        status = cafe_evaluate_fail(context, CAFE_ERROR_MEMORY, "out of memory: labels");
    TRY(status);
    TRY(new_matrix(&t, data->x_train, data->train, &t.train));
    TRY(new_matrix(&t, data->x_test, data->test, &t.test));
    status = choose(&t, scores);
done:
    if (t.train) t.api->XGDMatrixFree(t.train);
    if (t.test) t.api->XGDMatrixFree(t.test);
    free(t.mark);
    free(t.label);
    cafe_classes_free(context, &t.present);
    return status;
}

static cafe_status predict(const void *self, cafe_context *context,
                           const cafe_classifier_data *data, double *scores) {
    int64_t bytes = bytes_of(data);
    cafe_status status = take(context, bytes);
    if (status != CAFE_OK) return status;
    status = fit(self, context, data, scores);
    give_back(bytes);
    return status;
}

cafe_status cafe_classifier_xgboost(cafe_context *context, const cafe_xgboost_options *options,
                                    cafe_classifier *classifier) {
    *classifier = (cafe_classifier){sizeof *classifier, "xgboost", options, predict};
    cafe_status status = take(context, library_bytes);
    if (status != CAFE_OK) return status;
    give_back(library_bytes);
    if (!xgboost_load()) return fail_load(context);
    return options ? cafe_options_check(context, &xgboost_table, options) : CAFE_OK;
}
