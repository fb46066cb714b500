/* Communities: softmax clustering (algorithm 1 of the paper) and the multi-layer form with hard
 * assignments (algorithm 3).
 */
#ifndef CAFE_CLUSTER_H
#define CAFE_CLUSTER_H

#include <cafe/embedding.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- softmax clustering ---------------------------------------------------------------------- */

/* theta_u = theta / p_u, or theta_u = theta n for all nodes (1/n is the mean of p). Both mean the
 * same on every graph. With the second, rows of nodes of high degree are nearer to one cluster. */
typedef enum cafe_theta_units {
    CAFE_THETA_GRAPH = 0,
    CAFE_THETA_NODE = 1,
    CAFE_THETA_AUTO = 2 /* node where the sampled graph has 20 edges a node or more, else graph */
} cafe_theta_units;

typedef enum cafe_softmax_initial {
    CAFE_INITIAL_RANDOM = 0,
    CAFE_INITIAL_LAYERS = 1, /* at the communities of the layers */
    CAFE_INITIAL_SPHERE = 2, /* at the squares of a sphere solution */
    CAFE_INITIAL_AUTO = 3    /* sparse rows without labels: at the layers; others: at random */
} cafe_softmax_initial;

typedef enum cafe_softmax_rows {
    CAFE_ROWS_AUTO = 0, /* dense up to 256 columns */
    CAFE_ROWS_DENSE = 1,
    CAFE_ROWS_SPARSE = 2
} cafe_softmax_rows;

typedef struct cafe_softmax_options {
    size_t struct_size;
    int64_t columns;   /* K: clusters to begin with; empty ones are dropped */
    double theta;      /* inverse temperature, in the units of `units` */
    int32_t units;     /* cafe_theta_units */
    int64_t sweeps;    /* at most this many passes over the nodes */
    double tolerance;  /* stop when a sweep gains less than this share of the objective */
    int64_t chunks;    /* as for sphere */
    double resolution; /* weighs the expected part: q(u,w) = p(u,w) - resolution p_u p_w; -1, of
                        * vectors: 5, or 1 with labels or features */
    int32_t initial;   /* cafe_softmax_initial: of the clustering method, when no rows are given */
    int32_t rows;      /* cafe_softmax_rows: likewise */
    int64_t support;   /* sparse rows: columns a node holds at most */
    double threshold;  /* sparse rows: smaller probabilities are dropped when they shrink */
    int32_t storage;   /* cafe_storage of dense rows while they are swept */
} cafe_softmax_options;

CAFE_OPTIONS(softmax)

/* ---- layers ---------------------------------------------------------------------------------- */

typedef struct cafe_layers_options {
    size_t struct_size;
    double resolution;  /* weighs the expected part: q(u,w) = p(u,w) - resolution p_u p_w */
    int32_t refine;     /* 1: communities are connected, as in Leiden; 0: the paper's form */
    const char *effort; /* "fast", "normal", "high" or a number of seconds; NULL: normal */
    int64_t chunks;     /* as for sphere */
    int64_t columns;    /* of the layers as vectors, at most */
    int64_t min_size, max_size; /* nodes of a community; 0: any */
    int64_t communities;        /* their number; 0: any */
} cafe_layers_options;

CAFE_OPTIONS(layers)

typedef struct cafe_layers cafe_layers;

/* One layer, finest first. The arrays belong to the layers. */
typedef struct cafe_layer {
    int64_t communities;
    double modularity;        /* of the partition, at the resolution of the options */
    const int32_t *partition; /* of the graph's nodes: 0 .. communities-1 by first appearance */
    const int32_t *parent; /* of each community: its community in the next layer; NULL at the top */
} cafe_layer;

CAFE_API cafe_status cafe_layers_find(cafe_context *context, const cafe_operator *op,
                                      const cafe_layers_options *options, cafe_layers **layers);
CAFE_API void cafe_layers_free(cafe_layers *layers);
CAFE_API int64_t cafe_layers_count(const cafe_layers *layers);
CAFE_API const cafe_layer *cafe_layers_get(const cafe_layers *layers, int64_t index);

#ifdef __cplusplus
}
#endif
#endif
