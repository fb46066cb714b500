/* Eigenvalues and singular values of small matrices: hard ones, by their definitions and beside
 * LAPACK. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cafe/cafe.h>

#include "engine/dense.h"
#include "failing.h"
#include "graphs.h"
#include "kernels/row_kernels.h"
#include "lapack.h"

static uint64_t state = 1;

/* In [-1, 1). */
static double draw(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)state * 0x1p-63;
}

static double *matrix(int64_t rows, int64_t columns) {
    return calloc((size_t)(rows * columns), sizeof(double));
}

/* C = A B, or A^T B. */
static double *times(bool transposed, int64_t rows, int64_t inner, int64_t columns, const double *a,
                     const double *b) {
    double *c = matrix(rows, columns);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t p = 0; p < inner; p++) {
            double x = transposed ? a[p * rows + i] : a[i * inner + p];
            for (int64_t j = 0; j < columns; j++) c[i * columns + j] += x * b[p * columns + j];
        }
    return c;
}

/* X <- (I - 2 v v^T / |v|^2) X, three times. */
static void mix(int64_t rows, int64_t columns, double *x) {
    double *v = matrix(rows, 1), *w = matrix(columns, 1);
    for (int turn = 0; turn < 3; turn++) {
        double square = 0;
        memset(w, 0, (size_t)columns * sizeof *w);
        for (int64_t i = 0; i < rows; i++) v[i] = draw(), square += v[i] * v[i];
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) w[j] += 2 / square * v[i] * x[i * columns + j];
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) x[i * columns + j] -= v[i] * w[j];
    }
    free(v);
    free(w);
}

/* A random orthogonal matrix. */
static double *orthogonal(int64_t k) {
    double *q = matrix(k, k);
    for (int64_t i = 0; i < k; i++) q[i * k + i] = 1;
    mix(k, k, q);
    return q;
}

/* The largest entry of |X^T X - I|. */
static double defect(int64_t rows, int64_t columns, const double *x) {
    double worst = 0, *gram = times(true, columns, rows, columns, x, x);
    for (int64_t i = 0; i < columns * columns; i++)
        worst = fmax(worst, fabs(gram[i] - (i % (columns + 1) == 0)));
    free(gram);
    return worst;
}

static double largest(int64_t count, const double *x) {
    double most = 0;
    for (int64_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* ---- spectra --------------------------------------------------------------------------------- */

enum { KNOWN = 7, KINDS = 12 };

/* The value i of k. */
static double value_of(int kind, int64_t k, int64_t i) {
    switch (kind) {
        case 0: return 1 + (double)(i % 3) * 1e-15;            /* one cluster */
        case 1: return (double)(i / 8);                        /* eight equal ones, and more */
        case 2: return pow(10, -16.0 * (double)i / (double)k); /* graded */
        case 3: return i % 2 ? -1 : 1;
        case 4: return i == 0; /* of rank one */
        case 5: return 0;
        default: return i < k / 2 ? 1 : 1e-9 * (double)i;
    }
}

static double entry_of(int kind, int64_t k, int64_t i, int64_t j) {
    double random = draw();
    switch (kind) {
        case 7: return i == j ? fabs((double)(k / 2 - i)) : i == j + 1; /* Wilkinson's W+ */
        case 8: return i == j + 1;                                      /* a path */
        case 9: return ldexp(random, -(int)(i + j) / 4);                /* graded by rows */
        case 10: return i == j ? 1e-3 * (double)i : j == 0;             /* an arrow */
        default: return random;
    }
}

static double *symmetric(int kind, int64_t k) {
    double *a = matrix(k, k), *q, *left;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j <= i; j++)
            a[i * k + j] = a[j * k + i] = kind >= KNOWN ? entry_of(kind, k, i, j)
                                          : i == j      ? value_of(kind, k, i)
                                                        : 0;
    if (kind >= KNOWN) return a;
    q = orthogonal(k);
    left = times(true, k, k, k, q, a);
    free(a);
    a = times(false, k, k, k, left, q);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < i; j++) a[i * k + j] = a[j * k + i];
    free(q);
    free(left);
    return a;
}

