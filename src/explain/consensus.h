/* Several partitions of the same nodes: the one that they agree on, and how firmly nodes and
 * communities of one of them hold together in the others.
 */
#ifndef CAFE_EXPLAIN_CONSENSUS_H
#define CAFE_EXPLAIN_CONSENSUS_H

#include "base/context.h"

/* Partitions of `nodes` nodes: part[t][u] in 0 .. communities[t]-1, none empty. */
typedef struct cafe_partitions {
    int64_t nodes, count;
    int32_t *const *part;
    const int64_t *communities;
} cafe_partitions;

/* The partition C with a large agreement
 *
 *     F(C) = sum over t and S in C of (sum over communities D of t of |S and D|^2) - T/2 |S|^2,
 *
 * T the number of partitions: of two nodes that are together in C it counts twice the partitions in
 * which they are together, less T/2. F(C) is at least that of any of the partitions, and no
 * group of nodes that are together in all of them can raise it by a move. The communities are
 * numbered by size, the largest 0. */
cafe_status cafe_consensus_find(cafe_context *context, const cafe_partitions *all,
                                int32_t *consensus, int64_t *communities);
/* The adjusted Rand index of two partitions with values 0 .. count-1: 1 for the same, 0 on average
 * for unrelated ones. */
cafe_status cafe_partitions_compare(cafe_context *context, int64_t n, const int32_t *a,
                                    int64_t a_count, const int32_t *b, int64_t b_count,
                                    double *similarity);

/* The counterpart of a community S of part[n] in partition t is the community of t with most nodes
 * of S, of equal ones the first: counterpart[t * communities + S]. A node of S stays in t if it is
 * in the counterpart: stay[u] is the share of the partitions in which it does. */
cafe_status cafe_consensus_counterparts(cafe_context *context, const cafe_partitions *all,
                                        const int32_t *part, int64_t communities,
                                        int32_t *counterpart, float *stay);

#endif
