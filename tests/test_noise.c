/* No column of a finish is rounding. Each lies in the span of Q H, of D^-1 Q H or, for a table, of
 * X X^T H. The span is computed in double precision from the H of the finish.
 *
 * Columns that softmax leaves nearly empty are the hard case: what is new in them is a difference
 * of the other columns, and those are of single precision. Hundreds of small graphs and tables,
 * whose columns are of every size.
 */
#include <stdio.h>

#include "dense.h"
#include "operator/operator.h"
#include "solve/solution.h"
#include "spectral/reduction.h"
#include "spectral/rounding_error.h"

/* A column of which no more than this is new has nothing of its own in double precision. */
static const double dependent = 1e-9;

/* ---- spans in double precision --------------------------------------------------------------- */

static double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
    for (int64_t u = 0; u < n; u++) sum += x[u] * y[u];
    return sum;
}

/* x less its part in the span of the orthonormal rows of `basis`: twice, so that it is all of it.
 */
static void leave_out(int64_t n, int64_t count, const double *basis, double *x) {
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < count; i++) {
            double part = dot(n, basis + i * n, x);
            for (int64_t u = 0; u < n; u++) x[u] -= part * basis[i * n + u];
        }
}

/* Orthonormal rows that span the columns of M H, M n x n; returns their number. */
static int64_t span(int64_t n, const double *m, int64_t columns, const double *h, double *basis) {
    int64_t rank = 0;
    for (int64_t k = 0; k < columns; k++) {
        double *x = basis + rank * n, whole;
        for (int64_t u = 0; u < n; u++) {
            x[u] = 0;
            for (int64_t w = 0; w < n; w++) x[u] += m[u * n + w] * h[w * columns + k];
        }
        whole = sqrt(dot(n, x, x));
        for (int64_t u = 0; u < n && whole > 0; u++) x[u] /= whole;
        leave_out(n, rank, basis, x);
        double left = sqrt(dot(n, x, x));
        if (!(left > dependent)) continue;
        for (int64_t u = 0; u < n; u++) x[u] /= left;
        rank++;
    }
    return rank;
}

/* The largest part of a column of V that lies outside the span of M H. */
static double outside(int64_t n, const double *m, int64_t columns, const double *h, int64_t count,
                      const float *v) {
    double *basis = malloc((size_t)((columns + 1) * n) * sizeof *basis), worst = 0;
    int64_t rank = span(n, m, columns, h, basis);
    double *x = basis + rank * n;
    for (int64_t j = 0; j < count; j++) {
        for (int64_t u = 0; u < n; u++) x[u] = v[u * count + j];
        leave_out(n, rank, basis, x);
        worst = fmax(worst, sqrt(dot(n, x, x)));
    }
    free(basis);
    return worst;
}

/* H in double precision; rows that sum to 1 sum to it exactly, as they would without rounding. */
static double *exact_rows(int64_t n, int64_t columns, const float *h, int simplex) {
    double *exact = malloc((size_t)(n * columns) * sizeof *exact);
    for (int64_t u = 0; u < n; u++) {
        double sum = 0;
        for (int64_t k = 0; k < columns; k++) sum += h[u * columns + k];
        for (int64_t k = 0; k < columns; k++)
            exact[u * columns + k] = h[u * columns + k] / (simplex && sum > 0 ? sum : 1);
    }
    return exact;
}

/* ---- graphs ---------------------------------------------------------------------------------- */

/* Any shape: sparse or dense, with a hub or without, weights over three powers of ten. */
static cafe_graph *any_graph(cafe_context *context, uint64_t *state) {
    int64_t n = 12 + test_below(state, 90), m = n + test_below(state, 6 * n);
    int weighted = test_below(state, 3) == 0, hub = test_below(state, 3) == 0;
    test_links l = test_links_new(m);
    for (int64_t i = 0; i < m; i++) {
        int64_t u = test_below(state, n), w = test_below(state, n - 1);
        if (hub && i % 3 == 0) u = 0;
        if (w >= u) w++;
        if (i % 4 && w % 5 != u % 5) w = (w - w % 5 + u % 5) % n; /* mostly within five groups */
        if (w == u) w = (u + 1) % n;
        l.source[i] = (int32_t)u;
        l.target[i] = (int32_t)w;
        l.weights[i] = powf(10, (float)test_below(state, 1000) / 333);
    }
    cafe_graph *graph = test_graph(context, n, &l, weighted, NULL);
    test_links_free(&l);
    return graph;
}

