/* Edge lists with a column of layers or of times, and files that are a layer each. */
#ifndef CAFE_IO_LAYER_FILE_H
#define CAFE_IO_LAYER_FILE_H

#include "io/file_list.h"

/* Do the options ask for layers or slices? */
bool cafe_asks_layers(const cafe_graph_options *options);

/* CAFE_ERROR_ARGUMENT for options of layers that do not go together. */
cafe_status cafe_layers_check(cafe_context *context, const cafe_graph_options *options);

/* Reads the files of a list into a graph with layers or slices. The options are settled. */
cafe_status cafe_layers_read(cafe_context *context, const cafe_file_list *list,
                             const cafe_graph_options *options, cafe_graph **graph);

#endif
