/* The eigensolver: block Lanczos with thick restarts (spectral/krylov.h) for large problems, the
 * dense solver for small ones.
 *
 * Numbers are floats if the tolerance allows. Results are measured in double precision; if they
 * miss the tolerance, the run continues or is repeated in doubles.
 *
 * Eight vectors share each pass over the matrix and over V. One run finds both ends of the
 * spectrum, in any order of preference. The solver has no state outside the run.
 */
#include "spectral/eigen.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"
#include "spectral/eigen_result.h"
#include "spectral/krylov_search.h"
#include "spectral/multiplicity.h"

enum { WIDTH = CAFE_EIGEN_WIDTH };
/* Single precision is enough for tolerances from this value on. */
static const double least_single = 1e-6;

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

/* ---- large problems -------------------------------------------------------------------------- */

/* The pairs, made ready and measured. If they come from single precision or a filter, values are
 * those of the measure, and the tolerance holds in full. Otherwise twice of it is allowed, because
 * estimate and measure differ by rounding. */
static cafe_status take_pairs(cafe_context *context, cafe_krylov *k, cafe_eigen *found) {
    bool refresh = k->single || k->filter.degree > 1;
    double most = (refresh ? 1 : 2) * fmax(k->problem->tolerance, CAFE_KRYLOV_ROUNDING) * k->norm;
    for (int64_t j = 0; j < k->count; j++) found->values[j] = k->theta[k->order[j]];
    cafe_krylov_choose(k, k->count);
    CAFE_PASS(cafe_basis_rotate(context, &k->basis, k->count, k->chosen, found->vectors));
    if (k->single) CAFE_PASS(cafe_outcome_settle(context, &k->rows, found));
    CAFE_PASS(cafe_outcome_orient(context, &k->rows, found));
    CAFE_PASS(cafe_outcome_measure(context, k->problem, &k->rows, refresh, found));
    found->norm = k->norm;
    found->sure = cafe_copies_sure(k);
    found->converged = 0;
    for (int64_t j = 0; j < found->sure; j++) found->converged += found->residuals[j] <= most;
    return CAFE_OK;
}

/* M V = V T + R E^T, so a Ritz pair (theta, V s) of T has the estimated residual ||R E^T s||, which
 * costs no product. `missed`: the estimates of the pairs met the tolerance, but their products do
 * not. */
static cafe_status solve_large(cafe_context *context, const cafe_eigen_problem *problem,
                               bool single, cafe_eigen *found, bool *missed) {
    cafe_krylov k;
    cafe_status status = cafe_krylov_new(context, problem, single, &k);
    CAFE_TRY(status);
    for (bool again = true; again;) {
        CAFE_TRY(cafe_krylov_search(context, &k));
        CAFE_TRY(take_pairs(context, &k, found));
        *missed = k.reached && found->converged < found->count;
        again = *missed && k.filter.degree > 1 && !k.careful;
        k.careful = true;
    }
    found->passes += k.passes;
done:
    cafe_krylov_free(context, &k);
    return status;
}

/* Repeats in doubles if single precision is the reason for missing the tolerance. */
static cafe_status solve_in_turn(cafe_context *context, const cafe_eigen_problem *problem,
                                 cafe_eigen *found) {
    bool missed = true;
    if (problem->single && problem->tolerance >= least_single)
        CAFE_PASS(solve_large(context, problem, true, found, &missed));
    return missed ? solve_large(context, problem, false, found, &missed) : CAFE_OK;
}

/* ---- small problems -------------------------------------------------------------------------- */

/* Would V and the block after it have more columns than there are nodes? */
static bool is_small(int64_t n, int64_t count) {
    return n <= CAFE_EIGEN_SMALL || n < cafe_krylov_columns(count) + WIDTH;
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
    cafe_krylov_rank(problem, n, values, order);
    for (int64_t j = 0; j < count; j++) {
        found->values[j] = values[order[j]];
        found->residuals[j] = 0;
        for (int64_t i = 0; i < rows.own; i++)
            found->vectors[i * count + j] = m[cafe_owned_row(&rows, i) * n + order[j]];
    }
    CAFE_TRY(cafe_outcome_orient(context, &rows, found));
    found->passes = cafe_blocks(n, WIDTH);
    found->exact = true;
    found->converged = found->sure = count;
done:
    cafe_mem_free_all(context, m, values, x, order);
    return status;
}

/* ---- any ------------------------------------------------------------------------------------- */

int64_t cafe_eigen_bytes(int64_t n, int64_t count, int64_t threads) {
    int64_t most = cafe_krylov_columns(count), size = sizeof(double);
    int64_t result = (n * count + 2 * count) * size, small = (3 * n * n + 3 * WIDTH * n) * size;
    int64_t large = cafe_basis_bytes(n, most, false, threads) + 5 * most * most * size;
    int64_t after = cafe_outcome_bytes(n, count, threads) + cafe_filter_bytes(n);
    return result + (is_small(n, count) ? small : large + after);
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

/* Pairs up to some value have converged, but copies of that value may be missing. */
static cafe_status fail_copies(cafe_context *context, const cafe_eigen *found) {
    return cafe_fail(context, CAFE_ERROR_NUMERIC,
                     "the first %lld of %lld eigenpairs are certain: the eigenvalue %.6g comes %d "
                     "times or more often. After %lld passes over the matrix copies of it may be "
                     "missing. Ask for %lld columns, or for a larger tolerance",
                     (long long)found->sure, (long long)found->count,
                     found->values[found->sure - 1], WIDTH, (long long)found->passes,
                     (long long)found->sure);
}

cafe_status cafe_eigen_need_all(cafe_context *context, const cafe_eigen *found) {
    double worst = 0;
    if (found->converged == found->count) return CAFE_OK;
    if (found->converged == found->sure) return fail_copies(context, found);
    for (int64_t j = 0; j < found->count; j++) worst = fmax(worst, found->residuals[j]);
    return cafe_fail(context, CAFE_ERROR_NUMERIC,
                     "%lld of %lld eigenpairs converged in %lld passes over the matrix, and more "
                     "passes would not do: the eigenvalues lie too close together. The residuals "
                     "reached are %.1e of its norm: a tolerance of %.0e would be met; fewer "
                     "columns need fewer passes",
                     (long long)found->converged, (long long)found->count, (long long)found->passes,
                     worst / found->norm, 1.5 * worst / found->norm);
}
