/* Samplings: each P against its definition in dense matrices, what holds for all of them, drawn
 * pairs against exact ones, threads, memory, cancellation.
 */
#include <cafe/sample.h>

#include "dense.h"
#include "failing.h"
#include "operator/operator.h"
#include "queries.h"
#include "sample/sampled_graph.h"
#include "solve/solution.h"

enum { N = 40, ROOM = 64, WIDTH = 3 };

/* ---- dense definitions ----------------------------------------------------------------------- */

typedef double matrix[ROOM][ROOM];

static double fill_adjacency(const cafe_graph *graph, matrix a, double *degree) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    double total = 0;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    memset(a, 0, sizeof(matrix));
    for (int64_t u = 0; u < cafe_graph_nodes(graph); u++) {
        degree[u] = 0;
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            a[u][targets[j]] = weights ? weights[j] : 1;
            degree[u] += a[u][targets[j]];
        }
        total += degree[u];
    }
    return total;
}

/* P = sum_t c_t diag(s) (D^-1 A)^t, then (P + P^T) / 2; s is d on the seeds, normalised. */
static void dense_walk(const cafe_graph *graph, const double *share, int steps, const uint8_t *seed,
                       matrix p) {
    static matrix a, x, y;
    double degree[ROOM], mass = 0;
    int n = (int)cafe_graph_nodes(graph);
    fill_adjacency(graph, a, degree);
    memset(x, 0, sizeof x);
    memset(p, 0, sizeof(matrix));
    for (int u = 0; u < n; u++) mass += !seed || seed[u] ? degree[u] : 0;
    for (int u = 0; u < n; u++) x[u][u] = !seed || seed[u] ? degree[u] / mass : 0;
    for (int t = 0; t < steps; t++) {
        memset(y, 0, sizeof y);
        for (int u = 0; u < n; u++)
            for (int v = 0; v < n; v++)
                for (int w = 0; w < n; w++)
                    if (a[v][w] > 0) y[u][w] += x[u][v] * a[v][w] / degree[v];
        memcpy(x, y, sizeof x);
        for (int u = 0; u < n; u++)
            for (int w = 0; w < n; w++)
                p[u][w] += share[t] * (x[u][w]) / 2, p[w][u] += share[t] * x[u][w] / 2;
    }
}

static double dense_f(const float *x, int u, int w, int measure) {
    double inner = 0, uu = 0, ww = 0, equal = 0;
    for (int i = 0; i < WIDTH; i++) {
        double a = x[u * WIDTH + i], b = x[w * WIDTH + i];
        inner += a * b, uu += a * a, ww += b * b, equal += a == b;
    }
    if (measure == CAFE_MEASURE_DOT) return inner;
    if (measure == CAFE_MEASURE_CATEGORY) return equal / WIDTH;
    return uu * ww > 0 ? inner / sqrt(uu * ww) : 0;
}

static double dense_twisted(const cafe_graph *graph, const float *x, double lambda, int measure,
                            matrix p) {
    double degree[ROOM], sum = 0, mean = 0;
    int n = (int)cafe_graph_nodes(graph);
    fill_adjacency(graph, p, degree);
    for (int u = 0; u < n; u++)
        for (int w = 0; w < n; w++) {
            double f = dense_f(x, u, w, measure);
            p[u][w] *= exp(lambda * f);
            sum += p[u][w], mean += p[u][w] * f;
        }
    for (int u = 0; u < n; u++)
        for (int w = 0; w < n; w++) p[u][w] /= sum;
    return mean / sum;
}

/* ---- what holds for every sampling ----------------------------------------------------------- */

