/* Sums by key in a small open hash table, for the edges of a node to each community.
 *
 * The size of a table follows from the number of keys that may occur, not from their range. So it
 * mostly stays in the nearest cache, and each thread can have one. If many keys may occur, the
 * table has the whole range and needs no hash.
 */
#ifndef CAFE_GRAPH_HASH_SUMS_H
#define CAFE_GRAPH_HASH_SUMS_H

#include "base/context.h"

typedef struct cafe_bin {
    double sum;
    int32_t key;
    int32_t used; /* -1, or 0: empty, and the sum is 0 */
} cafe_bin;

/* On its own cache lines: every worker writes its own all the time. */
typedef struct cafe_bins {
    _Alignas(64) cafe_bin *bin;
    int32_t *met;  /* places in the order in which their keys were first met; one more than keys */
    int64_t count; /* of keys met */
    int64_t range; /* keys are 0 .. range-1 */
    int64_t cleared; /* places that have been made empty so far */
    uint32_t factor; /* of the hash, */
    int shift;       /* which is its upper bits */
} cafe_bins;

/* One for each of `workers`, for `most` different keys in 0 .. range-1; NULL when memory is out. */
cafe_bins *cafe_bins_new(cafe_context *context, int32_t workers, int64_t most, int64_t range);
void cafe_bins_free(cafe_context *context, cafe_bins *bins, int32_t workers);

/* Sets the size of the table for a row of `most` entries, at most the number given at creation. */
void cafe_bins_open(cafe_bins *bins, int64_t most);

/* Returns the place of the key, or the empty place for it. Processors mispredict half of the
 * branches "has this key occurred?", so there is no such branch: the only branch is for collisions,
 * which are few. */
static inline uint32_t cafe_bins_place(const cafe_bins *b, int32_t key) {
    uint32_t last = UINT32_MAX >> b->shift, at = (uint32_t)key * b->factor >> b->shift;
    while ((b->bin[at].key ^ key) & b->bin[at].used) at = (at + 1) & last;
    return at;
}

static inline void cafe_bins_add(cafe_bins *b, int32_t key, double weight) {
    uint32_t at = cafe_bins_place(b, key);
    b->met[b->count] = (int32_t)at;
    b->count += 1 + b->bin[at].used;
    b->bin[at] = (cafe_bin){b->bin[at].sum + weight, key, -1};
}

static inline double cafe_bins_sum(const cafe_bins *b, int32_t key) {
    return b->bin[cafe_bins_place(b, key)].sum;
}

/* The i-th key met. */
static inline cafe_bin cafe_bins_at(const cafe_bins *b, int64_t i) {
    return b->bin[b->met[i]];
}

static inline void cafe_bins_clear(cafe_bins *b) {
    for (int64_t i = 0; i < b->count; i++) b->bin[b->met[i]] = (cafe_bin){0, 0, 0};
    b->count = 0;
}

#endif
