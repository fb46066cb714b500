/* Spectrum and upper bounds: against all eigenvalues, all partitions, and planted blocks. */
#include <stdio.h>

#include "dense.h"
#include "engine/dense.h"
#include "operator/operator.h"
#include "queries.h"
#include "solve/solution.h"

/* ---- upper bounds ---------------------------------------------------------------------------- */

static double modularity(int64_t n, const double *q, const int32_t *part) {
    double sum = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < n; w++)
            if (part[u] == part[w]) sum += q[u * n + w];
    return sum;
}

/* The largest modularity over all partitions: node u joins one of the parts before it or its own.
 */
static double best_partition(int64_t n, const double *q, int32_t *part, int64_t u, int32_t parts) {
    double best = -1;
    if (u == n) return modularity(n, q, part);
    for (int32_t c = 0; c <= parts; c++) {
        part[u] = c;
        double found = best_partition(n, q, part, u + 1, c == parts ? parts + 1 : parts);
        if (found > best) best = found;
    }
    return best;
}

static cafe_graph *tiny_graph(cafe_context *context, int64_t n, uint64_t seed) {
    test_links l = test_links_new(n + test_below(&seed, 2 * n));
    cafe_graph_options options;
    cafe_graph_options_init(&options);
    options.self_loops = seed & 4 ? CAFE_LOOPS_KEEP : CAFE_LOOPS_DROP;
    for (int64_t i = 0; i < l.count; i++) {
        l.source[i] = (int32_t)test_below(&seed, n);
        l.target[i] = (int32_t)test_below(&seed, n);
        l.weights[i] = (float)(1 + test_below(&seed, 8)) / 2;
    }
    l.source[0] = 0, l.target[0] = 1; /* never without an edge */
    cafe_graph *graph = test_graph(context, n, &l, seed & 1, &options);
    test_links_free(&l);
    return graph;
}

static void test_tiny_optimum(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 3 + (int64_t)(seed % 6);
        test_problem t = test_open(context, tiny_graph(context, n, seed));
        double p[9], *q = test_dense_q(t.graph, p);
        int32_t part[9] = {0}, guess[9];
        uint64_t draw = seed;
        cafe_ceiling c;
        for (int64_t u = 0; u < n; u++) guess[u] = (int32_t)test_below(&draw, 4) - 1;
        TEST_OK(context, cafe_ceiling_find(context, t.op, guess, NULL, &c));
        double best = best_partition(n, q, part, 0, 0);
        assert_true(c.exact);
        assert_true(c.pairs >= best - 1e-12);
        assert_true(c.spectral >= best - 1e-12);
        assert_true(c.dual >= best - 1e-12);
        assert_true(c.witness >= best - 1e-12);
        assert_float_equal(c.inequalities, best, 1e-6);
        assert_true(c.inequalities >= best - 1e-12);
        assert_true(c.proved == (c.witness_sum >= best - 1e-9));
        assert_true(c.bound <= c.pairs && c.bound <= c.spectral && c.bound <= c.dual &&
                    c.bound <= c.witness);
        free(q);
        test_close(&t);
    }
}

/* Q of the walks of 1 to `steps` steps in double precision; p as of the edges. */
static void walk_q(int64_t n, int64_t steps, const double *p, double *q) {
    double pair[64], power[64], next[64];
    for (int64_t i = 0; i < n * n; i++) pair[i] = q[i] + p[i / n] * p[i % n];
    memcpy(power, pair, sizeof power);
    memset(q, 0, (size_t)(n * n) * sizeof *q);
    for (int64_t t = 0; t < steps; t++) {
        for (int64_t i = 0; i < n * n; i++) q[i] += power[i] / (double)steps;
        memset(next, 0, sizeof next);
        for (int64_t u = 0; u < n; u++)
            for (int64_t v = 0; v < n; v++)
                for (int64_t w = 0; w < n && p[v] > 0; w++)
                    next[u * n + w] += power[u * n + v] * pair[v * n + w] / p[v];
        memcpy(power, next, sizeof power);
    }
    for (int64_t i = 0; i < n * n; i++) q[i] -= p[i / n] * p[i % n];
}

/* Pieces that are not linked to one another: there the bound is tight, and P of walks is rounded to
 * single precision. No bound may be below the optimum of the P that was meant. */
