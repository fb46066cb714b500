/* Rows of numbers with names on their way out. */
#ifndef CAFE_IO_VECTOR_FILE_H
#define CAFE_IO_VECTOR_FILE_H

#include <cafe-private/output.h>
#include <cafe/files.h>

#include "graph/node_names.h"

/* Gets rows row .. row + rows - 1, `columns` floats each; the second writes all rows into the file
 * of this path, from byte `offset` on. `status` passes an earlier error of one process on to all.
 */
typedef cafe_status cafe_rows_get(void *source, cafe_status status, int64_t row, int64_t rows,
                                  float *to);
typedef cafe_status cafe_rows_put(void *source, cafe_status status, const char *path,
                                  int64_t offset);

typedef struct cafe_matrix {
    int64_t rows, columns, stride; /* rows are `stride` floats apart */
    const float *values;           /* NULL: several processes hold them, */
    const int32_t *at;  /* row u is row at[u] of the values, or row ~at[u] of `other` if that is
                         * negative; NULL: rows are in order */
    const float *other; /* rows that take the place of some; other_stride floats apart */
    int64_t other_stride;
    const cafe_names *names;      /* of the rows */
    const char *row;              /* their name in a heading; NULL: "node" */
    char made[CAFE_VECTORS_MADE]; /* how they were made (cafe/files.h); empty: unknown */
    cafe_output *begun;           /* by cafe_matrix_begin(); NULL: nothing was */
    void *source; /* and these functions, which all processes call, to get and write rows: */
    cafe_rows_get *get;
    cafe_rows_put *put;
} cafe_matrix;

/* Rows in memory. */
static inline cafe_matrix cafe_matrix_of(int64_t rows, int64_t columns, int64_t stride,
                                         const float *values, const cafe_names *names) {
    return (cafe_matrix){
        .rows = rows, .columns = columns, .stride = stride, .values = values, .names = names};
}

/* Row u of a matrix in memory. */
static inline const float *cafe_matrix_row(const cafe_matrix *m, int64_t u) {
    int64_t at = m->at ? m->at[u] : u;
    return at < 0 ? m->other + ~at * m->other_stride : m->values + at * m->stride;
}

/* Begins to write rows that will not change, before the rest of the file is known.
 * cafe_matrix_write() with this output and the same path and names continues; cafe_output_discard()
 * removes it. NULL if early writing gains nothing or the file cannot be created; the later write
 * then reports the error. */
cafe_status cafe_matrix_begin(cafe_context *context, const cafe_matrix *matrix, const char *path,
                              int32_t overwrite, cafe_output **begun);

/* cafe_vectors_write() for any rows; continues a begun output. */
cafe_status cafe_matrix_write(cafe_context *context, const cafe_matrix *matrix, const char *path,
                              int32_t overwrite);

#endif
