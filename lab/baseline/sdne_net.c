/* SDNE's network: memory, random weights, the way forward and the loss.
 *
 * The input is sparse, so the first layer adds up a few rows of W_1; all other layers are dense
 * products. Only the last one is wide: a batch of rows times n. The losses are added up row by row
 * in double precision.
 */
#include "baseline/sdne_net.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "base/thread_pool.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* The layers' sizes and their places among the parameters. */
static void lay_out(int64_t n, const cafe_sdne_options *o, cafe_sdne_net *net) {
    const int64_t width[CAFE_SDNE_LAYERS + 1] = {n, o->hidden, o->columns, o->hidden, n};
    int64_t at = 0;
    for (int l = 0; l < CAFE_SDNE_LAYERS; l++) {
        net->layer[l] = (cafe_sdne_layer){width[l], width[l + 1], at, 0};
        at += width[l] * width[l + 1];
    }
    net->weights = at;
    for (int l = 0; l < CAFE_SDNE_LAYERS; l++) {
        net->layer[l].bias = at;
        at += width[l + 1];
    }
    net->parameters = at;
}

double cafe_sdne_bytes(int64_t n, const cafe_sdne_options *o) {
    double wide = (double)n, hidden = (double)o->hidden, columns = (double)o->columns;
    double parameters = 2 * hidden * (wide + columns) + 2 * hidden + columns + wide;
    double batch = (double)o->batch * (wide + 4 * hidden + 2 * columns);
    return sizeof(float) * (4 * parameters + batch);
}

static cafe_status allocate(cafe_sdne_net *net) {
    cafe_context *context = net->context;
    int64_t rows = net->options.batch, n = net->graph->n;
    float **array[] = {&net->theta, &net->gradient, &net->first, &net->second};
    bool whole = true;
    for (int i = 0; i < 4; i++) {
        *array[i] = cafe_mem_zero(context, net->parameters, sizeof(float));
        whole = whole && *array[i];
    }
    for (int l = 0; l < CAFE_SDNE_LAYERS && whole; l++) {
        bool last = l == CAFE_SDNE_LAYERS - 1;
        net->value[l] = cafe_mem(context, rows * net->layer[l].out, sizeof(float));
        net->delta[l] =
            last ? net->value[l] : cafe_mem(context, rows * net->layer[l].out, sizeof(float));
        whole = net->value[l] && net->delta[l];
    }
    if (!whole) return CAFE_ERROR_MEMORY;
    net->place = cafe_mem(context, n, sizeof *net->place);
    net->row_loss = cafe_mem(context, n, sizeof *net->row_loss);
    return cafe_mem_had(net->place, net->row_loss);
}

void cafe_sdne_net_free(cafe_sdne_net *net) {
    if (!net) return;
    float *array[] = {net->theta, net->gradient, net->first, net->second};
    for (int i = 0; i < 4; i++) cafe_mem_free(net->context, array[i]);
    for (int l = 0; l < CAFE_SDNE_LAYERS; l++) {
        if (net->delta[l] != net->value[l]) cafe_mem_free(net->context, net->delta[l]);
        cafe_mem_free(net->context, net->value[l]);
    }
    cafe_mem_free_all(net->context, net->place, net->row_loss, net);
}

/* ---- start ----------------------------------------------------------------------------------- */

/* Uniform in (-r,r) with r = 4 sqrt(6 / (in + out)), as Glorot and Bengio (2010) advise for
 * sigmoids. What comes into the first layer is a node's neighbours, not all n nodes. */
static float radius(const cafe_sdne_net *net, int l) {
    double in = (double)net->layer[l].in, out = (double)net->layer[l].out;
    if (l == 0) in = (double)net->graph->arcs / in;
    return (float)(4 * sqrt(6 / (in + out)));
}

static void start_block(void *argument, int64_t first, int64_t last) {
    cafe_sdne_net *net = argument;
    for (int64_t i = first; i < last; i += 4) {
        cafe_random4 r = cafe_philox(net->context->seed, CAFE_STREAM_SDNE_WEIGHTS, (uint64_t)i);
        for (int64_t k = i; k < i + 4 && k < last; k++) {
            int l = 0;
            while (l + 1 < CAFE_SDNE_LAYERS && k >= net->layer[l + 1].weight) l++;
            net->theta[k] = radius(net, l) * (float)(2 * cafe_uniform_open(r.v[k - i]) - 1);
        }
    }
}

