/* Probabilities from scores, by held-out nodes.
 *
 * Scores F order the classes of a node, but they are no probabilities. With t the frequencies of
 * the classes among the known nodes, for nodes of one class
 *
 *     p(c|u) = (1 - l) F(u,c)^b / sum_d F(u,d)^b + l t(c),
 *
 * and for nodes of several classes
 *
 *     logit p(c|u) = slope logit F(u,c) + offset + prior logit t(c).
 *
 * The numbers b and l, or the three, have the least log loss on the held-out nodes. The frequencies
 * alone are one of the choices (l near 1; slope 0 and prior 1), so the log loss is not above
 * theirs. They are taken if the gain over them may be chance. If all of h held-out nodes are right,
 * the error may still be 1 in h + 2: l is at least that.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/predict.h"

#define TINY 1e-6 /* scores and frequencies of several classes are this far inside (0,1) */
#define ALMOST_ALL                                                                \
    .9999 /* the largest share of the frequencies: the order of the classes stays \
           */

/* ---- one class a node ------------------------------------------------------------------------ */

/* to_c = F_c^b / sum F^b; the frequencies if no class has a score */
static void raise_row(int64_t classes, const float *score, double power, const double *frequency,
                      double *to) {
    double top = 0, sum = 0;
    for (int64_t c = 0; c < classes; c++)
        if (score[c] > top) top = score[c];
    for (int64_t c = 0; c < classes; c++) {
        to[c] = !(top > 0) ? frequency[c] : score[c] > 0 ? pow(score[c] / top, power) : 0;
        sum += to[c];
    }
    for (int64_t c = 0; c < classes; c++) to[c] /= sum;
}

/* -mean log of the probability of the true class, own[i] being the part of the score */
static double loss_of_shares(const predict_held *h, const double *own, double share) {
    double sum = 0;
    for (int64_t i = 0; i < h->count; i++) {
        int32_t truth = h->known->value[h->known->offsets[h->node[i]]];
        sum -= h->weight[i] * log((1 - share) * own[i] + share * h->frequency[truth]);
    }
    return sum / (double)h->count;
}

static cafe_status find_power(cafe_context *context, const predict_held *h,
                              predict_calibration *found) {
    static const double shares[] = {.001, .002, .004, .008, .016, .03, .06,       .12,
                                    .25,  .35,  .5,   .7,   .9,   .99, ALMOST_ALL};
    double best = INFINITY, least = 1 / (double)(h->count + 2);
    double *own = cafe_mem(context, h->count, sizeof *own);
    double *row = cafe_mem(context, h->classes, sizeof *row);
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_mem_had(own, row));
    for (double power = 1. / 128; power < 17; power *= sqrt(2)) {
        CAFE_TRY(cafe_check_cancel(context));
        for (int64_t i = 0; i < h->count; i++) {
            raise_row(h->classes, h->score + i * h->classes, power, h->frequency, row);
            own[i] = row[h->known->value[h->known->offsets[h->node[i]]]];
        }
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            double share = fmax(shares[k], least), loss = loss_of_shares(h, own, share);
            if (loss < best) best = loss, found->power = power, found->share = share;
        }
    }
done:
    cafe_mem_free_all(context, own, row);
    return status;
}

/* ---- several classes a node ------------------------------------------------------------------ */

static double logit(double p) {
    double q = fmin(fmax(p, TINY), 1 - TINY);
    return log(q / (1 - q));
}

static double logistic(double z) {
    return z >= 0 ? 1 / (1 + exp(-z)) : exp(z) / (1 + exp(z));
}

static bool has_class(const cafe_targets *known, int64_t u, int32_t c) {
    for (int64_t i = known->offsets[u]; i < known->offsets[u + 1]; i++)
        if (known->value[i] == c) return true;
    return false;
}

/* Gradient and Hessian of the log loss of all pairs of held-out node and class in w. */
static double sum_pairs(const predict_held *h, const double w[3], double g[3], double m[3][3]) {
    double loss = 0;
    memset(g, 0, 3 * sizeof *g);
    memset(m, 0, 9 * sizeof **m);
    for (int64_t i = 0; i < h->count; i++)
        for (int32_t c = 0; c < h->classes; c++) {
            double x[3] = {logit(h->score[i * h->classes + c]), 1, logit(h->frequency[c])};
            double z = w[0] * x[0] + w[1] * x[1] + w[2] * x[2], p = logistic(z);
            bool truth = has_class(h->known, h->node[i], c);
            double margin = truth ? z : -z;
            loss +=
                h->weight[i] * (margin >= 0 ? log1p(exp(-margin)) : -margin + log1p(exp(margin)));
            for (int a = 0; a < 3; a++) {
                g[a] += h->weight[i] * (p - truth) * x[a];
                for (int b = 0; b < 3; b++) m[a][b] += h->weight[i] * p * (1 - p) * x[a] * x[b];
            }
        }
    return loss;
}

