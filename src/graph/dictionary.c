/* Open addressing with linear probing, at most half full. */
#include "graph/dictionary.h"

#include <string.h>

#include "base/memory.h"
#include "graph/text_hash.h"

/* Where the text stands in the table, or the free place for it. */
static int64_t slot_of(const cafe_dictionary *d, const char *text, int64_t length) {
    uint64_t at = cafe_hash_text(text, length);
    for (;; at++) {
        int64_t slot = (int64_t)(at & (uint64_t)(d->slots - 1));
        if (d->table[slot] < 0) return slot;
        const char *other = cafe_dictionary_text(d, d->table[slot]);
        if ((int64_t)strlen(other) == length && memcmp(other, text, (size_t)length) == 0)
            return slot;
    }
}

static cafe_status widen(cafe_dictionary *d) {
    if (d->table && 2 * (d->count + 1) <= d->slots) return CAFE_OK;
    int64_t slots = d->table ? 4 * d->slots : 256;
    int32_t *table = cafe_mem(d->context, slots, sizeof *table);
    if (!table) return CAFE_ERROR_MEMORY;
    cafe_mem_free(d->context, d->table);
    d->table = table;
    d->slots = slots;
    memset(table, 0xFF, (size_t)slots * sizeof *table);
    for (int64_t i = 0; i < d->count; i++) {
        const char *text = cafe_dictionary_text(d, i);
        table[slot_of(d, text, (int64_t)strlen(text))] = (int32_t)i;
    }
    return CAFE_OK;
}

int64_t cafe_dictionary_find(const cafe_dictionary *d, const char *text, int64_t length) {
    return d->table ? d->table[slot_of(d, text, length)] : -1;
}

cafe_status cafe_dictionary_add(cafe_dictionary *d, const char *text, int64_t length,
                                int64_t *number) {
    CAFE_PASS(widen(d));
    int64_t slot = slot_of(d, text, length);
    if (d->table[slot] < 0) {
        CAFE_PASS(cafe_mem_grow(d->context, &d->text, &d->room, d->used + length + 1, 1));
        CAFE_PASS(
            cafe_mem_grow(d->context, &d->start, &d->start_room, d->count + 1, sizeof *d->start));
        memcpy(d->text + d->used, text, (size_t)length);
        d->text[d->used + length] = 0;
        d->start[d->count] = d->used;
        d->used += length + 1;
        d->table[slot] = (int32_t)d->count++;
    }
    *number = d->table[slot];
    return CAFE_OK;
}

void cafe_dictionary_free(cafe_dictionary *d) {
    cafe_mem_free_all(d->context, d->text, d->start, d->table);
}
