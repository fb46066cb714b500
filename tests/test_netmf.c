/* NetMF against its formula, computed here with dense matrices in double precision. */
#include <stdio.h>

#include <cafe/cafe.h>
#include "solve/solution.h"

#include "dense.h"

enum { MOST = 80 };

static int64_t drawn_walks(cafe_solution *s) {
    if (s->finding_count == 0) return 0;
    assert_string_equal(s->findings[0].name, "drawn_walks");
    return (int64_t)s->findings[0].value;
}

/* log(max(1, vol / (b T) sum over r of (D^-1 A)^r D^-1)), by plain triple loops. */
static void formula(const cafe_graph *graph, int window, int negative, double *m) {
    static double p[MOST * MOST], power[MOST * MOST], next[MOST * MOST];
    double degree[MOST] = {0}, volume = 0;
    const int64_t n = cafe_graph_nodes(graph), *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t i = 0; i < n * n; i++) p[i] = m[i] = 0;
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
            double a = weights ? weights[j] : 1;
            p[u * n + targets[j]] += a;
            degree[u] += a, volume += a;
        }
    for (int64_t i = 0; i < n * n; i++) p[i] = degree[i / n] > 0 ? p[i] / degree[i / n] : 0;
    for (int64_t i = 0; i < n * n; i++) power[i] = i / n == i % n;
    for (int r = 1; r <= window; r++) {
        for (int64_t i = 0; i < n * n; i++) {
            next[i] = 0;
            for (int64_t k = 0; k < n; k++) next[i] += power[i / n * n + k] * p[k * n + i % n];
        }
        memcpy(power, next, sizeof power);
        for (int64_t i = 0; i < n * n; i++)
            m[i] += degree[i % n] > 0 ? power[i] / degree[i % n] : 0;
    }
    for (int64_t i = 0; i < n * n; i++) m[i] = log(fmax(1, volume / (negative * window) * m[i]));
}

static void *options_of(cafe_context *context, const char *columns, const char *window,
                        const char *negative) {
    const cafe_option_table *table = cafe_method_find(context, "netmf")->vectors();
    void *o = calloc(1, table->struct_size);
    cafe_options_init(table, o, table->struct_size);
    TEST_OK(context, cafe_options_set(context, table, o, "columns", columns));
    TEST_OK(context, cafe_options_set(context, table, o, "window", window));
    TEST_OK(context, cafe_options_set(context, table, o, "negative", negative));
    return o;
}

/* With all columns U sqrt(Sigma) has the Gram matrix |M| = U |Lambda| U^T, so (X X^T)^2 = M^2; the
 * loss is what is left of |M|^2. */
static void check_whole(cafe_context *context, const cafe_graph *graph, int window, int negative) {
    static double m[MOST * MOST], gram[MOST * MOST];
    int64_t n = cafe_graph_nodes(graph);
    char columns[8], texts[2][8];
    cafe_solution *s = NULL;
    snprintf(columns, sizeof columns, "%d", (int)n);
    snprintf(texts[0], sizeof texts[0], "%d", window);
    snprintf(texts[1], sizeof texts[1], "%d", negative);
    void *o = options_of(context, columns, texts[0], texts[1]);
    float *x = malloc((size_t)(n * n) * sizeof *x);
    double norm = 0;
    formula(graph, window, negative, m);
    TEST_OK(context, test_solve(context, graph, "netmf", o, &s));
    TEST_OK(context, cafe_solution_copy(s, x));
    for (int64_t i = 0; i < n * n; i++) {
        gram[i] = 0;
        for (int64_t k = 0; k < n; k++) gram[i] += (double)x[i / n * n + k] * x[i % n * n + k];
        norm += m[i] * m[i];
    }
    for (int64_t i = 0; i < n * n; i++) {
        double found = 0, wanted = 0;
        for (int64_t k = 0; k < n; k++) {
            found += gram[i / n * n + k] * gram[k * n + i % n];
            wanted += m[i / n * n + k] * m[k * n + i % n];
        }
        assert_true(fabs(found - wanted) <= 1e-5 * norm); /* all 0 where no entry of M exceeds 1 */
    }
    assert_true(cafe_solution_get(s)->objective[0] <= 1e-9 * norm);
    cafe_solution_free(s);
    free(x);
    free(o);
}

static void all_columns_hold_the_matrix(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graphs[] = {test_karate(context), test_random(context, 70, 200, 1, 1, 5),
                            test_bipartite(context, 6, 9)};
    for (int i = 0; i < 3; i++) {
        check_whole(context, graphs[i], 1, 1);
        check_whole(context, graphs[i], 5, 1);
        check_whole(context, graphs[i], 10, 5);
        cafe_graph_free(graphs[i]);
    }
    cafe_context_free(context);
}

