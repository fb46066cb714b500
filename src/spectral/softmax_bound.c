/* How near softmax clustering with K = 2 comes to the dominant eigenvector: theorem 4 of the paper.
 *
 * With eigenvalues lambda_1 > lambda_2 >= ... >= lambda_n of Q, delta = max(lambda_2, -lambda_n) /
 * lambda_1 and a unit x with x^T Q x = lambda_1 (1 - epsilon), epsilon <= 1 - delta:
 *
 *     cos(v1, x)^2  >= a / (1 - delta),              a = 1 - epsilon - delta
 *     cos(v1, Qx)^2 >= a / (a + epsilon delta^2)
 *
 * The published second bound has delta^2 in place of epsilon delta^2; docs/algorithms/bounds.md
 * derives this one from the proof's own function.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include <cafe/bounds.h>
#include <cafe/cluster.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "operator/operator.h"
#include "solve/solution.h"
#include "spectral/softmax_bound.h"

static const double eigen_tolerance = 1e-12;
/* Eigenvalues this small against the largest in size are 0. */
static const double zero_share = 1e-10;
/* What rounding, and the tolerance over the gap, may take from a cosine. */
static const double slack = 1e-8;

struct cafe_bounds {
    cafe_context *context;
    cafe_bounds_report report;
    double *x, *xc, *qx, *first; /* those of the report */
};

/* ---- options --------------------------------------------------------------------------------- */

static const cafe_option bounds_options[] = {
    {"theta", "T", CAFE_OPTION_REAL, offsetof(cafe_bounds_options, theta), 1, 1e-9, 1e30, NULL,
     "how hard a node follows its neighbours (an inverse temperature, in units of n)"},
    {"restarts", "R", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_bounds_options, restarts), 20, 1, 1e6, NULL,
     "random starts; the one with the largest objective counts"},
    {"sweeps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_bounds_options, sweeps), 300, 0, 1e9, NULL,
     "passes over the nodes at most, per start"},
    {"tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_bounds_options, tolerance), 1e-9, 0, 1, NULL,
     "stop when a sweep gains less than this share of the objective"},
};

CAFE_OPTION_TABLE(bounds, "bounds",
                  "softmax clustering with two columns against the dominant eigenvector",
                  bounds_options)

/* ---- the gap --------------------------------------------------------------------------------- */

/* delta = max(lambda_2, -lambda_n) / lambda_1 */
static void fill_gap(double first, double second, double last, cafe_gap *gap) {
    double slem = fmax(second, -last);
    *gap = (cafe_gap){first, second, last, INFINITY};
    if (first > zero_share * fmax(fabs(last), DBL_MIN)) gap->delta = slem / first;
}

/* lambda_1, lambda_2 and lambda_n of Q, and the unit vector v1 of lambda_1. */
cafe_status cafe_gap_find(cafe_context *context, const cafe_operator *op, cafe_gap *gap,
                          double *v1) {
    cafe_status status = CAFE_ERROR_MEMORY;
    double values[2], last;
    if (op->n < 2)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "a spectral gap needs at least two nodes, this graph has one");
    double *vectors = cafe_mem(context, 2 * op->n, sizeof *vectors);
    if (!vectors) goto done;
    CAFE_TRY(
        cafe_operator_eigen(context, op, CAFE_END_LARGEST, 2, eigen_tolerance, values, vectors));
    CAFE_TRY(cafe_operator_eigen(context, op, CAFE_END_SMALLEST, 1, eigen_tolerance, &last, NULL));
    for (int64_t u = 0; u < op->n; u++) v1[u] = vectors[2 * u];
    fill_gap(values[0], values[1], last, gap);
done:
    cafe_mem_free(context, vectors);
    return status;
}

/* ---- the theorem ----------------------------------------------------------------------------- */

/* <x, y> = sum over u of x_u y_u, in node order. */
static double dot(int64_t n, const double *x, const double *y) {
    double sum = 0;
    for (int64_t u = 0; u < n; u++) sum += x[u] * y[u];
    return sum;
}

/* cos(v, y) for a unit v; 0 for a y that is no longer than `least`. */
static double cosine(int64_t n, const double *v, const double *y, double least) {
    double length = sqrt(dot(n, y, y));
    return length > least ? dot(n, v, y) / length : 0;
}

