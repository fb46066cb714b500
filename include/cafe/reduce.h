/* Tables into vectors: dimensionality reduction by clustering (section "dimensionality reduction"
 * of the paper), with the exact principal components beside it.
 *
 * A table X of n rows and L columns, its columns centred, has the modularity matrix Q = X X^T,
 * whose rows sum to 0. Q is never formed: with W = X^T H everything costs O(n L K) a sweep.
 */
#ifndef CAFE_REDUCE_H
#define CAFE_REDUCE_H

#include <cafe/context.h>
#include <cafe/option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- tables ---------------------------------------------------------------------------------- */

/* n x L numbers with the names of rows and columns, where the file has them. */
typedef struct cafe_table cafe_table;

/* Reads .npy (one or two dimensions of numbers), CSV, TSV or numbers between blanks, plain or gzip;
 * "-" is standard input. Of a text the first line may name the columns and the first column the
 * rows: both are detected. Lines that begin with # are comments. A malformed file is
 * CAFE_ERROR_FORMAT with "file:line:column: expected ..., found ..." in the error text. */
CAFE_API cafe_status cafe_table_read(cafe_context *context, const char *path, cafe_table **table);
CAFE_API void cafe_table_free(cafe_table *table);
CAFE_API int64_t cafe_table_rows(const cafe_table *table);
CAFE_API int64_t cafe_table_columns(const cafe_table *table);
/* Row-major rows x columns; all finite. */
CAFE_API const float *cafe_table_values(const cafe_table *table);

/* ---- reduction ------------------------------------------------------------------------------- */

typedef enum cafe_reduce_method {
    CAFE_REDUCE_SOFTMAX = 0, /* rows of H are probabilities: columns are clusters */
    CAFE_REDUCE_SPHERE = 1   /* rows of H have length 1 */
} cafe_reduce_method;

typedef enum cafe_reduce_order {
    CAFE_ORDER_AUTO = 0,       /* sequential up to 4096 rows, else chunks */
    CAFE_ORDER_SEQUENTIAL = 1, /* one row after the other: the paper's algorithm */
    CAFE_ORDER_CHUNKS = 2      /* rows of a chunk move together, by all threads */
} cafe_reduce_order;

typedef struct cafe_reduce_options {
    size_t struct_size;
    int64_t columns;  /* K */
    int32_t method;   /* cafe_reduce_method */
    double theta;     /* softmax: inverse temperature in units of 1/Q; 0: 4 K / tr Q */
    double beta;      /* sphere: influence, in (0,1] */
    int64_t sweeps;   /* at most this many passes over the rows */
    double tolerance; /* stop when a sweep gains less than this share of the objective; 0: never */
    int32_t order;    /* cafe_reduce_order */
    int64_t chunks;   /* 0: 64 */
    int32_t keep_empty; /* 1: K columns whatever is in them, as in the paper's experiment */
} cafe_reduce_options;

CAFE_OPTIONS(reduce)

/* H, W = X^T H, and the vectors QR(Q H) with what is proved about them. */
typedef struct cafe_reduction cafe_reduction;

/* x: row-major rows x width, finite, not centred. Random start from the context's seed; the same
 * bits for any number of threads. */
CAFE_API cafe_status cafe_reduce(cafe_context *context, int64_t rows, int64_t width, const float *x,
                                 const cafe_reduce_options *options, cafe_reduction **reduction);
CAFE_API void cafe_reduction_free(cafe_reduction *reduction);

/* What came out. The arrays belong to the reduction; everything is in the units of the table.
 *
 * Of the K columns asked for, H and W have `held` (softmax: empty ones are dropped). The vectors
 * have `columns`, of which `rank` carry information: Q has rank L at most. With keep_empty the
 * others complete them to an orthonormal set and are arbitrary; else columns = rank.
 *
 * projections_j = 1 - sum over l of c_jl^2. Here c_jl is the inner product of column j with the
 * l-th dominant eigenvector of Q. Their number, `eigenpairs`, is the smaller of K and the rank of
 * Q. The value is 0 if column j lies in their span (eq. proj3333 of the paper). NULL when the table
 * is wider than 1024 columns.
 */
typedef struct cafe_reduction_report {
    int64_t rows, width;  /* n, L */
    int64_t asked;        /* K */
    int64_t held;         /* columns of H and W */
    int64_t clusters;     /* of them the largest entry of some row: clusters, for softmax */
    int64_t columns;      /* of the vectors */
    int64_t rank;         /* of them with information */
    int64_t chunks;       /* n: sequential */
    double theta;         /* used by softmax; rows in a chunk may use less (4 / ||x_u||^2) */
    int64_t sweeps;       /* done */
    int32_t converged;    /* 1: the last sweep gained less than the tolerance */
    double trace;         /* tr(H^T Q H) = ||W||^2 at the end, diagonal included */
    double variance;      /* tr Q: the sum of squares of the centred table */
    double orthogonality; /* largest entry of |V^T V - I| */
    int64_t eigenpairs;
    const double *objective;     /* sum over u != w of q(u,w) <h_u,h_w>: at the start and after each
                                  * sweep, sweeps + 1 values; never falls */
    const double *means;         /* of the table's columns: L */
    const double *w;             /* L x held, row-major: column k is the sum of its members */
    const double *masses;        /* column sums of H: held */
    const double *ritz_values;   /* of Q on the span of the vectors, descending: columns */
    const double *residuals;     /* an eigenvalue of Q lies within it of each Ritz value */
    const double *shares;        /* ritz value over tr Q: the variance explained */
    const double *column_values; /* of each column as it stands */
    const double *column_residuals;
    const double *projections; /* columns, or NULL */
    const double *eigenvalues; /* eigenpairs, or NULL: the exact principal components' */
} cafe_reduction_report;

CAFE_API const cafe_reduction_report *cafe_reduction_get(const cafe_reduction *reduction);
/* Copies the vectors, row-major rows x columns, and H, rows x held. */
CAFE_API void cafe_reduction_copy(const cafe_reduction *reduction, float *vectors);

#ifdef __cplusplus
}
#endif
#endif
