/* How much of Q the columns hold: the next eigenvalues, the sum of all positive ones, the elbow.
 *
 * The largest eigenvalues come from the refinement that --residual uses, started from the embedding
 * and some random columns: few rounds when the embedding is good. The sum of all positive
 * eigenvalues is tr f(M), f(x) = max(x, 0), by stochastic Lanczos quadrature (Ubaru, Chen, Saad
 * 2017; explain/scaled_operator.c). With x_i random signs, E x^T f(M) x = tr f(M), and each term is
 * a Gauss quadrature. The standard error is that of the mean over the probes. It lacks the
 * quadrature's own error, from the kink of f at 0, which falls with the square of the steps. Of a
 * small graph all eigenvalues are computed.
 *
 * The elbow is where the largest eigenvalues fall off most: the j that maximises lambda_j -
 * lambda_{j+1}, among the gaps that are larger than the residuals beside them. In a graph of k
 * planted blocks Q has k - 1 eigenvalues beyond the bulk, because the constant vector, which the
 * k-th would need, is in its kernel.
 */
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "explain/explain.h"
#include "explain/scaled_operator.h"
#include "spectral/subspace_iteration.h"

enum { ROUNDS = 60 };

static const cafe_option spectrum_options[] = {
    {"next", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_spectrum_options, next), 8,
     1, 1000, NULL, "spectrum: eigenvalues beyond the columns"},
    {"value-tolerance", "R", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_spectrum_options, tolerance), 1e-3, 1e-7, 1, NULL,
     "spectrum: relative residual of the eigenvalues"},
    {"probes", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE, offsetof(cafe_spectrum_options, probes),
     12, 2, 10000, NULL, "spectrum: random vectors for the sum of all positive eigenvalues"},
    {"probe-steps", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_spectrum_options, steps), 40, 2, 1000, NULL,
     "spectrum: Lanczos steps for each of them"},
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

/* ---- all eigenvalues ------------------------------------------------------------------------- */

static cafe_status find_all(cafe_context *context, cafe_scaled *m, int64_t count,
                            cafe_spectrum *s) {
    cafe_eigen all;
    int64_t n = m->op->n;
    CAFE_PASS(cafe_scaled_largest(context, m, n, 0, 0, &all));
    cafe_status status = keep_values(context, count, all.values, NULL, s);
    for (int64_t j = 0; j < n; j++)
        if (all.values[j] > 0) s->report.positive += all.values[j];
    s->report.exact = 1;
    cafe_eigen_free(context, &all);
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
    if (e->generalised && !(roots = cafe_inverse_roots(context, e->op))) return CAFE_ERROR_MEMORY;
    CAFE_TRY(cafe_scaled_new(context, e->op, roots, NULL, &m));
    for (int64_t j = 0; j < ritz->pairs; j++)
        if (ritz->values[j] > 0) s->report.held += ritz->values[j];
    bool rows = cafe_operator_has_rows(e->op);
    if (rows && e->n <= CAFE_EIGEN_SMALL) {
        CAFE_TRY(find_all(context, &m, count, s));
    } else {
        CAFE_TRY(find_largest(context, e, count, o->tolerance, s));
        s->report.positive = -1;
        if (rows)
            CAFE_TRY(cafe_scaled_positive(context, &m, o->probes, o->steps, &s->report.positive,
                                          &s->report.standard_error));
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
    CAFE_PASS(cafe_options_take(context, &spectrum_table, options, &o));
    cafe_spectrum *s = cafe_mem_zero(context, 1, sizeof *s);
    if (!s) return CAFE_ERROR_MEMORY;
    s->context = context;
    cafe_status status = fill(context, e, &o, s);
    cafe_phase(context, "", 0);
    if (status == CAFE_OK)
        *spectrum = s;
    else
        cafe_spectrum_free(s);
    return status;
}

void cafe_spectrum_free(cafe_spectrum *s) {
    if (!s) return;
    cafe_mem_free_all(s->context, s->values, s->residuals, s);
}

const cafe_spectrum_report *cafe_spectrum_get(const cafe_spectrum *s) {
    return &s->report;
}
