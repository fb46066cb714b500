/* Lines of fields, read one after the other: the row reader of all small tables (labels,
 * partitions, tables of nodes, changes, sets). Such files are small beside their graph, so one
 * thread reads them. Edge lists and tables of numbers have parallel readers. */
#ifndef CAFE_IO_FIELD_LINES_H
#define CAFE_IO_FIELD_LINES_H

#include "io/field.h"
#include "io/input_file.h"
#include "io/text_window.h"

typedef struct cafe_rows {
    cafe_context *context;
    cafe_place line;         /* the line at hand, `at` where its next field begins */
    const uint8_t *cells_at; /* where its cells begin; may be set by the caller, as the next */
    uint8_t separator;       /* of its fields */
    uint8_t sign;            /* + or - before the cells of a table of changes; 0: none */
    char *field;             /* the last field taken, ended by 0 */
    int64_t length;
    bool quoted;       /* it stood in quotes */
    cafe_field *cells; /* of the line at hand, after cafe_rows_split() */
    int64_t count, room;
    bool ended; /* by an empty cell, which does not count */
    cafe_input input;
    cafe_text text;
} cafe_rows;

/* A file, plain or gzip; "-" is standard input. Closed in any case. */
CAFE_LAB cafe_status cafe_rows_open(cafe_context *context, const char *path, cafe_rows *rows);
CAFE_LAB void cafe_rows_close(cafe_rows *rows);

/* Moves to the next line that is neither blank nor a comment (# or %); *more is false at the end.
 */
CAFE_LAB cafe_status cafe_rows_next(cafe_rows *rows, bool *more);

/* Splits the line at hand by rows->separator into rows->cells, empty ones included, but for an
 * empty one at the end. */
cafe_status cafe_rows_split(cafe_rows *rows);
/* Takes cell number c of the line into `field` without quotes; one that is not there is empty. `at`
 * is its place. Fails if it is longer than 65535 bytes or no UTF-8. what: "a node". */
cafe_status cafe_rows_cell(cafe_rows *rows, int64_t c, const char *what);
/* Is the field at hand a missing value: empty or, without quotes, NA, NaN, null, . or ? ? */
bool cafe_rows_missing(const cafe_rows *rows);

/* Reads the rest of the line into `field`, in quotes or without blanks around it. */
CAFE_LAB cafe_status cafe_rows_rest(cafe_rows *rows, const char *what);

#endif
