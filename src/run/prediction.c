/* Labels of all nodes from those of some: the class with the largest part of each node's row. */
#include "base/memory.h"
#include "run/run.h"

/* Rows in compressed form, or (offsets NULL) all columns one after the other. Columns beyond the
 * classes belong to no label. */
typedef struct rows {
    int64_t width;
    const int64_t *offsets;
    const int32_t *columns;
    const float *values;
} rows;

static void predict_row(const rows *r, int64_t u, int64_t classes, int32_t *best,
                        float *probability) {
    int64_t first = r->offsets ? r->offsets[u] : u * r->width;
    int64_t last = r->offsets ? r->offsets[u + 1] : first + r->width;
    double sum = 0;
    float most = 0;
    *best = -1;
    for (int64_t i = first; i < last; i++) {
        int64_t column = r->columns ? r->columns[i] : i - first;
        sum += r->values[i];
        if (column >= classes || !(r->values[i] > most)) continue;
        most = r->values[i];
        *best = (int32_t)column;
    }
    *probability = *best >= 0 ? (float)(most / sum) : 0;
}

static cafe_status predict(cafe_run *run, const rows *r, int32_t *best, float *probability) {
    float part;
    if (run->given.classes == 0)
        return cafe_fail(run->context, CAFE_ERROR_ARGUMENT, "the run has no labels to predict");
    for (int64_t u = 0; u < run->counts.nodes; u++)
        predict_row(r, u, run->given.classes, &best[u], probability ? &probability[u] : &part);
    return CAFE_OK;
}

cafe_status cafe_run_predict(cafe_run *run, int32_t *best, float *probability) {
    cafe_status status = CAFE_OK;
    rows r = {0};
    float *h = NULL;
    if (run->clustering) {
        CAFE_PASS(cafe_clustering_memberships(run->context, run->clustering, &r.offsets, &r.columns,
                                              &r.values));
        return predict(run, &r, best, probability);
    }
    r.width = run->course.columns;
    h = cafe_mem(run->context, run->counts.nodes * r.width, sizeof *h);
    CAFE_TRY(cafe_mem_had(h));
    CAFE_TRY(cafe_run_rows(run, h));
    r.values = h;
    status = predict(run, &r, best, probability);
done:
    cafe_mem_free(run->context, h);
    return status;
}
