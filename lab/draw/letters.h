/* Letters of a picture: outlines of a real font (letters.bin, made by scripts/letters.py), part of
 * the library. Latin, Greek and Cyrillic have theirs; other characters are shown as U+FFFD.
 */
#ifndef CAFE_DRAW_LETTERS_H
#define CAFE_DRAW_LETTERS_H

#include <stdint.h>

extern const uint8_t cafe_letters[];

/* One glyph, in units of which an em has `units`; y points upwards from the baseline. */
typedef struct cafe_letter {
    double advance, units;
    int64_t contours;
    const uint8_t *lengths, *points; /* u16 a contour; i16 2 x + on the curve, i16 y a point */
} cafe_letter;

/* The glyph of the character at *text (clean UTF-8), which moves on to the next. */
cafe_letter cafe_letter_next(const char **text);

/* Calls line(target, x0, y0, x1, y1) for the outline as straight pieces; curves in `steps` each. */
typedef void cafe_letter_line(void *target, double x0, double y0, double x1, double y1);
void cafe_letter_trace(const cafe_letter *letter, int steps, cafe_letter_line *line, void *target);

#endif
