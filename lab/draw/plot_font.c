/* Text in pixels: outlines filled with the share of each pixel that they cover.
 *
 * A piece of an outline adds to every pixel that it crosses the signed area between itself and the
 * pixel's right edge. The rest of its height is added to the next pixel. The sums along a row are
 * then the coverage, exact for straight pieces (as in FreeType's smooth rasteriser and font-rs).
 */
#include <math.h>
#include <string.h>

#include "draw/letters.h"
#include "draw/plot.h"

enum { STEPS = 6 }; /* straight pieces a curve */

double cafe_font_width(const char *text, double height) {
    double width = 0;
    while (*text) {
        cafe_letter letter = cafe_letter_next(&text);
        width += letter.advance / letter.units * height;
    }
    return width;
}

/* ---- coverage -------------------------------------------------------------------------------- */

/* The place of a text: the origin on the baseline, the directions of x and y on the canvas, and the
 * pixels covered up to now. */
typedef struct placed {
    cafe_canvas *canvas;
    double x, y, right[2], up[2];
    int64_t top, bottom; /* rows touched */
} placed;

/* A piece within one row of pixels, from x0 to x1, of signed height d. */
static void add_to_row(float *row, int64_t width, double x0, double x1, double d) {
    double low = fmin(fmax(fmin(x0, x1), 0), (double)width);
    double high = fmin(fmax(fmax(x0, x1), 0), (double)width);
    int64_t first = (int64_t)low, last = (int64_t)high;
    double span = high - low;
    for (int64_t x = first; x <= last && x < width; x++) {
        double from = fmax(low, (double)x), to = fmin(high, (double)x + 1);
        double share = span > 0 ? (to - from) / span : 1;
        double mean = 1 - ((from + to) / 2 - (double)x); /* of the pixel, right of the piece */
        row[x] += (float)(d * (share * mean));
        row[x + 1] += (float)(d * (share - share * mean));
    }
}

static void add_piece(placed *p, double x0, double y0, double x1, double y1) {
    const cafe_canvas *c = p->canvas;
    double sign = y0 < y1 ? 1 : -1, slope = (x1 - x0) / (y1 - y0);
    if (y0 == y1) return;
    if (sign < 0) {
        double x = x0, y = y0;
        x0 = x1, y0 = y1, x1 = x, y1 = y;
    }
    int64_t top = (int64_t)fmax(floor(y0), 0), bottom = (int64_t)fmin(ceil(y1), (double)c->height);
    for (int64_t y = top; y < bottom; y++) {
        double from = fmax(y0, (double)y), to = fmin(y1, (double)y + 1);
        add_to_row(c->mask + y * (c->width + 2), c->width, x0 + (from - y0) * slope,
                   x0 + (to - y0) * slope, sign * (to - from));
    }
    if (top < p->top) p->top = top;
    if (bottom > p->bottom) p->bottom = bottom;
}

static void add_line(void *target, double x0, double y0, double x1, double y1) {
    placed *p = target;
    add_piece(p, p->x + x0 * p->right[0] + y0 * p->up[0], p->y + x0 * p->right[1] + y0 * p->up[1],
              p->x + x1 * p->right[0] + y1 * p->up[0], p->y + x1 * p->right[1] + y1 * p->up[1]);
}

static void add_letters(placed *p, const char *text) {
    while (*text) {
        cafe_letter letter = cafe_letter_next(&text);
        cafe_letter_trace(&letter, STEPS, add_line, p);
        p->x += letter.advance * p->right[0];
        p->y += letter.advance * p->right[1];
    }
}

/* Colours the covered pixels and clears the mask. */
static void fill(const placed *p, cafe_colour colour) {
    const cafe_canvas *c = p->canvas;
    for (int64_t y = p->top; y < p->bottom; y++) {
        float *row = c->mask + y * (c->width + 2), sum = 0;
        for (int64_t x = 0; x < c->width; x++) {
            sum += row[x];
            float part = fminf(fabsf(sum), 1);
            if (part > 1e-3f) cafe_canvas_blend(c, x, y, colour, part);
        }
        memset(row, 0, (size_t)(c->width + 2) * sizeof *row);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

void cafe_canvas_text(void *canvas, double x, double y, double height, const char *text,
                      cafe_anchor anchor, bool upright, cafe_colour colour) {
    const char *blank = " ";
    double u = height / cafe_letter_next(&blank).units;
    double shift = cafe_font_width(text, height) * anchor / 2;
    placed p = {canvas, x - shift, y, {u, 0}, {0, -u}, INT64_MAX, 0};
    if (upright) p = (placed){canvas, x, y + shift, {0, -u}, {-u, 0}, INT64_MAX, 0};
    add_letters(&p, text);
    fill(&p, colour);
}

void cafe_canvas_name(void *canvas, double x, double y, double height, const char *text,
                      cafe_anchor anchor, cafe_colour colour, cafe_colour paper) {
    static const double around[8][2] = {{1, 0},     {-1, 0},     {0, 1},      {0, -1},
                                        {0.7, 0.7}, {0.7, -0.7}, {-0.7, 0.7}, {-0.7, -0.7}};
    double reach = height / 9;
    for (int i = 0; i < 8; i++)
        cafe_canvas_text(canvas, x + reach * around[i][0], y + reach * around[i][1], height, text,
                         anchor, false, paper);
    cafe_canvas_text(canvas, x, y, height, text, anchor, false, colour);
}
