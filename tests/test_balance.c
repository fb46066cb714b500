/* Balanced sampling: every entry against its definition, for every sampling. */
#include <math.h>

#include "dense.h"
#include "failing.h"

static cafe_sampled *sample(cafe_context *context, const cafe_graph *graph, cafe_sampling sampling,
                            int32_t balance) {
    cafe_sample_options o;
    cafe_sampled *sampled = NULL;
    cafe_sample_options_init(&o);
    if (sampling == CAFE_SAMPLING_WALK) o.window = 3;
    o.balance = balance;
    TEST_OK(context, cafe_sample(context, graph, sampling, &o, NULL, &sampled));
    return sampled;
}

static void pairs_are_as_defined(void **state) {
    (void)state;
    static const cafe_sampling samplings[] = {CAFE_SAMPLING_EDGE, CAFE_SAMPLING_WALK,
                                              CAFE_SAMPLING_PAGERANK};
    enum { N = 60 };
    for (uint64_t seed = 1; seed <= 4; seed++)
        for (int i = 0; i < 3; i++) {
            cafe_context *context = test_context((int32_t)seed, 1);
            cafe_graph *graph = test_random(context, N, 150, seed & 1, (seed & 2) != 0, seed);
            cafe_sampled *plain = sample(context, graph, samplings[i], 0);
            cafe_sampled *even = sample(context, graph, samplings[i], 1);
            double total = 0;
            for (int64_t u = 0; u < N; u++)
                for (int64_t w = 0; w < N; w++) {
                    double ends = cafe_sampled_node(plain, u) * cafe_sampled_node(plain, w);
                    if (ends > 0) total += cafe_sampled_pair(plain, u, w) / sqrt(ends);
                }
            for (int64_t u = 0; u < N; u++) {
                double row = 0;
                for (int64_t w = 0; w < N; w++) {
                    double ends = cafe_sampled_node(plain, u) * cafe_sampled_node(plain, w);
                    double pair = cafe_sampled_pair(plain, u, w), found;
                    found = cafe_sampled_pair(even, u, w);
                    assert_float_equal(found, ends > 0 ? pair / sqrt(ends) / total : 0, 1e-8);
                    assert_true(found == cafe_sampled_pair(even, w, u));
                    row += found;
                }
                assert_float_equal(cafe_sampled_node(even, u), row, 1e-12);
            }
            cafe_sampled_free(plain);
            cafe_sampled_free(even);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_karate(context);
    cafe_sample_options o;
    cafe_sample_options_init(&o);
    o.balance = 1;
    for (long k = 0;; k++) {
        cafe_sampled *sampled = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_sample(context, graph, CAFE_SAMPLING_WALK, &o, NULL, &sampled);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_sampled_free(sampled);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&memory.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_as_defined),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
