/* The check of compressed rows, in one pass at the speed of memory.
 *
 * Symmetry: with a random key, h maps triples (u, w, weight) to 64 bits, and
 *
 *   S = sum over u < w of h(u, w, a(u,w))  -  sum over u > w of h(w, u, a(u,w))    modulo 2^64
 *
 * is 0 if the matrix is symmetric. Rows ascend strictly, so no triple occurs twice on one side. If
 * the sides differ, some h has the factor 1 or -1 in S, and a random h gives S = 0 with probability
 * 2^-64. Looking up each partner would take a cache miss per entry. The key is drawn from the
 * system for every call, so no file can be made to fit it.
 */
#include "graph/row_checks.h"

#include <float.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/compressed_rows.h"
#include "kernels/row_kernels.h"
#include "os/os.h"

enum { ROWS = 1024, SIDE = 64 /* rows that are checked together */ };

typedef struct verifying {
    const cafe_links *rows;
    bool symmetry;
    cafe_hash_links *hash;
    uint64_t key[2];
    atomic_llong bad; /* the first row with a fault */
    atomic_llong above, loops;
    atomic_int not_unit;
    _Atomic uint64_t sum; /* S */
    _Atomic uint64_t digest;
} verifying;

typedef struct tally {
    int64_t above, loops;
    bool unit;
    uint64_t sum, digest;
    int64_t bad; /* of a process: as above */
} tally;

const char *cafe_row_fault_text(cafe_row_fault fault) {
    static const char *const texts[] = {"",
#define TEXT(name, text) text,
                                        CAFE_ROW_FAULTS(TEXT)};
    return texts[fault];
}