/* step = m^-1 g for a positive definite m, by Cholesky's method */
static void solve_three(double m[3][3], const double g[3], double step[3]) {
    double l[3][3] = {{0}}, y[3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / l[j][j];
        }
    for (int i = 0; i < 3; i++) {
        y[i] = g[i];
        for (int k = 0; k < i; k++) y[i] -= l[i][k] * y[k];
        y[i] /= l[i][i];
    }
    for (int i = 2; i >= 0; i--) {
        step[i] = y[i];
        for (int k = i + 1; k < 3; k++) step[i] -= l[k][i] * step[k];
        step[i] /= l[i][i];
    }
}

/* Newton's method from the frequencies, with a ridge and halved steps. */
static cafe_status find_slopes(cafe_context *context, const predict_held *h,
                               predict_calibration *found) {
    double w[3] = {0, 0, 1}, g[3], m[3][3], step[3];
    double loss = sum_pairs(h, w, g, m);
    for (int round = 0; round < 50; round++) {
        CAFE_PASS(cafe_check_cancel(context));
        for (int a = 0; a < 3; a++) m[a][a] = m[a][a] * (1 + 1e-9) + 1e-9;
        solve_three(m, g, step);
        double now = INFINITY, part = 1, tried[3];
        for (; part > 1e-6 && !(now < loss); part /= 2) {
            for (int a = 0; a < 3; a++) tried[a] = w[a] - part * step[a];
            now = sum_pairs(h, tried, g, m);
        }
        if (!(now < loss - 1e-9 * fabs(loss))) break;
        memcpy(w, tried, sizeof w);
        loss = now;
    }
    found->slope = fmax(w[0], 0); /* a higher score is never less likely */
    found->offset = w[1];
    found->prior = w[2];
    return CAFE_OK;
}

/* ---- doubt ----------------------------------------------------------------------------------- */

/* log of the probability of what is true of a held-out node, less that by the frequencies */
static double gain_of(const predict_held *h, int64_t i, const double *p) {
    int64_t u = h->node[i];
    double gain = 0;
    for (int32_t c = 0; c < h->classes; c++) {
        double t = h->several ? fmin(fmax(h->frequency[c], TINY), 1 - TINY) : h->frequency[c];
        if (has_class(h->known, u, c))
            gain += log(fmax(p[c], 1e-15) / t);
        else if (h->several)
            gain += log(fmax(1 - p[c], 1e-15) / (1 - t));
    }
    return gain;
}

/* g is the mean gain over the frequencies, e its standard error. The probabilities count with
 * g / e - 1, between 0 and 1, and the frequencies with the rest: a gain below one error may be
 * chance. */
static cafe_status doubt(cafe_context *context, const predict_held *h, predict_calibration *f) {
    cafe_status status = CAFE_OK;
    double mean, error;
    double *gain = cafe_mem(context, h->count, sizeof *gain);
    double *p = cafe_mem(context, h->classes, sizeof *p);
    CAFE_TRY(cafe_mem_had(gain, p));
    for (int64_t i = 0; i < h->count; i++) {
        cafe_predict_apply(f, h, h->score + i * h->classes, p);
        gain[i] = gain_of(h, i, p);
    }
    cafe_predict_mean(h, gain, &mean, &error);
    double kept = mean >= 2 * error ? 1 : mean <= error ? 0 : mean / error - 1;
    f->share = fmin(1 - kept * (1 - f->share), ALMOST_ALL);
    f->slope *= kept;
    f->offset *= kept;
    f->prior = 1 + kept * (f->prior - 1);
done:
    cafe_mem_free_all(context, gain, p);
    return status;
}

cafe_status cafe_predict_calibrate(cafe_context *context, const predict_held *held, bool ready,
                                   predict_calibration *calibration) {
    double least = 1 / (double)(held->count + 2);
    *calibration = (predict_calibration){.power = 1, .share = least, .slope = 1};
    if (held->count == 0) return CAFE_OK;
    if (!ready)
        CAFE_PASS(held->several ? find_slopes(context, held, calibration)
                                : find_power(context, held, calibration));
    return doubt(context, held, calibration);
}

void cafe_predict_apply(const predict_calibration *f, const predict_held *h, const float *score,
                        double *p) {
    if (h->several) {
        for (int64_t c = 0; c < h->classes; c++)
            p[c] = logistic(f->slope * logit(score[c]) + f->offset +
                            f->prior * logit(h->frequency[c]));
        return;
    }
    raise_row(h->classes, score, f->power, h->frequency, p);
    for (int64_t c = 0; c < h->classes; c++)
        p[c] = (1 - f->share) * p[c] + f->share * h->frequency[c];
}
