/* The rounding error of M H, column by column, from sums over the graph or the table.
 *
 * One operation of single precision is wrong by eps = 2^-24 of its result at most, and in the mean
 * square by eps^2/6. Of t additions the i-th has the result i/t of the sum. So the squared error of
 * a sum of t numbers is eps^2 t/18 of the square of the sum of their sizes. Rounding errors are as
 * good as independent (Higham and Mary 2019). H itself is rounded, and a few operations follow.
 *
 * Graphs. Row u of D^-1 Q H is a mean of d_u rows of H, less s = sum of p_w h_w. With t_u = 1 + d_u
 * / 18, weights a_u = 1 (a_u = p_u for Q) and by Jensen's inequality, (mean of |h|)^2 <= mean of
 * h^2,
 *
 *     ||e_j||^2 <= eps^2 sum over u of a_u^2 t_u (sum over w of P(u,w) |h_wj| / p_u)^2
 *               <= eps^2 sum over w of g_w h_wj^2,     g = P x,  x_u = a_u^2 t_u / p_u
 *
 * and s, rounded once, adds eps^2 (sum of a_u^2) p_w / 6 to g_w. One product with one column finds
 * g.
 *
 * Tables. W = F^T H is added up in tiles of T rows and then y_u = <f_u, W> over L columns. Numbers
 * of a tile are often of one sign and size; then their sum is sqrt(T) times their length:
 *
 *     ||e_j|| <= eps ||F|| (sqrt(1 + T^2/18) ||diag(||f_u||) h_j|| + sqrt(1 + L/18) ||W_j||),
 *     ||W_j||^2 = <h_j, F F^T h_j> <= ||h_j|| ||y_j||
 *
 * Sums. The bounds of both parts are added. Sizes |a(u,w)| take the place of P: their sum over w is
 * p_u at most. W is computed, and rows of F have length r_u / p_u in D^-1 Q.
 */
#include "spectral/rounding_error.h"

#include <float.h>
#include <math.h>

#include "base/memory.h"
#include "base/thread_pool.h"
#include "operator/table_operator.h"

static const double eps = 0x1p-24;

/* ---- graphs ---------------------------------------------------------------------------------- */

/* t_u: edges are added in pieces of 256, then the pieces; the same for each step of a walk. */
static double additions(const cafe_operator *op, int64_t u) {
    const cafe_operator_parts *q = &op->parts;
    double links = (double)(q->offsets[u + 1] - q->offsets[u]), steps = fmax(1, (double)op->window);
    return 1 + steps * (fmin(links, 256) + links / 256) / 18;
}

enum { ROWS = 1 << 16 }; /* of a task */

typedef struct roots_job {
    const cafe_operator *op;
    cafe_side side;
    float *x;
    double sums[2]; /* of a_u^2 t_u, of a_u^2 */
    double *roots;
} roots_job;

/* x_u = a_u^2 t_u / p_u */
static void fill_rows(void *argument, int64_t first, int64_t last, double *sums) {
    const roots_job *job = argument;
    for (int64_t u = first; u < last; u++) {
        double p = job->op->parts.p[u], a = job->side == CAFE_SIDE_WALK ? 1 : p;
        double here = p > 0 ? a * a * additions(job->op, u) : 0;
        job->x[u] = p > 0 ? (float)(here / p) : 0;
        sums[0] += here;
        sums[1] += p > 0 ? a * a : 0;
    }
}

/* P x = Q x + p (p^T x) */
static void fill_roots(void *argument, int64_t first, int64_t last) {
    const roots_job *job = argument;
    const cafe_operator_parts *q = &job->op->parts;
    for (int64_t w = first; w < last; w++) {
        double own = q->sign * (double)job->x[w] + q->p[w] * job->sums[0];
        job->roots[w] = sqrt(fmax(own, 0) + q->p[w] * job->sums[1] / 6);
    }
}

