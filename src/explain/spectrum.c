/* How much of Q the columns hold: the next eigenvalues, the sum of all positive ones, the elbow.
 *
 * The largest eigenvalues come from the refinement that --residual uses, started from the embedding
 * and some random columns: few rounds when the embedding is good. The sum of all positive
 * eigenvalues is tr f(M), f(x) = max(x, 0), by stochastic Lanczos quadrature (Ubaru, Chen, Saad
 * 2017): with x_i random signs, E x^T f(M) x = tr f(M), and each term is a Gauss quadrature. The
 * standard error is that of the mean over the probes; the quadrature's own error, from the kink of
 * f at 0, falls with the square of the steps and is not in it. Up to SMALL nodes all eigenvalues
 * are computed.
 *
 * The elbow is where the largest eigenvalues fall off most: the j that maximises lambda_j -
 * lambda_{j+1}, among the gaps that are larger than the residuals beside them. In a graph of k
 * planted blocks Q has k - 1 eigenvalues beyond the bulk, because the constant vector, which the
 * k-th would need, is in its kernel.
 */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "base/random.h"
#include "engine/dense.h"
#include "explain/explain.h"
#include "explain/lanczos.h"
#include "spectral/refine.h"

enum { SMALL = 512, ROUNDS = 60 };

static const cafe_option spectrum_options[] = {
    {"next", "N", CAFE_OPTION_INTEGER, offsetof(cafe_spectrum_options, next), 8, 1, 1000, NULL,
     "spectrum: eigenvalues beyond the columns"},
    {"value-tolerance", "R", CAFE_OPTION_REAL, offsetof(cafe_spectrum_options, tolerance), 1e-3,
     1e-7, 1, NULL, "spectrum: relative residual of the eigenvalues"},
    {"probes", "N", CAFE_OPTION_INTEGER, offsetof(cafe_spectrum_options, probes), 12, 2, 10000,
     NULL, "spectrum: random vectors for the sum of all positive eigenvalues"},
    {"probe-steps", "N", CAFE_OPTION_INTEGER, offsetof(cafe_spectrum_options, steps), 40, 2, 1000,
     NULL, "spectrum: Lanczos steps for each of them"},
};

CAFE_OPTION_TABLE(spectrum, "spectrum", "eigenvalues beyond the columns", spectrum_options)

struct cafe_spectrum {
    cafe_context *context;
    double *values, *residuals;
    cafe_spectrum_report report;
};

static cafe_status keep_values(cafe_context *context, int64_t count, const double *values,
                               const double *residuals, cafe_spectrum *s) {
    s->values = cafe_mem(context, count, sizeof *s->values);
    s->residuals = cafe_mem_zero(context, count, sizeof *s->residuals);
    if (!s->values || !s->residuals) return CAFE_ERROR_MEMORY;
    memcpy(s->values, values, (size_t)count * sizeof *values);
    if (residuals) memcpy(s->residuals, residuals, (size_t)count * sizeof *residuals);
    s->report.count = count;
    return CAFE_OK;
}

/* 1 / sqrt(p_u), 0 for nodes without edges: D^-1/2. */
static double *inverse_roots(cafe_context *context, const cafe_operator *op) {
    double *s = cafe_mem(context, op->n, sizeof *s);
    for (int64_t u = 0; s && u < op->n; u++)
        s[u] = op->parts.p[u] > 0 ? 1 / sqrt(op->parts.p[u]) : 0;
    return s;
}

/* ---- all eigenvalues ------------------------------------------------------------------------- */

static cafe_status find_all(cafe_context *context, cafe_scaled *m, int64_t count,
                            cafe_spectrum *s) {
    int64_t n = m->op->n;
    double *values = cafe_mem(context, n, sizeof *values);
    cafe_status status = values ? cafe_scaled_eigenvalues(context, m, values) : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = keep_values(context, count, values, NULL, s);
    for (int64_t j = 0; j < n && status == CAFE_OK; j++)
        if (values[j] > 0) s->report.positive += values[j];
    s->report.exact = 1;
    cafe_mem_free(context, values);
    return status;
}

/* ---- the largest ones ------------------------------------------------------------------------ */

static cafe_status find_largest(cafe_context *context, const cafe_explanation *e, int64_t count,
                                double tolerance, cafe_spectrum *s) {
    cafe_ritz ritz = {0};
    cafe_refined refined;
    cafe_block x = e->v;
    if (x.columns > count) x.columns = count;
    x.x = cafe_mem(context, e->n * x.stride, sizeof *x.x);
    if (!x.x) return CAFE_ERROR_MEMORY;
    memcpy(x.x, e->v.x, (size_t)(e->n * x.stride) * sizeof *x.x);
    cafe_status status =
        cafe_refine(context, e->op, e->generalised ? CAFE_SIDE_WALK : CAFE_SIDE_PLAIN, count,
                    tolerance, ROUNDS, &x, &ritz, &refined);
    if (status == CAFE_OK) {
        int64_t found = x.columns < count ? x.columns : count;
        status = keep_values(context, found, ritz.values, ritz.residuals, s);
    }
    cafe_mem_free(context, x.x);
    cafe_ritz_free(context, &ritz);
    return status;
}

