/* The chunk scheme every solver shares: parallel, deterministic, monotone.
 *
 * The nodes to be swept stand in a list (all nodes in their order, or those that are active); the
 * places i with i mod B = c form chunk c. Within a chunk all nodes read the values from before the
 * chunk; chunks follow one another. A shift c_u makes the part of Q inside the chunk, off its
 * diagonal, plus diag(c) positive semidefinite, so that a solver that adds c_u to its own weight
 * never lowers its objective (docs/algorithms/sphere.md).
 *
 * With r_u = ||f_u||, R_C their sum over the chunk C, a_u = sum over w in C, w != u, of a(u,w) /
 * total, and Q = sign A / total + kappa F F^T:
 *
 *     kappa < 0   c_u = a_u + |kappa| r_u (R_C - r_u)     (modularity: a_u + p_u (P_C - p_u))
 *     kappa > 0   c_u = a_u + kappa r_u^2                 (a table: ||x_u||^2)
 *
 * The sparse part: diag(a) + A_C and diag(a) - A_C are sums over pairs u < w of a(u,w) (x_u +-
 * x_w)^2
 * >= 0. The other part off its diagonal is kappa (F_C F_C^T - diag(r_u^2)). For kappa > 0 the shift
 * adds the diagonal again, and F_C F_C^T >= 0. For kappa < 0 it leaves |kappa| (diag(r_u R_C) - F_C
 * F_C^T), and ||sum of x_u f_u||^2 <= (sum of r_u |x_u|)^2 <= R_C sum of r_u x_u^2. A chunk of one
 * node has nothing off its diagonal: with one node in every chunk c_u = 0.
 */
#ifndef CAFE_OPERATOR_CHUNKS_H
#define CAFE_OPERATOR_CHUNKS_H

#include <math.h>

#include "operator/operator.h"

typedef struct cafe_chunks {
    cafe_context *context;
    const int32_t *list; /* the node at each place; NULL: places are nodes */
    int32_t *places;     /* of each node, -1: not in the list; NULL where places are nodes */
    int64_t size, count; /* of the list; B */
    int64_t *offsets;    /* links that stay inside their chunk, by places, in compressed rows; */
    int32_t *targets;    /* loops left out (NULL: there are none) */
    float *weights;      /* of these links, factors included; NULL: all 1 */
    float *inner;        /* a_u / p_u by places; NULL: 0 */
    double *mass;        /* R_C */
} cafe_chunks;

/* `wanted` chunks, or 0: one node each in short lists, otherwise an odd number of at least 65, so
 * many that a chunk's rows of `stride` floats stay in the cache. list[size]: nodes, each once,
 * which stay where they are; NULL: all. */
cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, const int32_t *list,
                            int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks);
void cafe_chunks_free(cafe_chunks *chunks);

/* Nodes of chunk c; they stand at the places c, c + B, c + 2B, ... */
static inline int64_t cafe_chunk_size(const cafe_chunks *chunks, int64_t c) {
    return (chunks->size - c + chunks->count - 1) / chunks->count;
}

/* c_u / p_u of the node u, p_u > 0, at a place of chunk c, for Q with kappa times `resolution`. */
static inline double cafe_chunk_shift(const cafe_operator_parts *q, const cafe_chunks *chunks,
                                      double resolution, int64_t c, int64_t place, int64_t u) {
    double inner = chunks->inner ? chunks->inner[place] : 0;
    double reach = q->reach[u], ratio = reach / q->p[u];
    double apart = ratio * (chunks->mass[c] - reach);
    double together = chunks->count < chunks->size ? reach * ratio : 0;
    double shift = inner + resolution * fabs(q->kappa) * (q->kappa < 0 ? apart : together);
    return shift > 0 ? shift : 0; /* the mass is a rounded sum */
}

#endif
