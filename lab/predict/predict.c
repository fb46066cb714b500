/* Prediction: folds, the comparison of the predictors, the choice, and all nodes.
 *
 * The known nodes of each class are dealt into folds in their order. Every predictor predicts each
 * fold from the others; from these scores follow its probabilities and its figures. The first
 * predictor of the list is used, unless another finds more by more than two standard errors of the
 * mean difference. Without this rule few known nodes would choose between several predictors by
 * chance.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "base/thread_pool.h"
#include "predict/predict.h"

enum { BLOCK = 1024, MOST_FOLDS = 100, ENOUGH = 5 };

static const char *const names[PREDICTORS] = {"auto", "smoothed",  "classifier", "propagation",
                                              "cafe", "absorbing", "combined"};

static const cafe_option predict_options[] = {
    {"by", "PREDICTOR", CAFE_OPTION_CHOICE, offsetof(cafe_predict_options, by), CAFE_PREDICT_AUTO,
     0, PREDICTORS - 1, "auto|smoothed|classifier|propagation|cafe|absorbing|combined",
     "logistic regression on the vectors (smoothed: and averaged over the edges), harmonic "
     "labels, absorbing walks, CAFE-GCN, a weighted mean of all; auto compares them by folds of "
     "the "
     "known nodes"},
    {"folds", "K", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_predict_options, folds), 5,
     2, MOST_FOLDS, NULL, "parts of the known nodes, each predicted from the others"},
    {"several", NULL, CAFE_OPTION_SWITCH | CAFE_OPTION_TUNE,
     offsetof(cafe_predict_options, several), 0, 0, 1, NULL,
     "a node may have several classes, even if no known node has"},
};

CAFE_OPTION_TABLE(predict, "predict", "classes of all nodes from those of some", predict_options)

struct cafe_prediction {
    cafe_context *context;
    int64_t n, classes;
    float *p;
    int64_t *offsets; /* n + 1: where each node's classes stand */
    int32_t *value;
    cafe_predict_trial trial[PREDICTORS];
    cafe_predict_figures figures;
    char warning[200];
};

/* A predictor on the held-out nodes. */
typedef struct comparison {
    cafe_predictor predictor;
    float *score;  /* held out x classes */
    double *p;     /* its probabilities */
    double *found; /* of each held-out node */
    predict_calibration calibration;
    cafe_predict_figures figures;
} comparison;

/* ---- the comparison -------------------------------------------------------------------------- */

/* The scores of a fold's nodes. The classifier comes first: the smoothed scores follow from its. */
static cafe_status run_fold(predict_job *j, const predict_held *h, int64_t fold, int count,
                            comparison *tried, float *score) {
    size_t row = (size_t)j->classes * sizeof *score;
    for (int k = 0; k < count; k++) {
        CAFE_PASS(cafe_predictor_scores(j, tried[k].predictor, fold, score));
        for (int64_t i = 0; i < h->count; i++)
            if (j->fold[h->node[i]] == fold)
                memcpy(tried[k].score + i * j->classes, score + h->node[i] * j->classes, row);
    }
    return CAFE_OK;
}

static cafe_status calibrate(const predict_job *j, predict_held *h, comparison *t) {
    h->score = t->score;
    return cafe_predict_calibrate(j->context, h, t->predictor == CAFE_PREDICT_COMBINED,
                                  &t->calibration);
}

static cafe_status judge(predict_job *j, predict_held *h, comparison *t) {
    CAFE_PASS(calibrate(j, h, t));
    for (int64_t i = 0; i < h->count; i++)
        cafe_predict_apply(&t->calibration, h, t->score + i * j->classes, t->p + i * j->classes);
    return cafe_predict_measure(j->context, h, t->p, t->found, &t->figures);
}

/* The scores of all held-out nodes. */
static cafe_status hold_out(predict_job *j, const predict_held *h, int count, comparison *tried,
                            float *score) {
    for (int k = 0; k < count; k++) {
        tried[k].score = cafe_mem(j->context, h->count * j->classes, sizeof *score);
        tried[k].found = cafe_mem(j->context, h->count, sizeof(double));
        tried[k].p = cafe_mem(j->context, h->count * j->classes, sizeof(double));
        CAFE_PASS(cafe_mem_had(tried[k].score, tried[k].found, tried[k].p));
    }
    count -= tried[count - 1].predictor == CAFE_PREDICT_COMBINED;
    for (int64_t fold = 0; fold < j->options.folds; fold++)
        CAFE_PASS(run_fold(j, h, fold, count, tried, score));
    return CAFE_OK;
}

