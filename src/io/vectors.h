/* Rows of numbers with names on their way out. */
#ifndef CAFE_IO_VECTORS_H
#define CAFE_IO_VECTORS_H

#include "graph/graph.h"

typedef struct cafe_matrix {
    int64_t rows, columns, stride; /* rows are `stride` floats apart */
    const float *values;
    const cafe_names *names; /* of the rows */
} cafe_matrix;

/* cafe_vectors_write() for any rows. */
cafe_status cafe_matrix_write(cafe_context *context, const cafe_matrix *matrix, const char *path,
                              int32_t overwrite);

#endif
