/* The split between the ends, and the refinement of both.
 *
 * The split. Let rho be the Ritz values of the walk's problem, Q v = rho D v, on the span of each
 * end's H. They need no product beyond Y = D^-1 Q H. Hubs do not weigh more than other nodes, as
 * they would for Q v = rho v. A direction of the bottom is taken when
 *
 *     |rho| is among the K largest of both ends     and     |rho| >= largest / 2 .
 *
 * The first is the best approximation of D^-1 Q by K directions. It alone would fill up with
 * rounding and noise where the top's H has lost rank: every sparse graph has a bulk of small
 * negative eigenvalues. Hence the second; docs/algorithms/ends.md has the measurements. The columns
 * kept are the first ones of each H, not Ritz vectors: they are as good as any, and classify
 * better.
 *
 * Refinement. The filter of spectral/subspace_iteration.c favours one end, so it runs twice, for Q
 * and for -Q. Eigenvectors of different eigenvalues are orthogonal, up to their residuals; a last
 * Ritz step on both together settles the rest. What an end has on the wrong side of 0 belongs to
 * the other end, or to none, and is left out. Half converged twins of one eigenvector would differ
 * by noise only.
 */
#include "spectral/ends.h"

#include <math.h>

#include "base/memory.h"

/* ---- the split ------------------------------------------------------------------------------- */

cafe_status cafe_ends_values(cafe_context *context, const double *p, const cafe_solution *s,
                             int64_t first, int64_t columns, cafe_ritz *ritz) {
    cafe_block h = cafe_block_columns(&s->h, first, columns);
    cafe_block y = cafe_block_columns(&s->y, first, columns);
    cafe_status status = cafe_ritz_new(context, columns, ritz);
    if (status == CAFE_OK) status = cafe_ritz_solve(context, &h, &y, p, ritz);
    return status;
}

static double largest_size(const cafe_ritz *ritz) {
    if (ritz->pairs == 0) return 0;
    return fmax(fabs(ritz->values[0]), fabs(ritz->values[ritz->pairs - 1]));
}

int64_t cafe_ends_count(const cafe_ritz *top, const cafe_ritz *bottom, int64_t asked, double share,
                        double growth) {
    const double least = fmax(largest_size(top), largest_size(bottom)) * share;
    int64_t larger = 0, count = 0; /* values of the top that are larger than the next one */
    for (; count < bottom->pairs; count++) {
        double size = -growth * bottom->values[bottom->pairs - 1 - count];
        while (larger < top->pairs && top->values[larger] >= size) larger++;
        if (!(size > 0 && size >= least && larger + count < asked)) break;
    }
    return count;
}

cafe_status cafe_ends_choose(cafe_context *context, const cafe_operator *op,
                             cafe_solution *solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *s = solution;
    cafe_ritz top = {0}, bottom = {0};
    int64_t last = cafe_solution_negative(s), from = s->columns - last, keep = s->keep;
    int64_t *kept = cafe_mem(context, keep, sizeof *kept);
    CAFE_TRY(kept ? CAFE_OK : CAFE_ERROR_MEMORY);
    cafe_phase(context, "ends", 0);
    CAFE_TRY(cafe_ends_values(context, op->parts.p, s, 0, from, &top));
    CAFE_TRY(cafe_ends_values(context, op->parts.p, s, from, last, &bottom));
    int64_t count = cafe_ends_count(&top, &bottom, keep, CAFE_ENDS_SHARE, 1);
    for (int64_t k = 0; k < keep; k++) /* the first ones of each end */
        kept[k] = k < keep - count ? k : from + k - (keep - count);
    CAFE_TRY(cafe_ops(&s->h)->select(context, &s->h, keep, kept));
    CAFE_TRY(cafe_ops(&s->y)->select(context, &s->y, keep, kept));
    cafe_solution_split(s, keep - count, count);
done:
    cafe_mem_free(context, kept);
    cafe_ritz_free(context, &top);
    cafe_ritz_free(context, &bottom);
    return status;
}

/* ---- refinement of both ends ----------------------------------------------------------------- */

/* The block's memory stays with the top; the bottom gets a block of its own. */
static cafe_status part_ends(cafe_context *context, int64_t bottom, cafe_block *x,
                             cafe_block ends[2]) {
    int64_t top = x->columns - bottom;
    ends[0] = *x;
    ends[0].columns = top;
    cafe_block last = cafe_block_columns(x, top, bottom);
    x->x = NULL;
    cafe_status status = cafe_ops(x)->make(context, x->engine, x->n, bottom, &ends[1]);
    return status == CAFE_OK ? cafe_ops(x)->copy(context, &last, &ends[1], 0) : status;
}

