/* Small graphs for the tests, made through the public interface.
 *
 * Each function returns a graph the caller frees; a graph that cannot be made fails the test.
 */
#ifndef CAFE_TEST_GRAPHS_H
#define CAFE_TEST_GRAPHS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cafe-private/text.h>
#include <cafe/lab.h>

#include "method/model.h"

#define TEST_UNUSED __attribute__((unused))

/* Begins a test that shows nothing of threads and would take a minute under their sanitizer. */
#ifdef __SANITIZE_THREAD__
#define TEST_NOT_OF_THREADS() skip()
#else
#define TEST_NOT_OF_THREADS() (void)0
#endif

/* A size that shows a figure, such as the bytes that are held or how well communities are found;
 * addresses and threads are the same at a fifth of it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_LARGE(n) ((n) / 5)
#else
#define TEST_LARGE(n) (n)
#endif

/* Numbers of threads that must give the same bits. That they do is the release's to show; one and
 * several of them are enough for the sanitizers to see what they look for. */
#if defined(__SANITIZE_THREAD__)
enum { TEST_SANITIZED = 1 };
static const int32_t test_thread_counts[] TEST_UNUSED = {1, 3};
#elif defined(__SANITIZE_ADDRESS__)
enum { TEST_SANITIZED = 1 };
static const int32_t test_thread_counts[] TEST_UNUSED = {1, 8};
#else
enum { TEST_SANITIZED = 0 };
static const int32_t test_thread_counts[] TEST_UNUSED = {1, 2, 3, 8};
#endif
enum { TEST_THREADS = sizeof test_thread_counts / sizeof *test_thread_counts };

/* The next of them after `threads`; 0 after the last. */
TEST_UNUSED static int32_t test_more_threads(int32_t threads) {
    int i = 0;
    while (i < TEST_THREADS && test_thread_counts[i] <= threads) i++;
    return i < TEST_THREADS ? test_thread_counts[i] : 0;
}

#define TEST_OK(context, call)                                                      \
    do {                                                                            \
        cafe_status test_status = (call);                                           \
        if (test_status != CAFE_OK)                                                 \
            fail_msg("%s: %s", cafe_status_name(test_status), cafe_error(context)); \
    } while (0)

enum { TEST_KARATE_NODES = 34, TEST_KARATE_EDGES = 78 };

/* Zachary's karate club (J. Anthropol. Res. 33, 1977), nodes from 0. */
TEST_UNUSED static const int32_t test_karate_edges[TEST_KARATE_EDGES][2] = {
    {0, 1},   {0, 2},   {0, 3},   {0, 4},   {0, 5},   {0, 6},   {0, 7},   {0, 8},   {0, 10},
    {0, 11},  {0, 12},  {0, 13},  {0, 17},  {0, 19},  {0, 21},  {0, 31},  {1, 2},   {1, 3},
    {1, 7},   {1, 13},  {1, 17},  {1, 19},  {1, 21},  {1, 30},  {2, 3},   {2, 7},   {2, 8},
    {2, 9},   {2, 13},  {2, 27},  {2, 28},  {2, 32},  {3, 7},   {3, 12},  {3, 13},  {4, 6},
    {4, 10},  {5, 6},   {5, 10},  {5, 16},  {6, 16},  {8, 30},  {8, 32},  {8, 33},  {9, 33},
    {13, 33}, {14, 32}, {14, 33}, {15, 32}, {15, 33}, {18, 32}, {18, 33}, {19, 33}, {20, 32},
    {20, 33}, {22, 32}, {22, 33}, {23, 25}, {23, 27}, {23, 29}, {23, 32}, {23, 33}, {24, 25},
    {24, 27}, {24, 31}, {25, 31}, {26, 29}, {26, 33}, {27, 33}, {28, 31}, {28, 33}, {29, 32},
    {29, 33}, {30, 32}, {30, 33}, {31, 32}, {31, 33}, {32, 33}};

