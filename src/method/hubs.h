/* The hub part: columns from the largest eigenvalues, of either sign, of the edges themselves. */
#ifndef CAFE_METHOD_HUBS_H
#define CAFE_METHOD_HUBS_H

#include <cafe/graph.h>

#include "engine/engine.h"

/* What was chosen by trial; docs/algorithms/hubs.md has the figures. */
enum {
    CAFE_HUB_GUARDS = 32, /* columns of the iteration beyond those wanted */
    CAFE_HUB_STEPS = 6    /* products with M */
};
#define CAFE_HUB_OWN 0.75f /* a row's own share when it is averaged with its neighbours' */

typedef struct cafe_hubs {
    cafe_block x;   /* the columns, on the processor */
    int64_t pairs;  /* columns of eigenvectors: the rank of M, if it is so small */
    double *values; /* theta_j, the largest |theta| first; NAN: the column of degrees, the last */
    double *residuals; /* ||M v - theta v||, ||v|| = 1 */
} cafe_hubs;

/* columns <= nodes of them; a column that M has no direction for is 0. Mean column variance 1. */
cafe_status cafe_hubs_find(cafe_context *context, const cafe_graph *graph, int64_t columns,
                           int64_t steps, cafe_hubs *hubs);
void cafe_hubs_free(cafe_context *context, cafe_hubs *hubs);

/* Rows of a block of the processor scaled to length 1; a row of 0 stays. And its columns less their
 * means, over the root of their mean variance; `pairs` of them are not 0. */
cafe_status cafe_hubs_normalise(cafe_context *context, cafe_block *x);
cafe_status cafe_hubs_centre(cafe_context *context, int64_t pairs, cafe_block *x);

#endif
