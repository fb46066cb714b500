/* Products in double precision of combinations of a block's columns, and sums over their rows.
 *
 * A combination is formed in doubles, row by row, so that it is itself a vector without error: what
 * is measured of it holds, however it was found. Sums over rows have the shape of
 * cafe_owned_sums(): the same bits for any number of threads and processes.
 */
#include "spectral/exact_columns.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engine/dense.h"
#include "kernels/row_kernels.h"

enum { EIGHT = CAFE_EIGHT, ROWS = 512, SUMS = 3 };

/* ---- opening --------------------------------------------------------------------------------- */

static bool is_here(const cafe_block *v) {
    return !v->engine || v->engine == &cafe_processor || cafe_engine_joins(v->engine);
}

static cafe_status take_copy(cafe_context *context, cafe_exact *e) {
    const cafe_block *v = e->v;
    e->copy = cafe_mem(context, v->n * v->columns, sizeof *e->copy);
    CAFE_PASS(cafe_mem_had(e->copy));
    return cafe_ops(v)->copy_out(context, v, (cafe_part){0, v->n, 0, v->columns}, e->copy,
                                 v->columns);
}

cafe_status cafe_exact_open(cafe_context *context, const cafe_operator *op, cafe_side side,
                            const cafe_block *v, cafe_exact *e) {
    cafe_status status = CAFE_OK;
    *e = (cafe_exact){.op = op, .side = side, .v = v, .owned = cafe_owned_all(op->n)};
    e->weights = side == CAFE_SIDE_WALK ? op->parts.p : NULL;
    if (cafe_engine_joins(v->engine)) CAFE_TRY(cafe_owned_open(context, op, &e->owned));
    int64_t rows = e->owned.own;
    if (!is_here(v)) CAFE_TRY(take_copy(context, e));
    e->x = cafe_mem(context, rows * EIGHT, sizeof *e->x);
    e->y = cafe_mem(context, rows * EIGHT, sizeof *e->y);
    CAFE_TRY(cafe_mem_had(e->x, e->y));
    if (op->window > 1) e->power = cafe_mem(context, 2 * rows * EIGHT, sizeof *e->power);
    if (op->window > 1) CAFE_TRY(cafe_mem_had(e->power));
    return CAFE_OK;
done:
    cafe_exact_close(context, e);
    return status;
}

void cafe_exact_close(cafe_context *context, cafe_exact *e) {
    cafe_mem_free_all(context, e->copy, e->x, e->y, e->power);
    cafe_owned_close(context, &e->owned);
    *e = (cafe_exact){0};
}

/* ---- combinations ---------------------------------------------------------------------------- */

static const float *row_of(const cafe_exact *e, int64_t u) {
    if (e->copy) return e->copy + u * e->v->columns;
    return cafe_block_row(e->v, u);
}

typedef struct combination {
    const cafe_exact *e;
    int64_t first, count; /* columns of X, eight at most */
    const double *s;      /* columns x 8; NULL: the columns as they stand */
    double shift[EIGHT], rho[EIGHT];
} combination;

/* x_u = sum over k of v_uk s_k for eight rows, or fewer, and eight columns of S. */
static void multiply_rows(const combination *c, int64_t first, int64_t rows, double *x) {
    const cafe_exact *e = c->e;
    int64_t columns = e->v->columns;
    double part[EIGHT * CAFE_PRODUCT_SEGMENT];
    for (int64_t from = 0; from < columns; from += CAFE_PRODUCT_SEGMENT) {
        int64_t width =
            columns - from < CAFE_PRODUCT_SEGMENT ? columns - from : CAFE_PRODUCT_SEGMENT;
        cafe_product product = cafe_product_of(rows, EIGHT, width);
        product.beta = from > 0;
        for (int64_t i = 0; i < rows; i++) {
            const float *row = row_of(e, cafe_owned_row(&e->owned, first + i)) + from;
            for (int64_t k = 0; k < width; k++) part[i * width + k] = row[k];
        }
        cafe_kernels_best()->products->in_double(&product, part, c->s + from * EIGHT, x);
    }
}

