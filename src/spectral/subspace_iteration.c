/* Chebyshev-filtered subspace iteration (Zhou, Saad, Tiago, Chelikowsky 2006).
 *
 * Plain orthogonal iteration fails here, because the smallest eigenvalue is about as large in size
 * as the largest. A round instead applies the polynomial
 *
 *     T_d((M - c) / e),   c = (a + b) / 2,   e = (b - a) / 2
 *
 * to a block of `wanted` columns and some guards: T_d stays within 1 on [a, b], the unwanted end of
 * the spectrum, and grows fastest beyond b. Then the block is made orthonormal and rotated to its
 * Ritz vectors. Memory is two blocks whatever the degree; a Krylov space of the same degree would
 * hold d blocks.
 */
#include "spectral/subspace_iteration.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "engine/dense.h"

enum { LANCZOS_STEPS = 16, LEAST_DEGREE = 4, MOST_DEGREE = 48 };

typedef struct refinement {
    const cafe_operator *op;
    cafe_side side;
    const double *weights; /* of the inner product; NULL: 1 */
    cafe_block v, z;       /* the block and its image */
    double low;            /* a: no eigenvalue lies below */
} refinement;

/* ---- the start block ------------------------------------------------------------------------- */

/* Copies the columns there are and draws the rest at random; nodes without edges stay 0. */
static cafe_status widen(cafe_context *context, refinement *r, int64_t columns, cafe_block *x) {
    const cafe_engine_ops *ops = cafe_ops(x);
    cafe_start guards = {.kind = CAFE_START_NORMAL,
                         .seed = context->seed,
                         .stream = CAFE_STREAM_GUARD,
                         .from = x->columns,
                         .weights = r->op->parts.p};
    CAFE_PASS(ops->make(context, x->engine, x->n, columns, &r->v));
    CAFE_PASS(ops->copy(context, x, &r->v, 0));
    CAFE_PASS(ops->start(context, &r->v, &guards));
    ops->drop(context, x);
    return ops->make(context, x->engine, x->n, columns, &r->z);
}

/* ---- the lower end of the spectrum ----------------------------------------------------------- */

/* <x, y> = sum over u of w_u x_u y_u, w = p for D^-1 Q, else 1. */
static double inner(const refinement *r, const float *x, const float *y) {
    double sum = 0;
    for (int64_t u = 0; u < r->op->n; u++) sum += (r->weights ? r->weights[u] : 1) * x[u] * y[u];
    return sum;
}

/* x <- factor x */
static void scale(int64_t n, double factor, float *x) {
    for (int64_t u = 0; u < n; u++) x[u] = (float)(x[u] * factor);
}

/* y <- M x - last y through blocks of one column. */
static cafe_status step(cafe_context *context, const refinement *r, double last, const float *x,
                        float *y, cafe_block blocks[2]) {
    const cafe_engine_ops *ops = cafe_ops(&blocks[0]);
    cafe_part all = {0, r->op->n, 0, 1};
    CAFE_PASS(ops->copy_in(context, &blocks[0], all, x, 1));
    CAFE_PASS(ops->copy_in(context, &blocks[1], all, y, 1));
    CAFE_PASS(
        cafe_block_product(context, r->op, r->side, 1, &blocks[0], 0, (float)-last, &blocks[1]));
    return ops->copy_out(context, &blocks[1], all, y, 1);
}

