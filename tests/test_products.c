/* Products of matrices against their definition, and their bits: the same for every instruction set
 * and however C is cut. */
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

enum { LARGEST = 600, SEGMENT = CAFE_PRODUCT_SEGMENT };

static double draw(uint64_t stream, int64_t i) {
    return 2 * cafe_uniform_open(cafe_philox(1, stream, (uint64_t)i).v[0]) - 1;
}

/* Entry (i,j) as products.h says: segments added up from 0, each then joins C. */
#define DEFINE_ENTRY(T, name)                                                               \
    static T entry_##name(const cafe_product *x, const T *a, const T *b, T c, int64_t i,    \
                          int64_t j) {                                                      \
        int64_t from = 0;                                                                   \
        do {                                                                                \
            volatile T sum = 0;                                                             \
            for (int64_t p = from; p < x->inner && p < from + SEGMENT; p++) {               \
                if (x->shape == CAFE_PRODUCT_TRIANGULAR && p > j) break;                    \
                volatile T term =                                                           \
                    a[i * x->a_row + p * x->a_inner] * b[p * x->b_inner + j * x->b_column]; \
                sum = sum + term;                                                           \
            }                                                                               \
            volatile T part = (T)x->alpha * sum, old = (from == 0 ? (T)x->beta : (T)1) * c; \
            c = from == 0 && x->beta == 0 ? part : part + old;                              \
            from += SEGMENT;                                                                \
        } while (from < x->inner && !(x->shape == CAFE_PRODUCT_TRIANGULAR && from > j));    \
        return c;                                                                           \
    }                                                                                       \
    static void check_##name(const cafe_product *x) {                                       \
        static const char *const names[] = {"plain", "avx2", "avx512"};                     \
        int64_t size = LARGEST * LARGEST;                                                   \
        T *a = malloc(4 * (size_t)size * sizeof *a), *b = a + size, *old = b + size,        \
          *c = old + size;                                                                  \
        for (int64_t i = 0; i < size; i++) {                                                \
            a[i] = (T)draw(1, i), b[i] = (T)draw(2, i);                                     \
            old[i] = x->beta == 0 ? (T)NAN : (T)draw(3, i);                                 \
        }                                                                                   \
        for (int n = 0; n < 3; n++) {                                                       \
            const cafe_kernels *kernels = cafe_kernels_named(names[n]);                     \
            if (!kernels) continue;                                                         \
            memcpy(c, old, (size_t)size * sizeof *c);                                       \
            kernels->products->in_##name(x, a, b, c);                                       \
            for (int64_t i = 0; i < size; i++) {                                            \
                int64_t row = i / x->c_row, column = i % x->c_row;                          \
                bool inside = row < x->rows && column < x->columns;                         \
                if (inside && x->shape == CAFE_PRODUCT_SYMMETRIC && column < row) continue; \
                T want = inside ? entry_##name(x, a, b, old[i], row, column) : old[i];      \
                assert_memory_equal(&c[i], &want, sizeof want);                             \
            }                                                                               \
        }                                                                                   \
        free(a);                                                                            \
    }
DEFINE_ENTRY(double, double)
DEFINE_ENTRY(float, single)

static void check(const cafe_product *x) {
    check_double(x);
    check_single(x);
}

/* Every edge of tiles, panels, blocks and segments; A and B transposed or not, with gaps. */
static void every_shape_follows_the_definition(void **state) {
    static const int64_t sizes[][3] = {{1, 1, 1},    {6, 8, 5},     {7, 9, 256},   {13, 17, 257},
                                       {97, 33, 40}, {100, 4, 300}, {5, 100, 513}, {31, 16, 0}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int way = 0; way < 8; way++) {
            cafe_product x = cafe_product_of(sizes[s][0], sizes[s][1], sizes[s][2]);
            x.c_row += way % 3;
            if (way & 1) x.a_row = 1, x.a_inner = x.rows + 2;
            if (way & 2) x.b_inner = 1, x.b_column = x.inner + 1;
            if (way & 4) x.alpha = -1, x.beta = way & 1 ? 1 : 0.5;
            check(&x);
        }
}

static void gram_matrices(void **state) {
    static const int64_t sizes[][2] = {{1, 3}, {8, 256}, {33, 100}, {130, 300}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cafe_product x = cafe_product_of(sizes[s][0], sizes[s][0], sizes[s][1]);
        x.a_row = 1, x.a_inner = x.rows, x.beta = 1, x.shape = CAFE_PRODUCT_SYMMETRIC;
        check(&x);
    }
}

static void triangular_matrices(void **state) {
    static const int64_t sizes[][2] = {{3, 1}, {256, 7}, {20, 64}, {50, 300}};
    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        cafe_product x = cafe_product_of(sizes[s][0], sizes[s][1], sizes[s][1]);
        x.shape = CAFE_PRODUCT_TRIANGULAR;
        check(&x);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_follows_the_definition),
        cmocka_unit_test(gram_matrices),
        cmocka_unit_test(triangular_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
