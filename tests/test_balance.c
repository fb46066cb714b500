/* Edges weighed by their ends' degrees: against the definition, on owned and borrowed rows. */
#include <math.h>
#include <string.h>

#include "dense.h"
#include "failing.h"

static double degree(const int64_t *offsets, const float *weights, int64_t u) {
    double sum = 0;
    for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) sum += weights ? weights[j] : 1;
    return sum;
}

static void weights_are_as_defined(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        cafe_context *context = test_context((int32_t)seed, 1);
        cafe_graph *plain = test_random(context, 80, 300, seed & 1, (seed & 2) != 0, seed);
        cafe_graph *graph = test_random(context, 80, 300, seed & 1, (seed & 2) != 0, seed);
        const int64_t *offsets, *same;
        const int32_t *targets, *same_targets;
        const float *before, *after;
        cafe_graph_counts counts;
        double total = 0;
        TEST_OK(context, cafe_graph_balance(context, graph));
        cafe_graph_csr(plain, &offsets, &targets, &before);
        cafe_graph_csr(graph, &same, &same_targets, &after);
        cafe_graph_get_counts(graph, &counts);
        assert_int_equal(counts.weighted, 1);
        for (int64_t u = 0; u < 80; u++)
            for (int64_t j = offsets[u]; j < offsets[u + 1]; j++) {
                double d = degree(offsets, before, u) * degree(offsets, before, targets[j]);
                assert_int_equal(same_targets[j], targets[j]);
                assert_float_equal(after[j], (before ? before[j] : 1) / sqrt(d), 1e-7);
                total += after[j];
                for (int64_t k = offsets[targets[j]]; k < offsets[targets[j] + 1]; k++)
                    if (targets[k] == u) assert_true(after[k] == after[j]);
            }
        assert_float_equal(counts.total_weight, total, 1e-6);
        cafe_graph_free(plain);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void borrowed_rows_stay(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    const int64_t offsets[] = {0, 2, 3, 4};
    const int32_t targets[] = {1, 2, 0, 0};
    float weights[] = {2, 8, 2, 8};
    cafe_graph *graph = NULL;
    const int64_t *found_offsets;
    const int32_t *found_targets;
    const float *found;
    TEST_OK(context, cafe_graph_from_csr(context, 3, offsets, targets, weights, 1, NULL, &graph));
    TEST_OK(context, cafe_graph_balance(context, graph));
    cafe_graph_csr(graph, &found_offsets, &found_targets, &found);
    assert_true(found != weights && weights[0] == 2 && weights[1] == 8);
    assert_float_equal(found[0], 2 / sqrt(10 * 2), 1e-7);
    assert_float_equal(found[1], 8 / sqrt(10 * 8), 1e-7);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    for (long k = 0;; k++) {
        cafe_graph *graph = test_karate(context);
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_graph_balance(context, graph);
        int failed = test_failing_disarm(&memory);
        if (failed) test_failing_expect(&memory, status, failed, live, context);
        cafe_graph_free(graph);
        if (!failed) break;
    }
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_as_defined),
        cmocka_unit_test(borrowed_rows_stay),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