static void check_distribution(const cafe_sampled *s) {
    int64_t n = cafe_sampled_nodes(s), entries = 0;
    double total = 0;
    for (int64_t u = 0; u < n; u++) {
        double sum = 0;
        for (int64_t w = 0; w < n; w++) {
            double value = cafe_sampled_pair(s, u, w);
            assert_true(value >= 0);
            assert_true(value == cafe_sampled_pair(s, w, u)); /* to the bit */
            entries += value > 0;
            sum += value;
        }
        assert_true(fabs(sum - cafe_sampled_node(s, u)) < 1e-14);
        double diagonal = s->loops ? s->loops[u] / s->total : 0;
        assert_true(diagonal == cafe_sampled_pair(s, u, u));
        for (int64_t j = s->offsets[u] + 1; j < s->offsets[u + 1]; j++)
            assert_true(s->targets[j - 1] < s->targets[j]);
        total += sum;
    }
    assert_true(fabs(total - 1) < 1e-12);
    cafe_sampled_info info = *cafe_sampled_get_info(s);
    assert_int_equal(info.entries, entries);
    assert_true((cafe_sampling)info.sampling == s->sampling);
}

static void check_dense(const cafe_sampled *s, matrix p, double tolerance) {
    int64_t n = cafe_sampled_nodes(s);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++) {
            double value = cafe_sampled_pair(s, u, w);
            if (fabs(value - p[u][w]) > tolerance * (p[u][w] + 1e-9))
                fail_msg("p(%d,%d) is %.9g, not %.9g", (int)u, (int)w, value, p[u][w]);
        }
}

static cafe_sample_options defaults(void) {
    cafe_sample_options o;
    cafe_sample_options_init(&o);
    return o;
}

static cafe_sampled *sample(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                            const cafe_sample_options *o, const cafe_sample_inputs *inputs) {
    cafe_sampled *s = NULL;
    TEST_OK(context, cafe_sample(context, graph, sampling, o, inputs, &s));
    return s;
}

/* Unweighted, weighted, with loops; all have isolated nodes and several components. */
static cafe_graph *small_graph(cafe_context *context, int kind) {
    return test_random(context, N, 90, kind > 0, kind > 1, 11 + (uint64_t)kind);
}

enum { KINDS = 3 };

/* ---- exact rows ------------------------------------------------------------------------------ */

static void test_walk(void **state) {
    static matrix p;
    static const int windows[] = {1, 2, 5};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = small_graph(context, kind);
        for (int i = 0; i < 3; i++) {
            double share[8];
            cafe_sample_options o = defaults();
            cafe_sampled_info info;
            o.window = windows[i];
            for (int t = 0; t < windows[i]; t++) share[t] = 1.0 / windows[i];
            cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL);
            dense_walk(graph, share, windows[i], NULL, p);
            check_distribution(s);
            check_dense(s, p, 1e-6);
            info = *cafe_sampled_get_info(s);
            assert_true(info.exact == 1 && info.samples == 0 && info.steps == windows[i]);
            cafe_sampled_free(s);
        }
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

/* Rows that are short beside the number of nodes are computed another way: a path has such. */
static void test_short_rows(void **state) {
    static matrix p;
    static const int32_t seeds[] = {0, 1, 30, 62};
    static const double share[] = {0.5, 0.5};
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .seeds = seeds, .seed_count = 4};
    cafe_context *context = test_context(2, 1);
    test_links l = test_links_new(ROOM - 1);
    uint8_t seed[ROOM] = {0};
    (void)state;
    for (int i = 0; i < 4; i++) seed[seeds[i]] = 1;
    for (int32_t i = 0; i < ROOM - 1; i++) {
        l.source[i] = i;
        l.target[i] = i % 9 == 5 ? i : i + 1; /* loops, and pieces of the path */
        l.weights[i] = (float)(1 + i % 4) / 4;
    }
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = CAFE_LOOPS_KEEP;
    cafe_graph *graph = test_graph(context, ROOM, &l, 1, &options);
    cafe_sample_options o = defaults();
    o.window = 2;
    for (int k = 0; k < 2; k++) {
        cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_WALK, &o, k ? &inputs : NULL);
        dense_walk(graph, share, 2, k ? seed : NULL, p);
        check_distribution(s);
        check_dense(s, p, 1e-6);
        cafe_sampled_free(s);
    }
    test_links_free(&l);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* A walk of one step is an edge. */
