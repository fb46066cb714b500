/* Skip-gram training: rows h_u of centres and c_v of contexts, by gradient descent over pairs. */
#ifndef CAFE_BASELINE_SKIPGRAM_H
#define CAFE_BASELINE_SKIPGRAM_H

#include "baseline/baseline.h"
#include "baseline/pair_batches.h"
#include "baseline/skipgram_kernel.h"
#include "graph/compressed_rows.h"

/* ---- noise ----------------------------------------------------------------------------------- */

/* Contexts drawn by degree^0.75, within a block of nodes or from all. */
typedef struct cafe_noise {
    int64_t blocks;
    int64_t *offsets; /* blocks + 1 */
    int32_t *nodes;   /* block by block */
    double *mass;     /* of each block; sums to 1 (to 0 without edges) */
    cafe_alias alias;
} cafe_noise;

cafe_status cafe_noise_new(cafe_context *context, const cafe_graph *graph, int64_t blocks,
                           double power, cafe_noise *noise);
void cafe_noise_free(cafe_context *context, cafe_noise *noise);

static inline int32_t cafe_noise_in(const cafe_noise *noise, int64_t block, cafe_draws *draws) {
    return cafe_alias_pick(&noise->alias, noise->nodes, noise->offsets[block],
                           noise->offsets[block + 1], cafe_draw(draws));
}
int32_t cafe_noise_draw(const cafe_noise *noise, cafe_draws *draws);

/* ---- the tree of the hierarchical softmax ---------------------------------------------------- */

/* Nodes are the leaves. The decisions on the way to leaf v: first `top[block of v]` to its block,
 * then its own within the block. A decision is 2 * row + bit, with bit 1 for the right-hand branch.
 * The rows of the upper decisions are the last blocks - 1 of the nodes - 1. */
typedef struct cafe_path {
    int64_t *offsets;   /* leaves + 1 */
    int32_t *decisions; /* from the root on */
} cafe_path;

typedef struct cafe_tree {
    int64_t rows, first_top; /* rows of decisions; the first of the upper ones */
    cafe_path inner;         /* by node */
    cafe_path top;           /* by block */
} cafe_tree;

cafe_status cafe_tree_new(cafe_context *context, const cafe_graph *graph, int64_t blocks,
                          cafe_tree *tree);
void cafe_tree_free(cafe_context *context, cafe_tree *tree);

/* ---- training -------------------------------------------------------------------------------- */

typedef struct cafe_skipgram_plan {
    int64_t columns;
    int32_t loss; /* cafe_pair_loss */
    int64_t negative;
    int64_t passes; /* over the source's units */
    double rate;
    int shared; /* 1: contexts are the rows of the centres themselves (LINE of first order) */
    int fast;
} cafe_skipgram_plan;

/* Blocks of the grid for n nodes: a number of the graph, never of the threads. */
int64_t cafe_skipgram_blocks(int64_t n);

/* Trains on all passes of the source; the solution has plan->passes sweeps. `salt` keeps the
 * random numbers of several trainings apart. */
cafe_status cafe_skipgram_train(cafe_context *context, const cafe_graph *graph,
                                const cafe_pair_source *source, const cafe_skipgram_plan *plan,
                                uint64_t salt, cafe_solution **solution);

/* What the parts of a training share. */
typedef struct cafe_skipgram {
    const cafe_skipgram_plan *plan;
    const cafe_pair_source *source;
    const cafe_skip_kernels *kernels;
    uint64_t seed;
    int64_t n, stride, blocks, slices;
    float *h, *c;     /* c: n rows, of the tree's decisions n - 1; h itself when shared */
    float *move;      /* per worker: a row */
    float *top;       /* per block: a copy of the tree's upper rows */
    cafe_noise noise; /* unless hierarchical */
    cafe_tree tree;   /* if so */
    cafe_sigma sigma;
    cafe_grid grid;
    int64_t batch, batches; /* the one in work, of so many */
    int64_t round;
} cafe_skipgram;

/* The mean loss of a pair over a fixed sample of the source's units. */
cafe_status cafe_skipgram_loss(cafe_context *context, const cafe_skipgram *s, double *loss);

#endif
