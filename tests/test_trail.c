/* The links in the order of a sweep: those of the graph, within the memory of H, and sweeps that
 * have the same bits as without them.
 */
#include "dense.h"
#include "operator/chunk_move.h"
#include "operator/sweep_edges.h"

enum { NODES = 6000, EDGES = 60000, CHUNKS = 33, SWEEPS = 3 };

/* A graph with loops and weights, the same without weights, and its edges with factors. */
enum { WEIGHTS, PLAIN, FACTORS, KINDS };

typedef struct problem {
    test_problem t;
    cafe_operator op;
    float factor[NODES];
} problem;

static problem *begin(int kind, int32_t threads) {
    problem *p = calloc(1, sizeof *p);
    cafe_context *context = test_context(threads, 5);
    p->t = test_open(context, test_random(context, NODES, EDGES, 1, 1, 3));
    p->op = *p->t.op;
    for (int64_t u = 0; u < NODES; u++) p->factor[u] = 1 + 0.3f * (float)(u % 7);
    if (kind != WEIGHTS) p->op.parts.weights = NULL;
    if (kind == FACTORS) p->op.parts.factor = p->factor;
    return p;
}

static void end(problem *p) {
    test_close(&p->t);
    free(p);
}

/* The links of all chunks that the trail has, with the weights that CAFE_LINK gives them. */
static void links_are_the_graphs(const cafe_trail *trail, const cafe_operator_parts *q) {
    const cafe_chunks *c = trail->chunks;
    int64_t next = 0;
    for (int64_t i = 0; i < trail->count; i++) {
        cafe_range all = cafe_chunk_nodes(c, i, 0, cafe_chunk_size(c, i));
        for (int64_t k = 0; k < all.count; k++) {
            int64_t u = cafe_range_node(&all, k);
            for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++, next++) {
                assert_int_equal(trail->targets[next], q->targets[j]);
                assert_true((trail->weights ? trail->weights[next] : 1) == CAFE_LINK(q, u, j));
            }
            assert_int_equal(trail->offsets[c->starts[i] + k + 1], next);
        }
    }
}

/* All links of the graph where they take no more than H; those of the first chunks where half of
 * them do; otherwise there is none. */
static void within_the_memory_of_rows(problem *p, bool plain, int64_t stride, int *kinds) {
    cafe_context *context = p->t.context;
    cafe_chunks *chunks = NULL;
    cafe_trail *trail = NULL;
    int64_t links = p->op.parts.offsets[NODES], room = 4 * NODES * stride;
    int64_t fit = (room - 8 * (NODES + 1)) / (plain ? 4 : 8);
    TEST_OK(context, cafe_chunks_new(context, &p->op, NULL, 0, CHUNKS, stride, &chunks));
    int64_t before = cafe_bytes(context);
    TEST_OK(context, cafe_trail_new(context, &p->op, chunks, stride, SWEEPS, &trail));
    assert_true((trail != NULL) == (fit >= links / 2));
    if (trail) {
        assert_in_range(cafe_bytes(context) - before, 1, room + 1024);
        assert_in_range(trail->count, CHUNKS / 2 - 1, CHUNKS);
        assert_true((trail->count == CHUNKS) == (fit >= links));
        assert_true((trail->weights == NULL) == plain);
        links_are_the_graphs(trail, &p->op.parts);
    }
    kinds[!trail ? 0 : trail->count < CHUNKS ? 1 : 2]++;
    cafe_trail_free(trail);
    cafe_chunks_free(chunks);
}

static void a_trail_has_the_first_chunks_links(void **state) {
    int kinds[3] = {0};
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int64_t stride = 4; stride <= 128; stride *= 2) {
            problem *p = begin(kind, 2);
            within_the_memory_of_rows(p, kind == PLAIN, stride, kinds);
            end(p);
        }
    for (int i = 0; i < 3; i++) assert_true(kinds[i] > 0);
}

static void few_sweeps_have_none(void **state) {
    problem *p = begin(FACTORS, 2);
    cafe_chunks *chunks = NULL;
    cafe_trail *trail = NULL;
    (void)state;
    TEST_OK(p->t.context, cafe_chunks_new(p->t.context, &p->op, NULL, 0, CHUNKS, 128, &chunks));
    TEST_OK(p->t.context, cafe_trail_new(p->t.context, &p->op, chunks, 128, 1, &trail));
    assert_null(trail);
    cafe_chunks_free(chunks);
    end(p);
}

/* Rows after some sweeps, and what they gained: with a trail, or over a list of all nodes, which
 * has none. */
static float *sweep(int kind, int64_t stride, bool listed, int32_t threads, double *gains) {
    static uint8_t fixed[NODES];
    problem *p = begin(kind, threads);
    cafe_context *context = p->t.context;
    cafe_rule rule = {.kind = CAFE_RULE_SPHERE, .resolution = 1, .gamma = 0.1, .passes = SWEEPS};
    cafe_mover *mover = NULL;
    int32_t *list = calloc(NODES, sizeof *list);
    float *h = calloc((size_t)(NODES * stride), sizeof *h);
    for (int64_t u = 0; u < NODES; u++) {
        list[u] = (int32_t)u, fixed[u] = u % 11 == 3;
        h[u * stride + u * 7919 % stride] = 1;
    }
    TEST_OK(context, cafe_mover_new(context, &p->op, rule, stride, h, fixed, &mover));
    TEST_OK(context, cafe_mover_aim(context, mover, listed ? list : NULL, NODES, CHUNKS, NULL));
    for (int i = 0; i < SWEEPS; i++) TEST_OK(context, cafe_mover_sweep(context, mover, gains + i));
    cafe_mover_free(mover);
    free(list);
    end(p);
    return h;
}

static void sweeps_have_the_same_bits(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++)
        for (int64_t stride = 16; stride <= 64; stride *= 2) {
            double gains[SWEEPS], same[SWEEPS];
            float *h = sweep(kind, stride, true, 1, gains);
            for (int i = 0; i < TEST_THREADS; i++) {
                float *other = sweep(kind, stride, false, test_thread_counts[i], same);
                assert_memory_equal(same, gains, sizeof gains);
                assert_memory_equal(other, h, (size_t)(NODES * stride) * sizeof *h);
                free(other);
            }
            free(h);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trail_has_the_first_chunks_links),
        cmocka_unit_test(few_sweeps_have_none),
        cmocka_unit_test(sweeps_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
