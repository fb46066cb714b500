/* Bit sets with ranks: members per block of words are counted in parallel, summed, and spread. */
#include "io/bit_set.h"

#include "base/memory.h"
#include "base/thread_pool.h"

enum { BLOCK = 8192 }; /* words */

typedef struct ranking {
    const cafe_bits *set;
    int64_t *blocks; /* members of each block, later the members of all blocks before it */
    int64_t *list;
} ranking;

cafe_status cafe_bits_create(cafe_context *context, int64_t size, cafe_bits *set) {
    *set = (cafe_bits){.context = context, .words = size / 64 + 1};
    set->bits = cafe_mem_zero(context, set->words, sizeof *set->bits);
    set->before = set->bits ? cafe_mem(context, set->words, sizeof *set->before) : NULL;
    return cafe_mem_had(set->before);
}

void cafe_bits_free(cafe_bits *set) {
    cafe_mem_free_all(set->context, set->bits, set->before);
    set->bits = NULL;
    set->before = NULL;
}

static uint64_t word_at(const cafe_bits *set, int64_t w) {
    return atomic_load_explicit(&set->bits[w], memory_order_relaxed);
}

static void count_block(void *argument, int64_t task) {
    ranking *r = argument;
    int64_t end = cafe_block_end(r->set->words, BLOCK, task), members = 0;
    for (int64_t w = task * BLOCK; w < end; w++) members += cafe_popcount(word_at(r->set, w));
    r->blocks[task] = members;
}

static void spread_block(void *argument, int64_t task) {
    ranking *r = argument;
    int64_t end = cafe_block_end(r->set->words, BLOCK, task), members = r->blocks[task];
    for (int64_t w = task * BLOCK; w < end; w++) {
        r->set->before[w] = (int32_t)members;
        members += cafe_popcount(word_at(r->set, w));
    }
}

static void list_block(void *argument, int64_t task) {
    ranking *r = argument;
    int64_t end = cafe_block_end(r->set->words, BLOCK, task);
    for (int64_t w = task * BLOCK; w < end; w++) {
        int64_t rank = r->set->before[w];
        for (uint64_t x = word_at(r->set, w); x; x &= x - 1)
            r->list[rank++] = w * 64 + __builtin_ctzll(x);
    }
}

cafe_status cafe_bits_rank_all(cafe_bits *set) {
    int64_t blocks = cafe_blocks(set->words, BLOCK), members = 0;
    ranking r = {.set = set, .blocks = cafe_mem(set->context, blocks, sizeof(int64_t))};
    cafe_status status = r.blocks ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (!r.blocks) goto done;
    CAFE_TRY(cafe_each(set->context, blocks, count_block, &r));
    for (int64_t b = 0; b < blocks; b++) {
        int64_t here = r.blocks[b];
        r.blocks[b] = members;
        members += here;
    }
    set->members = members;
    if (members <= INT32_MAX) status = cafe_each(set->context, blocks, spread_block, &r);
done:
    cafe_mem_free(set->context, r.blocks);
    return status;
}

cafe_status cafe_bits_list(const cafe_bits *set, int64_t *list) {
    ranking r = {.set = set, .list = list};
    return cafe_each(set->context, cafe_blocks(set->words, BLOCK), list_block, &r);
}
