/* The eigensolver without known eigenvectors, for the other end of a spectrum. */
#ifndef CAFE_SPECTRAL_DEFLATION_H
#define CAFE_SPECTRAL_DEFLATION_H

#include "spectral/eigen.h"

/* Finds pairs of a problem that are orthogonal to the pairs `first` and on of `known`. The problem
 * must want the smallest values. */
cafe_status cafe_eigen_apart(cafe_context *context, const cafe_eigen_problem *problem,
                             const cafe_eigen *known, int64_t first, cafe_eigen *found);

#endif