/* A small generator of numbers for tests (splitmix64), apart from the library's own. */
TEST_UNUSED static uint64_t test_number(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

TEST_UNUSED static int64_t test_below(uint64_t *state, int64_t bound) {
    return (int64_t)(test_number(state) % (uint64_t)bound);
}

/* Room for links: filled by a test, turned into a graph, freed. */
typedef struct test_links {
    int64_t count;
    int32_t *source, *target;
    float *weights;
} test_links;

TEST_UNUSED static test_links test_links_new(int64_t count) {
    size_t room = (size_t)(count > 0 ? count : 1);
    test_links l = {count, malloc(room * sizeof(int32_t)), malloc(room * sizeof(int32_t)),
                    malloc(room * sizeof(float))};
    assert_non_null(l.source);
    assert_non_null(l.target);
    assert_non_null(l.weights);
    return l;
}

TEST_UNUSED static void test_links_free(test_links *l) {
    free(l->source);
    free(l->target);
    free(l->weights);
}

TEST_UNUSED static cafe_graph *test_graph(cafe_context *context, int64_t nodes, const test_links *l,
                                          int32_t weighted, const cafe_graph_options *options) {
    cafe_graph *graph = NULL;
    cafe_status status = cafe_graph_from_edges(context, nodes, l->count, l->source, l->target,
                                               weighted ? l->weights : NULL, options, &graph);
    if (status != CAFE_OK) fail_msg("%s", cafe_error(context));
    return graph;
}

TEST_UNUSED static cafe_graph *test_karate(cafe_context *context) {
    test_links l = test_links_new(TEST_KARATE_EDGES);
    for (int64_t i = 0; i < l.count; i++) {
        l.source[i] = test_karate_edges[i][0];
        l.target[i] = test_karate_edges[i][1];
    }
    cafe_graph *graph = test_graph(context, TEST_KARATE_NODES, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* K_{a,b}: nodes 0 .. a-1 on one side, a .. a+b-1 on the other. */
TEST_UNUSED static cafe_graph *test_bipartite(cafe_context *context, int32_t a, int32_t b) {
    test_links l = test_links_new((int64_t)a * b);
    for (int64_t i = 0; i < l.count; i++) {
        l.source[i] = (int32_t)(i / b);
        l.target[i] = a + (int32_t)(i % b);
    }
    cafe_graph *graph = test_graph(context, (int64_t)a + b, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* rows x columns, node r * columns + c next to its neighbours right and below. */
TEST_UNUSED static cafe_graph *test_grid(cafe_context *context, int32_t rows, int32_t columns) {
    test_links l = test_links_new(2 * (int64_t)rows * columns);
    l.count = 0;
    for (int32_t u = 0; u < rows * columns; u++) {
        if (u % columns + 1 < columns) l.source[l.count] = u, l.target[l.count++] = u + 1;
        if (u / columns + 1 < rows) l.source[l.count] = u, l.target[l.count++] = u + columns;
    }
    cafe_graph *graph = test_graph(context, (int64_t)rows * columns, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

/* m random links with repeats and both directions. Nodes u and w are linked only when u and w are
 * equal modulo 3 (so at least three components), and every seventh node stays isolated. Weights are
 * multiples of 1/4 in (0,4]; with `loops` one link in sixteen is a loop. */
TEST_UNUSED static test_links test_random_links(int64_t n, int64_t m, int32_t loops,
                                                uint64_t seed) {
    test_links l = test_links_new(m);
    uint64_t state = seed;
    assert_true(n >= 12);
    for (int64_t i = 0; i < m; i++) {
        int64_t u, w;
        do u = test_below(&state, n);
        while (u % 7 == 6);
        do w = test_below(&state, n);
        while (w % 7 == 6 || w % 3 != u % 3 || w == u);
        if (loops && test_below(&state, 16) == 0) w = u;
        l.source[i] = (int32_t)u;
        l.target[i] = (int32_t)w;
        l.weights[i] = (float)(1 + test_below(&state, 16)) / 4;
    }
    return l;
}

/* The graph of these links; loops are kept when there are any. n is at least 12. */
TEST_UNUSED static cafe_graph *test_random(cafe_context *context, int64_t n, int64_t m,
                                           int32_t weighted, int32_t loops, uint64_t seed) {
    test_links l = test_random_links(n, m, loops, seed);
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = loops ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
    cafe_graph *graph = test_graph(context, n, &l, weighted, &options);
    test_links_free(&l);
    return graph;
}

/* A context with so many threads and this seed. */
/* The columns of all groups of a kind. */
TEST_UNUSED static int64_t test_group(const cafe_certificate *c, const char *kind) {
    int64_t columns = 0;
    for (const cafe_group *g = c->groups; g < c->groups + c->group_count; g++)
        if (strcmp(g->kind, kind) == 0) columns += g->columns;
    return columns;
}

TEST_UNUSED static cafe_context *test_context(int32_t threads, uint64_t seed) {
    cafe_context_options options;
    cafe_context *context = NULL;
    cafe_context_options_init(&options);
    options.threads = threads;
    options.seed = seed;
    assert_int_equal(cafe_context_create(&options, &context), CAFE_OK);
    cafe_lab_add(context);
    return context;
}

/* What a method leaves of a graph, by its name; options: of its table, or NULL. */
TEST_UNUSED static cafe_status test_solve_with(cafe_context *context, const cafe_graph *graph,
                                               const char *name, const void *options,
                                               const cafe_method_inputs *inputs,
                                               cafe_solution **solution) {
    const cafe_method *method = cafe_method_find(context, name);
    cafe_method_options o;
    cafe_model *model = NULL;
    assert_non_null(method);
    cafe_method_options_init(&o);
    o.own = options;
    *solution = NULL;
    cafe_status status = cafe_model_create(context, graph, method, &o, inputs, &model);
    if (status == CAFE_OK)
        status = cafe_model_solve(context, model, method, &o, inputs, solution, NULL);
    cafe_model_free(model);
    return status;
}

TEST_UNUSED static cafe_status test_solve(cafe_context *context, const cafe_graph *graph,
                                          const char *name, const void *options,
                                          cafe_solution **solution) {
    return test_solve_with(context, graph, name, options, NULL, solution);
}

/* Vectors by the sphere method, of Q itself. */
TEST_UNUSED static cafe_embedding *test_embed(cafe_context *context, const cafe_graph *graph,
                                              const cafe_sphere_options *sphere,
                                              const cafe_finish_options *finish) {
    cafe_method_options o;
    cafe_sample_options sample;
    cafe_embedding *embedding = NULL;
    cafe_sample_options_init(&sample);
    sample.degree_exponent = 0;
    cafe_method_options_init(&o);
    o.sample = &sample;
    o.own = sphere;
    o.finish = finish;
    TEST_OK(context, cafe_embed(context, graph, NULL, &o, NULL, &embedding));
    return embedding;
}

/* The power of two at or below the largest weight. */
TEST_UNUSED static double test_unit(const cafe_graph *graph) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double most = 0, unit = 1;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t j = 0; weights && j < offsets[cafe_graph_nodes(graph)]; j++)
        if (weights[j] > most) most = weights[j];
    if (!weights) return 1;
    while (unit > most) unit /= 2;
    while (2 * unit <= most) unit *= 2;
    return unit;
}

#endif
