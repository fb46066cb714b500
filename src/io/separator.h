/* The separator of the columns of an edge list. */
#ifndef CAFE_IO_SEPARATOR_H
#define CAFE_IO_SEPARATOR_H

#include "graph/node_names.h"
#include "io/line_sample.h"

/* decimal: '.' or ',', which then separates nothing. */
cafe_status cafe_separator_find(const cafe_input *input, const cafe_graph_options *options,
                                const cafe_line_sample *sample, uint8_t decimal,
                                uint8_t *separator);

/* "commas", "tabs", or "'|'", for which there is room in text. */
const char *cafe_separator_name(uint8_t separator, char text[8]);

#endif