/* The finaliser of SplitMix64. */
static inline uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* A row that does not ascend: which of its faults comes first? */
static cafe_row_fault name_fault(const cafe_links *l, int64_t u) {
    int64_t last = -1;
    for (int64_t i = l->offsets[u]; i < l->offsets[u + 1]; i++) {
        if (l->target[i] < 0 || l->target[i] >= l->nodes) return CAFE_ROW_OUTSIDE;
        if (l->target[i] <= last) return CAFE_ROW_ORDER;
        last = l->target[i];
    }
    return CAFE_ROW_WEIGHT;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool offsets_ascend(const cafe_links *l, int64_t u) {
    return l->offsets[u] >= 0 && l->offsets[u] <= l->offsets[u + 1] &&
           l->offsets[u + 1] <= l->count;
}

static bool weigh(const float *weights, int64_t count, tally *t) {
    int32_t bad = 0, other = 0;
    for (int64_t i = 0; i < count; i++) {
        bad |= !(weights[i] > 0) | !(weights[i] <= FLT_MAX);
        other |= weights[i] != 1;
    }
    t->unit &= other == 0;
    return bad == 0;
}

/* A row by itself. */
static cafe_row_fault scan_row(const cafe_links *l, int64_t u, tally *t) {
    int64_t last = -1;
    bool fine = true;
    if (!offsets_ascend(l, u)) return CAFE_ROW_OFFSETS;
    for (int64_t i = l->offsets[u]; i < l->offsets[u + 1]; i++) {
        fine &= l->target[i] > last;
        last = l->target[i];
    }
    if (l->weights) fine &= weigh(l->weights + l->offsets[u], l->offsets[u + 1] - l->offsets[u], t);
    return fine && last < l->nodes ? CAFE_ROW_FINE : name_fault(l, u);
}

/* Counts the entries from .. to - 1 that are not above the entry before, and whether an entry is
 * one of the nodes first .. last - 1. Comparisons do not depend on each other: several are done at
 * once. */
static int64_t count_falls(const int32_t *target, int64_t from, int64_t to, int32_t first,
                           int32_t last, bool *inside) {
    enum { SOME = 4096 };
    int64_t all = 0;
    int32_t any = 0;
    for (int64_t i = from; i < to; i += SOME) {
        const int32_t *now = target + i;
        int32_t falls = 0, count = to - i < SOME ? (int32_t)(to - i) : SOME;
        for (int32_t k = 0; k < count; k++) any |= (now[k] >= first) & (now[k] < last);
        for (int32_t k = i > from ? 0 : 1; k < count; k++) falls += now[k] <= now[k - 1];
        all += falls;
    }
    *inside = any;
    return all;
}

/* Checks the ends of rows first .. last - 1: if first and last entry are nodes, so are the entries
 * between. Counts rows that do not begin above the end of the row before, and rows with a loop. */
static bool look_at_ends(const cafe_links *l, int64_t first, int64_t last, bool loops,
                         int64_t *falls, tally *t) {
    bool fine = true;
    *falls = 0;
    for (int64_t u = first; u < last; u++) {
        int64_t from = l->offsets[u], to = l->offsets[u + 1];
        if (from == to) continue;
        fine &= l->target[from] >= 0 && l->target[to - 1] < l->nodes;
        *falls += from > l->offsets[first] && l->target[from] <= l->target[from - 1];
        int64_t at = loops ? cafe_row_find(l->target, from, to, u) : to;
        t->loops += at < to && l->target[at] == u;
    }
    return fine;
}

/* Checks several rows at once: rows ascend if the entries, row after row, fall only from one row to
 * the next. */
static bool scan_rows(const cafe_links *l, int64_t first, int64_t last, tally *t) {
    int64_t falls, between;
    bool inside;
    tally found = {.unit = t->unit};
    for (int64_t u = first; u < last; u++)
        if (!offsets_ascend(l, u)) return false;
    int64_t from = l->offsets[first], to = l->offsets[last];
    falls = count_falls(l->target, from, to, (int32_t)first, (int32_t)last, &inside);
    if (!look_at_ends(l, first, last, inside, &between, &found) || falls != between) return false;
    if (l->weights && !weigh(l->weights + from, to - from, &found)) return false;
    t->loops += found.loops;
    t->unit = found.unit;
    return true;
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* Row u, which has no fault. A loop is its own partner: it is in no sum. */
static void add_hashes(const verifying *v, int64_t u, tally *t) {
    const cafe_links *l = v->rows;
    const float *weights = l->weights;
    int64_t from = l->offsets[u], to = l->offsets[u + 1];
    int64_t at = cafe_row_find(l->target, from, to, u);
    t->sum -= v->hash(v->key, u, 1, l->target + from, weights ? weights + from : NULL, at - from);
    if (at < to && l->target[at] == u) {
        uint64_t bits = cafe_hash_weight(weights ? weights[at] : 1);
        t->digest += cafe_hash_link(v->key, (uint64_t)u, (uint64_t)u, bits);
        at++;
    }
    uint64_t sum = v->hash(v->key, u, 0, l->target + at, weights ? weights + at : NULL, to - at);
    t->sum += sum;
    t->digest += sum;
    t->above += to - at;
}

static void add_tally(verifying *v, const tally *t) {
    atomic_fetch_add(&v->above, t->above);
    atomic_fetch_add(&v->loops, t->loops);
    atomic_fetch_add(&v->sum, t->sum);
    atomic_fetch_add(&v->digest, t->digest);
    if (!t->unit) atomic_store(&v->not_unit, 1);
}

static void check_rows(void *argument, int64_t first, int64_t last) {
    verifying *v = argument;
    int64_t from = cafe_portion_of(v->rows->portion, v->rows->nodes).first;
    tally t = {.unit = true};
    if (atomic_load(&v->bad) < from + first) return;
    for (int64_t u = from + first, next; u < from + last; u = next) {
        next = u + SIDE < from + last ? u + SIDE : from + last;
        if (scan_rows(v->rows, u, next, &t)) {
            for (; v->symmetry && u < next; u++) add_hashes(v, u, &t);
            continue;
        }
        while (scan_row(v->rows, u, &t) == CAFE_ROW_FINE) u++;
        cafe_lower(&v->bad, u);
        return;
    }
    add_tally(v, &t);
}

/* Adds the results of the other processes to those of this one. */
static cafe_status add_shared(cafe_context *context, verifying *v) {
    tally mine = {atomic_load(&v->above), atomic_load(&v->loops),  !atomic_load(&v->not_unit),
                  atomic_load(&v->sum),   atomic_load(&v->digest), atomic_load(&v->bad)};
    void *all = NULL;
    CAFE_PASS(cafe_team_gather(context, &mine, sizeof mine, &all, NULL));
    for (int32_t r = 0; r < cafe_team_ranks(context); r++) {
        const tally *t = (const tally *)all + r;
        if (r != cafe_team_rank(context)) add_tally(v, t);
        cafe_lower(&v->bad, t->bad);
    }
    cafe_mem_free(context, all);
    return CAFE_OK;
}

static cafe_status verify(cafe_context *context, const cafe_links *rows, bool symmetry,
                          const uint64_t key[2], cafe_verified *found) {
    verifying v = {.rows = rows, .symmetry = symmetry, .key = {key[0], key[1]}};
    v.hash = cafe_kernels_best()->hash_links;
    tally ignored = {.unit = true};
    cafe_portion portion = cafe_portion_of(rows->portion, rows->nodes);
    atomic_store(&v.bad, INT64_MAX);
    CAFE_PASS(cafe_ranges(context, portion.last - portion.first, ROWS, check_rows, &v));
    if (portion.shared) CAFE_PASS(add_shared(context, &v));
    *found = (cafe_verified){.row = atomic_load(&v.bad),
                             .above = atomic_load(&v.above),
                             .loops = atomic_load(&v.loops),
                             .unit = !atomic_load(&v.not_unit),
                             .seal = {{key[0], key[1]}, atomic_load(&v.digest)}};
    if (found->row < INT64_MAX) found->fault = scan_row(rows, found->row, &ignored);
    found->symmetric =
        atomic_load(&v.sum) == 0 && (!symmetry || rows->count - found->loops == 2 * found->above);
    return CAFE_OK;
}

cafe_status cafe_verify_rows(cafe_context *context, const cafe_links *rows, bool symmetry,
                             cafe_verified *found) {
    uint64_t key[2];
    void *keys = NULL;
    cafe_os_random(key, sizeof key);
    if (rows->portion.shared) { /* the first process's for all */
        CAFE_PASS(cafe_team_gather(context, key, sizeof key, &keys, NULL));
        memcpy(key, keys, sizeof key);
        cafe_mem_free(context, keys);
    }
    return verify(context, rows, symmetry, key, found);
}

cafe_status cafe_verify_seal(cafe_context *context, const cafe_links *rows, const cafe_seal *seal,
                             bool *same) {
    cafe_verified now;
    CAFE_PASS(verify(context, rows, true, seal->key, &now));
    *same = now.fault == CAFE_ROW_FINE && now.symmetric && now.seal.digest == seal->digest;
    return CAFE_OK;
}

/* ---- the entry that has no partner ----------------------------------------------------------- */

typedef struct pairing {
    const cafe_links *rows;
    atomic_llong bad; /* the first entry */
} pairing;

static bool has_partner(const cafe_links *l, int64_t u, int64_t i) {
    int64_t w = l->target[i], end = l->offsets[w + 1];
    int64_t at = cafe_row_find(l->target, l->offsets[w], end, u);
    return at < end && l->target[at] == u && (!l->weights || l->weights[at] == l->weights[i]);
}

static void pair_rows(void *argument, int64_t first, int64_t last) {
    pairing *p = argument;
    for (int64_t u = first; u < last; u++)
        for (int64_t i = p->rows->offsets[u]; i < p->rows->offsets[u + 1]; i++)
            if (!has_partner(p->rows, u, i)) {
                cafe_lower(&p->bad, i);
                return;
            }
}

cafe_status cafe_find_one_way(cafe_context *context, const cafe_links *rows, int64_t *u,
                              int64_t *w) {
    pairing p = {.rows = rows};
    *u = *w = -1;
    atomic_store(&p.bad, INT64_MAX);
    CAFE_PASS(cafe_ranges(context, rows->nodes, ROWS, pair_rows, &p));
    int64_t i = atomic_load(&p.bad);
    if (i == INT64_MAX) return CAFE_OK;
    for (*u = 0; rows->offsets[*u + 1] <= i;) ++*u;
    *w = rows->target[i];
    return CAFE_OK;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A table of nodes by name: open addressing, at most half full. Tasks put their names in at the
 * same time: a slot once taken stays, so the later of two equal names meets the earlier one on its
 * way. The hash has a key, so that no file can make all names fall on one slot. */
typedef struct table {
    const cafe_names *names;
    uint64_t key[2], mask;
    int32_t *slots; /* a node, or -1 */
    atomic_int repeated;
} table;

static uint64_t hash_name(const table *t, int64_t u) {
    const char *text = t->names->text + t->names->start[u];
    int64_t left = t->names->start[u + 1] - t->names->start[u];
    uint64_t h = t->key[0] ^ (uint64_t)left, word;
    for (; left > 0; text += 8, left -= 8) {
        word = 0;
        memcpy(&word, text, left < 8 ? (size_t)left : 8);
        h = mix(h ^ word) + t->key[1];
    }
    return mix(h);
}

static bool same_name(const cafe_names *names, int64_t u, int64_t w) {
    int64_t length = names->start[u + 1] - names->start[u];
    return length == names->start[w + 1] - names->start[w] &&
           memcmp(names->text + names->start[u], names->text + names->start[w], (size_t)length) ==
               0;
}

/* False when the name is there already. */
static bool put_name(table *t, int64_t u) {
    for (uint64_t at = hash_name(t, u);; at++) {
        int32_t *slot = &t->slots[at & t->mask], other = -1;
        if (__atomic_compare_exchange_n(slot, &other, (int32_t)u, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
        if (same_name(t->names, u, other)) return false;
    }
}

static void put_names(void *argument, int64_t first, int64_t last) {
    table *t = argument;
    for (int64_t u = first; u < last; u++)
        if (!put_name(t, u)) atomic_store(&t->repeated, 1);
}

cafe_status cafe_find_repeated_name(cafe_context *context, const cafe_names *names, int64_t n,
                                    int64_t *repeated) {
    table t = {.names = names, .mask = 7};
    cafe_status status = CAFE_OK;
    *repeated = -1;
    while (t.mask < 2 * (uint64_t)n) t.mask = 2 * t.mask + 1;
    t.slots = cafe_mem(context, (int64_t)t.mask + 1, sizeof *t.slots);
    if (!t.slots) return CAFE_ERROR_MEMORY;
    memset(t.slots, 0xFF, (size_t)(t.mask + 1) * sizeof *t.slots);
    cafe_os_random(t.key, sizeof t.key);
    CAFE_TRY(cafe_ranges(context, n, ROWS, put_names, &t));
    if (!atomic_load(&t.repeated)) goto done;
    /* again, one name after the other: the first repeated name does not depend on the threads */
    memset(t.slots, 0xFF, (size_t)(t.mask + 1) * sizeof *t.slots);
    for (int64_t u = 0; u < n && *repeated < 0; u++)
        if (!put_name(&t, u)) *repeated = u;
done:
    cafe_mem_free(context, t.slots);
    return status;
}
