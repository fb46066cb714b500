/* One array in terms of another: communities by labels.
 *
 * Two stable sorts bring equal pairs (given, value) together in runs. Two more sorts bring the runs
 * into the order of the table, by given and falling length.
 */
#include "base/memory.h"
#include "draw/view_pack.h"

typedef struct sorting {
    cafe_context *context;
    uint32_t *code, *first, *second; /* scratch of n numbers each */
} sorting;

/* order[n] gets 0 .. n-1 by `major`, then `minor`, then number. */
static cafe_status sort_pairs(sorting *s, int64_t n, const uint32_t *major, const uint32_t *minor,
                              uint32_t *order) {
    for (int64_t i = 0; i < n; i++) s->code[i] = minor[i];
    CAFE_PASS(cafe_view_sort(s->context, n, s->code, s->first));
    for (int64_t i = 0; i < n; i++) s->code[i] = major[s->first[i]];
    cafe_status status = cafe_view_sort(s->context, n, s->code, s->second);
    for (int64_t i = 0; status == CAFE_OK && i < n; i++) order[i] = s->first[s->second[i]];
    return status;
}

typedef struct runs {
    int64_t count;
    uint32_t *start;  /* of each run in the sorted order; one more for the end */
    uint32_t *given;  /* of its pair */
    uint32_t *rarity; /* the complement of its length: the longest sort first */
} runs;

static void find_runs(int64_t n, const uint32_t *given, const uint32_t *value,
                      const uint32_t *order, runs *r) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t u = order[i], last = i > 0 ? order[i - 1] : 0;
        if (i > 0 && given[u] == given[last] && value[u] == value[last]) continue;
        r->start[r->count] = (uint32_t)i;
        r->given[r->count++] = given[u];
    }
    r->start[r->count] = (uint32_t)n;
    for (int64_t k = 0; k < r->count; k++) r->rarity[k] = ~(r->start[k + 1] - r->start[k]);
}

/* Writes the table, and the rank of each run over the values of its points. */
static void rank_runs(const runs *r, const uint32_t *by_rank, const uint32_t *order, int64_t kinds,
                      uint32_t *value, uint32_t *table) {
    int64_t at = 0, k = 0;
    for (int64_t kind = 0; kind < kinds; kind++) {
        int64_t heading = at++;
        for (; k < r->count && r->given[by_rank[k]] == kind; k++) {
            uint32_t run = by_rank[k], rank = (uint32_t)(at - heading - 1);
            table[at++] = value[order[r->start[run]]];
            for (uint32_t i = r->start[run]; i < r->start[run + 1]; i++) value[order[i]] = rank;
        }
        table[heading] = (uint32_t)(at - heading - 1);
    }
}

cafe_status cafe_view_given(cafe_context *context, int64_t n, const uint32_t *given, int64_t kinds,
                            uint32_t *value, uint32_t **table, int64_t *size) {
    enum { ARRAYS = 8 };
    uint32_t *block = cafe_mem(context, ARRAYS * (n + 1), sizeof *block);
    cafe_status status = block ? CAFE_OK : CAFE_ERROR_MEMORY;
    *table = NULL;
    if (!block) goto done;
    uint32_t *part[ARRAYS];
    for (int a = 0; a < ARRAYS; a++) part[a] = block + a * (n + 1);
    sorting s = {context, part[0], part[1], part[2]};
    uint32_t *order = part[3], *by_rank = part[4];
    runs r = {0, part[5], part[6], part[7]};
    CAFE_TRY(sort_pairs(&s, n, given, value, order));
    find_runs(n, given, value, order, &r);
    CAFE_TRY(sort_pairs(&s, r.count, r.given, r.rarity, by_rank));
    *size = kinds + r.count;
    *table = cafe_mem(context, *size, sizeof **table);
    if (!*table) CAFE_TRY(CAFE_ERROR_MEMORY);
    rank_runs(&r, by_rank, order, kinds, value, *table);
done:
    cafe_mem_free(context, block);
    return status;
}
