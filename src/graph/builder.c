/* The builder: edges in any order, with any repetitions, become symmetric sorted rows.
 *
 *   partition  two arcs per edge go into buckets of consecutive rows (buckets.c)
 *   order      in the cache, the arcs of a bucket are sorted by row (bucket_sort.c)
 *   merge      each row is sorted, and the entries of a pair become one
 *   close      the gaps between the merged buckets are closed (compaction.c)
 *
 * Rows are sorted by other end, direction and weight, so they are the same for any order of the
 * edges and any number of threads.
 *
 * An entry is the key 2 w + d for an edge to w. d = 1 if the input listed the edge from its larger
 * end to its smaller end. The direction distinguishes repeated edges from reversed ones. Both ends
 * of a pair see the same d, so both add the same weights in the same order: a(u,w) = a(w,u) to the
 * last bit.
 */
#include "graph/builder.h"

#include <float.h>
#include <inttypes.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/bucket_sort.h"
#include "graph/buckets.h"
#include "graph/compaction.h"
#include "graph/graph.h"

/* All workers together have room for 1/SHARE of the arcs, and each for LEAST_ROOM. */
enum { SHARE = 4, LEAST_ROOM = 1 << 17 };

typedef struct build {
    cafe_context *context;
    const cafe_links *links;
    bool sum;
    bool mirrors, mirrored; /* an edge listed in both directions may count once, and does */
    cafe_buckets buckets;   /* its keys and weights become the targets and weights of the rows */
    int64_t *offsets;       /* offsets[u+1]: where row u starts in its bucket; then where it ends */
    cafe_span *spans;       /* the rest of each bucket after merging */
    int64_t arcs;           /* that remain */
    cafe_arcs ordered;      /* `room` arcs of each worker */
    int64_t room;
    atomic_llong heavy; /* the first row with a weight too large */
    atomic_llong edges, duplicates, reversed;
    atomic_int not_unit, not_symmetric;
} build;

/* ---- rows ------------------------------------------------------------------------------------ */

/* Merges the rows of a bucket, from `in` to `out`, which may be the same place. */
typedef struct merging {
    cafe_arcs in, out;
    bool sum;
    int64_t edges, duplicates, reversed;
    bool not_unit, not_symmetric, heavy;
} merging;

static inline double pool_weights(bool sum, double a, double b) {
    return sum ? a + b : (a > b ? a : b);
}

/* a(u,w) = the pooled weight; a(u,u) = twice it, for both ends of a loop are at u */
static inline void put_entry(merging *m, int64_t u, uint32_t w, double pooled, int64_t at) {
    double weight = u == w ? 2 * pooled : pooled;
    m->out.keys[at] = w;
    if (!m->out.weights) return;
    m->heavy |= weight > FLT_MAX;
    m->not_unit |= weight != 1;
    m->out.weights[at] = (float)weight;
}

/* Arc i of row u is the only one of its pair. */
static inline void keep_arc(merging *m, int64_t u, int64_t i, int64_t at) {
    uint32_t w = m->in.keys[i] >> 1;
    m->edges += u <= w;
    m->not_symmetric |= u != w;
    put_entry(m, u, w, m->in.weights ? m->in.weights[i] : 1, at);
}

/* Arcs begin .. end of row u are one pair: counts[d] of them in direction d, with the weights of
 * each direction pooled. */
static void merge_arcs(merging *m, int64_t u, int64_t begin, int64_t end, int64_t at) {
    uint32_t w = m->in.keys[begin] >> 1;
    int64_t counts[2] = {0, 0};
    double pooled[2] = {0, 0};
    for (int64_t i = begin; i < end; i++) {
        uint32_t d = m->in.keys[i] & 1;
        counts[d]++;
        pooled[d] = pool_weights(m->sum, pooled[d], m->in.weights ? m->in.weights[i] : 1);
    }
    bool both = counts[0] > 0 && counts[1] > 0;
    if (u <= w) {
        m->edges++;
        m->duplicates += end - begin - 1 - both;
        m->reversed += both;
    }
    m->not_symmetric |= u != w && pooled[0] != pooled[1];
    put_entry(m, u, w, pool_weights(m->sum, pooled[0], pooled[1]), at);
}

/* Sorts arcs begin .. end, writes the merged row at `at`; returns its end. */
static int64_t merge_row(merging *m, int64_t u, int64_t begin, int64_t end, int64_t at) {
    const uint32_t *keys = m->in.keys;
    cafe_sort_row(m->in.keys + begin, m->in.weights ? m->in.weights + begin : NULL, end - begin);
    while (begin < end) {
        int64_t next = begin + 1;
        while (next < end && keys[next] >> 1 == keys[begin] >> 1) next++;
        if (next - begin == 1)
            keep_arc(m, u, begin, at++);
        else
            merge_arcs(m, u, begin, next, at++);
        begin = next;
    }
    return at;
}