/* The output starts at the constant z that reconstructs best: with r the share of entries that are
 * not 0, z minimises (1 - r) z^2 + r beta^2 (1 - z)^2. Steps need not be spent on finding it. */
static void start_output(cafe_sdne_net *net) {
    const cafe_sdne_layer *last = &net->layer[CAFE_SDNE_LAYERS - 1];
    double cells = (double)last->out * (double)last->out, ones = (double)net->graph->arcs;
    double odds = net->options.beta * net->options.beta * ones / (cells - ones + 1);
    for (int64_t w = 0; w < last->out; w++) net->theta[last->bias + w] = (float)log(odds);
}

static float largest_weight(const cafe_graph *graph) {
    float largest = 0;
    if (!graph->scaled) return 1;
    for (int64_t j = 0; j < graph->arcs; j++)
        if (graph->scaled[j] > largest) largest = graph->scaled[j];
    return largest;
}

cafe_status cafe_sdne_net_new(cafe_context *context, const cafe_graph *graph,
                              const cafe_sdne_options *options, cafe_sdne_net **net) {
    cafe_status status = CAFE_OK;
    cafe_sdne_net *made = cafe_mem_zero(context, 1, sizeof *made);
    *net = NULL;
    if (!made) return CAFE_ERROR_MEMORY;
    made->context = context;
    made->graph = graph;
    made->options = *options;
    made->scale = 1 / largest_weight(graph);
    lay_out(graph->n, options, made);
    CAFE_TRY(allocate(made));
    CAFE_TRY(cafe_ranges(context, made->weights, CAFE_SDNE_BLOCK, start_block, made));
    start_output(made);
    *net = made;
    made = NULL;
done:
    cafe_sdne_net_free(made);
    return status;
}

/* ---- forward --------------------------------------------------------------------------------- */

static int64_t node_of(const cafe_sdne_net *net, int64_t row) {
    return net->nodes ? net->nodes[row] : net->from + row;
}

/* v <- s(v + c),  s(x) = 1 / (1 + exp(-x)) */
static void squash(int64_t count, const float *restrict c, float *restrict v) {
    for (int64_t k = 0; k < count; k++) v[k] = 1 / (1 + expf(-v[k] - c[k]));
}

/* Row of X W_1: the neighbours' rows of W_1. */
static void sparse_row(void *argument, int64_t row) {
    cafe_sdne_net *net = argument;
    const cafe_graph *g = net->graph;
    int64_t u = node_of(net, row), out = net->layer[0].out;
    float *restrict sum = net->value[0] + row * out;
    memset(sum, 0, (size_t)out * sizeof *sum);
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        const float *restrict from = net->theta + net->layer[0].weight + g->targets[j] * out;
        float x = cafe_sdne_entry(net, j);
        for (int64_t k = 0; k < out; k++) sum[k] += x * from[k];
    }
    squash(out, net->theta + net->layer[0].bias, sum);
}

static void squash_row(void *argument, int64_t row, int32_t worker) {
    cafe_sdne_job *job = argument;
    const cafe_sdne_layer *layer = &job->net->layer[job->l];
    (void)worker;
    squash(layer->out, job->net->theta + layer->bias, job->net->value[job->l] + row * layer->out);
}

/* Entries with x = 0: the loss z^2, and z becomes the derivative 2 z z (1 - z) / rows. */
static double zero_entries(int64_t count, float factor, float *z) {
    double loss = 0;
    for (int64_t k = 0; k < count; k++) {
        loss += (double)z[k] * z[k];
        z[k] = factor * z[k] * z[k] * (1 - z[k]);
    }
    return loss;
}

/* Entries with x not 0: beta^2 (z - x)^2, and 2 beta^2 (z - x) z (1 - z) / rows. */
static double one_entry(double beta, float x, float factor, float *z) {
    double square = beta * beta, off = (double)*z - x, inside = *z * (1 - *z);
    *z = (float)(factor * square * off * inside);
    return square * off * off;
}

