/* Another run of the same nodes: its communities, and its layout turned onto this one.
 *
 * Of two layouts x, y around their means the rotation or reflection R and the factor s are those of
 *
 *     R = argmin sum |x_u - R y_u|^2,   s^2 = sum |x_u|^2 / sum |y_u|^2.
 *
 * With m = sum x_u y_u^T the best rotation has the angle atan2(m_10 - m_01, m_00 + m_11); a
 * reflection is a rotation after the second coordinate of y has changed its sign.
 */
#include <math.h>

#include "base/memory.h"
#include "draw/view.h"

typedef struct moments {
    double x[2], y[2]; /* means */
    double m[2][2], xx, yy;
} moments;

static moments measure(int64_t n, const float *x, const float *y) {
    moments s = {.xx = 0};
    for (int64_t u = 0; u < n; u++)
        for (int c = 0; c < 2; c++) {
            s.x[c] += x[2 * u + c] / (double)n;
            s.y[c] += y[2 * u + c] / (double)n;
        }
    for (int64_t u = 0; u < n; u++)
        for (int c = 0; c < 2; c++) {
            double a = x[2 * u + c] - s.x[c], b = y[2 * u + c] - s.y[c];
            s.xx += a * a;
            s.yy += b * b;
            for (int d = 0; d < 2; d++) s.m[c][d] += a * (y[2 * u + d] - s.y[d]);
        }
    return s;
}

/* turned[n x 2] gets y, turned onto x. */
static void turn(int64_t n, const float *x, const float *y, float *turned) {
    moments s = measure(n, x, y);
    double plain[2] = {s.m[0][0] + s.m[1][1], s.m[1][0] - s.m[0][1]};
    double mirrored[2] = {s.m[0][0] - s.m[1][1], s.m[1][0] + s.m[0][1]};
    bool mirror = hypot(mirrored[0], mirrored[1]) > hypot(plain[0], plain[1]);
    const double *best = mirror ? mirrored : plain;
    double angle = atan2(best[1], best[0]), factor = s.yy > 0 ? sqrt(s.xx / s.yy) : 1;
    double cosine = factor * cos(angle), sine = factor * sin(angle);
    for (int64_t u = 0; u < n; u++) {
        double a = y[2 * u] - s.y[0], b = y[2 * u + 1] - s.y[1];
        if (mirror) b = -b;
        turned[2 * u] = (float)(s.x[0] + cosine * a - sine * b);
        turned[2 * u + 1] = (float)(s.x[1] + sine * a + cosine * b);
    }
}

static cafe_status add_layout(cafe_view *page) {
    const cafe_view_inputs *in = page->inputs;
    bool kept = false;
    cafe_status status = CAFE_OK;
    float *turned = cafe_mem(page->context, 2 * page->n, sizeof *turned);
    int64_t first = page->sections;
    CAFE_PASS(cafe_mem_had(turned));
    turn(page->n, in->map, in->before_map, turned);
    CAFE_TRY(cafe_view_add_axis(page, "before-x", turned, 2, &kept));
    if (kept) CAFE_TRY(cafe_view_add_axis(page, "before-y", turned + 1, 2, &kept));
    if (!kept) cafe_view_drop(page, first);
done:
    cafe_mem_free(page->context, turned);
    return status;
}

static cafe_status add_communities(cafe_view *page) {
    const cafe_view_inputs *in = page->inputs;
    cafe_view_section section = {.name = "before"};
    bool kept = false;
    for (int64_t i = 0; i < page->n; i++)
        page->scratch[i] = (uint32_t)(in->before[page->order[i]] + 1);
    CAFE_PASS(cafe_view_add(page, section, page->scratch, NULL, page->n, INT64_MAX, &kept));
    if (!kept || in->before_named == 0) return CAFE_OK;
    return cafe_view_add_texts(page, "before-names", in->before_named, in->before_names);
}

cafe_status cafe_view_add_before(cafe_view *page) {
    const cafe_view_inputs *in = page->inputs;
    if (in->before) CAFE_PASS(add_communities(page));
    return in->before_map && in->map ? add_layout(page) : CAFE_OK;
}