static cafe_status any_solution(cafe_context *context, const cafe_operator *op, uint64_t *state,
                                int simplex, cafe_solution **solution) {
    int64_t columns = 2 + test_below(state, 14), sweeps = 1 + test_below(state, 120);
    if (simplex) {
        cafe_softmax_options o;
        cafe_softmax_options_init(&o);
        o.columns = columns;
        o.sweeps = sweeps;
        o.tolerance = 0;
        o.theta = pow(10, (double)test_below(state, 300) / 100 - 1);
        o.units = (int32_t)test_below(state, 2);
        return cafe_softmax(context, op, &o, NULL, NULL, solution);
    }
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = columns;
    o.sweeps = sweeps;
    return cafe_sphere(context, op, &o, NULL, solution);
}

/* The largest part of a returned column that is outside the span, over both forms. */
static double check_graph(const char *engine, uint64_t seed) {
    static const cafe_form forms[] = {CAFE_FORM_HHAT, CAFE_FORM_WALK};
    uint64_t state = seed;
    double worst = 0;
    cafe_context *context = test_context(1, seed);
    TEST_OK(context, cafe_engine_open(context, engine));
    test_problem t = test_open(context, any_graph(context, &state));
    int64_t n = t.op->n;
    double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
    int simplex = test_below(&state, 4) > 0;
    for (int f = 0; f < 2; f++) {
        uint64_t same = state;
        cafe_solution *solution = NULL;
        cafe_embedding *embedding = NULL;
        cafe_finish_options finish;
        cafe_finish_options_init(&finish);
        finish.form = forms[f];
        TEST_OK(context, any_solution(context, t.op, &same, simplex, &solution));
        int64_t columns = cafe_solution_get(solution)->columns;
        float *h = malloc((size_t)(n * columns) * sizeof *h);
        TEST_OK(context, cafe_solution_copy(solution, h));
        TEST_OK(context, cafe_finish(context, t.op, &solution, &finish, &embedding));
        int64_t found = cafe_embedding_certificate(embedding)->columns;
        float *v = malloc((size_t)(n * found + 1) * sizeof *v);
        double *exact = exact_rows(n, columns, h, simplex);
        cafe_embedding_copy(embedding, v);
        worst = fmax(worst, outside(n, q, columns, exact, found, v));
        for (int64_t i = 0; i < n * n; i++) /* D^-1 Q for the second form */
            q[i] = p[i / n] > 0 ? q[i] / p[i / n] : 0;
        free(h), free(v), free(exact);
        cafe_embedding_free(embedding);
    }
    free(p), free(q);
    test_close(&t);
    return worst;
}

static void graphs(const char *engine, int count) {
    double worst = 0;
    for (int i = 0; i < count; i++) {
        double here = check_graph(engine, (uint64_t)i * 7919 + 1);
        if (here > CAFE_MOST_NOISE) printf("%s: graph %d, %g outside\n", engine, i, here);
        worst = fmax(worst, here);
    }
    printf("%s: %d graphs, at most %g of a column outside\n", engine, count, worst);
    assert_true(worst <= CAFE_MOST_NOISE);
}

static void columns_of_graphs_lie_in_the_span(void **state) {
    (void)state;
    graphs("processor", TEST_LARGE(1500));
}