/* Values above 0, and not by rounding. */
static int64_t count_above(const cafe_ritz *ritz, int64_t columns) {
    double least = 1e-6 * largest_size(ritz);
    int64_t count = 0;
    while (count < columns && ritz->values[count] > least) count++;
    return count;
}

/* Columns that depend on others are left out first: random ones take their places. */
static cafe_status refine_end(cafe_context *context, const cafe_operator *op, cafe_side side,
                              double tolerance, int64_t rounds, cafe_block *x, cafe_ritz *ritz,
                              cafe_refined *refined) {
    cafe_refined part = {0};
    int64_t wanted = x->columns;
    if (wanted == 0) return CAFE_OK;
    cafe_status status =
        cafe_tall_orthonormalise(context, x, NULL, NULL, NULL, &part.orthogonality);
    if (status == CAFE_OK)
        status = cafe_refine(context, op, side, wanted, tolerance, rounds, x, ritz, &part);
    if (status == CAFE_OK) x->columns = count_above(ritz, x->columns);
    refined->rounds = part.rounds > refined->rounds ? part.rounds : refined->rounds;
    refined->products += part.products;
    return status;
}

/* Side by side, in one block. */
static cafe_status join_ends(cafe_context *context, const cafe_block ends[2], cafe_block *x) {
    const cafe_engine_ops *ops = cafe_ops(&ends[0]);
    int64_t top = ends[0].columns, columns = top + ends[1].columns;
    cafe_status status = ops->make(context, ends[0].engine, ends[0].n, columns, x);
    if (status == CAFE_OK) status = ops->copy(context, &ends[0], x, 0);
    if (status == CAFE_OK) status = ops->copy(context, &ends[1], x, top);
    return status;
}

/* The Ritz step on both ends together. */
static cafe_status settle(cafe_context *context, const cafe_operator *op, cafe_side side,
                          double tolerance, cafe_block *x, cafe_ritz *ritz, cafe_refined *refined) {
    cafe_status status = CAFE_OK;
    const double *weights = side == CAFE_SIDE_WALK ? op->parts.p : NULL;
    cafe_block z = {0};
    cafe_ritz_free(context, ritz);
    CAFE_TRY(cafe_tall_orthonormalise(context, x, weights, NULL, NULL, &refined->orthogonality));
    CAFE_TRY(cafe_ops(x)->make(context, x->engine, x->n, x->columns, &z));
    CAFE_TRY(cafe_block_product(context, op, side, 1, x, 0, 0, &z));
    refined->products++;
    CAFE_TRY(cafe_ritz_new(context, x->columns, ritz));
    CAFE_TRY(cafe_ritz_solve(context, x, &z, weights, ritz));
    CAFE_TRY(cafe_rotate(context, x, ritz, ritz->pairs));
    for (int64_t j = 0; j < ritz->pairs; j++)
        refined->converged += ritz->residuals[j] <= tolerance * fabs(ritz->values[j]);
done:
    cafe_block_drop(context, &z);
    return status;
}

cafe_status cafe_ends_refine(cafe_context *context, const cafe_operator *op, cafe_side side,
                             int64_t bottom, double tolerance, int64_t rounds, cafe_block *x,
                             cafe_ritz *ritz, cafe_refined *refined) {
    cafe_status status = CAFE_OK;
    cafe_operator negative = cafe_operator_negative(op);
    cafe_block ends[2] = {{0}, {0}};
    *refined = (cafe_refined){0};
    CAFE_TRY(part_ends(context, bottom, x, ends));
    CAFE_TRY(refine_end(context, op, side, tolerance, rounds, &ends[0], ritz, refined));
    CAFE_TRY(refine_end(context, &negative, side, tolerance, rounds, &ends[1], ritz, refined));
    CAFE_TRY(join_ends(context, ends, x));
    cafe_block_drop(context, &ends[0]);
    cafe_block_drop(context, &ends[1]);
    CAFE_TRY(settle(context, op, side, tolerance, x, ritz, refined));
done:
    cafe_block_drop(context, &ends[0]);
    cafe_block_drop(context, &ends[1]);
    return status;
}