/* A few Lanczos steps: the smallest Ritz value less the last residual is a safe lower end. */
static cafe_status find_low(cafe_context *context, refinement *r) {
    cafe_status status = CAFE_OK;
    const cafe_engine_ops *ops = cafe_ops(&r->v);
    cafe_block blocks[2] = {{0}, {0}};
    int64_t n = r->op->n, steps = n < LANCZOS_STEPS ? n : LANCZOS_STEPS, done_steps = 0;
    double alpha[LANCZOS_STEPS], beta[LANCZOS_STEPS] = {0}, last = 0;
    float *x = cafe_mem(context, n, sizeof *x), *y = cafe_mem_zero(context, n, sizeof *y);
    CAFE_TRY(x && y ? CAFE_OK : CAFE_ERROR_MEMORY);
    for (int i = 0; i < 2; i++) CAFE_TRY(ops->make(context, r->v.engine, n, 1, &blocks[i]));
    for (int64_t u = 0; u < n; u++) {
        float draw[4];
        cafe_normal4(cafe_philox(context->seed, CAFE_STREAM_GUARD, ~(uint64_t)u), draw);
        x[u] = r->op->parts.p[u] > 0 ? draw[0] : 0;
    }
    scale(n, 1 / sqrt(inner(r, x, x)), x);
    for (int64_t i = 0; i < steps; i++) {
        /* y <- M x - alpha x - beta y_old */
        CAFE_TRY(step(context, r, last, x, y, blocks));
        alpha[i] = inner(r, x, y);
        for (int64_t u = 0; u < n; u++) y[u] -= (float)(alpha[i] * x[u]);
        last = sqrt(inner(r, y, y));
        beta[i] = last;
        done_steps = i + 1;
        if (!(last > 1e-7 * fabs(alpha[0]))) break;
        scale(n, 1 / last, y);
        float *old = x;
        x = y, y = old;
    }
    cafe_dense_tridiagonal(done_steps, alpha, beta);
    r->low = alpha[0] - last;
    if (r->side == CAFE_SIDE_WALK && r->low < -1) r->low = -1;
done:
    ops->drop(context, &blocks[0]);
    ops->drop(context, &blocks[1]);
    cafe_mem_free_all(context, x, y);
    return status;
}

/* ---- the filter ------------------------------------------------------------------------------ */

/* How fast T_d grows at rho beyond [a,b], per degree: acosh((rho - c) / e). */
static double growth(double low, double high, double rho) {
    double x = (rho - (low + high) / 2) / ((high - low) / 2);
    return x > 1 ? acosh(x) : 0;
}

/* As many degrees as the worst wanted pair needs, but no more than float32 bears: the first column
 * must not outgrow the last wanted one by more than 1e5. */
static int64_t choose_degree(const refinement *r, const cafe_ritz *ritz, int64_t wanted,
                             double high, double excess) {
    double first = growth(r->low, high, ritz->values[0]);
    double last = growth(r->low, high, ritz->values[wanted - 1]);
    double need = last > 0 ? (log(excess) + 1.5) / last : MOST_DEGREE;
    double bear = first > last ? log(1e5) / (first - last) : MOST_DEGREE;
    double degree = ceil(need < bear ? need : bear);
    return degree < LEAST_DEGREE  ? LEAST_DEGREE
           : degree > MOST_DEGREE ? MOST_DEGREE
                                  : (int64_t)degree;
}

/* Exchanges V and its image, so that products alternate between two blocks. */
static void swap(refinement *r) {
    cafe_block v = r->v;
    r->v = r->z, r->z = v;
}

/* V <- T_d((M - c) / e) V, scaled by sigma so that the column of `top` keeps its size:
 *     V_1 = sigma_1 / e (M - c) V_0
 *     V_{i+1} = 2 sigma_{i+1} / e (M - c) V_i - sigma_i sigma_{i+1} V_{i-1} */
