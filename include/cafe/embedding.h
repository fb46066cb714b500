/* Sphere-GCN (algorithm 4 of the paper), the spectral finish, and the embedding they yield:
 * vectors with a certificate.
 */
#ifndef CAFE_EMBEDDING_H
#define CAFE_EMBEDDING_H

#include <cafe/operator.h>
#include <cafe/storage.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the solver ------------------------------------------------------------------------------ */

/* Where the columns come from. The top end of Q's spectrum has groups of nodes with many edges
 * inside, the bottom end groups with many edges to one another (docs/algorithms/ends.md). Hubs are
 * eigenvectors of the edges themselves (docs/algorithms/hubs.md). */
typedef enum cafe_columns_from {
    CAFE_FROM_TOP = 0,      /* K columns that make tr(H^T Q H) large */
    CAFE_FROM_BOTH = 1,     /* half of them, and K/2 columns that make it small */
    CAFE_FROM_LARGEST = 2,  /* of each end as many as its Ritz values suggest; at most half from the
                               bottom */
    CAFE_FROM_AUTO = 3,     /* the top; in the scaled form hubs take the columns that the top does
                               not fill, or half of them where the bottom end is strong */
    CAFE_FROM_TOP_HUBS = 4, /* half of the columns each; the scaled form alone */
    CAFE_FROM_HUBS = 5      /* hubs alone; the scaled form alone */
} cafe_columns_from;

typedef struct cafe_sphere_options {
    size_t struct_size;
    int64_t columns;      /* K */
    int64_t sweeps;       /* at most this many passes over the nodes */
    double tolerance;     /* stop when a sweep gains less than this share of the objective */
    double beta;          /* influence, in (0,1]; 1 moves every node all the way */
    int64_t chunks;       /* B; 0: chosen by size; n chunks = the paper's sequential algorithm */
    int32_t columns_from; /* cafe_columns_from; hubs: for cafe_embed() and cafe_model_solve() */
    int32_t storage;      /* cafe_storage of H while it is swept */
} cafe_sphere_options;

CAFE_OPTIONS(sphere)

/* The state of a solver: H (n x K, rows of length 1) and the objective after each sweep.
 *
 * With both ends H has the columns of the top first, then those of the bottom, and each of the two
 * parts of a row has length 1. For CAFE_FROM_LARGEST these are K and (K+1)/2 columns, of which
 * cafe_finish() keeps K. */
typedef struct cafe_solution cafe_solution;

/* start: NULL for random rows from the context's seed, or n x columns row-major start vectors
 * (warm start; a row is normalised, a zero row is drawn at random). With CAFE_FROM_LARGEST the
 * start is the top's, and the bottom starts at random. */
CAFE_API cafe_status cafe_sphere(cafe_context *context, const cafe_operator *op,
                                 const cafe_sphere_options *options, const float *start,
                                 cafe_solution **solution);
CAFE_API void cafe_solution_free(cafe_solution *solution);

/* The course of the solver. objective[0] is tr(H^T Q H) at the start, objective[i] after sweep i;
 * of softmax clustering without the diagonal, of methods others published their loss. With both
 * ends it is the trace of the top's columns less that of the bottom's; the end that needed fewer
 * sweeps keeps its last value. */
typedef struct cafe_solution_report {
    int64_t columns, sweeps;
    const double *objective; /* sweeps + 1 values */
    int32_t converged; /* 1: further sweeps would change little by the method's tolerance; 0: the
                        * limit of sweeps ended the run */
} cafe_solution_report;

/* Valid until the next call with this solution. */
CAFE_API const cafe_solution_report *cafe_solution_get(cafe_solution *solution);
/* Copies H, row-major n x columns. */
CAFE_API cafe_status cafe_solution_copy(const cafe_solution *solution, float *h);

/* ---- the spectral finish --------------------------------------------------------------------- */

typedef enum cafe_form {
    CAFE_FORM_WALK = 0,   /* QR(D^-1 Q H), D = diag(p) */
    CAFE_FORM_HHAT = 1,   /* QR(Q H), the paper's output */
    CAFE_FORM_RITZ = 2,   /* Ritz vectors of Q in span(Q H) */
    CAFE_FORM_RAW = 3,    /* H itself */
    CAFE_FORM_SCALED = 4, /* D^-1 Q H, its spectrum flattened, column means 0, mean variance 1: best
                             for classifiers */
    CAFE_FORM_AVERAGED = 5 /* (D^-1 Q)^2 H, column means 0, mean variance 1: for soft clusters */
} cafe_form;

typedef struct cafe_finish_options {
    size_t struct_size;
    int32_t form;    /* cafe_form */
    double residual; /* > 0: go on until every column's relative residual is below it */
    int64_t steps;   /* at most this many rounds of the filter for that */
    double exponent; /* s of the scaled form: its directions have lengths in proportion to the power
                        2s of those of D^-1 Q H; 0: all alike, 1/2: as they are */
    double shortest; /* of the scaled form: where the shortest direction would be less than this
                        share of the longest, s is lowered until it is not */
} cafe_finish_options;

CAFE_OPTIONS(finish)

typedef struct cafe_embedding cafe_embedding;

/* Consumes the solution (it is freed, and *solution set to NULL, whether or not the call succeeds):
 * its memory becomes the embedding's. */
CAFE_API cafe_status cafe_finish(cafe_context *context, const cafe_operator *op,
                                 cafe_solution **solution, const cafe_finish_options *options,
                                 cafe_embedding **embedding);
