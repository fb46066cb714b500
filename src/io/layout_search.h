/* The search for the layout of a table: what its steps share. table_layout.c runs them;
 * separator.c, edge_columns.c and node_columns.c are the steps. */
#ifndef CAFE_IO_LAYOUT_SEARCH_H
#define CAFE_IO_LAYOUT_SEARCH_H

#include "io/scanners.h"
#include "io/table_layout.h"

enum { CAFE_SHOWN = 40, CAFE_SHOWN_TEXT = 4 * CAFE_SHOWN + 8 };

typedef struct cafe_search {
    const cafe_input *input;
    const cafe_table_request *request;
    cafe_table_layout *l;
    cafe_place first; /* the first line, for messages */
    char *name;       /* room for a name, with a graph */
    bool integers;    /* the graph's names are */
    cafe_graph_options own;
    const cafe_graph_options *given; /* options of all tables; those of edges without a graph hold
                                      * in any case, others where they fit the table */

    /* all lines but the first, under the separator */
    cafe_column columns[CAFE_SAMPLE_COLUMNS];
    int32_t rows, least, most; /* how many, and their numbers of cells */

    cafe_field row[CAFE_SAMPLE_COLUMNS]; /* room for the cells of a line */
    int64_t known; /* nodes of the graph in the lines of a table of nodes, in its column */
} cafe_search;

/* The line of the sample after this one; NULL at the end. */
static inline const uint8_t *cafe_search_next(const cafe_search *k, const uint8_t *line) {
    return cafe_sample_next(&k->l->sample, line);
}

/* "file:line:1: ..." with the number of the first line. */
cafe_status cafe_search_refuse(const cafe_search *k, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The cell for messages; the first cells: 'a', 'b', 'c'. */
const char *cafe_search_show(const cafe_field *cell, char text[CAFE_SHOWN_TEXT]);
const char *cafe_search_heads(const cafe_search *k, char *text, size_t capacity);

/* Is the cell the name of a node of the graph? */
bool cafe_search_known(const cafe_search *k, const cafe_field *cell);

/* Is it a number from 0, which counts columns, or the name of one? NULL and "" are neither. */
bool cafe_column_is_number(const char *given);
bool cafe_column_is_name(const char *given);
/* The column that an option gives: a name of the heading, or a number from 0. */
cafe_status cafe_search_column(const cafe_search *k, const char *option, const char *given,
                               size_t length, int32_t *column);

/* Does the line begin with + or -, outside quotes, and a separator? `line` is behind its blanks. */
static inline bool cafe_has_sign(const uint8_t *line) {
    return (*line == '+' || *line == '-') && cafe_is_field_end(line[1]);
}
/* Takes the signs + and - off the first lines of changes. */
void cafe_search_signs(cafe_search *k);
/* separator.c: l->separator; of a table of nodes also l->id, the best column of nodes. */
cafe_status cafe_search_separator(cafe_search *k);
/* The cells of the first line under a separator. */
int32_t cafe_search_split_head(const cafe_search *k, uint8_t separator, cafe_field *head);

/* "commas", "tabs", or "'|'", for which there is room in text. */
/* The separator that the option says; 0: it is not given. */
uint8_t cafe_separator_given(const char *given);
const char *cafe_separator_name(uint8_t separator, char text[8]);

/* Heading and columns. */
cafe_status cafe_search_edges(cafe_search *k);
cafe_status cafe_search_nodes(cafe_search *k);

#endif
