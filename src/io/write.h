/* The writers of graphs, one per format. */
#ifndef CAFE_IO_WRITE_H
#define CAFE_IO_WRITE_H

#include "graph/graph.h"
#include "io/output.h"

cafe_status cafe_write_edges(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_mtx(cafe_output *output, const cafe_graph *graph);
cafe_status cafe_write_metis(cafe_output *output, const cafe_graph *graph);

#endif
