/* Lines of two string ids and perhaps a weight. */
#ifndef CAFE_IO_STRING_LINES_H
#define CAFE_IO_STRING_LINES_H

#include "io/edge_buffer.h"
#include "io/integer_lines.h"

/* Reads the text from its current window to its end. Nodes are numbered by first appearance, source
 * before target, whatever the threads. */
cafe_status cafe_strings_read(cafe_text *text, const cafe_table_layout *layout, cafe_third third,
                              cafe_edge_list *list, int64_t *nodes, cafe_names *names);

#endif
