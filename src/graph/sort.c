/* Sorting a row in place by (key, weight).
 *
 * Short rows by insertion. Longer ones by radix exchange: split at the highest bit in which any two
 * entries differ, then each side at its own. A part of k distinct keys takes at most 64 splits
 * whatever the order, so no input is slow, and rows of any length need no scratch memory. Weights
 * are not negative, so their bits order as they do.
 */
#include <string.h>

#include "graph/build.h"

enum { SHORT = 32 };

typedef struct row {
    uint32_t *keys;
    float *weights; /* or NULL */
} row;

static inline uint32_t bits_of(float weight) {
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    return bits;
}

static inline uint64_t entry(row r, int64_t i) {
    uint64_t high = (uint64_t)r.keys[i] << 32;
    return r.weights ? high | bits_of(r.weights[i]) : high;
}

static inline void put(row r, int64_t i, uint64_t value) {
    r.keys[i] = (uint32_t)(value >> 32);
    if (r.weights) {
        uint32_t bits = (uint32_t)value;
        memcpy(&r.weights[i], &bits, sizeof bits);
    }
}

static inline void insertion(row r, int64_t begin, int64_t end) {
    for (int64_t i = begin + 1; i < end; i++) {
        uint64_t value = entry(r, i);
        int64_t j = i;
        for (; j > begin && entry(r, j - 1) > value; j--) put(r, j, entry(r, j - 1));
        put(r, j, value);
    }
}

/* The bits in which some entry differs from the first. */
static inline uint64_t differences(row r, int64_t begin, int64_t end) {
    uint64_t first = entry(r, begin), different = 0;
    for (int64_t i = begin + 1; i < end; i++) different |= entry(r, i) ^ first;
    return different;
}

/* Entries without the bit first; returns where those with it begin. */
static inline int64_t split(row r, int64_t begin, int64_t end, uint64_t bit) {
    for (;;) {
        while (begin < end && !(entry(r, begin) & bit)) begin++;
        while (begin < end && (entry(r, end - 1) & bit)) end--;
        if (begin >= end) return begin;
        uint64_t value = entry(r, begin);
        put(r, begin, entry(r, end - 1));
        put(r, end - 1, value);
    }
}

/* Each call splits at a lower bit than its caller: at most 64 deep. */
static void exchange(row r, int64_t begin, int64_t end) {
    while (end - begin > SHORT) {
        uint64_t different = differences(r, begin, end);
        if (different == 0) return;
        uint64_t bit = (uint64_t)1 << (63 - __builtin_clzll(different));
        int64_t middle = split(r, begin, end, bit);
        exchange(r, begin, middle);
        begin = middle;
    }
    insertion(r, begin, end);
}

void cafe_sort_row(uint32_t *keys, float *weights, int64_t count) {
    if (count > SHORT)
        exchange((row){keys, weights}, 0, count);
    else if (weights)
        insertion((row){keys, weights}, 0, count);
    else
        insertion((row){keys, NULL}, 0, count);
}
