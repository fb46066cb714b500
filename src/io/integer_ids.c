/* Integer ids to nodes 0 .. n-1, ascending.
 *
 * Ids that are not too far apart (the common case: 0 .. n-1, or with gaps) are marked in a bit set.
 * The rank of an id in it is its node. Nothing is sorted, and when no id is missing nothing is
 * renamed either. Ids scattered over a wide range are collected in a hash set, its members sorted,
 * and each id looked up. Either way the result depends on the set of ids alone.
 */
#include <stdatomic.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/bit_set.h"
#include "io/edge_buffer.h"

enum { BLOCK = 1 << 16, SPREAD = 64 }; /* edges per task; largest id per edge for the bit set */

static const int64_t no_id = INT64_MIN;

typedef struct numbering {
    cafe_edge_list *list;
    cafe_bits set;
    /* the hash set: open addressing, a power of two slots */
    _Atomic(int64_t) *slots;
    int32_t *nodes; /* of each slot */
    int64_t mask;
    int shift;
    atomic_llong members;
    atomic_int full;
    const int64_t *sorted;
    int64_t sorted_count;
    const void *from; /* the ids being renamed, and where to */
    int32_t *to;
} numbering;

static cafe_status too_many_nodes(const cafe_edge_list *list) {
    return cafe_fail(list->context, CAFE_ERROR_FORMAT,
                     "%s: expected at most %d different node ids, found more", list->name,
                     CAFE_MOST_NODES);
}

/* ---- by bit set ------------------------------------------------------------------------------ */

static void mark_block(void *argument, int64_t task) {
    numbering *n = argument;
    const int32_t *source = n->list->source, *target = n->list->target;
    int64_t end = cafe_block_end(n->list->count, BLOCK, task);
    for (int64_t i = task * BLOCK; i < end; i++) {
        cafe_bits_add(&n->set, source[i]);
        cafe_bits_add(&n->set, target[i]);
    }
}

static void rank_block(void *argument, int64_t task) {
    numbering *n = argument;
    int32_t *source = n->list->source, *target = n->list->target;
    int64_t end = cafe_block_end(n->list->count, BLOCK, task);
    for (int64_t i = task * BLOCK; i < end; i++) {
        source[i] = cafe_bits_rank(&n->set, source[i]);
        target[i] = cafe_bits_rank(&n->set, target[i]);
    }
}

static cafe_status number_dense(numbering *n, int64_t *nodes, cafe_names *names) {
    cafe_edge_list *list = n->list;
    cafe_context *context = list->context;
    int64_t blocks = cafe_blocks(list->count, BLOCK), *integers = NULL;
    cafe_status status = cafe_bits_create(context, list->largest + 1, &n->set);
    if (status != CAFE_OK) goto done;
    CAFE_TRY(cafe_each(context, blocks, mark_block, n));
    CAFE_TRY(cafe_bits_rank_all(&n->set));
    *nodes = n->set.members;
    if (*nodes > CAFE_MOST_NODES) {
        status = too_many_nodes(list);
        goto done;
    }
    if (*nodes == list->largest + 1) goto done; /* 0 .. n-1 already */
    integers = cafe_mem(context, *nodes, sizeof *integers);
    status = CAFE_ERROR_MEMORY;
    if (!integers) goto done;
    CAFE_TRY(cafe_bits_list(&n->set, integers));
    CAFE_TRY(cafe_each(context, blocks, rank_block, n));
    *names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = integers};
    integers = NULL;
done:
    cafe_mem_free(context, integers);
    cafe_bits_free(&n->set);
    return status;
}

/* ---- by hash set ----------------------------------------------------------------------------- */

static int64_t slot_of(const numbering *n, int64_t id) {
    return (int64_t)((uint64_t)id * 0x9E3779B97F4A7C15u >> n->shift);
}

