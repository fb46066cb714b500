/* Maps: same bits for any threads, planted blocks apart, nothing lost, degenerate inputs. */
#include <math.h>
#include <string.h>

#include "failing.h"
#include "graphs.h"

typedef struct planted {
    cafe_context *context;
    cafe_graph *graph;
    int64_t n, columns;
    int32_t *labels;
    float *vectors, *xy;
} planted;

static planted open_planted(int32_t threads, cafe_generator model, int64_t n, int64_t blocks) {
    planted p = {.context = test_context(threads, 3), .n = n};
    cafe_generate_options g;
    cafe_sphere_options sphere;
    cafe_embedding *embedding = NULL;
    cafe_generate_options_init(&g);
    g.nodes = n, g.edges = 10 * n, g.blocks = blocks, g.mixing = 0.15;
    p.labels = malloc((size_t)n * sizeof *p.labels);
    TEST_OK(p.context, cafe_generate(p.context, model, &g, &p.graph, p.labels));
    cafe_sphere_options_init(&sphere);
    sphere.columns = 16;
    embedding = test_embed(p.context, p.graph, &sphere, NULL);
    p.columns = cafe_embedding_certificate(embedding)->columns;
    p.vectors = malloc((size_t)(n * p.columns) * sizeof *p.vectors);
    p.xy = malloc((size_t)(2 * n) * sizeof *p.xy);
    cafe_embedding_copy(embedding, p.vectors);
    cafe_embedding_free(embedding);
    return p;
}

static void close_planted(planted *p) {
    cafe_graph_free(p->graph);
    cafe_context_free(p->context);
    free(p->labels);
    free(p->vectors);
    free(p->xy);
}

/* Of the ten nearest points of every third node: how many have its label? */
static double agreement(const planted *p) {
    int64_t same = 0, all = 0;
    for (int64_t u = 0; u < p->n; u += 3) {
        double distance[10];
        int64_t near[10], count = 0;
        for (int64_t w = 0; w < p->n; w++) {
            double dx = p->xy[2 * u] - p->xy[2 * w], dy = p->xy[2 * u + 1] - p->xy[2 * w + 1];
            double d = dx * dx + dy * dy;
            int64_t at = count < 10 ? count : 9;
            if (w == u || (count == 10 && d >= distance[9])) continue;
            for (; at > 0 && distance[at - 1] > d; at--)
                distance[at] = distance[at - 1], near[at] = near[at - 1];
            distance[at] = d, near[at] = w;
            if (count < 10) count++;
        }
        for (int64_t i = 0; i < count; i++) same += p->labels[near[i]] == p->labels[u];
        all += count;
    }
    return (double)same / (double)all;
}

static void check_frame(int64_t n, const float *xy, double most) {
    for (int64_t i = 0; i < 2 * n; i++) {
        assert_true(isfinite(xy[i]));
        assert_true(fabs(xy[i]) < most);
    }
}

/* Both kinds of links, on one level (600 nodes) and on several (2500). */
static void planted_blocks_become_islands(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        planted p = open_planted(2, kind % 2 ? CAFE_GENERATOR_PLANTED : CAFE_GENERATOR_SBM,
                                 kind < 2 ? 600 : 2500, 6);
        cafe_map_options o;
        cafe_map_quality q;
        double sum = 0, square = 0;
        cafe_map_options_init(&o);
        for (o.forces = CAFE_MAP_FORCES_GRAPH; o.forces <= CAFE_MAP_FORCES_VECTORS; o.forces++) {
            TEST_OK(p.context, cafe_map(p.context, p.graph, p.n, p.columns, p.vectors, &o, p.xy));
            check_frame(p.n, p.xy, 20);
            assert_true(agreement(&p) > 0.9);
            TEST_OK(p.context,
                    cafe_map_measure(p.context, p.n, p.columns, p.vectors, p.xy, 10, 200, &q));
            assert_true(q.trustworthiness > 0.85 && q.trustworthiness <= 1);
            assert_true(q.kept > 10.0 / (double)p.n * 5); /* chance is 10 / n */
        }
        for (int64_t u = 0; u < p.n; u++) {
            sum += p.xy[2 * u];
            square += (double)p.xy[2 * u] * p.xy[2 * u] + (double)p.xy[2 * u + 1] * p.xy[2 * u + 1];
        }
        if (kind % 2 == 0) { /* no node without edges: centred, of mean square 1 */
            assert_true(fabs(sum / (double)p.n) < 1e-4);
            assert_true(fabs(square / (double)p.n - 1) < 1e-3);
        }
        close_planted(&p);
    }
}

