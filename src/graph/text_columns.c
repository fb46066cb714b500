/* Two columns of texts numbered by first appearance.
 *
 * The table and the texts are larger than the caches. So a block of lines is hashed first. Then one
 * loop prefetches the slots of the table, another one the names behind them, and a last loop
 * compares. A name has its first HEAD bytes with it: the bytes of the column are read again for
 * longer names only, and only if the heads are equal.
 */
#include <string.h>

#include <cafe-private/texts.h>

#include "base/context.h"
#include "base/memory.h"
#include "graph/text_hash.h"

enum { LINES = 64, BLOCK = 2 * LINES, SLOTS = 1 << 12, HEAD = 16 };

typedef struct text {
    const char *bytes;
    int64_t length;
    uint64_t head[HEAD / 8]; /* its first bytes, then zeros */
    uint64_t hash;
} text;

typedef struct slot {
    uint32_t hash;
    int32_t number; /* + 1; 0: free */
} slot;

typedef struct numbering {
    cafe_context *context;
    const char *next[2]; /* texts of a column with a 0 between them */
    slot *slots;
    int64_t mask;
    text *names;
    int64_t count, room;
    text block[BLOCK];
} numbering;

/* ---- texts ----------------------------------------------------------------------------------- */

static cafe_status misfit(cafe_context *context) {
    return cafe_fail(context, CAFE_ERROR_ARGUMENT, "texts: expected as many as their bytes have");
}

static bool offsets_fit(const cafe_texts *texts) {
    bool fit = texts->offsets[0] >= 0 && texts->offsets[texts->count] <= texts->size;
    for (int64_t i = 0; i < texts->count; i++) fit &= texts->offsets[i] <= texts->offsets[i + 1];
    return fit;
}

static bool marks_fit(const cafe_texts *texts) {
    int64_t marks = 0;
    for (int64_t i = 0; i < texts->size; i++) marks += !texts->bytes[i];
    return texts->count ? marks == texts->count - 1 : texts->size == 0;
}

static bool texts_fit(const cafe_texts *texts) {
    if (texts->count < 0 || texts->size < 0 || texts->width < 0) return false;
    if (texts->offsets) return offsets_fit(texts);
    if (texts->width > 0) return texts->count <= texts->size / texts->width;
    return marks_fit(texts);
}

/* The bytes of text i of column `side`; those with a 0 between them are taken in their order. */
static void find(numbering *n, const cafe_texts *texts, int side, int64_t i, text *t) {
    const char *begin = n->next[side], *end = texts->bytes + texts->size;
    if (texts->offsets) {
        begin = texts->bytes + texts->offsets[i];
        end = texts->bytes + texts->offsets[i + 1];
    } else if (texts->width > 0) {
        begin = texts->bytes + i * texts->width;
        end = begin + texts->width;
    } else if (i < texts->count - 1) {
        end = memchr(begin, 0, (size_t)(end - begin));
        n->next[side] = end + 1;
    }
    t->bytes = begin;
    t->length = end - begin;
}

/* Bytes to keep of a head: read from HEAD - length on. */
static const uint8_t kept[2 * HEAD] = {255, 255, 255, 255, 255, 255, 255, 255,
                                       255, 255, 255, 255, 255, 255, 255, 255};

/* Fills in head and hash of a text. Where the column goes on behind them, whole words are
 * loaded and masked. */
static void take_head(const cafe_texts *texts, text *t) {
    int64_t length = t->length < HEAD ? t->length : HEAD;
    uint64_t mask[HEAD / 8];
    if (texts->size - (t->bytes - texts->bytes) >= HEAD) {
        memcpy(t->head, t->bytes, HEAD);
        memcpy(mask, kept + HEAD - length, HEAD);
        t->head[0] &= mask[0];
        t->head[1] &= mask[1];
    } else {
        memset(t->head, 0, HEAD);
        if (length > 0) memcpy(t->head, t->bytes, (size_t)length);
    }
    t->hash = t->length <= HEAD
                  ? cafe_hash_text((const char *)t->head, HEAD) ^ (uint64_t)length << 40
                  : cafe_hash_text(t->bytes, t->length);
}

