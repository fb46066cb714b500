/* Chunks of lists of several blocks: every place in one chunk, links inside once, and sweeps over
 * them whose gain is the growth of the objective, with the same bits for any threads.
 */
#include "dense.h"
#include "operator/move.h"

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
    double before = objective(&t, h);
    TEST_OK(t.context, cafe_mover_new(t.context, t.op, rule, STRIDE, h, NULL, &mover));
    TEST_OK(t.context, cafe_mover_aim(t.context, mover, NULL, 0, 0, NULL));
    TEST_OK(t.context, cafe_mover_sweep(t.context, mover, gain));
    assert_true(*gain > 0.01);
    assert_float_equal(objective(&t, h), before + *gain, 1e-6);
    cafe_mover_free(mover);
    test_close(&t);
    return h;
}

static void the_gain_is_the_growth(void **state) {
    double gain, again;
    float *h = sweep(1, &gain);
    (void)state;
    for (int32_t threads = 2; threads <= 3; threads++) {
        float *other = sweep(threads, &again);
        assert_true(again == gain);
        assert_memory_equal(other, h, (size_t)NODES * STRIDE * sizeof *h);
        free(other);
    }
    free(h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_of_chunks),
        cmocka_unit_test(the_gain_is_the_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
