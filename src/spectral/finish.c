/* The spectral finish: from a solver's H to vectors with a certificate.
 *
 *     scaled  D^-1 Q H with its spectrum flattened (spectral/scaled_form.c)
 *                                certified for Q v = rho D v, D = diag(p)
 *     averaged  (D^-1 Q)^2 H less its column means, on one scale; the same problem
 *     walk    V = QR(D^-1 Q H)   the same problem
 *     hhat    V = QR(Q H)        certified for Q v = rho v
 *     ritz    the same span, rotated to its Ritz vectors
 *     raw     V = H
 *
 * The QR is rank-aware: columns that depend on the others are left out and counted, never returned
 * as noise. Memory stays at two n x K blocks: H is needed no more once its rank is known, and its
 * block takes the product. The raw form, which keeps H, has a third for a moment.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"
#include "base/option.h"
#include "engine/dense.h"
#include "solve/solution.h"
#include "spectral/certificate.h"
#include "spectral/embedding.h"
#include "spectral/ends.h"
#include "spectral/rounding_error.h"
#include "spectral/scaled_form.h"
#include "spectral/subspace_iteration.h"

static const cafe_option finish_options[] = {
    {"output-form", "FORM", CAFE_OPTION_CHOICE, offsetof(cafe_finish_options, form),
     CAFE_FORM_SCALED, 0, 0, "walk|hhat|ritz|raw|scaled|averaged",
     "form of the vectors: walk (orthonormal D^-1 QH), hhat (orthonormal QH, of the paper), ritz "
     "(eigenvectors of Q), raw (H), scaled (D^-1 QH, directions evened), averaged ((D^-1 Q)^2 H)"},
    {"residual", "R", CAFE_OPTION_REAL, offsetof(cafe_finish_options, residual), 0, 0, 1, NULL,
     "refine the vectors to eigenvectors until the error (relative residual) of every column is "
     "below R; 0 does not refine"},
    {"residual-steps", "N", CAFE_OPTION_INTEGER | CAFE_OPTION_TUNE,
     offsetof(cafe_finish_options, steps), 40, 1, 1e6, NULL,
     "rounds of refinement at most, with " CAFE_OPT("residual")},
    {"scale-exponent", "S", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_finish_options, exponent), 0.25, 0, 0.5, NULL,
     "scaled form: a direction of length l gets the length l^2S; 0 makes all alike, 0.5 leaves "
     "them"},
    {"scale-shortest", "X", CAFE_OPTION_REAL | CAFE_OPTION_TUNE,
     offsetof(cafe_finish_options, shortest), 0.05, 0, 1, NULL,
     "scaled form: lower the exponent until no direction is shorter than this share of the "
     "longest; 0 leaves it"},
};

CAFE_OPTION_TABLE(finish, "finish", "spectral finish: orthonormal columns, Ritz values, residuals",
                  finish_options)

/* ---- parts of the certificate ---------------------------------------------------------------- */

/* exp of the entropy of the eigenvalue shares of H^T H: 1 when all rows lie on one line, K when
 * every direction is used alike. */
static cafe_status effective_rank(cafe_context *context, const cafe_block *h, double *rank) {
    int64_t k = h->columns;
    double *gram = cafe_mem(context, k * k, sizeof *gram);
    double *values = cafe_mem(context, k, sizeof *values);
    cafe_status status = gram && values ? CAFE_OK : CAFE_ERROR_MEMORY;
    double total = 0, entropy = 0;
    if (status == CAFE_OK) status = cafe_ops(h)->gram(context, h, NULL, NULL, true, gram);
    if (status == CAFE_OK) status = cafe_dense_eigen(context, k, gram, values);
    for (int64_t j = 0; j < k && status == CAFE_OK; j++) total += values[j] > 0 ? values[j] : 0;
    for (int64_t j = 0; j < k && status == CAFE_OK; j++)
        if (values[j] > 0) entropy -= values[j] / total * log(values[j] / total);
    *rank = exp(entropy);
    cafe_mem_free_all(context, gram, values);
    return status;
}

/* share_j = rho_j over the sum of the positive Ritz values, 0 for the others; with both ends
 * |rho_j| over the sum of all sizes. */