/* Fewer columns leave the sum of the smaller squares, and orthogonal columns by falling length. */
static void fewer_columns_are_the_best(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    void *o = options_of(context, "6", "10", "1");
    cafe_solution *s = NULL;
    float x[TEST_KARATE_NODES * 6];
    static double m[MOST * MOST];
    double norm = 0, held = 0, last = INFINITY;
    formula(graph, 10, 1, m);
    for (int i = 0; i < TEST_KARATE_NODES * TEST_KARATE_NODES; i++) norm += m[i] * m[i];
    TEST_OK(context, test_solve(context, graph, "netmf", o, &s));
    TEST_OK(context, cafe_solution_copy(s, x));
    for (int a = 0; a < 6; a++)
        for (int b = 0; b <= a; b++) {
            double dot = 0;
            for (int u = 0; u < TEST_KARATE_NODES; u++) dot += (double)x[u * 6 + a] * x[u * 6 + b];
            if (a != b) assert_true(fabs(dot) < 1e-5 * sqrt(norm));
            if (a != b) continue;
            assert_true(dot <= last * (1 + 1e-6));
            held += dot * dot, last = dot;
        }
    assert_true(fabs(cafe_solution_get(s)->objective[0] - (norm - held)) < 1e-5 * norm);
    cafe_solution_free(s);
    free(o);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- drawn ----------------------------------------------------------------------------------- */

/* X X^T of a whole drawn factor, squared: S^2 as the walks have it. */
static double distance(cafe_context *context, const cafe_graph *graph, const char *samples,
                       int window) {
    static double m[MOST * MOST], gram[MOST * MOST];
    const cafe_option_table *table = cafe_method_find(context, "netmf")->vectors();
    int64_t n = cafe_graph_nodes(graph);
    char columns[16], steps[16];
    cafe_solution *s = NULL;
    double away = 0, norm = 0;
    snprintf(columns, sizeof columns, "%d", (int)n);
    snprintf(steps, sizeof steps, "%d", window);
    void *o = options_of(context, columns, steps, "1");
    float *x = malloc((size_t)(n * n) * sizeof *x);
    TEST_OK(context, cafe_options_set(context, table, o, "samples", samples));
    TEST_OK(context, test_solve(context, graph, "netmf", o, &s));
    assert_int_equal(drawn_walks(s), atoll(samples));
    TEST_OK(context, cafe_solution_copy(s, x));
    formula(graph, window, 1, m);
    for (int64_t i = 0; i < n * n; i++) {
        gram[i] = 0;
        for (int64_t k = 0; k < n; k++) gram[i] += (double)x[i / n * n + k] * x[i % n * n + k];
    }
    for (int64_t i = 0; i < n * n; i++) {
        double found = 0, wanted = 0;
        for (int64_t k = 0; k < n; k++) {
            found += gram[i / n * n + k] * gram[k * n + i % n];
            wanted += m[i / n * n + k] * m[k * n + i % n];
        }
        away += (found - wanted) * (found - wanted), norm += wanted * wanted;
    }
    cafe_solution_free(s);
    free(x);
    free(o);
    return sqrt(away / norm);
}

/* Unbiased: a hundred times the walks leave about a tenth of the distance. */
static void drawn_matrices_tend_to_the_exact_one(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 3; kind++) {
        cafe_graph *graph =
            kind == 0 ? test_karate(context) : test_random(context, 60, 200, kind > 1, 0, 5);
        for (int window = 1; window <= 10; window += 9) {
            double few = distance(context, graph, "20000", window);
            double many = distance(context, graph, "2000000", window);
            assert_true(many < 0.02 && many < few / 4);
        }
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* ---- which of the two ------------------------------------------------------------------------ */

static void a_large_graph_is_drawn(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_random(context, 600, 900, 0, 0, 2);
    const cafe_option_table *table = cafe_method_find(context, "netmf")->vectors();
    void *o = options_of(context, "8", "10", "1");
    cafe_solution *s = NULL;
    TEST_OK(context, test_solve(context, graph, "netmf", o, &s));
    assert_int_equal(drawn_walks(s), 0);
    cafe_solution_free(s);
    TEST_OK(context, cafe_options_set(context, table, o, "matrix-limit", "1"));
    TEST_OK(context, test_solve(context, graph, "netmf", o, &s)); /* 600^2 floats are more */
    assert_int_equal(drawn_walks(s), 1048576 / 40);               /* as many as fit */
    cafe_solution_free(s);
    TEST_OK(context, cafe_options_set(context, table, o, "samples", "30000"));
    assert_int_equal(test_solve(context, graph, "netmf", o, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "1200000 bytes"));
    free(o);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* Both ways; nodes without edges have zero rows. */
static void vectors_have_the_same_bits(void **state) {
    enum { N = 700, K = 12 };
    static float first[N * K], x[N * K];
    (void)state;
    for (int way = 0; way < 2; way++)
        for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
            cafe_context *context = test_context(threads, 7);
            cafe_graph *graph = test_random(context, N, 3000, 1, 1, 21);
            const cafe_option_table *table = cafe_method_find(context, "netmf")->vectors();
            void *o = options_of(context, "12", "4", "1");
            cafe_solution *s = NULL;
            if (way) TEST_OK(context, cafe_options_set(context, table, o, "samples", "50000"));
            TEST_OK(context, test_solve(context, graph, "netmf", o, &s));
            TEST_OK(context, cafe_solution_copy(s, threads == 1 ? first : x));
            if (threads > 1) assert_memory_equal(first, x, sizeof x);
            for (int u = 6; u < N; u += 7)
                for (int k = 0; k < K; k++) assert_true(first[u * K + k] == 0);
            cafe_solution_free(s);
            free(o);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_columns_hold_the_matrix),
        cmocka_unit_test(fewer_columns_are_the_best),
        cmocka_unit_test(drawn_matrices_tend_to_the_exact_one),
        cmocka_unit_test(a_large_graph_is_drawn),
        cmocka_unit_test(vectors_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
