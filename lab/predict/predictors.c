/* The predictors: scores of all nodes for all classes from the classes of the known ones. */
#include <math.h>
#include <string.h>

#include <cafe/method.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "baseline/baseline.h"
#include "predict/predict.h"

enum { BLOCK = 1024 };
#define ABSORBING_ALPHA .95 /* long walks: few labels have to reach all nodes */

/* ---- the vectors ----------------------------------------------------------------------------- */

/* Rows of length 1; a row of zeros stays. */
static void shorten_rows(void *argument, int64_t first, int64_t last) {
    predict_job *j = argument;
    for (int64_t u = first; u < last; u++) {
        float *row = j->x + u * j->columns;
        double sum = 0;
        for (int64_t k = 0; k < j->columns; k++) sum += (double)row[k] * row[k];
        double length = sqrt(sum);
        for (int64_t k = 0; k < j->columns && length > 0; k++) row[k] = (float)(row[k] / length);
    }
}

cafe_status cafe_predict_embed(cafe_context *context, const cafe_graph *graph,
                               const cafe_feature_inputs *features, int64_t *columns, float **x) {
    cafe_status status = CAFE_OK;
    cafe_embedding *embedding = NULL;
    cafe_method_inputs inputs;
    cafe_method_inputs_init(&inputs);
    inputs.features = features;
    *x = NULL;
    CAFE_TRY(cafe_embed(context, graph, NULL, NULL, &inputs, &embedding));
    *columns = cafe_embedding_certificate(embedding)->columns;
    *x = cafe_mem(context, cafe_graph_nodes(graph) * *columns, sizeof **x);
    CAFE_TRY(*x ? CAFE_OK : CAFE_ERROR_MEMORY);
    status = cafe_embedding_copy(embedding, *x);
done:
    cafe_embedding_free(embedding);
    return status;
}

/* The caller's vectors, or those of Sphere-GCN with its defaults, of the edges and the features. */
static cafe_status make_vectors(predict_job *j) {
    if (!j->given) {
        CAFE_PASS(cafe_predict_embed(j->context, j->graph, j->features, &j->columns, &j->x));
    } else {
        j->x = cafe_mem(j->context, j->n * j->columns, sizeof *j->x);
        if (!j->x) return CAFE_ERROR_MEMORY;
        memcpy(j->x, j->given, (size_t)(j->n * j->columns) * sizeof *j->x);
    }
    return cafe_ranges(j->context, j->n, BLOCK, shorten_rows, j);
}

/* ---- the classifier -------------------------------------------------------------------------- */

/* Training rows; cost 10 and columns as they are suit rows of length 1. */
typedef struct rows {
    int64_t count;
    float *x;
    int64_t *offsets;
    int32_t *value;
    double *weight; /* NULL: all count alike */
} rows;

static cafe_status gather(const predict_job *j, int64_t fold, rows *r) {
    const cafe_targets *known = j->known;
    int64_t count = 0, entries = 0;
    for (int64_t u = 0; u < j->n; u++)
        if (predict_is_known(j, u, fold))
            count++, entries += known->offsets[u + 1] - known->offsets[u];
    r->x = cafe_mem(j->context, count * j->columns, sizeof *r->x);
    r->offsets = cafe_mem_zero(j->context, count + 1, sizeof *r->offsets);
    r->value = cafe_mem(j->context, entries, sizeof *r->value);
    if (j->weight) r->weight = cafe_mem(j->context, count, sizeof *r->weight);
    CAFE_PASS(cafe_mem_had(r->x, r->offsets, r->value, j->weight ? (void *)r->weight : r->x));
    for (int64_t u = 0; u < j->n; u++) {
        if (!predict_is_known(j, u, fold)) continue;
        int64_t own = known->offsets[u + 1] - known->offsets[u], at = r->offsets[r->count];
        memcpy(r->x + r->count * j->columns, j->x + u * j->columns,
               (size_t)j->columns * sizeof *r->x);
        memcpy(r->value + at, known->value + known->offsets[u], (size_t)own * sizeof *r->value);
        if (r->weight) r->weight[r->count] = j->weight[u];
        r->offsets[++r->count] = at + own;
    }
    return CAFE_OK;
}

