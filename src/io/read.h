/* The readers, one per format, over a range of bytes that a file or a test provides. */
#ifndef CAFE_IO_READ_H
#define CAFE_IO_READ_H

#include "graph/graph.h"
#include "io/input.h"

/* What every reader gets. Options are complete and checked. */
cafe_status cafe_read_edges(const cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph);
cafe_status cafe_read_mtx(const cafe_input *input, const cafe_graph_options *options,
                          cafe_graph **graph);
cafe_status cafe_read_metis(const cafe_input *input, const cafe_graph_options *options,
                            cafe_graph **graph);
cafe_status cafe_read_npz(const cafe_input *input, const cafe_graph_options *options,
                          cafe_graph **graph);
/* The graph keeps the mapped file (input->map becomes NULL). */
cafe_status cafe_read_binary(cafe_input *input, const cafe_graph_options *options,
                             cafe_graph **graph);

/* cafe_graph_read() for an input, be it a file or bytes in memory; closes it. Its name is for the
 * errors and, by its ending, for the format. */
cafe_status cafe_graph_read_input(cafe_input *input, const cafe_graph_options *options,
                                  cafe_graph **graph);

/* cafe_block_read() for bytes in memory. */
cafe_status cafe_block_read_bytes(cafe_context *context, const char *name, const uint8_t *bytes,
                                  int64_t size, int64_t *rows, int64_t *columns, float **values);

/* The format that a name's ending tells, gzip ending or not; AUTO when it tells none. */
cafe_format cafe_format_of_name(const char *name);

bool cafe_is_binary(const uint8_t *bytes, int64_t size); /* starts as a .cafe file does? */

/* For the formats that state their number of nodes: --nodes must agree when it is given. */
cafe_status cafe_check_nodes(cafe_context *context, const char *name, int64_t stated,
                             const cafe_graph_options *options);

#endif
