/* Rows lie one after the other; a hash set of their nodes keeps them apart. */
#include "explain/clique_rows.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_ROOM = 1 << 12 };

void cafe_clique_rows_free(cafe_clique_rows *rows) {
    cafe_mem_free_all(rows->context, rows->at, rows->pair, rows->seen);
}

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 33) * 0xff51afd7ed558ccdULL;
    z = (z ^ z >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return z ^ z >> 33;
}

/* A hash of the nodes, never 0. Of two rows with the same one the second is left out. */
static uint64_t key_of(int32_t centre, const int32_t *leaves, int64_t count) {
    uint64_t key = mix((uint64_t)centre + 1);
    for (int64_t i = 0; i < count; i++) key = mix(key + (uint64_t)leaves[i] + 1);
    return key | 1;
}

/* Where the key stands, or the free place for it. */
static int64_t find(const cafe_clique_rows *rows, uint64_t key) {
    uint64_t mask = (uint64_t)rows->seen_room - 1, i = mix(key) & mask;
    while (rows->seen[i] && rows->seen[i] != key) i = (i + 1) & mask;
    return (int64_t)i;
}

static void fill_seen(cafe_clique_rows *rows) {
    memset(rows->seen, 0, (size_t)rows->seen_room * sizeof *rows->seen);
    for (int64_t r = 0; r < rows->count; r++)
        rows->seen[find(rows, rows->at[r].key)] = rows->at[r].key;
}

static cafe_status make_room(cafe_clique_rows *rows, int64_t pairs) {
    cafe_context *context = rows->context;
    CAFE_PASS(cafe_mem_grow(context, &rows->at, &rows->room, rows->count + 1, sizeof *rows->at));
    CAFE_PASS(cafe_mem_grow(context, &rows->pair, &rows->pairs_room, rows->used + pairs,
                            sizeof *rows->pair));
    if (2 * rows->count < rows->seen_room) return CAFE_OK;
    int64_t size = rows->seen_room ? 2 * rows->seen_room : FIRST_ROOM;
    uint64_t *seen = cafe_mem_resize(context, rows->seen, size, sizeof *seen);
    CAFE_PASS(cafe_mem_had(seen));
    rows->seen = seen;
    rows->seen_room = size;
    fill_seen(rows);
    return CAFE_OK;
}

cafe_status cafe_clique_rows_add(cafe_clique_rows *rows, cafe_clique_pairs *pairs, int32_t centre,
                                 const int32_t *leaves, int64_t count) {
    uint64_t key = key_of(centre, leaves, count);
    CAFE_PASS(make_room(rows, cafe_clique_length(count)));
    int64_t place = find(rows, key), used = rows->used;
    if (rows->seen[place]) return CAFE_OK;
    for (int64_t i = 0; i < count; i++)
        CAFE_PASS(cafe_clique_pairs_take(pairs, centre, leaves[i], &rows->pair[used++]));
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < i; j++)
            CAFE_PASS(cafe_clique_pairs_take(pairs, leaves[i], leaves[j], &rows->pair[used++]));
    rows->seen[place] = key;
    rows->at[rows->count++] =
        (cafe_clique_row){.key = key, .start = rows->used, .leaves = (uint8_t)count};
    rows->used = used;
    return CAFE_OK;
}

void cafe_clique_rows_drop(cafe_clique_rows *rows, int64_t passes) {
    int64_t kept = 0, used = 0;
    for (int64_t r = 0; r < rows->count; r++) {
        cafe_clique_row row = rows->at[r];
        if (row.multiplier == 0 && row.idle >= passes) continue;
        int64_t length = cafe_clique_length(row.leaves);
        memmove(rows->pair + used, rows->pair + row.start, (size_t)length * sizeof *rows->pair);
        row.start = used;
        rows->at[kept++] = row;
        used += length;
    }
    bool fewer = kept < rows->count;
    rows->count = kept;
    rows->used = used;
    if (fewer) fill_seen(rows);
}
