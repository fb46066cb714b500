/* An upper bound on the modularity of every partition from inequalities that all partitions keep.
 *
 * Let x(u,w) = 1 when u and w are in one community, else 0. The modularity of a partition is
 *
 *     sum over u of q(u,u)  +  2 sum over u < w of q(u,w) x(u,w)
 *
 * and x keeps, for a node s and a set T of others (Groetschel and Wakabayashi 1990),
 *
 *     sum over t in T of x(s,t)  -  sum over t < t' in T of x(t,t')  <=  1
 *
 * with |T| = 2 a triangle, with more a star. For any multipliers lambda >= 0 of such rows A x <= 1,
 *
 *     2 q x  =  (2 q - A^T lambda) x + lambda^T A x  <=  sum of max(2 q - A^T lambda, 0) + sum of
 * lambda
 *
 * since 0 <= x <= 1: every lambda gives a bound, and the file searches for good ones.
 */
#ifndef CAFE_EXPLAIN_CLIQUE_BOUND_H
#define CAFE_EXPLAIN_CLIQUE_BOUND_H

#include "explain/clique_rows.h"
#include "operator/operator.h"

enum { CAFE_CLIQUE_NODES = 4096 }; /* of a graph of so many nodes the pairs take 170 MB */

typedef struct cafe_clique_bound {
    double bound; /* with the rounding of all sums in it */
    int64_t rows; /* inequalities with a multiplier above 0 */
    double step;  /* modularities of partitions are multiples of this; 0: not known */
} cafe_clique_bound;

/* An inequality: its centre, its leaves (-1: none), and its multiplier in units of q. */
typedef struct cafe_clique_multiplier {
    int32_t node[1 + CAFE_CLIQUE_LEAVES];
    double multiplier;
} cafe_clique_multiplier;

/* Those above 0 of the best bound; begins zeroed but for the context. */
typedef struct cafe_clique_multipliers {
    cafe_context *context;
    cafe_clique_multiplier *at;
    int64_t count, room;
} cafe_clique_multipliers;

void cafe_clique_multipliers_free(cafe_clique_multipliers *rows);

/* Of a graph of at most CAFE_CLIQUE_NODES nodes with edges. work: about seconds of one processor.
 * The search ends early when the bound says that no partition is better than `known`. One thread
 * works; the result depends on nothing but the graph, `work` and `known`. The parts have sqrt(r) p
 * in place of p at resolution r. rows: NULL, or gets the multipliers. */
cafe_status cafe_clique_bound_find(cafe_context *context, const cafe_operator_parts *parts,
                                   double resolution, double work, double known,
                                   cafe_clique_multipliers *rows, cafe_clique_bound *found);

#endif
