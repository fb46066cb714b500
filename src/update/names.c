/* Newcomers: names that a graph does not have, numbered by first appearance.
 *
 * Open addressing with linear probing, at most half full.
 */
#include <string.h>

#include "base/memory.h"
#include "update/update.h"

/* Room for `needed` entries of an array that doubles. */
static cafe_status grow(cafe_context *context, void *array, int64_t *room, int64_t needed,
                        size_t size) {
    void **block = array;
    if (needed <= *room) return CAFE_OK;
    int64_t larger = 2 * *room > needed ? 2 * *room : needed + 64;
    void *moved = cafe_mem_resize(context, *block, larger, size);
    if (!moved) return CAFE_ERROR_MEMORY;
    *block = moved;
    *room = larger;
    return CAFE_OK;
}

static uint64_t hash(const char *name, int64_t length) {
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (int64_t i = 0; i < length; i++) h = (h ^ (uint8_t)name[i]) * 1099511628211u;
    return h ^ h >> 32;
}

/* Where the name stands in the table, or the free place for it. */
static int64_t slot_of(const cafe_newcomers *names, const char *name, int64_t length) {
    int64_t at = (int64_t)(hash(name, length) % (uint64_t)names->table_size);
    while (names->table[at] >= 0) {
        const char *other = names->text + names->start[names->table[at]];
        if ((int64_t)strlen(other) == length && memcmp(other, name, (size_t)length) == 0) break;
        at = (at + 1) % names->table_size;
    }
    return at;
}

static cafe_status widen_table(cafe_newcomers *names) {
    if (names->table && 2 * (names->count + 1) <= names->table_size) return CAFE_OK;
    int64_t size = names->table ? 4 * names->table_size : 256;
    int32_t *table = cafe_mem(names->context, size, sizeof *table);
    if (!table) return CAFE_ERROR_MEMORY;
    cafe_mem_free(names->context, names->table);
    names->table = table;
    names->table_size = size;
    memset(table, 0xFF, (size_t)size * sizeof *table);
    for (int64_t i = 0; i < names->count; i++) {
        const char *name = names->text + names->start[i];
        table[slot_of(names, name, (int64_t)strlen(name))] = (int32_t)i;
    }
    return CAFE_OK;
}

int64_t cafe_newcomer_find(const cafe_newcomers *names, const char *name, int64_t length) {
    return names->table ? names->table[slot_of(names, name, length)] : -1;
}

cafe_status cafe_newcomer_add(cafe_newcomers *names, const char *name, int64_t length,
                              int64_t *newcomer) {
    cafe_status status = CAFE_OK;
    CAFE_TRY(widen_table(names));
    int64_t at = slot_of(names, name, length);
    if (names->table[at] < 0) {
        CAFE_TRY(grow(names->context, &names->text, &names->room, names->used + length + 1, 1));
        CAFE_TRY(grow(names->context, &names->start, &names->start_room, names->count + 1,
                      sizeof *names->start));
        memcpy(names->text + names->used, name, (size_t)length);
        names->text[names->used + length] = 0;
        names->start[names->count] = names->used;
        names->used += length + 1;
        names->table[at] = (int32_t)names->count++;
    }
    *newcomer = names->table[at];
done:
    return status;
}

void cafe_newcomers_free(cafe_newcomers *names) {
    cafe_mem_free(names->context, names->text);
    cafe_mem_free(names->context, names->start);
    cafe_mem_free(names->context, names->table);
}

cafe_status cafe_newcomers_graph(const cafe_newcomers *names, cafe_graph **graph) {
    cafe_graph *g = cafe_graph_new(names->context);
    *graph = g;
    if (!g) return CAFE_ERROR_MEMORY;
    g->n = names->count;
    int64_t *start = cafe_mem(names->context, names->count + 1, sizeof *start);
    char *text = cafe_mem(names->context, names->used, 1);
    cafe_graph_adopt_names(g,
                           (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text});
    if (!start || !text) return CAFE_ERROR_MEMORY;
    start[0] = 0;
    for (int64_t i = 0; i < names->count; i++) { /* without the 0 behind each */
        const char *name = names->text + names->start[i];
        size_t length = strlen(name);
        memcpy(text + start[i], name, length);
        start[i + 1] = start[i] + (int64_t)length;
    }
    return CAFE_OK;
}

cafe_status cafe_link_add(cafe_link_lines *lines, cafe_link_line line) {
    cafe_status status =
        grow(lines->context, &lines->at, &lines->room, lines->count + 1, sizeof *lines->at);
    if (status == CAFE_OK) lines->at[lines->count++] = line;
    return status;
}

void cafe_link_lines_free(cafe_link_lines *lines) {
    cafe_mem_free(lines->context, lines->at);
}
