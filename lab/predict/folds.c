/* Folds: the known nodes of each class are dealt into parts, each to be predicted from the others.
 */
#include "base/memory.h"
#include "predict/predict.h"

cafe_status cafe_predict_check_known(const predict_job *j) {
    const cafe_targets *t = j->known;
    int64_t known = 0;
    if (t->nodes != j->n)
        return cafe_fail(j->context, CAFE_ERROR_ARGUMENT,
                         "classes of %lld nodes for a graph of %lld", (long long)t->nodes,
                         (long long)j->n);
    for (int64_t u = 0; u < j->n; u++) {
        known += t->offsets[u + 1] > t->offsets[u];
        for (int64_t i = t->offsets[u]; i < t->offsets[u + 1]; i++)
            if (t->value[i] < 0 || t->value[i] >= t->classes)
                return cafe_fail(j->context, CAFE_ERROR_ARGUMENT,
                                 "node %lld has class %d, not below %lld", (long long)u,
                                 t->value[i], (long long)t->classes);
    }
    return known > 0 ? CAFE_OK
                     : cafe_fail(j->context, CAFE_ERROR_ARGUMENT,
                                 "no node has a class: there is nothing to learn from");
}

/* Each class dealt out in the order of its nodes, a node of several classes by its first. The only
 * node of a class is never held out. Counts the held-out nodes and the classes. */
static cafe_status deal(predict_job *j, predict_held *h, cafe_predict_figures *f) {
    int64_t *seen = cafe_mem_zero(j->context, 2 * j->classes, sizeof *seen);
    double *frequency = cafe_mem_zero(j->context, j->classes, sizeof *frequency);
    h->frequency = frequency;
    j->fold = cafe_mem(j->context, j->n, sizeof *j->fold);
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_mem_had(seen, frequency, j->fold));
    const cafe_targets *t = j->known;
    int64_t *dealt = seen + j->classes;
    for (int64_t u = 0; u < j->n; u++) {
        f->known += t->offsets[u + 1] > t->offsets[u];
        for (int64_t i = t->offsets[u]; i < t->offsets[u + 1]; i++) seen[t->value[i]]++;
    }
    for (int64_t u = 0; u < j->n; u++) {
        j->fold[u] = -1;
        if (t->offsets[u + 1] == t->offsets[u]) continue;
        int32_t c = t->value[t->offsets[u]];
        if (seen[c] < 2) continue;
        j->fold[u] = (int32_t)(dealt[c]++ % j->options.folds);
        h->count++;
    }
    for (int64_t c = 0; c < j->classes; c++) {
        frequency[c] = (double)seen[c] / (double)f->known;
        f->classes += seen[c] > 0;
    }
done:
    cafe_mem_free(j->context, seen);
    return status;
}

static cafe_status list_held(const predict_job *j, predict_held *h) {
    int32_t *node = cafe_mem(j->context, h->count, sizeof *node);
    int64_t count = 0;
    h->node = node;
    if (!node) return CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < j->n; u++)
        if (j->fold[u] >= 0) node[count++] = (int32_t)u;
    return CAFE_OK;
}

cafe_status cafe_predict_folds(predict_job *job, predict_held *held, cafe_predict_figures *f) {
    CAFE_PASS(deal(job, held, f));
    CAFE_PASS(list_held(job, held));
    held->weight = cafe_mem(job->context, held->count, sizeof *held->weight);
    if (!held->weight) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < held->count; i++) held->weight[i] = 1;
    return CAFE_OK;
}
