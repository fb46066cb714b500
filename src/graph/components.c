/* Connected components: union-find with sampling (Sutton, Ben-Nun, Barak: Afforest, IPDPS'18).
 *
 * parent[u] <= u always, and a link hooks the larger of two roots below the smaller, so when all
 * links are done the root of a component is its smallest node: the result does not depend on the
 * order of the links, nor on the threads. First every node is linked with its first two neighbours
 * only; that joins nearly all of a large component, whose remaining nodes can then be skipped, for
 * an edge that leaves it is also listed at its other end.
 */
#include "base/memory.h"
#include "base/pool.h"
#include "graph/graph.h"

enum { ROWS = 4096, FIRST = 2, PROBES = 1024 };

typedef struct forest {
    const cafe_graph *graph;
    int32_t *parent;
    int32_t skipped; /* root of the component that is joined already; -1: none */
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

static void join_first(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    const int64_t *offsets = f->graph->offsets;
    for (int64_t u = first; u < last; u++) {
        int64_t stop = offsets[u + 1] - offsets[u] < FIRST ? offsets[u + 1] : offsets[u] + FIRST;
        for (int64_t i = offsets[u]; i < stop; i++)
            join(f->parent, (int32_t)u, f->graph->targets[i]);
    }
}

static void join_rest(void *argument, int64_t first, int64_t last) {
    forest *f = argument;
    const int64_t *offsets = f->graph->offsets;
    for (int64_t u = first; u < last; u++) {
        if (load(&f->parent[u]) == f->skipped) continue;
        for (int64_t i = offsets[u] + FIRST; i < offsets[u + 1]; i++)
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

cafe_status cafe_graph_components(cafe_context *context, const cafe_graph *graph,
                                  int32_t *component, int64_t *count) {
    forest f = {graph, component, -1};
    *count = 0;
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, start_alone, &f));
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, join_first, &f));
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, flatten, &f));
    f.skipped = frequent_root(&f);
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, join_rest, &f));
    CAFE_PASS(cafe_ranges(context, graph->n, ROWS, flatten, &f));
    *count = number_roots(component, graph->n);
    return CAFE_OK;
}