/* The theorem, with a = 1 - epsilon - delta >= 0 and delta < 1:
 *
 *     cos(v1, x)^2   >= a / (1 - delta)
 *     cos(v1, Qx)^2  >= a / (a + epsilon delta^2) >= a / (a + delta^2)      (published)
 *     cos(v1, Qx)    >= cos(v1, x)
 */
static void fill_bounds(const cafe_gap *gap, cafe_bound *b) {
    double delta = gap->delta, epsilon = b->epsilon, a = 1 - epsilon - delta;
    b->applies = delta < 1 && a >= 0;
    if (!b->applies) return;
    b->first = sqrt(a / (1 - delta));
    /* epsilon = 0 is x = v1: cosine 1, also when delta = 0 */
    b->second = epsilon > 0 ? sqrt(a / (a + epsilon * delta * delta)) : 1;
    b->second_published = sqrt(a / (a + delta * delta));
    b->holds = b->cosine_x >= b->first - slack && b->cosine_qx >= b->second - slack &&
               b->cosine_qx >= b->second_published - slack && b->cosine_qx >= b->cosine_x - slack;
}

/* epsilon = 1 - x^T Q x / (lambda_1 x^T x) and both cosines, from x and qx = Q x. Signs are such
 * that cos(v1, x) >= 0. */
static void judge(int64_t n, const cafe_gap *gap, const double *v1, const double *x,
                  const double *qx, cafe_bound *b) {
    double square = dot(n, x, x), size = fmax(fabs(gap->first), fabs(gap->last));
    *b = (cafe_bound){.epsilon = INFINITY};
    b->rayleigh = square > 0 ? dot(n, x, qx) / square : 0;
    /* x^T Q x <= lambda_1 x^T x, up to rounding */
    if (isfinite(gap->delta)) b->epsilon = fmax(0, 1 - b->rayleigh / gap->first);
    b->cosine_x = cosine(n, v1, x, 0);
    b->cosine_qx = cosine(n, v1, qx, zero_share * size * sqrt(square));
    if (b->cosine_x < 0) b->cosine_x = -b->cosine_x, b->cosine_qx = -b->cosine_qx;
    fill_bounds(gap, b);
}

cafe_status cafe_bound_check(cafe_context *context, const cafe_operator *op, const cafe_gap *gap,
                             const double *v1, const double *x, cafe_bound *bound) {
    cafe_status status = CAFE_ERROR_MEMORY;
    double *qx = cafe_mem(context, op->n, sizeof *qx);
    if (!qx) goto done;
    CAFE_TRY(cafe_operator_exact(context, &op->parts, 1, x, qx));
    judge(op->n, gap, v1, x, qx, bound);
done:
    cafe_mem_free(context, qx);
    return status;
}

/* ---- softmax clustering with two columns ----------------------------------------------------- */

/* Rows uniform on the simplex. A node without edges is in both halves alike: it never moves, and
 * would only lengthen x. */
static void draw_start(const cafe_operator *op, uint64_t seed, int64_t restart, float *start) {
    uint64_t first = (uint64_t)restart * (uint64_t)op->n;
    for (int64_t u = 0; u < op->n; u++) {
        cafe_random4 r = cafe_philox(seed, CAFE_STREAM_RESTART, first + (uint64_t)u);
        float h = op->parts.p[u] > 0 ? (float)cafe_uniform_open(r.v[0]) : 0.5f;
        start[2 * u] = h;
        start[2 * u + 1] = 1 - h;
    }
}

