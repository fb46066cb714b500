/* The scaled form: columns of zero mean and mean variance 1, the spectrum between them flattened.
 */
#ifndef CAFE_SPECTRAL_SCALED_FORM_H
#define CAFE_SPECTRAL_SCALED_FORM_H

#include "engine/engine.h"

/* A direction of Y is left out if its square is at most this share of the largest, which a Gram
 * matrix cannot resolve. */
#define CAFE_LEAST_SQUARE 1e-12
#define CAFE_LEAST_LENGTH 3e-4
/* A direction is weak if its square is at most this share of the largest: other columns carry more.
 */
#define CAFE_WEAK_SQUARE 1e-7

/* Y <- Y E Lambda^(s - 1/2) U c less the column means, with the centred Gram matrix E Lambda E^T of
 * Y. s is the exponent, or less if a direction would otherwise be shorter than the share `shortest`
 * of the longest. Directions without information are left out: they are short beside the longest,
 * or errors of length noise[j] in column j may have made more than CAFE_MOST_NOISE of them. The
 * number of the others becomes y->columns. With `least` > 0 there will be columns from elsewhere
 * too. Then y has as many columns as there are directions that are not weak, and `least` at least,
 * over which fewer directions are spread. Column j lies next to column from[j] of the Y that came
 * in. */
cafe_status cafe_scale_columns(cafe_context *context, double exponent, double shortest,
                               int64_t least, const double *noise, int64_t *from, cafe_block *y);

/* Y <- c Y less the column means, c so that the mean variance is 1. Columns short beside the
 * longest are left out, and those of which errors of length noise[j] may have made more than
 * CAFE_MOST_NOISE. Column j was column from[j]. */
cafe_status cafe_centre_columns(cafe_context *context, const double *noise, int64_t *from,
                                cafe_block *y);

/* V <- V diag(|rho|^2s) c less the column means: the same for eigenvectors, of length 1 in the
 * inner product with these weights. Those short beside the longest are left out, and those that are
 * constant where there are weights, but for rounding. */
cafe_status cafe_scale_pairs(cafe_context *context, double exponent, const double *rho,
                             const double *weights, cafe_block *v);

#endif
