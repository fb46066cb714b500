/* A limit to the memory: blocks in files, the same bits, nothing left behind. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cafe-private/text.h>

#include "base/memory.h"
#include "base/memory_limit.h"
#include "dense.h"
#include "engine/engine.h"
#include "failing.h"
#include "solve/solution.h"

enum { N = 6000, M = 30000, COLUMNS = 64 };
static const int64_t program = 16 << 20; /* what the limit allows for it */

static char folder[] = "/tmp/cafe-limit-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails where something was left in it */
}

/* The limit that leaves so much room: an eighth of it is for pages. */
static int64_t limit_of(const cafe_context *context, int64_t room) {
    return (cafe_bytes(context) + program + room) * 8 / 7 + 4096;
}

/* Vectors of the graph: bytes beside it and the program are limited (0: not at all). */
static cafe_status embed(cafe_context *context, const cafe_graph *graph, int64_t bytes,
                         const char *where, int64_t chunks, cafe_embedding **embedding) {
    cafe_sphere_options sphere;
    cafe_method_options options;
    cafe_sphere_options_init(&sphere);
    cafe_method_options_init(&options);
    sphere.columns = COLUMNS, sphere.sweeps = 4, sphere.chunks = chunks;
    options.own = &sphere;
    int64_t limit = bytes > 0 ? limit_of(context, bytes) : 0;
    cafe_status status = cafe_limit_memory(context, limit, where);
    if (status == CAFE_OK)
        status =
            cafe_embed(context, graph, cafe_method_find(NULL, "sphere"), &options, NULL, embedding);
    cafe_limit_memory(context, 0, NULL);
    return status;
}

static void expect_same(const cafe_embedding *a, const cafe_embedding *b) {
    int64_t columns = cafe_embedding_certificate(a)->columns;
    const cafe_certificate *ca = cafe_embedding_certificate(a), *cb = cafe_embedding_certificate(b);
    assert_int_equal(columns, cafe_embedding_certificate(b)->columns);
    for (int64_t u = 0; u < N; u++)
        assert_memory_equal(cafe_embedding_row(a, u), cafe_embedding_row(b, u),
                            (size_t)columns * sizeof(float));
    assert_memory_equal(ca->ritz_values, cb->ritz_values, (size_t)ca->pairs * sizeof(double));
    assert_memory_equal(ca->residuals, cb->residuals, (size_t)ca->pairs * sizeof(double));
}

static void the_bits_are_those_without_a_limit(void **state) {
    (void)state;
    for (int weights = 0; weights < 2; weights++)
        for (int threads = 1; threads <= 3; threads += 2) {
            cafe_context *context = test_context(threads, 1);
            cafe_graph *graph = test_random(context, N, M, weights, 0, 5);
            cafe_embedding *plain = NULL, *limited = NULL;
            TEST_OK(context, embed(context, graph, 0, NULL, 0, &plain));
            assert_int_equal(cafe_peak_file_bytes(context), 0);
            TEST_OK(context, embed(context, graph, 8 << 20, folder, 0, &limited));
            assert_true(cafe_peak_file_bytes(context) >= 2 * 4 * N * COLUMNS);
            expect_same(plain, limited);
            cafe_embedding_free(limited);
            cafe_embedding_free(plain);
            cafe_graph_free(graph);
            cafe_context_free(context);
        }
}

/* y = a M x + b x + c y of a block drawn at random, with room for so many columns (0: no limit). */
static float *product(test_problem *t, cafe_side side, int64_t columns, int64_t room) {
    cafe_block x = {0}, y = {0};
    cafe_start start = {.kind = CAFE_START_NORMAL, .seed = 3};
    float *out = malloc((size_t)(N * columns) * sizeof *out);
    int64_t limit = room > 0 ? limit_of(t->context, room * N * 4) : 0;
    TEST_OK(t->context, cafe_limit_memory(t->context, limit, folder));
    TEST_OK(t->context, cafe_block_make(t->context, N, columns, &x));
    TEST_OK(t->context, cafe_block_make(t->context, N, columns, &y));
    assert_int_equal(cafe_in_file(t->context, x.x), room > 0);
    TEST_OK(t->context, cafe_ops(&x)->start(t->context, &x, &start));
    start.seed = 4;
    TEST_OK(t->context, cafe_ops(&y)->start(t->context, &y, &start));
    TEST_OK(t->context, cafe_block_product(t->context, t->op, side, 2, &x, 0.5f, -1, &y));
    TEST_OK(t->context,
            cafe_ops(&y)->copy_out(t->context, &y, (cafe_part){0, N, 0, columns}, out, columns));
    cafe_block_drop(t->context, &x);
    cafe_block_drop(t->context, &y);
    cafe_limit_memory(t->context, 0, NULL);
    return out;
}

static void products_in_groups_of_columns_are_the_same(void **state) {
    (void)state;
    static const int64_t rooms[] = {16, 17, 32, 48, 64, 80, 200};
    enum { K = 72 };
    cafe_context *context = test_context(2, 1);
    test_problem t = test_open(context, test_random(context, N, M, 1, 1, 7));
    for (int side = CAFE_SIDE_PLAIN; side <= CAFE_SIDE_WALK; side++) {
        float *plain = product(&t, (cafe_side)side, K, 0);
        for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
            float *grouped = product(&t, (cafe_side)side, K, rooms[i]);
            assert_memory_equal(plain, grouped, (size_t)(N * K) * sizeof *plain);
            free(grouped);
        }
        free(plain);
    }
    test_close(&t);
}

