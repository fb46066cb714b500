/* The layers side by side as vectors. */
#include "dense.h"
#include "failing.h"

#include "operator/operator.h"
#include "solve/solution.h"

static cafe_layers *find(test_problem *t) {
    cafe_layers *layers = NULL;
    TEST_OK(t->context, cafe_layers_find(t->context, t->op, NULL, &layers));
    return layers;
}

static int64_t all_columns(const cafe_layers *layers) {
    int64_t sum = 0;
    for (int64_t i = 0; i < cafe_layers_count(layers); i++) {
        cafe_layer layer = *cafe_layers_get(layers, i);
        sum += layer.communities;
    }
    return sum;
}

/* With room for all, H is the indicator of every community, coarsest first, and tr(H^T Q H) is the
 * sum of the layers' modularities. */
static void communities_are_columns(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_random(context, 200, 700, 1, 0, 3));
    cafe_layers *layers = find(&t);
    cafe_solution *s = NULL;
    TEST_OK(context, cafe_layers_solution(context, t.op, layers, 100000, &s));
    int64_t n = t.op->n, k = cafe_solution_get(s)->columns, first = 0;
    float *h = malloc((size_t)(n * k) * sizeof *h);
    double modularity = 0;
    assert_int_equal(k, all_columns(layers));
    cafe_solution_copy(s, h);
    for (int64_t i = cafe_layers_count(layers) - 1; i >= 0; i--) {
        cafe_layer layer = *cafe_layers_get(layers, i);
        for (int64_t u = 0; u < n; u++)
            for (int64_t c = 0; c < layer.communities; c++)
                assert_true(h[u * k + first + c] == (c == layer.partition[u]));
        first += layer.communities;
        modularity += layer.modularity;
    }
    assert_float_equal(cafe_solution_get(s)->objective[0], modularity, 1e-5);
    cafe_solution_free(s);
    cafe_layers_free(layers);
    free(h);
    test_close(&t);
}

/* With less room the coarse layers stay exact, the rest is mixed down: rows of length 1 that are
 * equal within a community and nearly orthogonal between two. */
static void finer_layers_are_mixed_down(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_grid(context, 40, 40));
    cafe_layers *layers = find(&t);
    cafe_layer top, fine;
    cafe_solution *s = NULL;
    top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
    fine = *cafe_layers_get(layers, cafe_layers_count(layers) - 2);
    int64_t width = fine.communities - 1, k = top.communities + width, n = 1600;
    assert_true(width > 4);
    TEST_OK(context, cafe_layers_solution(context, t.op, layers, k, &s));
    assert_int_equal(cafe_solution_get(s)->columns, k);
    float *h = malloc((size_t)(n * k) * sizeof *h);
    cafe_solution_copy(s, h);
    for (int64_t u = 1; u < n; u++) {
        double length = 0;
        const float *row = h + u * k, *other = h + (u - 1) * k;
        for (int64_t c = 0; c < top.communities; c++)
            assert_true(row[c] == (c == top.partition[u]));
        for (int64_t c = top.communities; c < k; c++) length += (double)row[c] * row[c];
        assert_float_equal(length, 1, 1e-5);
        int same = memcmp(row + top.communities, other + top.communities,
                          (size_t)width * sizeof *row) == 0;
        assert_int_equal(same, fine.partition[u] == fine.partition[u - 1]);
    }
    cafe_solution_free(s);
    assert_int_equal(cafe_layers_solution(context, t.op, layers, 0, &s), CAFE_ERROR_ARGUMENT);
    cafe_layers_free(layers);
    free(h);
    test_close(&t);
}

/* The rank of a small matrix, by elimination; its entries are destroyed. */
static int64_t rank_of(double *a, int64_t rows, int64_t columns) {
    int64_t rank = 0;
    for (int64_t c = 0; c < columns; c++) {
        int64_t pivot = rank;
        for (int64_t r = rank; r < rows; r++)
            if (fabs(a[r * columns + c]) > fabs(a[pivot * columns + c])) pivot = r;
        if (pivot == rows || fabs(a[pivot * columns + c]) < 1e-9) continue;
        for (int64_t i = 0; i < columns; i++) {
            double x = a[pivot * columns + i];
            a[pivot * columns + i] = a[rank * columns + i], a[rank * columns + i] = x;
        }
        for (int64_t r = rank + 1; r < rows; r++) {
            double factor = a[r * columns + c] / a[rank * columns + c];
            for (int64_t i = 0; i < columns; i++)
                a[r * columns + i] -= factor * a[rank * columns + i];
        }
        rank++;
    }
    return rank;
}

/* Signs of few communities are soon alike, or all the same, and Q takes a constant to 0. So k
 * columns of a mix are k directions beside the constant, whatever the seed. */
static void a_mix_of_few_communities_loses_none(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        cafe_context *context = test_context(2, seed);
        test_problem t = test_open(context, test_random(context, 60, 150, 1, 0, 5));
        cafe_layers *layers = find(&t);
        cafe_layer top = *cafe_layers_get(layers, cafe_layers_count(layers) - 1);
        int64_t n = t.op->n;
        assert_in_range(top.communities, 3, 20);
        for (int64_t k = 1; k < top.communities; k++) {
            cafe_solution *s = NULL;
            TEST_OK(context, cafe_layers_solution(context, t.op, layers, k, &s));
            float *h = malloc((size_t)(n * k) * sizeof *h);
            double *a = malloc((size_t)(n * (k + 1)) * sizeof *a);
            cafe_solution_copy(s, h);
            for (int64_t u = 0; u < n; u++) {
                a[u * (k + 1)] = 1;
                for (int64_t c = 0; c < k; c++) a[u * (k + 1) + 1 + c] = h[u * k + c];
            }
            assert_int_equal(rank_of(a, n, k + 1), k + 1);
            free(a);
            free(h);
            cafe_solution_free(s);
        }
        cafe_layers_free(layers);
        test_close(&t);
    }
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    test_problem t = test_open(context, test_random(context, 60, 200, 1, 1, 4));
    cafe_layers *layers = find(&t);
    for (long k = 0;; k++) {
        cafe_solution *s = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_layers_solution(context, t.op, layers, 16, &s);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_solution_free(s);
        if (!failed) break;
    }
    cafe_layers_free(layers);
    test_close(&t);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(communities_are_columns),
        cmocka_unit_test(finer_layers_are_mixed_down),
        cmocka_unit_test(a_mix_of_few_communities_loses_none),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
