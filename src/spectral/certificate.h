/* The certificate: Ritz values and residuals of columns as they are written, with a bound of what
 * the arithmetic may have taken from a residual.
 */
#ifndef CAFE_SPECTRAL_CERTIFICATE_H
#define CAFE_SPECTRAL_CERTIFICATE_H

#include "engine/engine.h"
#include "spectral/ritz.h"

/* Products whose sums are doubles, or of single precision: as the size of the block suggests. */
typedef enum cafe_effort {
    CAFE_EFFORT_SIZE = 0,
    CAFE_EFFORT_EXACT = 1,
    CAFE_EFFORT_GRAM = 2
} cafe_effort;

typedef struct cafe_certifying {
    const cafe_operator *op;
    cafe_side side;
    bool centred; /* of a graph, the walk's problem: columns are taken less their means by p */
    bool rotated; /* the columns are Ritz vectors, in descending order of their values */
    cafe_effort effort;
} cafe_certifying;

/* Fills values, residuals and vectors of the pairs, and values and residuals of the columns: for
 * each of them an eigenvalue of the problem lies within the residual of the value. Directions below
 * rounding give no pair. `scratch` is a block like v, whose numbers are lost. `ritz` is new. */
cafe_status cafe_certificate_find(cafe_context *context, const cafe_certifying *c,
                                  const cafe_block *v, cafe_block *scratch, cafe_ritz *ritz,
                                  int64_t *products);

/* Does the size of the block suggest products in doubles? */
bool cafe_certificate_is_exact(const cafe_block *v);

#endif