static bool same(const text *a, const text *b) {
    return a->length == b->length && a->head[0] == b->head[0] && a->head[1] == b->head[1] &&
           (a->length <= HEAD ||
            memcmp(a->bytes + HEAD, b->bytes + HEAD, (size_t)a->length - HEAD) == 0);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Room for a block of new names: at most half of the slots are taken. */
static cafe_status widen(numbering *n) {
    int64_t slots = n->slots ? n->mask + 1 : SLOTS;
    CAFE_PASS(cafe_mem_grow(n->context, &n->names, &n->room, n->count + BLOCK, sizeof *n->names));
    if (n->slots && 2 * (n->count + BLOCK) <= slots) return CAFE_OK;
    slots = n->slots ? 4 * slots : slots;
    slot *wider = cafe_mem_zero(n->context, slots, sizeof *wider);
    if (!wider) return CAFE_ERROR_MEMORY;
    cafe_mem_free(n->context, n->slots);
    n->slots = wider;
    n->mask = slots - 1;
    for (int64_t k = 0; k < n->count; k++) {
        int64_t at = (int64_t)(n->names[k].hash & (uint64_t)n->mask);
        while (n->slots[at].number) at = (at + 1) & n->mask;
        n->slots[at] = (slot){(uint32_t)(n->names[k].hash >> 31), (int32_t)k + 1};
    }
    return CAFE_OK;
}

/* The number of text j of the block, a new one if it was not seen before. */
static int32_t number_of(numbering *n, int64_t j) {
    const text *t = &n->block[j];
    uint32_t hash = (uint32_t)(t->hash >> 31);
    int64_t at = (int64_t)(t->hash & (uint64_t)n->mask);
    for (; n->slots[at].number; at = (at + 1) & n->mask) {
        int32_t number = n->slots[at].number - 1;
        if (n->slots[at].hash == hash && same(&n->names[number], t)) return number;
    }
    n->slots[at] = (slot){hash, (int32_t)n->count + 1};
    n->names[n->count] = *t;
    return (int32_t)n->count++;
}

static void prefetch(const numbering *n, int64_t count) {
    for (int64_t j = 0; j < count; j++)
        __builtin_prefetch(&n->slots[n->block[j].hash & (uint64_t)n->mask]);
    for (int64_t j = 0; j < count; j++) {
        int32_t number = n->slots[n->block[j].hash & (uint64_t)n->mask].number;
        if (number) __builtin_prefetch(&n->names[number - 1]);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

static cafe_status number_all(numbering *n, const cafe_texts *left, const cafe_texts *right,
                              int32_t *numbers[2], int64_t *first) {
    n->next[0] = left->bytes;
    n->next[1] = right->bytes;
    for (int64_t begin = 0; begin < left->count; begin += LINES) {
        int64_t lines = left->count - begin < LINES ? left->count - begin : LINES;
        if (n->count > INT32_MAX - BLOCK) return CAFE_ERROR_LIMIT;
        CAFE_PASS(widen(n));
        if (begin % (LINES << 10) == 0) CAFE_PASS(cafe_check_cancel(n->context));
        for (int64_t j = 0; j < 2 * lines; j++) {
            const cafe_texts *column = j % 2 ? right : left;
            find(n, column, (int)(j % 2), begin + j / 2, &n->block[j]);
            take_head(column, &n->block[j]);
        }
        prefetch(n, 2 * lines);
        for (int64_t j = 0; j < 2 * lines; j++) {
            int64_t before = n->count;
            int32_t number = number_of(n, j);
            if (n->count > before) first[number] = 2 * begin + j;
            numbers[j % 2][begin + j / 2] = number;
        }
    }
    return CAFE_OK;
}

cafe_status cafe_texts_number(cafe_context *context, const cafe_texts *left,
                              const cafe_texts *right, int32_t *left_numbers,
                              int32_t *right_numbers, int64_t *first, int64_t *different) {
    numbering n = {.context = context};
    *different = 0;
    if (left->count != right->count || !texts_fit(left) || !texts_fit(right))
        return misfit(context);
    cafe_status status =
        number_all(&n, left, right, (int32_t *[]){left_numbers, right_numbers}, first);
    if (status == CAFE_ERROR_LIMIT)
        status = cafe_fail(context, status, "more than %d different names", INT32_MAX - BLOCK);
    *different = n.count;
    cafe_mem_free_all(context, n.slots, n.names);
    return status;
}
