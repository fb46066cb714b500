/* The certificate: Ritz values and residuals of columns as they are written, with a bound of the
 * effect of rounding on each residual. */
#ifndef CAFE_SPECTRAL_CERTIFICATE_H
#define CAFE_SPECTRAL_CERTIFICATE_H

#include "engine/engine.h"
#include "spectral/ritz.h"

/* Products in doubles or in single precision; by default the size of the block decides. */
typedef enum cafe_effort {
    CAFE_EFFORT_SIZE = 0,
    CAFE_EFFORT_EXACT = 1,
    CAFE_EFFORT_GRAM = 2
} cafe_effort;

typedef struct cafe_certifying {
    const cafe_operator *op;
    cafe_side side;
    bool centred; /* for a graph and the walk's problem: subtract the means by p from columns */
    bool rotated; /* the columns are Ritz vectors, in descending order of their values */
    cafe_effort effort;
} cafe_certifying;

/* Fills values, residuals and vectors of the pairs, and values and residuals of the columns. Claim:
 * an eigenvalue of the problem lies within the residual of each value. Directions below rounding
 * give no pair. `scratch` is a block like v, whose numbers are lost. `ritz` is new. */
cafe_status cafe_certificate_find(cafe_context *context, const cafe_certifying *c,
                                  const cafe_block *v, cafe_block *scratch, cafe_ritz *ritz,
                                  int64_t *products);

/* Are products in doubles the default for a block of this size? */
bool cafe_certificate_is_exact(const cafe_block *v);

#endif