/* x <- Q x, on the engine of H. */
static cafe_status multiply(cafe_context *context, const cafe_operator *op, const cafe_block *h,
                            float *x) {
    const cafe_engine_ops *ops = cafe_ops(h);
    cafe_status status = CAFE_OK;
    cafe_block from = {.engine = h->engine}, to = from;
    cafe_part all = {0, op->n, 0, 1};
    CAFE_TRY(ops->make(context, h->engine, op->n, 1, &from));
    CAFE_TRY(ops->make(context, h->engine, op->n, 1, &to));
    CAFE_TRY(ops->copy_in(context, &from, all, x, 1));
    CAFE_TRY(cafe_block_product(context, op, CAFE_SIDE_PLAIN, 1, &from, 0, 0, &to));
    CAFE_TRY(ops->copy_out(context, &to, all, x, 1));
done:
    ops->drop(context, &from);
    ops->drop(context, &to);
    return status;
}

/* roots_w = sqrt(g_w) */
static cafe_status find_roots(cafe_context *context, const cafe_operator *op, cafe_side side,
                              const cafe_block *h, double *roots) {
    cafe_status status = CAFE_OK;
    roots_job job = {op, side, cafe_mem(context, op->n, sizeof *job.x), {0}, roots};
    CAFE_TRY(cafe_mem_had(job.x));
    cafe_mem_touch(context, job.x);
    cafe_mem_touch(context, roots);
    CAFE_TRY(cafe_sums(context, op->n, ROWS, fill_rows, &job, 2, job.sums));
    CAFE_TRY(multiply(context, op, h, job.x));
    CAFE_TRY(cafe_ranges(context, op->n, ROWS, fill_roots, &job));
done:
    cafe_mem_free(context, job.x);
    return status;
}

