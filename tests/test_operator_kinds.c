/* Operators of every kind against a dense matrix: rows, products, traces, diagonals, chunk shifts;
 * sweeps that never lower the objective, on each of them; the same bits for any threads.
 */
#include "dense.h"
#include "failing.h"
#include "operator/chunk_move.h"
#include "operator/operator.h"
#include "operator/table_operator.h"

enum { NODES = 60, WIDTH = 5 };

/* An operator with rows, and Q as a dense matrix. */
typedef struct kind {
    test_problem graph;   /* of a graph */
    cafe_operator *table; /* of a table, or NULL */
    cafe_operator op;     /* the one that is meant: a copy, or the negative */
    double *q;
} kind;

enum { MODULARITY, NEGATIVE, TABLE, NEGATIVE_TABLE, KINDS };

static double *dense_table(const float *x, double scale) {
    double *q = calloc(NODES * NODES, sizeof *q), means[WIDTH] = {0};
    for (int i = 0; i < NODES * WIDTH; i++) means[i % WIDTH] += x[i] / (double)NODES;
    for (int u = 0; u < NODES; u++)
        for (int w = 0; w < NODES; w++)
            for (int j = 0; j < WIDTH; j++)
                q[u * NODES + w] +=
                    (x[u * WIDTH + j] - means[j]) / scale * (x[w * WIDTH + j] - means[j]) / scale;
    return q;
}

static kind begin(cafe_context *context, int which) {
    kind k = {0};
    k.graph.context = context;
    if (which < TABLE) {
        double p[NODES];
        k.graph = test_open(context, test_random(context, NODES, 400, 1, 1, 9));
        k.q = test_dense_q(k.graph.graph, p);
        k.op = which == NEGATIVE ? cafe_operator_negative(k.graph.op) : *k.graph.op;
    } else {
        float *x = test_block(NODES, WIDTH, 4);
        TEST_OK(context, cafe_operator_table(context, NODES, WIDTH, x, &k.table));
        k.q = dense_table(x, cafe_operator_centred(k.table)->scale);
        k.op = which == NEGATIVE_TABLE ? cafe_operator_negative(k.table) : *k.table;
        free(x);
    }
    for (int i = 0; i < NODES * NODES && which % 2; i++) k.q[i] = -k.q[i];
    return k;
}

static void end(kind *k) {
    free(k->q);
    cafe_operator_free(k->table);
    test_close(&k->graph);
}

/* ---- rows, products, traces, diagonals ------------------------------------------------------- */

static void products_match(cafe_context *context, const kind *k) {
    enum { COLUMNS = 3, STRIDE = 4 };
    float *x = test_block(NODES, COLUMNS, 3), y[NODES * COLUMNS], wide[NODES * STRIDE] = {0};
    float walk[NODES * STRIDE];
    double expected[NODES], trace;
    for (int i = 0; i < NODES * COLUMNS; i++) wide[i / COLUMNS * STRIDE + i % COLUMNS] = x[i];
    TEST_OK(context, cafe_operator_product(context, &k->op, COLUMNS, x, y));
    TEST_OK(context,
            cafe_operator_apply(context, &k->op, CAFE_SIDE_WALK, STRIDE, wide, 2, 1, 0, walk));
    for (int j = 0; j < COLUMNS; j++) {
        test_dense_times(NODES, k->q, x, COLUMNS, j, expected);
        for (int u = 0; u < NODES; u++) {
            double p = k->op.parts.p[u];
            assert_float_equal(y[u * COLUMNS + j], expected[u], 1e-6);
            assert_float_equal(walk[u * STRIDE + j],
                               (p > 0 ? 2 * expected[u] / p : 0) + x[u * COLUMNS + j], 1e-5);
        }
    }
    TEST_OK(context, cafe_operator_trace(context, &k->op, COLUMNS, x, &trace));
    assert_float_equal(trace, test_dense_trace(NODES, k->q, x, COLUMNS), 1e-5);
    free(x);
}

static void every_kind_matches_its_dense_matrix(void **state) {
    (void)state;
    for (int which = 0; which < KINDS; which++) {
        cafe_context *context = test_context(2, 1);
        kind k = begin(context, which);
        double row[NODES];
        assert_int_equal(cafe_operator_nodes(&k.op), NODES);
        assert_true(cafe_operator_has_rows(&k.op));
        assert_true(cafe_operator_bytes(&k.op, 16) > 0);
        for (int u = 0; u < NODES; u++) {
            TEST_OK(context, cafe_operator_row(context, &k.op, u, row));
            for (int w = 0; w < NODES; w++)
                assert_float_equal(row[w], k.q[u * NODES + w], which < TABLE ? 1e-14 : 1e-7);
            assert_float_equal(cafe_operator_diagonal(&k.op.parts, u), row[u], 1e-7);
        }
        products_match(context, &k);
        end(&k);
    }
}

