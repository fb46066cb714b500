/* Lists whose two columns name nodes of two kinds, such as users and items. */
#ifndef CAFE_IO_TWO_SIDES_H
#define CAFE_IO_TWO_SIDES_H

#include "io/edge_buffer.h"

/* Makes two nodes of an id that is a source and a target. Sources come first, each side in the
 * order that the nodes had. The list (narrow ids below *nodes), the number of nodes and their names
 * change; *left gets the number of sources. The names are the caller's to free, whatever comes of
 * it. */
cafe_status cafe_edge_list_sides(cafe_edge_list *list, int64_t *nodes, cafe_names *names,
                                 int64_t *left);

#endif
