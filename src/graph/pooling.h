/* Pooling: a graph whose nodes are groups of another graph's nodes (algorithm 3 of the paper).
 *
 *     p~(i,j) = sum over u in group i and w in group j of p(u,w)
 *
 * The pooled distribution sums to 1 again, and a partition of the groups has the modularity of the
 * partition of the nodes it stands for. Weights are kept as a(u,w) = total p(u,w): on unweighted
 * graphs they are integers, so that pooling makes no rounding errors at all.
 */
#ifndef CAFE_GRAPH_POOLING_H
#define CAFE_GRAPH_POOLING_H

#include <stdbool.h>

#include "base/context.h"
#include "graph/edge_weight.h"

/* A null model that is not p p^T: Q = A / total - resolution F C F^T, C = diag(-1 ... -1, 1 ... 1).
 */
typedef struct cafe_factors {
    int64_t width;   /* columns of F; 0: the null model is p p^T */
    int64_t added;   /* the first columns: those with -1 in C */
    const double *f; /* F, row-major n x width */
    bool attracts;   /* q(u,w) may be above 0 without an edge */
    double reach;    /* M: ||f_u|| <= M mass[u], and masses sum to 1 */
} cafe_factors;

/* a C b^T for rows a and b of F */
static inline double cafe_factors_product(const cafe_factors *by, const double *a,
                                          const double *b) {
    double sum = 0;
    for (int64_t l = 0; l < by->width; l++) sum += l < by->added ? -a[l] * b[l] : a[l] * b[l];
    return sum;
}

typedef struct cafe_pooled {
    cafe_context *context;
    int64_t n;
    const int64_t *offsets;
    const int32_t *targets; /* an entry of the node itself is ignored: see `loops` */
    const float *single;    /* a(u,w) of a given graph; NULL: all 1, or `pooled` */
    const float *factor;    /* of its nodes (graph/edge_weight.h); NULL: none */
    const double *pooled;   /* a(u,w) of a graph made by pooling */
    const double *loops;    /* a(u,u), the weight inside a node; NULL: none */
    const double *mass;     /* p_u; under a null model of factors ||f_u|| / M, or more */
    cafe_factors null;      /* F is memory of the graph, as the masses are */
    double total;           /* the sum of a(u,w) over all ordered pairs, the same on all levels */
    const uint8_t *kept;    /* 1: the node may not leave its community; a group of one stays too.
                             * NULL: all may */
    int64_t widest;         /* arcs of the longest row */
    bool borrowed;          /* all arrays except the loops belong to another graph */
} cafe_pooled;

/* Of an arc of u. */
static inline double cafe_pooled_weight(const cafe_pooled *g, int64_t u, int64_t arc) {
    if (g->pooled) return g->pooled[arc];
    return cafe_row_weight(g->targets, g->single, g->factor, u, arc);
}

static inline double cafe_pooled_loop(const cafe_pooled *g, int64_t u) {
    return g->loops ? g->loops[u] : 0;
}

/* Prefetches for rows of nodes in random order, and for labels of their neighbours. Call
 * cafe_pooled_send_for() before the row of node[i] is read: it fetches rows of later nodes. Call
 * cafe_pooled_label() within a row: it fetches the label of a later neighbour. */
static inline void cafe_pooled_send_for(const cafe_pooled *g, const int32_t *label,
                                        const int32_t *node, int64_t i, int64_t count) {
    enum { OFFSETS = 8, ROW = 5, LABELS = 2, MOST = 16, LINE = 16 };
    if (i + OFFSETS < count) __builtin_prefetch(&g->offsets[node[i + OFFSETS]]);
    if (i + ROW < count) {
        int64_t first = g->offsets[node[i + ROW]];
        __builtin_prefetch(&g->targets[first]);
        __builtin_prefetch(&g->targets[first] + LINE);
    }
    if (i + LABELS < count) {
        int64_t first = g->offsets[node[i + LABELS]], end = g->offsets[node[i + LABELS] + 1];
        if (end > first + MOST) end = first + MOST;
        for (int64_t j = first; j < end; j++) __builtin_prefetch(&label[g->targets[j]]);
    }
}

static inline int32_t cafe_pooled_label(const cafe_pooled *g, const int32_t *label, int64_t arc,
                                        int64_t end) {
    enum { AHEAD = 16 };
    if (arc + AHEAD < end) __builtin_prefetch(&label[g->targets[arc + AHEAD]]);
    return label[g->targets[arc]];
}

/* The finest level: a view of compressed rows, which outlive it. weights and loops may be NULL. */
CAFE_LAB cafe_status cafe_pooled_view(cafe_context *context, cafe_pooled rows, const float *loops,
                                      cafe_pooled **view);
CAFE_LAB void cafe_pooled_free(cafe_pooled *g);

/* The nodes of each group, ascending: member[start[i]] .. member[start[i+1]-1]. */
typedef struct cafe_groups {
    int64_t count;
    int64_t *start;
    int32_t *member;
} cafe_groups;

cafe_status cafe_groups_new(cafe_context *context, int64_t n, const int32_t *group, int64_t count,
                            cafe_groups *groups);
void cafe_groups_free(cafe_context *context, cafe_groups *groups);

/* Numbers the groups 0, 1, ... by first appearance; group[n] has values 0 .. n-1. */
CAFE_LAB cafe_status cafe_groups_number(cafe_context *context, int64_t n, int32_t *group,
                                        int64_t *count);
/* Numbers them by size, the largest 0; group[n] in 0 .. count-1. */
cafe_status cafe_groups_by_size(cafe_context *context, int64_t n, int32_t *group, int64_t count);

/* One node per group: group[g->n] in 0 .. count-1, none empty. */
CAFE_LAB cafe_status cafe_coarsen(cafe_context *context, const cafe_pooled *g, const int32_t *group,
                                  int64_t count, cafe_pooled **coarse);

#endif
