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
 * Where the gaps are so small that many passes lie ahead, V starts again and belongs to a
 * polynomial of M (spectral/filter.h): a block then takes several products, and V grows and is
 * turned so many times less often (the filtered Lanczos procedure of Fang and Saad, 2012).
 *
 * Numbers are floats where the tolerance allows; what is returned is measured in double precision,
 * and the run goes on, or is made again with doubles, when it is not what was asked for.
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
#include "spectral/filter.h"
#include "spectral/outcome.h"

enum {
    WIDTH = CAFE_EIGEN_WIDTH,
    EXTRA = 64, /* columns of V besides two per pair; */
    KEPT = 24,  /* Ritz vectors that a restart keeps besides the wanted ones */
    MOST_PASSES = 1500,
    FIRST_LOOK = 100, /* passes after which a run without hope is given up; */
    LARGE = 1 << 30,  /* or sooner, when so many numbers of V have been read */
    LOOK_BLOCKS = 8,  /* passes of the last look for what was missed */
    MOST_DEGREE = 9,  /* of the filter, which is there when so many passes */
    LONG_WAY = 80,    /* lie ahead without it */
    SHORT_STEP = 2    /* passes between two looks at the residuals when they are close */
};
/* No residual is resolved below this share of |M|; single precision serves from `least_single` on,
 * and is asked for more than what is to be kept. */
static const double rounding = 1e-14, least_single = 1e-6, stricter = 0.7;
/* By so much the filter favours the first eigenvalue at most, and the last one that is wanted at
 * least. */
static const double most_growth = 20, least_growth = 1.5;

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
    cafe_owned rows; /* of V */
    int64_t count;
    bool single;
    double tolerance;
    cafe_filter filter; /* V belongs to this polynomial of M */
    double norm,
        slack; /* |M| from below; what the residuals are asked to be less than the estimate */
    cafe_basis basis;               /* V, its next block P, and W */
    int64_t last, passes;           /* first column of the last block; products made */
    double *t, *s, *theta, *chosen; /* all of the order of V's columns: T, its eigenpairs */
    int64_t *order;                 /* Ritz pairs, most wanted first */
    double gram[WIDTH * WIDTH];     /* W^T W */
} krylov;

static int64_t whole_blocks(int64_t columns) {
    return cafe_blocks(columns, WIDTH) * WIDTH;
}

static int64_t basis_columns(int64_t count) {
    return whole_blocks(2 * count + EXTRA);
}

static bool is_small(int64_t n, int64_t count) {
    return n <= CAFE_EIGEN_SMALL || n <= basis_columns(count);
}

static void free_krylov(cafe_context *context, krylov *k) {
    cafe_basis_free(context, &k->basis);
    cafe_filter_free(context, &k->filter);
    cafe_mem_free_all(context, k->t, k->s, k->theta, k->chosen, k->order);
}

static cafe_status new_krylov(cafe_context *context, const cafe_eigen_problem *problem, bool single,
                              krylov *k) {
    int64_t most = basis_columns(problem->count);
    double tolerance = fmax(problem->tolerance, rounding) * (single ? stricter : 1);
    *k = (krylov){problem, cafe_eigen_rows(problem), problem->count, single, tolerance, .slack = 1};
    k->filter = (cafe_filter){.degree = 1, .single = single, .sign = 1};
    k->t = cafe_mem_zero(context, most * most, sizeof *k->t);
    k->s = cafe_mem(context, most * most, sizeof *k->s);
    k->chosen = cafe_mem(context, most * most, sizeof *k->chosen);
    k->theta = cafe_mem(context, most, sizeof *k->theta);
    k->order = cafe_mem(context, most, sizeof *k->order);
    cafe_status status = cafe_basis_new(context, &k->rows, most, single, &k->basis);
    bool all = k->t && k->s && k->theta && k->chosen && k->order;
    return all ? status : CAFE_ERROR_MEMORY;
}

