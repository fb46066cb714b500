/* SDNE against its definition, written out densely in double precision. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include <cafe/cafe.h>

#include "baseline/sdne_net.h"
#include "dense.h"
#include "failing.h"

enum { NODES = 16, HIDDEN = 5, COLUMNS = 3 };

/* ---- the definition -------------------------------------------------------------------------- */

/* x(u,w): the adjacency matrix over its largest entry, n x n. */
static double *dense_x(const cafe_graph *graph) {
    int64_t n = cafe_graph_nodes(graph);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double largest = 0, *x = calloc((size_t)(n * n), sizeof *x);
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            x[u * n + targets[j]] = weights ? weights[j] : 1;
    for (int64_t i = 0; i < n * n; i++) largest = fmax(largest, x[i]);
    for (int64_t i = 0; i < n * n; i++) x[i] /= largest;
    return x;
}

/* One layer for one row. */
static void dense_layer(const cafe_sdne_layer *layer, const double *theta, const double *in,
                        double *out) {
    for (int64_t k = 0; k < layer->out; k++) {
        double sum = theta[layer->bias + k];
        for (int64_t i = 0; i < layer->in; i++)
            sum += in[i] * theta[layer->weight + i * layer->out + k];
        out[k] = 1 / (1 + exp(-sum));
    }
}

/* Codes y (n x columns) and reconstruction z (n x n). */
static void dense_forward(const cafe_sdne_net *net, const double *x, const double *theta, double *y,
                          double *z) {
    int64_t n = net->graph->n;
    double *one = malloc((size_t)net->options.hidden * sizeof *one);
    for (int64_t u = 0; u < n; u++) {
        dense_layer(&net->layer[0], theta, x + u * n, one);
        dense_layer(&net->layer[1], theta, one, y + u * net->options.columns);
        dense_layer(&net->layer[2], theta, y + u * net->options.columns, one);
        dense_layer(&net->layer[3], theta, one, z + u * n);
    }
    free(one);
}

/* L of the formula in sdne_net.h. */
static double dense_loss(const cafe_sdne_net *net, const double *x, const double *theta) {
    const cafe_sdne_options *o = &net->options;
    int64_t n = net->graph->n, columns = o->columns;
    double loss = 0, *y = malloc((size_t)(n * columns) * sizeof *y);
    double *z = malloc((size_t)(n * n) * sizeof *z);
    dense_forward(net, x, theta, y, z);
    for (int64_t i = 0; i < n * n; i++) {
        double b = x[i] != 0 ? o->beta : 1, distance = 0;
        for (int64_t k = 0; k < columns; k++)
            distance += pow(y[i / n * columns + k] - y[i % n * columns + k], 2);
        loss += pow(b * (z[i] - x[i]), 2) + o->alpha * x[i] * distance;
    }
    for (int64_t i = 0; i < net->weights; i++) loss += o->nu / 2 * theta[i] * theta[i];
    free(y);
    free(z);
    return loss;
}

static double *copy_theta(const cafe_sdne_net *net) {
    double *theta = malloc((size_t)net->parameters * sizeof *theta);
    for (int64_t i = 0; i < net->parameters; i++) theta[i] = net->theta[i];
    return theta;
}

static cafe_sdne_options tiny(int64_t n) {
    cafe_sdne_options o;
    cafe_sdne_options_init(&o);
    o.columns = COLUMNS, o.hidden = HIDDEN, o.batch = n;
    o.alpha = 0.7, o.beta = 3, o.nu = 0.5;
    return o;
}

/* ---- loss and gradient ----------------------------------------------------------------------- */

