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

/* theta_u = theta / p_u, or theta_u = theta n for all nodes (1/n is the mean of p): both mean the
 * same on every graph; the second lets nodes of high degree decide harder. */
typedef enum cafe_theta_units {
    CAFE_THETA_GRAPH = 0,
    CAFE_THETA_NODE = 1,
    CAFE_THETA_AUTO = 2 /* node where the sampled graph has 20 links a node or more, else graph */
} cafe_theta_units;

typedef enum cafe_softmax_start {
    CAFE_START_RANDOM = 0,
    CAFE_START_LAYERS = 1, /* at the communities of the layers */
    CAFE_START_SPHERE = 2, /* at the squares of a sphere solution */
    CAFE_START_AUTO = 3    /* sparse rows without labels: at the layers; others: at random */
} cafe_softmax_start;

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
    double resolution; /* weighs the expected part: q(u,w) = p(u,w) - resolution p_u p_w */
    int32_t start;     /* cafe_softmax_start: of the clustering method, when no rows are given */
    int32_t rows;      /* cafe_softmax_rows: likewise */
    int64_t support;   /* sparse rows: columns a node holds at most */
    double threshold;  /* sparse rows: smaller probabilities are dropped when they shrink */
    int32_t storage;   /* cafe_storage of dense rows while they are swept */
} cafe_softmax_options;

CAFE_OPTIONS(softmax)
/* The same without the last four, of which cafe_softmax() knows nothing. */
CAFE_API const cafe_option_table *cafe_cafe_option_table(void);

/* The solution's H has probability vectors as rows; its objective is the sum over u != w of
 * q(u,w) <h_u, h_w>, which never falls.
 *
 * start: NULL for random rows (uniform on the simplex, from the context's seed), or n x columns
 * row-major non-negative numbers (a row is scaled to sum 1, a zero row is drawn at random).
 * labels: NULL, or labels[n] in -1 .. columns-1; a labelled node's row is fixed to its label, and
 * without a start an unlabelled one begins with equal parts of all columns. When every node with an
 * edge is labelled there is nothing to iterate. */
CAFE_API cafe_status cafe_softmax(cafe_context *context, const cafe_operator *op,
                                  const cafe_softmax_options *options, const float *start,
                                  const int32_t *labels, cafe_solution **solution);

/* The hard partition of a softmax solution: part[n] gets each node's most probable column,
 * renumbered 0 .. count-1 by first appearance. */
CAFE_API cafe_status cafe_solution_partition(cafe_context *context, const cafe_solution *solution,
                                             int32_t *part, int64_t *count);

/* ---- softmax with sparse rows ---------------------------------------------------------------- */

/* Memberships n x K in compressed rows: each node's probabilities above a threshold. */
typedef struct cafe_memberships cafe_memberships;

/* The same iteration from a partition: part[n] in 0 .. columns-1 (NULL: drawn at random). A node
 * begins with its own column and those of its neighbours, by weight; since a probability of 0 stays
 * 0, no other column matters to it. Memory O(n * support + columns), so thousands of columns on
 * millions of nodes fit. labels as for cafe_softmax. */
CAFE_API cafe_status cafe_softmax_sparse(cafe_context *context, const cafe_operator *op,
                                         const cafe_softmax_options *options, const int32_t *part,
                                         const int32_t *labels, cafe_memberships **memberships);
CAFE_API void cafe_memberships_free(cafe_memberships *memberships);
CAFE_API void cafe_memberships_csr(const cafe_memberships *memberships, const int64_t **offsets,
                                   const int32_t **columns, const float **values);
CAFE_API int64_t cafe_memberships_columns(const cafe_memberships *memberships);
CAFE_API int64_t cafe_memberships_sweeps(const cafe_memberships *memberships);
/* sweeps + 1 values of the objective of cafe_softmax, computed again from all rows after each. */
CAFE_API const double *cafe_memberships_objective(const cafe_memberships *memberships);
CAFE_API int32_t cafe_memberships_converged(const cafe_memberships *memberships);
/* The hard partition, as cafe_solution_partition gives it. */
CAFE_API cafe_status cafe_memberships_partition(cafe_context *context,
                                                const cafe_memberships *memberships, int32_t *part,
                                                int64_t *count);

/* ---- layers ---------------------------------------------------------------------------------- */

typedef struct cafe_layers_options {
    size_t struct_size;
    double resolution; /* weighs the expected part: q(u,w) = p(u,w) - resolution p_u p_w */
    int32_t refine;    /* 1: communities are connected, as in Leiden; 0: the paper's form */
    int64_t rounds;    /* times a hierarchy is built, at most; 0: chosen by size */
    int64_t chunks;    /* as for sphere */
    int64_t columns;   /* of the layers as vectors, at most */
} cafe_layers_options;

CAFE_OPTIONS(layers)
/* The same with the columns, which cafe_layers_find() does not need. */
CAFE_API const cafe_option_table *cafe_layers_vectors_option_table(void);

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

/* The layers side by side as one H for cafe_finish, coarsest first, `columns` in all at most: a
 * layer whose communities fit into the columns left has one column each; a finer one is mixed down
 * into those left, every community by a random vector of signs (from the context's seed). */
CAFE_API cafe_status cafe_layers_solution(cafe_context *context, const cafe_operator *op,
                                          const cafe_layers *layers, int64_t columns,
                                          cafe_solution **solution);

#ifdef __cplusplus
}
#endif
#endif
