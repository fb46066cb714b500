/* Random walks on the graph: where they begin, how long they are, and the two ways to their pairs.
 *
 * With D the degrees and c_t the probability of t steps the pairs (first node, last node) have
 *
 *     B = sum_t c_t D (D^-1 A)^t,      P = B / 2m when walks begin anywhere,
 *
 * and B is symmetric. Walks that begin in a set S have the rows of S alone; the mean of that and
 * its transpose is p(u,w) ~ b(u,w) ([u in S] + [w in S]) / 2.
 */
#ifndef CAFE_SAMPLE_WALK_H
#define CAFE_SAMPLE_WALK_H

#include <cafe/graph.h>

#include "sample/sampled_graph.h"

typedef struct cafe_walk {
    cafe_context *context;
    const cafe_graph *graph;
    double *degree;  /* of each node */
    int64_t starts;  /* nodes where walks begin */
    int32_t *start;  /* ascending; NULL: all nodes */
    uint8_t *seed;   /* 1: walks begin there; NULL: all */
    int64_t steps;   /* the longest walk of exact rows */
    double *share;   /* share[t-1]: the probability of t steps; sums to 1 - rest */
    double rest;     /* the probability of more steps */
    double damping;  /* pagerank; negative: lengths 1 to T are equally likely */
    int64_t samples; /* to draw */
    int64_t bytes;   /* the budget */
} cafe_walk;

/* All b(u,w) as a graph: *own stays NULL when the rows do not fit the budget. */
cafe_status cafe_walk_rows(cafe_context *context, const cafe_walk *walk, cafe_graph **own);

/* Computes up to CAFE_WALK_WIDE rows b(u_i, .) at once. Returns z or next, n * CAFE_WALK_WIDE
 * numbers each; entry w * CAFE_WALK_WIDE + i is b(u_i, w). */
enum { CAFE_WALK_WIDE = 8 };
CAFE_LAB const double *cafe_walk_dense(const cafe_walk *walk, const int32_t *u, int64_t count,
                                       double *z, double *next);

/* walk->samples pairs as a graph: a(u,w) counts the pairs {u,w}, and a(u,u) twice the pairs (u,u),
 * so that the sum is 2 samples. */
CAFE_LAB cafe_status cafe_walk_draw(cafe_context *context, const cafe_walk *walk, cafe_graph **own);

/* Alias tables (Walker 1977) for the rows of a weighted graph: entry j of a row is kept with
 * probability keep[j], otherwise other[j] replaces it. */
typedef struct cafe_alias {
    float *keep;
    int32_t *other;
} cafe_alias;

CAFE_LAB cafe_status cafe_alias_new(cafe_context *context, const cafe_graph *graph,
                                    cafe_alias *alias);
CAFE_LAB void cafe_alias_free(cafe_context *context, cafe_alias *alias);

/* One of the entries begin .. end-1 by 64 random bits. The whole part of bits * count / 2^64 is the
 * entry, its fraction decides between it and its alias. All entries are alike if keep is NULL. */
static inline int32_t cafe_alias_pick(const cafe_alias *alias, const int32_t *targets,
                                      int64_t begin, int64_t end, uint64_t bits) {
    unsigned __int128 product = (unsigned __int128)bits * (uint64_t)(end - begin);
    int64_t j = begin + (int64_t)(product >> 64);
    if (!alias->keep) return targets[j];
    double fraction = (double)((uint64_t)product >> 11) * 0x1p-53;
    return fraction < alias->keep[j] ? targets[j] : alias->other[j];
}

#endif
