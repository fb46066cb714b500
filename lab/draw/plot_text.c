/* A scene in characters: Braille patterns, two by four dots each.
 *
 * Few points set a dot each. Many points are a density: a dot is set if the logarithm of its number
 * of points exceeds the threshold of an ordered dither (Bayer), so denser regions are darker. A
 * character has the colour of most of its points.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/print.h"
#include "draw/plot.h"

enum { COLOURS = CAFE_PLOT_KINDS + 1, CHARACTER = 32, FEW = 2 };

typedef struct sheet {
    const cafe_scene *scene;
    int64_t columns, rows; /* of characters */
    uint32_t *dots;        /* points on each dot: 4 rows x 2 columns */
    uint32_t *votes;       /* points of each colour in each character */
    uint32_t most;
} sheet;

/* An index of 256 to one of a few. */
static int shade(const cafe_scene *s, int64_t u) {
    return s->ramp ? s->colour[u] * (COLOURS - 1) / 255 : s->colour[u];
}

static cafe_colour shade_colour(const cafe_scene *s, int i) {
    return s->palette[s->ramp ? i * 255 / (COLOURS - 1) : i];
}

static int64_t within(double x, int64_t size) {
    int64_t i = (int64_t)x;
    return i < 0 ? 0 : i >= size ? size - 1 : i;
}

static void drop_points(sheet *s) {
    const cafe_scene *c = s->scene;
    for (int64_t u = 0; u < c->inputs.n; u++) {
        int64_t x = within(cafe_scene_x(c, u), 2 * s->columns);
        int64_t y = within(cafe_scene_y(c, u), 4 * s->rows);
        uint32_t *dot = &s->dots[y * 2 * s->columns + x];
        if (++*dot > s->most) s->most = *dot;
        s->votes[(y / 4 * s->columns + x / 2) * COLOURS + shade(c, u)]++;
    }
}

