/* A set of numbers 0 .. size-1 as bits, filled by many threads, with the rank of each member. */
#ifndef CAFE_IO_BIT_SET_H
#define CAFE_IO_BIT_SET_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/context.h"

typedef struct cafe_bits {
    cafe_context *context;
    int64_t words;
    _Atomic(uint64_t) *bits;
    int32_t *before; /* members below each word, after cafe_bits_rank_all() */
    int64_t members;
} cafe_bits;

cafe_status cafe_bits_create(cafe_context *context, int64_t size, cafe_bits *set);
void cafe_bits_free(cafe_bits *set);

/* Counts the members and makes their ranks ready. */
cafe_status cafe_bits_rank_all(cafe_bits *set);

/* list[rank] = member for all of them. */
cafe_status cafe_bits_list(const cafe_bits *set, int64_t *list);

static inline int32_t cafe_popcount(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (int32_t)(x * 0x0101010101010101u >> 56);
}

/* Most members are set many times over: the look before the write keeps the cache line shared. */
static inline void cafe_bits_add(cafe_bits *set, int64_t i) {
    uint64_t bit = (uint64_t)1 << (i & 63);
    _Atomic(uint64_t) *word = &set->bits[i >> 6];
    if (!(atomic_load_explicit(word, memory_order_relaxed) & bit))
        atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

/* How many members are below i. */
static inline int32_t cafe_bits_rank(const cafe_bits *set, int64_t i) {
    uint64_t word = atomic_load_explicit(&set->bits[i >> 6], memory_order_relaxed);
    return set->before[i >> 6] + cafe_popcount(word & (((uint64_t)1 << (i & 63)) - 1));
}

#endif
