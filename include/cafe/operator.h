/* From a graph to a sampled graph (P, p) and to its modularity operator Q = P - p p^T.
 *
 * P = (p(u,w)) is symmetric, non-negative and sums to 1; p = P 1. Q is never formed: it is used
 * through rows, through products with n x K blocks, and through sums over sets of nodes.
 */
#ifndef CAFE_OPERATOR_H
#define CAFE_OPERATOR_H

#include <cafe/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_sampled cafe_sampled;
typedef struct cafe_operator cafe_operator;

typedef enum cafe_sampling {
    CAFE_SAMPLING_EDGE = 0,     /* P = A / 2m: draw an edge end to end, uniformly (by weight) */
    CAFE_SAMPLING_WALK = 1,     /* a random walk of 1 to T steps: mean of D/2m (D^-1 A)^t */
    CAFE_SAMPLING_PAGERANK = 2, /* a walk that stops with probability 1 - damping at each step */
    CAFE_SAMPLING_TWISTED = 3   /* p(u,w) ~ a(u,w) exp(lambda f(x_u, x_w)) with attributes x */
} cafe_sampling;

CAFE_API void cafe_sampled_free(cafe_sampled *sampled);
/* p(u,w) and p_u */
CAFE_API double cafe_sampled_node(const cafe_sampled *sampled, int64_t u);

/* The modularity operator of a sampled graph, which outlives it. */
CAFE_API cafe_status cafe_operator_modularity(cafe_context *context, const cafe_sampled *sampled,
                                              cafe_operator **op);

CAFE_API void cafe_operator_free(cafe_operator *op);

/* Y = Q X for row-major n x columns blocks; X and Y do not overlap. */
CAFE_API cafe_status cafe_operator_product(cafe_context *context, const cafe_operator *op,
                                           int64_t columns, const float *x, float *y);

#ifdef __cplusplus
}
#endif
#endif