/* The trials against the one that is used by default; returns the one to use. The found shares of
 * the others become their differences. */
static int choose(const predict_held *h, int count, int first, comparison *tried,
                  cafe_prediction *found) {
    int chosen = first;
    double most = 0;
    for (int k = 0; k < count; k++) {
        comparison *c = &tried[k];
        cafe_predict_trial *t = &found->trial[k == first ? 0 : k < first ? k + 1 : k];
        *t = (cafe_predict_trial){
            names[c->predictor], c->figures.accuracy, c->figures.error, c->figures.log_loss, 0, 0};
        if (k == first) continue;
        for (int64_t i = 0; i < h->count; i++) c->found[i] -= tried[first].found[i];
        cafe_predict_mean(h, c->found, &t->ahead, &t->ahead_error);
        if (t->ahead > 2 * t->ahead_error && t->ahead > most) most = t->ahead, chosen = k;
    }
    return chosen;
}

/* ---- all nodes ------------------------------------------------------------------------------- */

typedef struct final {
    const predict_job *job;
    const predict_held *held;
    const predict_calibration *calibration;
    const float *score;
    float *p;
    double *row; /* classes for each worker */
} final;

static void finish_block(void *argument, int64_t block, int32_t worker) {
    final *f = argument;
    const predict_job *j = f->job;
    double *row = f->row + worker * j->classes;
    for (int64_t u = block * BLOCK; u < cafe_block_end(j->n, BLOCK, block); u++) {
        float *to = f->p + u * j->classes;
        cafe_predict_apply(f->calibration, f->held, f->score + u * j->classes, row);
        bool known = predict_is_known(j, u, -1);
        for (int64_t c = 0; c < j->classes; c++) to[c] = known ? 0 : (float)row[c];
        for (int64_t i = j->known->offsets[u]; i < j->known->offsets[u + 1]; i++)
            to[j->known->value[i]] = 1;
    }
}

/* The classes of all nodes; with room NULL only their number. */
static int64_t decide_all(const predict_job *j, const predict_held *h, cafe_prediction *found,
                          double *row, uint8_t *taken, int32_t *decided, int32_t *room) {
    int64_t used = 0;
    for (int64_t u = 0; u < j->n; u++) {
        for (int64_t c = 0; c < j->classes; c++) row[c] = found->p[u * j->classes + c];
        double threshold = predict_is_known(j, u, -1) ? 1 : found->figures.threshold;
        int64_t count = cafe_predict_decide(h, threshold, row, taken, decided);
        if (room) memcpy(room + used, decided, (size_t)count * sizeof *room);
        used += count;
        found->offsets[u + 1] = used;
    }
    return used;
}

static cafe_status decide(const predict_job *j, const predict_held *h, cafe_prediction *found) {
    cafe_status status = CAFE_OK;
    double *row = cafe_mem(j->context, j->classes, sizeof *row);
    uint8_t *taken = cafe_mem(j->context, j->classes, 1);
    int32_t *decided = cafe_mem(j->context, j->classes, sizeof *decided);
    found->offsets = cafe_mem_zero(j->context, j->n + 1, sizeof *found->offsets);
    CAFE_TRY(cafe_mem_had(row, taken, decided, found->offsets));
    int64_t entries = decide_all(j, h, found, row, taken, decided, NULL);
    found->value = cafe_mem(j->context, entries, sizeof *found->value);
    CAFE_TRY(found->value ? CAFE_OK : CAFE_ERROR_MEMORY);
    decide_all(j, h, found, row, taken, decided, found->value);
done:
    cafe_mem_free_all(j->context, row, taken, decided);
    return status;
}