/* The best of the starts: its rows into best[2 n]. */
static cafe_status cluster(cafe_context *context, const cafe_operator *op,
                           const cafe_bounds_options *o, float *best, cafe_bounds_report *report) {
    cafe_status status = CAFE_OK;
    cafe_solution *solution = NULL;
    cafe_softmax_options softmax;
    cafe_softmax_options_init(&softmax);
    softmax.columns = 2;
    softmax.theta = o->theta;
    softmax.sweeps = o->sweeps;
    softmax.tolerance = o->tolerance;
    float *start = cafe_mem(context, 2 * op->n, sizeof *start);
    if (!start) return CAFE_ERROR_MEMORY;
    report->objective = -INFINITY;
    for (int64_t r = 0; r < o->restarts; r++) {
        draw_start(op, context->seed, r, start);
        CAFE_TRY(cafe_softmax(context, op, &softmax, start, NULL, &solution));
        double objective = solution->objective[solution->sweeps];
        report->converged += solution->converged;
        if (objective > report->objective) {
            report->objective = objective;
            report->best = r;
            cafe_solution_copy(solution, best);
        }
        cafe_solution_free(solution);
        solution = NULL;
    }
done:
    cafe_solution_free(solution);
    cafe_mem_free(context, start);
    return status;
}

/* ---- both forms of x against v1 -------------------------------------------------------------- */

static void scale(int64_t n, double factor, double *x) {
    for (int64_t u = 0; u < n; u++) x[u] *= factor;
}

/* x <- x / ||x|| */
static void to_unit(int64_t n, double *x) {
    double length = sqrt(dot(n, x, x));
    if (length > 0) scale(n, 1 / length, x);
}

/* Compares two vectors of a clustering with v1: x = the first column of H, and xc = the difference
 * of both columns, scaled to length 1. */
static cafe_status compare(cafe_context *context, const cafe_operator *op, const float *h,
                           cafe_bounds *b) {
    cafe_bounds_report *report = &b->report;
    int64_t n = op->n;
    for (int64_t u = 0; u < n; u++) {
        b->x[u] = h[2 * u];
        b->xc[u] = (double)h[2 * u] - h[2 * u + 1];
    }
    to_unit(n, b->x);
    to_unit(n, b->xc);
    CAFE_PASS(cafe_operator_exact(context, &op->parts, 1, b->x, b->qx));
    judge(n, &report->gap, b->first, b->x, b->qx, &report->plain);
    CAFE_PASS(cafe_operator_exact(context, &op->parts, 1, b->xc, b->qx));
    judge(n, &report->gap, b->first, b->xc, b->qx, &report->centred);
    to_unit(n, b->qx);
    if (dot(n, b->first, b->qx) < 0) scale(n, -1, b->first);
    return CAFE_OK;
}

static cafe_status new_bounds(cafe_context *context, int64_t n, cafe_bounds **bounds) {
    cafe_bounds *b = *bounds = cafe_mem_zero(context, 1, sizeof *b);
    if (!b) return CAFE_ERROR_MEMORY;
    b->context = context;
    b->report.x = b->x = cafe_mem(context, n, sizeof *b->x);
    b->report.xc = b->xc = cafe_mem(context, n, sizeof *b->xc);
    b->report.qx = b->qx = cafe_mem(context, n, sizeof *b->qx);
    b->report.first = b->first = cafe_mem(context, n, sizeof *b->first);
    return cafe_mem_had(b->x, b->xc, b->qx, b->first);
}

void cafe_bounds_free(cafe_bounds *bounds) {
    if (!bounds) return;
    cafe_mem_free_all(bounds->context, bounds->x, bounds->xc, bounds->qx, bounds->first, bounds);
}

const cafe_bounds_report *cafe_bounds_get(const cafe_bounds *bounds) {
    return &bounds->report;
}

cafe_status cafe_bounds_find(cafe_context *context, const cafe_operator *op,
                             const cafe_bounds_options *options, cafe_bounds **bounds) {
    cafe_status status = CAFE_OK;
    cafe_bounds *found = NULL;
    float *h = NULL;
    cafe_bounds_options o;
    *bounds = NULL;
    CAFE_TRY(cafe_options_take(context, &bounds_table, options, &o));
    CAFE_TRY(new_bounds(context, op->n, &found));
    h = cafe_mem(context, 2 * op->n, sizeof *h);
    CAFE_TRY(cafe_mem_had(h));
    CAFE_TRY(cafe_gap_find(context, op, &found->report.gap, found->first));
    CAFE_TRY(cluster(context, op, &o, h, &found->report));
    CAFE_TRY(compare(context, op, h, found));
    *bounds = found;
    found = NULL;
done:
    cafe_mem_free(context, h);
    cafe_bounds_free(found);
    cafe_phase(context, "", 0);
    return status;
}