/* A V = V diag(values), V^T V = 1, values descending and those of LAPACK: to rounding. */
static void check_eigen(cafe_context *context, int64_t k, const double *a) {
    double size = largest(k * k, a), rounding = 16 * (double)k * DBL_EPSILON;
    double *v = matrix(k, k), *values = matrix(k, 1), *other = matrix(k, k), *known = matrix(k, 1);
    memcpy(v, a, (size_t)(k * k) * sizeof *v);
    memcpy(other, a, (size_t)(k * k) * sizeof *v);
    TEST_OK(context, cafe_dense_eigen(context, k, v, values));
    TEST_OK(context, test_lapack_eigen(context, k, other, known));
    double *product = times(false, k, k, k, a, v);
    for (int64_t i = 0; i < k * k; i++)
        assert_true(fabs(product[i] - values[i % k] * v[i]) <= rounding * size);
    for (int64_t j = 0; j < k; j++) {
        assert_true(j == 0 || values[j] <= values[j - 1]);
        assert_true(fabs(values[j] - known[j]) <= rounding * size);
    }
    assert_true(defect(k, k, v) <= rounding);
    free(v), free(values), free(other), free(known), free(product);
}

static void test_eigen(void **unused) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 31, 32, 33, 34, 64, 65, 100, 129};
    cafe_context *context = test_context(1, 1);
    (void)unused;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            double *a = symmetric(kind, sizes[s]);
            check_eigen(context, sizes[s], a);
            free(a);
        }
    cafe_context_free(context);
}

/* Known values, of any size of the entries. */
static void test_eigen_sizes(void **unused) {
    enum { K = 40 };
    cafe_context *context = test_context(1, 1);
    double values[K];
    (void)unused;
    for (int exponent = -1000; exponent <= 1000; exponent += 500) {
        double *a = symmetric(3, K);
        for (int64_t i = 0; i < K * K; i++) a[i] = ldexp(a[i], exponent);
        TEST_OK(context, cafe_dense_eigen(context, K, a, values));
        for (int64_t j = 0; j < K; j++)
            assert_true(fabs(ldexp(values[j], -exponent) - (j < K / 2 ? 1 : -1)) < 1e-13);
        free(a);
    }
    cafe_context_free(context);
}

static void test_eigen_large(void **unused) {
    enum { K = 1024 };
    cafe_context *context = test_context(1, 1);
    double *a = symmetric(KINDS - 1, K);
    (void)unused;
    check_eigen(context, K, a);
    free(a);
    cafe_context_free(context);
}

static void test_no_numbers(void **unused) {
    cafe_context *context = test_context(1, 1);
    double values[3], u[9], vt[9];
    (void)unused;
    for (int place = 0; place < 9; place++) {
        double a[9] = {1, 2, 3, 2, 5, 6, 3, 6, 9}, b[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        a[place] = b[place] = place % 2 ? NAN : INFINITY;
        assert_int_equal(cafe_dense_eigen(context, 3, a, values), CAFE_ERROR_NUMERIC);
        assert_int_equal(cafe_dense_singular(context, 3, 3, b, values, u, vt), CAFE_ERROR_NUMERIC);
    }
    cafe_context_free(context);
}

static void test_tridiagonal(void **unused) {
    enum { K = 200 };
    double diagonal[K], beside[K], pi = acos(-1);
    (void)unused;
    for (int i = 0; i < K; i++) diagonal[i] = 2, beside[i] = -1;
    cafe_dense_tridiagonal(K, diagonal, beside);
    for (int i = 0; i < K; i++)
        assert_true(fabs(diagonal[i] - (2 - 2 * cos(pi * (i + 1) / (K + 1)))) < 1e-13);
}

/* ---- singular values ------------------------------------------------------------------------- */

static double *rectangle(int kind, int64_t rows, int64_t columns) {
    int64_t least = rows < columns ? rows : columns;
    double *a = matrix(rows, columns), *q, *left;
    if (kind >= KNOWN) {
        for (int64_t i = 0; i < rows * columns; i++)
            a[i] = entry_of(kind, least, i / columns, i % columns);
        return a;
    }
    for (int64_t i = 0; i < least; i++) a[i * columns + i] = value_of(kind, least, i);
    q = orthogonal(rows);
    left = times(false, rows, rows, columns, q, a);
    free(q), free(a);
    q = orthogonal(columns);
    a = times(false, rows, columns, columns, left, q);
    free(q), free(left);
    return a;
}

static void transpose(int64_t rows, int64_t columns, const double *a, double *b) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) b[j * rows + i] = a[i * columns + j];
}

