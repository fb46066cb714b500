/* The explanation of an embedding: one product with Q, from which the cards are read.
 *
 * With Z = Q V, column j contributes v_j^T Q v_j = sum over u of v_uj z_uj to tr(V^T Q V), and node
 * u contributes <h_u, z_u>. Both sums of n K numbers are the modularity of the embedding. So shares
 * of columns and pulls of nodes account for the same quantity, for any scale of the columns,
 * orthogonal or not.
 *
 * Values and residuals are those of the certificate (spectral/certificate.h), for both problems
 * that the forms of an embedding solve: Q v = rho v, and Q v = rho D v. Which of them the columns
 * are nearer to is decided by the sum over columns of the residual relative to |rho|.
 */
#include "explain/explain.h"

#include <math.h>

#include "base/finite.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/thread_pool.h"
#include "spectral/certificate.h"

enum { MOST_TOP = 1000 };

static const cafe_option explain_options[] = {
    {"top", "T", CAFE_OPTION_INTEGER, offsetof(cafe_explain_options, top), 5, 1, MOST_TOP, NULL,
     "entries of every list of nodes, communities, pulls and pushes"},
};

CAFE_OPTION_TABLE(explain, "explain", "cards of dimensions, nodes and communities", explain_options)

/* ---- the block ------------------------------------------------------------------------------- */

typedef struct copy_job {
    const float *from;
    cafe_block *to;
    uint8_t *bad; /* of each block: an entry is not finite */
} copy_job;

static void copy_block(void *argument, int64_t block) {
    const copy_job *job = argument;
    int64_t columns = job->to->columns, stride = job->to->stride;
    job->bad[block] = 0;
    for (int64_t u = block * CAFE_EXPLAIN_BLOCK;
         u < cafe_block_end(job->to->n, CAFE_EXPLAIN_BLOCK, block); u++)
        for (int64_t k = 0; k < stride; k++) {
            float x = k < columns ? job->from[u * columns + k] : 0;
            if (!isfinite(x)) job->bad[block] = 1;
            job->to->x[u * stride + k] = x;
        }
}

static cafe_status copy_vectors(cafe_context *context, cafe_explanation *e, const float *vectors) {
    int64_t blocks = cafe_blocks(e->n, CAFE_EXPLAIN_BLOCK), stride = cafe_stride(e->columns);
    e->v = cafe_block_rows(e->n, stride, e->columns, NULL);
    e->z = e->v;
    e->v.x = cafe_mem(context, e->n * stride, sizeof *e->v.x);
    e->z.x = cafe_mem(context, e->n * stride, sizeof *e->z.x);
    copy_job job = {vectors, &e->v, cafe_mem(context, blocks, 1)};
    cafe_status status = cafe_mem_had(e->v.x, e->z.x, job.bad);
    if (status == CAFE_OK) status = cafe_each(context, blocks, copy_block, &job);
    for (int64_t b = 0; b < blocks && status == CAFE_OK; b++)
        if (job.bad[b])
            status = cafe_fail(context, CAFE_ERROR_ARGUMENT,
                               "the vectors of nodes %lld to %lld are not all finite",
                               (long long)(b * CAFE_EXPLAIN_BLOCK),
                               (long long)cafe_block_end(e->n, CAFE_EXPLAIN_BLOCK, b) - 1);
    cafe_mem_free(context, job.bad);
    return status;
}

/* ---- sums over the columns ------------------------------------------------------------------- */

static void sum_rows(void *argument, int64_t first, int64_t last, double *partial) {
    const cafe_explanation *e = argument;
    cafe_column_sums *sums = (cafe_column_sums *)partial;
    for (int64_t u = first; u < last; u++)
        for (int64_t k = 0; k < e->columns; k++) {
            double v = e->v.x[u * e->v.stride + k];
            sums[k].sum += v;
            sums[k].square += v * v;
            sums[k].image += v * (double)e->z.x[u * e->z.stride + k];
        }
}

static cafe_status add_columns(cafe_context *context, cafe_explanation *e) {
    e->sums = cafe_mem_zero(context, e->columns, sizeof *e->sums);
    if (!e->sums) return CAFE_ERROR_MEMORY;
    CAFE_PASS(cafe_sums(context, e->n, CAFE_EXPLAIN_BLOCK, sum_rows, e, 3 * e->columns,
                        (double *)e->sums));
    e->modularity = 0;
    for (int64_t k = 0; k < e->columns; k++) e->modularity += e->sums[k].image;
    return cafe_check_number(context, "the modularity of the vectors", e->modularity);
}

/* ---- the two problems ------------------------------------------------------------------------ */