static void output_row(void *argument, int64_t row, int32_t worker) {
    cafe_sdne_job *job = argument;
    cafe_sdne_net *net = job->net;
    const cafe_graph *g = net->graph;
    int64_t u = node_of(net, row), done = 0;
    float *z = net->value[job->l] + row * g->n, factor = 2 / (float)net->rows;
    double loss = 0;
    squash_row(argument, row, worker);
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        int64_t w = g->targets[j];
        loss += zero_entries(w - done, factor, z + done);
        loss += one_entry(net->options.beta, cafe_sdne_entry(net, j), factor, z + w);
        done = w + 1;
    }
    net->row_loss[row] = loss + zero_entries(g->n - done, factor, z + done);
}

cafe_status cafe_sdne_forward(cafe_sdne_net *net) {
    cafe_status status = cafe_each(net->context, net->rows, sparse_row, net);
    for (int64_t l = 1; l < CAFE_SDNE_LAYERS && status == CAFE_OK; l++) {
        const cafe_sdne_layer *layer = &net->layer[l];
        cafe_sdne_job job = {net, l};
        cafe_sdne_product p = {.rows = net->rows, .columns = layer->out, .inner = layer->in};
        p.a = net->value[l - 1];
        p.b = net->theta + layer->weight;
        p.c = net->value[l];
        status = cafe_sdne_multiply(net->context, &p);
        if (status != CAFE_OK) break;
        cafe_task *task = l == CAFE_SDNE_LAYERS - 1 ? output_row : squash_row;
        status = cafe_parallel(net->context, net->rows, task, &job);
    }
    return status;
}

/* ---- the loss -------------------------------------------------------------------------------- */

typedef struct pairs_job {
    cafe_sdne_net *net;
    int64_t stride;
    const float *h;
} pairs_job;

/* sum over w of x(u,w) ||y_u - y_w||^2 */
static void pairs_row(void *argument, int64_t u) {
    const pairs_job *job = argument;
    const cafe_graph *g = job->net->graph;
    const float *own = job->h + u * job->stride;
    double loss = 0;
    for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
        const float *other = job->h + g->targets[j] * job->stride;
        double square = 0;
        for (int64_t k = 0; k < job->net->options.columns; k++)
            square += (double)(own[k] - other[k]) * (own[k] - other[k]);
        loss += cafe_sdne_entry(job->net, j) * square;
    }
    job->net->row_loss[u] = loss;
}

static void weights_block(void *argument, int64_t first, int64_t last, double *squares) {
    cafe_sdne_net *net = argument;
    double sum = 0;
    for (int64_t i = first; i < last; i++) sum += (double)net->theta[i] * net->theta[i];
    *squares = sum;
}

static double add(int64_t count, const double *values) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += values[i];
    return sum;
}

static void keep_codes(const cafe_sdne_net *net, int64_t stride, float *h) {
    int64_t columns = net->options.columns;
    for (int64_t i = 0; i < net->rows; i++)
        memcpy(h + (net->from + i) * stride, net->value[CAFE_SDNE_CODE] + i * columns,
               (size_t)columns * sizeof *h);
}

cafe_status cafe_sdne_evaluate(cafe_sdne_net *net, int64_t stride, float *h, double *loss) {
    int64_t n = net->graph->n;
    pairs_job pairs = {net, stride, h};
    double second = 0, squares = 0;
    net->nodes = NULL;
    for (net->from = 0; net->from < n; net->from += net->rows) {
        net->rows = n - net->from < net->options.batch ? n - net->from : net->options.batch;
        CAFE_PASS(cafe_sdne_forward(net));
        second += add(net->rows, net->row_loss);
        keep_codes(net, stride, h);
    }
    CAFE_PASS(cafe_each(net->context, n, pairs_row, &pairs));
    CAFE_PASS(
        cafe_sums(net->context, net->weights, CAFE_SDNE_BLOCK, weights_block, net, 1, &squares));
    *loss = second + net->options.alpha * add(n, net->row_loss) + net->options.nu / 2 * squares;
    return CAFE_OK;
}
