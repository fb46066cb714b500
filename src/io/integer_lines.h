/* Lines of two integer ids and perhaps a weight, parsed by all threads. */
#ifndef CAFE_IO_INTEGER_LINES_H
#define CAFE_IO_INTEGER_LINES_H

#include "io/edge_buffer.h"
#include "io/field.h"
#include "io/scanners.h"
#include "io/table_layout.h"
#include "io/text_position.h"
#include "io/text_window.h"

typedef enum cafe_third {
    CAFE_THIRD_NONE,   /* a line ends after its second id */
    CAFE_THIRD_WEIGHT, /* a weight follows; the rest of the line is ignored */
    CAFE_THIRD_IGNORED /* whatever follows is ignored */
} cafe_third;

typedef struct cafe_rules {
    int64_t lowest, highest; /* ids taken; stored less `lowest` (unless the edges are wide) */
    bool numbers;            /* an id in quotes is one, and one that is no integer an error */
    bool declared;           /* an id outside, or one that is no integer, is an error */
    const char *comments;    /* letters at the beginning of lines that are skipped, or NULL */
    bool with_signs;         /* weights may be negative */
    uint8_t letter;          /* the letter before the ids of every line; 0: none */
    cafe_third third;
    bool further;      /* further cells follow, whose quotes must be closed on their line */
    uint8_t separator; /* a comma or semicolon between fields; any other: blanks are */
    const cafe_table_layout *layout; /* NULL: two ids, then perhaps a weight; else the columns */
} cafe_rules;

typedef enum cafe_lines_end {
    CAFE_LINES_DONE,
    CAFE_LINES_WIDE, /* an id is outside lowest .. highest: read again into wide edges */
    CAFE_LINES_TEXT  /* an id is no integer: read again as strings */
} cafe_lines_end;

enum { CAFE_NUMBER_TEXT = 64 };

/* Reads the fields that the layout needs: source, target, weight. *at moves to the line's end, or
 * to the error. */
cafe_trouble cafe_layout_fields(const cafe_table_layout *layout, const uint8_t **at,
                                cafe_field fields[3]);
/* Moves past a line that has further cells; false: to a quote that is not closed on the line. */
static inline bool cafe_skip_further(const uint8_t **at, const uint8_t *end, uint8_t separator) {
    const uint8_t *p = cafe_find_quote(*at);
    const uint8_t *open = *p == '"' ? cafe_field_open(*at, separator) : NULL;
    *at = open ? open : cafe_skip_line(p, end);
    return !open;
}
/* The weight of a field; a negative one if it may be. */
cafe_trouble cafe_field_signed(const cafe_field *field, uint8_t decimal, bool with_signs,
                               float *weight);
cafe_trouble cafe_take_signed(const uint8_t **at, bool with_signs, float *weight);
cafe_trouble cafe_field_weight(const cafe_field *field, uint8_t decimal, float *weight);

/* Reads the text from its current window to its end. The first deviation in the order of the text
 * decides, whatever thread saw it. */
cafe_status cafe_lines_read(cafe_text *text, const cafe_rules *rules, cafe_edge_list *list,
                            cafe_lines_end *ended);

#endif
