/* Cholesky-QR from Gram matrices and in-place products.
 *
 *     G = X^T W X = R^T R,   X <- X R^-1
 *
 * r_jj is the length of what column j adds to the columns before it. The column is left out if r_jj
 * is below CAFE_RANK_TOLERANCE of its length, or below noise_j / share, the length that errors may
 * have made.
 */
#include "spectral/orthonormal.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"
#include "spectral/rounding_error.h"

static double distance_from_identity(int64_t k, const double *gram) {
    double largest = 0;
    for (int64_t i = 0; i < k * k; i++) {
        double entry = fabs(gram[i] - (i / k == i % k));
        if (!(entry <= largest)) largest = entry;
    }
    return largest;
}

/* A Gram matrix being factored: the columns in the order they are taken, the factor in that order,
 * and the columns kept. */
typedef struct factor {
    int64_t k, rank;
    double *r, *m, *noise;
    int64_t *order, *kept, *places;
} factor;

static cafe_status new_factor(cafe_context *context, int64_t k, factor *f) {
    f->k = k, f->rank = 0;
    f->r = cafe_mem(context, k * k, sizeof *f->r);
    f->m = cafe_mem(context, k * k, sizeof *f->m);
    f->noise = cafe_mem(context, k, sizeof *f->noise);
    f->order = cafe_mem(context, k, sizeof *f->order);
    f->kept = cafe_mem(context, k, sizeof *f->kept);
    f->places = cafe_mem(context, k, sizeof *f->places);
    return cafe_mem_had(f->r, f->m, f->noise, f->order, f->kept, f->places);
}

static void free_factor(cafe_context *context, factor *f) {
    cafe_mem_free_all(context, f->r, f->m, f->noise, f->order, f->kept, f->places);
}

/* The kept columns first, in their order; then the others. */
static void set_order(factor *f) {
    int64_t at = 0;
    for (int64_t j = 0; j < f->k; j++) f->places[j] = 0;
    for (int64_t i = 0; i < f->rank; i++) f->places[f->order[at++] = f->kept[i]] = 1;
    for (int64_t j = 0; j < f->k; j++)
        if (!f->places[j]) f->order[at++] = j;
}

/* Factors in the order set, with `share` as the largest part of a column that may be noise. */
static void take_columns(factor *f, const double *gram, const double *noise, double share) {
    int64_t k = f->k;
    set_order(f);
    for (int64_t i = 0; i < k; i++) {
        if (noise) f->noise[i] = noise[f->order[i]] / share;
        for (int64_t j = 0; j < k; j++) f->r[i * k + j] = gram[f->order[i] * k + f->order[j]];
    }
    f->rank =
        cafe_dense_cholesky(k, f->r, CAFE_RANK_TOLERANCE, NULL, noise ? f->noise : NULL, f->places);
    for (int64_t i = 0; i < f->rank; i++) f->kept[i] = f->order[f->places[i]];
}

/* Columns clear of noise are taken first. What is left of the others may be clear beside them. The
 * order of columns decides which of them is the sum of the rest. */
static void find_factor(factor *f, const double *gram, const double *noise) {
    static const double shares[] = {CAFE_MOST_NOISE / 100, CAFE_MOST_NOISE / 10, CAFE_MOST_NOISE};
    for (int i = 0; i < (noise ? 3 : 1) && f->rank < f->k; i++)
        take_columns(f, gram, noise, shares[i]);
}

/* One round: the Gram matrix is factored and its factor divided out. */
static cafe_status divide_factor(cafe_context *context, cafe_block *x, const double *noise,
                                 const double *gram, int64_t *from) {
    factor f;
    cafe_status status = new_factor(context, x->columns, &f);
    if (status == CAFE_OK) {
        find_factor(&f, gram, noise);
        cafe_dense_orthonormaliser(f.k, f.r, f.rank, f.places, f.m);
        for (int64_t i = 0; i < f.rank; i++) /* only the rows of kept columns are not 0 */
            memmove(f.m + i * f.rank, f.m + f.places[i] * f.rank, (size_t)f.rank * sizeof *f.m);
        for (int64_t i = 0; from && i < f.rank; i++) f.order[i] = from[f.kept[i]];
        if (from) memcpy(from, f.order, (size_t)f.rank * sizeof *from);
        status = cafe_ops(x)->transform(context, x, f.rank, f.m, f.kept, NULL);
    }
    free_factor(context, &f);
    return status;
}

/* Cholesky-QR, repeated: G = X^T W X = R^T R, X <- X R^-1. In exact arithmetic one round is enough.
 * Rounding needs more, at most MOST_ROUNDS, if columns nearly depend on each other, until
 *
 *     max |X^T W X - I| <= 2e-6.
 */
cafe_status cafe_tall_orthonormalise(cafe_context *context, cafe_block *x, const double *weights,
                                     const double *noise, int64_t *from, double *error) {
    enum { MOST_ROUNDS = 4 };
    const double good = 2e-6; /* float32 rounding of the entries leaves about 1e-7 */
    cafe_status status = CAFE_ERROR_MEMORY;
    double *gram = cafe_mem(context, x->columns * x->columns, sizeof *gram);
    if (!gram) return status;
    for (int64_t j = 0; from && j < x->columns; j++) from[j] = j;
    for (int round = 0;; round++) {
        CAFE_TRY(cafe_ops(x)->gram(context, x, NULL, weights, false, gram));
        *error = distance_from_identity(x->columns, gram);
        if ((*error <= good) || round == MOST_ROUNDS || x->columns == 0) break;
        CAFE_TRY(divide_factor(context, x, round == 0 ? noise : NULL, gram, from));
    }
done:
    cafe_mem_free(context, gram);
    return status;
}

/* error = max over i, j of |<x_i, x_j>_W - (i == j)| */
cafe_status cafe_tall_orthogonality(cafe_context *context, const cafe_block *x,
                                    const double *weights, double *error) {
    double *gram = cafe_mem(context, x->columns * x->columns, sizeof *gram);
    if (!gram) return CAFE_ERROR_MEMORY;
    cafe_status status = cafe_ops(x)->gram(context, x, NULL, weights, false, gram);
    *error = status == CAFE_OK ? distance_from_identity(x->columns, gram) : 0;
    cafe_mem_free(context, gram);
    return status;
}
