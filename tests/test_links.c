/* Edges that are not there yet: columns against their definitions, hidden edges, the same bits. */
#include <math.h>

#include "failing.h"
#include "graphs.h"

#include "graph/compressed_rows.h"
#include "graph/graph.h"
#include "predict/links.h"

enum { BLOCKS = 4, SIZE = 30, N = BLOCKS * SIZE };

/* Four blocks; within one an edge is fifteen times as likely as between two. */
static cafe_graph *blocks(cafe_context *context, uint64_t seed, bool weighted) {
    test_links l = test_links_new((int64_t)N * N / 2);
    int64_t count = 0;
    for (int32_t u = 0; u < N; u++)
        for (int32_t w = 0; w < u; w++)
            if (test_below(&seed, 100) < (u / SIZE == w / SIZE ? 30 : 2)) {
                l.weights[count] = (float)(1 + (u + w) % 3);
                l.source[count] = u, l.target[count++] = w;
            }
    l.count = count;
    cafe_graph *graph = test_graph(context, N, &l, weighted, NULL);
    test_links_free(&l);
    return graph;
}

static double arc(const cafe_graph *g, int64_t u, int64_t w) {
    int64_t end = g->offsets[u + 1], at = cafe_row_find(g->targets, g->offsets[u], end, w);
    return at < end && g->targets[at] == w ? (g->scaled ? g->scaled[at] : 1) : 0;
}

static double degree(const cafe_graph *g, int64_t u) {
    double sum = 0;
    for (int64_t w = 0; w < N; w++) sum += arc(g, u, w);
    return sum;
}

/* Paths of two and three edges by dense sums. */
static void paths_are_those_of_the_definition(void **state) {
    (void)state;
    for (int weighted = 0; weighted < 2; weighted++) {
        cafe_context *context = test_context(2, 1);
        cafe_graph *g = blocks(context, 3, weighted);
        int32_t source[3] = {0, 5, 99}, target[3] = {1, 64, 5};
        float x[3 * LINK_COLUMNS];
        double d[N], unit = 0;
        link_scorer scorer;
        TEST_OK(context, cafe_link_scorer_new(context, g, &scorer));
        TEST_OK(context, cafe_link_scorer_fill(context, &scorer, 3, source, target, x));
        for (int64_t u = 0; u < N; u++) unit += d[u] = degree(g, u);
        unit /= (double)g->offsets[N];
        for (int i = 0; i < 3; i++) {
            int32_t u = source[i], w = target[i];
            double two = 0, three = 0;
            for (int64_t v = 0; v < N; v++) {
                two += arc(g, u, v) * arc(g, v, w) / d[v];
                for (int64_t t = 0; t < N; t++)
                    three += arc(g, u, v) * arc(g, v, t) * arc(g, t, w) / (d[v] * d[t]);
            }
            const float *row = x + i * LINK_COLUMNS;
            double a = log1p(d[u] / unit), b = log1p(d[w] / unit);
            assert_true(fabs(row[0]) <= 1.0001);
            assert_true(fabs(row[2] - log1p(10 * two / unit)) < 1e-5);
            assert_true(fabs(row[3] - log(1e-4 + three / unit)) < 1e-5);
            assert_true(fabs(row[4] - (a + b)) < 1e-5 && fabs(row[5] - fabs(a - b)) < 1e-5);
        }
        cafe_link_scorer_free(&scorer);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

/* All pairs of the graph without `removed`: those of a block are likelier than others. */
static double mean_of(cafe_context *context, const cafe_link_model *model, const cafe_graph *g,
                      bool inside) {
    static int32_t source[N * N], target[N * N];
    static double p[N * N];
    double sum = 0;
    int64_t count = 0;
    for (int32_t u = 0; u < N; u++)
        for (int32_t w = 0; w < u; w++)
            if ((u / SIZE == w / SIZE) == inside && arc(g, u, w) == 0)
                source[count] = u, target[count++] = w;
    TEST_OK(context, cafe_link_model_predict(context, model, count, source, target, p));
    for (int64_t i = 0; i < count; i++) {
        assert_true(p[i] >= 0 && p[i] <= 1);
        sum += p[i];
    }
    return sum / (double)count;
}

static void blocks_are_likelier(void **state) {
    (void)state;
    double first = 0;
    for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
        cafe_context *context = test_context(threads, 1);
        cafe_graph *g = blocks(context, 7, false);
        cafe_link_model *model = NULL;
        TEST_OK(context, cafe_link_model_learn(context, g, NULL, &model));
        const cafe_link_figures *f = cafe_link_model_figures(model);
        double in = mean_of(context, model, g, true), out = mean_of(context, model, g, false);
        assert_true(in > .6 && out < .45);
        assert_int_equal(f->edges, llround(.1 * (double)g->counts.edges));
        assert_true(f->auc > .75 && f->log_loss < log(2) && f->calibration_error < .15);
        assert_true(threads == 1 || first == in);
        first = in;
        int32_t u = 0, w = g->targets[0];
        double p[2];
        TEST_OK(context, cafe_link_model_predict(context, model, 1, &u, &w, p));
        TEST_OK(context, cafe_link_model_predict(context, model, 1, &u, &u, p + 1));
        assert_true(p[0] == 1 && p[1] == 0);
        w = N;
        assert_int_equal(cafe_link_model_predict(context, model, 1, &u, &w, p),
                         CAFE_ERROR_ARGUMENT);
        cafe_link_model_free(model);
        cafe_graph_free(g);
        cafe_context_free(context);
    }
}

/* Later edges are those to learn from: their number, and none of the earlier graph's. */
static void later_edges_are_learnt_from(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    cafe_graph *g = blocks(context, 9, false), *earlier = NULL, *other = NULL;
    int32_t source[N * N], target[N * N];
    int64_t count = 0, later = 0;
    for (int32_t u = 0; u < N; u++)
        for (int64_t j = g->offsets[u]; j < g->offsets[u + 1]; j++) {
            if (g->targets[j] <= u) continue;
            if (later < 40 && (u + g->targets[j]) % 7 == 0)
                later++;
            else
                source[count] = u, target[count++] = g->targets[j];
        }
    TEST_OK(context,
            cafe_graph_from_edges(context, N, count, source, target, NULL, NULL, &earlier));
    cafe_link_model *model = NULL;
    TEST_OK(context, cafe_link_model_learn(context, g, earlier, &model));
    assert_int_equal(cafe_link_model_figures(model)->edges, later);
    cafe_link_model_free(model);
    assert_int_equal(cafe_link_model_learn(context, g, g, &model), CAFE_ERROR_ARGUMENT);
    assert_null(model);
    TEST_OK(context,
            cafe_graph_from_edges(context, N + 1, count, source, target, NULL, NULL, &other));
    assert_int_equal(cafe_link_model_learn(context, g, other, &model), CAFE_ERROR_ARGUMENT);
    cafe_graph_free(other);
    cafe_graph_free(earlier);
    cafe_graph_free(g);
    cafe_context_free(context);
}

static void memory_may_fail(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *g = blocks(context, 2, true);
    for (long k = 0;; k++) {
        cafe_link_model *model = NULL;
        int32_t u = 0, w = 50;
        double p;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_link_model_learn(context, g, NULL, &model);
        if (status == CAFE_OK) status = cafe_link_model_predict(context, model, 1, &u, &w, &p);
        int failed = test_failing_disarm(&memory);
        cafe_link_model_free(model);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_graph_free(g);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_those_of_the_definition),
        cmocka_unit_test(blocks_are_likelier),
        cmocka_unit_test(later_edges_are_learnt_from),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