/* x_u = sum over k of v_uk s_k - shift, in doubles; s_k without S: column k alone. */
static void combine_rows(void *argument, int64_t first, int64_t last) {
    const combination *c = argument;
    const cafe_exact *e = c->e;
    for (int64_t i = first; i < last; i++) {
        double *x = e->x + i * EIGHT;
        const float *row = row_of(e, cafe_owned_row(&e->owned, i)) + c->first;
        if (c->s && (i - first) % EIGHT == 0)
            multiply_rows(c, i, last - i < EIGHT ? last - i : EIGHT, x);
        for (int j = 0; j < EIGHT && !c->s; j++) x[j] = j < c->count ? row[j] : 0;
        for (int j = 0; j < EIGHT; j++) x[j] -= c->shift[j];
    }
}

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct image_job {
    const cafe_exact *e;
    const double *p; /* y <- y / p, 0 where p is 0 */
    double *from, *to;
    double factor;
    bool first;
} image_job;

/* y_u <- y_u / p_u: from Q x to D^-1 Q x. */
static void divide_rows(void *argument, int64_t first, int64_t last) {
    const image_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        double p = job->p[cafe_owned_row(&job->e->owned, i)];
        for (int j = 0; j < EIGHT; j++)
            job->to[i * EIGHT + j] = p > 0 ? job->to[i * EIGHT + j] / p : 0;
    }
}

/* y <- Q x, or D^-1 Q x */
static cafe_status multiply(cafe_context *context, const cafe_exact *e, const cafe_operator *op,
                            cafe_side side, const double *x, double *y) {
    const cafe_owned *owned = &e->owned;
    image_job job = {.e = e, .p = op->parts.p, .to = y};
    CAFE_PASS(owned->engine
                  ? owned->engine->ops->eight(context, owned->engine, op, owned->held, false, x, y)
                  : cafe_operator_exact(context, &op->parts, EIGHT, x, y));
    return side == CAFE_SIDE_WALK ? cafe_ranges(context, owned->own, ROWS, divide_rows, &job)
                                  : CAFE_OK;
}

/* y <- [y +] factor power, times p for Q */
static void add_power(void *argument, int64_t first, int64_t last) {
    const image_job *job = argument;
    for (int64_t i = first; i < last; i++) {
        double p = job->p ? job->p[cafe_owned_row(&job->e->owned, i)] : 1;
        for (int64_t j = i * EIGHT; j < (i + 1) * EIGHT; j++)
            job->to[j] = (job->first ? 0 : job->to[j]) + job->factor * p * job->from[j];
    }
}

/* Walks: the mean of the powers of the single step's D^-1 Q (operator/walk_operator.c),
 *
 *     D^-1 Q_T = (1/T) sum over t = 1 .. T of (D^-1 Q)^t ,
 *
 * because D^-1 P 1 = 1 and p^T D^-1 P = p^T, so (D^-1 P - 1 p^T)^t = (D^-1 P)^t - 1 p^T. */
static cafe_status walk(cafe_context *context, cafe_exact *e) {
    cafe_operator step = *e->op;
    double *now = e->power, *next = e->power + e->owned.own * EIGHT;
    image_job job = {.e = e, .to = e->y, .first = true};
    job.factor = (double)step.parts.sign / (double)step.window;
    job.p = e->side == CAFE_SIDE_PLAIN ? step.parts.p : NULL;
    step.parts.sign = 1, step.parts.kappa = -1, step.window = 1;
    for (int64_t t = 0; t < e->op->window; t++) {
        CAFE_PASS(multiply(context, e, &step, CAFE_SIDE_WALK, t ? now : e->x, next));
        job.from = next, next = now, now = job.from;
        CAFE_PASS(cafe_ranges(context, e->owned.own, ROWS, add_power, &job));
        job.first = false;
    }
    return CAFE_OK;
}