static void add_found(build *b, const merging *m) {
    atomic_fetch_add(&b->edges, m->edges);
    atomic_fetch_add(&b->duplicates, m->duplicates);
    atomic_fetch_add(&b->reversed, m->reversed);
    if (m->not_unit) atomic_store(&b->not_unit, 1);
    if (m->not_symmetric) atomic_store(&b->not_symmetric, 1);
}

static cafe_arcs room_of(const build *b, int32_t worker) {
    cafe_arcs room = b->ordered;
    room.keys += worker * b->room;
    if (room.weights) room.weights += worker * b->room;
    return room;
}

/* Merges the rows of a bucket to its front; offsets[u+1] becomes the row's end in the bucket. */
static void merge_bucket(void *argument, int64_t task, int32_t worker) {
    build *b = argument;
    int64_t first = cafe_bucket_first(&b->buckets, task);
    int64_t rows = cafe_bucket_end(&b->buckets, b->links->nodes, task) - first;
    int64_t begin = b->buckets.begin[task], count = b->buckets.begin[task + 1] - begin, at = 0;
    int64_t *starts = b->offsets + first + 1;
    merging m = {.sum = b->sum, .out.keys = b->buckets.keys + begin};
    if (b->buckets.weights) m.out.weights = b->buckets.weights + begin;
    m.in = count > b->room ? m.out : room_of(b, worker);
    cafe_order_bucket(&b->buckets, task, rows, m.in, starts);
    for (int64_t r = 0; r < rows; r++) {
        at = merge_row(&m, first + r, starts[r], r + 1 < rows ? starts[r + 1] : count, at);
        starts[r] = at;
        if (m.heavy) cafe_lower(&b->heavy, first + r);
        m.heavy = false;
    }
    b->spans[task] = (cafe_span){.begin = begin, .length = at};
    add_found(b, &m);
}

