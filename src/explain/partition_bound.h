/* How far a partition is from the best one, at any resolution, without eigenvalues.
 *
 * The modularity at resolution r is that of Q with sqrt(r) p in place of p, so the bounds by pairs
 * and by inequalities hold as they are. Those of eigenvalues need that p sums to 1. The
 * inequalities hold for any symmetric matrix, so also for sums and other null models.
 */
#ifndef CAFE_EXPLAIN_PARTITION_BOUND_H
#define CAFE_EXPLAIN_PARTITION_BOUND_H

#include "explain/clique_bound.h"

typedef struct cafe_partition_bound {
    double pairs;        /* sum over u of q(u,u), and of q(u,w) where positive */
    double inequalities; /* or the optimum of up to 16 nodes; HUGE_VAL: not computed */
    int64_t rows;        /* inequalities with a multiplier */
    int32_t proved;      /* 1: no partition is better than the known one */
    double bound;        /* the smaller one */
} cafe_partition_bound;

/* known: the modularity of a partition, or -HUGE_VAL.
 *
 * work: seconds of one processor, about, for the inequalities; 0: without them.
 *
 * rows: NULL, or gets their multipliers, then also of graphs of up to 16 nodes. The operator has
 * rows. The result depends on nothing else. */
CAFE_LAB cafe_status cafe_partition_bound_find(cafe_context *context, const cafe_operator *op,
                                               double resolution, double known, double work,
                                               cafe_clique_multipliers *rows,
                                               cafe_partition_bound *found);

/* What double precision may lose, and single precision of the entries. */
double cafe_bound_rounding(const cafe_operator *op);

#endif
