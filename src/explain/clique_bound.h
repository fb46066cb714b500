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

#include "operator/operator.h"

typedef struct cafe_clique_bound {
    double bound;  /* with the rounding of all sums in it */
    int64_t rows;  /* inequalities with a multiplier above 0 */
    double step;   /* modularities of partitions are multiples of this; 0: not known */
    int64_t cases; /* that the partitions were divided into; 1: none */
} cafe_clique_bound;

enum {
    CAFE_CLIQUE_LEAVES = 4,      /* of an inequality, at most */
    CAFE_CLIQUE_ARCS = 10000000, /* of a graph: its pairs take 500 MB */
    CAFE_CLIQUE_NODES = 2048 /* of a sum in which nodes without an edge may attract each other */
};

/* A line of a proof. It is an inequality by its centre, its leaves (-1: none) and its multiplier in
 * units of q. Or it is a pair, node[0] and node[1], that all partitions of the case have together
 * or apart. */
typedef struct cafe_clique_multiplier {
    int64_t number; /* of the case, from 0 */
    int32_t node[1 + CAFE_CLIQUE_LEAVES];
    int32_t forced; /* 1: together, -1: apart, 0: an inequality */
    double multiplier;
} cafe_clique_multiplier;

/* Inequalities with a multiplier above 0, case by case, forced pairs first; begins zeroed but for
 * the context. */
typedef struct cafe_clique_multipliers {
    cafe_context *context;
    cafe_clique_multiplier *at;
    int64_t count, room;
} cafe_clique_multipliers;

void cafe_clique_multipliers_free(cafe_clique_multipliers *rows);

/* Of a graph or a sum with up to CAFE_CLIQUE_ARCS arcs. work: about seconds of one processor.
 * The search ends early when the bound says that no partition is better than `known`. One thread
 * works; the result depends on nothing but the graph, `work` and `known`. The parts of
 * one graph have sqrt(r) p in place of p at resolution r, those of a sum are as they are. rows:
 * NULL, or gets the multipliers. */
cafe_status cafe_clique_bound_find(cafe_context *context, const cafe_operator_parts *parts,
                                   double resolution, double work, double known,
                                   cafe_clique_multipliers *rows, cafe_clique_bound *found);

#endif