/* The probabilities of all nodes from their scores. */
static cafe_status apply_all(predict_job *j, const predict_held *h, const comparison *by,
                             float *score, cafe_prediction *found) {
    final f = {j, h, &by->calibration, score, found->p, NULL};
    f.row = cafe_mem(j->context, j->context->threads * j->classes, sizeof *f.row);
    if (!f.row) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_parallel(j->context, cafe_blocks(j->n, BLOCK), finish_block, &f);
    cafe_mem_free(j->context, f.row);
    return status;
}

/* Were the known nodes drawn class by class? Then at least half of the classes have about as many
 * of them as the largest, whatever their sizes in the graph. */
static bool is_balanced(const predict_job *j, const predict_held *h, int64_t classes) {
    double most = 0;
    int64_t equal = 0;
    for (int64_t c = 0; c < j->classes; c++) most = fmax(most, h->frequency[c]);
    for (int64_t c = 0; c < j->classes; c++) equal += h->frequency[c] >= .8 * most;
    return 2 * equal >= classes && !j->several;
}

/* Known nodes drawn class by class say little of a graph with classes of other sizes. Then a
 * held-out node of class c counts pi_c / t_c times: pi_c is the mean probability of c over the
 * nodes without a class. */
static cafe_status weigh(const predict_job *j, predict_held *h, const cafe_prediction *found) {
    double sum = 0, unknown = 0, *share = cafe_mem_zero(j->context, j->classes, sizeof *share);
    if (!share) return CAFE_ERROR_MEMORY;
    bool balanced = is_balanced(j, h, found->figures.classes);
    for (int64_t u = 0; u < j->n; u++) {
        if (predict_is_known(j, u, -1)) continue;
        for (int64_t c = 0; c < j->classes; c++) share[c] += found->p[u * j->classes + c];
        unknown++;
    }
    for (int64_t i = 0; i < h->count; i++) {
        int32_t c = j->known->value[j->known->offsets[h->node[i]]];
        h->weight[i] = !balanced || unknown == 0 ? 1 : share[c] / h->frequency[c];
        if (j->weight) h->weight[i] *= j->weight[h->node[i]];
        sum += h->weight[i];
    }
    for (int64_t i = 0; i < h->count; i++) h->weight[i] *= (double)h->count / sum;
    cafe_mem_free(j->context, share);
    return CAFE_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void warn(cafe_prediction *found, const predict_held *h) {
    cafe_predict_figures *f = &found->figures;
    int64_t rare = 0;
    for (int64_t c = 0; c < h->classes; c++)
        rare += h->frequency[c] > 0 && h->frequency[c] * (double)f->known < ENOUGH - .5;
    f->warning = found->warning;
    if (f->held_out == 0)
        cafe_print(found->warning, sizeof found->warning,
                   "every class is known from one node only: how good the prediction is cannot be "
                   "said");
    else if (f->error > .05)
        cafe_print(found->warning, sizeof found->warning,
                   "%lld known nodes are too few to tell: the expected accuracy is %.2f with a "
                   "standard error of %.2f",
                   (long long)f->known, f->accuracy, f->error);
    else if (rare > 0)
        cafe_print(found->warning, sizeof found->warning,
                   "%lld of %lld classes are known from fewer than %d nodes", (long long)rare,
                   (long long)f->classes, ENOUGH);
    else
        f->warning = NULL;
}

static void keep_figures(const predict_job *j, const predict_held *h, int count,
                         const comparison *chosen, cafe_prediction *found) {
    cafe_predict_figures *f = &found->figures;
    int64_t known = f->known, classes = f->classes;
    *f = chosen->figures;
    f->known = known, f->classes = classes;
    f->predictor = names[chosen->predictor];
    f->several = j->several;
    f->held_out = h->count;
    f->trials = h->count > 0 ? count : 0;
    f->trial = found->trial;
    f->smoothing = chosen->predictor == CAFE_PREDICT_SMOOTHED ? j->smoothing : 0;
    if (h->count == 0) {
        f->accuracy = f->error = f->micro_f1 = f->macro_f1 = NAN;
        f->log_loss = f->frequency_log_loss = f->calibration_error = NAN;
        f->threshold = j->several ? .5 : 0;
    }
}

/* The predictors to compare: the classifier before the smoothed one, the combined one last. */
static int list_predictors(const predict_job *j, comparison *tried) {
    static const cafe_predictor all[] = {CAFE_PREDICT_CLASSIFIER,  CAFE_PREDICT_SMOOTHED,
                                         CAFE_PREDICT_PROPAGATION, CAFE_PREDICT_ABSORBING,
                                         CAFE_PREDICT_CAFE,        CAFE_PREDICT_COMBINED};
    int count = 0;
    bool one = j->options.by != CAFE_PREDICT_AUTO && j->options.by != CAFE_PREDICT_COMBINED;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        bool takes_several = all[k] == CAFE_PREDICT_CLASSIFIER || all[k] == CAFE_PREDICT_SMOOTHED ||
                             all[k] == CAFE_PREDICT_COMBINED;
        if (one ? all[k] == (cafe_predictor)j->options.by : takes_several || !j->several)
            tried[count++].predictor = all[k];
    }
    return count;
}

