/* Rows averaged over the neighbours: the smoothing of features. */
#ifndef CAFE_SPECTRAL_NEIGHBOUR_AVERAGE_H
#define CAFE_SPECTRAL_NEIGHBOUR_AVERAGE_H

#include "engine/engine.h"

/* P = (1 - a) I + a (1 - a) W + a^2 W^2, rows of W sum to 1; it is not symmetric. */
typedef struct cafe_averaging {
    cafe_operator rows; /* W without own shares, before rows are divided */
    double own;         /* weight of the edge from a node to itself */
    float *factor;      /* 1 / sqrt(d_u + own) */
    double *inverse;    /* 1 / sum of row u */
} cafe_averaging;

cafe_status cafe_averaging_open(cafe_context *context, const cafe_graph *graph,
                                cafe_averaging *averaging);
void cafe_averaging_close(cafe_context *context, cafe_averaging *averaging);

/* x <- P x, or P^T x; blocks of the processor. */
cafe_status cafe_average(cafe_context *context, const cafe_averaging *averaging, bool transposed,
                         cafe_block *x);

#endif