static cafe_status fill_shares(cafe_context *context, bool both, cafe_embedding *e) {
    double total = 0;
    e->shares = cafe_mem_zero(context, e->ritz.pairs, sizeof *e->shares);
    if (!e->shares) return CAFE_ERROR_MEMORY;
    for (int64_t j = 0; j < e->ritz.pairs; j++) {
        double rho = e->ritz.values[j];
        e->shares[j] = both ? fabs(rho) : rho > 0 ? rho : 0;
        total += e->shares[j];
    }
    for (int64_t j = 0; j < e->ritz.pairs && total > 0; j++) e->shares[j] /= total;
    return CAFE_OK;
}

/* Forms whose columns have the mean 0. */
static bool is_centred(int32_t form) {
    return form == CAFE_FORM_SCALED || form == CAFE_FORM_AVERAGED;
}

/* Forms of the walk's problem. */
static bool is_walk(int32_t form) {
    return form == CAFE_FORM_WALK || is_centred(form);
}

static void fill_certificate(cafe_embedding *e, const cafe_finish_options *o, int64_t asked) {
    cafe_certificate *c = &e->certificate;
    c->asked = asked;
    c->nodes = e->vectors.n;
    c->certified = c->columns;
    c->pairs = e->ritz.pairs;
    c->dropped = asked - c->pairs;
    c->generalised = is_walk(o->form);
    c->tolerance = o->residual;
    c->ritz_values = e->ritz.values;
    c->residuals = e->ritz.residuals;
    c->shares = e->shares;
}

/* ---- the forms ------------------------------------------------------------------------------- */

typedef struct finishing {
    const cafe_operator *op;
    const cafe_finish_options *options;
    const cafe_destination *to;
    cafe_side side;
    const double *weights; /* of the inner product the certificate is in */
    cafe_block h, v;       /* the solver's H, whose block is used again, and the vectors */
    int64_t *from;         /* the column of H that each of the vectors came from */
    int64_t least;         /* columns of the scaled form, also where its span has fewer */
    cafe_embedding *embedding;
} finishing;

/* The source of a column of the vectors: of Ritz vectors, which come from all of them, the sign of
 * the value decides. */
static int source_of(const finishing *f, const cafe_source *sources, int64_t column) {
    const cafe_embedding *e = f->embedding;
    int64_t from = f->from[column];
    int s = 0;
    if (e->certificate.rotated && sources[CAFE_MOST_SOURCES - 1].columns > 0)
        return e->ritz.column_values[column] < 0 ? CAFE_MOST_SOURCES - 1 : 0;
    while (s < CAFE_MOST_SOURCES - 1 && from >= sources[s].columns) from -= sources[s++].columns;
    return s;
}

/* The certified columns: neighbours from one source are a group. */
static cafe_status add_groups(cafe_context *context, const finishing *f,
                              const cafe_source *sources) {
    cafe_embedding *e = f->embedding;
    for (int64_t j = 0, next; j < f->v.columns; j = next) {
        int source = source_of(f, sources, j);
        for (next = j + 1; next < f->v.columns && source_of(f, sources, next) == source;) next++;
        cafe_group group = {
            .kind = sources[source].kind,
            .problem = is_walk(f->options->form) ? CAFE_PROBLEM_WALK : CAFE_PROBLEM_PLAIN,
            .columns = next - j,
            .values = e->ritz.column_values + j,
            .residuals = e->ritz.column_residuals + j};
        CAFE_PASS(cafe_embedding_add(context, group, e));
    }
    return CAFE_OK;
}

/* Orthonormal columns of the span of Q H, or of D^-1 Q H. A column v_j = sum over i of c_i y_i has
 * an error of sqrt(sum of c_i^2 noise_i^2), which is CAFE_MOST_NOISE at most. */
static cafe_status orthonormal_span(cafe_context *context, finishing *f) {
    cafe_status status = CAFE_OK;
    double *noise = cafe_mem(context, f->h.columns, sizeof *noise);
    if (!noise) return CAFE_ERROR_MEMORY;
    cafe_phase(context, "qr", 0);
    CAFE_TRY(cafe_noise_find(context, f->op, f->side, &f->h, &f->v, noise));
    if (f->side == CAFE_SIDE_PLAIN)
        CAFE_TRY(cafe_ops(&f->v)->scale(context, &f->v, f->op->parts.p));
    CAFE_TRY(cafe_tall_orthonormalise(context, &f->v, NULL, noise, f->from,
                                      &f->embedding->certificate.orthogonality));
done:
    cafe_mem_free(context, noise);
    return status;
}

