/* An orthonormal basis V that grows by blocks of eight vectors: the tall half of the eigensolver.
 */
#ifndef CAFE_SPECTRAL_BASIS_H
#define CAFE_SPECTRAL_BASIS_H

#include "operator/operator.h"

/* As wide as the products are. */
enum { CAFE_BASIS_WIDTH = CAFE_EXACT_WIDTH };

typedef struct cafe_basis {
    int64_t n, most;          /* most: columns of V at most */
    int64_t used, width;      /* columns of V; of the block P, those after are zero */
    double *v;                /* V transposed: most x n */
    double *p, *w;            /* n x CAFE_BASIS_WIDTH: the next block of V, and what is to follow */
    double *c;                /* V^T W of the last projection: used x CAFE_BASIS_WIDTH */
    double scale;             /* a lower bound of |M|, kept by the caller */
    double loss, loss_before; /* of orthogonality to V, in the last two blocks */
    double limit;             /* that it may reach */
    int repeats;              /* blocks that are yet to be projected twice */
    uint64_t draws;
    int64_t block, part_count; /* rows of a part of a sum */
    double *parts, *scratch;   /* as c, per part; most x rows per worker */
} cafe_basis;

cafe_status cafe_basis_new(cafe_context *context, int64_t n, int64_t most, double limit,
                           cafe_basis *b);
void cafe_basis_free(cafe_context *context, cafe_basis *b);
int64_t cafe_basis_doubles(int64_t n, int64_t most, int64_t threads);

/* A random W. */
void cafe_basis_draw(cafe_context *context, cafe_basis *b);

/* W <- W - V (V^T W); c gets V^T W. */
cafe_status cafe_basis_project(cafe_context *context, cafe_basis *b);

/* P from W, which has been projected once: orthonormal and orthogonal to V; from a random block
 * when W vanishes (width 0 then: V spans everything). gram gets W^T W from before. */
cafe_status cafe_basis_next(cafe_context *context, cafe_basis *b, double *gram);

/* V <- [V P] */
cafe_status cafe_basis_append(cafe_context *context, cafe_basis *b);

/* V S for S used x keep into `to`, n x keep row-major; NULL: it becomes V. */
cafe_status cafe_basis_rotate(cafe_context *context, cafe_basis *b, int64_t keep, const double *s,
                              double *to);

#endif