static void columns_of_another_engine_too(void **state) {
    cafe_context *context = test_context(1, 1);
    cafe_status status = cafe_engine_open(context, "naive");
    (void)state;
    cafe_context_free(context);
    if (status != CAFE_OK) skip();
    graphs("naive", 300);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Clusters and noise in columns of any scale; some columns are sums of others. */
static float *any_table(int64_t n, int64_t width, uint64_t *state) {
    float *x = test_block(n, width, test_number(state)), *c = test_block(8, width, *state);
    int64_t groups = 1 + test_below(state, 8), depends = test_below(state, 3);
    for (int64_t u = 0; u < n; u++) {
        float *row = x + u * width;
        for (int64_t j = 0; j < width; j++)
            row[j] = 10 * c[u % groups * width + j] + row[j] * powf(10, (float)(j % 4) - 2);
        for (int64_t j = 2; j < width && depends == 0; j += 3) row[j] = row[j - 1] + row[j - 2];
    }
    free(c);
    return x;
}

/* Q = X X^T of the centred table. */
static double *table_q(int64_t n, int64_t width, const float *x) {
    double *q = calloc((size_t)(n * n), sizeof *q), *c = calloc((size_t)n, sizeof *c);
    for (int64_t j = 0; j < width; j++) {
        double mean = 0;
        for (int64_t u = 0; u < n; u++) mean += x[u * width + j] / (double)n;
        for (int64_t u = 0; u < n; u++) c[u] = x[u * width + j] - mean;
        for (int64_t i = 0; i < n * n; i++) q[i] += c[i / n] * c[i % n];
    }
    free(c);
    return q;
}

static double check_table(uint64_t seed) {
    uint64_t state = seed;
    cafe_context *context = test_context(1, seed);
    int64_t n = 10 + test_below(&state, 150), width = 1 + test_below(&state, 12);
    float *x = any_table(n, width, &state);
    double *q = table_q(n, width, x);
    cafe_reduction *reduction = NULL;
    cafe_reduce_options o;
    cafe_reduce_options_init(&o);
    o.columns = 2 + test_below(&state, 14);
    o.method = test_below(&state, 4) ? CAFE_REDUCE_SOFTMAX : CAFE_REDUCE_SPHERE;
    o.sweeps = 1 + test_below(&state, 60);
    if (o.method == CAFE_REDUCE_SOFTMAX && test_below(&state, 2))
        o.theta = pow(10, (double)test_below(&state, 400) / 100 - 3);
    TEST_OK(context, cafe_reduce(context, n, width, x, &o, &reduction));
    const cafe_reduction_report *r = cafe_reduction_get(reduction);
    float *h = malloc((size_t)(n * r->held + 1) * sizeof *h);
    float *v = malloc((size_t)(n * r->columns + 1) * sizeof *v);
    cafe_reduction_copy_h(reduction, h);
    cafe_reduction_copy(reduction, v);
    double *exact = exact_rows(n, r->held, h, o.method == CAFE_REDUCE_SOFTMAX);
    double worst = outside(n, q, r->held, exact, r->columns, v);
    free(x), free(q), free(h), free(v), free(exact);
    cafe_reduction_free(reduction);
    cafe_context_free(context);
    return worst;
}

static void columns_of_tables_lie_in_the_span(void **state) {
    enum { TABLES = TEST_LARGE(1500) };
    double worst = 0;
    (void)state;
    for (int i = 0; i < TABLES; i++) {
        double here = check_table((uint64_t)i * 104729 + 3);
        if (here > CAFE_MOST_NOISE) printf("table %d, %g outside\n", i, here);
        worst = fmax(worst, here);
    }
    printf("%d tables, at most %g of a column outside\n", TABLES, worst);
    assert_true(worst <= CAFE_MOST_NOISE);
}

/* ---- a real graph ---------------------------------------------------------------------------- */

/* Les Miserables, ten columns, theta = 1: four columns are nearly dead, and Q H has rank 9. */
static void a_column_that_is_the_sum_of_the_others_is_left_out(void **state) {
    const char *path = "../shared/data/lesmis/edges.txt", *source = getenv("SOURCE");
    char file[4096];
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = NULL;
    cafe_embedding *embedding = NULL;
    cafe_softmax_options own;
    cafe_finish_options finish;
    cafe_method_options o;
    (void)state;
    snprintf(file, sizeof file, "%s/%s", source ? source : ".", path);
    if (cafe_graph_read(context, file, NULL, &graph) != CAFE_OK) {
        printf("skipped: no %s\n", path);
        cafe_context_free(context);
        skip();
    }
    cafe_softmax_options_init(&own);
    cafe_finish_options_init(&finish);
    cafe_method_options_init(&o);
    own.columns = 10;
    own.theta = 1;
    finish.form = CAFE_FORM_HHAT;
    o.own = &own;
    o.finish = &finish;
    TEST_OK(context,
            cafe_embed(context, graph, cafe_method_find(NULL, "cafe"), &o, NULL, &embedding));
    assert_int_equal(cafe_embedding_certificate(embedding)->columns, 9);
    cafe_embedding_free(embedding);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_graphs_lie_in_the_span),
        cmocka_unit_test(columns_of_another_engine_too),
        cmocka_unit_test(columns_of_tables_lie_in_the_span),
        cmocka_unit_test(a_column_that_is_the_sum_of_the_others_is_left_out),
    };
    return cmocka_run_group_tests_name("noise", tests, NULL, NULL);
}