/* The certificate of the vectors as they are written; the scratch block is lost. */
static cafe_status certify(cafe_context *context, finishing *f, bool rotated, cafe_effort effort,
                           const cafe_block *v, cafe_block *scratch, cafe_ritz *ritz) {
    cafe_certifying c = {.op = f->op, .side = f->side, .rotated = rotated, .effort = effort};
    c.centred = is_centred(f->options->form);
    cafe_phase(context, "ritz", 0);
    cafe_ritz_free(context, ritz);
    return cafe_certificate_find(context, &c, v, scratch, ritz,
                                 &f->embedding->certificate.products);
}

/* V <- V S, the Ritz vectors, with V^T W M V = S diag(rho) S^T for an orthonormal V. Here W has the
 * weights of the inner product and M = Q, or D^-1 Q in the walk's problem. */
static cafe_status rotate(cafe_context *context, finishing *f) {
    cafe_ritz ritz = {0};
    cafe_status status = CAFE_OK;
    CAFE_TRY(cafe_block_product(context, f->op, f->side, 1, &f->v, 0, 0, &f->h));
    f->embedding->certificate.products++;
    CAFE_TRY(cafe_ritz_new(context, f->v.columns, &ritz));
    CAFE_TRY(cafe_ritz_solve(context, &f->v, &f->h, f->weights, &ritz));
    CAFE_TRY(cafe_rotate(context, &f->v, &ritz, ritz.pairs));
    f->embedding->certificate.rotated = 1;
    CAFE_TRY(cafe_tall_orthogonality(context, &f->v, f->weights,
                                     &f->embedding->certificate.orthogonality));
done:
    cafe_ritz_free(context, &ritz);
    return status;
}

static cafe_status finish_span(cafe_context *context, finishing *f) {
    bool rotated = f->options->form == CAFE_FORM_RITZ;
    CAFE_PASS(orthonormal_span(context, f));
    if (rotated)
        CAFE_PASS(rotate(context, f));
    else
        CAFE_PASS(cafe_embedding_begin(context, &f->v, f->to, f->embedding));
    return certify(context, f, rotated, CAFE_EFFORT_SIZE, &f->v, &f->h, &f->embedding->ritz);
}

/* H <- Y, Y <- D^-1 Q H */
static cafe_status average(cafe_context *context, finishing *f) {
    cafe_block y = f->h;
    f->h = f->v;
    f->v = y;
    f->embedding->certificate.products++;
    return cafe_block_product(context, f->op, f->side, 1, &f->h, 0, 0, &f->v);
}

/* The span is that of the walk form, of H or of Y. */
static cafe_status finish_centred(cafe_context *context, finishing *f) {
    const cafe_finish_options *o = f->options;
    bool averaged = o->form == CAFE_FORM_AVERAGED;
    cafe_status status = CAFE_OK;
    double *noise = cafe_mem(context, f->h.columns, sizeof *noise);
    if (!noise) return CAFE_ERROR_MEMORY;
    cafe_phase(context, "scale", 0);
    if (averaged) CAFE_TRY(average(context, f));
    CAFE_TRY(cafe_noise_find(context, f->op, f->side, &f->h, &f->v, noise));
    if (averaged)
        CAFE_TRY(cafe_centre_columns(context, noise, f->from, &f->v));
    else
        CAFE_TRY(
            cafe_scale_columns(context, o->exponent, o->shortest, f->least, noise, f->from, &f->v));
    CAFE_TRY(cafe_embedding_begin(context, &f->v, f->to, f->embedding));
    CAFE_TRY(certify(context, f, false, CAFE_EFFORT_SIZE, &f->v, &f->h, &f->embedding->ritz));
    f->embedding->certificate.orthogonality = NAN;
done:
    cafe_mem_free(context, noise);
    return status;
}

/* One end goes on from the orthonormal span; two ends from their own columns, each by itself. */
static cafe_status refine(cafe_context *context, finishing *f, int64_t asked, int64_t bottom,
                          cafe_ritz *ritz, cafe_refined *refined) {
    const cafe_finish_options *o = f->options;
    if (bottom == 0)
        CAFE_PASS(orthonormal_span(context, f));
    else if (f->side == CAFE_SIDE_PLAIN)
        CAFE_PASS(cafe_ops(&f->v)->scale(context, &f->v, f->op->parts.p));
    cafe_block_drop(context, &f->h);
    if (bottom == 0)
        CAFE_PASS(cafe_refine(context, f->op, f->side, asked, o->residual, o->steps, &f->v, ritz,
                              refined));
    else
        CAFE_PASS(cafe_ends_refine(context, f->op, f->side, bottom, o->residual, o->steps, &f->v,
                                   ritz, refined));
    if (is_centred(o->form))
        CAFE_PASS(cafe_scale_pairs(context, o->form == CAFE_FORM_AVERAGED ? 1 : o->exponent,
                                   ritz->values, f->weights, &f->v));
    return CAFE_OK;
}

