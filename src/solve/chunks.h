/* The chunk scheme every solver shares: parallel, deterministic, monotone.
 *
 * The nodes u with u mod B = c form chunk c. Within a chunk all nodes read the values from before
 * the chunk; chunks follow one another. With
 *     a_u = sum over w in the chunk, w != u, of p(u,w)      P_C = sum over w in the chunk of p_w
 *     c_u = a_u + p_u P_C
 * the part of Q inside the chunk, off its diagonal, plus diag(c) is positive semidefinite. A solver
 * that adds c_u to its own weight therefore never lowers its objective (docs/algorithms/sphere.md).
 *
 * For -Q (operator/operator.h) the same holds with
 *     c_u = a_u + p_u^2
 * The part of -Q inside the chunk, off its diagonal, is -A_C + p_C p_C^T - diag(p_u^2), A_C having
 * the entries p(u,w), u != w. Now diag(a) - A_C is the Laplacian of the chunk's links: x^T of it x
 * is the sum over u < w of p(u,w) (x_u - x_w)^2 >= 0. And the rest plus diag(p_u^2) is p_C p_C^T,
 * with x^T of it x = (sum p_u x_u)^2 >= 0. A chunk of one node has nothing off its diagonal: c_u =
 * 0 there, whatever the sign.
 */
#ifndef CAFE_SOLVE_CHUNKS_H
#define CAFE_SOLVE_CHUNKS_H

#include "operator/operator.h"

typedef struct cafe_chunks {
    cafe_context *context;
    int64_t n, count;  /* B */
    int64_t *offsets;  /* arcs that stay inside their chunk, in compressed rows; loops left out */
    int32_t *targets;  /* (NULL when every chunk is one node) */
    float *weights;    /* a(u,w); NULL: all 1 */
    float *inner;      /* a_u / p_u */
    double *mass;      /* P_C */
    int32_t sign;      /* of the operator */
    double resolution; /* weighs p p^T, and with it the second part of c_u; 1 unless set */
} cafe_chunks;

/* `wanted` chunks, or 0: one node each on small graphs, otherwise an odd number of at least 65, so
 * many that a chunk's rows of `stride` floats stay in the cache. */
cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, int64_t wanted,
                            int64_t stride, cafe_chunks **chunks);
void cafe_chunks_free(cafe_chunks *chunks);

int64_t cafe_chunk_count(int64_t n, int64_t wanted, int64_t stride);

/* c_u / p_u of a node of chunk c; p = p_u > 0. */
static inline double cafe_chunk_shift(const cafe_chunks *chunks, int64_t c, int64_t u, double p) {
    double inner = chunks->inner ? chunks->inner[u] : 0;
    double rest = chunks->sign > 0 ? chunks->mass[c] - p : chunks->inner ? p : 0;
    double shift = inner + chunks->resolution * rest;
    return shift > 0 ? shift : 0; /* the mass is a rounded sum */
}

/* Nodes of chunk c; they are c, c + B, c + 2B, ... */
static inline int64_t cafe_chunk_size(const cafe_chunks *chunks, int64_t c) {
    return (chunks->n - c + chunks->count - 1) / chunks->count;
}

#endif