/* X and Y = M X of some columns. */
static cafe_status find_image(cafe_context *context, cafe_exact *e, combination *c) {
    CAFE_PASS(cafe_ranges(context, e->owned.own, ROWS, combine_rows, c));
    if (e->op->window > 1) return walk(context, e);
    return multiply(context, e, e->op, e->side, e->x, e->y);
}

/* ---- sums ------------------------------------------------------------------------------------ */

static double weight_of(const cafe_exact *e, int64_t i) {
    return e->weights ? e->weights[cafe_owned_row(&e->owned, i)] : 1;
}

/* For each column j, with r = M x - rho_j x and the weights w of the inner product:
 *
 *     sums += (sum w x^2, sum w x r, sum w r^2) = (<x, x>, <x, r>, <r, r>).
 *
 * r is formed before it is squared, so a small residual does not cancel.
 */
static void add_sums(void *argument, int64_t first, int64_t last, double *sums) {
    const combination *c = argument;
    const cafe_exact *e = c->e;
    for (int64_t i = first; i < last; i++) {
        double w = weight_of(e, i);
        for (int j = 0; j < EIGHT; j++) {
            double x = e->x[i * EIGHT + j], r = e->y[i * EIGHT + j] - c->rho[j] * x;
            sums[SUMS * j] += w * x * x;
            sums[SUMS * j + 1] += w * x * r;
            sums[SUMS * j + 2] += w * r * r;
        }
    }
}

/* sums <- the sums of a task over the rows of all processes, by pieces. */
static cafe_status sum_up(cafe_context *context, const cafe_exact *e, cafe_sum_task *task,
                          void *argument, int64_t width, double *sums) {
    memset(sums, 0, (size_t)width * sizeof *sums);
    return cafe_owned_sums(context, &e->owned, cafe_piece_rows(e->op->n), task, argument, width,
                           sums);
}

/* Columns first .. of S and of its companions; columns that are missing are 0. */
static void take_columns(combination *c, int64_t first, int64_t count, const double *s,
                         const double *shift, const double *rho, double *part) {
    int64_t k = c->e->v->columns;
    c->first = first, c->count = count - first < EIGHT ? count - first : EIGHT;
    for (int64_t j = 0; j < EIGHT; j++) {
        bool in = j < c->count;
        c->shift[j] = in && shift ? shift[first + j] : 0;
        c->rho[j] = in && rho ? rho[first + j] : 0;
        for (int64_t i = 0; s && i < k; i++)
            part[i * EIGHT + j] = in ? s[i * count + first + j] : 0;
    }
    c->s = s ? part : NULL;
}

/* Sums twice: the second time with the Rayleigh quotients of the first, so that nothing cancels. */
static cafe_status measure_eight(cafe_context *context, const cafe_exact *e, combination *c,
                                 double *sums) {
    for (int round = 0; round < 2; round++) {
        for (int j = 0; j < EIGHT && round > 0; j++)
            if (sums[SUMS * j] > 0) c->rho[j] += sums[SUMS * j + 1] / sums[SUMS * j];
        CAFE_PASS(sum_up(context, e, add_sums, c, SUMS * EIGHT, sums));
    }
    return CAFE_OK;
}

/* Eight columns at a time: X = V S - 1 shift^T, Y = M X, then the three sums of each column. */
cafe_status cafe_exact_measure(cafe_context *context, cafe_exact *e, int64_t count, const double *s,
                               const double *shift, double *rho, double *sums) {
    cafe_status status = CAFE_OK;
    combination c = {.e = e};
    double here[SUMS * EIGHT], *part = cafe_mem(context, e->v->columns * EIGHT, sizeof *part);
    CAFE_TRY(cafe_mem_had(part));
    for (int64_t first = 0; first < count; first += EIGHT) {
        take_columns(&c, first, count, s, shift, rho, part);
        CAFE_TRY(find_image(context, e, &c));
        CAFE_TRY(measure_eight(context, e, &c, here));
        memcpy(rho + first, c.rho, (size_t)c.count * sizeof *rho);
        memcpy(sums + SUMS * first, here, (size_t)(SUMS * c.count) * sizeof *sums);
    }
done:
    cafe_mem_free(context, part);
    return status;
}

