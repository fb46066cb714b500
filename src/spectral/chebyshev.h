/* A polynomial of a map, for the eigensolver: where products are cheap beside the basis. */
#ifndef CAFE_SPECTRAL_CHEBYSHEV_H
#define CAFE_SPECTRAL_CHEBYSHEV_H

#include "spectral/eigen.h"

typedef struct cafe_filter {
    int64_t degree;      /* odd; 1: the map itself */
    bool single;         /* blocks are n x 8 floats, or doubles */
    double sign;         /* of the end that is wanted: 1 the largest, -1 the smallest */
    double centre, half; /* [centre - half, centre + half] is the unwanted part of sign M */
    void *older, *newer; /* two blocks */
} cafe_filter;

/* Memory for degrees beyond 1. */
cafe_status cafe_filter_new(cafe_context *context, int64_t n, bool single, cafe_filter *f);
void cafe_filter_free(cafe_context *context, cafe_filter *f);

/* At most. */
int64_t cafe_filter_bytes(int64_t n);

/* T_degree((sign M - centre) / half) at the eigenvalue x of sign M, 1 or more. */
double cafe_filter_value(const cafe_filter *f, double x);

/* W = T_degree((sign M - centre) / half) P. *w changes places with one of the filter's blocks. */
cafe_status cafe_filter_apply(cafe_context *context, const cafe_eigen_problem *problem,
                              cafe_filter *f, const void *p, void **w);

#endif