static cafe_status filter(cafe_context *context, refinement *r, double high, double top,
                          int64_t degree) {
    double c = (r->low + high) / 2, e = (high - r->low) / 2, sigma_1 = e / (top - c);
    double sigma = sigma_1;
    cafe_status status = cafe_block_product(context, r->op, r->side, (float)(sigma_1 / e), &r->v,
                                            (float)(-sigma_1 / e * c), 0, &r->z);
    for (int64_t i = 1; i < degree && status == CAFE_OK; i++) {
        double next = 1 / (2 / sigma_1 - sigma);
        status = cafe_block_product(context, r->op, r->side, (float)(2 * next / e), &r->z,
                                    (float)(-2 * next / e * c), (float)(-sigma * next), &r->v);
        swap(r);
        sigma = next;
    }
    swap(r);
    return status;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Orthonormal V, Z = M V, Ritz pairs. */
static cafe_status measure(cafe_context *context, refinement *r, cafe_ritz *ritz,
                           cafe_refined *refined) {
    CAFE_PASS(
        cafe_tall_orthonormalise(context, &r->v, r->weights, NULL, NULL, &refined->orthogonality));
    CAFE_PASS(cafe_block_product(context, r->op, r->side, 1, &r->v, 0, 0, &r->z));
    refined->products++;
    ritz->columns = r->v.columns;
    CAFE_PASS(cafe_ritz_solve(context, &r->v, &r->z, r->weights, ritz));
    if (ritz->pairs == 0)
        return cafe_fail(context, CAFE_ERROR_NUMERIC, "the filtered block has lost its columns");
    else if (ritz->values[ritz->pairs - 1] < r->low)
        r->low = ritz->values[ritz->pairs - 1];
    return CAFE_OK;
}

/* Counts the wanted pairs that meet the tolerance. Returns the factor by which the worst one misses
 * what can be reached: the tolerance, or the resolution of float32. */
static double worst_excess(const cafe_ritz *ritz, int64_t wanted, double tolerance,
                           int64_t *converged) {
    double worst = 0, resolution = CAFE_RESOLUTION * fabs(ritz->values[0]);
    *converged = 0;
    for (int64_t j = 0; j < wanted; j++) {
        double aim = tolerance * fabs(ritz->values[j]);
        if (ritz->residuals[j] <= aim) (*converged)++;
        double excess = ritz->residuals[j] / (aim > resolution ? aim : resolution);
        if (excess > worst) worst = excess;
    }
    return worst;
}

/* Wanted pairs: not more than there are, and none whose value is 0 to float32 precision (the
 * constant vector of every component-free part is such a one). */
static int64_t count_wanted(const cafe_ritz *ritz, int64_t wanted) {
    int64_t count = wanted < ritz->pairs ? wanted : ritz->pairs;
    while (count > 1 && fabs(ritz->values[count - 1]) < 1e-6 * fabs(ritz->values[0])) count--;
    return count;
}

/* Rounds of measure, rotate, filter:
 *
 *     V orthonormal, Z = M V, Ritz pairs (rho_j, v_j) with residuals r_j
 *     excess = max over the wanted pairs of r_j / max(tolerance |rho_j|, resolution)
 *     V <- T_d((M - c) / e) V,   [a, b] = [low, smallest Ritz value of the block]
 *
 * until excess <= 1, or four rounds in a row improve it by less than a tenth.
 */
static cafe_status iterate(cafe_context *context, refinement *r, int64_t asked, double tolerance,
                           int64_t rounds, cafe_ritz *ritz, cafe_refined *refined) {
    enum { MOST_STALLS = 4 };
    double best = INFINITY; /* excess so far, and rounds that did not improve it by a tenth */
    int stalls = 0;
    cafe_phase(context, "refine", rounds);
    for (refined->rounds = 0;; refined->rounds++) {
        CAFE_PASS(measure(context, r, ritz, refined));
        int64_t wanted = count_wanted(ritz, asked);
        double excess = worst_excess(ritz, wanted, tolerance, &refined->converged);
        cafe_step(context, refined->rounds, excess * tolerance);
        double high = ritz->values[ritz->pairs - 1], top = ritz->values[0];
        /* nothing to damp or nothing to favour: the block spans all there is */
        bool whole = ritz->pairs <= wanted || !(high > r->low) || !(top > high);
        stalls = excess < 0.9 * best ? 0 : stalls + 1;
        best = excess < best ? excess : best;
        bool last = excess <= 1 || refined->rounds >= rounds || whole || stalls >= MOST_STALLS;
        CAFE_PASS(cafe_rotate(context, &r->v, ritz, last ? wanted : ritz->pairs));
        if (last) break;
        int64_t degree = choose_degree(r, ritz, wanted, high, excess);
        CAFE_PASS(filter(context, r, high, top, degree));
        refined->products += degree;
    }
    return CAFE_OK;
}

/* X, widened by guard columns, becomes the Ritz vectors of the wanted pairs. */
cafe_status cafe_refine(cafe_context *context, const cafe_operator *op, cafe_side side,
                        int64_t wanted, double tolerance, int64_t rounds, cafe_block *x,
                        cafe_ritz *ritz, cafe_refined *refined) {
    cafe_status status = CAFE_OK;
    int64_t columns = cafe_refine_columns(op->n, wanted);
    refinement r = {.op = op, .side = side, .weights = side == CAFE_SIDE_WALK ? op->parts.p : NULL};
    *refined = (cafe_refined){0};
    CAFE_TRY(widen(context, &r, columns, x));
    CAFE_TRY(find_low(context, &r));
    cafe_ritz_free(context, ritz);
    CAFE_TRY(cafe_ritz_new(context, columns, ritz));
    CAFE_TRY(iterate(context, &r, wanted, tolerance, rounds, ritz, refined));
    *x = r.v;
    r.v = (cafe_block){0};
done:
    cafe_block_drop(context, &r.v);
    cafe_block_drop(context, &r.z);
    return status;
}
