/* Top-k recommendation: for a node, the nodes whose score with it is largest, and how good that is
 * on edges that were hidden.
 */
#ifndef CAFE_RECOMMEND_H
#define CAFE_RECOMMEND_H

#include <cafe/embedding.h>
#include <cafe/lab_option.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- vectors whose inner products are the scores --------------------------------------------- */

typedef enum cafe_decode {
    CAFE_DECODE_P = 0,       /* p p^T + V rho V^T: P as far as the embedding has found it */
    CAFE_DECODE_Q = 1,       /* V rho V^T, the same of Q */
    CAFE_DECODE_VECTORS = 2, /* V V^T: orthonormal columns, all alike */
    CAFE_DECODE_RAW = 3      /* H H^T, the cosines of the solver's rows */
} cafe_decode;

typedef struct cafe_decoder_options {
    size_t struct_size;
    int32_t decode;  /* cafe_decode */
    double residual; /* relative residual of the Ritz pairs (cafe_finish_options); raw: not used */
    int64_t columns; /* of the vectors, when no options of sphere are given */
} cafe_decoder_options;

CAFE_LAB_OPTIONS(decoder)

/* Vectors x_u, row-major nodes x *columns (freed with cafe_block_free), with <x_u, x_w> the entry
 * of the matrix asked for. V and rho are the Ritz pairs of Q from Sphere-GCN. For P and Q the
 * columns are sqrt(rho_j) v_j of the pairs with rho > 0; for P the column p comes first. If sphere
 * is NULL, it has its defaults and the columns of the decoder's options. */
CAFE_API cafe_status cafe_decoder_vectors(cafe_context *context, const cafe_graph *graph,
                                          const cafe_sphere_options *sphere,
                                          const cafe_decoder_options *options, int64_t *columns,
                                          float **vectors);

/* ---- recommendation -------------------------------------------------------------------------- */

typedef enum cafe_score {
    CAFE_SCORE_PRODUCT = 0,    /* <x_u, x_w> of the vectors given */
    CAFE_SCORE_COVARIANCE = 1, /* q(u,w) = p(u,w) - p_u p_w */
    CAFE_SCORE_COMMON = 2,     /* paths of two edges from u to w (common neighbours, by weight);
                                  where only the other side counts, paths of three */
    CAFE_SCORE_POPULARITY = 3, /* p_w */
    CAFE_SCORE_AUTO = 4        /* cafe_recommend_choose() compares them; elsewhere the product */
} cafe_score;

typedef struct cafe_recommend_options {
    size_t struct_size;
    int64_t top;    /* k: nodes for each node */
    int32_t score;  /* cafe_score */
    int32_t linked; /* 1: recommend nodes that are linked already, too */
    int32_t sides;  /* 1: of a bipartite graph only nodes of the other side */
} cafe_recommend_options;

CAFE_LAB_OPTIONS(recommend)

/* What is asked: which graph, which vectors (NULL unless the score is the product). */
typedef struct cafe_recommend_inputs {
    size_t struct_size;
    const cafe_graph *graph;
    const float *vectors; /* nodes x columns, row-major */
    int64_t columns;
} cafe_recommend_inputs;

CAFE_INPUTS(recommend)

/* For each of `queries` nodes the best `count` others, by score descending, equal ones by number:
 * node[queries * count] (-1: there are no more) and score[queries * count] (0 there). A node is
 * never recommended to itself, nor is one without edges. Exact: every pair is looked at. Options
 * may be NULL. */
CAFE_API cafe_status cafe_recommend(cafe_context *context, const cafe_recommend_inputs *input,
                                    const cafe_recommend_options *options, int64_t queries,
                                    const int32_t *query, int32_t *node, double *score);

/* Chooses the score for this graph. A tenth of the edges is hidden by the seed, and *score gets the
 * score that finds most of them among the first options->count nodes. recall[4] gets the share that
 * each score found, as cafe_quality. If no edge can be hidden, the shares are NAN and *score is the
 * product. Vectors are made of the rest of the graph. Up to 1,000 nodes are asked; of a bipartite
 * graph those on the sides of query[queries]. Options may be NULL. */
CAFE_API cafe_status cafe_recommend_choose(cafe_context *context, const cafe_graph *graph,
                                           const cafe_decoder_options *decoder,
                                           const cafe_recommend_options *options, int64_t queries,
                                           const int32_t *query, double *recall, int32_t *score);

/* ---- hidden edges ---------------------------------------------------------------------------- */

/* A graph with some of its edges hidden. The training graph keeps the nodes and their numbers (its
 * names are 0 .. n-1), and a spanning forest, so that its components are those of the graph. */
typedef struct cafe_split {
    cafe_graph *training;
    int64_t hidden;           /* edges hidden */
    int32_t *source, *target; /* their ends, source < target */
} cafe_split;

/* Hides round(share * edges) edges, drawn by the context's seed; fewer when only the forest would
 * be left. Loops are not hidden. Freed with cafe_split_free(). */
CAFE_API cafe_status cafe_split_make(cafe_context *context, const cafe_graph *graph, double share,
                                     cafe_split *split);
CAFE_API void cafe_split_free(cafe_context *context, cafe_split *split);

/* How well a score finds hidden edges. For each queried node, all nodes that could be recommended
 * and are not linked to it in training are put in order. The figures are means over the queried
 * nodes that have a hidden edge. */
typedef struct cafe_quality {
    int64_t nodes; /* queried, with a hidden edge */
    double recall; /* share of a node's hidden edges among its first k */
    double hit;    /* share of nodes with a hidden edge among the first k */
    double mrr;    /* 1 / place of the first hidden edge */
    double auc;    /* chance that a hidden edge has a larger score than a node never linked */
} cafe_quality;

/* input->graph and input->vectors are those of training. Nodes without a hidden edge are skipped;
 * options->linked is taken as 0. */
CAFE_API cafe_status cafe_recommend_quality_sized(cafe_context *context,
                                                  const cafe_recommend_inputs *input,
                                                  const cafe_recommend_options *options,
                                                  const cafe_split *split, int64_t queries,
                                                  const int32_t *query, cafe_quality *quality,
                                                  size_t size);
static inline cafe_status cafe_recommend_quality(cafe_context *context,
                                                 const cafe_recommend_inputs *input,
                                                 const cafe_recommend_options *options,
                                                 const cafe_split *split, int64_t queries,
                                                 const int32_t *query, cafe_quality *quality) {
    return cafe_recommend_quality_sized(context, input, options, split, queries, query, quality,
                                        sizeof *quality);
}

#ifdef __cplusplus
}
#endif
#endif