/* ---- Gram matrices of small blocks ----------------------------------------------------------- */

typedef struct gram_job {
    const cafe_exact *e;
    int64_t k;
    double *x, *y; /* all columns and their images, times W^1/2 */
} gram_job;

/* sums += X^T X, then X^T Y, of these rows, both above the diagonal alone. */
static void add_products(void *argument, int64_t first, int64_t last, double *sums) {
    const gram_job *job = argument;
    int64_t k = job->k;
    const double *x = job->x + first * k;
    cafe_product product = cafe_product_of(k, k, last - first);
    product.a_row = 1, product.a_inner = k, product.beta = 1;
    product.shape = CAFE_PRODUCT_SYMMETRIC;
    cafe_dense_gram(last - first, k, x, sums);
    cafe_kernels_best()->products->in_double(&product, x, job->y + first * k, sums + k * k);
}

/* As sum_up() adds: pieces of 256 rows or fewer are one segment of a product, which joins the sums.
 */
static cafe_status sum_products(cafe_context *context, const cafe_exact *e, gram_job *job,
                                double *sums) {
    int64_t rows = cafe_piece_rows(e->op->n), width = 2 * job->k * job->k;
    if (e->owned.engine || rows > CAFE_PRODUCT_SEGMENT)
        return sum_up(context, e, add_products, job, width, sums);
    memset(sums, 0, (size_t)width * sizeof *sums);
    for (int64_t u = 0; u < e->op->n; u += rows)
        add_products(job, u, u + rows < e->op->n ? u + rows : e->op->n, sums);
    return CAFE_OK;
}

static void keep_columns(const combination *c, gram_job *job) {
    for (int64_t i = 0; i < job->e->owned.own; i++) {
        double root = sqrt(weight_of(job->e, i));
        for (int64_t j = 0; j < c->count; j++) {
            job->x[i * job->k + c->first + j] = root * job->e->x[i * EIGHT + j];
            job->y[i * job->k + c->first + j] = root * job->e->y[i * EIGHT + j];
        }
    }
}

static cafe_status find_images(cafe_context *context, cafe_exact *e, const double *s,
                               const double *shift, gram_job *job) {
    cafe_status status = CAFE_OK;
    combination c = {.e = e};
    double *part = cafe_mem(context, e->v->columns * EIGHT, sizeof *part);
    CAFE_TRY(cafe_mem_had(part));
    for (int64_t first = 0; first < job->k; first += EIGHT) {
        take_columns(&c, first, job->k, s, shift, NULL, part);
        CAFE_TRY(find_image(context, e, &c));
        keep_columns(&c, job);
    }
done:
    cafe_mem_free(context, part);
    return status;
}

cafe_status cafe_exact_gram(cafe_context *context, cafe_exact *e, int64_t count, const double *s,
                            const double *shift, double *g, double *t) {
    cafe_status status = CAFE_OK;
    int64_t k = count, square = k * k;
    gram_job job = {e, k, NULL, NULL};
    double *sums = cafe_mem(context, 2 * square, sizeof *sums);
    job.x = cafe_mem(context, e->owned.own * k, sizeof *job.x);
    job.y = cafe_mem(context, e->owned.own * k, sizeof *job.y);
    CAFE_TRY(cafe_mem_had(sums, job.x, job.y));
    CAFE_TRY(find_images(context, e, s, shift, &job));
    CAFE_TRY(sum_products(context, e, &job, sums));
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            int64_t at = i < j ? i * k + j : j * k + i;
            g[i * k + j] = sums[at];
            t[i * k + j] = sums[square + at];
        }
done:
    cafe_mem_free_all(context, sums, job.x, job.y);
    return status;
}
