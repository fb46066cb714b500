/* Operators of every kind against a dense matrix: rows, products, traces, diagonals, chunk shifts;
 * sweeps that never lower the objective, on each of them; the same bits for any threads.
 */
#include "dense.h"
#include "failing.h"
#include "operator/chunk_move.h"
#include "operator/operator.h"
#include "operator/table_operator.h"
#include "queries.h"

enum { NODES = 60, WIDTH = 5 };

/* An operator with rows, and Q as a dense matrix. */
typedef struct kind {
    test_problem graph, second; /* of a graph */
    cafe_operator *table, *sum; /* of a table, of layers, or NULL */
    cafe_operator op;           /* the one that is meant: a copy, or the negative */
    double *q;
} kind;

/* Every kind and, with the odd number behind it, its negative. */
enum { MODULARITY, NEGATIVE, TABLE, NEGATIVE_TABLE, SUMS, KINDS = SUMS + 2 * 6 };

/* Weights of two graphs and a table in a sum; 0: the layer is missing. */
static const double sum_weights[][3] = {{1, 0, 0.5},    {1, -0.7, 0}, {1, 0.4, 0.3},
                                        {-0.5, 1, 0.8}, {2, 0, -1},   {0.1, -1, -2}};

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

/* The sum of the layers with weights, and its dense matrix. */
static void add_layers(cafe_context *context, const double weights[3], kind *k) {
    float *x = test_block(NODES, WIDTH, 4);
    double p[NODES], whole = 0, *dense[3];
    const double units[3] = {1, 1, 3};
    cafe_summand layers[3];
    int64_t count = 0;
    k->graph = test_open(context, test_random(context, NODES, 400, 1, 1, 9));
    k->second = test_open(test_context(2, 1), test_random(context, NODES, 300, 1, 1, 10));
    TEST_OK(context, cafe_operator_table(context, NODES, WIDTH, x, &k->table));
    const cafe_operator *all[] = {k->graph.op, k->second.op, k->table};
    dense[0] = test_dense_q(k->graph.graph, p), dense[1] = test_dense_q(k->second.graph, p);
    dense[2] = dense_table(x, cafe_operator_centred(k->table)->scale);
    for (int l = 0; l < 3; l++) whole += fabs(weights[l]);
    k->q = calloc(NODES * NODES, sizeof *k->q);
    for (int l = 0; l < 3; l++) {
        if (weights[l] != 0) layers[count++] = (cafe_summand){all[l], weights[l], units[l]};
        for (int i = 0; i < NODES * NODES; i++)
            k->q[i] += weights[l] / (whole * units[l]) * dense[l][i];
        free(dense[l]);
    }
    TEST_OK(context, cafe_operator_sum(context, count, layers, &k->sum));
    free(x);
}

