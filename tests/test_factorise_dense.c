/* HOPE and GraRep against their dense definitions. */
#include <stdbool.h>

#include <cafe/cafe.h>

#include "baseline/baseline.h"
#include "dense.h"

enum { MOST = 100 };

static double *dense_adjacency(const cafe_graph *graph) {
    int64_t n = cafe_graph_nodes(graph);
    double *a = calloc((size_t)(n * n), sizeof *a);
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(graph, &offsets, &targets, &weights);
    for (int64_t u = 0; u < n; u++)
        for (int64_t j = offsets[u]; j < offsets[u + 1]; j++)
            a[u * n + targets[j]] = weights ? weights[j] : 1;
    return a;
}

static double *dense_product(int64_t n, const double *a, const double *b, bool transposed) {
    double *c = calloc((size_t)(n * n), sizeof *c);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * (transposed ? b[j * n + k] : b[k * n + j]);
    return c;
}

/* Squares of the singular values, falling. */
static void singular_squares(int64_t n, const double *a, double *squares) {
    double *gram = dense_product(n, a, a, true);
    test_dense_eigenvalues(n, gram, squares);
    free(gram);
}

static float *vectors_of(cafe_solution *s, int64_t n) {
    float *h = malloc((size_t)(n * cafe_solution_get(s)->columns) * sizeof *h);
    cafe_solution_copy(s, h);
    return h;
}

