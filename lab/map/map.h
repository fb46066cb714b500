/* The inside of the map: attracting edges, levels, layout of one level. */
#ifndef CAFE_MAP_MAP_H
#define CAFE_MAP_MAP_H

#include <cafe/map.h>

#include "base/context.h"
#include "graph/pooling.h"

enum { CAFE_MAP_SMALL = 1024 };

/* The attraction among the nodes that have any, in compressed rows; rows are symmetric. */
typedef struct cafe_map_rows {
    int64_t n;
    int32_t *node; /* their numbers in the graph */
    int64_t *offsets;
    int32_t *targets;
    float *weights;
} cafe_map_rows;

cafe_status cafe_map_link(cafe_context *context, const cafe_graph *graph, int64_t n,
                          int64_t columns, const float *vectors, const cafe_map_options *options,
                          cafe_map_rows *rows);
void cafe_map_unlink(cafe_context *context, cafe_map_rows *rows);

/* 1 / the length of each row (0 for a row of zeros); a single column keeps its values. */
cafe_status cafe_map_scales(cafe_context *context, int64_t n, int64_t columns, const float *vectors,
                            float *scale);

/* One level: nodes are groups of `size` nodes of the finest one. */
typedef struct cafe_map_level {
    cafe_pooled *graph;
    float *size;
    int32_t *group; /* of each node: its node in the next, coarser level; NULL at the top */
    float *xy;
} cafe_map_level;

/* group[n]: every node joins the neighbour it is linked to best; *count gets the groups. */
cafe_status cafe_map_join(cafe_context *context, const cafe_map_level *level, int32_t *group,
                          int64_t *count);

/* Puts the rows in the order of key[n] in 0 .. keys-1, and the group of each node along. */
cafe_status cafe_map_order(cafe_context *context, const int32_t *key, int64_t keys,
                           cafe_map_rows *rows, int32_t **group);

/* Moves the points of a level for `rounds` rounds; `first` is the step of the first round. */
typedef struct cafe_map_motion {
    int64_t rounds, level;
    double repulsion, first, total; /* total: nodes of the finest level */
} cafe_map_motion;

cafe_status cafe_map_move(cafe_context *context, cafe_map_level *level,
                          const cafe_map_motion *motion);

#endif
