/* A map: every node of an embedding as a point of the plane, so that people can look at it.
 *
 * Nodes whose vectors point the same way come to lie near each other, and groups of such nodes
 * become islands. Distances between islands mean little, as in any such picture.
 */
#ifndef CAFE_MAP_H
#define CAFE_MAP_H

#include <cafe/graph.h>
#include <cafe/lab_option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What draws points together. */
typedef enum cafe_map_forces {
    CAFE_MAP_FORCES_AUTO = 0,   /* of the vectors up to CAFE_MAP_EXACT nodes or without a graph */
    CAFE_MAP_FORCES_GRAPH = 1,  /* the graph's edges, as much as the vectors of their ends agree */
    CAFE_MAP_FORCES_VECTORS = 2 /* the nearest neighbours of each vector */
} cafe_map_forces;

enum { CAFE_MAP_EXACT = 20000 };

typedef struct cafe_map_options {
    size_t struct_size;
    int32_t forces;     /* cafe_map_forces */
    int64_t neighbours; /* of each vector, where its neighbours are asked for */
    int64_t rounds;     /* of the layout, on each level */
    double repulsion;   /* of the points, in units of their attraction */
} cafe_map_options;

CAFE_LAB_OPTIONS(map)

/* xy[2 n] gets the points, row-major: centred, the wider axis first, of mean square 1. Nodes
 * without edges and vectors of zeros, which nothing places, lie together below the others.
 *
 * vectors: row-major n x columns, finite. graph: of n nodes, or NULL. The result depends on the
 * inputs and the context's seed, not on the number of threads. Options may be NULL. */
CAFE_API cafe_status cafe_map(cafe_context *context, const cafe_graph *graph, int64_t n,
                              int64_t columns, const float *vectors,
                              const cafe_map_options *options, float *xy);

/* How true a map is, from nodes chosen evenly; all of them if there are no more than asked for. It
 * compares the k nearest others of each, by the angle of the vectors and by distance in the plane.
 */
typedef struct cafe_map_quality {
    int64_t nodes;          /* that were looked at */
    int64_t neighbours;     /* k */
    double kept;            /* share of the k nearest vectors that are among the k nearest points */
    double trustworthiness; /* 1: the k nearest points are the k nearest vectors; 0.5: chance
                             * (Venna and Kaski, 2001) */
} cafe_map_quality;

CAFE_API cafe_status cafe_map_measure_sized(cafe_context *context, int64_t n, int64_t columns,
                                            const float *vectors, const float *xy,
                                            int64_t neighbours, int64_t nodes,
                                            cafe_map_quality *quality, size_t size);
static inline cafe_status cafe_map_measure(cafe_context *context, int64_t n, int64_t columns,
                                           const float *vectors, const float *xy,
                                           int64_t neighbours, int64_t nodes,
                                           cafe_map_quality *quality) {
    return cafe_map_measure_sized(context, n, columns, vectors, xy, neighbours, nodes, quality,
                                  sizeof *quality);
}

#ifdef __cplusplus
}
#endif
#endif
