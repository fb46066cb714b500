/* DeepWalk, node2vec and LINE by what they promise: the loss falls, planted blocks separate, bits
 * do not depend on the threads, isolated nodes keep their start, refusals say why.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "failing.h"
#include "graphs.h"

#include <cafe/cafe.h>

#include "baseline/baseline.h"
#include "solve/solution.h"

/* ---- the methods under test, small ------------------------------------------------------------
 */

enum { HIERARCHICAL, NEGATIVE, NODE2VEC, FIRST, SECOND, BOTH, METHODS };

typedef struct size {
    int64_t columns, walks, samples;
    int32_t fast;
} size;

static cafe_status solve(cafe_context *context, const cafe_graph *graph, int method, size z,
                         cafe_solution **solution) {
    if (method <= NEGATIVE) {
        cafe_deepwalk_options o;
        cafe_deepwalk_options_init(&o);
        o.columns = z.columns, o.walks = z.walks, o.length = 20, o.window = 5, o.fast = z.fast;
        o.loss = method == NEGATIVE ? CAFE_LOSS_NEGATIVE : CAFE_LOSS_HIERARCHICAL;
        o.epochs = 2, o.rate = 0.05;
        return test_solve(context, graph, "deepwalk", &o, solution);
    }
    if (method == NODE2VEC) {
        cafe_node2vec_options o;
        cafe_node2vec_options_init(&o);
        o.columns = z.columns, o.walks = z.walks, o.length = 20, o.window = 5, o.fast = z.fast;
        o.epochs = 2, o.rate = 0.05, o.p = 0.5, o.q = 2;
        return test_solve(context, graph, "node2vec", &o, solution);
    }
    cafe_line_options o;
    cafe_line_options_init(&o);
    o.columns = z.columns, o.samples = z.samples, o.fast = z.fast, o.rate = 0.05;
    o.order = method - FIRST;
    return test_solve(context, graph, "line", &o, solution);
}

/* Two random blocks of `half` nodes with many edges inside and few between; the last node of the
 * graph is alone. */
static cafe_graph *two_blocks(cafe_context *context, int32_t half, int32_t weighted) {
    int64_t inside = 8 * (int64_t)half, links = 2 * inside + half / 4;
    test_links l = test_links_new(links);
    uint64_t number = 12;
    for (int64_t i = 0; i < links; i++) {
        int64_t a = i < inside ? 0 : i < 2 * inside ? half : 0;
        int64_t b = i < inside ? 0 : half;
        l.source[i] = (int32_t)(a + test_below(&number, half));
        l.target[i] = (int32_t)(b + test_below(&number, half));
        l.weights[i] = (float)(1 + test_below(&number, 4)) / 2;
    }
    cafe_graph *graph = test_graph(context, 2 * (int64_t)half + 1, &l, weighted, NULL);
    test_links_free(&l);
    return graph;
}

/* ---- quality --------------------------------------------------------------------------------- */

static double cosine(int64_t columns, const float *x, const float *y) {
    double xy = 0, xx = 0, yy = 0;
    for (int64_t k = 0; k < columns; k++)
        xy += (double)x[k] * y[k], xx += (double)x[k] * x[k], yy += (double)y[k] * y[k];
    return xy / sqrt(xx * yy + 1e-300);
}

/* Mean cosine of pairs of the same block less that of pairs of different blocks. */
static double separation(cafe_solution *s, int64_t half) {
    double within = 0, between = 0;
    int64_t same = 0, other = 0;
    for (int64_t u = 0; u < 2 * half; u++)
        for (int64_t v = u + 1; v < 2 * half; v++) {
            double c = cosine(s->columns, s->h.x + u * s->stride, s->h.x + v * s->stride);
            if ((u < half) == (v < half))
                within += c, same++;
            else
                between += c, other++;
        }
    return within / (double)same - between / (double)other;
}

static void expect_sound(cafe_solution *s) {
    assert_true(s->loss);
    assert_null(s->y.x);
    for (int64_t u = 0; u < s->n; u++)
        for (int64_t k = 0; k < s->stride; k++) {
            assert_true(isfinite(s->h.x[u * s->stride + k]));
            if (k >= s->columns) assert_true(s->h.x[u * s->stride + k] == 0);
        }
}

