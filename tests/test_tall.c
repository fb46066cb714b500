/* Blocks of so many rows that their Gram matrices are computed in single precision: their
 * Ritz pairs, computed again in double precision from the same rows. */
#include <math.h>

#include "base/random.h"
#include "graphs.h"
#include "spectral/ritz.h"
#include "spectral/scaled_form.h"

enum { N = CAFE_TALL + 1000, K = 12 };

typedef struct pair_of_blocks {
    cafe_context *context;
    cafe_block x, z;
    double *weights;
} pair_of_blocks;

static float number(uint64_t stream, int64_t i) {
    return (float)(cafe_uniform_open(cafe_philox(5, stream, (uint64_t)i).v[0]) - 0.5);
}

/* Z = X T + `rest` times noise, T diagonal: Ritz values next to T's, residuals in proportion to the
 * rest. One node in five weighs nothing. */
static pair_of_blocks make_pair(double rest) {
    pair_of_blocks b = {.context = test_context(2, 1)};
    TEST_OK(b.context, cafe_block_make(b.context, N, K, &b.x));
    TEST_OK(b.context, cafe_block_make(b.context, N, K, &b.z));
    b.weights = malloc(N * sizeof *b.weights);
    for (int64_t u = 0; u < N; u++) {
        b.weights[u] = u % 5 == 4 ? 0 : (double)(1 + u % 7) / (4.0 * N);
        for (int64_t k = 0; k < b.x.stride; k++) {
            float *x = b.x.x + u * b.x.stride + k, *z = b.z.x + u * b.z.stride + k;
            *x = k < K ? number(1, u * K + k) : 0;
            *z = k < K ? *x / (float)(k + 2) + (float)rest * number(2, u * K + k) : 0;
        }
    }
    return b;
}

static void drop_pair(pair_of_blocks *b) {
    cafe_block_drop(b->context, &b->x);
    cafe_block_drop(b->context, &b->z);
    free(b->weights);
    cafe_context_free(b->context);
}

/* ||Z s - rho X s|| over ||X s||. */
static double true_residual(const pair_of_blocks *b, const cafe_ritz *ritz, int64_t pair) {
    double rho = ritz->values[pair], square = 0, length = 0;
    for (int64_t u = 0; u < N; u++) {
        double v = 0, mv = 0;
        for (int64_t k = 0; k < K; k++) {
            double s = ritz->vectors[k * ritz->pairs + pair];
            v += s * b->x.x[u * b->x.stride + k];
            mv += s * b->z.x[u * b->z.stride + k];
        }
        square += b->weights[u] * (mv - rho * v) * (mv - rho * v);
        length += b->weights[u] * v * v;
    }
    return sqrt(square / length);
}

static void residuals_hold(double rest, double bound) {
    pair_of_blocks b = make_pair(rest);
    cafe_ritz ritz = {0};
    TEST_OK(b.context, cafe_ritz_new(b.context, K, &ritz));
    TEST_OK(b.context, cafe_ritz_solve(b.context, &b.x, &b.z, b.weights, &ritz));
    assert_int_equal(ritz.pairs, K);
    for (int64_t j = 0; j < K; j++) {
        double residual = true_residual(&b, &ritz, j);
        assert_true(ritz.residuals[j] >= (1 - 1e-6) * residual);
        assert_true(ritz.residuals[j] <= bound * residual);
        assert_float_equal(ritz.values[j], 1.0 / (double)(j + 2), 2 * rest);
    }
    cafe_ritz_free(b.context, &ritz);
    drop_pair(&b);
}

/* Residuals of a tenth are bounds, and close ones, by sums in single precision. */
static void large_residuals_hold(void **state) {
    (void)state;
    residuals_hold(0.1, 1.01);
}

/* What single precision could not tell from 0 is not left to it. */
static void small_residuals_hold(void **state) {
    (void)state;
    residuals_hold(1e-4, 1.01);
}

/* Directions whose squares are ten orders apart: after scaling with s = 0 all are alike. */
static void short_directions_are_not_lost(void **state) {
    (void)state;
    pair_of_blocks b = make_pair(0);
    double noise[K] = {0}, gram[K * K];
    int64_t from[K];
    for (int64_t u = 0; u < N; u++)
        for (int64_t k = 0; k < K; k++)
            b.x.x[u * b.x.stride + k] *= (float)pow(10, -5.0 * (double)k / (K - 1));
    TEST_OK(b.context, cafe_scale_columns(b.context, 0, 0, 0, noise, from, &b.x));
    assert_int_equal(b.x.columns, K);
    TEST_OK(b.context, cafe_ops(&b.x)->gram(b.context, &b.x, NULL, NULL, false, gram));
    for (int64_t i = 0; i < K; i++)
        for (int64_t j = 0; j < K; j++)
            assert_float_equal(gram[i * K + j] / N, i == j ? 1 : 0, 1e-4);
    drop_pair(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_residuals_hold),
        cmocka_unit_test(small_residuals_hold),
        cmocka_unit_test(short_directions_are_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