static void test_one_step(void **state) {
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        cafe_graph *graph = small_graph(context, kind);
        cafe_sample_options o = defaults(), ranks = defaults();
        o.window = 1;
        ranks.damping = 0;
        cafe_sampled *edge = sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL);
        cafe_sampled *walk = sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL);
        cafe_sampled *rank = sample(context, graph, CAFE_SAMPLING_PAGERANK, &ranks, NULL);
        check_distribution(edge);
        for (int64_t u = 0; u < N; u++)
            for (int64_t w = 0; w < N; w++) {
                double value = cafe_sampled_pair(edge, u, w);
                assert_true(fabs(cafe_sampled_pair(walk, u, w) - value) <= 1e-7 * value);
                assert_true(fabs(cafe_sampled_pair(rank, u, w) - value) <= 1e-7 * value);
            }
        cafe_sampled_free(edge);
        cafe_sampled_free(walk);
        cafe_sampled_free(rank);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

static void test_pagerank(void **state) {
    static matrix p;
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        double share[200];
        cafe_graph *graph = small_graph(context, kind);
        cafe_sample_options o = defaults();
        cafe_sampled_info info;
        o.damping = 0.7;
        for (int t = 0; t < 200; t++) share[t] = 0.3 * pow(0.7, t);
        cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_PAGERANK, &o, NULL);
        dense_walk(graph, share, 100, NULL, p);
        check_distribution(s);
        check_dense(s, p, 1e-3); /* the smallest entries have lost the most to the truncation */
        info = *cafe_sampled_get_info(s);
        assert_true(info.truncation < 1e-6 && info.truncation > 0.5e-6);
        assert_true(fabs(info.truncation - pow(0.7, (double)info.steps)) < 1e-12);
        cafe_sampled_free(s);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

static void test_seeds(void **state) {
    static matrix p;
    static const int32_t seeds[] = {3, 6, 10, 3, 25}; /* one isolated, one twice */
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .seeds = seeds, .seed_count = 5};
    cafe_context *context = test_context(2, 1);
    uint8_t seed[N] = {0};
    double share[100];
    (void)state;
    for (int i = 0; i < 5; i++) seed[seeds[i]] = 1;
    for (int t = 0; t < 100; t++) share[t] = 0.3 * pow(0.7, t);
    for (int kind = 0; kind < KINDS; kind++) {
        cafe_graph *graph = small_graph(context, kind);
        cafe_sample_options o = defaults();
        cafe_sampled_info info;
        o.damping = 0.7;
        cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_PAGERANK, &o, &inputs);
        dense_walk(graph, share, 100, seed, p);
        check_distribution(s);
        check_dense(s, p, 1e-3);
        info = *cafe_sampled_get_info(s);
        assert_int_equal(info.seeds, 3);
        cafe_sampled_free(s);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Small whole numbers, so that some are equal; one row is 0. */
static float *attributes(void) {
    float *x = test_block(N, WIDTH, 5);
    for (int i = 0; i < N * WIDTH; i++) x[i] = i / WIDTH == 4 ? 0 : roundf(2 * x[i]);
    return x;
}

static void test_twisted(void **state) {
    static matrix p;
    float *x = attributes();
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .attributes = x, .width = WIDTH};
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int measure = 0; measure < 3; measure++) {
            cafe_graph *graph = small_graph(context, kind);
            cafe_sample_options o = defaults();
            cafe_sampled_info info;
            o.measure = measure;
            o.lambda = measure == 1 ? -0.6 : 2.5;
            cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_TWISTED, &o, &inputs);
            double mean = dense_twisted(graph, x, o.lambda, measure, p);
            check_distribution(s);
            check_dense(s, p, 2e-6);
            info = *cafe_sampled_get_info(s);
            assert_true(fabs(info.mean - mean) < 1e-6 * (1 + fabs(mean)));
            assert_true(info.lambda == o.lambda);
            cafe_sampled_free(s);
            cafe_graph_free(graph);
        }
    cafe_context_free(context);
    free(x);
}