/* Walks have products alone: what needs rows or edges is refused. A table has no edges. */
static void what_is_missing_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_random(context, NODES, 200, 0, 0, 2));
    kind k = begin(test_context(1, 1), TABLE);
    cafe_operator *walk = NULL, negative;
    cafe_solution *solution = NULL;
    cafe_layers *layers = NULL;
    cafe_chunks *chunks = NULL;
    double row[NODES], plus, minus;
    float *x = test_block(NODES, 2, 5);
    TEST_OK(context, cafe_operator_walk(context, t.sampled, 3, &walk));
    assert_false(cafe_operator_has_rows(walk));
    assert_true(cafe_operator_bytes(walk, 16) >= 2.0 * 4 * NODES * 16);
    assert_int_equal(cafe_operator_row(context, walk, 0, row), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_sphere(context, walk, NULL, NULL, &solution), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_chunks_new(context, walk, NULL, 0, 0, 4, &chunks), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "walks"));
    assert_int_equal(cafe_layers_find(context, &k.op, NULL, &layers), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "table"));
    negative = cafe_operator_negative(walk);
    TEST_OK(context, cafe_operator_trace(context, walk, 2, x, &plus));
    TEST_OK(context, cafe_operator_trace(context, &negative, 2, x, &minus));
    assert_float_equal(plus, -minus, 1e-12);
    free(x);
    cafe_operator_free(walk);
    end(&k);
    test_close(&t);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Every other node but one, backwards: a list need not be in order. */
static int64_t some_nodes(int32_t *list) {
    int64_t count = 0;
    for (int32_t u = NODES - 1; u >= 0; u -= 2)
        if (u != 17) list[count++] = u;
    return count;
}

/* The chunk's part of Q, off its diagonal, plus diag(c) is positive semidefinite: by its
 * eigenvalues. */
static void chunk_is_positive(const kind *k, const cafe_chunks *chunks, int64_t c,
                              double resolution) {
    const cafe_operator_parts *q = &k->op.parts;
    int64_t size = cafe_chunk_size(chunks, c);
    double *a = malloc((size_t)(size * size) * sizeof *a);
    double *values = malloc((size_t)size * sizeof *values);
    for (int64_t i = 0; i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            cafe_range all = cafe_chunk_nodes(chunks, c, 0, size);
            int64_t u = cafe_range_node(&all, i), w = cafe_range_node(&all, j);
            double low = 0;
            for (int64_t l = 0; q->f && l < q->width; l++)
                low += (double)q->f[u * q->width + l] * q->f[w * q->width + l];
            if (!q->f) low = q->p[u] * q->p[w];
            a[i * size + j] = k->q[u * NODES + w] + (resolution - 1) * q->kappa * low;
            if (i == j)
                a[i * size + j] = q->p[u] * cafe_chunk_shift(q, chunks, resolution, c, i, u);
        }
    test_dense_eigenvalues(size, a, values);
    assert_true(values[size - 1] > (q->f ? -1e-7 : -1e-9));
    free(a), free(values);
}