/* The slot that holds the id, or the empty one where it belongs. */
static int64_t find_slot(const numbering *n, int64_t id) {
    int64_t s = slot_of(n, id);
    for (;; s = (s + 1) & n->mask) {
        int64_t held = atomic_load_explicit(&n->slots[s], memory_order_relaxed);
        if (held == id || held == no_id) return s;
    }
}

static void collect(numbering *n, int64_t id) {
    for (;;) {
        int64_t s = find_slot(n, id), held = no_id;
        if (atomic_load_explicit(&n->slots[s], memory_order_relaxed) == id) return;
        if (atomic_compare_exchange_strong(&n->slots[s], &held, id)) {
            /* at most one slot in two is used; the rest covers concurrent insertions */
            if (atomic_fetch_add(&n->members, 1) >= n->mask / 2) atomic_store(&n->full, 1);
            return;
        }
    }
}

static void collect_block(void *argument, int64_t task) {
    numbering *n = argument;
    int64_t end = cafe_block_end(n->list->count, BLOCK, task);
    for (int64_t i = task * BLOCK; i < end; i++) {
        if (atomic_load_explicit(&n->full, memory_order_relaxed)) return;
        collect(n, cafe_edge_list_id(n->list, n->list->source, i));
        collect(n, cafe_edge_list_id(n->list, n->list->target, i));
    }
}

/* Collects all ids; starts again with four times the slots when they were too few. */
static cafe_status collect_all(numbering *n) {
    cafe_context *context = n->list->context;
    int bits = 12;
    while (((int64_t)1 << bits) < n->list->count / 4) bits++;
    for (;; bits += 2) {
        n->mask = ((int64_t)1 << bits) - 1;
        n->shift = 64 - bits;
        atomic_store(&n->members, 0);
        atomic_store(&n->full, 0);
        cafe_mem_free(context, n->slots);
        n->slots = cafe_mem(context, n->mask + 1, sizeof *n->slots);
        if (!n->slots) return CAFE_ERROR_MEMORY;
        for (int64_t s = 0; s <= n->mask; s++) atomic_init(&n->slots[s], no_id);
        cafe_status status =
            cafe_each(context, cafe_blocks(n->list->count, BLOCK), collect_block, n);
        if (status != CAFE_OK || !atomic_load(&n->full)) return status;
    }
}

/* Ascending by bytes from the lowest up; a byte that all ids share takes no pass. The sign bit is
 * flipped so that negative ids come first. */
cafe_status cafe_sort_ids(cafe_context *context, int64_t *ids, int64_t *other, int64_t count,
                          int64_t **sorted) {
    *sorted = ids;
    if (count == 0) return CAFE_OK;
    for (int shift = 0; shift < 64; shift += 8) {
        int64_t starts[256] = {0}, sum = 0, *swap = *sorted == ids ? other : ids;
        uint64_t flip = shift == 56 ? 0x80 : 0;
        for (int64_t i = 0; i < count; i++)
            starts[((uint64_t)(*sorted)[i] >> shift & 0xff) ^ flip]++;
        if (starts[((uint64_t)(*sorted)[0] >> shift & 0xff) ^ flip] == count) continue;
        for (int d = 0; d < 256; d++) {
            int64_t here = starts[d];
            starts[d] = sum;
            sum += here;
        }
        for (int64_t i = 0; i < count; i++)
            swap[starts[((uint64_t)(*sorted)[i] >> shift & 0xff) ^ flip]++] = (*sorted)[i];
        *sorted = swap;
        CAFE_PASS(cafe_check_cancel(context));
    }
    return CAFE_OK;
}

static void place_block(void *argument, int64_t task) {
    numbering *n = argument;
    int64_t end = cafe_block_end(n->sorted_count, BLOCK, task);
    for (int64_t u = task * BLOCK; u < end; u++) n->nodes[find_slot(n, n->sorted[u])] = (int32_t)u;
}