/* ---- tr max(M, 0) ---------------------------------------------------------------------------- */

/* n sum over j of (e_1^T s_j)^2 max(theta_j, 0): the probe's length is sqrt(n). */
static double quadrature(const cafe_lanczos *l) {
    double sum = 0;
    for (int64_t j = 0; j < l->steps; j++)
        if (l->values[j] > 0) sum += l->small[j] * l->small[j] * l->values[j];
    return (double)l->n * sum;
}

static void draw_probe(cafe_context *context, int64_t n, int64_t probe, double *x) {
    for (int64_t u = 0; u < n; u++) {
        uint64_t index = (uint64_t)probe * (uint64_t)n + (uint64_t)u;
        x[u] = cafe_philox(context->seed, CAFE_STREAM_PROBES, index).v[0] & 1 ? 1 : -1;
    }
}

static cafe_status estimate_positive(cafe_context *context, cafe_scaled *m,
                                     const cafe_spectrum_options *o, cafe_spectrum *s) {
    cafe_status status = CAFE_OK;
    cafe_lanczos l;
    int64_t n = m->op->n;
    double sum = 0, square = 0, probes = (double)o->probes;
    CAFE_TRY(cafe_lanczos_new(context, n, cafe_lanczos_room(n, o->steps), &l));
    cafe_phase(context, "probes", o->probes);
    for (int64_t i = 0; i < o->probes; i++) {
        draw_probe(context, n, i, l.basis);
        CAFE_TRY(cafe_lanczos_run(context, m, &l));
        double value = quadrature(&l);
        sum += value;
        square += value * value;
        cafe_step(context, i + 1, sum / (double)(i + 1));
    }
    double variance = (square - sum * sum / probes) / (probes - 1);
    s->report.positive = sum / probes;
    s->report.standard_error = variance > 0 ? sqrt(variance / probes) : 0;
done:
    cafe_lanczos_free(context, &l);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void find_elbow(cafe_spectrum *s) {
    cafe_spectrum_report *r = &s->report;
    for (int64_t j = 1; j < r->count && s->values[j - 1] > 0; j++) {
        double gap = s->values[j - 1] - s->values[j];
        bool known = gap > s->residuals[j - 1] + s->residuals[j];
        if (!known || gap <= r->gap) continue;
        r->gap = gap;
        r->elbow = j;
    }
}

static cafe_status fill(cafe_context *context, const cafe_explanation *e,
                        const cafe_spectrum_options *o, cafe_spectrum *s) {
    cafe_status status = CAFE_OK;
    int64_t count = e->columns + o->next < e->n ? e->columns + o->next : e->n;
    const cafe_ritz *ritz = e->generalised ? &e->walk : &e->plain;
    cafe_scaled m = {0};
    double *roots = NULL;
    if (e->generalised && !(roots = inverse_roots(context, e->op))) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_scaled_new(context, e->op, roots, NULL, &m));
    for (int64_t j = 0; j < ritz->pairs; j++)
        if (ritz->values[j] > 0) s->report.held += ritz->values[j];
    bool rows = cafe_operator_has_rows(e->op);
    if (rows && e->n <= SMALL) {
        CAFE_TRY(find_all(context, &m, count, s));
    } else {
        CAFE_TRY(find_largest(context, e, count, o->tolerance, s));
        s->report.positive = -1;
        if (rows) CAFE_TRY(estimate_positive(context, &m, o, s));
    }
    find_elbow(s);
    s->report.values = s->values;
    s->report.residuals = s->residuals;
done:
    cafe_scaled_free(context, &m);
    cafe_mem_free(context, roots);
    return status;
}

cafe_status cafe_spectrum_find(cafe_context *context, const cafe_explanation *e,
                               const cafe_spectrum_options *options, cafe_spectrum **spectrum) {
    cafe_spectrum_options o;
    *spectrum = NULL;
    cafe_status status = cafe_options_take(context, &spectrum_table, options, &o);
    if (status != CAFE_OK) return status;
    cafe_spectrum *s = cafe_mem_zero(context, 1, sizeof *s);
    if (!s) return CAFE_ERROR_MEMORY;
    s->context = context;
    int threads = cafe_blas_single();
    status = fill(context, e, &o, s);
    cafe_blas_restore(threads);
    cafe_phase(context, "", 0);
    if (status == CAFE_OK)
        *spectrum = s;
    else
        cafe_spectrum_free(s);
    return status;
}

void cafe_spectrum_free(cafe_spectrum *s) {
    if (!s) return;
    cafe_mem_free(s->context, s->values);
    cafe_mem_free(s->context, s->residuals);
    cafe_mem_free(s->context, s);
}

const cafe_spectrum_report *cafe_spectrum_get(const cafe_spectrum *s) {
    return &s->report;
}
