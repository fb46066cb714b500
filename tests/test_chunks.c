/* Chunks of lists of several blocks: every place is in one chunk, links inside count once. And
 * sweeps over them whose gain is the growth of the objective, with the same bits for any threads.
 */
#include "dense.h"
#include "operator/chunk_move.h"

enum { NODES = 5000, EDGES = 30000, STRIDE = 8192 }; /* 64 rows a chunk, two blocks */

static test_problem begin(int32_t threads) {
    cafe_context *context = test_context(threads, 5);
    return test_open(context, test_random(context, NODES, EDGES, 1, 1, 3));
}

static void every_place_is_in_one_chunk(const cafe_chunks *c) {
    uint8_t *seen = calloc(NODES, 1);
    for (int64_t i = 0; i < c->count; i++) {
        cafe_range all = cafe_chunk_nodes(c, i, 0, cafe_chunk_size(c, i));
        assert_true(all.count <= cafe_chunk_largest(c));
        for (int64_t j = 0; j < all.count; j++) {
            int64_t place = cafe_range_node(&all, j);
            assert_in_range(place, 0, NODES - 1);
            assert_int_equal(seen[place]++, 0);
            assert_int_equal(cafe_chunk_of(c, place), i);
            assert_int_equal(cafe_chunk_number(c, place), j);
        }
    }
    assert_int_equal(c->starts[c->count], NODES);
    free(seen);
}

/* a_u from all links, and each link inside once, where its first node has it. */
static void links_inside_are_there(const cafe_chunks *c, const cafe_operator_parts *q) {
    int64_t found = 0;
    for (int64_t u = 0; u < NODES; u++) {
        int64_t at = c->starts[cafe_chunk_of(c, u)] + cafe_chunk_number(c, u);
        int64_t next = c->offsets[at];
        double sum = 0;
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            int64_t w = q->targets[j];
            if (w == u || cafe_chunk_of(c, w) != cafe_chunk_of(c, u)) continue;
            sum += q->weights[j];
            if (w < u) continue;
            assert_int_equal(c->targets[next], cafe_chunk_number(c, w));
            assert_true(c->weights[next++] == q->weights[j]);
            found++;
        }
        assert_int_equal(next, c->offsets[at + 1]);
        assert_float_equal(c->inner[at], sum / (q->p[u] * q->total), 1e-6);
    }
    assert_int_equal(found, c->offsets[NODES]);
    assert_true(found > 100);
}

static void blocks_of_chunks(void **state) {
    test_problem t = begin(2);
    cafe_chunks *c = NULL;
    (void)state;
    TEST_OK(t.context, cafe_chunks_new(t.context, t.op, NULL, 0, 0, STRIDE, &c));
    assert_true(c->block < NODES && c->count > c->step && c->step % 2 == 1);
    every_place_is_in_one_chunk(c);
    links_inside_are_there(c, &t.op->parts);
    cafe_chunks_free(c);
    test_close(&t);
}

/* tr(H^T Q H) less its diagonal, whose rows are of length 1. */
static double objective(const test_problem *t, const float *h) {
    double trace = 0;
    TEST_OK(t->context, cafe_operator_trace_block(t->context, t->op, STRIDE, h, &trace));
    for (int64_t u = 0; u < NODES; u++) trace -= cafe_operator_diagonal(&t->op->parts, u);
    return trace;
}

static float *sweep(int32_t threads, double *gain) {
    test_problem t = begin(threads);
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1};
    cafe_mover *mover = NULL;
    float *h = calloc((size_t)NODES * STRIDE, sizeof *h);
    for (int64_t u = 0; u < NODES; u++) h[u * STRIDE + u * 7919 % 97] = 1;
    double before = TEST_SANITIZED ? 0 : objective(&t, h);
    TEST_OK(t.context, cafe_mover_new(t.context, t.op, rule, STRIDE, h, NULL, &mover));
    TEST_OK(t.context, cafe_mover_aim(t.context, mover, NULL, 0, 0, NULL));
    TEST_OK(t.context, cafe_mover_sweep(t.context, mover, gain));
    assert_true(*gain > 0.01);
    if (!TEST_SANITIZED) assert_float_equal(objective(&t, h), before + *gain, 1e-6);
    cafe_mover_free(mover);
    test_close(&t);
    return h;
}

static void the_gain_is_the_growth(void **state) {
    double gain, again;
    float *h = sweep(1, &gain);
    (void)state;
    for (int i = 1; i < TEST_THREADS; i++) {
        float *other = sweep(test_thread_counts[i], &again);
        assert_true(again == gain);
        assert_memory_equal(other, h, (size_t)NODES * STRIDE * sizeof *h);
        free(other);
    }
    free(h);
}

/* ---- the shapes of sums ---------------------------------------------------------------------- */

