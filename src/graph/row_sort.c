/* Sorting a row in place by (key, weight).
 *
 * Short rows by rank: an entry's place is the number of entries before it, which takes count^2
 * comparisons but no branch, and four at a time. Longer ones by radix exchange: a digit of six bits
 * at a time, from the highest bit in which any two entries differ. That is at most 11 digits
 * whatever the order, so no input is slow, and rows of any length need no scratch memory. Weights
 * are not negative, so their bits order as they do.
 */
#include <string.h>

#include "graph/builder.h"

enum { TINY = 6, SHORT = 32 };         /* rows of fewer entries, of at most this many */
enum { BITS = 6, DIGITS = 1 << BITS }; /* of long ones */

typedef int32_t v4 __attribute__((vector_size(16)));

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

/* Maps keys to signed numbers in the same order. Keys are below 2^32 - 2, so the numbers lie above
 * INT32_MIN and below INT32_MAX: subtracting 1 keeps the order, and INT32_MAX comes last. */
static inline int32_t number_of(uint32_t key) {
    return (int32_t)(key - INT32_MAX);
}

typedef union lanes {
    int32_t one[SHORT];
    v4 four[SHORT / 4];
} lanes;

static inline v4 all(int32_t x) {
    return (v4){x, x, x, x};
}

/* ranks[j] = number of i with x_i < x_j, or x_i = x_j and i < j. For integers x_i <= x_j means x_i
 * - 1 < x_j. Eight entries j at a time: those i before, among and after them. */
static inline void rank_eight(const lanes *x, int32_t count, int32_t j, lanes *ranks) {
    const v4 first = {0, 1, 2, 3}, second = {4, 5, 6, 7};
    v4 x0 = x->four[j / 4], x1 = x->four[j / 4 + 1], rank0 = all(0), rank1 = all(0);
    int32_t i = 0, stop = j + 8 < count ? j + 8 : count;
    for (; i < j; i++) {
        v4 t = all(x->one[i] - 1);
        rank0 -= t < x0; /* true is -1 */
        rank1 -= t < x1;
    }
    for (; i < stop; i++) {
        v4 t = all(x->one[i]), lane = all(i - j);
        rank0 -= t + (lane < first) < x0;
        rank1 -= t + (lane < second) < x1;
    }
    for (; i < count; i++) {
        v4 t = all(x->one[i]);
        rank0 -= t < x0;
        rank1 -= t < x1;
    }
    ranks->four[j / 4] = rank0;
    ranks->four[j / 4 + 1] = rank1;
}

/* Entries of the same key, already side by side, by weight: few, as a rule none. */
static inline void sort_ties(row r, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        int64_t begin = i - 1;
        while (i < count && r.keys[i] == r.keys[begin]) i++;
        if (i - begin > 1) insertion(r, begin, i);
    }
}

static inline void sort_by_rank(row r, int32_t count) {
    lanes x, ranks;
    float weights[SHORT];
    int32_t padded = (count + 7) & ~7;
    x.four[padded / 4 - 2] = x.four[padded / 4 - 1] = all(INT32_MAX);
    for (int32_t i = 0; i < count; i++) x.one[i] = number_of(r.keys[i]);
    for (int32_t j = 0; j < padded; j += 8) rank_eight(&x, count, j, &ranks);
    for (int32_t i = 0; i < count; i++) r.keys[ranks.one[i]] = (uint32_t)x.one[i] + INT32_MAX;
    if (!r.weights) return;
    memcpy(weights, r.weights, (size_t)count * sizeof *weights);
    for (int32_t i = 0; i < count; i++) r.weights[ranks.one[i]] = weights[i];
    sort_ties(r, count);
}

static inline void sort_short(row r, int64_t begin, int64_t end) {
    row part = {r.keys + begin, r.weights ? r.weights + begin : NULL};
    if (end - begin < TINY)
        insertion(part, 0, end - begin);
    else
        sort_by_rank(part, (int32_t)(end - begin));
}

/* The bits in which some entry differs from the first. */
static inline uint64_t differences(row r, int64_t begin, int64_t end) {
    uint64_t first = entry(r, begin), different = 0;
    for (int64_t i = begin + 1; i < end; i++) different |= entry(r, i) ^ first;
    return different;
}

static inline int64_t digit_of(row r, int64_t i, int32_t shift) {
    return (int64_t)(entry(r, i) >> shift & (DIGITS - 1));
}

static inline void swap(row r, int64_t i, int64_t j) {
    uint64_t value = entry(r, i);
    put(r, i, entry(r, j));
    put(r, j, value);
}

/* Sorts entries by one digit; starts[d] becomes the first entry with digit d. Each entry goes to
 * the last free place of its digit. Invariant: all entries before i are in place. The entry at i is
 * in place if it does not stand before the free places of its digit; it cannot stand after them,
 * because those places are full. */
static inline void split(row r, int64_t begin, int64_t end, int32_t shift, int64_t *starts) {
    int64_t sum = begin;
    for (int d = 0; d < DIGITS; d++) starts[d] = 0;
    for (int64_t i = begin; i < end; i++) starts[digit_of(r, i, shift)]++;
    for (int d = 0; d < DIGITS; d++) starts[d] = sum += starts[d];
    for (int64_t i = begin; i < end;) {
        int64_t d = digit_of(r, i, shift);
        if (i >= starts[d])
            i++;
        else
            swap(r, i, --starts[d]);
    }
}

/* Each call splits at lower bits than its caller: at most 64 / BITS + 1 deep. */
static void sort_long(row r, int64_t begin, int64_t end) {
    int64_t starts[DIGITS + 1];
    uint64_t different = differences(r, begin, end);
    if (different == 0) return;
    int32_t shift = 64 - __builtin_clzll(different) - BITS;
    split(r, begin, end, shift > 0 ? shift : 0, starts);
    starts[DIGITS] = end;
    for (int d = 0; d < DIGITS; d++) {
        if (starts[d + 1] - starts[d] > SHORT)
            sort_long(r, starts[d], starts[d + 1]);
        else
            sort_short(r, starts[d], starts[d + 1]);
    }
}

void cafe_sort_row(uint32_t *keys, float *weights, int64_t count) {
    if (count > SHORT)
        sort_long((row){keys, weights}, 0, count);
    else if (weights)
        sort_short((row){keys, weights}, 0, count);
    else
        sort_short((row){keys, NULL}, 0, count);
}