static cafe_status classify(predict_job *j, int64_t fold, float *score) {
    cafe_context *context = j->context;
    cafe_status status = CAFE_OK;
    rows r = {0};
    double *p = NULL;
    cafe_classifier classifier;
    cafe_logistic_options logistic;
    cafe_logistic_options_init(&logistic);
    logistic.cost = 10;
    logistic.standardise = 0;
    if (!j->x) CAFE_TRY(make_vectors(j));
    CAFE_TRY(cafe_classifier_logistic(context, &logistic, &classifier));
    CAFE_TRY(gather(j, fold, &r));
    p = cafe_mem_zero(context, j->n * j->classes, sizeof *p);
    CAFE_TRY(p ? CAFE_OK : CAFE_ERROR_MEMORY);
    cafe_classifier_data d = {r.count,   j->n,    j->columns, j->classes,    r.x,     j->x,
                              r.offsets, r.value, j->several, context->seed, r.weight};
    CAFE_TRY(classifier.predict(classifier.self, context, &d, p));
    for (int64_t i = 0; i < j->n * j->classes; i++) score[i] = (float)p[i];
done:
    cafe_mem_free_all(context, r.x, r.offsets, r.value, r.weight, p);
    return status;
}

/* ---- methods that take labels ---------------------------------------------------------------- */

/* The rows that the method found: the first columns are those of the classes. */
static cafe_status run_method(const predict_job *j, const cafe_method *method, const void *own,
                              const int32_t *label, float *score) {
    cafe_status status = CAFE_OK;
    cafe_embedding *embedding = NULL;
    float *h = NULL;
    cafe_finish_options finish;
    cafe_method_options options;
    cafe_method_inputs inputs;
    cafe_finish_options_init(&finish);
    finish.form = CAFE_FORM_RAW;
    cafe_method_options_init(&options);
    options.finish = &finish;
    options.own = own;
    options.free_columns = 1;
    cafe_method_inputs_init(&inputs);
    inputs.labels = label;
    inputs.classes = j->classes;
    CAFE_TRY(cafe_embed(j->context, j->graph, method, &options, &inputs, &embedding));
    int64_t columns = cafe_embedding_certificate(embedding)->columns;
    h = cafe_mem(j->context, j->n * columns, sizeof *h);
    CAFE_TRY(h ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(cafe_embedding_copy(embedding, h));
    for (int64_t u = 0; u < j->n; u++)
        for (int64_t c = 0; c < j->classes; c++)
            score[u * j->classes + c] = c < columns ? h[u * columns + c] : 0;
done:
    cafe_mem_free(j->context, h);
    cafe_embedding_free(embedding);
    return status;
}

static cafe_status propagate(const predict_job *j, const cafe_method *method, const void *own,
                             int64_t fold, float *score) {
    int32_t *label = cafe_mem(j->context, j->n, sizeof *label);
    if (!label) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < j->n; u++)
        label[u] = predict_is_known(j, u, fold) ? j->known->value[j->known->offsets[u]] : -1;
    cafe_status status = run_method(j, method, own, label, score);
    cafe_mem_free(j->context, label);
    return status;
}

cafe_status cafe_predictor_scores(predict_job *job, cafe_predictor predictor, int64_t fold,
                                  float *score) {
    int64_t classified = job->classified;
    job->classified = NOT_CLASSIFIED;
    if (predictor == CAFE_PREDICT_PROPAGATION || predictor == CAFE_PREDICT_ABSORBING) {
        bool harmonic = predictor == CAFE_PREDICT_PROPAGATION;
        cafe_label_propagation_options own;
        cafe_label_propagation_options_init(&own);
        own.kind = harmonic ? CAFE_PROPAGATION_HARMONIC : CAFE_PROPAGATION_ABSORBING;
        own.mass = harmonic ? CAFE_MASS_YES : CAFE_MASS_AUTO;
        if (!harmonic) own.alpha = ABSORBING_ALPHA;
        return propagate(job, &cafe_label_propagation_method, &own, fold, score);
    }
    if (predictor == CAFE_PREDICT_CAFE)
        return propagate(job, cafe_method_find(NULL, "cafe"), NULL, fold, score);
    if (classified != fold) CAFE_PASS(classify(job, fold, score));
    if (predictor == CAFE_PREDICT_SMOOTHED) return cafe_predict_smooth(job, fold, score);
    job->classified = fold;
    return CAFE_OK;
}
