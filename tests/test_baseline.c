/* What holds for every method of the list, whatever it computes. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include <cafe/baseline.h>

#include "dense.h"
#include "failing.h"

enum { COLUMNS = 8, NODES = 60 };

/* Options of a method with their defaults and so many columns; the caller frees them. */
static void *make_options(cafe_context *context, const cafe_baseline *method, const char *columns) {
    const cafe_option_table *table = method->table();
    void *options = calloc(1, table->struct_size);
    assert_non_null(options);
    cafe_options_init(table, options, table->struct_size);
    TEST_OK(context, cafe_options_set(context, table, options, "columns", columns));
    return options;
}

/* The method's vectors of a graph: NODES x COLUMNS. */
static void embed(const cafe_baseline *method, int32_t threads, int32_t weighted, float *h) {
    cafe_context *context = test_context(threads, 5);
    cafe_graph *graph = test_random(context, NODES, 200, weighted, 0, 21); /* isolated nodes too */
    void *options = make_options(context, method, "8");
    cafe_solution *s = NULL;
    cafe_status status = method->solve(context, graph, options, &s);
    if (status != CAFE_OK) fail_msg("%s: %s", method->name, cafe_error(context));
    assert_int_equal(cafe_solution_columns(s), COLUMNS);
    cafe_solution_copy(s, h);
    for (int64_t i = 0; i <= cafe_solution_sweeps(s); i++)
        assert_true(isfinite(cafe_solution_objective(s)[i]));
    cafe_solution_free(s);
    free(options);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void names_are_found(void **state) {
    (void)state;
    size_t count = 0;
    const cafe_baseline *all = cafe_baselines(&count);
    const char *wanted[] = {"gf",   "deepwalk", "node2vec", "line",
                            "hope", "grarep",   "sdne",     "spectral"};
    assert_int_equal(count, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(all[i].name, wanted[i]);
        assert_ptr_equal(cafe_baseline_find(wanted[i]), &all[i]);
        assert_string_equal(all[i].table()->name, wanted[i]);
    }
    assert_null(cafe_baseline_find("word2vec"));
    assert_null(cafe_baseline_find(""));
}

/* Finite, of the asked width, not all alike, and the same bits for one thread and for three. */
static void vectors_are_sound(void **state) {
    (void)state;
    size_t count = 0;
    const cafe_baseline *all = cafe_baselines(&count);
    for (size_t i = 0; i < count; i++)
        for (int32_t weighted = 0; weighted < 2; weighted++) {
            float one[NODES * COLUMNS], three[NODES * COLUMNS];
            embed(&all[i], 1, weighted, one);
            embed(&all[i], 3, weighted, three);
            for (int64_t j = 0; j < NODES * COLUMNS; j++)
                if (!isfinite(one[j])) fail_msg("%s: not finite", all[i].name);
            if (memcmp(one, three, sizeof one) != 0)
                fail_msg("%s: the bits depend on the threads", all[i].name);
            assert_memory_not_equal(one, one + COLUMNS, COLUMNS * sizeof *one);
        }
}

/* cafe_finish() makes an embedding of any of them, certified for Q. */
static void solutions_can_be_certified(void **state) {
    (void)state;
    size_t count = 0;
    const cafe_baseline *all = cafe_baselines(&count);
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_karate(context));
    for (size_t i = 0; i < count; i++) {
        void *options = make_options(context, &all[i], "8");
        cafe_finish_options raw;
        cafe_solution *s = NULL;
        cafe_embedding *e = NULL;
        cafe_finish_options_init(&raw);
        raw.form = CAFE_FORM_RAW;
        TEST_OK(context, all[i].solve(context, t.graph, options, &s));
        TEST_OK(context, cafe_finish(context, t.op, &s, &raw, &e));
        assert_int_equal(cafe_embedding_columns(e), COLUMNS);
        cafe_embedding_free(e);
        free(options);
    }
    test_close(&t);
}

static void a_graph_without_edges_is_refused(void **state) {
    (void)state;
    size_t count = 0;
    const cafe_baseline *all = cafe_baselines(&count);
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = NULL;
    TEST_OK(context, cafe_graph_from_edges(context, 5, 0, NULL, NULL, NULL, NULL, &graph));
    for (size_t i = 0; i < count; i++) {
        cafe_solution *s = NULL;
        cafe_status status = all[i].solve(context, graph, NULL, &s);
        if (status != CAFE_ERROR_ARGUMENT || !strstr(cafe_error(context), "no edges"))
            fail_msg("%s: %s: %s", all[i].name, cafe_status_name(status), cafe_error(context));
        assert_null(s);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- cancellation ---------------------------------------------------------------------------- */

static void *cancel_soon(void *context) {
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    cafe_cancel(context);
    return NULL;
}

/* Cancelled before it begins, and in the middle: a status and nothing else, soon. (A run that was
 * over before the request is as good.) */
static void cancellation_is_honoured(void **state) {
    (void)state;
    size_t count = 0;
    const cafe_baseline *all = cafe_baselines(&count);
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, 1500, 20000, 0, 0, 3);
    for (size_t i = 0; i < 2 * count; i++) {
        const cafe_baseline *method = &all[i / 2];
        int before = i % 2 == 0;
        void *options = make_options(context, method, "64");
        cafe_solution *s = NULL;
        pthread_t thread;
        struct timespec begin, end;
        if (before)
            cafe_cancel(context);
        else
            assert_int_equal(pthread_create(&thread, NULL, cancel_soon, context), 0);
        clock_gettime(CLOCK_MONOTONIC, &begin);
        cafe_status status = method->solve(context, graph, options, &s);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (!before) pthread_join(thread, NULL);
        if (status != CAFE_ERROR_CANCELLED && (before || status != CAFE_OK))
            fail_msg("%s: %s", method->name, cafe_status_name(status));
        if (status != CAFE_OK) assert_null(s);
        if (end.tv_sec - begin.tv_sec >= 4) /* a second, on a busy machine and when sanitized */
            fail_msg("%s: went on for %d seconds", method->name, (int)(end.tv_sec - begin.tv_sec));
        cafe_reset_cancel(context);
        cafe_solution_free(s);
        free(options);
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(vectors_are_sound),
        cmocka_unit_test(solutions_can_be_certified),
        cmocka_unit_test(a_graph_without_edges_is_refused),
        cmocka_unit_test(cancellation_is_honoured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
