/* The sampled graph: a bivariate distribution P on pairs of nodes, and its marginal p. */
#ifndef CAFE_SAMPLE_SAMPLED_H
#define CAFE_SAMPLE_SAMPLED_H

#include <cafe/operator.h>

#include "base/context.h"

/* p(u,w) = a(u,w) / total for the arcs of the rows, 0 elsewhere; p[u] = degree(u) / total. */
struct cafe_sampled {
    cafe_context *context;
    cafe_sampling sampling;
    int64_t n;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights; /* a(u,w); NULL: all 1 */
    double total;         /* 2m = sum of a(u,w) over all ordered pairs */
    double *p;            /* sums to 1 */
    float *loops;         /* a(u,u), or NULL when there are none */
};

#endif
