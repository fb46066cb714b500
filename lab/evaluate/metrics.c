/* Figures of predictions, each by its definition.
 *
 * Pairs and decisions are counted in integers, so the figures do not depend on the order of the
 * rows. The last division is the only rounding, except in the means over classes and in the average
 * precision, which add in a fixed order. References: Fawcett, Pattern Recognition Letters 27
 * (2006), for ROC; the conventions for classes that are absent are those of scikit-learn unless the
 * comment says otherwise.
 */
#include "evaluate/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* ---- scores ---------------------------------------------------------------------------------- */

static int by_score(const void *left, const void *right) {
    double a = ((const cafe_scored *)left)->score, b = ((const cafe_scored *)right)->score;
    return (a > b) - (a < b);
}

static void sort_scores(cafe_scored *items, int64_t count) {
    if (count > 1) qsort(items, (size_t)count, sizeof *items, by_score);
}

/* The items first .. returned - 1 have equal scores; adds up their positives. */
static int64_t tied(const cafe_scored *items, int64_t count, int64_t first, int64_t *positives) {
    int64_t end = first;
    *positives = 0;
    while (end < count && items[end].score == items[first].score)
        *positives += items[end++].positive != 0;
    return end;
}

/* AUC = P(s+ > s-) + P(s+ = s-) / 2 for a positive and a negative drawn at random. `twice` counts
 * pairs in the right order two times and ties once: an integer below 2^63 for 2^31 rows. */
double cafe_roc_auc(cafe_scored *items, int64_t count) {
    int64_t positives = 0, negatives = 0, twice = 0, p;
    sort_scores(items, count);
    for (int64_t i = 0, end; i < count; i = end) {
        end = tied(items, count, i, &p);
        int64_t n = end - i - p;
        twice += p * (2 * negatives + n);
        positives += p;
        negatives += n;
    }
    if (!positives || !negatives) return NAN;
    return (double)twice / 2 / ((double)positives * (double)negatives);
}

/* AP = sum over the distinct scores, falling, of (R_i - R_{i-1}) P_i: precision P and recall R when
 * everything from that score up is called positive. */
double cafe_average_precision(cafe_scored *items, int64_t count) {
    int64_t positives = 0, found = 0;
    double sum = 0;
    sort_scores(items, count);
    for (int64_t i = 0; i < count; i++) positives += items[i].positive != 0;
    for (int64_t end = count, first; end > 0; end = first) {
        int64_t p = 0;
        for (first = end; first > 0 && items[first - 1].score == items[end - 1].score; first--)
            p += items[first - 1].positive != 0;
        found += p;
        sum += (double)p / (double)positives * ((double)found / (double)(count - first));
    }
    return positives ? sum : NAN;
}

/* With the cut behind the first i items, those with s > cut called positive, as many are right as
 * there are negatives before and positives behind it. */
double cafe_best_cut(cafe_scored *items, int64_t count) {
    int64_t right = 0, best, p;
    double cut = -INFINITY;
    sort_scores(items, count);
    for (int64_t i = 0; i < count; i++) right += items[i].positive != 0;
    best = right;
    for (int64_t i = 0, end; i < count; i = end) {
        end = tied(items, count, i, &p);
        right += (end - i - p) - p;
        if (right <= best) continue;
        best = right;
        cut =
            end < count ? items[i].score + (items[end].score - items[i].score) / 2 : items[i].score;
    }
    return cut;
}

/* ---- decisions ------------------------------------------------------------------------------- */

double cafe_f1(cafe_confusion c) {
    int64_t all = 2 * c.tp + c.fp + c.fn;
    return all ? 2 * (double)c.tp / (double)all : 0;
}

static int has(const int32_t *list, int64_t count, int32_t class) {
    for (int64_t i = 0; i < count; i++)
        if (list[i] == class) return 1;
    return 0;
}

/* Counts the decisions for each class; returns the rows whose predicted classes are all right. */
static int64_t count_decisions(const cafe_outcome *o, cafe_confusion *confusion) {
    int64_t exact = 0;
    for (int64_t i = 0; i < o->rows; i++) {
        int64_t first = o->offsets[i], k = o->offsets[i + 1] - first, hits = 0;
        for (int64_t j = first; j < first + k; j++) {
            int right = has(o->value + first, k, o->predicted[j]);
            confusion[o->predicted[j]].tp += right;
            confusion[o->predicted[j]].fp += !right;
            confusion[o->value[j]].fn += !has(o->predicted + first, k, o->value[j]);
            hits += right;
        }
        exact += hits == k;
    }
    return exact;
}

