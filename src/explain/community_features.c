/* Which features hold a community together: correlations of features with the membership. */
#include <math.h>

#include <cafe-private/members.h>

#include "base/memory.h"
#include "explain/explain.h"

/* Sums over all nodes and over each community, in double precision, node by node. */
typedef struct sums {
    int64_t width, communities;
    double *all, *square; /* width */
    double *inside;       /* communities x width */
    int64_t *nodes;
} sums;

static void add_rows(const cafe_explanation *e, const float *x, sums *s) {
    for (int64_t u = 0; u < e->n; u++) {
        int32_t c = e->report.part ? e->report.part[u] : -1;
        for (int64_t i = 0; i < s->width; i++) {
            double value = x[u * s->width + i];
            s->all[i] += value;
            s->square[i] += value * value;
            if (c >= 0) s->inside[c * s->width + i] += value;
        }
        if (c >= 0) s->nodes[c]++;
    }
}

/* Pearson's r of the indicator of community c and feature i:
 *
 *     r = (sum over S of x_u - n_S mean) / sqrt(n_S (1 - n_S / n) sum over u of (x_u - mean)^2)
 */
static double correlation_of(const cafe_explanation *e, const sums *s, int64_t c, int64_t i) {
    double n = (double)e->n, inside = (double)s->nodes[c], mean = s->all[i] / n;
    double scatter = s->square[i] - s->all[i] * mean, own = inside * (1 - inside / n);
    if (!(scatter > 1e-12 * s->square[i]) || !(own > 0)) return 0;
    return (s->inside[c * s->width + i] - inside * mean) / sqrt(own * scatter);
}

/* Puts a feature into a list of the largest |r|, equal ones by index. */
static void offer(cafe_listed *list, int64_t top, cafe_listed item) {
    for (int64_t k = 0; k < top && item.value != 0; k++) {
        if (list[k].index >= 0 && fabs(list[k].value) >= fabs(item.value)) continue;
        cafe_listed moved = list[k];
        list[k] = item;
        item = moved;
        if (item.index < 0) return;
    }
}

cafe_status cafe_explain_features(cafe_context *context, const cafe_explanation *e, int64_t width,
                                  const float *x, cafe_listed *lists) {
    cafe_status status = CAFE_OK;
    sums s = {.width = width, .communities = e->report.communities};
    s.all = cafe_mem_zero(context, width, sizeof *s.all);
    s.square = cafe_mem_zero(context, width, sizeof *s.square);
    s.inside = cafe_mem_zero(context, s.communities * width, sizeof *s.inside);
    s.nodes = cafe_mem_zero(context, s.communities, sizeof *s.nodes);
    CAFE_TRY(cafe_mem_had(s.all, s.square, s.inside, s.nodes));
    add_rows(e, x, &s);
    for (int64_t c = 0; c < s.communities; c++) {
        cafe_listed *list = lists + c * e->top;
        for (int64_t k = 0; k < e->top; k++) list[k] = (cafe_listed){-1, 0};
        for (int64_t i = 0; i < width; i++)
            offer(list, e->top, (cafe_listed){(int32_t)i, correlation_of(e, &s, c, i)});
    }
done:
    cafe_mem_free_all(context, s.all, s.square, s.inside, s.nodes);
    return status;
}
