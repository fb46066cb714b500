/* Samplings beyond the edges: walks, PageRank, seeds, and attributes that twist the edges.
 *
 * Each is a symmetric distribution P of pairs of nodes with its marginal p = P 1. Every solver uses
 * it through the same operator. docs/sampling.md has the definitions and the rules.
 */
#ifndef CAFE_SAMPLE_H
#define CAFE_SAMPLE_H

#include <cafe/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* f(x_u, x_w) of the twisted sampling. */
typedef enum cafe_measure {
    CAFE_MEASURE_COSINE = 0,  /* of the angle between the rows; 0 where a row is 0 */
    CAFE_MEASURE_DOT = 1,     /* their inner product */
    CAFE_MEASURE_CATEGORY = 2 /* the share of the columns in which the two rows are equal */
} cafe_measure;

/* What is expected of a pair of nodes: Q is P less the null model (docs/algorithms/sums.md). */
typedef enum cafe_null {
    CAFE_NULL_CONFIGURATION = 0, /* p_u p_w */
    CAFE_NULL_CONSTANT = 1,      /* 1 / n^2 */
    CAFE_NULL_DIRECTED = 2,      /* (o_u i_w + i_u o_w) / 2, shares of the edges out and in */
    CAFE_NULL_TWO_SIDED = 3,     /* 2 p_u p_w between the sides, 0 within */
    CAFE_NULL_NONE = 4           /* 0 */
} cafe_null;

typedef struct cafe_sample_options {
    size_t struct_size;
    int64_t window;    /* walk: T, the longest walk */
    double damping;    /* pagerank: probability of another step */
    int64_t samples;   /* pairs to draw; 0: exact rows if they fit the budget, else as many pairs
                        * as 16 times the arcs, at least a million, that fit it */
    int64_t budget;    /* memory for building the rows, in MB */
    double lambda;     /* twisted: strength; 0 is edge sampling, to the bit */
    int32_t measure;   /* cafe_measure */
    double twist_mean; /* twisted: the wanted average of f, when `aim` is set */
    int32_t aim;       /* 1: lambda is chosen such that f has the average twist_mean under P */
    double degree_exponent; /* x: p(u,w) / (p_u p_w)^x, scaled to sum 1, takes the place of P; -1,
                             * the default: the method's own (cafe_method), 0 without a method, and
                             * under another null model than configuration */
    int32_t null_model;     /* cafe_null: of methods that take sums; cafe_sample() reads it not */
} cafe_sample_options;

CAFE_OPTIONS(sample)

/* What a sampling may need beside the graph; unused ones are 0. */
typedef struct cafe_sample_inputs {
    size_t struct_size;
    const float *attributes; /* twisted: row-major nodes x width, finite */
    int64_t width;
    const int32_t *seeds; /* walk, pagerank: where walks begin, in proportion to the degrees; NULL:
                           * anywhere. Repetitions count once. */
    int64_t seed_count;
} cafe_sample_inputs;

CAFE_INPUTS(sample)

/* ---- sampling -------------------------------------------------------------------------------- */

/* Samples a graph, which outlives the sampled graph. options and inputs may be NULL. The same bits
 * for any number of threads; drawn pairs depend on the context's seed.
 *
 *     edge      P = A / 2m
 *     walk      P = (1/T) sum_{t=1..T} D/2m (D^-1 A)^t
 *     pagerank  P = (1-d) sum_{t>=1} d^(t-1) D/2m (D^-1 A)^t
 *     twisted   p(u,w) ~ a(u,w) exp(lambda f(x_u, x_w))
 *
 * With seeds S the walk's first end is in S, and P is the mean of that distribution and its
 * transpose. CAFE_ERROR_ARGUMENT: no edges, no seed with an edge, attributes missing or not finite,
 * an average of f that no lambda gives. So are inputs of another sampling, and its options if they
 * are not the defaults. */
CAFE_API cafe_status cafe_sample(cafe_context *context, const cafe_graph *graph,
                                 cafe_sampling sampling, const cafe_sample_options *options,
                                 const cafe_sample_inputs *inputs, cafe_sampled **sampled);

/* Which P it is, and how well it is known. */
typedef struct cafe_sampled_info {
    int32_t sampling;       /* cafe_sampling */
    int64_t entries;        /* of P that are not 0 */
    int32_t exact;          /* 0: drawn */
    int64_t steps;          /* longest walk of exact rows; 0: no walks, or of any length */
    double truncation;      /* pagerank, exact rows: the share of walks that are longer */
    int64_t seeds;          /* nodes with edges among the seeds; 0: none were given */
    double lambda, mean;    /* twisted: as used, and the average of f under P */
    int64_t samples;        /* pairs drawn; 0: exact */
    int64_t pairs;          /* different unordered pairs {u,w} among them */
    double standard_error;  /* of the drawn P: sqrt(E sum over pairs of (found - true)^2), where a
                             * pair counts with both its entries; at most 1 / sqrt(samples) */
    double relative_error;  /* sqrt(E sum over pairs of (found - true)^2 / true): about the relative
                             * error of an entry, weighted by the entries */
    double degree_exponent; /* x; 0: none */
} cafe_sampled_info;

CAFE_API const cafe_sampled_info *cafe_sampled_get_info(const cafe_sampled *sampled);

#ifdef __cplusplus
}
#endif
#endif
