/* The writers of graphs, one per format. */
#ifndef CAFE_IO_GRAPH_WRITER_H
#define CAFE_IO_GRAPH_WRITER_H

#include <cafe/files.h>
#include "graph/node_names.h"

#include "io/output_file.h"

cafe_status cafe_write_edges(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_mtx(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_metis(cafe_output *output, const cafe_graph *graph);

/* write_records.c: GraphML, GML, GEXF and JSON, with the attributes of the output. Edges by
 * graph_writer.c. */
typedef enum cafe_record_style {
    CAFE_RECORD_GRAPHML,
    CAFE_RECORD_GML,
    CAFE_RECORD_GEXF,
    CAFE_RECORD_JSON
} cafe_record_style;
cafe_status cafe_write_graphml(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_gml(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_gexf(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_json(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_record_edges(cafe_output *output, const cafe_graph *graph,
                                    cafe_record_style style);

/* An edge, where its arc stands in the rows, and its text. */
typedef struct cafe_record {
    int64_t source, target, arc;
    bool weighted;
    float weight;
} cafe_record;
char *cafe_put_record(cafe_record_style style, const cafe_names *names, const cafe_record *edge,
                      char *text);

/* A name within the quotes of these formats grows by at most this factor. */
enum { CAFE_XML_GROWTH = 6 };

typedef struct cafe_partition_columns {
    const int32_t *partition; /* of each node: its community, from 0; */
    const float *stay;        /* after trials: how often it stays there, */
    const int32_t *consensus; /* and its community in the consensus; both NULL: no trials */
} cafe_partition_columns;

/* A heading, then a line per node: its name as a field and the columns, after a tab each (in a .csv
 * file a comma). */
cafe_status cafe_partition_write(cafe_context *context, const cafe_graph *graph,
                                 const cafe_partition_columns *columns, const char *path,
                                 int32_t overwrite);

#endif
