/* Numbers of communities that stay the same from day to day.
 *
 * Let o(c,d) be the nodes in old community c and new community d. Then d may continue c if most of
 * c went to d or most of d came from c (update/community_changes.c). Pairs are taken by falling
 * o(c,d); a community is in one pair at most. A new community without a pair gets a number above
 * all old ones.
 */
#include "update/community_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* ---- indices --------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* numbers[] <- those that occur, ascending; returns how many. Runs of equal ones count once, which
 * shortens files that are sorted. */
static int64_t list_numbers(const int32_t *part, int64_t n, int32_t *numbers) {
    int64_t count = 0, kept = 0;
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= 0 && (count == 0 || part[u] != numbers[count - 1]))
            numbers[count++] = part[u];
    qsort(numbers, (size_t)count, sizeof *numbers, ascending);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1]) numbers[kept++] = numbers[i];
    return kept;
}

/* The same if no number is above n: counted instead of sorted. index[n + 1]. */
static int64_t count_numbers(const int32_t *part, int64_t n, int32_t *index, int32_t *numbers) {
    int64_t kept = 0;
    memset(index, 0, (size_t)(n + 1) * sizeof *index);
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= 0) index[part[u]] = 1;
    for (int64_t c = 0; c <= n; c++)
        if (index[c]) index[c] = (int32_t)kept, numbers[kept++] = (int32_t)c;
    return kept;
}

static int32_t index_of(const int32_t *numbers, int64_t count, int32_t number) {
    const int32_t *at = bsearch(&number, numbers, (size_t)count, sizeof number, ascending);
    return at ? (int32_t)(at - numbers) : -1;
}

cafe_status cafe_communities_dense(cafe_context *context, int64_t n, const int32_t *part,
                                   int32_t **numbers, int64_t *count, int32_t **dense) {
    int32_t most = -1, *index = cafe_mem(context, n + 1, sizeof *index);
    cafe_status status = CAFE_OK;
    *numbers = cafe_mem(context, n + 1, sizeof **numbers);
    *dense = cafe_mem(context, n, sizeof **dense);
    CAFE_TRY(cafe_mem_had(index, *numbers, *dense));
    for (int64_t u = 0; u < n; u++) most = part[u] > most ? part[u] : most;
    *count = most <= n ? count_numbers(part, n, index, *numbers) : list_numbers(part, n, *numbers);
    for (int64_t u = 0; u < n; u++)
        (*dense)[u] = part[u] < 0 ? -1
                      : most <= n ? index[part[u]]
                                  : index_of(*numbers, *count, part[u]);
done:
    cafe_mem_free(context, index);
    return status;
}

/* ---- numbers --------------------------------------------------------------------------------- */

typedef struct overlap {
    int64_t nodes;
    int32_t before, after;
} overlap;

static int by_nodes(const void *a, const void *b) {
    const overlap *x = a, *y = b;
    if (x->nodes != y->nodes) return x->nodes < y->nodes ? 1 : -1;
    if (x->before != y->before) return (x->before > y->before) - (x->before < y->before);
    return (x->after > y->after) - (x->after < y->after);
}

/* The pairs (c, heir of c) and (parent of d, d) with the nodes they share. Returns how many. */
static int64_t list_overlaps(const cafe_numbering *m, overlap *pair) {
    const cafe_transition_report *t = m->changes;
    int64_t count = t->old_count + t->new_count, kept = 0;
    for (int64_t c = 0; c < t->old_count; c++) pair[c] = (overlap){0, (int32_t)c, t->heir[c]};
    for (int64_t d = 0; d < t->new_count; d++)
        pair[t->old_count + d] = (overlap){0, t->parent[d], (int32_t)d};
    for (int64_t u = 0; u < m->nodes; u++) {
        int32_t c = m->start[u], d = m->part[u];
        if (c < 0) continue;
        pair[c].nodes += t->heir[c] == d;
        pair[t->old_count + d].nodes += t->parent[d] == c;
    }
    for (int64_t i = 0; i < count; i++)
        if (pair[i].nodes > 0) pair[kept++] = pair[i];
    qsort(pair, (size_t)kept, sizeof *pair, by_nodes);
    return kept;
}

/* Old community c goes on as d, unless one of them is in a pair already. */
static void pair_up(const cafe_numbering *m, int32_t c, int32_t d, uint8_t *continued,
                    int32_t *number) {
    if (continued[c] || number[d] >= 0) return;
    continued[c] = 1;
    number[d] = m->before[c];
}

/* Where nodes were kept, their community is the same one. */
cafe_status cafe_communities_number(cafe_context *context, const cafe_numbering *m,
                                    uint8_t *continued, int32_t *number) {
    const cafe_transition_report *t = m->changes;
    overlap *pair = cafe_mem(context, t->old_count + t->new_count, sizeof *pair);
    CAFE_PASS(cafe_mem_had(pair));
    int64_t pairs = list_overlaps(m, pair);
    int32_t next = t->old_count > 0 ? m->before[t->old_count - 1] + 1 : 0;
    for (int64_t d = 0; d < t->new_count; d++) number[d] = -1;
    for (int64_t i = 0; i < m->keep_count; i++)
        pair_up(m, m->start[m->keep[i]], m->part[m->keep[i]], continued, number);
    for (int64_t i = 0; i < pairs; i++)
        pair_up(m, pair[i].before, pair[i].after, continued, number);
    for (int64_t d = 0; d < t->new_count; d++)
        if (number[d] < 0) number[d] = next++;
    cafe_mem_free(context, pair);
    return CAFE_OK;
}
