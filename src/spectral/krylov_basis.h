/* An orthonormal basis V that grows by blocks of eight vectors: the tall half of the eigensolver.
 */
#ifndef CAFE_SPECTRAL_KRYLOV_BASIS_H
#define CAFE_SPECTRAL_KRYLOV_BASIS_H

#include "engine/owned_rows.h"

/* As wide as the products are. */
enum { CAFE_BASIS_WIDTH = CAFE_EIGHT };

typedef struct cafe_basis {
    const cafe_eights *kind; /* whether numbers are floats or doubles */
    const cafe_owned *rows;  /* of V: those of this process */
    int64_t n, most, used;   /* as many; columns of V, at most and now: whole blocks */
    int64_t near;            /* the first column of V that M P need not be orthogonal to */
    bool turned;             /* V has been rotated since it grew */
    void *v;                 /* blocks n x 8 one after the other: those of V, then P */
    void *w;                 /* n x 8: what is to become P */
    double *c;               /* V^T W of the last projection, from before it: used x 8 */
    double gram[CAFE_EIGHT * CAFE_EIGHT]; /* W^T W, from after it */
    double squares[CAFE_EIGHT]; /* where processes share the rows: the columns of W are no longer */
    double scale;               /* a lower bound of |M|, kept by the caller */
    uint64_t draws;
    int64_t step_rows;         /* rows that are added up at a time, in a sum over rows, */
    int64_t block, part_count; /* and in a part of it */
    double *parts, *step;      /* as c: per part, and of one step */
    void *narrow, *scratch;    /* a step in V's numbers; rows of V per worker */
} cafe_basis;

/* With floats, V is orthonormal and sums are right to their precision. `rows` stays the caller's.
 */
cafe_status cafe_basis_new(cafe_context *context, const cafe_owned *rows, int64_t most, bool single,
                           cafe_basis *b);
void cafe_basis_free(cafe_context *context, cafe_basis *b);
int64_t cafe_basis_bytes(int64_t n, int64_t most, bool single, int64_t threads);

/* P, the block after V's. */
void *cafe_basis_block(const cafe_basis *b);

/* A random W. */
cafe_status cafe_basis_draw(cafe_context *context, cafe_basis *b);

/* W <- W - V (V^T W); c gets V^T W. */
cafe_status cafe_basis_project(cafe_context *context, cafe_basis *b);

/* P from W, which has been projected: orthonormal and orthogonal to V. Columns of W that vanish or
 * depend on others are replaced by random ones. */
cafe_status cafe_basis_next(cafe_context *context, cafe_basis *b);

/* V <- [V P] */
void cafe_basis_append(cafe_basis *b);

/* V S for S used x keep into `to`, n x keep row-major; NULL: it becomes V, and keep is a multiple
 * of eight. */
cafe_status cafe_basis_rotate(cafe_context *context, cafe_basis *b, int64_t keep, const double *s,
                              double *to);

/* A new start: P <- V S, S used x 8 with V S orthonormal, and V is empty. */
cafe_status cafe_basis_renew(cafe_context *context, cafe_basis *b, const double *s);

#endif
