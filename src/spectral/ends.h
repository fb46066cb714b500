/* Both ends of the spectrum in the finish: how many columns of each, and eigenvectors of each. */
#ifndef CAFE_SPECTRAL_ENDS_H
#define CAFE_SPECTRAL_ENDS_H

#include "solve/solution.h"
#include "spectral/subspace_iteration.h"

/* Leaves the columns to keep in a solution that has more. These are the first ones of the top's and
 * of the bottom's, as many as the Ritz values of the two say. H and Y are narrowed where they
 * stand. */
cafe_status cafe_ends_choose(cafe_context *context, const cafe_operator *op,
                             cafe_solution *solution);

/* Ritz values on the span of columns first .. first + columns - 1 of H, in the inner product with
 * the weights p. The weights are of all nodes, or of some that stand for the others. */
cafe_status cafe_ends_values(cafe_context *context, const double *p, const cafe_solution *s,
                             int64_t first, int64_t columns, cafe_ritz *ritz);

/* The share of the largest size that a direction of the bottom needs for a column. */
#define CAFE_ENDS_SHARE 0.5

/* How many of the bottom's directions are worth one of `asked` columns: of at least that share of
 * the largest, if their sizes still grow so many times. */
int64_t cafe_ends_count(const cafe_ritz *top, const cafe_ritz *bottom, int64_t asked, double share,
                        double growth);

/* cafe_refine() at both ends. The last `bottom` columns of x start the bottom end, the others the
 * top. On return x has the Ritz vectors of both, in new memory, by descending value. Values are
 * above 0 for the top end, below 0 for the bottom. */
cafe_status cafe_ends_refine(cafe_context *context, const cafe_operator *op, cafe_side side,
                             int64_t bottom, double tolerance, int64_t rounds, cafe_block *x,
                             cafe_ritz *ritz, cafe_refined *refined);

#endif