/* Ends of rows within their buckets become ends of rows. */
static void shift_offsets(void *argument, int64_t task) {
    build *b = argument;
    int64_t end = cafe_bucket_end(&b->buckets, b->links->nodes, task);
    for (int64_t u = cafe_bucket_first(&b->buckets, task); u < end; u++)
        b->offsets[u + 1] += b->spans[task].to;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Were weights added that mean one edge: of a list with each edge once in each direction, with one
 * weight? */
static bool is_mirrored(const build *b) {
    return b->mirrors && !atomic_load(&b->not_symmetric) && atomic_load(&b->duplicates) == 0;
}

/* A symmetric matrix stays itself: merging added both directions, and both ends of a loop. Of a
 * list merging added both directions of an edge. */
static void halve_rows(void *argument, int64_t task) {
    build *b = argument;
    int64_t end = cafe_bucket_end(&b->buckets, b->links->nodes, task);
    const uint32_t *targets = b->buckets.keys;
    float *weights = b->buckets.weights;
    bool not_unit = false;
    for (int64_t u = cafe_bucket_first(&b->buckets, task); u < end; u++)
        for (int64_t i = b->offsets[u]; i < b->offsets[u + 1]; i++) {
            if (targets[i] == u ? b->links->matrix : b->sum) weights[i] /= 2;
            not_unit |= weights[i] != 1;
        }
    if (not_unit) atomic_store(&b->not_unit, 1);
}

static cafe_status settle_weights(build *b) {
    b->mirrored = is_mirrored(b);
    bool once = b->links->matrix ? !atomic_load(&b->not_symmetric)
                                 : b->mirrored && !b->links->portion.shared;
    if (b->buckets.weights && once) {
        atomic_store(&b->not_unit, 0);
        CAFE_PASS(cafe_each(b->context, b->buckets.count, halve_rows, b));
    }
    if (!atomic_load(&b->not_unit)) {
        cafe_mem_free(b->context, b->buckets.weights);
        b->buckets.weights = NULL;
    }
    return CAFE_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cafe_status report_heavy(const build *b) {
    int64_t u = atomic_load(&b->heavy);
    if (u == INT64_MAX) return CAFE_OK;
    return cafe_fail(b->context, CAFE_ERROR_ARGUMENT,
                     "node %" PRId64 ": the weights of an edge add up to more than a float holds",
                     u);
}

/* Room for each worker to order a bucket in; too little for the largest when that has much of
 * all the arcs. */
static cafe_status make_room(build *b) {
    const cafe_buckets *all = &b->buckets;
    int64_t threads = b->context->threads, arcs = all->begin[all->count], largest = 0;
    for (int64_t i = 0; i < all->count; i++) {
        int64_t count = all->begin[i + 1] - all->begin[i];
        if (count > largest) largest = count;
    }
    b->room = arcs / SHARE / threads;
    if (b->room < LEAST_ROOM) b->room = LEAST_ROOM;
    if (b->room > largest) b->room = largest;
    b->ordered.keys = cafe_mem(b->context, threads * b->room, sizeof *b->ordered.keys);
    if (!b->ordered.keys) return CAFE_ERROR_MEMORY;
    if (!all->weights) return CAFE_OK;
    b->ordered.weights = cafe_mem(b->context, threads * b->room, sizeof *b->ordered.weights);
    return cafe_mem_had(b->ordered.weights);
}

static void free_room(build *b) {
    cafe_mem_free_all(b->context, b->ordered.keys, b->ordered.weights, b->buckets.rows);
    b->ordered = (cafe_arcs){NULL, NULL};
    b->buckets.rows = NULL;
}

static cafe_status merge_buckets(build *b) {
    int64_t count = b->buckets.count;
    b->offsets = cafe_mem(b->context, b->links->nodes + 1, sizeof *b->offsets);
    b->spans = cafe_mem(b->context, count, sizeof *b->spans);
    if (!b->offsets || !b->spans) return CAFE_ERROR_MEMORY;
    CAFE_PASS(make_room(b));
    CAFE_PASS(cafe_parallel(b->context, count, merge_bucket, b));
    CAFE_PASS(report_heavy(b));
    free_room(b);
    b->offsets[0] = 0;
    b->arcs = cafe_plan_spans(b->spans, count);
    return cafe_each(b->context, count, shift_offsets, b);
}

static cafe_status close_gaps(build *b) {
    int64_t count = b->buckets.count, before = b->buckets.begin[count];
    void *targets = b->buckets.keys, *weights = b->buckets.weights;
    cafe_status status;
    CAFE_TRY(cafe_close_gaps(b->context, b->spans, count, before, &targets));
    if (weights) CAFE_TRY(cafe_close_gaps(b->context, b->spans, count, before, &weights));
done:
    b->buckets.keys = targets;
    b->buckets.weights = weights;
    return status;
}

static void hand_over(build *b, cafe_graph *graph) {
    graph->n = b->links->nodes;
    graph->arcs = b->arcs;
    graph->offsets = b->offsets;
    graph->targets = (const int32_t *)b->buckets.keys;
    graph->weights = b->buckets.weights;
    graph->owns_rows = true;
    graph->counts.lines = b->links->count;
    graph->counts.edges = atomic_load(&b->edges);
    graph->counts.self_loops = b->buckets.self_loops;
    graph->counts.zero_weights = b->buckets.zero_weights;
    graph->counts.duplicates = atomic_load(&b->duplicates);
    graph->counts.reversed = atomic_load(&b->reversed);
    graph->counts.mirrored = b->mirrored && (b->links->portion.shared || graph->counts.reversed);
    b->offsets = NULL;
    b->buckets.keys = NULL;
    b->buckets.weights = NULL;
}

static cafe_status fill_rows(build *b, const cafe_graph_options *options) {
    bool keep_loops = options->self_loops == CAFE_LOOPS_KEEP;
    int32_t rule = options->duplicates;
    bool listed = !b->links->offsets && (b->links->weights || b->links->count == 0);
    b->mirrors = rule == CAFE_DUPLICATES_AUTO && listed;
    if (rule == CAFE_DUPLICATES_AUTO)
        rule = b->links->weights ? CAFE_DUPLICATES_SUM : CAFE_DUPLICATES_ONE;
    b->sum = rule == CAFE_DUPLICATES_SUM;
    bool weighted = b->links->weights || b->sum || keep_loops;
    CAFE_PASS(cafe_partition(b->context, b->links, keep_loops, weighted, &b->buckets));
    CAFE_PASS(merge_buckets(b));
    CAFE_PASS(close_gaps(b));
    return settle_weights(b);
}

cafe_status cafe_graph_build(cafe_context *context, const cafe_links *links,
                             const cafe_graph_options *options, cafe_graph **graph) {
    build b = {.context = context, .links = links};
    cafe_status status;
    *graph = NULL;
    atomic_store(&b.heavy, INT64_MAX);
    CAFE_TRY(fill_rows(&b, options));
    *graph = cafe_graph_new(context);
    if (!*graph) CAFE_TRY(CAFE_ERROR_MEMORY);
    hand_over(&b, *graph);
done:
    cafe_mem_free_all(context, b.offsets, b.spans);
    free_room(&b);
    cafe_buckets_free(context, &b.buckets);
    return status;
}
