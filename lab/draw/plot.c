/* The scene of a picture: the frame, ticks, edges and legend, drawn through a pen so that PNG and
 * SVG cannot differ.
 *
 *     +--------------------------------+
 *     | title                          |
 *     | +--------------------+ legend  |
 *     | |       points       | o one   |
 *     | +--------------------+ o two   |
 *     |   ticks and label              |
 *     +--------------------------------+
 */
#include "draw/plot.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/print.h"
#include "graph/graph.h"

#define FIELD(name) offsetof(cafe_plot_options, name)

static const cafe_option options_list[] = {
    {"pixels-wide", "W", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(width), 1200, 64, 16384,
     NULL, "width in pixels"},
    {"pixels-high", "H", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(height), 900, 64, 16384,
     NULL, "height in pixels"},
    {"most-links", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(most_links), 2000, 0, 1e9,
     NULL, "draw the graph's edges when there are no more than N"},
    {"radius", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, FIELD(radius), 0, 0, 100, NULL,
     "of a point in pixels; 0 chooses by their number"},
    {"dark", NULL, CAFE_OPTION_SWITCH, FIELD(dark), 0, 0, 1, NULL, "light on dark"},
    {"names", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, FIELD(names), 24, 0, 1000, NULL,
     "write the names of N leading nodes, by their edges, where they do not overlap"},
    {"size", "ATTRIBUTE", CAFE_OPTION_TEXT | CAFE_OPTION_TUNE, FIELD(size), 0, 0, 0, NULL,
     "areas of the points in proportion to an attribute of the nodes, of numbers"},
};

CAFE_OPTION_TABLE(plot, "picture", "points of the plane as a picture", options_list)

/* ---- text ------------------------------------------------------------------------------------ */

/* The bytes of the character at p that may be shown; 0: a byte that may not. C1 controls (U+0080 to
 * U+009F), the noncharacters U+FFFE and U+FFFF, which XML forbids, and the marks that turn the
 * direction of text count as control characters. */
static int showable(const uint8_t *p) {
    int64_t left = 0;
    while (left < 4 && p[left]) left++;
    int length = cafe_utf8_length(p, left);
    if (length == 1) return p[0] >= 0x20 && p[0] != 0x7f;
    if (length == 2 && p[0] == 0xc2 && p[1] < 0xa0) return 0;
    if (length == 3 && p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe) return 0;
    if (length == 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae) return 0;
    if (length == 3 && p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9) return 0;
    return length;
}

void cafe_clean_text(const char *text, char *out, size_t capacity) {
    const uint8_t *p = (const uint8_t *)(text ? text : "");
    size_t at = 0, safe = 0; /* safe: where an ellipsis still fits */
    while (*p) {
        int length = showable(p), room = length > 0 ? length : 3;
        if (at + (size_t)room + 1 > capacity) {
            memcpy(out + safe, "\xe2\x80\xa6", 3);
            at = safe + 3;
            break;
        }
        if (at + 4 <= capacity) safe = at;
        memcpy(out + at, length > 0 ? (const char *)p : "\xef\xbf\xbd", (size_t)room);
        at += (size_t)room;
        p += length > 0 ? length : 1;
        if (at + 4 <= capacity) safe = at;
    }
    out[at] = 0;
}

/* ---- the frame ------------------------------------------------------------------------------- */

static cafe_status check(cafe_context *context, const cafe_plot_inputs *in) {
    if (in->n < 0 || in->n > INT32_MAX || (in->n > 0 && !in->xy))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "a picture needs points");
    if (in->graph && in->graph->n != in->n)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the graph has %lld nodes, not %lld",
                         (long long)in->graph->n, (long long)in->n);
    for (int64_t i = 0; i < 2 * in->n; i++)
        if (!isfinite(in->xy[i]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "point %lld is not finite",
                             (long long)(i / 2));
    for (int64_t u = 0; u < in->n; u++) {
        if (in->kind && (in->kind[u] < -1 || in->kind[u] >= in->kinds))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "point %lld is of class %d of %lld",
                             (long long)u, in->kind[u], (long long)in->kinds);
        if (in->value && !isfinite(in->value[u]))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the value of point %lld is not finite",
                             (long long)u);
    }
    return CAFE_OK;
}