static void the_loss_is_as_defined(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = test_random(context, NODES, 40, 1, 1, 5);
    cafe_sdne_options o = tiny(5); /* rows in several batches, the last one shorter */
    cafe_sdne_net *net = NULL;
    float h[NODES * COLUMNS];
    double loss = 0, *x = dense_x(graph);
    TEST_OK(context, cafe_sdne_net_new(context, graph, &o, &net));
    TEST_OK(context, cafe_sdne_evaluate(net, COLUMNS, h, &loss));
    double *theta = copy_theta(net), want = dense_loss(net, x, theta);
    assert_true(fabs(loss - want) < 1e-5 * want);
    free(theta);
    free(x);
    cafe_sdne_net_free(net);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void the_gradient_matches_finite_differences(void **state) {
    (void)state;
    const double step = 1e-5;
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = test_random(context, NODES, 40, 1, 1, 5);
    cafe_sdne_options o = tiny(NODES);
    cafe_sdne_net *net = NULL;
    int32_t nodes[NODES];
    double largest = 0, *x = dense_x(graph);
    for (int32_t u = 0; u < NODES; u++) nodes[u] = NODES - 1 - u;
    TEST_OK(context, cafe_sdne_net_new(context, graph, &o, &net));
    TEST_OK(context, cafe_sdne_gradient(net, nodes, NODES));
    double *theta = copy_theta(net);
    for (int64_t i = 0; i < net->parameters; i++) {
        double kept = theta[i];
        theta[i] = kept + step;
        double above = dense_loss(net, x, theta);
        theta[i] = kept - step;
        double below = dense_loss(net, x, theta), want = (above - below) / (2 * step) / NODES;
        theta[i] = kept;
        largest = fmax(largest, fabs(want));
        assert_true(fabs(cafe_sdne_slope(net, i) - want) < 1e-5 + 1e-4 * fabs(want));
    }
    assert_true(largest > 0.1); /* there was something to compare */
    free(theta);
    free(x);
    cafe_sdne_net_free(net);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* The mean over all batches of two nodes is the gradient of all. */
static void batches_estimate_without_bias(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 3);
    cafe_graph *graph = test_random(context, NODES, 40, 0, 0, 5);
    cafe_sdne_options o = tiny(NODES);
    cafe_sdne_net *net = NULL;
    int32_t all[NODES];
    for (int32_t u = 0; u < NODES; u++) all[u] = u;
    TEST_OK(context, cafe_sdne_net_new(context, graph, &o, &net));
    double *mean = calloc((size_t)net->parameters, sizeof *mean);
    for (int32_t u = 0; u < NODES; u++)
        for (int32_t w = 0; w < u; w++) {
            int32_t pair[2] = {u, w};
            TEST_OK(context, cafe_sdne_gradient(net, pair, 2));
            for (int64_t i = 0; i < net->parameters; i++)
                mean[i] += net->gradient[i] / (NODES * (NODES - 1) / 2);
        }
    TEST_OK(context, cafe_sdne_gradient(net, all, NODES));
    for (int64_t i = 0; i < net->parameters; i++)
        assert_true(fabs(mean[i] - net->gradient[i]) < 1e-5 + 1e-4 * fabs(mean[i]));
    free(mean);
    cafe_sdne_net_free(net);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- what it promises ------------------------------------------------------------------------ */

static void the_loss_falls(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_solution *s = NULL;
    cafe_sdne_options o;
    cafe_sdne_options_init(&o);
    o.columns = 8, o.epochs = 200, o.batch = 12, o.rate = 0.02;
    TEST_OK(context, test_solve(context, graph, "sdne", &o, &s));
    const double *loss = cafe_solution_get(s)->objective;
    assert_int_equal(cafe_solution_get(s)->sweeps, 200);
    assert_true(loss[1] < loss[0]);
    assert_true(loss[200] < 0.5 * loss[0]);
    cafe_solution_free(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Every linked pair is written higher than nearly every pair that is not. */
static void reconstruction_separates_edges(void **state) {
    (void)state;
    enum { N = TEST_KARATE_NODES };
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_sdne_options o = tiny(N);
    cafe_sdne_net *net = NULL;
    int32_t nodes[N];
    double y[N * COLUMNS], z[N * N], *x = dense_x(graph);
    int64_t right = 0, pairs = 0;
    for (int32_t u = 0; u < N; u++) nodes[u] = u;
    o.alpha = 0.01, o.nu = 1e-4, o.hidden = 16, o.rate = 0.02;
    TEST_OK(context, cafe_sdne_net_new(context, graph, &o, &net));
    for (int i = 0; i < 300; i++) {
        TEST_OK(context, cafe_sdne_gradient(net, nodes, N));
        TEST_OK(context, cafe_sdne_step(net));
    }
    double *theta = copy_theta(net);
    dense_forward(net, x, theta, y, z);
    for (int64_t i = 0; i < N * N; i++)
        for (int64_t j = 0; j < N * N; j++)
            if (x[i] != 0 && x[j] == 0) right += z[i] > z[j], pairs++;
    assert_true((double)right > 0.95 * (double)pairs);
    free(theta);
    free(x);
    cafe_sdne_net_free(net);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Nodes without edges have nothing that tells them apart: one vector for all, finite as any. */
static void isolated_nodes_share_a_vector(void **state) {
    (void)state;
    enum { N = 60 };
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, N, 150, 1, 0, 9);
    cafe_solution *s = NULL;
    cafe_sdne_options o;
    float h[N * 4];
    cafe_sdne_options_init(&o);
    o.columns = 4, o.epochs = 5, o.batch = 16;
    TEST_OK(context, test_solve(context, graph, "sdne", &o, &s));
    cafe_solution_copy(s, h);
    for (int64_t i = 0; i < N * 4; i++) assert_true(h[i] > 0 && h[i] < 1);
    assert_memory_equal(h + 6 * 4, h + 13 * 4, 4 * sizeof *h);
    assert_memory_not_equal(h, h + 6 * 4, 4 * sizeof *h);
    cafe_solution_free(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- threads, memory, cancellation ----------------------------------------------------------- */

static void vectors_have_the_same_bits(void **state) {
    (void)state;
    enum { N = 300, K = 20 };
    static float h[2][N * K];
    for (int i = 0; i < TEST_THREADS; i++) {
        cafe_context *context = test_context(test_thread_counts[i], 7);
        cafe_graph *graph = test_random(context, N, 900, 1, 0, 9);
        cafe_solution *s = NULL;
        cafe_sdne_options o;
        cafe_sdne_options_init(&o);
        o.columns = K, o.hidden = 140, o.epochs = 2, o.batch = 150;
        TEST_OK(context, test_solve(context, graph, "sdne", &o, &s));
        cafe_solution_copy(s, h[i > 0]);
        if (i > 0) assert_memory_equal(h[0], h[1], sizeof h[0]);
        cafe_solution_free(s);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void memory_that_runs_out_is_survived(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    cafe_sdne_options o;
    cafe_sdne_options_init(&o);
    o.columns = 4, o.epochs = 1;
    for (long k = 0;; k++) {
        cafe_solution *s = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = test_solve(context, graph, "sdne", &o, &s);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_solution_free(s);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void what_cannot_be_trained_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *empty = NULL, *karate = test_karate(context);
    cafe_solution *s = NULL;
    cafe_sdne_options o;
    TEST_OK(context, cafe_graph_from_edges(context, 5, 0, NULL, NULL, NULL, NULL, &empty));
    assert_int_equal(test_solve(context, empty, "sdne", NULL, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "no edges"));
    assert_null(s);
    cafe_sdne_options_init(&o);
    o.rate = -1;
    assert_int_equal(test_solve(context, karate, "sdne", &o, &s), CAFE_ERROR_ARGUMENT);
    cafe_graph_free(empty);
    cafe_graph_free(karate);
    /* 16 bytes x 2 x 10^6 x 65536: two tebibytes */
    int32_t source = 0, target = 1;
    TEST_OK(context,
            cafe_graph_from_edges(context, 1000000, 1, &source, &target, NULL, NULL, &empty));
    cafe_sdne_options_init(&o);
    o.hidden = 65536;
    assert_int_equal(test_solve(context, empty, "sdne", &o, &s), CAFE_ERROR_LIMIT);
    assert_non_null(strstr(cafe_error(context), "GiB"));
    cafe_graph_free(empty);
    cafe_context_free(context);
}

static void *cancel_soon(void *context) {
    const struct timespec moment = {0, 100000000};
    nanosleep(&moment, NULL);
    cafe_cancel(context);
    return NULL;
}

static void a_run_can_be_cancelled(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, 600, 2000, 0, 0, 9);
    cafe_solution *s = NULL;
    cafe_sdne_options o;
    pthread_t thread;
    cafe_sdne_options_init(&o);
    o.epochs = 1000000;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, context), 0);
    clock_t begin = clock();
    assert_int_equal(test_solve(context, graph, "sdne", &o, &s), CAFE_ERROR_CANCELLED);
    assert_null(s);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 3); /* of the processor */
    pthread_join(thread, NULL);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_as_defined),
        cmocka_unit_test(the_gradient_matches_finite_differences),
        cmocka_unit_test(batches_estimate_without_bias),
        cmocka_unit_test(the_loss_falls),
        cmocka_unit_test(reconstruction_separates_edges),
        cmocka_unit_test(isolated_nodes_share_a_vector),
        cmocka_unit_test(vectors_have_the_same_bits),
        cmocka_unit_test(memory_that_runs_out_is_survived),
        cmocka_unit_test(what_cannot_be_trained_is_refused),
        cmocka_unit_test(a_run_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
