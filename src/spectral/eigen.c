/* Block Lanczos with thick restarts (Wu and Simon 2000; the block form of Baker, Dean and others).
 *
 * The basis V has orthonormal columns; T = V^T M V is formed exactly, column by column, and
 *
 *     M V = V T + W E^T,     W orthogonal to V, E the last block of columns
 *
 * holds throughout. A Ritz pair (theta, V s) therefore has the residual |W s_last|, which is known
 * without a product: s_last^T (W^T W) s_last. When V is full, the most wanted Ritz vectors replace
 * it (T becomes diagonal) and the expansion goes on with W, so that nothing learnt is lost.
 *
 * Blocks find multiple eigenvalues and share a pass over the matrix, and over V, between eight
 * vectors; both ends of the spectrum come in one run in any order of preference. There is no state
 * outside the run. Small problems are written out and given to LAPACK.
 */
#include "spectral/eigen.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "engine/dense.h"
#include "spectral/basis.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    LEAST_EXTRA = 48, /* columns of V besides two per pair: at least, */
    MOST_EXTRA = 96,  /* and at most, where V takes less than SMALL_BASIS bytes */
    SMALL_BASIS = 256 << 20,
    MOST_PASSES = 1500,
    FIRST_LOOK = 100, /* passes after which a run without hope is given up; */
    LARGE = 1 << 30,  /* or sooner, when so many numbers of V have been read */
    LOOK_BLOCKS = 8   /* passes of the last look for what was missed */
};
/* No residual is resolved below this share of |M|. */
static const double rounding = 1e-14;

double cafe_want_largest(const void *argument, double value) {
    (void)argument;
    return value;
}

double cafe_want_smallest(const void *argument, double value) {
    (void)argument;
    return -value;
}

