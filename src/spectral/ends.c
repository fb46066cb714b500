/* The split between the ends, and the refinement of both.
 *
 * The split. Let rho be the Ritz values of the walk's problem, Q v = rho D v, on the span of each
 * end's H: no product is needed beyond Y = D^-1 Q H, and hubs do not weigh more than others, as
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
 * the other, or to nobody, and is left out: half converged twins of one eigenvector would differ by
 * noise only.
 */
#include "spectral/ends.h"

#include <math.h>

#include "base/memory.h"
#include "solve/convergence.h"

static const double HALF = 0.5;

/* ---- the split ------------------------------------------------------------------------------- */

/* Ritz values on the span of columns first .. first + columns - 1 of H, in the inner product with
 * the weights p: those of all nodes, or of some that stand for the others. */
static cafe_status values_of(cafe_context *context, const double *p, const cafe_solution *s,
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

/* How many of the bottom's directions are worth a column: of at least that share of the largest,
 * if their sizes still grow so many times. */
static int64_t count_bottom(const cafe_ritz *top, const cafe_ritz *bottom, int64_t asked,
                            double share, double growth) {
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
    int64_t from = s->columns - s->bottom, *kept = cafe_mem(context, s->asked, sizeof *kept);
    CAFE_TRY(kept ? CAFE_OK : CAFE_ERROR_MEMORY);
    cafe_phase(context, "ends", 0);
    CAFE_TRY(values_of(context, op->parts.p, s, 0, from, &top));
    CAFE_TRY(values_of(context, op->parts.p, s, from, s->bottom, &bottom));
    int64_t count = count_bottom(&top, &bottom, s->asked, HALF, 1);
    for (int64_t k = 0; k < s->asked; k++) /* the first ones of each end */
        kept[k] = k < s->asked - count ? k : from + k - (s->asked - count);
    CAFE_TRY(cafe_ops(&s->h)->select(context, &s->h, s->asked, kept));
    CAFE_TRY(cafe_ops(&s->y)->select(context, &s->y, s->asked, kept));
    s->columns = s->asked;
    s->bottom = count;
    s->stride = s->h.stride;
done:
    cafe_mem_free(context, kept);
    cafe_ritz_free(context, &top);
    cafe_ritz_free(context, &bottom);
    return status;
}

/* ---- is there enough at the bottom? ---------------------------------------------------------- */

typedef struct probe {
    const cafe_operator *op;
    const cafe_sphere_options *options;
    cafe_solution *solution; /* the top's */
    int64_t least;
    double *sample;  /* of large graphs: see cafe_sample_rows() */
    const double *p; /* that, or all weights */
    cafe_ritz top, bottom;
} probe;

/* Ritz values on the span of the first columns of the top's H. Its Y is made when it is first
 * needed: the bottom's blocks are mostly done with by then. */
static cafe_status judge_top(cafe_context *context, int64_t columns, probe *p) {
    if (!p->solution->y.x) CAFE_PASS(cafe_sweep_settle(context, p->op, p->solution));
    cafe_ritz_free(context, &p->top);
    return values_of(context, p->p, p->solution, 0, columns, &p->top);
}

/* The same of so many columns that the bottom has after so many sweeps. */
static cafe_status judge_bottom(cafe_context *context, int64_t columns, int64_t sweeps, probe *p) {
    cafe_sphere_options o = *p->options;
    cafe_solution *s = NULL;
    o.columns = columns;
    o.sweeps = sweeps < o.sweeps ? sweeps : o.sweeps;
    cafe_ritz_free(context, &p->bottom);
    cafe_status status = cafe_sphere_bottom(context, p->op, &o, p->sample, &s);
    if (status == CAFE_OK) status = values_of(context, p->p, s, 0, columns, &p->bottom);
    cafe_solution_free(s);
    return status;
}

static bool enough(const probe *p, double share, double growth) {
    return count_bottom(&p->top, &p->bottom, p->solution->columns, share, growth) >= p->least;
}

enum { SPARE = 8, SWEEPS = 4, SMALL = 1 << 21, ROWS = 1 << 16 };

/* Of a large graph one sweep is enough to see that there is nothing: sizes grow by a third after it
 * at most (docs/algorithms/hubs.md). */
static cafe_status look_once(cafe_context *context, int64_t few, probe *p, bool *promising) {
    const double growth = 1.6, short_of_half = 0.47;
    CAFE_PASS(cafe_sample_rows(context, p->op->n, ROWS, p->op->parts.p, &p->sample));
    if (p->sample) p->p = p->sample;
    CAFE_PASS(judge_bottom(context, few, 1, p));
    CAFE_PASS(judge_top(context, p->solution->columns, p));
    *promising = enough(p, short_of_half, growth);
    return CAFE_OK;
}

/* The sizes that few columns find in few sweeps fall short, by a tenth or two, of what half of all
 * columns would find, and hardly ever exceed it. So they settle what is clear on either side; and
 * what is not enough beside some of the top's columns is not enough beside all of them. The rest
 * small graphs settle as CAFE_ENDS_AUTO does; large ones, where that would cost half of a run, by
 * a share of the largest that is smaller as the sizes are. */
static cafe_status decide(cafe_context *context, probe *p, bool *bottom) {
    const double hopeless = 0.25, short_of_half = 0.47;
    const bool large = p->op->parts.offsets[p->op->n] > SMALL;
    int64_t all = p->solution->columns, half = (all + 1) / 2;
    int64_t few = p->least + SPARE < half ? p->least + SPARE : half;
    bool promising = true;
    if (large) CAFE_PASS(look_once(context, few, p, &promising));
    if (!promising) return CAFE_OK;
    CAFE_PASS(judge_bottom(context, few, SWEEPS, p));
    CAFE_PASS(judge_top(context, few, p));
    if (!enough(p, large ? short_of_half : hopeless, 1)) return CAFE_OK;
    CAFE_PASS(judge_top(context, all, p));
    *bottom = enough(p, large ? short_of_half : HALF, 1);
    if (*bottom || large || !enough(p, hopeless, 1)) return CAFE_OK;
    CAFE_PASS(judge_bottom(context, half, p->options->sweeps, p));
    *bottom = enough(p, HALF, 1);
    return CAFE_OK;
}

cafe_status cafe_ends_probe(cafe_context *context, const cafe_operator *op,
                            const cafe_sphere_options *options, cafe_solution *solution,
                            int64_t least, bool *bottom) {
    probe p = {.op = op, .options = options, .solution = solution, .least = least};
    p.p = op->parts.p;
    *bottom = false;
    cafe_phase(context, "ends", 0);
    cafe_status status = decide(context, &p, bottom);
    cafe_mem_free(context, p.sample);
    cafe_ritz_free(context, &p.top);
    cafe_ritz_free(context, &p.bottom);
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
    cafe_status status = cafe_tall_orthonormalise(context, x, NULL, NULL, &part.orthogonality);
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
    CAFE_TRY(cafe_tall_orthonormalise(context, x, weights, NULL, &refined->orthogonality));
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