static void test_rounded_optimum(void **state) {
    double least = 1;
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 6 + (int64_t)(seed % 3), steps = 1 + (int64_t)(seed % 5), count = 0;
        test_links l = test_links_new(n * n);
        uint64_t draw = seed;
        for (int64_t u = 0; u < n; u++) /* cliques of up to three */
            for (int64_t w = u + 1; w < n && w < u / 3 * 3 + 3; w++) {
                l.source[count] = (int32_t)u, l.target[count] = (int32_t)w;
                l.weights[count++] = (float)(1 + test_below(&draw, 9));
            }
        l.count = count;
        cafe_graph *graph = test_graph(context, n, &l, 1, NULL);
        cafe_sample_options o;
        cafe_sampled *sampled = NULL;
        cafe_operator *op = NULL;
        cafe_ceiling c;
        double p[9], *q = test_dense_q(graph, p);
        int32_t part[9] = {0}, guess[9];
        cafe_sample_options_init(&o);
        o.window = steps;
        TEST_OK(context, cafe_sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL, &sampled));
        TEST_OK(context, cafe_operator_modularity(context, sampled, &op));
        walk_q(n, steps, p, q);
        for (int64_t u = 0; u < n; u++) guess[u] = (int32_t)(u / 3);
        TEST_OK(context, cafe_ceiling_find(context, op, guess, NULL, &c));
        double best = best_partition(n, q, part, 0, 0);
        least = fmin(least, c.bound - best);
        if (!(fmin(fmin(c.pairs, c.spectral), fmin(c.dual, fmin(c.witness, c.inequalities))) >=
              best))
            fail_msg("seed %d: %.12f %.12f %.12f %.12f below %.12f", (int)seed, c.pairs, c.spectral,
                     c.dual, c.witness, best);
        test_links_free(&l);
        free(q);
        cafe_operator_free(op);
        cafe_sampled_free(sampled);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
    printf("the bound is above the optimum by %g at least\n", least);
    assert_true(least < 1e-6); /* the search has met tight bounds */
}

static double part_modularity(const test_problem *t, int64_t n, const int32_t *part) {
    int64_t parts = 1;
    double sum = 0;
    for (int64_t u = 0; u < n; u++)
        if (part[u] >= parts) parts = part[u] + 1;
    double *covariance = malloc((size_t)(parts * parts) * sizeof *covariance);
    TEST_OK(t->context, test_covariance(t->context, t->op, part, parts, covariance));
    for (int64_t c = 0; c < parts; c++) sum += covariance[c * parts + c];
    free(covariance);
    return sum;
}

/* The best of what can be found: layers, softmax, the planted blocks, random parts. */
static double best_found(const test_problem *t, int64_t n, const int32_t *planted, uint64_t seed) {
    cafe_context *context = t->context;
    int32_t *part = malloc((size_t)n * sizeof *part);
    cafe_layers *layers = NULL;
    cafe_solution *solution = NULL;
    cafe_softmax_options softmax;
    int64_t count;
    double best = planted ? part_modularity(t, n, planted) : -1, found;
    TEST_OK(context, cafe_layers_find(context, t->op, NULL, &layers));
    for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
        cafe_layer layer = *cafe_layers_get(layers, i);
        if (layer.modularity > best) best = layer.modularity;
    }
    cafe_layers_free(layers);
    cafe_softmax_options_init(&softmax);
    softmax.columns = 6;
    TEST_OK(context, cafe_softmax(context, t->op, &softmax, NULL, NULL, &solution));
    TEST_OK(context, cafe_solution_partition(context, solution, part, &count));
    if ((found = part_modularity(t, n, part)) > best) best = found;
    cafe_solution_free(solution);
    for (int64_t u = 0; u < n; u++) part[u] = (int32_t)test_below(&seed, 3);
    if ((found = part_modularity(t, n, part)) > best) best = found;
    free(part);
    return best;
}

/* With the partition of the layers, or another one, as the witness. */
static void check_bound(const test_problem *t, int64_t n, const int32_t *planted, uint64_t seed,
                        int exact) {
    cafe_ceiling c;
    cafe_layers *layers = NULL;
    cafe_layer top;
    double best = best_found(t, n, planted, seed);
    TEST_OK(t->context, cafe_layers_find(t->context, t->op, NULL, &layers));
    top = *cafe_layers_get(layers, 0); /* the finest: not the best */
    if (seed % 3) top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    cafe_ceiling_options quick;
    cafe_ceiling_options_init(&quick);
    quick.work = 0.02;
    TEST_OK(t->context, cafe_ceiling_find(t->context, t->op, top.partition, &quick, &c));
    assert_int_equal(c.exact, exact);
    assert_true(c.inequalities >= best);
    if (!(c.pairs >= best && c.spectral >= best && c.dual >= best && c.witness >= best))
        fail_msg("seed %d: %.9f %.9f %.9f %.9f below %.9f", (int)seed, c.pairs, c.spectral, c.dual,
                 c.witness, best);
    assert_true(c.bound < 1);
    assert_true(fabs(c.witness_sum - top.modularity) < 1e-6);
    cafe_layers_free(layers);
}

