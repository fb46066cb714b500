/* Edges into buckets of rows.
 *
 * If arcs were written straight into their rows, every arc of a large graph would miss the cache.
 * So there are at most some thousand buckets, each with one place to write to. The arcs of a bucket
 * and its part of the row offsets fit the cache of a core, where the next step sorts them into
 * rows.
 *
 *   count    each task counts the arcs of its edges for each bucket; finds bad edges, loops and
 *            zero weights
 *   plan     sums over tasks and buckets give each task its own range of each bucket
 *   scatter  each task writes its arcs there
 *
 * No two tasks write to the same place, and these places do not depend on the threads.
 */
#include "graph/buckets.h"

#include <float.h>
#include <inttypes.h>

#include "base/memory.h"
#include "base/thread_pool.h"

enum { LEAST_LINKS = 1 << 16, MOST_TASKS = 256 }; /* a task has at least this many edges */
enum { ROW_BITS = 16 };                           /* of a row in its bucket */
enum {
    FEW_ARCS = 1 << 10,
    FEW = 256
};                                         /* this number of buckets, unless they get too
                                            * small, */
enum { MANY_ARCS = 1 << 16, MANY = 1024 }; /* and more when they are too large */

typedef struct partition {
    cafe_context *context;
    const cafe_links *links;
    cafe_buckets *buckets;
    bool keep_loops, weighted;
    int64_t step, tasks; /* edges of a task */
    int64_t *cursors;    /* of each task, one per bucket: counts, then places */
    atomic_llong bad;    /* the first bad edge */
    atomic_llong self_loops, zero_weights;
} partition;

typedef enum fate { KEPT, LOOP, ZERO, BAD } fate;

typedef struct link {
    int32_t u, w;
    float weight;
    fate fate;
} link;

/* ---- edges ----------------------------------------------------------------------------------- */

