/* What held-out nodes say of probabilities: decisions, and how good they are. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "evaluate/metrics.h"
#include "predict/predict.h"

enum { BINS = 10, THRESHOLDS = 1000 };

/* The class of largest probability that is not taken; of equal ones the more frequent, then the
 * first. */
static int32_t best_class(int64_t classes, const double *p, const double *frequency,
                          const uint8_t *taken) {
    int32_t best = -1;
    for (int32_t c = 0; c < classes; c++) {
        if (taken[c]) continue;
        if (best < 0 || p[c] > p[best] || (p[c] == p[best] && frequency[c] > frequency[best]))
            best = c;
    }
    return best;
}

int64_t cafe_predict_decide(const predict_held *h, double threshold, const double *p,
                            uint8_t *taken, int32_t *to) {
    int64_t count = 0;
    memset(taken, 0, (size_t)h->classes);
    while (count < h->classes) {
        int32_t best = best_class(h->classes, p, h->frequency, taken);
        if (count > 0 && (!h->several || p[best] < threshold)) break;
        taken[best] = 1;
        to[count++] = best;
    }
    return count;
}

/* ---- one held-out node ----------------------------------------------------------------------- */

/* Sums over the held-out nodes. */
typedef struct sums {
    double loss, frequency_loss;
    double expected[BINS], right[BINS]; /* by probability: of it, and of what was right */
    double pairs;
    cafe_confusion *of; /* each class */
} sums;

static void mark_truth(const predict_held *h, int64_t i, uint8_t *truth) {
    const cafe_targets *k = h->known;
    memset(truth, 0, (size_t)h->classes);
    for (int64_t e = k->offsets[h->node[i]]; e < k->offsets[h->node[i] + 1]; e++)
        truth[k->value[e]] = 1;
}

static void add_to_bin(sums *s, double weight, double p, bool right) {
    int bin = (int)(p * BINS);
    if (bin >= BINS) bin = BINS - 1;
    s->expected[bin] += weight * p;
    s->right[bin] += weight * right;
    s->pairs += weight;
}

/* -log of the probability of what is true */
static void add_losses(const predict_held *h, double weight, const double *p, const uint8_t *truth,
                       sums *s) {
    const double tiny = 1e-15;
    for (int64_t c = 0; c < h->classes; c++) {
        double t = h->frequency[c];
        if (truth[c]) {
            s->loss -= weight * log(fmax(p[c], tiny));
            s->frequency_loss -= weight * log(fmax(t, tiny));
        } else if (h->several) {
            s->loss -= weight * log(fmax(1 - p[c], tiny));
            s->frequency_loss -= weight * log(fmax(1 - t, tiny));
        }
    }
}

static void add_decision(const predict_held *h, int64_t count, const int32_t *decided,
                         const uint8_t *truth, uint8_t *taken, sums *s) {
    for (int64_t c = 0; c < h->classes; c++) taken[c] = 0;
    for (int64_t k = 0; k < count; k++) taken[decided[k]] = 1;
    for (int64_t c = 0; c < h->classes; c++) {
        s->of[c].tp += taken[c] && truth[c];
        s->of[c].fp += taken[c] && !truth[c];
        s->of[c].fn += !taken[c] && truth[c];
    }
}

/* The share of its k classes among the k of largest probability. */
static double found_share(const predict_held *h, const double *p, const uint8_t *truth,
                          uint8_t *taken) {
    int64_t k = 0, hits = 0;
    for (int64_t c = 0; c < h->classes; c++) {
        k += truth[c];
        taken[c] = 0;
    }
    for (int64_t i = 0; i < k; i++) {
        int32_t best = best_class(h->classes, p, h->frequency, taken);
        taken[best] = 1;
        hits += truth[best];
    }
    return (double)hits / (double)k;
}

/* ---- the threshold --------------------------------------------------------------------------- */

