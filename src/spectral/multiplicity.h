/* Eigenvalues that come more often than a block is wide: have all their copies been found? */
#ifndef CAFE_SPECTRAL_MULTIPLICITY_H
#define CAFE_SPECTRAL_MULTIPLICITY_H

#include "spectral/krylov.h"

/* Values this near to a pair's may be copies of one eigenvalue. */
double cafe_copies_near(const cafe_krylov *k, int64_t pair);

/* So many of the wanted pairs, the first ones, are there before any that may be missing. */
int64_t cafe_copies_sure(const cafe_krylov *k);

/* The share of the tolerance that the residual of a locked pair may have: it keeps it, and what is
 * found later adds to it. */
double cafe_copies_share(const cafe_krylov *k);

/* As many pairs as can be locked, all but a few; 0 unless their residuals allow it. */
int64_t cafe_copies_lockable(const cafe_krylov *k);

/* Locks so many: V begins with them, and goes on with random vectors. */
cafe_status cafe_copies_look(cafe_context *context, cafe_krylov *k, int64_t count);

#endif
