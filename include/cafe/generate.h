/* Random graphs with known structure; the same seed gives the same graph on any machine. */
#ifndef CAFE_GENERATE_H
#define CAFE_GENERATE_H

#include <cafe/graph.h>
#include <cafe/lab_option.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_generator {
    CAFE_GENERATOR_SBM = 0, /* stochastic block model, equal blocks */
    CAFE_GENERATOR_PLANTED =
        1,                  /* degree-corrected planted partition, power-law degrees (LFR-like) */
    CAFE_GENERATOR_BA = 2,  /* Barabasi-Albert preferential attachment */
    CAFE_GENERATOR_RMAT = 3 /* recursive matrix, a,b,c,d = 0.57 0.19 0.19 0.05 */
} cafe_generator;

typedef struct cafe_generate_options {
    size_t struct_size;
    int64_t nodes;
    int64_t edges; /* aimed at; the graph is simple, so a little fewer can remain */
    int64_t blocks;
    double mixing;        /* share of edges that leave their block */
    double exponent;      /* of the power-law degrees (planted) */
    double size_exponent; /* of the power-law block sizes (planted); 0 is uniform in the range */
    double size_ratio; /* of the largest block size to the smallest, at most; 1 is equal blocks */
} cafe_generate_options;

CAFE_LAB_OPTIONS(generate)

/* labels may be NULL; otherwise labels[options->nodes] gets each node's block (0 for models without
 * blocks). The seed is the context's. */
CAFE_API cafe_status cafe_generate(cafe_context *context, cafe_generator model,
                                   const cafe_generate_options *options, cafe_graph **graph,
                                   int32_t *labels);

#ifdef __cplusplus
}
#endif
#endif
