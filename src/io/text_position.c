/* Error places: line and column are worked out only when an error needs them. */
#include "io/text_position.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "base/print.h"

enum { SHOWN = 40 }; /* bytes of the offending field */

/* Bytes equal to '\n' add 1 to their lane of `lanes`; a lane holds 255 of them. The loop is plain
 * 64-bit arithmetic, so that the compiler makes vector code of it. */
int64_t cafe_count_lines(const uint8_t *begin, const uint8_t *end) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    int64_t total = 0;
    const uint8_t *p = begin;
    while (end - p >= 8) {
        int64_t words = (end - p) / 8 < 255 ? (end - p) / 8 : 255;
        uint64_t lanes = 0;
        for (int64_t i = 0; i < words; i++) {
            uint64_t x;
            memcpy(&x, p + 8 * i, 8);
            x ^= 0x0a0a0a0a0a0a0a0au;
            lanes += ~(((x & low) + low) | x | low) >> 7;
        }
        for (int i = 0; i < 64; i += 8) total += (int64_t)(lanes >> i & 0xff);
        p += 8 * words;
    }
    for (; p < end; p++) total += *p == '\n';
    return total;
}

/* Writes 'field' at the place, or what ends there: the line or the file. */
static void describe(const cafe_place *place, char *text) {
    const uint8_t *p = place->at, *q = p;
    if (p >= place->end) {
        strcpy(text, "the end of the file");
    } else if (cafe_is_line_end(*p)) {
        strcpy(text, "the end of the line");
    } else {
        bool separator = cafe_is_field_end(*p);
        do q++;
        while (!separator && q < place->end && !cafe_is_field_end(*q));
        *text++ = '\'';
        cafe_escape(p, q - p, SHOWN, text);
        strcat(text, "'");
    }
}

cafe_status cafe_fail_at(cafe_context *context, const cafe_place *place, const char *format, ...) {
    char expected[256], found[4 * SHOWN + 32];
    va_list arguments;
    va_start(arguments, format);
    cafe_vprint(expected, sizeof expected, format, arguments);
    va_end(arguments);
    describe(place, found);
    const uint8_t *line = place->at;
    while (line > place->begin && line[-1] != '\n') line--;
    return cafe_fail(context, CAFE_ERROR_FORMAT, "%s:%lld:%lld: expected %s, found %s", place->name,
                     (long long)(place->line + cafe_count_lines(place->begin, line)),
                     (long long)(place->at - line + 1), expected, found);
}

cafe_status cafe_fail_trouble(cafe_context *context, const cafe_place *place,
                              cafe_trouble trouble) {
    static const char *const expected[] = {"nothing",
#define CAFE_TROUBLE_TEXT(name, text) text,
                                           CAFE_TROUBLE_TABLE(CAFE_TROUBLE_TEXT)
#undef CAFE_TROUBLE_TEXT
    };
    if (trouble == CAFE_NO_MEMORY) return CAFE_ERROR_MEMORY;
    return cafe_fail_at(context, place, "%s", expected[trouble]);
}

cafe_status cafe_take_number(cafe_context *context, cafe_place *line, const char *what,
                             int64_t most, int64_t *value) {
    if (line->begin < line->end) line->at = cafe_skip_blanks(line->at);
    const uint8_t *p = line->at;
    if (line->begin == line->end || cafe_scan_integer(&p, value) != CAFE_SCAN_OK || *value < 0 ||
        *value > most)
        return cafe_fail_at(context, line, "%s", what);
    line->at = p;
    return CAFE_OK;
}

cafe_status cafe_blame_file(cafe_context *context, const char *name, cafe_status status) {
    char text[512];
    if (status != CAFE_ERROR_ARGUMENT) return status;
    cafe_print(text, sizeof text, "%s", cafe_error(context));
    return cafe_fail(context, CAFE_ERROR_FORMAT, "%s: %s", name, text);
}