static void test_lambda_zero(void **state) {
    float *x = attributes();
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .attributes = x, .width = WIDTH};
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        cafe_graph *graph = small_graph(context, kind);
        cafe_sample_options o = defaults();
        o.lambda = 0;
        cafe_sampled *edge = NULL, *s = sample(context, graph, CAFE_SAMPLING_TWISTED, &o, &inputs);
        TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_EDGE, NULL, NULL, &edge));
        assert_true(s->total == edge->total && s->weights == edge->weights);
        assert_ptr_equal(s->targets, edge->targets);
        assert_memory_equal(s->p, edge->p, N * sizeof *s->p);
        assert_true((s->loops != NULL) == (edge->loops != NULL));
        if (s->loops) assert_memory_equal(s->loops, edge->loops, N * sizeof *s->loops);
        cafe_sampled_free(s);
        cafe_sampled_free(edge);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
    free(x);
}

/* The chosen lambda gives the wanted average, and more is asked of it the more is wanted. */
static void test_twist_mean(void **state) {
    static const double wanted[] = {-0.9, -0.5, 0, 0.2, 0.9, 0.999};
    static matrix p;
    float *x = attributes();
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .attributes = x, .width = WIDTH};
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = small_graph(context, 1);
    double before = -INFINITY;
    (void)state;
    for (int i = 0; i < 6; i++) {
        cafe_sample_options o = defaults();
        cafe_sampled_info info;
        o.aim = 1;
        o.twist_mean = wanted[i];
        cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_TWISTED, &o, &inputs);
        info = *cafe_sampled_get_info(s);
        assert_true(fabs(info.mean - wanted[i]) < 1e-6);
        double mean = dense_twisted(graph, x, info.lambda, CAFE_MEASURE_COSINE, p);
        assert_true(fabs(mean - wanted[i]) < 1e-5);
        assert_true(info.lambda > before);
        before = info.lambda;
        cafe_sampled_free(s);
    }
    cafe_sample_options o = defaults();
    cafe_sampled *s = NULL;
    o.aim = 1;
    o.twist_mean = 1.5;
    assert_int_equal(cafe_sample(context, graph, CAFE_SAMPLING_TWISTED, &o, &inputs, &s),
                     CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "average of 1.5"));
    cafe_graph_free(graph);
    cafe_context_free(context);
    free(x);
}

/* An extreme lambda leaves no node with edges at p = 0, and nothing overflows. */
static void test_extreme(void **state) {
    float *x = attributes();
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .attributes = x, .width = WIDTH};
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = small_graph(context, 0);
    cafe_sample_options o = defaults();
    (void)state;
    o.measure = CAFE_MEASURE_DOT;
    for (o.lambda = -1e6; o.lambda <= 1e6; o.lambda += 2e6) {
        cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_TWISTED, &o, &inputs);
        check_distribution(s);
        for (int64_t u = 0; u < N; u++)
            assert_true((s->p[u] > 0) == (s->offsets[u + 1] > s->offsets[u]));
        cafe_sampled_free(s);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
    free(x);
}

/* ---- drawn pairs ----------------------------------------------------------------------------- */

/* sqrt of the sum over unordered pairs of (found - true)^2, both entries of a pair together. */
static double distance(const cafe_sampled *drawn, const cafe_sampled *exact) {
    double sum = 0;
    for (int64_t u = 0; u < N; u++)
        for (int64_t w = u; w < N; w++) {
            double d = cafe_sampled_pair(drawn, u, w) - cafe_sampled_pair(exact, u, w);
            sum += (u == w ? 1 : 4) * d * d;
        }
    return sqrt(sum);
}

