/* Baselines that factorise a matrix of the graph, and a filter that sharpens any embedding.
 *
 * Each method takes a graph and leaves a cafe_solution whose history is the method's own loss; the
 * one-shot ones have no sweeps and one value. Nodes without edges get zero rows. Results are the
 * same bits for any number of threads. docs/algorithms/factorise.md has formulas and references.
 */
#ifndef CAFE_FACTORISE_H
#define CAFE_FACTORISE_H

#include <cafe/embedding.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Graph Factorization (Ahmed et al. 2013) ------------------------------------------------- */

/* min 1/2 sum over edges (a(u,w) - <x_u, x_w>)^2 + regularisation / 2 sum over nodes |x_u|^2
 *
 * The solution's history is that loss at the start and after each epoch; it never rises. */
typedef struct cafe_gf_options {
    size_t struct_size;
    int64_t columns;
    int64_t epochs;        /* at most so many passes over the edges */
    double rate;           /* length of the first epoch's steps, then rate / sqrt(epoch) */
    double regularisation; /* lambda */
    double tolerance;      /* stop when an epoch lowers the loss by less than this share */
} cafe_gf_options;

CAFE_OPTIONS(gf)
CAFE_API cafe_status cafe_gf(cafe_context *context, const cafe_graph *graph,
                             const cafe_gf_options *options, cafe_solution **solution);

/* ---- HOPE with the Katz index (Ou et al. 2016) ----------------------------------------------- */

typedef enum cafe_hope_sides {
    CAFE_HOPE_BOTH = 0,  /* [U sqrt(Sigma), V sqrt(Sigma)], columns / 2 singular values */
    CAFE_HOPE_SOURCE = 1 /* U sqrt(Sigma) alone, as many singular values as columns */
} cafe_hope_sides;

typedef struct cafe_hope_options {
    size_t struct_size;
    int64_t columns; /* even for both sides */
    double beta;     /* of S = (I - beta A)^-1 beta A; 0: half of 1 / spectral radius */
    int32_t sides;   /* cafe_hope_sides */
} cafe_hope_options;

/* The loss is the error of the factor in the spectral norm, |S - U Sigma V^T|: the first singular
 * value left out. A beta at or above 1 / spectral radius, where the Katz sum has no limit, is
 * refused with the largest allowed one in the error text. */
CAFE_OPTIONS(hope)
CAFE_API cafe_status cafe_hope(cafe_context *context, const cafe_graph *graph,
                               const cafe_hope_options *options, cafe_solution **solution);

/* ---- GraRep (Cao et al. 2015) ---------------------------------------------------------------- */

typedef struct cafe_grarep_options {
    size_t struct_size;
    int64_t columns; /* of all steps together */
    int64_t steps;   /* powers 1 .. steps of the transition matrix; columns / steps of each */
    int64_t memory;  /* MiB the dense matrices may take; a larger graph is refused */
} cafe_grarep_options;

/* The loss is the sum over steps of |Y^k - U Sigma V^T|^2 in the Frobenius norm. A graph that needs
 * more memory than allowed is CAFE_ERROR_ARGUMENT with the bytes in the error text. */
CAFE_OPTIONS(grarep)
CAFE_API cafe_status cafe_grarep(cafe_context *context, const cafe_graph *graph,
                                 const cafe_grarep_options *options, cafe_solution **solution);

/* ---- exact eigenvectors of Q ----------------------------------------------------------------- */

typedef struct cafe_spectral_options {
    size_t struct_size;
    int64_t columns;
    int32_t ends;     /* cafe_ends: the largest, half of each end, the largest in magnitude */
    double tolerance; /* |Q v - lambda v| <= tolerance |Q| */
} cafe_spectral_options;

/* Columns are unit eigenvectors by falling eigenvalue. The loss is |Q - V Lambda V^T|^2 in the
 * Frobenius norm. */
CAFE_OPTIONS(spectral)
CAFE_API cafe_status cafe_spectral(cafe_context *context, const cafe_graph *graph,
                                   const cafe_spectral_options *options, cafe_solution **solution);

/* ---- spectral propagation (ProNE, Zhang et al. 2019, section 3.3) ---------------------------- */

typedef struct cafe_propagate_options {
    size_t struct_size;
    int64_t order; /* terms of the Chebyshev series */
    double mu;     /* centre of the band that is taken out */
    double theta;  /* its sharpness */
} cafe_propagate_options;

CAFE_OPTIONS(propagate)

/* vectors: nodes x columns, row-major, in place. Columns come out orthogonal before the rows are
 * scaled to length 1; zero rows of nodes without edges stay zero. */
CAFE_API cafe_status cafe_propagate(cafe_context *context, const cafe_graph *graph,
                                    const cafe_propagate_options *options, int64_t columns,
                                    float *vectors);

#ifdef __cplusplus
}
#endif
#endif
