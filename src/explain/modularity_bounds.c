/* Upper bounds on the modularity of every partition.
 *
 * A partition with indicator vectors x_S has modularity sum over S of x_S^T Q x_S.
 *
 * Pairs. It is a sum of q(u,w) over the pairs in one community, of which all (u,u) are some. It is
 * at most sum over u of q(u,u) + sum over u != w of max(q(u,w), 0). Only arcs have q(u,w) > 0.
 *
 * Dual. Let y be any vector with diag(y) - Q positive semidefinite. Then
 *
 *     sum over S of x_S^T Q x_S  <=  sum over S of x_S^T diag(y) x_S  =  sum over u of y_u
 *
 * because each node is in one S. This is the dual of the semidefinite relaxation in which rows of
 * length 1 take the place of indicators (Goemans and Williamson 1995). Sphere climbs that
 * relaxation. At its optimum y_u = <h_u, z_u> is dual optimal, so the y of a sphere is nearly
 * optimal. What it lacks is repaired along p. With mu the largest eigenvalue of D^-1/2 (Q -
 * diag(y)) D^-1/2, diag(y + mu p) - Q is positive semidefinite. The bound is sum y + mu, because p
 * sums to 1.
 *
 * Spectral. The same with y = 0: the largest eigenvalue of D^-1/2 Q D^-1/2.
 *
 * Witness. The same with y, and a correction of Q, from a partition: explain/witness.h. The better
 * the partition, the better the bound; it is the one to be tight.
 *
 * Inequalities. Multipliers of rows that the pairs of every partition keep: explain/clique_bound.h.
 * The only one to prove partitions of small graphs best. A graph of up to 16 nodes is solved.
 *
 * mu: by a dense solver for a small graph. Beyond, a Ritz value theta with residual r = |M x -
 * theta x|, |x| = 1: an eigenvalue lies within r of theta (Parlett 1980, theorem 4.5.1), and theta
 * + r is taken. That this eigenvalue is the largest one is assumed: it fails only when the random
 * start has hardly any part along those above.
 */
#include <math.h>
#include <string.h>

#include <cafe/embedding.h>

#include "base/memory.h"
#include "base/option.h"
#include "explain/explain.h"
#include "explain/partition_bound.h"
#include "explain/scaled_operator.h"
#include "explain/witness.h"
#include "solve/solution.h"

static const cafe_option ceiling_options[] = {
    {"bound-columns", "K", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_ceiling_options, columns), 32, 2, 4096, NULL,
     "bound: columns of the sphere that the dual bound is read off"},
    {"bound-sweeps", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_ceiling_options, sweeps), 300, 1, 1e6, NULL, "bound: sweeps of it at most"},
    {"bound-tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_ceiling_options, tolerance), 1e-6, 0, 1, NULL,
     "bound: stop its sweeps when one gains less than this share of the objective"},
    {"bound-residual", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_ceiling_options, residual), 1e-4, 0, 1, NULL,
     "bound: the eigensolver stops at this residual, relative to the largest value"},
    {"bound-passes", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_ceiling_options, passes), 300, 1, 1e6, NULL,
     "bound: passes of it over the graph at most, for each of the bounds"},
    {"bound-work", "S", CAFE_OPTION_REAL | CAFE_OPTION_TUNE, offsetof(cafe_ceiling_options, work),
     5, 0, 1e9, NULL,
     "bound: seconds of one processor, about, for the bound by inequalities; 0: without"},
};

CAFE_OPTION_TABLE(ceiling, "ceiling", "upper bounds on the modularity of any partition",
                  ceiling_options)

/* ---- the largest eigenvalue of D^-1/2 Q D^-1/2 - diag(t) ------------------------------------- */

typedef struct shift {
    double value, residual; /* value: the residual is in it */
} shift;

static cafe_status find_shift(cafe_context *context, const cafe_operator *op,
                              const cafe_ceiling_options *o, const double *roots, const double *t,
                              cafe_witness *witness, shift *found) {
    cafe_status status = CAFE_OK;
    cafe_scaled m;
    cafe_eigen first = {0};
    CAFE_TRY(cafe_scaled_new(context, op, roots, t, &m));
    m.more = witness ? cafe_witness_add : NULL;
    m.argument = witness;
    CAFE_TRY(cafe_scaled_largest(context, &m, 1, o->residual, o->passes, &first));
    found->residual = first.residuals[0];
    found->value = first.values[0] + found->residual + cafe_bound_rounding(op);
done:
    cafe_eigen_free(context, &first);
    cafe_scaled_free(context, &m);
    return status;
}

/* ---- y of a sphere --------------------------------------------------------------------------- */

static cafe_status solve_sphere(cafe_context *context, const cafe_operator *op,
                                const cafe_ceiling_options *o, cafe_solution **solution) {
    cafe_sphere_options sphere;
    cafe_sphere_options_init(&sphere);
    sphere.columns = o->columns;
    sphere.sweeps = o->sweeps;
    sphere.tolerance = o->tolerance;
    return cafe_sphere(context, op, &sphere, NULL, solution);
}