/* The error falls as 1 / sqrt(samples), and is what the report says (strata may make it less). */
static void check_rate(cafe_sampling sampling, int kind, const cafe_sample_inputs *inputs) {
    cafe_context *context = test_context(2, 3);
    cafe_graph *graph = small_graph(context, kind);
    cafe_sample_options o = defaults();
    cafe_sampled *exact = sample(context, graph, sampling, &o, inputs);
    double error[3];
    int64_t samples = 4000;
    for (int i = 0; i < 3; i++, samples *= 16) {
        cafe_sampled_info info;
        o.samples = samples;
        cafe_sampled *s = sample(context, graph, sampling, &o, inputs);
        check_distribution(s);
        info = *cafe_sampled_get_info(s);
        error[i] = distance(s, exact);
        assert_true(info.exact == 0 && info.samples == samples);
        assert_true(info.standard_error <= 1.0001 / sqrt((double)samples));
        assert_true(error[i] < 1.3 * info.standard_error);
        assert_true(error[i] > 0.5 * info.standard_error);
        assert_true(fabs(info.relative_error - sqrt((double)(info.pairs - 1) / (double)samples)) <
                    1e-12);
        for (int64_t u = 0; u < N; u++) /* only pairs that can be */
            for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
                assert_true(cafe_sampled_pair(exact, u, s->targets[j]) > 0);
        cafe_sampled_free(s);
    }
    assert_true(error[0] / error[1] > 2.5 && error[0] / error[1] < 6.5);
    assert_true(error[1] / error[2] > 2.5 && error[1] / error[2] < 6.5);
    cafe_sampled_free(exact);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void test_rate(void **state) {
    static const int32_t seeds[] = {3, 6, 10, 25};
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .seeds = seeds, .seed_count = 4};
    (void)state;
    TEST_NOT_OF_THREADS();
    for (int kind = 0; kind < KINDS; kind++) {
        check_rate(CAFE_SAMPLING_WALK, kind, NULL);
        check_rate(CAFE_SAMPLING_PAGERANK, kind, NULL);
        check_rate(CAFE_SAMPLING_PAGERANK, kind, &inputs);
    }
}