/* noise_j = (sum over w of g_w h_wj^2)^(1/2), the norm of column j with factors sqrt(g_w). */
static cafe_status graph_noise(cafe_context *context, const cafe_operator *op, cafe_side side,
                               const cafe_block *h, double *noise) {
    double *roots = cafe_mem(context, op->n, sizeof *roots);
    cafe_status status = roots ? find_roots(context, op, side, h, roots) : CAFE_ERROR_MEMORY;
    if (status == CAFE_OK) status = cafe_ops(h)->norms(context, h, roots, noise);
    cafe_mem_free(context, roots);
    return status;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* noise_j = ||F|| (sqrt(1 + T^2/18) ||diag(||f_u||) h_j|| + sqrt(1 + L/18) sqrt(||h_j|| ||y_j||)),
 * the bound of the file's comment over eps, with ||F||^2 = sum over u of ||f_u||^2. */
static cafe_status table_noise(cafe_context *context, const cafe_operator *op, const cafe_block *h,
                               const cafe_block *y, double *noise) {
    const cafe_operator_parts *q = &op->parts;
    int64_t k = h->columns;
    double square = 0, tile = (double)(op->n < CAFE_TILE ? op->n : CAFE_TILE);
    double tall = sqrt(1 + tile * tile / 18), wide = sqrt(1 + (double)q->width / 18);
    double *lengths = cafe_mem(context, 2 * k, sizeof *lengths);
    cafe_status status = lengths ? CAFE_OK : CAFE_ERROR_MEMORY;
    for (int64_t u = 0; u < op->n; u++) square += q->reach[u] * q->reach[u];
    if (status == CAFE_OK) status = cafe_ops(h)->norms(context, h, NULL, lengths);
    if (status == CAFE_OK) status = cafe_ops(y)->norms(context, y, NULL, lengths + k);
    if (status == CAFE_OK) status = cafe_ops(h)->norms(context, h, q->reach, noise);
    for (int64_t j = 0; j < k && status == CAFE_OK; j++) {
        double w = sqrt(lengths[j] * lengths[k + j]);
        noise[j] = sqrt(square) * (tall * noise[j] + wide * w);
    }
    cafe_mem_free(context, lengths);
    return status;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* roots_w = sqrt(sum over u of |a(u,w)| x_u / total); A is symmetric. */
static void fill_size_roots(void *argument, int64_t first, int64_t last) {
    const roots_job *job = argument;
    const cafe_operator_parts *q = &job->op->parts;
    for (int64_t w = first; w < last; w++) {
        double sum = 0;
        for (int64_t j = q->offsets[w]; j < q->offsets[w + 1]; j++)
            sum += fabs(CAFE_LINK(q, w, j)) * job->x[q->targets[j]];
        job->roots[w] = sqrt(sum / q->total);
    }
}

/* The part of the edges: noise_j, and 0 without edges. */
static cafe_status edge_noise(cafe_context *context, const cafe_operator *op, cafe_side side,
                              const cafe_block *h, double *noise) {
    cafe_status status = CAFE_OK;
    roots_job job = {op, side, cafe_mem(context, op->n, sizeof *job.x), {0}, NULL};
    job.roots = cafe_mem(context, op->n, sizeof *job.roots);
    CAFE_TRY(cafe_mem_had(job.x, job.roots));
    for (int64_t j = 0; j < h->columns; j++) noise[j] = 0;
    if (!op->parts.offsets) goto done;
    CAFE_TRY(cafe_sums(context, op->n, ROWS, fill_rows, &job, 2, job.sums));
    CAFE_TRY(cafe_ranges(context, op->n, ROWS, fill_size_roots, &job));
    CAFE_TRY(cafe_ops(h)->norms(context, h, job.roots, noise));
done:
    cafe_mem_free_all(context, job.x, job.roots);
    return status;
}

/* Returns the sum over u of r_u^2, with r_u / p_u in place of r_u for D^-1 Q. */
static double factor_squares(const cafe_operator_parts *q, cafe_side side) {
    double square = 0;
    for (int64_t u = 0; u < q->n; u++) {
        double row = side == CAFE_SIDE_WALK && q->p[u] > 0 ? q->reach[u] / q->p[u] : q->reach[u];
        if (side == CAFE_SIDE_PLAIN || q->p[u] > 0) square += row * row;
    }
    return square;
}

/* noise_j of both parts. */
static cafe_status sum_noise(cafe_context *context, const cafe_operator *op, cafe_side side,
                             const cafe_block *h, double *noise) {
    const cafe_operator_parts *q = &op->parts;
    cafe_status status = CAFE_OK;
    double tile = (double)(op->n < CAFE_TILE ? op->n : CAFE_TILE);
    double tall = sqrt(1 + tile * tile / 18), wide = sqrt(1 + (double)q->width / 18);
    double rows = sqrt(factor_squares(q, side));
    double *lengths = cafe_mem(context, h->columns, sizeof *lengths);
    double *w = cafe_mem(context, q->width * h->stride, sizeof *w);
    void *held = NULL;
    CAFE_TRY(cafe_mem_had(lengths, w));
    CAFE_TRY(edge_noise(context, op, side, h, noise));
    CAFE_TRY(cafe_ops(h)->norms(context, h, q->reach, lengths));
    CAFE_TRY(cafe_engine_hold(context, h, op, &held));
    CAFE_TRY(cafe_ops(h)->project(context, op, held, h, w));
    for (int64_t j = 0; j < h->columns; j++) {
        double square = 0;
        for (int64_t l = 0; l < q->width; l++)
            square += w[l * h->stride + j] * w[l * h->stride + j];
        noise[j] += rows * (tall * lengths[j] + wide * sqrt(square));
    }
done:
    cafe_mem_free_all(context, lengths, w);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Numbers below the range of normal floats lose a fixed amount each, which is added. */
cafe_status cafe_noise_find(cafe_context *context, const cafe_operator *op, cafe_side side,
                            const cafe_block *h, const cafe_block *y, double *noise) {
    const double least = (double)FLT_MIN * sqrt((double)op->n);
    CAFE_PASS(cafe_operator_is_sum(&op->parts) ? sum_noise(context, op, side, h, noise)
              : op->parts.f                    ? table_noise(context, op, h, y, noise)
                                               : graph_noise(context, op, side, h, noise));
    for (int64_t j = 0; j < h->columns; j++) noise[j] = eps * (noise[j] + least);
    return CAFE_OK;
}