/* t_u = y_u / p_u with y_u = <h_u, z_u>; *sum gets that of y. Any y is valid, so float32 will do.
 */
static cafe_status find_dual(cafe_context *context, const cafe_operator *op,
                             const cafe_ceiling_options *o, double *t, double *sum) {
    cafe_status status = CAFE_OK;
    cafe_solution *solution = NULL;
    float *z = NULL;
    const double *p = op->parts.p;
    CAFE_TRY(solve_sphere(context, op, o, &solution));
    CAFE_TRY(cafe_block_fetch(context, &solution->h));
    z = cafe_mem(context, op->n * solution->stride, sizeof *z);
    CAFE_TRY(cafe_mem_had(z));
    CAFE_TRY(cafe_operator_apply(context, op, CAFE_SIDE_WALK, solution->stride, solution->h.x, 1, 0,
                                 0, z));
    *sum = 0;
    for (int64_t u = 0; u < op->n; u++) {
        const float *h = solution->h.x + u * solution->stride;
        t[u] = p[u] > 0 ? op->kernels->dot(solution->stride, h, z + u * solution->stride) : 0;
        *sum += p[u] * t[u];
    }
done:
    cafe_mem_free(context, z);
    cafe_solution_free(solution);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Tight for a best partition, in good cases. */
static cafe_status bound_witness(cafe_context *context, const cafe_operator *op,
                                 const cafe_ceiling_options *o, const double *roots,
                                 const int32_t *part, cafe_ceiling *c) {
    cafe_status status = CAFE_OK;
    cafe_witness witness;
    shift found;
    CAFE_TRY(cafe_witness_new(context, op, part, &witness));
    CAFE_TRY(find_shift(context, op, o, roots, witness.t, &witness, &found));
    c->witness_sum = witness.sum;
    c->witness_shift = found.value;
    c->witness_residual = found.residual;
    c->witness = witness.sum + found.value;
done:
    cafe_witness_free(context, &witness);
    return status;
}

/* By pairs and by inequalities. */
static cafe_status bound_partition(cafe_context *context, const cafe_operator *op,
                                   const cafe_ceiling_options *o, bool part, cafe_ceiling *c) {
    cafe_partition_bound found;
    CAFE_PASS(cafe_partition_bound_find(context, op, 1, part ? c->witness_sum : -HUGE_VAL, o->work,
                                        NULL, &found));
    c->pairs = found.pairs;
    c->inequalities = found.inequalities < HUGE_VAL ? found.inequalities : -1;
    c->inequality_count = found.rows;
    c->proved = found.proved;
    return CAFE_OK;
}

static void collect(int64_t n, shift spectral, shift dual, cafe_ceiling *c) {
    c->exact = n <= CAFE_EIGEN_SMALL;
    c->spectral = spectral.value > 0 ? spectral.value : 0;
    c->spectral_residual = spectral.residual;
    c->dual_shift = dual.value;
    c->dual_residual = dual.residual;
    c->dual = c->dual_sum + c->dual_shift;
    c->bound = c->pairs < c->spectral ? c->pairs : c->spectral;
    if (c->dual < c->bound) c->bound = c->dual;
    if (c->witness >= 0 && c->witness < c->bound) c->bound = c->witness;
    if (c->inequalities >= 0 && c->inequalities < c->bound) c->bound = c->inequalities;
}

static cafe_status find(cafe_context *context, const cafe_operator *op, const int32_t *part,
                        const cafe_ceiling_options *o, cafe_ceiling *c) {
    cafe_status status = CAFE_ERROR_MEMORY;
    shift spectral, dual;
    double *roots = cafe_inverse_roots(context, op);
    double *t = cafe_mem(context, op->n, sizeof *t);
    if (!roots || !t) goto done;
    CAFE_TRY(find_dual(context, op, o, t, &c->dual_sum));
    cafe_phase(context, "bound", 0);
    CAFE_TRY(find_shift(context, op, o, roots, NULL, NULL, &spectral));
    CAFE_TRY(find_shift(context, op, o, roots, t, NULL, &dual));
    c->witness = -1;
    if (part) CAFE_TRY(bound_witness(context, op, o, roots, part, c));
    CAFE_TRY(bound_partition(context, op, o, part != NULL, c));
    collect(op->n, spectral, dual, c);
done:
    cafe_mem_free_all(context, roots, t);
    return status;
}

cafe_status cafe_ceiling_find_sized(cafe_context *context, const cafe_operator *op,
                                    const int32_t *part, const cafe_ceiling_options *options,
                                    cafe_ceiling *ceiling, size_t size) {
    cafe_ceiling_options o;
    cafe_ceiling found = {0};
    CAFE_PASS(cafe_options_take(context, &ceiling_table, options, &o));
    CAFE_PASS(cafe_operator_need_links(context, op));
    for (int64_t u = 0; part && u < op->n; u++)
        if (part[u] >= op->n)
            return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                             "node %lld is in community %d: expected numbers below the nodes",
                             (long long)u, part[u]);
    cafe_status status = find(context, op, part, &o, &found);
    cafe_struct_give(&found, sizeof found, ceiling, size);
    cafe_phase(context, "", 0);
    return status;
}
