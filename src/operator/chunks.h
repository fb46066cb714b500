/* The chunk scheme that all solvers share: parallel, deterministic, monotone.
 *
 * The nodes to sweep stand in a list (all nodes in their order, or the active nodes), which is cut
 * into blocks. The places i of a block with i mod B = c are a chunk. All nodes of a chunk read the
 * values from before the chunk. Chunks follow each other, block after block. A block is short, so
 * that its edges stay in the cache while its chunks pass; if neighbours have close ids, their rows
 * stay too. B is large, so that few edges have both ends in one chunk.
 *
 * Claim: a shift c_u makes diag(c) + (the part of Q inside the chunk, off its diagonal) positive
 * semidefinite. A solver that adds c_u to its own weight therefore never lowers its objective
 * (docs/algorithms/sphere.md). The claim holds for any set C of nodes. With
 *
 *     r_u = ||f_u||,   R_C = sum over u in C of r_u,
 *     a_u = sum over w in C, w != u, of a(u,w) / total,   Q = sign A / total + kappa F F^T:
 *
 *     kappa < 0   c_u = a_u + |kappa| r_u (R_C - r_u)     (modularity: a_u + p_u (P_C - p_u))
 *     kappa > 0   c_u = a_u + kappa r_u^2                 (a table: ||x_u||^2)
 *     a sum       c_u = a_u + kappa (t_u^2 + s_u (S_C - s_u)), a_u of the sizes |a(u,w)|, t_u the
 *                 length of f_u over the added columns, s_u over the subtracted ones
 *
 * Proof. The sparse part:
 *
 *     x^T (diag(a) +- A_C) x = sum over pairs u < w of a(u,w) / total (x_u +- x_w)^2 >= 0.
 *
 * The other part, off its diagonal, is kappa (F_C F_C^T - diag(r_u^2)). If kappa > 0, the shift
 * adds the diagonal again, and F_C F_C^T >= 0. If kappa < 0, the shift leaves
 *
 *     |kappa| (diag(r_u R_C) - F_C F_C^T) >= 0,   since by Cauchy-Schwarz
 *     ||sum of x_u f_u||^2 <= (sum of r_u |x_u|)^2 <= R_C sum of r_u x_u^2.
 *
 * In a sum, an edge with a(u,w) < 0 has |a(u,w)| (x_u - x_w)^2 in the first formula. Each of the
 * two kinds of columns has its own shift. A sum of semidefinite matrices is semidefinite.
 *
 * A chunk of one node has no entry off its diagonal, so c_u = 0.
 */
#ifndef CAFE_OPERATOR_CHUNKS_H
#define CAFE_OPERATOR_CHUNKS_H

#include <math.h>

#include "operator/operator.h"

typedef struct cafe_chunks {
    cafe_context *context;
    const int32_t *list; /* the node at each place; NULL: places are nodes */
    int32_t *places;     /* the place of each node, -1: not in the list; NULL if places are nodes */
    int64_t size;        /* nodes of the list */
    int64_t block, step; /* places of a block; B, the chunks of a block */
    int64_t count;       /* chunks of all blocks */
    int64_t *starts;     /* the first position of each chunk in the order of chunks; the last entry
                          * is size */
    double *mass;        /* R_C of the subtracted part */
    /* Edges inside chunks (NULL: none), by nodes in the order of chunks. Each edge appears once, at
     * its end that comes first in the chunk. */
    int64_t *offsets;
    int32_t *targets; /* the other end, as its number in the chunk */
    float *weights;   /* factors included; NULL: all 1 */
    float *inner;     /* a_u / p_u of each node, in the order of chunks */
} cafe_chunks;

/* Lists of up to this many nodes are swept node by node: every chunk has one node. */
enum { CAFE_SHORT_LIST = 4096 };

/* Returns the number of consecutive rows that stay in one process. A graph that is swept node by
 * node stays whole, because processes would wait for each other at every node. Otherwise the number
 * is that of a piece of a sum. */
