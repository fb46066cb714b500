/* Exact eigenpairs against dense ones; theorem 4 on hundreds of vectors; softmax with K = 2. */

#include "dense.h"
#include "engine/dense.h"
#include "failing.h"
#include "spectral/softmax_bound.h"

/* ---- dense eigenpairs ------------------------------------------------------------------------ */

typedef struct spectrum {
    int64_t n;
    double *values;  /* descending */
    double *vectors; /* vector j is the j-th row */
} spectrum;

static spectrum dense_spectrum(const cafe_graph *graph) {
    int64_t n = cafe_graph_nodes(graph);
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(graph, p);
    spectrum s = {n, malloc((size_t)n * sizeof(double)), malloc((size_t)(n * n) * sizeof(double))};
    cafe_context *context = test_context(1, 1);
    TEST_OK(context, cafe_dense_eigen(context, n, q, s.values));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) s.vectors[j * n + i] = q[i * n + j];
    cafe_context_free(context);
    free(q);
    free(p);
    return s;
}

static void free_spectrum(spectrum *s) {
    free(s->values);
    free(s->vectors);
}

static double norm_of(const spectrum *s) {
    return fmax(fabs(s->values[0]), fabs(s->values[s->n - 1]));
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Cliques of these sizes, each linked to the next by one edge: then lambda_2 > -lambda_n. */
static cafe_graph *cliques(cafe_context *context, int count, const int32_t *sizes) {
    test_links l = test_links_new(4000);
    int32_t first = 0;
    l.count = 0;
    for (int c = 0; c < count; c++) {
        for (int32_t u = first; u < first + sizes[c]; u++)
            for (int32_t w = first; w < u; w++) l.source[l.count] = u, l.target[l.count++] = w;
        if (c > 0) l.source[l.count] = first - 1, l.target[l.count++] = first;
        first += sizes[c];
    }
    cafe_graph *graph = test_graph(context, first, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_graph *generated(cafe_context *context, cafe_generator model, int64_t nodes,
                             int64_t edges, double mixing) {
    cafe_generate_options o;
    cafe_graph *graph = NULL;
    cafe_generate_options_init(&o);
    o.nodes = nodes;
    o.edges = edges;
    o.blocks = model == CAFE_GENERATOR_SBM ? 2 : 0;
    o.mixing = mixing;
    TEST_OK(context, cafe_generate(context, model, &o, &graph, NULL));
    return graph;
}

enum { GRAPHS = 9 };

static cafe_graph *make(cafe_context *context, int which) {
    static const int32_t sizes[] = {20, 18, 12};
    switch (which) {
        case 0: return test_karate(context);
        case 1: return cliques(context, 3, sizes);
        case 2: return test_grid(context, 8, 13);
        case 3: return test_bipartite(context, 9, 40); /* rank 1 */
        case 4: return cliques(context, 1, sizes);     /* one eigenvalue n - 1 times */
        case 5: return test_random(context, 90, 300, 1, 1, 5);
        case 6: return test_random(context, 61, 120, 0, 0, 6);
        case 7: return generated(context, CAFE_GENERATOR_SBM, 120, 900, 0.15);
        default: return generated(context, CAFE_GENERATOR_BA, 100, 300, 0);
    }
}

/* ---- eigenpairs ------------------------------------------------------------------------------ */

static void check_pairs(const test_problem *t, const spectrum *s, cafe_end end, int64_t count) {
    int64_t n = s->n, bad = 0;
    double norm = norm_of(s), *values = malloc((size_t)count * sizeof *values);
    double *vectors = malloc((size_t)(n * count) * sizeof *vectors);
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t->graph, p);
    TEST_OK(t->context, cafe_operator_eigen(t->context, t->op, end, count, 1e-11, values, vectors));
    for (int64_t j = 0; j < count; j++) {
        double residual = 0, largest = 0;
        int64_t index = end == CAFE_END_LARGEST ? j : n - 1 - j;
        bad += fabs(values[j] - s->values[index]) > 1e-10 * norm;
        for (int64_t u = 0; u < n; u++) {
            double y = 0, v = vectors[u * count + j];
            for (int64_t w = 0; w < n; w++) y += q[u * n + w] * vectors[w * count + j];
            residual += (y - values[j] * v) * (y - values[j] * v);
            if (fabs(v) > fabs(largest)) largest = v;
        }
        bad += sqrt(residual) > 2e-11 * norm;
        bad += largest <= 0;
        for (int64_t i = 0; i <= j; i++) {
            double product = 0;
            for (int64_t u = 0; u < n; u++)
                product += vectors[u * count + i] * vectors[u * count + j];
            bad += fabs(product - (i == j)) > 1e-10;
        }
    }
    assert_int_equal(bad, 0);
    free(values);
    free(vectors);
    free(p);
    free(q);
}

static void eigenpairs_equal_dense_ones(void **state) {
    (void)state;
    for (int which = 0; which < GRAPHS; which++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, make(context, which));
        spectrum s = dense_spectrum(t.graph);
        const int64_t counts[] = {1, 2, 7, s.n / 2 + 1, s.n};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            check_pairs(&t, &s, CAFE_END_LARGEST, counts[i]);
            check_pairs(&t, &s, CAFE_END_SMALLEST, counts[i]);
        }
        free_spectrum(&s);
        test_close(&t);
    }
}

