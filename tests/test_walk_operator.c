/* The operator of walks without rows: against its dense definition. */
#include "dense.h"
#include "failing.h"

#include "operator/operator.h"
#include "queries.h"
#include "solve/softmax_sparse.h"
#include "solve/solution.h"

/* Q_T = (1/T) sum over t of D (D^-1 A)^t / 2m - p p^T, from Q of one step. */
static double *dense_walk(int64_t n, const double *q, const double *p, int64_t window) {
    size_t size = (size_t)(n * n);
    double *step = calloc(size, sizeof *step), *power = calloc(size, sizeof *power);
    double *next = calloc(size, sizeof *next), *sum = calloc(size, sizeof *sum);
    for (int64_t i = 0; i < n * n; i++) {
        double pair = q[i] + p[i / n] * p[i % n];
        step[i] = power[i] = p[i / n] > 0 ? pair / p[i / n] : 0;
    }
    for (int64_t t = 1; t <= window; t++) {
        for (int64_t i = 0; i < n * n; i++) sum[i] += p[i / n] * power[i] / (double)window;
        memset(next, 0, size * sizeof *next);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < n; k++)
                for (int64_t j = 0; j < n; j++)
                    next[i * n + j] += power[i * n + k] * step[k * n + j];
        memcpy(power, next, size * sizeof *next);
    }
    for (int64_t i = 0; i < n * n; i++) sum[i] -= p[i / n] * p[i % n];
    free(step), free(power), free(next);
    return sum;
}

static void products_and_traces_match_the_definition(void **state) {
    (void)state;
    enum { K = 5 };
    for (int64_t window = 1; window <= 7; window += 3) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_random(context, 70, 250, 1, 1, 5));
        int64_t n = t.op->n;
        double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
        double *walk = dense_walk(n, q, p, window), *y = malloc((size_t)n * sizeof *y), trace;
        float *x = test_block(n, K, 3), *product = malloc((size_t)(n * K) * sizeof *product);
        cafe_operator *op = NULL;
        TEST_OK(context, cafe_operator_walk(context, t.sampled, window, &op));
        TEST_OK(context, cafe_operator_product(context, op, K, x, product));
        for (int64_t j = 0; j < K; j++) {
            test_dense_times(n, walk, x, K, j, y);
            for (int64_t u = 0; u < n; u++) assert_float_equal(product[u * K + j], y[u], 1e-7);
        }
        TEST_OK(context, test_trace(context, op, K, x, &trace));
        assert_float_equal(trace, test_dense_trace(n, walk, x, K), 1e-5);
        cafe_operator_free(op);
        free(p), free(q), free(walk), free(y), free(x), free(product);
        test_close(&t);
    }
}

/* Vectors of the edge sampling's solver, certified for the walks' exact P. */
static void a_finish_certifies_the_exact_walks(void **state) {
    (void)state;
    static const cafe_form forms[] = {CAFE_FORM_HHAT, CAFE_FORM_RITZ};
    for (int f = 0; f < 2; f++) {
        cafe_context *context = test_context(2, 1);
        test_problem t = test_open(context, test_random(context, 80, 300, 0, 0, 6));
        int64_t n = t.op->n;
        double *p = malloc((size_t)n * sizeof *p), *q = test_dense_q(t.graph, p);
        double *walk = dense_walk(n, q, p, 4), *y = malloc((size_t)n * sizeof *y);
        cafe_operator *op = NULL;
        cafe_solution *solution = NULL;
        cafe_embedding *embedding = NULL;
        cafe_certificate c;
        cafe_sphere_options sphere;
        cafe_finish_options finish;
        cafe_sphere_options_init(&sphere);
        cafe_finish_options_init(&finish);
        sphere.columns = 6;
        finish.form = forms[f];
        TEST_OK(context, cafe_operator_walk(context, t.sampled, 4, &op));
        TEST_OK(context, cafe_sphere(context, t.op, &sphere, NULL, &solution));
        TEST_OK(context, cafe_finish(context, op, &solution, &finish, &embedding));
        c = *cafe_embedding_certificate(embedding);
        float *v = malloc((size_t)(n * c.columns) * sizeof *v);
        cafe_embedding_copy(embedding, v);
        for (int64_t j = 0; j < c.columns; j++) {
            double rho = 0, residual = 0;
            test_dense_times(n, walk, v, c.columns, j, y);
            for (int64_t u = 0; u < n; u++) rho += y[u] * v[u * c.columns + j];
            for (int64_t u = 0; u < n; u++) residual += pow(y[u] - rho * v[u * c.columns + j], 2);
            assert_float_equal(c.groups[0].values[j], rho, 1e-7);
            assert_float_equal(c.groups[0].residuals[j], sqrt(residual), 1e-7);
        }
        cafe_embedding_free(embedding);
        cafe_operator_free(op);
        free(p), free(q), free(walk), free(y), free(v);
        test_close(&t);
    }
}

static void what_needs_rows_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_karate(context));
    cafe_operator *op = NULL;
    cafe_solution *solution = NULL;
    cafe_memberships *memberships = NULL;
    cafe_layers *layers = NULL;
    double row[TEST_KARATE_NODES], values[1];
    int32_t part[TEST_KARATE_NODES] = {0};
    assert_int_equal(cafe_operator_walk(context, t.sampled, 0, &op), CAFE_ERROR_ARGUMENT);
    TEST_OK(context, cafe_operator_walk(context, t.sampled, 3, &op));
    cafe_status refused[] = {
        cafe_operator_row(context, op, 0, row),
        test_covariance(context, op, part, 1, row),
        cafe_sphere(context, op, NULL, NULL, &solution),
        cafe_softmax(context, op, NULL, NULL, NULL, &solution),
        cafe_softmax_sparse(context, op, NULL, NULL, NULL, &memberships),
        cafe_layers_find(context, op, NULL, &layers),
        cafe_operator_eigen(context, op, CAFE_END_LARGEST, 1, 1e-6, values, NULL),
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        assert_int_equal(refused[i], CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "rows"));
    cafe_operator_free(op);
    test_close(&t);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_random(context, 60, 200, 1, 1, 4));
    float *x = test_block(60, 5, 1), *y = malloc(60 * 5 * sizeof *y);
    cafe_operator *op = NULL;
    double trace;
    for (int call = 0; call < 3; call++)
        for (long k = 0;; k++) {
            long live = test_failing_arm(&memory, k);
            cafe_status status = call == 0   ? cafe_operator_walk(context, t.sampled, 3, &op)
                                 : call == 1 ? cafe_operator_product(context, op, 5, x, y)
                                             : test_trace(context, op, 5, x, &trace);
            int failed = test_failing_disarm(&memory);
            test_failing_expect(&memory, status, failed, live, context);
            if (!failed) break;
        }
    cafe_operator_free(op);
    free(x), free(y);
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_and_traces_match_the_definition),
        cmocka_unit_test(a_finish_certifies_the_exact_walks),
        cmocka_unit_test(what_needs_rows_is_refused),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
