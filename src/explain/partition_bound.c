/* Bounds of partitions by pairs and by inequalities, at any resolution. */
#include "explain/partition_bound.h"

#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "solve/exact_partition.h"

enum { BLOCK = 1024 };

/* Sums of up to 10^9 terms of size 1. And the error of single precision. A P of which every entry
 * is rounded to 2^-24, scaled to sum 1, is within d = 2^-24 of the P that was meant, summed up over
 * the pairs. For any partition p(S,S), summed up, then moves by d at most and p(S)^2 by 2 d. */
double cafe_bound_rounding(const cafe_operator *op) {
    return 1e-11 + (op->parts.weights || op->parts.factor ? 3 * 0x1p-24 : 0);
}

static void add_pairs(void *argument, int64_t first, int64_t last, double *sum) {
    const cafe_operator_parts *s = argument;
    for (int64_t u = first; u < last; u++) {
        *sum -= s->p[u] * s->p[u];
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++) {
            int64_t w = s->targets[j];
            double joint = CAFE_LINK(s, u, j) / s->total;
            double q = joint - s->p[u] * s->p[w];
            if (w == u)
                *sum += joint; /* q(u,u) = p(u,u) - p_u^2, whatever its sign */
            else if (q > 0)
                *sum += q;
        }
    }
}

/* Multipliers, or the optimum of a small graph. */
static cafe_status bound_inequalities(cafe_context *context, const cafe_operator *op,
                                      const cafe_operator_parts *parts, double resolution,
                                      double known, double work, cafe_clique_multipliers *rows,
                                      cafe_partition_bound *b) {
    int32_t best[CAFE_EXACT_NODES];
    cafe_clique_bound found = {0};
    b->inequalities = HUGE_VAL;
    if (work == 0 || op->parts.offsets[op->n] > CAFE_CLIQUE_ARCS) return CAFE_OK;
    if (op->n <= CAFE_EXACT_NODES && !rows)
        CAFE_PASS(cafe_exact_partition(context, op, resolution, best, &found.bound));
    else
        CAFE_PASS(cafe_clique_bound_find(context, parts, resolution, work, known, rows, &found));
    b->proved = found.bound < known + (found.step > 0 ? 0.999 * found.step : 1e-9);
    if (b->proved && found.step > 0) found.bound = known; /* no multiple of the step is between */
    b->inequalities = found.bound + (found.step > 0 ? 1e-13 : cafe_bound_rounding(op));
    b->rows = found.rows;
    return CAFE_OK;
}

/* ---- null models of several factors ---------------------------------------------------------- */

typedef struct sum_job {
    const cafe_operator_parts *q;
    double resolution;
    bool attracts; /* q(u,w) may be positive without an edge */
} sum_job;

/* If nodes may attract each other, the positive weights alone; else q(u,u), and q(u,w) of edges
 * where positive. */
static void add_sum_pairs(void *argument, int64_t first, int64_t last, double *sum) {
    const sum_job *job = argument;
    const cafe_operator_parts *q = job->q;
    for (int64_t u = first; u < last; u++) {
        double own = job->attracts ? 0 : cafe_factor_expected(q, job->resolution, u, u);
        for (int64_t j = q->offsets[u]; j < q->offsets[u + 1]; j++) {
            int64_t w = q->targets[j];
            double a = CAFE_LINK(q, u, j) / q->total;
            if (w == u)
                own += a;
            else if (!job->attracts)
                a += cafe_factor_expected(q, job->resolution, u, w);
            if (w != u && a > 0) *sum += a;
        }
        *sum += job->attracts ? fmax(own, 0) : own;
    }
}

/* Sum over the added columns of r (sum over u of |f(u,l)|)^2; tables without r. */
static double added_squares(const cafe_operator_parts *q, double resolution) {
    double squares = 0;
    for (int64_t l = 0; l < q->width - q->subtracted; l++) {
        double sum = 0;
        for (int64_t u = 0; u < q->n; u++) sum += fabs((double)q->f[u * q->width + l]);
        squares += (cafe_factor_is_table(q, l) ? 1 : resolution) * (sum * sum);
    }
    return squares;
}

/* The optimum, or inequalities. If nodes without an edge may attract each other, all pairs are
 * looked at. */
static cafe_status bound_sum_more(cafe_context *context, const cafe_operator *op, double resolution,
                                  double known, double work, double rounding, bool attracts,
                                  cafe_partition_bound *b) {
    const cafe_operator_parts *q = &op->parts;
    int32_t best[CAFE_EXACT_NODES];
    cafe_clique_bound found = {0};
    if (work == 0) return CAFE_OK;
    if (op->n <= CAFE_EXACT_NODES)
        CAFE_PASS(cafe_exact_partition(context, op, resolution, best, &found.bound));
    else if (q->offsets[q->n] <= CAFE_CLIQUE_ARCS && (!attracts || q->n <= CAFE_CLIQUE_NODES))
        CAFE_PASS(cafe_clique_bound_find(context, q, resolution, work, known + rounding / 2, NULL,
                                         &found));
    else
        return CAFE_OK;
    b->proved = found.bound < known + rounding;
    b->inequalities = found.bound + rounding;
    b->rows = found.rows;
    return CAFE_OK;
}

/* By pairs and by inequalities. If q(u,w) > 0 without an edge, the pairs have
 *
 *     q(u,w) <= max(a(u,w), 0) / total + r sum over added columns of |f(u,l) f(w,l)|.
 */
static cafe_status bound_sum(cafe_context *context, const cafe_operator *op, double resolution,
                             double known, double work, cafe_partition_bound *b) {
    const cafe_operator_parts *q = &op->parts;
    sum_job job = {q, resolution, cafe_operator_attracts(q)};
    double rounding = 1e-7 * (1 + resolution);
    *b = (cafe_partition_bound){.pairs = rounding, .inequalities = HUGE_VAL};
    CAFE_PASS(cafe_sums(context, op->n, BLOCK, add_sum_pairs, &job, 1, &b->pairs));
    if (job.attracts) b->pairs += added_squares(q, resolution);
    CAFE_PASS(bound_sum_more(context, op, resolution, known, work, rounding, job.attracts, b));
    b->bound = fmin(b->pairs, b->inequalities);
    return CAFE_OK;
}

/* ---- the bound ------------------------------------------------------------------------------- */

cafe_status cafe_partition_bound_find(cafe_context *context, const cafe_operator *op,
                                      double resolution, double known, double work,
                                      cafe_clique_multipliers *rows, cafe_partition_bound *found) {
    cafe_status status = CAFE_OK;
    cafe_operator_parts parts = op->parts;
    if (parts.f) return bound_sum(context, op, resolution, known, work, found);
    double root = sqrt(resolution);
    double *p = cafe_mem(context, op->n, sizeof *p);
    CAFE_TRY(cafe_mem_had(p));
    for (int64_t u = 0; u < op->n; u++) p[u] = root * op->parts.p[u];
    parts.p = p;
    *found = (cafe_partition_bound){.pairs = cafe_bound_rounding(op)};
    CAFE_TRY(cafe_sums(context, op->n, BLOCK, add_pairs, &parts, 1, &found->pairs));
    CAFE_TRY(bound_inequalities(context, op, &parts, resolution, known, work, rows, found));
    found->bound = fmin(found->pairs, found->inequalities);
done:
    cafe_mem_free(context, p);
    return status;
}