static void losses_fall_and_blocks_separate(void **state) {
    enum { HALF = 60 };
    (void)state;
    for (int32_t fast = 0; fast < 2; fast++)
        for (int method = 0; method < METHODS; method++) {
            cafe_context *context = test_context(2, 1);
            cafe_graph *graph = two_blocks(context, HALF, method % 2);
            cafe_solution *s = NULL;
            TEST_OK(context, solve(context, graph, method, (size){18, 8, 120000, fast}, &s));
            expect_sound(s);
            assert_int_equal(s->sweeps, method < FIRST ? 2 : 10);
            const double *loss = cafe_solution_get(s)->objective;
            if (!(loss[s->sweeps] < 0.95 * loss[0]))
                fail_msg("method %d: loss %g to %g", method, loss[0], loss[s->sweeps]);
            double apart = separation(s, HALF);
            if (!(apart > 0.2)) fail_msg("method %d: separation %g", method, apart);
            cafe_solution_free(s);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
}

/* A start of zero contexts: every term is log 2. */
static void losses_begin_where_they_must(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_solution *s = NULL;
    TEST_OK(context, solve(context, graph, NEGATIVE, (size){8, 1, 0, 0}, &s));
    assert_true(fabs(s->objective[0] - 6 * log(2)) < 1e-6);
    cafe_solution_free(s);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

/* ---- reproducibility ------------------------------------------------------------------------- */

static void results_have_the_same_bits(void **state) {
    (void)state;
    for (int method = 0; method < METHODS; method++) {
        cafe_solution *first = NULL;
        cafe_context *keep = NULL;
        for (int32_t threads = 1; threads > 0; threads = test_more_threads(threads)) {
            cafe_context *context = test_context(threads, 7);
            cafe_graph *graph = test_random(context, 300, 900, method % 2, method % 2, 21);
            cafe_solution *s = NULL;
            TEST_OK(context, solve(context, graph, method, (size){12, 2, 20000, 0}, &s));
            cafe_graph_free(graph);
            if (!first) {
                first = s;
                keep = context;
                continue;
            }
            size_t bytes = (size_t)(s->n * s->stride) * sizeof *s->h.x;
            assert_memory_equal(s->h.x, first->h.x, bytes);
            assert_memory_equal(s->objective, first->objective,
                                (size_t)(s->sweeps + 1) * sizeof *s->objective);
            cafe_solution_free(s);
            cafe_context_free(context);
        }
        cafe_solution_free(first);
        cafe_context_free(keep);
    }
}

static void seeds_matter(void **state) {
    (void)state;
    for (int method = 0; method < METHODS; method++) {
        cafe_context *context[2];
        cafe_solution *s[2] = {NULL, NULL};
        for (int i = 0; i < 2; i++) {
            context[i] = test_context(1, (uint64_t)i + 1);
            cafe_graph *graph = test_karate(context[i]);
            TEST_OK(context[i], solve(context[i], graph, method, (size){4, 1, 640, 0}, &s[i]));
            cafe_graph_free(graph);
        }
        assert_memory_not_equal(s[0]->h.x, s[1]->h.x, 34 * 4 * sizeof(float));
        for (int i = 0; i < 2; i++) {
            cafe_solution_free(s[i]);
            cafe_context_free(context[i]);
        }
    }
}

/* ---- odd graphs ------------------------------------------------------------------------------ */

/* However long the training, a node without edges stays where it began. */
static void isolated_nodes_keep_their_start(void **state) {
    (void)state;
    for (int method = 0; method < BOTH; method++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = two_blocks(context, 10, 0);
        cafe_solution *s = NULL, *more = NULL;
        TEST_OK(context, solve(context, graph, method, (size){6, 1, 1000, 0}, &s));
        TEST_OK(context, solve(context, graph, method, (size){6, 9, 9000, 0}, &more));
        const float *row = s->h.x + 20 * s->stride, *again = more->h.x + 20 * s->stride;
        assert_memory_equal(row, again, 6 * sizeof *row);
        assert_memory_not_equal(s->h.x, more->h.x, 6 * sizeof *row);
        assert_true(cosine(6, row, row) > 0.99);
        cafe_solution_free(s);
        cafe_solution_free(more);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void tiny_graphs_are_taken(void **state) {
    (void)state;
    for (int64_t n = 1; n <= 20; n += n < 4 ? 1 : 8)
        for (int linked = 0; linked < 2; linked++)
            for (int method = 0; method < METHODS; method++) {
                cafe_context *context = test_context(2, 1);
                test_links l = test_links_new(1);
                l.source[0] = 0, l.target[0] = (int32_t)(n - 1);
                l.count = linked && n > 1;
                cafe_graph *graph = test_graph(context, n, &l, 0, NULL);
                cafe_solution *s = NULL;
                cafe_status status = solve(context, graph, method, (size){5, 1, 500, 0}, &s);
                if (l.count > 0) {
                    TEST_OK(context, status);
                    expect_sound(s);
                } else { /* nothing to learn from */
                    assert_int_equal(status, CAFE_ERROR_ARGUMENT);
                    assert_null(s);
                }
                cafe_solution_free(s);
                cafe_graph_free(graph);
                test_links_free(&l);
                cafe_context_free(context);
            }
}

/* ---- refusals, cancelling, memory ------------------------------------------------------------ */

static void expect_refused(cafe_context *context, const cafe_graph *graph,
                           const cafe_option_table *table, void *options, int line,
                           const char *word) {
    cafe_solution *s = NULL;
    cafe_status status = line ? test_solve(context, graph, "line", options, &s)
                              : test_solve(context, graph, "node2vec", options, &s);
    assert_int_equal(status, CAFE_ERROR_ARGUMENT);
    assert_null(s);
    if (!strstr(cafe_error(context), word)) fail_msg("%s", cafe_error(context));
    cafe_options_init(table, options, table->struct_size);
}

static void bad_options_are_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *graph = test_karate(context);
    cafe_node2vec_options n;
    cafe_line_options l;
    cafe_deepwalk_options d;
    cafe_solution *s = NULL;
    const cafe_option_table *table = cafe_node2vec_option_table();
    cafe_node2vec_options_init(&n);
    n.p = 0, expect_refused(context, graph, table, &n, 0, "p");
    n.q = -1, expect_refused(context, graph, table, &n, 0, "q");
    n.columns = 0, expect_refused(context, graph, table, &n, 0, "columns");
    n.length = 1, expect_refused(context, graph, table, &n, 0, "length");
    n.window = 0, expect_refused(context, graph, table, &n, 0, "window");
    n.rate = NAN, expect_refused(context, graph, table, &n, 0, "rate");
    cafe_line_options_init(&l);
    l.order = 3, expect_refused(context, graph, cafe_line_option_table(), &l, 1, "order");
    l.samples = -1, expect_refused(context, graph, cafe_line_option_table(), &l, 1, "samples");
    l.columns = 1, expect_refused(context, graph, cafe_line_option_table(), &l, 1, "2 columns");
    cafe_deepwalk_options_init(&d);
    d.loss = 2;
    assert_int_equal(test_solve(context, graph, "deepwalk", &d, &s), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "loss"));
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void defaults_are_the_papers(void **state) {
    cafe_deepwalk_options d;
    cafe_node2vec_options n;
    cafe_line_options l;
    (void)state;
    cafe_deepwalk_options_init(&d);
    cafe_node2vec_options_init(&n);
    cafe_line_options_init(&l);
    assert_true(d.walks == 80 && d.length == 40 && d.window == 10 && d.columns == 128);
    assert_int_equal(d.loss, CAFE_LOSS_HIERARCHICAL);
    assert_true(n.walks == 10 && n.length == 80 && n.window == 10 && n.columns == 128);
    assert_true(n.p == 1 && n.q == 1 && n.negative == 5 && n.rate == 0.025 && n.epochs == 1);
    assert_true(l.negative == 5 && l.rate == 0.025 && l.order == CAFE_LINE_BOTH);
    assert_false(d.fast || n.fast || l.fast);
}

static void *cancel_soon(void *argument) {
    struct timespec wait = {0, 50000000};
    nanosleep(&wait, NULL);
    cafe_cancel(argument);
    return NULL;
}

static void cancelling_stops_the_training(void **state) {
    (void)state;
    for (int method = 0; method < METHODS; method++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *graph = test_random(context, 2000, 8000, 0, 0, 3);
        cafe_solution *s = NULL;
        pthread_t thread;
        clock_t begin = clock();
        assert_int_equal(pthread_create(&thread, NULL, cancel_soon, context), 0);
        cafe_status status = solve(context, graph, method, (size){64, 100000, 1000000000, 0}, &s);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(status, CAFE_ERROR_CANCELLED);
        assert_null(s);
        /* of the processor; the whole would take hours */
        assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
        cafe_graph_free(graph);
        cafe_context_free(context);
    }
}

static void memory_that_runs_out_is_survived(void **state) {
    test_failing memory;
    (void)state;
    cafe_context *context = test_failing_context(&memory, 2);
    for (int method = 0; method < METHODS; method++) {
        cafe_graph *graph = two_blocks(context, 10, 1);
        for (long k = 0;; k++) {
            cafe_solution *s = NULL;
            long live = test_failing_arm(&memory, k);
            cafe_status status = solve(context, graph, method, (size){4, 1, 100, 0}, &s);
            int failed = test_failing_disarm(&memory);
            if (failed) assert_null(s);
            test_failing_expect(&memory, status, failed, live, context);
            cafe_solution_free(s);
            if (!failed) break;
        }
        cafe_graph_free(graph);
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_fall_and_blocks_separate),
        cmocka_unit_test(losses_begin_where_they_must),
        cmocka_unit_test(results_have_the_same_bits),
        cmocka_unit_test(seeds_matter),
        cmocka_unit_test(isolated_nodes_keep_their_start),
        cmocka_unit_test(tiny_graphs_are_taken),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(defaults_are_the_papers),
        cmocka_unit_test(cancelling_stops_the_training),
        cmocka_unit_test(memory_that_runs_out_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
