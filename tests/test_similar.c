/* Similar vectors: the exact search against sorting, the approximate one by its recall, both for
 * any number of threads and with an allocator that fails.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "failing.h"
#include "graphs.h"

enum { N = 3000, COLUMNS = 24, GROUPS = 60, K = 10, QUERIES = 200 };

/* Rows around GROUPS centres, the last one a row of zeros. */
static float *make_rows(void) {
    uint64_t state = 7;
    float centre[GROUPS][COLUMNS], *rows = malloc(sizeof(float[N][COLUMNS]));
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; k < COLUMNS; k++) centre[g][k] = (float)test_below(&state, 2001) / 1000 - 1;
    for (int64_t u = 0; u < N; u++)
        for (int k = 0; k < COLUMNS; k++)
            rows[u * COLUMNS + k] =
                centre[u % GROUPS][k] + (float)test_below(&state, 2001) / 3000 - 0.333f;
    memset(rows + (N - 1) * COLUMNS, 0, sizeof(float[COLUMNS]));
    return rows;
}

typedef struct found {
    int32_t node[QUERIES * K];
    double score[QUERIES * K];
} found;

/* The first QUERIES rows ask for the rows most like them. */
static void search(const float *rows, int32_t measure, int32_t approximate, int32_t threads,
                   found *f) {
    cafe_context_options o;
    cafe_similar_options options;
    cafe_context *context;
    cafe_similar *index;
    int32_t self[QUERIES];
    for (int32_t i = 0; i < QUERIES; i++) self[i] = i;
    cafe_context_options_init(&o);
    o.threads = threads;
    assert_int_equal(cafe_context_create(&o, &context), CAFE_OK);
    cafe_similar_options_init(&options);
    options.measure = measure;
    options.approximate = approximate;
    TEST_OK(context, cafe_similar_create(context, N, COLUMNS, rows, &options, &index));
    assert_int_equal(cafe_similar_is_exact(index),
                     approximate == CAFE_APPROXIMATE_NO || measure == CAFE_LIKENESS_PRODUCT);
    TEST_OK(context,
            cafe_similar_search(context, index, QUERIES, rows, self, K, f->node, f->score));
    cafe_similar_free(index);
    cafe_context_free(context);
}

/* The larger the better, in double. */
static double likeness(const float *rows, int32_t measure, int64_t u, int64_t w) {
    const float *x = rows + u * COLUMNS, *y = rows + w * COLUMNS;
    double xy = 0, xx = 0, yy = 0, distance = 0;
    for (int k = 0; k < COLUMNS; k++) {
        xy += (double)x[k] * y[k];
        xx += (double)x[k] * x[k];
        yy += (double)y[k] * y[k];
        distance += ((double)x[k] - y[k]) * ((double)x[k] - y[k]);
    }
    if (measure == CAFE_LIKENESS_PRODUCT) return xy;
    if (measure == CAFE_LIKENESS_DISTANCE) return -sqrt(distance);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static void exact_is_the_best(void **state) {
    (void)state;
    float *rows = make_rows();
    found *f = malloc(sizeof *f);
    for (int32_t measure = 0; measure < 3; measure++) {
        search(rows, measure, CAFE_APPROXIMATE_NO, 2, f);
        for (int64_t i = 0; i < QUERIES; i++) {
            double last = likeness(rows, measure, i, f->node[i * K + K - 1]);
            int64_t better = 0;
            for (int64_t w = 0; w < N; w++)
                better += w != i && likeness(rows, measure, i, w) > last + 1e-6;
            assert_true(better < K);
            for (int64_t j = 0; j < K; j++) {
                double value = likeness(rows, measure, i, f->node[i * K + j]);
                double told = f->score[i * K + j];
                assert_true(f->node[i * K + j] != i);
                assert_true(fabs((measure == CAFE_LIKENESS_DISTANCE ? -told : told) - value) <
                            1e-5);
            }
        }
    }
    free(f);
    free(rows);
}

/* Nineteen of twenty of the exact ones at least, on rows in 60 groups. */
static void approximate_finds_nearly_all(void **state) {
    (void)state;
    float *rows = make_rows();
    found *exact = malloc(sizeof *exact), *near = malloc(sizeof *near);
    for (int32_t measure = 0; measure < 3; measure += 2) {
        int64_t same = 0;
        search(rows, measure, CAFE_APPROXIMATE_NO, 2, exact);
        search(rows, measure, CAFE_APPROXIMATE_YES, 2, near);
        for (int64_t i = 0; i < QUERIES; i++)
            for (int64_t j = 0; j < K; j++)
                for (int64_t l = 0; l < K; l++)
                    same += exact->node[i * K + j] == near->node[i * K + l];
        assert_true(same >= QUERIES * K * 19 / 20);
    }
    free(exact);
    free(near);
    free(rows);
}

static void threads_change_nothing(void **state) {
    (void)state;
    float *rows = make_rows();
    found *one = malloc(sizeof *one), *more = malloc(sizeof *more);
    for (int32_t approximate = CAFE_APPROXIMATE_YES; approximate <= CAFE_APPROXIMATE_NO;
         approximate++) {
        search(rows, CAFE_LIKENESS_COSINE, approximate, 1, one);
        for (int32_t threads = 2; threads <= 8; threads += threads) {
            search(rows, CAFE_LIKENESS_COSINE, approximate, threads, more);
            assert_memory_equal(one, more, sizeof *one);
        }
    }
    free(one);
    free(more);
    free(rows);
}

/* More asked for than there is; vectors that are no rows; values out of range. */
static void ends_and_refusals(void **state) {
    cafe_context *context;
    cafe_similar *index;
    const float rows[] = {1, 0, 0, 1, 1, 1}, query[] = {2, 0.1f}, bad[] = {NAN, 0};
    const int32_t outside[] = {3};
    int32_t node[5];
    double score[5];
    (void)state;
    assert_int_equal(cafe_context_create(NULL, &context), CAFE_OK);
    TEST_OK(context, cafe_similar_create(context, 3, 2, rows, NULL, &index));
    TEST_OK(context, cafe_similar_search(context, index, 1, query, NULL, 5, node, score));
    assert_int_equal(node[0], 0);
    assert_int_equal(node[1], 2);
    assert_int_equal(node[2], 1);
    assert_int_equal(node[3], -1);
    assert_true(score[4] == 0);
    assert_int_equal(cafe_similar_search(context, index, 1, bad, NULL, 2, node, score),
                     CAFE_ERROR_ARGUMENT);
    assert_int_equal(cafe_similar_search(context, index, 1, query, outside, 2, node, score),
                     CAFE_ERROR_ARGUMENT);
    cafe_similar_free(index);
    assert_int_equal(cafe_similar_create(context, 1, 2, bad, NULL, &index), CAFE_ERROR_ARGUMENT);
    assert_null(index);
    cafe_context_free(context);
}

static cafe_status once(cafe_context *context, const float *rows) {
    cafe_similar_options options;
    cafe_similar *index;
    int32_t node[K];
    double score[K];
    cafe_similar_options_init(&options);
    options.approximate = CAFE_APPROXIMATE_YES;
    cafe_status status = cafe_similar_create(context, 200, COLUMNS, rows, &options, &index);
    if (status == CAFE_OK)
        status = cafe_similar_search(context, index, 1, rows, NULL, K, node, score);
    cafe_similar_free(index);
    return status;
}

static void failing_memory(void **state) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 2);
    float *rows = make_rows();
    (void)state;
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = once(context, rows);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    free(rows);
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_is_the_best),      cmocka_unit_test(approximate_finds_nearly_all),
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(ends_and_refusals),
        cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
