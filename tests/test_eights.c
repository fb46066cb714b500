/* Blocks of eight columns against their definition, and their bits: the same for every instruction
 * set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "kernels/row_kernels.h"

enum { ROWS = 301, BLOCKS = 3, EIGHT = CAFE_EIGHT, SEGMENT = CAFE_EIGHTS_SEGMENT };

static double draw(uint64_t stream, int64_t i) {
    return 2 * cafe_uniform_open(cafe_philox(7, stream, (uint64_t)i).v[0]) - 1;
}

/* What the header says, one entry at a time; `volatile` keeps every rounding. */
#define DEFINE_CHECKS(T, name, kind)                                                          \
    static void fill_##name(uint64_t stream, int64_t count, T *x) {                           \
        for (int64_t i = 0; i < count; i++) x[i] = (T)draw(stream, i);                        \
    }                                                                                         \
    static void check_cross_##name(const cafe_eights *e, const T *a, const T *w) {            \
        double c[EIGHT * EIGHT];                                                              \
        for (int i = 0; i < EIGHT * EIGHT; i++) c[i] = draw(5, i);                            \
        e->cross(ROWS, a, w, c);                                                              \
        for (int i = 0; i < EIGHT * EIGHT; i++) {                                             \
            volatile double want = draw(5, i);                                                \
            for (int64_t from = 0; from < ROWS; from += SEGMENT) {                            \
                volatile T sum = 0;                                                           \
                for (int64_t u = from; u < ROWS && u < from + SEGMENT; u++) {                 \
                    volatile T term = a[u * EIGHT + i / EIGHT] * w[u * EIGHT + i % EIGHT];    \
                    sum = sum + term;                                                         \
                }                                                                             \
                want = want + sum;                                                            \
            }                                                                                 \
            assert_true(c[i] == want);                                                        \
        }                                                                                     \
    }                                                                                         \
    static void check_combine_##name(const cafe_eights *e, const T *a, const T *c, int add) { \
        T y[ROWS * EIGHT], before[ROWS * EIGHT];                                              \
        fill_##name(6, ROWS *EIGHT, before);                                                  \
        memcpy(y, before, sizeof y);                                                          \
        e->combine(ROWS, BLOCKS, a, ROWS *EIGHT, c, add, y);                                  \
        for (int64_t i = 0; i < ROWS * EIGHT; i++) {                                          \
            volatile double want = add ? before[i] : 0;                                       \
            for (int b = 0; b < BLOCKS; b++) {                                                \
                volatile T sum = 0;                                                           \
                for (int k = 0; k < EIGHT; k++) {                                             \
                    volatile T term = a[(b * ROWS + i / EIGHT) * EIGHT + k] *                 \
                                      c[(b * EIGHT + k) * EIGHT + i % EIGHT];                 \
                    sum = k == 0 ? term : sum + term;                                         \
                }                                                                             \
                want = want + sum;                                                            \
            }                                                                                 \
            assert_true(y[i] == (T)want);                                                     \
        }                                                                                     \
    }                                                                                         \
    static void check_gather_##name(const cafe_eights *e, const T *x, const float *weights) { \
        int32_t targets[100];                                                                 \
        double weigh[100], sum[EIGHT] = {0}, all[EIGHT] = {0};                                \
        for (int i = 0; i < 100; i++) targets[i] = (i * 37) % ROWS, weigh[i] = draw(8, i);    \
        e->gather(x, targets, weights, 70, 100, sum);                                         \
        e->weigh(100, weigh, x, all);                                                         \
        for (int k = 0; k < EIGHT; k++) {                                                     \
            volatile double want = 0, want_all = 0;                                           \
            for (int i = 0; i < 70; i++) {                                                    \
                volatile double term =                                                        \
                    (weights ? (double)weights[i] : 1) * (double)x[targets[i] * EIGHT + k];   \
                want = want + term;                                                           \
            }                                                                                 \
            for (int i = 0; i < 100; i++) {                                                   \
                volatile double term = weigh[i] * (double)x[i * EIGHT + k];                   \
                want_all = want_all + term;                                                   \
            }                                                                                 \
            assert_true(sum[k] == want && all[k] == want_all);                                \
        }                                                                                     \
    }                                                                                         \
    static void check_##name(const cafe_kernels *kernels) {                                   \
        const cafe_eights *e = kernels->eights[kind];                                         \
        T *a = malloc(BLOCKS * ROWS * EIGHT * sizeof *a), w[ROWS * EIGHT];                    \
        T c[BLOCKS * EIGHT * EIGHT];                                                          \
        float weights[100];                                                                   \
        assert_int_equal(e->size, sizeof(T));                                                 \
        fill_##name(1, BLOCKS *ROWS *EIGHT, a);                                               \
        fill_##name(2, ROWS *EIGHT, w);                                                       \
        fill_##name(3, BLOCKS *EIGHT *EIGHT, c);                                              \
        for (int i = 0; i < 100; i++) weights[i] = (float)draw(4, i);                         \
        check_cross_##name(e, a, w);                                                          \
        check_combine_##name(e, a, c, 0);                                                     \
        check_combine_##name(e, a, c, 1);                                                     \
        check_gather_##name(e, a, NULL);                                                      \
        check_gather_##name(e, a, weights);                                                   \
        free(a);                                                                              \
    }
DEFINE_CHECKS(float, single, 0)
DEFINE_CHECKS(double, double, 1)

static void every_set_follows_the_definition(void **state) {
    static const char *const names[] = {"plain", "avx2", "avx512"};
    (void)state;
    for (int n = 0; n < 3; n++) {
        const cafe_kernels *kernels = cafe_kernels_named(names[n]);
        if (!kernels) continue;
        check_single(kernels);
        check_double(kernels);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_set_follows_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
