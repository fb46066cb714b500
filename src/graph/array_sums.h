/* Sums by key in an array with an entry for each key, for the edges of a node to many groups. If
 * few keys occur and their range is large, hash_sums.h works in the cache. */
#ifndef CAFE_GRAPH_ARRAY_SUMS_H
#define CAFE_GRAPH_ARRAY_SUMS_H

#include "base/context.h"

/* The sums and the keys that occurred; on its own cache line, because every worker writes its own
 * all the time. */
typedef struct cafe_tally {
    _Alignas(64) double *sum; /* of every key; 0 unless met */
    int32_t *keys; /* met, in the order of their first appearance; one place more than keys */
    int64_t count;
} cafe_tally;

/* One tally for each of `workers`, with keys 0 .. keys-1; NULL when memory is out. */
cafe_tally *cafe_tallies_new(cafe_context *context, int32_t workers, int64_t keys);
void cafe_tallies_free(cafe_context *context, cafe_tally *tallies, int32_t workers);

/* Weights are positive, so a key whose sum is 0 has not been met. No branch: whether it has been is
 * a guess that processors get wrong half of the time. */
static inline void cafe_tally_add(cafe_tally *t, int32_t key, double weight) {
    double sum = t->sum[key];
    t->keys[t->count] = key;
    t->count += sum == 0;
    t->sum[key] = sum + weight;
}

static inline void cafe_tally_clear(cafe_tally *t) {
    for (int64_t i = 0; i < t->count; i++) t->sum[t->keys[i]] = 0;
    t->count = 0;
}

#endif
