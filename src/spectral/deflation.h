/* The eigensolver apart from eigenvectors that are known: for the other end of a spectrum. */
#ifndef CAFE_SPECTRAL_DEFLATION_H
#define CAFE_SPECTRAL_DEFLATION_H

#include "spectral/eigen.h"

/* The pairs of a problem, orthogonal to the pairs `first` and on of `known`, which are not wanted
 * again: for a problem that wants the smallest. */
cafe_status cafe_eigen_apart(cafe_context *context, const cafe_eigen_problem *problem,
                             const cafe_eigen *known, int64_t first, cafe_eigen *found);

#endif
