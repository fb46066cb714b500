/* The layout of a table of nodes (labels, partitions, attributes), decided once from its first
 * lines: separator, heading, the column of the nodes, and the column that the caller looks for. */
#ifndef CAFE_IO_TABLE_LAYOUT_H
#define CAFE_IO_TABLE_LAYOUT_H

#include "graph/node_names.h"
#include "io/field_lines.h"
#include "io/line_sample.h"

/* What the caller knows and wants. */
typedef struct cafe_table_request {
    const cafe_graph *graph; /* whose nodes the lines are of; NULL: no graph yet */
    const char *id;          /* column of the nodes, by name or by number from 0; NULL: found */
    const char *value;       /* further columns, "a,b" by name or number; NULL: found by is_value */
    const char *option;      /* that gives `value`, as messages name it: "label" */
    const char *expected;    /* what is_value() accepts, in words: "label, class, category, ..." */
    bool (*is_value)(const cafe_field *name); /* is it a usual name of that column? NULL: all others
                                                 are values */
    bool headed;                              /* the first line names the columns */
    bool skips; /* lines of other nodes are left out anyway: a heading of other words does no harm
                 */
} cafe_table_request;

typedef struct cafe_table_layout {
    cafe_line_sample sample;              /* the first lines: the cells below are in it */
    uint8_t separator;                    /* of every line */
    bool heading;                         /* the first line is one */
    bool above;                           /* the comment right before it is the heading */
    bool even;                            /* the rows in the sample have the same number of cells */
    int64_t line;                         /* number of the first line */
    int32_t columns;                      /* of the heading, else of the first line */
    int32_t id;                           /* column of the nodes */
    cafe_field head[CAFE_SAMPLE_COLUMNS]; /* the cells of the first line; empty ones fill it up */
    int32_t value[CAFE_SAMPLE_COLUMNS];   /* the columns that are wanted */
    int32_t values;  /* 0: no heading says, and nothing was given: all after the node */
    bool bits;       /* they have 0 and 1 alone, two or more: each is a class */
    char text[1024]; /* in words: "line 1 is a heading; node column 0 'Id', ...; commas" */
} cafe_table_layout;

/* Reads the first lines (at most 4,096 or 256 KiB) of the open table. A table with two possible
 * readings is CAFE_ERROR_FORMAT, with the option or the change that makes it certain. The caller
 * frees the layout whatever the status. */
CAFE_LAB cafe_status cafe_table_layout_find(cafe_rows *rows, const cafe_table_request *request,
                                            cafe_table_layout *layout);
CAFE_LAB void cafe_table_layout_free(cafe_table_layout *layout); /* a zeroed one too */

/* 1 for 1 and true, 0 for 0, false and a missing value, -1 for all else. */
int cafe_cell_bit(const cafe_field *cell);

/* Moves to the first line after the heading, or to the next line, and splits it; *more is false at
 * the end. A line with more cells than the heading is CAFE_ERROR_FORMAT. */
CAFE_LAB cafe_status cafe_table_first(cafe_rows *rows, const cafe_table_layout *layout, bool *more);
CAFE_LAB cafe_status cafe_table_next(cafe_rows *rows, const cafe_table_layout *layout, bool *more);

/* The node of the line at hand into rows->field, as it stands; a missing one is CAFE_ERROR_FORMAT.
 */
CAFE_LAB cafe_status cafe_table_node(cafe_rows *rows, const cafe_table_layout *layout);

#endif
