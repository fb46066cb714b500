/* Where in a text something was found, and the error that says so. */
#ifndef CAFE_IO_PLACE_H
#define CAFE_IO_PLACE_H

#include <stdint.h>

#include "base/context.h"

/* `at` lies in begin .. end; `line` is the number of the line that starts at `begin`. */
typedef struct cafe_place {
    const char *name; /* of the file, as shown */
    int64_t line;
    const uint8_t *begin, *end, *at;
} cafe_place;

/* CAFE_ERROR_FORMAT with "name:line:column: expected <format>, found <the field at the place>".
 * Columns count bytes from 1. */
cafe_status cafe_fail_at(cafe_context *context, const cafe_place *place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies up to `most` bytes into text (capacity 4 * most + 4), control bytes and broken UTF-8 as
 * \xNN, and "..." behind what was cut. */
void cafe_escape(const uint8_t *bytes, int64_t count, int most, char *text);

/* The length of the UTF-8 character at p, of at most `left` bytes; 0 when it is not well-formed. */
int cafe_utf8_length(const uint8_t *p, int64_t left);

/* The first byte of the text that is NUL or not UTF-8; `end` when there is none. */
const uint8_t *cafe_bad_utf8(const uint8_t *p, const uint8_t *end);

/* The number of '\n' in a range. */
int64_t cafe_count_lines(const uint8_t *begin, const uint8_t *end);

#endif