double cafe_want_size(const void *argument, double value) {
    (void)argument;
    return fabs(value);
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct krylov {
    const cafe_eigen_problem *problem;
    int64_t n, count;
    cafe_basis basis;               /* V, its next block P, and W */
    int64_t last, passes;           /* first column of the last block; products made */
    double *t, *s, *theta, *chosen; /* all of the order of V's columns: T, its eigenpairs */
    int64_t *order;                 /* Ritz pairs, most wanted first */
    double gram[WIDTH * WIDTH];     /* W^T W */
} krylov;

static int64_t basis_columns(int64_t n, int64_t count) {
    int64_t extra = SMALL_BASIS / (n * (int64_t)sizeof(double)) - 2 * count;
    if (extra > MOST_EXTRA) extra = MOST_EXTRA;
    if (extra < LEAST_EXTRA) extra = LEAST_EXTRA;
    return 2 * count + extra;
}

static bool is_small(int64_t n, int64_t count) {
    return n <= CAFE_EIGEN_SMALL || n <= basis_columns(n, count);
}

static void free_krylov(cafe_context *context, krylov *k) {
    cafe_basis_free(context, &k->basis);
    cafe_mem_free_all(context, k->t, k->s, k->theta, k->chosen, k->order);
}

static cafe_status new_krylov(cafe_context *context, const cafe_eigen_problem *problem, krylov *k) {
    int64_t most = basis_columns(problem->n, problem->count);
    double limit = fmin(fmax(problem->tolerance / 100, rounding), 1e-9);
    *k = (krylov){.problem = problem, .n = problem->n, .count = problem->count};
    k->t = cafe_mem_zero(context, most * most, sizeof *k->t);
    k->s = cafe_mem(context, most * most, sizeof *k->s);
    k->chosen = cafe_mem(context, most * most, sizeof *k->chosen);
    k->theta = cafe_mem(context, most, sizeof *k->theta);
    k->order = cafe_mem(context, most, sizeof *k->order);
    cafe_status status = cafe_basis_new(context, k->n, most, limit, &k->basis);
    bool all = k->t && k->s && k->theta && k->chosen && k->order;
    return all ? status : CAFE_ERROR_MEMORY;
}

int64_t cafe_eigen_bytes(int64_t n, int64_t count, int64_t threads) {
    int64_t most = basis_columns(n, count), result = n * count + 2 * count;
    int64_t small = 3 * n * n + 3 * WIDTH * n, dense = 5 * most * most;
    int64_t large = cafe_basis_doubles(n, most, threads) + dense;
    return (result + (is_small(n, count) ? small : large)) * (int64_t)sizeof(double);
}

/* ---- the expansion --------------------------------------------------------------------------- */

/* T's columns of the last block are V^T M P; within the block the two halves are averaged. */
static void put_columns(krylov *k) {
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

static cafe_status expand(cafe_context *context, krylov *k) {
    const cafe_eigen_problem *problem = k->problem;
    k->last = k->basis.used;
    CAFE_PASS(cafe_basis_append(context, &k->basis));
    CAFE_PASS(problem->product(context, problem->argument, k->basis.p, k->basis.w));
    cafe_step(context, ++k->passes, 0);
    CAFE_PASS(cafe_basis_project(context, &k->basis));
    put_columns(k);
    return CAFE_OK;
}

/* ---- Ritz pairs ------------------------------------------------------------------------------ */

/* order[]: the values, the most wanted first. */
static void rank_values(const cafe_eigen_problem *problem, int64_t count, const double *values,
                        int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i;
        double here = problem->want(problem->argument, values[i]);
        for (; j > 0 && problem->want(problem->argument, values[order[j - 1]]) < here; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
}

/* T = S diag(theta) S^T, S used x used. */
static cafe_status ritz(cafe_context *context, krylov *k) {
    for (int64_t i = 0; i < k->basis.used; i++)
        memcpy(k->s + i * k->basis.used, k->t + i * k->basis.most,
               (size_t)k->basis.used * sizeof *k->s);
    CAFE_PASS(cafe_dense_eigen(context, k->basis.used, k->s, k->theta));
    rank_values(k->problem, k->basis.used, k->theta, k->order);
    k->basis.scale =
        fmax(k->basis.scale, fmax(fabs(k->theta[0]), fabs(k->theta[k->basis.used - 1])));
    return CAFE_OK;
}

/* |M V s - theta V s| = |W s_last| */
static double residual(const krylov *k, int64_t pair) {
    double sum = 0;
    const double *s = k->s + k->last * k->basis.used + pair;
    for (int64_t i = 0; i < k->basis.used - k->last; i++)
        for (int64_t j = 0; j < k->basis.used - k->last; j++)
            sum += s[i * k->basis.used] * k->gram[i * WIDTH + j] * s[j * k->basis.used];
    return sqrt(fmax(sum, 0));
}

/* How far the wanted pairs are from the tolerance: the mean over them of the powers of e that their
 * residuals have to fall by. */
static double distance(const krylov *k, double tolerance) {
    double sum = 0;
    for (int64_t j = 0; j < k->count; j++)
        sum += fmax(0, log(residual(k, k->order[j]) / (tolerance * k->basis.scale)));
    return sum / (double)k->count;
}

/* The `keep` most wanted columns of S. */
static void choose(krylov *k, int64_t keep) {
    for (int64_t i = 0; i < k->basis.used; i++)
        for (int64_t j = 0; j < keep; j++)
            k->chosen[i * keep + j] = k->s[i * k->basis.used + k->order[j]];
}

/* V <- the `keep` most wanted Ritz vectors, T <- their values. */
static cafe_status restart(cafe_context *context, krylov *k, int64_t keep) {
    choose(k, keep);
    cafe_status status = cafe_basis_rotate(context, &k->basis, keep, k->chosen, NULL);
    memset(k->t, 0, (size_t)(k->basis.most * k->basis.most) * sizeof *k->t);
    for (int64_t j = 0; j < keep; j++) k->t[j * k->basis.most + j] = k->theta[k->order[j]];
    return status;
}

/* ---- the iteration --------------------------------------------------------------------------- */

/* Until V has no room for a block, or spans everything, or so many blocks have been added. */
static cafe_status fill(cafe_context *context, krylov *k, int64_t blocks) {
    for (; blocks > 0 && k->basis.width > 0; blocks--) {
        if (k->basis.used + k->basis.width > k->basis.most) break;
        CAFE_PASS(expand(context, k));
        CAFE_PASS(cafe_basis_next(context, &k->basis, k->gram));
    }
    return ritz(context, k);
}

/* How the distance has fallen: looks at passes that grow by half each time. */
typedef struct pace {
    double then, gain; /* the distance at the last look, and what it had fallen by since the one
                        * before */
    int64_t since, looks;
} pace;

/* What D more looks gain. Where eigenvalues crowd at the end, residuals fall as a power of the
 * passes: by the same factor from look to look. Elsewhere they fall faster and faster, by r > 1
 * times what they fell before:
 *
 *     gain (r + r^2 + ... + r^D),     r = max(1, gain / the gain before) . */
static double gain_ahead(const krylov *k, double gain, double before, int64_t most) {
    double r = before > 0 ? fmax(1, gain / before) : 1, sum = 0;
    for (double at = 1.5 * (double)k->passes; at < (double)most; at *= 1.5) sum += gain *= r;
    return sum;
}

/* Will twice the limit not do? At the pace of late, after some passes; or, where passes are long,
 * by what is ahead: on short paths a power of the passes becomes a fast end. */
static bool hopeless(const krylov *k, double now, int64_t most, pace *p) {
    if (p->looks > 0 && 2 * k->passes < 3 * p->since) return false;
    double gain = p->then - now, passes = (double)k->passes, ahead;
    ahead = 2 * gain * ((double)most - passes) / (passes - (double)p->since);
    bool slow = p->looks > 0 && k->passes >= FIRST_LOOK && ahead < now;
    ahead = 2 * gain_ahead(k, gain, p->gain, most);
    bool large = passes * (double)k->n * (double)k->basis.most > LARGE;
    slow |= p->looks > 1 && large && ahead < now;
    *p = (pace){now, gain, k->passes, p->looks + 1};
    return slow;
}

static double want(const krylov *k, double value) {
    return k->problem->want(k->problem->argument, value);
}

/* A block holds eight vectors of an eigenvalue that comes more often, and rounding has to find the
 * others. So what is wanted is kept, and a few passes from new random vectors show whether they
 * find something that is wanted more. */
static cafe_status look_again(cafe_context *context, krylov *k, double tolerance, bool *more) {
    double before = want(k, k->theta[k->order[k->count - 1]]);
    *more = false;
    if (k->count <= WIDTH || k->basis.width == 0) return CAFE_OK;
    CAFE_PASS(restart(context, k, k->count));
    memset(k->basis.w, 0, (size_t)(k->n * WIDTH) * sizeof *k->basis.w);
    CAFE_PASS(cafe_basis_next(context, &k->basis, k->gram));
    CAFE_PASS(fill(context, k, LOOK_BLOCKS));
    double ends = fmax(fabs(want(k, k->theta[0])), fabs(want(k, k->theta[k->basis.used - 1])));
    *more = want(k, k->theta[k->order[k->count - 1]]) > before + 10 * tolerance * ends;
    return CAFE_OK;
}

static cafe_status iterate(cafe_context *context, krylov *k) {
    double tolerance = fmax(k->problem->tolerance, rounding);
    int64_t most = k->problem->passes > 0 ? k->problem->passes : MOST_PASSES;
    int64_t keep = k->count + (k->basis.most - k->count) / 3;
    pace p = {0};
    bool more = true;
    cafe_basis_draw(context, &k->basis);
    CAFE_PASS(cafe_basis_next(context, &k->basis, k->gram));
    for (;;) {
        CAFE_PASS(fill(context, k, INT64_MAX));
        double now = distance(k, tolerance);
        cafe_step(context, k->passes, residual(k, k->order[k->count - 1]) / k->basis.scale);
        if (!(now > 0)) {
            CAFE_PASS(look_again(context, k, tolerance, &more));
            if (!more) break;
            p = (pace){0};
        }
        if (k->basis.width == 0 || k->passes >= most || hopeless(k, now, most, &p)) break;
        CAFE_PASS(restart(context, k, keep < k->basis.used ? keep : k->basis.used));
    }
    return CAFE_OK;
}

/* ---- what is returned ------------------------------------------------------------------------ */

/* The sign of an eigenvector is free: its entry largest in size is made positive. */
static void orient(int64_t n, int64_t count, double *vectors) {
    for (int64_t j = 0; j < count; j++) {
        double largest = 0;
        for (int64_t u = 0; u < n; u++)
            if (fabs(vectors[u * count + j]) > fabs(largest)) largest = vectors[u * count + j];
        for (int64_t u = 0; u < n && largest < 0; u++) vectors[u * count + j] *= -1;
    }
}

/* Residuals of pairs first .. first + width - 1 by a product. */
static cafe_status measure(cafe_context *context, krylov *k, int64_t first, cafe_eigen *found) {
    const cafe_eigen_problem *problem = k->problem;
    int64_t left = found->count - first, width = left < WIDTH ? left : WIDTH;
    double square[WIDTH] = {0};
    memset(k->basis.p, 0, (size_t)(k->n * WIDTH) * sizeof *k->basis.p);
    for (int64_t u = 0; u < k->n; u++)
        memcpy(k->basis.p + u * WIDTH, found->vectors + u * found->count + first,
               (size_t)width * sizeof *k->basis.p);
    cafe_status status = problem->product(context, problem->argument, k->basis.p, k->basis.w);
    found->passes++;
    for (int64_t u = 0; u < k->n && status == CAFE_OK; u++)
        for (int64_t j = 0; j < width; j++) {
            double d =
                k->basis.w[u * WIDTH + j] - found->values[first + j] * k->basis.p[u * WIDTH + j];
            square[j] += d * d;
        }
    for (int64_t j = 0; j < width; j++) found->residuals[first + j] = sqrt(square[j]);
    return status;
}

static cafe_status solve_large(cafe_context *context, const cafe_eigen_problem *problem,
                               cafe_eigen *found) {
    krylov k;
    cafe_status status = new_krylov(context, problem, &k);
    CAFE_TRY(status);
    CAFE_TRY(iterate(context, &k));
    for (int64_t j = 0; j < k.count; j++) found->values[j] = k.theta[k.order[j]];
    choose(&k, k.count);
    CAFE_TRY(cafe_basis_rotate(context, &k.basis, k.count, k.chosen, found->vectors));
    orient(k.n, k.count, found->vectors);
    found->passes = k.passes;
    for (int64_t j = 0; j < k.count; j += WIDTH) CAFE_TRY(measure(context, &k, j, found));
    /* twice the tolerance: the estimate and the measure differ by rounding */
    double most = 2 * fmax(problem->tolerance, rounding) * k.basis.scale;
    found->norm = k.basis.scale;
    for (int64_t j = 0; j < k.count; j++) found->converged += found->residuals[j] <= most;
done:
    free_krylov(context, &k);
    return status;
}

/* M written out: columns u .. u + WIDTH - 1 are the product with as many unit vectors. */
static cafe_status write_out(cafe_context *context, const cafe_eigen_problem *problem, double *x,
                             double *y, double *m) {
    int64_t n = problem->n;
    for (int64_t first = 0; first < n; first += WIDTH) {
        int64_t width = n - first < WIDTH ? n - first : WIDTH;
        memset(x, 0, (size_t)(n * WIDTH) * sizeof *x);
        for (int64_t j = 0; j < width; j++) x[(first + j) * WIDTH + j] = 1;
        CAFE_PASS(problem->product(context, problem->argument, x, y));
        for (int64_t u = 0; u < n; u++)
            memcpy(m + u * n + first, y + u * WIDTH, (size_t)width * sizeof *m);
    }
    return CAFE_OK;
}

static cafe_status solve_small(cafe_context *context, const cafe_eigen_problem *problem,
                               cafe_eigen *found) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t n = problem->n, count = problem->count;
    double *m = cafe_mem(context, n * n, sizeof *m), *values = cafe_mem(context, n, sizeof *values);
    double *x = cafe_mem(context, 2 * n * WIDTH, sizeof *x);
    int64_t *order = cafe_mem(context, n, sizeof *order);
    if (!m || !values || !x || !order) goto done;
    CAFE_TRY(write_out(context, problem, x, x + n * WIDTH, m));
    CAFE_TRY(cafe_dense_eigen(context, n, m, values));
    rank_values(problem, n, values, order);
    for (int64_t j = 0; j < count; j++) {
        found->values[j] = values[order[j]];
        found->residuals[j] = 0;
        for (int64_t u = 0; u < n; u++) found->vectors[u * count + j] = m[u * n + order[j]];
    }
    orient(n, count, found->vectors);
    found->passes = cafe_blocks(n, WIDTH);
    found->exact = true;
    found->converged = count;
done:
    cafe_mem_free_all(context, m, values, x, order);
    return status;
}

void cafe_eigen_free(cafe_context *context, cafe_eigen *found) {
    cafe_mem_free_all(context, found->values, found->residuals, found->vectors);
    *found = (cafe_eigen){0};
}

cafe_status cafe_eigen_solve(cafe_context *context, const cafe_eigen_problem *problem,
                             cafe_eigen *found) {
    int64_t n = problem->n, count = problem->count;
    *found = (cafe_eigen){.count = count};
    found->values = cafe_mem(context, count, sizeof *found->values);
    found->residuals = cafe_mem(context, count, sizeof *found->residuals);
    found->vectors = cafe_mem(context, n * count, sizeof *found->vectors);
    cafe_status status =
        found->values && found->residuals && found->vectors ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        status = is_small(n, count) ? solve_small(context, problem, found)
                                    : solve_large(context, problem, found);
    if (status != CAFE_OK) cafe_eigen_free(context, found);
    return status;
}

cafe_status cafe_eigen_need_all(cafe_context *context, const cafe_eigen *found) {
    double worst = 0;
    if (found->converged == found->count) return CAFE_OK;
    for (int64_t j = 0; j < found->count; j++) worst = fmax(worst, found->residuals[j]);
    return cafe_fail(context, CAFE_ERROR_NUMERIC,
                     "%lld of %lld eigenpairs converged in %lld passes over the matrix, and more "
                     "passes would not do: the eigenvalues lie too close together. The residuals "
                     "reached are %.1e of its norm: a tolerance of %.0e would be met; fewer "
                     "columns need fewer passes",
                     (long long)found->converged, (long long)found->count, (long long)found->passes,
                     worst / found->norm, 1.5 * worst / found->norm);
}
