/* The builder: links in any order, any number of times, become symmetric sorted rows.
 *
 *   count    every link adds one to the row of each of its ends; bad ones are found, loops and
 *            zero weights are counted out
 *   scatter  each end writes the other into its row, through the row's cursor
 *   merge    each row is sorted and entries of the same pair become one
 *   close    the gaps between the merged rows go
 *
 * Threads race for places in a row, but only before it is sorted, and by all that matters (the
 * other end, the direction, the weight): the rows are the same for any number of threads and any
 * order of the links.
 *
 * An entry is the key 2 w + d for a link to w, where d = 1 when it was listed from its larger end
 * to its smaller one. The direction tells repeated links from reversed ones, and since both ends
 * of a pair see the same d, both add the same weights in the same order: a(u,w) = a(w,u) to the
 * last bit.
 */
#include "graph/build.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"

enum { LINKS = 1 << 16, ROWS = 256, SPARE = 8 };

/* The merged rows of one block of rows: `length` entries from `begin`, to be moved to `to`. */
typedef struct piece {
    int64_t begin, length, to;
} piece;

typedef struct build {
    cafe_context *context;
    const cafe_links *links;
    bool keep_loops, sum;
    int64_t blocks; /* of rows */
    /* offsets[u+1] counts row u, then is its cursor, then its end. */
    int64_t *offsets;
    uint32_t *targets;
    float *weights; /* NULL when every weight must be 1 */
    piece *pieces;
    uint32_t *moved_targets; /* where close() copies to */
    float *moved_weights;
    atomic_llong bad, heavy; /* the first bad link, the first row with a weight too large */
    atomic_llong self_loops, zero_weights, edges, duplicates, reversed;
    atomic_int not_unit, not_symmetric;
} build;

typedef enum fate { KEPT, LOOP, ZERO, BAD } fate;

typedef struct link {
    int32_t u, w;
    float weight;
    fate fate;
} link;

/* ---- links ----------------------------------------------------------------------------------- */

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

/* Link i; *row follows i through compressed rows. */
static inline link link_at(const build *b, int64_t i, int64_t *row) {
    const cafe_links *links = b->links;
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

static void lower(atomic_llong *least, long long value) {
    long long now = atomic_load(least);
    while (value < now && !atomic_compare_exchange_weak(least, &now, value)) {
    }
}

static inline int64_t take(int64_t *cursor) {
    return __atomic_fetch_add(cursor, 1, __ATOMIC_RELAXED);
}

static void count_links(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    int64_t begin = task * LINKS, end = cafe_block_end(b->links->count, LINKS, task);
    int64_t row = row_of(b->links, begin), of[4] = {0};
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        link l = link_at(b, i, &row);
        of[l.fate]++;
        if (l.fate == BAD) lower(&b->bad, i);
        if (l.fate == KEPT || (l.fate == LOOP && b->keep_loops)) take(&b->offsets[l.u + 1]);
        if (l.fate == KEPT) take(&b->offsets[l.w + 1]);
    }
    atomic_fetch_add(&b->self_loops, of[LOOP]);
    atomic_fetch_add(&b->zero_weights, of[ZERO]);
}

static inline void place(build *b, int32_t u, int32_t w, uint32_t direction, float weight) {
    int64_t at = take(&b->offsets[u + 1]);
    b->targets[at] = (uint32_t)w << 1 | direction;
    if (b->weights) b->weights[at] = weight;
}

static void scatter_links(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    int64_t begin = task * LINKS, end = cafe_block_end(b->links->count, LINKS, task);
    int64_t row = row_of(b->links, begin);
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        link l = link_at(b, i, &row);
        uint32_t direction = l.u > l.w;
        if (l.fate == KEPT || (l.fate == LOOP && b->keep_loops))
            place(b, l.u, l.w, direction, l.weight);
        if (l.fate == KEPT) place(b, l.w, l.u, direction, l.weight);
    }
}