static cafe_status finish_refined(cafe_context *context, finishing *f, int64_t asked,
                                  int64_t bottom) {
    cafe_refined refined = {0};
    cafe_ritz ritz = {0}, *found = &f->embedding->ritz;
    cafe_certificate *c = &f->embedding->certificate;
    cafe_status status = refine(context, f, asked, bottom, &ritz, &refined);
    cafe_ritz_free(context, &ritz);
    CAFE_PASS(status);
    c->rotated = 1;
    c->products += refined.products;
    c->orthogonality = NAN;
    CAFE_PASS(certify(context, f, true, CAFE_EFFORT_EXACT, &f->v, NULL, found));
    for (int64_t j = 0; j < found->pairs; j++)
        c->converged += found->residuals[j] <= f->options->residual * fabs(found->values[j]);
    if (is_centred(f->options->form)) return CAFE_OK;
    return cafe_tall_orthogonality(context, &f->v, f->weights, &c->orthogonality);
}

/* Ritz pairs on the span of H, from an orthonormal basis of it: products with nearly dependent
 * columns would be rounding once they are orthonormal. */
static cafe_status certify_span(cafe_context *context, finishing *f, cafe_block *basis) {
    const cafe_engine_ops *ops = cafe_ops(basis);
    cafe_ritz ritz = {0}, *known = &f->embedding->ritz;
    cafe_block product = {0};
    double error;
    cafe_status status = CAFE_OK;
    CAFE_TRY(ops->make(context, basis->engine, basis->n, basis->columns, &product));
    CAFE_TRY(cafe_tall_orthonormalise(context, basis, NULL, NULL, NULL, &error));
    CAFE_TRY(certify(context, f, false, CAFE_EFFORT_SIZE, basis, &product, &ritz));
    known->pairs = ritz.pairs;
    memcpy(known->values, ritz.values, (size_t)ritz.pairs * sizeof *ritz.values);
    memcpy(known->residuals, ritz.residuals, (size_t)ritz.pairs * sizeof *ritz.values);
done:
    cafe_block_drop(context, &product);
    cafe_ritz_free(context, &ritz);
    return status;
}

/* V = H as it is. Column h_j has the value <h_j, Q h_j> / <h_j, h_j> and the residual
 * ||Q h_j - value h_j|| / ||h_j||; Ritz pairs are those of an orthonormal basis of the span. */
static cafe_status finish_raw(cafe_context *context, finishing *f) {
    cafe_block product = f->v;
    f->v = f->h;
    f->h = product;
    CAFE_PASS(certify(context, f, false, CAFE_EFFORT_SIZE, &f->v, &f->h, &f->embedding->ritz));
    f->embedding->certificate.orthogonality = NAN;
    if (cafe_certificate_is_exact(&f->v)) return CAFE_OK;
    CAFE_PASS(cafe_ops(&f->h)->copy(context, &f->v, &f->h, 0));
    return certify_span(context, f, &f->h);
}

static cafe_status check(cafe_context *context, const cafe_finish_options *given,
                         cafe_finish_options *o) {
    cafe_status status = cafe_options_take(context, &finish_table, given, o);
    if (status == CAFE_OK && o->form == CAFE_FORM_RAW && o->residual > 0)
        status = cafe_fail(
            context, CAFE_ERROR_ARGUMENT,
            CAFE_OPT("residual") " refines to eigenvectors, so it does not go with the raw form");
    return status;
}

/* Takes the blocks out of the solution. */
static void take_blocks(cafe_solution *s, finishing *f) {
    f->h = s->h;
    f->v = s->y;
    s->h = s->y = (cafe_block){0};
}

/* Y and the objective: the solver's, or computed where the solver had none of its own. Then the
 * split between the ends, where it is still open. */
