/* Glyphs out of their table, and their outlines as straight pieces. The layout of the bytes is
 * described in scripts/letters.py.
 */
#include "draw/letters.h"

#include <stdbool.h>
#include <stddef.h>

enum { HEAD = 4, ROW = 8, UNKNOWN = 0xfffd };

static unsigned get16(const uint8_t *p) {
    return (unsigned)p[0] | (unsigned)p[1] << 8;
}

static int signed16(const uint8_t *p) {
    return (int16_t)get16(p);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The row of a character, or NULL. */
static const uint8_t *find_row(uint32_t character) {
    int64_t low = 0, high = (int64_t)get16(cafe_letters) - 1;
    while (low <= high) {
        int64_t middle = (low + high) / 2;
        const uint8_t *row = cafe_letters + HEAD + ROW * middle;
        if (get16(row) == character) return row;
        if (get16(row) < character)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

/* Returns the character at *text, which moves after it. */
static uint32_t next_character(const char **text) {
    const uint8_t *p = (const uint8_t *)*text;
    int more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t c = more ? *p & (0x3fu >> more) : *p;
    for (p++; more > 0 && (*p & 0xc0) == 0x80; more--, p++) c = c << 6 | (*p & 0x3fu);
    *text = (const char *)p;
    return c;
}

cafe_letter cafe_letter_next(const char **text) {
    const uint8_t *row = find_row(next_character(text));
    if (!row) row = find_row(UNKNOWN);
    int64_t offset = (int64_t)get16(row + 4) | (int64_t)get16(row + 6) << 16;
    const uint8_t *outline = cafe_letters + HEAD + ROW * (int64_t)get16(cafe_letters) + offset;
    int64_t contours = get16(outline);
    return (cafe_letter){.advance = get16(row + 2),
                         .units = get16(cafe_letters + 2),
                         .contours = contours,
                         .lengths = outline + 2,
                         .points = outline + 2 + 2 * contours};
}

/* ---- outlines -------------------------------------------------------------------------------- */

typedef struct spot {
    double x, y;
    bool on;
} spot;

static spot get_spot(const uint8_t *points, int64_t i) {
    int x = signed16(points + 4 * i);
    return (spot){(x - (x & 1)) / 2, signed16(points + 4 * i + 2), x & 1};
}

static spot middle(spot a, spot b) {
    return (spot){(a.x + b.x) / 2, (a.y + b.y) / 2, true};
}

/* B(t) = (1-t)^2 a + 2 t (1-t) b + t^2 c */
static void trace_curve(spot a, spot b, spot c, int steps, cafe_letter_line *line, void *target) {
    double x = a.x, y = a.y;
    for (int i = 1; i <= steps; i++) {
        double t = (double)i / steps, s = 1 - t;
        double nx = s * s * a.x + 2 * s * t * b.x + t * t * c.x;
        double ny = s * s * a.y + 2 * s * t * b.y + t * t * c.y;
        line(target, x, y, nx, ny);
        x = nx, y = ny;
    }
}

/* Between two control points lies a point of the curve, half-way. */
static void trace_contour(const uint8_t *points, int64_t count, int steps, cafe_letter_line *line,
                          void *target) {
    spot first = get_spot(points, 0), last = get_spot(points, count - 1);
    spot start = first.on ? first : last.on ? last : middle(first, last), at = start;
    spot control = {0, 0, true}; /* on: there is none */
    for (int64_t i = first.on ? 1 : 0; i <= count; i++) {
        spot next = i < count ? get_spot(points, i) : start;
        if (control.on && next.on)
            line(target, at.x, at.y, next.x, next.y);
        else if (!control.on)
            trace_curve(at, control, next.on ? next : middle(control, next), steps, line, target);
        if (next.on || !control.on) at = next.on ? next : middle(control, next);
        control = next;
    }
}

void cafe_letter_trace(const cafe_letter *letter, int steps, cafe_letter_line *line, void *target) {
    const uint8_t *points = letter->points;
    for (int64_t c = 0; c < letter->contours; c++) {
        int64_t count = get16(letter->lengths + 2 * c);
        if (count > 1) trace_contour(points, count, steps, line, target);
        points += 4 * count;
    }
}