static void find_range(const cafe_plot_inputs *in, int axis, double range[2]) {
    range[0] = range[1] = in->n > 0 ? in->xy[axis] : 0;
    for (int64_t u = 0; u < in->n; u++) {
        double x = in->xy[2 * u + axis];
        if (x < range[0]) range[0] = x;
        if (x > range[1]) range[1] = x;
    }
}

static double legend_width(const cafe_scene *s) {
    double widest = cafe_font_width(s->legend, s->text);
    if (s->lines == 0 && !s->ramp) return 0;
    for (int64_t i = 0; i < s->lines; i++)
        widest = fmax(widest, cafe_font_width(s->line_of[i].text, s->text) + 1.5 * s->text);
    widest = fmax(widest, s->ramp ? 6 * s->text : 0);
    return fmin(widest + 1.5 * s->text, 0.4 * (double)s->options.width);
}

static void set_frame(cafe_scene *s) {
    double w = (double)s->options.width, h = (double)s->options.height, t = s->text;
    bool axes = !s->inputs.equal;
    s->left = axes ? 5 * t : t;
    s->top = s->title[0] ? 2.8 * t : t;
    s->right = w - t - legend_width(s);
    s->bottom = h - (axes ? 3.8 * t : t);
}

/* Room around the points, so that discs do not touch the frame; a range of nothing becomes 1. */
static void set_scale(cafe_scene *s) {
    double size[2] = {s->right - s->left, s->bottom - s->top}, middle[2], span[2];
    for (int axis = 0; axis < 2; axis++) {
        double range[2];
        find_range(&s->inputs, axis, range);
        middle[axis] = (range[0] + range[1]) / 2;
        span[axis] = range[1] > range[0] ? 1.06 * (range[1] - range[0]) : 1;
        s->scale[axis] = size[axis] / span[axis];
    }
    if (s->inputs.equal) s->scale[0] = s->scale[1] = fmin(s->scale[0], s->scale[1]);
    for (int axis = 0; axis < 2; axis++)
        s->low[axis] = middle[axis] - size[axis] / (2 * s->scale[axis]);
}

void cafe_scene_fit(cafe_scene *s, double right, double bottom) {
    s->left = s->top = 0;
    s->right = right;
    s->bottom = bottom;
    set_scale(s);
}

/* Steps of 1, 2 or 5 times a power of ten, three to seven of them. */
static void set_ticks(cafe_scene *s, int axis) {
    double size = axis == 0 ? s->right - s->left : s->bottom - s->top;
    double span = size / s->scale[axis], power = pow(10, floor(log10(span / 3)));
    double step = span / 3 >= 5 * power ? 5 * power : span / 3 >= 2 * power ? 2 * power : power;
    cafe_ticks *t = &s->ticks[axis];
    for (double i = ceil(s->low[axis] / step);
         i * step <= s->low[axis] + span && t->count < CAFE_PLOT_TICKS; i++)
        t->at[t->count++] = i * step;
}

/* The numbers of the attribute that the option names. */
static cafe_status take_attribute(cafe_context *context, cafe_scene *s) {
    const cafe_graph_reading *r = s->inputs.graph ? cafe_graph_get_reading(s->inputs.graph) : NULL;
    const char *name = s->options.size;
    const cafe_attribute *found = NULL;
    for (int64_t i = 0; r && i < r->attribute_count; i++)
        if (strcmp(r->attributes[i].name, name) == 0) found = &r->attributes[i];
    if (!found || !found->numbers)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         CAFE_OPT("size=%s") ": expected an attribute of the nodes with numbers, "
                         "found %s", name, found ? "texts" : "none of that name");
    s->size = s->own_size = cafe_mem(context, s->inputs.n, sizeof *s->own_size);
    CAFE_PASS(cafe_mem_had(s->own_size));
    for (int64_t u = 0; u < s->inputs.n; u++)
        s->own_size[u] = isnan(found->numbers[u]) ? 0 : found->numbers[u];
    return CAFE_OK;
}

static cafe_status set_sizes(cafe_context *context, cafe_scene *s) {
    s->size = s->inputs.size;
    if (!s->size && s->options.size) CAFE_PASS(take_attribute(context, s));
    for (int64_t u = 0; s->size && u < s->inputs.n; u++) {
        if (!(s->size[u] >= 0 && isfinite(s->size[u])))
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "the size of point %lld is negative or not finite", (long long)u);
        s->largest = fmax(s->largest, s->size[u]);
    }
    return CAFE_OK;
}

