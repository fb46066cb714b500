/* Sphere-GCN: algorithm 4 of the paper, in chunks.
 *
 *     maximise tr(H^T Q H)  subject to  ||h_u|| = 1
 *
 * One update, in units of p_u (gamma = (1 - beta) / beta, c_u of operator/chunks.h):
 *
 *     z_u  = sum over w != u of p(u,w) h_w / p_u - (s - p_u h_u),     s = sum over w of p_w h_w
 *     h_u <- normalise(z_u + (c_u / p_u + gamma) h_u)
 *
 * which is the paper's h_u <- normalise((1 - b_u) h_u + b_u z_u) with a b_u in [0,1] of each node's
 * own. Because of c_u it never lowers the objective, however many nodes of a chunk move at once;
 * docs/algorithms/sphere.md has the argument.
 *
 * The bottom end of the spectrum is the top end of -Q: the same sweep over the negative operator.
 * The ends are solved one after the other and set side by side.
 */
#include <stddef.h>

#include "base/option.h"
#include "base/random.h"
#include "solve/checkpoint.h"
#include "solve/convergence.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option sphere_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, columns), 128, 1, 65536,
     NULL, "columns of the embedding"},
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, sweeps), 10, 0, 1e9, NULL,
     "passes over the nodes at most; 5 to 30 give the best vectors, more only a larger objective"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_sphere_options, tolerance), 0.025, 0, 1, NULL,
     "stop early when more sweeps would change little: the objective by less than this share, and "
     "the columns in use by less than a tenth; 0 never stops early"},
    {"beta", "B", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_sphere_options, beta), 1, 1e-6,
     1, NULL, "influence of the neighbours; below 1 a node keeps a part of its old direction"},
    {"chunks", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_sphere_options, chunks),
     0, 0, 2147483647, NULL,
     "groups of nodes that move together; 0 chooses by size, as many as nodes moves one at a time"},
    {"columns-from", "WORD", CAFE_OPTION_CHOICE, offsetof(cafe_sphere_options, columns_from),
     CAFE_FROM_AUTO, 0, 0, "top|both|largest|auto|top+hubs|hubs",
     "where columns come from: top (groups with many edges inside), both (half from groups with "
     "many between), largest (both, by eigenvalues), hubs (degrees), top+hubs, auto (top, or "
     "with hubs)"},
    CAFE_STORAGE_OPTION(cafe_sphere_options),
};

CAFE_OPTION_TABLE(sphere, "sphere",
                  "sphere-GCN: rows of length 1 that maximise the trace of the modularity matrix",
                  sphere_options)

/* ---- the solver ------------------------------------------------------------------------------ */

/* The columns of one end: how many, and where they stand in a start of `width` columns. */
typedef struct end {
    int64_t columns, first;
    uint64_t stream;
    const float *start;  /* NULL: random */
    cafe_keeper *keeper; /* NULL: no checkpoints */
    int64_t number;      /* in them */
} end;

/* The first rows, and the objective that they begin with: of random ones it is nearly 0. */
static cafe_status start_end(cafe_context *context, const cafe_operator *op,
                             const cafe_sphere_options *o, const end *e, cafe_passes *passes,
                             cafe_solution *solution) {
    CAFE_PASS(
        cafe_solution_start(context, op, e->start, o->columns, e->first, e->stream, solution));
    if (!e->start) return CAFE_OK;
    cafe_status status = cafe_solution_product(context, op, solution, &passes->level);
    cafe_block_drop(context, &solution->y);
    return status;
}

/* H of the operator's top end, and its gains; Y and the objective's level are still missing. */
static cafe_status solve_end(cafe_context *context, const cafe_operator *op,
                             const cafe_sphere_options *o, const end *e, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *found = NULL;
    cafe_settling settling = {.tolerance = o->tolerance};
    cafe_passes *passes = &settling.passes;
    *passes = (cafe_passes){.chunks = o->chunks, .most = o->sweeps};
    passes->keeper = e->keeper, passes->end = e->number;
    passes->rule = (cafe_rule){.kind = CAFE_RULE_SPHERE, .resolution = 1};
    passes->rule.gamma = (1 - o->beta) / o->beta;
    passes->rule.storage = o->storage;
    CAFE_TRY(cafe_solution_new(context, op->n, e->columns, o->sweeps, &found));
    if (!cafe_keeper_has(passes)) CAFE_TRY(start_end(context, op, o, e, passes, found));
    CAFE_TRY(cafe_settling_open(context, found, &settling));
    CAFE_TRY(cafe_sweep(context, op, passes, found));
    cafe_solution_split(found, e->columns, 0);
    *solution = found;
    found = NULL;
done:
    cafe_settling_close(context, &settling);
    cafe_solution_free(found);
    return status;
}

/* ---- both ends ------------------------------------------------------------------------------- */