static void chunk_shifts_are_large_enough(void **state) {
    (void)state;
    for (int which = 0; which < KINDS; which++)
        for (int listed = 0; listed < 2; listed++)
            for (int64_t count = 1; count <= 20; count += 3) {
                cafe_context *context = test_context(2, 2);
                kind k = begin(context, which);
                int32_t list[NODES];
                int64_t size = some_nodes(list);
                cafe_chunks *chunks = NULL;
                TEST_OK(context, cafe_chunks_new(context, &k.op, listed ? list : NULL, size, count,
                                                 4, &chunks));
                assert_int_equal(chunks->size, listed ? size : NODES);
                for (int64_t c = 0; c < count; c++) {
                    chunk_is_positive(&k, chunks, c, 1);
                    chunk_is_positive(&k, chunks, c, 2.5);
                }
                cafe_chunks_free(chunks);
                end(&k);
            }
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

enum { COLUMNS = 4 };

static void start_rows(int kind_of_rule, float *h) {
    float *x = test_block(NODES, COLUMNS, 8);
    for (int u = 0; u < NODES; u++) {
        double norm = 0;
        for (int j = 0; j < COLUMNS; j++) {
            float v = x[u * COLUMNS + j];
            h[u * COLUMNS + j] = kind_of_rule == CAFE_RULE_SOFTMAX ? fabsf(v) : v;
            norm += kind_of_rule == CAFE_RULE_SOFTMAX ? fabs(v) : v * v;
        }
        if (kind_of_rule == CAFE_RULE_SPHERE) norm = sqrt(norm);
        for (int j = 0; j < COLUMNS; j++) h[u * COLUMNS + j] /= (float)norm;
    }
    free(x);
}

/* The sum over u != w of q(u,w) <h_u, h_w>. */
static double objective(const kind *k, const float *h) {
    double sum = test_dense_trace(NODES, k->q, h, COLUMNS);
    for (int u = 0; u < NODES; u++)
        for (int j = 0; j < COLUMNS; j++)
            sum -= k->q[u * NODES + u] * h[u * COLUMNS + j] * h[u * COLUMNS + j];
    return sum;
}

static void sweep_grows(cafe_context *context, const kind *k, cafe_rule rule, int64_t chunks,
                        bool listed) {
    int32_t list[NODES];
    int64_t size = some_nodes(list);
    uint8_t fixed[NODES] = {0};
    float h[NODES * COLUMNS], before[NODES * COLUMNS], moved[NODES];
    cafe_mover *mover = NULL;
    fixed[3] = fixed[40] = 1;
    start_rows(rule.kind, h);
    memcpy(before, h, sizeof h);
    TEST_OK(context, cafe_mover_new(context, &k->op, rule, COLUMNS, h, fixed, &mover));
    TEST_OK(context, cafe_mover_aim(context, mover, listed ? list : NULL, size, chunks, moved));
    for (int pass = 0; pass < 8; pass++) {
        double old = objective(k, h), gain;
        TEST_OK(context, cafe_mover_sweep(context, mover, &gain));
        assert_true(gain > -1e-7);
        assert_float_equal(objective(k, h) - old, gain, 2e-6);
    }
    cafe_mover_free(mover);
    for (int u = 0; u < NODES; u++) {
        bool in = !listed || (u % 2 == 1 && u != 17);
        if (fixed[u] || !in)
            assert_memory_equal(h + u * COLUMNS, before + u * COLUMNS, sizeof(float) * COLUMNS);
    }
    assert_true(listed || moved[3] == 0);
}

/* Both rules, every kind, any chunks, all nodes or a list: never lower, and the gain is exact. */
static void sweeps_never_lower_the_objective(void **state) {
    (void)state;
    static const int64_t chunks[] = {1, 2, 7, 31, NODES};
    for (int which = 0; which < KINDS; which++)
        for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
            for (int variant = 0; variant < 4; variant++) {
                cafe_context *context = test_context(2, 2);
                kind k = begin(context, which);
                cafe_rule rule = {.kind = variant % 2 ? CAFE_RULE_SOFTMAX : CAFE_RULE_SPHERE,
                                  .gamma = i % 2 ? 0.5 : 0,
                                  .theta = i % 2 ? 3 : 1e6,
                                  .resolution = 1};
                sweep_grows(context, &k, rule, chunks[i], variant > 1);
                end(&k);
            }
}

static void threads_do_not_change_the_bits(void **state) {
    (void)state;
    enum { N = 3000, L = 7, K = 16, LISTED = N / 2 };
    float *x = test_block(N, L, 6), *start = test_block(N, K, 7), *first = NULL;
    int32_t *list = malloc(LISTED * sizeof *list);
    for (int32_t i = 0; i < LISTED; i++) list[i] = 2 * i + i % 2;
    for (int which = 0; which < 2; which++) {
        for (size_t i = 0; i < TEST_THREADS; i++) {
            cafe_context *context = test_context(test_thread_counts[i], 1);
            test_problem t = test_open(context, test_random(context, N, 60000, 1, 1, 3));
            cafe_operator *table = NULL;
            cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1};
            cafe_mover *mover = NULL;
            double gain;
            float *h = malloc((size_t)(N * K) * sizeof *h);
            memcpy(h, start, (size_t)(N * K) * sizeof *h);
            TEST_OK(context, cafe_operator_table(context, N, L, x, &table));
            TEST_OK(context,
                    cafe_mover_new(context, which ? table : t.op, rule, K, h, NULL, &mover));
            for (int listed = 0; listed < 2; listed++) {
                TEST_OK(context,
                        cafe_mover_aim(context, mover, listed ? list : NULL, LISTED, 2, NULL));
                TEST_OK(context, cafe_mover_sweep(context, mover, &gain));
            }
            if (i > 0) assert_memory_equal(h, first, (size_t)(N * K) * sizeof *h);
            if (i > 0) free(h);
            if (i == 0) first = h;
            cafe_mover_free(mover);
            cafe_operator_free(table);
            test_close(&t);
        }
        free(first);
    }
    free(x), free(start), free(list);
}

static void every_failing_allocation_is_survived(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    float *x = test_block(NODES, WIDTH, 2), h[NODES * COLUMNS];
    int32_t list[NODES];
    int64_t size = some_nodes(list);
    cafe_rule rule = {.kind = CAFE_RULE_SOFTMAX, .theta = 1, .resolution = 1};
    start_rows(rule.kind, h);
    for (long k = 0;; k++) {
        cafe_operator *table = NULL;
        cafe_mover *mover = NULL;
        double gain;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_operator_table(context, NODES, WIDTH, x, &table);
        if (status == CAFE_OK)
            status = cafe_mover_new(context, table, rule, COLUMNS, h, NULL, &mover);
        if (status == CAFE_OK) status = cafe_mover_aim(context, mover, list, size, 3, NULL);
        if (status == CAFE_OK) status = cafe_mover_sweep(context, mover, &gain);
        int failed = test_failing_disarm(&memory);
        cafe_mover_free(mover);
        cafe_operator_free(table);
        if (failed) test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    free(x);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_matches_its_dense_matrix),
        cmocka_unit_test(what_is_missing_is_refused),
        cmocka_unit_test(chunk_shifts_are_large_enough),
        cmocka_unit_test(sweeps_never_lower_the_objective),
        cmocka_unit_test(threads_do_not_change_the_bits),
        cmocka_unit_test(every_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
