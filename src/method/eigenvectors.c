/* The exact dominant eigenvectors of Q = P - p p^T: what trace maximisation approximates.
 *
 *     Q v_j = lambda_j v_j,     the K largest, half from each end, or the K largest in size
 *
 * Large positive eigenvalues belong to groups with many edges inside, negative ones to groups that
 * edge elsewhere.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "graph/graph.h"
#include "method/eigenvectors.h"
#include "spectral/deflation.h"

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option spectral_options[] = {
    {"columns", "K", CAFE_OPTION_INTEGER, offsetof(cafe_spectral_options, columns), 64, 1, 10000,
     NULL, "columns of the embedding"},
    {"columns-from", "WORD", CAFE_OPTION_CHOICE, offsetof(cafe_spectral_options, columns_from),
     CAFE_FROM_TOP, 0, 2, "top|both|largest",
     "eigenvalues taken: the largest, half from each end, or the largest in magnitude"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_spectral_options, tolerance), 1e-8, 0, 0.1, NULL,
     "residual of an eigenpair at most, as a share of the norm of Q; 0: rounding"},
};

CAFE_OPTION_TABLE(spectral, "spectral", "exact dominant eigenvectors of the modularity matrix",
                  spectral_options)

/* ---- pairs into columns ---------------------------------------------------------------------- */

/* Falling eigenvalues: the column of pair j of one run, given the other run's pairs. Of equal ones
 * those of the `first` run, and of a run the first, come first. */
static int64_t column_of(const cafe_eigen *run, int64_t j, const cafe_eigen *other, bool first) {
    int64_t column = 0;
    double value = run->values[j];
    for (int64_t i = 0; i < run->count; i++)
        column += run->values[i] > value || (run->values[i] == value && i < j);
    for (int64_t i = 0; i < other->count; i++)
        column += other->values[i] > value || (other->values[i] == value && !first);
    return column;
}

static void put_row(const cafe_eigen *run, const int64_t *columns, int64_t i, float *row) {
    for (int64_t j = 0; j < run->count; j++)
        row[columns[j]] = (float)run->vectors[i * run->count + j];
}

/* The rows of this process; those of nodes without edges are 0. */
static cafe_status put_pairs(cafe_context *context, const double *p, const cafe_owned *rows,
                             const cafe_eigen *top, const cafe_eigen *bottom, cafe_solution *s) {
    const cafe_eigen *runs[2] = {top, bottom};
    int64_t *columns[2], *all = cafe_mem(context, s->columns, sizeof *all);
    if (!all) return CAFE_ERROR_MEMORY;
    columns[0] = all, columns[1] = all + top->count;
    for (int k = 0; k < 2; k++)
        for (int64_t j = 0; j < runs[k]->count; j++) {
            columns[k][j] = column_of(runs[k], j, runs[1 - k], k == 0);
            s->objective[0] -= runs[k]->values[j] * runs[k]->values[j];
        }
    for (int64_t i = 0; i < rows->own; i++) {
        int64_t u = cafe_owned_row(rows, i);
        float *row = cafe_block_row(&s->h, u);
        memset(row, 0, (size_t)s->stride * sizeof *row);
        if (p[u] == 0) continue;
        for (int k = 0; k < 2; k++) put_row(runs[k], columns[k], i, row);
    }
    cafe_mem_free(context, all);
    return CAFE_OK;
}

/* `count` pairs, most wanted first; none when it is 0. */
static cafe_status find_pairs(cafe_context *context, const cafe_operator *op,
                              const cafe_owned *rows,
                              double (*want)(const void *argument, double value), int64_t count,
                              double tolerance, cafe_eigen *run) {
    if (count == 0) return CAFE_OK;
    cafe_eigen_problem problem = cafe_eigen_owned(op, rows, want, count, tolerance);
    cafe_status status = cafe_eigen_solve(context, &problem, run);
    return status == CAFE_OK ? cafe_eigen_need_all(context, run) : status;
}

/* The first of the top's pairs that has an eigenvalue of the bottom's too; their number: none has.
 */
static int64_t first_shared(const cafe_eigen *top, const cafe_eigen *bottom, double tolerance) {
    int64_t first = top->count;
    if (bottom->count == 0) return first;
    double near = 10 * tolerance * fmax(fabs(top->values[0]), fabs(bottom->values[0]));
    double last = bottom->values[bottom->count - 1] + near;
    while (first > 0 && top->values[first - 1] <= last) first--;
    return first;
}

/* The bottom's pairs anew, when some of the top's might be among them. */
static cafe_status part_ends(cafe_context *context, const cafe_operator *op, const cafe_owned *rows,
                             double tolerance, const cafe_eigen *top, cafe_eigen *bottom) {
    int64_t first = first_shared(top, bottom, fmax(tolerance, 1e-12));
    if (first == top->count) return CAFE_OK;
    cafe_eigen_problem problem =
        cafe_eigen_owned(op, rows, cafe_want_smallest, bottom->count, tolerance);
    CAFE_PASS(cafe_eigen_apart(context, &problem, top, first, bottom));
    return cafe_eigen_need_all(context, bottom);
}

/* Of the largest in size, those below 0 are from the bottom. */
static int64_t count_bottom(int32_t from, const cafe_eigen *top, const cafe_eigen *bottom) {
    int64_t count = bottom->count;
    for (int64_t j = 0; from == CAFE_FROM_LARGEST && j < top->count; j++)
        count += top->values[j] < 0;
    return count;
}

typedef struct norm_job {
    const cafe_operator_parts *parts;
    const cafe_owned *rows;
} norm_job;

