/* The dual bound that a partition itself suggests. */
#ifndef CAFE_EXPLAIN_WITNESS_H
#define CAFE_EXPLAIN_WITNESS_H

#include "operator/operator.h"

/* What the matrix N >= 0 and y are made of. Entries of node u stand at start[u] .. start[u+1]: the
 * communities T other than its own with p(u,T) > 0. */
typedef struct cafe_witness {
    const cafe_operator *op;
    int64_t count; /* communities; a node in none is one of its own */
    int32_t *part; /* of each node */
    double *mass;  /* p(S) */
    double *t;     /* y_u / p_u, y_u = q(u, S(u)) */
    double sum;    /* of y: the modularity of the partition */
    int64_t *start;
    int32_t *community;             /* T */
    double *joint;                  /* p(u,T) / p(T) */
    double *capped;                 /* p_u a(u,T), a capped */
    double *sums, *spread, *linked; /* of a product: a row per community */
} cafe_witness;

cafe_status cafe_witness_new(cafe_context *context, const cafe_operator *op, const int32_t *part,
                             cafe_witness *w);
void cafe_witness_free(cafe_context *context, cafe_witness *w);

/* y += N x for blocks of CAFE_EXACT_WIDTH columns; argument is the witness. */
void cafe_witness_add(void *argument, const double *x, double *y);

#endif