CAFE_API void cafe_embedding_free(cafe_embedding *embedding);

/* Certifies any vectors, for example those of a file. The block, row-major n x columns with the n
 * of the operator, is finished like a solver's H, with its rows unchanged. Options NULL: the raw
 * form, which leaves the vectors themselves unchanged. */
CAFE_API cafe_status cafe_certify(cafe_context *context, const cafe_operator *op, int64_t columns,
                                  const float *vectors, const cafe_finish_options *options,
                                  cafe_embedding **embedding);

/* A number that a method found beside the columns, by its name in a report: "communities" and their
 * "modularity"; "drawn_walks", by which the matrix was drawn. */
typedef struct cafe_finding {
    const char *name;
    double value;
} cafe_finding;

/* Eigenvalue problems of groups. */
#define CAFE_PROBLEM_PLAIN    "Q v = rho v"
#define CAFE_PROBLEM_WALK     "Q v = rho D v" /* `generalised` */
#define CAFE_PROBLEM_HUBS     "M v = theta v"
#define CAFE_PROBLEM_FEATURES "X X^T v = sigma v"

/* Columns that lie side by side and come from one source. The first groups, up to the certificate's
 * `certified` columns, are certified together: value_j and residual_j are the Rayleigh quotient and
 * the residual of column j as it stands. A group behind them has a problem of its own. Of hubs,
 * value_j is the eigenvalue theta_j of M = D^(-1/4) A D^(-1/4) that column j came from, before rows
 * were averaged. residual_j is ||M v - theta_j v||. Both are 0 if M had no direction for the
 * column, which is then 0 throughout. Both are NAN for the column of degrees. Of "features",
 * value_j is the variance of principal direction j of the table as a share of the table's variance.
 * "smoothed" is the same of the table's rows averaged over neighbours. Their residual_j is NAN. */
typedef struct cafe_group {
    const char *kind;    /* "top", "bottom", "hubs", "features", "smoothed", "layers", "clusters";
                          * else "rows" */
    const char *problem; /* whose eigenvalues lie near the values: CAFE_PROBLEM_... */
    int64_t first, columns;           /* of the vectors: first .. first + columns - 1 */
    const double *values, *residuals; /* of each of its columns */
} cafe_group;

/* What is known and proved about an embedding. The arrays belong to the embedding; those of Ritz
 * pairs have `pairs` entries.
 *
 * The Ritz values rho_j are those of Q on the span of the columns. The problem is Q v = rho v, for
 * the walk and the scaled form Q v = rho D v with D = diag(p). The means by p are subtracted from
 * columns of the scaled form; Q does not depend on them. For each j some eigenvalue lambda of the
 * problem satisfies |lambda - rho_j| <= residual_j. Both are measured on the columns as written,
 * and residual_j includes a bound on the rounding error (docs/certificate.md).
 * `share_j` is rho_j over the sum of the positive ones, and 0 for the others; with columns from the
 * bottom end |rho_j| over the sum of all |rho_i|. In the Ritz form, and with `residual`, column j
 * of the vectors is the j-th Ritz vector. */
typedef struct cafe_certificate {
    int64_t asked;         /* K */
    int64_t columns;       /* C <= K: columns returned, those of all groups */
    int64_t pairs;         /* Ritz pairs: the numerical rank of the certified columns */
    int64_t dropped;       /* K - pairs: columns without information; K - C if C > certified */
    double objective;      /* tr(H^T Q H) at the end; both ends: as cafe_solution_get() has it */
    double effective_rank; /* of H: exp of the entropy of the eigenvalue shares of H^T H */
    int32_t generalised;   /* 1: the walk's problem (forms walk and scaled) */
    int32_t rotated;       /* 1: the columns are Ritz vectors */
    double tolerance;      /* the relative residual asked for; 0 when none was */
    int64_t converged;     /* pairs with residual_j <= tolerance * |rho_j| */
    int64_t products;      /* block products with Q spent in the finish */
    double orthogonality; /* largest entry of |V^T V - I| (V^T D V after --residual, walk form); NaN
                             for columns that are not meant to be orthonormal: raw and scaled */
    const double *ritz_values;
    const double *residuals;
    const double *shares;
    int64_t certified; /* columns that the certificate covers, the first ones */
    int64_t group_count;
    const cafe_group *groups; /* of the columns, in their order */
    int64_t nodes;            /* rows of the vectors */
} cafe_certificate;

CAFE_API const cafe_certificate *cafe_embedding_certificate(const cafe_embedding *embedding);
/* Row u of the vectors: `columns` floats. Where several processes
 * (cafe/engine.h) hold the vectors: NULL for a row of another process. */
CAFE_API const float *cafe_embedding_row(const cafe_embedding *embedding, int64_t u);
/* Copies the vectors, row-major nodes x columns. Of several processes each has to call it, and each
 * gets all rows; only then can it fail. */
CAFE_API cafe_status cafe_embedding_copy(const cafe_embedding *embedding, float *vectors);

/* As cafe_vectors_write() does (cafe/files.h). Several processes write a .npy file together; other
 * formats are process 0's work. */
CAFE_API cafe_status cafe_embedding_write(cafe_context *context, const cafe_embedding *embedding,
                                          const cafe_graph *graph, const char *path,
                                          int32_t overwrite);

#ifdef __cplusplus
}
#endif
#endif