/* A = U diag(values) V^T with orthonormal columns, values descending and those of LAPACK. */
static void check_singular(cafe_context *context, int64_t rows, int64_t columns, const double *a) {
    int64_t least = rows < columns ? rows : columns, most = rows > columns ? rows : columns;
    double size = largest(rows * columns, a), rounding = 32 * (double)most * DBL_EPSILON;
    double *turned = matrix(rows, columns), *u = matrix(rows, least), *vt = matrix(columns, least);
    double *values = matrix(least, 1), *alone = matrix(least, 1), *left = matrix(rows, least);
    double *right = matrix(least, columns);
    transpose(rows, columns, a, turned); /* column-major */
    TEST_OK(context, cafe_dense_singular(context, rows, columns, turned, values, u, vt));
    transpose(rows, columns, a, turned);
    TEST_OK(context, test_lapack_singular(context, rows, columns, turned, alone));
    transpose(least, rows, u, left); /* rows x least, row-major */
    transpose(columns, least, vt, right);
    assert_true(defect(rows, least, left) <= rounding);
    assert_true(defect(columns, least, vt) <= rounding);
    for (int64_t j = 0; j < least; j++) {
        assert_true(values[j] >= 0 && (j == 0 || values[j] <= values[j - 1]));
        assert_true(fabs(values[j] - alone[j]) <= rounding * size);
        for (int64_t i = 0; i < rows; i++) left[i * least + j] *= values[j];
    }
    double *product = times(false, rows, least, columns, left, right);
    for (int64_t i = 0; i < rows * columns; i++)
        assert_true(fabs(product[i] - a[i]) <= rounding * size);
    free(turned), free(u), free(vt), free(values), free(alone), free(left), free(right);
    free(product);
}

static void test_singular(void **unused) {
    static const int64_t sizes[][2] = {{1, 1}, {2, 1},   {1, 3},   {2, 2},    {5, 5},
                                       {7, 3}, {33, 33}, {40, 65}, {128, 34}, {100, 100}};
    cafe_context *context = test_context(1, 1);
    (void)unused;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kind = 0; kind < KINDS; kind++) {
            double *a = rectangle(kind, sizes[s][0], sizes[s][1]);
            check_singular(context, sizes[s][0], sizes[s][1], a);
            free(a);
        }
    cafe_context_free(context);
}

/* ---- bits and memory ------------------------------------------------------------------------- */

/* The loops of all instruction sets give the same bits. */
static void test_loops(void **unused) {
    enum { ROWS = 11, COLUMNS = 37 };
    const cafe_products *plain = cafe_kernels_named("plain")->products,
                        *best = cafe_kernels_best()->products;
    double a[2][ROWS * COLUMNS], y[2][COLUMNS], x[ROWS], w[COLUMNS], u[COLUMNS];
    double rows[2][(ROWS + 1) * CAFE_ROTATED], pairs[2 * ROWS];
    (void)unused;
    for (int i = 0; i < ROWS * COLUMNS; i++) a[0][i] = a[1][i] = draw();
    for (int i = 0; i < COLUMNS; i++) y[0][i] = y[1][i] = draw(), w[i] = draw(), u[i] = draw();
    for (int i = 0; i < ROWS; i++) x[i] = draw();
    for (int i = 0; i < 2 * ROWS; i++) pairs[i] = draw();
    for (int i = 0; i < (ROWS + 1) * CAFE_ROTATED; i++) rows[0][i] = rows[1][i] = draw();
    for (int set = 0; set < 2; set++) {
        const cafe_products *p = set ? best : plain;
        p->add_rows(ROWS, COLUMNS, x, a[set], COLUMNS, y[set]);
        p->reflect(ROWS, COLUMNS - 1, x, w, 0.5, u, a[set], COLUMNS);
        p->rotate(ROWS, 0, pairs, rows[set]);
        p->rotate(ROWS, 1, pairs, rows[set]);
    }
    assert_memory_equal(a[0], a[1], sizeof a[0]);
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(rows[0], rows[1], sizeof rows[0]);
}

static cafe_status both(cafe_context *context) {
    enum { K = 40 };
    double *a = symmetric(KINDS - 1, K), *b = matrix(K, K), values[K], u[K * K], vt[K * K];
    memcpy(b, a, K * K * sizeof *a);
    cafe_status status = cafe_dense_eigen(context, K, a, values);
    if (status == CAFE_OK) status = cafe_dense_singular(context, K, K, b, values, u, vt);
    free(a), free(b);
    return status;
}

static void test_failing_memory(void **unused) {
    test_failing memory;
    cafe_context *context = test_failing_context(&memory, 1);
    (void)unused;
    for (long k = 0;; k++) {
        long live = test_failing_arm(&memory, k);
        cafe_status status = both(context);
        int failed = test_failing_disarm(&memory);
        test_failing_expect(&memory, status, failed, live, context);
        if (!failed) break;
    }
    cafe_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigen),       cmocka_unit_test(test_eigen_sizes),
        cmocka_unit_test(test_eigen_large), cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_tridiagonal), cmocka_unit_test(test_singular),
        cmocka_unit_test(test_loops),       cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