static kind begin(cafe_context *context, int which) {
    kind k = {0};
    k.graph.context = context;
    if (which < TABLE) {
        double p[NODES];
        k.graph = test_open(context, test_random(context, NODES, 400, 1, 1, 9));
        k.q = test_dense_q(k.graph.graph, p);
        k.op = which == NEGATIVE ? cafe_operator_negative(k.graph.op) : *k.graph.op;
    } else if (which >= SUMS) {
        add_layers(context, sum_weights[(which - SUMS) / 2], &k);
        k.op = which % 2 ? cafe_operator_negative(k.sum) : *k.sum;
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
    cafe_operator_free(k->sum);
    cafe_operator_free(k->table);
    if (k->second.op) test_close(&k->second);
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
    TEST_OK(context, test_trace(context, &k->op, COLUMNS, x, &trace));
    assert_float_equal(trace, test_dense_trace(NODES, k->q, x, COLUMNS), 1e-5);
    free(x);
}

/* Products in double precision of one, three and eight columns. */
static void exact_products_match(cafe_context *context, const kind *k) {
    static const int64_t widths[] = {1, 3, CAFE_EXACT_WIDTH};
    for (int i = 0; i < 3; i++) {
        int64_t width = widths[i];
        float *x = test_block(NODES, width, 6);
        double from[NODES * CAFE_EXACT_WIDTH], to[NODES * CAFE_EXACT_WIDTH], expected[NODES];
        for (int64_t j = 0; j < NODES * width; j++) from[j] = x[j];
        TEST_OK(context, cafe_operator_exact(context, &k->op.parts, width, from, to));
        for (int64_t j = 0; j < width; j++) {
            test_dense_times(NODES, k->q, x, width, j, expected);
            for (int u = 0; u < NODES; u++)
                assert_float_equal(to[u * width + j], expected[u], 1e-7);
        }
        free(x);
    }
}

/* q(S,S') of a partition, summed over the dense matrix. */
static void covariances_match(cafe_context *context, const kind *k) {
    enum { PARTS = 4 };
    int32_t part[NODES];
    double found[PARTS * PARTS], expected[PARTS * PARTS] = {0};
    if (!k->op.parts.offsets) return;
    for (int u = 0; u < NODES; u++) part[u] = u % (PARTS + 1) - 1;
    TEST_OK(context, test_covariance(context, &k->op, part, PARTS, found));
    for (int u = 0; u < NODES; u++)
        for (int w = 0; w < NODES; w++)
            if (part[u] >= 0 && part[w] >= 0)
                expected[part[u] * PARTS + part[w]] += k->q[u * NODES + w];
    for (int i = 0; i < PARTS * PARTS; i++) assert_float_equal(found[i], expected[i], 1e-7);
}

static void every_kind_matches_its_dense_matrix(void **state) {
    (void)state;
    for (int which = 0; which < KINDS; which++) {
        cafe_context *context = test_context(2, 1);
        kind k = begin(context, which);
        double row[NODES];
        assert_int_equal(k.op.n, NODES);
        assert_true(cafe_operator_has_rows(&k.op));
        assert_true(cafe_operator_bytes(&k.op, 16) > 0);
        for (int u = 0; u < NODES; u++) {
            TEST_OK(context, cafe_operator_row(context, &k.op, u, row));
            for (int w = 0; w < NODES; w++)
                assert_float_equal(row[w], k.q[u * NODES + w], which < TABLE ? 1e-14 : 1e-7);
            assert_float_equal(cafe_operator_diagonal(&k.op.parts, u), row[u], 1e-7);
        }
        products_match(context, &k);
        exact_products_match(context, &k);
        covariances_match(context, &k);
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
    TEST_OK(context, test_trace(context, walk, 2, x, &plus));
    TEST_OK(context, test_trace(context, &negative, 2, x, &minus));
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
                low += cafe_factor_sign(q, l) * q->f[u * q->width + l] * q->f[w * q->width + l];
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
    for (int which = 0; which < 3; which++) {
        for (size_t i = 0; i < TEST_THREADS; i++) {
            cafe_context *context = test_context(test_thread_counts[i], 1);
            test_problem t = test_open(context, test_random(context, N, 60000, 1, 1, 3));
            cafe_operator *table = NULL, *sum = NULL;
            cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1};
            cafe_mover *mover = NULL;
            double gain;
            float *h = malloc((size_t)(N * K) * sizeof *h);
            memcpy(h, start, (size_t)(N * K) * sizeof *h);
            TEST_OK(context, cafe_operator_table(context, N, L, x, &table));
            const cafe_summand layers[] = {{t.op, 1, 1}, {table, -0.5, 1}};
            TEST_OK(context, cafe_operator_sum(context, 2, layers, &sum));
            const cafe_operator *all[] = {t.op, table, sum};
            TEST_OK(context, cafe_mover_new(context, all[which], rule, K, h, NULL, &mover));
            for (int listed = 0; listed < 2; listed++) {
                TEST_OK(context,
                        cafe_mover_aim(context, mover, listed ? list : NULL, LISTED, 2, NULL));
                TEST_OK(context, cafe_mover_sweep(context, mover, &gain));
            }
            if (i > 0) assert_memory_equal(h, first, (size_t)(N * K) * sizeof *h);
            if (i > 0) free(h);
            if (i == 0) first = h;
            cafe_mover_free(mover);
            cafe_operator_free(sum);
            cafe_operator_free(table);
            test_close(&t);
        }
        free(first);
    }
    free(x), free(start), free(list);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* A sum of one layer is the operator of this layer: the same bits of a product and of a sweep. */
static void a_sum_of_one_is_its_layer(void **state) {
    enum { N = 5000, K = 16 };
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_random(context, N, 60000, 1, 1, 3));
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1};
    float *start = test_block(N, K, 7), *rows[2], *products[2];
    double gains[2];
    cafe_operator *sum = NULL;
    (void)state;
    TEST_OK(context, cafe_operator_sum(context, 1, &(cafe_summand){t.op, 7, 1}, &sum));
    const cafe_operator *both[] = {t.op, sum};
    for (int i = 0; i < 2; i++) {
        cafe_mover *mover = NULL;
        rows[i] = malloc((size_t)(N * K) * sizeof(float));
        products[i] = malloc((size_t)(N * K) * sizeof(float));
        memcpy(rows[i], start, (size_t)(N * K) * sizeof(float));
        TEST_OK(context, cafe_operator_product(context, both[i], K, start, products[i]));
        TEST_OK(context, cafe_mover_new(context, both[i], rule, K, rows[i], NULL, &mover));
        TEST_OK(context, cafe_mover_aim(context, mover, NULL, 0, 0, NULL));
        TEST_OK(context, cafe_mover_sweep(context, mover, &gains[i]));
        cafe_mover_free(mover);
    }
    assert_memory_equal(rows[0], rows[1], (size_t)(N * K) * sizeof(float));
    assert_memory_equal(products[0], products[1], (size_t)(N * K) * sizeof(float));
    assert_true(gains[0] == gains[1]);
    for (int i = 0; i < 2; i++) free(rows[i]), free(products[i]);
    free(start);
    cafe_operator_free(sum);
    test_close(&t);
}

