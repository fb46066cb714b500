/* The arcs of one bucket, sorted by row.
 *
 * Rows are counted, and partial sums of the counts are the ends of the rows. Each arc then goes to
 * the last free place of its row: into other memory, or, for a bucket too large for it (hubs), by
 * exchanges in place.
 */
#include "graph/bucket_sort.h"

static void find_ends(const uint16_t *rows, int64_t count, int64_t n, int64_t *ends) {
    int64_t sum = 0;
    for (int64_t r = 0; r < n; r++) ends[r] = 0;
    for (int64_t i = 0; i < count; i++) ends[rows[i]]++;
    for (int64_t r = 0; r < n; r++) ends[r] = sum += ends[r];
}

static void place_arcs(const uint16_t *rows, int64_t count, cafe_arcs from, cafe_arcs to,
                       int64_t *ends) {
    for (int64_t i = 0; i < count; i++) {
        int64_t at = --ends[rows[i]];
        to.keys[at] = from.keys[i];
        if (from.weights) to.weights[at] = from.weights[i];
    }
}

static inline void exchange(uint16_t *rows, cafe_arcs a, int64_t i, int64_t j) {
    uint16_t row = rows[i];
    uint32_t key = a.keys[i];
    rows[i] = rows[j], rows[j] = row;
    a.keys[i] = a.keys[j], a.keys[j] = key;
    if (!a.weights) return;
    float weight = a.weights[i];
    a.weights[i] = a.weights[j], a.weights[j] = weight;
}

/* Invariant: all arcs before i are in their rows. The arc at i is in its row if it does not stand
 * before the free places of that row. It cannot stand after the row, because those places are full.
 */
static void exchange_arcs(uint16_t *rows, int64_t count, cafe_arcs arcs, int64_t *ends) {
    for (int64_t i = 0; i < count;) {
        uint16_t row = rows[i];
        if (i >= ends[row])
            i++;
        else
            exchange(rows, arcs, i, --ends[row]);
    }
}

void cafe_order_bucket(const cafe_buckets *buckets, int64_t b, int64_t rows, cafe_arcs to,
                       int64_t *starts) {
    int64_t begin = buckets->begin[b], count = buckets->begin[b + 1] - begin;
    uint16_t *row = buckets->rows + begin;
    cafe_arcs from = {buckets->keys + begin, buckets->weights ? buckets->weights + begin : NULL};
    find_ends(row, count, rows, starts);
    if (to.keys == from.keys)
        exchange_arcs(row, count, to, starts);
    else
        place_arcs(row, count, from, to, starts);
}
