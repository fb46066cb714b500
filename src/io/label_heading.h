/* The first line of a file of labels: a heading, or a node with its labels? */
#ifndef CAFE_IO_LABEL_HEADING_H
#define CAFE_IO_LABEL_HEADING_H

#include "graph/graph.h"
#include "io/rows.h"

/* *heading: whether the line at hand is one; rows stays where it is. *column gets the field behind
 * the node that has the labels, from 1; 0: all of them. A heading of several columns none of which
 * is known to have labels is CAFE_ERROR_FORMAT. */
cafe_status cafe_label_heading(cafe_rows *rows, const cafe_graph *graph, bool *heading,
                               int64_t *column);

#endif
