/* The layout of a table of edges or of nodes, decided once from its first lines and the options:
 * separator, heading, and the columns that the caller looks for. */
#ifndef CAFE_IO_TABLE_LAYOUT_H
#define CAFE_IO_TABLE_LAYOUT_H

#include "graph/node_names.h"
#include "io/field_lines.h"
#include "io/line_sample.h"

/* What the caller knows and wants. */
typedef struct cafe_table_request {
    const cafe_graph *graph; /* whose nodes the lines are of; NULL: no graph yet */
    const cafe_graph_options
        *manner; /* of tables of nodes, cafe_graph_tables(); NULL: the graph's */
    /* a table of edges: */
    const cafe_graph_options *edges; /* the columns that are given; NULL: it is a table of nodes */
    bool changes; /* of the graph's edges: a column or a sign in front says added or removed */
    /* a table of nodes: */
    const char *id;       /* column of the nodes, by name or by number from 0; NULL: found */
    const char *value;    /* further columns, "a,b" by name or number; NULL: found by is_value */
    const char *option;   /* that gives `value`, as messages name it: "label" */
    const char *expected; /* what is_value() accepts, in words: "label, class, category, ..." */
    bool (*is_value)(const cafe_field *name); /* is it a usual name of that column? NULL: all others
                                                 are values */
    bool headed;                              /* the first line names the columns */
    bool skips; /* lines of other nodes are left out anyway: a heading of other words does no harm
                 */
} cafe_table_request;

typedef struct cafe_table_layout {
    cafe_line_sample sample;              /* the first lines: the cells below are in it */
    uint8_t separator;                    /* of every line; ' ': runs of blanks */
    uint8_t decimal;                      /* '.' or ',', of numbers */
    bool heading;                         /* the first line that is no comment is one */
    bool above;                           /* the comment right before it is the heading */
    int64_t line;                         /* number of the first line */
    int32_t columns;                      /* of the heading, else of the first line */
    cafe_field head[CAFE_SAMPLE_COLUMNS]; /* the cells of the first line; empty ones fill it up */
    char text[1024]; /* in words: "source column 0 'a', target column 1 'b'; a heading; commas" */

    /* a table of edges */
    int32_t source, target, weight; /* columns, from 0; weight -1: none */
    int32_t change;                 /* column with added or removed; -1: none */
    int32_t kind;                   /* column with the layer or the time; -1: none */
    bool signs;                     /* a line may begin with + or -, before its first column */
    bool weight_unclear;            /* a column that was not named may be the weight */
    bool plain; /* the nodes stand first, then the weight if there is one: the quick parsers do.
                 * Else no line may have more columns than `columns` */
    int64_t declared; /* nodes, as our own first line states them; 0: it does not */
    char edges[2048]; /* as in cafe_graph_reading */

    /* a table of nodes */
    int32_t id;                         /* column of the nodes */
    int64_t known;                      /* first lines whose node is one of the graph */
    int32_t value[CAFE_SAMPLE_COLUMNS]; /* the columns that are wanted */
    int32_t values; /* 0: no heading says, and nothing was given: all after the node */
    bool bits;      /* they have 0 and 1 alone, two or more: each is a class */
} cafe_table_layout;

/* Has a table of edges columns behind those that the quick parsers read? */
static inline bool cafe_layout_goes_on(const cafe_table_layout *l) {
    return l->columns > (l->weight < 0 ? 2 : 3);
}

/* Reads the first lines (at most 4,096 lines or 256 KiB). A table with two possible readings is
 * CAFE_ERROR_FORMAT, with the option or the change that makes it certain. The caller frees the
 * layout whatever the status. */
CAFE_LAB cafe_status cafe_table_layout_find(const cafe_input *input,
                                            const cafe_table_request *request,
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

/* Is the field at hand, the first line of a list of the graph's nodes, a usual name of them? */
CAFE_LAB bool cafe_table_heads_list(const cafe_rows *rows, const cafe_graph *graph);

/* *gone: the line of a table of changes says that its edge is removed. */
cafe_status cafe_table_change(cafe_rows *rows, const cafe_table_layout *layout, bool *gone);

#endif