/* The pairs of a graph on so many threads. */
static double *pairs_of(int32_t threads, int which, int64_t *size) {
    cafe_context *context = test_context(threads, 3);
    cafe_graph *graph =
        which < 0 ? generated(context, CAFE_GENERATOR_BA, 9000, 30000, 0) : make(context, which);
    test_problem t = test_open(context, graph);
    int64_t n = cafe_graph_nodes(graph), count = 4;
    double *result = malloc((size_t)((n + 1) * count) * sizeof *result);
    TEST_OK(context, cafe_operator_eigen(context, t.op, CAFE_END_LARGEST, count, 1e-9, result,
                                         result + count));
    test_close(&t);
    *size = (n + 1) * count * (int64_t)sizeof *result;
    return result;
}

static void eigenpairs_have_the_same_bits(void **state) {
    static const int graphs[] = {-1, 0, 3, 4}; /* the last two have two distinct eigenvalues */
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        int64_t size;
        double *reference = pairs_of(1, graphs[i], &size);
        for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
            double *other = pairs_of(threads, graphs[i], &size);
            assert_memory_equal(reference, other, (size_t)size);
            free(other);
        }
        free(reference);
    }
}

static void wrong_arguments_are_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    double values[64];
    const struct {
        int end;
        int64_t count;
        double tolerance;
    } wrong[] = {{2, 1, 0}, {0, 0, 0}, {0, 35, 0}, {1, 1, -1}, {1, 1, 1}, {1, 1, NAN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cafe_operator_eigen(context, t.op, (cafe_end)wrong[i].end, wrong[i].count,
                                             wrong[i].tolerance, values, NULL),
                         CAFE_ERROR_ARGUMENT);
        assert_true(cafe_error(context)[0] != 0);
    }
    cafe_cancel(context);
    assert_int_equal(cafe_operator_eigen(context, t.op, CAFE_END_LARGEST, 2, 0, values, NULL),
                     CAFE_ERROR_CANCELLED);
    cafe_reset_cancel(context);
    TEST_OK(context, cafe_operator_eigen(context, t.op, CAFE_END_LARGEST, 2, 0, values, NULL));
    test_close(&t);
}

/* ---- the theorem ----------------------------------------------------------------------------- */

static double uniform(uint64_t *state) {
    return (double)(test_number(state) >> 11) * 0x1p-52 - 1;
}

/* x = v1 + noise in random directions, more and more of it. */
static int64_t try_vectors(const test_problem *t, const spectrum *s, int tries, uint64_t seed) {
    int64_t n = s->n, applied = 0;
    double *x = malloc((size_t)n * sizeof *x), *v1 = malloc((size_t)n * sizeof *v1);
    cafe_gap gap;
    cafe_bound b;
    TEST_OK(t->context, cafe_gap_find(t->context, t->op, &gap, v1));
    assert_true(fabs(gap.first - s->values[0]) < 1e-10 * norm_of(s));
    assert_true(fabs(gap.delta - fmax(s->values[1], -s->values[n - 1]) / s->values[0]) < 1e-8);
    for (int i = 0; i < tries; i++) {
        double noise = 2.0 * i / tries, sign = i % 2 ? -3 : 1;
        for (int64_t u = 0; u < n; u++) x[u] = sign * s->vectors[u];
        for (int64_t j = 1; j < n; j++) { /* few directions or many */
            double part = i % 3 && test_below(&seed, n) > 3 ? 0 : noise * uniform(&seed);
            for (int64_t u = 0; u < n && part != 0; u++) x[u] += part * s->vectors[j * n + u];
        }
        TEST_OK(t->context, cafe_bound_check(t->context, t->op, &gap, v1, x, &b));
        assert_true(b.applies == (b.epsilon <= 1 - gap.delta && gap.delta < 1));
        assert_true(b.holds == b.applies);
        assert_true(b.second >= b.second_published && b.cosine_x >= 0);
        applied += b.applies;
    }
    free(x);
    free(v1);
    return applied;
}

