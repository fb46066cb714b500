/* Training pairs (centre, context), made in batches and sorted into a grid of buckets. */
#ifndef CAFE_BASELINE_PAIR_BATCHES_H
#define CAFE_BASELINE_PAIR_BATCHES_H

#include "baseline/walks.h"

typedef struct cafe_pair {
    int32_t centre, context;
} cafe_pair;

/* Where pairs come from: unit i (a walk, a handful of edges) always yields the same pairs. */
typedef struct cafe_pair_source {
    int64_t units; /* of one pass; pass e has the units e * units and following */
    int64_t most;  /* pairs of a unit at most */
    /* Writes the pairs of a unit and returns their number; `room` has `most` entries. */
    int64_t (*emit)(const void *self, int64_t unit, cafe_pair *room);
    const void *self;
} cafe_pair_source;

/* Pairs of the nodes at most `window` places apart, for each centre within a reach that is drawn
 * uniformly from 1 .. window (draws NULL: always the whole window). Returns their number, which is
 * at most cafe_window_most(). */
int64_t cafe_window_pairs(const int32_t *nodes, int64_t length, int64_t window, cafe_draws *draws,
                          cafe_pair *pairs);
int64_t cafe_window_most(int64_t length, int64_t window);

/* Walks as a source of pairs: `walks` from each node of the graph, each pass of starts in an order
 * of its own. */
typedef struct cafe_walk_pairs {
    const cafe_walker *walker;
    uint64_t seed;
    int64_t walks, length, window;
} cafe_walk_pairs;

cafe_pair_source cafe_walk_source(const cafe_walk_pairs *walks);
enum { CAFE_WALK_LONGEST = 4096 };

/* ---- the grid -------------------------------------------------------------------------------- */

/* Node u is in block u mod B. Bucket i * B + j holds the batch's pairs with the centre in block i
 * and the context in block j, in random order. The buckets of a centre block follow one another. */
typedef struct cafe_grid {
    int64_t blocks;
    uint64_t seed;    /* of the shuffles */
    int64_t units;    /* of a batch at most */
    int64_t capacity; /* pairs of a batch at most */
    cafe_pair *pairs;
    int64_t *start;  /* blocks^2 + 1: where each bucket begins */
    int64_t *tally;  /* for each emitting task and bucket: pairs, then the place of the next */
    cafe_pair *room; /* per worker: the pairs of a unit */
} cafe_grid;

/* Batches of about `pairs` pairs: the memory is 8 bytes for each, however long the training. */
cafe_status cafe_grid_new(cafe_context *context, const cafe_pair_source *source, int64_t blocks,
                          int64_t pairs, cafe_grid *grid);
void cafe_grid_free(cafe_context *context, cafe_grid *grid);

/* Fills the grid with the pairs of units first .. first + count - 1; batch names the shuffle. */
cafe_status cafe_grid_fill(cafe_context *context, const cafe_pair_source *source, int64_t first,
                           int64_t count, int64_t batch, cafe_grid *grid);

#endif
