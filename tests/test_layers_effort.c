/* Results that are combined: never worse than one search, the same bits for any threads. */
#define _GNU_SOURCE
#include "failing.h"
#include "graphs.h"
#include "operator/operator.h"
#include "solve/layers_effort.h"

typedef struct setting {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
} setting;

static setting begin(cafe_context *context, int64_t nodes, int64_t edges, uint64_t seed) {
    setting s = {context, test_random(context, nodes, edges, 1, 0, seed), NULL, NULL};
    assert_int_equal(cafe_sample(context, s.graph, CAFE_SAMPLING_EDGE, NULL, NULL, &s.sampled),
                     CAFE_OK);
    assert_int_equal(cafe_operator_modularity(context, s.sampled, &s.op), CAFE_OK);
    return s;
}

static void end(setting *s) {
    cafe_operator_free(s->op);
    cafe_sampled_free(s->sampled);
    cafe_graph_free(s->graph);
}

static cafe_status find(const setting *s, const char *effort, cafe_layers **layers) {
    cafe_layers_options o;
    cafe_layers_options_init(&o);
    o.effort = effort;
    return cafe_layers_find(s->context, s->op, &o, layers);
}

/* ---- the meet -------------------------------------------------------------------------------- */

static void meet_is_together_in_both(void **state) {
    enum { N = 60 };
    cafe_context *context = test_context(1, 1);
    (void)state;
    for (uint64_t seed = 1; seed < 20; seed++) {
        int32_t a[N], b[N], met[N];
        uint64_t numbers = seed;
        int64_t count, groups = 0;
        for (int64_t u = 0; u < N; u++) {
            a[u] = (int32_t)test_below(&numbers, 5);
            b[u] = (int32_t)test_below(&numbers, 4);
        }
        memcpy(met, a, sizeof met); /* in place */
        assert_int_equal(cafe_layers_meet(context, N, met, 5, b, 4, met, &count), CAFE_OK);
        for (int64_t u = 0; u < N; u++)
            for (int64_t w = 0; w < N; w++)
                assert_int_equal(met[u] == met[w], a[u] == a[w] && b[u] == b[w]);
        for (int64_t u = 0; u < N; u++) groups = met[u] >= groups ? met[u] + 1 : groups;
        assert_int_equal(groups, count);
    }
    cafe_context_free(context);
}

/* ---- high ------------------------------------------------------------------------------------ */

static void threads_change_no_bit(void **state) {
    cafe_layers *layers[TEST_THREADS];
    cafe_context *contexts[TEST_THREADS];
    setting s[TEST_THREADS];
    (void)state;
    for (int t = 0; t < TEST_THREADS; t++) {
        contexts[t] = test_context(test_thread_counts[t], 2);
        s[t] = begin(contexts[t], 150, 500, 4);
        assert_int_equal(find(&s[t], "high", &layers[t]), CAFE_OK);
        assert_int_equal(layers[t]->count, layers[0]->count);
        assert_memory_equal(top_partition(layers[t]), top_partition(layers[0]),
                            150 * sizeof(int32_t));
    }
    for (int t = 0; t < TEST_THREADS; t++) {
        cafe_layers_free(layers[t]);
        end(&s[t]);
        cafe_context_free(contexts[t]);
    }
}

/* Searches of many seeds find nothing better. */
static void high_is_as_good_as_many_seeds(void **state) {
    enum { SEEDS = TEST_SANITIZED ? 2 : 30 };
    (void)state;
    for (uint64_t graph = 1; graph < 4; graph++) {
        cafe_context *context = test_context(1, 1);
        setting s = begin(context, 120, 400, graph);
        cafe_layers *layers = NULL;
        assert_int_equal(find(&s, "high", &layers), CAFE_OK);
        double high = top_modularity(layers);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            cafe_layers_free(layers);
            context->seed = seed;
            assert_int_equal(find(&s, NULL, &layers), CAFE_OK);
            assert_true(top_modularity(layers) <= high + 1e-9);
        }
        cafe_layers_free(layers);
        end(&s);
        cafe_context_free(context);
    }
}

/* The time limit ends a search that has much to do, long before it would end by itself. The first
 * hierarchy is built in any case. */
static void seconds_end_a_search(void **state) {
    cafe_context *context = test_context(1, 1);
    setting s = begin(context, 3000, 12000, 1);
    cafe_layers *layers = NULL, *fast = NULL;
    (void)state;
    assert_int_equal(find(&s, "fast", &fast), CAFE_OK);
    assert_int_equal(find(&s, "0.001", &layers), CAFE_OK);
    assert_true(top_modularity(layers) >= top_modularity(fast));
    cafe_layers_free(layers);
    cafe_layers_free(fast);
    end(&s);
    cafe_context_free(context);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void failed_allocations_are_survived(void **state) {
    test_failing f;
    cafe_context *context = test_failing_context(&f, 2);
    setting s = begin(context, 30, 60, 3);
    (void)state;
    for (long k = 0;; k += 1 + k / 4) {
        cafe_layers *layers = NULL;
        long live = test_failing_arm(&f, k);
        cafe_status status = find(&s, "high", &layers);
        int failed = test_failing_disarm(&f);
        test_failing_expect(&f, status, failed, live, context);
        cafe_layers_free(layers);
        if (!failed) break;
    }
    end(&s);
    cafe_context_free(context);
    assert_int_equal(atomic_load(&f.live), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meet_is_together_in_both),        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(high_is_as_good_as_many_seeds),   cmocka_unit_test(seconds_end_a_search),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
