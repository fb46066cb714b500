/* What the processor holds of an operator changes no bit: starts, products and sweeps with the
 * weights of links worked out beforehand are those that read the factors of nodes.
 */
#include <math.h>
#include <string.h>

#include "engine/processor.h"
#include "graphs.h"
#include "sample/sampled_graph.h"

enum { N = 1 << 19, M = 1 << 20, COLUMNS = 5 };

typedef struct problem {
    cafe_context *context;
    cafe_graph *graph;
    cafe_sampled *sampled;
    cafe_operator *op;
    void *held;
} problem;

static problem open_problem(int64_t n, int32_t weighted, double exponent, int64_t limit,
                            int64_t stride) {
    problem p = {.context = test_context(2, 7)};
    cafe_sample_options sample;
    cafe_sample_options_init(&sample);
    sample.degree_exponent = exponent;
    if (limit > 0) TEST_OK(p.context, cafe_limit_memory(p.context, limit, NULL));
    p.graph = test_random(p.context, n, M, weighted, 1, 3);
    TEST_OK(p.context,
            cafe_sample(p.context, p.graph, CAFE_SAMPLING_EDGE, &sample, NULL, &p.sampled));
    TEST_OK(p.context, cafe_operator_modularity(p.context, p.sampled, &p.op));
    cafe_block x = {.stride = stride};
    TEST_OK(p.context, cafe_engine_hold(p.context, &x, p.op, &p.held));
    return p;
}

static void close_problem(problem *p) {
    cafe_operator_free(p->op);
    cafe_sampled_free(p->sampled);
    cafe_graph_free(p->graph);
    cafe_context_free(p->context);
}

/* H after a start from the links and two sweeps, and its product. */
static void run(problem *p, void *held, cafe_block *h, cafe_block *y) {
    const cafe_engine_ops *ops = cafe_processor.ops;
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1, .passes = 4};
    void *sweep = NULL;
    int8_t *marks = malloc((size_t)p->op->n);
    for (int64_t u = 0; u < p->op->n; u++) marks[u] = (int8_t)(u % COLUMNS) ^ (u % 3 ? 0 : -1);
    cafe_start start = {.kind = CAFE_START_LINKS, .seed = 3, .op = p->op, .held = held};
    start.small = marks;
    TEST_OK(p->context, cafe_block_make(p->context, p->op->n, COLUMNS, h));
    TEST_OK(p->context, cafe_block_make(p->context, p->op->n, COLUMNS, y));
    TEST_OK(p->context, ops->start(p->context, h, &start));
    TEST_OK(p->context, ops->sweep_open(p->context, p->op, held, &rule, 0, NULL, h, &sweep));
    for (int i = 0; i < 2; i++) {
        double gain = 0;
        TEST_OK(p->context, ops->sweep_run(p->context, sweep, &gain));
    }
    ops->sweep_close(p->context, sweep);
    TEST_OK(p->context, ops->product(p->context, p->op, held, CAFE_SIDE_WALK, 1, h, 0, 0, y));
    free(marks);
}

static void same_rows(const cafe_block *a, const cafe_block *b) {
    assert_memory_equal(a->x, b->x, (size_t)(a->n * a->stride) * sizeof *a->x);
}

static void holding_changes_no_bit(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS();
    for (int32_t weighted = 0; weighted < 2; weighted++) {
        problem p = open_problem(N + 1, weighted, 0.25, 0, cafe_stride(COLUMNS));
        const float *links = p.held;
        cafe_block h[2], y[2];
        assert_non_null(links);
        assert_true(links[1] == CAFE_LINK(p.sampled, p.sampled->offsets[1] > 1 ? 0 : 1, 1));
        run(&p, NULL, &h[0], &y[0]);
        run(&p, p.held, &h[1], &y[1]);
        same_rows(&h[0], &h[1]);
        same_rows(&y[0], &y[1]);
        for (int i = 0; i < 2; i++) {
            cafe_block_drop(p.context, &h[i]);
            cafe_block_drop(p.context, &y[i]);
        }
        close_problem(&p);
    }
}

/* Rows that are read have the bits of the whole product; the others are 0. */
static void some_rows_are_those_of_all(void **state) {
    (void)state;
    enum { ROWS = 5000 };
    problem p = open_problem(ROWS, 1, 0.25, 0, cafe_stride(COLUMNS));
    cafe_block h, y[2];
    double *weights = calloc(ROWS, sizeof *weights);
    for (int64_t u = 0; u < ROWS; u += 7) weights[u] = 1;
    run(&p, p.held, &h, &y[0]);
    TEST_OK(p.context, cafe_block_make(p.context, ROWS, COLUMNS, &y[1]));
    for (int64_t i = 0; i < ROWS * y[1].stride; i++) y[1].x[i] = NAN;
    TEST_OK(p.context,
            cafe_block_product_where(p.context, p.op, CAFE_SIDE_WALK, &h, weights, &y[1]));
    assert_int_equal(y[1].columns, COLUMNS);
    for (int64_t u = 0; u < ROWS; u++)
        for (int64_t k = 0; k < COLUMNS; k++)
            assert_true(cafe_row(&y[1], u)[k] == (u % 7 ? 0 : cafe_row(&y[0], u)[k]));
    TEST_OK(p.context, cafe_block_product_where(p.context, p.op, CAFE_SIDE_WALK, &h, NULL, &y[1]));
    same_rows(&y[0], &y[1]);
    cafe_block_drop(p.context, &h);
    for (int i = 0; i < 2; i++) cafe_block_drop(p.context, &y[i]);
    free(weights);
    close_problem(&p);
}

/* Factors that the cache holds, links without factors, where memory is short, and of rows that are
 * less than the links. */
static void held_where_it_helps(void **state) {
    (void)state;
    TEST_NOT_OF_THREADS();
    const struct {
        int64_t n;
        double exponent;
        int64_t limit, stride;
    } none[] = {{N, 0.25, 0, 8}, {N + 1, 0, 0, 8}, {N + 1, 0.25, 96 << 20, 8}, {N + 1, 0.25, 0, 3}};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        problem p = open_problem(none[i].n, 0, none[i].exponent, none[i].limit, none[i].stride);
        assert_null(p.held);
        close_problem(&p);
    }
}

/* Trials that run at the same time share an operator, each with a context of its own. */
static void others_hold_nothing(void **state) {
    (void)state;
    problem p = open_problem(N + 1, 0, 0.25, 0, 8);
    cafe_context *other = test_context(1, 7);
    cafe_block x = {.stride = 8};
    void *held = p.held;
    assert_non_null(p.held);
    TEST_OK(other, cafe_engine_hold(other, &x, p.op, &held));
    assert_null(held);
    cafe_context_free(other);
    close_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holding_changes_no_bit),
        cmocka_unit_test(some_rows_are_those_of_all),
        cmocka_unit_test(held_where_it_helps),
        cmocka_unit_test(others_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
