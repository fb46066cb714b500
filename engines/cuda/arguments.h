/* The arguments of the kernels: numbers and device addresses, passed by value.
 *
 * Rows of a block are `stride` floats apart and aligned to 16 bytes; the floats after the last
 * column are 0. row_threads() threads work on a row of `stride` floats, four floats each at a time.
 */
#ifndef CAFE_CUDA_ARGUMENTS_H
#define CAFE_CUDA_ARGUMENTS_H

#include <stdint.h>

#include "base/inline.h"
#include "kernels/storage.h"
#include "kernels/sum_shapes.h"

enum { BLOCK = 256, WARP = 32 }; /* threads */

enum {
    PIECE = 256, /* edges whose sum is formed before it joins the total: the contract of bits */
    LONG = 256,  /* edges above which a row is summed up by pieces, by several warps */
    COPIES = 8   /* of the sums of a chunk, so that fewer blocks add to the same numbers */
};

/* Returns the threads of a row: a power of two, at most a warp; they read as many edges at a time.
 */
CAFE_INLINE int row_threads(int64_t stride) {
    int threads = 8;
    while (threads < WARP && threads * 4 < stride) threads *= 2;
    return threads;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* `rows` rows of `columns` floats and `zeros` more of value 0; places (NULL: 0, 1, 2, ...) of the
 * columns in a row of `from`. */
typedef struct copy_rows_args {
    const float *from;
    float *to;
    const int64_t *places;
    int64_t from_step, to_step, rows, columns, zeros;
} copy_rows_args;

/* Row u times (float)factors[u]. */
typedef struct scale_rows_args {
    float *x;
    const double *factors;
    int64_t rows, stride, columns;
} scale_rows_args;

/* The edges of a graph (operator/operator.h). */
typedef struct links {
    int64_t n;
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights, *factor, *loops; /* NULL: none */
    const double *p;
} links;

/* engine/engine.h, cafe_start */
typedef struct start_rows_args {
    float *x;
    int64_t rows, stride, columns, from;
    int32_t kind, given;
    uint64_t seed, stream;
    const int32_t *labels, *marks; /* NULL: none */
    const int8_t *small;           /* the marks of up to 128 columns, which are read at random */
    links links;
    int64_t blocks; /* that share the rows */
} start_rows_args;

/* ---- rows of edges --------------------------------------------------------------------------- */

/* Nodes first, first + step, ...: count of them. */
typedef struct nodes {
    int64_t first, step, count;
} nodes;

/* Long rows, whose pieces are summed up before them. */
typedef struct long_row {
    int32_t number; /* in the range, ascending */
    int32_t first;  /* its first piece */
} long_row;
typedef struct long_rows {
    const long_row *rows;
    int64_t count, pieces;
    int32_t *done; /* pieces of each row that are summed up; 0 before and after */
    float *sums;   /* of each piece */
} long_rows;

/* Stored rows: floats, or the same numbers in 16 bits (NULL: floats). */
typedef struct stored {
    const float *x;
    const uint16_t *packed;
    int32_t storage;
} stored;

/* Rows of edges, which warps take one after the other. */
typedef struct row_work {
    links links;
    nodes range;
    long_rows wide;
    stored x;            /* the rows that are summed up */
    const uint8_t *skip; /* by node: rows that are not needed; NULL: none */
    const float *inner;  /* of each row of the range, a_u / p_u inside a chunk; NULL: 0 */
    int64_t stride;
    int32_t *taken; /* how many items are; 0 before */
} row_work;

/* weights_j of all edges, with their factors */
typedef struct weigh_links_args {
    links links;
    float *weights;
    int64_t blocks;
} weigh_links_args;

/* degrees_u = sum over the edges of u */
typedef struct sum_degrees_args {
    links links;
    double *degrees;
} sum_degrees_args;

/* y = a (sum scale - shift s) + b x + c y; walk: D^-1 Q */
typedef struct multiply_rows_args {
    row_work work;
    const float *s;
    float *y;
    double total;
    float a, b, c;
    int32_t walk;
} multiply_rows_args;
typedef multiply_rows_args multiply_short_rows_args;

/* y = y + (float)(a p_u) power, y = c y + b x before where `first` */
typedef struct add_power_args {
    const float *x, *power;
    const double *p; /* NULL: 1 */
    float *y;
    int64_t rows, stride;
    float a, b, c;
    int32_t first;
} add_power_args;

/* ---- sums over nodes ------------------------------------------------------------------------- */

typedef enum sum_kind { SUM_PLAIN, SUM_SQUARES } sum_kind;

/* parts_bk = sum over the rows u of piece b of w_u x_uk, or w_u^2 x_uk x_uk */
typedef struct sum_columns_args {
    const float *x;
    const double *weights; /* NULL: 1 */
    int64_t rows, stride, columns, piece;
    int32_t kind;
    double *parts;
} sum_columns_args;

/* sums_k = sum over b of parts_bk, from 0 on */
typedef struct add_parts_args {
    const double *parts;
    int64_t count, columns;
    double *sums;
} add_parts_args;

/* parts_b = (sum of w_u <x_u, y_u>, sum of o_u ||x_u||^2), the last `negative` columns turned */
typedef struct sum_dots_args {
    const float *x, *y;
    const double *weights, *own_weights;
    int64_t rows, stride, columns, piece, negative;
    double *parts;
} sum_dots_args;

/* ---- chunks ---------------------------------------------------------------------------------- */

/* The nodes of each chunk, and the edges and masses inside (operator/chunks.h). */
typedef struct chunks_args {
    links links;
    int64_t block, step, count; /* nodes of a block, chunks of one; all chunks */
    const int64_t *starts;
    double total;
    double *mass;
    float *inner;
    int64_t *offsets;
    int32_t *owners, *targets; /* numbers in the chunk, of both ends */
    float *weights;            /* NULL: all 1 */
} chunks_args;

typedef chunks_args weigh_chunks_args;
typedef chunks_args count_inside_args;
typedef chunks_args list_inside_args;

enum { SCAN = 4096 }; /* numbers of a block */

/* offsets_i+1 = the sum of the numbers 1 .. i + 1, in place; totals of each block before, then
 * their sums up to it */
typedef struct scan_args {
    int64_t *numbers, *totals;
    int64_t count;
} scan_args;

typedef scan_args scan_totals_args;
typedef scan_args scan_numbers_args;

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* The new row of a node is written at once if no other node of the chunk reads it. Other rows are
 * kept until all nodes of the chunk have moved. */
typedef struct sweep_args {
    row_work work;         /* of the chunk; the nodes that are fixed are skipped */
    float *h, *rows;       /* all rows; the chunk's new ones that are kept */
    uint16_t *packed;      /* all rows in 16 bits; NULL: not */
    float *single;         /* S in single precision, scaled for reading */
    int32_t *kept, *count; /* numbers of the rows that are kept, and how many; 0 before */
    cafe_gains *gains;     /* of the chunk: COPIES of the sums of its moves and edges inside */
    double *s, *totals;    /* S; its change in the chunk, COPIES times */
    const double *mass;    /* of the chunk */
    const int64_t *inner_offsets;                /* of its nodes; NULL: no edges inside */
    const int32_t *inner_owners, *inner_targets; /* numbers in the chunk */
    const float *inner_weights;                  /* NULL: 1 */
    double total, expected, unit, per_unit, kappa, gamma, theta, mean_degree, resolution;
    int64_t blocks; /* that share the edges inside, and the rows that are kept */
    int32_t sign, softmax, storage;
    int32_t together; /* together: some chunk has more than one node */
} sweep_args;

typedef sweep_args move_rows_args;
typedef sweep_args move_float16_rows_args;
typedef sweep_args move_bfloat16_rows_args;
typedef sweep_args move_any_rows_args;
typedef sweep_args sum_inner_args;
typedef sweep_args settle_args;

/* Rounds `count` floats to the storage, in place, and stores them in 16 bits */
typedef struct pack_rows_args {
    float *x;
    uint16_t *packed;
    int64_t count;
    int32_t storage;
} pack_rows_args;

/* growths_c of some chunks, from their sums and their change of S; then *gain + growths_0 + ... */
typedef struct sum_gains_args {
    const cafe_gains *gains;
    const double *totals;
    int64_t stride, chunks;
    double unit, expected;
    int32_t sign;
    double *growths, *gain;
} sum_gains_args;

typedef sum_gains_args add_gains_args;

/* ---- tall ------------------------------------------------------------------------------------ */

enum { TILE = 64 }; /* a side of a tile */

/* A row of [a b]: `columns` floats and `right` more. */
typedef struct tall {
    const float *a, *b;
    int64_t a_stride, b_stride, columns, right;
} tall;

/* parts: k x k of each part, upper tiles. Part i has rows starts_i .. starts_i+1 - 1 of the list
 * (NULL: of the block) */
typedef struct gram_parts_args {
    tall x;
    const double *weights;
    const int32_t *list;
    const int64_t *starts;
    int64_t k, tiles;
    double *parts;
} gram_parts_args;

typedef gram_parts_args gram_single_args;
typedef gram_parts_args gram_double_args;

/* gram_ij = sum over the parts, both triangles */
typedef struct add_grams_args {
    const double *parts;
    int64_t count, k;
    double *gram;
} add_grams_args;

/* x = from[:, kept] m - shift, then zeros */
typedef struct transform_rows_args {
    const float *from;
    float *x;
    const double *m, *shift;
    const int64_t *kept; /* NULL: all; else m is upper triangular */
    int64_t rows, from_stride, stride, inner, k, zeros, tiles;
} transform_rows_args;

/* ---- all of them ----------------------------------------------------------------------------- */

/* Every kernel, the threads of its blocks, and the least number of blocks that a multiprocessor
 * holds. */
#define KERNELS(X)                   \
    X(copy_rows, BLOCK, 1)           \
    X(scale_rows, BLOCK, 1)          \
    X(pack_rows, BLOCK, 1)           \
    X(start_rows, WARP, 32)          \
    X(weigh_links, WARP, 32)         \
    X(sum_degrees, BLOCK, 1)         \
    X(multiply_rows, WARP, 16)       \
    X(multiply_short_rows, WARP, 16) \
    X(add_power, BLOCK, 1)           \
    X(sum_columns, BLOCK, 1)         \
    X(add_parts, BLOCK, 1)           \
    X(sum_dots, BLOCK, 1)            \
    X(weigh_chunks, BLOCK, 1)        \
    X(count_inside, BLOCK, 1)        \
    X(list_inside, BLOCK, 1)         \
    X(scan_totals, BLOCK, 1)         \
    X(scan_numbers, BLOCK, 1)        \
    X(move_rows, WARP, 16)           \
    X(move_float16_rows, WARP, 16)   \
    X(move_bfloat16_rows, WARP, 16)  \
    X(move_any_rows, WARP, 16)       \
    X(sum_inner, BLOCK, 1)           \
    X(settle, BLOCK, 1)              \
    X(sum_gains, BLOCK, 1)           \
    X(add_gains, BLOCK, 1)           \
    X(gram_single, BLOCK, 2)         \
    X(gram_double, BLOCK, 2)         \
    X(add_grams, BLOCK, 1)           \
    X(transform_rows, BLOCK, 2)

#endif
