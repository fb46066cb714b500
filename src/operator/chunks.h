/* The chunk scheme every solver shares: parallel, deterministic, monotone.
 *
 * The nodes to be swept stand in a list (all nodes in their order, or those that are active), which
 * is cut into blocks; the places i of a block with i mod B = c form a chunk. Within a chunk all
 * nodes read the values from before the chunk; chunks follow one another, block after block. A
 * block is so short that its links, and where neighbours stand close together also their rows, stay
 * in the cache while its chunks pass; B is so large that few links stay inside a chunk. A shift c_u
 * makes the part of Q inside the chunk, off its diagonal, plus diag(c) positive semidefinite, so
 * that a solver that adds c_u to its own weight never lowers its objective
 * (docs/algorithms/sphere.md): that holds for any set of nodes.
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
    int64_t size;        /* of the list */
    int64_t block, step; /* places of a block; B, the chunks of a block */
    int64_t count;       /* all chunks */
    int64_t *starts;     /* of each chunk among all nodes in the order of chunks; size at the end */
    double *mass;        /* R_C */
    /* Links that stay inside their chunk, for NULL there are none: by nodes in the order of chunks,
     * each link once, with the node that comes first in the chunk. */
    int64_t *offsets;
    int32_t *targets; /* the other node, as its number in the chunk */
    float *weights;   /* factors included; NULL: all 1 */
    float *inner;     /* a_u / p_u of each node in the order of chunks */
} cafe_chunks;

/* Lists up to this size are short: they are swept node by node. */
enum { CAFE_SHORT_LIST = 4096 };

/* Rows of consecutive nodes that stay with one process: all of a graph that is swept node by node,
 * since processes would meet at every node, and otherwise those of a piece of a sum. */
static inline int64_t cafe_together_rows(int64_t n) {
    return n > CAFE_SHORT_LIST || n < 1 ? cafe_piece_rows(n) : n;
}

/* `wanted` chunks of one block, or 0: one node each in short lists, otherwise so many that a
 * chunk's rows of `stride` floats stay in the cache, an odd number in each block. list[size]:
 * nodes, each once, which stay where they are; NULL: all. */
cafe_status cafe_chunks_new(cafe_context *context, const cafe_operator *op, const int32_t *list,
                            int64_t size, int64_t wanted, int64_t stride, cafe_chunks **chunks);
/* The same of all nodes without what lies inside the chunks (mass, links, inner), for a device that
 * finds these itself. */
cafe_status cafe_chunks_lay_out(cafe_context *context, const cafe_operator *op, int64_t wanted,
                                int64_t stride, cafe_chunks **chunks);
void cafe_chunks_free(cafe_chunks *chunks);
/* How many of n nodes in their order there are; `local` as of the operator's parts. */
int64_t cafe_chunks_count(int64_t n, int64_t wanted, int64_t stride, bool local);

/* Nodes of chunk c; those of the first, which is no shorter than any other. */
static inline int64_t cafe_chunk_size(const cafe_chunks *chunks, int64_t c) {
    return chunks->starts[c + 1] - chunks->starts[c];
}
static inline int64_t cafe_chunk_largest(const cafe_chunks *chunks) {
    return chunks->count > 0 ? cafe_chunk_size(chunks, 0) : 0;
}

/* The place of chunk c's first node; the others follow B places apart. */
static inline int64_t cafe_chunk_first(const cafe_chunks *chunks, int64_t c) {
    return c / chunks->step * chunks->block + c % chunks->step;
}

/* The chunk of a place, and the number of its node in that chunk. */
static inline int64_t cafe_chunk_of(const cafe_chunks *chunks, int64_t place) {
    return place / chunks->block * chunks->step + place % chunks->block % chunks->step;
}
static inline int64_t cafe_chunk_number(const cafe_chunks *chunks, int64_t place) {
    return place % chunks->block / chunks->step;
}

/* `count` nodes of chunk c from number `first` on. */
static inline cafe_range cafe_chunk_nodes(const cafe_chunks *chunks, int64_t c, int64_t first,
                                          int64_t count) {
    return (cafe_range){cafe_chunk_first(chunks, c) + first * chunks->step, chunks->step, count,
                        chunks->list};
}

/* c_u / p_u of the node u, p_u > 0, number i of chunk c, for Q with kappa times `resolution`. */
static inline double cafe_chunk_shift(const cafe_operator_parts *q, const cafe_chunks *chunks,
                                      double resolution, int64_t c, int64_t i, int64_t u) {
    double inner = chunks->inner ? chunks->inner[chunks->starts[c] + i] : 0;
    double reach = q->reach[u], ratio = reach / q->p[u];
    double apart = ratio * (chunks->mass[c] - reach);
    double together = chunks->count < chunks->size ? reach * ratio : 0;
    double shift = inner + resolution * fabs(q->kappa) * (q->kappa < 0 ? apart : together);
    return shift > 0 ? shift : 0; /* the mass is a rounded sum */
}

#endif
