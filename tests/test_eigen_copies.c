/* The eigensolver where eigenvalues come many times: graphs of many equal parts, and products of
 * graphs. Every copy is there and none is made up, at the tolerance, by spectra that are known
 * without the solver. Vectors are orthonormal, and residuals are computed anew from the links.
 */
#include "dense.h"
#include "engine/dense.h"
#include "method/eigenvectors.h"
#include "spectral/eigen.h"

enum { MOST = 60 };

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Links, and the eigenvalues of Q in descending order. */
typedef struct spectrum {
    int64_t n;
    test_links l;
    int32_t weighted;
    double *values;
} spectrum;

static void link_nodes(test_links *l, int64_t u, int64_t w) {
    l->source[l->count] = (int32_t)u, l->target[l->count] = (int32_t)w;
    l->weights[l->count++] = 1;
}

static test_links no_links(int64_t room) {
    test_links l = test_links_new(room);
    l.count = 0;
    return l;
}

static test_links ring(int64_t n) {
    test_links l = no_links(n);
    for (int64_t u = 0; u < n; u++) link_nodes(&l, u, (u + 1) % n);
    return l;
}

static test_links path(int64_t n) {
    test_links l = ring(n);
    l.count--;
    return l;
}

static test_links clique(int64_t n) {
    test_links l = no_links(n * n / 2);
    for (int64_t u = 0; u < n; u++)
        for (int64_t w = 0; w < u; w++) link_nodes(&l, u, w);
    return l;
}

static test_links star(int64_t n) {
    test_links l = no_links(n);
    for (int64_t u = 1; u < n; u++) link_nodes(&l, 0, u);
    return l;
}

static test_links karate(int64_t n) {
    test_links l = no_links(TEST_KARATE_EDGES);
    assert_int_equal(n, TEST_KARATE_NODES);
    for (int64_t i = 0; i < TEST_KARATE_EDGES; i++)
        link_nodes(&l, test_karate_edges[i][0], test_karate_edges[i][1]);
    return l;
}

