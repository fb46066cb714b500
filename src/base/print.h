/* Text that is the same in every locale, and text that is safe to show.
 *
 * A program may choose a locale: printf then writes 0,5, and strtod stops at the point of 0.5. So
 * the library prints and reads numbers only through these functions and cafe_parse_number();
 * scripts/check enforces it.
 */
#ifndef CAFE_BASE_PRINT_H
#define CAFE_BASE_PRINT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cafe-private/text.h>

#include "os/lab.h"

/* snprintf and vsnprintf of the locale "C". */
CAFE_LAB int cafe_print(char *text, size_t capacity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
CAFE_LAB int cafe_vprint(char *text, size_t capacity, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Are the first `length` bytes the same, A to Z in either case? Both texts may end before. */
bool cafe_same_word(const char *a, const char *b, size_t length);
/* Are two texts the same, A to Z in either case? */
bool cafe_is_word(const char *text, const char *word);

/* The length of the UTF-8 character at p, of which `left` bytes are there; 0 when it is not
 * well-formed. */
CAFE_LAB int cafe_utf8_length(const uint8_t *p, int64_t left);

/* Writes the character as UTF-8; returns the number of bytes. */
int cafe_put_utf8(uint32_t code, char text[4]);

/* cafe_show() that keeps line ends and tabs, for text in lines. *used gets the number of bytes
 * read. An incomplete character at the end is left for the next call, unless `whole`. */
size_t cafe_show_lines(const char *bytes, size_t count, bool whole, size_t *used, char *text,
                       size_t capacity);

/* cafe_show() of the first `most` bytes, followed by "..." if there are more. text needs 4 * most +
 * 4 bytes. */
CAFE_LAB void cafe_escape(const uint8_t *bytes, int64_t count, int most, char *text);

/* The first byte of the text that is NUL or not UTF-8; `end` when there is none. */
const uint8_t *cafe_bad_utf8(const uint8_t *p, const uint8_t *end);

#endif
