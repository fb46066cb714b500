/* The Rayleigh-Ritz step from one Gram matrix: used by solvers and by the choice of ends. What is
 * reported is measured by spectral/certificate.c.
 *
 * With W the weights of the inner product (I for Q, D = diag(p) for D^-1 Q), X the block, Z = M X:
 *
 *     G = X^T W X     T = X^T W Z     N = Z^T W Z
 *
 * are blocks of the Gram matrix of [X Z]. The Ritz pairs solve T s = rho G s, and for v = X s with
 * v^T W v = 1 the residual is
 *
 *     ||M v - rho v||^2 = s^T N s - 2 rho s^T T s + rho^2 s^T G s .
 *
 * M is symmetric in this inner product, so some eigenvalue lies within the residual of rho. The
 * cancellation in the sum limits residuals to about 1e-8 of the largest value: below what float32
 * vectors can have anyway.
 *
 * Tall blocks are first added up in single precision, 256 rows at a time. One such sum is wrong by
 * eps sqrt(256/18) = 2.3e-7 of ||x|| ||z|| in the mean square (spectral/rounding_error.c), and 256
 * of them or more by a sixteenth of it: 1.4e-8. The terms of the sum above are taken to be wrong by
 * 4e-7, twenty-eight times as much, and every residual is enlarged by that. Where one is too small
 * to drown it a hundred times, all is added up in double precision instead.
 */
#include "spectral/ritz.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"

cafe_status cafe_ritz_new(cafe_context *context, int64_t columns, cafe_ritz *ritz) {
    memset(ritz, 0, sizeof *ritz);
    ritz->columns = columns;
    ritz->values = cafe_mem_zero(context, columns, sizeof(double));
    ritz->residuals = cafe_mem_zero(context, columns, sizeof(double));
    ritz->column_values = cafe_mem_zero(context, columns, sizeof(double));
    ritz->column_residuals = cafe_mem_zero(context, columns, sizeof(double));
    ritz->vectors = cafe_mem_zero(context, columns * columns, sizeof(double));
    bool all = ritz->values && ritz->residuals && ritz->column_values && ritz->column_residuals &&
               ritz->vectors;
    if (all) return CAFE_OK;
    cafe_ritz_free(context, ritz);
    return CAFE_ERROR_MEMORY;
}

void cafe_ritz_free(cafe_context *context, cafe_ritz *ritz) {
    cafe_mem_free_all(context, ritz->values, ritz->residuals, ritz->column_values,
                      ritz->column_residuals, ritz->vectors);
    memset(ritz, 0, sizeof *ritz);
}

/* The small matrices, k x k each, in one piece of memory. */
typedef struct small {
    double *memory;
    double *gram;                 /* of [X Z]: 2k x 2k */
    double *g, *t, *n;            /* its blocks, T made symmetric */
    double *m, *half, *projected; /* of the reduced problem */
    int64_t *kept;
    double rounding; /* relative error of an entry of the Gram matrix */
    bool drowned;    /* rounding may dominate some residual */
} small;

static cafe_status small_new(cafe_context *context, int64_t k, small *s) {
    int64_t square = k * k;
    s->memory = cafe_mem(context, 10 * square, sizeof *s->memory);
    s->kept = cafe_mem(context, k, sizeof *s->kept);
    if (!s->memory || !s->kept) return CAFE_ERROR_MEMORY;
    double **parts[] = {&s->g, &s->t, &s->n, &s->m, &s->half, &s->projected};
    s->gram = s->memory;
    for (int i = 0; i < 6; i++) *parts[i] = s->memory + (4 + i) * square;
    return CAFE_OK;
}

/* G, T and N from the Gram matrix of [X Z]; T <- (T + T^T) / 2, because M is symmetric. */
static void split(int64_t k, small *s) {
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            const double *gram = s->gram;
            s->g[i * k + j] = gram[i * 2 * k + j];
            s->t[i * k + j] = (gram[i * 2 * k + k + j] + gram[j * 2 * k + k + i]) / 2;
            s->n[i * k + j] = gram[(k + i) * 2 * k + k + j];
        }
}

/* sqrt(n - 2 rho t + rho^2 g + error): the sum above plus a bound of its rounding, so a residual is
 * a bound and never 0 by cancellation. `size` is the sum of the sizes of the terms of n: if columns
 * nearly depend on each other, the terms cancel, and n itself may be below 0. */
static double residual(small *s, double n, double size, double t, double g, double rho) {
    double square = n - 2 * rho * t + rho * rho * g, error = s->rounding * (size + rho * rho * g);
    if (!(square > 100 * error)) s->drowned = true;
    return sqrt((square > 0 ? square : 0) + error);
}

/* Rayleigh quotient and residual of column j of the block, scaled to length 1. */
static void judge_columns(int64_t k, small *s, cafe_ritz *ritz) {
    for (int64_t j = 0; j < k; j++) {
        double g = s->g[j * k + j], t = s->t[j * k + j], n = s->n[j * k + j];
        double rho = g > 0 ? t / g : 0;
        ritz->column_values[j] = rho;
        ritz->column_residuals[j] = g > 0 ? residual(s, n, n, t, g, rho) / sqrt(g) : 0;
    }
}

/* Whitens the block (X M has orthonormal columns, M k x r), solves M^T T M = S diag(rho) S^T, and
 * maps the vectors back: M S. */