static bool is_set(const sheet *s, int64_t x, int64_t y) {
    static const uint8_t bayer[4][4] = {
        {0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    uint32_t count = s->dots[y * 2 * s->columns + x];
    if (count == 0 || s->most <= FEW) return count > 0;
    return log(1 + (double)count) / log(1 + (double)s->most) > (bayer[y & 3][x & 3] + 0.5) / 20;
}

/* U+2800 and a bit for each dot: 1 2 4 40 down the left, 8 10 20 80 down the right (hex). */
static int braille(const sheet *s, int64_t column, int64_t row) {
    static const uint8_t bit[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    int pattern = 0;
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 4; y++)
            if (is_set(s, 2 * column + x, 4 * row + y)) pattern |= bit[x][y];
    return pattern;
}

static int winner(const sheet *s, int64_t column, int64_t row) {
    const uint32_t *votes = s->votes + (row * s->columns + column) * COLOURS;
    int best = 0;
    for (int i = 1; i < COLOURS; i++)
        if (votes[i] > votes[best]) best = i;
    return best;
}

static char *put_colour(char *p, cafe_colour c) {
    return p + cafe_print(p, CHARACTER, "\x1b[38;2;%d;%d;%dm", c.r, c.g, c.b);
}

/* A colour is written where it changes; blanks at the end are left out. */
static char *put_row(const sheet *s, int64_t row, bool colour, char *p) {
    char *end = p;
    int current = -1;
    for (int64_t column = 0; column < s->columns; column++) {
        int pattern = braille(s, column, row), w = winner(s, column, row);
        if (pattern == 0) {
            *p++ = ' ';
            continue;
        }
        if (colour && w != current) p = put_colour(p, shade_colour(s->scene, current = w));
        *p++ = (char)0xe2;
        *p++ = (char)(0xa0 + (pattern >> 6));
        *p++ = (char)(0x80 + (pattern & 63));
        end = p;
    }
    if (colour && current >= 0) end = (char *)memcpy(end, "\x1b[0m", 4) + 4;
    *end++ = '\n';
    return end;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Characters of a clean text; wide ones count twice, which can only make a line shorter. */
static int64_t width_of(const char *text) {
    int64_t width = 0;
    for (; *text; text++)
        if ((*text & 0xc0) != 0x80) width += (uint8_t)*text >= 0xe1 ? 2 : 1;
    return width;
}

/* As much of the text as fits. */
static char *put_words(char *p, const char *text, int64_t room) {
    for (int64_t width = 0; *text;) {
        int64_t wide = (uint8_t)*text >= 0xe1 ? 2 : 1;
        if (width + wide > room) break;
        width += wide;
        do *p++ = *text++;
        while ((*text & 0xc0) == 0x80);
    }
    return p;
}

static char *put_bytes(char *p, const char *bytes) {
    size_t length = strlen(bytes);
    memcpy(p, bytes, length);
    return p + length;
}

/* The classes by their colours, in lines that fit; without colours only how many points. */
static char *put_legend(const sheet *s, bool colour, char *p) {
    const cafe_scene *c = s->scene;
    int64_t at = 0;
    for (int64_t i = 0; i < c->lines && colour; i++) {
        const cafe_legend_line *l = &c->line_of[i];
        int64_t wide = width_of(l->text) + 2;
        if (at > 0) {
            bool same = at + 2 + wide <= s->columns;
            p = put_bytes(p, same ? "  " : "\n");
            at = same ? at + 2 : 0;
        }
        p = put_colour(p, l->mark.colour);
        p = put_bytes(p, "\xe2\x97\x8f\x1b[0m ");
        p = put_words(p, l->text, s->columns - 2);
        at += wide;
    }
    if (at > 0) *p++ = '\n';
    char line[64];
    cafe_print(line, sizeof line, "%lld points", (long long)c->inputs.n);
    p = put_words(p, line, s->columns);
    *p++ = '\n';
    return p;
}

static void put_all(const sheet *s, bool colour, char *p) {
    if (s->scene->title[0]) {
        p = put_words(p, s->scene->title, s->columns);
        *p++ = '\n';
    }
    for (int64_t row = 0; row < s->rows; row++) p = put_row(s, row, colour, p);
    p = put_legend(s, colour, p);
    *p = 0;
}

/* Dots are square, and a map keeps its shape: it gets the rows it needs, up to the number of dots
 * across. Two columns of vectors fill a rectangle. */
static void choose_rows(cafe_scene *scene, sheet *s) {
    double across = 2 * (double)s->columns, low = across, high = 0;
    s->rows = s->columns * 2 / 5;
    if (scene->inputs.equal) {
        cafe_scene_fit(scene, across, across);
        for (int64_t u = 0; u < scene->inputs.n; u++) {
            double y = cafe_scene_y(scene, u);
            if (y < low) low = y;
            if (y > high) high = y;
        }
        s->rows = high > low ? (int64_t)ceil(1.06 * (high - low) / 4) : 1;
    }
    cafe_scene_fit(scene, across, 4 * (double)s->rows);
}

cafe_status cafe_plot_text(cafe_context *context, const cafe_plot_inputs *inputs, int64_t columns,
                           int32_t colour, char **text) {
    sheet s = {.columns = columns};
    cafe_scene scene = {0};
    cafe_plot_options options;
    cafe_status status;
    *text = NULL;
    cafe_plot_options_init(&options);
    options.width = 4096, options.height = 4096, options.names = 0;
    if (columns < 8 || columns > 1000)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "8 to 1000 columns, not %lld",
                         (long long)columns);
    CAFE_TRY(cafe_scene_make(context, inputs, &options, &scene));
    s.scene = &scene;
    choose_rows(&scene, &s);
    s.dots = cafe_mem_zero(context, 8 * s.columns * s.rows, sizeof *s.dots);
    s.votes = cafe_mem_zero(context, COLOURS * s.columns * s.rows, sizeof *s.votes);
    *text = cafe_mem(context, (s.rows + 4) * (s.columns * CHARACTER + 16) + 24 * 1024, 1);
    if (!s.dots || !s.votes || !*text) CAFE_TRY(CAFE_ERROR_MEMORY);
    drop_points(&s);
    put_all(&s, colour != 0, *text);
done:
    cafe_mem_free_all(context, s.dots, s.votes);
    cafe_scene_free(context, &scene);
    if (status != CAFE_OK) {
        cafe_mem_free(context, *text);
        *text = NULL;
    }
    return status;
}

void cafe_plot_text_free(cafe_context *context, char *text) {
    cafe_mem_free(context, text);
}