static void bits_do_not_depend_on_threads(void **state) {
    (void)state;
    planted p = open_planted(1, CAFE_GENERATOR_SBM, 3000, 5);
    float *other = malloc((size_t)(2 * p.n) * sizeof *other);
    cafe_map_options o;
    cafe_map_options_init(&o);
    o.rounds = 20;
    for (o.forces = CAFE_MAP_FORCES_GRAPH; o.forces <= CAFE_MAP_FORCES_VECTORS; o.forces++) {
        cafe_map_quality a, b;
        TEST_OK(p.context, cafe_map(p.context, p.graph, p.n, p.columns, p.vectors, &o, p.xy));
        TEST_OK(p.context, cafe_map_measure(p.context, p.n, p.columns, p.vectors, p.xy, 5, 50, &a));
        for (int i = 1; i < TEST_THREADS; i++) {
            cafe_context *context = test_context(test_thread_counts[i], 3);
            TEST_OK(context, cafe_map(context, p.graph, p.n, p.columns, p.vectors, &o, other));
            assert_memory_equal(p.xy, other, (size_t)(2 * p.n) * sizeof *other);
            TEST_OK(context,
                    cafe_map_measure(context, p.n, p.columns, p.vectors, other, 5, 50, &b));
            assert_true(a.kept == b.kept && a.trustworthiness == b.trustworthiness);
            cafe_context_free(context);
        }
    }
    cafe_context *seeded = test_context(2, 4);
    o.forces = CAFE_MAP_FORCES_VECTORS;
    TEST_OK(seeded, cafe_map(seeded, p.graph, p.n, p.columns, p.vectors, &o, other));
    assert_memory_not_equal(p.xy, other, (size_t)(2 * p.n) * sizeof *other);
    cafe_context_free(seeded);
    free(other);
    close_planted(&p);
}

/* Points on a line, the map being the line itself, then shuffled by a fixed stride. */
static void measures_know_a_true_map_from_a_false_one(void **state) {
    enum { N = 301 };
    float vectors[N], truth[2 * N], wrong[2 * N];
    cafe_context *context = test_context(2, 1);
    cafe_map_quality q;
    (void)state;
    for (int64_t u = 0; u < N; u++) {
        vectors[u] = truth[2 * u] = (float)u * (float)u; /* no ties */
        wrong[2 * u] = (float)(u * 97 % N);
        truth[2 * u + 1] = wrong[2 * u + 1] = 0;
    }
    TEST_OK(context, cafe_map_measure(context, N, 1, vectors, truth, 7, N, &q));
    assert_true(q.kept == 1 && q.trustworthiness == 1 && q.nodes == N && q.neighbours == 7);
    TEST_OK(context, cafe_map_measure(context, N, 1, vectors, wrong, 7, N, &q));
    assert_true(q.kept < 0.3 && q.trustworthiness < 0.75);
    cafe_context_free(context);
}