static void look_up_block(void *argument, int64_t task) {
    numbering *n = argument;
    int64_t end = cafe_block_end(n->list->count, BLOCK, task);
    for (int64_t i = task * BLOCK; i < end; i++)
        n->to[i] = n->nodes[find_slot(n, cafe_edge_list_id(n->list, n->from, i))];
}

/* The ids of one side become nodes; their memory is exchanged. */
static cafe_status look_up(numbering *n, void **side, int32_t *nodes) {
    cafe_context *context = n->list->context;
    n->from = *side;
    n->to = nodes;
    CAFE_PASS(cafe_each(context, cafe_blocks(n->list->count, BLOCK), look_up_block, n));
    cafe_mem_free(context, *side);
    *side = NULL;
    return CAFE_OK;
}

static cafe_status rename_all(numbering *n) {
    cafe_edge_list *list = n->list;
    cafe_context *context = list->context;
    int32_t *source = NULL, *target = NULL;
    cafe_status status = CAFE_ERROR_MEMORY;
    source = cafe_mem(context, list->count, sizeof *source);
    if (!source) goto done;
    CAFE_TRY(look_up(n, &list->source, source));
    status = CAFE_ERROR_MEMORY;
    target = cafe_mem(context, list->count, sizeof *target);
    if (!target) goto done;
    CAFE_TRY(look_up(n, &list->target, target));
    list->source = source;
    list->target = target;
    list->wide = false;
    source = target = NULL;
done:
    cafe_mem_free_all(context, source, target);
    return status;
}

/* The members of the hash set, ascending, in a block of their own. */
static cafe_status sort_members(numbering *n, int64_t **result) {
    cafe_context *context = n->list->context;
    int64_t count = atomic_load(&n->members), at = 0, *sorted = NULL;
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t *ids = cafe_mem(context, count, sizeof *ids);
    int64_t *other = ids ? cafe_mem(context, count, sizeof *other) : NULL;
    if (!other) goto done;
    for (int64_t s = 0; s <= n->mask; s++) {
        int64_t held = atomic_load_explicit(&n->slots[s], memory_order_relaxed);
        if (held != no_id) ids[at++] = held;
    }
    CAFE_TRY(cafe_sort_ids(context, ids, other, count, &sorted));
    *result = sorted;
done:
    if (ids != sorted) cafe_mem_free(context, ids);
    if (other != sorted) cafe_mem_free(context, other);
    if (status != CAFE_OK) cafe_mem_free(context, sorted);
    return status;
}

static cafe_status number_sparse(numbering *n, int64_t *nodes, cafe_names *names) {
    cafe_context *context = n->list->context;
    int64_t *sorted = NULL;
    cafe_status status = collect_all(n);
    if (status != CAFE_OK) goto done;
    n->sorted_count = *nodes = atomic_load(&n->members);
    if (*nodes > CAFE_MOST_NODES) {
        status = too_many_nodes(n->list);
        goto done;
    }
    CAFE_TRY(sort_members(n, &sorted));
    n->sorted = sorted;
    status = CAFE_ERROR_MEMORY;
    n->nodes = cafe_mem(context, n->mask + 1, sizeof *n->nodes);
    if (!n->nodes) goto done;
    CAFE_TRY(cafe_each(context, cafe_blocks(*nodes, BLOCK), place_block, n));
    CAFE_TRY(rename_all(n));
    *names = (cafe_names){.kind = CAFE_NAMES_INTEGER, .integers = sorted};
    sorted = NULL;
done:
    cafe_mem_free_all(context, sorted, n->slots, n->nodes);
    return status;
}

cafe_status cafe_edge_list_number(cafe_edge_list *list, int64_t *nodes, cafe_names *names) {
    numbering n = {.list = list};
    *names = (cafe_names){.kind = CAFE_NAMES_INDEX};
    *nodes = 0;
    if (list->count == 0) return CAFE_OK;
    bool near = !list->wide && list->largest / SPREAD <= list->count;
    return near ? number_dense(&n, nodes, names) : number_sparse(&n, nodes, names);
}