int64_t cafe_eigen_bytes(int64_t n, int64_t count, int64_t threads) {
    int64_t most = basis_columns(count), size = sizeof(double);
    int64_t result = (n * count + 2 * count) * size, small = (3 * n * n + 3 * WIDTH * n) * size;
    int64_t large = cafe_basis_bytes(n, most, false, threads) + 5 * most * most * size;
    int64_t after = cafe_outcome_bytes(n, count, threads) + cafe_filter_bytes(n);
    return result + (is_small(n, count) ? small : large + after);
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
    k->basis.scale =
        fmax(k->basis.scale, fmax(fabs(k->theta[0]), fabs(k->theta[k->basis.used - 1])));
    if (k->filter.degree == 1) {
        k->norm = k->basis.scale;
        rank_values(k->problem, k->basis.used, k->theta, k->order);
    } else
        for (int64_t i = 0; i < k->basis.used; i++) k->order[i] = i; /* they descend */
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

/* The residual that a pair may have. With p the filter, a share of the eigenvector of mu makes a
 * residual of |lambda - mu| with M and of |p(lambda) - p(mu)| with p(M): p'(lambda) times as much
 * for mu near by, p(lambda) over half the unwanted part for mu far away. Both count, so it is the
 * mean of the two, and what is found is measured. */
static double allowed(const krylov *k, int64_t pair) {
    const cafe_filter *f = &k->filter;
    double most = k->tolerance * k->norm, p = fmax(1 + 1e-9, k->theta[pair]);
    if (f->degree == 1) return most;
    double x = cosh(acosh(p) / (double)f->degree);
    double slope = (double)f->degree * sqrt((p * p - 1) / (x * x - 1));
    return k->slack * most * sqrt(p * slope) / f->half;
}

/* How far the wanted pairs are from the tolerance: the mean over them of the powers of e that their
 * residuals have to fall by. */
static double distance(const krylov *k) {
    double sum = 0;
    for (int64_t j = 0; j < k->count; j++)
        sum += fmax(0, log(residual(k, k->order[j]) / allowed(k, k->order[j])));
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

/* Until V has no room for a block, or so many blocks have been added. */
static cafe_status fill(cafe_context *context, krylov *k, int64_t blocks) {
    for (; blocks > 0 && k->basis.used < k->basis.most; blocks--) CAFE_PASS(expand(context, k));
    return ritz(context, k);
}

/* P from a random block. */
static cafe_status start(cafe_context *context, krylov *k) {
    CAFE_PASS(cafe_basis_draw(context, &k->basis));
    CAFE_PASS(cafe_basis_project(context, &k->basis));
    return cafe_basis_next(context, &k->basis);
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
    bool large = passes * (double)k->rows.n * (double)k->basis.most > LARGE;
    slow |= p->looks > 1 && large && ahead < now;
    *p = (pace){now, gain, k->passes, p->looks + 1};
    return slow;
}

static double want(const krylov *k, double value) {
    return k->filter.degree > 1 ? value : k->problem->want(k->problem->argument, value);
}

/* Has a wanted value come as often as a block can show it? */
static bool is_crowded(const krylov *k) {
    double near = 30 * k->tolerance * k->basis.scale;
    int64_t most = 0;
    for (int64_t i = 0; i < k->count; i++) {
        int64_t same = 0;
        for (int64_t j = 0; j < k->count; j++)
            same += fabs(k->theta[k->order[i]] - k->theta[k->order[j]]) <= near;
        most = same > most ? same : most;
    }
    return most >= WIDTH;
}

/* A block holds eight vectors of an eigenvalue that comes more often, and rounding has to find the
 * others. So what is wanted is kept, and a few passes from new random vectors show whether they
 * find something that is wanted more. */
static cafe_status look_again(cafe_context *context, krylov *k, bool *more) {
    double before = want(k, k->theta[k->order[k->count - 1]]);
    *more = false;
    if (!is_crowded(k)) return CAFE_OK;
    CAFE_PASS(restart(context, k, whole_blocks(k->count)));
    CAFE_PASS(start(context, k));
    CAFE_PASS(fill(context, k, LOOK_BLOCKS));
    double ends = fmax(fabs(want(k, k->theta[0])), fabs(want(k, k->theta[k->basis.used - 1])));
    *more = want(k, k->theta[k->order[k->count - 1]]) > before + 10 * k->tolerance * ends;
    return CAFE_OK;
}

/* ---- the filter ------------------------------------------------------------------------------ */

/* The polynomial of the highest degree that does not let the first value outgrow the others. Ritz
 * values are not beyond eigenvalues, so nothing that is wanted is cut off. */
static void plan_filter(const krylov *k, cafe_filter *f) {
    int64_t far = f->sign > 0 ? k->basis.used - 1 : 0;
    int64_t cut = k->order[whole_blocks(k->count + KEPT) - 1];
    double low = f->sign * k->theta[far] - residual(k, far), high = f->sign * k->theta[cut];
    f->centre = (high + low) / 2;
    f->half = (high - low) / 2;
    f->degree = 1;
    if (!(f->half > 1e-6 * k->norm)) return;
    for (int64_t degree = 3; degree <= MOST_DEGREE; degree += 2) {
        cafe_filter next = *f;
        next.degree = degree;
        if (cafe_filter_value(&next, f->sign * k->theta[k->order[0]]) > most_growth) break;
        f->degree = degree;
    }
    double last = f->sign * k->theta[k->order[k->count - 1]];
    if (cafe_filter_value(f, last) < least_growth) f->degree = 1;
}

/* What V has of the wanted vectors becomes the start of the filter's V: each column is a sum of one
 * in eight of them. */
static cafe_status start_filter(cafe_context *context, krylov *k) {
    cafe_filter f = k->filter;
    int64_t keep = whole_blocks(k->count + KEPT), used = k->basis.used;
    f.sign = k->problem->want == cafe_want_smallest ? -1 : 1;
    if (f.sign > 0 && k->problem->want != cafe_want_largest) return CAFE_OK;
    if (k->count <= WIDTH) return CAFE_OK; /* V is small beside the products */
    plan_filter(k, &f);
    if (f.degree == 1) return CAFE_OK;
    CAFE_PASS(cafe_filter_new(context, k->rows.own, k->single, &k->filter));
    f.older = k->filter.older, f.newer = k->filter.newer;
    k->filter = f;
    memset(k->chosen, 0, (size_t)(used * WIDTH) * sizeof *k->chosen);
    for (int64_t i = 0; i < used; i++)
        for (int64_t j = 0; j < keep; j++)
            k->chosen[i * WIDTH + j % WIDTH] +=
                k->s[i * used + k->order[j]] / sqrt((double)(keep / WIDTH));
    memset(k->t, 0, (size_t)(k->basis.most * k->basis.most) * sizeof *k->t);
    return cafe_basis_renew(context, &k->basis, k->chosen);
}

/* Would the run be long as it is? By what the distance has fallen since V was full before. */
static bool is_slow(const krylov *k, double now, const pace *last) {
    double gain = (last->then - now) / (double)(k->passes - last->since);
    return last->since > 0 && now > LONG_WAY * gain;
}

/* V is full: it starts again with a filter, if that is worth it, or with the best of its vectors.
 */
static cafe_status go_on(cafe_context *context, krylov *k, double now, pace *last, pace *p) {
    bool slow = k->filter.degree == 1 && k->problem->passes == 0 && is_slow(k, now, last);
    *last = (pace){.then = now, .since = k->passes};
    if (slow) CAFE_PASS(start_filter(context, k));
    if (slow && k->filter.degree > 1) *p = (pace){0};
    return k->basis.used == k->basis.most ? restart(context, k, whole_blocks(k->count + KEPT))
                                          : CAFE_OK;
}

static cafe_status iterate(cafe_context *context, krylov *k) {
    int64_t most = k->problem->passes > 0 ? k->problem->passes : MOST_PASSES, step = INT64_MAX;
    pace p = {0}, last = {0};
    bool more = true;
    if (k->passes == 0) CAFE_PASS(start(context, k));
    for (;;) {
        CAFE_PASS(fill(context, k, step));
        double now = distance(k);
        cafe_step(context, k->passes, residual(k, k->order[k->count - 1]) / k->basis.scale);
        if (!(now > 0)) {
            CAFE_PASS(look_again(context, k, &more));
            if (!more) break;
            p = (pace){0};
        }
        step = now < 1 ? SHORT_STEP : INT64_MAX;
        if (k->passes >= most || hopeless(k, now, most, &p)) break;
        if (k->basis.used == k->basis.most) CAFE_PASS(go_on(context, k, now, &last, &p));
    }
    return CAFE_OK;
}

/* ---- what is returned ------------------------------------------------------------------------ */

/* The pairs, made ready and measured. Where they come from single precision or a filter, values are
 * those of the measure, and the tolerance holds in full; otherwise twice of it, since the estimate
 * and the measure differ by rounding. */
static cafe_status take_pairs(cafe_context *context, krylov *k, cafe_eigen *found) {
    bool refresh = k->single || k->filter.degree > 1;
    double worst = 0, most = (refresh ? 1 : 2) * fmax(k->problem->tolerance, rounding) * k->norm;
    for (int64_t j = 0; j < k->count; j++) found->values[j] = k->theta[k->order[j]];
    choose(k, k->count);
    CAFE_PASS(cafe_basis_rotate(context, &k->basis, k->count, k->chosen, found->vectors));
    if (k->single) CAFE_PASS(cafe_outcome_settle(context, &k->rows, found));
    CAFE_PASS(cafe_outcome_orient(context, &k->rows, found));
    CAFE_PASS(cafe_outcome_measure(context, k->problem, &k->rows, refresh, found));
    found->norm = k->norm;
    found->converged = 0;
    for (int64_t j = 0; j < k->count; j++) {
        found->converged += found->residuals[j] <= most;
        worst = fmax(worst, found->residuals[j]);
    }
    k->slack *= fmin(1, 0.7 * most / worst);
    return CAFE_OK;
}

/* `missed`: the pairs would do by their estimates, and do not by their products. */
static cafe_status solve_large(cafe_context *context, const cafe_eigen_problem *problem,
                               bool single, cafe_eigen *found, bool *missed) {
    enum { MOST_TRIES = 3 };
    krylov k;
    cafe_status status = new_krylov(context, problem, single, &k);
    CAFE_TRY(status);
    *missed = true;
    for (int tries = 0; tries < MOST_TRIES && *missed; tries++) {
        CAFE_TRY(iterate(context, &k));
        *missed = !(distance(&k) > 0);
        CAFE_TRY(take_pairs(context, &k, found));
        *missed &= found->converged < found->count;
        if (k.filter.degree == 1) break;
    }
    found->passes += k.passes;
done:
    free_krylov(context, &k);
    return status;
}

/* What single precision does not reach because it is single is left to doubles. */
static cafe_status solve_in_turn(cafe_context *context, const cafe_eigen_problem *problem,
                                 cafe_eigen *found) {
    bool missed = true;
    if (problem->single && problem->tolerance >= least_single)
        CAFE_PASS(solve_large(context, problem, true, found, &missed));
    return missed ? solve_large(context, problem, false, found, &missed) : CAFE_OK;
}

/* M written out: columns u .. u + WIDTH - 1 are the product with as many unit vectors. A process
 * has its rows of them, and gets the others'. */
static cafe_status write_out(cafe_context *context, const cafe_eigen_problem *problem,
                             const cafe_owned *rows, double *x, double *y, double *m) {
    int64_t n = problem->n;
    for (int64_t first = 0; first < n; first += WIDTH) {
        int64_t width = n - first < WIDTH ? n - first : WIDTH;
        memset(x, 0, (size_t)(rows->own * WIDTH) * sizeof *x);
        for (int64_t i = 0; i < rows->own; i++) {
            int64_t j = cafe_owned_row(rows, i) - first;
            if (j >= 0 && j < width) x[i * WIDTH + j] = 1;
        }
        CAFE_PASS(problem->product(context, problem->argument, x, y));
        for (int64_t i = 0; i < rows->own; i++)
            memcpy(m + cafe_owned_row(rows, i) * n + first, y + i * WIDTH,
                   (size_t)width * sizeof *m);
    }
    return cafe_owned_add(context, rows, n * n, m);
}

static cafe_status solve_small(cafe_context *context, const cafe_eigen_problem *problem,
                               cafe_eigen *found) {
    cafe_status status = CAFE_ERROR_MEMORY;
    cafe_owned rows = cafe_eigen_rows(problem);
    int64_t n = problem->n, count = problem->count;
    double *m = cafe_mem_zero(context, n * n, sizeof *m),
           *values = cafe_mem(context, n, sizeof *values);
    double *x = cafe_mem(context, 2 * n * WIDTH, sizeof *x);
    int64_t *order = cafe_mem(context, n, sizeof *order);
    if (!m || !values || !x || !order) goto done;
    CAFE_TRY(write_out(context, problem, &rows, x, x + n * WIDTH, m));
    CAFE_TRY(cafe_dense_eigen(context, n, m, values));
    rank_values(problem, n, values, order);
    for (int64_t j = 0; j < count; j++) {
        found->values[j] = values[order[j]];
        found->residuals[j] = 0;
        for (int64_t i = 0; i < rows.own; i++)
            found->vectors[i * count + j] = m[cafe_owned_row(&rows, i) * n + order[j]];
    }
    CAFE_TRY(cafe_outcome_orient(context, &rows, found));
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
    int64_t n = problem->n, count = problem->count, own = cafe_eigen_rows(problem).own;
    *found = (cafe_eigen){.count = count};
    found->values = cafe_mem(context, count, sizeof *found->values);
    found->residuals = cafe_mem(context, count, sizeof *found->residuals);
    found->vectors = cafe_mem(context, own * count, sizeof *found->vectors);
    cafe_status status =
        found->values && found->residuals && found->vectors ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK)
        status = is_small(n, count) ? solve_small(context, problem, found)
                                    : solve_in_turn(context, problem, found);
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