/* Counts to cursors: offsets[u+1] becomes the start of row u. Returns the number of entries. */
static int64_t start_rows(int64_t *offsets, int64_t n) {
    int64_t sum = 0;
    for (int64_t u = 0; u < n; u++) {
        int64_t count = offsets[u + 1];
        offsets[u + 1] = sum;
        sum += count;
    }
    return sum;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct found {
    int64_t edges, duplicates, reversed;
    bool not_unit, not_symmetric, heavy;
} found;

static inline double pool_weights(bool sum, double a, double b) {
    return sum ? a + b : (a > b ? a : b);
}

/* Entries begin .. end of row u are one pair: counts[d] of them in direction d, with the weights
 * of each direction pooled. Writes the pair's one entry at `out`. */
static void merge_pair(build *b, int64_t u, int64_t begin, int64_t end, int64_t out, found *f) {
    uint32_t w = b->targets[begin] >> 1;
    int64_t counts[2] = {0, 0};
    double pooled[2] = {0, 0};
    for (int64_t i = begin; i < end; i++) {
        uint32_t d = b->targets[i] & 1;
        counts[d]++;
        pooled[d] = pool_weights(b->sum, pooled[d], b->weights ? b->weights[i] : 1);
    }
    bool both = counts[0] > 0 && counts[1] > 0;
    if (u <= w) {
        f->edges++;
        f->duplicates += end - begin - 1 - both;
        f->reversed += both;
    }
    if (u != w && pooled[0] != pooled[1]) f->not_symmetric = true;
    b->targets[out] = w;
    if (!b->weights) return;
    /* a(u,w) = the pooled weight; a(u,u) = twice it, for both ends of a loop are at u */
    double weight = pool_weights(b->sum, pooled[0], pooled[1]) * (u == w ? 2 : 1);
    if (weight > FLT_MAX) f->heavy = true;
    if (weight != 1) f->not_unit = true;
    b->weights[out] = (float)weight;
}

/* Sorts entries begin .. end, writes the merged row at `out`; returns its end. */
static int64_t merge_row(build *b, int64_t u, int64_t begin, int64_t end, int64_t out, found *f) {
    cafe_sort_row(b->targets + begin, b->weights ? b->weights + begin : NULL, end - begin);
    while (begin < end) {
        int64_t next = begin + 1;
        while (next < end && b->targets[next] >> 1 == b->targets[begin] >> 1) next++;
        merge_pair(b, u, begin, next, out++, f);
        begin = next;
    }
    return out;
}

/* Merges a block of rows to its front; offsets[u+1] becomes the row's end within the block. */
static void merge_rows(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    int64_t stop = cafe_block_end(b->links->nodes, ROWS, task);
    piece *p = &b->pieces[task];
    int64_t begin = p->begin, out = p->begin;
    found f = {0};
    (void)worker;
    for (int64_t u = task * ROWS; u < stop; u++) {
        int64_t end = b->offsets[u + 1];
        out = merge_row(b, u, begin, end, out, &f);
        b->offsets[u + 1] = out - p->begin;
        begin = end;
        if (f.heavy) lower(&b->heavy, u);
        f.heavy = false;
    }
    p->length = out - p->begin;
    atomic_fetch_add(&b->edges, f.edges);
    atomic_fetch_add(&b->duplicates, f.duplicates);
    atomic_fetch_add(&b->reversed, f.reversed);
    if (f.not_unit) atomic_store(&b->not_unit, 1);
    if (f.not_symmetric) atomic_store(&b->not_symmetric, 1);
}

/* ---- closing the gaps ------------------------------------------------------------------------ */

/* Where each piece goes; returns the number of entries that remain. */
static int64_t plan_pieces(build *b) {
    int64_t sum = 0;
    for (int64_t i = 0; i < b->blocks; i++) {
        b->pieces[i].to = sum;
        sum += b->pieces[i].length;
    }
    return sum;
}

static void shift_offsets(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    int64_t stop = cafe_block_end(b->links->nodes, ROWS, task);
    (void)worker;
    for (int64_t u = task * ROWS; u < stop; u++) b->offsets[u + 1] += b->pieces[task].to;
}

static void copy_piece(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    const piece *p = &b->pieces[task];
    size_t bytes = (size_t)p->length * sizeof(uint32_t);
    (void)worker;
    memcpy(b->moved_targets + p->to, b->targets + p->begin, bytes);
    if (b->moved_weights) memcpy(b->moved_weights + p->to, b->weights + p->begin, bytes);
}

/* Many entries went: copies the rest to arrays of their size and frees the larger ones. */
static cafe_status copy_pieces(build *b, int64_t arcs) {
    cafe_status status = CAFE_ERROR_MEMORY;
    b->moved_targets = cafe_mem(b->context, arcs, sizeof *b->targets);
    if (!b->moved_targets) goto done;
    if (b->weights) {
        b->moved_weights = cafe_mem(b->context, arcs, sizeof *b->weights);
        if (!b->moved_weights) goto done;
    }
    CAFE_TRY(cafe_parallel(b->context, b->blocks, copy_piece, b));
    cafe_mem_free(b->context, b->targets);
    cafe_mem_free(b->context, b->weights);
    b->targets = b->moved_targets;
    b->weights = b->moved_weights;
    b->moved_targets = NULL;
    b->moved_weights = NULL;
done:
    return status;
}

/* Few entries went: moves the pieces down, in order, and leaves the spare room at the end. */
static cafe_status slide_pieces(build *b) {
    cafe_status status = CAFE_OK;
    for (const piece *p = b->pieces; p < b->pieces + b->blocks && status == CAFE_OK; p++) {
        size_t bytes = (size_t)p->length * sizeof(uint32_t);
        if (p->to == p->begin) continue;
        memmove(b->targets + p->to, b->targets + p->begin, bytes);
        if (b->weights) memmove(b->weights + p->to, b->weights + p->begin, bytes);
        status = cafe_check_cancel(b->context);
    }
    return status;
}

static cafe_status close_gaps(build *b, int64_t before, int64_t *arcs) {
    cafe_status status;
    *arcs = plan_pieces(b);
    CAFE_TRY(cafe_parallel(b->context, b->blocks, shift_offsets, b));
    if (before - *arcs > before / SPARE)
        CAFE_TRY(copy_pieces(b, *arcs));
    else
        CAFE_TRY(slide_pieces(b));
done:
    return status;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* A symmetric matrix stays what it is: both directions were pooled, and of a loop both ends. */
static void halve_rows(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    int64_t stop = cafe_block_end(b->links->nodes, ROWS, task);
    bool not_unit = false;
    (void)worker;
    for (int64_t u = task * ROWS; u < stop; u++)
        for (int64_t i = b->offsets[u]; i < b->offsets[u + 1]; i++) {
            if (b->sum || b->targets[i] == u) b->weights[i] /= 2;
            not_unit |= b->weights[i] != 1;
        }
    if (not_unit) atomic_store(&b->not_unit, 1);
}

static cafe_status settle_weights(build *b) {
    cafe_status status = CAFE_OK;
    if (b->weights && b->links->matrix && !atomic_load(&b->not_symmetric)) {
        atomic_store(&b->not_unit, 0);
        CAFE_TRY(cafe_parallel(b->context, b->blocks, halve_rows, b));
    }
    if (!atomic_load(&b->not_unit)) {
        cafe_mem_free(b->context, b->weights);
        b->weights = NULL;
    }
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status report_bad(const build *b) {
    int64_t i = atomic_load((atomic_llong *)&b->bad), row = 0;
    const char *what = b->links->matrix ? "entry" : "link";
    if (i == INT64_MAX) return CAFE_OK;
    row = row_of(b->links, i);
    link l = link_at(b, i, &row);
    int32_t id = l.u < 0 || l.u >= b->links->nodes ? l.u : l.w;
    if (id < 0 || id >= b->links->nodes)
        return cafe_fail(b->context, CAFE_ERROR_ARGUMENT,
                         "%s %" PRId64 ": node %" PRId32 " is not within 0 .. %" PRId64, what, i,
                         id, b->links->nodes - 1);
    return cafe_fail(b->context, CAFE_ERROR_ARGUMENT,
                     "%s %" PRId64 ": the weight %g is not a finite number of at least 0", what, i,
                     (double)l.weight);
}

static cafe_status report_heavy(const build *b) {
    int64_t u = atomic_load((atomic_llong *)&b->heavy);
    if (u == INT64_MAX) return CAFE_OK;
    return cafe_fail(b->context, CAFE_ERROR_ARGUMENT,
                     "node %" PRId64 ": the weights of an edge add up to more than a float holds",
                     u);
}

/* Arrays for `arcs` entries and the pieces, which remember where the blocks of rows begin. */
static cafe_status make_room(build *b, int64_t arcs, bool weighted) {
    b->targets = cafe_mem(b->context, arcs, sizeof *b->targets);
    b->pieces = cafe_mem(b->context, b->blocks, sizeof *b->pieces);
    if (weighted) b->weights = cafe_mem(b->context, arcs, sizeof *b->weights);
    if (!b->targets || !b->pieces || (weighted && !b->weights)) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < b->blocks; i++) b->pieces[i].begin = b->offsets[i * ROWS + 1];
    return CAFE_OK;
}

static cafe_status fill_rows(build *b, int64_t *arcs) {
    int64_t tasks = cafe_blocks(b->links->count, LINKS);
    cafe_status status = CAFE_ERROR_MEMORY;
    b->offsets = cafe_mem_zero(b->context, b->links->nodes + 1, sizeof *b->offsets);
    if (!b->offsets) goto done;
    CAFE_TRY(cafe_parallel(b->context, tasks, count_links, b));
    CAFE_TRY(report_bad(b));
    int64_t entries = start_rows(b->offsets, b->links->nodes);
    CAFE_TRY(make_room(b, entries, b->links->weights || b->sum || b->keep_loops));
    CAFE_TRY(cafe_parallel(b->context, tasks, scatter_links, b));
    CAFE_TRY(cafe_parallel(b->context, b->blocks, merge_rows, b));
    CAFE_TRY(report_heavy(b));
    CAFE_TRY(close_gaps(b, entries, arcs));
    CAFE_TRY(settle_weights(b));
done:
    return status;
}

static void hand_over(build *b, int64_t arcs, cafe_graph *graph) {
    graph->n = b->links->nodes;
    graph->arcs = arcs;
    graph->offsets = b->offsets;
    graph->targets = (const int32_t *)b->targets;
    graph->weights = b->weights;
    graph->owns_rows = true;
    graph->counts.lines = b->links->count;
    graph->counts.edges = atomic_load(&b->edges);
    graph->counts.self_loops = atomic_load(&b->self_loops);
    graph->counts.zero_weights = atomic_load(&b->zero_weights);
    graph->counts.duplicates = atomic_load(&b->duplicates);
    graph->counts.reversed = atomic_load(&b->reversed);
    b->offsets = NULL;
    b->targets = NULL;
    b->weights = NULL;
}

static void begin(build *b, const cafe_graph_options *options) {
    int32_t rule = options->duplicates;
    if (rule == CAFE_DUPLICATES_AUTO)
        rule = b->links->weights ? CAFE_DUPLICATES_SUM : CAFE_DUPLICATES_ONE;
    b->sum = rule == CAFE_DUPLICATES_SUM;
    b->keep_loops = options->self_loops == CAFE_LOOPS_KEEP;
    b->blocks = cafe_blocks(b->links->nodes, ROWS);
    atomic_store(&b->bad, INT64_MAX);
    atomic_store(&b->heavy, INT64_MAX);
}

cafe_status cafe_graph_build(cafe_context *context, const cafe_links *links,
                             const cafe_graph_options *options, cafe_graph **graph) {
    build b = {.context = context, .links = links};
    int64_t arcs = 0;
    cafe_status status;
    *graph = NULL;
    begin(&b, options);
    CAFE_TRY(fill_rows(&b, &arcs));
    *graph = cafe_graph_new(context);
    if (!*graph) CAFE_TRY(CAFE_ERROR_MEMORY);
    hand_over(&b, arcs, *graph);
done:
    cafe_mem_free(context, b.offsets);
    cafe_mem_free(context, b.targets);
    cafe_mem_free(context, b.weights);
    cafe_mem_free(context, b.moved_targets);
    cafe_mem_free(context, b.moved_weights);
    cafe_mem_free(context, b.pieces);
    return status;
}
