/* Fields of a line in files with string ids: separators, quotes, comments. */
#ifndef CAFE_IO_FIELD_H
#define CAFE_IO_FIELD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum cafe_field_fault {
    CAFE_FIELD_FINE = 0,
    CAFE_FIELD_EMPTY,    /* nothing before the separator or the end of the line */
    CAFE_FIELD_UNCLOSED, /* a quote without its partner on the line */
    CAFE_FIELD_BEHIND    /* characters right after the closing quote */
} cafe_field_fault;

/* The text between begin and end; with `doubled`, each pair of quotes in it stands for one. */
typedef struct cafe_field {
    const uint8_t *begin, *end;
    bool quoted, doubled;
} cafe_field;

/* Past the blanks that are not the separator itself. */
static inline bool cafe_is_padding(uint8_t c, uint8_t separator) {
    return c == ' ' || (c == '\t' && separator != '\t');
}
static inline const uint8_t *cafe_skip_padding(const uint8_t *p, uint8_t separator) {
    while (cafe_is_padding(*p, separator)) p++;
    return p;
}

/* Reads the field at *at and moves *at past its separator. separator: a character such as ',' or
 * '\t', around which blanks are ignored, or ' ' for runs of blanks. On a fault *at is its place. */
cafe_field_fault cafe_field_take(const uint8_t **at, uint8_t separator, cafe_field *field);

/* The same of a field that may be empty; *more: another one follows. */
cafe_field_fault cafe_field_take_any(const uint8_t **at, uint8_t separator, cafe_field *field,
                                     bool *more);

/* Reads the field that fills its line up to `end`, after the '\n': in quotes, or unquoted without
 * the line's end. *at moves to the line's end, or to the fault. */
cafe_field_fault cafe_field_take_line(const uint8_t **at, const uint8_t *end, cafe_field *field);

/* Returns the separator of a line: the first comma, semicolon or tab outside quotes; else blanks.
 */
uint8_t cafe_field_separator(const uint8_t *line);

/* Does the line have the separator outside quotes? Blanks at its end do not count. */
bool cafe_field_has(const uint8_t *line, uint8_t separator);

/* Do they stand there with the same bytes? */
static inline bool cafe_field_same(const cafe_field *a, const cafe_field *b) {
    return a->end - a->begin == b->end - b->begin &&
           memcmp(a->begin, b->begin, (size_t)(a->end - a->begin)) == 0;
}

/* Is it this text? */
static inline bool cafe_field_is(const cafe_field *field, const char *text, size_t length) {
    return (size_t)(field->end - field->begin) == length && memcmp(field->begin, text, length) == 0;
}

/* The first quote in the rest of a line that opens a field and is not closed on the line; NULL:
 * none. */
const uint8_t *cafe_field_open(const uint8_t *rest, uint8_t separator);

/* Copies the field with its doubled quotes made single; returns the length. */
int64_t cafe_field_copy(const cafe_field *field, uint8_t *out);

#endif