static cafe_status solve_small(cafe_context *context, int64_t k, double tolerance, small *s,
                               cafe_ritz *ritz) {
    int64_t r = cafe_dense_cholesky(k, s->g, tolerance, NULL, NULL, s->kept);
    ritz->pairs = r;
    if (r == 0) return CAFE_OK;
    cafe_dense_orthonormaliser(k, s->g, r, s->kept, s->m);
    cafe_dense_product(false, k, k, r, s->t, s->m, s->half);
    cafe_dense_product(true, r, k, r, s->m, s->half, s->projected);
    cafe_status status = cafe_dense_eigen(context, r, s->projected, ritz->values);
    if (status == CAFE_OK) cafe_dense_product(false, k, r, r, s->m, s->projected, ritz->vectors);
    return status;
}

/* The first column of which half as much is left as of the longest. So order decides between
 * columns that are alike. Its part is taken out of the others. -1: rounding is left of all. A is k
 * x k, `left` its diagonal. */
static int64_t take_longest(int64_t k, double *a, double *left) {
    const double least = CAFE_RANK_TOLERANCE * CAFE_RANK_TOLERANCE;
    double longest = 0;
    int64_t next = 0;
    for (int64_t j = 0; j < k; j++) longest = fmax(longest, left[j]);
    if (!(longest > least)) return -1;
    while (left[next] < longest / 4) next++;
    double root = sqrt(left[next]), *row = a + next * k;
    for (int64_t j = 0; j < k; j++) row[j] /= root;
    for (int64_t i = 0; i < k; i++) {
        if (!(left[i] > least) || i == next) continue;
        for (int64_t j = 0; j < k; j++) a[i * k + j] -= row[i] * row[j];
        left[i] = a[i * k + i];
    }
    left[next] = 0;
    return next;
}

/* The diagonal of G becomes 0 for columns without anything of their own. Long
 * remaining ones come first: in their order small new parts would carry the rounding of the columns
 * before, made large. */
static void leave_dependent(int64_t k, const double *gram, const double *floor, small *s) {
    double *a = s->half, *left = s->projected;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double lengths = floor[i] * floor[j] / (CAFE_RANK_TOLERANCE * CAFE_RANK_TOLERANCE);
            a[i * k + j] = lengths > 0 ? gram[i * k + j] / lengths : 0;
        }
    for (int64_t i = 0; i < k; i++) {
        left[i] = a[i * k + i];
        s->g[i * k + i] = 0;
    }
    for (int64_t i; (i = take_longest(k, a, left)) >= 0;) s->g[i * k + i] = gram[i * k + i];
}

/* Ritz pairs from given matrices: T s = rho G s on the columns that stay. */
cafe_status cafe_ritz_pairs(cafe_context *context, int64_t k, const double *g, const double *t,
                            const double *floor, cafe_ritz *ritz) {
    small s = {0};
    cafe_status status = small_new(context, k, &s);
    if (status == CAFE_OK) {
        memcpy(s.g, g, (size_t)(k * k) * sizeof *g);
        memcpy(s.t, t, (size_t)(k * k) * sizeof *t);
        leave_dependent(k, g, floor, &s);
        status = solve_small(context, k, 0, &s, ritz);
    }
    cafe_mem_free_all(context, s.memory, s.kept);
    return status;
}

/* By construction s^T T s = rho and s^T G s = 1. */
static void find_residuals(int64_t k, small *s, cafe_ritz *ritz) {
    int64_t r = ritz->pairs;
    if (r > 0) cafe_dense_product(false, k, k, r, s->n, ritz->vectors, s->half);
    for (int64_t j = 0; j < r; j++) {
        double n = 0, size = 0;
        for (int64_t i = 0; i < k; i++) {
            double term = ritz->vectors[i * r + j] * s->half[i * r + j];
            n += term;
            size += fabs(term);
        }
        ritz->residuals[j] = residual(s, n, size, ritz->values[j], 1, ritz->values[j]);
    }
}

/* One solution from sums in single or double precision; s->drowned reports residuals that rounding
 * of the sums may dominate. */
static cafe_status solve_once(cafe_context *context, const cafe_block *x, const cafe_block *z,
                              const double *weights, bool single, small *s, cafe_ritz *ritz) {
    int64_t k = x->columns;
    s->rounding = single ? 4e-7 : 4e-15;
    s->drowned = false;
    CAFE_PASS(cafe_ops(x)->gram(context, x, z, weights, single, s->gram));
    split(k, s);
    judge_columns(k, s, ritz);
    CAFE_PASS(solve_small(context, k, CAFE_RANK_TOLERANCE, s, ritz));
    find_residuals(k, s, ritz);
    return CAFE_OK;
}

cafe_status cafe_ritz_solve(cafe_context *context, const cafe_block *x, const cafe_block *z,
                            const double *weights, cafe_ritz *ritz) {
    bool single = x->n >= CAFE_TALL;
    small s = {0};
    cafe_status status = small_new(context, x->columns, &s);
    if (status == CAFE_OK && single) status = solve_once(context, x, z, weights, true, &s, ritz);
    if (status == CAFE_OK && (!single || s.drowned))
        status = solve_once(context, x, z, weights, false, &s, ritz);
    cafe_mem_free_all(context, s.memory, s.kept);
    return status;
}

/* X <- X S_keep */
cafe_status cafe_rotate(cafe_context *context, cafe_block *x, const cafe_ritz *ritz, int64_t keep) {
    double *m = cafe_mem(context, ritz->columns * keep, sizeof *m);
    if (!m) return CAFE_ERROR_MEMORY;
    for (int64_t i = 0; i < ritz->columns; i++)
        memcpy(m + i * keep, ritz->vectors + i * ritz->pairs, (size_t)keep * sizeof *m);
    cafe_status status = cafe_ops(x)->transform(context, x, keep, m, NULL, NULL);
    cafe_mem_free(context, m);
    return status;
}
