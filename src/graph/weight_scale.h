/* The range of weights, and the power of two that brings them near 1.
 *
 * A graph keeps the weights as given. Computations read scaled weights,
 *
 *     scaled(u,w) = a(u,w) 2^-exponent.
 *
 * Scaling by a power of two is exact. So P, p and all results that do not depend on the unit of the
 * weights have the same bits in every unit. If the largest weight lies within 2^-CAFE_SCALE_NEAR ..
 * 2^CAFE_SCALE_NEAR, weights are not copied.
 */
#ifndef CAFE_GRAPH_WEIGHT_SCALE_H
#define CAFE_GRAPH_WEIGHT_SCALE_H

#include <cafe/graph.h>

#include "os/lab.h"

enum { CAFE_SCALE_NEAR = 24 };

/* Sets `scaled`, `exponent` and `top` from the weights; CAFE_ERROR_ARGUMENT for weights outside the
 * range (CAFE_WEIGHT_LEAST, CAFE_WEIGHT_RATIO). A graph is scaled when it is counted. */
cafe_status cafe_graph_scale(cafe_context *context, cafe_graph *graph);

/* Keeps weights that the library makes within the range: weights too small beside the largest, or
 * for a float, become 0, which is no edge. */
CAFE_LAB cafe_status cafe_weights_trim(cafe_context *context, int64_t count, float *weights);

/* A number in the unit of the scaled weights, from one in that of the weights. */
double cafe_graph_to_scaled(const cafe_graph *graph, double weight);

/* The weight in the middle of the scaled ones, the lower of two, arc by arc; 1 without weights. */
cafe_status cafe_graph_median(cafe_context *context, const cafe_graph *graph, double *median);

/* The weight of an arc for methods that hold weights against another number (the length of a row)
 * and so need a unit. It is the power of two that puts the largest weight into [1, 2). A graph
 * without weights has 1 everywhere. */
CAFE_LAB double cafe_graph_unit_weight(const cafe_graph *graph, int64_t arc);

#endif