/* sums of p(u,w)^2, p(u,w) p_u p_w and p_u^2 */
static void add_norms(void *argument, int64_t first, int64_t last, double *sums) {
    const norm_job *job = argument;
    const cafe_operator_parts *s = job->parts;
    for (int64_t i = first; i < last; i++) {
        int64_t u = cafe_owned_row(job->rows, i);
        sums[2] += s->p[u] * s->p[u];
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            double pair = CAFE_LINK(s, u, j) / s->total;
            sums[0] += pair * pair;
            sums[1] += pair * s->p[u] * s->p[s->targets[j]];
        }
    }
}

/* Of Q = A / total + F C F^T,
 *
 *     |Q|^2 = sum of a(u,w)^2 / total^2 + 2 sum of a(u,w) f_u C f_w^T / total
 *             + sum over columns l, m of c_l c_m (F^T F)_lm^2
 */
static cafe_status square_sum(cafe_context *context, const cafe_operator_parts *q, double *square) {
    int64_t width = q->width;
    double *gram = cafe_mem_zero(context, width * width, sizeof *gram);
    CAFE_PASS(cafe_mem_had(gram));
    *square = 0;
    for (int64_t u = 0; u < q->n; u++) {
        const float *f = q->f + u * width;
        for (int64_t j = q->offsets ? q->offsets[u] : 0; q->offsets && j < q->offsets[u + 1]; j++) {
            double pair = q->sign * CAFE_LINK(q, u, j) / q->total;
            *square += pair * (pair + 2 * q->kappa * cafe_factor_product(q, u, q->targets[j]));
        }
        for (int64_t i = 0; i < width * width; i++) gram[i] += (double)f[i / width] * f[i % width];
    }
    for (int64_t i = 0; i < width * width; i++)
        *square += q->kappa * q->kappa * cafe_factor_sign(q, i / width) *
                   cafe_factor_sign(q, i % width) * (gram[i] * gram[i]);
    cafe_mem_free(context, gram);
    return CAFE_OK;
}

/* |Q|^2 = sum of p(u,w)^2 - 2 sum of p(u,w) p_u p_w + (sum of p_u^2)^2 */
static cafe_status square_norm(cafe_context *context, const cafe_operator *op,
                               const cafe_owned *rows, double *square) {
    norm_job job = {&op->parts, rows};
    double sums[3] = {0};
    if (op->parts.f) return square_sum(context, &op->parts, square);
    CAFE_PASS(cafe_owned_sums(context, rows, op->n, add_norms, &job, 3, sums));
    *square = sums[0] - 2 * sums[1] + sums[2] * sums[2];
    return CAFE_OK;
}

static cafe_status solve(cafe_context *context, const cafe_job *job, cafe_solution **solution) {
    cafe_status status = CAFE_OK;
    const cafe_graph *graph = job->model->graph;
    const cafe_operator *op = job->model->op;
    const cafe_spectral_options *o = job->own;
    cafe_solution *s = NULL;
    cafe_owned rows = {0};
    cafe_eigen top = {0}, bottom = {0};
    int64_t low = o->columns_from == CAFE_FROM_BOTH ? o->columns / 2 : 0;
    cafe_phase(context, "eigen", 0);
    CAFE_TRY(cafe_engine_need_rows(context, job->method->name));
    CAFE_TRY(cafe_owned_open(context, op, &rows));
    CAFE_TRY(find_pairs(context, op, &rows,
                        o->columns_from == CAFE_FROM_LARGEST ? cafe_want_size : cafe_want_largest,
                        o->columns - low, o->tolerance, &top));
    CAFE_TRY(find_pairs(context, op, &rows, cafe_want_smallest, low, o->tolerance, &bottom));
    CAFE_TRY(part_ends(context, op, &rows, o->tolerance, &top, &bottom));
    CAFE_TRY(cafe_solution_new(context, graph->n, o->columns, 0, &s));
    s->loss = true;
    s->converged = 1;
    low = count_bottom(o->columns_from, &top, &bottom);
    cafe_solution_split(s, o->columns - low, low);
    CAFE_TRY(square_norm(context, op, &rows, &s->objective[0]));
    CAFE_TRY(put_pairs(context, op->parts.p, &rows, &top, &bottom, s));
    s->objective[0] = fmax(s->objective[0], 0);
    *solution = s;
    s = NULL;
done:
    cafe_phase(context, "", 0);
    cafe_eigen_free(context, &top);
    cafe_eigen_free(context, &bottom);
    cafe_owned_close(context, &rows);
    cafe_solution_free(s);
    return status;
}

/* The pairs of one end wait while those of the other are found. */
static double all_bytes(const void *own, const cafe_graph_counts *counts, int64_t threads) {
    const cafe_spectral_options *o = own;
    int64_t nodes = counts->nodes;
    int64_t count = o->columns < nodes ? o->columns : nodes;
    double waiting =
        o->columns_from == CAFE_FROM_BOTH ? 8.0 * (double)nodes * (double)count / 2 : 0;
    return (double)cafe_eigen_bytes(nodes, count, threads) + waiting;
}

static const cafe_method_code spectral_code = {.solve = solve, .bytes = all_bytes, .ranks = true};
const cafe_method cafe_spectral_method = {
    .name = "spectral",
    .title = "Spectral",
    .summary = "exact dominant eigenvectors of the modularity matrix",
    .takes = CAFE_TAKES_SAMPLING | CAFE_TAKES_SUMS,
    .form = CAFE_FORM_RAW,
    .vectors = cafe_spectral_option_table,
    .code = &spectral_code,
};