static void pieces_depend_on_n_alone(void **state) {
    static const int64_t sizes[][2] = {{0, 64},          {1, 64},
                                       {65536, 64},      {65537, 65},
                                       {1000000, 977},   {1 << 20, 1024},
                                       {1 << 25, 1024},  {(1 << 25) + 1, 1025},
                                       {65600000, 2002}, {10000000000, 305176}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_int_equal(cafe_piece_rows(sizes[i][0]), sizes[i][1]);
}

/* p_u Delta_u and what else nodes add up, from the first to the last and in other orders. */
static void sums_on_the_grid_have_no_order(void **state) {
    enum { TERMS = 100003, ORDERS = 6 };
    static const double sizes[] = {2, 1e-3, 0x1p-17, 1e-12};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        double first = 0, exact = 0;
        for (int64_t order = 0; order < ORDERS; order++) {
            double sum = 0;
            for (int64_t k = 0; k < TERMS; k++) {
                uint64_t seed = (uint64_t)(k * (2 * order + 1) % TERMS);
                double x = (double)(test_number(&seed) >> 11) * 0x1p-52 - 1;
                double term = sizes[i] * x * (sizes[i] > 1 ? 1.0 / TERMS : 1);
                sum += cafe_to_grid(term);
                if (order == 0) exact += term;
            }
            if (order == 0) first = sum;
            assert_memory_equal(&sum, &first, sizeof sum);
        }
        assert_float_equal(first, exact, TERMS * 0x1p-50);
    }
    assert_true(cafe_to_grid(2) == 2 && cafe_to_grid(-2) == -2 && cafe_to_grid(0x1p-52) == 0);
}

/* The first node alone, with rows and numbers of its own: what a process that holds no others does.
 */
static void keep_row(void *argument, int64_t i, int64_t u, float *sum) {
    (void)argument, (void)i, (void)u, (void)sum;
}

static void a_row_moves_alike_under_another_number(void **state) {
    enum { COLUMNS = 16, MOST = 4096 };
    static float rows[MOST * COLUMNS];
    static int32_t targets[MOST];
    test_problem t = begin(1);
    const cafe_operator_parts *q = &t.op->parts;
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .gamma = 0.5, .resolution = 1};
    float *h = calloc((size_t)NODES * COLUMNS, sizeof *h), s[COLUMNS], row[COLUMNS];
    int64_t arcs = q->offsets[1], offsets[2] = {0, arcs};
    double sums[COLUMNS], mean[COLUMNS], gain;
    cafe_mover *mover = NULL;
    (void)state;
    assert_in_range(arcs, 1, MOST - 1);
    for (int64_t u = 0; u < NODES; u++) h[u * COLUMNS + u * 7919 % COLUMNS] = 1;
    for (int64_t j = 0; j < arcs; j++) {
        targets[j] = (int32_t)(arcs - j); /* row 0 is its own */
        memcpy(rows + targets[j] * COLUMNS, h + q->targets[j] * COLUMNS, sizeof row);
    }
    memcpy(rows, h, sizeof row);
    TEST_OK(t.context, cafe_operator_sums(t.context, t.op, COLUMNS, h, mean));
    for (int k = 0; k < COLUMNS; k++) s[k] = (float)mean[k], sums[k] = 0;
    cafe_operator local = {.kernels = t.op->kernels, .n = 1, .parts = *q};
    local.parts.n = 1, local.parts.offsets = offsets, local.parts.targets = targets;
    cafe_moving by = cafe_moving_of(local.kernels, &local.parts, &rule, COLUMNS, s);
    cafe_stream_rows(&local, COLUMNS, rows, (cafe_range){0, 1, 1, NULL}, NULL, true, row, 0,
                     keep_row, NULL);
    cafe_moved moved = cafe_move_row(&by, 0, 0, rows, row);
    local.kernels->accumulate_move(COLUMNS, q->p[0], row, rows, sums);

    TEST_OK(t.context, cafe_mover_new(t.context, t.op, rule, COLUMNS, h, NULL, &mover));
    int32_t alone = 0;
    TEST_OK(t.context, cafe_mover_aim(t.context, mover, &alone, 1, 1, NULL));
    TEST_OK(t.context, cafe_mover_sweep(t.context, mover, &gain));
    assert_memory_equal(row, h, sizeof row);
    double squares = 0;
    for (int k = 0; k < COLUMNS; k++) squares += sums[k] * sums[k];
    cafe_gains gains = {moved.linear, moved.square, 0};
    assert_true(gain == cafe_chunk_gain(by.unit, by.expected, q->sign, gains, squares));
    assert_true(gain > 0);
    cafe_mover_free(mover);
    free(h);
    test_close(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_depend_on_n_alone),
        cmocka_unit_test(sums_on_the_grid_have_no_order),
        cmocka_unit_test(a_row_moves_alike_under_another_number),
        cmocka_unit_test(blocks_of_chunks),
        cmocka_unit_test(the_gain_is_the_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
