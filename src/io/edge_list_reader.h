/* An edge list while it is read: its columns, its text, the edges up to now. */
#ifndef CAFE_IO_EDGE_LIST_READER_H
#define CAFE_IO_EDGE_LIST_READER_H

#include "io/edge_buffer.h"
#include "io/integer_lines.h"

typedef struct cafe_edges {
    cafe_context *context;
    const cafe_graph_options *options;
    cafe_text text;
    bool part; /* the text begins after the heading */
    cafe_table_layout layout;
    cafe_edge_list list;
    int64_t declared; /* nodes: from the options, or from our own first line; 0: not known */
    cafe_third third;
    bool zeros; /* ids with leading zeros were read as numbers */
} cafe_edges;

/* Finds the columns; the caller closes it, whatever the status. */
cafe_status cafe_edges_open(const cafe_input *input, const cafe_graph_options *options,
                            cafe_edges *edges);
void cafe_edges_close(cafe_edges *edges);

/* Moves the text to its first edge, past byte order mark, comments and heading. */
cafe_status cafe_edges_first(cafe_edges *edges);

/* The edges of the text, with integers for ids or with strings. */
cafe_status cafe_edges_integers(cafe_edges *edges, bool wide, cafe_lines_end *ended);
cafe_status cafe_edges_strings(cafe_edges *edges, int64_t *nodes, cafe_names *names);

/* There are none. */
cafe_status cafe_edges_none(const cafe_edges *edges);

/* Stores in the graph how the file was understood. */
cafe_status cafe_edges_note(const cafe_edges *edges, cafe_graph *graph);

/* shared_edges.c: reads the list by several processes, a part of it each. */
cafe_status cafe_edges_read_shared(const cafe_input *input, const cafe_graph_options *options,
                                   cafe_graph **graph);

#endif
