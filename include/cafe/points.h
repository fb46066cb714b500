/* Points without a graph: similarity graphs from a table of points or from a matrix of
 * similarities, so that both can be embedded and clustered like any graph.
 *
 * Eq. (link1111) of the paper turns a similarity into a sampled graph:
 *     p(u,w) = (sim(u,w) - MINsim) / sum over i,j of (sim(i,j) - MINsim).
 * The division is what the edge sampling P = A/2m does; the graphs made here hold the numerator.
 */
#ifndef CAFE_POINTS_H
#define CAFE_POINTS_H

#include <cafe/graph.h>
#include <cafe/lab_option.h>
#include <cafe/reduce.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_kernel {
    CAFE_KERNEL_GAUSSIAN = 0, /* exp(-d^2 / (s_u s_w)); one width W for all: exp(-d^2 / 2W^2) */
    CAFE_KERNEL_COSINE = 1    /* the cosine of the rows' angle; below 0 it counts as 0 */
} cafe_kernel;

typedef enum cafe_approximate {
    CAFE_APPROXIMATE_AUTO = 0, /* above CAFE_POINTS_EXACT points */
    CAFE_APPROXIMATE_YES = 1,
    CAFE_APPROXIMATE_NO = 2
} cafe_approximate;

enum { CAFE_POINTS_EXACT = 50000 };

typedef struct cafe_points_options {
    size_t struct_size;
    int64_t neighbours;  /* K of each point; fewer when there are fewer other points */
    int32_t kernel;      /* cafe_kernel */
    double width;        /* of the Gaussian; 0: each point's own, the distance to neighbour K */
    int32_t mutual;      /* 1: both are among each other's neighbours; 0: one of them is enough */
    int32_t approximate; /* cafe_approximate */
} cafe_points_options;

CAFE_LAB_OPTIONS(points)

/* The K-nearest-neighbour graph of n points, x row-major n x dims. An edge weighs the similarity of
 * its ends; all other pairs, and a point with itself, have MINsim = 0, the kernels' lower end.
 *
 * The exact search compares all pairs; of equally near points the one of smaller index comes first.
 * The approximate one (random projection trees, then NN-descent) depends on the context's seed.
 * Both give the same bits for any number of threads.
 *
 * A value that is not finite or beyond 1e15 in size, and with the cosine a row of zeros, is
 * CAFE_ERROR_ARGUMENT. */
CAFE_API cafe_status cafe_graph_from_points(cafe_context *context, int64_t n, int64_t dims,
                                            const float *x, const cafe_points_options *options,
                                            cafe_graph **graph);

typedef struct cafe_similarity_options {
    size_t struct_size;
    int32_t diagonal; /* 1: sim(u,u) counts, as in the equation; 0: no node is like itself */
} cafe_similarity_options;

CAFE_LAB_OPTIONS(similarity)

/* The graph of a full similarity matrix, row-major n x n, finite. It is symmetrised to
 * s(u,w) = (sim(u,w) + sim(w,u)) / 2, then a(u,w) = s(u,w) - MINsim, MINsim the least entry of s,
 * the diagonal included where it counts. Pairs of that least similarity have no edge. */
CAFE_API cafe_status cafe_graph_from_similarity(cafe_context *context, int64_t n,
                                                const float *matrix,
                                                const cafe_similarity_options *options,
                                                cafe_graph **graph);

#ifdef __cplusplus
}
#endif
#endif
