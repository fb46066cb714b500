/* Principal directions of a table of features, in O(entries K) time and memory. */
#ifndef CAFE_SPECTRAL_FEATURE_DIRECTIONS_H
#define CAFE_SPECTRAL_FEATURE_DIRECTIONS_H

#include <cafe/method.h>

#include "engine/engine.h"

typedef struct cafe_directions {
    cafe_block x;       /* n x directions, on the processor: the centred table times its principal
                         * directions, the largest variance first */
    double *values;     /* squared lengths of the columns of x */
    double squares;     /* sum of the squares of the centred table */
    cafe_block average; /* the same of the table's rows averaged over the neighbours, */
    double *average_values; /* and its squared lengths; of no columns without a graph */
    int64_t entries;        /* of the table that are not 0 */
    bool words;             /* as cafe_feature_report has it */
} cafe_directions;

/* The first `most` directions, and of the averaged table half as many; graph NULL: no average.
 * Returns CAFE_ERROR_ARGUMENT for a table that is not one of n rows of finite numbers, or has the
 * same row for all nodes. */
cafe_status cafe_directions_find(cafe_context *context, int64_t n, const cafe_feature_inputs *table,
                                 int64_t most, const cafe_graph *graph,
                                 cafe_directions *directions);
void cafe_directions_free(cafe_context *context, cafe_directions *directions);

/* Bytes at the peak: the table in rows and in columns, the blocks. */
double cafe_directions_bytes(int64_t n, int64_t columns, double entries, int64_t most);

#endif
