/* A few eigenpairs of Q by ARPACK's implicitly restarted Lanczos method (Lehoucq, Sorensen, Yang
 * 1998), in double precision.
 *
 * ARPACK is given M = Q / c + 2 with c a lower estimate of ||Q||. Krylov spaces do not change by
 * this, but its stopping rule, relative to the eigenvalue, then means the same for eigenvalues near
 * 0 and for any 2m: an error of tolerance ||Q||.
 *
 * ARPACK keeps the state of a run between its calls in Fortran SAVE variables, and counts its work
 * in a common block. So runs in one process must not overlap; include/cafe/bounds.h says so to the
 * users. Its random numbers have a state too (in later versions seeded by addresses): whenever it
 * asks for a vector to start or to restart from, which it does with ido = -1, it gets one of ours,
 * so that a result depends on the seed alone.
 */
#include "spectral/exact.h"

#include <arpack.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/random.h"
#include "engine/dense.h"

enum { BLOCK = 4096, MOST_PAIRS = 10000, MOST_RESTARTS = 1000, POWER_STEPS = 8 };
/* Columns of the Krylov basis besides two per pair: more of them converge where eigenvalues crowd,
 * and are taken as long as the basis stays this small. */
enum { LEAST_EXTRA = 20, MOST_EXTRA = 120 };
static const int64_t small_basis = (int64_t)64 << 20;

/* ---- y = Q x --------------------------------------------------------------------------------- */

typedef struct product_job {
    const cafe_operator *op;
    const double *x;
    double mean; /* sum over w of p_w x_w */
    double *y, *partial;
} product_job;

static void mean_block(void *argument, int64_t block, int32_t worker) {
    product_job *job = argument;
    const double *p = job->op->parts.p;
    double sum = 0;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(job->op->n, BLOCK, block); u++)
        sum += p[u] * job->x[u];
    job->partial[block] = sum;
}

/* (Q x)_u = sum over w of a(u,w) x_w / 2m - p_u sum over w of p_w x_w */
static void product_block(void *argument, int64_t block, int32_t worker) {
    product_job *job = argument;
    const cafe_operator_parts *s = &job->op->parts;
    (void)worker;
    for (int64_t u = block * BLOCK; u < cafe_block_end(s->n, BLOCK, block); u++) {
        double sum = 0;
        for (int64_t j = s->offsets[u]; j < s->offsets[u + 1]; j++)
            sum += s->weights ? s->weights[j] * job->x[s->targets[j]] : job->x[s->targets[j]];
        job->y[u] = sum / s->total - s->p[u] * job->mean;
    }
}

int64_t cafe_exact_scratch(const cafe_operator *op) {
    return cafe_blocks(op->n, BLOCK);
}

cafe_status cafe_exact_product(cafe_context *context, const cafe_operator *op, const double *x,
                               double *y, double *scratch) {
    product_job job = {op, x, 0, y, scratch};
    int64_t blocks = cafe_blocks(op->n, BLOCK);
    cafe_status status = cafe_parallel(context, blocks, mean_block, &job);
    if (status != CAFE_OK) return status;
    for (int64_t b = 0; b < blocks; b++) job.mean += scratch[b];
    return cafe_parallel(context, blocks, product_block, &job);
}

/* ---- a run of ARPACK ------------------------------------------------------------------------- */

typedef struct lanczos {
    const cafe_operator *op;
    a_int n, wanted, columns; /* columns: of the Krylov basis */
    const char *which;
    double tolerance, scale; /* c */
    uint64_t draws;          /* start vectors given so far */
    int64_t products;
    a_int ido, info, parameters[11], pointers[14], work_size;
    double *basis, *residual, *vectors, *work, *scratch;
    a_int *select;
} lanczos;

static void free_lanczos(cafe_context *context, lanczos *l) {
    cafe_mem_free(context, l->basis);
    cafe_mem_free(context, l->residual);
    cafe_mem_free(context, l->vectors);
    cafe_mem_free(context, l->work);
    cafe_mem_free(context, l->scratch);
    cafe_mem_free(context, l->select);
}

static int64_t basis_columns(int64_t n, int64_t count) {
    int64_t extra = small_basis / (n * (int64_t)sizeof(double)) - 2 * count;
    if (extra > MOST_EXTRA) extra = MOST_EXTRA;
    if (extra < LEAST_EXTRA) extra = LEAST_EXTRA;
    return 2 * count + extra < n ? 2 * count + extra : n;
}