/* Discs that cover about a twentieth of the picture when they do not overlap. */
static void set_radius(cafe_scene *s) {
    double area = (s->right - s->left) * (s->bottom - s->top);
    double n = s->inputs.n > 0 ? (double)s->inputs.n : 1;
    double radius = sqrt(0.05 * area / (3.14159265358979 * n)), unit = s->text / 20;
    s->radius = fmin(fmax(radius, 1.3 * unit), 7 * unit);
    if (s->options.radius > 0) s->radius = s->options.radius;
    s->opacity = s->inputs.n <= 2000 ? 0.9 : s->inputs.n <= 20000 ? 0.75 : 0.6;
    if (s->options.dark) s->opacity = (1 + s->opacity) / 2; /* what shines through is dark */
}

static void set_theme(cafe_scene *s) {
    bool dark = s->options.dark != 0;
    s->paper = dark ? (cafe_colour){0x16, 0x19, 0x1c} : (cafe_colour){0xff, 0xff, 0xff};
    s->ink = dark ? (cafe_colour){0xe7, 0xe9, 0xeb} : (cafe_colour){0x1f, 0x24, 0x28};
    s->quiet = dark ? (cafe_colour){0x9a, 0xa4, 0xad} : (cafe_colour){0x5c, 0x65, 0x6d};
    s->line = dark ? (cafe_colour){0x31, 0x37, 0x3d} : (cafe_colour){0xdc, 0xda, 0xd4};
}

/* A number without a common factor with n, near the golden section of it. Its multiples modulo n go
 * through all points, and near ones of the list come far apart. */
