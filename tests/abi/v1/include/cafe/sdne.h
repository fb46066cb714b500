/* SDNE: structural deep network embedding (Wang, Cui and Zhu, KDD 2016).
 *
 * A deep autoencoder reads a node's row of the adjacency matrix, squeezes it through a layer of
 * `columns` units, the node's vector, and writes the row again. Links count more than their
 * absence, and linked nodes are drawn together.
 */
#ifndef CAFE_SDNE_H
#define CAFE_SDNE_H

#include <cafe/embedding.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cafe_sdne_options {
    size_t struct_size;
    int64_t columns; /* K: units of the middle layer */
    int64_t hidden;  /* units of the layers before and after it; 0: chosen by size */
    double alpha;    /* weight of the first-order loss: linked nodes have like vectors */
    double beta;     /* an entry of the matrix that is not 0 counts beta^2 times */
    double nu;       /* weight of the squared weights */
    int64_t epochs;  /* passes over the nodes */
    int64_t batch;   /* nodes of one step at most */
    double rate;     /* of learning, as Adam has it */
} cafe_sdne_options;

CAFE_OPTIONS(sdne)

/* The solution's sweeps are epochs, its history the loss of the whole graph after each of them. The
 * entries of its vectors lie in (0,1). A graph without edges is refused (CAFE_ERROR_ARGUMENT), and
 * so is one whose weights would take more than half of the machine's memory (CAFE_ERROR_LIMIT, with
 * the memory needed in the error text). OpenBLAS is set to one thread for the time of the call. */
CAFE_API cafe_status cafe_sdne(cafe_context *context, const cafe_graph *graph,
                               const cafe_sdne_options *options, cafe_solution **solution);

#ifdef __cplusplus
}
#endif
#endif