static cafe_status new_run(predict_job *j, predict_held *h, cafe_prediction *found, float **score) {
    CAFE_PASS(cafe_predict_folds(j, h, &found->figures));
    *score = cafe_mem(j->context, j->n * j->classes, sizeof **score);
    found->p = cafe_mem(j->context, j->n * j->classes, sizeof *found->p);
    return cafe_mem_had(*score, found->p);
}

/* The combined predictor on the held-out nodes, from those before it. */
static cafe_status combine_held(predict_job *j, predict_held *h, int others, comparison *tried,
                                double *weight) {
    const double *p[PREDICTORS];
    for (int k = 0; k < others; k++) p[k] = tried[k].p;
    return cafe_predict_combine(j, h, others, p, tried[others].score, weight);
}

/* score <- the weighted mean of the probabilities of all nodes */
static cafe_status combine_all(predict_job *j, const predict_held *h, int others,
                               const comparison *tried, const double *weight, float *score,
                               cafe_prediction *found) {
    float *sum = cafe_mem_zero(j->context, j->n * j->classes, sizeof *sum);
    cafe_status status = CAFE_OK;
    CAFE_TRY(sum ? CAFE_OK : CAFE_ERROR_MEMORY);
    for (int k = 0; k < others; k++) {
        CAFE_TRY(cafe_predictor_scores(j, tried[k].predictor, -1, score));
        CAFE_TRY(apply_all(j, h, &tried[k], score, found));
        for (int64_t i = 0; i < j->n * j->classes; i++) sum[i] += (float)weight[k] * found->p[i];
    }
    memcpy(score, sum, (size_t)(j->n * j->classes) * sizeof *score);
done:
    cafe_mem_free(j->context, sum);
    return status;
}

/* Probabilities and figures of every predictor on the held-out nodes. */
static cafe_status compare(predict_job *j, predict_held *h, int count, comparison *tried,
                           double *weight) {
    for (int k = 0; k < count; k++) {
        if (tried[k].predictor == CAFE_PREDICT_COMBINED)
            CAFE_PASS(combine_held(j, h, k, tried, weight));
        CAFE_PASS(judge(j, h, &tried[k]));
    }
    return CAFE_OK;
}

static cafe_status run(predict_job *j, cafe_prediction *found) {
    cafe_status status = CAFE_OK;
    comparison tried[PREDICTORS] = {{0}};
    predict_held held = {.classes = j->classes, .known = j->known, .several = j->several};
    double weight[PREDICTORS];
    float *score = NULL;
    int count = list_predictors(j, tried), base = count > 1 ? 1 : 0, chosen = base;
    CAFE_TRY(new_run(j, &held, found, &score));
    CAFE_TRY(hold_out(j, &held, count, tried, score));
    CAFE_TRY(calibrate(j, &held, &tried[base]));
    CAFE_TRY(cafe_predictor_scores(j, tried[base].predictor, -1, score));
    CAFE_TRY(apply_all(j, &held, &tried[base], score, found));
    if (held.count > 0) {
        CAFE_TRY(weigh(j, &held, found));
        CAFE_TRY(compare(j, &held, count, tried, weight));
        chosen = choose(&held, count, count - 1, tried, found);
        if (j->options.by == CAFE_PREDICT_COMBINED) chosen = count - 1;
        if (tried[chosen].predictor == CAFE_PREDICT_COMBINED)
            CAFE_TRY(combine_all(j, &held, chosen, tried, weight, score, found));
        else if (chosen != base)
            CAFE_TRY(cafe_predictor_scores(j, tried[chosen].predictor, -1, score));
        CAFE_TRY(apply_all(j, &held, &tried[chosen], score, found));
    }
    keep_figures(j, &held, count, &tried[chosen], found);
    CAFE_TRY(decide(j, &held, found));
    warn(found, &held);
done:
    cafe_phase(j->context, "", 0);
    for (int k = 0; k < count; k++)
        cafe_mem_free_all(j->context, tried[k].score, tried[k].found, tried[k].p);
    cafe_mem_free_all(j->context, score, held.frequency, held.node, held.weight);
    return status;
}