/* sum over columns of residual / |rho|, each at most 1 */
static double distance(const cafe_ritz *ritz, int64_t columns) {
    double sum = 0;
    for (int64_t k = 0; k < columns; k++) {
        double rho = fabs(ritz->column_values[k]), residual = ritz->column_residuals[k];
        sum += residual < rho ? residual / rho : 1;
    }
    return sum;
}

/* Values and residuals of the columns as they stand, with the bound of the certificate. `scratch`
 * is a block like v. For the walk's problem the columns are taken less their means by p, which are
 * nothing to Q: those of the scaled form have such means. */
static cafe_status certify(cafe_context *context, cafe_explanation *e, cafe_side side,
                           cafe_block *scratch, cafe_ritz *ritz) {
    cafe_certifying c = {.op = e->op, .side = side, .centred = side == CAFE_SIDE_WALK};
    int64_t products = 0;
    return cafe_certificate_find(context, &c, &e->v, scratch, ritz, &products);
}

static cafe_status judge(cafe_context *context, cafe_explanation *e) {
    cafe_status status = CAFE_OK;
    cafe_block scratch = e->z;
    scratch.x = cafe_mem(context, e->n * scratch.stride, sizeof *scratch.x);
    CAFE_TRY(scratch.x ? CAFE_OK : CAFE_ERROR_MEMORY);
    CAFE_TRY(certify(context, e, CAFE_SIDE_PLAIN, &scratch, &e->plain));
    CAFE_TRY(certify(context, e, CAFE_SIDE_WALK, &scratch, &e->walk));
    e->generalised = distance(&e->walk, e->columns) < distance(&e->plain, e->columns);
done:
    cafe_mem_free(context, scratch.x);
    return status;
}

/* ---- the object ------------------------------------------------------------------------------ */

static void write_report(cafe_explanation *e) {
    const cafe_ritz *ritz = e->generalised ? &e->walk : &e->plain;
    e->report = (cafe_explain_report){.nodes = e->n,
                                      .columns = e->columns,
                                      .modularity = e->modularity,
                                      .generalised = e->generalised,
                                      .pairs = ritz->pairs,
                                      .values = ritz->values,
                                      .residuals = ritz->residuals,
                                      .communities = e->sets.count,
                                      .part = e->sets.part};
    for (int64_t c = 0; c < e->sets.count; c++)
        e->report.part_modularity += cafe_explain_strength(&e->op->parts, &e->sets, c);
}

static cafe_status fill(cafe_context *context, cafe_explanation *e, const float *vectors,
                        const int32_t *part) {
    cafe_status status = CAFE_OK;
    cafe_phase(context, "explain", 0);
    CAFE_TRY(copy_vectors(context, e, vectors));
    CAFE_TRY(
        cafe_operator_apply(context, e->op, CAFE_SIDE_PLAIN, e->v.stride, e->v.x, 1, 0, 0, e->z.x));
    CAFE_TRY(cafe_check_finite(context, "the product of Q and the vectors", e->n, e->columns,
                               e->z.stride, e->z.x));
    CAFE_TRY(add_columns(context, e));
    CAFE_TRY(judge(context, e));
    CAFE_TRY(cafe_explain_sets(context, e, part));
    CAFE_TRY(cafe_explain_ends(context, e));
    write_report(e);
done:
    cafe_phase(context, "", 0);
    return status;
}

cafe_status cafe_explain(cafe_context *context, const cafe_operator *op, int64_t columns,
                         const float *vectors, const int32_t *part,
                         const cafe_explain_options *options, cafe_explanation **explanation) {
    cafe_explain_options o;
    *explanation = NULL;
    CAFE_PASS(cafe_options_take(context, &explain_table, options, &o));
    if (columns < 1)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "an embedding has at least one column");
    cafe_explanation *e = cafe_mem_zero(context, 1, sizeof *e);
    if (!e) return CAFE_ERROR_MEMORY;
    e->context = context;
    e->op = op;
    e->n = op->n;
    e->columns = columns;
    e->top = o.top;
    cafe_status status = fill(context, e, vectors, part);
    if (status == CAFE_OK)
        *explanation = e;
    else
        cafe_explanation_free(e);
    return status;
}

void cafe_explanation_free(cafe_explanation *e) {
    if (!e) return;
    cafe_context *context = e->context;
    cafe_explain_forget_layers(e);
    cafe_mem_free_all(context, e->v.x, e->z.x, e->sums, e->high, e->low, e->high_communities,
                      e->low_communities, e->high_count, e->low_count, e->products, e->coordinates,
                      e->pulls, e->pushes, e->words);
    cafe_ritz_free(context, &e->plain);
    cafe_ritz_free(context, &e->walk);
    cafe_member_lists_free(context, &e->sets);
    cafe_mem_free(context, e);
}

const cafe_explain_report *cafe_explanation_get(const cafe_explanation *e) {
    return &e->report;
}
