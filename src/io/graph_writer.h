/* The writers of graphs, one per format. */
#ifndef CAFE_IO_GRAPH_WRITER_H
#define CAFE_IO_GRAPH_WRITER_H

#include <cafe/files.h>
#include "graph/node_names.h"

#include "io/output_file.h"

cafe_status cafe_write_edges(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_mtx(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_metis(cafe_output *output, const cafe_graph *graph);

/* write_records.c: GraphML and GML, with the attributes of the output. Edges by graph_writer.c. */
cafe_status cafe_write_graphml(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_gml(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_marked_edges(cafe_output *output, const cafe_graph *graph, bool xml);

/* A name for XML and GML, within quotes; it grows by at most this factor. */
enum { CAFE_XML_GROWTH = 6 };
char *cafe_put_xml(const cafe_names *names, int64_t u, char *text);

/* A heading, then a line per node: its name as a field, a tab (in a .csv file a comma),
 * partition[node]. */
cafe_status cafe_partition_write(cafe_context *context, const cafe_graph *graph,
                                 const int32_t *partition, const char *path, int32_t overwrite);

#endif
