/* The first lines of an edge list before it is parsed: cells under a separator, kinds of columns.
 */
#ifndef CAFE_IO_LINE_SAMPLE_H
#define CAFE_IO_LINE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "io/field.h"
#include "io/input_file.h"

enum { CAFE_SAMPLE_COLUMNS = 256 }; /* columns that are examined */

typedef struct cafe_column {
    int32_t cells;             /* that are not empty */
    int32_t integers, numbers; /* of them; an integer is a number too */
    bool counts;               /* each value is the integer after the one above: row numbers */
    bool time, year; /* all are integers such as 1082040961 (seconds, milliseconds) or 1999 */
    int32_t alike;   /* that are the first line's but for digits, of which it has some */
    bool again;      /* one is the cell of the first line, in either column of the nodes */
    int64_t last;
} cafe_column;

typedef struct cafe_line_sample {
    cafe_context *context;
    uint8_t *text; /* lines with data, each ended by '\n', one after the other */
    int64_t used, room;
    int64_t lines;    /* in it */
    bool whole;       /* the file has no other */
    int64_t first;    /* number of the first one in the file */
    uint8_t *comment; /* the comment right before it without its mark, ended by '\n'; NULL: none */
    bool ours;        /* the file begins as our writer's do */
    uint8_t stated;   /* the separator that the file states; 0: it does not */
    int64_t declared; /* nodes, as it states; 0: it does not */
} cafe_line_sample;

cafe_status cafe_sample_take(const cafe_input *input, cafe_line_sample *sample);
void cafe_sample_free(cafe_line_sample *sample);

/* Returns the line after `sample`; NULL at the end. */
const uint8_t *cafe_sample_next(const cafe_line_sample *sample, const uint8_t *line);

/* The cells of a line, of which at most CAFE_SAMPLE_COLUMNS are given (cells may be NULL). Returns
 * how many there are, not counting an empty one at the end; 0: the line is malformed. */
int32_t cafe_sample_split(const uint8_t *line, uint8_t separator, cafe_field *cells);
/* Do all lines have at least this number of cells? */
bool cafe_sample_has(const cafe_line_sample *sample, uint8_t separator, int32_t cells);

typedef enum cafe_cell {
    CAFE_CELL_EMPTY,
    CAFE_CELL_INTEGER,
    CAFE_CELL_NUMBER, /* NaN and NA too */
    CAFE_CELL_WORD
} cafe_cell;
cafe_cell cafe_cell_kind(const cafe_field *cell, uint8_t decimal, int64_t *integer);

/* Finds the kinds of the columns in all lines but the first; source and target are the columns of
 * the nodes. Returns the number of lines; *least and *most get their numbers of cells. */
int32_t cafe_sample_columns(const cafe_line_sample *sample, uint8_t separator, uint8_t decimal,
                            int32_t source, int32_t target, cafe_column *columns, int32_t *least,
                            int32_t *most);

/* Is a node of the first line one of a later line, however far below (within 64 MiB)? */
cafe_status cafe_sample_again(const cafe_input *input, const cafe_line_sample *sample,
                              uint8_t separator, int32_t source, int32_t target, bool *again);

#endif
