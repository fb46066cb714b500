/* Both ends of the spectrum in the finish: how many columns of each, and eigenvectors of each. */
#ifndef CAFE_SPECTRAL_ENDS_H
#define CAFE_SPECTRAL_ENDS_H

#include "solve/solution.h"
#include "spectral/subspace_iteration.h"

/* Leaves `asked` columns in a solution that has more: the first so many of the top's and of the
 * bottom's as the Ritz values of the two say. H and Y are narrowed where they stand. */
cafe_status cafe_ends_choose(cafe_context *context, const cafe_operator *op,
                             cafe_solution *solution);

/* Would CAFE_ENDS_AUTO give at least `least` of the solution's columns to the bottom? The solution
 * has the top's H as cafe_sphere_sweeps() leaves it; afterwards it is settled. */
cafe_status cafe_ends_probe(cafe_context *context, const cafe_operator *op,
                            const cafe_sphere_options *options, cafe_solution *solution,
                            int64_t least, bool *bottom);

/* cafe_refine() at both ends. The last `bottom` columns of x start the bottom end, the others the
 * top; x goes out as the Ritz vectors of both together, in new memory, in the descending order of
 * their values, which are above 0 for the top end's and below it for the bottom's. */
cafe_status cafe_ends_refine(cafe_context *context, const cafe_operator *op, cafe_side side,
                             int64_t bottom, double tolerance, int64_t rounds, cafe_block *x,
                             cafe_ritz *ritz, cafe_refined *refined);

#endif