static void no_vector_violates_the_bounds(void **state) {
    int64_t applied = 0, tried = 0;
    (void)state;
    for (int which = 0; which < 40; which++) {
        cafe_context *context = test_context(1, (uint64_t)which + 1);
        const int32_t sizes[] = {14 + which % 7, 9 + which % 5, 6};
        cafe_graph *graph = which % 2 ? cliques(context, 2 + which / 2 % 2, sizes)
                                      : generated(context, CAFE_GENERATOR_SBM, 60, 500, 0.1);
        test_problem t = test_open(context, graph);
        spectrum s = dense_spectrum(t.graph);
        applied += try_vectors(&t, &s, 60, (uint64_t)which);
        tried += 60;
        free_spectrum(&s);
        test_close(&t);
    }
    assert_true(applied > 400); /* else nothing was tested */
    assert_true(applied < tried);
}

/* In the plane of v1 and v2, with lambda_2 > -lambda_n, both bounds are attained. */
static void the_bounds_are_sharp(void **state) {
    static const int32_t sizes[] = {20, 18, 12};
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, cliques(context, 3, sizes));
    spectrum s = dense_spectrum(t.graph);
    double x[50], v1[50];
    cafe_gap gap;
    cafe_bound b;
    assert_true(s.values[1] > -s.values[s.n - 1]);
    TEST_OK(context, cafe_gap_find(context, t.op, &gap, v1));
    for (double part = 0; part < 2; part += 0.25) {
        for (int64_t u = 0; u < s.n; u++) x[u] = s.vectors[u] + part * s.vectors[s.n + u];
        TEST_OK(context, cafe_bound_check(context, t.op, &gap, v1, x, &b));
        assert_true(b.applies && b.holds);
        assert_true(fabs(b.cosine_x - b.first) < 1e-7);
        assert_true(fabs(b.cosine_qx - b.second) < 1e-7);
    }
    free_spectrum(&s);
    test_close(&t);
}

/* delta >= 1, or no positive eigenvalue at all: the theorem says nothing of any x. */
static void the_theorem_need_not_apply(void **state) {
    static const int graphs[] = {0, 3, 4};
    (void)state;
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        cafe_context *context = test_context(1, 1);
        test_problem t = test_open(context, make(context, graphs[i]));
        double v1[64];
        cafe_gap gap;
        cafe_bound b;
        TEST_OK(context, cafe_gap_find(context, t.op, &gap, v1));
        assert_true(graphs[i] == 0 ? fabs(gap.delta - 1.124) < 1e-3 : isinf(gap.delta));
        TEST_OK(context, cafe_bound_check(context, t.op, &gap, v1, v1, &b));
        assert_false(b.applies || b.holds);
        assert_true(b.first == 0 && b.second == 0 && b.second_published == 0);
        memset(v1, 0, sizeof v1);
        TEST_OK(context, cafe_bound_check(context, t.op, &gap, v1, v1, &b));
        assert_true(b.cosine_x == 0 && b.cosine_qx == 0 && b.rayleigh == 0);
        test_close(&t);
    }
}

/* ---- softmax with K = 2 ---------------------------------------------------------------------- */

