/* Pairs of nodes that have an edge or are in an inequality, and the x of each.
 *
 * All other pairs have c <= 0 and no multiplier: they have x = 0 and add nothing to the bound. Of a
 * sum of operators all pairs with c > 0 are listed.
 */
#ifndef CAFE_EXPLAIN_CLIQUE_PAIRS_H
#define CAFE_EXPLAIN_CLIQUE_PAIRS_H

#include "operator/operator.h"

enum { CAFE_CLIQUE_APART = -1, CAFE_CLIQUE_FREE, CAFE_CLIQUE_TOGETHER };

typedef struct cafe_clique_pairs {
    cafe_context *context;
    const cafe_operator_parts *parts; /* c(u,w) without an edge: -scale p_u p_w, or of a sum */
    double resolution;                /* scale r f_u C f_w^T */
    double scale;
    double gamma; /* y of a new pair is c / gamma */
    int64_t count;
    int32_t *u, *w; /* u < w */
    double *c, *y;
    float *x;       /* x_0 of the last proximal step */
    int8_t *forced; /* CAFE_CLIQUE_... of a branch */
    uint32_t *seen; /* hash table: number of a pair + 1; 0: free */
    int64_t room[6], seen_room;
} cafe_clique_pairs;

void cafe_clique_pairs_free(cafe_clique_pairs *pairs);

/* *pair gets the number of the pair, which is added if it is new. */
cafe_status cafe_clique_pairs_take(cafe_clique_pairs *pairs, int32_t u, int32_t w, uint32_t *pair);

static inline double cafe_clique_clip(double y) {
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

/* The pairs with x > least by node: neighbours of u are node[first[u]] .. node[first[u + 1] - 1].
 */
typedef struct cafe_clique_near {
    int64_t *first;
    int32_t *node;
    float *x;
    int64_t room;
    int64_t x_room;
} cafe_clique_near;

/* n: of the graph. The arrays of `near` begin as NULL and are reused. */
cafe_status cafe_clique_near_fill(const cafe_clique_pairs *pairs, int64_t n, double least,
                                  cafe_clique_near *near);
void cafe_clique_near_free(cafe_context *context, cafe_clique_near *near);

#endif
