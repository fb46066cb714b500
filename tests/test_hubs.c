/* The hub part against its definition in dense double precision, and the width of what comes of it.
 */
#include "base/context.h"
#include "dense.h"
#include "engine/dense.h"
#include "failing.h"
#include "method/hubs.h"
#include "method/memory_plan.h"
#include "method/method.h"

enum { MANY = 80 }; /* steps after which the well separated pairs have converged */

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Hubs of falling degree, so that the eigenvalues lie apart. */
static test_links hub_links(int64_t n) {
    test_links l = test_links_new(n * n);
    uint64_t seed = 5;
    l.count = 0;
    for (int32_t u = 0; u < n; u++)
        for (int32_t w = 0; w < u; w++)
            if (test_below(&seed, 10 * (w + 2)) < 10 || test_below(&seed, 100) < 3) {
                l.source[l.count] = u, l.target[l.count] = w;
                l.weights[l.count++] = (float)(1 + test_below(&seed, 40));
            }
    return l;
}

static cafe_graph *plain(cafe_context *context) {
    test_links l = hub_links(60);
    cafe_graph *graph = test_graph(context, 60, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* With loops, and nodes 60 .. 63 without links. */
static cafe_graph *weighted(cafe_context *context) {
    test_links l = hub_links(60);
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    l.target[3] = l.source[3];
    cafe_graph *graph = test_graph(context, 64, &l, 1, &options);
    test_links_free(&l);
    return graph;
}

static cafe_graph *bipartite(cafe_context *context) {
    test_links l = test_links_new(400);
    uint64_t seed = 8;
    l.count = 0;
    for (int32_t u = 0; u < 20; u++)
        for (int32_t w = 20; w < 40; w++)
            if (test_below(&seed, u + 2) < 2) l.source[l.count] = u, l.target[l.count++] = w;
    cafe_graph *graph = test_graph(context, 40, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_graph *star(cafe_context *context) {
    test_links l = test_links_new(50);
    for (int32_t i = 0; i < 50; i++) l.source[i] = 0, l.target[i] = i + 1;
    cafe_graph *graph = test_graph(context, 51, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* A clique of 12, a path of 10, two nodes of their own. */
static cafe_graph *parts(cafe_context *context) {
    test_links l = test_links_new(100);
    l.count = 0;
    for (int32_t u = 0; u < 12; u++)
        for (int32_t w = 0; w < u; w++) l.source[l.count] = u, l.target[l.count++] = w;
    for (int32_t u = 12; u < 21; u++) l.source[l.count] = u, l.target[l.count++] = u + 1;
    cafe_graph *graph = test_graph(context, 24, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* Five cliques of 8 in a ring: nearly nothing at the bottom end, whatever the degree exponent. */
static cafe_graph *cliques(cafe_context *context) {
    test_links l = test_links_new(5 * 28 + 5);
    l.count = 0;
    for (int32_t u = 0; u < 40; u++)
        for (int32_t w = u / 8 * 8; w < u; w++) l.source[l.count] = u, l.target[l.count++] = w;
    for (int32_t c = 0; c < 5; c++)
        l.source[l.count] = 8 * c, l.target[l.count++] = (8 * c + 9) % 40;
    cafe_graph *graph = test_graph(context, 40, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_graph *disassortative(cafe_context *context) {
    test_links l = test_links_new(160 * 160);
    uint64_t seed = 21;
    l.count = 0;
    for (int32_t u = 0; u < 160; u++)
        for (int32_t w = 0; w < u; w++)
            if (test_below(&seed, 1000) < ((u ^ w) % 8 ? 20 : 400) * ((u ^ w) & 8 ? 1 : 0))
                l.source[l.count] = u, l.target[l.count++] = w;
    cafe_graph *graph = test_graph(context, 160, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

typedef cafe_graph *maker(cafe_context *context);

/* ---- the definition -------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* A~, with the median of all weights, each link counted from both of its ends. */
static double *dense_links(const cafe_graph *graph) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    int64_t n = cafe_graph_nodes(graph), arcs = offsets[n];
    double *a = calloc((size_t)(n * n), sizeof *a), middle = 1;
    float *sorted = malloc((size_t)arcs * sizeof *sorted);
    for (int64_t j = 0; j < arcs; j++) sorted[j] = weights ? weights[j] : 1;
    qsort(sorted, (size_t)arcs, sizeof *sorted, ascending);
    middle = sorted[(arcs - 1) / 2]; /* the lower of two */
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            a[u * n + targets[j]] = weights ? log(1 + weights[j] / middle) : 1;
    free(sorted);
    return a;
}

static void unit_rows(int64_t n, int64_t k, double *x) {
    for (int64_t u = 0; u < n; u++) {
        double square = 0;
        for (int64_t j = 0; j < k; j++) square += x[u * k + j] * x[u * k + j];
        for (int64_t j = 0; j < k && square > 0; j++) x[u * k + j] /= sqrt(square);
    }
}

static void centre(int64_t n, int64_t k, double *x) {
    double squares = 0;
    for (int64_t j = 0; j < k; j++) {
        double mean = 0;
        for (int64_t u = 0; u < n; u++) mean += x[u * k + j] / (double)n;
        for (int64_t u = 0; u < n; u++) {
            x[u * k + j] -= mean;
            squares += x[u * k + j] * x[u * k + j];
        }
    }
    for (int64_t i = 0; i < n * k; i++) x[i] /= sqrt(squares / (double)(n * k));
}

/* Values by size and the finished columns. */
static double *dense_hubs(cafe_context *context, const cafe_graph *graph, int64_t k,
                          double *values) {
    int64_t n = cafe_graph_nodes(graph), top = 0, bottom = n - 1;
    double *a = dense_links(graph), *m = malloc((size_t)(n * n) * sizeof *m);
    double *d = calloc((size_t)n, sizeof *d), *all = malloc((size_t)n * sizeof *all);
    double *x = calloc((size_t)(n * k), sizeof *x), *y = calloc((size_t)(n * k), sizeof *y);
    for (int64_t i = 0; i < n * n; i++) d[i / n] += a[i];
    for (int64_t i = 0; i < n * n; i++) m[i] = a[i] > 0 ? a[i] / pow(d[i / n] * d[i % n], 0.25) : 0;
    TEST_OK(context, cafe_dense_eigen(context, n, m, all));
    for (int64_t j = 0; j < k; j++) {
        int64_t from = fabs(all[top]) >= fabs(all[bottom]) ? top++ : bottom--;
        values[j] = all[from];
        for (int64_t u = 0; u < n; u++)
            x[u * k + j] = d[u] > 0 ? m[u * n + from] * fabs(all[from]) : 0;
    }
    unit_rows(n, k, x);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = 0; j < k; j++) {
            for (int64_t w = 0; w < n; w++)
                if (d[u] > 0) y[u * k + j] += a[u * n + w] / d[u] * x[w * k + j] / 4;
            y[u * k + j] += 0.75 * x[u * k + j];
        }
    unit_rows(n, k, y);
    centre(n, k, y);
    free(a), free(m), free(d), free(all), free(x);
    return y;
}

/* <x_u, x_w>, which no sign of a column changes */
static double inner(int64_t k, const float *x, const float *y) {
    double sum = 0;
    for (int64_t j = 0; j < k; j++) sum += (double)x[j] * y[j];
    return sum;
}

/* The last column is log(1 + d~), of mean 0 and variance 1. */
static void has_degrees(const cafe_graph *graph, const cafe_hubs *hubs) {
    int64_t n = cafe_graph_nodes(graph), last = hubs->x.columns - 1;
    double *a = dense_links(graph), *d = calloc((size_t)n, sizeof *d);
    for (int64_t i = 0; i < n * n; i++) d[i / n] += a[i];
    for (int64_t u = 0; u < n; u++) d[u] = log(1 + d[u]);
    centre(n, 1, d);
    for (int64_t u = 0; u < n; u++)
        assert_float_equal(hubs->x.x[u * hubs->x.stride + last], d[u], 1e-5);
    assert_true(isnan(hubs->values[last]) && isnan(hubs->residuals[last]));
    free(a), free(d);
}

static void the_columns_are_those_of_the_definition(void **state) {
    (void)state;
    maker *const makers[] = {plain, weighted, bipartite};
    enum { K = 4 };
    for (int g = 0; g < 3; g++) {
        cafe_context *context = test_context(2, 3);
        cafe_graph *graph = makers[g](context);
        int64_t n = cafe_graph_nodes(graph);
        double values[K], *dense = dense_hubs(context, graph, K, values);
        cafe_hubs hubs;
        TEST_OK(context, cafe_hubs_find(context, graph, K + 1, MANY, &hubs));
        assert_int_equal(hubs.pairs, K);
        assert_int_equal(hubs.x.columns, K + 1);
        has_degrees(graph, &hubs);
        for (int j = 0; j < K; j++) {
            assert_float_equal(fabs(hubs.values[j]), fabs(values[j]), 1e-4 * fabs(values[0]));
            assert_true(hubs.residuals[j] <= 1e-3 * fabs(values[0]));
        }
        for (int64_t u = 0; u < n; u++)
            for (int64_t w = 0; w < n; w++) {
                double expected = 0;
                for (int j = 0; j < K; j++) expected += dense[u * K + j] * dense[w * K + j];
                double found = inner(K, hubs.x.x + u * hubs.x.stride, hubs.x.x + w * hubs.x.stride);
                assert_float_equal(found, expected, 0.02);
            }
        free(dense);
        cafe_hubs_free(context, &hubs);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* A bipartite graph has -theta with every theta: both are among the largest. */
static void both_ends_are_there(void **state) {
    (void)state;
    enum { K = 6 };
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = bipartite(context);
    cafe_hubs hubs;
    TEST_OK(context, cafe_hubs_find(context, graph, K, MANY, &hubs));
    for (int j = 0; j < K; j += 2) {
        assert_float_equal(hubs.values[j], -hubs.values[j + 1], 1e-4);
        assert_true(fabs(hubs.values[j]) > 0.1);
    }
    cafe_hubs_free(context, &hubs);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- the whole embedding --------------------------------------------------------------------- */

typedef struct result {
    cafe_context *context;
    cafe_graph *graph;
    cafe_embedding *embedding;
    cafe_certificate certificate;
    int64_t n, columns;
} result;

/* auto is for the scaled form, which is the default. */
static cafe_embedding *embed_graph(cafe_context *context, const cafe_graph *graph, int64_t columns,
                                   cafe_columns_from from) {
    cafe_sphere_options sphere;
    cafe_method_options options;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options_init(&sphere);
    cafe_method_options_init(&options);
    sphere.columns = columns;
    sphere.columns_from = from;
    options.own = &sphere;
    TEST_OK(context, cafe_embed(context, graph, NULL, &options, NULL, &embedding));
    return embedding;
}

static result embed(maker *make, int32_t threads, uint64_t seed, int64_t columns,
                    cafe_columns_from from) {
    result r = {.context = test_context(threads, seed)};
    r.graph = make(r.context);
    r.embedding = embed_graph(r.context, r.graph, columns, from);
    r.certificate = *cafe_embedding_certificate(r.embedding);
    r.n = cafe_graph_nodes(r.graph);
    r.columns = cafe_embedding_certificate(r.embedding)->columns;
    return r;
}

static void release(result *r) {
    cafe_embedding_free(r->embedding);
    cafe_graph_free(r->graph);
    cafe_context_free(r->context);
}

/* The last group, which may be the only one. */
static const cafe_group *hubs_of(const cafe_certificate *c) {
    const cafe_group *last = &c->groups[c->group_count - 1];
    assert_string_equal(last->kind, "hubs");
    assert_int_equal(last->first, c->certified);
    return last;
}

/* Every count of the certificate, and columns of mean 0 behind the certified ones. */
static void counts_agree(const result *r) {
    const cafe_certificate *c = &r->certificate;
    assert_int_equal(c->columns, r->columns);
    assert_int_equal(c->certified + test_group(c, "hubs"), r->columns);
    assert_int_equal(c->dropped, c->asked - c->columns);
    assert_true(c->pairs <= c->certified);
    for (int64_t k = c->certified; k < r->columns; k++) {
        double sum = 0, square = 0;
        for (int64_t u = 0; u < r->n; u++) {
            double x = cafe_embedding_row(r->embedding, u)[k];
            assert_true(isfinite(x));
            sum += x, square += x * x;
        }
        assert_true(fabs(sum) <= 1e-4 * sqrt((double)r->n * square) + 1e-6);
        if (hubs_of(c)->values[k - c->certified] == 0) assert_true(square == 0);
    }
}

static void the_width_is_exact_whatever_the_seed(void **state) {
    (void)state;
    static const int64_t columns[] = {1, 2, 8, 33, 34, 128};
    maker *const makers[] = {test_karate, star, parts, bipartite};
    for (uint64_t seed = 1; seed <= 50; seed++)
        for (int i = 0; i < 6; i++)
            for (int g = 0; g < (seed <= 5 ? 4 : 1); g++)
                for (int p = CAFE_FROM_AUTO; p <= CAFE_FROM_HUBS; p++) {
                    result r = embed(makers[g], 1, seed, columns[i], (cafe_columns_from)p);
                    assert_int_equal(r.columns, columns[i] < r.n ? columns[i] : r.n - 1);
                    assert_int_equal(r.certificate.asked, columns[i]);
                    counts_agree(&r);
                    release(&r);
                }
}

static void each_part_has_its_columns(void **state) {
    (void)state;
    result both = embed(plain, 1, 1, 9, CAFE_FROM_TOP_HUBS);
    result hubs = embed(plain, 1, 1, 9, CAFE_FROM_HUBS);
    result sphere = embed(plain, 1, 1, 9, CAFE_FROM_TOP);
    assert_true(both.certificate.certified >= 1 && both.certificate.certified <= 5);
    assert_int_equal(test_group(&hubs.certificate, "hubs"), 9);
    assert_int_equal(hubs.certificate.pairs, 0);
    assert_int_equal(hubs.certificate.nodes, both.certificate.nodes);
    assert_int_equal(test_group(&sphere.certificate, "top"), sphere.columns);
    assert_int_equal(sphere.certificate.group_count, 1);
    release(&both), release(&hubs), release(&sphere);
}

/* Where the bottom is weak the sphere keeps every column it finds; where it is strong, half. */
static void the_choice_follows_the_bottom_end(void **state) {
    (void)state;
    result strong = embed(disassortative, 1, 1, 16, CAFE_FROM_AUTO);
    assert_true(strong.certificate.certified <= 8);
    assert_int_equal(strong.columns, 16);
    release(&strong);
    result weak = embed(cliques, 1, 1, 4, CAFE_FROM_AUTO);
    result alone = embed(cliques, 1, 1, 4, CAFE_FROM_TOP);
    assert_int_equal(weak.certificate.certified, alone.columns);
    for (int64_t u = 0; u < weak.n; u++)
        assert_memory_equal(cafe_embedding_row(weak.embedding, u),
                            cafe_embedding_row(alone.embedding, u),
                            (size_t)alone.columns * sizeof(float));
    release(&weak), release(&alone);
}

/* Every word gives the groups that it names. */
static void the_groups_are_those_of_the_word(void **state) {
    (void)state;
    static const int64_t most[][3] = {
        /* top, bottom, hubs */
        [CAFE_FROM_TOP] = {16, 0, 0},      [CAFE_FROM_BOTH] = {8, 8, 0},
        [CAFE_FROM_LARGEST] = {15, 8, 0},  [CAFE_FROM_AUTO] = {8, 0, 15},
        [CAFE_FROM_TOP_HUBS] = {8, 0, 15}, [CAFE_FROM_HUBS] = {0, 0, 16}};
    static const char *const kinds[] = {"top", "bottom", "hubs"};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = disassortative(context);
    for (int from = CAFE_FROM_TOP; from <= CAFE_FROM_HUBS; from++) {
        cafe_embedding *e = embed_graph(context, graph, 16, (cafe_columns_from)from);
        const cafe_certificate *c = cafe_embedding_certificate(e);
        int64_t next = 0;
        for (const cafe_group *g = c->groups; g < c->groups + c->group_count; next += g++->columns)
            assert_int_equal(g->first, next);
        assert_int_equal(next, c->columns);
        for (int k = 0; k < 3; k++) {
            assert_true(test_group(c, kinds[k]) <= most[from][k]);
            assert_int_equal(test_group(c, kinds[k]) > 0, most[from][k] > 0);
        }
        cafe_embedding_free(e);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- invariants ------------------------------------------------------------------------------ */

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    maker *const makers[] = {weighted, disassortative, parts};
    for (int g = 0; g < 3; g++)
        for (int p = CAFE_FROM_AUTO; p <= CAFE_FROM_HUBS; p++) {
            result one = embed(makers[g], 1, 4, 12, (cafe_columns_from)p);
            for (int i = 1; i < TEST_THREADS; i++) {
                result r = embed(makers[g], test_thread_counts[i], 4, 12, (cafe_columns_from)p);
                for (int64_t u = 0; u < r.n; u++)
                    assert_memory_equal(cafe_embedding_row(r.embedding, u),
                                        cafe_embedding_row(one.embedding, u), 12 * sizeof(float));
                assert_memory_equal(hubs_of(&r.certificate)->values,
                                    hubs_of(&one.certificate)->values,
                                    (size_t)hubs_of(&one.certificate)->columns * sizeof(double));
                release(&r);
            }
            release(&one);
        }
}

/* Inner products of the rows of a graph whose weights are scaled and whose nodes are named anew by
 * u -> step u mod n. */
static double *inner_products(float scale, int64_t step, int64_t n, int64_t k) {
    cafe_context *context = test_context(2, 6);
    test_links l = hub_links(n);
    for (int64_t i = 0; i < l.count; i++) {
        l.source[i] = (int32_t)(l.source[i] * step % n);
        l.target[i] = (int32_t)(l.target[i] * step % n);
        l.weights[i] *= scale;
    }
    cafe_graph *graph = test_graph(context, n, &l, 1, NULL);
    cafe_hubs hubs;
    TEST_OK(context, cafe_hubs_find(context, graph, k, MANY, &hubs));
    double *products = malloc((size_t)(n * n) * sizeof *products);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            products[u * n + w] = inner(k, hubs.x.x + u * step % n * hubs.x.stride,
                                        hubs.x.x + w * step % n * hubs.x.stride);
    cafe_hubs_free(context, &hubs);
    cafe_graph_free(graph);
    cafe_context_free(context);
    test_links_free(&l);
    return products;
}

static void units_and_order_do_not_matter(void **state) {
    (void)state;
    enum { N = 60, K = 3 };
    double *base = inner_products(1, 1, N, K), *power = inner_products(0x1p-40f, 1, N, K);
    double *third = inner_products(1e6f / 3, 1, N, K), *other = inner_products(1, 7, N, K);
    assert_memory_equal(base, power, (size_t)(N * N) * sizeof *base);
    for (int i = 0; i < N * N; i++) {
        assert_float_equal(third[i], base[i], 0.01);
        assert_float_equal(other[i], base[i], 0.01);
    }
    free(base), free(power), free(third), free(other);
}

/* On the other engine that is built with the tests, where it is there. */
static void an_engine_finds_the_same(void **state) {
    (void)state;
    enum { K = 3 };
    cafe_context *here = test_context(1, 2), *there = test_context(1, 2);
    if (cafe_engine_open(there, "naive") != CAFE_OK) {
        cafe_context_free(here), cafe_context_free(there);
        skip();
    }
    cafe_graph *graph = weighted(here);
    int64_t n = cafe_graph_nodes(graph);
    cafe_hubs a, b;
    TEST_OK(here, cafe_hubs_find(here, graph, K, MANY, &a));
    TEST_OK(there, cafe_hubs_find(there, graph, K, MANY, &b));
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            assert_float_equal(inner(K, a.x.x + u * a.x.stride, a.x.x + w * a.x.stride),
                               inner(K, b.x.x + u * b.x.stride, b.x.x + w * b.x.stride), 0.01);
    cafe_hubs_free(here, &a);
    cafe_hubs_free(there, &b);
    cafe_graph_free(graph);
    cafe_context_free(here), cafe_context_free(there);
}

/* A star has two directions, and a graph without links none: the other columns are 0. */
static void directions_that_are_not_there_are_0(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = star(context);
    cafe_hubs hubs;
    TEST_OK(context, cafe_hubs_find(context, graph, 10, CAFE_HUB_STEPS, &hubs));
    assert_int_equal(hubs.pairs, 2);
    assert_float_equal(hubs.values[0], -hubs.values[1], 1e-5);
    cafe_hubs_free(context, &hubs);
    cafe_graph_free(graph);
    test_links none = test_links_new(0);
    graph = test_graph(context, 5, &none, 0, NULL);
    TEST_OK(context, cafe_hubs_find(context, graph, 3, CAFE_HUB_STEPS, &hubs));
    assert_int_equal(hubs.pairs, 0);
    for (int j = 0; j < 3; j++) assert_true(hubs.values[j] == 0 && hubs.residuals[j] == 0);
    for (int64_t i = 0; i < 5 * hubs.x.stride; i++) assert_true(hubs.x.x[i] == 0);
    cafe_hubs_free(context, &hubs);
    cafe_graph_free(graph);
    test_links_free(&none);
    cafe_context_free(context);
}

/* Nodes without links share one row: that of 0, centred. */
static void nodes_without_links_share_a_row(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = weighted(context);
    cafe_hubs hubs;
    TEST_OK(context, cafe_hubs_find(context, graph, 5, CAFE_HUB_STEPS, &hubs));
    for (int64_t u = 61; u < 64; u++)
        assert_memory_equal(hubs.x.x + u * hubs.x.stride, hubs.x.x + 60 * hubs.x.stride,
                            5 * sizeof(float));
    assert_memory_not_equal(hubs.x.x, hubs.x.x + 60 * hubs.x.stride, 5 * sizeof(float));
    cafe_hubs_free(context, &hubs);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = disassortative(context);
    for (int p = CAFE_FROM_AUTO; p <= CAFE_FROM_HUBS; p++) {
        cafe_sphere_options sphere;
        cafe_method_options options;
        cafe_sphere_options_init(&sphere);
        cafe_method_options_init(&options);
        sphere.columns = 8, sphere.sweeps = 2, sphere.columns_from = p;
        options.own = &sphere;
        for (long k = 0;; k++) {
            cafe_embedding *embedding = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_embed(context, graph, NULL, &options, NULL, &embedding);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_embedding_free(embedding);
            if (!failed) break;
        }
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void memory_is_predicted(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    enum { N = TEST_LARGE(100000) };
    const cafe_method *method = cafe_method_find(NULL, "sphere");
    for (int weights = 0; weights < 2; weights++)
        for (int p = CAFE_FROM_AUTO; p <= CAFE_FROM_HUBS; p++) {
            cafe_context *context = test_context(2, 1);
            cafe_graph *graph = test_random(context, N, 2 * N, weights, 0, 3);
            cafe_sphere_options sphere;
            cafe_method_options options;
            cafe_embedding *embedding = NULL;
            cafe_sphere_options_init(&sphere);
            cafe_method_options_init(&options);
            sphere.columns = 64, sphere.sweeps = 1, sphere.columns_from = p;
            options.own = &sphere;
            cafe_reset_peak_bytes(context);
            TEST_OK(context, cafe_embed(context, graph, method, &options, NULL, &embedding));
            double predicted =
                (double)cafe_method_bytes(method, &options, cafe_graph_get_counts(graph), 2);
            double held = (double)cafe_peak_bytes(context);
            assert_true(predicted - 32e6 >= held); /* without the allowance for the program */
            assert_true(predicted <= 2 * held + 64e6);
            cafe_embedding_free(embedding);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_columns_are_those_of_the_definition),
        cmocka_unit_test(both_ends_are_there),
        cmocka_unit_test(the_width_is_exact_whatever_the_seed),
        cmocka_unit_test(each_part_has_its_columns),
        cmocka_unit_test(the_choice_follows_the_bottom_end),
        cmocka_unit_test(the_groups_are_those_of_the_word),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(units_and_order_do_not_matter),
        cmocka_unit_test(an_engine_finds_the_same),
        cmocka_unit_test(directions_that_are_not_there_are_0),
        cmocka_unit_test(nodes_without_links_share_a_row),
        cmocka_unit_test(it_survives_failing_memory),
        cmocka_unit_test(memory_is_predicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