/* Disjoint cliques of one size: every eigenvalue of A is multiple. */
static cafe_graph *cliques(cafe_context *context, int32_t count, int32_t size) {
    test_links l = test_links_new((int64_t)count * size * size);
    l.count = 0;
    for (int32_t c = 0; c < count; c++)
        for (int32_t i = 0; i < size; i++)
            for (int32_t j = 0; j < i; j++) {
                l.source[l.count] = c * size + i;
                l.target[l.count++] = c * size + j;
            }
    cafe_graph *graph = test_graph(context, (int64_t)count * size, &l, 0, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_graph *graph_of_kind(cafe_context *context, int kind) {
    switch (kind) {
        case 0: return test_karate(context);
        case 1: return test_bipartite(context, 3, 9);
        case 2: return cliques(context, 12, 5);
        case 3: return test_random(context, 90, 200, 0, 0, 4);
        default: return test_random(context, 90, 250, 1, 1, 5);
    }
}

/* ---- HOPE ------------------------------------------------------------------------------------ */

/* S = sum over l of (beta A)^l, added up until nothing changes */
static double *dense_katz(const cafe_graph *graph, double beta) {
    int64_t n = cafe_graph_nodes(graph);
    double *a = dense_adjacency(graph), *s, *term, change = 1;
    for (int64_t i = 0; i < n * n; i++) a[i] *= beta;
    s = malloc((size_t)(n * n) * sizeof *s);
    memcpy(s, a, (size_t)(n * n) * sizeof *s);
    term = malloc((size_t)(n * n) * sizeof *term);
    memcpy(term, a, (size_t)(n * n) * sizeof *term);
    for (int l = 0; l < 200 && change > 1e-14; l++) {
        double *next = dense_product(n, term, a, false);
        free(term);
        term = next;
        change = 0;
        for (int64_t i = 0; i < n * n; i++) s[i] += term[i], change = fmax(change, term[i]);
    }
    free(term);
    free(a);
    return s;
}

/* |S - X Y^T|^2 is what a truncated singular value decomposition leaves, and so is the loss. */
static void check_katz(cafe_context *context, const cafe_graph *graph, double beta, int64_t pairs) {
    int64_t n = cafe_graph_nodes(graph), columns = 2 * pairs;
    double squares[MOST], rest = 0, error = 0, whole = 0;
    double *katz = dense_katz(graph, beta);
    cafe_hope_options o;
    cafe_solution *s = NULL;
    cafe_hope_options_init(&o);
    o.columns = columns;
    o.beta = beta;
    TEST_OK(context, test_solve(context, graph, "hope", &o, &s));
    float *x = vectors_of(s, n);
    singular_squares(n, katz, squares);
    for (int64_t j = pairs; j < n; j++) rest += squares[j];
    for (int64_t i = 0; i < n * n; i++) {
        double e = katz[i];
        for (int64_t k = 0; k < pairs; k++)
            e -= (double)x[i / n * columns + k] * x[i % n * columns + pairs + k];
        error += e * e;
        whole += katz[i] * katz[i];
    }
    assert_true(fabs(error - rest) < 1e-6 * whole);
    double left = pairs < n ? sqrt(fmax(squares[pairs], 0)) : 0;
    assert_true(fabs(cafe_solution_get(s)->objective[0] - left) < 1e-6 * sqrt(squares[0]));
    free(x);
    free(katz);
    cafe_solution_free(s);
}

static void the_factor_reconstructs_katz(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 5; kind++) {
        cafe_graph *graph = graph_of_kind(context, kind);
        double beta = kind == 4 ? 0.02 : 0.08;
        check_katz(context, graph, beta, 1);
        check_katz(context, graph, beta, 4);
        check_katz(context, graph, beta, cafe_graph_nodes(graph) / 2);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

/* With one side as many values as columns, and the same first columns. */
static void one_side_has_all_columns(void **state) {
    cafe_hope_options o;
    cafe_solution *both = NULL, *one = NULL;
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_karate(context);
    cafe_hope_options_init(&o);
    o.columns = 8;
    TEST_OK(context, test_solve(context, graph, "hope", &o, &both));
    o.sides = CAFE_HOPE_SOURCE;
    TEST_OK(context, test_solve(context, graph, "hope", &o, &one));
    float *x = vectors_of(both, TEST_KARATE_NODES), *y = vectors_of(one, TEST_KARATE_NODES);
    for (int u = 0; u < TEST_KARATE_NODES; u++)
        for (int k = 0; k < 4; k++) {
            assert_true(fabsf(x[u * 8 + k] - y[u * 8 + k]) < 1e-5f);
            assert_true(fabsf(x[u * 8 + k]) == fabsf(x[u * 8 + 4 + k]));
        }
    assert_true(cafe_solution_get(one)->objective[0] < cafe_solution_get(both)->objective[0]);
    free(x);
    free(y);
    cafe_solution_free(both);
    cafe_solution_free(one);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- GraRep ---------------------------------------------------------------------------------- */

/* Y_ij = max(0, log(power_ij / sum over i of power_ij) - log(1/n)) */
static double *dense_log(int64_t n, const double *power) {
    double *y = calloc((size_t)(n * n), sizeof *y);
    for (int64_t j = 0; j < n; j++) {
        double tau = 0;
        for (int64_t i = 0; i < n; i++) tau += power[i * n + j];
        for (int64_t i = 0; i < n; i++)
            if (power[i * n + j] > 0)
                y[i * n + j] = fmax(0, log(power[i * n + j] / tau) - log(1 / (double)n));
    }
    return y;
}

/* W = U sqrt(Sigma): Y Y^T w_k = sigma_k^2 w_k and |w_k|^2 = sigma_k. Returns what is left of Y. */
static double check_step(int64_t n, const double *y, const float *w, int64_t columns,
                         int64_t count) {
    double squares[MOST], left = 0, *gram = dense_product(n, y, y, true);
    singular_squares(n, y, squares);
    for (int64_t j = 0; j < n; j++) left += squares[j];
    for (int64_t k = 0; k < count; k++) {
        double size = 0, error = 0, square = fmax(squares[k], 0);
        for (int64_t i = 0; i < n; i++) {
            double sum = -square * w[i * columns + k];
            for (int64_t j = 0; j < n; j++) sum += gram[i * n + j] * w[j * columns + k];
            error += sum * sum;
            size += (double)w[i * columns + k] * w[i * columns + k];
        }
        assert_true(fabs(size - sqrt(square)) < 1e-3 * sqrt(squares[0]));
        assert_true(sqrt(error) < 1e-4 * squares[0] * sqrt(sqrt(squares[0])));
        left -= square;
    }
    free(gram);
    return left;
}

static void check_grarep(cafe_context *context, const cafe_graph *graph, int64_t columns,
                         int64_t steps) {
    int64_t n = cafe_graph_nodes(graph), first = 0;
    double *a = dense_adjacency(graph), *power, loss = 0;
    cafe_grarep_options o;
    cafe_solution *s = NULL;
    cafe_grarep_options_init(&o);
    o.columns = columns;
    o.steps = steps;
    TEST_OK(context, test_solve(context, graph, "grarep", &o, &s));
    float *w = vectors_of(s, n);
    for (int64_t i = 0; i < n; i++) {
        double degree = 0;
        for (int64_t j = 0; j < n; j++) degree += a[i * n + j];
        for (int64_t j = 0; j < n && degree > 0; j++) a[i * n + j] /= degree;
    }
    power = malloc((size_t)(n * n) * sizeof *power);
    memcpy(power, a, (size_t)(n * n) * sizeof *power);
    for (int64_t k = 0; k < steps; k++) {
        int64_t count = columns / steps + (k < columns % steps);
        double *y = dense_log(n, power), *next = dense_product(n, power, a, false);
        loss += check_step(n, y, w + first, columns, count);
        first += count;
        free(y);
        free(power);
        power = next;
    }
    assert_true(fabs(cafe_solution_get(s)->objective[0] - loss) < 1e-4 * loss + 1e-3);
    free(power);
    free(a);
    free(w);
    cafe_solution_free(s);
}

static void grarep_is_its_dense_definition(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    for (int kind = 0; kind < 5; kind++) {
        cafe_graph *graph = graph_of_kind(context, kind);
        check_grarep(context, graph, 8, 1);
        check_grarep(context, graph, 11, 4);
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_factor_reconstructs_katz),
        cmocka_unit_test(one_side_has_all_columns),
        cmocka_unit_test(grarep_is_its_dense_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
