/* Sums over all rows: by pieces, in the order of the pieces; Gram matrices without any order. */
#include <math.h>
#include <string.h>

#include "engine/row_pieces.h"
#include "petsc.h"

static cafe_status add_processes(cafe_context *context, const petsc_state *state, int64_t count,
                                 double *sums) {
    enum { AT_ONCE = 1 << 20 };
    cafe_status status = CAFE_OK;
    for (int64_t i = 0; i < count && state->ranks > 1; i += AT_ONCE)
        PETSC_MPI(MPI_Allreduce(MPI_IN_PLACE, sums + i,
                                (int)(count - i < AT_ONCE ? count - i : AT_ONCE), MPI_DOUBLE,
                                MPI_SUM, state->comm));
done:
    return status;
}

cafe_status petsc_add(cafe_context *context, const cafe_engine *engine, int64_t count,
                      double *sums) {
    return add_processes(context, engine->state, count, sums);
}

/* Every number is one process's and 0 elsewhere: the sum of the processes is a copy. */
cafe_status petsc_add_pieces(cafe_context *context, petsc_state *state, const petsc_layout *l,
                             int64_t width, double *sums, double *total) {
    CAFE_PASS(add_processes(context, state, l->pieces * width, sums));
    for (int64_t k = 0; k < width; k++) total[k] = 0;
    for (int64_t i = 0; i < l->pieces; i++)
        for (int64_t k = 0; k < width; k++) total[k] += sums[i * width + k];
    return CAFE_OK;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Adds the contribution of a piece's rows to `sum`; its weights begin with its first row. */
typedef struct piece_job piece_job;
typedef void piece_sum(const piece_job *job, int64_t piece, double *sum);

struct piece_job {
    piece_sum *add;
    const cafe_block *x, *y;
    const petsc_layout *layout;
    const double *weights, *own_weights;
    int64_t negative, width;
    const cafe_kernels *kernels;
    double *sums;
};

static void run_piece(void *argument, int64_t task, int32_t worker) {
    const piece_job *job = argument;
    int64_t piece = job->layout->mine[task];
    (void)worker;
    job->add(job, piece, job->sums + piece * job->width);
}

static cafe_status sum_pieces(cafe_context *context, piece_job *job, double *total) {
    petsc_state *state = petsc_of(job->x);
    const petsc_layout *l = job->layout = petsc_layout_of(job->x);
    int64_t count = l->pieces * job->width;
    job->kernels = state->host->kernels();
    job->sums = state->host->allocate(context, count, sizeof *job->sums);
    if (!job->sums) return CAFE_ERROR_MEMORY;
    memset(job->sums, 0, (size_t)count * sizeof *job->sums);
    cafe_status status = state->host->parallel(context, l->count, run_piece, job);
    if (status == CAFE_OK)
        status = petsc_add_pieces(context, state, l, job->width, job->sums, total);
    state->host->release(context, job->sums);
    return status;
}

static const double *weights_of(const piece_job *job, const double *weights, int64_t piece) {
    return weights ? weights + piece * job->layout->piece : NULL;
}

static void add_norms(const piece_job *job, int64_t piece, double *sum) {
    cafe_block x = petsc_piece(job->x, piece);
    cafe_add_norms(&x, weights_of(job, job->weights, piece), 0, x.n, sum);
}

cafe_status petsc_norms(cafe_context *context, const cafe_block *x, const double *factors,
                        double *norms) {
    piece_job job = {.add = add_norms, .x = x, .weights = factors, .width = x->columns};
    CAFE_PASS(sum_pieces(context, &job, norms));
    for (int64_t j = 0; j < x->columns; j++) norms[j] = sqrt(norms[j]);
    return CAFE_OK;
}

static void add_totals(const piece_job *job, int64_t piece, double *sum) {
    cafe_block x = petsc_piece(job->x, piece);
    cafe_add_totals(&x, weights_of(job, job->weights, piece), 0, x.n, sum);
}

cafe_status petsc_totals(cafe_context *context, const cafe_block *x, const double *weights,
                         double *totals) {
    piece_job job = {.add = add_totals, .x = x, .weights = weights, .width = x->columns};
    return sum_pieces(context, &job, totals);
}

static void add_dots(const piece_job *job, int64_t piece, double *sum) {
    cafe_block x = petsc_piece(job->x, piece), y = job->y ? petsc_piece(job->y, piece) : x;
    cafe_dots dots = {job->kernels,
                      &x,
                      job->y ? &y : NULL,
                      weights_of(job, job->weights, piece),
                      weights_of(job, job->own_weights, piece),
                      job->negative};
    cafe_add_dots(&dots, 0, x.n, sum);
}

cafe_status petsc_sums(cafe_context *context, const cafe_block *x, const cafe_block *y,
                       const double *weights, const double *own_weights, int64_t negative,
                       double *cross, double *own) {
    piece_job job = {.add = add_dots, .x = x, .y = y, .weights = weights, .width = 2};
    double total[2] = {0, 0};
    job.own_weights = own_weights, job.negative = negative;
    CAFE_PASS(sum_pieces(context, &job, total));
    *cross = total[0], *own = total[1];
    return CAFE_OK;
}

/* ---- Gram matrices --------------------------------------------------------------------------- */

/* Lengths of the columns of [a b] in the inner product: no entry of the matrix is larger than two
 * of them multiplied. */
static cafe_status column_lengths(cafe_context *context, const cafe_block *a, const cafe_block *b,
                                  const double *weights, double *lengths) {
    const petsc_state *state = petsc_of(a);
    double *roots = weights ? state->host->allocate(context, a->n, sizeof *roots) : NULL;
    cafe_status status = weights && !roots ? CAFE_ERROR_MEMORY : CAFE_OK;
    for (int64_t u = 0; u < a->n && roots; u++) roots[u] = weights[u] > 0 ? sqrt(weights[u]) : 0;
    if (status == CAFE_OK) status = petsc_norms(context, a, roots, lengths);
    if (status == CAFE_OK && b) status = petsc_norms(context, b, roots, lengths + a->columns);
    state->host->release(context, roots);
    return status;
}

/* This process's pieces: where they begin among its rows, and their weights. */
static cafe_status own_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                            const double *weights, bool single, const double *lengths,
                            double *gram) {
    const cafe_engine_host *host = petsc_of(a)->host;
    const petsc_layout *l = petsc_layout_of(a);
    cafe_block left = petsc_local(a), right = b ? petsc_local(b) : left;
    int64_t *starts = host->allocate(context, l->count + 1, sizeof *starts);
    double *own = weights ? host->allocate(context, l->own, sizeof *own) : NULL;
    cafe_status status = starts && (own || !weights) ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int64_t m = 0; m < l->count && starts; m++) starts[m] = l->base[l->mine[m]];
    if (starts) starts[l->count] = l->own;
    for (int64_t i = 0; i < l->own && own; i++) own[i] = weights[l->number[i]];
    if (status == CAFE_OK)
        status = host->gram_pieces(context, &left, b ? &right : NULL, own, single, l->count, starts,
                                   lengths, gram);
    host->release(context, starts);
    host->release(context, own);
    return status;
}

cafe_status petsc_gram(cafe_context *context, const cafe_block *a, const cafe_block *b,
                       const double *weights, bool single, double *gram) {
    const petsc_state *state = petsc_of(a);
    int64_t k = a->columns + (b ? b->columns : 0);
    if (k == 0) return CAFE_OK;
    double *lengths = state->host->allocate(context, k, sizeof *lengths);
    cafe_status status = lengths ? CAFE_OK : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = column_lengths(context, a, b, weights, lengths);
    if (status == CAFE_OK) status = own_gram(context, a, b, weights, single, lengths, gram);
    if (status == CAFE_OK) status = add_processes(context, state, k * k, gram);
    for (int64_t i = 0; i < k && status == CAFE_OK; i++)
        for (int64_t j = 0; j < i; j++) gram[i * k + j] = gram[j * k + i];
    state->host->release(context, lengths);
    return status;
}