static cafe_status open_job(cafe_context *context, const cafe_predict_inputs *in,
                            const cafe_predict_options *options, predict_job *j) {
    if (!in->graph || !in->known)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "no graph, or no classes");
    if (in->vectors && in->features)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "features are for vectors that are made here: they do not go with given "
                         "vectors");
    *j = (predict_job){.context = context, .graph = in->graph, .known = in->known};
    j->n = cafe_graph_nodes(in->graph);
    j->classes = in->known->classes;
    j->given = in->vectors;
    j->features = in->features;
    j->averaged = in->features || in->averaged;
    j->columns = in->columns;
    j->weight = in->weight;
    j->classified = NOT_CLASSIFIED;
    CAFE_PASS(cafe_options_take(context, &predict_table, options, &j->options));
    CAFE_PASS(cafe_predict_check_known(j));
    j->several = j->options.several;
    for (int64_t u = 0; u < j->n; u++)
        j->several |= in->known->offsets[u + 1] - in->known->offsets[u] > 1;
    if (j->several && j->options.by >= CAFE_PREDICT_PROPAGATION &&
        j->options.by <= CAFE_PREDICT_ABSORBING)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "nodes have several classes: " CAFE_OPT("by=smoothed") ", " CAFE_OPT(
                             "by=classifier") " and " CAFE_OPT("by=combined") " predict them");
    for (int64_t u = 0; in->weight && u < j->n; u++)
        if (in->known->offsets[u + 1] > in->known->offsets[u] &&
            !(in->weight[u] > 0 && isfinite(in->weight[u])))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the weight of node %lld is %g: expected a number above 0",
                             (long long)u, in->weight[u]);
    for (int64_t i = 0; in->vectors && i < j->n * j->columns; i++)
        if (!isfinite(in->vectors[i]))
            return cafe_fail(context, CAFE_ERROR_NUMERIC,
                             "the vectors have a number that is not finite");
    return in->vectors && j->columns < 1
               ? cafe_fail(context, CAFE_ERROR_ARGUMENT, "the vectors have no column")
               : CAFE_OK;
}

cafe_status cafe_predict(cafe_context *context, const cafe_predict_inputs *inputs,
                         const cafe_predict_options *options, cafe_prediction **prediction) {
    cafe_status status = CAFE_OK;
    cafe_predict_inputs in;
    predict_job job = {0};
    *prediction = NULL;
    CAFE_TRY(cafe_inputs_take(context, "a prediction", inputs, &in, sizeof in));
    CAFE_TRY(open_job(context, &in, options, &job));
    cafe_prediction *p = *prediction = cafe_mem_zero(context, 1, sizeof *p);
    CAFE_TRY(p ? CAFE_OK : CAFE_ERROR_MEMORY);
    p->context = context;
    p->n = job.n;
    p->classes = job.classes;
    status = run(&job, p);
done:
    cafe_mem_free_all(context, job.x, job.fold);
    if (status != CAFE_OK) {
        cafe_prediction_free(*prediction);
        *prediction = NULL;
    }
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

void cafe_prediction_free(cafe_prediction *p) {
    if (p) cafe_mem_free_all(p->context, p->p, p->offsets, p->value, p);
}

const float *cafe_prediction_probabilities(const cafe_prediction *p) {
    return p->p;
}

void cafe_prediction_classes(const cafe_prediction *p, const int64_t **offsets,
                             const int32_t **value) {
    *offsets = p->offsets;
    *value = p->value;
}

const cafe_predict_figures *cafe_prediction_figures(const cafe_prediction *p) {
    return &p->figures;
}