static inline int64_t cafe_together_rows(int64_t n) {
    return n > CAFE_SHORT_LIST || n < 1 ? cafe_piece_rows(n) : n;
}

/* Creates `wanted` chunks of one block. 0: one node each in short lists, otherwise chunks whose
 * rows of `stride` floats stay in the cache, an odd number in each block. list[size] (NULL: all
 * nodes) has each node once and must outlive the chunks. */
cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, const int32_t *list,
                            int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks);
/* The same for all nodes without mass, edges and inner, for a device that computes these itself. */
cafe_status cafe_chunks_lay_out(cafe_context *context, const cafe_operator *op, int64_t wanted,
                                int64_t stride, cafe_chunks **chunks);
void cafe_chunks_free(cafe_chunks *chunks);
/* Returns the number of chunks of n nodes in their order; `local` is that of the operator's parts.
 */
int64_t cafe_chunks_count(int64_t n, int64_t wanted, int64_t stride, bool local);

/* Returns the number of nodes of chunk c. No chunk has more nodes than the first. */
static inline int64_t cafe_chunk_size(const cafe_chunks *chunks, int64_t c) {
    return chunks->starts[c + 1] - chunks->starts[c];
}
static inline int64_t cafe_chunk_largest(const cafe_chunks *chunks) {
    return chunks->count > 0 ? cafe_chunk_size(chunks, 0) : 0;
}

/* Returns the place of the first node of chunk c; its other nodes follow B places apart. */
static inline int64_t cafe_chunk_first(const cafe_chunks *chunks, int64_t c) {
    return c / chunks->step * chunks->block + c % chunks->step;
}

/* Returns the chunk of a place; *number gets the number of the node in that chunk. */
static inline int64_t cafe_chunk_of(const cafe_chunks *chunks, int64_t place) {
    return place / chunks->block * chunks->step + place % chunks->block % chunks->step;
}
static inline int64_t cafe_chunk_number(const cafe_chunks *chunks, int64_t place) {
    return place % chunks->block / chunks->step;
}

/* Returns `count` nodes of chunk c from number `first` on. */
static inline cafe_range cafe_chunk_nodes(const cafe_chunks *chunks, int64_t c, int64_t first,
                                          int64_t count) {
    return (cafe_range){cafe_chunk_first(chunks, c) + first * chunks->step, chunks->step, count,
                        chunks->list};
}

/* Returns the length of f_u over the columns whose part of Q is negative. */
static inline double cafe_reach_apart(const cafe_operator_parts *q, int64_t u) {
    double against = q->against ? q->against[u] : 0;
    if (q->kappa > 0) return against;
    return q->against ? sqrt(fmax(q->reach[u] * q->reach[u] - against * against, 0)) : q->reach[u];
}

/* The same over the columns whose part of Q is positive. */
static inline double cafe_reach_together(const cafe_operator_parts *q, int64_t u) {
    double against = q->against ? q->against[u] : 0;
    if (q->kappa <= 0) return against;
    return q->against ? sqrt(fmax(q->reach[u] * q->reach[u] - against * against, 0)) : q->reach[u];
}

/* Returns c_u / p_u for node u with p_u > 0, number i of chunk c, of Q with kappa times
 * `resolution`. */
static inline double cafe_chunk_shift(const cafe_operator_parts *q, const cafe_chunks *chunks,
                                      double resolution, int64_t c, int64_t i, int64_t u) {
    double inner = chunks->inner ? chunks->inner[chunks->starts[c] + i] : 0;
    double reach = cafe_reach_apart(q, u), added = cafe_reach_together(q, u);
    double apart = reach / q->p[u] * (chunks->mass[c] - reach);
    double together = chunks->count < chunks->size ? added * (added / q->p[u]) : 0;
    double shift = inner + resolution * fabs(q->kappa) * (apart + together);
    return shift > 0 ? shift : 0; /* R_C is a rounded sum: R_C - r_u may be below 0 */
}

#endif
