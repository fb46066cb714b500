/* Two-sided data: the same id in both columns means two nodes.
 *
 *     left(u)  = number of sources before u,   right(u) = number of all sources + targets before u
 *
 * If any id is in both columns, the names of all targets begin with "right:", so that the rule does
 * not depend on the single name. A source whose own name begins so would then be ambiguous, and is
 * refused.
 */
#include "io/two_sides.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "io/digits.h"
#include "io/name_format.h"

enum { BLOCK = 1 << 16 };

static const char prefix[] = "right:";
enum { PREFIX = sizeof prefix - 1 };

typedef struct sides {
    cafe_edge_list *list;
    int64_t n;
    atomic_uchar *on[2]; /* of each node: is it a source, a target? */
    int32_t *became[2];  /* its number as one */
    int64_t count[2], shared;
    const cafe_names *names; /* of the nodes as they were */
} sides;

static void mark_block(void *argument, int64_t task) {
    sides *s = argument;
    const int32_t *ends[2] = {s->list->source, s->list->target};
    int64_t end = cafe_block_end(s->list->count, BLOCK, task);
    for (int k = 0; k < 2; k++)
        for (int64_t i = task * BLOCK; i < end; i++)
            atomic_store_explicit(&s->on[k][ends[k][i]], 1, memory_order_relaxed);
}

static void rename_block(void *argument, int64_t task) {
    sides *s = argument;
    int32_t *ends[2] = {s->list->source, s->list->target};
    int64_t end = cafe_block_end(s->list->count, BLOCK, task);
    for (int k = 0; k < 2; k++)
        for (int64_t i = task * BLOCK; i < end; i++) ends[k][i] = s->became[k][ends[k][i]];
}

static void number(sides *s) {
    for (int64_t u = 0; u < s->n; u++) {
        for (int k = 0; k < 2; k++) s->became[k][u] = s->on[k][u] ? (int32_t)s->count[k]++ : -1;
        s->shared += s->on[0][u] && s->on[1][u];
    }
    for (int64_t u = 0; u < s->n; u++)
        if (s->became[1][u] >= 0) s->became[1][u] += (int32_t)s->count[0];
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The length of the new name of node u on a side, which is written to `text` unless it is NULL. */
static int64_t put_name(const sides *s, int64_t u, int side, char *text) {
    int64_t before = side == 1 && s->shared > 0 ? PREFIX : 0;
    if (!text) return before + (int64_t)cafe_names_get(s->names, u, NULL, 0);
    memcpy(text, prefix, (size_t)before);
    return cafe_put_name(s->names, u, text + before) - text;
}

static cafe_status check_name(const sides *s, const char *text, int64_t length, int side) {
    if (side == 0 && s->shared > 0 && length >= PREFIX && memcmp(text, prefix, PREFIX) == 0)
        return cafe_fail(s->list->context, CAFE_ERROR_FORMAT,
                         "%s: expected names of sources that do not begin with %s, which " CAFE_OPT(
                             "bipartite") " puts before those of targets, found '%.*s'",
                         s->list->name, prefix, (int)(length < 100 ? length : 100), text);
    if (length > CAFE_LONGEST_NAME)
        return cafe_fail(s->list->context, CAFE_ERROR_FORMAT,
                         "%s: expected names of at most %d bytes, found a longer one behind %s",
                         s->list->name, CAFE_LONGEST_NAME, prefix);
    return CAFE_OK;
}

static cafe_status put_names(const sides *s, int64_t *start, char **text) {
    int64_t at = 0, node = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t u = 0; u < s->n; u++) {
            if (s->became[side][u] < 0) continue;
            start[node++] = at;
            if (*text) CAFE_PASS(check_name(s, *text + at, put_name(s, u, side, *text + at), side));
            at += put_name(s, u, side, NULL);
        }
    start[node] = at;
    if (*text) return CAFE_OK;
    *text = cafe_mem(s->list->context, at + CAFE_INTEGER_TEXT, 1);
    return *text ? put_names(s, start, text) : CAFE_ERROR_MEMORY;
}

static cafe_status name_sides(sides *s, cafe_names *names) {
    cafe_context *context = s->list->context;
    char *text = NULL;
    int64_t n = s->count[0] + s->count[1];
    int64_t *start = cafe_mem(context, n + 1, sizeof *start);
    cafe_status status = start ? put_names(s, start, &text) : CAFE_ERROR_MEMORY;
    if (status != CAFE_OK) {
        cafe_mem_free_all(context, start, text);
        return status;
    }
    cafe_names_free(context, names);
    *names = (cafe_names){.kind = CAFE_NAMES_STRING, .start = start, .text = text};
    return cafe_names_settle(context, n, names);
}

/* ---- the whole ------------------------------------------------------------------------------- */

cafe_status cafe_edge_list_sides(cafe_edge_list *list, int64_t *nodes, cafe_names *names,
                                 int64_t *left) {
    cafe_context *context = list->context;
    sides s = {.list = list, .n = *nodes, .names = names};
    int64_t blocks = cafe_blocks(list->count, BLOCK);
    cafe_status status = CAFE_OK;
    for (int k = 0; k < 2; k++) {
        s.on[k] = cafe_mem_zero(context, s.n, sizeof *s.on[k]);
        s.became[k] = cafe_mem(context, s.n, sizeof *s.became[k]);
        CAFE_TRY(cafe_mem_had(s.on[k], s.became[k]));
    }
    CAFE_TRY(cafe_each(context, blocks, mark_block, &s));
    number(&s);
    if (s.count[0] + s.count[1] > CAFE_MOST_NODES)
        CAFE_TRY(cafe_fail(context, CAFE_ERROR_FORMAT,
                           "%s: expected at most %d nodes on both sides together, found more",
                           list->name, CAFE_MOST_NODES));
    CAFE_TRY(cafe_each(context, blocks, rename_block, &s));
    CAFE_TRY(name_sides(&s, names));
    *nodes = s.count[0] + s.count[1];
    *left = s.count[0];
done:
    for (int k = 0; k < 2; k++) cafe_mem_free_all(context, s.on[k], s.became[k]);
    return status;
}
