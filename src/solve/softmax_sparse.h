/* The state of softmax clustering with sparse rows. */
#ifndef CAFE_SOLVE_SOFTMAX_SPARSE_H
#define CAFE_SOLVE_SOFTMAX_SPARSE_H

#include <cafe/cluster.h>

#include "graph/array_sums.h"
#include "operator/chunks.h"

enum { CAFE_MOST_SUPPORT = 128 };

typedef struct cafe_sparse {
    const cafe_operator *op;
    const cafe_chunks *chunks;
    const int32_t *labels;
    int64_t n, columns;
    int64_t support, stride; /* entries a node has room for; padded for the kernels */
    double theta, threshold, resolution;
    bool graph_units;
    int32_t *column; /* n x support */
    float *value;
    int32_t *count;     /* of each node */
    double *s;          /* sum of p_w h_w: columns entries */
    uint16_t *marks;    /* columns entries a worker, all 0 between nodes */
    cafe_tally *others; /* of a worker: columns of neighbours that the node does not hold */
    double *partial;
    int64_t chunk;       /* the one at work, and its new rows */
    int32_t *new_column; /* largest chunk x support */
    float *new_value;
    int32_t *new_count; /* 0: the row stays */
} cafe_sparse;

typedef struct cafe_course {
    double *objective; /* sweeps + 1 */
    int64_t sweeps;
    int32_t converged;
} cafe_course;

/* Does theta count in units of n? Else of 1/p_u. */
bool cafe_softmax_graph_units(const cafe_operator *op, const cafe_softmax_options *o);

cafe_status cafe_sparse_start(cafe_context *context, cafe_sparse *x, const int32_t *part);
cafe_status cafe_sparse_iterate(cafe_context *context, cafe_sparse *x, int64_t sweeps,
                                double tolerance, cafe_course *course);

#endif
