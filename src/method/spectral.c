/* The exact dominant eigenvectors of Q = P - p p^T: what trace maximisation approximates.
 *
 *     Q v_j = lambda_j v_j,     the K largest, half from each end, or the K largest in size
 *
 * Large positive eigenvalues belong to groups with many links inside, negative ones to groups that
 * link elsewhere.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "graph/graph.h"
#include "method/others.h"
#include "spectral/eigen.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option spectral_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_spectral_options, columns), 64, 1, 10000,
     NULL, "columns of the embedding"},
    {"ends", "WORD", CAFE_OPTION_CHOICE, offsetof(cafe_spectral_options, ends), 0, 0, 2,
     "top|both|auto",
     "eigenvalues taken: the largest, half from each end, or the largest in magnitude"},
    {"tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_spectral_options, tolerance), 1e-8, 0, 0.1,
     NULL, "residual of an eigenpair at most, as a share of the norm of Q; 0: rounding"},
};

CAFE_OPTION_TABLE(spectral, "spectral", "exact dominant eigenvectors of the modularity matrix",
                  spectral_options)

/* ---- pairs into columns ---------------------------------------------------------------------- */

/* Falling eigenvalues: the column of pair j of one run, given the other run's pairs. */
static int64_t column_of(const cafe_eigen *run, int64_t j, const cafe_eigen *other) {
    int64_t column = 0;
    for (int64_t i = 0; i < run->count; i++)
        column += run->values[i] > run->values[j] || (run->values[i] == run->values[j] && i < j);
    for (int64_t i = 0; i < other->count; i++) column += other->values[i] > run->values[j];
    return column;
}

static void put_pairs(cafe_solution *s, const cafe_graph *graph, const cafe_eigen *run,
                      const cafe_eigen *other) {
    for (int64_t j = 0; j < run->count; j++) {
        int64_t to = column_of(run, j, other);
        for (int64_t u = 0; u < s->n; u++)
            if (graph->offsets[u] < graph->offsets[u + 1])
                s->h.x[u * s->stride + to] = (float)run->vectors[u * run->count + j];
        s->objective[0] -= run->values[j] * run->values[j];
    }
}

/* `count` pairs, most wanted first; none when it is 0. */
static cafe_status find_pairs(cafe_context *context, const cafe_operator *op,
                              double (*want)(const void *argument, double value), int64_t count,
                              double tolerance, cafe_eigen *run) {
    if (count == 0) return CAFE_OK;
    cafe_eigen_problem problem = cafe_eigen_operator(op, want, count, tolerance);
    cafe_status status = cafe_eigen_solve(context, &problem, run);
    return status == CAFE_OK ? cafe_eigen_need_all(context, run) : status;
}

/* |Q|^2 = sum of p(u,w)^2 - 2 sum of p(u,w) p_u p_w + (sum of p_u^2)^2 */
static double square_norm(const cafe_operator_parts *s) {
    double pairs = 0, mixed = 0, nodes = 0;
    for (int64_t u = 0; u < s->n; u++) {
        nodes += s->p[u] * s->p[u];
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            double pair = CAFE_LINK(s, u, j) / s->total;
            pairs += pair * pair;
            mixed += pair * s->p[u] * s->p[s->targets[j]];
        }
    }
    return pairs - 2 * mixed + nodes * nodes;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_operator *op = job->model->op;
    const cafe_spectral_options *o = job->own;
    cafe_solution *s = NULL;
    cafe_eigen top = {0}, bottom = {0};
    int64_t low = o->ends == CAFE_ENDS_BOTH ? o->columns / 2 : 0;
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(find_pairs(context, op, o->ends == CAFE_ENDS_AUTO ? cafe_want_size : cafe_want_largest,
                        o->columns - low, o->tolerance, &top));
    CAFE_TRY(find_pairs(context, op, cafe_want_smallest, low, o->tolerance, &bottom));
    CAFE_TRY(cafe_solution_rows(context, job->method->name, graph->n, o->columns, 0, &s));
    memset(s->h.x, 0, (size_t)(s->n * s->stride) * sizeof *s->h.x);
    s->loss = true;
    s->converged = 1;
    s->objective[0] = square_norm(&op->parts);
    put_pairs(s, graph, &top, &bottom);
    put_pairs(s, graph, &bottom, &top);
    s->objective[0] = fmax(s->objective[0], 0);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_eigen_free(context, &top);
    cafe_eigen_free(context, &bottom);
    cafe_solution_free(s);
    return status;
}

/* The pairs of one end wait while those of the other are found. */
static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_spectral_options *o = own;
    int64_t nodes = counts->nodes;
    int64_t count = o->columns < nodes ? o->columns : nodes;
    double waiting = o->ends == CAFE_ENDS_BOTH ? 8.0 * (double)nodes * (double)count / 2 : 0;
    return (double)cafe_eigen_bytes(nodes, count, threads) + waiting;
}

static const cafe_method_code spectral_code = {.solve = solve, .bytes = all_bytes};
const cafe_method cafe_spectral_method = {
    .name = "spectral",
    .title = "Spectral",
    .summary = "exact dominant eigenvectors of the modularity matrix",
    .form = CAFE_FORM_RAW,
    .vectors = cafe_spectral_option_table,
    .code = &spectral_code,
};
