/* SLEPc's Krylov-Schur as a peer of the eigensolver; built where SLEPc is found. */
#ifndef CAFE_BENCH_SLEPC_H
#define CAFE_BENCH_SLEPC_H

#include <stdbool.h>

#include "operator/operator.h"

/* The `count` largest eigenvectors of Q to |Q v - lambda v| <= tolerance |Q|: vectors n x count
 * row-major. products gets how many vectors Q was multiplied with. */
bool slepc_largest(cafe_context *context, const cafe_operator *op, int count, double tolerance,
                   double *vectors, long long *products, int *converged);

#endif
