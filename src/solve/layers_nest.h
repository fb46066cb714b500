/* A community taken out of its graph: what refinement works on. */
#ifndef CAFE_SOLVE_LAYERS_NEST_H
#define CAFE_SOLVE_LAYERS_NEST_H

#include "base/context.h"
#include "graph/hash_sums.h"
#include "graph/pooling.h"

/* Nodes 0 .. n-1 and the edges among them; rows are symmetric. */
typedef struct cafe_nest {
    _Alignas(64) int64_t n; /* workers do not share lines of theirs */
    int64_t *offsets;       /* n+1 */
    int32_t *targets;
    double *weights;
    double *mass;      /* p_v, or p(R) of a part R that has this node's number */
    double *f;         /* the same of factors, and their sum over S in one more row; NULL: none */
    cafe_factors null; /* which factors they are */
    double *cut;       /* total p(R, S - R), S the community */
    int32_t *part; /* of each node: the number of one of the part's nodes, later that of the part */
    int32_t *order; /* of the visits */
    int32_t *number;
    uint8_t *alone;
    int64_t node_room, arc_room;
} cafe_nest;

void cafe_nest_free(cafe_context *context, cafe_nest *nest);

/* The nodes member[n] of g, which have the places first .. first+n-1, and up to `arcs` arcs. */
cafe_status cafe_nest_take(cafe_context *context, const cafe_pooled *g, const int32_t *member,
                           int64_t n, const int32_t *place, int64_t first, int64_t arcs,
                           cafe_nest *nest);

/* Every node alone at first; visited in the given order, those who are alone still join the part
 * they gain most with. pull: resolution * total. */
void cafe_nest_join(cafe_nest *nest, double pull, cafe_bins *bins);

/* Numbers the parts by first appearance: part[n] in 0 .. count-1. */
int64_t cafe_nest_number(cafe_nest *nest);

/* The parts, numbered, become the nodes of another nest. */
cafe_status cafe_nest_pool(cafe_context *context, cafe_nest *nest, int64_t parts, cafe_bins *bins,
                           cafe_nest *coarse);

#endif