/* Nodes that nothing places lie below all others, together and apart from each other. */
static void loose_nodes_lie_together(void **state) {
    enum { N = 60 };
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, N, 400, 0, 0, 5);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    float vectors[3 * N], xy[2 * N];
    double lowest = 1e9, loose = -1e9;
    (void)state;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t i = 0; i < 3 * N; i++) vectors[i] = (float)(i * 37 % 11) - 5.25f;
    vectors[0] = vectors[1] = vectors[2] = 0; /* node 0 has edges, but no direction */
    for (int links = 1; links <= 2; links++) {
        cafe_map_options o;
        cafe_map_options_init(&o);
        o.forces = links;
        TEST_OK(context, cafe_map(context, graph, N, 3, vectors, &o, xy));
        check_frame(N, xy, 20);
        for (int64_t u = 0; u < N; u++) {
            double y = xy[2 * u + 1];
            if (u == 0 || offsets[u] == offsets[u + 1])
                loose = fmax(loose, y);
            else
                lowest = fmin(lowest, y);
        }
        assert_true(loose < lowest && loose > lowest - 2);
        for (int64_t u = 0; u < N; u++)
            for (int64_t w = 0; w < u; w++)
                assert_false(xy[2 * u] == xy[2 * w] && xy[2 * u + 1] == xy[2 * w + 1]);
        lowest = 1e9, loose = -1e9;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void small_and_dull_inputs(void **state) {
    cafe_context *context = test_context(2, 1);
    float xy[64], vectors[64];
    (void)state;
    for (int64_t n = 0; n <= 5; n++)
        for (int64_t columns = 1; columns <= 4; columns++)
            for (int fill = 0; fill < 3; fill++) { /* zeros, all equal, different */
                for (int64_t i = 0; i < n * columns; i++)
                    vectors[i] = fill == 2 ? (float)(i * 7 % 5) - 2 : (float)fill;
                TEST_OK(context, cafe_map(context, NULL, n, columns, vectors, NULL, xy));
                check_frame(n, xy, 100);
            }
    cafe_graph *graph = test_karate(context);
    assert_int_equal(cafe_map(context, graph, 3, 1, vectors, NULL, xy), CAFE_ERROR_ARGUMENT);
    vectors[1] = NAN;
    assert_int_equal(cafe_map(context, NULL, 3, 1, vectors, NULL, xy), CAFE_ERROR_ARGUMENT);
    vectors[1] = INFINITY;
    assert_int_equal(cafe_map(context, NULL, 3, 2, vectors, NULL, xy), CAFE_ERROR_ARGUMENT);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* A hub with leaves, many pairs and one long path: nothing escapes, nothing blows up. */
static void odd_shapes_stay_in_the_frame(void **state) {
    enum { N = 3000 };
    cafe_context *context = test_context(2, 1);
    float *vectors = malloc(N * 2 * sizeof *vectors), *xy = malloc(N * 2 * sizeof *xy);
    (void)state;
    for (int64_t i = 0; i < 2 * N; i++) vectors[i] = (float)((i * 7919) % 1000) / 500 - 1;
    for (int shape = 0; shape < 3; shape++) {
        test_links l = test_links_new(N - 1);
        for (int64_t i = 0; i < N - 1; i++) {
            l.source[i] = (int32_t)(shape == 0 ? 0 : shape == 1 ? i / 2 * 2 : i);
            l.target[i] = (int32_t)(shape == 1 ? i / 2 * 2 + 1 : i + 1);
        }
        cafe_graph *graph = test_graph(context, N, &l, 0, NULL);
        cafe_map_options o;
        cafe_map_options_init(&o);
        o.forces = CAFE_MAP_FORCES_GRAPH;
        o.rounds = 60;
        TEST_OK(context, cafe_map(context, graph, N, 2, vectors, &o, xy));
        check_frame(N, xy, 20);
        cafe_graph_free(graph);
        test_links_free(&l);
    }
    free(vectors);
    free(xy);
    cafe_context_free(context);
}

static void failing_memory(void **state) {
    TEST_NOT_OF_THREADS();
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_random(context, 1500, 9000, 0, 0, 3);
    int64_t n = cafe_graph_nodes(graph);
    float *vectors = malloc((size_t)(3 * n) * sizeof *vectors),
          *xy = malloc((size_t)(2 * n) * sizeof *xy);
    cafe_map_options o;
    cafe_map_quality q;
    (void)state;
    for (int64_t i = 0; i < 3 * n; i++) vectors[i] = (float)((i * 7919) % 1000) / 500 - 1;
    cafe_map_options_init(&o);
    o.rounds = 2;
    for (o.forces = CAFE_MAP_FORCES_GRAPH; o.forces <= CAFE_MAP_FORCES_VECTORS; o.forces++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_map(context, graph, n, 3, vectors, &o, xy);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_map_measure(context, n, 3, vectors, xy, 3, 10, &q);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
    free(vectors);
    free(xy);
}

static void a_cancelled_map_stops(void **state) {
    planted p = open_planted(2, CAFE_GENERATOR_SBM, 500, 3);
    (void)state;
    cafe_cancel(p.context);
    assert_int_equal(cafe_map(p.context, p.graph, p.n, p.columns, p.vectors, NULL, p.xy),
                     CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(p.context);
    TEST_OK(p.context, cafe_map(p.context, p.graph, p.n, p.columns, p.vectors, NULL, p.xy));
    close_planted(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_blocks_become_islands),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(measures_know_a_true_map_from_a_false_one),
        cmocka_unit_test(loose_nodes_lie_together),
        cmocka_unit_test(small_and_dull_inputs),
        cmocka_unit_test(odd_shapes_stay_in_the_frame),
        cmocka_unit_test(failing_memory),
        cmocka_unit_test(a_cancelled_map_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