/* Rows of Q sum to 0, and D to 1: the layers are distributions less their null models. */
static void sums_are_centred(void **state) {
    (void)state;
    for (int which = SUMS; which < KINDS; which += 2) {
        kind k = begin(test_context(1, 1), which);
        double row[NODES], mass = 0;
        for (int u = 0; u < NODES; u++) {
            double sum = 0;
            TEST_OK(k.graph.context, cafe_operator_row(k.graph.context, &k.op, u, row));
            for (int w = 0; w < NODES; w++) sum += row[w];
            assert_float_equal(sum, 0, 1e-7);
            mass += k.op.parts.p[u];
        }
        assert_float_equal(mass, 1, 1e-12);
        end(&k);
    }
}

static void sums_that_make_no_sense_are_refused(void **state) {
    cafe_context *context = test_context(1, 1);
    test_problem t = test_open(context, test_random(context, NODES, 200, 0, 0, 2));
    test_problem other =
        test_open(test_context(1, 1), test_random(context, NODES + 1, 200, 0, 0, 2));
    cafe_operator *walk = NULL, *sum = NULL;
    cafe_layers *layers = NULL;
    (void)state;
    TEST_OK(context, cafe_operator_walk(context, t.sampled, 3, &walk));
    const cafe_summand bad[][2] = {{{t.op, 1, 1}, {other.op, 1, 1}},
                                   {{t.op, 1, 1}, {walk, 1, 1}},
                                   {{t.op, 1, 1}, {t.op, 0, 1}},
                                   {{t.op, NAN, 1}, {t.op, 1, 1}},
                                   {{t.op, 1, 0}, {t.op, 1, 1}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(cafe_operator_sum(context, 2, bad[i], &sum), CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_operator_sum(context, 0, bad[0], &sum), CAFE_ERROR_ARGUMENT);
    const cafe_summand twice[] = {{t.op, 1, 1}, {t.op, 2, 1}};
    TEST_OK(context, cafe_operator_sum(context, 2, twice, &sum));
    cafe_operator_free(sum);
    const cafe_summand less[] = {{t.op, -1, 1}};
    TEST_OK(context, cafe_operator_sum(context, 1, less, &sum));
    assert_int_equal(cafe_layers_find(context, sum, NULL, &layers), CAFE_ERROR_ARGUMENT);
    assert_non_null(strstr(cafe_error(context), "not subtracted"));
    cafe_operator_free(sum);
    cafe_operator_free(walk);
    test_close(&other);
    test_close(&t);
}

static void a_sum_survives_every_failing_allocation(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *one = test_random(context, NODES, 200, 1, 1, 2);
    cafe_graph *two = test_random(context, NODES, 300, 0, 1, 3);
    test_problem a = test_open(context, one);
    test_problem b = {0};
    b.context = context, b.graph = two;
    TEST_OK(context, cafe_sample(context, two, CAFE_SAMPLING_EDGE, NULL, NULL, &b.sampled));
    TEST_OK(context, cafe_operator_modularity(context, b.sampled, &b.op));
    const cafe_summand layers[] = {{a.op, 1, 1}, {b.op, -1, 1}};
    for (long k = 0;; k++) {
        cafe_operator *sum = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = cafe_operator_sum(context, 2, layers, &sum);
        int failed = test_failing_disarm(&memory);
        cafe_operator_free(sum);
        if (failed) test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_operator_free(b.op);
    cafe_sampled_free(b.sampled);
    cafe_graph_free(two);
    test_close(&a);
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
        cmocka_unit_test(a_sum_of_one_is_its_layer),
        cmocka_unit_test(sums_are_centred),
        cmocka_unit_test(sums_that_make_no_sense_are_refused),
        cmocka_unit_test(a_sum_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