/* The row that entry i of compressed rows is in. */
static int64_t row_of(const cafe_links *links, int64_t i) {
    int64_t low = 0, high = links->nodes;
    if (!links->offsets) return 0;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (links->offsets[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Edge i; *row follows i through compressed rows. */
static inline link link_at(const cafe_links *links, int64_t i, int64_t *row) {
    uint32_t n = (uint32_t)links->nodes;
    link l = {.w = links->target[i], .weight = links->weights ? links->weights[i] : 1};
    if (links->source) {
        l.u = links->source[i];
    } else {
        while (links->offsets[*row + 1] <= i) ++*row;
        l.u = (int32_t)*row;
    }
    if ((uint32_t)l.u >= n || (uint32_t)l.w >= n || !(l.weight >= 0 && l.weight <= FLT_MAX))
        l.fate = BAD;
    else if (l.weight == 0)
        l.fate = ZERO;
    else
        l.fate = l.u == l.w ? LOOP : KEPT;
    return l;
}

static cafe_status report_bad(const partition *p, int64_t i) {
    const char *what = p->links->matrix ? "entry" : "edge";
    if (i == INT64_MAX) return CAFE_OK;
    int64_t row = row_of(p->links, i);
    link l = link_at(p->links, i, &row);
    int32_t id = l.u < 0 || l.u >= p->links->nodes ? l.u : l.w;
    if (id < 0 || id >= p->links->nodes)
        return cafe_fail(p->context, CAFE_ERROR_ARGUMENT,
                         "%s %" PRId64 ": node %" PRId32 " is not within 0 .. %" PRId64, what, i,
                         id, p->links->nodes - 1);
    return cafe_fail(p->context, CAFE_ERROR_ARGUMENT,
                     "%s %" PRId64 ": the weight %g is not a finite number of at least 0", what, i,
                     (double)l.weight);
}

/* ---- count, plan, scatter -------------------------------------------------------------------- */

static void count_links(void *argument, int64_t task) {
    partition *p = argument;
    int32_t shift = p->buckets->shift;
    int64_t begin = task * p->step, end = cafe_block_end(p->links->count, p->step, task);
    int64_t row = row_of(p->links, begin), of[4] = {0};
    int64_t *counts = p->cursors + task * p->buckets->count;
    for (int64_t b = 0; b < p->buckets->count; b++) counts[b] = 0;
    for (int64_t i = begin; i < end; i++) {
        link l = link_at(p->links, i, &row);
        if (l.fate == BAD) cafe_lower(&p->bad, i);
        if (l.fate == BAD) continue;
        bool here = cafe_has_row(p->links, l.u), there = cafe_has_row(p->links, l.w);
        of[l.fate] += here; /* an edge that several processes have counts where its row is */
        if (here && (l.fate == KEPT || (l.fate == LOOP && p->keep_loops))) counts[l.u >> shift]++;
        if (there && l.fate == KEPT) counts[l.w >> shift]++;
    }
    atomic_fetch_add(&p->self_loops, of[LOOP]);
    atomic_fetch_add(&p->zero_weights, of[ZERO]);
}

/* begin[b+1] = arcs in buckets 0 .. b. The counts of a task become the places that it writes to,
 * after those of the tasks before it. */
static void plan(partition *p) {
    int64_t count = p->buckets->count, *begin = p->buckets->begin;
    for (int64_t b = 0; b <= count; b++) begin[b] = 0;
    for (int64_t *c = p->cursors; c < p->cursors + p->tasks * count; c += count)
        for (int64_t b = 0; b < count; b++) {
            int64_t arcs = c[b];
            c[b] = begin[b + 1];
            begin[b + 1] += arcs;
        }
    for (int64_t b = 0; b < count; b++) begin[b + 1] += begin[b];
    for (int64_t *c = p->cursors; c < p->cursors + p->tasks * count; c += count)
        for (int64_t b = 0; b < count; b++) c[b] += begin[b];
}

static inline void place(const cafe_buckets *to, int64_t *cursors, link l, uint32_t direction) {
    int64_t at = cursors[l.u >> to->shift]++;
    to->keys[at] = (uint32_t)l.w << 1 | direction;
    to->rows[at] = (uint16_t)(l.u & ((1 << to->shift) - 1));
    if (to->weights) to->weights[at] = l.weight;
}

static void scatter_links(void *argument, int64_t task) {
    partition *p = argument;
    const cafe_buckets to = *p->buckets;
    int64_t begin = task * p->step, end = cafe_block_end(p->links->count, p->step, task);
    int64_t row = row_of(p->links, begin), *cursors = p->cursors + task * to.count;
    for (int64_t i = begin; i < end; i++) {
        link l = link_at(p->links, i, &row);
        link back = {.u = l.w, .w = l.u, .weight = l.weight};
        uint32_t direction = l.u > l.w;
        bool here = cafe_has_row(p->links, l.u), there = cafe_has_row(p->links, l.w);
        if (here && (l.fate == KEPT || (l.fate == LOOP && p->keep_loops)))
            place(&to, cursors, l, direction);
        if (there && l.fate == KEPT) place(&to, cursors, back, direction);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int64_t at_most(int64_t x, int64_t most) {
    return x < most ? x : most;
}

static int64_t at_least(int64_t x, int64_t least) {
    return x > least ? x : least;
}

/* Enough buckets for any number of threads, more if one would outgrow the cache. A task has so many
 * edges that most of its work is counting, not clearing the counts. */
static void choose_sizes(partition *p) {
    const cafe_links *l = p->links;
    cafe_buckets *b = p->buckets;
    int64_t few = at_most(l->count / (FEW_ARCS / 2), FEW);
    int64_t many = at_most(l->count / (MANY_ARCS / 2), MANY);
    int64_t most = at_least(at_least(few, many), 1);
    while (b->shift < ROW_BITS && cafe_blocks(l->nodes, (int64_t)1 << b->shift) > most) b->shift++;
    b->count = cafe_blocks(l->nodes, (int64_t)1 << b->shift);
    p->step = at_least(cafe_blocks(l->count, MOST_TASKS), at_least(LEAST_LINKS, 4 * b->count));
    p->tasks = cafe_blocks(l->count, p->step);
}

static cafe_status make_room(partition *p) {
    cafe_buckets *b = p->buckets;
    int64_t arcs = b->begin[b->count];
    b->rows = cafe_mem(p->context, arcs, sizeof *b->rows);
    b->keys = cafe_mem(p->context, arcs, sizeof *b->keys);
    if (p->weighted) b->weights = cafe_mem(p->context, arcs, sizeof *b->weights);
    return b->rows && b->keys && (b->weights || !p->weighted) ? CAFE_OK : CAFE_ERROR_MEMORY;
}

cafe_status cafe_partition(cafe_context *context, const cafe_links *links, bool keep_loops,
                           bool weighted, cafe_buckets *buckets) {
    partition p = {.context = context, .links = links, .buckets = buckets};
    cafe_status status = CAFE_ERROR_MEMORY;
    *buckets = (cafe_buckets){0};
    p.keep_loops = keep_loops;
    p.weighted = weighted;
    atomic_store(&p.bad, INT64_MAX);
    choose_sizes(&p);
    buckets->begin = cafe_mem(context, buckets->count + 1, sizeof *buckets->begin);
    p.cursors = cafe_mem(context, p.tasks * buckets->count, sizeof *p.cursors);
    if (!buckets->begin || !p.cursors) goto done;
    CAFE_TRY(cafe_each(context, p.tasks, count_links, &p));
    CAFE_TRY(report_bad(&p, atomic_load(&p.bad)));
    plan(&p);
    CAFE_TRY(make_room(&p));
    CAFE_TRY(cafe_each(context, p.tasks, scatter_links, &p));
    buckets->self_loops = atomic_load(&p.self_loops);
    buckets->zero_weights = atomic_load(&p.zero_weights);
done:
    cafe_mem_free(context, p.cursors);
    if (status != CAFE_OK) cafe_buckets_free(context, buckets);
    return status;
}

void cafe_buckets_free(cafe_context *context, cafe_buckets *buckets) {
    cafe_mem_free_all(context, buckets->begin, buckets->rows, buckets->keys, buckets->weights);
    *buckets = (cafe_buckets){0};
}