/* The objective of an end after a sweep; an end that finished earlier keeps its last value. */
static double objective_after(const cafe_solution *s, int64_t sweep) {
    return s->objective[sweep < s->sweeps ? sweep : s->sweeps];
}

/* The columns of both ends side by side; their gains add up. */
static cafe_status join(cafe_context *context, cafe_solution *const ends[2],
                        cafe_solution **solution) {
    const cafe_solution *top = ends[0], *bottom = ends[1];
    int64_t sweeps = top->sweeps > bottom->sweeps ? top->sweeps : bottom->sweeps;
    int64_t columns = top->columns + bottom->columns;
    cafe_status status = cafe_solution_new(context, top->n, columns, sweeps, solution);
    if (status != CAFE_OK) return status;
    cafe_solution *s = *solution;
    cafe_solution_split(s, top->columns, bottom->columns);
    s->sweeps = sweeps;
    s->converged = top->converged && bottom->converged;
    for (int64_t i = 0; i <= sweeps; i++)
        s->objective[i] = objective_after(top, i) + objective_after(bottom, i);
    CAFE_TRY(cafe_ops(&s->h)->copy(context, &top->h, &s->h, 0));
    CAFE_TRY(cafe_ops(&s->h)->copy(context, &bottom->h, &s->h, top->columns));
    s = NULL;
done:
    if (s) *solution = NULL;
    cafe_solution_free(s);
    return status;
}

/* Memory: the two ends' blocks and H, together no more than H and Y later. */
static cafe_status solve_both(cafe_context *context, const cafe_operator *op,
                              const cafe_sphere_options *o, const float *start, cafe_keeper *keeper,
                              cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    bool choose = o->columns_from == CAFE_FROM_LARGEST;
    cafe_operator negative = cafe_operator_negative(op);
    cafe_solution *ends[2] = {NULL, NULL};
    end top = {choose ? o->columns : (o->columns + 1) / 2, 0, CAFE_STREAM_START, start, keeper, 0};
    end bottom = {choose ? (o->columns + 1) / 2 : o->columns / 2,
                  choose ? 0 : top.columns,
                  CAFE_STREAM_BOTTOM,
                  choose ? NULL : start,
                  keeper,
                  1};
    CAFE_TRY(solve_end(context, op, o, &top, &ends[0]));
    CAFE_TRY(solve_end(context, &negative, o, &bottom, &ends[1]));
    CAFE_TRY(join(context, ends, solution));
    (*solution)->asked = (*solution)->keep = o->columns;
done:
    cafe_solution_free(ends[0]);
    cafe_solution_free(ends[1]);
    return status;
}

/* Maximises tr(H^T (-Q) H): the columns of the bottom end alone. */
cafe_status cafe_sphere_bottom(cafe_context *context, const cafe_operator *op,
                               const cafe_sphere_options *options, cafe_solution **solution) {
    cafe_operator negative = cafe_operator_negative(op);
    end bottom = {options->columns, 0, CAFE_STREAM_BOTTOM, NULL, NULL, 0};
    CAFE_PASS(solve_end(context, &negative, options, &bottom, solution));
    cafe_solution_split(*solution, 0, options->columns);
    return CAFE_OK;
}

/* The sweeps without the final product. Both ends are two independent problems,
 *
 *     max tr(H_1^T Q H_1),   max tr(H_2^T (-Q) H_2),   rows of length 1 in each,
 *
 * with K/2 columns each, or with K and K/2 if the K largest of both are chosen later
 * (spectral/ends.c).
 */
cafe_status cafe_sphere_sweeps(cafe_context *context, const cafe_operator *op,
                               const cafe_sphere_options *options, const float *start,
                               cafe_solution **solution) {
    cafe_sphere_options o;
    *solution = NULL;
    CAFE_PASS(cafe_options_take(context, &sphere_table, options, &o));
    cafe_keeper *keeper = NULL;
    CAFE_PASS(cafe_keeper_open(context, op, &sphere_table, &o,
                               (cafe_keeper_inputs){start, o.columns, NULL}, &keeper));
    end whole = {o.columns, 0, CAFE_STREAM_START, start, keeper, 0};
    bool both = o.columns_from == CAFE_FROM_BOTH && o.columns > 1;
    both = both || o.columns_from == CAFE_FROM_LARGEST;
    cafe_status status = both ? solve_both(context, op, &o, start, keeper, solution)
                              : solve_end(context, op, &o, &whole, solution);
    cafe_keeper_close(keeper);
    return status;
}

cafe_status cafe_sphere(cafe_context *context, const cafe_operator *op,
                        const cafe_sphere_options *options, const float *start,
                        cafe_solution **solution) {
    CAFE_PASS(cafe_sphere_sweeps(context, op, options, start, solution));
    cafe_status status = cafe_sweep_settle(context, op, *solution);
    if (status == CAFE_OK) return status;
    cafe_solution_free(*solution);
    *solution = NULL;
    return status;
}
