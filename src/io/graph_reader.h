/* Graphs over a range of bytes that a file or a test provides. */
#ifndef CAFE_IO_GRAPH_READER_H
#define CAFE_IO_GRAPH_READER_H

#include "graph/node_names.h"
#include "io/input_file.h"

/* cafe_graph_read() for an input, be it a file or bytes in memory; closes it. Its name is for the
 * errors and, by its ending, for the format. */
cafe_status cafe_graph_read_input(cafe_input *input, const cafe_graph_options *options,
                                  cafe_graph **graph);

#endif