/* Rows that do not fit the budget are drawn instead; how many pairs follows from the budget. */
static void test_budget(void **state) {
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, 3000, 12000, 0, 0, 9);
    cafe_sample_options o = defaults();
    cafe_sampled_info info;
    (void)state;
    cafe_sampled *s = sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL);
    info = *cafe_sampled_get_info(s);
    assert_true(info.exact);
    cafe_sampled_free(s);
    o.budget = 4;
    s = sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL);
    info = *cafe_sampled_get_info(s);
    assert_true(!info.exact && info.samples == 100 * 1000);
    cafe_sampled_free(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- threads, use, refusals ------------------------------------------------------------------ */

static void expect_same(const cafe_sampled *a, const cafe_sampled *b) {
    size_t n = (size_t)a->n, arcs = (size_t)a->offsets[n];
    assert_memory_equal(a->offsets, b->offsets, (n + 1) * sizeof *a->offsets);
    assert_memory_equal(a->targets, b->targets, arcs * sizeof *a->targets);
    assert_true((a->weights != NULL) == (b->weights != NULL));
    if (a->weights) assert_memory_equal(a->weights, b->weights, arcs * sizeof *a->weights);
    assert_memory_equal(a->p, b->p, n * sizeof *a->p);
    assert_true(a->total == b->total);
    const cafe_sampled_info *i = &a->info, *j = &b->info;
    assert_true(i->entries == j->entries && i->exact == j->exact && i->pairs == j->pairs);
    assert_true(i->lambda == j->lambda && i->mean == j->mean);
    assert_true(i->standard_error == j->standard_error && i->relative_error == j->relative_error);
}

typedef struct sampling_case {
    cafe_sampling sampling;
    int64_t samples;
} sampling_case;

static const sampling_case cases[] = {
    {CAFE_SAMPLING_EDGE, 0},         {CAFE_SAMPLING_WALK, 0},     {CAFE_SAMPLING_WALK, 30000},
    {CAFE_SAMPLING_PAGERANK, 30000}, {CAFE_SAMPLING_PAGERANK, 0}, {CAFE_SAMPLING_TWISTED, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static void test_threads(void **state) {
    enum { NODES = 600 };
    float *x = test_block(NODES, WIDTH, 5);
    (void)state;
    for (int i = 0; i < CASES; i++) {
        cafe_context *context[4];
        cafe_graph *graph[4];
        cafe_sampled *s[4];
        for (int k = 0; k < TEST_THREADS; k++) {
            cafe_sample_options o = defaults();
            cafe_sample_inputs inputs = {
                .struct_size = sizeof inputs, .attributes = x, .width = WIDTH};
            o.samples = cases[i].samples;
            bool twisted = cases[i].sampling == CAFE_SAMPLING_TWISTED;
            if (cases[i].sampling == CAFE_SAMPLING_WALK)
                o.window = 2; /* short rows; those of PageRank are long */
            if (cases[i].sampling == CAFE_SAMPLING_PAGERANK) o.damping = 0.5;
            if (twisted) o.aim = 1, o.twist_mean = 0.3;
            context[k] = test_context(test_thread_counts[k], 7);
            graph[k] = test_random(context[k], NODES, 1500, 1, 1, 21);
            s[k] = sample(context[k], graph[k], cases[i].sampling, &o, twisted ? &inputs : NULL);
            expect_same(s[0], s[k]);
        }
        for (int k = 0; k < TEST_THREADS; k++) {
            cafe_sampled_free(s[k]);
            cafe_graph_free(graph[k]);
            cafe_context_free(context[k]);
        }
    }
    free(x);
}

/* Every sampling goes through every solver: the operator's rows sum to 0, the certificate's
 * residuals hold, communities have the modularity that the operator says. */
static void check_solvers(cafe_context *context, const cafe_sampled *s) {
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_layers *layers = NULL;
    cafe_certificate c;
    cafe_layer top;
    double row[N], sum = 0, modularity = 0, *covariance;
    TEST_OK(context, cafe_operator_modularity(context, s, &op));
    for (int64_t u = 0; u < N; u++) {
        TEST_OK(context, cafe_operator_row(context, op, u, row));
        sum = 0;
        for (int64_t w = 0; w < N; w++) sum += row[w];
        assert_true(fabs(sum) < 1e-12);
    }
    cafe_sphere_options sphere;
    cafe_sphere_options_init(&sphere);
    sphere.columns = 6;
    TEST_OK(context, cafe_sphere(context, op, &sphere, NULL, &solution));
    const double *objective = cafe_solution_get(solution)->objective;
    for (int64_t i = 0; i < cafe_solution_get(solution)->sweeps; i++)
        assert_true(objective[i + 1] >= objective[i] - 1e-9);
    TEST_OK(context, cafe_finish(context, op, &solution, NULL, &embedding));
    c = *cafe_embedding_certificate(embedding);
    assert_true(c.columns > 0 && c.pairs == c.columns && c.ritz_values[0] <= 1 + 1e-5);
    TEST_OK(context, cafe_layers_find(context, op, NULL, &layers));
    top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    covariance = malloc((size_t)(top.communities * top.communities) * sizeof *covariance);
    TEST_OK(context, test_covariance(context, op, top.partition, top.communities, covariance));
    for (int64_t i = 0; i < top.communities; i++) modularity += covariance[i * top.communities + i];
    assert_true(fabs(modularity - top.modularity) < 1e-6);
    free(covariance);
    cafe_layers_free(layers);
    TEST_OK(context, cafe_softmax(context, op, NULL, NULL, NULL, &solution));
    cafe_solution_free(solution);
    cafe_embedding_free(embedding);
    cafe_operator_free(op);
}

static void test_solvers(void **state) {
    float *x = attributes();
    cafe_sample_inputs inputs = {.struct_size = sizeof inputs, .attributes = x, .width = WIDTH};
    cafe_context *context = test_context(2, 1);
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < CASES; i++) {
            cafe_graph *graph = small_graph(context, kind);
            cafe_sample_options o = defaults();
            o.samples = cases[i].samples;
            cafe_sampled *s = sample(context, graph, cases[i].sampling, &o,
                                     cases[i].sampling == CAFE_SAMPLING_TWISTED ? &inputs : NULL);
            check_solvers(context, s);
            cafe_sampled_free(s);
            cafe_graph_free(graph);
        }
    cafe_context_free(context);
    free(x);
}

static void refuse(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                   const cafe_sample_options *o, const cafe_sample_inputs *inputs,
                   const char *word) {
    cafe_sampled *s = (cafe_sampled *)&s;
    assert_int_equal(cafe_sample(context, graph, sampling, o, inputs, &s), CAFE_ERROR_ARGUMENT);
    assert_null(s);
    assert_non_null(strstr(cafe_error(context), word));
}

static void test_refusals(void **state) {
    static const int32_t isolated[] = {6, 13}, beyond[] = {N};
    float *x = attributes();
    cafe_sample_inputs attributed = {
        .struct_size = sizeof attributed, .attributes = x, .width = WIDTH};
    cafe_sample_inputs lonely = {.struct_size = sizeof lonely, .seeds = isolated, .seed_count = 2};
    cafe_sample_inputs wrong = {.struct_size = sizeof wrong, .seeds = beyond, .seed_count = 1};
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = small_graph(context, 0);
    cafe_sample_options o = defaults();
    (void)state;
    refuse(context, graph, (cafe_sampling)9, NULL, NULL, "unknown sampling");
    refuse(context, graph, CAFE_SAMPLING_TWISTED, NULL, NULL, "needs attributes");
    refuse(context, graph, CAFE_SAMPLING_WALK, NULL, &attributed, "takes no attributes");
    refuse(context, graph, CAFE_SAMPLING_EDGE, NULL, &lonely, "takes no seeds");
    refuse(context, graph, CAFE_SAMPLING_WALK, NULL, &lonely, "no seed has an edge");
    refuse(context, graph, CAFE_SAMPLING_WALK, NULL, &wrong, "is no node");
    o.window = 0;
    refuse(context, graph, CAFE_SAMPLING_WALK, &o, NULL, "‘window’");
    x[7 * WIDTH] = NAN;
    refuse(context, graph, CAFE_SAMPLING_TWISTED, NULL, &attributed, "node 7");
    cafe_graph_free(graph);
    test_links none = test_links_new(0);
    graph = test_graph(context, 5, &none, 0, NULL);
    refuse(context, graph, CAFE_SAMPLING_WALK, NULL, NULL, "no edges");
    test_links_free(&none);
    cafe_graph_free(graph);
    cafe_context_free(context);
    free(x);
}

/* ---- memory and cancellation ----------------------------------------------------------------- */

static void test_failing_memory(void **state) {
    static const int32_t seeds[] = {3, 4};
    float *x = attributes();
    (void)state;
    for (int i = 0; i < CASES; i++) {
        test_failing memory;
        cafe_context *context = test_failing_context(&memory, 2);
        cafe_graph *graph = small_graph(context, 2);
        cafe_sample_options o = defaults();
        bool walks = cases[i].sampling == CAFE_SAMPLING_WALK;
        bool twisted = cases[i].sampling == CAFE_SAMPLING_TWISTED;
        cafe_sample_inputs inputs = {sizeof inputs, twisted ? x : NULL, WIDTH, walks ? seeds : NULL,
                                     2};
        o.samples = cases[i].samples;
        for (long k = 0;; k++) {
            cafe_sampled *s = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = cafe_sample(context, graph, cases[i].sampling, &o, &inputs, &s);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            assert_true((s == NULL) == (status != CAFE_OK));
            cafe_sampled_free(s);
            if (!failed) break;
        }
        cafe_graph_free(graph);
        cafe_context_free(context);
        assert_int_equal(atomic_load(&memory.live), 0);
    }
    free(x);
}

static void test_cancel(void **state) {
    float *x = attributes();
    (void)state;
    for (int i = 0; i < CASES; i++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = small_graph(context, 0);
        cafe_sample_options o = defaults();
        bool twisted = cases[i].sampling == CAFE_SAMPLING_TWISTED;
        cafe_sample_inputs inputs = {
            .struct_size = sizeof inputs, .attributes = twisted ? x : NULL, .width = WIDTH};
        cafe_sampled *s = NULL;
        o.samples = cases[i].samples;
        cafe_cancel(context);
        assert_int_equal(cafe_sample(context, graph, cases[i].sampling, &o, &inputs, &s),
                         CAFE_ERROR_CANCELLED);
        assert_null(s);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    free(x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),           cmocka_unit_test(test_short_rows),
        cmocka_unit_test(test_one_step),       cmocka_unit_test(test_pagerank),
        cmocka_unit_test(test_seeds),          cmocka_unit_test(test_twisted),
        cmocka_unit_test(test_lambda_zero),    cmocka_unit_test(test_twist_mean),
        cmocka_unit_test(test_extreme),        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_budget),         cmocka_unit_test(test_threads),
        cmocka_unit_test(test_solvers),        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_failing_memory), cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