/* 40 nodes on two sides, the first 5 on one. */
static test_links sides(int64_t n) {
    test_links l = no_links(5 * n);
    for (int64_t u = 0; u < 5; u++)
        for (int64_t w = 5; w < n; w++) link_nodes(&l, u, w);
    return l;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Values of A / total, or of Q, for links that are few. */
static double *dense_values(cafe_context *context, int64_t n, const test_links *l, bool whole) {
    cafe_graph *graph = test_graph(context, n, l, 1, NULL);
    double *p = malloc((size_t)n * sizeof *p), *values = malloc((size_t)n * sizeof *values);
    double *q = test_dense_q(graph, p);
    for (int64_t i = 0; whole && i < n * n; i++) q[i] += p[i / n] * p[i % n];
    TEST_OK(context, cafe_dense_eigen(context, n, q, values));
    cafe_graph_free(graph);
    free(p);
    free(q);
    return values;
}

/* r copies of a graph: x on each, times factors that add to 0, is an eigenvector of Q with the
 * value of A / total over r. Times 1 it has the value of the graph's own Q over r. */
static spectrum copies(cafe_context *context, int64_t r, int64_t n, test_links one, bool weighted) {
    spectrum s = {r * n, no_links(r * one.count), weighted,
                  malloc((size_t)(r * n) * sizeof(double))};
    for (int64_t i = 0; i < one.count; i++)
        one.weights[i] = weighted ? (float)(1 + i * 7 % 5) / 4 : 1;
    for (int64_t i = 0; i < r * one.count; i++) {
        int64_t j = i % one.count, first = i / one.count * n;
        link_nodes(&s.l, first + one.source[j], first + one.target[j]);
        s.l.weights[i] = one.weights[j];
    }
    double *a = dense_values(context, n, &one, true), *q = dense_values(context, n, &one, false);
    for (int64_t i = 0; i < r * n; i++) s.values[i] = (i < n ? q : a)[i % n] / (double)r;
    qsort(s.values, (size_t)s.n, sizeof *s.values, descending);
    test_links_free(&one);
    free(a);
    free(q);
    return s;
}

/* The product of d rings or cliques of `side` nodes: neighbours differ in one place. Eigenvalues of
 * A are sums of one of each; Q has 0 instead of the largest. */
static spectrum product(int64_t d, int64_t side, bool rings) {
    int64_t n = 1, degree = d * (rings ? 2 : side - 1);
    for (int64_t i = 0; i < d; i++) n *= side;
    spectrum s = {n, no_links(n * degree), 0, calloc((size_t)n, sizeof(double))};
    for (int64_t u = 0; u < n; u++)
        for (int64_t i = 0, place = 1; i < d; i++, place *= side) {
            int64_t digit = u / place % side;
            s.values[u] += rings ? 2 * cos(2 * acos(-1) * (double)digit / (double)side)
                                 : (digit == 0 ? (double)side - 1 : -1);
            if (rings) link_nodes(&s.l, u, u + ((digit + 1) % side - digit) * place);
            for (int64_t w = digit + 1; !rings && w < side; w++)
                link_nodes(&s.l, u, u + (w - digit) * place);
        }
    s.values[0] = 0;
    for (int64_t u = 0; u < n; u++) s.values[u] /= (double)(n * degree);
    qsort(s.values, (size_t)n, sizeof *s.values, descending);
    return s;
}

/* Parts of several kinds, each many times, and nodes without edges. */
static spectrum mixture(cafe_context *context) {
    test_links part[4] = {ring(12), clique(5), star(9), path(6)};
    const int64_t size[4] = {12, 5, 9, 6}, times[4] = {14, 30, 12, 20};
    spectrum s = {60, no_links(1000), 0, NULL};
    for (int k = 0; k < 4; k++) {
        for (int64_t i = 0; i < times[k]; i++, s.n += size[k])
            for (int64_t j = 0; j < part[k].count; j++)
                link_nodes(&s.l, s.n + part[k].source[j], s.n + part[k].target[j]);
        test_links_free(&part[k]);
    }
    s.values = dense_values(context, s.n, &s.l, false);
    return s;
}

enum { GRAPHS = 13 };

static spectrum make(cafe_context *context, int which) {
    switch (which) {
        case 0: return copies(context, 20, 40, ring(40), false);
        case 1: return copies(context, 20, 40, path(40), false);
        case 2: return copies(context, 60, 12, clique(12), true);
        case 3: return copies(context, 100, 6, star(6), false);
        case 4: return copies(context, 40, TEST_KARATE_NODES, karate(TEST_KARATE_NODES), false);
        case 5: return copies(context, 20, TEST_KARATE_NODES, karate(TEST_KARATE_NODES), true);
        case 6: return copies(context, 30, 22, sides(22), false);
        case 7: return copies(context, 400, 2, path(2), false);
        case 8: return product(10, 2, false);
        case 9: return product(3, 10, false);
        case 10: return product(2, 26, true);
        case 11: return copies(context, 300, 5, clique(5), false);
        default: return mixture(context);
    }
}

static void drop(spectrum *s) {
    test_links_free(&s->l);
    free(s->values);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static double (*const wishes[])(const void *, double) = {cafe_want_largest, cafe_want_smallest,
                                                         cafe_want_size};

/* The values that are wanted most, as they are wanted. */
static void pick(const spectrum *s, int wish, double *expected) {
    double *all = malloc((size_t)s->n * sizeof *all);
    for (int64_t i = 0; i < s->n; i++) all[i] = wishes[wish](NULL, s->values[i]);
    qsort(all, (size_t)s->n, sizeof *all, descending);
    memcpy(expected, all, MOST * sizeof *all);
    free(all);
}

/* |Q v - lambda v| from the links, times 2m: with d the degrees, A v - d (d, v) / 2m. */
static double residual(const spectrum *s, const double *d, double total, const double *v,
                       double value, double *y) {
    double mean = 0, square = 0;
    for (int64_t u = 0; u < s->n; u++) mean += d[u] * v[u] / total;
    for (int64_t u = 0; u < s->n; u++) y[u] = -d[u] * mean - value * total * v[u];
    for (int64_t i = 0; i < s->l.count; i++) {
        int32_t u = s->l.source[i], w = s->l.target[i];
        y[u] += (double)s->l.weights[i] * v[w];
        y[w] += (double)s->l.weights[i] * v[u];
    }
    for (int64_t u = 0; u < s->n; u++) square += y[u] * y[u];
    return sqrt(square);
}

static int64_t count_bad(const spectrum *s, double tolerance, const cafe_eigen *found) {
    double norm = fmax(fabs(s->values[0]), fabs(s->values[s->n - 1])), total = 0;
    int64_t n = s->n, count = found->count, bad = 0;
    double *d = calloc((size_t)(3 * n), sizeof *d), *v = d + n, *y = v + n;
    for (int64_t i = 0; i < s->l.count; i++) {
        d[s->l.source[i]] += s->l.weights[i], d[s->l.target[i]] += s->l.weights[i];
        total += 2 * s->l.weights[i];
    }
    for (int64_t j = 0; j < count; j++) {
        for (int64_t u = 0; u < n; u++) v[u] = found->vectors[u * count + j];
        bad += !(residual(s, d, total, v, found->values[j], y) <= 2 * tolerance * norm * total);
        for (int64_t i = 0; i <= j; i++) {
            double dot = 0;
            for (int64_t u = 0; u < n; u++) dot += found->vectors[u * count + i] * v[u];
            bad += !(fabs(dot - (i == j)) <= 1e-9);
        }
    }
    free(d);
    return bad;
}

/* No copy is missing and none is too many: the sorted values are the same. */
static void check_run(cafe_context *context, const spectrum *s, const cafe_operator *op, int wish,
                      int64_t count, double tolerance, const double *expected) {
    double norm = fmax(fabs(s->values[0]), fabs(s->values[s->n - 1])), found_values[MOST];
    cafe_eigen_problem problem = cafe_eigen_operator(op, wishes[wish], count, tolerance);
    cafe_eigen found;
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    TEST_OK(context, cafe_eigen_need_all(context, &found));
    for (int64_t j = 0; j < count; j++) found_values[j] = wishes[wish](NULL, found.values[j]);
    qsort(found_values, (size_t)count, sizeof *found_values, descending);
    for (int64_t j = 0; j < count; j++)
        if (!(fabs(found_values[j] - expected[j]) <= 4 * tolerance * norm))
            fail_msg("wish %d, pair %d of %d to %g: %.12g instead of %.12g", wish, (int)j,
                     (int)count, tolerance, found_values[j], expected[j]);
    assert_int_equal(count_bad(s, tolerance, &found), 0);
    cafe_eigen_free(context, &found);
}

static void no_copy_is_missed(void **state) {
    static const int64_t counts[] = {12, 30, MOST};
    static const double tolerances[] = {1e-4, 1e-6, 1e-10};
    (void)state;
    TEST_NOT_OF_THREADS();
    for (int which = 0; which < GRAPHS; which++) {
        cafe_context *context = test_context(2, (uint64_t)which + 1);
        spectrum s = make(context, which);
        test_problem t = test_open(context, test_graph(context, s.n, &s.l, s.weighted, NULL));
        double expected[MOST];
        for (int i = which % 2; i < 27; i += TEST_SANITIZED ? 7 : 2) {
            pick(&s, i % 3, expected);
            check_run(context, &s, t.op, i % 3, counts[i / 9], tolerances[i / 3 % 3], expected);
        }
        drop(&s);
        test_close(&t);
    }
}

/* ---- both ends ------------------------------------------------------------------------------- */

/* |X^T X - 1|, the largest entry. */
static double defect(int64_t n, int64_t columns, const float *x) {
    double worst = 0;
    for (int64_t i = 0; i < columns; i++)
        for (int64_t j = 0; j <= i; j++) {
            double dot = 0;
            for (int64_t u = 0; u < n; u++) dot += (double)x[u * columns + i] * x[u * columns + j];
            worst = fmax(worst, fabs(dot - (i == j)));
        }
    return worst;
}

/* Where an eigenvalue is of both halves, none of its vectors comes twice. */
static void halves_have_no_vector_in_common(void **state) {
    static const int64_t columns[] = {9, 9, 150, 8};
    (void)state;
    TEST_NOT_OF_THREADS();
    for (int which = 0; which < 4; which++) {
        cafe_context *context = test_context(2, 1);
        spectrum s = which == 0   ? copies(context, 1, 100, star(100), false)
                     : which == 1 ? copies(context, 1, 600, star(600), false)
                     : which == 2 ? copies(context, 140, 4, ring(4), false)
                                  : copies(context, 1, 520, clique(520), false);
        cafe_graph *graph = test_graph(context, s.n, &s.l, 0, NULL);
        float *x = malloc((size_t)(s.n * columns[which]) * sizeof *x);
        cafe_spectral_options o;
        cafe_solution *solution = NULL;
        cafe_spectral_options_init(&o);
        o.columns = columns[which], o.columns_from = CAFE_FROM_BOTH;
        TEST_OK(context, test_solve(context, graph, "spectral", &o, &solution));
        cafe_solution_copy(solution, x);
        assert_true(defect(s.n, columns[which], x) < 1e-5);
        free(x);
        cafe_solution_free(solution);
        cafe_graph_free(graph);
        drop(&s);
        cafe_context_free(context);
    }
}

/* ---- bits ------------------------------------------------------------------------------------ */

enum { PAIRS = 30 };

/* Values and vectors of the rings, to be freed. */
static double *solve_rings(int32_t threads, int64_t *numbers) {
    cafe_context *context = test_context(threads, 4);
    spectrum s = make(context, 0);
    test_problem t = test_open(context, test_graph(context, s.n, &s.l, 0, NULL));
    cafe_eigen_problem problem = cafe_eigen_operator(t.op, cafe_want_size, PAIRS, 1e-6);
    cafe_eigen found;
    double *all = malloc((size_t)((s.n + 1) * PAIRS) * sizeof *all);
    TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
    *numbers = (s.n + 1) * PAIRS;
    memcpy(all, found.values, PAIRS * sizeof *all);
    memcpy(all + PAIRS, found.vectors, (size_t)(s.n * PAIRS) * sizeof *all);
    cafe_eigen_free(context, &found);
    drop(&s);
    test_close(&t);
    return all;
}

/* What is locked and what is drawn do not depend on the threads. */
static void threads_do_not_matter(void **state) {
    int64_t numbers;
    double *first = solve_rings(1, &numbers);
    (void)state;
    for (int32_t threads = test_more_threads(1); threads > 0;
         threads = test_more_threads(threads)) {
        double *all = solve_rings(threads, &numbers);
        assert_memory_equal(all, first, (size_t)numbers * sizeof *all);
        free(all);
    }
    free(first);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Pairs that the limit leaves open are reported, not returned. */
static void what_is_not_certain_is_said(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    spectrum s = make(context, 0);
    test_problem t = test_open(context, test_graph(context, s.n, &s.l, 0, NULL));
    double expected[MOST], norm = fmax(fabs(s.values[0]), fabs(s.values[s.n - 1]));
    pick(&s, 0, expected);
    for (int64_t passes = 1; passes < 120; passes += 9) {
        cafe_eigen_problem problem = cafe_eigen_operator(t.op, cafe_want_largest, PAIRS, 1e-10);
        cafe_eigen found;
        int64_t missing = 0;
        problem.passes = passes;
        TEST_OK(context, cafe_eigen_solve(context, &problem, &found));
        for (int64_t j = 0; j < PAIRS; j++)
            missing += fabs(found.values[j] - expected[j]) > 1e-8 * norm;
        if (missing > 0) {
            assert_true(found.converged < PAIRS);
            assert_int_equal(cafe_eigen_need_all(context, &found), CAFE_ERROR_NUMERIC);
        }
        cafe_eigen_free(context, &found);
    }
    double values[3] = {1, 1, 0.5}, residuals[3] = {0};
    cafe_eigen open = {.count = 3, .converged = 2, .sure = 2, .norm = 1};
    open.values = values, open.residuals = residuals;
    assert_int_equal(cafe_eigen_need_all(context, &open), CAFE_ERROR_NUMERIC);
    assert_non_null(strstr(cafe_error(context), "Ask for 2 columns"));
    drop(&s);
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_copy_is_missed),
        cmocka_unit_test(halves_have_no_vector_in_common),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(what_is_not_certain_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
