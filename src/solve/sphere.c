/* Sphere-GCN: algorithm 4 of the paper, in chunks.
 *
 *     maximise tr(H^T Q H)  subject to  ||h_u|| = 1
 *
 * One update, in units of p_u (gamma = (1 - beta) / beta, c_u of solve/chunks.h):
 *
 *     z_u  = sum over w != u of p(u,w) h_w / p_u - (s - p_u h_u),     s = sum over w of p_w h_w
 *     h_u <- normalise(z_u + (c_u / p_u + gamma) h_u)
 *
 * which is the paper's h_u <- normalise((1 - b_u) h_u + b_u z_u) with a b_u in [0,1] of each node's
 * own. Because of c_u it never lowers the objective, however many nodes of a chunk move at once;
 * docs/algorithms/sphere.md has the argument.
 */
#include <stddef.h>

#include "solve/sweep.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option sphere_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, columns), 64, 1, 65536,
     NULL, "columns of the embedding"},
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, sweeps), 10, 0, 1e9, NULL,
     "passes over the nodes at most; 5 to 30 give the best vectors, more only a larger objective"},
    {"tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_sphere_options, tolerance), 1e-3, 0, 1, NULL,
     "stop when a sweep gains less than this share of the objective"},
    {"beta", "B", CAFE_OPTION_REAL, offsetof(cafe_sphere_options, beta), 1, 1e-6, 1, NULL,
     "influence of the neighbours; below 1 a node keeps a part of its old direction"},
    {"chunks", "N", CAFE_OPTION_INTEGER, offsetof(cafe_sphere_options, chunks), 0, 0, 2147483647,
     NULL,
     "groups of nodes that move together; 0 chooses by size, the number of nodes is the "
     "sequential algorithm"},
};

static const cafe_option_table sphere_table = {
    "sphere", "sphere-GCN: rows of length 1 that maximise the trace of the modularity matrix",
    sizeof(cafe_sphere_options), sphere_options, sizeof sphere_options / sizeof *sphere_options};

const cafe_option_table *cafe_sphere_option_table(void) {
    return &sphere_table;
}

void cafe_sphere_options_init(cafe_sphere_options *options) {
    cafe_options_init(&sphere_table, options);
}

/* ---- the solver ------------------------------------------------------------------------------ */

static cafe_gain update(const void *method, const cafe_kernels *kernels, int64_t stride,
                        const float *h, const float *s, cafe_pull pull, float shift, float *row) {
    const cafe_sphere_options *o = method;
    float gamma = (float)((1 - o->beta) / o->beta);
    return kernels->sphere(stride, h, s, pull, shift + gamma, row);
}

cafe_status cafe_sphere(cafe_context *context, const cafe_operator *op,
                        const cafe_sphere_options *options, const float *start,
                        cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    cafe_solution *found = NULL;
    cafe_sweep *sweep = NULL;
    double level = 0; /* of a random start: nearly 0 */
    cafe_sphere_options o;
    cafe_sphere_options_init(&o);
    if (options) o = *options;
    *solution = NULL;
    CAFE_TRY(cafe_options_check(context, &sphere_table, &o));
    CAFE_TRY(cafe_solution_new(context, op->n, o.columns, o.sweeps, &found));
    CAFE_TRY(cafe_solution_start(context, start, found));
    CAFE_TRY(cafe_sweep_new(context, op, found, o.chunks, NULL, update, &o, &sweep));
    if (start) CAFE_TRY(cafe_operator_trace_block(context, op, found->stride, found->h, &level));
    CAFE_TRY(cafe_sweep_iterate(context, sweep, o.sweeps, o.tolerance, level));
    CAFE_TRY(cafe_sweep_settle(context, op, found));
    *solution = found;
    found = NULL;
done:
    cafe_sweep_free(sweep);
    cafe_solution_free(found);
    return status;
}