static cafe_status complete(cafe_context *context, finishing *f, cafe_solution *s) {
    double *objective = &f->embedding->certificate.objective;
    *objective = s->objective[s->sweeps] + s->rest;
    if (!s->y.x) CAFE_PASS(cafe_solution_product(context, f->op, s, objective));
    if (s->keep < s->columns) CAFE_PASS(cafe_ends_choose(context, f->op, s));
    f->from = cafe_mem(context, s->columns, sizeof *f->from);
    CAFE_PASS(cafe_mem_had(f->from));
    for (int64_t j = 0; j < s->columns; j++) f->from[j] = j;
    return CAFE_OK;
}

static cafe_status finish(cafe_context *context, finishing *f, cafe_solution *solution) {
    cafe_embedding *e = f->embedding;
    if (solution->columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "the solution has no columns");
    CAFE_PASS(complete(context, f, solution));
    take_blocks(solution, f);
    const int64_t least = (solution->width + 1) / 2, bottom = cafe_solution_negative(solution);
    f->least = least < f->h.columns ? least : f->h.columns;
    cafe_phase(context, "rank", 0);
    CAFE_PASS(effective_rank(context, &f->h, &e->certificate.effective_rank));
    if (f->options->form == CAFE_FORM_RAW)
        CAFE_PASS(finish_raw(context, f));
    else if (f->options->residual > 0)
        CAFE_PASS(finish_refined(context, f, solution->columns, bottom));
    else if (is_centred(f->options->form))
        CAFE_PASS(finish_centred(context, f));
    else
        CAFE_PASS(finish_span(context, f));
    CAFE_PASS(fill_shares(context, bottom > 0, e));
    CAFE_PASS(add_groups(context, f, solution->sources));
    cafe_block_drop(context, &f->h);
    CAFE_PASS(cafe_block_keep(context, "the vectors", &f->v));
    e->vectors = f->v;
    f->v = (cafe_block){0};
    fill_certificate(e, f->options, solution->asked);
    return CAFE_OK;
}

cafe_status cafe_finish(cafe_context *context, const cafe_operator *op, cafe_solution **solution,
                        const cafe_finish_options *options, cafe_embedding **embedding) {
    return cafe_finish_to(context, op, solution, options, NULL, embedding);
}

cafe_status cafe_finish_to(cafe_context *context, const cafe_operator *op, cafe_solution **solution,
                           const cafe_finish_options *options, const cafe_destination *to,
                           cafe_embedding **embedding) {
    cafe_finish_options o;
    finishing f = {.op = op, .options = &o, .to = to};
    *embedding = NULL;
    cafe_status status = check(context, options, &o);
    if (status == CAFE_OK && (*solution)->order)
        status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                           "the rows are in the order that the graph keeps: cafe_model_finish() "
                           "finishes them");
    f.side = is_walk(o.form) ? CAFE_SIDE_WALK : CAFE_SIDE_PLAIN;
    f.weights = is_walk(o.form) ? op->parts.p : NULL;
    if (status == CAFE_OK) {
        f.embedding = cafe_mem_zero(context, 1, sizeof *f.embedding);
        status = f.embedding ? CAFE_OK : CAFE_ERROR_MEMORY;
    }
    if (status == CAFE_OK) {
        f.embedding->context = context;
        status = finish(context, &f, *solution);
    }
    if (status == CAFE_OK)
        *embedding = f.embedding;
    else
        cafe_embedding_free(f.embedding); /* before the rows, which may be on their way to a file */
    cafe_block_drop(context, &f.h);
    cafe_block_drop(context, &f.v);
    cafe_mem_free(context, f.from);
    cafe_solution_free(*solution);
    *solution = NULL;
    return status;
}

/* ---- vectors from elsewhere ------------------------------------------------------------------ */

cafe_status cafe_certify(cafe_context *context, const cafe_operator *op, int64_t columns,
                         const float *vectors, const cafe_finish_options *options,
                         cafe_embedding **embedding) {
    cafe_status status = CAFE_OK;
    cafe_solution *solution = NULL;
    cafe_finish_options o;
    *embedding = NULL;
    CAFE_TRY(cafe_options_take(context, &finish_table, options, &o));
    if (!options) o.form = CAFE_FORM_RAW;
    if (columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "there is no column to certify");
    CAFE_TRY(cafe_solution_new(context, op->n, columns, 0, &solution));
    CAFE_TRY(cafe_solution_set(context, vectors, solution));
    solution->loss = true; /* nobody has maximised the trace of these */
    CAFE_TRY(cafe_finish(context, op, &solution, &o, embedding));
done:
    cafe_solution_free(solution);
    return status;
}