static cafe_status new_lanczos(cafe_context *context, const cafe_operator *op, cafe_end end,
                               int64_t count, double tolerance, int64_t restarts, lanczos *l) {
    int64_t columns = basis_columns(op->n, count);
    *l = (lanczos){.op = op, .n = (a_int)op->n, .wanted = (a_int)count, .columns = (a_int)columns};
    l->which = end == CAFE_END_LARGEST ? "LA" : "SA";
    l->tolerance = tolerance / 4; /* M's eigenvalues are below 4 */
    l->work_size = (a_int)(columns * (columns + 8));
    l->parameters[0] = 1; /* exact shifts */
    l->parameters[2] = (a_int)restarts;
    l->parameters[6] = 1; /* M x = mu x */
    l->basis = cafe_mem(context, op->n * columns, sizeof *l->basis);
    l->residual = cafe_mem(context, op->n, sizeof *l->residual);
    l->vectors = cafe_mem_zero(context, 3 * op->n, sizeof *l->vectors);
    l->work = cafe_mem_zero(context, l->work_size, sizeof *l->work);
    l->scratch = cafe_mem(context, cafe_exact_scratch(op), sizeof *l->scratch);
    l->select = cafe_mem_zero(context, columns, sizeof *l->select);
    bool all = l->basis && l->residual && l->vectors && l->work && l->scratch && l->select;
    return all ? CAFE_OK : CAFE_ERROR_MEMORY;
}

/* The next start vector of the run: entries uniform in (-1,1). */
static void draw(cafe_context *context, lanczos *l, double *y) {
    uint64_t first = l->draws++ * (uint64_t)l->n;
    for (a_int u = 0; u < l->n; u++) {
        cafe_random4 r = cafe_philox(context->seed, CAFE_STREAM_EIGEN, first + (uint64_t)u);
        y[u] = 2 * cafe_uniform(r.v[0], r.v[1]) - 1;
    }
}

static double length(int64_t n, const double *x) {
    double sum = 0;
    for (int64_t u = 0; u < n; u++) sum += x[u] * x[u];
    return sqrt(sum);
}

/* c: a few steps of the power method give ||Q x|| <= ||Q|| for a unit x, and seldom less than half
 * of it. Q = 0 (it happens: one node with a loop) leaves c = 1. */
static cafe_status estimate_scale(cafe_context *context, lanczos *l) {
    double *x = l->vectors, *y = l->vectors + l->n;
    draw(context, l, y);
    l->scale = 0;
    for (int step = 0; step <= POWER_STEPS; step++) {
        double norm = length(l->n, y);
        if (step > 0 && norm > l->scale) l->scale = norm;
        if (!(norm > 0)) break;
        for (a_int u = 0; u < l->n; u++) x[u] = y[u] / norm;
        cafe_status status = cafe_exact_product(context, l->op, x, y, l->scratch);
        if (status != CAFE_OK) return status;
    }
    if (!(l->scale > 0)) l->scale = 1;
    return CAFE_OK;
}

/* What ARPACK asks for: y = M x, or a vector to go on from. */
static cafe_status answer(cafe_context *context, lanczos *l) {
    const double *x = l->vectors + l->pointers[0] - 1;
    double *y = l->vectors + l->pointers[1] - 1;
    if (l->ido == -1) {
        draw(context, l, y);
        return cafe_check_cancel(context);
    }
    cafe_status status = cafe_exact_product(context, l->op, x, y, l->scratch);
    for (a_int u = 0; u < l->n && status == CAFE_OK; u++) y[u] = y[u] / l->scale + 2 * x[u];
    cafe_step(context, ++l->products, 0);
    return status;
}

static cafe_status check_end(cafe_context *context, const lanczos *l) {
    if (l->info == 0) return CAFE_OK;
    if (l->info == 1)
        return cafe_fail(context, CAFE_ERROR_NUMERIC,
                         "%d of %d eigenpairs converged in %d restarts: the eigenvalues lie too "
                         "close together for this tolerance",
                         (int)l->parameters[4], (int)l->wanted, (int)l->parameters[2]);
    return cafe_fail(context, CAFE_ERROR_NUMERIC, "the eigensolver failed (ARPACK dsaupd: %d)",
                     (int)l->info);
}

static cafe_status iterate(cafe_context *context, lanczos *l) {
    cafe_status status = estimate_scale(context, l);
    if (status != CAFE_OK) return status;
    draw(context, l, l->residual);
    l->info = 1; /* the start is given */
    for (;;) {
        dsaupd_c(&l->ido, "I", l->n, l->which, l->wanted, l->tolerance, l->residual, l->columns,
                 l->basis, l->n, l->parameters, l->pointers, l->vectors, l->work, l->work_size,
                 &l->info);
        if (l->ido != 1 && l->ido != -1) return check_end(context, l);
        if ((status = answer(context, l)) != CAFE_OK) return status;
    }
}

/* Ritz values into values[wanted], Ritz vectors into the first columns of the basis. */
static cafe_status extract(cafe_context *context, lanczos *l, bool vectors, double *values) {
    dseupd_c(vectors, "A", l->select, values, l->basis, l->n, 0, "I", l->n, l->which, l->wanted,
             l->tolerance, l->residual, l->columns, l->basis, l->n, l->parameters, l->pointers,
             l->vectors, l->work, l->work_size, &l->info);
    if (l->info != 0)
        return cafe_fail(context, CAFE_ERROR_NUMERIC, "the eigensolver failed (ARPACK dseupd: %d)",
                         (int)l->info);
    for (a_int j = 0; j < l->wanted; j++) values[j] = (values[j] - 2) * l->scale;
    return CAFE_OK;
}