static void test_never_below(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 120; seed++) {
        cafe_context *context = test_context(1, seed);
        int64_t n = 14 + (int64_t)(seed % 60);
        cafe_graph *graph =
            test_random(context, n, 2 * n + (int64_t)(seed % 90), seed & 1, seed >> 1 & 1, seed);
        test_problem t = test_open(context, graph);
        check_bound(&t, n, NULL, seed, 1);
        test_close(&t);
    }
}

/* Planted blocks; beyond 512 nodes the eigenvalues come from Lanczos. */
static void test_never_below_planted(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        cafe_context *context = test_context(2, seed);
        cafe_generate_options o;
        cafe_graph *graph = NULL;
        cafe_generate_options_init(&o);
        o.nodes = seed % 4 == 0 ? 600 : 90;
        o.edges = o.nodes * (int64_t)(2 + seed % 7);
        o.blocks = 2 + (int64_t)(seed % 5);
        o.mixing = 0.05 + 0.04 * (double)(seed % 10);
        int32_t *planted = malloc((size_t)o.nodes * sizeof *planted);
        TEST_OK(context,
                cafe_generate(context, seed & 1 ? CAFE_GENERATOR_SBM : CAFE_GENERATOR_PLANTED, &o,
                              &graph, planted));
        int64_t n = cafe_graph_nodes(graph);
        test_problem t = test_open(context, graph);
        check_bound(&t, n, planted, seed, n <= 512);
        free(planted);
        test_close(&t);
    }
}

/* Disjoint cliques: the optimum is known, and the bound meets it. */
static void test_tight_on_cliques(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_links l = test_links_new(5 * 15);
    l.count = 0;
    for (int32_t c = 0; c < 5; c++)
        for (int32_t i = 0; i < 6; i++)
            for (int32_t j = 0; j < i; j++)
                l.source[l.count] = 6 * c + i, l.target[l.count++] = 6 * c + j;
    test_problem t = test_open(context, test_graph(context, 30, &l, 0, NULL));
    cafe_ceiling ceiling;
    int32_t part[30];
    for (int32_t u = 0; u < 30; u++) part[u] = u / 6;
    TEST_OK(context, cafe_ceiling_find(context, t.op, NULL, NULL, &ceiling));
    assert_true(ceiling.bound >= 0.8 && ceiling.bound < 0.8 + 1e-3 && ceiling.witness == -1);
    TEST_OK(context, cafe_ceiling_find(context, t.op, part, NULL, &ceiling));
    assert_true(ceiling.witness >= 0.8 && ceiling.witness < 0.8 + 1e-9);
    part[3] = 30;
    assert_int_equal(cafe_ceiling_find(context, t.op, part, NULL, &ceiling), CAFE_ERROR_ARGUMENT);
    test_links_free(&l);
    test_close(&t);
}

/* ---- the spectrum ---------------------------------------------------------------------------- */

static void find_spectrum(const test_problem *t, int64_t n, int64_t columns, cafe_form form,
                          cafe_explanation **e, cafe_spectrum **s, cafe_spectrum_report *r) {
    cafe_sphere_options sphere;
    cafe_finish_options finish;
    cafe_solution *solution = NULL;
    cafe_embedding *embedding = NULL;
    cafe_sphere_options_init(&sphere);
    cafe_finish_options_init(&finish);
    sphere.columns = columns;
    finish.form = form;
    finish.residual = 1e-3;
    TEST_OK(t->context, cafe_sphere(t->context, t->op, &sphere, NULL, &solution));
    TEST_OK(t->context, cafe_finish(t->context, t->op, &solution, &finish, &embedding));
    columns = cafe_embedding_certificate(embedding)->columns;
    float *v = malloc((size_t)(n * columns) * sizeof *v);
    cafe_embedding_copy(embedding, v);
    TEST_OK(t->context, cafe_explain(t->context, t->op, columns, v, NULL, NULL, e));
    TEST_OK(t->context, cafe_spectrum_find(t->context, *e, NULL, s));
    *r = *cafe_spectrum_get(*s);
    cafe_embedding_free(embedding);
    free(v);
}