static int64_t find_stride(int64_t n) {
    for (int64_t stride = (int64_t)(0.6180339887 * (double)n) | 1;; stride += 2) {
        int64_t a = n, b = stride;
        while (b > 0) {
            int64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

cafe_status cafe_scene_make(cafe_context *context, const cafe_plot_inputs *inputs,
                            const cafe_plot_options *options, cafe_scene *s) {
    cafe_status status;
    *s = (cafe_scene){0};
    CAFE_TRY(cafe_options_take(context, &plot_table, options, &s->options));
    CAFE_TRY(cafe_inputs_take(context, "a plot", inputs, &s->inputs, sizeof s->inputs));
    CAFE_TRY(check(context, &s->inputs));
    cafe_clean_text(s->inputs.title, s->title, sizeof s->title);
    cafe_clean_text(s->inputs.legend, s->legend, sizeof s->legend);
    cafe_clean_text(s->inputs.x_label, s->x_label, sizeof s->x_label);
    cafe_clean_text(s->inputs.y_label, s->y_label, sizeof s->y_label);
    s->text = fmax(10, sqrt((double)s->options.width * (double)s->options.height) / 52);
    set_theme(s);
    CAFE_TRY(cafe_scene_colour(context, s));
    set_frame(s);
    if (s->right - s->left < 8 || s->bottom - s->top < 8)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_ARGUMENT, "the picture is too small to draw in"));
    set_scale(s);
    set_radius(s);
    CAFE_TRY(set_sizes(context, s));
    s->stride = find_stride(s->inputs.n);
    for (int axis = 0; axis < 2 && !s->inputs.equal; axis++) set_ticks(s, axis);
    CAFE_TRY(cafe_scene_name(context, s));
done:
    if (status != CAFE_OK) cafe_scene_free(context, s);
    return status;
}

void cafe_scene_free(cafe_context *context, cafe_scene *s) {
    cafe_mem_free_all(context, s->colour, s->name, s->own_size);
    s->own_size = NULL;
    s->colour = NULL;
    s->name = NULL;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Whether the graph's edges are drawn. */
static bool links_drawn(const cafe_scene *s) {
    return s->inputs.graph && s->inputs.graph->counts.edges <= s->options.most_links &&
           s->options.most_links > 0;
}

void cafe_scene_draw_links(const cafe_scene *s, const cafe_pen *pen) {
    const cafe_graph *g = s->inputs.graph;
    if (!links_drawn(s)) return;
    double opacity = g->counts.edges <= 500 ? 0.35 : 0.2;
    for (int64_t u = 0; u < g->n; u++)
        for (int64_t arc = g->offsets[u]; arc < g->offsets[u + 1]; arc++)
            if (g->targets[arc] > u)
                pen->segment(pen->target, cafe_scene_x(s, u), cafe_scene_y(s, u),
                             cafe_scene_x(s, g->targets[arc]), cafe_scene_y(s, g->targets[arc]),
                             s->text / 18, s->quiet, opacity);
}

static void draw_ticks(const cafe_scene *s, const cafe_pen *pen) {
    char text[32];
    double t = s->text;
    for (int64_t i = 0; i < s->ticks[0].count; i++) {
        double x = s->left + (s->ticks[0].at[i] - s->low[0]) * s->scale[0];
        pen->segment(pen->target, x, s->bottom, x, s->bottom + 0.3 * t, t / 18, s->quiet, 1);
        cafe_print(text, sizeof text, "%.6g", s->ticks[0].at[i]);
        pen->text(pen->target, x, s->bottom + 1.3 * t, 0.85 * t, text, CAFE_ANCHOR_MIDDLE, false,
                  s->quiet);
    }
    for (int64_t i = 0; i < s->ticks[1].count; i++) {
        double y = s->bottom - (s->ticks[1].at[i] - s->low[1]) * s->scale[1];
        pen->segment(pen->target, s->left - 0.3 * t, y, s->left, y, t / 18, s->quiet, 1);
        cafe_print(text, sizeof text, "%.6g", s->ticks[1].at[i]);
        pen->text(pen->target, s->left - 0.6 * t, y + 0.3 * t, 0.85 * t, text, CAFE_ANCHOR_END,
                  false, s->quiet);
    }
}

static void draw_box(const cafe_scene *s, const cafe_pen *pen) {
    double x[2] = {s->left, s->right}, y[2] = {s->top, s->bottom}, width = s->text / 18;
    for (int i = 0; i < 2; i++) {
        pen->segment(pen->target, x[0], y[i], x[1], y[i], width, s->line, 1);
        pen->segment(pen->target, x[i], y[0], x[i], y[1], width, s->line, 1);
    }
}

void cafe_scene_draw_frame(const cafe_scene *s, const cafe_pen *pen) {
    double t = s->text;
    if (s->title[0])
        pen->text(pen->target, s->left, 1.9 * t, 1.2 * t, s->title, CAFE_ANCHOR_START, false,
                  s->ink);
    if (s->inputs.equal) return;
    draw_box(s, pen);
    draw_ticks(s, pen);
    pen->text(pen->target, (s->left + s->right) / 2, s->bottom + 2.9 * t, t, s->x_label,
              CAFE_ANCHOR_MIDDLE, false, s->ink);
    pen->text(pen->target, 1.3 * t, (s->top + s->bottom) / 2, t, s->y_label, CAFE_ANCHOR_MIDDLE,
              true, s->ink);
}

static void draw_ramp(const cafe_scene *s, const cafe_pen *pen, double x, double y) {
    char text[32];
    double t = s->text, high = fmin(12 * t, s->bottom - y), step = high / 64;
    for (int i = 0; i < 64; i++)
        pen->bar(pen->target, x, y + step * i, t, step + 0.5, s->palette[255 - i * 4]);
    cafe_print(text, sizeof text, "%.3g", s->most);
    pen->text(pen->target, x + 1.5 * t, y + 0.8 * t, 0.9 * t, text, CAFE_ANCHOR_START, false,
              s->quiet);
    cafe_print(text, sizeof text, "%.3g", s->least);
    pen->text(pen->target, x + 1.5 * t, y + high, 0.9 * t, text, CAFE_ANCHOR_START, false,
              s->quiet);
}

void cafe_scene_draw_legend(const cafe_scene *s, const cafe_pen *pen) {
    double t = s->text, x = s->right + 1.2 * t, y = s->top + t;
    if (s->lines == 0 && !s->ramp) return;
    pen->text(pen->target, x, y, t, s->legend, CAFE_ANCHOR_START, false, s->quiet);
    if (s->ramp) draw_ramp(s, pen, x, y + 0.7 * t);
    for (int64_t i = 0; i < s->lines; i++) {
        const cafe_legend_line *l = &s->line_of[i];
        y += 1.5 * t;
        if (l->mark.ring)
            pen->ring(pen->target, x + 0.4 * t, y - 0.35 * t, 0.27 * t, 0.18 * t, l->mark.colour);
        else
            pen->disc(pen->target, x + 0.4 * t, y - 0.35 * t, 0.36 * t, l->mark.colour, 1);
        pen->text(pen->target, x + 1.2 * t, y, t, l->text, CAFE_ANCHOR_START, false, s->ink);
    }
}
