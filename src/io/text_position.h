/* Positions in a text, and errors that report them. */
#ifndef CAFE_IO_TEXT_POSITION_H
#define CAFE_IO_TEXT_POSITION_H

#include <stdint.h>

#include "base/context.h"
#include "base/print.h"
#include "io/scanners.h"

/* `at` lies in begin .. end; `line` is the number of the line that starts at `begin`. */
typedef struct cafe_place {
    const char *name; /* of the file, as shown */
    int64_t line;
    const uint8_t *begin, *end, *at;
} cafe_place;

/* CAFE_ERROR_FORMAT with "name:line:column: expected <format>, found <the field at the place>".
 * Columns count bytes from 1. */
CAFE_LAB cafe_status cafe_fail_at(cafe_context *context, const cafe_place *place,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The number of '\n' in a range. */
int64_t cafe_count_lines(const uint8_t *begin, const uint8_t *end);

/* ---- what can be wrong with a line, noted by the threads that parse, reported by the one that
 * waits
 */

/* name, and the words for the expected text */
#define CAFE_TROUBLE_TABLE(X)                                                          \
    X(NO_ID, "a node id")                                                              \
    X(NO_SECOND, "a second node id")                                                   \
    X(NOT_INTEGER, "an integer node id")                                               \
    X(OUTSIDE, "a node id within the range")                                           \
    X(LONG_ID, "a node id of at most 65535 bytes")                                     \
    X(BAD_BYTE, "UTF-8 text in a node id")                                             \
    X(UNCLOSED, "a closing quote on the same line")                                    \
    X(BEHIND, "a separator behind the node id")                                        \
    X(NO_WEIGHT, "a weight (every line has one or none has)")                          \
    X(MINUS_WEIGHT, "a weight that is not negative")                                   \
    X(HUGE_WEIGHT, "a weight of 0 or from 1.2e-38 to 3.4e38")                          \
    X(BAD_WEIGHT, "a finite weight that is not negative")                              \
    X(NOT_ENDED, "the end of the line (every line has a weight or none has)")          \
    X(OTHER_SEPARATOR,                                                                 \
      "the separator of the other lines (a decimal comma? " CAFE_OPT("decimal=,") ")") \
    X(MORE_COLUMNS, "no more columns than in the first line")                          \
    X(ITSELF, "another vertex than the line's own")                                    \
    X(NO_SKIPPED, "a size or weight of the vertex")                                    \
    X(EXTRA_LINE, "no more lines than the header has vertices")                        \
    X(NO_LETTER, "'e' or 'a', as the problem line says, and two node ids")             \
    X(NO_MEMORY, "memory")

typedef enum cafe_trouble {
    CAFE_FINE = 0,
#define CAFE_TROUBLE_ENUM(name, text) CAFE_##name,
    CAFE_TROUBLE_TABLE(CAFE_TROUBLE_ENUM)
#undef CAFE_TROUBLE_ENUM
} cafe_trouble;

/* The error for it; NO_MEMORY is CAFE_ERROR_MEMORY with the text that is there already. */
cafe_status cafe_fail_trouble(cafe_context *context, const cafe_place *place, cafe_trouble trouble);

/* Returns the status, but CAFE_ERROR_ARGUMENT becomes CAFE_ERROR_FORMAT with the file's name before
 * the text. Options were checked before, so the file caused an argument that the builder refuses
 * (weights whose sum exceeds a float). */
cafe_status cafe_blame_file(cafe_context *context, const char *name, cafe_status status);

/* Reads the weight at *at, which moves after it. */
static inline cafe_trouble cafe_take_weight(const uint8_t **at, float *weight) {
    if (cafe_is_line_end(**at)) return CAFE_NO_WEIGHT;
    switch (cafe_scan_weight(at, weight)) {
        case CAFE_SCAN_OK: return CAFE_FINE;
        case CAFE_SCAN_MINUS: return CAFE_MINUS_WEIGHT;
        case CAFE_SCAN_RANGE: return CAFE_HUGE_WEIGHT;
        default: return CAFE_BAD_WEIGHT;
    }
}

/* Reads an integer of 0 .. most after blanks; line->at moves after it. */
cafe_status cafe_take_number(cafe_context *context, cafe_place *line, const char *what,
                             int64_t most, int64_t *value);

#endif