static void two_blocks_are_the_dominant_eigenvector(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, generated(context, CAFE_GENERATOR_SBM, 200, 2500, 0.2));
    cafe_bounds *bounds = NULL;
    cafe_bounds_report r;
    double cosine = 0, length = 0, mean = 0;
    TEST_OK(context, cafe_bounds_find(context, t.op, NULL, &bounds));
    r = *cafe_bounds_get(bounds);
    assert_true(r.gap.delta < 1);
    assert_true(r.centred.applies && r.centred.holds);
    assert_true(r.centred.cosine_qx >= 0.99);
    /* Q 1 = 0: the direction of Qx is the same for both */
    assert_true(fabs(r.plain.cosine_qx - r.centred.cosine_qx) < 1e-6);
    assert_true(r.plain.epsilon > r.centred.epsilon);
    for (int64_t u = 0; u < 200; u++) {
        cosine += r.qx[u] * r.first[u];
        length += r.qx[u] * r.qx[u];
        mean += r.x[u] * r.x[u] + r.xc[u] * r.xc[u];
        assert_true(r.x[u] >= 0);
    }
    assert_true(fabs(cosine - r.centred.cosine_qx) < 1e-9);
    assert_true(fabs(length - 1) < 1e-9 && fabs(mean - 2) < 1e-9);
    cafe_bounds_free(bounds);
    test_close(&t);
}

static void more_starts_are_never_worse(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_random(context, 70, 200, 1, 1, 9));
    cafe_bounds_options o;
    double before = -1;
    cafe_bounds_options_init(&o);
    for (o.restarts = 1; o.restarts <= 16; o.restarts *= 2) {
        cafe_bounds *bounds = NULL;
        cafe_bounds_report r;
        TEST_OK(context, cafe_bounds_find(context, t.op, &o, &bounds));
        r = *cafe_bounds_get(bounds);
        assert_true(r.objective >= before && r.best < o.restarts && r.converged <= o.restarts);
        before = r.objective;
        assert_true(r.xc[6] == 0); /* no edge, no side */
        cafe_bounds_free(bounds);
    }
    o.restarts = 0;
    assert_int_equal(cafe_bounds_find(context, t.op, &o, &(cafe_bounds *){NULL}),
                     CAFE_ERROR_ARGUMENT);
    test_close(&t);
}

static void bounds_have_the_same_bits(void **state) {
    cafe_bounds_report first = {0};
    double keep[4][100];
    (void)state;
    for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
        cafe_context *context = test_context(threads, 7);
        test_problem t = test_open(context, make(context, 8));
        cafe_bounds *bounds = NULL;
        cafe_bounds_report r;
        TEST_OK(context, cafe_bounds_find(context, t.op, NULL, &bounds));
        r = *cafe_bounds_get(bounds);
        const double *arrays[] = {r.x, r.xc, r.qx, r.first};
        for (int i = 0; i < 4; i++) {
            if (threads == 1) memcpy(keep[i], arrays[i], sizeof keep[i]);
            assert_memory_equal(keep[i], arrays[i], sizeof keep[i]);
        }
        if (threads == 1) first = r;
        assert_true(r.objective == first.objective && r.best == first.best);
        assert_true(r.gap.delta == first.gap.delta);
        assert_true(r.centred.epsilon == first.centred.epsilon);
        cafe_bounds_free(bounds);
        test_close(&t);
    }
}

/* ---- memory that runs out -------------------------------------------------------------------- */

static cafe_status call(cafe_context *context, const test_problem *t, int which) {
    double values[8], x[34], vectors[34 * 4];
    cafe_gap gap = {.first = 1};
    cafe_bound bound;
    cafe_bounds *bounds = NULL;
    cafe_bounds_options o;
    cafe_bounds_options_init(&o);
    o.restarts = 2;
    memset(x, 0, sizeof x);
    switch (which) {
        case 0: return cafe_operator_eigen(context, t->op, CAFE_END_LARGEST, 4, 0, values, vectors);
        case 1: return cafe_bound_check(context, t->op, &gap, x, x, &bound);
        case 2: return cafe_gap_find(context, t->op, &gap, x);
        default:;
    }
    cafe_status status = cafe_bounds_find(context, t->op, &o, &bounds);
    assert_true((status == CAFE_OK) == (bounds != NULL));
    cafe_bounds_free(bounds);
    return status;
}

static void memory_that_runs_out_is_survived(void **state) {
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_karate(context));
    for (int which = 0; which < 4; which++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = call(context, &t, which);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eigenpairs_equal_dense_ones),
        cmocka_unit_test(eigenpairs_have_the_same_bits),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(no_vector_violates_the_bounds),
        cmocka_unit_test(the_bounds_are_sharp),
        cmocka_unit_test(the_theorem_need_not_apply),
        cmocka_unit_test(two_blocks_are_the_dominant_eigenvector),
        cmocka_unit_test(more_starts_are_never_worse),
        cmocka_unit_test(bounds_have_the_same_bits),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
