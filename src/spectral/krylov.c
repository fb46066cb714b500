/* Block Lanczos with thick restarts (Wu and Simon 2000; the block form of Baker, Dean and others).
 *
 * The basis V has orthonormal columns; T = V^T M V is formed exactly, column by column, and
 *
 *     M V = V T + W E^T,     W orthogonal to V, E the last block of columns
 *
 * holds throughout. A Ritz pair (theta, V s) therefore has the residual |W s_last|, which is known
 * without a product: s_last^T (W^T W) s_last. When V is full, the most wanted Ritz vectors replace
 * it (T becomes diagonal) and the expansion goes on with W, so that nothing learnt is lost.
 */
#include "spectral/krylov.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    EXTRA = 64 /* columns of V besides two per pair */
};
/* Single precision is asked for more than what is to be kept. */
static const double stricter = 0.7;

int64_t cafe_krylov_columns(int64_t count) {
    return cafe_whole_blocks(2 * count + EXTRA);
}

void cafe_krylov_free(cafe_context *context, cafe_krylov *k) {
    cafe_basis_free(context, &k->basis);
    cafe_filter_free(context, &k->filter);
    cafe_mem_free_all(context, k->t, k->s, k->theta, k->chosen, k->order);
    cafe_mem_free(context, k->values);
}

cafe_status cafe_krylov_new(cafe_context *context, const cafe_eigen_problem *problem, bool single,
                            cafe_krylov *k) {
    int64_t most = cafe_krylov_columns(problem->count);
    double tolerance = fmax(problem->tolerance, CAFE_KRYLOV_ROUNDING) * (single ? stricter : 1);
    *k = (cafe_krylov){problem, cafe_eigen_rows(problem), problem->count, single,
                       .tolerance = tolerance};
    k->filter = (cafe_filter){.degree = 1, .single = single, .sign = 1};
    k->t = cafe_mem_zero(context, most * most, sizeof *k->t);
    k->s = cafe_mem(context, most * most, sizeof *k->s);
    k->chosen = cafe_mem(context, most * most, sizeof *k->chosen);
    k->theta = cafe_mem(context, most, sizeof *k->theta);
    k->order = cafe_mem(context, most, sizeof *k->order);
    k->values = cafe_mem(context, most, sizeof *k->values);
    cafe_status status = cafe_basis_new(context, &k->rows, most, single, &k->basis);
    bool all = k->t && k->s && k->theta && k->chosen && k->order && k->values;
    return all ? status : CAFE_ERROR_MEMORY;
}

/* ---- the expansion --------------------------------------------------------------------------- */

/* T's columns of the last block are V^T M P; within the block the two halves are averaged. */
static void put_columns(cafe_krylov *k) {
    for (int64_t i = 0; i < k->basis.used; i++)
        for (int64_t j = 0; j < k->basis.used - k->last; j++)
            k->t[i * k->basis.most + k->last + j] = k->basis.c[i * WIDTH + j];
    for (int64_t j = k->last; j < k->basis.used; j++)
        for (int64_t i = 0; i < j; i++) {
            double *upper = k->t + i * k->basis.most + j, *lower = k->t + j * k->basis.most + i;
            if (i >= k->last) *upper = (*upper + *lower) / 2;
            *lower = *upper;
        }
    for (int64_t j = k->last; j < k->basis.used; j++)
        k->basis.scale = fmax(k->basis.scale, fabs(k->t[j * k->basis.most + j]));
}

/* One step of block Lanczos. With P the newest block, V <- [V P] and
 *
 *     W = M P - V (V^T M P),   T's new columns = V^T M P,   P' R = W (QR),
 *
 * where M is the map or its filter. The invariant of the file's comment holds again, with E the
 * block of P.
 */
static cafe_status expand(cafe_context *context, cafe_krylov *k) {
    const cafe_eigen_problem *problem = k->problem;
    const void *p = cafe_basis_block(&k->basis);
    k->last = k->basis.used;
    cafe_basis_append(&k->basis);
    if (k->filter.degree > 1)
        CAFE_PASS(cafe_filter_apply(context, problem, &k->filter, p, &k->basis.w));
    else if (k->single)
        CAFE_PASS(problem->single(context, problem->argument, p, k->basis.w));
    else
        CAFE_PASS(problem->product(context, problem->argument, p, k->basis.w));
    k->passes += k->filter.degree;
    cafe_step(context, k->passes, 0);
    CAFE_PASS(cafe_basis_project(context, &k->basis));
    memcpy(k->gram, k->basis.gram, sizeof k->gram);
    put_columns(k);
    return cafe_basis_next(context, &k->basis);
}

/* ---- Ritz pairs ------------------------------------------------------------------------------ */

/* order <- the indices of values by falling want(value), stable, by insertion: values are nearly in
 * order. */
