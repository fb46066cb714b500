/* The inside of a graph: compressed rows, names, counts, and the owner of the memory.
 *
 * Only files that read the rows include this header. Others use the functions of cafe/graph.h and
 * of graph/node_names.h, so that a change of the struct recompiles few of them.
 */
#ifndef CAFE_GRAPH_GRAPH_H
#define CAFE_GRAPH_GRAPH_H

#include <cafe/graph.h>

#include "base/file_stamp.h"
#include "base/memory_limit.h"
#include "base/processes.h"
#include "graph/node_names.h"
#include "graph/row_checks.h"

struct cafe_graph {
    cafe_context *context; /* whose memory it is */
    int64_t n;             /* nodes; below 2^31 */
    int64_t arcs;          /* entries of the rows: two per edge, one per loop */
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights; /* as given; NULL: all 1 */
    const float *scaled;  /* weights times 2^-exponent (graph/weight_scale.h), for computations */
    float *scaled_copy;   /* NULL: they are the weights themselves, or all 1 */
    const int32_t *order; /* graph/node_order.h; NULL: none */
    int32_t exponent;
    int32_t top;          /* 2^top <= the largest scaled weight < 2^(top + 1) */
    cafe_portion portion; /* rows that this process handles while the graph is read or sampled */
    cafe_names names;
    cafe_graph_counts counts;
    cafe_graph_reading reading; /* its texts are memory of the graph */
    cafe_graph_options tables;  /* cafe_graph_tables(); its texts are memory of the graph */
    cafe_graph *negative; /* the sizes of the negative weights, of the same nodes; NULL: none */
    double *surplus;      /* of directed edges (o_u - i_u) / 2, o and i the shares that leave and
                           * reach u, a loop half of each; NULL: no directions are known */
    struct cafe_rows *digraph; /* the directed edges of a small graph; NULL: not known */
    int64_t layer_count;       /* graph/joined.h; 0: it is one graph */
    struct cafe_graph_layer *layers;
    cafe_graph **layer_graphs; /* of the same nodes; of slices NULL each */
    int32_t *slice;            /* of each node; NULL: no slices */
    bool common;               /* mapped by all processes of a team, each of which handles a part */
    bool owns_rows;            /* offsets, targets, weights are the context's memory */
    bool owns_names;           /* the name arrays are the context's memory */
    bool owns_order;           /* the order is the context's memory */
    bool borrowed;             /* the rows are the caller's arrays, */
    cafe_seal seal;            /* the seal of borrowed rows */
    cafe_mapped map;           /* a .cafe file that several processes map; start NULL: none */
    bool open;                 /* the mapped file: its descriptor, its stamp at opening, its name */
    int file;
    cafe_stamp stamp;
    char *file_name;
    void *block;  /* the context's memory that holds a .cafe file that is not mapped, or NULL */
    bool exposed; /* others may write this file, so several processes do not map it */
    _Atomic(int64_t *) index; /* name look-up, built on first use: src/graph/name_index.c, */
    _Atomic(int64_t *) *lazy; /* and its address: a const graph may build it, too */
};

#endif
