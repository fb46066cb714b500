/* The rasteriser: smooth discs and lines, and densities for very many points.
 *
 * A line with round ends covers a pixel by the distance of the pixel's centre from it:
 *
 *     coverage = clamp(radius + 1/2 - distance to the segment, 0, 1),
 *
 * right to a few per cent for radii from half a pixel. A disc is a segment of length 0. One thread
 * draws the points one after the other, so the bytes of a picture are always the same.
 */
#include <math.h>

#include "base/memory.h"
#include "draw/plot.h"

void cafe_canvas_fill(cafe_canvas *c, cafe_colour colour) {
    for (int64_t i = 0; i < c->width * c->height; i++) {
        c->rgb[3 * i] = colour.r;
        c->rgb[3 * i + 1] = colour.g;
        c->rgb[3 * i + 2] = colour.b;
    }
}

static void blend(float *pixel, cafe_colour colour, float part) {
    pixel[0] += part * ((float)colour.r - pixel[0]);
    pixel[1] += part * ((float)colour.g - pixel[1]);
    pixel[2] += part * ((float)colour.b - pixel[2]);
}

void cafe_canvas_blend(const cafe_canvas *c, int64_t x, int64_t y, cafe_colour colour, float part) {
    blend(c->rgb + 3 * (y * c->width + x), colour, part);
}

/* Pixels from floor(low) to ceil(high) that are on the canvas. */
static void clip(double low, double high, int64_t size, int64_t *first, int64_t *end) {
    low = fmin(fmax(floor(low), 0), (double)size);
    high = fmin(fmax(ceil(high), 0), (double)size);
    *first = (int64_t)low;
    *end = (int64_t)high;
}

/* The columns that row y of a thick line can touch: a long slanted one covers little of its box. */
static void row_range(double x0, double y0, double x1, double y1, double reach, double y,
                      double *low, double *high) {
    *low = fmin(x0, x1);
    *high = fmax(x0, x1);
    if (fabs(y1 - y0) > 2 * reach) {
        double slope = (x1 - x0) / (y1 - y0), wide = reach * sqrt(1 + slope * slope);
        double middle = x0 + (y - y0) * slope;
        *low = fmax(*low, middle - wide);
        *high = fmin(*high, middle + wide);
    }
    *low -= reach;
    *high += reach;
}

void cafe_canvas_segment(void *canvas, double x0, double y0, double x1, double y1, double width,
                         cafe_colour colour, double opacity) {
    const cafe_canvas *c = canvas;
    double dx = x1 - x0, dy = y1 - y0, square = dx * dx + dy * dy, reach = width / 2 + 0.5;
    int64_t top, bottom, left, right;
    clip(fmin(y0, y1) - reach, fmax(y0, y1) + reach, c->height, &top, &bottom);
    for (int64_t y = top; y < bottom; y++) {
        double low, high, py = (double)y + 0.5 - y0;
        row_range(x0, y0, x1, y1, reach, (double)y + 0.5, &low, &high);
        clip(low, high, c->width, &left, &right);
        for (int64_t x = left; x < right; x++) {
            double px = (double)x + 0.5 - x0;
            double t = square > 0 ? fmin(fmax((px * dx + py * dy) / square, 0), 1) : 0;
            double ex = px - t * dx, ey = py - t * dy;
            double cover = reach - sqrt(ex * ex + ey * ey);
            if (cover > 0)
                blend(c->rgb + 3 * (y * c->width + x), colour,
                      (float)(opacity * fmin(cover, fmin(width, 1))));
        }
    }
}

void cafe_canvas_ring(void *canvas, double x, double y, double radius, double width,
                      cafe_colour colour) {
    const cafe_canvas *c = canvas;
    double reach = radius + width / 2 + 0.5;
    int64_t top, bottom, left, right;
    clip(y - reach, y + reach, c->height, &top, &bottom);
    clip(x - reach, x + reach, c->width, &left, &right);
    for (int64_t j = top; j < bottom; j++)
        for (int64_t i = left; i < right; i++) {
            double dx = (double)i + 0.5 - x, dy = (double)j + 0.5 - y;
            double cover = width / 2 + 0.5 - fabs(sqrt(dx * dx + dy * dy) - radius);
            if (cover > 0) cafe_canvas_blend(c, i, j, colour, (float)fmin(cover, 1));
        }
}

