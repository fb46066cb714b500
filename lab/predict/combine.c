/* The combined predictor: a weighted mean of the probabilities of the others.
 *
 * p_k(c|u) are the calibrated probabilities of predictor k. The combined ones are
 *
 *     p(c|u) = sum_k w_k p_k(c|u),    w_k >= 0,  sum_k w_k = 1.
 *
 * The weights maximise the likelihood of the held-out nodes and of b_k nodes more that favour
 * predictor k. These are PRIOR for the classifier and PRIOR r / (1 - r) for the smoothed one, with
 * the correlation r of the ends of an edge (smooth.c). So few held-out nodes do not turn against
 * the smoothing where neighbours agree. A step of the EM algorithm cannot lower the likelihood:
 *
 *     w_k <- (b_k + sum_i w_k p_k(i) / p(i)) / (sum_j b_j + held-out nodes).
 *
 * The probabilities of a held-out node come from weights that were found without its fold.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "predict/predict.h"

enum { BLOCK = 512, ROUNDS = 40, PRIOR = 5 };

typedef struct mixture {
    const predict_held *held;
    const int32_t *fold; /* of every node */
    int64_t without;     /* this fold; -1: none is left out */
    int count;
    const double *const *p;
    const double *prior; /* b */
    double weight[PREDICTORS];
} mixture;

/* sums[k] += w_k p_k / p: how likely predictor k is the source of what is true of a pair */
static void add_pair(const mixture *m, int64_t at, bool truth, double part, double *sums) {
    double own[PREDICTORS], all = 0;
    for (int k = 0; k < m->count; k++) {
        own[k] = m->weight[k] * fmax(truth ? m->p[k][at] : 1 - m->p[k][at], 1e-15);
        all += own[k];
    }
    for (int k = 0; k < m->count; k++) sums[k] += part * own[k] / all;
}

/* The last sum is that of the weights of the nodes. */
static void add_nodes(void *argument, int64_t first, int64_t last, double *sums) {
    const mixture *m = argument;
    const predict_held *h = m->held;
    const cafe_targets *t = h->known;
    for (int64_t i = first; i < last; i++) {
        int64_t u = h->node[i], at = t->offsets[u], end = t->offsets[u + 1];
        if (m->fold[u] == m->without) continue;
        sums[m->count] += h->weight[i];
        if (!h->several) {
            add_pair(m, i * h->classes + t->value[at], true, h->weight[i], sums);
            continue;
        }
        for (int64_t c = 0; c < h->classes; c++) {
            bool truth = false;
            for (int64_t e = at; e < end; e++) truth |= t->value[e] == c;
            add_pair(m, i * h->classes + c, truth, h->weight[i] / (double)h->classes, sums);
        }
    }
}

static cafe_status find_weights(cafe_context *context, mixture *m) {
    double all = 0;
    for (int k = 0; k < m->count; k++) {
        m->weight[k] = 1. / m->count;
        all += m->prior[k];
    }
    for (int round = 0; round < ROUNDS; round++) {
        double sums[PREDICTORS + 1] = {0};
        CAFE_PASS(cafe_sums(context, m->held->count, BLOCK, add_nodes, m, m->count + 1, sums));
        for (int k = 0; k < m->count; k++)
            m->weight[k] = (m->prior[k] + sums[k]) / (all + sums[m->count]);
    }
    return CAFE_OK;
}

cafe_status cafe_predict_combine(predict_job *job, const predict_held *held, int count,
                                 const double *const *p, float *score, double *weight) {
    double r = fmax(2 * job->smoothing - 1, 0); /* from a = 1 - (1 - r) / 2 */
    double prior[PREDICTORS] = {PRIOR, PRIOR * r / (1 - r)};
    mixture m = {held, job->fold, 0, count, p, prior, {0}};
    for (m.without = job->options.folds - 1; m.without >= -1; m.without--) {
        CAFE_PASS(find_weights(job->context, &m));
        for (int64_t i = 0; i < held->count; i++) {
            if (job->fold[held->node[i]] != m.without) continue;
            for (int64_t at = i * held->classes; at < (i + 1) * held->classes; at++) {
                double sum = 0;
                for (int k = 0; k < count; k++) sum += m.weight[k] * p[k][at];
                score[at] = (float)sum;
            }
        }
    }
    memcpy(weight, m.weight, (size_t)count * sizeof *weight);
    return CAFE_OK;
}