/* F1 of all decisions together; of single labels it is the accuracy. */
static double micro_f1(const cafe_outcome *o, const cafe_confusion *confusion) {
    cafe_confusion all = {0};
    for (int64_t c = 0; c < o->classes; c++) {
        all.tp += confusion[c].tp;
        all.fp += confusion[c].fp;
        all.fn += confusion[c].fn;
    }
    return cafe_f1(all);
}

/* Mean of F1 over the classes, as in scikit-learn. With several labels per row these are the
 * classes of the task; one without test rows counts 0. With single labels they are the classes that
 * a test row has or was given. */
static double macro_f1(const cafe_outcome *o, const cafe_confusion *confusion) {
    double sum = 0;
    int64_t classes = 0;
    for (int64_t c = 0; c < o->classes; c++) {
        cafe_confusion f = confusion[c];
        if (!(f.tp + f.fp + f.fn) && !(o->multiple && o->expected[c])) continue;
        sum += cafe_f1(f);
        classes++;
    }
    return classes ? sum / (double)classes : NAN;
}

/* The paper's AUC: the mean of (TPR + TNR) / 2 over the classes with test rows inside and outside.
 * This is the area under the ROC curve of the hard decision (one corner). */
static double paper_auc(const cafe_outcome *o, const cafe_confusion *confusion) {
    double sum = 0;
    int64_t classes = 0;
    for (int64_t c = 0; c < o->classes; c++) {
        cafe_confusion f = confusion[c];
        int64_t positives = f.tp + f.fn, negatives = o->rows - positives;
        if (!positives || !negatives) continue;
        sum +=
            ((double)f.tp / (double)positives + (double)(negatives - f.fp) / (double)negatives) / 2;
        classes++;
    }
    return classes ? sum / (double)classes : NAN;
}

/* Mean over the classes of the task of the AUC of each against the rest. It is NaN if a class has
 * no test row or all of them, because a mean over other classes is another figure. */
static double one_vs_rest_auc(const cafe_outcome *o, cafe_scored *items) {
    double sum = 0;
    int64_t classes = 0;
    for (int64_t c = 0; c < o->classes; c++) {
        if (!o->expected[c]) continue;
        for (int64_t i = 0; i < o->rows; i++) {
            int64_t first = o->offsets[i], k = o->offsets[i + 1] - first;
            items[i] =
                (cafe_scored){o->scores[i * o->classes + c], has(o->value + first, k, (int32_t)c)};
        }
        sum += cafe_roc_auc(items, o->rows);
        classes++;
    }
    return classes ? sum / (double)classes : NAN;
}

/* Every class of the task has test rows inside and outside? Else there is nothing to sort for. */
static int auc_defined(const cafe_outcome *o, const cafe_confusion *confusion) {
    for (int64_t c = 0; c < o->classes; c++) {
        int64_t positives = confusion[c].tp + confusion[c].fn;
        if (o->expected[c] && (positives == 0 || positives == o->rows)) return 0;
    }
    return 1;
}

cafe_status cafe_class_metrics(cafe_context *context, const cafe_outcome *o, double *value) {
    cafe_status status = CAFE_OK;
    cafe_confusion *confusion = cafe_mem_zero(context, o->classes, sizeof *confusion);
    cafe_scored *items = cafe_mem(context, o->rows, sizeof *items);
    CAFE_TRY(cafe_mem_had(confusion, items));
    /* of several labels: all of them right, the strictest reading */
    value[CAFE_METRIC_ACCURACY] = (double)count_decisions(o, confusion) / (double)o->rows;
    value[CAFE_METRIC_MICRO_F1] = micro_f1(o, confusion);
    value[CAFE_METRIC_MACRO_F1] = macro_f1(o, confusion);
    value[CAFE_METRIC_AUC] = auc_defined(o, confusion) ? one_vs_rest_auc(o, items) : NAN;
    value[CAFE_METRIC_AUC_PAPER] = paper_auc(o, confusion);
done:
    cafe_mem_free_all(context, confusion, items);
    return status;
}