void cafe_krylov_rank(const cafe_eigen_problem *problem, int64_t count, const double *values,
                      int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i;
        double here = problem->want(problem->argument, values[i]);
        for (; j > 0 && problem->want(problem->argument, values[order[j - 1]]) < here; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

/* The filter's values fall with the wish already: T_degree grows beyond the unwanted part. */
double cafe_krylov_want(const cafe_krylov *k, double value) {
    return k->filter.degree > 1 ? value : k->problem->want(k->problem->argument, value);
}

/* sum over the wanted pairs of want(theta). It grows if the search finds a pair that is wanted
 * more. */
double cafe_krylov_sum(const cafe_krylov *k) {
    double sum = 0;
    for (int64_t j = 0; j < k->count; j++) sum += cafe_krylov_want(k, k->theta[k->order[j]]);
    return sum;
}

/* T = S diag(theta) S^T, S used x used. */
static cafe_status ritz(cafe_context *context, cafe_krylov *k) {
    for (int64_t i = 0; i < k->basis.used; i++)
        memcpy(k->s + i * k->basis.used, k->t + i * k->basis.most,
               (size_t)k->basis.used * sizeof *k->s);
    CAFE_PASS(cafe_dense_eigen(context, k->basis.used, k->s, k->theta));
    k->basis.scale =
        fmax(k->basis.scale, fmax(fabs(k->theta[0]), fabs(k->theta[k->basis.used - 1])));
    if (k->filter.degree == 1) {
        k->norm = k->basis.scale;
        cafe_krylov_rank(k->problem, k->basis.used, k->theta, k->order);
    } else
        for (int64_t i = 0; i < k->basis.used; i++) k->order[i] = i; /* they descend */
    return CAFE_OK;
}

/* |M V s - theta V s| = |W s_last| */
double cafe_krylov_residual(const cafe_krylov *k, int64_t pair) {
    double sum = 0;
    const double *s = k->s + k->last * k->basis.used + pair;
    for (int64_t i = 0; i < k->basis.used - k->last; i++)
        for (int64_t j = 0; j < k->basis.used - k->last; j++)
            sum += s[i * k->basis.used] * k->gram[i * WIDTH + j] * s[j * k->basis.used];
    return sqrt(fmax(sum, 0));
}

/* The residual that a pair may have. With p the filter, a share of the eigenvector of mu makes a
 * residual of |lambda - mu| with M and of |p(lambda) - p(mu)| with p(M). This is p'(lambda) times
 * as much for mu near by, and p(lambda) over half the unwanted part for mu far away. Both count, so
 * it is the mean of the two, and what is found is measured. When that was too much, it is what the
 * least chord of p, to the far end of the unwanted part, makes sure of. */
double cafe_krylov_allowed(const cafe_krylov *k, int64_t pair) {
    const cafe_filter *f = &k->filter;
    double most = k->tolerance * k->norm, p = fmax(1 + 1e-9, k->theta[pair]);
    if (f->degree == 1) return most;
    double x = cosh(acosh(p) / (double)f->degree);
    double slope = (double)f->degree * sqrt((p * p - 1) / (x * x - 1));
    return most / f->half * (k->careful ? (p - 1) / (x + 1) : sqrt(p * slope));
}

/* (1 / count) sum over the wanted pairs of max(0, log(residual / (share allowed))) */
double cafe_krylov_distance(const cafe_krylov *k, double share) {
    double sum = 0;
    for (int64_t j = 0; j < k->count; j++)
        sum += fmax(0, log(cafe_krylov_residual(k, k->order[j]) /
                           (share * cafe_krylov_allowed(k, k->order[j]))));
    return sum / (double)k->count;
}

/* ---- restarts -------------------------------------------------------------------------------- */

void cafe_krylov_choose(cafe_krylov *k, int64_t keep) {
    for (int64_t i = 0; i < k->basis.used; i++)
        for (int64_t j = 0; j < keep; j++)
            k->chosen[i * keep + j] = k->s[i * k->basis.used + k->order[j]];
}

/* V <- V S_keep, T <- diag(theta_keep). Because M V S = V S diag(theta) + W E^T S, the invariant
 * holds with E^T S_keep in the place of E^T. The next expansion computes these entries of T as V^T
 * M P. */
cafe_status cafe_krylov_restart(cafe_context *context, cafe_krylov *k, int64_t keep) {
    cafe_krylov_choose(k, keep);
    cafe_status status = cafe_basis_rotate(context, &k->basis, keep, k->chosen, NULL);
    memset(k->t, 0, (size_t)(k->basis.most * k->basis.most) * sizeof *k->t);
    for (int64_t j = 0; j < keep; j++) k->t[j * k->basis.most + j] = k->theta[k->order[j]];
    return status;
}

cafe_status cafe_krylov_fill(cafe_context *context, cafe_krylov *k, int64_t blocks) {
    for (; blocks > 0 && k->basis.used < k->basis.most; blocks--) CAFE_PASS(expand(context, k));
    return ritz(context, k);
}

/* P <- a random block, made orthogonal to V and orthonormal. */
cafe_status cafe_krylov_start(cafe_context *context, cafe_krylov *k) {
    CAFE_PASS(cafe_basis_draw(context, &k->basis));
    CAFE_PASS(cafe_basis_project(context, &k->basis));
    return cafe_basis_next(context, &k->basis);
}
