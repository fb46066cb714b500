/* Colours: the palette of the interactive page (viewer/palette.js) and the colours of the points.
 *
 * Classes: Okabe and Ito's palette, extended by shades that differ for the common forms of colour
 * blindness, as discs and as rings. As many of the largest classes as the legend has lines get a
 * mark of their own; the others share a grey. Values: viridis; values of both signs: blue to orange
 * through grey, which is 0. On dark paper every colour has a contrast of at least 3.
 */
#include <math.h>

#include "base/memory.h"
#include "base/print.h"
#include "draw/plot.h"

enum { HUES = 12 };

static const uint32_t hues[2][HUES] = {
    {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0x9678ff, 0x690000, 0x000f96,
     0x693c5a, 0x9600ff, 0x1e002d},
    {0x56b4e9, 0xe69f00, 0x5a9669, 0xd24ba5, 0x00ffff, 0xe15a2d, 0x965aff, 0xd2a5b4, 0xa5c378,
     0x96f069, 0xfff000, 0xe1ffd2}};
static const uint32_t ink[2] = {0x1f2428, 0xe7e9eb}, pale[2] = {0xffffff, 0x8b9197};
static const uint32_t viridis[8] = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e,
                                    0x21918c, 0x28ae80, 0x5ec962, 0xaddc30};
static const uint32_t viridis_dark[6] = {0x2c728e, 0x21918c, 0x28ae80,
                                         0x5ec962, 0xaddc30, 0xfde725};
static const uint32_t both_signs[2][5] = {{0x1f5fa8, 0x7fa8cf, 0xb9b9b5, 0xdda268, 0xb8560f},
                                          {0x5aa2ee, 0x6a94bf, 0x8b9197, 0xc69460, 0xff9d45}};

static cafe_colour unpack(uint32_t c) {
    return (cafe_colour){(uint8_t)(c >> 16), (uint8_t)(c >> 8), (uint8_t)c};
}

static cafe_colour colour_other(bool dark) {
    return unpack(dark ? 0x666d74 : 0xaaa9a4);
}

static cafe_colour between(const uint32_t *stops, int count, double t) {
    double x = fmin(fmax(t, 0), 1) * (count - 1);
    int i = x < count - 2 ? (int)x : count - 2;
    cafe_colour a = unpack(stops[i]), b = unpack(stops[i + 1]);
    x -= i;
    return (cafe_colour){(uint8_t)lround(a.r + (b.r - a.r) * x),
                         (uint8_t)lround(a.g + (b.g - a.g) * x),
                         (uint8_t)lround(a.b + (b.b - a.b) * x)};
}

/* t in [0,1] */
static cafe_colour colour_value(double t, bool signed_values, bool dark) {
    if (signed_values) return between(both_signs[dark], 5, t);
    return dark ? between(viridis_dark, 6, t) : between(viridis, 8, t);
}

/* First the twelve colours as discs, then stronger as rings, paler as discs, and so on. */
cafe_mark cafe_mark_of(int64_t i, bool dark) {
    int64_t block = i / HUES % 6;
    uint32_t stops[2] = {hues[dark][i % HUES], block % 3 == 1 ? ink[dark] : pale[dark]};
    double shade = block % 3 == 0 ? 0 : block % 3 == 1 ? 0.45 : 0.4;
    return (cafe_mark){between(stops, 2, shade), block % 2 == 1};
}

/* ---- classes --------------------------------------------------------------------------------- */

static void name_line(const cafe_scene *s, int64_t kind, cafe_legend_line *line) {
    char number[32];
    cafe_print(number, sizeof number, "%lld", (long long)kind);
    /* a legend is no place for long names */
    cafe_clean_text(s->inputs.names ? s->inputs.names[kind] : number, line->text, 40);
}

/* The largest classes, ties by number: slot[k] = 1 .. most, 0 for the others. */
static int64_t choose_slots(const cafe_plot_inputs *in, int64_t most, const int64_t *count,
                            uint8_t *slot, int32_t largest[CAFE_PLOT_KINDS]) {
    int64_t slots = 0;
    while (slots < most) {
        int64_t best = -1;
        for (int64_t k = 0; k < in->kinds; k++)
            if (slot[k] == 0 && count[k] > 0 && (best < 0 || count[k] > count[best])) best = k;
        if (best < 0) break;
        largest[slots++] = (int32_t)best;
        slot[best] = (uint8_t)slots;
    }
    return slots;
}