/* The solver's rows, the product with them, the course of the objective. */
enum { SWEEPS = 3 };
typedef struct solved {
    float h[N * COLUMNS], y[N * COLUMNS];
    double objective[SWEEPS + 1];
} solved;

static solved *solve(test_problem *t, int64_t chunks, int64_t limit) {
    solved *copy = malloc(sizeof *copy);
    cafe_solution *solution = NULL;
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    o.columns = COLUMNS, o.sweeps = SWEEPS, o.tolerance = 0, o.chunks = chunks;
    TEST_OK(t->context, cafe_limit_memory(t->context, limit, folder));
    TEST_OK(t->context, cafe_sphere(t->context, t->op, &o, NULL, &solution));
    assert_int_equal(cafe_in_file(t->context, solution->h.x), limit > 0);
    memcpy(copy->h, solution->h.x, sizeof copy->h);
    memcpy(copy->y, solution->y.x, sizeof copy->y);
    memcpy(copy->objective, cafe_solution_get(solution)->objective, sizeof copy->objective);
    cafe_solution_free(solution);
    cafe_limit_memory(t->context, 0, NULL);
    return copy;
}

/* The limit with room for a sweep's small arrays (64 bytes a node, and the links) and for so many
 * columns. */
static int64_t limit_for(const test_problem *t, int64_t columns) {
    const int64_t *offsets;
    const int32_t *targets;
    const float *weights;
    cafe_graph_csr(t->graph, &offsets, &targets, &weights);
    return (program + 8 * offsets[N] + N * (64 + 4 * columns)) * 8 / 7 + 4096;
}

static void sweeps_in_groups_of_columns_are_the_same(void **state) {
    (void)state;
    static const struct {
        int64_t columns, chunks, same; /* chunks asked for, and those of the same run in memory */
    } runs[] = {{48, 0, 4}, {32, 0, 4}, {16, 0, 4}, {32, 2, 2}, {16, 7, 7}, {48, 300, 300}};
    for (int threads = 1; threads <= 3; threads += 2)
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            cafe_context *context = test_context(threads, 1);
            test_problem t = test_open(context, test_random(context, N, M, 1, 1, 9));
            solved *plain = solve(&t, runs[i].same, 0);
            solved *grouped = solve(&t, runs[i].chunks, limit_for(&t, runs[i].columns));
            assert_memory_equal(plain, grouped, sizeof *plain);
            free(plain);
            free(grouped);
            test_close(&t);
        }
}

static void what_does_not_fit_is_refused(void **state) {
    (void)state;
    cafe_context *context = test_context(2, 1);
    cafe_graph *graph = test_random(context, N, M, 0, 0, 5);
    cafe_embedding *embedding = NULL;
    assert_int_equal(embed(context, graph, 100 << 10, folder, 0, &embedding), CAFE_ERROR_LIMIT);
    assert_non_null(strstr(cafe_error(context), "the memory limit leaves"));
    assert_null(embedding);
    assert_int_equal(embed(context, graph, 8 << 20, "/no/such/folder", 0, &embedding),
                     CAFE_ERROR_IO);
    assert_non_null(strstr(cafe_error(context), "/no/such/folder"));
    assert_int_equal(embed(context, graph, 8 << 20, "/dev/null", 0, &embedding), CAFE_ERROR_IO);
    cafe_graph_free(graph);
    cafe_context_free(context);
}

static void blocks_in_files_are_memory(void **state) {
    (void)state;
    cafe_context *context = test_context(1, 1);
    int64_t before = cafe_bytes(context);
    void *block = NULL, *small = NULL;
    TEST_OK(context, cafe_limit_memory(context, 64 << 20, folder));
    TEST_OK(context, cafe_mem_file(context, 3 << 20, 1, &block));
    TEST_OK(context, cafe_mem_file(context, 1000, 1, &small));
    assert_true(cafe_in_file(context, block) && cafe_in_file(context, (char *)block + 4096));
    assert_false(cafe_in_file(context, small));
    memset(block, 7, 3 << 20);
    cafe_trim_blocks(context);
    assert_int_equal(((char *)block)[2 << 20], 7);
    block = cafe_mem_resize(context, block, 4 << 20, 1); /* into memory: resize knows no files */
    assert_int_equal(((char *)block)[(3 << 20) - 1], 7);
    assert_false(cafe_in_file(context, block));
    cafe_mem_free_all(context, block, small);
    TEST_OK(context, cafe_limit_memory(context, 0, NULL));
    assert_int_equal(cafe_bytes(context), before);
    cafe_context_free(context);
}

static void it_survives_failing_memory(void **state) {
    (void)state;
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    cafe_graph *graph = test_random(context, N, M, 0, 0, 5);
    for (long k = 0;; k += 7) {
        cafe_embedding *embedding = NULL;
        long live = test_failing_arm(&memory, k);
        cafe_status status = embed(context, graph, 8 << 20, folder, 0, &embedding);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        cafe_embedding_free(embedding);
        if (!failed) break;
    }
    cafe_graph_free(graph);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_those_without_a_limit),
        cmocka_unit_test(products_in_groups_of_columns_are_the_same),
        cmocka_unit_test(sweeps_in_groups_of_columns_are_the_same),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(blocks_in_files_are_memory),
        cmocka_unit_test(it_survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
