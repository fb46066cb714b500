/* What can be wrong with a line, noted by the threads that parse and told by the one that waits. */
#ifndef CAFE_IO_TROUBLE_H
#define CAFE_IO_TROUBLE_H

#include "io/place.h"
#include "io/scan.h"

/* name, what was expected in its place */
#define CAFE_TROUBLE_TABLE(X)                                                 \
    X(NO_ID, "a node id")                                                     \
    X(NO_SECOND, "a second node id")                                          \
    X(NOT_INTEGER, "an integer node id")                                      \
    X(OUTSIDE, "a node id within the range")                                  \
    X(LONG_ID, "a node id of at most 65535 bytes")                            \
    X(BAD_BYTE, "UTF-8 text in a node id")                                    \
    X(UNCLOSED, "a closing quote on the same line")                           \
    X(BEHIND, "a separator behind the node id")                               \
    X(NO_WEIGHT, "a weight (every line has one or none has)")                 \
    X(MINUS_WEIGHT, "a weight that is not negative")                          \
    X(HUGE_WEIGHT, "a weight below 3.4e38")                                   \
    X(BAD_WEIGHT, "a finite weight that is not negative")                     \
    X(NOT_ENDED, "the end of the line (every line has a weight or none has)") \
    X(ITSELF, "another vertex than the line's own")                           \
    X(NO_SKIPPED, "a size or weight of the vertex")                           \
    X(EXTRA_LINE, "no more lines than the header has vertices")               \
    X(NO_MEMORY, "memory")

typedef enum cafe_trouble {
    CAFE_FINE = 0,
#define CAFE_TROUBLE_ENUM(name, text) CAFE_##name,
    CAFE_TROUBLE_TABLE(CAFE_TROUBLE_ENUM)
#undef CAFE_TROUBLE_ENUM
} cafe_trouble;

/* The error for it; NO_MEMORY is CAFE_ERROR_MEMORY with the text that is there already. */
cafe_status cafe_fail_trouble(cafe_context *context, const cafe_place *place, cafe_trouble trouble);

/* The weight at *at, which moves behind it. */
static inline cafe_trouble cafe_take_weight(const uint8_t **at, float *weight) {
    if (cafe_is_line_end(**at)) return CAFE_NO_WEIGHT;
    switch (cafe_scan_weight(at, weight)) {
        case CAFE_SCAN_OK: return CAFE_FINE;
        case CAFE_SCAN_MINUS: return CAFE_MINUS_WEIGHT;
        case CAFE_SCAN_RANGE: return CAFE_HUGE_WEIGHT;
        default: return CAFE_BAD_WEIGHT;
    }
}

#endif