static void list_kinds(cafe_scene *s, int64_t slots, const int32_t *largest, const int64_t *count,
                       int64_t unknown) {
    int64_t others = unknown, classes = 0;
    for (int64_t k = 0; k < s->inputs.kinds; k++) classes += count[k] > 0;
    for (int64_t k = 0; k < s->inputs.kinds; k++) others += count[k];
    for (int64_t i = 0; i < slots; i++) {
        cafe_legend_line *line = &s->line_of[s->lines++];
        name_line(s, largest[i], line);
        line->count = count[largest[i]];
        line->mark = cafe_mark_of(i, s->options.dark != 0);
        others -= line->count;
    }
    if (others == 0) return;
    cafe_legend_line *line = &s->line_of[s->lines++];
    *line = (cafe_legend_line){.count = others, .mark.colour = colour_other(s->options.dark != 0)};
    if (classes > slots)
        cafe_print(line->text, sizeof line->text, "%lld others", (long long)(classes - slots));
    else
        cafe_print(line->text, sizeof line->text, "none");
}

/* The number of classes with a line in the legend, beside its title and the line of the others. */
static int64_t fitting(const cafe_scene *s) {
    int64_t lines = (int64_t)(((double)s->options.height - 4 * s->text) / (1.5 * s->text)) - 2;
    return lines < 1 ? 1 : lines > CAFE_PLOT_KINDS ? CAFE_PLOT_KINDS : lines;
}

static cafe_status colour_kinds(cafe_context *context, cafe_scene *s) {
    const cafe_plot_inputs *in = &s->inputs;
    int32_t largest[CAFE_PLOT_KINDS];
    int64_t *count = cafe_mem_zero(context, in->kinds, sizeof *count), unknown = 0;
    uint8_t *slot = cafe_mem_zero(context, in->kinds, 1);
    cafe_status status = CAFE_ERROR_MEMORY;
    if (!count || !slot) goto done;
    for (int64_t u = 0; u < in->n; u++) {
        if (in->kind[u] < 0)
            unknown++;
        else
            count[in->kind[u]]++;
    }
    int64_t slots = choose_slots(in, fitting(s), count, slot, largest);
    for (int64_t u = 0; u < in->n; u++) s->colour[u] = in->kind[u] < 0 ? 0 : slot[in->kind[u]];
    for (int64_t i = 0; i < slots; i++) {
        cafe_mark mark = cafe_mark_of(i, s->options.dark != 0);
        s->palette[i + 1] = mark.colour;
        s->ring[i + 1] = mark.ring;
    }
    s->palette[0] = colour_other(s->options.dark != 0);
    list_kinds(s, slots, largest, count, unknown);
    status = CAFE_OK;
done:
    cafe_mem_free_all(context, count, slot);
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void colour_values(cafe_scene *s) {
    const cafe_plot_inputs *in = &s->inputs;
    double low = in->n > 0 ? in->value[0] : 0, high = low;
    for (int64_t u = 0; u < in->n; u++) {
        low = fmin(low, in->value[u]);
        high = fmax(high, in->value[u]);
    }
    bool both = low < 0 && high > 0;
    if (both) high = fmax(-low, high), low = -high;
    double range = high - low;
    for (int64_t u = 0; u < in->n; u++)
        s->colour[u] = range > 0 ? (uint8_t)lround(255 * ((in->value[u] - low) / range)) : 128;
    for (int i = 0; i < 256; i++)
        s->palette[i] = colour_value(i / 255.0, both, s->options.dark != 0);
    s->ramp = true;
    s->least = low;
    s->most = high;
}

cafe_status cafe_scene_colour(cafe_context *context, cafe_scene *s) {
    s->colour = cafe_mem_zero(context, s->inputs.n, 1);
    if (!s->colour) return CAFE_ERROR_MEMORY;
    if (s->inputs.value)
        colour_values(s);
    else if (s->inputs.kind)
        return colour_kinds(context, s);
    else
        s->palette[0] = cafe_mark_of(0, s->options.dark != 0).colour;
    return CAFE_OK;
}
