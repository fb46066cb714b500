/* The autoencoder of SDNE: its parameters, one batch on the way through it, and its loss.
 *
 * Four layers, n - hidden - columns - hidden - n, all of them sigmoid:
 *
 *     V_1 = s(X W_1 + c_1),  V_2 = s(V_1 W_2 + c_2),  V_3 = s(V_2 W_3 + c_3),  V_4 = s(V_3 W_4 +
 * c_4)
 *
 * X are rows of the adjacency matrix (divided by its largest entry, so that a sigmoid can reach
 * them), V_2 the vectors, V_4 the rows written again. The loss of the whole graph is
 *
 *     L = sum over u,w of b(u,w)^2 (v_4(u,w) - x(u,w))^2       b = beta where x is not 0, else 1
 *       + alpha sum over u,w of x(u,w) ||y_u - y_w||^2         y_u: row of V_2
 *       + nu / 2 sum of the squared weights
 */
#ifndef CAFE_BASELINE_SDNE_NET_H
#define CAFE_BASELINE_SDNE_NET_H

#include <stdbool.h>

#include "baseline/baseline.h"
#include "graph/graph.h"

enum { CAFE_SDNE_LAYERS = 4, CAFE_SDNE_CODE = 1, CAFE_SDNE_TILE = 128, CAFE_SDNE_BLOCK = 8192 };

/* Where a layer's weights (in x out, row-major) and biases stand among the parameters. */
typedef struct cafe_sdne_layer {
    int64_t in, out, weight, bias;
} cafe_sdne_layer;

typedef struct cafe_sdne_net {
    cafe_context *context;
    const cafe_graph *graph;
    cafe_sdne_options options; /* with `hidden` and `batch` as they are used */
    float scale;               /* x(u,w) = scale a(u,w) */
    cafe_sdne_layer layer[CAFE_SDNE_LAYERS];
    int64_t weights, parameters; /* weights come first, biases after them */
    float *theta;                /* the parameters */
    float *gradient;             /* of L / n, without the weights' own term: cafe_sdne_slope() */
    float *first, *second;       /* Adam's moments of it */
    int64_t steps;               /* taken so far */

    const int32_t *nodes; /* the batch: NULL for the nodes from `from` on */
    int64_t from, rows;
    int32_t *place;                 /* row of a node in the batch, -1: not in it */
    float *value[CAFE_SDNE_LAYERS]; /* rows x out: V; that of the last layer becomes its delta */
    float *delta[CAFE_SDNE_LAYERS]; /* rows x out: derivative by what the sigmoid is taken of */
    double *row_loss;               /* per row */
} cafe_sdne_net;

/* A task over one layer. */
typedef struct cafe_sdne_job {
    cafe_sdne_net *net;
    int64_t l;
} cafe_sdne_job;

/* x(u,w) of an arc */
static inline float cafe_sdne_entry(const cafe_sdne_net *net, int64_t arc) {
    return net->graph->scaled ? net->scale * net->graph->scaled[arc] : 1;
}

/* Bytes of the parameters and of a batch. */
double cafe_sdne_bytes(int64_t n, const cafe_sdne_options *options);

/* A network for a graph, with random weights from the context's seed. options->hidden and batch are
 * final. */
cafe_status cafe_sdne_net_new(cafe_context *context, const cafe_graph *graph,
                              const cafe_sdne_options *options, cafe_sdne_net **net);
void cafe_sdne_net_free(cafe_sdne_net *net);

/* The vectors of all nodes (rows `stride` floats apart; the floats after the columns are not
 * touched) and the loss L. */
cafe_status cafe_sdne_evaluate(cafe_sdne_net *net, int64_t stride, float *h, double *loss);

/* The gradient of L / n as the batch `nodes` estimates it: without bias, and exactly when the batch
 * holds every node. */
cafe_status cafe_sdne_gradient(cafe_sdne_net *net, const int32_t *nodes, int64_t rows);

/* A parameter's derivative, the weights' own term nu / 2n theta^2 included. */
static inline float cafe_sdne_slope(const cafe_sdne_net *net, int64_t i) {
    float decay = (float)(net->options.nu / (double)net->graph->n);
    return i < net->weights ? net->gradient[i] + decay * net->theta[i] : net->gradient[i];
}

/* One step of Adam along the gradient. */
cafe_status cafe_sdne_step(cafe_sdne_net *net);

/* The batch through all layers; the last one leaves its delta, and row_loss. */
cafe_status cafe_sdne_forward(cafe_sdne_net *net);

/* C = op(A) op(B), row-major, C rows x columns; op transposes. In tiles, each
 * by one call of a kernel, so that the bits do not depend on the threads. */
typedef struct cafe_sdne_product {
    int64_t rows, columns, inner;
    const float *a, *b;
    bool transpose_a, transpose_b;
    float *c;
} cafe_sdne_product;

cafe_status cafe_sdne_multiply(cafe_context *context, cafe_sdne_product *product);

#endif
