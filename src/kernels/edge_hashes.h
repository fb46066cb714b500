/* Keyed hashes of edges, added up: by which rows are found symmetric (graph/row_checks.h). */
#ifndef CAFE_KERNELS_EDGE_HASHES_H
#define CAFE_KERNELS_EDGE_HASHES_H

#include <stdint.h>
#include <string.h>

/* Returns the finaliser of SplitMix64, with a key at either step, of (low, high) and the hash of
 * the weight. */
static inline uint64_t cafe_hash_link(const uint64_t key[2], uint64_t low, uint64_t high,
                                      uint64_t bits) {
    uint64_t x = ((low << 32 | high) ^ key[0]) + bits;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u + key[1];
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The weight as a summand: bits that differ high up differ low down too. */
static inline uint64_t cafe_hash_weight(float weight) {
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    uint64_t spread = bits * 0x9E3779B97F4A7C15u;
    return spread ^ spread >> 32;
}

/* The sum modulo 2^64 over the entries w of row u of the hash of (w, u) if w < u, otherwise of (u,
 * w). weights NULL: weights do not enter. */
typedef uint64_t cafe_hash_links(const uint64_t key[2], int64_t u, int below,
                                 const int32_t *targets, const float *weights, int64_t count);

#endif