static void test_elbow(void **state) {
    TEST_NOT_OF_THREADS();
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++)
        for (int form = 0; form < 2; form++) {
            cafe_context *context = test_context(2, seed);
            cafe_generate_options o;
            cafe_graph *graph = NULL;
            cafe_explanation *e = NULL;
            cafe_spectrum *s = NULL;
            cafe_spectrum_report r;
            cafe_generate_options_init(&o);
            o.blocks = 2 + (int64_t)(seed % 7);
            o.nodes = (seed % 6 == 0 ? 120 : 50) * o.blocks;
            o.edges = 10 * o.nodes;
            o.mixing = 0.15;
            TEST_OK(context, cafe_generate(context, CAFE_GENERATOR_SBM, &o, &graph, NULL));
            test_problem t = test_open(context, graph);
            find_spectrum(&t, cafe_graph_nodes(graph), 4, form ? CAFE_FORM_WALK : CAFE_FORM_RITZ,
                          &e, &s, &r);
            if (r.elbow != o.blocks - 1)
                fail_msg("seed %d: %d blocks, elbow at %d", (int)seed, (int)o.blocks, (int)r.elbow);
            assert_true(r.gap == r.values[r.elbow - 1] - r.values[r.elbow] && r.gap > 0);
            cafe_spectrum_free(s);
            cafe_explanation_free(e);
            test_close(&t);
        }
}

static void test_exact_sum(void **state) {
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_karate(context));
    double p[TEST_KARATE_NODES], values[TEST_KARATE_NODES], sum = 0;
    double *q = test_dense_q(t.graph, p);
    cafe_explanation *e = NULL;
    cafe_spectrum *s = NULL;
    cafe_spectrum_report r;
    (void)state;
    test_dense_eigenvalues(TEST_KARATE_NODES, q, values);
    find_spectrum(&t, TEST_KARATE_NODES, 4, CAFE_FORM_RITZ, &e, &s, &r);
    for (int i = 0; i < TEST_KARATE_NODES; i++)
        if (values[i] > 0) sum += values[i];
    assert_true(r.exact && r.count == 12);
    for (int i = 0; i < 12; i++) assert_true(fabs(r.values[i] - values[i]) < 1e-12);
    assert_true(fabs(r.positive - sum) < 1e-12);
    assert_true(r.held > 0 && r.held <= values[0] + values[1] + values[2] + values[3] + 1e-7);
    cafe_spectrum_free(s);
    cafe_explanation_free(e);
    free(q);
    test_close(&t);
}

/* The estimate against exact eigenvalues, for both problems. */
static void test_estimated_sum(void **state) {
    (void)state;
    for (int form = 0; form < 2; form++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_random(context, 600, 3000, 0, 0, 1));
        double sum = 0, *p = malloc(600 * sizeof *p), *values = malloc(600 * sizeof *values);
        double *q = test_dense_q(t.graph, p);
        cafe_explanation *e = NULL;
        cafe_spectrum *s = NULL;
        cafe_spectrum_report r;
        find_spectrum(&t, 600, 8, form ? CAFE_FORM_WALK : CAFE_FORM_RITZ, &e, &s, &r);
        if (form == 0) {
            TEST_OK(context,
                    cafe_operator_eigen(context, t.op, CAFE_END_LARGEST, 600, 0, values, NULL));
            for (int i = 0; i < 600; i++)
                if (values[i] > 0) sum += values[i];
            for (int i = 0; i < 12; i++)
                assert_true(fabs(r.values[i] - values[i]) <= r.residuals[i] + 1e-6 * values[0]);
        } else { /* D^-1/2 Q D^-1/2 written out */
            double trace = 0, size = 0;
            for (int64_t u = 0; u < 600; u++)
                if (p[u] > 0) trace += q[u * 600 + u] / p[u];
            for (int64_t i = 0; i < 600 * 600; i++) {
                double d = p[i / 600] * p[i % 600];
                q[i] = d > 0 ? q[i] / sqrt(d) : 0;
            }
            TEST_OK(context, cafe_dense_eigen(context, 600, q, values));
            for (int i = 0; i < 600; i++) sum += values[i] > 0 ? values[i] : 0, size += values[i];
            assert_true(fabs(size - trace) < 1e-9);
        }
        assert_false(r.exact);
        if (!(fabs(r.positive - sum) < 4 * r.standard_error + 0.01 * sum))
            fail_msg("%g +- %g instead of %g", r.positive, r.standard_error, sum);
        assert_true(r.standard_error > 0 && r.standard_error < 0.05 * sum);
        cafe_spectrum_free(s);
        cafe_explanation_free(e);
        free(p);
        free(values);
        free(q);
        test_close(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tiny_optimum),     cmocka_unit_test(test_rounded_optimum),
        cmocka_unit_test(test_never_below),      cmocka_unit_test(test_never_below_planted),
        cmocka_unit_test(test_tight_on_cliques), cmocka_unit_test(test_elbow),
        cmocka_unit_test(test_exact_sum),        cmocka_unit_test(test_estimated_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
