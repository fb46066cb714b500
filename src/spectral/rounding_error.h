/* Estimates of the rounding in the columns of a product. */
#ifndef CAFE_SPECTRAL_ROUNDING_ERROR_H
#define CAFE_SPECTRAL_ROUNDING_ERROR_H

#include "engine/engine.h"

/* The largest part of a returned column that rounding of the product may have made. */
#define CAFE_MOST_NOISE 0.01

/* noise[j]: about the length of the rounding error in column j of Y = M H, M = Q or D^-1 Q, as
 * cafe_block_product() finds it in single precision. */
cafe_status cafe_noise_find(cafe_context *context, const cafe_operator *op, cafe_side side,
                            const cafe_block *h, const cafe_block *y, double *noise);

#endif