/* F1 = 2 TP / (predicted + true) of all pairs of node and class */
static cafe_status find_threshold(cafe_context *context, const predict_held *h, const double *p,
                                  uint8_t *truth, double *threshold) {
    int64_t *all = cafe_mem_zero(context, 2 * (THRESHOLDS + 1), sizeof *all), predicted = 0;
    if (!all) return CAFE_ERROR_MEMORY;
    int64_t *right = all + THRESHOLDS + 1, there = 0, hits = 0;
    double best = -1;
    for (int64_t i = 0; i < h->count; i++) {
        mark_truth(h, i, truth);
        for (int64_t c = 0; c < h->classes; c++) {
            int bin = (int)(p[i * h->classes + c] * THRESHOLDS);
            all[bin]++;
            right[bin] += truth[c];
            there += truth[c];
        }
    }
    for (int bin = THRESHOLDS; bin > 0; bin--) {
        predicted += all[bin];
        hits += right[bin];
        double f1 = 2 * (double)hits / (double)(predicted + there);
        if (f1 > best) best = f1, *threshold = (double)bin / THRESHOLDS;
    }
    cafe_mem_free(context, all);
    return CAFE_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void finish(const predict_held *h, const sums *s, cafe_predict_figures *f) {
    cafe_confusion all = {0};
    double macro = 0, gap = 0;
    int64_t there = 0;
    for (int64_t c = 0; c < h->classes; c++) {
        if (h->frequency[c] == 0) continue;
        macro += cafe_f1(s->of[c]);
        there++;
        all.tp += s->of[c].tp, all.fp += s->of[c].fp, all.fn += s->of[c].fn;
    }
    for (int b = 0; b < BINS; b++) gap += fabs(s->expected[b] - s->right[b]);
    f->micro_f1 = cafe_f1(all);
    f->macro_f1 = macro / (double)there;
    f->log_loss = s->loss / (double)h->count;
    f->frequency_log_loss = s->frequency_loss / (double)h->count;
    f->calibration_error = gap / s->pairs;
}

/* mean = sum w x / sum w, error^2 = sum w^2 (x - mean)^2 / (sum w)^2, h / (h - 1) times */
void cafe_predict_mean(const predict_held *held, const double *x, double *mean, double *error) {
    double sum = 0, all = 0, squares = 0, h = (double)held->count;
    for (int64_t i = 0; i < held->count; i++) {
        sum += held->weight[i] * x[i];
        all += held->weight[i];
    }
    *mean = sum / all;
    for (int64_t i = 0; i < held->count; i++) {
        double d = held->weight[i] * (x[i] - *mean) / all;
        squares += d * d;
    }
    *error = held->count > 1 ? sqrt(squares * h / (h - 1)) : 0;
}

cafe_status cafe_predict_measure(cafe_context *context, const predict_held *h, const double *p,
                                 double *found, cafe_predict_figures *f) {
    cafe_status status = CAFE_OK;
    sums s = {0};
    uint8_t *truth = cafe_mem(context, 2 * h->classes, 1);
    int32_t *decided = cafe_mem(context, h->classes, sizeof *decided);
    s.of = cafe_mem_zero(context, h->classes, sizeof *s.of);
    CAFE_TRY(cafe_mem_had(truth, decided, s.of));
    f->threshold = 0;
    if (h->several) CAFE_TRY(find_threshold(context, h, p, truth, &f->threshold));
    for (int64_t i = 0; i < h->count; i++) {
        const double *row = p + i * h->classes;
        mark_truth(h, i, truth);
        found[i] = found_share(h, row, truth, truth + h->classes);
        add_losses(h, h->weight[i], row, truth, &s);
        int64_t count = cafe_predict_decide(h, f->threshold, row, truth + h->classes, decided);
        add_decision(h, count, decided, truth, truth + h->classes, &s);
        if (!h->several) add_to_bin(&s, h->weight[i], row[decided[0]], truth[decided[0]]);
        for (int64_t c = 0; h->several && c < h->classes; c++)
            add_to_bin(&s, h->weight[i], row[c], truth[c]);
    }
    finish(h, &s, f);
    cafe_predict_mean(h, found, &f->accuracy, &f->error);
    /* h right ones of h prove no more than an error of 1 in h + 2 */
    f->error = fmax(f->error, 1 / (double)(h->count + 2));
done:
    cafe_mem_free_all(context, truth, decided, s.of);
    return status;
}
