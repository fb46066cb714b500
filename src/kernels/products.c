/* Products of matrices, compiled once for each instruction set (CAFE_ISA) from one body.
 *
 * As in Goto and van de Geijn (ACM TOMS 34, 2008). A block of A and a panel of B are copied in the
 * order in which the innermost loop reads them. That loop keeps a tile of C in registers. Each
 * entry of C is in one lane of one register, so the shape of the tile changes no bits.
 */
#include "kernels/products.h"

#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
/* Builds with the thread sanitizer watch the copies of A and B, but not the innermost loops, which
 * would become about a hundred times slower. */
#define UNWATCHED __attribute__((no_sanitize("thread")))
#define INLINE    static inline __attribute__((always_inline)) UNWATCHED

/* Rows of a tile and bytes of a register. A tile has two registers a row; these, two of B, one of A
 * and one product fit into 16 registers. Processors that split 64-byte operations in two (Zen 4)
 * are faster with smaller registers. */
#if defined(__AVX__)
enum { TILE = 6, BYTES = 32 };
#else
enum { TILE = 4, BYTES = 16 };
#endif

enum {
    SEGMENT = CAFE_PRODUCT_SEGMENT,
    BLOCK = 36,  /* rows of a block of A: enough to repay the copy of B, few enough for a stack of
                    192 KB */
    AHEAD = 192, /* rows of A between a prefetch and its use, if rows are adjacent */
};

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

#define T              double
#define V              vd
#define NAME(function) function##_double
typedef double vd __attribute__((vector_size(BYTES), aligned(8), may_alias));
#include "kernels/products_body.h"
#undef T
#undef V
#undef NAME
#define T              float
#define V              vs
#define NAME(function) function##_single
typedef float vs __attribute__((vector_size(BYTES), aligned(4), may_alias));
#include "kernels/products_body.h"

/* ---- loops of dense factorisations ----------------------------------------------------------- */

UNWATCHED static void add_rows(int64_t rows, int64_t columns, const double *restrict x,
                               const double *restrict a, int64_t step, double *restrict y) {
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4, a += 4 * step) {
        const double *restrict b = a + step, *restrict c = b + step, *restrict d = c + step;
        double p = x[i], q = x[i + 1], r = x[i + 2], s = x[i + 3];
        for (int64_t j = 0; j < columns; j++)
            y[j] = (((y[j] + p * a[j]) + q * b[j]) + r * c[j]) + s * d[j];
    }
    for (; i < rows; i++, a += step)
        for (int64_t j = 0; j < columns; j++) y[j] += x[i] * a[j];
}

enum { SUMS = 8 }; /* of a dot product, whatever the registers */

/* row <- row - v w; returns <row, u>. */
INLINE double subtract(int64_t columns, double v, const double *restrict w,
                       const double *restrict u, double *restrict row) {
    double sum[SUMS] = {0};
    int64_t j = 0;
    for (; j + SUMS <= columns; j += SUMS)
        for (int l = 0; l < SUMS; l++) {
            row[j + l] -= v * w[j + l];
            sum[l] += row[j + l] * u[j + l];
        }
    for (int l = 0; j + l < columns; l++) {
        row[j + l] -= v * w[j + l];
        sum[l] += row[j + l] * u[j + l];
    }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

UNWATCHED static void reflect(int64_t rows, int64_t columns, const double *v,
                              const double *restrict w, double tau, const double *restrict u,
                              double *restrict a, int64_t step) {
    for (int64_t i = 0; i < rows; i++, a += step) {
        if (tau == 0) {
            for (int64_t j = 0; j < columns; j++) a[j] -= v[i] * w[j];
            continue;
        }
        double factor = tau * subtract(columns, v[i], w, u, a);
        for (int64_t j = 0; j < columns; j++) a[j] -= factor * u[j];
    }
}

enum { ROTATED = CAFE_ROTATED * (int)sizeof(double) / BYTES }; /* registers of a row */

/* The row that two rotations share stays in registers. */
UNWATCHED static void rotate(int64_t count, int backward, const double *pairs, double *rows) {
    vd shared[ROTATED];
    if (count <= 0) return;
    vd *at = (vd *)(rows + (backward ? count * CAFE_ROTATED : 0));
    for (int v = 0; v < ROTATED; v++) shared[v] = at[v];
    for (int64_t k = 0; k < count; k++) {
        int64_t i = backward ? count - 1 - k : k;
        const double c = pairs[2 * i], s = pairs[2 * i + 1];
        vd *x = (vd *)(rows + i * CAFE_ROTATED), *y = x + ROTATED;
        for (int v = 0; v < ROTATED; v++) {
            vd low = backward ? x[v] : shared[v], high = backward ? shared[v] : y[v];
            vd first = c * low + s * high, second = c * high - s * low;
            if (backward)
                y[v] = second, shared[v] = first;
            else
                x[v] = first, shared[v] = second;
        }
    }
    at = (vd *)(rows + (backward ? 0 : count * CAFE_ROTATED));
    for (int v = 0; v < ROTATED; v++) at[v] = shared[v];
}

extern const cafe_products JOIN(cafe_products_, CAFE_ISA);
const cafe_products JOIN(cafe_products_, CAFE_ISA) = {product_double, product_single, add_rows,
                                                      reflect, rotate};
