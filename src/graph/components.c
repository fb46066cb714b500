/* Connected components: union-find with sampling (Sutton, Ben-Nun, Barak: Afforest, IPDPS'18).
 *
 * Invariant: parent[u] <= u. An edge hooks the larger of two roots below the smaller. At the end
 * the root of a component therefore is its smallest node, whatever the order of the edges or
 * threads. First every node is joined with its first two neighbours. This connects nearly all of a
 * large component, and its other nodes can be skipped, because an edge that leaves the component is
 * also listed at its other end. The first neighbour is the smallest, so most nodes start below it
 * without random reads.
 *
 * Processes that share the rows join the edges of their own rows, without skipping. Pairs of
 * processes then merge their forests until the first has all.
 */
#include <string.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "graph/builder.h"
#include "graph/graph.h"

enum { ROWS = 4096, FIRST = 2, PROBES = 1024 };

typedef struct forest {
    const cafe_graph *graph;
    int32_t *parent;
    int32_t skipped;      /* root of the component that is joined already; -1: none */
    int64_t row;          /* of the share: the first */
    const int32_t *other; /* another process's forest, or NULL */
} forest;

static inline int32_t load(const int32_t *at) {
    return __atomic_load_n(at, __ATOMIC_RELAXED);
}

static inline void store(int32_t *at, int32_t value) {
    __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

static inline bool hook(int32_t *at, int32_t root, int32_t below) {
    return __atomic_compare_exchange_n(at, &root, below, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void join(int32_t *parent, int32_t u, int32_t w) {
    int32_t a = load(&parent[u]), b = load(&parent[w]);
    while (a != b) {
        int32_t high = a > b ? a : b, low = a > b ? b : a;
        int32_t above = load(&parent[high]);
        if (above == low || (above == high && hook(&parent[high], high, low))) break;
        a = load(&parent[load(&parent[high])]);
        b = load(&parent[low]);
    }
}

static void start_alone(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    for (int64_t u = first; u < last; u++) f->parent[u] = (int32_t)u;
}

static void start_below(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    const int64_t *offsets = f->graph->offsets;
    for (int64_t u = first; u < last; u++) {
        int32_t w = offsets[u] < offsets[u + 1] ? f->graph->targets[offsets[u]] : (int32_t)u;
        f->parent[u] = w < u ? w : (int32_t)u;
    }
}

/* With the second neighbour; with the first one where that is larger. */
static void join_first(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    const int64_t *offsets = f->graph->offsets;
    const int32_t *targets = f->graph->targets;
    for (int64_t u = first; u < last; u++) {
        int64_t i = offsets[u], end = offsets[u + 1];
        if (i < end && targets[i] > u) join(f->parent, (int32_t)u, targets[i]);
        if (i + 1 < end) join(f->parent, (int32_t)u, targets[i + 1]);
    }
}

static void join_rest(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    const int64_t *offsets = f->graph->offsets;
    for (int64_t u = f->row + first; u < f->row + last; u++) {
        if (load(&f->parent[u]) == f->skipped) continue;
        for (int64_t i = offsets[u] + (f->skipped < 0 ? 0 : FIRST); i < offsets[u + 1]; i++)
            join(f->parent, (int32_t)u, f->graph->targets[i]);
    }
}

/* Every node straight below its root. */
static void flatten(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    for (int64_t u = first; u < last; u++) {
        int32_t root = load(&f->parent[u]);
        while (load(&f->parent[root]) != root) root = load(&f->parent[root]);
        store(&f->parent[u], root);
    }
}

/* The root most often met among evenly spaced nodes (majority vote: one pass, no table). */
static int32_t frequent_root(const forest *f) {
    int64_t n = f->graph->n, step = n / PROBES + 1, votes = 0;
    int32_t root = -1;
    for (int64_t u = 0; u < n; u += step) {
        if (votes == 0) root = f->parent[u];
        votes += f->parent[u] == root ? 1 : -1;
    }
    return root;
}

/* Roots become 0, 1, ... in the order of their nodes. A root stands before its members, so its
 * number is already there when a member asks for it. */
static int64_t number_roots(int32_t *parent, int64_t n) {
    int64_t count = 0;
    for (int64_t u = 0; u < n; u++)
        parent[u] = parent[u] == u ? (int32_t)count++ : parent[parent[u]];
    return count;
}

/* ---- several processes ------------------------------------------------------------------------
 */

static void join_other(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    for (int64_t u = first; u < last; u++) join(f->parent, (int32_t)u, f->other[u]);
}

/* Of processes 2 step apart, each merges the forest of the process `step` after it. */
static cafe_status merge_step(cafe_context *context, forest *f, int32_t step, int64_t *sizes) {
    int32_t rank = cafe_team_rank(context), ranks = cafe_team_ranks(context);
    bool gives = rank % (2 * step) == step;
    void *got = NULL;
    cafe_status status;
    for (int32_t r = 0; r < ranks; r++)
        sizes[r] = gives && r == rank - step ? f->graph->n * (int64_t)sizeof *f->parent : 0;
    CAFE_TRY(cafe_team_exchange(context, f->parent, sizes, &got, sizes + ranks));
    f->other = got;
    if (rank % (2 * step) == 0 && rank + step < ranks)
        CAFE_TRY(cafe_ranges(context, f->graph->n, ROWS, join_other, f));
    status = cafe_ranges(context, f->graph->n, ROWS, flatten, f);
done:
    cafe_mem_free(context, got);
    return status;
}

/* The forest of all edges, for all processes. */
static cafe_status join_shared(cafe_context *context, forest *f) {
    int32_t ranks = cafe_team_ranks(context);
    int64_t n = f->graph->n, *sizes = cafe_mem(context, 2 * ranks, sizeof *sizes);
    void *got = NULL;
    cafe_portion portion = f->graph->portion;
    cafe_status status = sizes ? CAFE_OK : CAFE_ERROR_MEMORY;
    f->row = portion.first;
    if (status == CAFE_OK)
        status = cafe_ranges(context, portion.last - portion.first, ROWS, join_rest, f);
    if (status == CAFE_OK) status = cafe_ranges(context, n, ROWS, flatten, f);
    CAFE_TRY(cafe_team_agree(context, status));
    for (int32_t step = 1; step < ranks; step *= 2) CAFE_TRY(merge_step(context, f, step, sizes));
    CAFE_TRY(
        cafe_team_gather(context, f->parent, cafe_team_rank(context) == 0 ? n * 4 : 0, &got, NULL));
    memcpy(f->parent, got, (size_t)n * sizeof *f->parent);
done:
    cafe_mem_free_all(context, sizes, got);
    return status;
}

static cafe_status join_all(cafe_context *context, forest *f) {
    int64_t n = f->graph->n;
    CAFE_PASS(cafe_ranges(context, n, ROWS, start_below, f));
    CAFE_PASS(cafe_ranges(context, n, ROWS, flatten, f));
    CAFE_PASS(cafe_ranges(context, n, ROWS, join_first, f));
    CAFE_PASS(cafe_ranges(context, n, ROWS, flatten, f));
    f->skipped = frequent_root(f);
    CAFE_PASS(cafe_ranges(context, n, ROWS, join_rest, f));
    return cafe_ranges(context, n, ROWS, flatten, f);
}

static cafe_status find_roots(cafe_context *context, forest *f) {
    if (!f->graph->portion.shared) return join_all(context, f);
    CAFE_PASS(cafe_ranges(context, f->graph->n, ROWS, start_alone, f));
    return join_shared(context, f);
}

cafe_status cafe_graph_components(cafe_context *context, const cafe_graph *graph,
                                  int32_t *component, int64_t *count) {
    forest f = {.graph = graph, .parent = component, .skipped = -1};
    *count = 0;
    CAFE_PASS(find_roots(context, &f));
    *count = number_roots(component, graph->n);
    return CAFE_OK;
}

/* ---- how many, and how large ----------------------------------------------------------------- */

/* Roots, and nodes below the one that is met most often. */
static void add_roots(void *argument, int64_t first, int64_t last, double *sums) {
    const forest *f = argument;
    int64_t roots = 0, below = 0;
    for (int64_t u = first; u < last; u++) {
        roots += f->parent[u] == (int32_t)u;
        below += f->parent[u] == f->skipped;
    }
    sums[0] += (double)roots, sums[1] += (double)below;
}

/* Finds the largest component, one node after the other. */
static cafe_status find_largest(cafe_context *context, forest *f, int64_t *largest) {
    int64_t n = f->graph->n, count = number_roots(f->parent, n);
    int32_t *size = cafe_mem_zero(context, count, sizeof *size);
    CAFE_PASS(cafe_mem_had(size));
    for (int64_t u = 0; u < n; u++)
        if (++size[f->parent[u]] > *largest) *largest = size[f->parent[u]];
    cafe_mem_free(context, size);
    return CAFE_OK;
}

/* A component with half of the nodes is the largest. */
cafe_status cafe_graph_measure_components(cafe_context *context, cafe_graph *graph) {
    forest f = {.graph = graph, .skipped = -1};
    double sums[2] = {0};
    cafe_status status = CAFE_OK;
    f.parent = cafe_mem(context, graph->n, sizeof *f.parent);
    CAFE_TRY(cafe_mem_had(f.parent));
    cafe_mem_touch(context, f.parent);
    CAFE_TRY(find_roots(context, &f));
    f.skipped = frequent_root(&f);
    CAFE_TRY(cafe_sums(context, graph->n, ROWS, add_roots, &f, 2, sums));
    graph->counts.components = (int64_t)sums[0];
    graph->counts.largest = (int64_t)sums[1];
    if (2 * graph->counts.largest < graph->n)
        CAFE_TRY(find_largest(context, &f, &graph->counts.largest));
done:
    cafe_mem_free(context, f.parent);
    return status;
}
