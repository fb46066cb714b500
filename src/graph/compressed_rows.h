/* Compressed rows: looking into them, and making them in two passes. */
#ifndef CAFE_GRAPH_COMPRESSED_ROWS_H
#define CAFE_GRAPH_COMPRESSED_ROWS_H

#include "base/thread_pool.h"

/* The first of the entries begin .. end-1, whose targets ascend, with a target of w or more. */
static inline int64_t cafe_row_find(const int32_t *targets, int64_t begin, int64_t end, int64_t w) {
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (targets[middle] < w)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* How many entries of the rows have a target of at least u + beyond: counted, so that it holds for
 * rows that are not symmetric too. */
static inline int64_t cafe_rows_upper(int64_t n, const int64_t *offsets, const int32_t *targets,
                                      int64_t beyond) {
    int64_t count = 0;
    for (int64_t u = 0; u < n; u++)
        count += offsets[u + 1] - cafe_row_find(targets, offsets[u], offsets[u + 1], u + beyond);
    return count;
}

/* The sum of row u; weights NULL: all 1. */
static inline double cafe_row_sum(const int64_t *offsets, const float *weights, int64_t u) {
    double sum = 0;
    if (!weights) return (double)(offsets[u + 1] - offsets[u]);
    for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) sum += weights[j];
    return sum;
}

/* ---- making them ----------------------------------------------------------------------------- */

typedef struct cafe_rows {
    int64_t n;
    int64_t *offsets; /* n + 1 */
    int32_t *targets; /* NULL while entries are counted */
    float *weights;
} cafe_rows;

/* Runs `task` twice over n rows in blocks of `block`. It goes through its rows with one
 * cafe_row_begin() each, a cafe_row_put() for each entry and a cafe_row_end(): entries are counted
 * the first time and written the second. cafe_rows_free() frees rows even half made. */
CAFE_LAB cafe_status cafe_rows_make(cafe_context *context, int64_t n, int64_t block,
                                    cafe_task *task, void *argument, cafe_rows *rows);
/* Room for `count` entries, and offsets that are 0: one more than rows have. */
cafe_status cafe_rows_new(cafe_context *context, int64_t n, int64_t count, cafe_rows *rows);
CAFE_LAB void cafe_rows_free(cafe_context *context, cafe_rows *rows);

static inline int64_t cafe_row_begin(const cafe_rows *rows, int64_t u) {
    return rows->targets ? rows->offsets[u] : 0;
}

static inline void cafe_row_put(const cafe_rows *rows, int64_t *at, int64_t target, float weight) {
    if (rows->targets) {
        rows->targets[*at] = (int32_t)target;
        rows->weights[*at] = weight;
    }
    ++*at;
}

static inline void cafe_row_end(const cafe_rows *rows, int64_t u, int64_t at) {
    if (!rows->targets) rows->offsets[u + 1] = at;
}

#endif
