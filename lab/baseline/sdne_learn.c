/* SDNE's way back: the gradient of a batch, and Adam's step along it.
 *
 * With D_l the derivative of the loss by what layer l takes the sigmoid of (rows x out),
 *
 *     dL/dW_l = V_{l-1}^T D_l,   dL/dc_l = column sums of D_l,   D_{l-1} = (D_l W_l^T) * V (1 - V)
 *
 * and the vectors' layer gets the first-order loss besides. The first layer's V_0 = X is sparse.
 * The matrix is symmetric, so row w of X^T D_1 is a sum over the neighbours of w in the batch.
 * Every row of the gradient has one writer.
 *
 * The batch stands for the graph. Its estimate of the whole sums is n / rows times its sum over
 * rows, n (n-1) / (rows (rows-1)) times its sum over pairs.
 */
#include <math.h>
#include <string.h>

#include "base/thread_pool.h"
#include "baseline/sdne_net.h"

enum { NODES = 64 }; /* rows of W_1 of one task */

/* ---- gradients of a layer -------------------------------------------------------------------- */

/* Column sums of D, a tile of columns at a time. */
static void bias_tile(void *argument, int64_t first, int64_t last) {
    const cafe_sdne_job *job = argument;
    const cafe_sdne_layer *layer = &job->net->layer[job->l];
    int64_t from = first;
    const float *delta = job->net->delta[job->l];
    float *restrict sum = job->net->gradient + layer->bias;
    memset(sum + from, 0, (size_t)(last - from) * sizeof *sum);
    for (int64_t i = 0; i < job->net->rows; i++)
        for (int64_t k = from; k < last; k++) sum[k] += delta[i * layer->out + k];
}

/* Rows w of X^T D_1: sum over u in the batch of x(u,w) d_u */
static void sparse_block(void *argument, int64_t first, int64_t last) {
    cafe_sdne_net *net = argument;
    const cafe_graph *g = net->graph;
    int64_t out = net->layer[0].out;
    for (int64_t w = first; w < last; w++) {
        float *restrict sum = net->gradient + net->layer[0].weight + w * out;
        memset(sum, 0, (size_t)out * sizeof *sum);
        for (int64_t j = g->offsets[w]; j < g->offsets[w + 1]; j++) {
            int64_t row = net->place[g->targets[j]];
            if (row < 0) continue;
            const float *restrict delta = net->delta[0] + row * out;
            float x = cafe_sdne_entry(net, j);
            for (int64_t k = 0; k < out; k++) sum[k] += x * delta[k];
        }
    }
}

static cafe_status layer_gradient(cafe_sdne_net *net, int64_t l) {
    const cafe_sdne_layer *layer = &net->layer[l];
    cafe_sdne_job job = {net, l};
    CAFE_PASS(cafe_ranges(net->context, layer->out, CAFE_SDNE_TILE, bias_tile, &job));
    if (l == 0) return cafe_ranges(net->context, net->graph->n, NODES, sparse_block, net);
    cafe_sdne_product p = {.rows = layer->in, .columns = layer->out, .inner = net->rows};
    p.a = net->value[l - 1];
    p.transpose_a = true;
    p.b = net->delta[l];
    p.c = net->gradient + layer->weight;
    return cafe_sdne_multiply(net->context, &p);
}

/* ---- from a layer to the one before ---------------------------------------------------------- */

/* d_u += 4 alpha f sum over w in the batch of x(u,w) (y_u - y_w): every pair counts in both orders.
 */
static void draw_together(const cafe_sdne_net *net, int64_t row, float *restrict delta) {
    const cafe_graph *g = net->graph;
    int64_t u = net->nodes[row], columns = net->options.columns;
    const float *codes = net->value[CAFE_SDNE_CODE], *own = codes + row * columns;
    double pairs = (double)net->rows * (double)(net->rows - 1);
    if (net->rows < 2) return;
    float factor = (float)(4 * net->options.alpha * (double)(g->n - 1) / pairs);
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int64_t other = net->place[g->targets[j]];
        if (other < 0) continue;
        float pull = factor * cafe_sdne_entry(net, j);
        for (int64_t k = 0; k < columns; k++)
            delta[k] += pull * (own[k] - codes[other * columns + k]);
    }
}

static void delta_row(void *argument, int64_t row) {
    const cafe_sdne_job *job = argument;
    int64_t out = job->net->layer[job->l].out;
    const float *restrict v = job->net->value[job->l] + row * out;
    float *restrict delta = job->net->delta[job->l] + row * out;
    if (job->l == CAFE_SDNE_CODE) draw_together(job->net, row, delta);
    for (int64_t k = 0; k < out; k++) delta[k] *= v[k] * (1 - v[k]);
}

/* D_{l-1} from D_l */
static cafe_status layer_back(cafe_sdne_net *net, int64_t l) {
    const cafe_sdne_layer *layer = &net->layer[l];
    cafe_sdne_job job = {net, l - 1};
    cafe_sdne_product p = {.rows = net->rows, .columns = layer->in, .inner = layer->out};
    p.a = net->delta[l];
    p.b = net->theta + layer->weight;
    p.transpose_b = true;
    p.c = net->delta[l - 1];
    CAFE_PASS(cafe_sdne_multiply(net->context, &p));
    return cafe_each(net->context, net->rows, delta_row, &job);
}

cafe_status cafe_sdne_gradient(cafe_sdne_net *net, const int32_t *nodes, int64_t rows) {
    net->nodes = nodes;
    net->rows = rows;
    memset(net->place, -1, (size_t)net->graph->n * sizeof *net->place);
    for (int64_t i = 0; i < rows; i++) net->place[nodes[i]] = (int32_t)i;
    CAFE_PASS(cafe_sdne_forward(net));
    for (int64_t l = CAFE_SDNE_LAYERS - 1; l >= 0; l--) {
        CAFE_PASS(layer_gradient(net, l));
        if (l > 0) CAFE_PASS(layer_back(net, l));
    }
    return CAFE_OK;
}

/* ---- Adam ------------------------------------------------------------------------------------ */

typedef struct step_job {
    cafe_sdne_net *net;
    float rate; /* with the correction for moments that started at 0 */
} step_job;

/* Kingma and Ba (2015): m <- b1 m + (1 - b1) g,  v <- b2 v + (1 - b2) g^2,
 *     theta <- theta - rate m / (sqrt(v) + epsilon) */
static void step_block(void *argument, int64_t first, int64_t last) {
    const float b1 = 0.9f, b2 = 0.999f, epsilon = 1e-8f;
    const step_job *job = argument;
    cafe_sdne_net *net = job->net;
    for (int64_t i = first; i < last; i++) {
        float g = cafe_sdne_slope(net, i);
        net->first[i] = b1 * net->first[i] + (1 - b1) * g;
        net->second[i] = b2 * net->second[i] + (1 - b2) * g * g;
        net->theta[i] -= job->rate * net->first[i] / (sqrtf(net->second[i]) + epsilon);
    }
}

cafe_status cafe_sdne_step(cafe_sdne_net *net) {
    double t = (double)++net->steps;
    step_job job = {net, 0};
    job.rate = (float)(net->options.rate * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t)));
    return cafe_ranges(net->context, net->parameters, CAFE_SDNE_BLOCK, step_block, &job);
}