/* ---- results in our order -------------------------------------------------------------------- */

/* order[i]: where the i-th value from the end is. */
static void sort(cafe_end end, int64_t count, const double *values, int64_t *order) {
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i;
        for (; j > 0; j--) {
            double before = values[order[j - 1]], here = values[i];
            if (end == CAFE_END_LARGEST ? before >= here : before <= here) break;
            order[j] = order[j - 1];
        }
        order[j] = i;
    }
}

/* Column j of the result; the sign is free: the entry largest in size is made positive. */
static void put_vector(int64_t n, int64_t step, const double *from, int64_t count, double *to) {
    double largest = 0;
    for (int64_t u = 0; u < n; u++)
        if (fabs(from[u * step]) > fabs(largest)) largest = from[u * step];
    double sign = largest < 0 ? -1 : 1;
    for (int64_t u = 0; u < n; u++) to[u * count] = sign * from[u * step];
}

/* Pairs as a solver left them: entries of a vector are `step` apart, vectors `next`. */
typedef struct pairs {
    int64_t n, count;
    const double *values, *vectors;
    int64_t step, next;
} pairs;

static cafe_status put_pairs(cafe_context *context, const pairs *found, cafe_end end, int64_t count,
                             double *values, double *vectors) {
    int64_t *order = cafe_mem(context, found->count, sizeof *order);
    if (!order) return CAFE_ERROR_MEMORY;
    sort(end, found->count, found->values, order);
    for (int64_t j = 0; j < count; j++) {
        const double *from = found->vectors + order[j] * found->next;
        values[j] = found->values[order[j]];
        if (vectors) put_vector(found->n, found->step, from, count, vectors + j);
    }
    cafe_mem_free(context, order);
    return CAFE_OK;
}

/* ---- the two ways ---------------------------------------------------------------------------- */

cafe_status cafe_exact_lanczos(cafe_context *context, const cafe_operator *op, cafe_end end,
                               int64_t count, double tolerance, int64_t restarts, double *values,
                               double *vectors) {
    lanczos l;
    cafe_status status = new_lanczos(context, op, end, count, tolerance, restarts, &l);
    double *found = status == CAFE_OK ? cafe_mem(context, count, sizeof *found) : NULL;
    if (!found) status = CAFE_ERROR_MEMORY;
    CAFE_TRY(status);
    CAFE_TRY(iterate(context, &l));
    CAFE_TRY(extract(context, &l, vectors != NULL, found));
    pairs all = {op->n, count, found, l.basis, 1, op->n};
    status = put_pairs(context, &all, end, count, values, vectors);
done:
    cafe_mem_free(context, found);
    free_lanczos(context, &l);
    return status;
}

/* Of a graph that is small for so many pairs Q is formed: ARPACK's basis would be as large. */
static cafe_status dense(cafe_context *context, const cafe_operator *op, cafe_end end,
                         int64_t count, double *values, double *vectors) {
    cafe_status status = CAFE_ERROR_MEMORY;
    int64_t n = op->n;
    double *q = cafe_mem(context, n * n, sizeof *q), *found = cafe_mem(context, n, sizeof *found);
    if (!q || !found) goto done;
    for (int64_t u = 0; u < n; u++) CAFE_TRY(cafe_operator_row(context, op, u, q + u * n));
    CAFE_TRY(cafe_dense_eigen(context, n, q, found));
    pairs all = {n, n, found, q, n, 1};
    status = put_pairs(context, &all, end, count, values, vectors);
done:
    cafe_mem_free(context, q);
    cafe_mem_free(context, found);
    return status;
}

cafe_status cafe_operator_eigen(cafe_context *context, const cafe_operator *op, cafe_end end,
                                int64_t count, double tolerance, double *values, double *vectors) {
    int64_t most = op->n < MOST_PAIRS ? op->n : MOST_PAIRS;
    cafe_status rows = cafe_operator_need_links(context, op);
    if (rows != CAFE_OK) return rows;
    if (end != CAFE_END_LARGEST && end != CAFE_END_SMALLEST)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT, "%d is no end of the spectrum", (int)end);
    if (count < 1 || count > most)
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "%lld eigenpairs: expected 1 to %lld of this operator", (long long)count,
                         (long long)most);
    if (!(tolerance >= 0 && tolerance < 1))
        return cafe_fail(context, CAFE_ERROR_ARGUMENT,
                         "the tolerance is %g: expected at least 0 and less than 1", tolerance);
    int threads = cafe_blas_single();
    cafe_phase(context, "eigen", 0);
    cafe_status status = op->n <= 2 * count + 1
                             ? dense(context, op, end, count, values, vectors)
                             : cafe_exact_lanczos(context, op, end, count, tolerance, MOST_RESTARTS,
                                                  values, vectors);
    cafe_phase(context, "", 0);
    cafe_blas_restore(threads);
    return status;
}
