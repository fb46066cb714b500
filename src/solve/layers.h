/* The steps of the multi-layer method, for its driver layers.c.
 *
 * A level is a pooled graph with a partition of its nodes. The attachment of u to community S is
 *
 *     z_u(S) = sum over w in S, w != u, of (p(u,w) - resolution p_u p_w),
 *
 * and moving u from S to S' changes the modularity by 2 (z_u(S') - z_u(S)). All steps compute total
 * * z, because weights are total * p(u,w).
 */
#ifndef CAFE_SOLVE_LAYERS_H
#define CAFE_SOLVE_LAYERS_H

#include <cafe/cluster.h>

#include "base/context.h"
#include "graph/hash_sums.h"
#include "graph/pooling.h"

/* The masses of communities under a null model of factors (layers_factors.c), as integers: their
 * sums have no order either. */
typedef struct cafe_factor_sums {
    int64_t *mass; /* n x width, sum over u in S of f_u in units of 1 / scale; NULL: no factors */
    double scale;  /* a power of 2 */
    double *pull;  /* of each worker: a row */
} cafe_factor_sums;

/* ---- local moving: layers_move.c, layers_chunk.c --------------------------------------------- */

/* The state that moves change. Communities are numbered 0 .. n-1; some are empty.
 *
 * Masses are integers, p_u in units of 2^-62. Sums of integers do not depend on their order, so
 * threads may change them at once and still leave the same bits.
 */
typedef struct cafe_moves {
    const cafe_pooled *g;
    double resolution;
    int32_t *part;         /* community of each node */
    int64_t *mass;         /* p(S) */
    cafe_factor_sums sums; /* of a null model of factors */
    int32_t *size;         /* nodes of S */
    int32_t *empty;        /* stack of communities that became empty; some may have nodes again */
    int64_t empties;
    cafe_bins *bins;            /* one a worker */
    bool fresh;                 /* every node began alone */
    uint64_t turn;              /* 0: nodes are visited in their order, else in a random one */
    _Alignas(64) int64_t moved; /* moves made so far; threads write it while they read the others */
} cafe_moves;

/* The best move of a node. */
typedef struct cafe_move {
    int32_t to;  /* a community; -1: to be alone; its own: stay */
    double gain; /* total * (z_new - z_old); 0 when it stays */
} cafe_move;

static const double cafe_mass_unit = 0x1p-62;

/* p_u as an integer */
static inline int64_t cafe_moves_mass(const cafe_moves *moves, int64_t u) {
    return (int64_t)(moves->g->mass[u] * 0x1p62);
}

cafe_move cafe_moves_best(const cafe_moves *moves, cafe_bins *bins, int64_t u);
/* Makes the move in part, mass and size; `to` may be -1. One thread only. */
void cafe_moves_make(cafe_moves *moves, int64_t u, int32_t to);

/* Visits every node, then again the neighbours of moved nodes, and moves each to the community of
 * the largest gain. The start and the result are in part[n], in 0 .. n-1. With 0 chunks the size of
 * the level decides; n chunks move one node at a time. The random order is that of `turn`, 0 for
 * the order of nodes. */
cafe_status cafe_layers_move(cafe_context *context, const cafe_pooled *g, double resolution,
                             int64_t chunks, uint64_t turn, int32_t *part);

/* Puts node[n] in a random order that depends on seed, turn and place alone. */
void cafe_layers_shuffle(uint64_t seed, uint64_t turn, int64_t place, int64_t n, int32_t *node);

/* The same, with the nodes u mod chunks = c moving at once. */
cafe_status cafe_layers_move_chunks(cafe_context *context, cafe_moves *moves, int64_t chunks);

/* ---- graphs without small structure: layers_anneal.c ----------------------------------------- */

/* Have the nodes much the same degree? */
bool cafe_layers_are_even(const cafe_pooled *g);
/* About the modularity that communities of a random graph of these degrees may have. */
double cafe_layers_random_level(const cafe_pooled *g);
/* Are these communities of single nodes trees? */
bool cafe_layers_are_trees(const cafe_pooled *g, int64_t communities, double modularity);
/* part[n] <- one of `labels` labels, up to 256, for each node, drawn until communities stop
 * growing. turn: of the random numbers. */
cafe_status cafe_layers_anneal(cafe_context *context, const cafe_pooled *g, double resolution,
                               uint64_t turn, int64_t labels, int32_t *part);

/* ---- refinement: layers_refine.c ------------------------------------------------------------- */

/* Splits the communities part[n] (0 .. count-1) into connected, well connected ones, refined[n]
 * (values 0 .. n-1). `turn` gives each call its own random orders; twice: small parts join once
 * more. */
cafe_status cafe_layers_refine(cafe_context *context, const cafe_pooled *g, double resolution,
                               const int32_t *part, int64_t count, uint64_t turn, bool twice,
                               int32_t *refined);

/* ---- the result: layers_result.c ------------------------------------------------------------- */

/* sum over S of (p(S,S) - resolution p(S)^2) for part[g->n] in 0 .. count-1; part NULL: every node
 * is a community. */
cafe_status cafe_layers_modularity(cafe_context *context, const cafe_pooled *g, double resolution,
                                   const int32_t *part, int64_t count, double *modularity);

enum { CAFE_MOST_LAYERS = 64 };

struct cafe_layers {
    cafe_context *context;
    int64_t nodes, count;
    cafe_layer at[CAFE_MOST_LAYERS]; /* their arrays are its own */
};

cafe_layers *cafe_layers_new(cafe_context *context, int64_t nodes);
/* Adds the layer whose partition is coarser than the last one's by group[communities of it]
 * (for the first layer group[nodes]); there are fewer than CAFE_MOST_LAYERS. */
cafe_status cafe_layers_add(cafe_context *context, cafe_layers *layers, const int32_t *group,
                            int64_t communities, double modularity);
/* Turns layers of places (NULL: of nodes) into layers of the nodes at these places; the communities
 * of each layer are numbered by size, the largest 0. */
cafe_status cafe_layers_restore(cafe_context *context, cafe_layers *layers, const int32_t *place);
/* Splits communities of part[g->n], numbered 0 .. count-1, that are not connected in g. g may be
 * any level, because its nodes are refined parts, which are connected. */
cafe_status cafe_layers_connect(cafe_context *context, const cafe_pooled *g, int32_t *part,
                                int64_t *count);

#endif
