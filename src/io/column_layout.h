/* The columns of an edge list, decided once from its first lines and the options, for the parsers.
 * An ambiguous file is refused with the option that decides. */
#ifndef CAFE_IO_COLUMN_LAYOUT_H
#define CAFE_IO_COLUMN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/node_names.h"
#include "io/input_file.h"

typedef struct cafe_layout {
    uint8_t separator; /* of fields; ' ': runs of blanks */
    uint8_t decimal;   /* '.' or ',' */
    bool heading;      /* the first line that is no comment is one */
    bool plain; /* the nodes stand first, then the weight if there is one: the quick parsers do */
    int32_t source, target, weight; /* columns, from 0; weight -1: none */
    bool weight_unclear;            /* a column that was not named may be the weight */
    int32_t columns;                /* of the first edge; none may have more unless `plain` */
    int64_t declared;               /* nodes, as our own first line states them; 0: it does not */
    char said[1024], edges[2048];   /* as in cafe_graph_reading */
} cafe_layout;

/* Reads the first lines (at most 4,096 lines or 256 KiB). */
cafe_status cafe_layout_find(const cafe_input *input, const cafe_graph_options *options,
                             cafe_layout *layout);

#endif
