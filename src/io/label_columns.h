/* The layout of a file of labels, decided once from its beginning. */
#ifndef CAFE_IO_LABEL_COLUMNS_H
#define CAFE_IO_LABEL_COLUMNS_H

#include "graph/node_names.h"
#include "io/field_lines.h"

enum { CAFE_LABEL_LAYOUT_TEXT = 256 };

typedef struct cafe_label_layout {
    uint8_t separator; /* of every line */
    bool heading;      /* the first line is one */
    int64_t line;      /* the number of the first line */
    int64_t column; /* the field with the labels, counted from the node's; 0: all fields after it */
    int64_t columns;                   /* of the heading */
    char text[CAFE_LABEL_LAYOUT_TEXT]; /* in words: "node column 0 'Id', ...; a heading; commas" */
} cafe_label_layout;

/* Reads the first lines of the open file and returns to its start. Returns CAFE_ERROR_FORMAT for a
 * file with two readings (with both), and for a table of several columns if none is known to have
 * the labels. skips: lines of unknown nodes are ignored anyway, so a heading of unknown words does
 * no harm. */
cafe_status cafe_label_layout_find(cafe_rows *rows, const cafe_graph *graph, bool skips,
                                   cafe_label_layout *layout);

/* Moves to the first line with a label; *more is false when there is none. */
cafe_status cafe_label_layout_begin(cafe_rows *rows, const cafe_label_layout *layout, bool *more);

/* The node of the line at hand into rows->field. */
cafe_status cafe_label_layout_node(cafe_rows *rows, const cafe_label_layout *layout);

#endif
