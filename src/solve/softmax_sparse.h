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

/* Memberships n x K in compressed rows: each node's probabilities above a threshold. */
typedef struct cafe_memberships cafe_memberships;

/* cafe_softmax() with sparse rows, from a partition: part[n] in 0 .. columns-1 (NULL: drawn at
 * random). A node begins with its own column and those of its neighbours, by weight; since a
 * probability of 0 stays 0, no other column matters to it. Memory O(n * support + columns), so
 * thousands of columns on millions of nodes fit. labels as for cafe_softmax. */
cafe_status cafe_softmax_sparse(cafe_context *context, const cafe_operator *op,
                                const cafe_softmax_options *options, const int32_t *part,
                                const int32_t *labels, cafe_memberships **memberships);
void cafe_memberships_free(cafe_memberships *memberships);
void cafe_memberships_csr(const cafe_memberships *memberships, const int64_t **offsets,
                          const int32_t **columns, const float **values);
int64_t cafe_memberships_columns(const cafe_memberships *memberships);
int64_t cafe_memberships_sweeps(const cafe_memberships *memberships);

/* sweeps + 1 values of the objective of cafe_softmax, computed again from all rows after each. */
const double *cafe_memberships_objective(const cafe_memberships *memberships);
int32_t cafe_memberships_converged(const cafe_memberships *memberships);

/* The hard partition, as cafe_solution_partition gives it. */
cafe_status cafe_memberships_partition(cafe_context *context, const cafe_memberships *memberships,
                                       int32_t *part, int64_t *count);

#endif
