/* DeepWalk, node2vec and LINE: vectors that tell which nodes meet on short walks (or on edges) from
 * nodes drawn at random. docs/algorithms/skipgram.md has the methods and the parallel scheme.
 *
 * The result is a function of graph, options and the context's seed, whatever the number of
 * threads, unless `fast` is set. The history of the solution is the mean loss of a pair, estimated
 * on the same sample before the first and after every pass. Nodes without edges keep their start
 * vector.
 */
#ifndef CAFE_SKIPGRAM_H
#define CAFE_SKIPGRAM_H

#include <cafe/embedding.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cafe_pair_loss {
    CAFE_LOSS_HIERARCHICAL = 0, /* softmax as decisions along a binary tree */
    CAFE_LOSS_NEGATIVE = 1      /* pairs told from pairs with a drawn context */
} cafe_pair_loss;

/* Perozzi, Al-Rfou, Skiena: DeepWalk (KDD 2014). */
typedef struct cafe_deepwalk_options {
    size_t struct_size;
    int64_t columns;
    int64_t walks;    /* from each node */
    int64_t length;   /* nodes of a walk */
    int64_t window;   /* contexts are at most so many steps away */
    int32_t loss;     /* cafe_pair_loss */
    int64_t negative; /* drawn contexts for each pair */
    int64_t epochs;   /* passes over the walks */
    double rate;      /* of learning at the start; it falls linearly */
    int32_t fast;     /* 1: threads race, results differ from run to run */
} cafe_deepwalk_options;

CAFE_OPTIONS(deepwalk)
CAFE_API cafe_status cafe_deepwalk(cafe_context *context, const cafe_graph *graph,
                                   const cafe_deepwalk_options *options, cafe_solution **solution);

/* Grover, Leskovec: node2vec (KDD 2016). */
typedef struct cafe_node2vec_options {
    size_t struct_size;
    int64_t columns;
    int64_t walks, length, window, negative, epochs; /* as above */
    double rate;
    double p; /* a step back is taken 1/p times as often as one to a common neighbour */
    double q; /* a step away, 1/q times */
    int32_t fast;
} cafe_node2vec_options;

CAFE_OPTIONS(node2vec)
CAFE_API cafe_status cafe_node2vec(cafe_context *context, const cafe_graph *graph,
                                   const cafe_node2vec_options *options, cafe_solution **solution);

typedef enum cafe_line_order {
    CAFE_LINE_FIRST = 0,  /* linked nodes have near vectors */
    CAFE_LINE_SECOND = 1, /* nodes with the same neighbours have */
    CAFE_LINE_BOTH = 2    /* half of the columns each, halves of length 1 */
} cafe_line_order;

/* Tang et al.: LINE (WWW 2015). */
typedef struct cafe_line_options {
    size_t struct_size;
    int64_t columns;
    int32_t order;    /* cafe_line_order */
    int64_t samples;  /* edges to draw for each order; 0: a number proportional to the edges */
    int64_t negative; /* drawn contexts for each edge */
    double rate;
    int32_t fast;
} cafe_line_options;

CAFE_OPTIONS(line)
CAFE_API cafe_status cafe_line(cafe_context *context, const cafe_graph *graph,
                               const cafe_line_options *options, cafe_solution **solution);

#ifdef __cplusplus
}
#endif
#endif
