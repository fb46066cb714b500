/* Sets of nodes and the distribution P: p(S), p(S,S') and figures that follow from them.
 *
 * All threads sum over neighbours of nodes; a set adds its nodes in their order. So all figures of
 * a set have the same bits in every command and for any number of threads.
 */
#ifndef CAFE_SAMPLE_SET_MASSES_H
#define CAFE_SAMPLE_SET_MASSES_H

#include "base/context.h"
#include "graph/edge_weight.h"

/* The rows of P: p(u,w) = CAFE_LINK / total on the arcs, p[u] their sums. */
typedef struct cafe_joint {
    int64_t n;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights; /* NULL: all 1 */
    const float *factor;  /* of the nodes; NULL: none */
    double total;
    const double *p;
} cafe_joint;

/* For any struct with these fields: a sampled graph, the parts of an operator. */
#define CAFE_JOINT(of)                                                                             \
    ((cafe_joint){(of)->n, (of)->offsets, (of)->targets, (of)->weights, (of)->factor, (of)->total, \
                  (of)->p})

typedef struct cafe_set_sums {
    int64_t nodes;
    double mass, inside; /* p(S), p(S,S) */
} cafe_set_sums;

/* p(u,S): S are the nodes with part[w] == set. */
CAFE_LAB double cafe_joint_node(const cafe_joint *joint, const int32_t *part, int32_t set,
                                int64_t u);

/* Of each of the sets part[u] = 0 .. parts-1 (negative: in none). inside (NULL: not wanted) gets
 * p(u, S(u)) of each node, 0 for one in no set. */
CAFE_LAB cafe_status cafe_partition_sums(cafe_context *context, const cafe_joint *joint,
                                         const int32_t *part, int64_t parts, cafe_set_sums *sums,
                                         double *inside);

/* pairs[parts * parts] gets p(S,S'), mass[parts] p(S). */
CAFE_LAB cafe_status cafe_partition_pairs(cafe_context *context, const cafe_joint *joint,
                                          const int32_t *part, int64_t parts, double *pairs,
                                          double *mass);

/* Takes sets apart that the arcs do not connect: part[u] becomes the number of u's piece, by first
 * appearance, *parts their number. Every node is in a set. */
cafe_status cafe_partition_connect(cafe_context *context, const cafe_joint *joint, int32_t *part,
                                   int64_t *parts);

/* q(S,S) = p(S,S) - p(S)^2: the sum of them is the modularity of a partition. */
static inline double cafe_set_strength(cafe_set_sums s) {
    return s.inside - s.mass * s.mass;
}

/* The smaller of p(S) and 1 - p(S); 0 for a set without edges, or with all of them up to rounding.
 */
static inline double cafe_set_smaller(cafe_set_sums s) {
    double smaller = s.mass < 1 - s.mass ? s.mass : 1 - s.mass;
    return smaller > 1e-12 ? smaller : 0;
}

/* (p(S) - p(S,S)) / min(p(S), 1 - p(S)); rounding must not give a negative number. */
static inline double cafe_set_conductance(cafe_set_sums s) {
    double smaller = cafe_set_smaller(s), cut = s.mass > s.inside ? s.mass - s.inside : 0;
    return smaller > 0 ? cut / smaller : 0;
}

#endif
