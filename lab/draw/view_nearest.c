/* The nearest nodes of every node by the cosine of their vectors, over all columns.
 *
 * They are computed here, because a page may hold only a few columns. For rows x, y of length 1
 *
 *     |x - y|^2 = 2 - 2 <x, y>,
 *
 * so the nearest points have the largest cosine. Nodes with the vector 0 have no cosine and are in
 * no list.
 */
#include <math.h>

#include "base/memory.h"
#include "draw/view.h"
#include "points/points.h"

enum {
    FINE = 65535, /* steps of a cosine of exact lists, */
    COARSE = 1023 /* and of others */
};

typedef struct search {
    int64_t count; /* nodes with a vector that is not 0 */
    int32_t *node; /* of each row */
    float *rows;   /* of length 1 */
    cafe_nearest lists;
    double low;               /* the least cosine of them all */
    uint32_t *ends, *cosines; /* the arrays of the page: the nearest node of all points, the second
                               * nearest, ... */
} search;

static void free_search(cafe_context *context, search *s) {
    cafe_nearest_free(context, &s->lists);
    cafe_mem_free_all(context, s->node, s->rows, s->ends, s->cosines);
}

static double cosine_of(float square) {
    return fmax(1 - square / 2, -1);
}

static void take_rows(const cafe_view_inputs *in, int64_t n, search *s) {
    int64_t columns = in->columns;
    for (int64_t u = 0; u < n; u++) {
        const float *from = in->vectors + u * columns;
        float *to = s->rows + s->count * columns;
        double square = 0;
        for (int64_t k = 0; k < columns; k++) square += (double)from[k] * from[k];
        if (!(square > 0)) continue;
        for (int64_t k = 0; k < columns; k++) to[k] = (float)(from[k] / sqrt(square));
        s->node[s->count++] = (int32_t)u;
    }
}

static cafe_status find_lists(const cafe_view *page, search *s) {
    cafe_context *context = page->context;
    const cafe_view_inputs *in = page->inputs;
    s->node = cafe_mem(context, page->n, sizeof *s->node);
    s->rows = cafe_mem(context, page->n * in->columns, sizeof *s->rows);
    CAFE_PASS(cafe_mem_had(s->node, s->rows));
    take_rows(in, page->n, s);
    cafe_points points = {s->count, in->columns, s->rows};
    int64_t k = s->count > CAFE_VIEW_NEAREST ? CAFE_VIEW_NEAREST : s->count > 0 ? s->count - 1 : 0;
    CAFE_PASS(cafe_nearest_create(context, s->count, k, false, &s->lists));
    if (k == 0) return CAFE_OK;
    return (s->count <= CAFE_VIEW_EXACT ? cafe_nearest_exact : cafe_nearest_approximate)(
        context, &points, &s->lists);
}

/* Of point i, k-th nearest: the difference of the two points' numbers, with its sign in the last
 * bit; 0: there is none. And the cosine in steps from the least to 1. */
static cafe_status fill_lists(const cafe_view *page, uint32_t steps, search *s) {
    int64_t n = page->n, k = s->lists.k;
    s->ends = cafe_mem_zero(page->context, n * k, sizeof *s->ends);
    s->cosines = cafe_mem_zero(page->context, n * k, sizeof *s->cosines);
    CAFE_PASS(cafe_mem_had(s->ends, s->cosines));
    s->low = 1;
    for (int64_t i = 0; i < s->count * k; i++) {
        double cosine = cosine_of(s->lists.squares[i]);
        if (cosine < s->low) s->low = cosine;
    }
    double unit = s->low < 1 ? steps / (1 - s->low) : 0;
    for (int64_t row = 0; row < s->count; row++)
        for (int64_t j = 0; j < k; j++) {
            int64_t at = page->rank[s->node[row]];
            int64_t end = page->rank[s->node[s->lists.ids[row * k + j]]];
            double above = cosine_of(s->lists.squares[row * k + j]) - s->low;
            s->ends[j * n + at] = (uint32_t)(end > at ? 2 * (end - at) : 2 * (at - end) - 1);
            s->cosines[j * n + at] = (uint32_t)(above * unit + 0.5);
        }
    return CAFE_OK;
}

static cafe_status add_lists(cafe_view *page, const search *s, uint32_t steps, int64_t count,
                             int64_t limit, bool *kept) {
    cafe_view_section ends = {.name = "nearest"}, cosines = {.name = "nearest-cosine",
                                                             .low = s->low,
                                                             .high = 1,
                                                             .steps = (int64_t)steps};
    int64_t first = page->sections, spent = page->spent;
    CAFE_PASS(cafe_view_add(page, ends, s->ends, NULL, count * page->n, limit, kept));
    if (!*kept) return CAFE_OK;
    limit -= page->spent - spent;
    CAFE_PASS(cafe_view_add(page, cosines, s->cosines, NULL, count * page->n, limit, kept));
    if (!*kept) cafe_view_drop(page, first);
    return CAFE_OK;
}

cafe_status cafe_view_add_nearest(cafe_view *page) {
    static const int64_t counts[] = {CAFE_VIEW_NEAREST, 5, 3, 1};
    cafe_status status = CAFE_OK;
    search s = {0};
    bool kept = false;
    int64_t limit = cafe_view_left(page) == INT64_MAX ? INT64_MAX : cafe_view_left(page) / 2;
    page->report.nearest_found = page->n > CAFE_VIEW_NEAREST ? CAFE_VIEW_NEAREST : page->n - 1;
    /* a node takes two bytes at least: lists that cannot fit need not be found */
    if (2 * page->n > limit) return CAFE_OK;
    CAFE_TRY(find_lists(page, &s));
    uint32_t steps = s.count <= CAFE_VIEW_EXACT ? FINE : COARSE;
    page->report.nearest_exact = s.count <= CAFE_VIEW_EXACT;
    page->report.nearest_found = s.lists.k;
    if (s.lists.k > 0) CAFE_TRY(fill_lists(page, steps, &s));
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !kept && s.lists.k > 0; i++) {
        int64_t count = counts[i] < s.lists.k ? counts[i] : s.lists.k;
        CAFE_TRY(add_lists(page, &s, steps, count, limit, &kept));
        if (kept) page->report.nearest = count;
    }
done:
    free_search(page->context, &s);
    return status;
}
