/* SDNE: options, and the epochs over batches in random order.
 *
 * Wang, Cui and Zhu, Structural Deep Network Embedding, KDD 2016. As published: the four sigmoid
 * layers, both losses and the penalty. Not as published: Adam in place of plain gradient descent,
 * and weights of a random start of the right scale in place of pretraining as a deep belief
 * network. The reasons are in docs/algorithms/sdne.md.
 */
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "baseline/sdne_net.h"
#include "os/os.h"

enum { MOST_HIDDEN = 1000, PART_HIDDEN = 10 };

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option sdne_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_sdne_options, columns), 64, 1, 65536, NULL,
     "columns of the embedding: units of the middle layer"},
    {"hidden", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, hidden), 0,
     0, 65536, NULL,
     "units of the layers before and after it; 0: a tenth of the nodes, at most 1000"},
    {"alpha", "A", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, alpha), 0.01, 0,
     1e9, NULL, "weight of the first-order loss, which draws linked nodes together"},
    {"beta", "B", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, beta), 10, 1e-3,
     1e6, NULL, "an edge counts beta squared times as much as its absence"},
    {"nu", "A", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, nu), 1e-4, 0, 1e9,
     NULL, "weight of the squared weights of the network"},
    {"epochs", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, epochs), 30,
     0, 1e9, NULL, "passes over the nodes"},
    {"batch", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, batch), 256,
     1, 1e6, NULL, "nodes of one step at most"},
    {"rate", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_sdne_options, rate), 0.003,
     1e-9, 1, NULL, "of learning (Adam)"},
};

CAFE_OPTION_TABLE(
    sdne, "sdne",
    "structural deep network embedding: an autoencoder over the rows of the adjacency matrix",
    sdne_options)

/* The options as they are used for n nodes. The layers narrow: n, hidden, columns. */
static void settle(int64_t n, cafe_sdne_options *o) {
    if (o->hidden == 0) {
        o->hidden = n / PART_HIDDEN < MOST_HIDDEN ? n / PART_HIDDEN : MOST_HIDDEN;
        if (o->hidden < o->columns) o->hidden = o->columns;
    }
    if (o->batch > n) o->batch = n;
}

static cafe_status check(cafe_context *context, const cafe_graph *graph,
                         const cafe_sdne_options *o) {
    double bytes = cafe_sdne_bytes(graph->n, o);
    double half = (double)cafe_os_memory_installed() / 2;
    if (bytes > half && half > 0)
        return cafe_fail(context, CAFE_ERROR_LIMIT,
                         "SDNE would need %.1f GiB for %lld nodes, %lld hidden units and batches "
                         "of %lld, more than half of this machine's memory",
                         bytes / 0x1p30, (long long)graph->n, (long long)o->hidden,
                         (long long)o->batch);
    return CAFE_OK;
}

/* ---- epochs ---------------------------------------------------------------------------------- */

/* A random order (Fisher and Yates), of the seed and the epoch alone. */
static void shuffle(uint64_t seed, int64_t epoch, int64_t n, int32_t *order) {
    for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_SDNE_ORDER, (uint64_t)(epoch * n + i));
        int64_t j = (int64_t)cafe_below(r.v[0], r.v[1], (uint64_t)i + 1);
        int32_t moved = order[i];
        order[i] = order[j], order[j] = moved;
    }
}

/* Batches of like size: a short last one would estimate the loss badly. */
static cafe_status epoch(cafe_sdne_net *net, int64_t number, int32_t *order) {
    int64_t n = net->graph->n, count = (n + net->options.batch - 1) / net->options.batch;
    cafe_status status = CAFE_OK;
    shuffle(net->context->seed, number, n, order);
    for (int64_t b = 0; b < count && status == CAFE_OK; b++) {
        int64_t from = b * n / count, end = (b + 1) * n / count;
        status = cafe_sdne_gradient(net, order + from, end - from);
        if (status == CAFE_OK) status = cafe_sdne_step(net);
    }
    return status;
}

static cafe_status train(cafe_context *context, cafe_sdne_net *net, cafe_solution *s) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int32_t *order = cafe_mem(context, net->graph->n, sizeof *order);
    if (!order) return status;
    cafe_phase(context, "epoch", net->options.epochs);
    CAFE_TRY(cafe_sdne_evaluate(net, s->stride, s->h.x, &s->objective[0]));
    while (s->sweeps < net->options.epochs) {
        CAFE_TRY(epoch(net, s->sweeps, order));
        s->sweeps++;
        CAFE_TRY(cafe_sdne_evaluate(net, s->stride, s->h.x, &s->objective[s->sweeps]));
        cafe_step(context, s->sweeps, s->objective[s->sweeps]);
    }
done:
    cafe_mem_free(context, order);
    return status;
}

static double network_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    cafe_sdne_options o = *(const cafe_sdne_options *)own;
    int64_t nodes = counts->nodes;
    (void)threads;
    settle(nodes, &o);
    return cafe_sdne_bytes(nodes, &o);
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    const cafe_graph *graph = job->model->graph;
    cafe_status status = CAFE_OK;
    cafe_solution *found = NULL;
    cafe_sdne_net *net = NULL;
    cafe_sdne_options o = *(const cafe_sdne_options *)job->own;
    settle(graph->n, &o);
    CAFE_TRY(check(context, graph, &o));
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o.columns, o.epochs, &found));
    memset(found->h.x, 0, (size_t)(found->n * found->stride) * sizeof *found->h.x);
    CAFE_TRY(cafe_sdne_net_new(context, graph, &o, &net));
    CAFE_TRY(train(context, net, found));
    *solution = found;
    found = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_sdne_net_free(net);
    cafe_solution_free(found);
    return status;
}

static const cafe_method_code sdne_code = {.solve = solve, .bytes = network_bytes};
const cafe_method cafe_sdne_method = {
    .name = "sdne",
    .title = "SDNE",
    .summary = "a deep autoencoder over the rows of the adjacency matrix",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_sdne_option_table,
    .code = &sdne_code,
};