void cafe_canvas_bar(void *canvas, double x, double y, double width, double height,
                     cafe_colour colour) {
    const cafe_canvas *c = canvas;
    int64_t left, right, top, bottom;
    clip(x, x + width, c->width, &left, &right);
    clip(y, y + height, c->height, &top, &bottom);
    for (int64_t j = top; j < bottom; j++)
        for (int64_t i = left; i < right; i++) blend(c->rgb + 3 * (j * c->width + i), colour, 1);
}

/* ---- the points ------------------------------------------------------------------------------ */

static void draw_discs(const cafe_scene *s, cafe_canvas *c) {
    bool rim = s->inputs.n <= 2000; /* a thin edge of paper parts discs that overlap */
    for (int64_t i = 0; i < s->inputs.n; i++) {
        int64_t u = cafe_scene_order(s, i);
        double x = cafe_scene_x(s, u), y = cafe_scene_y(s, u), r = cafe_scene_radius(s, u);
        uint8_t mark = s->colour[u];
        if (s->ring[mark]) {
            cafe_canvas_ring(c, x, y, 0.75 * r, 0.5 * r, s->palette[mark]);
            continue;
        }
        if (rim) cafe_canvas_segment(c, x, y, x, y, 2.4 * r, s->paper, s->opacity);
        cafe_canvas_segment(c, x, y, x, y, 2 * r, s->palette[mark], s->opacity);
    }
}

/* The points in a pixel: their number and the sums of their colours. Integers, so that the order
 * does not matter. */
typedef struct heap {
    uint32_t count, r, g, b;
} heap;

static void count_points(const cafe_scene *s, const cafe_canvas *c, heap *heaps) {
    for (int64_t u = 0; u < s->inputs.n; u++) {
        int64_t x = (int64_t)cafe_scene_x(s, u), y = (int64_t)cafe_scene_y(s, u);
        if (x < 0 || y < 0 || x >= c->width || y >= c->height) continue;
        heap *h = &heaps[y * c->width + x];
        cafe_colour colour = s->palette[s->colour[u]];
        if (h->count >= 1u << 24) continue; /* the sums stay below 2^32 */
        h->count++;
        h->r += colour.r;
        h->g += colour.g;
        h->b += colour.b;
    }
}

/* Opacity by the logarithm of the count: one point shows, ten thousand do not hide ten. */
static void draw_heaps(const cafe_canvas *c, const heap *heaps) {
    uint32_t most = 1;
    for (int64_t i = 0; i < c->width * c->height; i++)
        if (heaps[i].count > most) most = heaps[i].count;
    double scale = 1 / log(1 + (double)most);
    for (int64_t i = 0; i < c->width * c->height; i++) {
        const heap *h = &heaps[i];
        if (h->count == 0) continue;
        cafe_colour mean = {(uint8_t)(h->r / h->count), (uint8_t)(h->g / h->count),
                            (uint8_t)(h->b / h->count)};
        blend(c->rgb + 3 * i, mean, (float)(0.35 + 0.65 * log(1 + (double)h->count) * scale));
    }
}

cafe_status cafe_canvas_points(cafe_context *context, const cafe_scene *scene, cafe_canvas *c) {
    if (scene->inputs.n <= CAFE_PLOT_DISCS) {
        draw_discs(scene, c);
        return CAFE_OK;
    }
    heap *heaps = cafe_mem_zero(context, c->width * c->height, sizeof *heaps);
    if (!heaps) return CAFE_ERROR_MEMORY;
    count_points(scene, c, heaps);
    draw_heaps(c, heaps);
    cafe_mem_free(context, heaps);
    return CAFE_OK;
}
